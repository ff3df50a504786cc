// SPDX-License-Identifier: Apache-2.0
// Small pictures along the timeline, by the movie's camera: as many as fit, each of the first frame in its part of the
// timeline. One is asked for at a time, when nothing else is, and the server makes it when it has nothing else to do.

const KEPT = 96, HEIGHT = 54, LATER_MS = 200;

export class Thumbs {
  /** `changed` is called when there is one more. */
  constructor(app, changed) {
    this.app = app;
    this.changed = changed;
    this.kept = new Map(); // images by name; null: there is none to be had
    this.seen = new Map(); // by source and place: what was drawn there last, until there is something newer
  }

  name(frame) { return `${this.app.state.id}:${this.app.state.generation}:${frame}`; }

  aspect() {
    const { scene } = this.app;
    return scene && scene.renders ? Math.max(0.75, Math.min(2, scene.width / Math.max(1, scene.height))) : 1;
  }

  /** Frames in the places that a row of that shape has; undefined: none is there yet. */
  places(frames, [a, b], width, height) {
    const n = Math.max(1, Math.min(b - a + 1, Math.floor(width / (height * this.aspect())))), out = Array(n).fill();
    for (const f of frames) {
      const i = Math.min(n - 1, Math.floor((f - a) * n / (b - a + 1)));
      out[i] ??= f;
    }
    return out;
  }

  draw(g, frames, span, width, height) {
    const places = this.places(frames, span, width, height), each = width / places.length;
    g.fillStyle = '#0d0e10';
    g.fillRect(0, 0, width, height);
    places.forEach((frame, i) => {
      const at = `${this.app.state.id}:${i}/${places.length}`;
      const image = frame !== undefined && (this.kept.get(this.name(frame)) ?? this.seen.get(at));
      if (!image || !image.width) return;
      this.seen.set(at, image);
      const k = Math.min((each - 1) / image.width, height / image.height), w = image.width * k, h = image.height * k;
      g.drawImage(image, i * each + (each - w) / 2, (height - h) / 2, w, h);
    });
    this.wanted = places;
    this.soon();
  }

  soon() {
    if (!this.timer) this.timer = setTimeout(() => { this.timer = null; this.next(); }, LATER_MS);
  }

  /** The one that is missing nearest to what is looked at. */
  next() {
    const { app } = this, missing = (this.wanted ?? []).filter((f) => f !== undefined && !this.kept.has(this.name(f)));
    if (!missing.length || !app.scene || this.busy) return;
    const { quick, sharp } = app.viewport.ways;
    if (document.hidden || app.timeline.playing || quick.busy || sharp.busy) { this.soon(); return; }
    this.get(missing.reduce((best, f) => Math.abs(f - app.frame) < Math.abs(best - app.frame) ? f : best));
  }

  async get(frame) {
    const { id, generation } = this.app.state, name = this.name(frame);
    const w = 2 * Math.round(HEIGHT * this.aspect() / 2), how = this.app.scene.renders ? `&w=${w}&coarse=1` : '&mode=slice';
    this.busy = true;
    try {
      const answer = await fetch(`picture?source=${id}&g=${generation}&frame=${frame}&h=${HEIGHT}&q=80&independent=1&priority=2${how}`);
      if (answer.status !== 204) this.keep(name, answer.ok ? await createImageBitmap(await answer.blob()) : null);
      this.changed();
    } catch { // the page tells that nobody answers
      this.keep(name, null);
    }
    this.busy = false;
    this.soon();
  }

  keep(name, image) {
    this.kept.set(name, image);
    if (this.kept.size > KEPT) this.kept.delete(this.kept.keys().next().value);
    if (this.seen.size > KEPT) this.seen.clear();
  }
}
