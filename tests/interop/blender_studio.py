# SPDX-License-Identifier: Apache-2.0
"""Run what `billow blender --scene` wrote of studio.yaml: all that its movie has is there, and moves as it does.

    blender -b --factory-startup --python-exit-code 1 --python tests/interop/blender_studio.py -- SCRIPT
"""
import sys

import bpy
from mathutils import Vector


def near(a, b, off=1e-4):
    return (Vector(a) - Vector(b)).length < off


def facts_of(script):
    facts = {"__name__": "__main__", "__file__": script}
    with open(script) as f:
        exec(compile(f.read(), script, "exec"), facts)
    return facts["cache"]


def at(frame):
    bpy.context.scene.frame_set(frame)
    return {o.name: o.matrix_world.copy() for o in bpy.data.objects}


def check_motion(cache):
    for frame in 1001, 1004:
        there, eye = at(frame), cache["camera"][frame]
        assert near(there["camera"].translation, eye["eye"]), (frame, there["camera"])
        assert near(-there["camera"].col[2].xyz, eye["forward"]), (frame, there["camera"])
        assert near(there["obstacle 1"].translation, (-0.5 if frame == 1001 else -0.2, 0, 0.2)), there["obstacle 1"]
        assert abs(bpy.context.scene.view_settings.exposure - (frame == 1004)) < 1e-4, "exposure is not keyed"
    assert len({tuple(eye["eye"]) for eye in cache["camera"].values()}) == 4, "the camera stands still"
    kinds = bpy.data.objects["camera"].animation_data.action.fcurves
    assert all(k.interpolation == "LINEAR" for c in kinds for k in c.keyframe_points), "keys are not even"


def check_embers():
    for frame in 1001, 1003, 1004:
        bpy.context.scene.frame_set(frame)
        seen = [o.name for o in bpy.data.objects if o.name.startswith("embers") and not o.hide_render]
        assert seen == ([f"embers {frame}"] if frame > 1001 else []), (frame, seen)


def check_lights(cache):
    suns = [o for o in bpy.data.objects if o.type == "LIGHT" and o.data.type == "SUN"]
    assert len(suns) == 1, suns
    assert near(suns[0].matrix_world.col[2].xyz, cache["lights"][0]["to"], 1e-3), "the sun is elsewhere"
    nodes = bpy.context.scene.world.node_tree.nodes
    sky, = [n for n in nodes if n.bl_idname == "ShaderNodeTexEnvironment"]
    assert sky.image.size[0] == 2 * sky.image.size[1] > 0 and len(sky.outputs[0].links) == 2, "the sky neither lights nor shows"
    assert [o.name for o in bpy.data.objects if o.name.startswith("floor")] == ["floor"], "one floor"


def check_film(cache, script):
    """The shutter and the bloom of the movie; somebody's own compositor stays as it is."""
    scene = bpy.context.scene
    assert scene.render.use_motion_blur and abs(scene.render.motion_blur_shutter - cache["shutter"]) < 1e-6, "no shutter"
    ends = [n for n in scene.node_tree.nodes if n.bl_idname == "CompositorNodeComposite"]
    assert cache["bloom"] > 0 and len(ends) == 1 and ends[0].inputs[0].is_linked, "no bloom, or more than one"
    white, = [n for n in scene.node_tree.nodes if n.bl_idname == "CompositorNodeRGB"]
    for frame, light in (1001, 0.8), (1004, 0.4):  # exposure 1, 2
        scene.frame_set(frame)
        assert abs(white.outputs[0].default_value[0] - light) < 1e-4, white.outputs[0].default_value[0]
    del scene.node_tree["billow"]
    scene.node_tree.nodes.clear()
    facts_of(script)
    assert not scene.node_tree.nodes, "it takes over a compositor that is in use"


def main(script):
    cache = facts_of(script)
    facts_of(script)  # again: nothing is there twice
    names = [o.name for o in bpy.data.objects]
    assert not [n for n in names if n.endswith(".001")], names
    check_motion(cache)
    check_embers()
    check_lights(cache)
    crate = bpy.data.objects["obstacle 1"].data
    assert len(crate.vertices) == 8 and len(crate.polygons) == 12, "the crate is no box"
    check_film(cache, script)
    print("OK")


main(*sys.argv[sys.argv.index("--") + 1:])
