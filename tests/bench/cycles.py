#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Our renderer beside Cycles on the same caches, camera, lamps and material: the scene that `billow blender` writes.

  cycles.py BILLOW OUT [PRESET:FRAME…] [--samples N] [--percent N] [--steps N] [--quick]
            [--again]

Bakes what OUT does not hold yet, without what Cycles is not told of (PLAIN), renders a frame of each with both, and
prints, of 255: the mean difference; what grain alone would make of it; the root of the mean square difference without
grain; the mean difference over what smoke and fire change; then the structural similarity with Cycles' grain and
without, mean grey of both, seconds of processor of either, and how many times faster ours is a pixel.

Cycles renders every frame twice, from two seeds, with half of the samples each: A and B. Their mean M is the reference.
Grain of A knows nothing of B's nor of our picture, so that its part drops out of every product of two pictures, in the
mean: of (ours - A) (ours - B), which leaves the square of the difference without grain, and of the covariances of A
with B and of M with ours, which stand in the similarity where the variance of a reference without grain and its
covariance with ours would. Nothing is blurred, neither picture changes, and where the estimate of a variance is
negative it counts as 0, which is to our disadvantage. `--check` shows how well that works: pictures that are known,
with grain made up. A difference of colours by film that bends the grain's mean stays in.

Cycles goes through smoke in steps of N voxels (--steps, 0.25): in a whole one of these scenes light is dimmed e⁴ to
e¹⁰ times, and the mean of an exponential is more than that of the mean: in steps of one `plume` is 4 % too bright.

OUT/cycles.png is the sheet: Cycles, ours, and 128 plus four times ours less Cycles'. Cycles' pictures, N percent of the
preview's size, are kept as long as scene and samples are the same; --again makes them anew. --quick bakes with twice
the voxel, for a look on a small machine."""
import argparse
import hashlib
import os
import subprocess
import sys

import numpy as np
from scipy.ndimage import uniform_filter
from skimage import io
from skimage.transform import resize

SCENES = ["plume:60", "campfire:40", "fireball:16", "gas_explosion:13"]
PLAIN = ["firelight=[1, 1, 1]",  # Cycles' flames light no more than they are seen to
         "detail=0", "haze=0", "shutter=0", "bloom=0", "flames.crisp=0", "flames.sheets=0", "flames.filaments=0",
         "flames.tint=[1, 1, 1]", "flames.opacity=1", "flames.contrast=0.5", "particles.show=none",
         "sky=studio", "ground=studio", "backdrop=studio", "obstacles.material=plain", "obstacles.each=[]", "scorch.radius=0 m",
         "extinction=[1, 1, 1]"]
SHOT = """
import bpy, sys
exec(compile(open({script!r}).read(), {script!r}, "exec"), {{"__file__": {script!r}, "__name__": "__main__"}})
s = bpy.context.scene
s.frame_set({frame})
s.cycles.samples, s.cycles.device, s.cycles.use_adaptive_sampling = {samples}, "CPU", False
s.cycles.use_denoising = False
s.cycles.volume_step_rate, s.cycles.volume_max_steps = {steps}, 4096
s.render.resolution_percentage = {percent}
seeds = []
for seed, out in ((1, {out!r} + "_a"), (2, {out!r} + "_b")):
    s.cycles.seed, s.render.filepath = seed, out + ".exr"
    s.render.image_settings.file_format, s.render.image_settings.color_depth = "OPEN_EXR", "32"
    bpy.ops.render.render(write_still=True)
    seeds.append(bpy.data.images.load(out + ".exr"))
s.render.image_settings.file_format, s.render.image_settings.color_depth = "PNG", "8"
import numpy
light = []
for i in seeds:
    light.append(numpy.empty(4 * i.size[0] * i.size[1], numpy.float32))
    i.pixels.foreach_get(light[-1])
mean = bpy.data.images.new("mean", *seeds[0].size, alpha=True, float_buffer=True)
for values, name in ((light[0], "_a"), (light[1], "_b"), ((light[0] + light[1]) / 2, "")):
    mean.pixels.foreach_set(values)
    mean.update()
    mean.save_render({out!r} + name + ".png", scene=s)
"""


def run(*command):
    """Seconds of processor that it took: on a busy machine too they mean something."""
    before = os.times()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-2000:]}")
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def cycles_make(a, folder, name, frame, out):
    """Seconds it took, or NaN: it is there, of the very same scene."""
    run(a.billow, "blender", folder, "--scene")
    script = os.path.abspath(os.path.join(folder, f"{name}_blender.py"))
    text = SHOT.format(script=script, frame=frame, samples=max(a.samples // 2, 1), percent=a.percent,
                       steps=a.steps, out=os.path.abspath(out))
    with open(script) as f:
        scene = hashlib.sha256((text + f.read()).encode()).hexdigest()
    kept = out + ".scene"
    if not a.again and os.path.exists(out + ".png") and os.path.exists(kept):
        with open(kept) as f:
            was = f.read().split()
        if was[0] == scene:
            return float(was[1])
    slow = run("blender", "-b", "--factory-startup", "--python-exit-code", "1", "--python-expr", text)
    with open(kept, "w") as f:
        f.write(f"{scene} {slow:.1f}")
    return slow


def grey(picture):
    return picture.astype(float).mean(axis=2)


def film(light):
    """As picture/volume/tone_map.c has it, which is Blender's Filmic."""
    a = light ** 0.8354351
    top = a * (a * (a + 3.3586336) + 0.0061462)
    return top / (top + 0.8554559 * a + 0.0029560)


def shrink(picture, shape):
    """To the size of Cycles' picture, by means of light, as Cycles' pixels are: means of what film has made of it are
    darker on every edge. Of blocks, where it is a whole number of times as large."""
    if picture.shape == shape:
        return picture
    known = np.concatenate([[0], np.geomspace(1e-6, 1e4, 4096)])
    light = np.interp(picture / 255, film(known), known)
    n = picture.shape[0] // shape[0]
    if picture.shape[:2] == (n * shape[0], n * shape[1]):
        small = light.reshape(shape[0], n, shape[1], n, 3).mean(axis=(1, 3))
    else:
        small = resize(light, shape[:2], anti_aliasing=True)
    return np.clip(255 * film(np.maximum(small, 0)) + 0.5, 0, 255).astype(np.uint8)


def similarity(ours, mean, a, b):
    """Structural similarity (Wang et al. 2004; windows of 7 pixels, as scikit-image has it) of `ours` and a reference
    of which `mean` is an estimate: its variance is the covariance of `a` and `b`. All three the same: as usual."""
    size, pixels = 7, 49
    total = []
    for c in range(3):
        x, m, p, q = (i[..., c].astype(float) for i in (ours, mean, a, b))
        blur = [uniform_filter(i, size) for i in (x, m, p, q)]

        def joint(i, j, k, l):
            return pixels / (pixels - 1) * (uniform_filter(i * j, size) - blur[k] * blur[l])

        own, other, both = joint(x, x, 0, 0), np.maximum(joint(p, q, 2, 3), 0), joint(x, m, 0, 1)
        c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
        alike = (2 * blur[0] * blur[1] + c1) * (2 * both + c2)
        alike /= (blur[0] ** 2 + blur[1] ** 2 + c1) * (own + other + c2)
        edge = size // 2
        total.append(alike[edge:-edge, edge:-edge].mean())
    return float(np.mean(total))


def compare(reference, ours, empty):
    """`reference`: mean and the two seeds. `empty`: what the corners of it look like, by row: what differs from it is
    smoke, fire or their light."""
    mean, a, b = (r.astype(float) for r in reference)
    x = ours.astype(float)
    seen = np.abs(grey(mean) - empty[:, None]) > 8
    off = np.abs(mean - x).mean(axis=2)
    return {"all": off.mean(), "grain": np.abs(a - b).mean() / 2, "rms": max(((x - a) * (x - b)).mean(), 0) ** 0.5,
            "seen": off[seen].mean(), "with": similarity(x, mean, mean, mean), "alike": similarity(x, mean, a, b),
            "Cycles": grey(mean)[seen].mean(), "ours": grey(x)[seen].mean()}


def check(picture):
    """What is known, against what the two seeds say: a picture, the same a little darker and moved by a third of a
    pixel as "ours", and grain as Cycles has it, stronger where there is light."""
    truth = io.imread(picture)[..., :3].astype(float)
    ours = 0.95 * (2 / 3 * truth + np.roll(truth, 1, axis=1) / 3)
    print(f"{'grain':>8}{'known':>8}{'with':>8}{'without':>9}")
    for grain in (2, 5, 10, 20):
        rng = np.random.default_rng(grain)
        a, b = (truth + grain * np.sqrt(truth / 128) * rng.standard_normal(truth.shape) for _ in range(2))
        mean = (a + b) / 2
        print(f"{grain:8}{similarity(ours, truth, truth, truth):8.3f}{similarity(ours, mean, mean, mean):8.3f}"
              f"{similarity(ours, mean, a, b):9.3f}")


def frame_bake(a, scene, folder):
    """The frame alone: those before it are only simulated, and a camera that moves is where it is then."""
    name, frame = scene.split(":")
    if os.path.exists(os.path.join(folder, "vdb", f"{name}_{int(frame):04}.vdb")):
        return
    here = os.path.dirname(os.path.abspath(__file__))
    own = os.path.join(here, name + ".yaml")
    preset = own if os.path.exists(own) else os.path.join(here, "..", "..", "presets", name + ".yaml")
    plain = [word for key in PLAIN for word in ("--set", "export.mp4." + key)]
    run(a.billow, "bake", preset, "--out", folder, "--force", "--frames", f"{frame}-{frame}", *plain,
        *(["--quick"] if a.quick else []))


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("billow")
    p.add_argument("out")
    p.add_argument("scenes", nargs="*", default=SCENES)
    p.add_argument("--samples", type=int, default=128)
    p.add_argument("--percent", type=int, default=50)
    p.add_argument("--steps", type=float, default=0.25)
    p.add_argument("--quick", action="store_true")
    p.add_argument("--again", action="store_true")
    p.add_argument("--check", metavar="PICTURE")
    a = p.parse_args()
    if a.check:
        check(a.check)
        return
    os.makedirs(a.out, exist_ok=True)
    rows = []
    columns = [("all", 6, 1), ("grain", 7, 1), ("rms", 6, 1), ("seen", 6, 1), ("with", 7, 3), ("alike", 7, 3),
               ("Cycles", 8, 0), ("ours", 6, 0)]
    print(f"{'':18}" + "".join(f"{name:>{wide}}" for name, wide, _ in columns) + f"{'s':>8}{'s':>7}{'times':>7}")
    for scene in a.scenes or SCENES:
        name, frame = scene.split(":")
        folder = os.path.join(a.out, name)
        shot, own = (os.path.join(a.out, f"{name}_{frame}_{who}") for who in ("cycles", "ours"))
        frame_bake(a, scene, folder)
        slow = cycles_make(a, folder, name, int(frame), shot)
        reference = [io.imread(shot + seed + ".png")[..., :3] for seed in ("", "_a", "_b")]
        size = str(round(reference[0].shape[0] * 100 / a.percent))
        quick = run(a.billow, "preview", folder, "--frames", f"{frame}-{frame}", "--size", size, "--out", own + ".png")
        ours = shrink(io.imread(own + ".png")[..., :3], reference[0].shape)
        edge = np.concatenate([grey(reference[0])[:, :4], grey(reference[0])[:, -4:]], axis=1)
        numbers = compare(reference, ours, edge.min(axis=1))
        print(f"{scene:18}" + "".join(f"{numbers[name]:{wide}.{digits}f}" for name, wide, digits in columns) +
              f"{slow:8.0f}{quick:7.2f}{slow / quick * 1e4 / a.percent ** 2:7.0f}", flush=True)
        off = np.clip(128 + 4 * (ours.astype(int) - reference[0].astype(int)), 0, 255).astype(np.uint8)
        rows.append(np.concatenate([reference[0], ours, off], axis=1))
    wide = max(r.shape[1] for r in rows)
    sheet = np.concatenate([np.pad(r, ((0, 0), (0, wide - r.shape[1]), (0, 0))) for r in rows])
    io.imsave(os.path.join(a.out, "cycles.png"), sheet, check_contrast=False)


if __name__ == "__main__":
    main()
