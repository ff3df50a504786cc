# SPDX-License-Identifier: GPL-3.0-or-later
"""A domain's folder, with preset, meshes and caches, elsewhere."""
import os
import re
import shutil

import bpy

from . import load, operators, scene


def elsewhere(domain, folder):
    """Where it comes to lie; Wrong: it can't."""
    here, there = os.path.realpath(scene.folder_of(domain)), os.path.realpath(os.path.join(folder, scene.name_of(domain)))
    if operators.running_of(domain):
        raise scene.Wrong(f"a bake of {domain.name} runs: stop it first")
    if not own(domain, here):
        raise scene.Wrong(f"{domain.name} has not been baked: there is nothing in {here}")
    if there == here or there.startswith(here + os.sep):
        raise scene.Wrong(f"{there} is where it lies now")
    if os.path.isdir(there) and os.listdir(there) or os.path.isfile(there):
        raise scene.Wrong(f"{there} is there already: choose another folder")
    return here, there


def own(domain, folder):
    """What a bake has put there; the folder may hold other things."""
    name = scene.name_of(domain)
    names = name + ".yaml", name + "_base.yaml", "meshes", "cache", "cache_quick", "cache_preset.yaml", "cache_quick_preset.yaml"
    return [path for path in (os.path.join(folder, n) for n in names) if os.path.lexists(path)]


def copied(paths, there):
    """All or nothing."""
    part = there + ".part"
    try:
        shutil.rmtree(part, ignore_errors=True)
        os.makedirs(part)
        for path in paths:
            (shutil.copytree if os.path.isdir(path) else shutil.copy2)(path, os.path.join(part, os.path.basename(path)))
        if os.path.isdir(there):
            os.rmdir(there)
        os.rename(part, there)
    except (OSError, shutil.Error) as why:
        shutil.rmtree(part, ignore_errors=True)
        raise scene.Wrong(f"{there} could not be written: {reason(why)}") from None


def reason(why):
    """In the system's words; copytree lists what each file met as texts, of which the first tells enough."""
    if not isinstance(why, shutil.Error):
        return why.strerror or str(why)
    found = re.match(r"\[Errno \d+\] (.*?)(?:: '|$)", str(why.args[0][0][2]))
    return found.group(1) if found else str(why)


def removed(paths):
    """An empty folder goes with them."""
    for path in paths:
        (shutil.rmtree if os.path.isdir(path) else os.remove)(path)
    if not os.listdir(os.path.dirname(paths[0])):
        os.rmdir(os.path.dirname(paths[0]))


class BILLOW_OT_move(operators.Worded, bpy.types.Operator):
    """Take preset, meshes and caches of the domain into another folder; what is loaded plays from there"""
    bl_idname = "billow.move"
    bl_label = "Move Cache"
    directory: bpy.props.StringProperty(name="Folder", subtype="DIR_PATH", options={"SKIP_SAVE"})
    keep: bpy.props.BoolProperty(name="Keep the Old One", options={"SKIP_SAVE"}, description="A copy, and the old one stays")

    def invoke(self, context, event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def run(self, context):
        domain = operators.own_domain_of(context)
        if not self.directory:
            raise scene.Wrong("no folder is chosen")
        here, there = elsewhere(domain, bpy.path.abspath(self.directory))
        loaded = [quick for quick in (True, False) if load.is_loaded(operators.out_of(domain, quick))]
        paths = own(domain, here)
        copied(paths, there)
        for quick in loaded:
            load.unload(operators.out_of(domain, quick))
        domain.billow.folder = there
        for quick in loaded:
            load.show(operators.out_of(domain, quick))
        if not self.keep:
            removed(paths)
        self.report({"INFO"}, f"{domain.name} lies in {there}")
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory([BILLOW_OT_move])
