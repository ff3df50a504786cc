// SPDX-License-Identifier: Apache-2.0
// Which layers of the overlay are on, and a cache of overlays by frame; the server has their geometry.

import { Overlay } from './overlay.js';

const LETTERS = { particles: 'p', outlines: 'o', domain: 'd', tiles: 't' }, MAX_OVERLAYS = 24;

export class OverlayLayers {
  constructor(app) {
    this.app = app;
    this.on = new Set();
    this.overlays = new Map(); // promises by query
    for (const name of Object.keys(LETTERS))
      document.getElementById(`overlay-${name}`).addEventListener('click', () => this.toggle(name));
  }

  toggle(name) {
    if (!this.on.delete(name)) this.on.add(name);
    document.getElementById(`overlay-${name}`).setAttribute('aria-pressed', String(this.on.has(name)));
    this.app.viewport.refresh();
  }

  /** The overlay for a picture's query, as a promise; null: no layer is on. */
  of(query) {
    const picture = new URLSearchParams(query), layers = [...this.on].map((name) => LETTERS[name]).sort().join('');
    if (!layers) return null;
    const own = new URLSearchParams({ source: picture.get('source'), g: picture.get('g'), frame: picture.get('frame'), layers, independent: 1 }).toString();
    if (!this.overlays.has(own)) this.overlays.set(own, this.fetch(own, layers));
    if (this.overlays.size > MAX_OVERLAYS) this.overlays.delete(this.overlays.keys().next().value);
    return this.overlays.get(own);
  }

  async fetch(query, layers) {
    const response = await fetch(`overlay?${query}&client=${this.app.client}`).catch(() => null);
    if (response && response.status === 200) return new Overlay(await response.json(), layers);
    this.overlays.delete(query);
    return null;
  }
}
