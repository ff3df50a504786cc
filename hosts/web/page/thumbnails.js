// SPDX-License-Identifier: Apache-2.0
// Thumbnails above the timeline, by the movie's camera: as many as fit, each of the first frame in its slot. They are fetched
// one at a time, while no other picture is, and at the server's lowest priority.

import { nearestFrame } from './frames.js';

const MAX_IMAGES = 96, HEIGHT = 54, DELAY_MS = 200;

export class Thumbnails {
  /** `changed` is called when an image has come. */
  constructor(app, changed) {
    this.app = app;
    this.changed = changed;
    this.images = new Map(); // by key; null: there is none
    this.drawn = new Map(); // by source and slot: the image that was drawn last, until a newer one comes
  }

  key(frame) { return `${this.app.source.id}:${this.app.source.generation}:${frame}`; }

  aspect() {
    const { scene } = this.app;
    return scene && scene.renders ? Math.max(0.75, Math.min(2, scene.width / Math.max(1, scene.height))) : 1;
  }

  /** The first frame in each slot of a row; undefined: it has none yet. */
  slots(frames, [a, b], width, height) {
    const n = Math.max(1, Math.min(b - a + 1, Math.floor(width / (height * this.aspect())))), out = Array(n).fill();
    for (const f of frames) {
      const i = Math.min(n - 1, Math.floor((f - a) * n / (b - a + 1)));
      out[i] ??= f;
    }
    return out;
  }

  draw(g, frames, span, width, height) {
    const slots = this.slots(frames, span, width, height), each = width / slots.length;
    g.fillStyle = '#0d0e10';
    g.fillRect(0, 0, width, height);
    slots.forEach((frame, i) => {
      const at = `${this.app.source.id}:${i}/${slots.length}`;
      const image = frame !== undefined && (this.images.get(this.key(frame)) ?? this.drawn.get(at));
      if (!image || !image.width) return;
      this.drawn.set(at, image);
      const k = Math.min((each - 1) / image.width, height / image.height), w = image.width * k, h = image.height * k;
      g.drawImage(image, i * each + (each - w) / 2, (height - h) / 2, w, h);
    });
    this.frames = slots;
    this.schedule();
  }

  schedule() {
    if (!this.timer) this.timer = setTimeout(() => { this.timer = null; this.fetchNext(); }, DELAY_MS);
  }

  /** Fetch the missing one that is nearest to the shown frame. */
  fetchNext() {
    const { app } = this, missing = (this.frames ?? []).filter((f) => f !== undefined && !this.images.has(this.key(f)));
    if (app.isLive() || !missing.length || !app.scene || this.loading) return;
    const { quick, sharp } = app.viewport.requests;
    if (document.hidden || app.timeline.playing || quick.busy || sharp.busy) { this.schedule(); return; }
    this.fetchImage(nearestFrame(missing, app.frame));
  }

  async fetchImage(frame) {
    const { id, generation } = this.app.source, key = this.key(frame);
    const w = 2 * Math.round(HEIGHT * this.aspect() / 2), how = this.app.scene.renders ? `&w=${w}&coarse=1` : '&mode=slice';
    this.loading = true;
    try {
      const response = await fetch(`picture?source=${id}&g=${generation}&frame=${frame}&h=${HEIGHT}&q=80&independent=1&priority=2${how}`);
      if (response.status !== 204) this.store(key, response.ok ? await createImageBitmap(await response.blob()) : null);
      this.changed();
    } catch { // the page shows that the server does not answer
      this.store(key, null);
    }
    this.loading = false;
    this.schedule();
  }

  store(key, image) {
    this.images.set(key, image);
    if (this.images.size > MAX_IMAGES) this.images.delete(this.images.keys().next().value);
    if (this.drawn.size > MAX_IMAGES) this.drawn.clear();
  }
}
