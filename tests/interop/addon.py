# SPDX-License-Identifier: Apache-2.0
"""The add-on, installed and driven without a window.

    BLENDER_USER_SCRIPTS=FOLDER blender -b --factory-startup --python-exit-code 1 --python tests/interop/addon.py -- ZIP BILLOW

FOLDER is empty and the scene's .blend is saved in the current folder.
"""
import os
import sys
import types

import bpy
from mathutils import Vector

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from addon_help import enable, mesh_new, only, refused, scene_start, volumes  # noqa: E402


def box_of(volume):
    """Of what is in the frame's file, m."""
    volume.data.grids.load()
    bpy.context.view_layer.update()
    corners = [volume.matrix_world @ Vector(c) for c in volume.bound_box]
    return [min(c[a] for c in corners) for a in range(3)], [max(c[a] for c in corners) for a in range(3)]


def check_quick(kind):
    """One operator, one bake: smoke where the object is."""
    scene_start()
    bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(f"{kind}.blend"))
    monkey = mesh_new("monkey", location=(5, 2, 1), size=1)
    getattr(bpy.ops.billow, f"quick_{kind}")(resolution=24)
    domain = bpy.context.object
    assert domain.billow.role == "DOMAIN" and monkey.billow.role == "SOURCE", "roles"
    bpy.ops.billow.bake()
    volume, = volumes()
    files = sorted(os.listdir(os.path.join("billow", "Billow_Domain", "cache", "vdb")))
    assert [f[-8:] for f in files] == ["0003.vdb", "0004.vdb", "0005.vdb", "0006.vdb"], files
    data = volume.data
    assert (data.frame_duration, data.frame_start, data.velocity_unit) == (4, 3, "SECOND"), data.frame_duration
    bpy.context.scene.frame_set(6)
    low, high = box_of(volume)
    assert low[0] < 5 < high[0] and low[1] < 2 < high[1] and low[2] < 1 < high[2], (low, high)
    names = [g.name for g in data.grids]
    assert "density" in names and ("flame" in names) == (kind != "smoke"), names
    return domain, monkey


def check_falls():
    """The box is round all of the way of what moves, and gas takes its motion along."""
    scene_start()
    monkey = mesh_new("monkey", location=(0, 0, 4), size=1)
    for frame, at in (3, (0, 0, 4)), (6, (3, 0, 1)):
        monkey.location = at
        monkey.keyframe_insert("location", frame=frame)
    bpy.ops.billow.quick_fire(resolution=24)
    box = bpy.context.object
    low, high = ([f(c[a] for c in [box.matrix_world @ Vector(c) for c in box.bound_box]) for a in range(3)] for f in (min, max))
    assert low[0] < -1 and high[0] > 4 and low[2] < 0.6 and high[2] > 6, (low, high)
    assert monkey.billow.inherit > 0.3 and bpy.context.scene.frame_current != 6, monkey.billow.inherit


def check_again(domain):
    """Baked again it is replaced; set parameters and a longer scene count; the cache plays without the add-on."""
    domain.billow_stage_mac_forces.buoyancy = 0.5
    bpy.context.scene.frame_end = 8
    bpy.ops.billow.bake()
    assert len(volumes()) == 1 and volumes()[0].data.frame_duration == 6, volumes()
    with open("billow/Billow_Domain/Billow_Domain.yaml", encoding="utf-8") as f:
        text = f.read()
    assert "mac.forces: {id: mac.forces, buoyancy: 0.5}" in text and "frames: 3-8" in text, text
    bpy.context.scene.frame_start = 5
    bpy.ops.billow.bake()
    assert [v.data.frame_start for v in volumes()] == [5], "what began elsewhere stays"
    bpy.ops.wm.save_mainfile()
    bpy.ops.preferences.addon_disable(module="billow_addon")
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    assert volumes()[0].data.grids.load() and volumes()[0].data.materials[0].node_tree, "not without the add-on"
    enable()
    assert abs(bpy.data.objects["Billow Domain"].billow_stage_mac_forces.buoyancy - 0.5) < 1e-6, "forgotten"


def check_two():
    """Two quick effects in one scene: each domain bakes what lies in it, by a starting point of its own."""
    scene_start()
    bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath("two.blend"))
    for kind, x in ("fire", -9), ("smoke", 9):
        mesh_new("cube", location=(x, 0, 1), size=1).name = kind
        getattr(bpy.ops.billow, f"quick_{kind}")(resolution=16)
        bpy.context.object.name = f"about {kind}"
    for kind, other in ("fire", "smoke"), ("smoke", "fire"):
        only(bpy.data.objects[f"about {kind}"])
        bpy.ops.billow.bake()
        with open(f"billow/about_{kind}/about_{kind}.yaml", encoding="utf-8") as f:
            text = f.read()
        assert f"extends: {kind}" in text and f'# "{kind}"' in text and f'# "{other}"' not in text, text
    assert len(volumes()) == 2, volumes()
    bpy.data.objects["fire"].location.x = 99  # in none: said by both
    bpy.context.view_layer.update()
    refused(bpy.ops.billow.bake, "fire lies outside about smoke")


def check_motion():
    """A ball that goes through, keyed: one file and keys; a cube that bends: a file a frame; units are centimetres."""
    scene = scene_start()
    scene.unit_settings.scale_length = 0.01
    bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath("動く.blend"))
    ball = mesh_new("ico_sphere", location=(0, 0, 50), radius=20)
    ball.name, ball.billow.role, ball.billow.start, ball.billow.frames = "煙", "SOURCE", 4, 9
    for frame, x in (3, -50), (6, 40):
        ball.location.x = x
        ball.keyframe_insert("location", frame=frame)
    for curve in ball.animation_data.action.fcurves:
        curve.keyframe_points[0].interpolation = "LINEAR"
    cube = mesh_new("cube", location=(0, 0, 150), size=30, rotation=(0, 0, 0.5))
    cube.billow.role = "OBSTACLE"
    bend = cube.modifiers.new("bend", "SIMPLE_DEFORM")
    bend.angle = 0.1
    bend.keyframe_insert("angle", frame=3)
    bend.angle = 1.0
    bend.keyframe_insert("angle", frame=6)
    box = mesh_new("cube", location=(0, 0, 100), size=200)
    box.name, box.billow.role, box.billow.resolution = "箱", "DOMAIN", 20
    bpy.ops.billow.bake()
    with open("billow/smoke/smoke.yaml", encoding="utf-8") as f:
        text = f.read()
    assert "center: {ease: linear, keys: {3: [-0.5, 0, 0.5], 4: [-0.2, 0, 0.5], 5: [0.1" in text, text
    assert "frames: 4-6" in text and "_####.obj" in text and "origin: [-1 m, -1 m, 0 m]" in text and "voxel: 0.1 m" in text, text
    meshes = os.listdir("billow/smoke/meshes")
    assert len(meshes) == 5, meshes
    volume, = volumes()
    assert abs(volume.scale[0] - 100) < 1e-3, volume.scale
    scene.frame_set(3)
    low, high = box_of(volume)
    assert low[0] < -50 < high[0] and abs(low[2] - 50) < 60, (low, high)


def check_refusals():
    scene_start()
    refused(bpy.ops.billow.bake, "there is no domain")
    box = mesh_new("cube", size=2)
    box.billow.role = "DOMAIN"
    refused(bpy.ops.billow.bake, "save the .blend first", "there is no source")
    bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath("refused.blend"))
    empty = bpy.data.objects.new("nothing", bpy.data.meshes.new("nothing"))
    bpy.context.scene.collection.objects.link(empty)
    empty.billow.role = "SOURCE"
    only(box)
    refused(bpy.ops.billow.bake, "nothing has no faces")
    bpy.data.objects.remove(empty)
    ball = mesh_new("ico_sphere", radius=0.3, location=(9, 0, 0))
    ball.billow.role = "SOURCE"
    only(box)
    refused(bpy.ops.billow.bake, "lies outside")
    ball.location.x = 0
    box.rotation_euler[2] = 0.3
    bpy.context.view_layer.update()
    refused(bpy.ops.billow.bake, "Cube is turned", "Apply")
    box.rotation_euler[2] = 0
    box.scale = 1, 1, 2.5  # stretched is no harm
    bpy.context.view_layer.update()
    for role in "OBSTACLE", "SOURCE":
        ball.billow.role = role  # never both
    preferences = bpy.context.preferences.addons["billow_addon"].preferences
    program, preferences.program = preferences.program, "/nowhere/billow"
    refused(bpy.ops.billow.bake, "/nowhere/billow is no program", "preferences")
    preferences.program = "/bin/true"
    refused(bpy.ops.billow.load, "/bin/true does not answer")
    preferences.program = program
    refused(lambda: bpy.ops.billow.bake(resume=True), "no bake of Cube with a checkpoint")
    refused(bpy.ops.billow.stop, "no bake is running")
    refused(bpy.ops.billow.load, "cache")
    from billow_addon import operators
    bare = types.SimpleNamespace(view_layer=bpy.context.view_layer)  # as a start-up script has it once it opened a file
    assert operators.domain_of(bare) == box, "no active_object, no domain"


def check_beside():
    """Not waited for: a second is refused while it runs; stopped it keeps a checkpoint, and goes on from there."""
    from billow_addon import job, operators
    scene = bpy.context.scene
    scene.frame_end = 120
    box = bpy.data.objects["Cube"]
    only(box)
    box.billow.resolution = 40
    begun = operators.bake(box, False)
    refused(bpy.ops.billow.bake, "runs already")
    while begun.done < 3 and begun.code is None:
        begun.reader.join(0.05)
    bpy.ops.billow.stop()
    begun.reader.join(60)
    assert begun.code == 75 and begun.done < 110, (begun.code, begun.message, begun.done)
    assert job.can_resume(begun.folder), "no checkpoint"
    bpy.ops.billow.bake(resume=True)
    assert volumes()[0].data.frame_duration == 118, volumes()[0].data.frame_duration
    scene.frame_end = 122
    bpy.ops.billow.bake(resume=True)
    assert volumes()[0].data.frame_duration == 120, "not made longer"
    early, late = (os.path.join(begun.folder, "vdb", f"Cube_0{n}.vdb") for n in ("003", "122"))
    before = [open(path, "rb").read() for path in (early, late)]
    box.billow_stage_mac_forces.buoyancy = 0.1
    refused(lambda: bpy.ops.billow.bake(resume=True), "a different bake")
    bpy.ops.billow.bake(from_frame=115)
    after = [open(path, "rb").read() for path in (early, late)]
    assert before[0] == after[0] and before[1] != after[1], "not from that frame on"


def main(archive, program):
    bpy.ops.preferences.addon_install(filepath=archive)
    enable()
    check_refusals()
    check_beside()
    for kind in "fire", "explosion", "smoke":
        domain, monkey = check_quick(kind)
    check_again(domain)
    check_falls()
    check_two()
    check_motion()
    bpy.ops.preferences.addon_disable(module="billow_addon")
    assert not hasattr(bpy.types.Object, "billow"), "left behind"
    print("OK")


main(*sys.argv[sys.argv.index("--") + 1:])
