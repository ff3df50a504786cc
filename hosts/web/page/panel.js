// SPDX-License-Identifier: Apache-2.0
// The slice: field, axis, position, colours.

const get = (id) => document.getElementById(id);

export class Panel {
  constructor(app) {
    this.app = app;
    for (const id of ['slice-field', 'slice-map', 'slice-vectors', 'slice-lo', 'slice-hi'])
      get(id).addEventListener('change', () => app.viewport.moved());
    get('slice-axis').addEventListener('change', () => this.axis(get('slice-axis').value));
    get('slice-pos').addEventListener('input', () => this.changed());
  }

  /** What there is to be chosen from. */
  fill(scene) {
    const select = get('slice-field'), before = select.value;
    const unit = new Map(scene.fields.map((f) => [f.name, f.unit === '1' ? '' : `, ${f.unit}`]));
    select.replaceChildren(...[...unit].map(([name, u]) => new Option(name + u, name)));
    const names = [...select.options].map((o) => o.value);
    select.value = names.includes(before) ? before : names.includes('density') ? 'density' : names[0] ?? '';
    for (let a = 0; a < 3; a++) // a flat one has but one axis
      if (scene.hi[a] - scene.lo[a] < 1e-12 || (!scene.renders && scene.voxel && scene.hi[a] - scene.lo[a] < 1.5 * scene.voxel))
        get('slice-axis').value = 'xyz'[a];
    this.limits(scene);
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

  tell() { get('slice-at').value = `${+(+get('slice-pos').value).toFixed(4)} m`; }

  query() {
    const out = { axis: get('slice-axis').value, field: get('slice-field').value, map: get('slice-map').value, vectors: get('slice-vectors').value };
    const inside = this.app.scene && this.app.scene.renders;
    if (inside) out.pos = (+get('slice-pos').value).toPrecision(6); // a flat one has but one layer
    const lo = parseFloat(get('slice-lo').value || 0), hi = parseFloat(get('slice-hi').value || 0);
    if (lo < hi) Object.assign(out, { lo, hi });
    return out;
  }
}
