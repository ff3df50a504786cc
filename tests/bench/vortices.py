# SPDX-License-Identifier: Apache-2.0
"""Vortices by each scheme of mac.advect's velocity, and by vortons: ./dev bench vortices

    python3 vortices.py FOLDER [ROW]...

A row is named by its first letters: rings, rings16/quintic, "taylor/centred 1". By default all are printed. A scheme
with a number has so many times the cells along an axis: what fits into the processor seconds of `quintic` with the
case's own cells. Seconds are those of all threads, from the first frame on, without what is measured here.

wind: a thermal, a disc 12 cells across with a soft edge, rises for 24 steps in a periodic plane, at rest and in a wind
of so many cells a step: how far the second's smoke, rise and velocity, moved back, are from those of the first.

eddies: three flows whose energy should stay, by steps of up to 1, 3, 5 and 8 cells: a vortex at rest (core 5.7 cells;
what is left of its middle's vorticity after 29 radian), two pairs that leapfrog (2D; core 2 cells, 16 apart), a ring
(3D; radius 16 cells, core 2). Energy as a share of that after the first frame: the most, and the last.

taylor: without viscosity, the share of the energy that is left at t = 2, 5, 8 and the most there ever was; at a
Reynolds number of 1600, the largest dissipation -dE/dt and when it is (a spectral solution has .0129 at t = 9: Brachet
et al., J. Fluid Mech. 130, 1983). Energy is by unit of mass, 1/8 at first. 64 cells along an axis, .6 cells a step.

rings16, rings27: two rings, one behind the other, that pass through one another, in a quarter of a box, by two mirrors.
When they pass: when the line between both cores in the half-plane of the axis is a radius; in brackets the least
vorticity on it, as a share of the weaker core's: they are two as long as that is small. The largest vorticity over the
radius, a constant of the motion by theory, as a share of the first. Vortons, seven lines a ring, are in unbounded
space, for 5.5 times as long. Stirred: `centred`, with the same vortons in its flow, which vorton.confine draws it to;
in the whole box, so at four times the seconds.

knot: a trefoil of Rosenhead and Moore's vorticity, core 2 cells, that moves along its axis in a box; by vortons (one
line, so without twist) in unbounded space. Helicity, energy and impulse as shares of the first: by theory all stay.

FOLDER/strip.png: vorticity in the half-plane of rings16, by as many schemes as have run."""
import math
import resource
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "hosts" / "python"))
import billow  # noqa: E402

GRIDS = {"centred": "", "reflection": "reflection: true", "cubic": "velocity: cubic", "quintic": "velocity: quintic",
         "semi-lagrangian": "velocity: semi-lagrangian"}
SCHEMES = ("centred", "reflection", "cubic", "quintic")
RING = ("  - vorton.emit: {{id: {}, source: {{ring: {{center: [0, 0, {}], radius: {}, core: {}, circulation: 100, "
        "layers: 1}}}}}}\n")
STIR = "  - vorton.advect: {flow: [vel]}\n  - vorton.confine: {rate: 5}\n"
EQUAL = {"centred": 1.25, "reflection": 1.125, "cubic": 1.5}  # times the cells along an axis: quintic's seconds
VORTONS = "billow: 1\nname: flow\ndomain: {size: none, voxel: 1}\n"
VORTICITY = {}  # by scheme, of rings16, by second


def flow(text, look):
    """Bakes in memory. What `look` makes of frames, steps, CPU seconds of all but that from the first frame on."""
    values, steps, looking = [], [], 0.0
    seconds = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_utime

    def frame(frame):
        nonlocal looking
        begun = time.thread_time()
        values.append(look(frame))
        looking += seconds() if len(values) == 1 else time.thread_time() - begun
    billow.bake(text=text, on_frame=frame, on_progress=lambda p: steps.append(p.substeps) if p.frame_done else None)
    return values, sum(steps), seconds() - looking


def faces(frame):
    """The velocity at low faces, in three arrays of doubles; at the high sides it is 0, for they are closed."""
    u = frame["vel"].dense(centred=False).astype(float)
    return u[..., 0], u[..., 1], u[..., 2]


def curl(u, h):
    """Vorticity at low edges, without those of the low sides: component a has one value less along both other axes."""
    d = lambda c, axis: np.diff(u[c], axis=axis) / h
    cut = lambda a, axis: np.take(a, range(1, a.shape[axis]), axis)
    return (cut(d(2, 1), 2) - cut(d(1, 2), 1), cut(d(0, 2), 0) - cut(d(2, 0), 2), cut(d(1, 0), 1) - cut(d(0, 1), 0))


def impulse_along(w, h, origin):
    """½∫(x ω_y - y ω_x) of a box whose low corner is there."""
    x = origin[0] + h * (1 + np.arange(w[1].shape[0]))
    y = origin[1] + h * (1 + np.arange(w[0].shape[1]))
    return h ** 3 / 2 * (np.einsum("i,ijk->", x, w[1]) - np.einsum("j,ijk->", y, w[0]))


def energy(u, h):
    return h ** 3 / 2 * sum(float((c * c).sum()) for c in u)


def shares(values):
    return max(values[1:]) / values[1], values[-1] / values[1]


# ---- eddies ----
def gauss(x, z, circulation, core, axis):
    """A Gaussian vortex's velocity along one axis of the plane, as an expression."""
    r2 = f"((x-({x}))^2+(z-({z}))^2)"
    along = f"(z-({z}))" if axis == "x" else f"-(x-({x}))"
    return f"{along}*({circulation}*(1-exp(-{r2}/{core * core}))/(2*pi*({r2}+1e-9)))"


def flow_text(cells, voxel, origin, fps, frames, cfl, value, scheme="", tolerance="1e-5"):
    """A closed box of gas that moves as `value` says at first."""
    return ("billow: 1\nname: flow\n"
            f"domain: {{cells: {cells}, voxel: {voxel}, origin: {origin}, sides: {{rest: closed}}}}\n"
            f"time: {{fps: {fps}, frames: 1-{frames}, cfl: {cfl}}}\nstages:\n"
            f"  - set: {{field: vel, keep: true, value: {list(value)!r}}}\n"
            f"  - mac.advect: {{only: [vel]{', ' + scheme if scheme else ''}}}\n"
            f"  - mac.project: {{tolerance: {tolerance}}}\n")


def vortex(cfl):
    """Share of the peak vorticity left; shares of the energy; steps."""
    def look(frame):
        u = faces(frame)
        return energy(u, 1), u[0][48, 0, 48] - u[0][48, 0, 47] - u[2][48, 0, 48] + u[2][47, 0, 48]
    rows, steps, _ = flow(flow_text([96, 1, 96], 1, [-48, -0.5, -48], 1, 11, cfl,
                                    [gauss(0, 0, 600, 5.7, "x"), 0, gauss(0, 0, 600, 5.7, "z")]), look)
    return rows[-1][1] / rows[1][1], (*shares([e for e, _ in rows]), steps)


def pairs(cfl):
    h = 1 / 16
    parts = [(x, z, (1 if x > 0 else -1), 0.125) for z in (2.0, 3.0) for x in (1, -1)]
    value = ["+".join(gauss(*p, "x") for p in parts), 0, "+".join(gauss(*p, "z") for p in parts)]
    text = flow_text([80, 1, 224], h, [0, -h / 2, 0], 4, 101, cfl, value)
    rows, steps, _ = flow(text, lambda f: energy(faces(f), h))
    return (*shares(rows), steps)


def ring(cfl):
    q = "100*(1-exp(-((sqrt(x*x+y*y)-16)^2+z*z)/4))/(2*pi*((sqrt(x*x+y*y)-16)^2+z*z+1e-9))"
    value = [f"x/(sqrt(x*x+y*y)+1e-9)*z*{q}", f"y/(sqrt(x*x+y*y)+1e-9)*z*{q}", f"-(sqrt(x*x+y*y)-16)*{q}"]
    text = flow_text([64, 64, 96], 1, [-32, -32, -32], 1, 21, cfl, value)
    rows, steps, _ = flow(text, lambda f: energy(faces(f), 1))
    return (*shares(rows), steps)


def eddies(_, scheme, __):
    cfl = int(scheme[4:])
    show = lambda e: f"{e[0]:.4f}, {e[1]:.3f} ({e[2]})"
    peak, alone = vortex(cfl)
    return f"{peak:.3f} | {show(alone)} | {show(pairs(cfl))} | {show(ring(cfl))}"


# ---- Taylor-Green ----
def taylor_green(n, scheme, viscosity):
    """Energy by frame as a share of the first, the frames in a second, CPU seconds."""
    fps = n // 4
    side = 2 * math.pi
    text = ("billow: 1\nname: flow\n"
            f"domain: {{cells: {[n] * 3}, size: {[side] * 3}, origin: [0, 0, 0], sides: {{rest: periodic}}}}\n"
            f"time: {{fps: {fps}, frames: 1-{10 * fps + 1}, substeps: 1}}\nstages:\n"
            '  - set: {field: vel, keep: true, value: ["sin(x)*cos(y)*cos(z)", "-cos(x)*sin(y)*cos(z)", 0]}\n'
            f"  - mac.advect: {{{scheme}}}\n" + (f"  - mac.diffuse: {{viscosity: {viscosity}}}\n" if viscosity else "")
            + "  - mac.project: {tolerance: 1e-4}\n")
    rows, _, used = flow(text, lambda f: energy(faces(f), 1))
    return [e / rows[0] for e in rows], fps, used


def taylor(_, scheme, finer):
    n = 4 * round(16 * finer)
    e, fps, used = taylor_green(n, GRIDS[scheme], 0)
    v, _, again = taylor_green(n, GRIDS[scheme], 1 / 1600)
    half = fps // 2
    rates = [(v[i] - v[i + half]) / 8 / (half / fps) for i in range(len(v) - half)]
    most, at = max((rate, (i + half / 2) / fps) for i, rate in enumerate(rates))
    return (f"{e[2 * fps]:.3f} | {e[5 * fps]:.3f} | {e[8 * fps]:.3f} | {max(e):.4f} | {most:.4f} | {at:.1f} | "
            f"{used:.1f} + {again:.1f}")


# ---- two rings ----
# The rings' radius, their core, their distance, the box' half width and length, seconds.
RINGS = {"rings16": (16, 2, 16, 32, 112, 20), "rings27": (27, 2.15, 27, 54, 150, 36)}


def two_rings(radius, core, gap):
    """Of vortons."""
    return "".join(RING.format(name, z, radius, core / math.sqrt(2)) for name, z in (("a", 0), ("b", gap)))


def rings_text(radius, core, gap, width, length, seconds, scheme, finer):
    """Two rings of circulation 100 along z, in a quarter of a box; stirred in all of it."""
    s = "(sqrt(x*x+y*y)+1e-9)"
    out, up = "0", "0"
    for z in (0, gap):
        for sign in (1, -1):
            r2 = f"(({s}-{sign * radius})^2+(z-{z})^2+1e-9)"
            q = f"{sign * 100}*(1-exp(-{r2}/{core * core}))/(2*pi*{r2})"
            out += f"+(z-{z})*{q}"
            up += f"-({s}-{sign * radius})*{q}"
    stirred = scheme == "stirred"
    wide, low = (2 * width, -width) if stirred else (round(finer * width), 0)
    text = flow_text([wide, wide, round(finer * length)], 1 / finer, [low, low, -24], 2, 2 * seconds + 1, 3,
                     [f"x/{s}*({out})", f"y/{s}*({out})", up], GRIDS.get(scheme, ""), "1e-4")
    if not stirred:
        return text
    text = text.replace("stages:\n", "stages:\n" + two_rings(radius, core, gap))
    return text.replace("  - mac.project", STIR + "  - mac.project")


def rings_line(w, h):
    """Of vorticity in the half-plane, its first value a cell off both sides: the angle of the line between both cores,
    and the least vorticity on it as a share of the weaker core's."""
    strong = np.where(w > .15 * w.max(), w, 0)
    i, k = np.arange(1, 1 + w.shape[0]), np.arange(1, 1 + w.shape[1])
    total = strong.sum()
    r, z = i @ strong.sum(1) / total, k @ strong.sum(0) / total
    zz, rr, rz = (k - z) ** 2 @ strong.sum(0), (i - r) ** 2 @ strong.sum(1), (i - r) @ strong @ (k - z)
    angle = .5 * math.atan2(2 * rz, zz - rr)
    q = np.arange(-80, 81) / (2 * h)
    x = np.clip(r + q * math.sin(angle) - 1, 0, w.shape[0] - 1.001)
    y = np.clip(z + q * math.cos(angle) - 1, 0, w.shape[1] - 1.001)
    a, b = x.astype(int), y.astype(int)
    x, y = x - a, y - b
    left, right = ((1 - y) * w[a + n, b] + y * w[a + n, b + 1] for n in (0, 1))
    line = (1 - x) * left + x * right
    low, high = line[:80].argmax(), 81 + line[81:].argmax()
    return angle, line[low:high + 1].min() / min(line[low], line[high])


def rings_passes(lines, seconds):
    """Times and clearness of the passes."""
    passes, turned, last = [], 0, None
    for n, (angle, least) in enumerate(lines):
        step = 0 if last is None else (angle - last + math.pi / 2) % math.pi - math.pi / 2
        before, turned, last = turned, turned + step, angle
        level = math.pi / 2 + math.pi * len(passes)
        if abs(before) < level <= abs(turned):
            passes.append(f"{seconds / (len(lines) - 1) * (n - (abs(turned) - level) / abs(step)):.1f} ({least:.2f})")
    return ", ".join(passes)


def rings(case, scheme, finer):
    if scheme == "vortons":
        return rings_of_vortons(case, *RINGS[case])
    seconds, h, width = RINGS[case][-1], 1 / finer, RINGS[case][3]
    seen = VORTICITY.setdefault(scheme, []) if case == "rings16" and finer == 1 else []

    def look(frame):
        u = faces(frame)
        origin = (-width, -width) if scheme == "stirred" else (0, 0)
        w = curl(u, h)
        plane = w[1][width:, width, :] if scheme == "stirred" else w[1][:, 0, :]
        seen.append(plane)
        strong = np.where(plane > .15 * plane.max(), plane, 0)
        return (energy(u, h), impulse_along(w, h, origin), (strong.T / (h * (1 + np.arange(len(plane))))).max(),
                rings_line(plane, h))
    rows, steps, used = flow(rings_text(*RINGS[case], scheme, finer), look)
    e, i, peaks, lines = zip(*rows)
    most, last = shares(e)
    return (f"{rings_passes(lines, seconds)} | {most:.4f}, {last:.3f} | {i[-1] / i[1]:.3f} | "
            f"{peaks[-1] / peaks[0]:.2f} | {used:.1f} | {steps}")


def conserved(vortons):
    """Energy (as ∫u·(x × ω)), impulse along z, and helicity."""
    x, a, u = (vortons[name] for name in ("pos", "strength", "velocity"))
    return (float((u * np.cross(x, a)).sum()), float(np.cross(x, a)[:, 2].sum() / 2), float((u * a).sum()))


def rings_of_vortons(case, radius, core, gap, width, length, seconds):
    span = 11 * seconds // 2
    text = (f"{VORTONS}time: {{fps: 10, frames: 1-{10 * span + 1}}}\nstages:\n"
            + two_rings(radius, core, gap)
            + "  - vorton.velocity: {}\n  - vorton.stretch: {}\n  - vorton.advect: {}\n")
    seen = VORTICITY.setdefault("vortons", []) if case == "rings16" else []

    def look(frame):
        v = frame["vortons"]
        z = v["pos"][:, 2]
        if frame.number % 5 == 1 and len(seen) <= 2 * seconds:
            seen.append(half_plane(v, width, length))
        return z[:len(z) // 2].mean() - z[len(z) // 2:].mean(), *conserved(v)
    rows, steps, used = flow(text, look)
    passes = [(n - b[0] / (b[0] - a[0])) / 10 for n, (a, b) in enumerate(zip(rows, rows[1:]), 1) if a[0] * b[0] < 0]
    e = [row[1] for row in rows]
    most, last = shares(e)
    return (f"{', '.join(f'{t:.1f}' for t in passes)} | {most:.4f}, {last:.3f} | {rows[-1][2] / rows[1][2]:.4f} | | "
            f"{used:.1f} | {steps}")


def half_plane(vortons, width, length):
    """Vorticity of Gaussian cores at whole numbers of the half-plane y = 1/2, as in a box."""
    x, a, s = vortons["pos"], vortons["strength"], vortons["radius"]
    near = (np.abs(x[:, 1]) < 8) & (x[:, 0] > 0)
    x, a, s = x[near], a[near], s[near]
    i, k = np.arange(1, width)[:, None, None], np.arange(1, length)[None, :, None] - 24
    r2 = (i - x[:, 0]) ** 2 + (.5 - x[:, 1]) ** 2 + (k - x[:, 2]) ** 2
    return (a[:, 1] * np.exp(-r2 / (2 * s * s)) / (2 * math.pi * s * s) ** 1.5).sum(-1)


# ---- a knot ----
KNOT = (5.0, 2.0, 100.0, 10)  # a third of its radius, core, circulation, seconds


def knot_pieces(count):
    """Middles and strengths of a trefoil's pieces; it moves up."""
    size, _, circulation, _ = KNOT
    t = 2 * math.pi * np.arange(count) / count
    sin, cos = (lambda n: np.sin(n * t)), (lambda n: np.cos(n * t))
    place = size * np.stack([sin(1) + 2 * sin(2), cos(1) - 2 * cos(2), -sin(3)], 1)
    along = size * np.stack([cos(1) + 4 * cos(2), -sin(1) + 4 * sin(2), -3 * cos(3)], 1)
    up = math.copysign(circulation, np.cross(place, along)[:, 2].sum())
    return place, along * (2 * math.pi / count * up)


def knot(_, scheme, finer):
    core, seconds = KNOT[1], KNOT[3]
    if scheme == "vortons":
        rows, steps, used = knot_of_vortons()
    else:
        terms = [[], [], []]
        for p, a in zip(*knot_pieces(48)):
            d = [f"({n}-({c:.4f}))" for n, c in zip("xyz", p)]
            r2 = f"({d[0]}^2+{d[1]}^2+{d[2]}^2+{core * core})"
            for c in range(3):
                e, f = (c + 1) % 3, (c + 2) % 3
                terms[c].append(f"({a[e]:.4f}*{d[f]}-({a[f]:.4f})*{d[e]})/({r2}*sqrt{r2})")
        # An expression has 4096 characters at most.
        some = lambda n: [f"({'+'.join(t[n:n + 16])})/(4*pi)" for t in terms]
        h = 1 / finer
        cells = [round(64 * finer), round(64 * finer), round(96 * finer)]

        def look(frame):
            u = faces(frame)
            w = curl(u, h)
            mean = lambda a, axes: sum(np.roll(a, s, axes) for s in ((0, 0), (0, -1), (-1, 0), (-1, -1))) / 4
            helicity = 0
            for c in range(3):
                e, f = (c + 1) % 3, (c + 2) % 3
                edges = np.zeros_like(u[c])
                edges[tuple(slice(None) if n == c else slice(1, None) for n in range(3))] = w[c]
                helicity += float(((u[c] + np.roll(u[c], -1, c)) / 2 * mean(edges, (e, f))).sum()) * h ** 3
            return energy(u, h), impulse_along(w, h, (-32, -32)), helicity
        more = "".join(f"  - set: {{id: set{n}, field: vel, mode: add, value: {some(n)!r}}}\n" for n in (16, 32))
        text = flow_text(cells, h, [-32, -32, -32], 2, 2 * seconds + 1, 3, some(0), GRIDS[scheme], "1e-4")
        rows, steps, used = flow(text.replace("  - mac.advect", more + "  - mac.advect"), look)
    e, i, helicity = zip(*rows)
    most, last = shares(e)
    at = lambda t: f"{helicity[t * (len(rows) - 1) // seconds] / helicity[1]:.3f}"
    return (f"{' | '.join(at(t) for t in (3, 6, 10))} | {most:.4f}, {last:.3f} | {i[-1] / i[1]:.3f} | {used:.1f} | "
            f"{steps} | {helicity[1] / KNOT[2] ** 2:.2f}")


def knot_of_vortons():
    core, seconds = KNOT[1], KNOT[3]
    place, strength = knot_pieces(384)
    table = Path(FOLDER / "knot.csv")
    table.write_text("x,y,z,strength_x,strength_y,strength_z,radius\n"
                     + "".join(",".join(f"{v:.9g}" for v in (*p, *a, core)) + "\n" for p, a in zip(place, strength)))
    text = (f"{VORTONS}time: {{fps: 10, frames: 1-{10 * seconds + 1}}}\nstages:\n"
            f"  - vorton.emit: {{source: {{file: {{file: {table}}}}}}}\n  - vorton.velocity: {{kernel: moore}}\n"
            "  - vorton.stretch: {form: classic}\n  - vorton.advect: {}\n  - vorton.remesh: {split: 2}\n")
    return flow(text, lambda frame: conserved(frame["vortons"]))


# ---- a thermal in a wind ----
def thermal(wind):
    """Smoke and velocity, [x, z], after 24 steps in 96 x 128 cells; without the wind's own part."""
    h, fps = 1 / 64, 24
    disc = f"1/(1+exp((sqrt((x-{48 * h})^2+(z-{32 * h})^2)-{6 * h})/{h}))"
    text = ("billow: 1\nname: flow\n"
            f"domain: {{cells: [96, 1, 128], voxel: {h}, origin: [0, {-h / 2}, 0], sides: {{rest: periodic}}}}\n"
            f"time: {{fps: {fps}, frames: 1-25, substeps: 1}}\nstages:\n"
            f"  - set: {{id: wind, field: vel, keep: true, value: [{wind * h * fps}, 0, 0]}}\n"
            f"  - set: {{id: heat, field: temperature, value: 10*{disc}}}\n"
            f"  - set: {{id: smoke, field: density, value: {disc}}}\n  - mac.advect: {{}}\n"
            "  - mac.forces: {buoyancy: 1, weight: 0, confinement: 0, turbulence: 0}\n"
            "  - mac.project: {tolerance: 1e-6}\n")
    rows, _, _ = flow(text, lambda f: (f["density"].dense()[:, 0, :].astype(float), faces(f)))
    begun, (smoke, (u, _, w)) = rows[0][0], rows[-1]
    u, w = u[:, 0] - u.mean(), w[:, 0]
    rise = lambda q: (q @ (np.arange(q.shape[1]) + .5)).sum() / q.sum()
    # The velocity is half a step ahead.
    turn = np.exp(2j * np.pi * 24.5 * wind * np.fft.fftfreq(96))[:, None]
    back = lambda q: np.fft.ifft(np.fft.fft(q, axis=0) * turn, axis=0).real
    return np.roll(smoke, -24 * wind, 0), rise(smoke) - rise(begun), np.stack([back(u), back(w)])


def winds(_, scheme, __):
    rest, wind = thermal(0), thermal(int(scheme.split()[0]))
    off = lambda a, b: 100 * np.abs(a - b).sum() / np.abs(b).sum()
    return f"{off(wind[0], rest[0]):.1f} | {100 * (wind[1] / rest[1] - 1):.1f} | {off(wind[2], rest[2]):.1f}"


# ---- all of them ----
def strip(path):
    """Sides by side: the schemes; from top to bottom: time. The axis of the rings lies across."""
    from PIL import Image, ImageDraw
    seconds = (0, 5, 9, 13, 20)
    names = [name for name in (*SCHEMES, "stirred", "vortons") if VORTICITY.get(name)]
    tall, wide = 2 * 31 * 2, 111 * 2
    sheet = Image.new("L", (wide * len(names) + 2 * (len(names) - 1), 18 + (tall + 2) * len(seconds)), 40)
    pen = ImageDraw.Draw(sheet)
    for c, name in enumerate(names):
        pen.text((c * (wide + 2) + 4, 3), name, fill=255)
        top = VORTICITY[name][0].max()
        for r, second in enumerate(seconds):
            w = VORTICITY[name][2 * second]
            both = np.clip(np.concatenate([w[::-1], w]) / top, 0, 1) ** .6
            tile = Image.fromarray((255 * both).astype(np.uint8)).resize((wide, tall), Image.BICUBIC)
            sheet.paste(tile, (c * (wide + 2), 18 + r * (tall + 2)))
            if not c:
                pen.text((4, 20 + r * (tall + 2)), f"{second} s", fill=255)
    sheet.quantize(32).save(path, optimize=True)
    print(f"\n{path}: {path.stat().st_size} bytes")


FINER = [f"{name} {times}" for name, times in EQUAL.items()]
CASES = {
    "wind": (winds, ["1 cell", "2 cells", "4 cells"], "smoke, L1 % | rise, % | velocity, L1 %"),
    "eddies": (eddies, ["cfl 1", "cfl 3", "cfl 5", "cfl 8"],
               "vortex: peak left | energy: most, last (steps) | pairs | ring"),
    "taylor": (taylor, [*GRIDS, *FINER], "E(2) | E(5) | E(8) | most | Re 1600: largest -dE/dt | at t | CPU s"),
    "rings16": (rings, [*SCHEMES, *FINER, "stirred", "vortons"],
                "passes at (clear) | energy: most, last | impulse | peak of ω/r | CPU s | steps"),
    "knot": (knot, [*SCHEMES, *FINER, "vortons"],
             "helicity at 3 s | 6 s | 10 s | energy: most, last | impulse | CPU s | steps | helicity over Γ² at first"),
    "rings27": (rings, [*SCHEMES, *FINER, "stirred", "vortons"],
                "passes at (clear) | energy: most, last | impulse | peak of ω/r | CPU s | steps"),
}


def main(wanted):
    for word in wanted:
        if not any(f"{case}/{row}".startswith(word) for case, (_, rows, _) in CASES.items() for row in rows):
            sys.exit(f'vortices: there is no row "{word}"; there are '
                     + "; ".join(f"{case}/ {', '.join(rows)}" for case, (_, rows, _) in CASES.items()))
    for case, (run, schemes, head) in CASES.items():
        rows = [s for s in schemes if not wanted or any(f"{case}/{s}".startswith(w) for w in wanted)]
        if not rows:
            continue
        print(f"\n| {case} | {head} |\n| --- |{' --- |' * (1 + head.count('|'))}", flush=True)
        for row in rows:
            name, _, times = row.partition(" ")
            finer = float(times) if name in GRIDS and times else 1
            print(f"| {row} | {run(case, name if name in GRIDS else row, finer)} |", flush=True)
    if any(VORTICITY.values()):
        strip(FOLDER / "strip.png")


if __name__ == "__main__":
    FOLDER = Path(sys.argv[1])
    FOLDER.mkdir(parents=True, exist_ok=True)
    main(sys.argv[2:])
