# SPDX-License-Identifier: GPL-3.0-or-later
"""The preset of a domain, as text: what it starts from, with the scene's box, sources, obstacles and forces."""
import glob
import hashlib
import os
import re

import bpy

from . import base, forces, motion, particles, properties, scene, tables

SIDES = ("left", "right", "front", "back", "bottom", "top")
AXES = ("x-", "x+", "y-", "y+", "z-", "z+")
SOLVERS = ("mac.forces", "mac.project", "flux")
AMOUNTS = {"density": "density", "temperature": "temperature", "fuel": "fuel", "inherit": "inherit_velocity"}
SHARED = ("density", "temperature", "fuel")  # of a source that is weighed, each part has its share


def mapping(pairs):
    return "{%s}" % ", ".join(f"{key}: {value}" for key, value in pairs.items())


def quoted(text):
    return '"%s"' % "".join(c if c.isprintable() and c not in '"\\' else " " for c in text)


def domain_text(domain, start):
    """The box; what else says where and how large it is goes."""
    low, _ = scene.box(domain)
    edge, counts = scene.cells(domain)
    sides = AXES if re.search(r"\b[xyz][-+]:", start.text) else SIDES
    closed = {side: "closed" if wall else "open" for side, wall in zip(sides, domain.billow.closed)}
    return "domain: {size: null, center: null, floor: null, cells: %s, voxel: %.7g m, origin: [%s], sides: %s}" % (
        counts, edge, ", ".join("%.7g m" % x for x in low), mapping(closed))


def placed(start, kind):
    """Where a new stage goes: obstacles first, sources behind those that are there, forces before what applies them."""
    if kind == "collide":
        return {"before": start.stages[0][0]}
    if kind == "force":
        before = start.first(*SOLVERS)
        return {"before": before} if before else {}
    after = start.last("emit") or start.first("mac.advect")
    return {"after": after} if after else {"before": start.stages[0][0]}


def source_text(number, source, shape, amounts, frames, where):
    """One emit; `amounts`: its texts by their names."""
    own = source.billow
    pairs = {"id": f"source_{number}", **where, "shape": shape}
    if own.frames or own.start > frames[0]:
        begin = max(own.start, frames[0])
        pairs["frames"] = f"{begin}-{min(begin + own.frames - 1, frames[1]) if own.frames else frames[1]}"
    pairs.update(amounts)
    if own.noise >= 0:
        pairs["noise"] = "{amount: %.3g}" % own.noise
    return f"  - emit: {mapping(pairs)}  # {quoted(source.name)}"


class Dials:
    """What is set of stages and sources, over the frames: numbers that are animated become keys."""

    def __init__(self, domain, start, sources):
        self.frames, self.sources = [], sources
        groups = {key: properties.stage_group(domain, key, kind) for key, kind in start.stages}
        self.groups = {key: group for key, group in groups.items() if group and tables.given(group)}
        self.stage_texts = {key: [] for key in self.groups}  # by the stage's id: {parameter: text} of each frame
        self.amounts = {source: [] for source in sources}  # {parameter: number} of each frame

    def see(self, frame, graph=None):
        self.frames.append(frame)
        for key, group in self.groups.items():
            self.stage_texts[key].append(tables.given(group))
        for source in self.sources:
            self.amounts[source].append({to: getattr(source.billow, own) for own, to in AMOUNTS.items()})

    def of_stage(self, key):
        """{parameter: text}."""
        seen = self.stage_texts.get(key)
        if not seen:
            return {}
        return {name: seen[0][name] if name in self.groups[key].still else self.keyed([s[name] for s in seen])
                for name in seen[0]}

    def of_source(self, source, share):
        """{parameter: text}, with a share of the amounts; what is 0 all the time is left to the preset."""
        seen = self.amounts[source]
        return {name: self.keyed(["%.7g" % ((share if name in SHARED else 1) * s[name]) for s in seen])
                for name in seen[0] if any(s[name] for s in seen)}

    def keyed(self, texts):
        return motion.keyed(self.frames, texts)


def stage_texts(start, dials):
    """What somebody set of the stages that are there."""
    out = []
    for key, kind in start.stages:
        pairs = dials.of_stage(key)
        if kind == "mac.forces" and scene.gravity() is not None:
            pairs = {"gravity": "[%s]" % ", ".join("%.6g" % x for x in scene.gravity()), **pairs}
        if pairs:
            out.append(f"  - {kind}: {mapping({'id': key, **pairs})}")
    return out


class Parts:
    """Shapes of the scene's objects: [(object, [(shape, share)])]. Files go into the folder."""

    def __init__(self, domain, start, folder):
        first, last = scene.frames()
        edge = scene.cells(domain)[0]
        sources, obstacles = scene.sources_of(domain), scene.of_role("OBSTACLE")
        clouds = {s: particles.Cloud(s, folder) for s in sources if particles.system_of(s)}
        tracks = {t: motion.Track(t) for t in sources + obstacles if t not in clouds}
        self.fields = [forces.Field(f) for f in forces.taken(forces.all_of(domain))]
        self.dials = Dials(domain, start, sources)
        motion.follow([*clouds.values(), *tracks.values(), *self.fields, self.dials], first, last)

        def shapes(thing):
            return clouds[thing].shapes() if thing in clouds else motion.shapes(tracks[thing], folder, edge)
        self.sources, self.obstacles = ([(t, shapes(t)) for t in things] for things in (sources, obstacles))


class Sketch:
    """The same without a look at other frames and without files, for estimates: balls where things are now."""

    def __init__(self, domain, start):
        def ball(thing):
            low, high = scene.box(thing)
            center = ", ".join("%.6g" % ((l + h) / 2) for l, h in zip(low, high))
            return [("{sphere: {center: [%s], radius: %.6g}}" % (center, max(h - l for l, h in zip(low, high)) / 2), 1)]
        self.sources = [(t, ball(t)) for t in scene.sources_of(domain)]
        self.obstacles = [(t, ball(t)) for t in scene.of_role("OBSTACLE")]
        self.fields, self.dials = [], Dials(domain, start, [thing for thing, _ in self.sources])
        self.dials.see(bpy.context.scene.frame_current)


def text(domain, start, parts):
    first, last = scene.frames()
    lines = [f"# {quoted(domain.name)}, written by the add-on of Blender: a bake writes it anew.",
             f"extends: {start.extends}", "billow: 1", f"name: {scene.name_of(domain)}",
             f"character: {domain.billow.character}", domain_text(domain, start),
             "time: {fps: %.7g, frames: %d-%d}" % (scene.rate(), first, last), "stages:"]
    if parts.sources:
        lines += [f"  - emit: {{id: {key}, enabled: no}}" for key, kind in start.stages if kind == "emit"]
    lines += [f"  - collide: {mapping({'id': f'obstacle_{i + 1}', **placed(start, 'collide'), 'wake': 'always', 'shape': s})}"
              f"  # {quoted(thing.name)}" for i, (thing, shapes) in enumerate(parts.obstacles) for s, _ in shapes]
    emits = [(thing, s, share) for thing, shapes in parts.sources for s, share in shapes]
    lines += [source_text(i + 1, thing, s, parts.dials.of_source(thing, share), (first, last), placed(start, "emit"))
              for i, (thing, s, share) in enumerate(emits)]
    lines += [f"  - force: {mapping({'id': f'force_{i + 1}', **placed(start, 'force'), **field.pairs()})}"
              f"  # {quoted(field.thing.name)}" for i, field in enumerate(parts.fields)]
    lines += stage_texts(start, parts.dials)
    if lines[-1] == "stages:":
        lines.pop()
    if domain.billow.thickness:
        lines.append("look: {thickness: %.6g}" % domain.billow.thickness)
    others = [(key, kind) for key, kind in start.exports if kind != "vdb"]
    if others:
        lines += ["export:"] + [f"  - {kind}: {{id: {key}, enabled: no}}" for key, kind in others]
    return "\n".join(lines) + "\n"


def made(domain, folder):
    """The text for the scene as it is; meshes are written. What lies in files of every frame is told by their bytes."""
    start = base.of(domain, scene.sources_of(domain), folder)
    out = text(domain, start, Parts(domain, start, folder))
    first, last = scene.frames()
    digest = hashlib.sha256()
    for name in re.findall(r"file: (meshes/\w+)_####", out):
        for path in sorted(glob.glob(glob.escape(os.path.join(folder, name)) + "_*")):
            if first <= int(re.search(r"_(\d+)\.\w+$", path).group(1)) <= last:
                with open(path, "rb") as f:
                    digest.update(f.read())
    return out + (f"# frames: {digest.hexdigest()[:12]}\n" if "_####" in out else "")


def write(domain):
    """Preset and meshes; returns the preset's path."""
    folder = scene.folder_of(domain)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, scene.name_of(domain) + ".yaml")
    motion.write(path, made(domain, folder))
    return path


def made_until(domain, last):
    """The text as if the scene ended earlier."""
    world = bpy.context.scene
    end = world.frame_end
    try:
        world.frame_end = last
        return made(domain, scene.folder_of(domain))
    finally:
        world.frame_end = end


# ---- what a cache has been baked of ----

ENDS = re.compile(r"^(time: .*frames: \d+-)(\d+)", re.M)


def kept_name(out):
    return out + "_preset.yaml"


def keep(path, out):
    """The preset is what the cache is baked of from now on. On a full disk that is forgotten."""
    try:
        with open(path, encoding="utf-8") as f:
            motion.write(kept_name(out), f.read())
    except OSError:
        if os.path.exists(kept_name(out)):
            os.remove(kept_name(out))


def extended(domain, path, out):
    """The first new frame, where the scene is as it was baked but for a later end, and what moves has more keys; else
    0: then billow itself says whether it goes on."""
    try:
        with open(kept_name(out), encoding="utf-8") as f, open(path, encoding="utf-8") as g:
            old, new = f.read(), g.read()
    except OSError:
        return 0
    end = ENDS.search(old)
    if not end or int(end.group(2)) >= scene.frames()[1] or ENDS.sub(r"\1", old) == ENDS.sub(r"\1", new):
        return 0
    return int(end.group(2)) + 1 if made_until(domain, int(end.group(2))) == old else 0
