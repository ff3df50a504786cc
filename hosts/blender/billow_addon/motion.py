# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects as meshes and keys: what only moves is one file, what changes its form a file a frame."""
import hashlib
import math
import os

import bpy
import numpy

from . import scene


def evaluated_mesh(thing):
    """Points in its own axes, and triangles."""
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    mesh.calc_loop_triangles()
    points = numpy.empty(3 * len(mesh.vertices), numpy.float32)
    triangles = numpy.empty(3 * len(mesh.loop_triangles), numpy.int32)
    mesh.vertices.foreach_get("co", points)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    evaluated.to_mesh_clear()
    return points.reshape(-1, 3), triangles.reshape(-1, 3)


def obj_text(points, triangles):
    return "".join(["# z up\n", *("v %.7g %.7g %.7g\n" % tuple(p) for p in points.tolist()),
                    *("f %d %d %d\n" % tuple(t) for t in (triangles + 1).tolist())])


def write(path, text):
    with open(path + ".part", "w", encoding="utf-8") as f:
        f.write(text)
    os.replace(path + ".part", path)


class Track:
    """An object over the frames: its places, and whether its form changes."""

    def __init__(self, thing):
        self.thing, self.frames, self.places, self.turns, self.scales = thing, [], [], [], []
        self.first, self.deforms = None, False

    def see(self, frame):
        matrix = self.thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world
        place, turn, scale = matrix.decompose()
        last = self.turns[-1] if self.turns else None
        self.frames.append(frame)
        self.places.append(tuple(scene.unit() * x for x in place))
        self.turns.append(turn.to_euler("XYZ", last) if last else turn.to_euler("XYZ"))
        self.scales.append(tuple(scale))
        form = evaluated_mesh(self.thing)
        if self.first is None:
            self.first = form
        same = self.first[0].shape == form[0].shape and numpy.allclose(self.first[0], form[0], atol=1e-6)
        close = numpy.allclose(self.scales[0], scale, rtol=1e-4)
        self.deforms |= not (same and close) or sheared(matrix)

    def moves(self):
        return len(set(self.places)) > 1 or len({tuple(t) for t in self.turns}) > 1


def sheared(matrix):
    axes = [matrix.col[a].xyz for a in range(3)]
    return any(abs(axes[a].dot(axes[b])) > 1e-4 * axes[a].length * axes[b].length for a in range(3) for b in range(a))


def tracks(things, first, last):
    """All of them over the frames, each frame evaluated once; the scene stays at its frame."""
    now, found = bpy.context.scene.frame_current, [Track(t) for t in things]
    for frame in range(first, last + 1):
        bpy.context.scene.frame_set(frame)
        for track in found:
            track.see(frame)
    bpy.context.scene.frame_set(now)
    return found


def keys(frames, values, digits):
    texts = ["[%s]" % ", ".join(digits % x for x in v) for v in values]
    if len(set(texts)) == 1:
        return texts[0]
    return "{ease: linear, keys: {%s}}" % ", ".join("%d: %s" % pair for pair in zip(frames, texts))


def shape(track, folder):
    """The preset's text of a shape; its files go into folder/meshes."""
    os.makedirs(os.path.join(folder, "meshes"), exist_ok=True)
    if track.deforms:
        return deforming(track, folder)
    points, triangles = track.first
    text = obj_text(points * numpy.array(track.scales[0]) * scene.unit(), triangles)
    name = f"meshes/{hashlib.sha256(text.encode()).hexdigest()[:12]}.obj"  # of the same form one file
    if not os.path.exists(os.path.join(folder, name)):
        write(os.path.join(folder, name), text)
    center, turn = keys(track.frames, track.places, "%.7g"), keys(track.frames, track.turns, "%.7g rad")
    return f"{{mesh: {{file: {name}, up: z, center: {center}, rotate: {turn}}}}}"


def deforming(track, folder):
    """Where its points are in the world, a file a frame."""
    name = "meshes/" + hashlib.sha256(track.thing.name.encode()).hexdigest()[:12]
    now = bpy.context.scene.frame_current
    for frame in track.frames:
        bpy.context.scene.frame_set(frame)
        points, triangles = evaluated_mesh(track.thing)
        matrix = numpy.array(track.thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)
        world = scene.unit() * (points @ matrix[:3, :3].T + matrix[:3, 3])
        write(os.path.join(folder, f"{name}_{frame:04}.obj"), obj_text(world, triangles))
    bpy.context.scene.frame_set(now)
    return f"{{mesh: {{file: {name}_####.obj, up: z}}}}"


def is_finite(track):
    return all(math.isfinite(x) for p in track.places for x in p)
