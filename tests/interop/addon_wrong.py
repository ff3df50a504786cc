# SPDX-License-Identifier: Apache-2.0
"""The add-on on starting points, estimates, Slurm, and on all that can be wrong: words, and nothing half-loaded.

    BLENDER_USER_SCRIPTS=FOLDER blender -b --factory-startup --python-exit-code 1 --python tests/interop/addon_wrong.py -- ZIP BILLOW
"""
import os
import stat
import subprocess
import sys
import time

import bpy

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from addon_help import enable, mesh_new, only, refused, scene_start, volumes  # noqa: E402


def stage(name):
    """A saved scene of a domain on the floor and a ball that smokes in it."""
    scene = scene_start()
    bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(f"{name}.blend"))
    box = mesh_new("cube", location=(0, 0, 1), size=2)
    box.name, box.billow.role, box.billow.resolution = name, "DOMAIN", 20
    ball = mesh_new("ico_sphere", radius=0.3, location=(0, 0, 0.6))
    ball.billow.role = "SOURCE"
    only(box)
    return scene, box, ball


def program_new(name, text):
    path = os.path.abspath(name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


def check_start():
    """A preset with its box runs as it is; its text is in the .blend, and what is changed there counts."""
    scene, box, ball = stage("start")
    ball.billow.role = "NONE"
    refused(bpy.ops.billow.bake, "there is no source")
    bpy.ops.billow.base(name="smoke", fit=True)
    assert (scene.frame_start, scene.frame_end, box.billow.resolution) == (1, 72, 100), scene.frame_end
    assert all(abs(a - b) < 1e-5 for a, b in zip(box.dimensions, (2.6, 2.6, 4))) and abs(box.location.z - 2) < 1e-5, box.location
    scene.frame_end, box.billow.resolution = 2, 24
    text = box.billow.base
    assert text.name == "smoke.yaml" and "id: source" in text.as_string(), text.name
    changed = text.as_string().replace("temperature: 200 K", "temperature: 321 K")
    text.clear()
    text.write(changed)
    bpy.ops.billow.bake()
    assert len(volumes()) == 1 and "321 K" in open("billow/start/cache/resolved.yaml").read(), "the text does not count"
    ball.billow.role = "SOURCE"  # takes the place of the preset's
    bpy.ops.billow.bake()
    assert "emit: {id: source, enabled: no}" in open("billow/start/start.yaml").read()
    text.clear()
    text.write("billow: 1\nstages:\n  - nonsense: {}\n")
    refused(bpy.ops.billow.bake, "start_base.yaml:1:1", "needs a domain")
    bpy.ops.billow.base(name="")
    assert box.billow.base is None
    bpy.ops.billow.base_edit()
    assert box.billow.base.name.startswith("smoke.yaml"), "the text of what it starts from anyway"
    from billow_addon import base, starts
    assert {"smoke", "campfire", "explosion"} < set(base.presets()) and "upres" not in base.presets()
    for name in "campfire", "dust":
        assert os.path.isfile(os.path.join(os.path.dirname(starts.__file__), "thumbnails", name + ".jpg")), name
    missing = [n for n in base.presets() if "letters" in n and "/presets/meshes/" not in base.text_of(n)]
    assert not missing, "files beside a preset are not found from another folder"


def check_estimate():
    """Asked once for a state, answered beside Blender; another resolution is another question."""
    from billow_addon import estimate
    scene, box, ball = stage("estimate")

    def answer():
        estimate.of(box)
        estimate.begin(box.name)  # as its timer does; without a window none runs
        for _ in range(200):
            if box.name not in estimate.asked:
                return estimate.of(box)
            time.sleep(0.05)
        raise AssertionError("no answer")
    few = answer()
    assert isinstance(few, estimate.Figures) and not few.measured and few.memory > 1e6 and few.disk > 0, few
    box.billow.resolution = 40
    many = answer()
    assert many.seconds > 6 * few.seconds and many.disk > 4 * few.disk, (many.seconds, few.seconds)
    assert not os.path.exists("billow/estimate"), "an estimate leaves something behind"
    bpy.ops.billow.bake()
    estimate.forget()
    assert answer().measured, "an earlier bake does not count"
    many.free = 0.05 * many.disk
    assert "the disk is full" in many.wrong()
    estimate.known[box.name] = (estimate.signature(box), many)
    refused(bpy.ops.billow.bake, "the disk is full")


def check_command():
    """What Command copies bakes, without Blender; program, add-on and both manifests are of one version."""
    import billow_addon
    from billow_addon import operators, preset, program
    scene, box, ball = stage("command")
    bpy.ops.billow.copy_command()
    words = operators.command(box, preset.write(box))
    assert subprocess.run(words, stdout=subprocess.DEVNULL).returncode == 0
    bpy.ops.billow.load()
    assert volumes()[0].data.frame_duration == 4, "what a terminal baked is not shown"
    with open(os.path.join(os.path.dirname(billow_addon.__file__), "blender_manifest.toml"), encoding="utf-8") as f:
        assert 'version = "%d.%d.%d"' % program.VERSION in f.read()
    assert billow_addon.bl_info["version"] == program.VERSION == program.version()


def check_quick():
    """A quick bake stands beside the full one; the one loaded last is seen."""
    scene, box, ball = stage("both")
    bpy.ops.billow.bake()
    bpy.ops.billow.bake(quick=True)
    full, quick = bpy.data.collections["both"], bpy.data.collections["both_quick"]
    assert full.hide_render and full.hide_viewport and not quick.hide_render, "both are seen"
    full.hide_viewport = False
    scene.frame_set(6)
    sizes = []
    for collection in full, quick:
        grids = collection.objects[0].data.grids
        assert grids.load(), collection.name
        sizes += [g.matrix_object[0][0] for g in grids if g.name == "density"]
    assert len(volumes()) == 2 and abs(sizes[1] / sizes[0] - 2) < 1e-5, sizes
    bpy.ops.billow.load()
    assert quick.hide_render and not bpy.data.collections["both"].hide_render


def check_things():
    scene, box, ball = stage("things")
    ball.billow.group = "gone"
    refused(bpy.ops.billow.bake, "Icosphere has no vertex group gone")
    ball.billow.group = ""
    twin = mesh_new("ico_sphere", radius=0.3, location=(0, 0, 0.6))
    twin.name, twin.billow.role = "twin", "OBSTACLE"
    only(box)
    refused(bpy.ops.billow.bake, "Icosphere and twin fill the same place")
    bpy.data.objects.remove(twin)
    bpy.ops.curve.primitive_bezier_circle_add(radius=0.4, location=(0, 0, 1))
    ring = bpy.context.object
    ring.billow.role = "SOURCE"
    only(box)
    refused(bpy.ops.billow.bake, "BezierCircle has no faces: give the curve a bevel")
    ring.data.bevel_depth = 0.1
    bpy.ops.billow.bake()
    assert open("billow/things/things.yaml").read().count("- emit: {id: source_") == 2, "a curve with a bevel is a source"
    box.keyframe_insert("location", frame=1)
    refused(bpy.ops.billow.bake, "things is animated")
    box.animation_data_clear()
    box.scale = 1, 0, 1
    bpy.context.view_layer.update()
    refused(bpy.ops.billow.bake, "things is flat")
    box.scale = -1, 1, 0.8
    bpy.context.view_layer.update()
    bpy.ops.billow.bake()  # mirrored and uneven is a box all the same


def check_names():
    """Any script in names, and two domains whose names are the same to files: another folder of either cures it."""
    scene, box, ball = stage("名")
    ball.name = "頭 '\"\\ # {x}"
    group = ball.vertex_groups.new(name="燃える")
    group.add([v.index for v in ball.data.vertices], 1.0, "REPLACE")
    ball.billow.group = group.name
    bpy.ops.billow.bake()
    twin = box.copy()
    twin.name = "炎"
    scene.collection.objects.link(twin)
    only(twin)
    refused(bpy.ops.billow.bake, "would write to the same folder")
    twin.billow.folder = "//別の場所"
    bpy.ops.billow.bake()
    assert len(volumes()) == 2 and all(v.data.grids.load() for v in volumes())
    twin.billow.folder = box.billow.folder = "//一つ"
    twin.name = "other"
    refused(bpy.ops.billow.bake, "would write to the same folder")


def check_linked():
    """What is linked takes part as it is; a quick effect, which would change it, says how."""
    scene, box, ball = stage("library")
    held = bpy.data.collections.new("held")
    scene.collection.children.link(held)
    held.objects.link(ball)
    bpy.ops.wm.save_mainfile()
    scene, box, _ = stage("linked")
    bpy.data.objects.remove(_)
    with bpy.data.libraries.load(os.path.abspath("library.blend"), link=True) as (there, here):
        here.collections = ["held"]
    shown = bpy.data.objects.new("shown", None)
    shown.instance_type, shown.instance_collection = "COLLECTION", here.collections[0]
    scene.collection.objects.link(shown)
    refused(bpy.ops.billow.bake, "shown only shows a collection")
    bpy.data.objects.remove(shown)
    scene.collection.children.link(here.collections[0])
    linked = bpy.context.scene.objects["Icosphere"]
    assert linked.library and linked.billow.role == "SOURCE"
    bpy.ops.billow.bake()
    only(linked)
    refused(bpy.ops.billow.quick_fire, "Icosphere is linked from library.blend", "Library Override")


def check_program():
    scene, box, ball = stage("program")
    preferences = bpy.context.preferences.addons["billow_addon"].preferences
    program = preferences.program
    preferences.program = program_new("newer", "#!/bin/sh\necho 'Billow 7.2.0 (plugin ABI 9.9)'\n")
    refused(bpy.ops.billow.bake, "is Billow 7.2.0, the add-on is of 0.1.0")
    preferences.program = program_new("broken", "#!/nowhere/sh\n")
    refused(bpy.ops.billow.bake, "broken does not run")
    preferences.program = program
    with open("billow/file", "w", encoding="utf-8"):
        box.billow.folder = os.path.abspath("billow/file")
    refused(bpy.ops.billow.bake, "billow/file")
    box.billow.folder = ""


def check_full_disk():
    """A disk of 1 MB: what is written is whole or not there, and the words are the system's."""
    scene, box, ball = stage("full")
    scene.frame_end, box.billow.resolution = 30, 40
    os.makedirs("small", exist_ok=True)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "billow", "small"], capture_output=True).returncode:
        print("no file system of its own: not tried")
        return
    try:
        box.billow.folder = os.path.abspath("small")
        refused(bpy.ops.billow.bake, "space")
        with open("small/rest", "wb") as f:
            try:
                f.write(bytes(2 << 20))
            except OSError:
                pass
        os.remove("small/full.yaml")
        refused(bpy.ops.billow.bake, "No space left")
        assert not [n for _, _, names in os.walk("small") for n in names if n.endswith(".part")], "a part is left"
    finally:
        subprocess.run(["umount", "small"], check=True)


def check_another_blender():
    """One bake a folder, whoever began it."""
    scene, box, ball = stage("twice")
    scene.frame_end, box.billow.resolution = 400, 48
    from billow_addon import operators, preset
    begun = subprocess.Popen(operators.command(box, preset.write(box)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            if os.path.isdir("billow/twice/cache/vdb"):
                break
            time.sleep(0.05)
        refused(bpy.ops.billow.bake, "another bake is writing")
    finally:
        begun.terminate()
        begun.wait()


def check_slurm():
    """Submitted, followed and cancelled by a queue that only pretends."""
    from billow_addon import farm, job, operators
    scene, box, ball = stage("farm")
    refused(lambda: bpy.ops.billow.bake(farm=True), "no Slurm here")
    os.makedirs("bin", exist_ok=True)
    program_new("bin/sbatch", "#!/bin/sh\necho 77\n")
    program_new("bin/squeue", "#!/bin/sh\n[ -e gone ] || echo '77|PENDING|Priority|'\n")
    program_new("bin/scancel", "#!/bin/sh\ntouch gone\n")
    path = os.environ["PATH"]
    os.environ["PATH"] = os.path.abspath("bin") + ":" + path
    try:
        assert farm.there()
        refused(bpy.ops.billow.follow, "was not submitted")
        bpy.ops.billow.bake(farm=True)
        out = operators.out_of(box)
        assert farm.submitted(out), os.listdir(out)
        running = job.jobs[out]
        for _ in range(100):
            if "Priority" in running.where:
                break
            time.sleep(0.05)
        assert "Priority" in running.where, (running.where, running.message)
        refused(bpy.ops.billow.bake, "runs already")
        bpy.ops.billow.stop()
        running.reader.join(20)
        assert running.code == 1 and not running.reader.is_alive(), (running.code, running.message)
    finally:
        os.environ["PATH"] = path


def main(archive, program):
    bpy.ops.preferences.addon_install(filepath=archive)
    enable()
    for check in (check_start, check_estimate, check_command, check_quick, check_things, check_names, check_linked, check_program, check_full_disk,
                  check_another_blender, check_slurm):
        print(check.__name__, flush=True)
        check()
    print("OK")


main(*sys.argv[sys.argv.index("--") + 1:])
