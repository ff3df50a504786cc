// SPDX-License-Identifier: Apache-2.0
// The panel of the slice: field, axis, position, colours, range.

import { displayUnit } from './probe.js';

const get = (id) => document.getElementById(id);
const FLOWS = ['vel', 'velocity', 'v']; // names of the flow that arrows are drawn of

export class SlicePanel {
  constructor(app) {
    this.app = app;
    get('slice-field').addEventListener('change', () => this.updateInfo());
    for (const id of ['slice-field', 'slice-map', 'slice-vectors', 'slice-lo', 'slice-hi'])
      get(id).addEventListener('change', () => app.viewport.refresh());
    get('slice-hold').addEventListener('click', () => this.toggleHold());
    get('slice-axis').addEventListener('change', () => this.setAxis(get('slice-axis').value));
    get('slice-pos').addEventListener('input', () => this.positionChanged());
  }

  /** Fill the choices from a scene. */
  fill(scene) {
    const select = get('slice-field'), before = select.value, first = scene.fields[0]?.domain;
    const own = (f) => f.domain === null || f.domain === first; // fields of other domains have the domain's name
    const unit = new Map(scene.fields.map((f) => [own(f) ? f.name : `${f.name}@${f.domain}`, f.unit === '1' ? '' : `, ${displayUnit(f.unit)}`]));
    select.replaceChildren(...[...unit].map(([name, u]) => new Option(name.replace('@', ' in ') + u, name)));
    if (!scene.renders) select.prepend(new Option('as the movie', ''));
    const names = [...select.options].map((o) => o.value);
    select.value = names.includes(before) && this.filled ? before : !scene.renders ? '' : names.includes('density') ? 'density' : names[0] ?? '';
    this.filled = true;
    this.updateInfo();
    for (let a = 0; a < 3; a++) // a flat scene has one axis
      if (scene.hi[a] - scene.lo[a] < 1e-12 || (!scene.renders && scene.voxel && scene.hi[a] - scene.lo[a] < 1.5 * scene.voxel))
        get('slice-axis').value = 'xyz'[a];
    this.updateLimits(scene);
  }

  /** Show the field's unit, and offer arrows where a flow is stored. */
  updateInfo() {
    const { scene } = this.app, [name, domain] = get('slice-field').value.split('@'), all = scene?.fields ?? [];
    const home = domain ?? all[0]?.domain ?? null, field = all.find((f) => f.name === name && (f.domain ?? null) === home);
    const flow = all.some((f) => FLOWS.includes(f.name) && f.kind !== 'scalar' && (f.domain ?? null) === home), choice = get('slice-vectors');
    for (const option of choice.options) option.disabled = option.value !== 'none' && !flow;
    if (!flow) choice.value = 'none';
    const text = [field && field.unit !== '1' ? `Colours in ${displayUnit(field.unit)}.` : '', flow || !all.length ? '' : 'No flow (vel) is stored here.'];
    get('slice-info').textContent = text.filter(Boolean).join(' ');
    get('slice-info').hidden = !get('slice-info').textContent;
  }

  /** The position's range, by the axis. */
  updateLimits(scene) {
    const a = 'xyz'.indexOf(get('slice-axis').value), pos = get('slice-pos');
    pos.min = scene.lo[a];
    pos.max = scene.hi[a];
    pos.value = 0.5 * (scene.lo[a] + scene.hi[a]);
    this.updatePosition();
  }

  setAxis(name) {
    get('slice-axis').value = name;
    if (this.app.scene) this.updateLimits(this.app.scene);
    this.app.viewport.refresh();
  }

  /** Hold the range that is shown, or find it automatically again. */
  toggleHold() {
    const held = get('slice-lo').value !== '' || get('slice-hi').value !== '', [lo, hi] = this.app.viewport.shownRange() ?? ['', ''];
    get('slice-lo').value = held ? '' : lo;
    get('slice-hi').value = held ? '' : hi;
    this.app.viewport.refresh();
  }

  /** Move by n cells. */
  step(n) {
    const { scene } = this.app, pos = get('slice-pos');
    if (!scene) return;
    const cell = scene.voxel || (pos.max - pos.min) / 64;
    pos.value = Math.max(+pos.min, Math.min(+pos.max, +pos.value + n * cell));
    this.positionChanged();
  }

  positionChanged() {
    this.updatePosition();
    this.app.viewport.refresh();
  }

  updatePosition() { get('slice-at').value = `${+(+get('slice-pos').value / (this.app.scene?.metre || 1)).toFixed(4)} m`; }

  /** As parameters of a picture's query. */
  query() {
    const [field, domain] = get('slice-field').value.split('@'), map = get('slice-map').value;
    const out = { axis: get('slice-axis').value, vectors: get('slice-vectors').value, ...(field && { field }), ...(domain && { domain }) };
    if (field || map !== 'auto') out.map = map;
    const is3d = this.app.scene && this.app.scene.renders;
    if (is3d) out.pos = (+get('slice-pos').value / (this.app.scene.metre || 1)).toPrecision(6); // a flat scene has one layer
    const lo = parseFloat(get('slice-lo').value || 0), hi = parseFloat(get('slice-hi').value || 0);
    if (lo < hi) Object.assign(out, { lo, hi });
    return out;
  }
}
