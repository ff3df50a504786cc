// SPDX-License-Identifier: Apache-2.0
// What is drawn over the picture, by the server: particles, outlines, domains, active tiles.

const LETTERS = { particles: 'p', outlines: 'o', domain: 'd', tiles: 't' };

export class Marks {
  constructor(app) {
    this.app = app;
    this.on = new Set();
    for (const name of Object.keys(LETTERS))
      document.getElementById(`mark-${name}`).addEventListener('click', () => this.toggle(name));
  }

  toggle(name) {
    if (!this.on.delete(name)) this.on.add(name);
    document.getElementById(`mark-${name}`).setAttribute('aria-pressed', String(this.on.has(name)));
    this.app.viewport.moved();
  }

  query() {
    return this.on.size ? { marks: [...this.on].map((name) => LETTERS[name]).sort().join('') } : {};
  }
}
