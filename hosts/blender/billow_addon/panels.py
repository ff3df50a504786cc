# SPDX-License-Identifier: GPL-3.0-or-later
"""The Physics tab."""
import os

import bpy

from . import base, checks, estimate, farm, forces, handlers, job, operators, properties, scene, tables


class Physics:
    bl_space_type, bl_region_type, bl_context = "PROPERTIES", "WINDOW", "physics"
    roles = ()

    @classmethod
    def poll(cls, context):
        thing = context.object
        return thing and thing.type in scene.HAS_SURFACE and (not cls.roles or thing.billow.role in cls.roles)


def column(layout):
    layout.use_property_split, layout.use_property_decorate = True, False
    return layout.column()


def wrapped(layout, text, icon="ERROR", width=46):
    """A sentence over as many lines as it needs."""
    line = ""
    for word in text.split() + [None]:
        if word is None or len(line) + len(word) > width:
            layout.label(text=line, icon=icon)
            line, icon = "", "BLANK1"
        line += f"{word} " if word else ""


def aside(row, text):
    """No wider than it is, so that the name of the property keeps its place."""
    label = row.row()
    label.ui_units_x = min(0.3 + 0.45 * len(text), 5)
    label.label(text=text)


class BILLOW_PT_role(Physics, bpy.types.Panel):
    bl_label = "Billow"

    def draw(self, context):
        thing = context.object
        column(self.layout).prop(thing.billow, "role", expand=False)
        if thing.library:
            wrapped(self.layout, f"It is linked: what it is to Billow is said in {thing.library.name}", "INFO")


class BILLOW_PT_domain(Physics, bpy.types.Panel):
    bl_label, bl_parent_id, roles = "Domain", "BILLOW_PT_role", ("DOMAIN",)

    def draw(self, context):
        thing = context.object
        own, col = thing.billow, column(self.layout)
        col.prop(own, "resolution")
        edge, counts = scene.cells(thing)
        col.label(text="%d x %d x %d cells of %.3g m" % (*counts, edge))
        col.prop(own, "character")
        col.prop(own, "thickness")
        self.layout.label(text="Walls")
        walls = self.layout.row(align=True)
        walls.use_property_split = False
        for side, name in enumerate(("-X", "+X", "-Y", "+Y", "Floor", "Top")):
            walls.prop(own, "closed", index=side, text=name, toggle=True)
        col = column(self.layout)
        col.prop(own, "folder")
        col.prop(own, "load")
        self.fields(col, thing)

    def fields(self, layout, thing):
        """Which of the scene's force fields push, and what of them comes out otherwise."""
        layout.prop(thing.billow, "forces")
        for field in forces.all_of(thing):
            for sentence in forces.notes(field) or [f"{field.name} pushes the gas"]:
                wrapped(layout, sentence, "FORCE_" + forces.field_of(field).type if field in forces.taken([field]) else "INFO")


class BILLOW_PT_start(Physics, bpy.types.Panel):
    bl_label, bl_parent_id, roles = "Starting Point", "BILLOW_PT_role", ("DOMAIN",)
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, own, wm = self.layout, context.object.billow, context.window_manager
        layout.label(text=f"Starts from {own.base.name}" if own.base else "Starts as its sources are: smoke, fire, explosion",
                     icon="TEXT")
        row = layout.row(align=True)
        row.operator("billow.base_edit", icon="GREASEPENCIL")
        if own.base:
            row.operator("billow.base", text="", icon="X").name = ""
        layout.template_icon_view(wm, "billow_start", show_labels=True, scale=6, scale_popup=6)
        row = layout.row(align=True)
        chosen = row.operator("billow.base", text="Start From " + wm.billow_start.replace("_", " ").capitalize())
        chosen.name = wm.billow_start
        fits = row.operator("billow.base", text="With Its Box")
        fits.name, fits.fit = wm.billow_start, True


class BILLOW_PT_bake(Physics, bpy.types.Panel):
    bl_label, bl_parent_id, roles = "Bake", "BILLOW_PT_role", ("DOMAIN",)

    def draw(self, context):
        layout, domain = self.layout, context.object
        wrong = checks.check(domain)
        for sentence in wrong:
            wrapped(layout, sentence[0].upper() + sentence[1:])
        try:
            out = operators.out_of(domain)
        except scene.Wrong:
            return
        quick = operators.out_of(domain, True)
        running = job.jobs.get(operators.running_of(domain) or out)
        if running and running.code is None:
            where = getattr(running, "where", "")
            frame = f"Frame {running.done} of {running.total}{handlers.left(running)}" if running.total else "It begins"
            layout.label(text=f"{frame}  {where}", icon="TIME")
            layout.operator("billow.stop", icon="PAUSE")
            return
        if running and running.message:
            wrapped(layout, running.message)
        self.figures(layout, domain)
        col = layout.column(align=True)
        col.enabled = not wrong
        row = col.row(align=True)
        row.operator("billow.bake", icon="PHYSICS")
        row.operator("billow.bake", text="Quick").quick = True
        if job.can_resume(out):
            row = col.row(align=True)
            row.operator("billow.bake", text="Resume", icon="PLAY").resume = True
            now = context.scene.frame_current
            row.operator("billow.bake", text=f"From {now}").from_frame = now
        if farm.there():
            row = col.row(align=True)
            row.operator("billow.bake", text="Bake on Slurm", icon="NETWORK_DRIVE").farm = True
            if farm.submitted(out):
                row.operator("billow.follow")
        row = layout.row(align=True)
        row.operator("billow.load")
        if os.path.isdir(quick):
            row.operator("billow.load", text="Load Quick").quick = True
        row = layout.row(align=True)
        row.operator("billow.preset", text="Preset")
        row.operator("billow.copy_command", text="Command")
        if os.path.isdir(out) or os.path.isdir(quick):
            row.operator("billow.move", text="Move")
        if context.scene.render.engine == "CYCLES" and context.scene.cycles.volume_bounces < 2:
            wrapped(layout, "Smoke is dark: Render > Light Paths > Max Bounces > Volume is below 2", "INFO")


    def figures(self, layout, domain):
        """Memory, disk and time."""
        found = estimate.of(domain)
        if found is None:
            for icon in "TIME", "MEMORY", "DISK_DRIVE":  # as many lines, so that no button moves away
                layout.label(text="…", icon=icon)
        elif isinstance(found, str):
            wrapped(layout, found, "INFO")
        else:
            own = "as last time" if found.measured else "at a guess"
            layout.label(text=f"Some {estimate.duration(found.seconds)}, {own}", icon="TIME")
            layout.label(text=f"Memory up to {estimate.size(found.memory)}", icon="MEMORY")
            layout.label(text=f"Disk up to {estimate.size(found.disk)}", icon="DISK_DRIVE")


class BILLOW_PT_source(Physics, bpy.types.Panel):
    bl_label, bl_parent_id, roles = "Source", "BILLOW_PT_role", ("SOURCE",)

    def draw(self, context):
        col = column(self.layout)
        thing = context.object
        own = thing.billow
        for key in "kind", "density", "temperature", "fuel", "noise", "inherit", "start", "frames":
            row = col.row(align=True)
            row.prop(own, key)
            if key == "temperature":  # Blender's own unit would take it for a temperature, and it is a difference of two
                aside(row, "K")
        if thing.particle_systems:
            col.prop_search(own, "particles", thing, "particle_systems")
        if own.particles:
            col.prop(own, "particle_size")
            return
        col.prop_search(own, "group", thing, "vertex_groups")
        col.prop(own, "texture")
        if own.texture:
            col.prop(own, "texture_size")
            col.prop(own, "texture_uv")


class BILLOW_PT_force(bpy.types.Panel):
    bl_space_type, bl_region_type, bl_context, bl_label = "PROPERTIES", "WINDOW", "physics", "Billow: Force Field"

    @classmethod
    def poll(cls, context):
        return context.object and forces.field_of(context.object)

    def draw(self, context):
        column(self.layout).prop(context.object.billow, "acts")
        for sentence in forces.notes(context.object):
            wrapped(self.layout, sentence, "INFO")


class BILLOW_PT_obstacle(Physics, bpy.types.Panel):
    bl_label, bl_parent_id, roles = "Obstacle", "BILLOW_PT_role", ("OBSTACLE",)

    def draw(self, context):
        self.layout.label(text="It moves as it is animated" if scene.moves(context.object) else "It stands still")


class BILLOW_PT_stages(Physics, bpy.types.Panel):
    bl_label, bl_parent_id, roles = "Parameters", "BILLOW_PT_role", ("DOMAIN",)
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        """Of one stage of the starting point; those in which somebody set something have a dot."""
        domain = context.object
        if properties.why_no_tables:
            wrapped(self.layout, properties.why_no_tables)
        column(self.layout).prop(domain.billow, "stage")
        for key, stage in base.stages_shown(domain):
            if key == domain.billow.stage:
                group = properties.stage_group(domain, key, stage)
                self.stage(self.layout.column(), group, tables.group_name(key, stage),
                           lambda name: estimate.value_of(domain, key, name))

    def stage(self, layout, group, name, value_of):
        """Greyed: as the starting point has it, whose value stands beside where it is not the stage's own."""
        for key, unit in group.units.items():
            row = layout.row(align=True)
            row.use_property_split, row.use_property_decorate = True, key not in group.still
            own = row.row(align=True)
            own.active = group.is_property_set(key)
            own.prop(group, key)
            if group.is_property_set(key):
                if unit:
                    aside(row, unit)
                unset = row.operator("billow.unset", text="", icon="X")
                unset.group, unset.key = name, key
                continue
            value = value_of(key)
            if key in group.automatic or value not in (None, group.defaults[key]):
                aside(row, value or "auto")
            elif unit:
                aside(row, unit)


classes = [BILLOW_PT_role, BILLOW_PT_bake, BILLOW_PT_domain, BILLOW_PT_start, BILLOW_PT_source,
           BILLOW_PT_obstacle, BILLOW_PT_stages, BILLOW_PT_force]
register, unregister = bpy.utils.register_classes_factory(classes)
