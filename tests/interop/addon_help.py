# SPDX-License-Identifier: Apache-2.0
"""What the scripts that drive the add-on in Blender share."""
import sys

import bpy


def refused(call, *words):
    """It says why, and loads nothing."""
    before = len([o for o in bpy.data.objects if o.type == "VOLUME"])
    try:
        call()
    except RuntimeError as why:
        assert all(w in str(why) for w in words), (str(why), words)
    else:
        raise AssertionError(f"not refused: {words}")
    assert len([o for o in bpy.data.objects if o.type == "VOLUME"]) == before, "half loaded"


def enable():
    bpy.ops.preferences.addon_enable(module="billow_addon")
    bpy.context.preferences.addons["billow_addon"].preferences.program = sys.argv[-1]


def only(thing):
    for other in bpy.context.selected_objects:
        other.select_set(False)
    thing.select_set(True)
    bpy.context.view_layer.objects.active = thing


def mesh_new(kind, **wish):
    getattr(bpy.ops.mesh, f"primitive_{kind}_add")(**wish)
    return bpy.context.object


def volumes():
    return [o for o in bpy.data.objects if o.type == "VOLUME"]


def scene_start():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    enable()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 3, 6
    return scene
