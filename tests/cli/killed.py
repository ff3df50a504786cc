#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bakes that are killed at random moments and resumed, some killed again while they resume: in the end every file is
the undisturbed bake's, byte for byte, and nothing half-written is left. killed.py BILLOW FOLDER KILLS [PRESET…]"""
import os, random, shutil, signal, subprocess, sys, time
from pathlib import Path

# What tells of a run and not of its frames: when it ran, how long it took, which attempts there were.
OF_THE_RUN = {"bake.log", "bake.journal", "timings.csv"}
# Presets of different families, with what keeps them short.
PRESETS = {
    "smoke_2d": ["--quick", "--frames", "1-12", "--set", "time.warmup=2"],
    "campfire": ["--quick", "--frames", "1-6", "--set", "time.warmup=1", "--set", "domain.voxel=2.5 cm"],
    # tracers know nothing of each other: of 315 000 all but 2000 are the same again, in a fraction of the time
    "ball_through_smoke": ["--quick", "--frames", "1-6"] + [
        a for web in ("front", "back") for k in range(1, 5) for a in ("--set", f"stages.{web}{k}.count=250")],
    "shock_corner": ["--quick", "--frames", "1-6"],
    "plume_nested": ["--quick", "--frames", "1-6", "--set", "time.warmup=1"],
    "plume_upres": ["--quick", "--set", "time.frames=1-4"],
}


def files(folder):
    return {str(p.relative_to(folder)): p for p in sorted(folder.rglob("*")) if p.is_file()}


def source(out):
    """What upres reads, for a bake into `out`: frames of a plume, and not all that a preset of it would bake."""
    return out.parent.parent / "plume"


def command(billow, preset, out, more):
    if preset == "plume_upres": more = ["--set", f"frames_from={source(out)}/vdb/plume_####.vdb", *more]
    every = ["--set", "export.mp4.width=192", "--set", "export.mp4.size=108"] if preset != "plume_upres" else []
    every += ["--set", "checkpoints.frames=2", "--set", "checkpoints.every=0", "--set", "checkpoints.keep=2"]
    return [billow, "bake", preset, "--out", str(out), "--resume", *PRESETS.get(preset, []), *every, *more]


def run_killed(argv, after):
    """Kill it after so many seconds; True when it was done before."""
    p = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        _, err = p.communicate(timeout=after)
    except subprocess.TimeoutExpired:
        p.send_signal(signal.SIGKILL)
        p.communicate()
        return False
    assert p.returncode == 0, f"{argv}: {p.returncode}\n{err.decode()}"
    return True


def differences(reference, out):
    a, b = files(reference), files(out)
    found = [f"only {'undisturbed' if n in a else 'resumed'}: {n}" for n in sorted(a.keys() ^ b.keys())]
    for name in sorted(a.keys() & b.keys()):
        checkpoint = name.startswith("checkpoints/")  # they hold the run's times
        if name in OF_THE_RUN or checkpoint or a[name].read_bytes() == b[name].read_bytes(): continue
        if name == "bake.json": found += record_differences(a[name], b[name])
        else: found.append(f"differs: {name}")
    return found


def record_differences(a, b):
    """bake.json lists sums; those of what tells of the run differ."""
    import json

    x, y = json.loads(a.read_text()), json.loads(b.read_text())
    for record in (x, y):
        listed = record["files"]
        names = listed if isinstance(listed, dict) else {f["name"]: f for f in listed}
        record["files"] = {n: f for n, f in names.items() if n not in OF_THE_RUN and not n.startswith("checkpoints/")}
    return [] if x == y else [f"bake.json: {[k for k in x if x.get(k) != y.get(k)]}"]


def trial(billow, preset, reference, out, seconds, kills):
    done, killed = False, 0
    while not done and killed < kills:
        done = run_killed(command(billow, preset, out, []), random.uniform(0, 1.1 * seconds))
        killed += not done
    if not done: assert run_killed(command(billow, preset, out, []), 600), "never done"
    return killed, differences(reference, out)


def main():
    billow, folder, wanted = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    presets = sys.argv[4:] or list(PRESETS)
    shutil.rmtree(folder, ignore_errors=True)
    random.seed(int(os.environ.get("SEED", "1")))
    folder.mkdir(parents=True, exist_ok=True)
    killed, bad, count = 0, 0, dict.fromkeys(presets, 0)
    reference, seconds = {}, {}
    if "plume_upres" in presets:
        short = ["--quick", "--frames", "1-4", "--set", "time.warmup=1", "--mute", "mp4"]
        assert run_killed([billow, "bake", "plume", "--out", str(folder / "plume"), *short], 600)
    for preset in presets:
        reference[preset] = folder / "undisturbed" / preset
        begin = time.monotonic()
        assert run_killed(command(billow, preset, folder / "run" / preset, []), 600)
        seconds[preset] = time.monotonic() - begin
        reference[preset].parent.mkdir(exist_ok=True)
        (folder / "run" / preset).rename(reference[preset])
    while killed < wanted:
        preset = min(presets, key=lambda p: count[p])
        out = folder / "run" / preset
        shutil.rmtree(out, ignore_errors=True)
        again = sum(count.values()) // 2 % 2  # every other one dies while it resumes, too
        n, found = trial(billow, preset, reference[preset], out, seconds[preset], 1 + again)
        killed, count[preset] = killed + n, count[preset] + max(n, 1)
        bad += bool(found)
        for line in found: print(f"{preset}: {line}", flush=True)
    print(f"{killed} kills: " + ", ".join(f"{p} {n}" for p, n in count.items()))
    print(f"{bad} bakes differ")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
