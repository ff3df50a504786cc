// SPDX-License-Identifier: Apache-2.0
// Saving what is shown, with its overlay: a picture, or a movie, which is uploaded frame by frame. The server writes the
// files beside the cache.

const get = (id) => document.getElementById(id);
const RANGE_HEIGHT = 32; // of the pictures that a movie's range is found from

export class SaveMedia {
  constructor(app) {
    this.app = app;
    get('save-picture').addEventListener('click', () => this.picture());
    get('save-movie').addEventListener('click', () => this.openDialog());
    get('movie-close').addEventListener('click', () => get('movie').close());
    get('movie-stop').addEventListener('click', () => { this.stop = true; });
    get('movie-form').addEventListener('submit', (event) => { event.preventDefault(); this.startMovie(); });
  }

  showResult(text, bad) {
    get('save-result').hidden = !text;
    get('save-result').textContent = text;
    get('save-result').classList.toggle('bad', !!bad);
  }

  /** The query of what is shown, for a picture of that height (0: as on the screen), with even sides. */
  query(height) {
    const { viewport } = this.app, query = Object.fromEntries(new URLSearchParams(viewport.query(true)));
    const h = height || Math.min(2160, viewport.canvas.height), w = 2 * Math.round(h * viewport.aspect() / 2);
    Object.assign(query, { h: String(2 * Math.round(h / 2)) });
    if (query.mode === 'render') query.w = String(Math.min(4096, Math.max(16, w)));
    delete query.priority;
    query.q = '100';
    return query;
  }

  /** Upload; the server's sentence, or an error with it. */
  async post(path, body) {
    const { ok, text } = await this.app.post(`${path}&client=${this.app.client}K`, body);
    if (!ok) throw new Error(text);
    return text;
  }

  /** A picture with its overlay, as JPEG. */
  async render(query) {
    const { viewport } = this.app, image = await viewport.fetchPicture(new URLSearchParams(query).toString(), `${this.app.client}K`, true);
    if (!image) throw new Error('what was shown is not there any more');
    const canvas = new OffscreenCanvas(image.width, image.height);
    viewport.drawPicture(canvas.getContext('2d'), image, 0, 0, image.width, image.height, Math.max(1, image.height / 720));
    return canvas.convertToBlob({ type: 'image/jpeg', quality: 1 });
  }

  async picture() {
    if (!this.app.viewport.ready()) return;
    this.showResult('…');
    try {
      this.showResult(await this.post(`save-picture?source=${this.app.source.id}`, await this.render(this.query(0))));
    } catch (error) {
      this.showResult(error.message, true);
    }
  }

  openDialog() {
    const { timeline, cameraPath, mode } = this.app, all = timeline.frames();
    if (!this.app.viewport.ready() || !all.length) return;
    get('movie-from').value = all[0];
    get('movie-to').value = all.at(-1);
    const choice = get('movie-camera');
    choice.disabled = mode !== 'render';
    choice.querySelector('[value=keys]').disabled = cameraPath.keyframes.length < 2;
    choice.value = cameraPath.on ? 'keys' : choice.value === 'keys' && cameraPath.keyframes.length < 2 ? 'still' : choice.value;
    get('movie').showModal();
  }

  /** A movie's cameras by frame, as queries; null: the bake's movie camera. */
  cameras(frames) {
    const { app } = this, how = get('movie-camera').value;
    if (app.mode !== 'render') return null;
    if (how === 'keys') return frames.map((f) => app.cameraPath.cameraAt(f).query());
    if (how === 'turn') return frames.map((f, i) => app.cameraPath.orbit(i / frames.length).query());
    return app.camera.isMovieCamera() ? null : frames.map(() => app.camera.query());
  }

  /** One range for all frames of a slice, from small pictures of each: automatic ranges would make the colours flicker. */
  async range(query, frames) {
    const ends = [];
    if (query.mode !== 'slice' || (query.lo && query.hi)) return {};
    for (const frame of this.stop ? [] : frames) {
      const response = await fetch(`picture?${new URLSearchParams({ ...query, frame, h: RANGE_HEIGHT })}&client=${this.app.client}K`);
      ends.push(...(response.headers.get('X-Range')?.split(',').map(Number) ?? []));
    }
    return ends.length ? { lo: Math.min(...ends), hi: Math.max(...ends) } : {};
  }

  startMovie() {
    const { app } = this, from = +get('movie-from').value, to = +get('movie-to').value;
    const frames = app.timeline.frames().filter((f) => f >= from && f <= to), cameras = this.cameras(frames);
    const query = { ...this.query(+get('movie-height').value), priority: '2' };
    for (const name of Object.keys(query)) if (/^([etu][xyz]|angle)$/.test(name)) delete query[name];
    get('movie').close();
    this.makeMovie(frames, cameras, query, app.source.id, app.fps() * app.timeline.speed);
  }

  async makeMovie(frames, cameras, query, source, fps) {
    const path = `source=${source}&fps=${fps}`;
    this.stop = false;
    get('movie-stop').hidden = false;
    get('save-movie').disabled = true;
    try {
      Object.assign(query, await this.range(query, frames));
      for (const [i, frame] of frames.entries()) {
        if (this.stop) throw new Error('cancelled');
        this.showResult(`movie: ${i} of ${frames.length}`);
        await this.post(`movie-frame?${path}`, await this.render({ ...query, ...(cameras && cameras[i]), frame }));
      }
      this.showResult(await this.post(`movie-end?${path}`));
    } catch (error) {
      this.showResult(error.message, true);
      await this.post(`movie-cancel?${path}`).catch(() => null);
    }
    get('movie-stop').hidden = true;
    get('save-movie').disabled = false;
  }
}
