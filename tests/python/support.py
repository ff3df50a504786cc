# SPDX-License-Identifier: Apache-2.0
"""What the tests share: a preset that bakes in milliseconds, folders, and a hash of all of a frame's bits."""
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]

PUFF = """billow: 1
name: puff
domain: {size: [0.64, 0.64, 0.96], voxel: 2 cm, sides: {bottom: closed, rest: open}}
time: {fps: 25, frames: 1-4, seed: 7}
stages:
  - mac.advect: {}
  - emit: {shape: {sphere: {center: [0, 0, 0.3], radius: 15 cm}}, density: 1, temperature: 100}
  - mac.forces: {buoyancy: 1}
  - mac.project: {}
"""
EXPORT = "export:\n  - vdb: {precision: float, threshold: 0, velocity: staggered}\n"

RING = """billow: 1
name: ring
domain: {size: [0.64, 0.64, 0.64], voxel: 4 cm, sides: {rest: open}}
time: {fps: 24, frames: 1-2, seed: 5}
stages:
  - vorton.emit:
      source: {ring: {center: [0, 0, 0.3], axis: [0, 0, 1], radius: 12 cm, core: 3 cm, circulation: 0.6, layers: 1}}
  - tracers: {shape: {torus: {center: [0, 0, 0.3], axis: [0, 0, 1], radius: 12 cm, thickness: 4 cm}}, count: 500}
  - vorton.velocity: {}
  - vorton.advect: {}
"""

NESTED = """billow: 1
name: nested
domains:
  wide: {size: [1.28, 1.28, 1.28], voxel: 4 cm, sides: {rest: open}}
  near: {cells: [16, 16, 16], size: [0.32, 0.32, 0.32], sides: {rest: open}}
time: {fps: 24, frames: 1-1}
stages:
  - emit: {domain: near, density: 1, shape: {sphere: {center: [0, 0, 0.1], radius: 8 cm}}}
  - transfer: {id: up, domain: wide, from: near, fields: [density]}
"""


def bits(frame):
    """A hash of every value of every tile and particle."""
    h = hashlib.sha256()
    for field in frame.fields:
        h.update(f"{field.domain}.{field.name} {field.lo} {field.shape}".encode())
        for tile in field.tiles():
            h.update(str(tile.lo).encode())
            for values in tile.values:
                h.update(values.tobytes())
    for name in frame:
        if not any(field.name == name for field in frame.fields):
            h.update(frame[name].array().tobytes())
    return h.hexdigest()


def child(script, **environment):
    """A Python of its own that runs `script`; started, with pipes."""
    return subprocess.Popen([sys.executable, "-W", "error::ResourceWarning", "-c", script], text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env={**os.environ, **environment})


class Case(unittest.TestCase):
    """With a folder of its own, where relative output goes."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path
