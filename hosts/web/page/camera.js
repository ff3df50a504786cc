// SPDX-License-Identifier: Apache-2.0
// An orbit camera: it turns around its target by azimuth (from the front, -y, towards +x), elevation and roll.

const FAR = 200; // times the distance: nearly an orthographic projection

const sum = (a, b, k) => a.map((x, i) => x + k * b[i]);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export class Camera {
  /** From a scene's {at, target, up, angle}. */
  constructor(view) {
    const to = sum(view.target, view.at, -1);
    this.distance = Math.hypot(...to);
    const forward = to.map((x) => x / this.distance);
    this.target = [...view.target];
    this.angle = view.angle;
    this.elevation = Math.asin(Math.max(-1, Math.min(1, -forward[2])));
    this.azimuth = Math.atan2(-forward[0], forward[1]);
    this.roll = 0;
    this.parallel = false;
    const { right, up } = this.axes();
    this.roll = Math.atan2(dot(view.up, right), dot(view.up, up));
    this.movieState = this.stateKey();
  }

  /** From the ten numbers of the header X-Camera. */
  static parse(numbers) {
    const n = numbers.split(',').map(Number);
    return new Camera({ at: n.slice(0, 3), target: n.slice(3, 6), up: n.slice(6, 9), angle: n[9] });
  }

  /** A copy that no longer follows the movie's camera. */
  copy() { return Object.assign(Object.create(Camera.prototype), this, { target: [...this.target], movieState: '' }); }

  stateKey() { return JSON.stringify([this.target, this.distance, this.angle, this.elevation, this.azimuth, this.roll, this.parallel]); }

  /** The user has not moved it: it follows the movie's camera. */
  isMovieCamera() { return this.stateKey() === this.movieState; }

  axes() {
    const ca = Math.cos(this.azimuth), sa = Math.sin(this.azimuth);
    const ce = Math.cos(this.elevation), se = Math.sin(this.elevation);
    const right = [ca, sa, 0], up = [-sa * se, ca * se, ce], forward = [-sa * ce, ca * ce, -se];
    const c = Math.cos(this.roll), s = Math.sin(this.roll);
    return { forward, right: sum(right.map((x) => c * x), up, -s), up: sum(up.map((x) => c * x), right, s) };
  }

  orbit(dx, dy) {
    this.azimuth -= dx;
    this.elevation = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, this.elevation + dy));
  }

  /** dx, dy: fractions of the picture's height. */
  pan(dx, dy) {
    const { right, up } = this.axes(), size = 2 * this.distance * Math.tan(this.angle / 2);
    this.target = sum(sum(this.target, right, -dx * size), up, dy * size);
  }

  dolly(factor) {
    this.distance = Math.max(1e-4, Math.min(1e6, this.distance * factor));
  }

  /** An orthographic view from one side. */
  viewFrom(azimuth, elevation) {
    Object.assign(this, { azimuth, elevation, roll: 0, parallel: true });
  }

  /** Fit a box into a picture of that aspect. */
  fit(lo, hi, aspect) {
    const radius = 0.5 * Math.hypot(...sum(hi, lo, -1)) || 1;
    const half = Math.atan(Math.tan(this.angle / 2) * Math.min(1, aspect));
    this.target = lo.map((x, i) => 0.5 * (x + hi[i]));
    this.distance = radius / Math.sin(half);
  }

  /** As parameters of a picture's query. */
  query() {
    const { forward, up } = this.axes();
    const far = this.parallel ? FAR : 1;
    const at = sum(this.target, forward, -this.distance * far);
    const out = { angle: 2 * Math.atan(Math.tan(this.angle / 2) / far) };
    for (const [letter, v] of [['e', at], ['t', this.target], ['u', up]])
      v.forEach((x, i) => { out[letter + 'xyz'[i]] = x.toPrecision(10); });
    return out;
  }
}
