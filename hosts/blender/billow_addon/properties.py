# SPDX-License-Identifier: GPL-3.0-or-later
"""What an object is to Billow. It lies in the .blend."""
import bpy

from . import program, tables

ROLES = (("NONE", "None", "Billow does not look at it"),
         ("DOMAIN", "Domain", "The box in which the gas is"),
         ("SOURCE", "Source", "Smoke, heat or fuel comes from it"),
         ("OBSTACLE", "Obstacle", "Gas goes round it"))
KINDS = (("SMOKE", "Smoke", "Warm smoke"), ("FIRE", "Fire", "Fuel that burns where it meets air"),
         ("EXPLOSION", "Explosion", "A charge of burning fuel"))
CHARACTERS = (("calm", "Calm", "Nothing comes by itself"), ("natural", "Natural", "Edges break up by themselves"),
              ("wild", "Wild", "The same, stronger"))
# density, temperature, fuel, frames and noise, as the presets smoke, fire and explosion have them
AMOUNTS = {"SMOKE": (1.0, 200.0, 0.0, 0, 1.0), "FIRE": (0.0, 900.0, 1.0, 0, -1.0), "EXPLOSION": (0.0, 2000.0, 1.0, 2, 1.0)}


def is_mesh(self, thing):
    return thing.type == "MESH"


def kind_changed(self, context):
    self.density, self.temperature, self.fuel, self.frames, self.noise = AMOUNTS[self.kind]


def stage_items(self, context):
    """Blender reads the texts later, so they are kept."""
    from . import base
    domain = self.id_data
    rows = []
    for key, stage in base.stages_shown(domain):
        is_set = bool(tables.given(stage_group(domain, key, stage)))
        name = key.replace("_", " ").replace(".", " ").capitalize()
        rows.append((key, name, stage, "DOT" if is_set else "NONE", len(rows)))
    kept[domain.name] = rows or [("NONE", "None", "No stage has parameters to set here")]
    return kept[domain.name]


def stage_get(self):
    """The stages that are known change as the starting point does, so that a number among them says nothing later."""
    keys = [row[0] for row in stage_items(self, None)]
    return keys.index(self.stage_id) if self.stage_id in keys else 0


def stage_set(self, number):
    self.stage_id = stage_items(self, None)[number][0]


class BillowObject(bpy.types.PropertyGroup):
    role: bpy.props.EnumProperty(items=ROLES, name="Role")
    # of a domain
    resolution: bpy.props.IntProperty(name="Resolution", default=96, min=8, max=4096,
                                      description="Cells along the longest side")
    closed: bpy.props.BoolVectorProperty(
        name="Walls", size=6, default=(False, False, False, False, True, False),
        description="Sides that are walls: -x, +x, -y, +y, floor, top")
    character: bpy.props.EnumProperty(items=CHARACTERS, name="Character", default="natural")
    thickness: bpy.props.FloatProperty(name="Thickness", default=0, min=0, max=100,
                                       description="Of smoke, as it is seen; 0: as the starting point has it")
    base: bpy.props.PointerProperty(name="Starts From", type=bpy.types.Text,
                                    description="A preset's text, which the scene's objects are added to; none: the "
                                                "preset smoke, fire or explosion, by the kind of the sources")
    stage_id: bpy.props.StringProperty()
    stage: bpy.props.EnumProperty(name="Stage", items=stage_items, get=stage_get, set=stage_set,
                                  description="Whose parameters are shown")
    forces: bpy.props.BoolProperty(name="Force Fields", default=True,
                                   description="Blender's force fields push the gas")
    folder: bpy.props.StringProperty(name="Folder", subtype="DIR_PATH",
                                     description="Of the cache; empty: billow, beside the .blend")
    load: bpy.props.BoolProperty(name="Load Frames", default=True, description="Show frames as they are baked")
    # of a source
    kind: bpy.props.EnumProperty(items=KINDS, name="Kind", update=kind_changed)
    density: bpy.props.FloatProperty(name="Smoke", default=1, min=0, max=1000)
    temperature: bpy.props.FloatProperty(name="Temperature", default=200, min=-300, max=5000,
                                         description="Kelvin above the air's")
    fuel: bpy.props.FloatProperty(name="Fuel", default=0, min=0, max=1)
    inherit: bpy.props.FloatProperty(name="Inherit Velocity", default=0, min=0, max=10,
                                     description="Share of its own motion that the gas takes along")
    start: bpy.props.IntProperty(name="First Frame", default=0, min=0, description="0: of the scene")
    frames: bpy.props.IntProperty(name="Frames", default=0, min=0, description="How long it is on; 0: to the end")
    noise: bpy.props.FloatProperty(name="Noise", default=1, min=-1, max=1,
                                   description="Breaks the source up into lobes and holes; below 0: by itself")
    particles: bpy.props.StringProperty(name="Particles", description="A particle system of the object that emits in "
                                                                      "place of its mesh")
    particle_size: bpy.props.FloatProperty(name="Particle Size", default=1, min=0, max=1000,
                                           description="Radius, times that of the particles; a cell at least")
    group: bpy.props.StringProperty(name="Vertex Group", description="The mesh emits as strongly as the group weighs")
    texture: bpy.props.PointerProperty(name="Texture", type=bpy.types.Texture,
                                       description="The mesh emits as strongly as the texture is bright")
    texture_uv: bpy.props.BoolProperty(name="By UV Map", description="Else by place in the box round the mesh")
    texture_size: bpy.props.FloatProperty(name="Texture Size", default=1, min=0.001, max=1000)
    # of an object with a force field
    acts: bpy.props.BoolProperty(name="Pushes Gas", default=True)


classes = [BillowObject]
kinds = {}  # by a stage's type: the class of its parameters
kept = {}  # by the domain's name: what `stage` offers
names = set()  # of the properties that objects have beside `billow`
why_no_tables = ""


def stages_show(stages):
    """Objects get the parameters of these stages, (id, type) each, as the program's own tables have them."""
    global why_no_tables
    try:
        for key, stage in stages:
            name = tables.group_name(key, stage)
            if name in names:
                continue
            if stage not in kinds:
                kind = tables.class_of(stage, program.parameters(stage))
                bpy.utils.register_class(kind)
                kinds[stage] = kind
            setattr(bpy.types.Object, name, bpy.props.PointerProperty(type=kinds[stage]))
            names.add(name)
        why_no_tables = ""
    except program.Missing as missing:
        why_no_tables = str(missing)


def tables_refresh():
    """Another program may have others."""
    tables_free()
    stages_show([(stage, stage) for stage in tables.STAGES])


def tables_free():
    while names:
        delattr(bpy.types.Object, names.pop())
    while kinds:
        bpy.utils.unregister_class(kinds.popitem()[1])


def stage_group(thing, key, stage):
    """What of the stage is set on the domain; None: it has not been shown yet."""
    name = tables.group_name(key, stage)
    return getattr(thing, name) if name in names else None


def register():
    for kind in classes:
        bpy.utils.register_class(kind)
    bpy.types.Object.billow = bpy.props.PointerProperty(type=BillowObject)
    tables_refresh()


def unregister():
    tables_free()
    del bpy.types.Object.billow
    for kind in reversed(classes):
        bpy.utils.unregister_class(kind)
