// SPDX-License-Identifier: Apache-2.0
// Cameras that move: keys that a hand has set at frames, smooth between them, and a turn round the target.

import { Camera } from './camera.js';

const NUMBERS = ['distance', 'angle', 'elevation', 'azimuth', 'roll'];
const TURN = 2 * Math.PI;

/** As few turns as possible from one key to the next. */
const unwound = (keys) => keys.reduce((out, key) => {
  const before = out[out.length - 1], now = { ...key };
  for (const name of before ? ['azimuth', 'roll'] : []) now[name] -= TURN * Math.round((now[name] - before[name]) / TURN);
  return [...out, now];
}, []);

/** A cubic through values at frames, with the slopes of its neighbours' chord; flat at its ends. */
function between(keys, frame, value) {
  const i = Math.max(0, Math.min(keys.length - 2, keys.findLastIndex((k) => k.frame <= frame)));
  const [a, b] = [keys[i], keys[i + 1]], span = b.frame - a.frame;
  const slope = (k) => k > 0 && k < keys.length - 1 ? (value(keys[k + 1]) - value(keys[k - 1])) / (keys[k + 1].frame - keys[k - 1].frame) : 0;
  const t = Math.max(0, Math.min(1, (frame - a.frame) / span)), s = t * t * (3 - 2 * t);
  const bend = t * (1 - t) * span;
  return value(a) + (value(b) - value(a)) * s + bend * ((1 - t) * slope(i) - t * slope(i + 1));
}

export class Path {
  constructor(app) {
    this.app = app;
    this.keys = []; // {frame, target, distance, …}, by frame
    this.on = false; // the camera goes along them
    const on = (id, act) => document.getElementById(id).addEventListener('click', act);
    on('path-key', () => this.key());
    on('path-follow', () => this.follow());
    on('path-clear', () => this.clear());
  }

  now() {
    const { camera, frame } = this.app, key = { frame, target: [...camera.target], parallel: camera.parallel };
    for (const name of NUMBERS) key[name] = camera[name];
    return key;
  }

  same(key) { return !!this.app.camera && JSON.stringify(key) === JSON.stringify(this.now()); }

  /** The camera as it is, at this frame; the same once more takes the key away. */
  key() {
    const { camera, frame, mode } = this.app;
    if (!camera || mode !== 'render' || frame === null) return;
    const old = this.keys.find((k) => k.frame === frame), key = this.now();
    this.keys = this.keys.filter((k) => k !== old);
    if (!old || !this.same(old)) this.keys.push(key);
    this.keys.sort((a, b) => a.frame - b.frame);
    this.tell();
  }

  clear() {
    this.keys = [];
    this.tell();
  }

  follow() {
    this.on = !this.on;
    this.tell();
    this.shown();
    this.app.viewport.moved();
  }

  tell() {
    const get = (id) => document.getElementById(id), n = this.keys.length, there = this.keys.some((k) => this.same(k));
    if (n < 2) this.on = false;
    get('path-key').textContent = `${there ? 'Drop' : 'Add'} key${n ? ` (${n})` : ''}`;
    get('path-key').title = `${n ? `At ${this.keys.map((k) => k.frame).join(', ')}. ` : ''}Keep the camera at this frame as a key, or take its key away (K)`;
    get('path-follow').disabled = n < 2;
    get('path-clear').disabled = !n;
    get('path-follow').setAttribute('aria-pressed', String(this.on));
  }

  /** Before another frame is shown. */
  shown() {
    if (this.on && this.app.camera) this.app.camera = this.at(this.app.frame);
  }

  at(frame) {
    const keys = unwound(this.keys), out = this.app.camera.copy();
    const blend = (value) => between(keys, frame, value);
    for (const name of NUMBERS) out[name] = name === 'distance' ? Math.exp(blend((k) => Math.log(k.distance))) : blend((k) => k[name]);
    out.target = [0, 1, 2].map((a) => blend((k) => k.target[a]));
    out.parallel = keys[0].parallel;
    return out;
  }

  /** Once round, over so many frames. */
  turned(share) {
    const out = this.app.camera.copy();
    out.azimuth += TURN * share;
    return out;
  }
}
