// SPDX-License-Identifier: Apache-2.0
// A simulation that runs on (billow tune --live): pause, restart, and what the server says of the last change.

const get = (id) => document.getElementById(id);
const WINDOW_S = 2; // that its pace is measured over

export class Live {
  constructor(app) {
    this.app = app;
    this.paused = false;
    this.frames = []; // [ms, frame] of the last events
    get('live-pause').addEventListener('click', () => this.togglePause());
    get('live-restart').addEventListener('click', () => this.restart());
  }

  async post(what) {
    const { ok, text } = await this.app.post(`live?do=${what}`);
    if (!ok) this.app.showStatus(text, true);
  }

  setPaused(on) {
    this.paused = on;
    get('live-pause').setAttribute('aria-pressed', String(on));
    if (on) this.app.viewport.refresh(); // a sharp picture, at rest
  }

  togglePause() {
    this.setPaused(!this.paused);
    this.post(this.paused ? 'pause' : 'run');
  }

  restart() {
    this.setPaused(false);
    this.app.followLive = true;
    this.post('restart');
  }

  /** The server's state has changed. */
  update(source) {
    const on = source.kind === 'live';
    for (const id of ['live-pause', 'live-restart']) get(id).hidden = !on;
    get('live-note').hidden = !on || !source.note;
    get('live-note').textContent = on ? source.note : '';
    if (!on || !source.progress) return;
    const now = performance.now(), { frame } = source.progress;
    if (frame < this.frames.at(-1)?.[1]) this.frames = [];
    this.frames = this.frames.filter(([at]) => now - at < 1000 * WINDOW_S).concat([[now, frame]]);
  }

  statusText(source) {
    const [first, last] = [this.frames[0], this.frames.at(-1)], ms = first ? last[0] - first[0] : 0;
    const pace = ms > 300 && !this.paused ? ` · ${(1000 * (last[1] - first[1]) / ms).toFixed(0)} frames/s` : '';
    return `live · frame ${source.progress?.frame ?? '…'}${pace}${source.coarse > 1 ? ` · voxel ×${source.coarse}` : ''}${this.paused ? ' · paused' : ''}`;
  }
}
