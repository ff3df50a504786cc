// SPDX-License-Identifier: Apache-2.0
// The overlay of a frame: particles, outlines, domains and tiles as lines and points in world units, z up, and their
// projection to a picture's pixels. They are drawn through everything.

const TURN = 2 * Math.PI, SEGMENTS = 48, MERIDIANS = 4, SHADES = 16;
const BLUE = [168, 214, 255], ORANGE = [255, 168, 71], VIOLET = [199, 158, 255];
const KINDS = [['collide', BLUE], ['body', BLUE], ['emit', ORANGE], ['tracers', ORANGE], ['fire', ORANGE], ['', VIOLET]];
const HEAT = [[89, 77, 242], [217, 64, 191], [255, 128, 64], [255, 242, 115]]; // readable over smoke and fire

const minus = (a, b) => a.map((x, i) => x - b[i]);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [0, 1, 2].map((i) => a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]);
const unit = (a) => a.map((x) => x / (Math.hypot(...a) || 1));
const ink = (rgb, alpha) => `rgba(${rgb.map(Math.round).join()},${alpha.toFixed(2)})`;
const many = (n, what) => `${n} ${what}${n === 1 ? '' : 's'}`;

/* ---- projections: point() and line() give fractions of the picture from its middle, or null ---- */

/** Perspective, from a camera's ten numbers (position, target, up, angle). Lines are clipped at the near plane. */
export function cameraProjection(n, aspect) {
  const at = n.slice(0, 3), forward = unit(minus(n.slice(3, 6), at)), right = unit(cross(forward, n.slice(6, 9)));
  const up = cross(right, forward), tan = Math.tan(n[9] / 2), near = 1e-4 * Math.hypot(...minus(n.slice(3, 6), at));
  const toCamera = (p) => { const to = minus(p, at); return [dot(to, right) / (tan * aspect), dot(to, up) / tan, dot(to, forward)]; };
  const clip = (a, b) => { const t = (near - a[2]) / (b[2] - a[2]); return a.map((x, i) => x + t * (b[i] - x)); };
  const project = (p) => [p[0] / p[2], p[1] / p[2]];
  return {
    point: (p) => { const a = toCamera(p); return a[2] > near ? project(a) : null; },
    line: (p, q) => {
      const a = toCamera(p), b = toCamera(q);
      if (a[2] < near && b[2] < near) return null;
      return [project(a[2] < near ? clip(a, b) : a), project(b[2] < near ? clip(b, a) : b)];
    },
  };
}

/** Orthographic along a slice's axis, from its layer's box. What is farther than one layer away is left out. */
export function sliceProjection(lo, hi) {
  const thick = minus(hi, lo), axis = thick.indexOf(Math.min(...thick)), right = axis === 0 ? 1 : 0, up = axis === 2 ? 1 : 2;
  const middle = (lo[axis] + hi[axis]) / 2, away = (p) => Math.abs(p[axis] - middle) > thick[axis];
  const project = (p) => [right, up].map((a) => 2 * (p[a] - lo[a]) / thick[a] - 1);
  return {
    slice: { axis, right, up, middle },
    point: (p) => away(p) ? null : project(p),
    line: (p, q) => away(p) && away(q) ? null : [project(p), project(q)],
  };
}

/* ---- wireframes of shapes ---- */

/** Draws wireframes into `out`, at a centre and along three axes; round shapes turn about the third. */
function wireframe(out, center, axis) {
  const toWorld = ([x, y, z]) => center.map((c, a) => c + x * axis[0][a] + y * axis[1][a] + z * axis[2][a]);
  const line = (a, b) => out.push([toWorld(a), toWorld(b)]);
  const loop = (corner) => { for (let i = 0; i < SEGMENTS; i++) line(corner(TURN * i / SEGMENTS), corner(TURN * (i + 1) / SEGMENTS)); };
  const around = (draw) => { for (let i = 0; i < MERIDIANS; i++) draw(Math.cos(TURN * i / MERIDIANS), Math.sin(TURN * i / MERIDIANS)); };
  const flat = (r, z) => loop((t) => [r * Math.cos(t), r * Math.sin(t), z]);
  return {
    sphere: (r) => {
      flat(r, 0);
      loop((t) => [0, r * Math.cos(t), r * Math.sin(t)]);
      loop((t) => [r * Math.cos(t), 0, r * Math.sin(t)]);
    },
    cylinder: (r, h) => {
      flat(r, -h / 2);
      flat(r, h / 2);
      around((x, y) => line([r * x, r * y, -h / 2], [r * x, r * y, h / 2]));
    },
    torus: (r, tube) => {
      for (const k of [-1, 1]) flat(r + k * tube, 0);
      for (const k of [-1, 1]) flat(r, k * tube);
      around((x, y) => loop((t) => [(r + tube * Math.cos(t)) * x, (r + tube * Math.cos(t)) * y, tube * Math.sin(t)]));
    },
    box: (half) => edges(half.map((x) => -x), half, line),
    cross: (size) => { for (const a of [0, 1, 2]) line([0, 1, 2].map((i) => i === a ? -size : 0), [0, 1, 2].map((i) => i === a ? size : 0)); },
  };
}

/** The twelve edges of a box. */
function edges(lo, hi, line) {
  for (let a = 0; a < 3; a++)
    for (let i = 0; i < 4; i++) {
      const b = (a + 1) % 3, c = (a + 2) % 3, from = [], to = [];
      [from[a], to[a]] = [lo[a], hi[a]];
      from[b] = to[b] = (i & 1 ? hi : lo)[b];
      from[c] = to[c] = (i & 2 ? hi : lo)[c];
      line(from, to);
    }
}

const UPRIGHT = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

/** Three axes, the third along `to`. */
function axesAlong(to) {
  const z = unit(to), least = z.map(Math.abs).indexOf(Math.min(...z.map(Math.abs)));
  const x = unit(z.map((v, a) => (a === least) - z[least] * v));
  return [x, cross(z, x), z];
}

/** Axes rotated about x, then y, then z. */
const rotated = (axis, angle) => axis.map((own) => angle.reduce((v, turn, a) => {
  const b = (a + 1) % 3, c = (a + 2) % 3, out = [...v];
  out[b] = v[b] * Math.cos(turn) - v[c] * Math.sin(turn);
  out[c] = v[b] * Math.sin(turn) + v[c] * Math.cos(turn);
  return out;
}, own));

/** Axes rotated by a unit quaternion: e + 2 s q×e + 2 q×(q×e). */
const quaternion = (q, s) => UPRIGHT.map((e) => {
  const once = cross(q, e), twice = cross(q, once);
  return e.map((x, a) => x + 2 * s * once[a] + 2 * twice[a]);
});

/* ---- the layers ---- */

export class Overlay {
  /** `geometry`: the server's JSON; `letters`: the layers that are on. */
  constructor(geometry, letters) {
    this.metre = geometry.metre;
    this.layers = []; // drawn in this order: {ink, lines, points, space: not over slices}
    this.boxes = []; // over slices, as their plane cuts them: {ink, lo, hi}
    this.summaries = []; // {text, space}
    const sets = geometry.points ?? [], isOn = (letter) => letters.includes(letter);
    if (isOn('p')) this.particles(sets.filter((set) => set.name !== 'bodies' && set.pos), geometry.why);
    if (isOn('t')) this.tiles(geometry.tiles ?? [], geometry.y_up);
    if (isOn('d')) (geometry.outlines?.domains ?? []).forEach((d, i) => this.domain(d, i));
    if (!isOn('o')) return;
    if (geometry.outlines) this.shapes(geometry.outlines.shapes.filter((shape) => shape.center?.length === 3));
    else this.describe('no preset beside these files');
    sets.filter((set) => set.name === 'bodies' && set.turn_w && set.size).forEach((set) => this.bodies(set));
  }

  describe(text, space = false) { this.summaries.push({ text, space }); }

  layer(colour, space = false) {
    const out = { ink: colour, lines: [], points: [], space };
    this.layers.push(out);
    return out;
  }

  point(set, i, name = 'pos') { return [0, 1, 2].map((a) => this.metre * set[name][3 * i + a]); }

  particles(sets, why) {
    const lines = sets.filter((set) => set.strength);
    for (const set of sets.filter((s) => !s.strength)) this.dots(set);
    for (const set of lines) this.vortons(set);
    for (const set of [...sets.filter((s) => !s.strength), ...lines]) this.describe(many(set.count, set.name.replace(/s$/, '')));
    if (!sets.length) this.describe(why || 'no particles in this frame\'s files');
  }

  /** Points; the more there are the more transparent. */
  dots(set) {
    const n = set.pos.length / 3, alpha = Math.min(0.8, Math.max(0.15, 0.06 * 960 * 540 / n)), by = new Map();
    for (let i = 0; i < n; i++) {
      const own = set.colour && [0, 1, 2].map((c) => 17 * Math.round(15 * Math.min(1, Math.max(0, set.colour[3 * i + c])) ** (1 / 2.2)));
      const name = ink(own ?? [217, 235, 255], alpha);
      if (!by.has(name)) by.set(name, this.layer(name));
      by.get(name).points.push(this.point(set, i));
    }
  }

  /** Lines along the vortons' strength, longer and brighter with it. */
  vortons(set) {
    const n = set.pos.length / 3, size = (i) => Math.hypot(...set.strength.slice(3 * i, 3 * i + 3)), all = Array.from({ length: n }, (_, i) => size(i));
    const most = all.reduce((a, b) => Math.max(a, b), 0), shades = Array.from({ length: SHADES }, (_, k) => {
      const x = 3 * k / (SHADES - 1), i = Math.min(2, Math.floor(x));
      return this.layer(ink(HEAT[i].map((c, a) => c + (x - i) * (HEAT[i + 1][a] - c)), 0.9));
    });
    for (let i = 0; i < n; i++) {
      if (!(all[i] > 0)) continue;
      const share = Math.sqrt(all[i] / most), half = (set.radius?.[i] ?? 0.01) * this.metre * (0.3 + 1.2 * share);
      const at = this.point(set, i), to = [0, 1, 2].map((a) => half * set.strength[3 * i + a] / all[i]);
      shades[Math.round(share * (SHADES - 1))].lines.push([minus(at, to), at.map((x, a) => x + to[a])]);
    }
  }

  /** The outer edges of the active tiles, each once. */
  tiles(sets, yUp) {
    const out = this.layer(ink([140, 191, 230], 0.3), true), key = (x, y, z) => (x + 65536) + (y + 65536) * 131072 + (z + 65536) * 131072 ** 2;
    let n = 0;
    for (const { origin, edge, at } of sets) {
      const there = new Set(), corner = (c) => {
        const [x, y, z] = c.map((i, a) => origin[a] + i * edge[a]);
        return yUp ? [x, -z, y] : [x, y, z];
      };
      for (let k = 0; k < at.length; k += 3) there.add(key(at[k], at[k + 1], at[k + 2]));
      for (let k = 0; k < at.length; k += 3) {
        const own = at.slice(k, k + 3), ends = [corner(own), corner(own.map((x) => x + 1))];
        this.box(ink([140, 191, 230], 0.5), ends[0].map((x, a) => Math.min(x, ends[1][a])), ends[0].map((x, a) => Math.max(x, ends[1][a])));
        for (let axis = 0; axis < 3; axis++)
          for (let i = 0; i < 4; i++) {
            const b = (axis + 1) % 3, c = (axis + 2) % 3, from = [...own];
            from[b] += i & 1;
            from[c] += i >> 1;
            const round = [0, 1, 2, 3].map((j) => { const t = [...from]; t[b] -= j & 1; t[c] -= j >> 1; return there.has(key(...t)); });
            if (round.every(Boolean) || round.slice(0, i).some(Boolean)) continue; // an inner edge, or one of an earlier tile
            out.lines.push([corner(from), corner(from.map((x, a) => x + (a === axis)))]);
          }
      }
      n += at.length / 3;
    }
    this.describe(many(n, 'tile'));
  }

  box(colour, lo, hi) { this.boxes.push({ ink: colour, lo, hi }); }

  domain(d, i) {
    if (!d.lo) return; // it is unbounded
    const colour = i ? ink([102, 217, 191], 0.85) : ink([184, 194, 204], 0.75), out = this.layer(colour, true);
    const [lo, hi] = [d.lo, d.hi].map((p) => p.map((x) => this.metre * x));
    edges(lo, hi, (a, b) => out.lines.push([a, b]));
    this.box(colour, lo, hi);
  }

  shapes(all) {
    for (const shape of all) {
      const colour = KINDS.find(([part]) => shape.type.includes(part))[1], faint = shape.on ? 1 : 0.35;
      const { lines } = this.layer(ink(colour, faint * (colour === VIOLET ? 0.8 : 0.95)), true), m = this.metre;
      const axis = rotated(shape.axis && Math.hypot(...shape.axis) > 0 ? axesAlong(shape.axis) : UPRIGHT, shape.rotate ?? [0, 0, 0]);
      const f = wireframe(lines, shape.center.map((x) => m * x), axis), { radius, height, thickness, core } = shape;
      if (shape.kind === 'box' && shape.size) f.box(shape.size.map((x) => m * x / 2));
      else if (height > 0) f.cylinder(m * (radius ?? 0), m * height);
      else if (radius > 0 && thickness > 0) f.torus(m * radius, m * thickness);
      else if (radius > 0 && core > 0 && shape.axis) f.torus(m * radius, m * core);
      else if (radius > 0) f.sphere(m * radius);
      else f.cross(0.05 * m);
    }
    this.describe(many(all.length, 'outline'), true);
  }

  /** Rigid bodies, at their simulated place. */
  bodies(set) {
    const { lines } = this.layer(ink(BLUE, 0.95));
    set.turn_w.forEach((w, i) => {
      const half = this.point(set, i, 'size'), f = wireframe(lines, this.point(set, i), quaternion(set.turn.slice(3 * i, 3 * i + 3), w));
      if (set.shape[i] < 0.5) f.sphere(half[0]);
      else f.box(half);
    });
  }

  /** What is drawn, as text. */
  summary(projection) { return this.summaries.filter((s) => !(s.space && projection.slice)).map((s) => s.text).join(', '); }

  /** Draw over the picture at x, y, w, h; lines are `scale` pixels wide. */
  draw(context, projection, x, y, w, h, scale) {
    const at = ([u, v]) => [x + w * (1 + u) / 2, y + h * (1 - v) / 2];
    const line = (a, b) => { context.moveTo(...at(a)); context.lineTo(...at(b)); };
    const stroke = (colour, draw) => {
      context.strokeStyle = colour;
      context.beginPath();
      draw();
      context.stroke();
    };
    context.save();
    context.beginPath();
    context.rect(x, y, w, h);
    context.clip();
    context.lineWidth = scale;
    for (const layer of this.layers) {
      if (layer.space && projection.slice) continue;
      stroke(layer.ink, () => layer.lines.forEach(([a, b]) => { const cut = projection.line(a, b); if (cut) line(...cut); }));
      context.fillStyle = layer.ink;
      for (const p of layer.points) { const pixel = projection.point(p); if (pixel) context.fillRect(...at(pixel), scale, scale); }
    }
    for (const box of projection.slice ? this.boxes : []) {
      const { axis, middle } = projection.slice, corner = (u, v) => [0, 1, 2].map((a) => a === axis ? middle : [box.lo, box.hi][a === projection.slice.right ? u : v][a]);
      if (middle < box.lo[axis] || middle > box.hi[axis]) continue;
      const all = [[0, 0], [1, 0], [1, 1], [0, 1]].map(([u, v]) => projection.point(corner(u, v)));
      stroke(box.ink, () => all.forEach((p, i) => line(p, all[(i + 1) % 4])));
    }
    context.restore();
  }
}
