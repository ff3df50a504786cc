// SPDX-License-Identifier: Apache-2.0
// The busy indicator: says what the page waits for, after a moment.

const POLL_MS = 150, LATE = 3; // polls until it is shown

export class BusyIndicator {
  constructor(app) {
    this.app = app;
    this.box = document.getElementById('busy');
    this.polls = 0;
    setInterval(() => this.update(), POLL_MS);
  }

  /** What the page waits for, or ''. */
  text() {
    const { app } = this, { source, viewport } = app, { quick, sharp } = viewport.requests;
    if (!document.getElementById('message').hidden) return '';
    if (app.tune?.busy && !source) return 'reading the preset';
    if (!source) return '';
    if (source.running && !app.timeline.frames().length) return `${viewport.image ? 'this change bakes' : 'the bake makes'} its first frame`;
    if (!viewport.image) return 'the first picture is rendered';
    const late = performance.now() - (viewport.pictureTimes.at(-1) ?? 0) > LATE * POLL_MS; // not while pictures follow each other quickly
    return app.sceneLoading || (late && (quick.busy || (sharp.busy && !viewport.isSharp))) ? 'a picture is rendered' : '';
  }

  update() {
    const text = this.text();
    this.polls = text ? this.polls + 1 : 0;
    this.box.hidden = this.polls < LATE;
    if (text) this.box.textContent = `${text} …`;
  }
}
