// SPDX-License-Identifier: Apache-2.0
// Numbers with units as presets write them, and colours.

const FACTOR = { nm: 1e-9, um: 1e-6, mm: 1e-3, cm: 1e-2, km: 1e3, ms: 1e-3, min: 60, h: 3600, g: 1e-3, deg: Math.PI / 180, '%': 0.01 };

/** {number, unit, factor} of "12 cm"; the factor leads to SI. null: it is none. */
export function quantity(text) {
  const m = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*?)\s*$/.exec(text ?? '');
  if (!m) return null;
  const [top, bottom] = m[2].split('/');
  return { number: +m[1], unit: m[2], factor: (FACTOR[top] ?? 1) / (FACTOR[bottom] ?? 1) };
}

export const written = (x) => String(+x.toPrecision(4));

/** Do two texts say the same? */
export function same(a, b) {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((x, i) => same(x, b[i]));
  if (typeof a !== 'string' || typeof b !== 'string') return JSON.stringify(a) === JSON.stringify(b);
  const p = quantity(a), q = quantity(b);
  if (p && q) return Math.abs(p.number * p.factor - q.number * q.factor) <= 1e-9 * Math.abs(q.number * q.factor);
  return a === b;
}

/** A row's default as the tree would have it: "[0, 0, 1]" is a list. */
export function usual(row) {
  const text = row.default;
  return text && /^\[.*\]$/.test(text) ? text.slice(1, -1).split(',').map((x) => x.trim()) : text;
}

/** Ends of a slider for a number, in SI; null: none fits. */
export function range(row, value) {
  const has = row.min !== undefined, bounded = has && row.max > row.min;
  if (row.usual) return bounded ? [Math.max(row.usual[0], row.min), Math.min(row.usual[1], row.max)] : row.usual;
  if (bounded && row.max - row.min <= 20) return [row.min, row.max];
  const usualValue = quantity(row.default), size = Math.max(Math.abs(value), usualValue ? Math.abs(usualValue.number * usualValue.factor) : 0) || 1;
  const low = value < 0 || (usualValue && usualValue.number < 0) ? -2 * size : 0;
  return [has ? Math.max(low, row.min) : low, bounded ? Math.min(2 * size, row.max) : 2 * size];
}

const toLinear = (s) => s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
const toScreen = (l) => l <= 0.0031308 ? 12.92 * l : 1.055 * l ** (1 / 2.4) - 0.055;

/** "#rrggbb" of a colour, the brightest channel at most white. */
export function hex(colour) {
  if (typeof colour === 'string') return /^#[0-9a-f]{6}$/i.test(colour) ? colour : '#808080';
  const c = Array.isArray(colour) ? colour.map(Number) : [0.5, 0.5, 0.5], top = Math.max(1, ...c);
  return '#' + c.map((x) => Math.round(255 * toScreen(Math.max(0, x / top))).toString(16).padStart(2, '0')).join('');
}

/** As bright as `before` where that is brighter than white. */
export function linear(hexText, before) {
  const top = Array.isArray(before) ? Math.max(1, ...before.map(Number)) : 1;
  return [1, 3, 5].map((i) => written(top * toLinear(parseInt(hexText.slice(i, i + 2), 16) / 255)));
}
