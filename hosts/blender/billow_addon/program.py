# SPDX-License-Identifier: GPL-3.0-or-later
"""The program billow: where it is, and what it says of its stages."""
import json
import os
import shutil
import subprocess

import bpy

PACKAGE = __package__
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


def parameters(stage):
    """A stage's parameters, from its own table."""
    answer = ask("info", stage)
    if "stage" not in answer:
        raise Missing(f"this billow has no stage {stage}")
    return answer["stage"]["parameters"]
