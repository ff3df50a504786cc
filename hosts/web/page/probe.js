// SPDX-License-Identifier: Apache-2.0
// The probe: values of all fields under the cursor, in a slice's cell or where a render's ray hits smoke or an obstacle.

const DELAY_MS = 60;
const HIT = { cell: 'this cell', gas: 'first smoke or flame', obstacle: 'obstacle', nothing: 'nothing there' };

/** Temperatures are differences to ambient. */
export const displayUnit = (unit) => unit === 'K' ? 'K above ambient' : unit;

/** Four significant digits, without trailing zeros. */
const digits = (x) => x === null ? 'no number' : x === 0 ? '0' : Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3 ? x.toExponential(2) : String(+x.toPrecision(4));

export class Probe {
  constructor(app) {
    this.app = app;
    this.on = false;
    this.box = document.getElementById('probe');
    const view = app.viewport.box;
    document.getElementById('probe-show').addEventListener('click', () => this.toggle());
    view.addEventListener('pointermove', (event) => this.pointerMoved(event));
    view.addEventListener('pointerdown', (event) => { if (event.pointerType !== 'mouse') this.pointerMoved(event, true); });
    view.addEventListener('pointerleave', (event) => { if (event.pointerType === 'mouse') { this.at = null; this.box.hidden = true; } });
  }

  toggle() {
    this.on = !this.on;
    document.getElementById('probe-show').setAttribute('aria-pressed', String(this.on));
    this.app.viewport.box.classList.toggle('probing', this.on);
    this.box.hidden = true;
    if (this.on) this.update();
  }

  pointerMoved(event, tapped) {
    if (event.pointerType !== 'mouse' && !tapped) return;
    this.at = event.buttons && !tapped ? null : { x: event.clientX, y: event.clientY };
    if (!this.at) this.box.hidden = true;
    this.update();
  }

  /** Ask for the values again, for the frame, camera or slice has changed. */
  update() {
    if (!this.on || !this.at || this.app.frame === null) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.fetchValues(), DELAY_MS);
  }

  async fetchValues() {
    if (this.loading) { this.updateAgain = true; return; }
    const { viewport, client } = this.app, at = this.at, point = at && viewport.pointAt(at.x, at.y);
    if (!point) { this.box.hidden = true; return; }
    this.loading = true;
    const query = `${viewport.query(true)}&px=${point[0].toFixed(5)}&py=${point[1].toFixed(5)}&client=${client}`;
    const response = await fetch(`probe?${query}`).catch(() => null);
    this.loading = false;
    if (this.updateAgain) { this.updateAgain = false; this.update(); }
    const result = response && response.status === 200 ? await response.json() : null;
    if (result && this.on && this.at) this.show(result, at); // it may have been closed meanwhile
    else this.box.hidden = true;
  }

  show(result, at) {
    const rows = result.values.map((v) => {
      const row = document.createElement('tr'), cell = (name, text) => row.append(Object.assign(document.createElement(name), { textContent: text }));
      const size = v.value.length === 3 ? ` = ${digits(Math.hypot(...v.value))}` : '';
      cell('th', v.domain ? `${v.domain} ${v.field}` : v.field);
      cell('td', `${v.value.length === 3 ? `(${v.value.map(digits).join(', ')})` : digits(v.value[0])}${size}${v.unit && ` ${displayUnit(v.unit)}`}${v.stored ? '' : ', not stored'}`);
      return row;
    });
    document.getElementById('probe-where').textContent = result.at ? `${result.at.map((x) => digits(+x.toFixed(6))).join(', ')} m · ${HIT[result.hit]}` : HIT[result.hit];
    document.getElementById('probe-values').replaceChildren(...rows);
    const view = this.app.viewport.box.getBoundingClientRect();
    this.box.hidden = false;
    const { offsetWidth: w, offsetHeight: h } = this.box, x = at.x - view.left + 16, y = at.y - view.top + 16;
    this.box.style.left = `${Math.max(4, x + w > view.width - 4 ? x - w - 32 : x)}px`;
    this.box.style.top = `${Math.max(4, Math.min(y, view.height - h - 4))}px`;
  }
}
