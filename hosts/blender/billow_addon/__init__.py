# SPDX-License-Identifier: GPL-3.0-or-later
"""Billow in Blender: smoke, fire and explosions in a box, baked by a program beside Blender."""

bl_info = {
    "name": "Billow",
    "description": "Smoke, fire and explosions: sources and obstacles in a box, baked beside Blender, loaded as OpenVDB",
    "author": "Billow",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "Properties > Physics > Billow; Object > Quick Effects",
    "category": "Physics",
}


def register():
    from . import base, handlers, move, operators, panels, preferences, properties, quick, starts
    for module in preferences, properties, operators, move, base, starts, quick, panels, handlers:
        module.register()


def unregister():
    from . import base, handlers, job, move, operators, panels, preferences, properties, quick, starts
    job.stop_all()
    for module in handlers, panels, quick, starts, base, move, operators, properties, preferences:
        module.unregister()
