#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""blender_api.py SOURCE: what runs in Blender asks for nothing that a version from 3.4 to 5.x lacks, unless it looks.

What is gone, since when, and in whose release notes it is. A line that names it must hold `put(` or `hasattr(`, or be
in the function that stands for all versions."""
import glob
import re
import sys

GONE = {
    r"\.fcurves\b": "5.0: an action's curves are in channelbags",
    r"\.use_nodes\b": "5.0: always true; gone in 6.0",
    r"use_auto_smooth|auto_smooth_angle": "4.1: sharp edges are the mesh's own",
    r"MixRGB": "3.4: Mix takes its place",
    r"BLENDER_EEVEE": "4.2 and 5.0: it changed its name twice",
    r"volume_step_rate|volume_max_steps": "5.0: only with biased volumes",
    r"cast_shadow": "4.3: use_shadow alone",
    r"temp_override\(\w+\)|bpy\.context\.copy\(": "4.0: operators take no dictionary",
    r"TexMusgrave": "4.1: noise has its kinds",
    r"calc_normals\b|calc_normals_split": "4.1: normals are always there",
}
LOOKS = re.compile(r"\bput\(|hasattr\(|\bput_input\(")
FOR_ALL = "def curves("


def bad_lines(path):
    inside = False
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if line.startswith("def "):
                inside = line.startswith(FOR_ALL)
            for name, why in GONE.items():
                if re.search(name, line) and not LOOKS.search(line) and not inside:
                    yield f"{path}:{number}: {why}: {line.strip()}"


def main(source):
    files = glob.glob(f"{source}/library/cache/scene/*.py") + glob.glob(f"{source}/hosts/blender/**/*.py", recursive=True)
    found = [bad for path in files for bad in bad_lines(path)]
    print("\n".join(found) or f"{len(files)} files")
    return bool(found) or len(files) < 10


sys.exit(main(sys.argv[1]))
