// SPDX-License-Identifier: Apache-2.0
// Going on with a bake that was stopped or killed, and making a finished one longer.

const get = (id) => document.getElementById(id);

export class Resume {
  constructor(app) {
    this.app = app;
    get('resume').addEventListener('click', () => this.go(''));
    get('extend').addEventListener('click', () => this.ask());
    get('longer-last').addEventListener('input', () => this.count());
    get('longer-close').addEventListener('click', () => get('longer').close());
    get('longer-form').addEventListener('submit', (event) => { event.preventDefault(); this.extend(); });
  }

  /** What is shown has changed. */
  tell({ record }) {
    get('resume').hidden = !record || record.complete;
    get('extend').hidden = !record || !record.complete;
  }

  ask() {
    const { record } = this.app.state, last = get('longer-last');
    last.min = record.last + 1;
    last.value = record.last + Math.max(1, Math.round(this.app.fps()));
    get('longer-said').textContent = '';
    this.count();
    get('longer').showModal();
    last.select();
  }

  count() {
    const n = get('longer-last').value - this.app.state.record?.last;
    get('longer-words').textContent = n > 0 ? `${n} frame${n === 1 ? '' : 's'} more, ${+(n / this.app.fps()).toFixed(2)} s of film.` : '';
  }

  async extend() {
    const words = await this.go(`&last=${get('longer-last').value}`);
    get('longer-said').textContent = words;
    if (!words) get('longer').close();
  }

  /** What hinders it, or ''. */
  async go(query) {
    const { app } = this;
    get('resume').disabled = get('extend').disabled = true;
    const answer = await fetch(`resume?source=${app.state.id}${query}`, { method: 'POST' }).catch(() => null);
    const words = answer ? await answer.text() : 'The server does not answer.';
    get('resume').disabled = get('extend').disabled = false;
    get('status').textContent = words;
    get('status').classList.toggle('bad', !answer || !answer.ok);
    if (!answer || !answer.ok) return words;
    app.follow = true;
    return '';
  }
}
