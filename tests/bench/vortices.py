# SPDX-License-Identifier: Apache-2.0
"""Vortices by each scheme of mac.advect's velocity: ./dev bench vortices

    python3 vortices.py BILLOW FOLDER [CELLS | rings]

First three flows whose energy should stay, by steps of up to 1, 3, 5 and 8 cells: a vortex at rest (core 5.7 cells; what is
left of its middle's turning after 26 radian), two pairs that leapfrog (2D; core 2 cells, 16 apart), a ring (3D; radius 16 cells, core 2). Energy as a share of that after the first frame:
the most, and the last.

Then Taylor-Green's vortices: without viscosity, the share of the energy that is left at t = 2, 5, 8 and the most there ever was; at a
Reynolds number of 1600, the largest dissipation -dE/dt and when it is (a spectral solution has .0129 at t = 9: Brachet et al.,
J. Fluid Mech. 130, 1983). Energy is by unit of mass, 1/8 at first. Steps of about .6 cells.

`rings`: two rings, one behind the other, that pass through one another, in a quarter of a box, by two mirrors. When they pass: when the
line between both cores in the half-plane of the axis is a radius; in brackets the least vorticity on it, as a share of the weaker
core's: they are two as long as that is small. Energy, peak vorticity, seconds of all threads; then centred with more cells, for the
seconds of quintic; then vortons, in unbounded space, for 5.5 times as long: passes, impulse left."""
import csv
import math
import resource
import struct
import subprocess
import sys
from pathlib import Path

WAYS = {"centred": "", "cubic": "velocity: cubic", "reflection": "reflection: true",
        "semi-lagrangian": "velocity: semi-lagrangian", "quintic": "velocity: quintic"}
PRESET = """billow: 1
name: vortices
domain: {{cells: [{n}, {n}, {n}], size: [6.283185307179586, 6.283185307179586, 6.283185307179586], origin: [0, 0, 0],
         sides: {{rest: periodic}}}}
time: {{fps: {fps}, frames: 1-{frames}, substeps: 1}}
stages:
  - set: {{id: flow, field: vel, keep: true, value: ["sin(x)*cos(y)*cos(z)", "-cos(x)*sin(y)*cos(z)", 0]}}
  - mac.advect: {{{way}}}
{viscous}  - mac.project: {{tolerance: 1e-4}}
  - stats: {{}}
"""


def preset_run(billow, folder, text):
    """Bakes; the metrics' rows."""
    folder.mkdir(parents=True, exist_ok=True)
    preset = folder / "flow.yaml"
    preset.write_text(text)
    subprocess.run([billow, "bake", preset, "--out", folder / "flow", "--force"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    with open(folder / "flow" / "metrics.csv") as file:
        return list(csv.DictReader(file))


def gauss(x, z, circulation, core, axis):
    """A Gaussian vortex's velocity along one axis of the plane, as an expression."""
    r2 = f"((x-({x}))^2+(z-({z}))^2)"
    along = f"(z-({z}))" if axis == "x" else f"-(x-({x}))"
    return f"{along}*({circulation}*(1-exp(-{r2}/{core * core}))/(2*pi*({r2}+1e-9)))"


def flow_text(cells, voxel, origin, fps, frames, cfl, value, more=""):
    return (f"billow: 1\nname: flow\ndomain: {{cells: {cells}, voxel: {voxel}, origin: {origin}, sides: {{rest: closed}}}}\n"
            f"time: {{fps: {fps}, frames: 1-{frames}, cfl: {cfl}}}\nstages:\n"
            f"  - set: {{field: vel, keep: true, value: {list(value)!r}}}\n"
            f"  - mac.advect: {{only: [vel]}}\n  - mac.project: {{tolerance: 1e-5}}\n  - stats: {{fields: [vel]}}\n{more}")


def energies(rows):
    e = [float(row["stats.energy_vel"]) for row in rows]
    return max(e[1:]) / e[1], e[-1] / e[1], int(sum(float(row["substeps"]) for row in rows))


def vortex(billow, folder, cfl):
    """Share of the peak vorticity left, by four probes round the middle: there gas turns as a solid does."""
    around = [("a", 0.5, -0.5, 0.5), ("b", 0.5, -0.5, -0.5), ("c", -0.5, -0.5, 0.5), ("d", -0.5, -0.5, -0.5)]
    points = ", ".join(f"{{name: {n}, at: [{x}, 0, {z}]}}" for n, x, _, z in around)
    rows = preset_run(billow, folder, flow_text([96, 1, 96], 1, [-48, -0.5, -48], 1, 11, cfl,
                                                [gauss(0, 0, 600, 5.7, "x"), 0, gauss(0, 0, 600, 5.7, "z")],
                                                f"  - probe: {{fields: [vel], points: [{points}]}}\n"))
    keys = {n: [k for k in rows[0] if k.startswith(f"probe.{n}.") or k.startswith(f"probe.{n}_")] for n, _, _, _ in around}
    def turn(row):
        total = 0
        for name, x, _, z in around:
            u = [float(row[k]) for k in keys[name]]
            total += (u[0] * z - u[2] * x) / (x * x + z * z)
        return total
    return turn(rows[-1]) / turn(rows[1]) if keys["a"] else float("nan"), energies(rows)


def pairs(billow, folder, cfl):
    h = 1 / 16
    parts = [(x, z, (1 if x > 0 else -1), 0.125) for z in (2.0, 3.0) for x in (1, -1)]
    value = ["+".join(gauss(*p, "x") for p in parts), 0, "+".join(gauss(*p, "z") for p in parts)]
    rows = preset_run(billow, folder, flow_text([80, 1, 224], h, [0, -h / 2, 0], 4, 101, cfl, value))
    return energies(rows)


def ring(billow, folder, cfl):
    q = "100*(1-exp(-((sqrt(x*x+y*y)-16)^2+z*z)/4))/(2*pi*((sqrt(x*x+y*y)-16)^2+z*z+1e-9))"
    value = [f"x/(sqrt(x*x+y*y)+1e-9)*z*{q}", f"y/(sqrt(x*x+y*y)+1e-9)*z*{q}", f"-(sqrt(x*x+y*y)-16)*{q}"]
    return energies(preset_run(billow, folder, flow_text([64, 64, 96], 1, [-32, -32, -32], 1, 21, cfl, value)))


# Name, the rings' radius, their core, their distance, the box' half width and length, seconds.
RINGS = (("R 16", 16, 2, 16, 32, 112, 20), ("R 27", 27, 2.15, 27, 54, 150, 36))
RING_WAYS = (("centred", "", 1), ("cubic", "velocity: cubic", 1), ("reflection", "reflection: true", 1),
             ("quintic", "velocity: quintic", 1), ("centred, 1.1 times the cells along an axis", "", 1.1))


def rings_text(radius, core, gap, width, length, seconds, frames, way, finer):
    """Two rings of circulation 100 along z; a probe of the flow at whole numbers of the half-plane y = 1/2."""
    s = "(sqrt(x*x+y*y)+1e-9)"
    out, up = "0", "0"
    for z in (0, gap):
        for sign in (1, -1):
            r2 = f"(({s}-{sign * radius})^2+(z-{z})^2+1e-9)"
            q = f"{sign * 100}*(1-exp(-{r2}/{core * core}))/(2*pi*{r2})"
            out += f"+(z-{z})*{q}"
            up += f"-({s}-{sign * radius})*{q}"
    points = "".join(f"\n      - {{name: p{i}_{k}, at: [{i}, 0.5, {k - 24}]}}" for k in range(length) for i in range(1, width))
    cells = [round(finer * width), round(finer * width), round(finer * length)]
    return (f"billow: 1\nname: flow\ndomain: {{cells: {cells}, voxel: {1 / finer}, origin: [0, 0, -24], sides: {{rest: closed}}}}\n"
            f"time: {{fps: {frames / seconds}, frames: 1-{frames + 1}, cfl: 3}}\nstages:\n"
            f"  - set: {{field: vel, keep: true, value: {[f'x/{s}*({out})', f'y/{s}*({out})', up]!r}}}\n"
            f"  - mac.advect: {{only: [vel]{', ' + way if way else ''}}}\n  - mac.project: {{tolerance: 1e-4}}\n"
            f"  - stats: {{fields: [vel]}}\n  - probe:\n      fields: [vel]\n      points: {points}\n")


def rings_look(row, width, length):
    """Peak vorticity, the angle of the line between both cores, and the least vorticity on it as a share of the weaker core's."""
    key = next(k for k in row if k.startswith("probe.p1_0")).replace("p1_0", "p%d_%d")[:-1] + "%s"
    u = {(i, k): (float(row[key % (i, k, "x")]), float(row[key % (i, k, "z")])) for k in range(length) for i in range(1, width)}
    w = {(i, k): .5 * (u[i, k + 1][0] - u[i, k - 1][0] - u[i + 1, k][1] + u[i - 1, k][1])
         for k in range(1, length - 1) for i in range(2, width - 1)}
    top = max(w.values())
    strong = [(p, v) for p, v in w.items() if v > .15 * top]
    total = sum(v for _, v in strong)
    r, z = (sum(p[a] * v for p, v in strong) / total for a in (0, 1))
    zz, rr, rz = (sum((p[a] - m) * (p[b] - n) * v for p, v in strong) / total
                  for a, b, m, n in ((1, 1, z, z), (0, 0, r, r), (0, 1, r, z)))
    angle = .5 * math.atan2(2 * rz, zz - rr)

    def at(q):
        x, y = r + .5 * q * math.sin(angle), z + .5 * q * math.cos(angle)
        i, k = math.floor(x), math.floor(y)
        return sum((x - i if e & 1 else 1 - x + i) * (y - k if e & 2 else 1 - y + k) * w.get((i + (e & 1), k + (e >> 1)), 0)
                   for e in range(4))
    line = [at(q) for q in range(-80, 81)]
    low, high = max(line[:80]), max(line[81:])
    least = min(line[line.index(low):81 + line[81:].index(high) + 1])
    return top, angle, least / min(low, high)


def ring_passes(rows, width, length, seconds):
    """Times and clearness of the passes; the share of the peak vorticity left."""
    passes, turned, last, first = [], 0, None, None
    for n, row in enumerate(rows):
        top, angle, least = rings_look(row, width, length)
        first = first or top
        step = 0 if last is None else (angle - last + math.pi / 2) % math.pi - math.pi / 2
        before, turned, last = turned, turned + step, angle
        level = math.pi / 2 + math.pi * len(passes)
        if abs(before) < level <= abs(turned):
            passes.append((seconds / (len(rows) - 1) * (n - (abs(turned) - level) / abs(step)), least))
    return passes, top / first


def rings_of_vortons(billow, folder, radius, core, gap, seconds, radii):
    """The same by vortons, seven lines a ring, in unbounded space: times of the passes, impulse left."""
    ring = "  - vorton.emit: {{id: {}, source: {{ring: {{center: [0, 0, {}], radius: {}, core: {}, circulation: 100, layers: 1}}}}}}\n"
    spread = core / math.sqrt(2)  # as deviation
    frames = 10 * seconds
    text = (f"billow: 1\nname: flow\ndomain: {{size: none, voxel: 1}}\ntime: {{fps: 10, frames: 1-{frames + 1}}}\nstages:\n"
            + ring.format("a", 0, radius, spread) + ring.format("b", gap, radius, spread)
            + f"  - vorton.velocity: {{}}\n  - vorton.stretch: {{}}\n  - vorton.advect: {{radii: {radii}}}\nexport:\n"
            "  - ply: {precision: double}\n")
    rows = preset_run(billow, folder, text)
    passes, before = [], None
    for n in range(frames + 1):
        head, data = (folder / f"flow/ply/flow_vortons_{n + 1:04d}.ply").read_bytes().split(b"end_header\n", 1)
        names = [line.split()[1:] for line in head.decode().splitlines() if line.startswith("property")]
        layout = struct.Struct("<" + "".join({"double": "d", "float": "f", "int": "i", "uint": "I"}[t] for t, _ in names))
        z = [values[[name for _, name in names].index("z")] for values in layout.iter_unpack(data)]
        apart = (sum(z[:len(z) // 2]) - sum(z[len(z) // 2:])) / len(z)
        if before and before * apart < 0:
            passes.append((n - apart / (apart - before)) / 10)
        before = apart
    impulse = [float(row["vorton.velocity.impulse_z"]) for row in (rows[1], rows[-1])]
    return passes, impulse[1] / impulse[0]


def rings(billow, folder):
    print("| rings | velocity | passes at (clear) | energy: most, last | peak left | CPU s | steps |\n| --- | --- | --- | --- | --- | --- | --- |")
    for name, radius, core, gap, width, length, seconds in RINGS:
        for way, text, finer in RING_WAYS:
            used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            rows = preset_run(billow, folder, rings_text(radius, core, gap, width, length, seconds, 2 * seconds, text, finer))
            used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - used
            most, end, steps = energies(rows)
            passes, peak = ring_passes(rows, width, length, seconds)
            print(f"| {name} | {way} | {', '.join(f'{t:.1f} ({c:.2f})' for t, c in passes)} | {most:.4f}, {end:.3f} | {peak:.2f} | "
                  f"{used:.0f} | {steps} |", flush=True)
        for radii in ("fixed", "stretched"):
            used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            passes, impulse = rings_of_vortons(billow, folder, radius, core, gap, 11 * seconds // 2, radii)
            used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - used
            print(f"| {name} | vortons, radii {radii} | {', '.join(f'{t:.1f}' for t in passes)} | impulse {impulse:.4f} | | {used:.0f} | |",
                  flush=True)


def eddies(billow, folder):
    print("| steps of | vortex: peak left | energy: most, last (steps) | pairs | ring |\n| --- | --- | --- | --- | --- |")
    show = lambda e: f"{e[0]:.4f}, {e[1]:.3f} ({e[2]})"
    for cfl in (1, 3, 5, 8):
        peak, alone = vortex(billow, folder, cfl)
        print(f"| {cfl} cells | {peak:.3f} | {show(alone)} | {show(pairs(billow, folder, cfl))} | {show(ring(billow, folder, cfl))} |",
              flush=True)


def taylor_green(billow, folder, n, way, viscosity):
    """Energy by frame as a share of the first, and the frames in a second."""
    fps = n // 4
    viscous = f"  - mac.diffuse: {{viscosity: {viscosity}}}\n" if viscosity else ""
    rows = preset_run(billow, folder, PRESET.format(n=n, fps=fps, frames=10 * fps + 1, way=way, viscous=viscous))
    energy = [float(row["stats.energy_vel"]) for row in rows]
    return [e / energy[0] for e in energy], fps


def main():
    billow, folder = sys.argv[1], Path(sys.argv[2])
    if sys.argv[3:] == ["rings"]:
        return rings(billow, folder)
    n = int(sys.argv[3]) if len(sys.argv) > 3 else 64
    eddies(billow, folder)
    print()
    print(f"| {n}^3 | E(2) | E(5) | E(8) | most | Re 1600: largest -dE/dt | at t |\n| --- | --- | --- | --- | --- | --- | --- |")
    for name, way in WAYS.items():
        e, fps = taylor_green(billow, folder, n, way, 0)
        v, _ = taylor_green(billow, folder, n, way, 1 / 1600)
        half = fps // 2
        most, at = max(((v[i] - v[i + half]) / 8 / (half / fps), i / fps + .25) for i in range(len(v) - half))
        print(f"| {name} | {e[2 * fps]:.3f} | {e[5 * fps]:.3f} | {e[8 * fps]:.3f} | {max(e):.4f} | {most:.4f} | {at:.1f} |",
              flush=True)


if __name__ == "__main__":
    main()
