// SPDX-License-Identifier: Apache-2.0
// Playback is from pictures that are kept: while nothing else is rendered, those of the next frames are fetched, one at a
// time and at the server's lowest priority. Of a preset that is tuned at once, else from the first playback on.

const DELAY_MS = 150, MAX_AHEAD = 300;

export class PlayAhead {
  constructor(app) {
    this.app = app;
    this.loading = false;
    setInterval(() => this.fetchNext(), DELAY_MS);
  }

  /** The first of the next frames whose quick picture is not kept: its query; undefined: all are. */
  missing() {
    const { app } = this, { viewport } = app, all = app.timeline.frames(), at = all.indexOf(app.frame);
    for (let i = 0; i < Math.min(all.length, MAX_AHEAD); i++) {
      const query = viewport.query(false, all[(at + 1 + i) % all.length]);
      if (!viewport.pictures.has(query) && query !== this.failed) return query;
    }
    return undefined;
  }

  isIdle() {
    const { app } = this, { quick, sharp } = app.viewport.requests;
    if (document.hidden || quick.busy || sharp.busy || !app.viewport.isSharp || app.timeline.playing) return false;
    return !app.serverState.sources.some((s) => s.running) && !app.cameraPath.on;
  }

  async fetchNext() {
    const { app } = this;
    if (this.loading || !app.source || app.isLive() || !app.viewport.ready() || !(app.tune || app.timeline.hasPlayed) || !this.isIdle()) return;
    this.loading = true;
    for (let query; this.isIdle() && (query = this.missing());) {
      const image = await app.viewport.fetchPicture(query, app.client, false, '&independent=1&priority=2').catch(() => null);
      if (!image) { this.failed = query; break; } // a frame that cannot be read is asked for once
      image.close();
    }
    this.loading = false;
  }
}
