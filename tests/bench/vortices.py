# SPDX-License-Identifier: Apache-2.0
"""Vortices by each scheme of mac.advect's velocity: ./dev bench vortices

    python3 vortices.py BILLOW FOLDER [CELLS]

First three flows whose energy should stay, by steps of up to 1, 3, 5 and 8 cells: a vortex at rest (core 5.7 cells; what is
left of its middle's turning after 26 radian), two pairs that leapfrog (2D; core 2 cells, 16 apart), a ring (3D; radius 16 cells, core 2). Energy as a share of that after the first frame:
the most, and the last.

Then Taylor-Green's vortices: without viscosity, the share of the energy that is left at t = 2, 5, 8 and the most there ever was; at a
Reynolds number of 1600, the largest dissipation -dE/dt and when it is (a spectral solution has .0129 at t = 9: Brachet et al.,
J. Fluid Mech. 130, 1983). Energy is by unit of mass, 1/8 at first. Steps of about .6 cells."""
import csv
import subprocess
import sys
from pathlib import Path

WAYS = {"centred": "", "cubic": "velocity: cubic", "reflection": "reflection: true",
        "semi-lagrangian": "velocity: semi-lagrangian"}
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
