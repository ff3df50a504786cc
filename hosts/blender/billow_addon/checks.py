# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps a bake from beginning, in words."""
from . import particles, program, scene


def check(domain):
    """Everything that is wrong, a sentence each."""
    found = []
    for question in (program.find, lambda: scene.folder_of(domain)):
        try:
            question()
        except (program.Missing, scene.Wrong) as why:
            found.append(str(why))
    if scene.is_turned(domain):
        found.append(f"{domain.name} is turned: apply its rotation (Object > Apply > Rotation)")
    low, high = scene.box(domain)
    if min(h - l for l, h in zip(low, high)) <= 0:
        found.append(f"{domain.name} is flat: a domain is a box")
    sources = scene.of_role("SOURCE")
    if not sources and not domain.billow.base:
        found.append("there is no source: give a mesh the role Source")
    twin = [d.name for d in scene.of_role("DOMAIN") if d != domain and scene.name_of(d) == scene.name_of(domain) and not d.billow.folder]
    if twin:
        found.append(f"{domain.name} and {twin[0]} would write to the same folder: give one of them another name or folder")
    found += [f"{o.name} has no faces" for o in sources + scene.of_role("OBSTACLE") if not scene.has_faces(o) and not o.billow.particles]
    found += [why for why in map(particles.wrong, sources) if why]
    found += [f"{o.name} lies outside {domain.name}" for o in sources if scene.has_faces(o) and apart(o, low, high)]
    if scene.frames()[1] < scene.frames()[0]:
        found.append("the scene ends before it begins")
    if scene.frames()[0] < 0:
        found.append("the scene begins before frame 0: files have no negative numbers")
    return found


def apart(thing, low, high):
    """It never comes into the box where it stands still; what moves may come."""
    own = scene.box(thing)
    return not thing.animation_data and not thing.parent and any(
        own[1][a] < low[a] or own[0][a] > high[a] for a in range(3))
