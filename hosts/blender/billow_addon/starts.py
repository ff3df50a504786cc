# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets to start from, as pictures to choose from."""
import os

import bpy
import bpy.utils.previews

from . import base, program

pictures = None
rows = []  # Blender wants the texts of an enumeration to be kept


def icon_of(name):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "thumbnails", name + ".jpg")
    if name not in pictures and os.path.isfile(path):
        pictures.load(name, path, "IMAGE")
    return pictures[name].icon_id if name in pictures else 0


def items(self, context):
    try:
        found = [(name, name.replace("_", " ").capitalize(), row["brief"], icon_of(name), i)
                 for i, (name, row) in enumerate(base.presets().items())]
    except program.Missing:
        found = []
    rows[:] = found or [("NONE", "None", "billow is not found", 0, 0)]
    return rows


def register():
    global pictures
    pictures = bpy.utils.previews.new()
    bpy.types.WindowManager.billow_start = bpy.props.EnumProperty(name="Starting Point", items=items)


def unregister():
    del bpy.types.WindowManager.billow_start
    bpy.utils.previews.remove(pictures)
