// SPDX-License-Identifier: Apache-2.0
// Saving what is seen, beside the cache: a picture, or a movie that the server makes.

import { eyeOf } from './path.js';

const get = (id) => document.getElementById(id);
const POLL_MS = 400;

export class Keep {
  constructor(app) {
    this.app = app;
    get('keep-picture').addEventListener('click', () => this.picture());
    get('keep-movie').addEventListener('click', () => this.open());
    get('movie-close').addEventListener('click', () => get('movie').close());
    get('movie-stop').addEventListener('click', () => fetch('movie-stop', { method: 'POST' }).catch(() => null));
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
    delete all.rest;
    return all;
  }

  async picture() {
    if (!this.app.viewport.ready()) return;
    this.say('…');
    const answer = await fetch(`keep?${new URLSearchParams(this.wish(0))}&client=${this.app.client}K`, { method: 'POST' }).catch(() => null);
    this.say(answer ? await answer.text() : 'The server does not answer.', !answer || !answer.ok);
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
    get('movie-said').textContent = '';
    get('movie').showModal();
  }

  /** The cameras of a movie; null: the movie's own. */
  eyes(frames) {
    const { app } = this, how = get('movie-camera').value;
    if (app.mode !== 'render') return null;
    if (how === 'keys') return frames.map((f) => eyeOf(app.path.at(f)));
    if (how === 'turn') return frames.map((f, i) => eyeOf(app.path.turned(i / frames.length)));
    return app.camera.isMovies() ? null : frames.map(() => eyeOf(app.camera));
  }

  async movie() {
    const { app } = this, from = +get('movie-from').value, to = +get('movie-to').value;
    const frames = app.timeline.frames().filter((f) => f >= from && f <= to), eyes = this.eyes(frames);
    const wish = this.wish(+get('movie-height').value);
    for (const name of Object.keys(wish)) if (/^([etu][xyz]|angle|frame|g)$/.test(name)) delete wish[name];
    const asked = { of: app.state.id, wish, frames, fps: app.fps() * app.timeline.speed, ...(eyes && { eyes }) };
    const answer = await fetch('movie', { method: 'POST', body: JSON.stringify(asked) }).catch(() => null);
    get('movie-said').textContent = !answer ? 'The server does not answer.' : answer.ok ? '' : await answer.text();
    if (!answer || !answer.ok) return;
    get('movie').close();
    this.watch();
  }

  async watch() {
    const answer = await fetch('movie-state').catch(() => null), m = answer && answer.ok ? await answer.json() : null;
    get('movie-stop').hidden = !(m && m.running);
    if (!m) this.say('The server does not answer.', true);
    else if (!m.running) this.say(m.said, m.failed);
    else this.say(`movie: ${m.done} of ${m.total}`);
    if (m && m.running) setTimeout(() => this.watch(), POLL_MS);
  }
}
