// SPDX-License-Identifier: Apache-2.0
// The app: the page's state, the server's state as the event stream sends it, and which source and frame are shown.
import { BusyIndicator } from './busy_indicator.js';
import { Camera } from './camera.js';
import { CameraPath } from './camera_path.js';
import { bindKeyboard } from './keyboard.js';
import { Live } from './live.js';
import { LookPanel } from './look_panel.js';
import { OverlayLayers } from './overlay_layers.js';
import { PlayAhead } from './play_ahead.js';
import { Plots } from './plots.js';
import { bindPointer } from './pointer.js';
import { Probe } from './probe.js';
import { Resume } from './resume.js';
import { SaveMedia } from './save_media.js';
import { SlicePanel } from './slice_panel.js';
import { SourceCards } from './source_cards.js';
import { Timeline } from './timeline.js';
import { Tune } from './tune/tune.js';
import { Viewport } from './viewport.js';

const get = (id) => document.getElementById(id);
const QUARTER = Math.PI / 2;

const app = {
  client: Math.random().toString(36).slice(2, 12),
  serverState: null, // the last event: {current, sources, machine}
  source: null, // of its sources the one that is shown
  chosenId: null, compareId: null, // ids of the source that the user chose (null: the current one), and of the compared one
  tune: null, // the editor of a preset that is tuned
  sourceCards: null, // thumbnails, where there are several sources
  scene: null, // of the frame that it was loaded for: stage, camera, fields
  sceneKey: '', // source and generation of the scene
  frame: null, mode: 'render', camera: null,
  pendingFrame: null, // a chosen frame that is not available yet
  autoSlice: false, // a slice is shown because the scene has nothing to render
  followLive: true, // new frames are shown as they come
  renderSeconds: 0, cpuSeconds: 0, // of the last picture, as the server measured them

  fps() { return (app.scene && app.scene.fps) || 24; },

  /** A sentence without the path of the preset that is tuned. */
  plainMessage: (text) => app.tune ? text.replaceAll(`${app.tune.preset.path}:`, 'line ') : text,

  /** A message over the picture; '': none. */
  showMessage(text) {
    get('message').hidden = !text;
    get('message').textContent = app.plainMessage(text);
  },

  /** A sentence in the header. */
  showStatus(text, bad) {
    get('status').textContent = text;
    get('status').classList.toggle('bad', !!bad);
  },

  /** POST; `text` is the server's sentence. */
  async post(path, body) {
    const response = await fetch(path, { method: 'POST', body }).catch(() => null);
    return { ok: !!response && response.ok, text: response ? await response.text() : 'The server does not answer.' };
  },

  /** Show a frame that the user chose, or playback. */
  seek(frame, playing) {
    if (!Number.isFinite(frame)) return;
    if (!playing) app.timeline.pause();
    app.pendingFrame = null;
    app.followLive = app.source.running && frame === app.timeline.frames().at(-1) && !playing;
    app.showFrame(frame, playing ? 'playback' : 'user');
  },

  seekLive() { app.seek(app.timeline.frames().at(-1)); },

  /** Is a simulation shown that runs on (live.js)? */
  isLive() { return app.source?.kind === 'live'; },

  /** Is the newest frame of a preview shown as it comes? Then all pictures are quick ones, and the last is sharp. */
  followsPreview() { return !!app.source?.running && (app.source.kind === 'preview' || (app.isLive() && !app.live.paused)) && app.followLive && !app.timeline.playing; },

  /** `cause`: 'user', 'playback' or 'live', for a quick and a sharp picture, a quick one, a sharp one. */
  showFrame(frame, cause) {
    app.frame = frame;
    app.cameraPath.frameChanged();
    app.timeline.draw();
    app.plots.moveMarker();
    get('live').setAttribute('aria-pressed', String(app.followLive));
    if (app.sceneLoading) return; // it ends with this frame's picture
    if (!app.scene) app.loadScene();
    else if (cause === 'playback' || app.followsPreview()) app.viewport.request('quick');
    else if (cause === 'live') app.viewport.requestSharp();
    else app.viewport.refresh();
  },

  pictureShown(frame, quality, overlay) {
    app.timeline.pictureShown(frame);
    const rate = app.viewport.rate();
    get('facts').textContent = `frame ${frame} · ${(app.renderSeconds * 1000).toFixed(0)} ms${quality === 'quick' && rate > 1 ? ` · ${rate.toFixed(0)}/s` : ''}${overlay && ` · ${overlay}`}${app.viewport.image.empty && !overlay ? ' · there is nothing in it' : ''}`;
    app.probe.update();
    if (app.cameraPath.keyframes.length) app.cameraPath.update();
    document.body.dataset.shown = `${frame} ${quality}`;
  },

  /** The scene of the shown frame: stage, movie's camera, fields. null: there is none. */
  async fetchScene() {
    const response = await fetch(`scene?frame=${app.frame}&source=${app.source.id}&client=${app.client}`).catch(() => null);
    if (!response) { app.showMessage('The server does not answer.'); return null; }
    if (response.status === 204) return null;
    if (!response.ok) { app.showMessage(await response.text()); return null; }
    app.showMessage('');
    return response.json();
  },

  /** Load the scene, and fill what depends on it: panel, mode, camera. */
  async loadScene() {
    app.sceneReload = app.sceneLoading;
    if (app.sceneLoading) return;
    app.sceneLoading = true;
    let scene;
    do {
      app.sceneReload = false;
      scene = await app.fetchScene();
    } while (app.sceneReload);
    app.sceneLoading = false;
    app.timeline.draw();
    if (!scene) { app.timeline.pause(); return; }
    const moved = app.camera && !app.camera.isMovieCamera();
    app.scene = scene;
    app.slicePanel.fill(scene);
    const wasRender = app.autoSlice || app.mode === 'render';
    if (!scene.renders) app.setMode('slice');
    else if (!moved) app.camera = new Camera(scene.camera);
    if (scene.renders && app.autoSlice) app.setMode('render');
    app.autoSlice = wasRender && !scene.renders;
    get('mode-render').disabled = !scene.renders;
    app.lookPanel.update();
    app.sourceCards?.update(app.serverState);
    app.viewport.refresh();
  },

  setMode(mode) {
    if (mode === 'render' && app.scene && !app.scene.renders) return;
    app.mode = mode;
    app.autoSlice = false;
    for (const m of ['render', 'slice']) get(`mode-${m}`).setAttribute('aria-pressed', String(m === mode));
    get('slice-panel').hidden = mode !== 'slice';
    get('camera-panel').hidden = mode !== 'render';
    get('viewport').classList.toggle('slice', mode === 'slice');
    app.viewport.refresh();
  },

  fullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else app.viewport.box.requestFullscreen().catch(() => null);
  },

  togglePlots() {
    const on = get('plots').classList.toggle('open');
    get('plots-show').setAttribute('aria-pressed', String(on));
    app.plots.draw();
  },

  cameraChanged() {
    get('camera-parallel').setAttribute('aria-pressed', String(app.camera.parallel));
    app.viewport.refresh();
  },

  resetCamera() {
    if (!app.scene || !app.scene.renders) return;
    app.camera = new Camera(app.scene.camera);
    app.cameraChanged();
  },

  /** Fit what is visible in the frame into the picture. */
  async fitView() {
    const scene = app.camera && await app.fetchScene();
    if (!scene) return;
    const some = scene.visible_lo.some((x, a) => x < scene.visible_hi[a]);
    app.camera.fit(some ? scene.visible_lo : scene.lo, some ? scene.visible_hi : scene.hi, app.viewport.aspect());
    app.cameraChanged();
  },

  /** Show one of the sources; null: the current one. */
  chooseSource(id) {
    app.chosenId = id;
    if (app.serverState) applyState(app.serverState);
  },

  /** Compare with another source, at the left of the wiper; null: show one alone. */
  compare(id) {
    app.compareId = id;
    if (app.serverState) applyState(app.serverState);
    app.viewport.refresh();
  },

  /** Compare with the newest other source, or stop. */
  toggleCompare() {
    const other = app.serverState && app.serverState.sources.filter((s) => s.id !== app.source.id && s.ranges).pop();
    app.compare(app.compareId === null && other ? other.id : null);
  },

  async postCommand(path) {
    const { ok, text } = await app.post(`${path}?source=${app.source.id}`);
    app.showStatus(text, !ok);
  },
};

app.timeline = new Timeline(app);
app.viewport = new Viewport(app);
app.slicePanel = new SlicePanel(app);
app.lookPanel = new LookPanel(app);
app.overlayLayers = new OverlayLayers(app);
app.probe = new Probe(app);
app.cameraPath = new CameraPath(app);
app.saveMedia = new SaveMedia(app);
app.plots = new Plots(app);
app.playAhead = new PlayAhead(app);
app.live = new Live(app);
app.resume = new Resume(app);
app.busyIndicator = new BusyIndicator(app);
bindPointer(app);
bindKeyboard(app);
window.billow = app; // for the console and the tests

/* ---- the server's state ---- */

/** The source's state in a sentence. */
function statusText(source) {
  if (source.error) return source.error;
  if (source.kind === 'live' && (source.running || source.ended === 'another change came')) return app.live.statusText(source);
  if (source.running && source.progress) return source.progress.line;
  if (source.running) return 'starting';
  if (source.ended) return app.plainMessage(source.ended);
  const n = app.timeline.frames().length, all = source.record && source.record.last - source.record.first + 1;
  if (all && !source.record.complete) return `${n} of ${all} frames; the bake is not complete`;
  return `${n} frame${n === 1 ? '' : 's'}`;
}

function updateLog(lines) {
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

function updateLoad({ machine: m, sources }) {
  const gib = (x) => (x / 2 ** 30).toFixed(1);
  get('machine').hidden = !sources.some((s) => s.running) || !m.memory;
  get('machine').textContent = `load ${m.load.toFixed(1)} on ${m.cores} core${m.cores === 1 ? '' : 's'} · ${gib(m.used)} of ${gib(m.memory)} GiB`;
}

/** Pictures of new frames take at most a tenth of the server's time, so that an idle viewer does not slow the bake. */
const LIVE_INTERVAL = 10; // times a picture's processor time

/** 1: the next live frame must wait; selectFrame is called again then. */
function throttleLive(source) {
  clearTimeout(app.liveTimer);
  const wait = source.running && !app.followsPreview() && app.lastLive !== undefined ? app.lastLive + LIVE_INTERVAL * app.viewport.cpuMs - performance.now() : 0;
  if (wait > 0) app.liveTimer = setTimeout(() => selectFrame(app.source, app.source), wait);
  else app.lastLive = performance.now();
  return wait > 0;
}

/** Choose the frame to show after the server's state has changed. A frame that the user chose stays, or is shown once it is there. */
function selectFrame(before, source) {
  const all = app.timeline.frames(), newest = all.at(-1), key = `${source.id}:${source.generation}`;
  if (before && before.id !== source.id) {
    if (!(before.running && app.followLive)) app.pendingFrame ??= app.frame;
    app.followLive = true;
  }
  if (newest === undefined) return app.showMessage(source.error || source.ended || (source.bake ? '' : 'There is no frame yet.'));
  const there = app.pendingFrame !== null && all.includes(app.pendingFrame), live = app.followLive && (source.running || before?.running) && !app.timeline.playing;
  const next = there ? app.pendingFrame : live ? newest : app.frame === null ? all[0] : app.timeline.nearest(app.frame);
  if (there) Object.assign(app, { pendingFrame: null, followLive: false });
  const settled = next === app.frame && !(before?.running && !source.running && app.followLive); // the last one is sharp
  if (app.sceneKey === key) return settled || (live && !there && throttleLive(source)) ? null : app.showFrame(next, 'live');
  Object.assign(app, { sceneKey: key, frame: next });
  return app.loadScene();
}

/** Take over an event of the server. */
function applyState(event) {
  const before = app.source;
  app.serverState = event;
  if (app.chosenId !== null && !event.sources.some((s) => s.id === app.chosenId)) app.chosenId = null;
  if (app.compareId !== null && !event.sources.some((s) => s.id === app.compareId)) app.compareId = null;
  const source = event.sources.find((s) => s.id === (app.chosenId ?? event.current));
  if (event.sources.length > 1) app.sourceCards ??= new SourceCards(app, null);
  app.sourceCards?.update(event);
  if (!source) { app.showMessage(app.tune ? '' : 'There is nothing to show yet.'); return; }
  app.source = source;
  app.viewport.updateCompare();
  get('title').textContent = document.title = (app.tune && app.tune.preset.name) || source.title || 'Billow';
  app.showStatus(statusText(source), source.error || (source.ended && source.ended !== 'another change came'));
  for (const id of ['stop', 'checkpoint', 'live']) get(id).hidden = !source.running || app.isLive();
  get('progress').hidden = !source.running || !source.progress || app.isLive();
  app.live.update(source);
  if (source.progress) get('progress').value = source.progress.done / Math.max(1, source.progress.total);
  updateLoad(event);
  app.resume.update(source);
  get('log-panel').hidden = !source.log.length;
  updateLog(source.log);
  selectFrame(before, source);
  app.timeline.draw();
  if (!before || before.id !== source.id || (before.written ?? 0) !== (source.written ?? 0) || before.running !== source.running) app.plots.reload();
}

/** Listen to the event stream; the browser reconnects by itself. */
function subscribe() {
  const events = new EventSource('events');
  events.onmessage = (event) => applyState(JSON.parse(event.data));
  events.onerror = () => app.showStatus('the server does not answer; the last picture stays', true);
}

/* ---- buttons ---- */

for (const mode of ['render', 'slice']) get(`mode-${mode}`).addEventListener('click', () => app.setMode(mode));
/** The second time: from the opposite side. */
const viewFrom = (azimuth, elevation) => () => {
  if (!app.camera) return;
  const there = app.camera.parallel && app.camera.roll === 0 && app.camera.azimuth === azimuth && app.camera.elevation === elevation;
  if (!there) app.camera.viewFrom(azimuth, elevation);
  else if (elevation) app.camera.viewFrom(azimuth, -elevation);
  else app.camera.viewFrom(azimuth ? -azimuth : 2 * QUARTER, 0);
  app.cameraChanged();
};
get('camera-movie').addEventListener('click', app.resetCamera);
get('camera-fit').addEventListener('click', app.fitView);
get('camera-front').addEventListener('click', viewFrom(0, 0));
get('camera-right').addEventListener('click', viewFrom(QUARTER, 0));
get('camera-top').addEventListener('click', viewFrom(0, QUARTER));
get('camera-parallel').addEventListener('click', () => {
  if (app.camera) { app.camera.parallel = !app.camera.parallel; app.cameraChanged(); }
});
get('plots-show').addEventListener('click', () => app.togglePlots());
get('live').addEventListener('click', app.seekLive);
get('stop').addEventListener('click', () => app.postCommand('stop'));
get('checkpoint').addEventListener('click', () => app.postCommand('checkpoint'));
get('fullscreen').addEventListener('click', () => app.fullScreen());
get('help-open').addEventListener('click', () => get('help').showModal());

Tune.begin(app).then((tune) => {
  app.tune = tune;
  get('plots-show').hidden = !tune;
  subscribe();
});
