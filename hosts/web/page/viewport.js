// SPDX-License-Identifier: Apache-2.0
// The picture: asks the server for small ones while something moves and for a sharp one at rest. At most one of each is
// on its way; what comes too late is not shown.

import { Camera } from './camera.js';
import { lensOfCamera, lensOfSlice } from './overlay.js';

const QUICK = 480 * 270, SHARP = 960 * 540, REST_MS = 140, KEPT = 600;

export class Viewport {
  constructor(app) {
    this.app = app;
    this.box = document.getElementById('viewport');
    this.canvas = document.getElementById('picture');
    this.kept = new Map(); // pictures by what was asked
    this.told = new Map(); // of each: camera (the movie's camera), range (a slice's colours), box (its layer)
    this.asked = 0; // every wish has a number
    this.shown = 0; // that of the newest picture that is seen
    this.ways = { quick: { busy: false, next: null }, sharp: { busy: false, next: null } };
    this.times = []; // ms, when pictures came
    this.took = 0; // ms of the server, the last one at rest
    this.rest = 0;
    this.split = 0.5; // where the wiper stands, as a share of the width
    new ResizeObserver(() => this.resize()).observe(this.box);
  }

  resize() {
    const k = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(this.box.clientWidth * k);
    this.canvas.height = Math.round(this.box.clientHeight * k);
    if (this.image) this.paint(this.image);
    this.moved();
  }

  aspect() { return this.box.clientWidth / Math.max(1, this.box.clientHeight); }

  query(sharp) {
    const { app } = this, all = app.mode === 'slice' ? app.panel.query() : app.camera.isMovies() && app.beside === null ? {} : app.camera.query();
    const area = Math.min(sharp || app.mode === 'slice' ? SHARP : QUICK, this.box.clientWidth * this.box.clientHeight || QUICK);
    const height = 2 * Math.round(Math.sqrt(area / this.aspect()) / 2);
    Object.assign(all, { source: app.state.id, g: app.state.generation, frame: app.frame, mode: app.mode, h: Math.max(16, height), q: sharp ? 92 : 78 });
    if (app.mode === 'render') Object.assign(all, { w: Math.max(16, 2 * Math.round(height * this.aspect() / 2)), coarse: sharp ? 0 : 1 });
    if (sharp) all.priority = 1;
    return new URLSearchParams(all).toString();
  }

  /** Something moves: a small picture now, a sharp one when it rests. */
  moved() {
    if (!this.ready()) return;
    this.want('quick');
    clearTimeout(this.rest);
    this.ways.sharp.next = null;
    this.rest = setTimeout(() => this.want('sharp'), REST_MS);
  }

  /** A sharp one will do: nobody's hand is at it. */
  settled() {
    if (this.ready()) this.want('sharp');
  }

  ready() {
    const { app } = this;
    return app.frame !== null && (app.mode === 'slice' || (app.camera && app.scene && app.scene.renders));
  }

  want(way) {
    const query = this.query(way === 'sharp');
    const wish = { query, number: ++this.asked, frame: this.app.frame, other: this.otherQuery(query) };
    this.ways[way].next = wish;
    return this.send(way);
  }

  async send(way) {
    const w = this.ways[way];
    if (w.busy || !w.next) return;
    w.busy = true;
    while (w.next) {
      const wish = w.next;
      w.next = null;
      await this.get(wish, way);
    }
    w.busy = false;
  }

  async get(wish, way) {
    try {
      const image = await this.fetch(wish.query, this.app.client);
      if (!image) { // dropped for a newer one: the quick one before it, where that came to the server later
        if (wish.number === this.asked) this.ways[way].next ??= wish;
        return;
      }
      if (way === 'sharp') this.took = 1000 * this.app.processor;
      const other = wish.other && await this.fetch(wish.other, `${this.app.client}B`.slice(-16)).catch(() => null);
      if (wish.other && !other) this.other = null;
      if (wish.number < this.shown) return;
      this.shown = wish.number;
      this.sharp = way === 'sharp';
      this.image = image;
      this.seen = wish.query;
      const { camera } = this.told.get(wish.query) ?? {};
      const { app } = this;
      if (camera && app.camera && app.camera.isMovies()) app.camera = Camera.of(camera);
      this.other = other;
      this.paint(image);
      this.app.say('');
      this.count();
      this.app.pictureShown(wish.frame, way, image.marks?.words(image.lens) ?? '');
    } catch (error) {
      if (wish.number >= this.shown) this.app.say(error instanceof TypeError ? 'The server does not answer.' : error.message);
    }
  }

  /** null: it was dropped for a newer one. `passing`: it is not wanted again. */
  async fetch(query, client, passing = false) {
    let blob = this.kept.get(query), told = this.told.get(query);
    if (!blob) {
      const answer = await fetch(`picture?${query}&client=${client}`);
      if (answer.status === 204) return null;
      if (!answer.ok) throw new Error(await answer.text());
      this.app.seconds = +answer.headers.get('X-Seconds');
      this.app.processor = +answer.headers.get('X-CPU-Seconds');
      told = Object.fromEntries(['Camera', 'Range', 'Box'].map((name) => [name.toLowerCase(), answer.headers.get(`X-${name}`)]));
      blob = await answer.blob();
      blob.empty = !!answer.headers.get('X-Empty');
      if (!passing) this.keep(query, blob, told);
    }
    const [image, marks] = await Promise.all([createImageBitmap(blob), this.app.marks.of(query)]);
    return Object.assign(image, { empty: blob.empty, marks, lens: marks && this.lens(query, told, image, marks.metre), told });
  }

  lens(query, { camera, box }, image, metre) {
    if (box) {
      const n = box.split(',').map((x) => x * metre);
      return lensOfSlice(n.slice(0, 3), n.slice(3));
    }
    const own = new URLSearchParams(query), names = ['ex', 'ey', 'ez', 'tx', 'ty', 'tz', 'ux', 'uy', 'uz', 'angle'];
    return lensOfCamera(own.has('ex') ? names.map((name) => +own.get(name)) : camera.split(',').map(Number), image.width / image.height);
  }

  /** The same of what is compared with, at the nearest frame that it has. */
  otherQuery(query) {
    const { app } = this, s = app.all.sources.find((x) => x.id === app.beside);
    if (!s || s.id === app.state.id) return null;
    const all = (s.ranges ?? []).flatMap(([a, b]) => Array.from({ length: b - a + 1 }, (_, i) => a + i)).concat(s.unwritten);
    const frame = all.reduce((best, f) => Math.abs(f - app.frame) < Math.abs(best - app.frame) ? f : best, Infinity);
    const out = new URLSearchParams(query);
    for (const [k, v] of [['source', s.id], ['g', s.generation], ['frame', frame]]) out.set(k, v);
    return Number.isFinite(frame) ? out.toString() : null;
  }

  /** Wiper and words beside it. */
  compared() {
    const named = (s) => [s.changes || { full: 'full size', preview: 'as it was' }[s.kind] || s.title || '', s.coarse > 1 ? `voxel ×${s.coarse}` : ''].filter(Boolean).join(' · ');
    const { app } = this, get = (id) => document.getElementById(id), other = app.all.sources.find((s) => s.id === app.beside);
    const on = !!other && other.id !== app.state.id;
    for (const id of ['wiper', 'left', 'right']) get(id).hidden = !on;
    get('wiper').style.left = `${100 * this.split}%`;
    get('wiper').setAttribute('aria-valuenow', Math.round(100 * this.split));
    if (on) get('left').textContent = named(other);
    if (on) get('right').textContent = named(app.state);
    const unlike = on && other.coarse !== app.state.coarse;
    get('unlike').hidden = !unlike;
    if (unlike) get('unlike').textContent = `voxels ×${other.coarse} at the left, ×${app.state.coarse} at the right: not all that differs is the change`;
    if (this.image) this.paint(this.image);
  }

  keep(query, blob, told) {
    this.kept.set(query, blob);
    this.told.set(query, told);
    if (this.kept.size <= KEPT) return;
    const oldest = this.kept.keys().next().value;
    this.kept.delete(oldest);
    this.told.delete(oldest);
  }

  /** The ends of the colours of the slice that is seen, or null. */
  rangeShown() { return this.told.get(this.seen)?.range?.split(',').map((x) => +(+x).toPrecision(6)) ?? null; }

  /** Shares of the picture's width and height at a place of the window; null: beside it. */
  pointAt(x, y) {
    if (!this.image) return null;
    const box = this.canvas.getBoundingClientRect(), { width, height } = this.image;
    const k = Math.min(box.width / width, box.height / height);
    const u = 0.5 + (x - box.left - box.width / 2) / (k * width), v = 0.5 + (y - box.top - box.height / 2) / (k * height);
    return u >= 0 && u < 1 && v >= 0 && v < 1 ? [u, v] : null;
  }

  /** A picture, and what is drawn over it. */
  put(context, image, x, y, w, h, scale) {
    context.drawImage(image, x, y, w, h);
    image.marks?.draw(context, image.lens, x, y, w, h, scale);
  }

  paint(image) {
    const { width, height } = this.canvas, context = this.canvas.getContext('2d');
    const k = Math.min(width / image.width, height / image.height);
    const w = image.width * k, h = image.height * k;
    context.imageSmoothingQuality = 'high';
    if (w < width - 1 || h < height - 1) context.clearRect(0, 0, width, height);
    const box = [(width - w) / 2, (height - h) / 2, w, h, window.devicePixelRatio || 1];
    this.put(context, image, ...box);
    if (!this.other || this.app.beside === null) return;
    context.save();
    context.beginPath();
    context.rect(0, 0, width * this.split, height);
    context.clip();
    this.put(context, this.other, ...box);
    context.restore();
  }

  count() {
    const now = performance.now();
    this.times = this.times.filter((t) => now - t < 1000).concat(now);
  }

  rate() {
    const t = this.times;
    return t.length > 1 ? (t.length - 1) * 1000 / (t[t.length - 1] - t[0]) : 0;
  }
}
