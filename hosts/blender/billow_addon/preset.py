# SPDX-License-Identifier: GPL-3.0-or-later
"""The preset of a domain, as text."""
import os

import bpy

from . import motion, properties, scene, tables

SIDES = ("left", "right", "front", "back", "bottom", "top")
# What a kind of source wants of the stages, as the presets smoke, fire and explosion have it.
STAGES = {
    "SMOKE": {"dissipate": {"density": "0.15 1/s", "vanish": "0.01"}},
    "FIRE": {"fire": {"smoke": "0.25"}, "dissipate": {"density": "0.3 1/s", "vanish": "0.01"}},
    "EXPLOSION": {"fire": {"smoke": "4", "heat": "3e6 J/kg", "burn_rate": "1.2 1/s", "flame_life": "0.35 s",
                           "burnout": "{keys: {%d: 80, %d: 35, %d: 6, %d: 0}}"},
                  "mac.forces": {"buoyancy": "0.6"}, "dissipate": {"density": "0.1 1/s", "vanish": "0.005"}},
}
LOOKS = {"SMOKE": "thickness: %g",
         "FIRE": "thickness: %g, smoke: [0.25, 0.23, 0.21], flames: {opacity: 2, contrast: 0.8}",
         "EXPLOSION": "thickness: %g, smoke: [0.08, 0.07, 0.06], flames: {opacity: 2.3, soot: 1, contrast: 0.7}"}
THICKNESS = {"SMOKE": 2, "FIRE": 1, "EXPLOSION": 4}


def mapping(pairs):
    return "{%s}" % ", ".join(f"{key}: {value}" for key, value in pairs.items())


def quoted(text):
    return '"%s"' % "".join(c if c.isprintable() and c not in '"\\' else " " for c in text)


def domain_text(domain):
    low, high = scene.box(domain)
    edge, counts = scene.cells(domain)
    closed = {side: "closed" if wall else "open" for side, wall in zip(SIDES, domain.billow.closed)}
    return "domain: {cells: %s, voxel: %.7g m, origin: [%s], sides: %s}" % (
        counts, edge, ", ".join("%.7g m" % x for x in low), mapping(closed))


def source_text(number, track, shape, frames):
    own = track.thing.billow
    pairs = {"id": f"source_{number}", "shape": shape}
    if own.frames or own.start > frames[0]:
        begin = max(own.start, frames[0])
        pairs["frames"] = f"{begin}-{min(begin + own.frames - 1, frames[1]) if own.frames else frames[1]}"
    for key in "density", "temperature", "fuel":
        if getattr(own, key):
            pairs[key] = "%.7g" % getattr(own, key)
    if own.inherit:
        pairs["inherit_velocity"] = "%.7g" % own.inherit
    return f"  - emit: {mapping(pairs)}  # {quoted(track.thing.name)}"


def stage_texts(domain, kind, first):
    """The stages below the sources; what somebody set counts before what the kind wants."""
    out = []
    wanted = {stage: dict(pairs) for stage, pairs in STAGES[kind].items()}
    if kind == "EXPLOSION":
        wanted["fire"]["burnout"] %= (first, first + 7, first + 12, first + 16)
    for stage in "fire", "mac.forces", "mac.project", "dissipate":
        if stage == "fire" and kind == "SMOKE":
            continue
        group = properties.stage_group(domain, stage)
        pairs = {**wanted.get(stage, {}), **(tables.given(group) if group else {})}
        out.append(f"  - {stage}: {mapping(pairs)}")
    return out


def text(domain, folder):
    first, last = scene.frames()
    render = bpy.context.scene.render
    sources = motion.tracks(scene.of_role("SOURCE"), first, last)
    obstacles = motion.tracks(scene.of_role("OBSTACLE"), first, last)
    kinds = [t.thing.billow.kind for t in sources]
    kind = next((k for k in ("EXPLOSION", "FIRE") if k in kinds), "SMOKE")
    lines = [f"# {quoted(domain.name)}, written by the add-on of Blender: a bake writes it anew.", "billow: 1",
             f"name: {scene.name_of(domain)}", f"character: {domain.billow.character}", domain_text(domain),
             "time: {fps: %.7g, frames: %d-%d}" % (render.fps / render.fps_base, first, last), "stages:"]
    lines += [f"  - collide: {{id: obstacle_{i + 1}, wake: always, shape: {motion.shape(t, folder)}}}"
              f"  # {quoted(t.thing.name)}" for i, t in enumerate(obstacles)]
    lines += ["  - mac.advect: {}"]
    lines += [source_text(i + 1, t, motion.shape(t, folder), (first, last)) for i, t in enumerate(sources)]
    lines += stage_texts(domain, kind, max(first, min(t.thing.billow.start for t in sources)))
    lines += ["look: {%s}" % (LOOKS[kind] % (THICKNESS[kind] * domain.billow.thickness)), "export:", "  - vdb: {}"]
    return "\n".join(lines) + "\n"


def write(domain):
    """Preset and meshes; returns the preset's path."""
    folder = scene.folder_of(domain)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, scene.name_of(domain) + ".yaml")
    motion.write(path, text(domain, folder))
    return path
