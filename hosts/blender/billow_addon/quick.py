# SPDX-License-Identifier: GPL-3.0-or-later
"""Quick Smoke, Quick Fire, Quick Explosion: the selected meshes burn or smoke, in a box that suits them."""
import bpy
from mathutils import Vector

from . import motion, scene

INHERIT = 0.4  # share of its own motion that gas takes along from what moves
LOOKS = 24  # frames at which its way is looked at, at most
# Of the box: its width and height in radii of the source, and how far below the source's foot it begins.
ROOM = {"SMOKE": (8, 16, 0.3), "FIRE": (8, 16, 0.3), "EXPLOSION": (8, 10, 0.5)}


def bounds(things):
    corners = [t.matrix_world @ Vector(c) for t in things for c in t.bound_box]
    return (Vector([min(c[a] for c in corners) for a in range(3)]), Vector([max(c[a] for c in corners) for a in range(3)]))


def way(things, low, high):
    """The same over the scene's frames."""
    first, last = scene.frames()
    frames = range(first, last + 1, 1 + (last - first) // LOOKS)
    for _, graph in motion.over([*frames, last] if any(map(scene.moves, things)) else []):
        now = bounds([t.evaluated_get(graph) for t in things])
        low = Vector(map(min, low, now[0]))
        high = Vector(map(max, high, now[1]))
    return low, high


def domain_add(context, things, kind):
    """A box of wire that no picture shows, round all of their way."""
    low, high = bounds(things)
    wide, tall, below = ROOM[kind]
    size = high - low
    radius = max(0.5 * sorted(size)[1], 1e-3)
    low, high = way(things, low, high)
    further = high - low - size
    half = 0.5 * max(wide * radius + max(further.xy), *(1.5 * (high - low).xy))
    tall = max(tall * radius, (high - low).z + 0.5 * tall * radius)
    floor = low.z - below * radius
    if low.z > -1e-6 and floor < 0:  # what stands over the ground has its floor there
        floor = 0.0
    x, y = 0.5 * (low + high).xy
    mesh = bpy.data.meshes.new("Billow Domain")
    corners = [(i * half, j * half, k) for k in (0, tall) for j in (-1, 1) for i in (-1, 1)]
    mesh.from_pydata(corners, [], [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)])
    box = bpy.data.objects.new("Billow Domain", mesh)
    box.location = x, y, floor
    box.display_type, box.hide_render, box.billow.role = "WIRE", True, "DOMAIN"
    context.collection.objects.link(box)
    return box


def scattered_light(world):
    """Smoke is black where light scatters in it but once, as Cycles has it by default."""
    if hasattr(world, "cycles"):
        world.cycles.volume_bounces = max(world.cycles.volume_bounces, 4)


class Quick:
    bl_options = {"REGISTER", "UNDO"}
    kind = "SMOKE"
    resolution: bpy.props.IntProperty(name="Resolution", default=96, min=8, max=1024)

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT"

    def wrong(self, thing):
        if thing.library:
            return f"{thing.name} is linked from {thing.library.name}: Object > Library Override > Make, then again"
        return None if scene.has_faces(thing) else f"{thing.name} has no faces"

    def execute(self, context):
        things = [o for o in context.selected_objects if o.type in scene.HAS_SURFACE and o.billow.role != "DOMAIN"]
        wrong = ["select a mesh"] if not things else [why for why in map(self.wrong, things) if why]
        if wrong:
            self.report({"ERROR"}, wrong[0])
            return {"CANCELLED"}
        for thing in things:
            thing.billow.role, thing.billow.kind = "SOURCE", self.kind
            thing.billow.inherit = INHERIT if scene.moves(thing) else 0
            if self.kind == "EXPLOSION":
                thing.hide_render = True
        context.view_layer.update()
        box = domain_add(context, things, self.kind)
        box.billow.resolution = self.resolution
        for thing in context.selected_objects:
            thing.select_set(False)
        scattered_light(context.scene)
        box.select_set(True)
        context.view_layer.objects.active = box
        return {"FINISHED"}


class BILLOW_OT_quick_smoke(Quick, bpy.types.Operator):
    """Smoke from the selected meshes"""
    bl_idname = "billow.quick_smoke"
    bl_label = "Quick Smoke (Billow)"


class BILLOW_OT_quick_fire(Quick, bpy.types.Operator):
    """The selected meshes burn"""
    bl_idname = "billow.quick_fire"
    bl_label = "Quick Fire (Billow)"
    kind = "FIRE"


class BILLOW_OT_quick_explosion(Quick, bpy.types.Operator):
    """The selected meshes blow up"""
    bl_idname = "billow.quick_explosion"
    bl_label = "Quick Explosion (Billow)"
    kind = "EXPLOSION"


classes = [BILLOW_OT_quick_smoke, BILLOW_OT_quick_fire, BILLOW_OT_quick_explosion]


def menu(self, context):
    self.layout.separator()
    for kind in classes:
        self.layout.operator(kind.bl_idname)


def register():
    for kind in classes:
        bpy.utils.register_class(kind)
    bpy.types.VIEW3D_MT_object_quick_effects.append(menu)


def unregister():
    bpy.types.VIEW3D_MT_object_quick_effects.remove(menu)
    for kind in reversed(classes):
        bpy.utils.unregister_class(kind)
