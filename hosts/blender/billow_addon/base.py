# SPDX-License-Identifier: GPL-3.0-or-later
"""The preset that a domain starts from: one that comes along, or a text in the .blend."""
import os
import re

import bpy
from mathutils import Matrix, Vector

from . import program, properties, scene, tables

BY_KIND = {"SMOKE": "smoke", "FIRE": "fire", "EXPLOSION": "explosion"}
FILES = re.compile(r"[\w./-]*[\w#]+\.(?:obj|ply|stl|glb|gltf|csv|vdb|exr|png|hdr|yaml)\b")
listed = {}  # by program: {name: its row of `billow list`}
stages_seen = {}  # by the domain's name: its stages, (id, type)
facts_known = {}  # by program and text: what `billow info` says of it


class Base:
    """`extends` names it, `stages` are (id, type) in their order, `exports` (id, type), `text` the preset's own."""

    def __init__(self, extends, path):
        with open(path, encoding="utf-8") as f:
            self.text = f.read()
        self.extends, key = extends, (program.find(), self.text)
        if key not in facts_known:
            facts = program.ask("info", path)
            if "preset" not in facts:
                raise scene.Wrong(facts.get("error", {}).get("message") or f"{extends} is no preset")
            facts_known[key] = facts["preset"]
        facts = facts_known[key]
        self.stages = [(s["id"], s["type"]) for s in facts["stages"] if s["enabled"]]
        self.exports = [(e["id"], e["type"]) for e in facts["exports"] if e["enabled"]]
        self.domains, self.frames, self.fps = facts["domains"], (facts["first"], facts["last"]), facts["fps"]

    def first(self, *types):
        return next((key for key, kind in self.stages if kind in types), None)

    def last(self, *types):
        return next((key for key, kind in reversed(self.stages) if kind in types), None)


def presets():
    """{name: row} of those that come along and run by themselves."""
    path = program.find()
    if path not in listed:
        rows = program.ask("list").get("presets", [])
        listed[path] = {r["name"]: r for r in rows if r["name"] not in ("upres", "plume_upres", "retime")}
    return listed[path]


def path_of(name):
    if name not in presets():
        raise program.Missing(f"this billow has no preset {name}")
    return presets()[name]["path"]


def text_of(name):
    """A preset's text, with the files beside it named in full."""
    path = path_of(name)
    with open(path, encoding="utf-8") as f:
        text = f.read()

    def whole(found):
        beside = os.path.join(os.path.dirname(path), found.group())
        there = "#" in beside or os.path.isfile(beside)
        return beside if there and not os.path.isabs(found.group()) else found.group()
    return FILES.sub(whole, text)


def kind_of(sources):
    kinds = [s.billow.kind for s in sources]
    return next((k for k in ("EXPLOSION", "FIRE") if k in kinds), "SMOKE")


def write_text(block, path):
    with open(path, "w", encoding="utf-8") as f:
        f.write(block.as_string())


def of(domain, sources, folder):
    """What the domain starts from; a text is written into the folder, for the preset to extend."""
    block = domain.billow.base
    if not block:
        name = BY_KIND[kind_of(sources)]
        path = path_of(name)
        found = Base(path if name == scene.name_of(domain) else name, path)
    else:
        name = scene.name_of(domain) + "_base.yaml"
        path = os.path.join(folder, name)
        write_text(block, path)
        found = Base(name, path)
    stages_seen[domain.name] = found.stages
    properties.stages_show(found.stages)
    return found


def stages_known(domain):
    """(id, type) of the stages that the domain had when it was looked at last: for panels, which ask no program."""
    return stages_seen.get(domain.name, [(stage, stage) for stage in tables.STAGES])


def stages_shown(domain):
    """Those with parameters to set; sources have panels of their own."""
    sources = scene.sources_of(domain)
    shown = []
    for key, stage in stages_known(domain):
        group = properties.stage_group(domain, key, stage)
        if group and group.units and not (stage == "emit" and sources):
            shown.append((key, stage))
    return shown


def fit(domain, start):
    """The box, the cells and the frames of the preset."""
    first = start.domains[0]
    low, size = Vector(first["origin"]), Vector([n * first["voxel"] for n in first["cells"]])
    own = [Vector(c) for c in domain.bound_box]
    least = Vector([min(c[a] for c in own) for a in range(3)])
    sides = Vector([max(c[a] for c in own) for a in range(3)]) - least
    scale = Vector([size[a] / scene.unit() / (sides[a] or 1) for a in range(3)])
    shift = low / scene.unit() - scale * least
    domain.matrix_world = Matrix.Translation(shift) @ Matrix.Diagonal((*scale, 1))
    domain.billow.resolution = max(first["cells"])
    world = bpy.context.scene
    world.frame_start, world.frame_end = start.frames


class BILLOW_OT_base(bpy.types.Operator):
    """Start from a preset that comes along: its text goes into the .blend, to be edited"""
    bl_idname, bl_label, bl_options = "billow.base", "Start From", {"REGISTER", "UNDO"}
    name: bpy.props.StringProperty(name="Preset", description="Empty: by the sources' kind")
    fit: bpy.props.BoolProperty(name="With Its Box", options={"SKIP_SAVE"},
                                description="The domain takes the place, size, cells and frames of the preset")

    def execute(self, context):
        from . import operators
        try:
            domain = operators.own_domain_of(context)
            if self.fit:
                fit(domain, Base(self.name, path_of(self.name)))
            domain.billow.base = self.block() if self.name else None
        except (scene.Wrong, program.Missing, OSError) as why:
            self.report({"ERROR"}, str(why))
            return {"CANCELLED"}
        return {"FINISHED"}

    def block(self):
        text = text_of(self.name)
        block = bpy.data.texts.new(self.name + ".yaml")
        block.write(text)
        return block


class BILLOW_OT_base_edit(bpy.types.Operator):
    """Show the starting point's text, in a text editor; what is changed there counts from the next bake on"""
    bl_idname, bl_label = "billow.base_edit", "Edit Text"

    def execute(self, context):
        from . import operators
        try:
            domain = operators.own_domain_of(context)
            if not domain.billow.base:
                bpy.ops.billow.base(name=BY_KIND[kind_of(scene.sources_of(domain))])
        except (scene.Wrong, program.Missing, RuntimeError) as why:
            self.report({"ERROR"}, str(why))
            return {"CANCELLED"}
        show_text(context, domain.billow.base)
        self.report({"INFO"}, f"{domain.billow.base.name} is in the text editor")
        return {"FINISHED"}


def show_text(context, block):
    """In the text editor that is open, else in half of the largest view."""
    areas = context.screen.areas if context.screen else []
    found = [a for a in areas if a.type == "TEXT_EDITOR"]
    views = sorted((a for a in areas if a.type == "VIEW_3D"), key=lambda a: a.width * a.height)
    if not found and views and hasattr(context, "temp_override"):
        before = set(areas)
        with context.temp_override(window=context.window, area=views[-1], region=views[-1].regions[-1]):
            bpy.ops.screen.area_split(direction="VERTICAL", factor=0.5)
        found = [a for a in context.screen.areas if a not in before]
        for area in found:
            area.type = "TEXT_EDITOR"
    for area in found[:1]:
        area.spaces.active.text = block
        area.spaces.active.top = 0


classes = [BILLOW_OT_base, BILLOW_OT_base_edit]
register, unregister = bpy.utils.register_classes_factory(classes)
