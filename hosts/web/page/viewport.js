// SPDX-License-Identifier: Apache-2.0
// The viewport shows the server's pictures: quick ones (small, coarse) while something changes, a sharp one at rest, and
// before one that takes long a draft of its size. At most one request of each quality is in flight; a response that a
// newer one has overtaken is not shown.

import { Camera } from './camera.js';
import { framesOf, nearestFrame } from './frames.js';
import { cameraProjection, sliceProjection } from './overlay.js';

const QUICK = 480 * 270, SHARP = 960 * 540, REST_MS = 140, LONG_MS = 2000, MAX_PICTURES = 600;

export class Viewport {
  constructor(app) {
    this.app = app;
    this.box = document.getElementById('viewport');
    this.canvas = document.getElementById('picture');
    this.pictures = new Map(); // cache: JPEG blobs by query
    this.headers = new Map(); // of each: camera (the movie's), range (of a slice's colours), box (of its layer)
    this.lastRequest = 0; // number of the newest request
    this.shownRequest = 0; // number of the request whose picture is shown
    this.requests = { // by quality: is one in flight, and which is sent next?
      quick: { busy: false, next: null }, sharp: { busy: false, next: null },
    };
    this.pictureTimes = []; // ms, of the last second's pictures
    this.cpuMs = 0; // processor time of the server for the last sharp picture
    this.restTimer = 0;
    this.split = 0.5; // position of the wiper, as a fraction of the width
    new ResizeObserver(() => this.resize()).observe(this.box);
  }

  resize() {
    const k = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(this.box.clientWidth * k);
    this.canvas.height = Math.round(this.box.clientHeight * k);
    if (this.image) this.paint(this.image);
    this.refresh();
  }

  aspect() { return this.box.clientWidth / Math.max(1, this.box.clientHeight); }

  query(sharp, frame = this.app.frame) {
    const { app } = this, all = app.mode === 'slice' ? app.slicePanel.query() : app.camera.isMovieCamera() && app.compareId === null ? {} : app.camera.query();
    const area = Math.min(sharp || app.mode === 'slice' ? SHARP : QUICK, this.box.clientWidth * this.box.clientHeight || QUICK);
    const height = 2 * Math.round(Math.sqrt(area / this.aspect()) / 2);
    Object.assign(all, { source: app.source.id, g: app.source.generation, frame, mode: app.mode, h: Math.max(16, height), q: sharp ? 92 : 78 });
    if (app.mode === 'render') Object.assign(all, { w: Math.max(16, 2 * Math.round(height * this.aspect() / 2)), coarse: sharp ? 0 : 1, ...app.lookPanel.query() });
    if (sharp) all.priority = 1;
    return new URLSearchParams(all).toString();
  }

  /** Something has changed: request a quick picture now, and a sharp one after REST_MS without a change. */
  refresh() {
    if (!this.ready()) return;
    this.request('quick');
    clearTimeout(this.restTimer);
    this.requests.sharp.next = null;
    if (!this.app.followsPreview()) this.restTimer = setTimeout(() => this.request('sharp'), REST_MS);
  }

  /** Request a sharp picture only: the change was not the user's. */
  requestSharp() {
    if (this.ready()) this.request('sharp');
  }

  ready() {
    const { app } = this;
    return app.frame !== null && (app.mode === 'slice' || (app.camera && app.scene && app.scene.renders));
  }

  request(quality) {
    const query = this.query(quality === 'sharp');
    const compare = this.compareQuery(query);
    this.requests[quality].next = { query, number: ++this.lastRequest, frame: this.app.frame, compare };
    return this.send(quality);
  }

  /** One after the other, until no newer request waits. */
  async send(quality) {
    const waiting = this.requests[quality];
    if (waiting.busy || !waiting.next) return;
    waiting.busy = true;
    while (waiting.next) {
      const request = waiting.next;
      waiting.next = null;
      const draft = quality === 'sharp' && this.draftQuery(request.query);
      if (draft) await this.load({ ...request, query: draft, compare: this.compareQuery(draft) }, 'quick');
      if (!draft || request.number === this.lastRequest) await this.load(request, quality);
    }
    waiting.busy = false;
  }

  /** The draft of a sharp picture. null: the last one came soon, it is kept, or it is no render. */
  draftQuery(query) {
    const draft = new URLSearchParams(query);
    if (!draft.has('coarse') || this.cpuMs < LONG_MS || this.pictures.has(query)) return null;
    draft.set('coarse', 1);
    return draft.toString();
  }

  /** Fetch a request's pictures and show them. */
  async load(request, quality) {
    try {
      const image = await this.fetchPicture(request.query, this.app.client, this.app.isLive()); // its frames never come again
      if (!image) { // the server dropped it for a newer one, which may be the quick one before it
        if (request.number === this.lastRequest) this.requests[quality].next ??= request;
        return;
      }
      if (quality === 'sharp') this.cpuMs = 1000 * this.app.cpuSeconds;
      const compared = request.compare && await this.fetchPicture(request.compare, `${this.app.client}B`.slice(-16)).catch(() => null);
      if (request.compare && !compared) this.compared = null;
      if (request.number < this.shownRequest) return;
      this.shownRequest = request.number;
      this.isSharp = quality === 'sharp';
      this.image = image;
      this.shownQuery = request.query;
      const { camera } = this.headers.get(request.query) ?? {};
      const { app } = this;
      if (camera && app.camera && app.camera.isMovieCamera()) app.camera = Camera.parse(camera);
      this.compared = compared;
      this.paint(image);
      this.app.showMessage('');
      this.countPicture();
      this.app.pictureShown(request.frame, quality, image.overlay?.summary(image.projection) ?? '');
    } catch (error) {
      if (request.number >= this.shownRequest) this.app.showMessage(error instanceof TypeError ? 'The server does not answer.' : error.message);
    }
  }

  /** A picture with its overlay, from the cache or the server. null: it was dropped for a newer request. `once`: do not
   *  cache it. `how`: more for the server, which makes no other picture. */
  async fetchPicture(query, client, once = false, how = '') {
    let blob = this.pictures.get(query), headers = this.headers.get(query);
    if (!blob) {
      const response = await fetch(`picture?${query}&client=${client}${how}`);
      if (response.status === 204) return null;
      if (!response.ok) throw new Error(await response.text());
      if (!how) this.app.renderSeconds = +response.headers.get('X-Seconds');
      if (!how) this.app.cpuSeconds = +response.headers.get('X-CPU-Seconds');
      headers = Object.fromEntries(['Camera', 'Range', 'Box'].map((name) => [name.toLowerCase(), response.headers.get(`X-${name}`)]));
      blob = await response.blob();
      blob.empty = !!response.headers.get('X-Empty');
      if (!once) this.cache(query, blob, headers);
    }
    const [image, overlay] = await Promise.all([createImageBitmap(blob), this.app.overlayLayers.of(query)]);
    return Object.assign(image, { empty: blob.empty, overlay, projection: overlay && this.projection(query, headers, image, overlay.metre) });
  }

  /** How the overlay's points come to the picture's pixels. */
  projection(query, { camera, box }, image, metre) {
    if (box) {
      const n = box.split(',').map((x) => x * metre);
      return sliceProjection(n.slice(0, 3), n.slice(3));
    }
    const own = new URLSearchParams(query), names = ['ex', 'ey', 'ez', 'tx', 'ty', 'tz', 'ux', 'uy', 'uz', 'angle'];
    return cameraProjection(own.has('ex') ? names.map((name) => +own.get(name)) : camera.split(',').map(Number), image.width / image.height);
  }

  /** The same picture of the compared source, at its nearest frame. null: nothing is compared. */
  compareQuery(query) {
    const { app } = this, s = app.serverState.sources.find((x) => x.id === app.compareId);
    if (!s || s.id === app.source.id) return null;
    const frame = nearestFrame(framesOf(s), app.frame);
    const out = new URLSearchParams(query);
    for (const [k, v] of [['source', s.id], ['g', s.generation], ['frame', frame]]) out.set(k, v);
    return Number.isFinite(frame) ? out.toString() : null;
  }

  /** Place the wiper and its labels. */
  updateCompare() {
    const label = (s) => [s.changes || { full: 'full size', preview: 'as opened' }[s.kind] || s.title || '', s.coarse > 1 ? `voxel ×${s.coarse}` : ''].filter(Boolean).join(' · ');
    const { app } = this, get = (id) => document.getElementById(id), other = app.serverState.sources.find((s) => s.id === app.compareId);
    const on = !!other && other.id !== app.source.id;
    for (const id of ['wiper', 'compare-left', 'compare-right']) get(id).hidden = !on;
    get('wiper').style.left = `${100 * this.split}%`;
    get('wiper').setAttribute('aria-valuenow', Math.round(100 * this.split));
    if (on) get('compare-left').textContent = label(other);
    if (on) get('compare-right').textContent = label(app.source);
    const differ = on && other.coarse !== app.source.coarse;
    get('voxel-warning').hidden = !differ;
    if (differ) get('voxel-warning').textContent = `voxels ×${other.coarse} at the left, ×${app.source.coarse} at the right: not every difference is due to the change`;
    if (this.image) this.paint(this.image);
  }

  cache(query, blob, headers) {
    this.pictures.set(query, blob);
    this.headers.set(query, headers);
    if (this.pictures.size <= MAX_PICTURES) return;
    const oldest = this.pictures.keys().next().value;
    this.pictures.delete(oldest);
    this.headers.delete(oldest);
  }

  /** The range of the colours of the shown slice, or null. */
  shownRange() { return this.headers.get(this.shownQuery)?.range?.split(',').map((x) => +(+x).toPrecision(6)) ?? null; }

  /** Fractions of the picture's width and height at a point of the window; null: outside. */
  pointAt(x, y) {
    if (!this.image) return null;
    const box = this.canvas.getBoundingClientRect(), { width, height } = this.image;
    const k = Math.min(box.width / width, box.height / height);
    const u = 0.5 + (x - box.left - box.width / 2) / (k * width), v = 0.5 + (y - box.top - box.height / 2) / (k * height);
    return u >= 0 && u < 1 && v >= 0 && v < 1 ? [u, v] : null;
  }

  /** A picture and its overlay. */
  drawPicture(context, image, x, y, w, h, scale) {
    context.drawImage(image, x, y, w, h);
    image.overlay?.draw(context, image.projection, x, y, w, h, scale);
  }

  paint(image) {
    const { width, height } = this.canvas, context = this.canvas.getContext('2d');
    const k = Math.min(width / image.width, height / image.height);
    const w = image.width * k, h = image.height * k;
    context.imageSmoothingQuality = 'high';
    if (w < width - 1 || h < height - 1) context.clearRect(0, 0, width, height);
    const box = [(width - w) / 2, (height - h) / 2, w, h, window.devicePixelRatio || 1];
    this.drawPicture(context, image, ...box);
    if (!this.compared || this.app.compareId === null) return;
    context.save();
    context.beginPath();
    context.rect(0, 0, width * this.split, height);
    context.clip();
    this.drawPicture(context, this.compared, ...box);
    context.restore();
  }

  countPicture() {
    const now = performance.now();
    this.pictureTimes = this.pictureTimes.filter((t) => now - t < 1000).concat(now);
  }

  rate() {
    const t = this.pictureTimes;
    return t.length > 1 ? (t.length - 1) * 1000 / (t[t.length - 1] - t[0]) : 0;
  }
}
