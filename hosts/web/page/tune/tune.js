// SPDX-License-Identifier: Apache-2.0
// A preset that is played with: its text is the one truth; the form changes it, the server reads it and bakes.
import { Form } from './form.js';
import { remove, set } from './edit.js';
import { Results } from './results.js';

const get = (id) => document.getElementById(id);
const TYPED_MS = 300;

export class Tune {
  /** null: no preset is tuned here. */
  static async begin(app) {
    const answer = await fetch('preset').catch(() => null);
    if (!answer || answer.status !== 200) return null;
    const tune = new Tune(app, await answer.json());
    await tune.tries(tune.text);
    return tune;
  }

  constructor(app, preset) {
    this.app = app;
    this.preset = preset;
    this.text = this.first = preset.text;
    this.tree = this.values = null; // of the last text that was good
    this.good = null; // that text
    this.past = [];
    this.future = [];
    this.tables = {};
    this.form = new Form(get('form'), (path, value, type) => this.change(path, value, type));
    app.results = new Results(app, this);
    document.body.classList.add('tuning');
    get('tune').hidden = false;
    get('save-name').value = `${preset.name}_tuned`;
    get('save-where').textContent = `It goes into ${preset.folder}/ and never over another file.`;
    this.buttons();
    this.show('form');
  }

  buttons() {
    const on = (id, act) => get(id).addEventListener('click', act);
    on('tune-form', () => this.show('form'));
    on('tune-text', () => this.show('text'));
    on('undo', () => this.undo());
    on('redo', () => this.redo());
    on('reset', () => this.put(this.first));
    on('save-open', () => { get('save-said').textContent = ''; get('save').showModal(); get('save-name').select(); });
    on('save-close', () => get('save').close());
    get('save').addEventListener('submit', (event) => { event.preventDefault(); this.save(); });
    on('bake-full', () => this.post('bake', get('bake-full')));
    const area = get('text');
    area.addEventListener('input', () => {
      clearTimeout(this.typed);
      this.numbers(area.value);
      this.typed = setTimeout(() => this.put(area.value, true), TYPED_MS);
    });
    area.addEventListener('scroll', () => { get('lines').scrollTop = area.scrollTop; });
  }

  show(what) {
    for (const w of ['form', 'text']) get(`tune-${w}`).setAttribute('aria-pressed', String(w === what));
    get('form').hidden = what !== 'form';
    get('text-box').hidden = what !== 'text';
    if (what === 'text') { this.numbers(get('text').value); get('lines').scrollTop = get('text').scrollTop; }
  }

  /* ---- the text ---- */

  /** A row of the form. What an exporter shares with others is changed where it stands. */
  change(path, value, type) {
    const again = path.join('.') === this.faulty; // a row with a mistake is written anew over the last good text
    if (!this.good || (this.text !== this.good && !again)) return; // the text has a mistake: the form rests
    const own = this.shared(path), text = this.good;
    if (this.text !== text && this.past.at(-1) === text) this.text = this.past.pop(); // undo goes before the mistake
    try {
      this.put(value === undefined ? remove(text, this.tree, own) : set(text, this.tree, own, value, type));
      this.faulty = path.join('.');
    } catch (error) {
      this.say(error.message);
    }
  }

  /** `look:` and `camera:` say for all exporters what these do not say themselves. */
  shared(path) {
    if (path[0] !== 'export') return path;
    const has = (at) => at.reduce((node, key) => node?.map?.find(([k]) => k === key)?.[1], this.tree);
    const [, , key, ...rest] = path;
    if (key === 'camera' && rest.length && has(['camera', ...rest])) return ['camera', ...rest];
    return has(['look', key]) ? ['look', key, ...rest] : path;
  }

  put(text, typed) {
    if (text === this.text) return;
    const now = performance.now();
    if (!typed || now - (this.typedAt ?? 0) > 2000) this.past.push(this.text);
    this.typedAt = typed ? now : 0;
    this.faulty = null;
    this.future = [];
    this.tries(text);
  }

  undo() {
    if (!this.past.length) return;
    this.faulty = null;
    this.future.push(this.text);
    this.tries(this.past.pop());
  }

  redo() {
    if (!this.future.length) return;
    this.past.push(this.text);
    this.tries(this.future.pop());
  }

  /** The newest text goes to the server; of those that wait only the last. */
  async tries(text) {
    this.text = text;
    if (get('text').value !== text) get('text').value = text;
    this.numbers(text);
    get('undo').disabled = !this.past.length;
    get('redo').disabled = !this.future.length;
    get('reset').disabled = text === this.first;
    if (this.busy) return;
    this.busy = true;
    do {
      text = this.text;
      await this.read(text);
    } while (text !== this.text);
    this.busy = false;
  }

  async read(text) {
    const answer = await fetch('try', { method: 'POST', body: text }).catch(() => null);
    if (!answer) { this.say('The server does not answer.'); return; }
    const said = answer.ok && text ? await answer.json() : { good: false, sentence: text ? await answer.text() : 'nothing is written here', line: 0 };
    if (text !== this.text) return;
    this.say(said.good ? '' : said.text || said.sentence, said.line);
    if (!said.good) return;
    Object.assign(this, { tree: said.tree, values: said.values, good: text });
    await this.learn(said.values);
    if (text === this.text) this.form.fill(this.values, this.tree, this.tables);
  }

  /** The tables of all that the preset has. */
  async learn(values) {
    const types = ['stages', 'export'].flatMap((s) => (values[s] ?? []).map((item) => typeof item === 'string' ? item : Object.keys(item)[0]));
    const missing = ['preset', 'stages', 'export', ...new Set(types)].filter((name) => !this.tables[name]);
    await Promise.all(missing.map(async (name) => {
      const answer = await fetch(`parameters?name=${encodeURIComponent(name)}`).catch(() => null);
      if (answer && answer.ok) this.tables[name] = await answer.json();
    }));
  }

  /** A mistake, at its line; '': there is none. */
  say(words, line) {
    this.badLine = words ? line : 0;
    get('mistake').hidden = !words;
    get('mistake').textContent = words.replaceAll(`${this.preset.path}:`, 'line ').trim();
    get('form').classList.toggle('rests', !!words);
    this.rest(!!words && this.text !== this.good);
    this.numbers(get('text').value);
  }

  /** The form waits for the mistake to be mended; the row that it was made in stays open for that. */
  rest(rests) {
    const rows = [...get('form').querySelectorAll('.row')], faulty = rests && rows.find((r) => r.dataset.path === this.faulty);
    get('form').inert = rests && !faulty;
    for (const row of rows) row.inert = !!faulty && row !== faulty && !row.contains(faulty);
  }

  numbers(text) {
    const box = get('lines'), n = text.split('\n').length;
    if (box.childElementCount !== n) box.replaceChildren(...Array.from({ length: n }, (_, i) => Object.assign(document.createElement('div'), { textContent: i + 1 })));
    for (const e of box.querySelectorAll('.bad')) e.className = '';
    if (this.badLine) box.children[this.badLine - 1]?.classList.add('bad');
  }

  /* ---- what becomes of it ---- */

  async post(what, button) {
    button.disabled = true;
    const answer = await fetch(what, { method: 'POST', body: this.text }).catch(() => null);
    const words = answer ? await answer.text() : 'The server does not answer.';
    button.disabled = false;
    get('status').textContent = words;
    get('status').classList.toggle('bad', !answer || !answer.ok);
    return { good: !!answer && answer.ok, words };
  }

  async save() {
    const name = get('save-name').value.trim();
    if (!this.good || this.text !== this.good) { get('save-said').textContent = 'The text has a mistake: it is not saved.'; return; }
    const before = this.text;
    this.text = set(this.text, this.tree, ['name'], name);
    const { good, words } = await this.post(`save-preset?name=${encodeURIComponent(name)}`, get('save-do'));
    this.text = before;
    get('save-said').textContent = words;
    if (good) get('save').close();
  }

  /** Go back to something that was tried. */
  async again(id) {
    const answer = await fetch(`preset-text?source=${id}`).catch(() => null);
    if (!answer || !answer.ok) { this.say('That is not here any more.'); return; }
    const text = await answer.text();
    this.app.lookAt(null);
    if (text !== this.text) this.put(text);
  }
}
