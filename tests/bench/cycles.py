#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Our renderer beside Cycles on the same caches, camera, lamps and material: the scene that `billow blender` writes.

  cycles.py BILLOW OUT [PRESET:FRAME…] [--samples N] [--percent N] [--again]

Bakes what OUT does not hold yet, renders a frame of each with both, and prints the mean difference of 255 over the
picture and over what smoke and fire change, the structural similarity, mean grey of both, seconds of either, and how
many times faster ours is a pixel. Grain of Cycles counts as difference: with N samples for 128 there is √(128/N) of it.
OUT/cycles.png is the sheet: Cycles, ours, four times the difference. Cycles' pictures, N percent of the preview's size,
are kept as long as scene and samples are the same; --again makes them anew."""
import argparse
import hashlib
import os
import subprocess
import sys
import time

import numpy as np
from skimage import io
from skimage.transform import resize
from skimage.metrics import structural_similarity

SCENES = ["plume:60", "campfire:40", "fireball:16", "gas_explosion:13"]
SHOT = """
import bpy, sys
exec(compile(open({script!r}).read(), {script!r}, "exec"), {{"__file__": {script!r}, "__name__": "__main__"}})
s = bpy.context.scene
s.frame_set({frame})
s.cycles.samples, s.cycles.device, s.render.filepath = {samples}, "CPU", {out!r}
s.render.resolution_percentage = {percent}
s.render.image_settings.file_format = "PNG"
bpy.ops.render.render(write_still=True)
"""


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-2000:]}")


def seconds(*command):
    start = time.perf_counter()
    run(*command)
    return time.perf_counter() - start


def cycles_make(a, folder, name, frame, out):
    """Seconds it took, or NaN: it is there, of the very same scene."""
    run(a.billow, "blender", folder)
    script = os.path.abspath(os.path.join(folder, f"{name}_blender.py"))
    text = SHOT.format(script=script, frame=frame, samples=a.samples, percent=a.percent, out=os.path.abspath(out))
    with open(script) as f:
        scene = hashlib.sha256((text + f.read()).encode()).hexdigest()
    kept = out + ".scene"
    if not a.again and os.path.exists(out) and os.path.exists(kept) and open(kept).read() == scene:
        return float("nan")
    slow = seconds("blender", "-b", "--factory-startup", "--python-exit-code", "1", "--python-expr", text)
    with open(kept, "w") as f:
        f.write(scene)
    return slow


def grey(picture):
    return picture.astype(float).mean(axis=2)


def shrink(picture, shape):
    """To the size of Cycles' picture, by means."""
    if picture.shape == shape:
        return picture
    small = resize(picture, shape[:2], anti_aliasing=True, preserve_range=True)
    return np.clip(small + 0.5, 0, 255).astype(np.uint8)


def compare(reference, ours, empty):
    """`empty`: what the corners of the reference look like, by row: what differs from it is smoke, fire or their light."""
    seen = np.abs(grey(reference) - empty[:, None]) > 8
    off = np.abs(reference.astype(float) - ours.astype(float)).mean(axis=2)
    alike = structural_similarity(reference, ours, channel_axis=2)
    return off.mean(), off[seen].mean(), alike, grey(reference)[seen].mean(), grey(ours)[seen].mean()


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("billow")
    p.add_argument("out")
    p.add_argument("scenes", nargs="*", default=SCENES)
    p.add_argument("--samples", type=int, default=128)
    p.add_argument("--percent", type=int, default=50)
    p.add_argument("--again", action="store_true")
    a = p.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    rows = []
    print(f"{'':18}{'all':>6}{'seen':>7}{'alike':>8}{'Cycles':>8}{'ours':>7}{'s':>8}{'s':>7}{'times':>7}")
    for scene in a.scenes or SCENES:
        name, frame = scene.split(":")
        folder = os.path.join(a.out, name)
        shots = [os.path.join(a.out, f"{name}_{frame}_{who}.png") for who in ("cycles", "ours")]
        if not os.path.exists(os.path.join(folder, "vdb", f"{name}_{int(frame):04}.vdb")):
            own = os.path.join(here, name + ".yaml")
            preset = own if os.path.exists(own) else os.path.join(here, "..", "..", "presets", name + ".yaml")
            plain = "export.mp4.firelight=[1, 1, 1]" # Cycles' flames light no more than they are seen to
            run(a.billow, "bake", preset, "--out", folder, "--set", plain)
        slow = cycles_make(a, folder, name, int(frame), shots[0])
        size = str(round(io.imread(shots[0]).shape[0] * 100 / a.percent))
        quick = seconds(a.billow, "preview", folder, "--frames", f"{frame}-{frame}", "--size", size, "--out", shots[1])
        reference, ours = (io.imread(s)[..., :3] for s in shots)
        ours = shrink(ours, reference.shape)
        edge = np.concatenate([grey(reference)[:, :4], grey(reference)[:, -4:]], axis=1)
        numbers = compare(reference, ours, edge.min(axis=1))
        print(f"{scene:18}{numbers[0]:6.1f}{numbers[1]:7.1f}{numbers[2]:8.3f}{numbers[3]:8.0f}{numbers[4]:7.0f}"
              f"{slow:8.0f}{quick:7.1f}{slow / quick * 1e4 / a.percent ** 2:7.0f}", flush=True)
        off = np.minimum(np.abs(reference.astype(int) - ours.astype(int)) * 4, 255).astype(np.uint8)
        rows.append(np.concatenate([reference, ours, off], axis=1))
    wide = max(r.shape[1] for r in rows)
    sheet = np.concatenate([np.pad(r, ((0, 0), (0, wide - r.shape[1]), (0, 0))) for r in rows])
    io.imsave(os.path.join(a.out, "cycles.png"), sheet, check_contrast=False)


if __name__ == "__main__":
    main()
