// SPDX-License-Identifier: Apache-2.0
// What there is to be seen, several caches or what was tried of a preset, as thumbnails: a click goes to it, the button
// beside compares with it.

const SOON_MS = 1500;

export class Results {
  constructor(app, tune) {
    this.app = app;
    this.tune = tune;
    this.box = document.getElementById('results');
    this.cards = new Map(); // by number
    this.box.hidden = false;
    document.body.classList.add('several');
  }

  /** The server's list has changed. */
  tell(all) {
    for (const [id, card] of this.cards) if (!all.sources.some((s) => s.id === id)) { card.box.remove(); this.cards.delete(id); }
    const of = all.sources.find((s) => s.id === (this.app.of ?? all.current));
    for (const s of all.sources) {
      const card = this.cards.get(s.id) ?? this.card(s.id);
      const frames = (s.ranges ?? []).flat().concat(s.unwritten), last = frames.length ? Math.max(...frames) : null;
      const state = s.running ? `${s.progress ? Math.round(100 * s.progress.done / Math.max(1, s.progress.total)) : 0} %` : s.kind === 'full' ? 'in its own cells' : '';
      card.words.textContent = s.changes || (s.kind === 'full' ? 'full size' : s.kind === 'preview' ? 'as it was' : s.title);
      card.back.title = `Go back to this: ${card.words.textContent}`;
      card.state.textContent = [state, s.coarse > 1 ? `voxel ×${s.coarse}${s.coarse === of?.coarse ? '' : ', not as shown'}` : of && s.coarse !== of.coarse ? 'voxels not as shown' : '', s.baked_from !== null ? `baked from frame ${s.baked_from} on` : '', s.ended && s.ended !== 'another change came' ? this.app.plain(s.ended) : ''].filter(Boolean).join(' · ');
      const bad = !!s.ended && s.ended !== 'another change came';
      card.state.classList.toggle('bad', bad);
      card.state.title = bad ? s.ended : '';
      const shown = s.id === (this.app.of ?? all.current);
      card.box.classList.toggle('shown', shown);
      card.back.setAttribute('aria-pressed', String(shown));
      card.compare.setAttribute('aria-pressed', String(this.app.beside === s.id));
      card.compare.hidden = shown;
      if (last !== null) this.picture(card, s, last);
    }
    this.box.scrollLeft = this.box.scrollLeft || 0;
  }

  card(id) {
    const make = (name, className) => Object.assign(document.createElement(name), { className });
    const card = { box: make('div', 'card'), back: make('button', 'back-to'), image: make('img', ''), words: make('span', 'words'), state: make('small', ''), compare: make('button', 'compare') };
    card.image.alt = '';
    card.compare.textContent = '◧';
    card.compare.title = 'Compare: this at the left, what is shown at the right (C)';
    card.compare.setAttribute('aria-label', 'Compare with this');
    card.back.append(card.image, card.words, card.state);
    card.box.append(card.back, card.compare);
    card.back.addEventListener('click', () => {
      const s = this.app.all.sources.find((x) => x.id === id);
      if (s && s.kind !== 'preview') this.app.lookAt(id);
      else this.tune.again(id);
    });
    card.compare.addEventListener('click', () => this.app.compare(this.app.beside === id ? null : id));
    this.box.prepend(card.box);
    this.cards.set(id, card);
    return card;
  }

  picture(card, s, frame) {
    if (!this.app.scene) return; // does it render?
    const key = `${s.generation}:${frame}`, now = performance.now();
    if (card.key === key || (s.running && now - (card.at ?? -SOON_MS) < SOON_MS)) return;
    Object.assign(card, { key, at: now });
    const slice = this.app.scene.renders ? '' : '&mode=slice';
    card.image.classList.toggle('slice', slice !== '');
    card.image.src = `picture?source=${s.id}&frame=${frame}&w=128&h=72&q=80&coarse=1&independent=1&priority=1&g=${s.generation}${slice}`;
  }
}
