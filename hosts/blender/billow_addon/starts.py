# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets to start from, as pictures to choose from."""
import os

import bpy
import bpy.utils.previews

from . import base, program

pictures = None
rows = {}  # by program; Blender reads the texts of an enumeration later, so they are kept as they are


def icon_of(name):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "thumbnails", name + ".jpg")
    if name not in pictures and os.path.isfile(path):
        pictures.load(name, path, "IMAGE")
    return pictures[name].icon_id if name in pictures else 0


def items(self, context):
    """The three that sources start from by themselves, then those with a picture, then the others."""
    try:
        path = program.find()
        if path not in rows:
            first = list(base.BY_KIND.values())
            found = [(name, name.replace("_", " ").capitalize(), row["brief"], icon_of(name))
                     for name, row in base.presets().items()]
            found.sort(key=lambda r: (first.index(r[0]) if r[0] in first else 3, not r[3], r[0]))
            rows[path] = [(*row, i) for i, row in enumerate(found)]
        return rows[path]
    except program.Missing:
        return NONE


NONE = [("NONE", "None", "billow is not found", 0, 0)]


def register():
    global pictures
    pictures = bpy.utils.previews.new()
    bpy.types.WindowManager.billow_start = bpy.props.EnumProperty(name="Starting Point", items=items)


def unregister():
    del bpy.types.WindowManager.billow_start
    bpy.utils.previews.remove(pictures)
    rows.clear()
