// SPDX-License-Identifier: Apache-2.0
// How a cache's renders look: a form over the values of the bake's own movie. What is changed is a text, `look: {…}`,
// which each query of a render carries, and which can be copied into a preset or a command.

import { Form } from './tune/form.js';
import { nodeAt, removeAt, setAt, yaml } from './tune/yaml_edit.js';

const get = (id) => document.getElementById(id);
const NONE = 'look: {}\n';
const MAIN = ['exposure', 'thickness', 'smoke', 'fire', 'key', 'environment', 'sky', 'detail', 'ground', 'backdrop', 'floor'];
// The page's camera and sizes are its own; other domains' files are not read.
const OTHERS = new Set(['camera', 'size', 'width', 'frame', 'quality', 'blend', 'edge']);

/** A node of the server's tree as a plain value. */
function plain(node) {
  if (node.map) return Object.fromEntries(node.map.map(([key, value]) => [key, plain(value)]));
  return node.list ? node.list.map(plain) : node.text;
}

const isMap = (value) => !!value && typeof value === 'object' && !Array.isArray(value);

/** Values over others, maps key by key. */
function merged(own, over) {
  if (!isMap(over)) return over ?? own;
  return { ...(isMap(own) ? own : {}), ...Object.fromEntries(Object.entries(over).map(([key, value]) => [key, merged(isMap(own) ? own[key] : undefined, value)])) };
}

/** Rows whose defaults are the bake's own values, without files. */
function rowsFor(rows, own) {
  return rows.filter((row) => row.type !== 'path').map((row) => {
    const value = isMap(own) ? own[row.key] : undefined, out = { ...row, required: false };
    if (row.type === 'one of') out.rows = row.rows.filter((r) => r.key !== 'hdri' || isMap(value?.hdri)).map((r) => r.rows ? { ...r, rows: rowsFor(r.rows, value?.[r.key]) } : r);
    else if (row.rows) out.rows = rowsFor(row.rows, value);
    if (value !== undefined && row.type !== 'group') out.default = typeof value === 'string' ? value : yaml(value);
    return out;
  });
}

class LookForm extends Form {
  parts() {
    const at = ['look'], rows = this.lookRows, plainRows = rows.filter((r) => r.type !== 'group');
    return [...this.rows(plainRows, at, this.values.look), ...rows.filter((r) => r.type === 'group').map((row) => {
      const value = this.values.look[row.key];
      return this.fold([...at, row.key], [row.key], !!nodeAt(this.tree, [...at, row.key]), ...this.rows(row.rows ?? [], [...at, row.key], isMap(value) ? value : {}));
    })];
  }
}

export class LookPanel {
  constructor(app) {
    this.app = app;
    this.text = NONE;
    this.tree = null; // of the text; null: the panel was not opened yet
    this.form = new LookForm(get('look-form'), (path, value) => this.change(path, value), null, []);
    const on = (id, act) => get(id).addEventListener('click', act);
    on('look-show', () => this.toggle());
    on('look-own', () => this.showOwn(get('look-own').getAttribute('aria-pressed') !== 'true'));
    on('look-reset', () => this.setText(NONE));
    on('look-copy', () => this.copy(get('look-text').textContent, 'Copied: paste it into the preset.'));
    on('look-command', () => this.copy(this.command(), 'Copied: it makes the movie anew, with this look.'));
  }

  /** Of a preset that is tuned the preset's form has the look; what is flat has none. */
  canShow() { return !this.app.tune && !!this.app.scene?.renders; }

  update() {
    get('look-show').hidden = !this.canShow();
    if (!this.canShow()) this.close();
  }

  toggle() {
    if (!get('look').hidden) this.close();
    else if (this.canShow()) this.open();
  }

  close() {
    get('look').hidden = true;
    document.body.classList.remove('looking');
    get('look-show').setAttribute('aria-pressed', 'false');
  }

  async open() {
    const { app } = this, response = await fetch(`look?source=${app.source.id}`).catch(() => null);
    if (!response || !response.ok) { app.showStatus(response ? await response.text() : 'The server does not answer.', true); return; }
    const { cache, parameters, values } = await response.json();
    Object.assign(this, { cache, own: values });
    const rows = parameters.filter((r) => r.doc?.startsWith('Renders:') && !OTHERS.has(r.key));
    this.form.lookRows = rowsFor(rows, values).map((r) => ({ ...r, shown: MAIN.includes(r.key) })).sort((a, b) => order(a) - order(b));
    get('look').hidden = false;
    document.body.classList.add('looking');
    get('look-show').setAttribute('aria-pressed', 'true');
    await this.setText(this.text, true);
  }

  /** What a query of a render says of it. */
  query() { return this.validText && this.validText !== NONE && !this.showsOwn ? { look: this.validText } : {}; }

  showOwn(on) {
    this.showsOwn = on;
    get('look-own').setAttribute('aria-pressed', String(on));
    this.app.viewport.refresh();
  }

  /** A row was changed; `value` undefined: as baked again. A map that would be empty goes too. */
  change(path, value) {
    if (!this.tree) return;
    if (value !== undefined) return void this.setText(setAt(this.text, this.tree, path, value));
    while (path.length > 1 && nodeAt(this.tree, path.slice(0, -1))?.map?.length === 1) path = path.slice(0, -1);
    this.setText(path.length === 1 ? NONE : removeAt(this.text, this.tree, path));
  }

  /** Let the server parse a text, and show what it says; of texts that come meanwhile only the last one counts. */
  async setText(text, again) {
    this.wanted = text;
    if (this.busy) return;
    this.busy = true;
    do {
      text = this.wanted;
      await this.parse(text, again);
    } while (text !== this.wanted);
    this.busy = false;
  }

  async parse(text, again) {
    const response = await fetch('look-check', { method: 'POST', body: text }).catch(() => null);
    const answer = response?.ok ? await response.json() : { good: false, sentence: response ? await response.text() : 'The server does not answer.' };
    if (text !== this.wanted) return;
    get('look-mistake').hidden = !!answer.good;
    get('look-mistake').textContent = answer.good ? '' : answer.sentence.replace(/^look:\d+:\d+: (png: )?/, '');
    if (answer.good) Object.assign(this, { text, validText: text, tree: answer.tree });
    if (!this.tree) return;
    this.fill();
    if (!answer.good || again) return;
    this.showsOwn = false;
    get('look-own').setAttribute('aria-pressed', 'false');
    this.app.viewport.refresh();
  }

  fill() {
    const look = plain(this.tree).look, changed = this.text !== NONE, [first, last] = this.app.timeline.span();
    this.form.fill({ look: merged(this.own, look), time: { frames: `${first}-${last}` } }, this.tree, {});
    for (const id of ['look-own', 'look-reset']) get(id).disabled = !changed;
    get('look-home').hidden = !changed;
    get('look-copied').hidden = true;
    get('look-text').textContent = ['look:', ...Object.entries(look).map(([key, value]) => `  ${key}: ${yaml(value)}`)].join('\n');
  }

  /** The command that makes the cache's movie with this look. */
  command() {
    const sets = [], quoted = (text) => /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
    const walk = (path, value) => {
      if (isMap(value) && Object.keys(value).every((key) => /^[a-z_]+$/.test(key))) for (const [key, inside] of Object.entries(value)) walk(`${path}.${key}`, inside);
      else sets.push(`--set ${quoted(`${path}=${yaml(value)}`)}`);
    };
    walk('look', plain(this.tree).look);
    return ['billow preview', quoted(this.cache ?? '.'), ...sets].join(' ');
  }

  async copy(text, done) {
    const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
    get('look-copied').hidden = false;
    get('look-copied').textContent = copied ? done : text;
  }
}

const order = (row) => row.shown ? MAIN.indexOf(row.key) : MAIN.length;
