# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

from . import program


def program_changed(self, context):
    from . import properties
    properties.tables_refresh()


class BillowPreferences(bpy.types.AddonPreferences):
    bl_idname = program.PACKAGE

    program: bpy.props.StringProperty(
        name="Program", subtype="FILE_PATH", update=program_changed,
        description="Where billow is; empty: the one on the path")

    def draw(self, context):
        self.layout.prop(self, "program")
        try:
            program.check()
            self.layout.label(text=program.find(), icon="CHECKMARK")
        except program.Missing as missing:
            self.layout.label(text=str(missing), icon="ERROR")


def register():
    bpy.utils.register_class(BillowPreferences)


def unregister():
    bpy.utils.unregister_class(BillowPreferences)
