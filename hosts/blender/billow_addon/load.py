# SPDX-License-Identifier: GPL-3.0-or-later
"""A cache as a volume in the scene, by the script that billow writes for it."""
import ast
import os
import subprocess

import bpy

from . import program, scene


SEEN = 18  # optical depths of smoke across the longest side, in a solid viewport


def script_of(out):
    done = subprocess.run([program.find(), "blender", out], capture_output=True, text=True)
    if done.returncode:
        raise scene.Wrong(done.stderr.strip().split("\n")[0])
    scripts = [line for line in done.stdout.splitlines() if line.endswith("_blender.py")]
    if not scripts:
        raise program.Missing(f"{program.find()} does not answer as billow does")
    return scripts[0]


def show(out):
    """In a collection of its own, in place of what was loaded of it before; returns the volume."""
    path = script_of(out)
    facts = {"__name__": "__main__", "__file__": os.path.abspath(path)}
    with open(path, encoding="utf-8") as f:
        exec(compile(f.read(), path, "exec"), facts)
    # a solid viewport has no light in smoke: thinner, the wider the domain, so that it is no flat shape
    wide = max(scene.wide(), 1e-3)
    facts["smoke"].data.display.density = min(0.2 * next(iter(facts["cache"]["extinction"].values())), SEEN / wide)
    alone(facts["cache"]["name"])
    return facts["smoke"]


def alone(name):
    """Of a quick and a full bake only the one loaded last is seen."""
    other = name.removesuffix("_quick") if name.endswith("_quick") else name + "_quick"
    for collection, hidden in ((bpy.data.collections.get(name), False), (bpy.data.collections.get(other), True)):
        if collection:
            collection.hide_viewport = collection.hide_render = hidden


def is_of(data, out):
    """Was it loaded of the cache? Whose it is stands there as the script wrote it."""
    try:
        return os.path.realpath(ast.literal_eval(data.get("billow", "''"))).startswith(os.path.realpath(out) + os.sep)
    except (ValueError, SyntaxError, TypeError):
        return False


def is_loaded(out):
    return any(is_of(collection, out) for collection in bpy.data.collections)


def unload(out):
    """What was loaded of the cache goes."""
    for collection in [c for c in bpy.data.collections if is_of(c, out)]:
        bpy.data.batch_remove({o.data for o in collection.objects if o.data} | set(collection.objects) | {collection})
    for kind in bpy.data.materials, bpy.data.worlds, bpy.data.images:
        bpy.data.batch_remove({data for data in kind if is_of(data, out)})


def lengthen(volume, frames):
    """While a bake goes on."""
    if volume.data.frame_duration != frames:
        volume.data.is_sequence, volume.data.frame_duration = frames > 1, frames
