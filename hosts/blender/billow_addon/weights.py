# SPDX-License-Identifier: GPL-3.0-or-later
"""A source that a vertex group or a texture weighs: its faces by quarters of the weight, each a source of that share.

Sources fill up to their amounts, so the parts lie in one another: all faces of at least an eighth give a quarter,
those of at least three eighths a half, and so on. A part is a sheet, two cells thick."""
import numpy

SHARES = (0.25, 0.5, 0.75, 1.0)
MOST_FACES = 400000


def is_weighed(thing):
    own = thing.billow
    return own.role == "SOURCE" and bool(own.group and own.group in thing.vertex_groups or own.texture)


def of(thing, mesh):
    """A weight of 0 to 1 for each point of the evaluated mesh; None: it has none."""
    if not is_weighed(thing):
        return None
    own, found = thing.billow, numpy.ones(len(mesh.vertices), numpy.float32)
    if own.group in thing.vertex_groups:
        index = thing.vertex_groups[own.group].index
        found *= [next((g.weight for g in v.groups if g.group == index), 0.0) for v in mesh.vertices]
    if own.texture:
        found *= texture_at(own, mesh)
    return numpy.clip(found, 0, 1)


def texture_at(own, mesh):
    """Brightness of the texture at each point, by its UV map or by where it lies in the mesh's box."""
    count = len(mesh.vertices)
    where = numpy.empty(3 * count, numpy.float32)
    mesh.vertices.foreach_get("co", where)
    where = where.reshape(-1, 3)
    if own.texture_uv and mesh.uv_layers.active:
        loops = numpy.empty(len(mesh.loops), numpy.int32)
        mesh.loops.foreach_get("vertex_index", loops)
        uv = numpy.empty(2 * len(loops), numpy.float32)
        mesh.uv_layers.active.data.foreach_get("uv", uv)
        where = numpy.zeros((count, 3), numpy.float32)
        where[loops, :2] = 2 * uv.reshape(-1, 2) - 1
    else:
        low, high = where.min(axis=0), where.max(axis=0)
        where = 2 * (where - low) / numpy.maximum(high - low, 1e-9) - 1
    size = own.texture_size or 1.0
    return numpy.array([brightness(own.texture, point) for point in (where / size).tolist()], numpy.float32)


def brightness(texture, point):
    red, green, blue, value = texture.evaluate(point)
    return value if texture.type not in ("IMAGE", "MAGIC") and not texture.use_color_ramp else (red + green + blue) / 3


def split(points, weights, triangles, edge):
    """Faces with no side longer than `edge`, so that a weight shows where it is; points are shared no more."""
    corners = points[triangles]
    values = weights[triangles]
    while len(corners) < MOST_FACES:
        sides = numpy.linalg.norm(corners - numpy.roll(corners, -1, axis=1), axis=2)  # from corner i to i + 1
        longest = sides.argmax(axis=1)
        long = sides[numpy.arange(len(sides)), longest] > edge
        if not long.any():
            break
        rows, first = numpy.arange(long.sum()), longest[long]
        c, v = corners[long], values[long]
        a, b, far = c[rows, first], c[rows, (first + 1) % 3], c[rows, (first + 2) % 3]
        va, vb, vfar = v[rows, first], v[rows, (first + 1) % 3], v[rows, (first + 2) % 3]
        middle, vmiddle = (a + b) / 2, (va + vb) / 2
        corners = numpy.concatenate([corners[~long], numpy.stack([a, middle, far], 1), numpy.stack([middle, b, far], 1)])
        values = numpy.concatenate([values[~long], numpy.stack([va, vmiddle, vfar], 1), numpy.stack([vmiddle, vb, vfar], 1)])
    return corners, values.mean(axis=1)


def joined(corners):
    """Points and triangles of loose triangles; corners at one place are one point."""
    points, index = numpy.unique(corners.reshape(-1, 3).round(7), axis=0, return_inverse=True)
    return points, index.reshape(-1, 3)


def parts(points, form, edge):
    """(share, (points, triangles)) by rising share; None where no face is left. Without weights: the whole."""
    if form.weights is None:
        yield 1.0, (points, form.triangles)
        return
    corners, values = split(points, form.weights, form.triangles, edge)
    for share in SHARES:
        kept = values >= share - 0.5 * SHARES[0]
        yield share, joined(corners[kept]) if kept.any() else None
