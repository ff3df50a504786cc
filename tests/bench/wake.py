# SPDX-License-Identifier: Apache-2.0
"""Bakes wake.yaml, a ball that flies through still fluid, and measures its wake: ./dev bench wake

    python3 wake.py BILLOW FOLDER [--keep]

Prints the ball's speed and drag coefficient, and in sections behind it the deficit u0 on the wake's axis and the half-width
(where the flow along the course, averaged about the axis, falls to u0/2), with the slopes of both over x/D; FOLDER gets
wake.png. For a self-preserving wake of constant drag u0 delta^2 stays, and delta ~ x^(1/3), u0 ~ x^(-2/3) (Tennekes & Lumley
1972, 4.1). There x = U t: here the fluid rests and the ball moves, so x is how far behind the ball a section lies. A
section was laid when the ball was faster: u0 is over the speed of then. --keep measures anew a bake
that is there."""
import csv
import subprocess
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pyopenvdb as vdb

DIAMETER, MIDDLE = 0.3, (0.0, 1.2)  # m; y and z of the course: wake.yaml
DENSITY_RATIO = 100.0  # ball's over the fluid's
FRAMES = 6  # the last ones are measured
SECTIONS = np.arange(1.5, 18.6, 1.0)  # x/D, each the mean of a length of D
FIT = (5.0, 14.0)  # x/D: behind what the ball drags along; its start is 19 D behind it in the first frame measured
RADII = np.arange(0, 3.61, 1 / 6)  # r/D; rings as wide as a cell


def bake(billow, folder):
    preset = Path(__file__).with_name("wake.yaml")
    subprocess.run([billow, "bake", preset, "--out", folder, "--force"], check=True, stdout=subprocess.DEVNULL)


def course(folder):
    """Frames, and of each the time, the ball's place along x and its velocity along x."""
    with open(folder / "bodies" / "wake.csv") as file:
        rows = list(csv.DictReader(file))
    return [int(row["frame"]) for row in rows], *(np.array([float(row[k]) for row in rows]) for k in ("time", "x", "vx"))


def impulse(folder):
    """Along x, of all vortons at the end, m^4/s."""
    with open(folder / "metrics.csv") as file:
        return float(list(csv.DictReader(file))[-1]["vorton.velocity.impulse_x"])


def flow(path):
    """The flow along x as an array, NaN where none is written, and the places of its cells."""
    grid = vdb.read(str(path), "vel")
    low, high = grid.evalActiveVoxelBoundingBox()
    cells = np.zeros([b - a + 1 for a, b in zip(low, high)] + [3], np.float32)
    grid.copyToArray(cells, ijk=low)
    places = [np.array([grid.transform.indexToWorld([i if c == a else 0 for c in range(3)])[a]
                        for i in range(low[a], high[a] + 1)]) for a in range(3)]
    return np.where(cells.any(axis=3), cells[..., 0], np.nan), places


def section_means(cells, places, ball, bins):
    """Sums over cells by section and ring: how many, and of the flow along x."""
    x = (ball - places[0]) / DIAMETER
    y, z = np.meshgrid(places[1] - MIDDLE[0], places[2] - MIDDLE[1], indexing="ij")
    ring = np.digitize(np.hypot(y, z) / DIAMETER, RADII) - 1
    count, total = np.zeros(bins), np.zeros(bins)
    for i, at in enumerate(x):
        section = int(np.floor(at - SECTIONS[0] + 0.5))
        if not 0 <= section < bins[0]:
            continue
        inside = (ring < bins[1]) & np.isfinite(cells[i])
        np.add.at(count[section], ring[inside], 1)
        np.add.at(total[section], ring[inside], cells[i][inside])
    return count, total


def profiles(folder, frames, place):
    """The flow along x, m/s, by section and ring, the mean of the last frames."""
    bins = (len(SECTIONS), len(RADII) - 1)
    count, total = np.zeros(bins), np.zeros(bins)
    for frame, ball in list(zip(frames, place))[-FRAMES:]:
        sums = section_means(*flow(folder / "vdb" / f"wake_{frame:04d}.vdb"), ball, bins)
        count += sums[0]
        total += sums[1]
    return total / np.maximum(count, 1)


def half_width(profile, middles):
    """r/D where a profile first falls to half of what it has on the axis."""
    half = profile[0] / 2
    for k in range(1, len(profile)):
        if profile[k] <= half:
            share = (profile[k - 1] - half) / (profile[k - 1] - profile[k])
            return middles[k - 1] + share * (middles[k] - middles[k - 1])
    return np.nan


def slope(x, values):
    """Of the straight line through the logarithms, its error, and the line's factor."""
    (power, factor), spread = np.polyfit(np.log(x), np.log(values), 1, cov=True)
    return power, np.sqrt(spread[0, 0]), np.exp(factor)


def picture(path, time, speed, deficit, width, fits):
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(15, 4.6), constrained_layout=True)
    left.plot(time, speed, color="tab:blue")
    left.set(xlabel="time, s", ylabel="speed of the ball, m/s", title="a ball in still fluid slows down")
    left.grid(alpha=0.3)
    for axes, name, title, values, theory, text in (
            (middle, "width", "half-width δ / D", width, 1 / 3, "1/3"),
            (right, "deficit", "deficit $u_0$ / U", deficit, -2 / 3, "−2/3")):
        power, error, factor = fits[name]
        x = np.array(FIT)
        span = np.nanmin(values[values > 0]) / 1.4, np.nanmax(values) * 1.4
        centre = np.sqrt(x[0] * x[1])
        axes.axvspan(*FIT, color="0.93")
        axes.loglog(SECTIONS, values, "o", color="tab:blue", label="measured")
        axes.loglog(x, factor * x**power, color="tab:orange", label=f"fitted: {power:.2f} ± {error:.2f}")
        axes.loglog(x, factor * centre**power * (x / centre) ** theory, "--", color="0.3", label=f"theory: {text}")
        ticks = [2, 5, 10, 20]
        axes.set_xticks(ticks, [str(k) for k in ticks])
        axes.tick_params(axis="x", which="minor", labelbottom=False)
        axes.yaxis.set_major_formatter("{x:g}")
        axes.set_ylim(*span)
        axes.set_yticks([k for k in (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1) if span[0] <= k <= span[1]])
        axes.tick_params(axis="y", which="minor", labelleft=False)
        axes.set(xlabel="x / D behind the ball", title=title)
        axes.grid(alpha=0.3, which="both")
        axes.legend()
    figure.savefig(path, dpi=110)


def main():
    billow, folder = sys.argv[1], Path(sys.argv[2])
    if "--keep" not in sys.argv:
        bake(billow, folder)
    frames, time, place, speed = course(folder)
    rises = np.diff(speed)
    rises = rises[rises > 0]
    print(f"speed: {speed[0]:.4f} m/s, after {time[-1] - time[0]:.2f} s and {(place[-1] - place[0]) / DIAMETER:.1f} D "
          f"{speed[-1]:.4f} m/s; it rises in {len(rises)} of {len(speed) - 1} frames, by {rises.max(initial=0):.1e} m/s at most")
    # Mass M and the added mass of the fluid, half of what the ball displaces, slow: M' dU/dt = -C ½ρU² πD²/4.
    late = time > time[0] + 4 * DIAMETER / speed[0]
    rate = np.polyfit(time[late], 1 / speed[late], 1)[0]
    drag = rate * (DENSITY_RATIO + 0.5) * DIAMETER * 4 / 3
    print(f"drag coefficient, after the first 4 D: {drag:.3f}")

    lost = DENSITY_RATIO * np.pi / 6 * DIAMETER**3 * (speed[0] - speed[-1])
    print(f"impulse: the ball lost {lost:.3f} m^4/s, a kg/m^3 of fluid, the vortons hold {impulse(folder):.3f}")

    mean = profiles(folder, frames, place)
    middles = (RADII[:-1] + RADII[1:]) / 2
    # When the ball passed a section that is now SECTIONS behind it, and how fast it was.
    now = np.mean(place[-FRAMES:])
    then = np.interp(now - SECTIONS * DIAMETER, place, speed)
    deficit = mean[:, 0] / then
    width = np.array([half_width(profile, middles) for profile in mean])
    flux = (mean * np.diff(RADII**2) * np.pi).sum(axis=1) / then
    print(f"wake, mean of the last {FRAMES} frames and about the axis; x = U t behind the ball\n"
          "  x/D    u0/U  delta/D  (u0/U)(delta/D)^2  flux/(U D^2)")
    for row in zip(SECTIONS, deficit, width, deficit * width**2, flux):
        print("%5.1f  %6.3f  %7.3f  %17.4f  %12.4f" % row)
    fitted = (SECTIONS >= FIT[0]) & (SECTIONS <= FIT[1]) & (deficit > 0) & np.isfinite(width)
    fits = {"width": slope(SECTIONS[fitted], width[fitted]), "deficit": slope(SECTIONS[fitted], deficit[fitted])}
    print(f"half-width ~ x^{fits['width'][0]:.3f} +- {fits['width'][1]:.3f}, theory 0.333; "
          f"deficit ~ x^{fits['deficit'][0]:.3f} +- {fits['deficit'][1]:.3f}, theory -0.667 (x/D {FIT[0]:g} to {FIT[1]:g})")
    picture(folder / "wake.png", time, speed, deficit, width, fits)
    print(f"picture: {folder / 'wake.png'}")


main()
