// SPDX-License-Identifier: Apache-2.0
// A preset as a form: one row for each parameter, from the descriptions of its stages and exporters.
import { KeyframeCurve } from './keyframe_curve.js';
import { colourToHex, defaultValue, formatNumber, hexToColour, parseQuantity, sameValue, sliderRange } from './units.js';
import { nodeAt, yaml } from './yaml_edit.js';

const HIDDEN = new Set(['id', 'before', 'after', 'billow', 'extends', 'frames_from', 'name', 'enabled', 'domains', 'fields', 'bind']);
const TIME_KINDS = [['1', '• a value'], ['keys', '∿ keyframes'], ['=', '= an expression of t, frame, seed']];
const make = (name, properties = {}, ...children) => {
  const e = Object.assign(document.createElement(name), properties);
  e.append(...children.filter((c) => c));
  return e;
};
const isKeys = (v) => v && typeof v === 'object' && !Array.isArray(v) && v.keys;
const isExpression = (v) => typeof v === 'string' && v.startsWith('=');

export class Form {
  /** change(path, value, type) is called for a change of the user; value undefined: back to the default. */
  constructor(box, change, list, stageTypes) {
    this.box = box;
    this.change = change;
    this.list = list; // {add(after, type), remove(id)}, of stages
    this.stageTypes = stageTypes;
    this.opened = new Map(); // by path, the folds that the user opened or closed
  }

  /** Show values; the focus and unfinished input stay. `parameters`: descriptions by stage, exporter and section. */
  fill(values, tree, parameters) {
    Object.assign(this, { values, tree, parameters });
    const active = document.activeElement, at = this.box.contains(active) ? active.closest('.row') : null, top = this.box.scrollTop;
    const controls = (row) => [...row.querySelectorAll('input, select, button, svg')], nth = at ? controls(at).indexOf(active) : -1;
    const frames = String(values.time?.frames ?? '1-100').split('-').map(Number);
    this.frames = [frames[0], frames[1] ?? frames[0]];
    this.box.replaceChildren(...this.parts());
    this.box.scrollTop = top;
    const again = at && [...this.box.querySelectorAll('.row')].find((r) => r.dataset.path === at.dataset.path);
    if (again && at.dataset.typed) again.replaceWith(at);
    if (again) (at.dataset.typed ? active : controls(again)[nth])?.focus({ preventScroll: true });
  }

  parts() { return [...this.entries('stages'), ...this.sections(), ...this.entries('export')]; }

  fold(path, title, open, ...children) {
    const key = path.join('.'), d = make('details', { open: this.opened.get(key) ?? open }, make('summary', {}, ...title), ...children);
    d.dataset.path = key;
    d.addEventListener('toggle', () => this.opened.set(key, d.open));
    return d;
  }

  sections() {
    const rows = this.parameters.preset.section.parameters.filter((r) => !HIDDEN.has(r.key));
    const plain = rows.filter((r) => r.type !== 'group'), out = [];
    for (const row of rows) if (row.type === 'group' && this.values[row.key]) out.push(this.fold([row.key], [row.key], row.key === 'domain', ...this.rows(row.rows, [row.key], this.values[row.key])));
    const given = plain.filter((r) => this.values[r.key] !== undefined);
    return [...out, ...(given.length ? [this.fold(['other'], ['other'], false, ...this.rows(given, [], this.values))] : [])];
  }

  entries(section) {
    const kind = section === 'stages' ? 'stage' : 'exporter';
    return (this.values[section] ?? []).map((item) => {
      const [type, inside] = typeof item === 'string' ? [item, {}] : Object.entries(item)[0];
      const id = inside?.id ?? type, path = [section, id], table = this.parameters[type]?.[kind];
      if (!table) return null;
      const on = make('input', { type: 'checkbox', checked: !/^(false|no|off)$/.test(inside?.enabled ?? 'true') });
      on.setAttribute('aria-label', `${id} takes part`);
      on.addEventListener('change', () => this.change([...path, 'enabled'], on.checked ? undefined : 'false', type));
      const tools = section === 'stages' ? this.stageTools(id) : [];
      const title = [on, make('b', { textContent: id }), id === type ? null : make('small', { textContent: type }), ...tools];
      const fold = this.fold(path, title.filter(Boolean), section === 'stages', ...this.rows([...table.parameters, ...this.parameters[section].section.parameters], path, inside ?? {}, type));
      fold.querySelector('summary').title = table.brief ?? '';
      return fold;
    }).filter(Boolean);
  }

  /** Beside a stage's name: add one after it, remove it. */
  stageTools(id) {
    const add = make('select', { className: 'add', title: `Add a stage after ${id}` }, new Option('+', ''), ...this.stageTypes.map((t) => new Option(t)));
    add.setAttribute('aria-label', add.title);
    add.addEventListener('change', () => this.list.add(id, add.value));
    const remove = make('button', { className: 'remove', textContent: '×', title: `Remove ${id}` });
    remove.setAttribute('aria-label', remove.title);
    remove.addEventListener('click', (event) => { event.preventDefault(); this.list.remove(id); });
    return [make('span', { className: 'space' }), add, remove];
  }

  /** Rows of parameters that the text sets, that have no default or are `shown`; the others are folded away. */
  rows(rows, path, values, type) {
    const visible = [], other = [], known = new Set(rows.map((r) => r.key));
    let before = null;
    for (const raw of rows) {
      const row = raw.rows_as ? { ...raw, rows: before } : raw;
      if (raw.rows) before = raw.rows;
      if (HIDDEN.has(row.key)) continue;
      if (row.type === 'amounts') {
        for (const [k, v] of Object.entries(values)) if (!known.has(k) && !HIDDEN.has(k)) visible.push(this.row({ ...row, ...this.amountOf(k), key: k, type: Array.isArray(v) ? 'vector' : 'number' }, [...path, k], v, type));
        continue;
      }
      const value = values[row.key], at = [...path, row.key];
      const isSet = nodeAt(this.tree, at) || (row.type !== 'group' && value !== undefined && !sameValue(value, defaultValue(row)));
      (isSet || row.required || row.shown ? visible : other).push(this.row(row, at, value, type));
    }
    if (!other.length) return visible;
    return [...visible, this.fold([...path, '…'], [make('span', { textContent: visible.length ? `${other.length} more, by default` : `all ${other.length} by default` })], false, ...other)];
  }

  /** Unit, meaning and range of a field's amount, from the stages that take that field. */
  amountOf(field) {
    const all = Object.values(this.parameters).flatMap((t) => t.stage?.fields ?? []).filter((f) => f.name === field && f.doc);
    const part = all.find((f) => /mass fraction/i.test(f.doc)), one = part ?? all[0];
    return one ? { doc: one.doc, unit: one.unit, ...(part && { min: 0, max: 1 }) } : {};
  }

  row(row, path, value, type) {
    const set = (v, moving) => this.change(path, v, type, moving);
    if (row.type === 'group') return this.fold(path, [row.key], true, ...this.rows(row.rows ?? [], path, value && typeof value === 'object' ? value : {}, type));
    const isSet = nodeAt(this.tree, path), line = make('div', { className: 'row', title: this.tooltip(row) });
    line.dataset.path = path.join('.');
    line.classList.toggle('differs', !!isSet && row.default !== undefined && !sameValue(value, defaultValue(row)));
    const label = make('span', { className: 'name', textContent: row.key });
    const back = isSet && row.default !== undefined && !row.required ? make('button', { className: 'back', textContent: '×', title: `${row.default} again` }) : null;
    if (back) {
      back.setAttribute('aria-label', `${row.key}: default again`);
      back.addEventListener('click', () => set(undefined));
    }
    line.append(...[label, ...this.control(row, value, set, path, type), back].filter(Boolean));
    line.addEventListener('input', () => { line.dataset.typed = '1'; });
    line.addEventListener('change', () => { delete line.dataset.typed; });
    return line;
  }

  tooltip(row) {
    const parts = [row.doc, row.default !== undefined ? `Default: ${row.default}` : '', row.unit ? `Unit: ${row.unit}` : '',
      row.usual ? `Usually ${row.usual.map(formatNumber).join(' to ')}` : '', row.or ? `Or: ${row.or}` : ''];
    return parts.filter(Boolean).join('\n');
  }

  control(row, value, set, path, type) {
    const named = (e, what = row.key) => { e.setAttribute('aria-label', what); return e; };
    if (row.type === 'yes/no') {
      const box = named(make('input', { type: 'checkbox', checked: /^(true|yes|on)$/.test(value ?? row.default ?? '') }));
      box.addEventListener('change', () => set(box.checked ? 'true' : 'false'));
      return [box];
    }
    if (row.type === 'choice') {
      const select = named(make('select', {}, ...row.choices.map((c) => new Option(c))));
      select.value = value ?? row.default ?? row.choices[0];
      select.addEventListener('change', () => set(select.value));
      return [select];
    }
    if (row.type === 'one of') return this.variant(row, value, set, path, type, named);
    if (['number', 'whole number', 'vector', 'colour'].includes(row.type)) return this.animated(row, value, set, path, named);
    return [this.yamlInput(row, value, set, named)];
  }

  variant(row, value, set, path, type, named) {
    const kind = typeof value === 'string' ? value : Object.keys(value ?? {})[0] ?? row.default;
    const select = named(make('select', {}, ...(kind === undefined ? [new Option('')] : []), ...(row.rows ?? []).map((r) => new Option(r.key)))), inner = (row.rows ?? []).find((r) => r.key === kind);
    select.value = kind ?? '';
    select.addEventListener('change', () => set(select.value));
    const inside = value && typeof value === 'object' ? value[kind] : undefined, at = [...path, kind];
    if (!inner || (inner.type === 'group' && !inner.rows?.length)) return [select];
    if (inner.type !== 'group') return [select, make('div', { className: 'deeper' }, this.row(inner, at, inside, type))];
    return [select, make('div', { className: 'deeper' }, ...this.rows(inner.rows, at, inside && typeof inside === 'object' ? inside : {}, type))];
  }

  /** A parameter that may be animated: a value, keyframes or an expression. */
  animated(row, value, set, path, named) {
    const shown = value ?? defaultValue(row) ?? (row.type === 'number' ? '' : undefined);
    const how = isKeys(shown) ? 'keys' : isExpression(shown) ? '=' : '1';
    const parts = how === 'keys' && row.type === 'number' ? [new KeyframeCurve(shown, this.frames, path.join('.'), row.key, set).box]
      : how !== '1' || row.or === shown ? [this.yamlInput(row, shown, set, named)]
      : row.type === 'colour' ? this.colour(row, shown, set, named)
      : row.type === 'vector' ? this.vector(row, shown, set, named) : this.number(row, shown, set, named);
    if (row.static || row.type === 'whole number') return parts;
    const choose = named(make('select', { className: 'how' }, ...TIME_KINDS.map(([value, text]) => new Option(text, value))), `${row.key}: a value, keyframes or an expression`);
    choose.title = 'A value, keyframes or an expression';
    choose.value = how;
    choose.addEventListener('change', () => set(this.converted(row, shown, choose.value)));
    return [choose, ...parts];
  }

  /** Convert to a value, keyframes or an expression; keyframes start with the value. */
  converted(row, value, how) {
    const now = isKeys(value) ? Object.values(value.keys)[0] : isExpression(value) ? defaultValue(row) ?? '0' : value ?? defaultValue(row) ?? '0';
    if (how === '1') return now;
    if (how === '=') { const q = Array.isArray(now) ? null : parseQuantity(now); return `=${q ? formatNumber(q.number * q.factor) : '0'}`; }
    return { keys: { [this.frames[0]]: now, [this.frames[1]]: now }, ease: 'smooth' };
  }

  number(row, value, set, named) {
    const input = named(make('input', { type: 'text', className: 'number', value: value ?? '', placeholder: row.or ?? '' })), q = parseQuantity(value);
    input.inputMode = 'decimal';
    input.addEventListener('change', () => set(input.value.trim() === '' ? undefined : input.value.trim()));
    const unit = row.unit && !(q && q.unit) ? make('small', { textContent: row.unit }) : null;
    if (!q) return [input, unit];
    const [lo, hi] = sliderRange(row, q.number * q.factor), slider = named(make('input', { type: 'range', min: lo / q.factor, max: hi / q.factor, step: row.type === 'whole number' ? 1 : 'any' }), `${row.key}, slider`);
    slider.value = q.number;
    const text = () => formatNumber(+slider.value) + (q.unit ? ` ${q.unit}` : '');
    slider.addEventListener('input', () => { input.value = text(); set(text(), true); });
    slider.addEventListener('change', () => set(text()));
    return [slider, input, unit];
  }

  vector(row, value, set, named) {
    if (!Array.isArray(value)) return [this.yamlInput(row, value, set, named)];
    const inputs = value.map((v, i) => named(make('input', { type: 'text', className: 'number', value: typeof v === 'string' ? v : yaml(v) }), `${row.key} ${'xyz'[i] ?? i}`));
    for (const input of inputs) input.addEventListener('change', () => set(inputs.map((x) => x.value.trim() || '0')));
    return [make('span', { className: 'triple' }, ...inputs), row.unit ? make('small', { textContent: row.unit }) : null].filter(Boolean);
  }

  colour(row, value, set, named) {
    const input = named(make('input', { type: 'color', value: colourToHex(value) })), text = this.yamlInput(row, value, set, (e) => named(e, `${row.key}, in numbers`));
    input.addEventListener('change', () => set(hexToColour(input.value, value)));
    return [input, text];
  }

  /** Input as the YAML would have it. */
  yamlInput(row, value, set, named) {
    const expression = isExpression(value), input = named(make('input', { type: 'text', className: 'plain', value: value === undefined ? '' : expression || typeof value === 'string' ? value : yaml(value), placeholder: row.default ?? row.or ?? '' }));
    input.spellcheck = false;
    input.addEventListener('change', () => {
      const text = input.value.trim();
      set(text === '' ? undefined : /^[[{]/.test(text) ? { raw: text } : text);
    });
    return input;
  }
}
