// SPDX-License-Identifier: Apache-2.0
// Resuming a bake that was stopped or killed, and extending a finished one by more frames.

const get = (id) => document.getElementById(id);

export class Resume {
  constructor(app) {
    this.app = app;
    get('resume').addEventListener('click', () => this.post(''));
    get('extend').addEventListener('click', () => this.openDialog());
    get('extend-last').addEventListener('input', () => this.updateInfo());
    get('extend-close').addEventListener('click', () => get('extend-dialog').close());
    get('extend-form').addEventListener('submit', (event) => { event.preventDefault(); this.extend(); });
  }

  /** Show the buttons that the source's record allows. */
  update({ record }) {
    get('resume').hidden = !record || record.complete;
    get('extend').hidden = !record || !record.complete;
  }

  openDialog() {
    const { record } = this.app.source, last = get('extend-last');
    last.min = record.last + 1;
    last.value = record.last + Math.max(1, Math.round(this.app.fps()));
    get('extend-error').textContent = '';
    this.updateInfo();
    get('extend-dialog').showModal();
    last.select();
  }

  updateInfo() {
    const n = get('extend-last').value - this.app.source.record?.last;
    get('extend-info').textContent = n > 0 ? `${n} frame${n === 1 ? '' : 's'} more, ${+(n / this.app.fps()).toFixed(2)} s of film.` : '';
  }

  async extend() {
    const error = await this.post(`&last=${get('extend-last').value}`);
    get('extend-error').textContent = error;
    if (!error) get('extend-dialog').close();
  }

  /** POST resume; the error, or ''. */
  async post(query) {
    const { app } = this;
    get('resume').disabled = get('extend').disabled = true;
    const { ok, text } = await app.post(`resume?source=${app.source.id}${query}`);
    get('resume').disabled = get('extend').disabled = false;
    app.showStatus(text, !ok);
    if (!ok) return text;
    app.followLive = true;
    return '';
  }
}
