# SPDX-License-Identifier: Apache-2.0
"""A shot as a user of Blender makes it, by the operators and fields that a user has, which are counted: from an empty
scene a head on fire falls through smoke on to a table. shot.py runs it:

    blender -b --factory-startup --python-exit-code 1 --python shot_scene.py --
            WHO PART FOLDER CELLS FRAMES SAMPLES [ZIP BILLOW]

WHO: billow, or mantaflow of the same Blender. PART: `make` saves FOLDER/WHO.blend, baked, and a frame by Cycles;
`extend` opens it for frames that come after; `change` opens it for another buoyancy from two thirds of the frames on.
Prints a line "SHOT {json}" for each step: its name, clicks, seconds of processor, seconds.

A click is a menu's entry, a button, a number typed (each of a vector's), a list's entry, a key set, an object picked.
Camera, lamp and the picture's size are the same for both, and left out."""
import json
import os
import sys
import time

import bpy
from mathutils import Vector

MADE_OF_CHOICES = ("filepath", "type")  # of operators: what a menu's entry says by itself


class Hand:
    """Clicks, and says what they took."""

    def __init__(self):
        self.clicks, self.name, self.since = 0, None, None

    def step(self, name):
        now = self.now()
        if self.name:
            spent = [b - a for a, b in zip(self.since, now)]
            print("SHOT", json.dumps([self.name, self.clicks, *spent]), flush=True)
        self.clicks, self.name, self.since = 0, name, now

    def now(self):
        t = os.times()
        return t.user + t.system + t.children_user + t.children_system, time.monotonic()

    def do(self, operator, **fields):
        self.clicks += 1 + sum(len(v) - list(v).count(0) if isinstance(v, tuple) else 1
                               for key, v in fields.items() if key not in MADE_OF_CHOICES)
        operator(**fields)
        return bpy.context.object

    def set(self, owner, **fields):
        for name, value in fields.items():
            old, parts = getattr(owner, name), isinstance(value, tuple)
            self.clicks += sum(abs(a - b) > 1e-6 for a, b in zip(old, value)) if parts else old != value
            setattr(owner, name, value)

    def pick(self, thing):
        self.clicks += 1
        for other in bpy.context.selected_objects:
            other.select_set(False)
        thing.select_set(True)
        bpy.context.view_layer.objects.active = thing

    def key(self, frame, owner, **value):
        """The frame typed, the value, the key set."""
        self.clicks += 2
        bpy.context.scene.frame_set(frame)
        self.set(owner, **value)
        for name in value:
            owner.keyframe_insert(name, frame=frame)


def objects_make(hand, frames):
    """Table, sheet, and the head with its fall; the head is left picked."""
    hand.step("table, sheet, head and its fall")
    scene = bpy.context.scene
    hand.set(scene, frame_end=frames)
    top = hand.do(bpy.ops.mesh.primitive_cube_add, size=1.0, location=(0, 0, 0.72))
    hand.set(top, scale=(1.3, 0.9, 0.06))
    leg = hand.do(bpy.ops.mesh.primitive_cube_add, size=1.0, location=(0, 0, 0.35))
    hand.set(leg, scale=(0.5, 0.3, 0.7))
    hand.clicks += 1
    top.select_set(True)
    table = hand.do(bpy.ops.object.join)
    sheet = hand.do(bpy.ops.mesh.primitive_grid_add, size=1.3, location=(0, 0, 1.55))
    head = hand.do(bpy.ops.mesh.primitive_monkey_add, size=0.5, location=(0, 0, 2.35))
    falls, lands = max(frames * 8 // 36, 1), max(frames * 20 // 36, 3)
    hand.key(falls, head, location=(0.0, 0.0, 2.35))
    hand.key(lands, head, location=(0.0, 0.0, 1.0))
    curve = head.animation_data.action.fcurves[2].keyframe_points[0]
    hand.set(curve, interpolation="QUAD")
    hand.set(curve, easing="EASE_IN")
    scene.frame_set(1)
    table.name, sheet.name, head.name = "Table", "Sheet", "Head"
    return table, sheet, head


def film_make(samples):
    """Not counted."""
    scene = bpy.context.scene
    bpy.ops.object.camera_add(location=(2.3, -3.3, 1.75))
    scene.camera = bpy.context.object
    scene.camera.data.lens = 38
    bpy.ops.object.light_add(type="AREA", location=(-2.2, -1.2, 3.2))
    bpy.context.object.data.energy, bpy.context.object.data.size = 120, 1.5
    for thing in scene.camera, bpy.context.object:
        thing.rotation_euler = (Vector((0, 0, 1.35)) - thing.location).to_track_quat("-Z", "Y").to_euler()
    bpy.ops.mesh.primitive_plane_add(size=12)
    for name, rgb in ("Table", (0.22, 0.11, 0.05)), ("Head", (0.03, 0.025, 0.02)):
        material = bpy.data.materials.new(name)
        material.use_nodes = True
        material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (*rgb, 1)
        bpy.data.objects[name].data.materials.append(material)
    bpy.data.objects["Sheet"].hide_render = True
    scene.world = bpy.data.worlds.new("World")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs[0].default_value = (0.05, 0.06, 0.08, 1)
    scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", samples, False
    scene.cycles.volume_bounces = 4
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 480, 540, 60


def frame_render(hand, path, frame):
    hand.step("the frame by Cycles")
    bpy.context.scene.render.filepath = path
    hand.set(bpy.context.scene, frame_current=frame)
    hand.clicks += 1
    bpy.ops.render.render(write_still=True)


class Billow:
    def make(self, hand, cells, frames):
        table, sheet, head = objects_make(hand, frames)
        hand.step("quick effect, its box made to fit")
        box = hand.do(bpy.ops.billow.quick_fire, resolution=cells)
        hand.set(box, dimensions=(2.2, 2.2, 2.8))
        hand.set(box, location=(0, 0, 0.3))
        hand.step("table and sheet take part")
        hand.pick(table)
        hand.set(table.billow, role="OBSTACLE")
        hand.pick(sheet)
        hand.set(sheet.billow, role="SOURCE", frames=max(frames // 4, 1), temperature=4)
        hand.pick(box)
        return box

    def bake(self, hand):
        hand.do(bpy.ops.billow.bake)

    def extend(self, hand, frames):
        hand.set(bpy.context.scene, frame_end=frames)
        hand.clicks += 1
        bpy.ops.billow.bake(resume=True)

    def change(self, hand, box, frame):
        hand.clicks += 1
        box.billow.stage = "mac.forces"
        hand.set(box.billow_stage_mac_forces, buoyancy=2.0)
        hand.set(bpy.context.scene, frame_current=frame)
        hand.clicks += 1
        bpy.ops.billow.bake(from_frame=frame)


class Mantaflow:
    def make(self, hand, cells, frames):
        table, sheet, head = objects_make(hand, frames)
        hand.step("quick effect, its box made to fit")
        box = hand.do(bpy.ops.object.quick_smoke, style="FIRE")
        box.name = "Box"
        hand.set(box, dimensions=(2.2, 2.2, 2.8))
        hand.set(box, location=(0, 0, 1.7))
        hand.step("table and sheet take part")
        flow = head.modifiers["Fluid"].flow_settings
        hand.pick(head)
        hand.set(flow, use_initial_velocity=True, velocity_factor=0.4)
        self.fluid(hand, table, "EFFECTOR")
        flow = self.fluid(hand, sheet, "FLOW").flow_settings
        hand.set(flow, flow_behavior="INFLOW", use_plane_init=True, temperature=0.02)
        last = max(frames // 4, 1)
        hand.key(last, flow, use_inflow=True)
        hand.key(last + 1, flow, use_inflow=False)
        bpy.context.scene.frame_set(1)
        hand.pick(box)
        hand.set(box.modifiers["Fluid"].domain_settings, resolution_max=cells)
        return box

    def fluid(self, hand, thing, kind):
        hand.pick(thing)
        hand.do(bpy.ops.object.modifier_add, type="FLUID")
        hand.set(thing.modifiers["Fluid"], fluid_type=kind)
        return thing.modifiers["Fluid"]

    def bake(self, hand):
        """Replay, the type of cache that it has by itself: what is played is kept."""
        settings = bpy.context.object.modifiers["Fluid"].domain_settings
        hand.set(settings, cache_directory="//mantaflow", cache_frame_end=bpy.context.scene.frame_end)
        self.play(hand)

    def play(self, hand):
        hand.clicks += 1
        for frame in range(1, bpy.context.scene.frame_end + 1):
            bpy.context.scene.frame_set(frame)

    def extend(self, hand, frames):
        hand.set(bpy.context.scene, frame_end=frames)
        hand.set(bpy.context.object.modifiers["Fluid"].domain_settings, cache_frame_end=frames)
        self.play(hand)

    def change(self, hand, box, frame):
        """What is changed empties the cache."""
        settings = box.modifiers["Fluid"].domain_settings
        hand.key(frame - 1, settings, beta=settings.beta)
        hand.key(frame, settings, beta=2.0)
        self.play(hand)


def main(who, part, folder, cells, frames, samples, archive=None, program=None):
    cells, frames, samples = int(cells), int(frames), int(samples)
    one, hand = {"billow": Billow, "mantaflow": Mantaflow}[who](), Hand()
    path = os.path.join(folder, who + ".blend")
    if part == "make":
        bpy.ops.wm.read_factory_settings(use_empty=True)
    if archive:
        bpy.ops.preferences.addon_install(filepath=archive, overwrite=True)
        bpy.ops.preferences.addon_enable(module="billow_addon")
        bpy.context.preferences.addons["billow_addon"].preferences.program = program
    if part == "make":
        box = one.make(hand, cells, frames)
        hand.step(None)
        film_make(samples)
        bpy.context.view_layer.objects.active = box
        hand.step("save, bake")
        hand.do(bpy.ops.wm.save_as_mainfile, filepath=path)
        one.bake(hand)
        frame_render(hand, os.path.join(folder, who + ".png"), frames * 2 // 3)
    else:
        hand.step("quit, open, extend by a quarter" if part == "extend" else "change the buoyancy from two thirds on")
        if part == "extend":
            hand.do(bpy.ops.wm.open_mainfile, filepath=path)
        else:
            bpy.ops.wm.open_mainfile(filepath=path)
        box = bpy.context.object
        if part == "extend":
            one.extend(hand, frames + frames // 4)
        else:
            one.change(hand, box, frames * 2 // 3)
    hand.step(None)
    bpy.ops.wm.save_mainfile()


main(*sys.argv[sys.argv.index("--") + 1:])
