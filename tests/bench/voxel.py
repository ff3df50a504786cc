# SPDX-License-Identifier: Apache-2.0
"""What of a picture lies at its voxels' frequency, where terraces and pinstripes are: ./dev bench voxel

    python3 voxel.py BILLOW FOLDER [--again]

Bakes a smooth ball of smoke and frame 31 of wall_of_fire, whatever FOLDER does not hold yet, and draws either from
afar, square to its cells, so that a voxel is as many pixels wide all over the picture: with values read linearly between
the cells (`quality: draft`), as all pictures once were, and by the cubic spline.

Prints, along x and along z, the power a frequency within 6 % of one wave a voxel, divided by the geometric mean of that
on either side (.72 to .86 and 1.16 to 1.35 of it): 1 is a picture that does not tell its voxels. Then the band's root
of the mean square, of 255. Power is that of the grey picture under a Hann window, of waves within 14 degrees of the
axis; of the ball what lies within its outline counts. FOLDER/voxel.png has the pictures side by side, with what lies
in that band below, eight times.

Then a ball of smoke so dense that a voxel is 4 optical depths thick, its edge a ramp of a voxel and a half, lit from the
side, against the same ball of voxels a quarter as wide: mean and root of the mean square of the difference within its
outline, and the latter of what is left between Gaussians of 2 and 12 pixels, where rings are. FOLDER/rings.png has both
pictures and four times the difference."""
import subprocess
import sys
from pathlib import Path

import matplotlib.image
import numpy as np

BALL = """billow: 1
name: ball
domain: {size: [1.6 m, 1.6 m, 1.6 m], voxel: 4 cm, sides: {rest: open}}
time: {fps: 24, frames: 1-1}
stages:
  - set: {field: density, value: ["1 - smoothstep(0.36, 0.64, hypot(hypot(x, y), z - 0.8))"]}
export:
  - vdb: {fields: [density]}
  - png: {view: render, thickness: 0.5, floor: false}
"""
DENSE = """billow: 1
name: {name}
domain: {{size: [1.6 m, 1.6 m, 1.6 m], voxel: {voxel} cm, sides: {{rest: open}}}}
time: {{fps: 24, frames: 1-1}}
stages:
  - set: {{field: density, value: ["1 - smoothstep(0.50, 0.56, hypot(hypot(x, y), z - 0.8))"]}}
camera: {{azimuth: 20 deg, elevation: 14 deg, lens: 60 mm, distance: 3.2 m, target: {{point: [0, 0, 0.8]}}}}
look:
  thickness: 0.667
  smoke: [0.66, 0.58, 0.5]
  environment: 0.36
  exposure: 1.4
  lights: [{{to: [-0.8, 0.1, 0.35], colour: [4, 3.6, 3.2]}}]
  size: 540
  width: 720
export:
  - vdb: {{fields: [density]}}
  - png: {{view: render, floor: false}}
"""
WITHIN = 0.27  # of the picture's height, from its middle: all smoke
FAR = {"camera.azimuth": 0, "camera.elevation": 0, "camera.roll": 0, "camera.lens": "500 mm", "camera.sensor": "36 mm",
       "camera.fstop": 0, "camera.orbit": 0}
NEAR, LOW, HIGH = (0.94, 1.06), (0.72, 0.86), (1.16, 1.35)  # of one wave a voxel


def run(*command):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-2000:]}")


def draw(billow, cache, out, quality, size, pixels):
    """A picture of `size` on which a metre at the target is so many `pixels`."""
    far = dict(FAR, **{"look.width": size[0], "look.size": size[1], "look.quality": quality,
                       "camera.distance": 0.5 / 0.036 * max(size) / pixels, "camera.target": "{point: [0, 0, 0.8]}"})
    run(billow, "preview", cache, "--out", out, *[w for k, v in far.items() for w in ("--set", f"{k}={v}")])
    return 255 * matplotlib.image.imread(out)[..., :3].mean(axis=2)


def spectrum(grey):
    """The power of each wave, and its waves a pixel down and across; all of them add up to the mean square."""
    window = np.outer(np.hanning(grey.shape[0]), np.hanning(grey.shape[1]))
    flat = (grey - (grey * window).sum() / window.sum()) * window
    power = np.abs(np.fft.fft2(flat)) ** 2 / (grey.size * (window ** 2).sum())
    return power, np.abs(np.fft.fftfreq(grey.shape[0]))[:, None], np.abs(np.fft.fftfreq(grey.shape[1]))[None, :]


def stripes(grey, wave, axis):
    """How much stands out at one wave in `wave` pixels along an axis, and its root of the mean square."""
    power, down, across = spectrum(grey)
    along, beside = (across, down) if axis == "x" else (down, across)
    def band(span):
        chosen = power[(along * wave > span[0]) & (along * wave < span[1]) & (beside < 0.25 * along)]
        return chosen.mean(), chosen.sum()
    mean, total = band(NEAR)
    return mean / np.sqrt(band(LOW)[0] * band(HIGH)[0]), np.sqrt(total)


def band_seen(grey, wave):
    """The waves of a voxel's length along x and z alone, as a picture."""
    down, across = np.abs(np.fft.fftfreq(grey.shape[0]))[:, None], np.abs(np.fft.fftfreq(grey.shape[1]))[None, :]
    keep = np.zeros(grey.shape, bool)
    for along, beside in ((across, down), (down, across)):
        keep |= (along * wave > NEAR[0]) & (along * wave < NEAR[1]) & (beside < 0.25 * along)
    return np.clip(128 + 8 * np.fft.ifft2(np.fft.fft2(grey) * keep).real, 0, 255)


def blurred(grey, width):
    """By a Gaussian, round the edges."""
    down, across = np.fft.fftfreq(grey.shape[0])[:, None], np.fft.fftfreq(grey.shape[1])[None, :]
    return np.fft.ifft2(np.fft.fft2(grey) * np.exp(-2 * (np.pi * width) ** 2 * (down ** 2 + across ** 2))).real


def rings(billow, folder, again):
    """Of a dense ball against finer cells: mean difference, its root of the mean square, and that of rings in it."""
    seen = []
    for name, voxel in (("dense", 4), ("dense_fine", 1)):
        (folder / f"{name}.yaml").write_text(DENSE.format(name=name, voxel=voxel))
        if again or not (folder / name / "bake.json").exists():
            run(billow, "bake", folder / f"{name}.yaml", "--out", folder / name, "--force", "--set",
                "checkpoints.every=0")
        run(billow, "preview", folder / name / "vdb" / f"{name}_0001.vdb", "--out", folder / f"{name}.png")
        seen.append(255 * matplotlib.image.imread(folder / f"{name}.png")[..., :3].mean(axis=2))
    off = seen[0] - seen[1]
    h, w = off.shape
    down, across = np.mgrid[:h, :w]
    inside = np.hypot(down - h / 2, across - w / 2) < WITHIN * h
    band = blurred(off, 2) - blurred(off, 12)
    sheet = np.clip(np.hstack([*seen, 128 + 4 * off]), 0, 255)
    matplotlib.image.imsave(folder / "rings.png", sheet, cmap="gray", vmin=0, vmax=255)
    return off[inside].mean(), np.sqrt((off[inside] ** 2).mean()), np.sqrt((band[inside] ** 2).mean())


def main():
    billow, folder, again = sys.argv[1], Path(sys.argv[2]), "--again" in sys.argv
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ball.yaml").write_text(BALL)
    for name, preset, frames in (("ball", folder / "ball.yaml", "1-1"), ("wall_of_fire", "wall_of_fire", "31-31")):
        if again or not (folder / name / "bake.json").exists():
            run(billow, "bake", preset, "--out", folder / name, "--frames", frames, "--force", "--set",
                "checkpoints.every=0")
    ball = (folder / "ball/vdb/ball_0001.vdb", (720, 720), 288, 16, 0.04)
    fire = (folder / "wall_of_fire/vdb/wall_of_fire_0031.vdb", (1280, 720), 720, 8, 0.018)
    rows = [("ball", q, ball) for q in ("draft", "default")]
    rows += [("wall_of_fire, 31", q, fire) for q in ("draft", "default")]
    print("| picture | quality | times its neighbours, x | z | rms of the band, x | z |\n" + "| --- " * 6 + "|")
    sheet = []
    for name, quality, (cache, size, inner, wave, voxel) in rows:
        grey = draw(billow, cache, folder / f"{cache.stem}_{quality}.png", quality, size, wave / voxel)
        w, h = (size[0] - inner * size[0] // size[1]) // 2, (size[1] - inner) // 2
        inside = grey[h:size[1] - h, w:size[0] - w]
        (x, x_rms), (z, z_rms) = stripes(inside, wave, "x"), stripes(inside, wave, "z")
        print(f"| {name} | {quality} | {x:.2f} | {z:.2f} | {x_rms:.2f} | {z_rms:.2f} |", flush=True)
        middle = grey.shape[1] // 2
        sheet.append(np.vstack([p[:, middle - 360:middle + 360] for p in (grey, band_seen(grey, wave))]))
    matplotlib.image.imsave(folder / "voxel.png", np.hstack(sheet), cmap="gray", vmin=0, vmax=255)
    print("a dense ball against cells a quarter as wide, of 255: mean %.1f, rms %.1f, of rings %.1f" %
          rings(billow, folder, again))


if __name__ == "__main__":
    main()
