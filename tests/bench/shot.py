#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A shot in Blender, by the add-on and by Blender's own Mantaflow: clicks, seconds of processor, seconds.

  shot.py BILLOW ZIP OUT [--cells N] [--frames N] [--samples N] [--only billow|mantaflow]

peers/shot_scene.py says what the shot is, and how clicks are counted. OUT keeps both .blend files, caches and frames.
Exit code 1: a step failed, or the frame shows nothing."""
import argparse
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PARTS = "make", "extend", "change"


def run(a, who, part):
    """[(step, clicks, seconds of processor, seconds)]"""
    scene = os.path.join(HERE, "peers", "shot_scene.py")
    words = ["blender", "-b", "--factory-startup", "--python-exit-code", "1", "--python", scene, "--", who, part, a.out]
    words += [str(a.cells), str(a.frames), str(a.samples)]
    words += [os.path.abspath(a.zip), os.path.abspath(a.billow)] if who == "billow" else []
    scripts = os.path.join(a.out, "scripts")
    os.makedirs(scripts, exist_ok=True)
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          cwd=a.out,  # where Mantaflow leaves its noise
                          env={**os.environ, "BLENDER_USER_SCRIPTS": scripts})
    rows = [json.loads(line[5:]) for line in done.stdout.splitlines() if line.startswith("SHOT ")]
    if done.returncode or not rows:
        sys.exit(f"{who}, {part}:\n{done.stdout[-2000:]}")
    return rows


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("billow")
    p.add_argument("zip")
    p.add_argument("out")
    p.add_argument("--cells", type=int, default=48)
    p.add_argument("--frames", type=int, default=36)
    p.add_argument("--samples", type=int, default=16)
    p.add_argument("--only", choices=("billow", "mantaflow"))
    a = p.parse_args()
    a.out = os.path.abspath(a.out)
    shutil.rmtree(a.out, ignore_errors=True)
    os.makedirs(a.out)
    peers = [a.only] if a.only else ["billow", "mantaflow"]
    found = {who: [row for part in PARTS for row in run(a, who, part)] for who in peers}
    print(f"{a.cells} cells along the longest side, {a.frames} frames; clicks, seconds of processor, seconds")
    print(f"{'':42}" + "".join(f"{who:>22}" for who in peers))
    for rows in zip(*found.values()):
        print(f"{rows[0][0]:42}" + "".join(f"{clicks:6}{cpu:8.1f}{wall:8.1f}" for _, clicks, cpu, wall in rows))
    print(f"{'clicks until the frame':42}" + "".join(f"{sum(r[1] for r in found[who][:-2]):6}{'':16}" for who in peers))


if __name__ == "__main__":
    main()
