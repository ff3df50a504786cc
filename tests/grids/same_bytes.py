#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bakes presets of several families, small and short, and compares every byte of what they write.

same_bytes.py BILLOW PRESETS     on 1 thread and on 2; the last line is `N passed, N failed`

What tells of the machine and the moment is left out: bake.log, bake.journal (the order of files), timings.csv and the
checkpoints, which hold it; and in bake.json only what lists those."""

import argparse
import filecmp
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PICTURES = "  - png: {id: p1, size: 64, depth: 16, name: p1}\n  - exr: {id: e1, size: 64, name: e1}\n"
POINTS = "  - ply: {id: s1, name: s1}\n"
FAMILIES = {  # preset: frames, exports besides its own
    "plume": (3, PICTURES),
    "campfire": (3, PICTURES),
    "plume_nested": (2, PICTURES),
    "blast_3d": (3, PICTURES),
    "ink_2d": (2, "  - png: {id: p1, size: 64, name: p1}\n"),
    "spinning_ball": (1, POINTS),
    "hot_plume_vortons": (2, POINTS),
    "dragon_breath": (2, PICTURES),
    "plume_upres": (3, PICTURES),
}
FEWER = {"spinning_ball": [word for id in ("gold", "blue", "red", "violet")
                           for word in ("--set", f"stages.{id}.count=4000")]}  # of 420 000 tracers
MOMENT = {"bake.log", "bake.journal", "timings.csv", "bake.json"}


def bake(billow, presets, folder, name, threads):
    """The folder of one bake."""
    frames, exports = FAMILIES[name]
    preset = folder / f"{name}.yaml"
    preset.write_text(f"billow: 1\nextends: {presets}/{name}.yaml\nname: {name}\nexport:\n{exports}")
    out = folder / f"{name}_{threads}"
    words = [billow, "bake", preset, "--quick", "--out", out, "--threads", threads, *FEWER.get(name, [])]
    if name == "plume_upres":
        source = next(folder.glob("plume_?"))
        words += ["--set", f"frames_from={source}/vdb/plume_####.vdb", "--set", f"time.frames=1-{frames}"]
    else:
        words += ["--set", "time.warmup=0", "--set", f"time.frames=1-{frames}"]
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise RuntimeError(f"exit {done.returncode}\n{done.stdout}")
    return out


def files_of(out):
    return sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())


def of_moment(name):
    return name in MOMENT or name.endswith(".bwck")


def record_of(out):
    """bake.json without what it says of files that differ."""
    record = json.loads((out / "bake.json").read_text())
    record["files"] = {name: one for name, one in record["files"].items() if not of_moment(name)}
    return record


def difference(a, b):
    """What differs between two bakes, None for nothing."""
    files, others = files_of(a), files_of(b)
    if files != others:
        return f"other files: {sorted(set(files) ^ set(others))}"
    compared = [name for name in files if not of_moment(name)]
    kinds = {pathlib.Path(name).suffix for name in compared}
    if not {".csv", ".yaml"} <= kinds or len(kinds) < 3:
        return f"only {sorted(kinds)} were written"
    _, differ, errors = filecmp.cmpfiles(a, b, compared, shallow=False)
    if differ or errors:
        return f"other bytes: {sorted(differ + errors)}"
    return None if record_of(a) == record_of(b) else "bake.json differs"


def check(billow, presets, folder, name):
    if os.environ.get("BILLOW_TEST_SHORT"):  # sanitizers see nothing more in a second bake
        one = bake(billow, presets, folder, name, 2)
        return difference(one, one)
    return difference(bake(billow, presets, folder, name, 1), bake(billow, presets, folder, name, 2))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("billow")
    parser.add_argument("presets", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--only", metavar="NAME", nargs="+", default=list(FAMILIES))
    wish = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in wish.only:
            try:
                wrong = check(wish.billow, wish.presets, pathlib.Path(folder), name)
            except (RuntimeError, OSError, ValueError) as error:
                wrong = str(error)
            passed, failed = passed + (not wrong), failed + bool(wrong)
            if wrong:
                print(f"{name}: {wrong}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
