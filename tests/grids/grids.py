#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bakes every preset, small and short, and prints the hashes of all its fields' bits (see grids.c).

grids.py BILLOW PLUGIN PRESETS                 test: each preset moves, gives the same bits on 1 thread and on 2 or 3,
                                               in turn, and those of WRITTEN the same bytes of all that they write
grids.py BILLOW PLUGIN PRESETS --write FILE    the hashes of each preset, on 2 threads
grids.py BILLOW PLUGIN PRESETS --against FILE  … compared with what another build wrote

Of the bytes, what tells of the machine and the moment is left out: bake.log, bake.journal (the order of files),
timings.csv and the checkpoints, which hold it; and in bake.json only what lists those.

The last line is `N passed, N failed`. --only NAME …: those presets alone."""

import argparse
import filecmp
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

FRAMES = 3
WARMUP = 1
TRACERS = 10000  # of each stage, at most: they know nothing of each other, and all velocities are summed for each
FEWER = {"spinning_ball": 1, "rifled_ball": 1, "leapfrog": 2, "dye_drop": 2, "vortex_ring": 2, "ball_through_smoke": 2,
         "ring_collision": 2, "rayleigh_taylor": 2, "crossed_tubes": 2, "drop_collision": 2,
         "vortex_cannon": 2}  # frames of the slow ones
VOXEL = {"ink_2d": 4, "shock_corner": 4, "explosion_rooms": 2, "smoke_2d": 2, "upres": 0.5,
         "dragon_breath": 2, "shock_dust": 2, "explosion_rooms_3d": 2, "vortex_cannon": 2,
         "plume_city": 2, "crossed_tubes": 2, "rifled_ball": 2, "leapfrog": 2, "drop_collision": 2,
         "dye_drop": 2}  # times the preset's own
PICTURES = "  - png: {id: p1, size: 64, depth: 16, name: p1}\n  - exr: {id: e1, size: 64, name: e1}\n"
POINTS = "  - ply: {id: s1, name: s1}\n"
WRITTEN = {"plume": PICTURES, "campfire": PICTURES, "plume_nested": PICTURES, "blast_3d": PICTURES,
           "ink_2d": "  - png: {id: p1, size: 64, name: p1}\n", "spinning_ball": POINTS, "hot_plume_vortons": POINTS,
           "dragon_breath": PICTURES, "plume_upres": PICTURES}  # a preset of each family: exports besides its own
MOMENT = {"bake.log", "bake.journal", "timings.csv", "bake.json"}
SHORT = bool(os.environ.get("BILLOW_TEST_SHORT"))  # sanitizers: one bake of each family; they see no more in a second
STILL = 1e-3  # m/s, kg/(m² s)
SOURCE = "plume"  # whose cache the presets without a simulation of their own read


def exports_of(text):
    """Ids of a preset's exporters, to mute them."""
    tail = text.split("\nexport:", 1)
    entries = re.findall(r"^  - ([\w.]+): *(\{.*)?$", tail[1], re.M) if len(tail) > 1 else []
    return [re.search(r"\bid: ([\w.]+)", rest).group(1) if "id:" in rest else name for name, rest in entries]


def settings_of(name, text, cache, frames):
    """--set and the like that make a preset small, and why."""
    wanted = []
    frames = frames or FEWER.get(name, FRAMES)
    if re.search(r"^time:", text, re.M) and "frames_from" not in text and name not in ("upres", "retime"):
        first = int(re.search(r"frames: (-?\d+)", text).group(1))
        warmup = int(re.search(r"warmup: (\d+)|$", text).group(1) or 0)
        wanted += [f"time.frames={first}-{first + frames - 1}", f"time.warmup={min(warmup, WARMUP)}"]
    else:
        wanted += [f"frames_from={cache}/vdb/{SOURCE}_####.vdb", f"time.frames=1-{min(frames, FRAMES)}"]
    for stage, count in re.findall(r"^  - tracers: \{(?:id: (\w+), )?.*?\bcount: (\d+)", text, re.M):
        wanted += [f"stages.{stage or 'tracers'}.count={TRACERS}"] if int(count) > TRACERS else []
    voxel = re.search(r"^domain:.*?voxel: ([\d.]+) (\w+)", text, re.M | re.S)
    if voxel and name in VOXEL:
        wanted.append(f"domain.voxel={float(voxel.group(1)) * VOXEL[name]:g} {voxel.group(2)}")
    return wanted


class Bench:
    """Where bakes go, and how they are run."""

    def __init__(self, billow, plugin, presets, folder, frames):
        self.billow, self.plugin, self.presets, self.folder, self.frames = billow, plugin, presets, folder, frames
        self.cache = folder / "source"

    def run(self, *words):
        done = subprocess.run([self.billow, "bake", *map(str, words)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise RuntimeError(f"exit {done.returncode}\n{done.stdout}")

    def source(self):
        """The cache that upres and retime read."""
        self.run(self.presets / f"{SOURCE}.yaml", "--quick", "--out", self.cache, "--set", f"time.frames=1-{FRAMES}",
                 "--set", f"time.warmup={WARMUP}", "--mute", "mp4", "--threads", 2)

    def bake(self, name, threads, exports=None):
        """The folder of one bake: of its fields' hashes alone, or of its own exports and more as well."""
        text = (self.presets / f"{name}.yaml").read_text()
        out = self.folder / f"{name}_{threads}"
        chain = self.folder / f"{name}.yaml"
        chain.write_text(f"billow: 1\nextends: {self.presets}/{name}.yaml\nname: {name}\n"
                         f"export:\n  - grids: {{}}\n{exports or ''}")
        words = [chain, "--quick", "--out", out, "--threads", threads, "--plugin-path", self.plugin]
        for setting in settings_of(name, text, self.cache, self.frames):
            words += ["--set", setting]
        for export in exports_of(text):
            if exports is None:
                words += ["--mute", export]
            elif export == "mp4":  # whose pictures would take most of the time
                words += ["--set", "export.mp4.width=192", "--set", "export.mp4.size=108"]
        self.run(*words)
        return out

    def hashes(self, name, threads):
        """Lines of grids.c for one preset."""
        return hashes_in(self.bake(name, threads))


def hashes_in(out):
    return (out / "grids.txt").read_text()


def difference(a, b):
    """The first line that differs, in words; None when equal and not empty."""
    if not a.strip():
        return "no field was written"
    for one, other in zip(a.splitlines(), b.splitlines()):
        if one != other:
            return f"{one}\n{other}"
    return None if a.count("\n") == b.count("\n") else "one has more lines than the other"


def still(lines):
    """What is wrong with a preset whose gas and particles stand still, None if something moves."""
    last = lines.splitlines()[-1].split()[0]
    flow = re.findall(rf"^{last} \w+\.(?:vel|momentum) .* to (\S+)$", lines, re.M)
    swarm = re.findall(r"^-?\d+ (\S+) \d+ particles (\w+)$", lines, re.M)
    moved = len(set(swarm)) > len({name for name, _ in swarm})
    return None if moved or any(float(speed) > STILL for speed in flow) else f"nothing moves: {flow}"


def of_moment(name):
    return name in MOMENT or name.endswith(".bwck")


def record_of(out):
    """bake.json without what it says of files that differ."""
    record = json.loads((out / "bake.json").read_text())
    record["files"] = {name: one for name, one in record["files"].items() if not of_moment(name)}
    return record


def bytes_difference(a, b):
    """What differs in the files of two bakes, None for nothing."""
    files, others = ({str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()} for out in (a, b))
    if files != others:
        return f"other files: {sorted(files ^ others)}"
    compared = sorted(name for name in files if not of_moment(name))
    kinds = {pathlib.Path(name).suffix for name in compared} - {".txt"}
    if not {".csv", ".yaml"} <= kinds or len(kinds) < 3:
        return f"only {sorted(kinds)} were written"
    _, differ, errors = filecmp.cmpfiles(a, b, compared, shallow=False)
    if differ or errors:
        return f"other bytes: {sorted(differ + errors)}"
    return None if record_of(a) == record_of(b) else "bake.json differs"


def preset_names(folder, wanted):
    names = sorted(path.stem for path in folder.glob("*.yaml"))
    return [name for name in names if not wanted or name in wanted]


def read_lines(path):
    """{preset: lines} of a file that --write made."""
    sections = re.split(r"^# (\w+)\n", pathlib.Path(path).read_text(), flags=re.M)[1:]
    return dict(zip(sections[::2], sections[1::2]))


def check(bench, name, several, known, store):
    """None, or what is wrong with one preset on that many threads."""
    if store is not None:
        store.write(f"# {name}\n{bench.hashes(name, 2)}")
        return None
    if known is not None:
        return difference(known[name], bench.hashes(name, 2)) if name in known else None
    exports = WRITTEN.get(name)
    one = bench.bake(name, 2 if SHORT else 1, exports)
    other = one if SHORT else bench.bake(name, several, exports)
    return (difference(hashes_in(one), hashes_in(other)) or still(hashes_in(one))
            or exports and bytes_difference(one, other))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("billow")
    parser.add_argument("plugin", help="folder of grids.so")
    parser.add_argument("presets", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--write", metavar="FILE")
    parser.add_argument("--against", metavar="FILE")
    parser.add_argument("--only", metavar="NAME", nargs="+", default=[])
    parser.add_argument("--frames", type=int, default=0, help="instead of a few")
    parser.add_argument("--times", action="store_true", help="seconds of each")
    wish = parser.parse_args()
    passed = failed = 0
    store = open(wish.write, "w") if wish.write else None
    known = read_lines(wish.against) if wish.against else None
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(wish.billow, wish.plugin, wish.presets, pathlib.Path(folder), wish.frames)
        bench.source()
        for i, name in enumerate(preset_names(wish.presets, wish.only or SHORT and list(WRITTEN))):
            started = time.monotonic()
            try:
                wrong = check(bench, name, 2 + i % 2, known, store)
            except (RuntimeError, OSError) as error:
                wrong = str(error)
            if wish.times:
                print(f"{name}: {time.monotonic() - started:.1f} s", flush=True)
            passed, failed = passed + (not wrong), failed + bool(wrong)
            if wrong:
                print(f"{name}: {wrong}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
