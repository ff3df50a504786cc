// SPDX-License-Identifier: Apache-2.0
// What is shown, and who is told when it changes.
import { Busy } from './busy.js';
import { Camera } from './camera.js';
import { hands } from './hand.js';
import { Keep } from './keep.js';
import { keys } from './keys.js';
import { Marks } from './marks.js';
import { Panel } from './panel.js';
import { Path } from './path.js';
import { Plots } from './plots.js';
import { Probe } from './probe.js';
import { Resume } from './resume.js';
import { Results } from './tune/results.js';
import { Tune } from './tune/tune.js';
import { Timeline } from './timeline.js';
import { Viewport } from './viewport.js';

const get = (id) => document.getElementById(id);
const QUARTER = Math.PI / 2;

const app = {
  client: Math.random().toString(36).slice(2, 12),
  all: null, // what the server tells
  state: null, // of it, what is shown
  of: null, beside: null, // numbers of what is shown (null: what the server says), and of what it is compared with
  tune: null, // a preset that is tuned
  results: null, // thumbnails, where there are several
  scene: null, // of the first frame that was looked at: stage, camera, fields
  frame: null, mode: 'render', camera: null,
  wanted: null, // a frame that is not there yet
  unseen: false, // is a slice shown for lack of what renders?
  looked: '', // what the scene was asked of
  follow: true, // new frames are shown as they come
  seconds: 0, // that the last picture took
  processor: 0, // of it what its thread ran

  fps() { return (app.scene && app.scene.fps) || 24; },

  /** A sentence without the path of the preset that is tuned. */
  plain: (words) => app.tune ? words.replaceAll(`${app.tune.preset.path}:`, 'line ') : words,

  say(words) {
    get('words').hidden = !words;
    get('words').textContent = app.plain(words);
  },

  goTo(frame, playing) {
    if (!Number.isFinite(frame)) return;
    if (!playing) app.timeline.pause();
    app.wanted = null;
    const all = app.timeline.frames();
    app.follow = app.state.running && frame === all[all.length - 1] && !playing;
    app.show(frame, playing ? 'play' : 'hand');
  },

  goLive() {
    const all = app.timeline.frames();
    app.goTo(all[all.length - 1]);
  },

  show(frame, how) {
    app.frame = frame;
    app.path.shown();
    app.timeline.draw();
    app.plots.mark();
    get('live').setAttribute('aria-pressed', String(app.follow));
    if (!app.scene) app.look();
    else if (how === 'play') app.viewport.want('quick');
    else if (how === 'new') app.viewport.settled();
    else app.viewport.moved();
  },

  pictureShown(frame, way, marks) {
    app.timeline.shown(frame);
    const rate = app.viewport.rate();
    get('facts').textContent = `frame ${frame} · ${(app.seconds * 1000).toFixed(0)} ms${way === 'quick' && rate > 1 ? ` · ${rate.toFixed(0)}/s` : ''}${marks && ` · ${marks}`}${app.viewport.image.empty && !marks ? ' · there is nothing in it' : ''}`;
    app.probe.soon();
    if (app.path.keys.length) app.path.tell();
    document.body.dataset.shown = `${frame} ${way}`;
  },

  /** What is there to be seen? Asked once, and before a camera is fitted to it. */
  async scenery() {
    const answer = await fetch(`scene?frame=${app.frame}&source=${app.state.id}&client=${app.client}`).catch(() => null);
    if (!answer) { app.say('The server does not answer.'); return null; }
    if (answer.status === 204) return null;
    if (!answer.ok) { app.say(await answer.text()); return null; }
    app.say('');
    return answer.json();
  },

  async look() {
    app.lookAgain = app.looking;
    if (app.looking) return;
    app.looking = true;
    let scene;
    do {
      app.lookAgain = false;
      scene = await app.scenery();
    } while (app.lookAgain);
    app.looking = false;
    app.timeline.draw();
    if (!scene) { app.timeline.pause(); return; }
    const own = app.camera && !app.camera.isMovies();
    app.scene = scene;
    app.panel.fill(scene);
    const back = app.unseen || app.mode === 'render';
    if (!scene.renders) app.setMode('slice');
    else if (!own) app.camera = new Camera(scene.camera); // a hand that has turned it keeps it
    if (scene.renders && app.unseen) app.setMode('render');
    app.unseen = back && !scene.renders;
    get('mode-render').disabled = !scene.renders;
    app.results?.tell(app.all);
    app.viewport.moved();
  },

  setMode(mode) {
    if (mode === 'render' && app.scene && !app.scene.renders) return;
    app.mode = mode;
    app.unseen = false;
    for (const m of ['render', 'slice']) get(`mode-${m}`).setAttribute('aria-pressed', String(m === mode));
    get('slice-panel').hidden = mode !== 'slice';
    get('camera-panel').hidden = mode !== 'render';
    get('viewport').classList.toggle('slice', mode === 'slice');
    app.viewport.moved();
  },

  fullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else app.viewport.box.requestFullscreen().catch(() => null);
  },

  showNumbers() {
    const on = get('numbers').classList.toggle('wanted');
    get('numbers-show').setAttribute('aria-pressed', String(on));
    app.plots.draw();
  },

  cameraChanged() {
    get('camera-parallel').setAttribute('aria-pressed', String(app.camera.parallel));
    app.viewport.moved();
  },

  movieCamera() {
    if (!app.scene || !app.scene.renders) return;
    app.camera = new Camera(app.scene.camera);
    app.cameraChanged();
  },

  async frameSeen() {
    const scene = app.camera && await app.scenery();
    if (!scene) return;
    const some = scene.seen_lo.some((x, a) => x < scene.seen_hi[a]);
    app.camera.frame(some ? scene.seen_lo : scene.lo, some ? scene.seen_hi : scene.hi, app.viewport.aspect());
    app.cameraChanged();
  },

  /** Show one of the sources; null: what is tried now. */
  lookAt(id) {
    app.of = id;
    if (app.all) stateTake(app.all);
  },

  /** With another one at the left of a wiper; null: alone. */
  compare(id) {
    app.beside = id;
    if (app.all) stateTake(app.all);
    app.viewport.moved();
  },

  compareBefore() {
    const other = app.all && app.all.sources.filter((s) => s.id !== app.state.id && s.ranges).pop();
    app.compare(app.beside === null && other ? other.id : null);
  },

  async ask(what) {
    const answer = await fetch(`${what}?source=${app.state.id}`, { method: 'POST' }).catch(() => null);
    get('status').textContent = answer ? await answer.text() : 'The server does not answer.';
  },
};

app.timeline = new Timeline(app);
app.viewport = new Viewport(app);
app.panel = new Panel(app);
app.marks = new Marks(app);
app.probe = new Probe(app);
app.path = new Path(app);
app.keep = new Keep(app);
app.plots = new Plots(app);
app.resume = new Resume(app);
app.busy = new Busy(app);
hands(app);
keys(app);
window.billow = app; // for whoever opens the console

/* ---- what the server tells ---- */

function words(state) {
  if (state.error) return state.error;
  if (state.running && state.progress) return state.progress.line;
  if (state.running) return 'about to begin';
  if (state.ended) return app.plain(state.ended);
  const n = app.timeline.frames().length, all = state.record && state.record.last - state.record.first + 1;
  if (all && !state.record.complete) return `${n} of ${all} frames; the others are not made yet`;
  return `${n} frame${n === 1 ? '' : 's'}`;
}

function logTell(lines) {
  const list = get('log'), last = +(list.lastElementChild?.dataset.number ?? 0);
  const atEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 4;
  for (const [number, level, who, text] of lines) {
    if (number <= last) continue;
    const item = document.createElement('li');
    item.dataset.number = number;
    item.className = level > 1 ? 'warning' : '';
    item.textContent = `${who}: ${text}`;
    list.append(item);
  }
  if (atEnd) list.scrollTop = list.scrollHeight;
}

function machineTell({ machine: m, sources }) {
  const gib = (x) => (x / 2 ** 30).toFixed(1);
  get('machine').hidden = !sources.some((s) => s.running) || !m.memory;
  get('machine').textContent = `load ${m.load.toFixed(1)} on ${m.cores} core${m.cores === 1 ? '' : 's'} · ${gib(m.used)} of ${gib(m.memory)} GiB`;
}

/** Pictures of a bake that goes on, which nobody asked for, take a tenth of the processor's time: who only looks does not slow it. */
const LIVE_REST = 10;

function restsLive(state) {
  clearTimeout(app.liveLater);
  const wait = state.running && app.liveAt !== undefined ? app.liveAt + LIVE_REST * app.viewport.took - performance.now() : 0;
  if (wait > 0) app.liveLater = setTimeout(() => follow(app.state, app.state), wait);
  else app.liveAt = performance.now();
  return wait > 0;
}

/** Which frame is shown of another one, or when it has grown. A frame that a hand chose stays, as soon as it is there. */
function follow(before, state) {
  const all = app.timeline.frames(), newest = all[all.length - 1], name = `${state.id}:${state.generation}`;
  if (before && before.id !== state.id) {
    if (!(before.running && app.follow)) app.wanted ??= app.frame;
    app.follow = true;
  }
  if (newest === undefined) return app.say(state.error || state.ended || (state.bake ? '' : 'There is no frame yet.'));
  const there = app.wanted !== null && all.includes(app.wanted), live = app.follow && (state.running || before?.running) && !app.timeline.playing;
  const next = there ? app.wanted : live ? newest : app.frame === null ? all[0] : app.timeline.nearest(app.frame);
  if (there) Object.assign(app, { wanted: null, follow: false });
  if (app.looked === name) return next === app.frame || (live && !there && restsLive(state)) ? null : app.show(next, 'new');
  Object.assign(app, { looked: name, frame: next });
  return app.look();
}

function stateTake(told) {
  const before = app.state;
  app.all = told;
  if (app.of !== null && !told.sources.some((s) => s.id === app.of)) app.of = null;
  if (app.beside !== null && !told.sources.some((s) => s.id === app.beside)) app.beside = null;
  const state = told.sources.find((s) => s.id === (app.of ?? told.current));
  if (told.sources.length > 1) app.results ??= new Results(app, null);
  app.results?.tell(told);
  if (!state) { app.say(app.tune ? '' : 'There is nothing to be seen yet.'); return; }
  app.state = state;
  app.viewport.compared();
  get('title').textContent = document.title = (app.tune && app.tune.preset.name) || state.title || 'Billow';
  get('status').textContent = words(state);
  get('status').classList.toggle('bad', !!(state.error || (state.ended && state.ended !== 'another change came')));
  for (const id of ['stop', 'checkpoint', 'live']) get(id).hidden = !state.running;
  get('done').hidden = !state.running || !state.progress;
  if (state.progress) get('done').value = state.progress.done / Math.max(1, state.progress.total);
  machineTell(told);
  app.resume.tell(state);
  get('log-panel').hidden = !state.log.length;
  logTell(state.log);
  follow(before, state);
  app.timeline.draw();
  if (!before || before.id !== state.id || (before.written ?? 0) !== (state.written ?? 0) || before.running !== state.running) app.plots.changed();
}

function listen() {
  const events = new EventSource('events');
  events.onmessage = (event) => stateTake(JSON.parse(event.data));
  events.onerror = () => {
    get('status').textContent = 'the server does not answer; what was seen stays';
    get('status').classList.add('bad');
  };
}

/* ---- buttons ---- */

for (const mode of ['render', 'slice']) get(`mode-${mode}`).addEventListener('click', () => app.setMode(mode));
/** Once more: from the other side. */
const side = (azimuth, elevation) => () => {
  if (!app.camera) return;
  const there = app.camera.parallel && app.camera.roll === 0 && app.camera.azimuth === azimuth && app.camera.elevation === elevation;
  if (!there) app.camera.side(azimuth, elevation);
  else if (elevation) app.camera.side(azimuth, -elevation);
  else app.camera.side(azimuth ? -azimuth : 2 * QUARTER, 0);
  app.cameraChanged();
};
get('camera-movie').addEventListener('click', app.movieCamera);
get('camera-frame').addEventListener('click', app.frameSeen);
get('camera-front').addEventListener('click', side(0, 0));
get('camera-right').addEventListener('click', side(QUARTER, 0));
get('camera-top').addEventListener('click', side(0, QUARTER));
get('camera-parallel').addEventListener('click', () => {
  if (app.camera) { app.camera.parallel = !app.camera.parallel; app.cameraChanged(); }
});
get('numbers-show').addEventListener('click', () => app.showNumbers());
get('live').addEventListener('click', app.goLive);
get('stop').addEventListener('click', () => app.ask('stop'));
get('checkpoint').addEventListener('click', () => app.ask('checkpoint'));
get('full').addEventListener('click', () => app.fullScreen());
get('help-open').addEventListener('click', () => get('help').showModal());

Tune.begin(app).then((tune) => {
  app.tune = tune;
  get('numbers-show').hidden = !tune;
  listen();
});
