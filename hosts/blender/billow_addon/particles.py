# SPDX-License-Identifier: GPL-3.0-or-later
"""A particle system as points that emit: a file of those that live, a frame."""
import hashlib
import os

import numpy

from . import motion, scene

HEAD = "x,y,z,radius,vx,vy,vz,id\n"
ALIVE = 3  # of alive_state, as foreach_get gives it
STEP = 0.04  # s; Blender's particles take a frame for that, whatever the frame rate


def system_of(thing):
    """The system by whose particles the source emits; None: by its mesh."""
    name = thing.billow.particles
    return thing.particle_systems.get(name) if name and thing.billow.role == "SOURCE" else None


def wrong(thing):
    """Why it can't, in words, or None."""
    own = thing.billow
    if not own.particles or own.role != "SOURCE":
        return None
    system = thing.particle_systems.get(own.particles)
    if not system:
        return f"{thing.name} has no particle system {own.particles}"
    if system.settings.type == "HAIR":
        return f"{own.particles} of {thing.name} is hair: only particles that fly emit"
    return None


class Cloud:
    """The particles over the frames, each frame written as it comes."""

    def __init__(self, thing, folder):
        self.thing, self.folder, self.most = thing, folder, 0
        system = system_of(thing)
        self.begins = int(min(system.point_cache.frame_start, system.settings.frame_start))
        key = f"{thing.name_full}/{system.name}"
        self.name = "meshes/" + hashlib.sha256(key.encode()).hexdigest()[:12]
        os.makedirs(os.path.join(folder, "meshes"), exist_ok=True)

    def see(self, frame, graph):
        system = self.thing.evaluated_get(graph).particle_systems[self.thing.billow.particles]
        rows = rows_of(system.particles, system.settings.time_tweak, self.thing.billow.particle_size)
        self.most = max(self.most, len(rows))
        text = HEAD + "".join("%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%d\n" % tuple(r) for r in rows.tolist())
        motion.write(os.path.join(self.folder, f"{self.name}_{frame:04}.csv"), text)

    def shapes(self):
        if not self.most:
            raise scene.Wrong(f"no particle of {self.thing.name} lives in the scene's frames")
        return [(f"{{points: {{file: {self.name}_####.csv}}}}", 1.0)]


def rows_of(particles, tweak, grow):
    """x y z, radius, velocity (m, m/s), number of those that live."""
    count, unit = len(particles), scene.unit()

    def read(key, width=1, kind=numpy.float32):
        out = numpy.empty(count * width, kind)
        particles.foreach_get(key, out)
        return out.reshape(count, width)
    alive = read("alive_state", kind=numpy.int32)[:, 0] == ALIVE
    speed = STEP * tweak * scene.rate()
    rows = numpy.hstack([read("location", 3) * unit, read("size") * grow * unit, read("velocity", 3) * unit * speed,
                         numpy.arange(count)[:, None]])
    return rows[alive]
