# SPDX-License-Identifier: GPL-3.0-or-later
"""The program billow: where it is, and what it says of its stages."""
import json
import os
import re
import shutil
import subprocess

import bpy

PACKAGE = __package__
VERSION = (0, 1, 0)
versions = {}  # by the program and its time
HOW = "build Billow and put its bin folder on the path, or say where billow is in the add-on's preferences"


class Missing(Exception):
    """It is not there, in words."""


def wanted():
    addon = bpy.context.preferences.addons.get(PACKAGE)
    return bpy.path.abspath(addon.preferences.program) if addon and addon.preferences.program else ""


def find():
    path = wanted() or shutil.which("billow") or ""
    if not path:
        raise Missing(f"billow is not found: {HOW}")
    if not os.path.isfile(path) or not os.access(path, os.X_OK):
        raise Missing(f"{path} is no program: {HOW}")
    return path


def ask(*words):
    """What a command prints as JSON."""
    try:
        done = subprocess.run([find(), *words, "--json"], capture_output=True, text=True, timeout=60)
        return json.loads(done.stdout.splitlines()[0] if done.stdout.startswith('{"billow"') else done.stdout)
    except (OSError, ValueError, IndexError, subprocess.TimeoutExpired) as error:
        raise Missing(f"{find()} does not answer as billow does ({error})") from None


def version():
    """(0, 1, 0), as the program says."""
    path = find()
    key = path, os.stat(path).st_mtime_ns
    if key not in versions:
        try:
            done = subprocess.run([path, "--version"], capture_output=True, text=True, errors="replace", timeout=60)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Missing(f"{path} does not run ({error})") from None
        found = re.match(r"Billow (\d+)\.(\d+)\.(\d+)", done.stdout)
        versions[key] = tuple(int(n) for n in found.groups()) if found else None
    if not versions[key]:
        raise Missing(f"{path} does not answer as billow does")
    return versions[key]


def check():
    """It is there, and of the add-on's version; the last number does not matter."""
    if version()[:2] != VERSION[:2]:
        theirs, ours = (".".join(map(str, v)) for v in (version(), VERSION))
        raise Missing(f"{find()} is Billow {theirs}, the add-on is of {ours}: install the add-on that came with it")


def parameters(stage):
    """A stage's parameters, from its own table."""
    answer = ask("info", stage)
    if "stage" not in answer:
        raise Missing(f"this billow has no stage {stage}")
    return answer["stage"]["parameters"]
