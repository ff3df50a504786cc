# SPDX-License-Identifier: Apache-2.0
"""What a picture of each gallery preset costs beside simulating its frame: ./dev bench pictures [PRESET ...]

    python3 pictures.py BILLOW FOLDER [PRESET[:FRAME] ...]

The middle frame, in its preset's own look and size, by processor seconds. A frame that is simulated, with its files,
costs the mean of those so far; a picture, read from these, what two more cost a movie that has two already, for these
look up the floor that the others keep."""
import os
import re
import subprocess
import sys
from pathlib import Path


def cpu(*command):
    """Processor seconds of a command, and what it says."""
    before = os.times()
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system, said


def frames_of(billow, preset):
    """First and last frame that it writes."""
    said = cpu(billow, "bake", preset, "--dry-run", "--out", "/none")[1]
    return tuple(map(int, re.search(r"frames: +(\d+)-(\d+)", said).groups()))


def main(billow, folder, *presets):
    gallery = Path(__file__).parents[2] / "docs" / "gallery"
    names = presets or sorted(p.stem for p in gallery.glob("*.jpg"))
    folder = Path(folder)
    print("preset               frame  simulated   a picture  ratio  (processor seconds a frame)")
    for name in names:
        name, _, frame = name.partition(":")
        first, last = frames_of(billow, name)
        middle = int(frame or (first + last) // 2)
        out = folder / name
        simulated, _ = cpu(billow, "bake", name, "--mute", "mp4", "--frames", f"{first}-{middle}", "--force", "--out", out)
        pictures = [cpu(billow, "preview", out, "--frames", f"{middle - n + 1}-{middle}", "--out", folder / "x.mp4")[0]
                    for n in (2, 4)]
        one, each = (pictures[1] - pictures[0]) / 2, simulated / (middle - first + 1)
        print(f"{name:20} {middle:5}  {each:9.2f}  {one:10.2f}  {one / each:5.2f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
