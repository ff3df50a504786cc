# SPDX-License-Identifier: Apache-2.0
"""Taylor-Green's vortices by every way that mac.advect's velocity can go: ./dev bench vortices

    python3 vortices.py BILLOW FOLDER [CELLS]

Prints a row each: without viscosity, the share of the energy that is left at t = 2, 5, 8 and the most there ever was; at a
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


def bake(billow, folder, n, way, viscosity):
    fps = n // 4
    viscous = f"  - mac.diffuse: {{viscosity: {viscosity}}}\n" if viscosity else ""
    folder.mkdir(parents=True, exist_ok=True)
    preset = folder / "vortices.yaml"
    preset.write_text(PRESET.format(n=n, fps=fps, frames=10 * fps + 1, way=way, viscous=viscous))
    subprocess.run([billow, "bake", preset, "--out", folder / "bake", "--force"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    with open(folder / "bake" / "metrics.csv") as file:
        energy = [float(row["stats.energy_vel"]) for row in csv.DictReader(file)]
    return [e / energy[0] for e in energy], fps


def main():
    billow, folder = sys.argv[1], Path(sys.argv[2])
    n = int(sys.argv[3]) if len(sys.argv) > 3 else 64
    print(f"| {n}^3 | E(2) | E(5) | E(8) | most | Re 1600: largest -dE/dt | at t |\n| --- | --- | --- | --- | --- | --- | --- |")
    for name, way in WAYS.items():
        e, fps = bake(billow, folder, n, way, 0)
        v, _ = bake(billow, folder, n, way, 1 / 1600)
        half = fps // 2
        most, at = max(((v[i] - v[i + half]) / 8 / (half / fps), i / fps + .25) for i in range(len(v) - half))
        print(f"| {name} | {e[2 * fps]:.3f} | {e[5 * fps]:.3f} | {e[8 * fps]:.3f} | {max(e):.4f} | {most:.4f} | {at:.1f} |",
              flush=True)


if __name__ == "__main__":
    main()
