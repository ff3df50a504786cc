# SPDX-License-Identifier: Apache-2.0
"""What the trials of volumes.py begin with and end with: VDB files are written, the program runs, and what it wrote is
read."""
import os
import subprocess
import sys

import numpy
import pyopenvdb as vdb

BILLOW = os.path.realpath(sys.argv[1])
BALL = 251 * .05 ** 3  # m^3: ball()'s voxels
passed = failed = 0


def check(what, good, *seen):
    global passed, failed
    if good:
        passed += 1
        return
    failed += 1
    print("-- failed:", what, *seen, file=sys.stderr)


def near(a, b, part=0.01):
    return abs(a - b) <= part * abs(b)


class Run:
    """The program in the folder that is the present one."""

    def __init__(self, *args):
        done = subprocess.run([BILLOW, *args], stdin=subprocess.DEVNULL, capture_output=True)
        self.code = done.returncode
        self.said = (done.stdout + done.stderr).decode(errors="replace")

    def says(self, *words):
        return all(w in self.said for w in words)


# ---- writing ----

def linear(voxel):
    return vdb.createLinearTransform(voxelSize=voxel)


def ball(name="density", middle=(0, 0, .5), voxel=.05, value=1.0, radius=.1890, transform=None, kind=vdb.FloatGrid):
    """Voxels whose centre lies within a ball of the world."""
    grid = kind()
    grid.name = name
    grid.transform = transform or linear(voxel)
    corners = [grid.transform.worldToIndex(tuple(middle[a] + (1 if c >> a & 1 else -1) * (radius + voxel) for a in range(3)))
               for c in range(8)]
    lo = [int(numpy.floor(min(c[a] for c in corners))) for a in range(3)]
    hi = [int(numpy.ceil(max(c[a] for c in corners))) for a in range(3)]
    access = grid.getAccessor()
    for i in range(lo[0], hi[0] + 1):
        for j in range(lo[1], hi[1] + 1):
            for k in range(lo[2], hi[2] + 1):
                w = grid.transform.indexToWorld((i, j, k))
                if sum((w[a] - middle[a]) ** 2 for a in range(3)) < radius ** 2:
                    access.setValueOn((i, j, k), value)
    return grid


def block(name, lo, hi, value, transform, kind=vdb.FloatGrid):
    grid = kind()
    grid.name = name
    grid.transform = transform
    grid.fill(lo, hi, value, True)
    return grid


def air(name="vel", voxel=.05, value=(1.0, 0.0, 0.0), cells=12, middle=(0, 0, .5)):
    lo = tuple(int(round(m / voxel)) - cells for m in middle)
    hi = tuple(int(round(m / voxel)) + cells for m in middle)
    return block(name, lo, hi, value, linear(voxel), vdb.Vec3SGrid)


def write(path, *grids, **meta):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    vdb.write(path, grids=list(grids), metadata=meta)


# ---- reading ----

class Seen:
    """Amount, centre and largest value of a grid; of vectors their mean."""

    def __init__(self, grid):
        size = grid.transform.voxelSize()
        self.voxel, n, total, self.most = size[0], 0, 0.0, 0.0
        middle, mean = numpy.zeros(3), numpy.zeros(3)
        for v in grid.citerOnValues():
            n += v.count
            if isinstance(v.value, tuple):
                mean += numpy.array(v.value) * v.count
                continue
            at = grid.transform.indexToWorld(tuple((v.min[a] + v.max[a]) / 2 for a in range(3)))
            total += v.value * v.count
            middle += numpy.array(at) * v.value * v.count
            self.most = max(self.most, v.value)
        self.voxels = n
        self.grid = grid
        self.volume = n * size[0] * size[1] * size[2]
        self.amount = total * size[0] * size[1] * size[2]
        self.middle = middle / total if total else middle
        self.mean = mean / n if n else mean

    def near(self, place):
        """The value of the voxel there."""
        return numpy.array(self.grid.getConstAccessor().getValue(
            tuple(int(round(i)) for i in self.grid.transform.worldToIndex(place))))

    def __str__(self):
        return f"{self.voxels} voxels of {self.voxel}, {self.amount} at {self.middle}, most {self.most}, mean {self.mean}"

    def at(self, *place, within=.01):
        return numpy.abs(self.middle - numpy.array(place)).max() < within


def read(path):
    """Of a file: its grids by name, and its metadata."""
    if not os.path.exists(path):
        return {}, {}
    grids, meta = vdb.readAll(path)
    return {g.name: Seen(g) for g in grids}, meta


class Nothing:
    amount = volume = most = voxels = 0
    voxel = 1
    middle = mean = numpy.zeros(3)

    def at(self, *place, within=0):
        return False

    def near(self, place):
        return numpy.zeros(3)


def grid(path, name="density"):
    return read(path)[0].get(name, Nothing())


# ---- presets ----

def bake(stage, cells=(40, 30, 30), origin=(-.8, -.6, -.1), frames="1-1", fields="density", command="bake", out="out"):
    with open("preset.yaml", "w") as f:
        f.write(f"billow: 1\nname: t\ndomain: {{cells: {list(cells)}, voxel: 4 cm, origin: {list(origin)}}}\n"
                f"time: {{frames: {frames}, substeps: 1}}\nstages:\n  - {stage}\n"
                f"export:\n  - vdb: {{fields: [{fields}]}}\ncharacter: calm\n")
    if command == "check":
        return Run("check", "preset.yaml")
    return Run("bake", "preset.yaml", "--threads", "1", "--force", "--out", out)


def played(cache, *options, command="retime", out=None):
    """The new frames' paths, and the run."""
    out = out or cache + "_" + command
    speed = ["--speed", "1"] if command == "retime" and not any(o in options for o in ("--speed", "--frames")) else []
    run = Run(command, cache, *speed, *options, "--threads", "1", "--mute", "mp4", "--force", "--out", out)
    folder = os.path.join(out, "vdb")
    files = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [os.path.join(folder, f) for f in files], run
