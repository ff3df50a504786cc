// SPDX-License-Identifier: Apache-2.0
// The slice: field, axis, position, colours.

import { unitTold } from './probe.js';

const get = (id) => document.getElementById(id);
const FLOWS = ['vel', 'velocity', 'v']; // that arrows are drawn of

export class Panel {
  constructor(app) {
    this.app = app;
    get('slice-field').addEventListener('change', () => this.says());
    for (const id of ['slice-field', 'slice-map', 'slice-vectors', 'slice-lo', 'slice-hi'])
      get(id).addEventListener('change', () => app.viewport.moved());
    get('slice-hold').addEventListener('click', () => this.hold());
    get('slice-axis').addEventListener('change', () => this.axis(get('slice-axis').value));
    get('slice-pos').addEventListener('input', () => this.changed());
  }

  /** What there is to be chosen from. */
  fill(scene) {
    const select = get('slice-field'), before = select.value, first = scene.fields[0]?.domain;
    const own = (f) => f.domain === null || f.domain === first; // of the others the domain is said
    const unit = new Map(scene.fields.map((f) => [own(f) ? f.name : `${f.name}@${f.domain}`, f.unit === '1' ? '' : `, ${unitTold(f.unit)}`]));
    select.replaceChildren(...[...unit].map(([name, u]) => new Option(name.replace('@', ' in ') + u, name)));
    if (!scene.renders) select.prepend(new Option('as the movie', ''));
    const names = [...select.options].map((o) => o.value);
    select.value = names.includes(before) && this.filled ? before : !scene.renders ? '' : names.includes('density') ? 'density' : names[0] ?? '';
    this.filled = true;
    this.says();
    for (let a = 0; a < 3; a++) // a flat one has but one axis
      if (scene.hi[a] - scene.lo[a] < 1e-12 || (!scene.renders && scene.voxel && scene.hi[a] - scene.lo[a] < 1.5 * scene.voxel))
        get('slice-axis').value = 'xyz'[a];
    this.limits(scene);
  }

  /** What the field's numbers are, and whether there is a flow to be drawn over it. */
  says() {
    const { scene } = this.app, [name, domain] = get('slice-field').value.split('@'), all = scene?.fields ?? [];
    const home = domain ?? all[0]?.domain ?? null, field = all.find((f) => f.name === name && (f.domain ?? null) === home);
    const flow = all.some((f) => FLOWS.includes(f.name) && f.kind !== 'scalar' && (f.domain ?? null) === home), ways = get('slice-vectors');
    for (const way of ways.options) way.disabled = way.value !== 'none' && !flow;
    if (!flow) ways.value = 'none';
    const words = [field && field.unit !== '1' ? `Colours in ${unitTold(field.unit)}.` : '', flow || !all.length ? '' : 'No flow (vel) is stored here.'];
    get('slice-says').textContent = words.filter(Boolean).join(' ');
    get('slice-says').hidden = !get('slice-says').textContent;
  }

  limits(scene) {
    const a = 'xyz'.indexOf(get('slice-axis').value), pos = get('slice-pos');
    pos.min = scene.lo[a];
    pos.max = scene.hi[a];
    pos.value = 0.5 * (scene.lo[a] + scene.hi[a]);
    this.tell();
  }

  axis(name) {
    get('slice-axis').value = name;
    if (this.app.scene) this.limits(this.app.scene);
    this.app.viewport.moved();
  }

  /** The range that is shown stays, or it is found by itself again. */
  hold() {
    const held = get('slice-lo').value !== '' || get('slice-hi').value !== '', [lo, hi] = this.app.viewport.rangeShown() ?? ['', ''];
    get('slice-lo').value = held ? '' : lo;
    get('slice-hi').value = held ? '' : hi;
    this.app.viewport.moved();
  }

  /** A cell on. */
  step(n) {
    const { scene } = this.app, pos = get('slice-pos');
    if (!scene) return;
    const cell = scene.voxel || (pos.max - pos.min) / 64;
    pos.value = Math.max(+pos.min, Math.min(+pos.max, +pos.value + n * cell));
    this.changed();
  }

  changed() {
    this.tell();
    this.app.viewport.moved();
  }

  tell() { get('slice-at').value = `${+(+get('slice-pos').value / (this.app.scene?.metre || 1)).toFixed(4)} m`; }

  query() {
    const [field, domain] = get('slice-field').value.split('@'), map = get('slice-map').value;
    const out = { axis: get('slice-axis').value, vectors: get('slice-vectors').value, ...(field && { field }), ...(domain && { domain }) };
    if (field || map !== 'auto') out.map = map;
    const inside = this.app.scene && this.app.scene.renders;
    if (inside) out.pos = (+get('slice-pos').value / (this.app.scene.metre || 1)).toPrecision(6); // a flat one has but one layer
    const lo = parseFloat(get('slice-lo').value || 0), hi = parseFloat(get('slice-hi').value || 0);
    if (lo < hi) Object.assign(out, { lo, hi });
    return out;
  }
}
