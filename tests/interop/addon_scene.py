# SPDX-License-Identifier: Apache-2.0
"""The add-on on force fields, particles and weights: what it writes of them, and that gas does as they say.

    BLENDER_USER_SCRIPTS=FOLDER blender -b --factory-startup --python-exit-code 1 --python tests/interop/addon_scene.py -- ZIP BILLOW
"""
import glob
import os
import re
import sys

import bpy

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from addon_help import enable, mesh_new, refused, scene_start, volumes  # noqa: E402


def stage(name, role=None, **wish):
    """A new scene, saved, of a domain 2 m wide and 2 m high on the floor, and a source."""
    scene = scene_start()
    bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(f"{name}.blend"))
    box = mesh_new("cube", location=(0, 0, 1), size=2)
    box.name, box.billow.role, box.billow.resolution, box.billow.character = name, "DOMAIN", 20, "calm"
    return scene, box


def source_new(kind="ico_sphere", **wish):
    thing = mesh_new(kind, **wish)
    thing.billow.role, thing.billow.temperature, thing.billow.noise = "SOURCE", 20, -1
    return thing


def written(name):
    with open(f"billow/{name}/{name}.yaml", encoding="utf-8") as f:
        return f.read()


def field_new(kind, **wish):
    bpy.ops.object.effector_add(type=kind, location=wish.pop("location", (0, 0, 1)), rotation=wish.pop("rotation", (0, 0, 0)))
    for key, value in wish.items():
        setattr(bpy.context.object.field, key, value)
    return bpy.context.object


def middle():
    """Of the smoke's box in the last frame, m."""
    bpy.context.scene.frame_set(bpy.context.scene.frame_end)
    volume, = volumes()
    volume.data.grids.load()
    bpy.context.view_layer.update()
    corners = [volume.matrix_world @ __import__("mathutils").Vector(c) for c in volume.bound_box]
    return [sum(c[a] for c in corners) / 8 for a in range(3)]


def check_wind():
    """S n - f v is a wind of S/f with the rate f; its strength is keyed; it blows where its z axis points to."""
    scene, box = stage("wind")
    scene.frame_end = 14
    source_new(radius=0.3, location=(-0.5, 0, 1))
    wind = field_new("WIND", rotation=(0, 1.5707963, 0), strength=8, flow=2)
    wind.field.keyframe_insert("strength", frame=3)
    wind.field.strength = 40
    wind.field.keyframe_insert("strength", frame=4)
    bpy.ops.billow.bake()
    text = written("wind")
    found = re.search(r"- force: .*velocity: \{ease: linear, keys: \{3: \[4, 0, ([^]]*)\], 4: \[20, [^:]*14: \[20, .*rate: 2 1/s", text)
    assert found and abs(float(found.group(1))) < 1e-4 and "before: mac.forces" in text and "Wind" in text, text
    there = middle()
    wind.billow.acts = False
    bpy.ops.billow.bake()
    assert "force:" not in written("wind") and there[0] > middle()[0] + 0.1, (there, middle())
    wind.billow.acts, box.billow.forces = True, False
    bpy.ops.billow.preset()
    assert "force:" not in written("wind"), "the domain does without"


def check_fields():
    """Each kind, each way to be limited; what has no like is said and left out."""
    from billow_addon import forces
    scene, box = stage("fields")
    source_new(radius=0.3, location=(0, 0, 0.5))
    spin = field_new("VORTEX", strength=3, use_max_distance=True, distance_max=0.5)
    pull = field_new("FORCE", strength=-2, use_max_distance=True, distance_max=0.75, falloff_power=1)
    stir = field_new("TURBULENCE", strength=10, size=0.4, seed=7)
    drag = field_new("DRAG", linear_drag=1.5, falloff_type="TUBE", use_radial_max=True, radial_max=0.6)
    slab = field_new("WIND", strength=1, flow=0, use_max_distance=True, distance_max=0.25)
    magnet = field_new("MAGNET")
    scene.use_gravity, box.billow.thickness = False, 3
    bpy.ops.billow.bake()
    text = written("fields")
    assert "mac.forces: {id: mac.forces, gravity: [0, 0, 0]}" in text and "look: {thickness: 3}" in text, text
    for words in (
            "vortex: {center: [0, 0, 1], axis: [0, 0, 1], radius: 0.5 m, strength: 1.5}}, shape: {cylinder: ",
            "attractor: {center: [0, 0, 1], radius: 0.75 m, strength: 2}}, shape: {sphere: {center: [0, 0, 1], radius: 0.75}}",
            "turbulence: {strength: 3, size: 0.4 m, speed: 0, octaves: 3, seed: 7}}}",
            "wind: {velocity: [0, 0, 0], rate: 1.5 1/s}}, shape: {cylinder: {center: [0, 0, 1], axis: [0, 0, 1], radius: 0.6",
            "wind: {velocity: [0, 0, 100], rate: 0.01 1/s}}, shape: {box: {center: [0, 0, 1], rotate: [0 rad",
            "size: [16, 16, 0.5]"):
        assert words in text, (words, text)
    assert text.count("- force:") == 5, text
    assert any("hardest 0.5 m" in n for n in forces.notes(spin)), forces.notes(spin)
    assert "left out" in forces.notes(magnet)[0], forces.notes(magnet)
    assert not forces.notes(stir) and any("quadratic" in n for n in forces.notes(drag)), forces.notes(drag)
    pull.field.falloff_power = 2  # leaves a half at .414
    assert abs(forces.reach(pull.field)[0] - 0.4142) < 1e-3 and "soft edge" in " ".join(forces.notes(pull)), forces.notes(pull)
    assert forces.reach(slab.field) == (0.25, 0.0)


def check_particles():
    """Those that live emit, where they are and as fast as they are; frame by frame, and from before the first on."""
    scene, box = stage("sparks")
    plate = source_new("plane", size=0.4, location=(0, 0, 0.4))
    plate.modifiers.new("sparks", "PARTICLE_SYSTEM")
    system = plate.particle_systems[0]
    system.settings.count, system.settings.frame_start, system.settings.frame_end = 40, 1, 5
    system.settings.lifetime, system.settings.effector_weights.all = 50, 0
    system.settings.effector_weights.gravity, system.settings.normal_factor = 0, 6
    plate.billow.particles, plate.billow.inherit = system.name, 1
    bpy.ops.billow.bake()
    assert "shape: {points: {file: meshes/" in written("sparks"), written("sparks")
    files = sorted(glob.glob("billow/sparks/meshes/*.csv"))
    assert [f[-8:-4] for f in files] == ["0003", "0004", "0005", "0006"], files
    rows = [[[float(x) for x in line.split(",")] for line in open(f).read().splitlines()[1:]] for f in files]
    assert 0 < len(rows[0]) < len(rows[2]) == 40, [len(r) for r in rows]
    first, later = rows[0][0], rows[3][0]
    assert first[7] == later[7] == 0 and abs(first[6] - 6 * 0.04 * 24) < 0.1, first
    assert abs((later[2] - first[2]) * 24 / 3 - first[6]) < 0.05 * first[6], "its velocity is not that of its places"
    assert middle()[2] > 0.6, middle()
    system.settings.frame_start = system.settings.frame_end = 90
    bpy.context.scene.frame_set(1)
    refused(bpy.ops.billow.bake, "no particle of Plane lives")
    plate.billow.particles = "gone"
    refused(bpy.ops.billow.bake, "Plane has no particle system gone")


def emits(name):
    """Of the preset's sources: [(density, file)]."""
    return [(float(d), f) for f, d in re.findall(r"file: (meshes/\S+?),.*?density: ([\d.]+)", written(name))]


def spans(path, axis=0):
    points = [[float(x) for x in line.split()[1:]] for line in open(path) if line.startswith("v ")]
    return min(p[axis] for p in points), max(p[axis] for p in points)


def check_group():
    """A group that rises along x: four sources in one another, each of faces of at least its weight."""
    scene, box = stage("weights")
    plate = source_new("plane", size=1, location=(0, 0, 0.5))
    group = plate.vertex_groups.new(name="burns")
    for vertex in plate.data.vertices:
        group.add([vertex.index], vertex.co.x + 0.5, "REPLACE")
    plate.billow.group = "burns"
    bpy.ops.billow.bake()
    found = emits("weights")
    assert [d for d, _ in found] == [0.25, 0.5, 0.75, 1], found
    for density, name in found:
        low, high = spans(f"billow/weights/{name}")
        assert abs(low - (density - 0.125 - 0.5)) < 0.08 and abs(high - 0.5) < 1e-3, (density, low, high)
    assert middle()[0] > 0.02, middle()
    for vertex in plate.data.vertices:
        group.add([vertex.index], float(vertex.co.x > 0 and vertex.co.y > 0), "REPLACE")
    plate.shape_key_add(name="flat")
    plate.shape_key_add(name="up").data[3].co.z = 0.4
    plate.data.shape_keys.key_blocks["up"].keyframe_insert("value", frame=3)
    plate.data.shape_keys.key_blocks["up"].value = 1
    plate.data.shape_keys.key_blocks["up"].keyframe_insert("value", frame=6)
    bpy.ops.billow.bake()
    assert "_100_####.obj, up: z, outside: blank" in written("weights"), written("weights")


def check_texture():
    """A blend from dark to bright along x; by UV it follows the map."""
    scene, box = stage("texture")
    plate = source_new("grid", size=1, location=(0, 0, 0.5), x_subdivisions=8, y_subdivisions=8)
    texture = bpy.data.textures.new("ramp", "BLEND")
    plate.billow.texture = texture
    bpy.ops.billow.bake()
    low, high = spans("billow/texture/" + emits("texture")[-1][1])
    assert len(emits("texture")) == 4 and low > 0.2 and high > 0.4, (emits("texture"), low, high)
    for loop in plate.data.uv_layers.active.data:  # turned by a quarter
        loop.uv = loop.uv[1], loop.uv[0]
    plate.billow.texture_uv = True
    bpy.ops.billow.preset()
    low, high = spans("billow/texture/" + emits("texture")[-1][1], 1)
    assert low > 0.2 and high > 0.4, ("by UV", low, high)


def main(archive, program):
    bpy.ops.preferences.addon_install(filepath=archive)
    enable()
    check_wind()
    check_fields()
    check_particles()
    check_group()
    check_texture()
    print("OK")


main(*sys.argv[sys.argv.index("--") + 1:])
