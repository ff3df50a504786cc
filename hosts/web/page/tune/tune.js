// SPDX-License-Identifier: Apache-2.0
// The editor of a preset that is tuned. The text is the model: the form edits it, the server parses it and bakes previews.
import { SourceCards } from '../source_cards.js';
import { Form } from './form.js';
import { insertEntry, removeAt, removeEntry, setAt } from './yaml_edit.js';

const get = (id) => document.getElementById(id);
const TYPING_MS = 300;

export class Tune {
  /** null: no preset is tuned here. */
  static async begin(app) {
    const response = await fetch('preset').catch(() => null);
    if (!response || response.status !== 200) return null;
    const tune = new Tune(app, await response.json());
    await tune.setText(tune.text);
    return tune;
  }

  constructor(app, preset) {
    this.app = app;
    this.preset = preset;
    this.text = this.first = preset.text;
    this.tree = this.values = null; // of the last valid text
    this.validText = null;
    this.undoTexts = []; // the newest last
    this.redoTexts = [];
    this.parameters = {};
    this.form = new Form(get('form'), (path, value, type, moving) => this.change(path, value, type, moving),
      { add: (after, type) => this.addStage(after, type), remove: (id) => this.removeStage(id) }, preset.stage_types);
    app.sourceCards = new SourceCards(app, this);
    document.body.classList.add('tuning');
    get('tune').hidden = false;
    get('save-name').value = `${preset.name}_tuned`;
    get('save-where').textContent = `It goes into ${preset.folder}/ and never over another file.`;
    this.bindButtons();
    this.show('form');
  }

  bindButtons() {
    const on = (id, act) => get(id).addEventListener('click', act);
    on('tune-form', () => this.show('form'));
    on('tune-text', () => this.show('text'));
    on('undo', () => this.undo());
    on('redo', () => this.redo());
    on('reset', () => this.edit(this.first));
    on('save-open', () => { get('save-error').textContent = ''; get('save-dialog').showModal(); get('save-name').select(); });
    on('save-close', () => get('save-dialog').close());
    get('save-dialog').addEventListener('submit', (event) => { event.preventDefault(); this.save(); });
    on('bake-full', () => this.post('bake', get('bake-full')));
    const area = get('text');
    area.addEventListener('input', () => {
      clearTimeout(this.typed);
      this.updateLineNumbers(area.value);
      this.typed = setTimeout(() => this.edit(area.value, true), TYPING_MS);
    });
    area.addEventListener('scroll', () => { get('lines').scrollTop = area.scrollTop; });
  }

  show(what) {
    for (const w of ['form', 'text']) get(`tune-${w}`).setAttribute('aria-pressed', String(w === what));
    get('form').hidden = what !== 'form';
    get('text-box').hidden = what !== 'text';
    if (what === 'text') { this.updateLineNumbers(get('text').value); get('lines').scrollTop = get('text').scrollTop; }
  }

  /* ---- the text ---- */

  /** A row of the form was changed; `value` undefined: back to the default; `moving`: a slider is still held, which only a
   *  simulation that runs on follows. */
  change(path, value, type, moving) {
    if (moving && !this.preset.live) return;
    const again = path.join('.') === this.faulty; // a row with a mistake is written again, into the last valid text
    if (!this.validText || (this.text !== this.validText && !again)) return; // the text has a mistake: the form is locked
    const own = this.sharedPath(path), text = this.validText;
    if (this.text !== text && this.undoTexts.at(-1) === text) this.text = this.undoTexts.pop(); // undo goes before the mistake
    try {
      this.edit(value === undefined ? removeAt(text, this.tree, own) : setAt(text, this.tree, own, value, type), moving);
      this.faulty = path.join('.');
    } catch (error) {
      this.showMistake(error.message);
    }
  }

  /* ---- stages ---- */

  /** A new stage's values: an id that is free, what it needs, an amount where it takes amounts. */
  newStage(type) {
    const rows = this.parameters[type]?.stage?.parameters ?? [], body = {};
    const ids = new Set(this.values.stages.map((item) => typeof item === 'string' ? item : Object.values(item)[0]?.id ?? Object.keys(item)[0]));
    for (let n = 2; ids.has(body.id ?? type); n++) body.id = `${type.split('.').at(-1)}_${n}`;
    for (const row of rows.filter((r) => r.required))
      body[row.key] = row.type === 'one of' ? { [row.rows[0].key]: {} } : row.type === 'vector' ? ['0', '0', '0'] : row.type === 'number' ? '1' : '';
    if (rows.some((r) => r.type === 'amounts')) body.density = '1';
    return body;
  }

  /** Edit the text, if it has no mistake; one of the edit is told. */
  editValid(edit) {
    if (!this.validText || this.text !== this.validText) return;
    try {
      this.edit(edit());
    } catch (error) {
      this.showMistake(error.message);
    }
  }

  async addStage(after, type) {
    if (!type) return;
    await this.loadParameters({ stages: [type] });
    this.form.opened.set(`stages.${this.newStage(type).id ?? type}`, true);
    this.editValid(() => insertEntry(this.text, this.tree, 'stages', after, type, this.newStage(type)));
  }

  /** One that only the base preset has takes no part any more. */
  removeStage(id) {
    this.editValid(() => removeEntry(this.text, this.tree, 'stages', id) ?? setAt(this.text, this.tree, ['stages', id, 'enabled'], 'false', this.typeOf(id)));
  }

  typeOf(id) {
    for (const item of this.values.stages) {
      const [type, inside] = typeof item === 'string' ? [item, {}] : Object.entries(item)[0];
      if ((inside?.id ?? type) === id) return type;
    }
    return id;
  }

  /** Where an exporter's value is written: in `look:` or `camera:`, if it is there for all exporters. */
  sharedPath(path) {
    if (path[0] !== 'export') return path;
    const has = (at) => at.reduce((node, key) => node?.map?.find(([k]) => k === key)?.[1], this.tree);
    const [, , key, ...rest] = path;
    if (key === 'camera' && rest.length && has(['camera', ...rest])) return ['camera', ...rest];
    return has(['look', key]) ? ['look', key, ...rest] : path;
  }

  /** A change of the user: it can be undone. What is typed within two seconds is one change. */
  edit(text, typed) {
    if (text === this.text) return;
    const now = performance.now();
    if (!typed || now - (this.lastTyped ?? 0) > 2000) this.undoTexts.push(this.text);
    this.lastTyped = typed ? now : 0;
    this.faulty = null;
    this.redoTexts = [];
    this.setText(text);
  }

  undo() {
    if (!this.undoTexts.length) return;
    this.faulty = null;
    this.redoTexts.push(this.text);
    this.setText(this.undoTexts.pop());
  }

  redo() {
    if (!this.redoTexts.length) return;
    this.undoTexts.push(this.text);
    this.setText(this.redoTexts.pop());
  }

  /** Show a text and send it to the server; of texts that come meanwhile only the last is sent. */
  async setText(text) {
    this.text = text;
    if (get('text').value !== text) get('text').value = text;
    this.updateLineNumbers(text);
    get('undo').disabled = !this.undoTexts.length;
    get('redo').disabled = !this.redoTexts.length;
    get('reset').disabled = text === this.first;
    if (this.busy) return;
    this.busy = true;
    do {
      text = this.text;
      await this.parse(text);
    } while (text !== this.text);
    this.busy = false;
  }

  /** Let the server parse a text and preview it. */
  async parse(text) {
    const response = await fetch('try', { method: 'POST', body: text }).catch(() => null);
    if (!response) { this.showMistake('The server does not answer.'); return; }
    const result = response.ok && text ? await response.json() : { good: false, sentence: text ? await response.text() : 'the preset is empty', line: 0 };
    if (text !== this.text) return;
    this.showMistake(result.good ? '' : result.text || result.sentence, result.line);
    if (!result.good) return;
    Object.assign(this, { tree: result.tree, values: result.values, validText: text });
    await this.loadParameters(result.values);
    if (text === this.text) this.form.fill(this.values, this.tree, this.parameters);
  }

  /** Fetch the parameters of all stages and exporters of the preset. */
  async loadParameters(values) {
    const types = ['stages', 'export'].flatMap((s) => (values[s] ?? []).map((item) => typeof item === 'string' ? item : Object.keys(item)[0]));
    const missing = ['preset', 'stages', 'export', ...new Set(types)].filter((name) => !this.parameters[name]);
    await Promise.all(missing.map(async (name) => {
      const response = await fetch(`parameters?name=${encodeURIComponent(name)}`).catch(() => null);
      if (response && response.ok) this.parameters[name] = await response.json();
    }));
  }

  /** Show a mistake and mark its line; '': none. */
  showMistake(text, line) {
    this.badLine = text ? line : 0;
    get('mistake').hidden = !text;
    get('mistake').textContent = text.replaceAll(`${this.preset.path}:`, 'line ').trim();
    get('form').classList.toggle('locked', !!text);
    this.lockForm(!!text && this.text !== this.validText);
    this.updateLineNumbers(get('text').value);
  }

  /** Lock the form while there is a mistake, but for the row that made it. */
  lockForm(locked) {
    const rows = [...get('form').querySelectorAll('.row')], faulty = locked && rows.find((r) => r.dataset.path === this.faulty);
    get('form').inert = locked && !faulty;
    for (const row of rows) row.inert = !!faulty && row !== faulty && !row.contains(faulty);
  }

  updateLineNumbers(text) {
    const box = get('lines'), n = text.split('\n').length;
    if (box.childElementCount !== n) box.replaceChildren(...Array.from({ length: n }, (_, i) => Object.assign(document.createElement('div'), { textContent: i + 1 })));
    for (const e of box.querySelectorAll('.bad')) e.className = '';
    if (this.badLine) box.children[this.badLine - 1]?.classList.add('bad');
  }

  /* ---- baking and saving ---- */

  async post(path, button) {
    button.disabled = true;
    const { ok, text } = await this.app.post(path, this.text);
    button.disabled = false;
    this.app.showStatus(text, !ok);
    return { ok, text };
  }

  async save() {
    const name = get('save-name').value.trim();
    if (!this.validText || this.text !== this.validText) { get('save-error').textContent = 'The text has a mistake: it is not saved.'; return; }
    const before = this.text;
    this.text = setAt(this.text, this.tree, ['name'], name);
    const { ok, text } = await this.post(`save-preset?name=${encodeURIComponent(name)}`, get('save-submit'));
    this.text = before;
    get('save-error').textContent = text;
    if (ok) get('save-dialog').close();
  }

  /** Go back to the text of a preview. */
  async restore(id) {
    const response = await fetch(`preset-text?source=${id}`).catch(() => null);
    if (!response || !response.ok) { this.showMistake('That is not here any more.'); return; }
    const text = await response.text();
    this.app.chooseSource(null);
    if (text !== this.text) this.edit(text);
  }
}
