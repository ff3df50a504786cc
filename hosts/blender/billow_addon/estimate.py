# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory, disk and time of a bake, while one types: billow is asked beside Blender, with balls for the scene's meshes."""
import csv
import json
import math
import os
import re
import subprocess
import tempfile
import threading

import bpy

from . import base, preset, program, scene

# s of a core, a cell of the full box and a frame: as the presets smoke, fire and explosion take; calm gas a fifth
RATES = {"SMOKE": 2e-6, "FIRE": 4e-6, "EXPLOSION": 1e-6}
CALM = 0.2
tell = lambda: None  # draws panels anew; handlers sets it
known = {}  # by the domain's name: (what was asked, Figures or words)
asked = {}  # by the domain's name: what is being asked


class Figures:
    """Bytes, seconds; `measured`: the seconds are from an earlier bake of the domain."""

    def __init__(self, event, out, guess):
        frames = event["last"] - event["first"] + 1
        self.memory, self.most_memory = event["memory"], event["memory_allowed"]
        self.disk, self.free = event["disk"] + event["checkpoints"], event["disk_free"]
        self.values = values_of(event.get("resolved", ""))
        rate = earlier(out)
        self.measured = rate is not None
        self.seconds = event["cells"] * frames * (rate or guess / (os.cpu_count() or 1))

    def wrong(self):
        """What will not fit, in words. Disk is said only where a tenth of the most would be too much."""
        if self.memory > self.most_memory:
            return f"it may need {size(self.memory)} of memory, and {size(self.most_memory)} are there: fewer cells"
        if 0.1 * self.disk > self.free:
            return f"the disk is full: {size(self.free)} are left, and some {size(0.1 * self.disk)} are wanted"
        return None


def values_of(resolved):
    """{(stage's id, parameter): text} of the preset with all values, as billow writes it: a line each."""
    out, key = {}, None
    stages = resolved.partition("\nstages:\n")[2]
    for line in stages.splitlines():
        if not line.startswith(" "):
            break
        found = re.match(r" {6}(\w+): (.+)", line)
        if line.startswith("  - "):
            key = None
        elif found and found.group(1) == "id":
            key = found.group(2).strip('"')
        elif found and key is not None:
            out[key, found.group(1)] = found.group(2).strip('"')
    return out


def value_of(domain, key, name):
    """What a parameter of a stage is by the preset; None: nobody has asked yet."""
    figures = known.get(domain.name, (None, None))[1]
    return figures.values.get((key, name)) if isinstance(figures, Figures) else None


def size(count):
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if count < 999.5 or unit == "TB":
            return f"{count:.3g} {unit}"
        count /= 1000


def duration(seconds):
    if seconds < 90:
        return "%d s" % max(round(seconds), 1)
    return "%d min" % round(seconds / 60) if seconds < 5400 else "%.1f h" % (seconds / 3600)


def earlier(out):
    """Seconds a cell and a frame of the bake that lies there, or None."""
    try:
        with open(os.path.join(out, "resolved.yaml"), encoding="utf-8") as f:
            found = re.search(r"cells: \[(\d+), (\d+), (\d+)\]", f.read())
        cells = found and math.prod(int(n) for n in found.groups())
        with open(os.path.join(out, "timings.csv"), encoding="utf-8", newline="") as f:
            rows = [float(row["seconds"]) for row in csv.DictReader(f)]
        return sum(rows) / len(rows) / cells if rows and cells else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def signature(domain):
    """All that figures hang on."""
    start = domain.billow.base
    return (scene.cells(domain), scene.frames(), scene.rate(), domain.billow.character, start.as_string() if start else None,
            tuple((o.name, o.billow.role, o.billow.kind) for o in scene.sources_of(domain) + scene.of_role("OBSTACLE")))


def of(domain):
    """Figures or words, of the newest answer; None: there is none yet. Asks anew when something has changed."""
    now = signature(domain)
    before = known.get(domain.name)
    if (not before or before[0] != now) and domain.name not in asked:
        asked[domain.name] = now
        name = domain.name
        bpy.app.timers.register(lambda: begin(name), first_interval=0.2)
    return before[1] if before else None


def begin(name):
    """In Blender's own thread: the preset; the question goes beside it."""
    domain = bpy.data.objects.get(name)
    if not domain:
        asked.pop(name, None)
        return
    now = asked[name] = signature(domain)
    folder = tempfile.mkdtemp(prefix="billow_")
    try:
        path, out = sketch(domain, folder)
        command = [program.find(), "bake", path, "--out", out, "--dry-run", "--json"]
        work = name, now, command, out, folder, guess_of(domain)
        threading.Thread(target=finish, args=work, daemon=True).start()
        bpy.app.timers.register(lambda: wait(name), first_interval=0.1)
    except (scene.Wrong, program.Missing, OSError) as why:
        remove(folder)
        settle(name, now, str(why))


def sketch(domain, folder):
    """A preset for estimates alone; its path, and where the bake would go."""
    start = base.of(domain, scene.sources_of(domain), folder)
    path = os.path.join(folder, "sketch.yaml")
    with open(path, "w", encoding="utf-8") as f:
        f.write(preset.text(domain, start, preset.Sketch(domain, start)))
    return path, os.path.join(scene.folder_of(domain), "cache")


def guess_of(domain):
    """Seconds of a core, a cell and a frame of a domain that has not been baked yet."""
    return RATES[base.kind_of(scene.sources_of(domain))] * (CALM if domain.billow.character == "calm" else 1)


def finish(name, now, command, out, folder, guess):
    try:
        settle(name, now, answer(command, out, guess))
    finally:
        remove(folder)


def answer(command, out, guess=RATES["SMOKE"]):
    try:
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace", timeout=60)
        events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        for event in events:
            if event.get("event") == "estimate" and "memory" in event:
                return Figures(event, out, guess)
        return next((e["message"] for e in events if e.get("message")), done.stderr.strip().split("\n")[0] or "no estimate")
    except (OSError, ValueError, KeyError, subprocess.TimeoutExpired) as why:
        return f"no estimate: {why}"


def wait(name):
    if name in asked:
        return 0.1
    tell()
    return None


def settle(name, now, result):
    known[name] = (now, result)
    asked.pop(name, None)


def remove(folder):
    for file in os.listdir(folder):
        os.remove(os.path.join(folder, file))
    os.rmdir(folder)


def forget():
    known.clear()
    asked.clear()
