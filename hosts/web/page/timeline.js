// SPDX-License-Identifier: Apache-2.0
// The timeline: available frames, playback, scrubbing.

import { framesOf, nearestFrame } from './frames.js';
import { Thumbnails } from './thumbnails.js';

const LIVE_SPAN = 48; // frames of a simulation that runs on
const THUMBNAILS = 0.56; // their fraction of the height

export class Timeline {
  constructor(app) {
    this.app = app;
    this.box = document.getElementById('timeline');
    this.canvas = document.getElementById('bar');
    this.number = document.getElementById('frame');
    this.playing = false;
    this.loop = true;
    this.speed = 1;
    this.thumbnails = new Thumbnails(app, () => this.draw());
    const on = (id, act) => document.getElementById(id).addEventListener('click', act);
    on('first', () => app.seek(this.frames()[0]));
    on('last', () => app.seekLive());
    on('previous', () => app.seek(this.neighbour(-1)));
    on('next', () => app.seek(this.neighbour(1)));
    on('play', () => this.playing ? this.pause() : this.play());
    on('loop', () => this.toggleLoop());
    document.getElementById('speed').addEventListener('change', (event) => { this.speed = +event.target.value; });
    this.number.addEventListener('change', () => app.seek(this.nearest(+this.number.value)));
    this.box.addEventListener('pointerdown', (event) => this.scrub(event, true));
    this.box.addEventListener('pointermove', (event) => { if (this.held) this.scrub(event); });
    for (const name of ['pointerup', 'pointercancel']) this.box.addEventListener(name, () => { this.held = false; });
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  frames() { return framesOf(this.app.source); }

  nearest(frame) { return nearestFrame(this.frames(), frame); }

  neighbour(n) {
    const all = this.frames(), i = all.indexOf(this.nearest(this.app.frame));
    return all[Math.max(0, Math.min(all.length - 1, i + n))];
  }

  /** First and last frame, of the bake or of what there is. */
  span() {
    if (this.app.isLive()) return [this.app.frame - LIVE_SPAN + 1, this.app.frame]; // it has no end
    const all = this.frames(), { source } = this.app, { first, last } = source.record ?? source;
    return [Math.min(first, all[0] ?? first), Math.max(last, all.at(-1) ?? last)];
  }

  scrub(event, begin) {
    if (begin) {
      this.held = true;
      this.box.setPointerCapture(event.pointerId);
    }
    const [a, b] = this.span(), box = this.box.getBoundingClientRect();
    const fraction = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
    this.app.seek(this.nearest(a + fraction * (b - a)));
  }

  /** No frame is skipped: the speed is as chosen where the server keeps up. */
  play() {
    const all = this.frames();
    if (all.length < 2 || this.app.isLive()) return;
    this.playing = this.hasPlayed = true;
    if (!this.loop && this.app.frame === all.at(-1)) this.app.seek(all[0], true);
    document.getElementById('play').setAttribute('aria-pressed', 'true');
    this.due = performance.now();
    this.showNext();
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    clearTimeout(this.timer);
    document.getElementById('play').setAttribute('aria-pressed', 'false');
    this.app.viewport.refresh();
  }

  toggleLoop() {
    this.loop = !this.loop;
    document.getElementById('loop').setAttribute('aria-pressed', String(this.loop));
  }

  showNext() {
    const all = this.frames(), i = all.indexOf(this.app.frame);
    if (i === all.length - 1 && !this.loop) { this.pause(); return; }
    this.app.seek(all[(i + 1) % all.length], true);
  }

  /** A picture has come: schedule the next one. */
  pictureShown(frame) {
    if (!this.playing || frame !== this.app.frame) return;
    const now = performance.now();
    this.due = Math.max(this.due + 1000 / (this.app.fps() * this.speed), now);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { if (this.playing) this.showNext(); }, this.due - now);
  }

  draw() {
    const { app, canvas } = this, k = window.devicePixelRatio || 1;
    const w = canvas.width = Math.round(this.box.clientWidth * k), h = canvas.height = Math.round(this.box.clientHeight * k);
    const g = canvas.getContext('2d');
    if (!app.source || app.frame === null) return;
    const [a, b] = this.span(), width = w / Math.max(1, b - a + 1);
    const x = (f) => (f - a) * width, y = h * (THUMBNAILS + 0.03), high = h * 0.17, frames = this.frames();
    this.thumbnails.draw(g, frames, [a, b], w, h * THUMBNAILS);
    g.fillStyle = '#2a2e33';
    g.fillRect(0, y, w, high);
    g.fillStyle = '#56616e';
    for (const f of frames) g.fillRect(x(f), y, Math.max(1, width - (width > 4 ? 1 : 0)), high);
    g.fillStyle = '#f0913a';
    g.fillRect(x(app.frame) + width / 2 - k, 0, 2 * k, h);
    g.font = `${11 * k}px sans-serif`;
    g.fillStyle = '#9aa1aa';
    g.textBaseline = 'bottom';
    g.fillText(a, 0, h);
    g.textAlign = 'right';
    g.fillText(b, w, h);
    if (document.activeElement !== this.number) this.number.value = app.frame;
    for (const [name, value] of [['min', a], ['max', b], ['now', app.frame]]) this.box.setAttribute(`aria-value${name}`, value);
  }
}
