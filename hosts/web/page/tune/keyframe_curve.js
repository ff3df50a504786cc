// SPDX-License-Identifier: Apache-2.0
// The curve editor of one number's keyframes: drag points, double-click for a new one, Delete removes one.
import { formatNumber, parseQuantity } from './units.js';

const WIDTH = 300, HEIGHT = 84, EDGE = 7, NS = 'http://www.w3.org/2000/svg';
const EASES = ['linear', 'smooth', 'hold'];

const selected = new Map(); // by path: the frame of the selected keyframe

const smooth = (x) => x * x * (3 - 2 * x);

export class KeyframeCurve {
  /** `value`: {keys: {frame: value}, ease}; `frames`: [first, last]; change(value) is called at the end of a drag or key press. */
  constructor(value, frames, path, label, change) {
    this.path = path;
    this.change = change;
    this.frames = frames;
    this.ease = value.ease ?? 'linear';
    const unit = parseQuantity(Object.values(value.keys)[0]);
    this.unit = unit && unit.unit ? ` ${unit.unit}` : '';
    this.points = Object.entries(value.keys).map(([f, v]) => ({ f: +f, v: parseQuantity(v)?.number ?? 0 })).sort((a, b) => a.f - b.f);
    this.selected = Math.max(0, this.points.findIndex((p) => p.f === selected.get(path)));
    this.box = document.createElement('div');
    this.box.className = 'curve';
    this.svg = this.make('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, tabindex: 0, role: 'application', 'aria-label': `Keyframes of ${label}: arrows move a keyframe, [ and ] select, Delete removes it` });
    this.label = document.createElement('output');
    const ease = document.createElement('select');
    ease.setAttribute('aria-label', `Ease of ${label}`);
    ease.append(...EASES.map((e) => new Option(e, e, false, e === this.ease)));
    ease.addEventListener('change', () => { this.ease = ease.value; this.draw(); this.commit(); });
    const foot = document.createElement('div');
    foot.append(this.label, ease);
    this.box.append(this.svg, foot);
    this.svg.addEventListener('pointerdown', (event) => this.press(event));
    this.svg.addEventListener('pointermove', (event) => this.move(event));
    for (const name of ['pointerup', 'pointercancel']) this.svg.addEventListener(name, () => this.release());
    this.svg.addEventListener('dblclick', (event) => this.add(event));
    this.svg.addEventListener('keydown', (event) => this.key(event));
    this.draw();
  }

  make(name, attributes) {
    const e = document.createElementNS(NS, name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    return e;
  }

  limits() {
    const v = this.points.map((p) => p.v), lo = Math.min(0, ...v), hi = Math.max(...v, lo + 1e-9), f = this.points.map((p) => p.f);
    if (!this.dragging) this.span = [Math.min(this.frames[0], ...f), Math.max(this.frames[1], ...f), lo - 0.1 * (hi - lo), hi + 0.25 * (hi - lo)];
    return this.span;
  }

  toPixels(f, v) {
    const [a, b, lo, hi] = this.limits();
    return [EDGE + (f - a) / (b - a || 1) * (WIDTH - 2 * EDGE), HEIGHT - EDGE - (v - lo) / (hi - lo || 1) * (HEIGHT - 2 * EDGE)];
  }

  fromEvent(event) {
    const [a, b, lo, hi] = this.limits(), box = this.svg.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width * WIDTH, y = (event.clientY - box.top) / box.height * HEIGHT;
    return { x, y, f: Math.round(a + (x - EDGE) / (WIDTH - 2 * EDGE) * (b - a)), v: lo + (HEIGHT - EDGE - y) / (HEIGHT - 2 * EDGE) * (hi - lo) };
  }

  valueAt(f) {
    const p = this.points, i = p.findIndex((k) => k.f > f);
    if (i < 0) return p[p.length - 1].v;
    if (!i) return p[0].v;
    const [a, b] = [p[i - 1], p[i]], x = (f - a.f) / (b.f - a.f);
    return a.v + (b.v - a.v) * (this.ease === 'smooth' ? smooth(x) : this.ease === 'hold' ? 0 : x);
  }

  draw() {
    const [a, b] = this.limits(), line = [];
    for (let i = 0; i <= 120; i++) { const f = a + (b - a) * i / 120; line.push(this.toPixels(f, this.valueAt(f)).map((x) => x.toFixed(1)).join()); }
    const zero = this.toPixels(a, 0)[1];
    this.svg.replaceChildren(this.make('line', { x1: 0, x2: WIDTH, y1: zero, y2: zero, class: 'zero' }), this.make('polyline', { points: line.join(' ') }),
      ...this.points.map((p, i) => { const [cx, cy] = this.toPixels(p.f, p.v); return this.make('circle', { cx, cy, r: 5, class: i === this.selected ? 'selected' : '' }); }));
    const p = this.points[this.selected];
    if (p) selected.set(this.path, p.f);
    this.label.value = p ? `frame ${p.f}: ${formatNumber(p.v)}${this.unit}` : '';
  }

  press(event) {
    const at = this.fromEvent(event), apart = this.points.map((p) => Math.hypot(...this.toPixels(p.f, p.v).map((x, i) => x - [at.x, at.y][i])));
    const i = apart.indexOf(Math.min(...apart));
    if (apart[i] > 12) return;
    this.selected = i;
    this.limits();
    this.dragging = true;
    this.svg.setPointerCapture(event.pointerId);
    this.draw();
  }

  move(event) {
    if (!this.dragging) return;
    const at = this.fromEvent(event), p = this.points[this.selected];
    if (!this.points.some((q) => q !== p && q.f === at.f)) p.f = at.f;
    p.v = +at.v.toPrecision(3);
    this.sort(p);
  }

  release() {
    if (!this.dragging) return;
    this.dragging = false;
    this.draw();
    this.commit();
  }

  add(event) {
    const at = this.fromEvent(event);
    if (this.points.some((p) => p.f === at.f)) return;
    const p = { f: at.f, v: +this.valueAt(at.f).toPrecision(3) };
    this.points.push(p);
    this.sort(p);
    this.commit();
  }

  sort(p) {
    this.points.sort((a, b) => a.f - b.f);
    this.selected = this.points.indexOf(p);
    this.draw();
  }

  key(event) {
    const p = this.points[this.selected], [, , lo, hi] = this.limits(), step = (hi - lo) / 40;
    const n = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0, up = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    if (n && !this.points.some((q) => q.f === p.f + n)) p.f += n;
    else if (up) p.v = +(p.v + up * step).toPrecision(3);
    else if (event.key === '[' || event.key === ']') { this.selected = (this.selected + (event.key === ']' ? 1 : this.points.length - 1)) % this.points.length; this.draw(); event.stopPropagation(); return; }
    else if ((event.key === 'Delete' || event.key === 'Backspace') && this.points.length > 1) { this.points.splice(this.selected, 1); this.selected = 0; }
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.draw();
    this.commit();
  }

  commit() {
    this.change({ keys: Object.fromEntries(this.points.map((p) => [p.f, `${formatNumber(p.v)}${this.unit}`])), ease: this.ease });
  }
}
