// SPDX-License-Identifier: Apache-2.0
// Saving what is seen, beside the cache: a picture, or a movie, which is sent picture by picture.


const get = (id) => document.getElementById(id);
const RANGE_HEIGHT = 32;

export class Keep {
  constructor(app) {
    this.app = app;
    get('keep-picture').addEventListener('click', () => this.picture());
    get('keep-movie').addEventListener('click', () => this.open());
    get('movie-close').addEventListener('click', () => get('movie').close());
    get('movie-stop').addEventListener('click', () => { this.stop = true; });
    get('movie-form').addEventListener('submit', (event) => { event.preventDefault(); this.movie(); });
  }

  say(words, bad) {
    get('kept').hidden = !words;
    get('kept').textContent = words;
    get('kept').classList.toggle('bad', !!bad);
  }

  /** What is seen, in a picture of that height (0: as large as it is seen), both sides even. */
  wish(height) {
    const { viewport } = this.app, all = Object.fromEntries(new URLSearchParams(viewport.query(true)));
    const h = height || Math.min(2160, viewport.canvas.height), w = 2 * Math.round(h * viewport.aspect() / 2);
    Object.assign(all, { h: String(2 * Math.round(h / 2)) });
    if (all.mode === 'render') all.w = String(Math.min(4096, Math.max(16, w)));
    delete all.priority;
    all.q = '100';
    return all;
  }

  /** To that address, as JPEG; its answer of one line, or an error with it. */
  async send(path, body) {
    const answer = await fetch(`${path}&client=${this.app.client}K`, { method: 'POST', body }).catch(() => null);
    const said = answer ? await answer.text() : 'The server does not answer.';
    if (!answer || !answer.ok) throw new Error(said);
    return said;
  }

  /** A picture with what is drawn over it, to be sent. */
  async drawn(wish) {
    const { viewport } = this.app, image = await viewport.fetch(new URLSearchParams(wish).toString(), `${this.app.client}K`, true);
    if (!image) throw new Error('what is to be seen is not there any more');
    const canvas = new OffscreenCanvas(image.width, image.height);
    viewport.put(canvas.getContext('2d'), image, 0, 0, image.width, image.height, Math.max(1, image.height / 720));
    return canvas.convertToBlob({ type: 'image/jpeg', quality: 1 });
  }

  async picture() {
    if (!this.app.viewport.ready()) return;
    this.say('…');
    try {
      this.say(await this.send(`save-picture?source=${this.app.state.id}`, await this.drawn(this.wish(0))));
    } catch (error) {
      this.say(error.message, true);
    }
  }

  open() {
    const { timeline, path, mode } = this.app, all = timeline.frames();
    if (!this.app.viewport.ready() || !all.length) return;
    get('movie-from').value = all[0];
    get('movie-to').value = all[all.length - 1];
    const ways = get('movie-camera');
    ways.disabled = mode !== 'render';
    ways.querySelector('[value=keys]').disabled = path.keys.length < 2;
    ways.value = path.on ? 'keys' : ways.value === 'keys' && path.keys.length < 2 ? 'still' : ways.value;
    get('movie').showModal();
  }

  /** The cameras of a movie; null: the movie's own. */
  cameras(frames) {
    const { app } = this, how = get('movie-camera').value;
    if (app.mode !== 'render') return null;
    if (how === 'keys') return frames.map((f) => app.path.at(f).query());
    if (how === 'turn') return frames.map((f, i) => app.path.turned(i / frames.length).query());
    return app.camera.isMovies() ? null : frames.map(() => app.camera.query());
  }

  /** Colours of slices by themselves would flicker: one range for all frames, from small pictures of each. */
  async range(wish, frames) {
    const ends = [];
    if (wish.mode !== 'slice' || (wish.lo && wish.hi)) return {};
    for (const frame of this.stop ? [] : frames) {
      const answer = await fetch(`picture?${new URLSearchParams({ ...wish, frame, h: RANGE_HEIGHT })}&client=${this.app.client}K`);
      ends.push(...(answer.headers.get('X-Range')?.split(',').map(Number) ?? []));
    }
    return ends.length ? { lo: Math.min(...ends), hi: Math.max(...ends) } : {};
  }

  movie() {
    const { app } = this, from = +get('movie-from').value, to = +get('movie-to').value;
    const frames = app.timeline.frames().filter((f) => f >= from && f <= to), cameras = this.cameras(frames);
    const wish = { ...this.wish(+get('movie-height').value), priority: '2' };
    for (const name of Object.keys(wish)) if (/^([etu][xyz]|angle)$/.test(name)) delete wish[name];
    get('movie').close();
    this.make(frames, cameras, wish, app.state.id, app.fps() * app.timeline.speed);
  }

  async make(frames, cameras, wish, of, fps) {
    const path = `source=${of}&fps=${fps}`;
    this.stop = false;
    get('movie-stop').hidden = false;
    get('keep-movie').disabled = true;
    try {
      Object.assign(wish, await this.range(wish, frames));
      for (const [i, frame] of frames.entries()) {
        if (this.stop) throw new Error('given up');
        this.say(`movie: ${i} of ${frames.length}`);
        await this.send(`movie-frame?${path}`, await this.drawn({ ...wish, ...(cameras && cameras[i]), frame }));
      }
      this.say(await this.send(`movie-end?${path}`));
    } catch (error) {
      this.say(error.message, true);
      await this.send(`movie-cancel?${path}`).catch(() => null);
    }
    get('movie-stop').hidden = true;
    get('keep-movie').disabled = false;
  }
}
