# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps a bake from beginning, in words."""
import os
import re

from . import estimate, particles, program, scene


def check(domain):
    """Everything that is wrong, a sentence each."""
    sources, obstacles = scene.sources_of(domain), scene.of_role("OBSTACLE")
    found = [*installation(domain), *box(domain), *time()]
    if not sources and not domain.billow.base:
        found.append("there is no source: give a mesh the role Source")
    found += [why for thing in sources + obstacles for why in mesh(thing)]
    found += [why for why in map(particles.wrong, sources) if why]
    found += [f"{s.name} lies outside {domain.name}" for s in sources if scene.has_faces(s) and scene.apart(s, domain)]
    found += [f"{s.name} and {o.name} fill the same place: what an obstacle holds does not come out; make the source "
              "larger, with a modifier Displace" for s in sources for o in obstacles if same_place(s, o, domain)]
    found += instances()
    return found


def installation(domain):
    """The program, the folder, the disk."""
    for question in (program.check, lambda: scene.folder_of(domain)):
        try:
            question()
        except (program.Missing, scene.Wrong) as why:
            yield str(why)
    figures = estimate.known.get(domain.name)
    if figures and isinstance(figures[1], estimate.Figures) and figures[1].wrong():
        yield figures[1].wrong()


def box(domain):
    low, high = scene.box(domain)
    if scene.is_turned(domain):
        yield f"{domain.name} is turned: apply its rotation (Object > Apply > Rotation)"
    if min(h - l for l, h in zip(low, high)) <= 0:
        yield f"{domain.name} is flat: a domain is a box"
    if any(re.match("location|rotation|scale|delta_", c.data_path) for c in scene.curves(domain)):
        yield f"{domain.name} is animated: a domain stands still; clear its animation"
    for other in scene.of_role("DOMAIN"):
        if other != domain and folder(other) == folder(domain):
            yield (f"{domain.name} and {other.name} would write to the same folder: give one of them another name or "
                   "folder")


def folder(domain):
    try:
        return os.path.realpath(scene.folder_of(domain))
    except scene.Wrong:  # the .blend was never saved
        return scene.name_of(domain)


def time():
    first, last = scene.frames()
    if last < first:
        yield "the scene ends before it begins"
    if first < 0:
        yield "the scene begins before frame 0: files have no negative numbers"


def mesh(thing):
    if not scene.has_faces(thing) and not thing.billow.particles:
        yield f"{thing.name} has no faces" + (": give the curve a bevel" if thing.type == "CURVE" else "")
    if thing.billow.group and thing.billow.group not in thing.vertex_groups:
        yield f"{thing.name} has no vertex group {thing.billow.group}"


def same_place(source, obstacle, domain):
    """Boxes alike within a cell, and as many faces."""
    near = scene.cells(domain)[0]
    corners = [abs(a - b) for one, other in zip(scene.box(source), scene.box(obstacle)) for a, b in zip(one, other)]
    return max(corners) < near and not source.billow.particles and scene.faces(source) == scene.faces(obstacle)


def instances():
    """Objects of a collection that is only shown take no part."""
    for thing in scene.all_objects():
        inside = thing.instance_collection.all_objects if thing.instance_collection else []
        if any(o.billow.role in ("SOURCE", "OBSTACLE") for o in inside):
            yield f"{thing.name} only shows a collection with sources or obstacles: Object > Apply > Make Instances Real"
