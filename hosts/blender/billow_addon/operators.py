# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake, stop, go on, load."""
import os
import shlex

import bpy

from . import base, checks, farm, job, load, preset, program, scene


def domain_of(context):
    """The active object, else the only domain."""
    active = context.view_layer.objects.active  # a start-up script has no active_object once it has opened a file
    if active and active.type == "MESH" and active.billow.role == "DOMAIN":
        return active
    domains = scene.of_role("DOMAIN")
    if not domains:
        raise scene.Wrong("there is no domain: give a box the role Domain")
    if len(domains) > 1:
        raise scene.Wrong("there are several domains: make the one that is meant the active object")
    return domains[0]


def own_domain_of(context):
    """The same, to be changed: what is set of one that is linked is not kept in the .blend."""
    domain = domain_of(context)
    if domain.library:
        raise scene.Wrong(f"{domain.name} is linked: change it in {domain.library.name}, or make a library override of it")
    return domain


def out_of(domain, quick=False):
    return os.path.join(scene.folder_of(domain), "cache_quick" if quick else "cache")


def running_of(domain):
    """Folder of the bake of the domain that runs, or None."""
    return next((out for out in (out_of(domain), out_of(domain, True)) if job.running(out)), None)


def command(domain, path, resume=False, again=0, quick=False):
    """`again`: the frame from which on what was changed counts. Quick: voxels twice as large, in a folder of its own."""
    how = ["--resume"] if resume or again else ["--force"]
    how += ["--from-frame", str(again)] if again else []
    how += ["--quick", "--set", f"name={scene.name_of(domain)}_quick"] if quick else []
    return [program.find(), "bake", path, "--out", out_of(domain, quick), *how]


def bake(domain, resume=False, again=0, on_farm=False, quick=False):
    """Begin, here or on Slurm. Wrong, Missing: it can't, in words."""
    wrong = checks.check(domain)
    if wrong:
        raise scene.Wrong(". ".join(wrong))
    out = out_of(domain, quick)
    if running_of(domain):
        raise scene.Wrong(f"a bake of {domain.name} runs already: stop it first")
    if (resume or again) and not job.can_resume(out):
        raise scene.Wrong(f"there is no bake of {domain.name} with a checkpoint to go on from")
    path = preset.write(domain)
    again = again or (preset.extended(domain, path, out) if resume else 0)
    line = command(domain, path, resume, again, quick)
    begun = farm.submit(line, out) if on_farm else job.start(line + ["--json"], out)
    if again or not resume:
        preset.keep(path, out)
    return begun


class Worded:
    """Says what is wrong in words."""

    def execute(self, context):
        try:
            return self.run(context)
        except (scene.Wrong, program.Missing, OSError) as why:
            self.report({"ERROR"}, str(why))
            return {"CANCELLED"}


class BILLOW_OT_bake(Worded, bpy.types.Operator):
    """Write preset and meshes, bake them beside Blender, load the frames"""
    bl_idname = "billow.bake"
    bl_label = "Bake"
    resume: bpy.props.BoolProperty(name="Resume", default=False, options={"SKIP_SAVE"},
                                   description="Go on from the newest checkpoint, to the end of the scene")
    from_frame: bpy.props.IntProperty(name="From Frame", default=0, min=0, options={"SKIP_SAVE"},
                                      description="What was changed counts from the newest checkpoint before this frame on")
    farm: bpy.props.BoolProperty(name="On Slurm", default=False, options={"SKIP_SAVE"},
                                 description="Submit it; without a window Blender does not wait for it")
    quick: bpy.props.BoolProperty(name="Quick", default=False, options={"SKIP_SAVE"},
                                  description="Voxels twice as large, beside the full bake, which is hidden meanwhile")

    def run(self, context):
        domain = domain_of(context)
        begun = bake(domain, self.resume, self.from_frame, self.farm, self.quick)
        if bpy.app.background and self.farm:
            return {"FINISHED"}
        if bpy.app.background:  # nobody waits but the caller
            begun.reader.join()
            if begun.code:
                raise scene.Wrong(begun.message)
            load.show(begun.folder)
            return {"FINISHED"}
        from . import handlers
        handlers.watch(begun, domain)
        return {"FINISHED"}


class BILLOW_OT_stop(Worded, bpy.types.Operator):
    """Stop the bake with a checkpoint, from which Resume goes on"""
    bl_idname = "billow.stop"
    bl_label = "Stop"

    def run(self, context):
        out = running_of(domain_of(context))
        if not out:
            raise scene.Wrong("no bake is running")
        job.jobs[out].stop()
        return {"FINISHED"}


class BILLOW_OT_follow(Worded, bpy.types.Operator):
    """Look how far the bake on Slurm is, and load its frames as they come"""
    bl_idname = "billow.follow"
    bl_label = "Follow Slurm"

    def run(self, context):
        from . import handlers
        domain = domain_of(context)
        if not farm.submitted(out_of(domain)):
            raise scene.Wrong(f"{domain.name} was not submitted to Slurm")
        handlers.watch(farm.follow(out_of(domain)), domain)
        return {"FINISHED"}


class BILLOW_OT_load(Worded, bpy.types.Operator):
    """Show the frames that are there"""
    bl_idname = "billow.load"
    bl_label = "Load"
    quick: bpy.props.BoolProperty(name="Quick", default=False, options={"SKIP_SAVE"}, description="Those of the quick bake")

    def run(self, context):
        load.show(out_of(domain_of(context), self.quick))
        return {"FINISHED"}


class BILLOW_OT_copy(Worded, bpy.types.Operator):
    """Copy the command that bakes this, for a terminal or another machine"""
    bl_idname = "billow.copy_command"
    bl_label = "Copy Command"

    def run(self, context):
        domain = domain_of(context)
        words = command(domain, preset.write(domain))
        context.window_manager.clipboard = shlex.join(words)
        self.report({"INFO"}, shlex.join(words))
        return {"FINISHED"}


class BILLOW_OT_preset(Worded, bpy.types.Operator):
    """Show the preset that is baked in the text editor"""
    bl_idname = "billow.preset"
    bl_label = "Show Preset"

    def run(self, context):
        path = preset.write(domain_of(context))
        for old in [t for t in bpy.data.texts if t.filepath == path]:
            bpy.data.texts.remove(old)
        text = bpy.data.texts.load(path)
        base.show_text(context, text)
        self.report({"INFO"}, f"{text.name} is in the text editor")
        return {"FINISHED"}


class BILLOW_OT_unset(bpy.types.Operator):
    """Back to what the stage takes by itself"""
    bl_idname = "billow.unset"
    bl_label = "Unset"
    group: bpy.props.StringProperty()
    key: bpy.props.StringProperty()

    def execute(self, context):
        getattr(context.view_layer.objects.active, self.group).property_unset(self.key)
        return {"FINISHED"}


classes = [BILLOW_OT_bake, BILLOW_OT_stop, BILLOW_OT_follow, BILLOW_OT_load, BILLOW_OT_copy, BILLOW_OT_preset, BILLOW_OT_unset]
register, unregister = bpy.utils.register_classes_factory(classes)
