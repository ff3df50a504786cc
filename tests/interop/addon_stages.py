# SPDX-License-Identifier: Apache-2.0
"""The add-on on stages: those of the starting point have panels, a third party's too; what is animated becomes keys;
and a domain's folder is taken elsewhere.

    BLENDER_USER_SCRIPTS=FOLDER BILLOW_PLUGIN_PATH=FOLDER/swirl blender -b --factory-startup --python-exit-code 1 \
        --python tests/interop/addon_stages.py -- ZIP BILLOW

FOLDER/swirl holds what `billow plugin new swirl` and `make` leave.
"""
import os
import subprocess
import sys

import bpy

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from addon_help import enable, mesh_new, only, refused, scene_start, volumes  # noqa: E402

START = """billow: 1
name: start
character: calm
domain: {size: [1 m, 1 m, 1 m], voxel: 5 cm}
time: {fps: 24, frames: 1-9}
stages:
  - mac.advect: {}
  - swirl: {}
  - force: {id: push, kind: {wind: {velocity: [1, 0, 0], rate: 1}}}
  - force: {id: lobes, kind: {turbulence: {strength: 1}}}
  - mac.forces: {}
  - mac.project: {}
export:
  - vdb: {}
"""


def domain_new(name):
    scene_start()
    bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(f"{name}.blend"))
    ball = mesh_new("ico_sphere", radius=0.2, location=(0, 0, 0.4))
    ball.billow.role = "SOURCE"
    box = mesh_new("cube", location=(0, 0, 0.5), size=1)
    box.name, box.billow.role, box.billow.resolution = name, "DOMAIN", 16
    return box, ball


def written(name):
    with open(f"billow/{name}/{name}.yaml", encoding="utf-8") as f:
        return f.read()


def keys(owner, path, values):
    for frame, value in values.items():
        setattr(owner, path, value)
        owner.keyframe_insert(path, frame=frame)


def check_stages():
    """Each stage by its id, of whatever plugin; numbers, whole numbers, choices, switches and vectors."""
    from billow_addon import base, estimate, operators, panels
    box, ball = domain_new("stages")
    box.billow.base = bpy.data.texts.new("start.yaml")
    box.billow.base.write(START)
    bpy.ops.billow.preset()
    assert base.stages_known(box)[1:4] == [("swirl", "swirl"), ("push", "force"), ("lobes", "force")], base.stages_known(box)
    box.billow_stage_swirl.rate = 2.5
    box.billow_stage_force_lobes.front_change = 0.25
    box.billow_stage_mac_project.max_iterations = 7
    box.billow_stage_mac_project.warm_start = False
    box.billow_stage_mac_advect.sweeps = "symmetric"
    box.billow_stage_mac_forces.gravity = 0, 0, -5
    assert not hasattr(box, "billow_stage_fire_embers"), "of a stage that it does not have"
    bpy.ops.billow.bake()
    text = written("stages")
    for line in ("swirl: {id: swirl, rate: 2.5 1/s}", "force: {id: lobes, front_change: 0.25}",
                 "mac.project: {id: mac.project, max_iterations: 7, warm_start: no}",
                 "mac.advect: {id: mac.advect, sweeps: symmetric}", "gravity: [0 m/s^2, 0 m/s^2, -5 m/s^2]"):
        assert line in text, (line, text)
    assert len(volumes()) == 1
    figures = estimate.answer([operators.program.find(), "bake", "billow/stages/stages.yaml", "--dry-run", "--json"], "")
    estimate.known[box.name] = None, figures
    values = [estimate.value_of(box, *one) for one in (("swirl", "rate"), ("lobes", "front_change"), ("mac.project", "tolerance"))]
    assert values == ["2.5 1/s", "0.25", "1e-3"], values
    only(box)
    for stage, key in ("swirl", "rate"), ("lobes", "front_change"), ("mac.project", "max_iterations"):
        box.billow.stage = stage
        drawn = Layout()
        panels.BILLOW_PT_stages.draw(type("Panel", (), {"layout": drawn, "stage": panels.BILLOW_PT_stages.stage})(), bpy.context)
        assert key in drawn.said and "tolerance" not in drawn.said or stage == "mac.project", drawn.said
    bpy.ops.billow.unset(group="billow_stage_swirl", key="rate")
    bpy.ops.billow.preset()
    assert "swirl" not in written("stages"), "still set"
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    box = bpy.data.objects["stages"]
    only(box)
    base.stages_seen.clear()
    box.billow.stage = "mac.forces"  # of the few that are known by themselves
    bpy.ops.billow.preset()  # asks for the stages anew
    assert box.billow.stage == "mac.forces", "another stage is shown once all are known"
    assert abs(box.billow_stage_force_lobes.front_change - 0.25) < 1e-6, "forgotten"


class Layout:
    """What a panel's layout is told."""

    def __init__(self, said=None):
        self.said = [] if said is None else said

    def row(self, **_):
        return Layout(self.said)

    column = box = row

    def label(self, text="", **_):
        self.said.append(text)

    def prop(self, owner, key, **_):
        getattr(owner, key)
        self.said.append(key)

    def operator(self, name, **_):
        return type("Properties", (), {})()


def check_keys():
    """A source that fades, and a stage's number; what can't be keyed stays as it was at first."""
    box, ball = domain_new("keys")
    keys(ball.billow, "density", {3: 1.0, 5: 0.0})
    keys(ball.billow, "inherit", {3: 0.0, 6: 0.5})
    for curve in ball.animation_data.action.fcurves:
        curve.keyframe_points[0].interpolation = "LINEAR"
    bpy.ops.billow.preset()
    keys(box.billow_stage_mac_forces, "buoyancy", {3: 1.0, 6: 3.0})
    keys(box, "location", {3: (0, 0, 0.5)})
    refused(bpy.ops.billow.bake, "is animated")
    box.keyframe_delete("location", frame=3)
    bpy.ops.billow.bake()
    text = written("keys")
    assert "density: {ease: linear, keys: {3: 1, 4: 0.5, 5: 0, 6: 0}}" in text, text
    assert "inherit_velocity: {ease: linear, keys: {3: 0," in text and "temperature: 200" in text, text
    assert "buoyancy: {ease: linear, keys: {3: 1, 4: 1.5" in text and "6: 3}}" in text, text


def check_extend():
    """What moves has other keys when the scene ends later: it goes on all the same, and not when something else has
    changed as well."""
    box, ball = domain_new("longer")
    bend = ball.modifiers.new("bend", "SIMPLE_DEFORM")
    for frame, at, angle in (3, -0.2, 0.1), (12, 0.2, 1.0):
        ball.location[0], bend.angle = at, angle
        ball.keyframe_insert("location", frame=frame)
        bend.keyframe_insert("angle", frame=frame)
    ring = mesh_new("torus", major_radius=0.2, minor_radius=0.05, location=(0, 0, 0.8))
    ring.billow.role, ring.billow.start = "SOURCE", 4
    ring.keyframe_insert("location", frame=3)
    ring.location[2] = 0.6
    ring.keyframe_insert("location", frame=12)
    only(box)
    bpy.ops.billow.bake()
    first = open("billow/longer/cache/vdb/longer_0006.vdb", "rb").read()
    bpy.context.scene.frame_end = 8
    bpy.ops.billow.bake(resume=True)
    assert volumes()[0].data.frame_duration == 6, "not extended"
    assert first == open("billow/longer/cache/vdb/longer_0006.vdb", "rb").read(), "baked again from an earlier frame on"
    bpy.context.scene.frame_end = 9
    bend.angle = 0.5
    bend.keyframe_insert("angle", frame=5)
    refused(lambda: bpy.ops.billow.bake(resume=True), "a different bake")
    bpy.ops.billow.bake(from_frame=9)
    assert volumes()[0].data.frame_duration == 7


def check_move():
    box, _ = domain_new("moved")
    refused(lambda: bpy.ops.billow.move(directory=os.path.abspath("elsewhere")), "has not been baked")
    bpy.ops.billow.bake()
    old = os.path.abspath("billow/moved")
    with open(os.path.join(old, "mine.txt"), "w", encoding="utf-8") as f:
        f.write("kept")
    refused(bpy.ops.billow.move, "no folder")
    refused(lambda: bpy.ops.billow.move(directory=os.path.dirname(old)), "where it lies now")
    os.makedirs("taken/moved/other")
    refused(lambda: bpy.ops.billow.move(directory=os.path.abspath("taken")), "is there already")
    refused(lambda: bpy.ops.billow.move(directory="/proc/nowhere"), "could not be written")
    assert os.path.isdir(os.path.join(old, "cache")), "lost"
    bpy.ops.billow.move(directory=os.path.abspath("移す"), keep=True)
    new = os.path.abspath("移す/moved")
    assert sorted(os.listdir(old)) == sorted(os.listdir(new) + ["mine.txt"]), "no copy"
    volume, = volumes()
    assert volume.data.filepath.startswith(new) and volume.data.grids.load(), volume.data.filepath
    bpy.ops.billow.move(directory=os.path.abspath("third"))
    volume, = volumes()
    third = os.path.abspath("third/moved")
    assert not os.path.exists(new) and volume.data.filepath.startswith(third) and volume.data.grids.load(), "not moved"
    bpy.context.scene.frame_end = 8
    bpy.ops.billow.bake(resume=True)
    assert len(volumes()) == 1 and volumes()[0].data.frame_duration == 6, "does not go on there"
    check_move_wrong(box, third)


def check_move_wrong(box, here):
    """While it bakes, on to a disk that is full, and of a domain that is linked: words, and nothing has moved."""
    before = sorted(os.listdir(here))
    bpy.context.scene.frame_end = 300
    begun = operators_of().bake(box)
    refused(lambda: bpy.ops.billow.move(directory=os.path.abspath("fourth")), "a bake of moved runs: stop it first")
    begun.stop()
    begun.reader.join()
    os.makedirs("small", exist_ok=True)
    if not subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "billow", "small"], capture_output=True).returncode:
        try:
            refused(lambda: bpy.ops.billow.move(directory=os.path.abspath("small")), "could not be written: No space left on device\n")
            assert not os.listdir("small"), os.listdir("small")
        finally:
            subprocess.run(["umount", "small"], check=True)
    assert sorted(os.listdir(here)) == before, (os.listdir(here), before)
    bpy.ops.wm.save_mainfile()
    path = bpy.data.filepath
    scene_start()
    bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath("links.blend"))
    with bpy.data.libraries.load(path, link=True) as (there, linked):
        linked.objects = list(there.objects)
    for thing in linked.objects:
        if thing.type == "MESH":
            bpy.context.scene.collection.objects.link(thing)
    refused(lambda: bpy.ops.billow.move(directory=os.path.abspath("fifth")), "moved is linked: change it in moved.blend")
    refused(lambda: bpy.ops.billow.base(name="fire"), "moved is linked")
    bpy.ops.billow.bake()  # as it is, into the folder that it names
    assert len([v for v in volumes() if not v.library]) == 1


def operators_of():
    from billow_addon import operators
    return operators


def main(archive, program):
    bpy.ops.preferences.addon_install(filepath=archive)
    enable()
    check_stages()
    check_keys()
    check_extend()
    check_move()
    bpy.ops.preferences.addon_disable(module="billow_addon")
    assert not [name for name in dir(bpy.types.Object) if name.startswith("billow")], "left behind"
    print("OK")


main(*sys.argv[sys.argv.index("--") + 1:])
