// SPDX-License-Identifier: Apache-2.0
// Quantities with units as presets write them, and colours.

const FACTOR = { nm: 1e-9, um: 1e-6, mm: 1e-3, cm: 1e-2, km: 1e3, ms: 1e-3, min: 60, h: 3600, g: 1e-3, deg: Math.PI / 180, '%': 0.01 };

/** "12 cm" as {number, unit, factor to SI}; null: it is no quantity. */
export function parseQuantity(text) {
  const m = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*?)\s*$/.exec(text ?? '');
  if (!m) return null;
  const [top, bottom] = m[2].split('/');
  return { number: +m[1], unit: m[2], factor: (FACTOR[top] ?? 1) / (FACTOR[bottom] ?? 1) };
}

/** Four significant digits. */
export const formatNumber = (x) => String(+x.toPrecision(4));

/** Are two values equal, whatever their units? */
export function sameValue(a, b) {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((x, i) => sameValue(x, b[i]));
  if (typeof a !== 'string' || typeof b !== 'string') return JSON.stringify(a) === JSON.stringify(b);
  const p = parseQuantity(a), q = parseQuantity(b);
  if (p && q) return Math.abs(p.number * p.factor - q.number * q.factor) <= 1e-9 * Math.abs(q.number * q.factor);
  return a === b;
}

/** A parameter's default as a value: "[0, 0, 1]" is a list. */
export function defaultValue(row) {
  const text = row.default;
  return text && /^\[.*\]$/.test(text) ? text.slice(1, -1).split(',').map((x) => x.trim()) : text;
}

/** The range of a slider for a number, in SI. */
export function sliderRange(row, value) {
  const has = row.min !== undefined, bounded = has && row.max > row.min;
  if (row.usual) return bounded ? [Math.max(row.usual[0], row.min), Math.min(row.usual[1], row.max)] : row.usual;
  if (bounded && row.max - row.min <= 20) return [row.min, row.max];
  const standard = parseQuantity(row.default), size = Math.max(Math.abs(value), standard ? Math.abs(standard.number * standard.factor) : 0) || 1;
  const low = value < 0 || (standard && standard.number < 0) ? -2 * size : 0;
  return [has ? Math.max(low, row.min) : low, bounded ? Math.min(2 * size, row.max) : 2 * size];
}

const srgbToLinear = (s) => s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
const linearToSrgb = (l) => l <= 0.0031308 ? 12.92 * l : 1.055 * l ** (1 / 2.4) - 0.055;

/** A linear colour as sRGB "#rrggbb", scaled down where a channel is above 1. */
export function colourToHex(colour) {
  if (typeof colour === 'string') return /^#[0-9a-f]{6}$/i.test(colour) ? colour : '#808080';
  const c = Array.isArray(colour) ? colour.map(Number) : [0.5, 0.5, 0.5], top = Math.max(1, ...c);
  return '#' + c.map((x) => Math.round(255 * linearToSrgb(Math.max(0, x / top))).toString(16).padStart(2, '0')).join('');
}

/** sRGB "#rrggbb" as a linear colour, as bright as `before` where that is above 1. */
export function hexToColour(hexText, before) {
  const top = Array.isArray(before) ? Math.max(1, ...before.map(Number)) : 1;
  return [1, 3, 5].map((i) => formatNumber(top * srgbToLinear(parseInt(hexText.slice(i, i + 2), 16) / 255)));
}
