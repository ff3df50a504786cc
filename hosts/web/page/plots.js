// SPDX-License-Identifier: Apache-2.0
// Plots of the bake's tables metrics.csv and timings.csv, by Dygraphs.

const COLOURS = ['#f0913a', '#6db3f2', '#8fd18b', '#d9a0e8', '#e8d36a', '#ef7f7f', '#7fd6d0', '#b7bcc4'];
const RELOAD_MS = 1500;

function shortNumber(x) {
  if (!Number.isFinite(x)) return '';
  const size = Math.abs(x);
  if (size >= 1e9) return `${+(x / 1e9).toPrecision(3)}G`;
  if (size >= 1e6) return `${+(x / 1e6).toPrecision(3)}M`;
  return size >= 1e-3 || !size ? String(+x.toPrecision(3)) : x.toExponential(1);
}

function parseCsv(text) {
  const lines = text.trim().split('\n').map((line) => line.split(','));
  return { names: lines[0], rows: lines.slice(1).map((row) => row.map((x) => x === '' ? NaN : +x)) };
}

export class Plots {
  constructor(app) {
    this.app = app;
    this.box = document.getElementById('plot');
    this.select = document.getElementById('plot-what');
    this.select.addEventListener('change', () => this.draw());
    this.tables = {};
  }

  /** Fetch the tables again, at most every RELOAD_MS. */
  async reload() {
    if (this.loading) { this.reloadAgain = true; return; }
    this.loading = true;
    for (const name of ['metrics', 'timings']) {
      const response = await fetch(`${name}.csv?source=${this.app.source.id}`).catch(() => null);
      if (response && response.status === 200) this.tables[name] = parseCsv(await response.text());
      else delete this.tables[name];
    }
    this.updateChoices();
    this.draw();
    setTimeout(() => {
      this.loading = false;
      if (this.reloadAgain) { this.reloadAgain = false; this.reload(); }
    }, RELOAD_MS);
  }

  /** Fill the choice of plots: [label, table, columns, factor]. */
  updateChoices() {
    const { metrics, timings } = this.tables, all = [];
    if (timings) all.push(['seconds by stage', 'timings', timings.names.filter((n) => n.endsWith('.seconds'))]);
    if (timings) all.push(['seconds a frame', 'timings', ['seconds']], ['memory, GiB', 'timings', ['resident_bytes'], 2 ** -30]);
    if (timings) for (const n of timings.names) if (n.startsWith('ranks.')) all.push([n, 'timings', [n]]);
    if (metrics) for (const n of metrics.names) if (n !== 'frame' && n !== 'time') all.push([n, 'metrics', [n]]);
    this.all = all.filter(([, , names]) => names.length);
    const before = this.select.value;
    this.select.replaceChildren(...this.all.map(([label]) => new Option(label)));
    if (this.all.some(([label]) => label === before)) this.select.value = before;
    document.getElementById('plots').hidden = !this.all.length;
  }

  draw() {
    if (!this.box.clientWidth) return; // hidden
    const chosen = this.all && this.all.find(([label]) => label === this.select.value);
    if (!chosen) return;
    if (!window.Dygraph) {
      this.box.textContent = 'The plotting library (Debian: libjs-dygraphs) is not installed where the server runs.';
      return;
    }
    const [, from, names, factor = 1] = chosen, { names: all, rows } = this.tables[from];
    const frame = all.indexOf('frame'), columns = names.map((n) => all.indexOf(n));
    const data = rows.map((r) => [r[frame], ...columns.map((c) => r[c] * factor)]);
    const labels = ['frame', ...names.map((n) => n.replace(/\.seconds$/, ''))];
    if (this.graph) this.graph.destroy();
    Object.assign(this, { labels, data });
    this.updateLegend(labels, this.currentRow(data));
    this.graph = new window.Dygraph(this.box, data, {
      labels, colors: COLOURS, strokeWidth: 1.4, axisLineColor: '#454b53', gridLineColor: '#2b2f35',
      xRangePad: 4, includeZero: true, highlightCircleSize: 3, legend: 'never',
      axes: {
        y: { axisLabelWidth: 48, axisLabelFormatter: shortNumber },
        x: { axisLabelFormatter: (x) => Number.isInteger(x) ? String(x) : '' },
      },
      highlightCallback: (event, x, points, row) => this.updateLegend(labels, data[row]),
      unhighlightCallback: () => this.updateLegend(labels, this.currentRow(data)),
      clickCallback: (event, x) => this.app.seek(this.app.timeline.nearest(x)),
      underlayCallback: (g, area, graph) => {
        const x = graph.toDomXCoord(this.app.frame);
        g.fillStyle = '#f0913a';
        g.fillRect(x - 0.5, area.y, 1.5, area.h);
      },
    });
  }

  currentRow(data) { return data.find((r) => r[0] === this.app.frame); }

  /** The legend has the values of a frame, in the colours of their lines. */
  updateLegend(labels, row) {
    document.getElementById('plot-legend').replaceChildren(...labels.slice(1).map((label, i) => {
      const line = document.createElement('div'), name = document.createElement('b'), value = document.createElement('span');
      name.textContent = label;
      name.style.color = COLOURS[i % COLOURS.length];
      value.textContent = row ? shortNumber(row[i + 1]) : '';
      line.append(name, value);
      return line;
    }));
  }

  /** Another frame is shown: move the marker. */
  moveMarker() {
    if (!this.graph) return;
    this.graph.updateOptions({}, false);
    this.updateLegend(this.labels, this.currentRow(this.data));
  }
}
