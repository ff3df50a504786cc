// SPDX-License-Identifier: Apache-2.0
// That it works while there is nothing new to be seen yet: a first picture, the first frame of another try.

const LOOK_MS = 150, LATE = 3; // looks until it is told

export class Busy {
  constructor(app) {
    this.app = app;
    this.box = document.getElementById('busy');
    this.late = 0;
    setInterval(() => this.tell(), LOOK_MS);
  }

  /** What is waited for, or ''. */
  words() {
    const { app } = this, { state, viewport } = app, { quick, sharp } = viewport.ways;
    if (!document.getElementById('words').hidden) return '';
    if (app.tune?.busy && !state) return 'reading the preset';
    if (!state) return '';
    if (state.running && !app.timeline.frames().length) return `${viewport.image ? 'this change bakes' : 'it bakes'} its first frame`;
    if (!viewport.image) return 'the first picture is made';
    const late = performance.now() - (viewport.times.at(-1) ?? 0) > LATE * LOOK_MS; // pictures follow each other quickly
    return app.looking || (late && (quick.busy || (sharp.busy && !viewport.sharp))) ? 'a picture is made' : '';
  }

  tell() {
    const words = this.words();
    this.late = words ? this.late + 1 : 0;
    this.box.hidden = this.late < LATE;
    if (words) this.box.textContent = `${words} …`;
  }
}
