// SPDX-License-Identifier: Apache-2.0
// A card with a thumbnail for each source, where there are several: a click shows it, the button compares with it.

import { framesOf } from './frames.js';

const RELOAD_MS = 1500;

export class SourceCards {
  constructor(app, tune) {
    this.app = app;
    this.tune = tune;
    this.box = document.getElementById('sources');
    this.cards = new Map(); // by the source's id
    this.box.hidden = false;
    document.body.classList.add('several');
  }

  /** The server's state has changed. */
  update(serverState) {
    for (const [id, card] of this.cards) if (!serverState.sources.some((s) => s.id === id)) { card.box.remove(); this.cards.delete(id); }
    const shownSource = serverState.sources.find((s) => s.id === (this.app.chosenId ?? serverState.current));
    for (const s of serverState.sources) {
      const card = this.cards.get(s.id) ?? this.card(s.id);
      const last = framesOf(s).at(-1);
      const state = s.kind === 'live' ? 'runs on' : s.running ? `${s.progress ? Math.round(100 * s.progress.done / Math.max(1, s.progress.total)) : 0} %` : s.kind === 'full' ? 'full resolution' : '';
      card.changes.textContent = s.changes || (s.kind === 'full' ? 'full size' : s.kind === 'preview' || s.kind === 'live' ? 'as opened' : s.title);
      card.back.title = `Show this: ${card.changes.textContent}`;
      card.state.textContent = [state, s.coarse > 1 ? `voxel ×${s.coarse}${s.coarse === shownSource?.coarse ? '' : ', not as shown'}` : shownSource && s.coarse !== shownSource.coarse ? 'voxels not as shown' : '', s.baked_from !== null ? `baked from frame ${s.baked_from} on` : '', s.ended && s.ended !== 'another change came' ? this.app.plainMessage(s.ended) : ''].filter(Boolean).join(' · ');
      const bad = !!s.ended && s.ended !== 'another change came';
      card.state.classList.toggle('bad', bad);
      card.state.title = bad ? s.ended : '';
      const shown = s.id === (this.app.chosenId ?? serverState.current);
      card.box.classList.toggle('shown', shown);
      card.back.setAttribute('aria-pressed', String(shown));
      card.compare.setAttribute('aria-pressed', String(this.app.compareId === s.id));
      card.compare.hidden = shown;
      if (last !== undefined) this.updateImage(card, s, last);
    }
  }

  card(id) {
    const make = (name, className) => Object.assign(document.createElement(name), { className });
    const card = { box: make('div', 'card'), back: make('button', 'back-to'), image: make('img', ''), changes: make('span', 'changes'), state: make('small', ''), compare: make('button', 'compare') };
    card.image.alt = '';
    card.compare.textContent = '◧';
    card.compare.title = 'Compare: this at the left, the shown one at the right (C)';
    card.compare.setAttribute('aria-label', 'Compare with this');
    card.back.append(card.image, card.changes, card.state);
    card.box.append(card.back, card.compare);
    card.back.addEventListener('click', () => {
      const s = this.app.serverState.sources.find((x) => x.id === id);
      if (s && s.kind !== 'preview' && s.kind !== 'live') this.app.chooseSource(id);
      else this.tune.restore(id);
    });
    card.compare.addEventListener('click', () => this.app.compare(this.app.compareId === id ? null : id));
    this.box.prepend(card.box);
    this.cards.set(id, card);
    return card;
  }

  updateImage(card, s, frame) {
    if (!this.app.scene) return; // it tells whether the source renders
    const key = `${s.generation}:${frame}`, now = performance.now();
    if (card.key === key || (s.running && now - (card.at ?? -RELOAD_MS) < RELOAD_MS)) return;
    Object.assign(card, { key, at: now });
    const slice = this.app.scene.renders ? '' : '&mode=slice';
    card.image.classList.toggle('slice', slice !== '');
    card.image.src = `picture?source=${s.id}&frame=${frame}&w=128&h=72&q=80&coarse=1&independent=1&priority=1&g=${s.generation}${slice}`;
  }
}
