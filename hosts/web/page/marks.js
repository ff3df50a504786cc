// SPDX-License-Identifier: Apache-2.0
// What is drawn over the picture: particles, outlines, domains, active tiles; the server tells where they are.

import { Overlay } from './overlay.js';

const LETTERS = { particles: 'p', outlines: 'o', domain: 'd', tiles: 't' }, KEPT = 24;

export class Marks {
  constructor(app) {
    this.app = app;
    this.on = new Set();
    this.kept = new Map(); // what was told, by what was asked
    for (const name of Object.keys(LETTERS))
      document.getElementById(`mark-${name}`).addEventListener('click', () => this.toggle(name));
  }

  toggle(name) {
    if (!this.on.delete(name)) this.on.add(name);
    document.getElementById(`mark-${name}`).setAttribute('aria-pressed', String(this.on.has(name)));
    this.app.viewport.moved();
  }

  /** Of the frame that a picture shows; null: none are wanted, or to be had. */
  of(query) {
    const asked = new URLSearchParams(query), marks = [...this.on].map((name) => LETTERS[name]).sort().join('');
    if (!marks) return null;
    const name = new URLSearchParams({ source: asked.get('source'), g: asked.get('g'), frame: asked.get('frame'), layers: marks, independent: 1 }).toString();
    if (!this.kept.has(name)) this.kept.set(name, this.get(name, marks));
    if (this.kept.size > KEPT) this.kept.delete(this.kept.keys().next().value);
    return this.kept.get(name);
  }

  async get(name, marks) {
    const answer = await fetch(`overlay?${name}&client=${this.app.client}`).catch(() => null);
    if (answer && answer.status === 200) return new Overlay(await answer.json(), marks);
    this.kept.delete(name);
    return null;
  }
}
