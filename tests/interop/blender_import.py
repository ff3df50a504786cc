# SPDX-License-Identifier: Apache-2.0
"""Open a VDB sequence in Blender as an artist would, and check what Blender makes of it.

    blender -b --python tests/interop/blender_import.py -- FOLDER GRIDS [BOUNDS [TOLERANCE]]

FOLDER     holds NAME_0001.vdb … and nothing else that ends in .vdb
GRIDS      grid names that must be there, with commas: density,vel (one for all frames)
BOUNDS     x0,y0,z0,x1,y1,z1 in metres: box that the first of GRIDS fills in the first frame; "-": not checked
TOLERANCE  metres each number may be off, default one voxel
The box is that of a surface that Blender draws round the grid (Volume to Mesh, a hair above zero): the object's own
bounding box is rounded to leaves of eight voxels.

Prints one line, OK … or FAIL …; the exit code is 0 or 1. All frames must be taken as one sequence, and each must load."""
import os
import re
import sys

import bpy


def fail(text):
    print("FAIL " + text, flush=True)
    os._exit(1)


def import_sequence(folder):
    names = sorted(n for n in os.listdir(folder) if n.endswith(".vdb"))
    if not names:
        fail(f"no .vdb file in {folder}")
    bpy.ops.object.volume_import(filepath=os.path.join(folder, names[0]), directory=folder,
                                 files=[{"name": n} for n in names])
    return bpy.context.object, names


def grid_names(volume):
    if not volume.grids.load():
        fail(f"Blender cannot load {volume.filepath}: {volume.grids.error_message}")
    return [g.name for g in volume.grids]


def world_box(volume_object, grid):
    """Box of the surface round a grid, in metres."""
    mesh = bpy.data.meshes.new("surface")
    surface = bpy.data.objects.new("surface", mesh)
    bpy.context.collection.objects.link(surface)
    modifier = surface.modifiers.new("surface", "VOLUME_TO_MESH")
    modifier.object, modifier.grid_name, modifier.threshold = volume_object, grid, 1e-3
    evaluated = surface.evaluated_get(bpy.context.evaluated_depsgraph_get())
    corners = [evaluated.matrix_world @ v.co for v in evaluated.data.vertices]
    if not corners:
        fail(f"Blender finds nothing in grid {grid}")
    box = [min(c[a] for c in corners) for a in range(3)] + [max(c[a] for c in corners) for a in range(3)]
    bpy.data.objects.remove(surface)
    return box


def check_bounds(box, expected, tolerance):
    off = [abs(b - e) for b, e in zip(box, expected)]
    if max(off) > tolerance:
        fail("bounds " + ",".join(f"{b:.4f}" for b in box) + " instead of " + ",".join(f"{e:g}" for e in expected))


def voxel_size(volume):
    return min(abs(g.matrix_object[a].to_3d().length) for g in volume.grids for a in range(3))


def check_sequence(volume, names):
    if len(names) < 2:
        return
    first = int(re.search(r"(\d+)\.vdb$", names[0]).group(1))
    if not volume.is_sequence:
        fail("not taken for a sequence")
    if volume.frame_duration != len(names):
        fail(f"{volume.frame_duration} frames instead of {len(names)}")
    volume.frame_start = first  # Blender starts every sequence at scene frame 1


def main(args):
    folder, wanted = os.path.abspath(args[0]), [g for g in args[1].split(",") if g]
    obj, names = import_sequence(folder)
    volume = obj.data
    check_sequence(volume, names)
    for i, name in enumerate(names):
        bpy.context.scene.frame_set(int(re.search(r"(\d+)\.vdb$", name).group(1)))
        volume.grids.unload()
        have = grid_names(volume)
        missing = [g for g in wanted if g not in have]
        if missing:
            fail(f"{name} lacks {', '.join(missing)}; it holds {', '.join(have)}")
        if len(names) > 1 and os.path.basename(volume.grids.frame_filepath) != name:
            fail(f"frame of {name} shows {volume.grids.frame_filepath}")
        if i == 0 and len(args) > 2 and args[2] != "-":
            box, expected = world_box(obj, wanted[0]), [float(x) for x in args[2].split(",")]
            check_bounds(box, expected, float(args[3]) if len(args) > 3 else voxel_size(volume) * 1.001)
    bpy.context.scene.frame_set(int(re.search(r"(\d+)\.vdb$", names[0]).group(1)))
    box = ",".join(f"{b:.4f}" for b in world_box(obj, wanted[0]))
    print(f"OK {len(names)} frames, grids {', '.join(have)}, {wanted[0]} of the first frame fills {box}", flush=True)


try:
    main(sys.argv[sys.argv.index("--") + 1:])
except Exception as error:  # Blender would print it and exit with 0
    fail(repr(error))
os._exit(0)
