# SPDX-License-Identifier: Apache-2.0
"""The add-on and a cache's scripts in the Blender of later versions, as later_blender.py has them.

    BLENDER_USER_SCRIPTS=FOLDER blender -b --factory-startup --python-exit-code 1 \
        --python tests/interop/addon_later.py -- SCRIPT… ZIP BILLOW

Each SCRIPT is one that `billow blender` has written.
"""
import importlib
import os
import sys
import types

import bpy

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import later_blender as later  # noqa: E402
from addon_help import enable, mesh_new, only, refused, scene_start, volumes  # noqa: E402

VERSIONS = (3, 4, 1), (4, 2, 0), (5, 0, 0), (6, 0, 0)
ROWS = bpy.types.UILayout.bl_rna.functions


class Layout:
    """Takes what a panel's layout takes, and nothing else: names of functions, arguments, icons and properties."""
    drawn = 0

    def __setattr__(self, name, value):
        assert name in bpy.types.UILayout.bl_rna.properties, f"UILayout has no {name}"

    def __getattr__(self, name):
        assert name in ROWS, f"UILayout has no {name}"
        return lambda *words, **wish: self.call(name, words, wish)

    def call(self, name, words, wish):
        Layout.drawn += 1
        known = ROWS[name].parameters
        wrong = [key for key in wish if key not in known and key not in ("text_ctxt", "translate")]
        assert not wrong, f"UILayout.{name} has no {wrong}"
        assert wish.get("icon", "NONE") in known["icon"].enum_items if "icon" in known else True, wish
        if name in ("prop", "prop_search", "template_icon_view"):
            assert words[1] in words[0].bl_rna.properties, f"{words[0]} has no property {words[1]}"
        if name == "operator":
            kind = getattr(bpy.ops, words[0].split(".")[0])
            return Settings(getattr(kind, words[0].split(".")[1]).get_rna_type().properties)
        return Layout()


class Settings:
    """Of an operator's button."""

    def __init__(self, known):
        object.__setattr__(self, "known", known)

    def __setattr__(self, name, value):
        assert name in object.__getattribute__(self, "known"), f"the operator has no {name}"


def draw(kind):
    """A panel as it is registered, into a layout that only takes notes."""
    if hasattr(kind, "poll") and not kind.poll(bpy.context):
        return
    bases = tuple(base for base in kind.__bases__ if not issubclass(base, bpy.types.bpy_struct))
    own = {key: value for key, value in vars(kind).items() if isinstance(value, (types.FunctionType, classmethod))}
    panel = type(kind.__name__, bases, own)()
    panel.layout, panel.bl_rna = Layout(), kind.bl_rna
    panel.draw(bpy.context)


def draw_all():
    from billow_addon import panels, preferences, quick
    Layout.drawn = 0
    for kind in panels.classes + [preferences.BillowPreferences]:
        draw(kind)
    quick.menu(types.SimpleNamespace(layout=Layout()), bpy.context)
    return Layout.drawn


def scene_new():
    """A head that burns and moves, a table, a field, a stage's parameter that is keyed."""
    scene = scene_start()
    bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath("later.blend"))
    head = mesh_new("monkey", location=(0, 0, 1), size=1)
    bpy.ops.billow.quick_fire(resolution=16)
    domain = bpy.context.object
    for frame, at in (3, 1.0), (6, 0.8):
        head.location[2] = at
        head.keyframe_insert("location", frame=frame)
    head.billow.fuel = 0.5
    head.billow.keyframe_insert("fuel", frame=3)
    table = mesh_new("cube", location=(0, 0, 2), size=0.3)
    table.billow.role = "OBSTACLE"
    bend = table.modifiers.new("bend", "SIMPLE_DEFORM")
    for frame, angle in (3, 0.1), (6, 1.0):
        bend.angle = angle
        bend.keyframe_insert("angle", frame=frame)
    bpy.ops.object.effector_add(type="TURBULENCE", location=(0, 0, 1))
    return domain, head, table, bpy.context.object


def addon_run():
    """Registered, everything drawn, baked, loaded, changed, moved, and gone again."""
    from billow_addon import estimate, handlers, operators
    domain, *others = scene_new()
    for thing in others + [domain]:
        only(thing)
        drawn = draw_all()
    assert drawn > 30, f"{drawn} buttons and lines of a domain"
    bpy.ops.billow.base(name="fire")
    bpy.ops.billow.base_edit()
    bpy.ops.billow.preset()
    domain.billow_stage_mac_forces.buoyancy = 0.5
    domain.billow_stage_mac_forces.keyframe_insert("buoyancy", frame=3)
    bpy.ops.billow.bake()
    volume, = volumes()
    assert volume.data.frame_duration == 4 and volume.data.materials[0], volume.data.frame_duration
    bpy.ops.billow.copy_command()
    bpy.ops.billow.unset(group="billow_stage_mac_forces", key="buoyancy")
    estimate.of(domain)
    estimate.begin(domain.name)
    begun = operators.bake(domain, quick=True)
    watch = handlers.Watch(begun, domain)
    begun.reader.join()
    assert not watch.look() and not begun.message, begun.message
    draw_all()
    bpy.ops.billow.load(quick=True)
    bpy.ops.billow.move(directory=os.path.abspath("elsewhere_%d_%d_%d" % later.version))
    refused(bpy.ops.billow.stop, "no bake is running")
    bpy.ops.preferences.addon_disable(module="billow_addon")
    assert not [name for name in dir(bpy.types.Object) if name.startswith("billow")], "left behind"


def script_run(path):
    """What `billow blender` writes, into an empty file and once more into the same."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    for _ in range(2):
        facts = {"__name__": "__main__", "__file__": path}
        exec(later.compiled(text, path), facts)
        assert len(volumes()) == 1


def refuses(code, *words):
    """The stand-in itself: what is gone is refused, by its name and version."""
    try:
        exec(later.compiled(code, "trial.py"), {"bpy": bpy})
    except (AttributeError, TypeError, KeyError, RuntimeError, ValueError, ImportError) as why:
        assert all(word in str(why) for word in words), (code, why)
        return
    raise AssertionError(f"{later.version} takes {code}")


def stand_in_check():
    later.pretend((5, 0, 0))
    for code, *words in (
            ("m = bpy.data.meshes.new('m'); m.use_auto_smooth = True", "Mesh.use_auto_smooth", "4.1"),
            ("bpy.data.actions.new('a').fcurves", "Action.fcurves", "5.0", "channelbags"),
            ("getattr(bpy.data.actions.new('a'), 'fcurves')", "5.0"),
            ("bpy.data.lights.new('l', 'POINT').cycles.cast_shadow = True", "cast_shadow", "4.2"),
            ("bpy.context.scene.render.engine = 'BLENDER_EEVEE_NEXT'", "BLENDER_EEVEE", "5.0"),
            ("m = bpy.data.materials.new('m'); m.use_nodes = True\nm.node_tree.nodes.new('ShaderNodeTexMusgrave')", "Musgrave", "4.1"),
            ("m = bpy.data.materials.new('m'); m.use_nodes = True\nm.node_tree.nodes[0].inputs['Specular']", "Specular IOR", "4.0"),
            ("bpy.ops.object.select_all({'a': 1})", "temp_override", "4.0"),
            ("bpy.ops.export_scene.obj()", "obj_export", "4.0"), ("import bgl", "gpu", "5.0"),
            ("bpy.data.objects.new('o', None)['billow']", "no item", "5.0"),
            ("bpy.context.preferences.addons['billow_addon'].preferences['program']", "holds no properties", "5.0")):
        refuses(code, *words)


def extension_check():
    """As an extension, which from 4.2 on lies in a package of Blender's own, it is found under that name."""
    name = "bl_ext.user_default.billow_addon"
    bpy.ops.preferences.addon_disable(module="billow_addon")
    folder = os.path.join(os.environ["BLENDER_USER_SCRIPTS"], "addons")
    os.makedirs(os.path.join(folder, "bl_ext", "user_default"))
    os.rename(os.path.join(folder, "billow_addon"), os.path.join(folder, *name.split(".")))
    importlib.invalidate_caches()
    later.pretend((4, 2, 0))
    bpy.context.preferences.addons.new().module = name
    extension = importlib.import_module(name)
    extension.register()
    preferences = bpy.context.preferences.addons[name].preferences
    preferences.program = sys.argv[-1]
    mesh_new("monkey", size=1)
    bpy.ops.billow.quick_smoke(resolution=16)
    assert hasattr(bpy.context.object, "billow_stage_mac_forces"), "it does not find its program"
    preferences.program = "/nowhere/billow"
    refused(bpy.ops.billow.bake, "/nowhere/billow is no program")
    extension.unregister()


def main(*words):
    scripts, archive = words[:-2], words[-2]
    bpy.ops.preferences.addon_install(filepath=archive)
    for version in VERSIONS:
        print("as Blender", version, flush=True)
        later.pretend(version)
        bpy.ops.wm.read_factory_settings(use_empty=True)
        addon_run()
        for path in scripts:
            script_run(path)
        assert not later.refused, later.refused
    enable()
    stand_in_check()
    missed = {(4, 1), (4, 2), (5, 0), (6, 0)} - {since for since, _ in later.asked}
    assert scripts and not missed, f"nobody asked for what these lack: {missed}"
    extension_check()
    print("OK")


main(*sys.argv[sys.argv.index("--") + 1:])
