// SPDX-License-Identifier: Apache-2.0
// The camera path: keyframes of the camera, interpolated smoothly, and an orbit around the target.

import { Camera } from './camera.js';

const NUMBERS = ['distance', 'angle', 'elevation', 'azimuth', 'roll'];
const TURN = 2 * Math.PI;

/** Angles unwrapped, so that the camera takes the short way from one keyframe to the next. */
const unwrapped = (keys) => keys.reduce((out, key) => {
  const before = out[out.length - 1], now = { ...key };
  for (const name of before ? ['azimuth', 'roll'] : []) now[name] -= TURN * Math.round((now[name] - before[name]) / TURN);
  return [...out, now];
}, []);

/** Cubic Hermite interpolation with Catmull–Rom slopes; zero slope at the ends. */
function interpolate(keys, frame, value) {
  const i = Math.max(0, Math.min(keys.length - 2, keys.findLastIndex((k) => k.frame <= frame)));
  const [a, b] = [keys[i], keys[i + 1]], span = b.frame - a.frame;
  const slope = (k) => k > 0 && k < keys.length - 1 ? (value(keys[k + 1]) - value(keys[k - 1])) / (keys[k + 1].frame - keys[k - 1].frame) : 0;
  const t = Math.max(0, Math.min(1, (frame - a.frame) / span)), s = t * t * (3 - 2 * t);
  const bend = t * (1 - t) * span;
  return value(a) + (value(b) - value(a)) * s + bend * ((1 - t) * slope(i) - t * slope(i + 1));
}

export class CameraPath {
  constructor(app) {
    this.app = app;
    this.keyframes = []; // {frame, target, distance, …}, sorted by frame
    this.on = false; // the camera follows them
    const on = (id, act) => document.getElementById(id).addEventListener('click', act);
    on('path-keyframe', () => this.toggleKeyframe());
    on('path-follow', () => this.toggleFollow());
    on('path-clear', () => this.clear());
  }

  currentKeyframe() {
    const { camera, frame } = this.app, key = { frame, target: [...camera.target], parallel: camera.parallel };
    for (const name of NUMBERS) key[name] = camera[name];
    return key;
  }

  isCurrent(key) { return !!this.app.camera && JSON.stringify(key) === JSON.stringify(this.currentKeyframe()); }

  /** Add the camera as a keyframe at this frame, or remove the keyframe where it is the same. */
  toggleKeyframe() {
    const { camera, frame, mode } = this.app;
    if (!camera || mode !== 'render' || frame === null) return;
    const old = this.keyframes.find((k) => k.frame === frame), key = this.currentKeyframe();
    this.keyframes = this.keyframes.filter((k) => k !== old);
    if (!old || !this.isCurrent(old)) this.keyframes.push(key);
    this.keyframes.sort((a, b) => a.frame - b.frame);
    this.update();
  }

  clear() {
    this.keyframes = [];
    this.update();
  }

  toggleFollow() {
    this.on = !this.on;
    this.update();
    this.frameChanged();
    this.app.viewport.refresh();
  }

  update() {
    const get = (id) => document.getElementById(id), n = this.keyframes.length, there = this.keyframes.some((k) => this.isCurrent(k));
    if (n < 2) this.on = false;
    get('path-keyframe').textContent = `${there ? 'Drop' : 'Add'} keyframe${n ? ` (${n})` : ''}`;
    get('path-keyframe').title = `${n ? `At ${this.keyframes.map((k) => k.frame).join(', ')}. ` : ''}Add the camera as a keyframe at this frame, or remove it (K)`;
    get('path-follow').disabled = n < 2;
    get('path-clear').disabled = !n;
    get('path-follow').setAttribute('aria-pressed', String(this.on));
  }

  /** Called before another frame is shown. */
  frameChanged() {
    if (this.on && this.app.camera) this.app.camera = this.cameraAt(this.app.frame);
  }

  cameraAt(frame) {
    const keys = unwrapped(this.keyframes), out = this.app.camera.copy();
    const blend = (value) => interpolate(keys, frame, value);
    for (const name of NUMBERS) out[name] = name === 'distance' ? Math.exp(blend((k) => Math.log(k.distance))) : blend((k) => k[name]);
    out.target = [0, 1, 2].map((a) => blend((k) => k.target[a]));
    out.parallel = keys[0].parallel;
    return out;
  }

  /** The camera after a fraction of a full turn. */
  orbit(fraction) {
    const out = this.app.camera.copy();
    out.azimuth += TURN * fraction;
    return out;
  }
}
