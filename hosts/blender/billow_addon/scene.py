# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects take part, and where they are."""
import os
import re

import bpy
from mathutils import Vector


class Wrong(Exception):
    """What keeps a bake from beginning, in words."""


HAS_SURFACE = ("MESH", "CURVE", "SURFACE", "FONT", "META")


def all_objects():
    return [o for o in bpy.context.scene.objects if o.users_scene]


def of_role(role):
    kinds = ("MESH",) if role == "DOMAIN" else HAS_SURFACE
    return [o for o in all_objects() if o.type in kinds and o.billow.role == role]


def unit():
    """Metres to a unit of the scene."""
    return bpy.context.scene.unit_settings.scale_length or 1.0


def rate():
    """Frames a second."""
    render = bpy.context.scene.render
    return render.fps / render.fps_base


def wide():
    """The longest side of the largest domain, m."""
    boxes = [box(d) for d in of_role("DOMAIN")]
    return max([h - l for low, high in boxes for l, h in zip(low, high)], default=1.0)


def gravity():
    """m/s^2; None: that of the earth."""
    world = bpy.context.scene
    found = tuple(world.gravity) if world.use_gravity else (0.0, 0.0, 0.0)
    return None if all(abs(a - b) < 1e-4 for a, b in zip(found, (0, 0, -9.81))) else found


def box(thing):
    """Corners of the box, m, in the world."""
    corners = [thing.matrix_world @ Vector(c) for c in thing.bound_box]
    return [unit() * min(c[a] for c in corners) for a in range(3)], [unit() * max(c[a] for c in corners) for a in range(3)]


def apart(thing, domain):
    """It never comes into the box where it stands still; what moves may come."""
    (low, high), own = box(domain), box(thing)
    return not moves(thing) and not thing.billow.particles and any(
        own[1][a] < low[a] or own[0][a] > high[a] for a in range(3))


def sources_of(domain):
    """Those of the scene, but for what lies in another domain alone."""
    others = [d for d in of_role("DOMAIN") if d != domain]
    return [s for s in of_role("SOURCE") if not apart(s, domain) or all(apart(s, d) for d in others)]


def curves(thing):
    """Of the object's own animation."""
    action = thing.animation_data.action if thing.animation_data else None
    if not action:
        return []
    if hasattr(action, "fcurves"):
        return list(action.fcurves)
    bags = [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]  # from 4.4 on
    return [curve for bag in bags for curve in bag.fcurves]


def moves(thing):
    """It may: it is animated, or follows what is."""
    return bool(thing.animation_data or thing.parent or thing.constraints)


def is_turned(thing):
    axes = [thing.matrix_world.col[a].xyz for a in range(3)]
    return any(abs(axes[a][b]) > 1e-4 * axes[a].length for a in range(3) for b in range(3) if a != b)


def cells(thing):
    """Edge of a cell, m, and how many there are along x, y, z."""
    low, high = box(thing)
    size = [h - l for l, h in zip(low, high)]
    edge = max(size) / thing.billow.resolution
    return edge, [max(1, round(s / edge)) for s in size] if edge > 0 else [0, 0, 0]


def faces(thing):
    """How many it has with its modifiers."""
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    if evaluated.type == "MESH":
        return len(evaluated.data.polygons)
    mesh = evaluated.to_mesh()
    count = len(mesh.polygons) if mesh else 0
    evaluated.to_mesh_clear()
    return count


def has_faces(thing):
    return faces(thing) > 0


def name_of(domain):
    """For files: hosts want plain letters in a path."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", domain.name).strip("_-") or "smoke"


def folder_of(domain):
    """Where preset, meshes and cache go."""
    if domain.billow.folder:
        return bpy.path.abspath(domain.billow.folder)
    if not bpy.data.filepath:
        raise Wrong("save the .blend first: the cache goes beside it")
    return os.path.join(os.path.dirname(bpy.data.filepath), "billow", name_of(domain))


def frames():
    scene = bpy.context.scene
    return scene.frame_start, scene.frame_end
