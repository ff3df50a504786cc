# SPDX-License-Identifier: Apache-2.0
"""Run what `billow blender` wrote, check the scene, render a frame with Cycles and compare it with our own preview of it.

    blender -b --factory-startup --python tests/interop/blender_scene.py -- SCRIPT FRAME PREVIEW.png ALIKE [RENDER.png]

SCRIPT     NAME_blender.py in a bake's folder
FRAME      the frame to render
PREVIEW    our picture of that frame; the render is as large
ALIKE      the correlation that they must reach
RENDER     keeps the render there

Two renderers never agree to the bit, and few samples are noisy: what is compared are means of blocks. The light must be
spread over the picture alike (correlation), and its colours be alike where it is bright. Prints OK … or FAIL …."""
import os
import re
import sys

import bpy
import mathutils
import numpy


def fail(text):
    print("FAIL " + text, flush=True)
    os._exit(1)


def expect(good, text):
    if not good:
        fail(text)


def check_place(thing):
    """Cycles draws a voxel from its index up to the next one: half of one takes that back."""
    thing.data.grids.load()
    bpy.context.view_layer.update()
    to_world = thing.matrix_world @ thing.data.grids[0].matrix_object
    at = to_world @ mathutils.Vector((0.5, 0.5, 0.5))  # of voxel 0, as Cycles draws it, in the axes of our world
    told = thing.matrix_world.to_3x3() @ thing.data.grids[0].matrix_object.to_translation()
    expect((at - told).length < 1e-5 * (1 + told.length), f"voxel 0 is drawn at {at}, not {told}")


def check_scene(folder, facts):
    """All frames, each its own file; scene and velocity as the files say."""
    scene = bpy.context.scene
    volumes = [o for o in bpy.data.objects if o.type == "VOLUME"]
    expect(len(volumes) == 1, f"{len(volumes)} volumes")
    volume = volumes[0].data
    files = sorted(n for n in os.listdir(os.path.join(folder, "vdb")) if n.endswith(".vdb"))
    numbers = [int(re.search(r"(\d+)\.vdb$", n).group(1)) for n in files]
    expect((scene.frame_start, scene.frame_end) == (numbers[0], numbers[-1]), "the scene's frames are not the cache's")
    fps = scene.render.fps / scene.render.fps_base
    expect(abs(fps - facts["fps"]) < 1e-4, f"{fps} frames a second")
    expect(scene.frame_current == numbers[0], "the first frame is not shown first")
    expect(abs(scene.unit_settings.scale_length * facts["scale"] - 1) < 1e-6, "the scene's unit is not the files'")
    check_place(volumes[0])
    for name, number in zip(files, numbers):
        scene.frame_set(number)
        volume.grids.unload()
        expect(volume.grids.load(), f"{name}: {volume.grids.error_message}")
        shown = os.path.basename(volume.grids.frame_filepath)
        expect(shown == name, f"frame {number} shows {shown}")
    if facts["velocity"]:
        expect(volume.velocity_unit == "SECOND" and volume.velocity_grid == facts["velocity"], "velocity is not per second")


def check_flames(facts):
    """What a dim flame hides is what our rays have it hide: less, so that it is no dark rim."""
    hides = facts.get("hides", {"most": 1})
    if not facts["flame"] or hides["most"] == 1:
        return
    nodes = [n for m in bpy.data.materials if m.use_nodes for n in m.node_tree.nodes if n.label == "hides"]
    expect(len(nodes) == 1 and nodes[0].outputs[0].links, "dim flames hide as much as bright ones")
    expect(abs(hides["dim"] * hides["most"] ** 3 - 1) < 1e-5 and hides["dim"] < hides["cold"] < 1, f"{hides}")


def pixels_of(path):
    image = bpy.data.images.load(path)
    image.colorspace_settings.name = "Raw"
    return numpy.array(image.pixels[:]).reshape(image.size[1], image.size[0], 4)[:, :, :3]


def render(frame, size, path):
    scene = bpy.context.scene
    scene.frame_set(frame)
    scene.cycles.samples, scene.cycles.seed = 32, 1
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.render.filepath, scene.render.image_settings.file_format = path, "PNG"
    bpy.ops.render.render(write_still=True)
    return pixels_of(path)


def blocks(picture, n=6):
    h, w = picture.shape[0] // n * n, picture.shape[1] // n * n
    return picture[:h, :w].reshape(h // n, n, w // n, n, 3).mean(axis=(1, 3))


def compare(ours, theirs, wanted):
    a, b = blocks(ours), blocks(theirs)
    light = [x.mean(axis=2).ravel() for x in (a, b)]
    alike = numpy.corrcoef(*light)[0, 1]
    bright = a.mean(axis=2) > 0.6 * a.mean(axis=2).max()
    mean = [x[bright].mean(axis=0) for x in (a, b)]
    hue = [m / m.sum() for m in mean]
    ratio, apart = mean[1].sum() / mean[0].sum(), numpy.abs(hue[0] - hue[1]).max()
    report = f"correlation {alike:.3f}, brightness {ratio:.2f} of ours, colour {apart:.3f} apart"
    expect(alike > wanted, report)
    expect(0.7 < ratio < 1.4, report)
    expect(apart < 0.15, report)
    return report


def main(script, frame, preview, alike, kept=None):
    facts = {"__name__": "scene", "__file__": script}
    with open(script) as f:
        exec(compile(f.read(), script, "exec"), facts)
    check_scene(os.path.dirname(script), facts["cache"])
    check_flames(facts["cache"])
    ours = pixels_of(preview)
    theirs = render(int(frame), (ours.shape[1], ours.shape[0]), kept or os.path.join(bpy.app.tempdir, "render.png"))
    print("OK " + compare(ours, theirs, float(alike)), flush=True)


try:
    main(*sys.argv[sys.argv.index("--") + 1:])
except Exception as error:  # Blender would print it and exit with 0
    fail(repr(error))
os._exit(0)
