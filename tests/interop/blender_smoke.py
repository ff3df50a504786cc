# SPDX-License-Identifier: Apache-2.0
"""Run what `billow blender` wrote in a scene that somebody works on: smoke comes, and nothing else changes.

    blender -b --factory-startup --python-exit-code 1 --python tests/interop/blender_smoke.py -- SCRIPT CENTIMETRES

SCRIPT       NAME_blender.py of a bake, written without --scene
CENTIMETRES  files' units to a metre
"""
import sys

import bpy


def state():
    """All that a scene is, but for the collection that comes."""
    scene = bpy.context.scene
    cycles = {name: getattr(scene.cycles, name) for name in ("samples", "volume_bounces", "volume_step_rate")}
    return {"objects": sorted(o.name for o in scene.collection.all_objects if o.type != "VOLUME"), "world": scene.world,
            "worlds": len(bpy.data.worlds), "camera": scene.camera, "frames": (scene.frame_start, scene.frame_end),
            "now": scene.frame_current, "fps": (scene.render.fps, scene.render.fps_base), "engine": scene.render.engine,
            "unit": scene.unit_settings.scale_length, "film": scene.view_settings.view_transform,
            "pixels": (scene.render.resolution_x, scene.render.resolution_y), "cycles": cycles,
            "materials": sorted(m.name for m in bpy.data.materials if not m.get("billow"))}


def run(script, **swap):
    with open(script) as f:
        text = f.read()
    for name, value in swap.items():
        head, tail = text.split(f"\n{name} = ", 1)
        text = f"{head}\n{name} = {value}\n{tail.split(chr(10), 1)[1]}"
    facts = {"__name__": "__main__", "__file__": script}
    exec(compile(text, script, "exec"), facts)
    return facts


def volumes():
    return [o for o in bpy.data.objects if o.type == "VOLUME"]


def main(script, units):
    scene = bpy.context.scene
    scene.frame_set(7)
    scene.unit_settings.scale_length = 0.5
    before = state()
    cache = run(script)["cache"]
    assert state() == before, (before, state())
    thing, = volumes()
    assert [c.name for c in thing.users_collection] == [cache["name"]], thing.users_collection
    assert all(abs(s * float(units) * 0.5 - 1) < 1e-6 for s in thing.scale), thing.scale
    assert thing.data.materials[0].node_tree.nodes["Principled Volume"].inputs["Density"].links, "a material not wired"
    links = thing.data.materials[0].node_tree.links
    assert not [k for k in links if k.from_node.type == "ATTRIBUTE" and k.from_socket.name == "Fac"], "wrong in Eevee"
    off = thing.location.length
    assert off > 0, "3.4 draws half a voxel off"
    for again in range(2):  # replaced, not heaped up
        run(script, CORNER_UNTIL="(3, 4, 0)")
        assert len(volumes()) == 1 and len(bpy.data.collections) == 2, (volumes(), list(bpy.data.collections))
    assert volumes()[0].location.length == 0, "newer versions draw it where it is"
    assert state() == before, (before, state())
    print("OK", off)


main(*sys.argv[sys.argv.index("--") + 1:])
