# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects take part, and what is wrong with them."""
import os
import re

import bpy
from mathutils import Vector

from . import program


class Wrong(Exception):
    """What keeps a bake from beginning, in words."""


def of_role(role):
    return [o for o in bpy.context.scene.objects if o.type == "MESH" and o.billow.role == role and o.users_scene]


def unit():
    """Metres to a unit of the scene."""
    return bpy.context.scene.unit_settings.scale_length or 1.0


def box(thing):
    """Corners of the box, m, in the world."""
    corners = [thing.matrix_world @ Vector(c) for c in thing.bound_box]
    return [unit() * min(c[a] for c in corners) for a in range(3)], [unit() * max(c[a] for c in corners) for a in range(3)]


def is_turned(thing):
    axes = [thing.matrix_world.col[a].xyz for a in range(3)]
    return any(abs(axes[a][b]) > 1e-4 * axes[a].length for a in range(3) for b in range(3) if a != b)


def cells(thing):
    """Edge of a cell, m, and how many there are along x, y, z."""
    low, high = box(thing)
    size = [h - l for l, h in zip(low, high)]
    edge = max(size) / thing.billow.resolution
    return edge, [max(1, round(s / edge)) for s in size] if edge > 0 else [0, 0, 0]


def has_faces(thing):
    return len(thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.polygons) > 0


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


def check(domain):
    """Everything that is wrong, a sentence each."""
    found = []
    for question in (program.find, lambda: folder_of(domain)):
        try:
            question()
        except (program.Missing, Wrong) as why:
            found.append(str(why))
    if is_turned(domain):
        found.append(f"{domain.name} is turned: apply its rotation (Object > Apply > Rotation)")
    low, high = box(domain)
    if min(h - l for l, h in zip(low, high)) <= 0:
        found.append(f"{domain.name} is flat: a domain is a box")
    sources = of_role("SOURCE")
    if not sources:
        found.append("there is no source: give a mesh the role Source")
    twin = [d.name for d in of_role("DOMAIN") if d != domain and name_of(d) == name_of(domain) and not d.billow.folder]
    if twin:
        found.append(f"{domain.name} and {twin[0]} would write to the same folder: give one of them another name or folder")
    found += [f"{o.name} has no faces" for o in sources + of_role("OBSTACLE") if not has_faces(o)]
    found += [f"{o.name} lies outside {domain.name}" for o in sources if has_faces(o) and apart(o, low, high)]
    if frames()[1] < frames()[0]:
        found.append("the scene ends before it begins")
    if frames()[0] < 0:
        found.append("the scene begins before frame 0: files have no negative numbers")
    return found


def apart(thing, low, high):
    """It never comes into the box where it stands still; what moves may come."""
    own = box(thing)
    return not thing.animation_data and not thing.parent and any(
        own[1][a] < low[a] or own[0][a] > high[a] for a in range(3))
