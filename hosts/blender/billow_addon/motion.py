# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects as meshes and keys: what only moves is one file, what changes its form a file a frame."""
import hashlib
import os

import bpy
import numpy

from . import scene, weights


class Form:
    """Points in an object's own axes, triangles, and the points' weights where it has some."""

    def __init__(self, thing, graph):
        evaluated = thing.evaluated_get(graph)
        mesh = evaluated.to_mesh()
        mesh.calc_loop_triangles()
        points = numpy.empty(3 * len(mesh.vertices), numpy.float32)
        triangles = numpy.empty(3 * len(mesh.loop_triangles), numpy.int32)
        mesh.vertices.foreach_get("co", points)
        mesh.loop_triangles.foreach_get("vertices", triangles)
        self.points, self.triangles = points.reshape(-1, 3), triangles.reshape(-1, 3)
        self.weights = weights.of(thing, mesh)
        evaluated.to_mesh_clear()

    def same(self, other):
        return all(a is b or (a is not None and b is not None and a.shape == b.shape and numpy.allclose(a, b, atol=1e-6))
                   for a, b in ((self.points, other.points), (self.weights, other.weights)))


def obj_text(points, triangles):
    return "".join(["# z up\n", *("v %.7g %.7g %.7g\n" % tuple(p) for p in points.tolist()),
                    *("f %d %d %d\n" % tuple(t) for t in (triangles + 1).tolist())])


def write(path, text):
    """Whole or not at all."""
    try:
        with open(path + ".part", "w", encoding="utf-8") as f:
            f.write(text)
        os.replace(path + ".part", path)
    except OSError:
        if os.path.exists(path + ".part"):
            os.remove(path + ".part")
        raise


class Track:
    """An object over the frames: its places, and whether its form changes."""

    def __init__(self, thing):
        self.thing, self.frames, self.places, self.turns, self.scales = thing, [], [], [], []
        self.first, self.deforms = None, False

    def see(self, frame, graph):
        matrix = self.thing.evaluated_get(graph).matrix_world
        place, turn, scale = matrix.decompose()
        last = self.turns[-1] if self.turns else None
        self.frames.append(frame)
        self.places.append(tuple(scene.unit() * x for x in place))
        self.turns.append(turn.to_euler("XYZ", last) if last else turn.to_euler("XYZ"))
        self.scales.append(tuple(scale))
        if self.deforms:
            return
        form = Form(self.thing, graph)
        self.first = self.first or form
        close = numpy.allclose(self.scales[0], scale, rtol=1e-4)
        self.deforms = not (self.first.same(form) and close) or sheared(matrix)


def sheared(matrix):
    axes = [matrix.col[a].xyz for a in range(3)]
    return any(abs(axes[a].dot(axes[b])) > 1e-4 * axes[a].length * axes[b].length for a in range(3) for b in range(a))


def over(frames):
    """Each frame with the scene as it is then; the scene comes back to its own frame."""
    now = bpy.context.scene.frame_current
    try:
        for frame in frames:
            bpy.context.scene.frame_set(frame)
            yield frame, bpy.context.evaluated_depsgraph_get()
    finally:
        bpy.context.scene.frame_set(now)


def follow(tracks, first, last):
    """All of them over the frames, each frame evaluated once. What begins earlier is stepped from there on."""
    begin = min([first, *(t.begins for t in tracks if hasattr(t, "begins"))])
    for frame, graph in over(range(begin, last + 1)):
        for track in tracks if frame >= first else []:
            track.see(frame, graph)
    return tracks


def keyed(frames, texts):
    """A constant, or keys: of a run of equal ones its ends."""
    if len(set(texts)) == 1:
        return texts[0]
    ends = [i for i in range(len(texts)) if texts[i - 1:i] != [texts[i]] or texts[i + 1:i + 2] != [texts[i]]]
    return "{ease: linear, keys: {%s}}" % ", ".join(f"{frames[i]}: {texts[i]}" for i in ends)


def keys(frames, values, digits):
    """Text of vectors over the frames."""
    return keyed(frames, ["[%s]" % ", ".join(digits % (round(x, 7) + 0.0) for x in v) for v in values])


def keys_scalar(frames, values, digits):
    return keyed(frames, [digits % v for v in values])


def stored(text, folder):
    """Name of the mesh's file in folder/meshes: of the same form there is one."""
    os.makedirs(os.path.join(folder, "meshes"), exist_ok=True)
    name = f"meshes/{hashlib.sha256(text.encode()).hexdigest()[:12]}.obj"
    if not os.path.exists(os.path.join(folder, name)):
        write(os.path.join(folder, name), text)
    return name


def shapes(track, folder, edge):
    """[(text of a shape, share of the amounts)]: one, or with weights one for each quarter of the weight."""
    if track.deforms:
        return deforming(track, folder, edge)
    center, turn = keys(track.frames, track.places, "%.7g"), keys(track.frames, track.turns, "%.7g rad")
    points = track.first.points * numpy.array(track.scales[0]) * scene.unit()
    return [(f"{{mesh: {{file: {stored(obj_text(*part), folder)}, up: z, center: {center}, rotate: {turn}}}}}", share)
            for share, part in weights.parts(points, track.first, edge) if part]


def deforming(track, folder, edge):
    """Where its points are in the world, a file a frame; no file where a part has no face in a frame."""
    os.makedirs(os.path.join(folder, "meshes"), exist_ok=True)
    own = "meshes/" + hashlib.sha256(track.thing.name_full.encode()).hexdigest()[:12]
    names = {}
    for frame, graph in over(track.frames):
        form = Form(track.thing, graph)
        matrix = numpy.array(track.thing.evaluated_get(graph).matrix_world)
        world = scene.unit() * (form.points @ matrix[:3, :3].T + matrix[:3, 3])
        for share, part in weights.parts(world, form, edge):
            name = f"{own}_{round(100 * share)}" if share < 1 or form.weights is not None else own
            path = os.path.join(folder, f"{name}_{frame:04}.obj")
            if part:
                write(path, obj_text(*part))
                names[name] = share
            elif os.path.exists(path):
                os.remove(path)
    return [(f"{{mesh: {{file: {name}_####.obj, up: z, outside: blank}}}}", share) for name, share in names.items()]
