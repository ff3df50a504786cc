#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Sweep a parameter of a preset and plot how high its smoke has risen: `sweep.py`, `sweep.py --help`.

Nothing is written but the plot: heights are taken from the frames while they are made."""
import argparse

import matplotlib.pyplot as plt
import numpy as np

import billow


def top_of(density, level=0.05):
    """Height up to which there is so much smoke, m: between the centres of two layers of cells."""
    most = np.append(density.dense().max((0, 1)), 0)  # of each layer, and of the one above
    smoky = np.flatnonzero(most > level)
    if not len(smoky):
        return 0.0
    i = smoky[-1]
    return density.centres(2)[i] + density.voxel * (most[i] - level) / (most[i] - most[i + 1])


def rise(preset, settings, frames):
    """Times and heights of one bake, and a picture of its last frame."""
    times, heights, last = [], [], []

    def look(frame):
        times.append(frame.time)
        heights.append(top_of(frame["density"]))
        last[:] = [frame]
    billow.bake(preset, settings, frames=(1, frames), on_frame=look)
    return times, heights, last[0].picture({"view": "render", "size": 480})


def plot(key, results, out):
    """Curves on the left, the last frame of each bake on the right."""
    figure, axes = plt.subplots(1, 1 + len(results), figsize=(6 + 1.7 * len(results), 4.2), layout="constrained",
                                width_ratios=[4] + [1.3] * len(results))
    for axis, (value, (times, heights, picture)) in zip(axes[1:], results.items()):
        line, = axes[0].plot(times, heights, label=f"{value:g}")
        axis.imshow(picture)
        axis.set_title(f"{value:g}", color=line.get_color())
        axis.set_axis_off()
    axes[0].set(xlabel="time, s", ylabel="top of the smoke, m", ylim=(0, None))
    axes[0].grid(alpha=0.3)
    axes[0].legend(title=key.split(".")[-1])
    figure.savefig(out, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", default="plume")
    parser.add_argument("--key", default="stages.mac.forces.buoyancy", help="what is swept")
    parser.add_argument("--values", type=float, nargs="+", default=[0.5, 1, 2])
    parser.add_argument("--voxel", type=float, default=0.05, help="edge of a cell, m")
    parser.add_argument("--frames", type=int, default=48)
    parser.add_argument("--out", default="sweep.png")
    words = parser.parse_args()
    fixed = {"domain.voxel": words.voxel, "time.warmup": 0}
    results = {value: rise(words.preset, {**fixed, words.key: value}, words.frames) for value in words.values}
    for value, (_times, heights, _picture) in results.items():
        print(f"{words.key} = {value:g}: {heights[-1]:.2f} m after {words.frames} frames")
    plot(words.key, results, words.out)
    print(words.out)


if __name__ == "__main__":
    main()
