#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh BILLOW SOURCE: every kind of output, opened by somebody else's program. Last line: "N passed, N failed".
# A program that is not installed skips its checks, which is said; ./dev test installs all of them.
set -u
billow=$(realpath "$1")
here=$(realpath "$2")/tests/interop
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

check() {
    local what=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "-- failed: $what" >&2
        tail -5 "$work/log" >&2
    fi
}

have() { command -v "$1" >/dev/null || { echo "skipped: $1 is not installed" >&2; return 1; }; }

out="$work/out"
check "the bake itself" "$billow" bake "$here/box.yaml" --out "$out"
# Rendering and VDB share the writer's threads: what they do at once shows in some bakes only.
again() { for _ in $(seq 20); do "$billow" bake "$here/box.yaml" --out "$work/again" --force || return 1; done; }
check "twenty more bakes" again
check "four frames from 1001 and nothing else" test "$(ls "$out/vdb" | tr '\n' ' ')" = \
    "box_1001.vdb box_1002.vdb box_1003.vdb box_1004.vdb "
check "no temporary file is left" test -z "$(find "$out" -name '.*' -type f)"

# OpenVDB's own printer: names, classes, metadata.
if have vdb_print; then
    printed() { vdb_print -l -m "$out/vdb/box_1001.vdb" | grep -qE -- "$1"; }
    check "vdb_print: density is a fog volume" printed 'fog volume'
    check "vdb_print: half floats" printed 'is_saved_as_half_float|saved as half|half'
    check "vdb_print: vel is contravariant relative" printed 'contravariant relative'
    check "vdb_print: fps" printed '25'
    cat >"$work/sparks.yaml" <<'YAML'
billow: 1
name: sparks
domain: {size: none, voxel: 4 cm}
time: {fps: 25, frames: 1001-1002}
stages:
  - vorton.emit: {source: {ring: {radius: 0.5 m, core: 8 cm, layers: 2}}}
  - tracers: {shape: {sphere: {radius: 30 cm}}, count: 5000}
  - vorton.velocity: {}
  - vorton.advect: {}
  - to_grid: {}
export:
  - vdb: {points: [tracers, vortons], up: y, scale: 100}
YAML
    check "particles among the grids" "$billow" bake "$work/sparks.yaml" --out "$work/sparks"
    pointed() { vdb_print -l "$work/sparks/vdb/sparks_1002.vdb" | grep -A3 "Name: $1" | grep -q ptdataidx32; }
    check "vdb_print: tracers are points" pointed tracers
    check "vdb_print: vortons are points" pointed vortons
fi

# Python's module: the box in metres, values, background.
cat >"$work/read.py" <<'PY'
import sys
try:
    import pyopenvdb as vdb
except ImportError:
    import openvdb as vdb
path = sys.argv[1]
g = vdb.read(path, "density")
lo, hi = g.evalActiveVoxelBoundingBox()
a = [g.transform.indexToWorld(lo), g.transform.indexToWorld(hi)]
want = [(-.375, -.175, .325), (.375, .175, .875)]
for p, q in zip(a, want):
    assert max(abs(x - y) for x, y in zip(p, q)) < 1e-6, (a, want)
assert g.background == 0
assert g.activeVoxelCount() == 16 * 8 * 12, g.activeVoxelCount()
v = vdb.read(path, "vel")
c = v.getConstAccessor().getValue((lo[0] + 3, lo[1] + 3, lo[2] + 3))
assert abs(c[0] - .5) < 1e-3 and abs(c[1]) < 1e-6, c
d = vdb.read(path, "dye")
assert tuple(d.getConstAccessor().getValue(lo))[0] == 1.0
PY
if /usr/bin/python3 -c 'import pyopenvdb' 2>/dev/null; then
    check "pyopenvdb: bounds in metres, values, background" /usr/bin/python3 "$work/read.py" "$out/vdb/box_1001.vdb"
else
    echo "skipped: pyopenvdb is not installed" >&2
fi

# Blender, as an artist would: one sequence, all frames, the box where it belongs (it puts voxel 0's corner, not its
# centre, at 0: half a voxel; see the guide on caches).
if have blender; then
    check "Blender: a sequence of four frames with its grids and bounds" \
        blender -b --python-exit-code 1 --python "$here/blender_import.py" -- "$out/vdb" density,vel -0.4,-0.2,0.3,0.4,0.2,0.9
fi

# A scene for Blender and a USD stage: what is theirs to say, and a picture by Cycles beside our own of the same frame.
alike() { [ "$1" = box ] && echo 0.75 || echo 0.9; } # the box is noisier
check "a second bake, y-up, in centimetres, frames 998-1001" "$billow" bake "$here/flame.yaml" --out "$work/flame"
mv "$out" "$work/box" && ln -s box "$out"
check "a third bake, with sky, embers and a camera that moves" "$billow" bake "$here/studio.yaml" --out "$work/studio"
for scene in box flame studio; do
    check "$scene: billow blender" "$billow" blender "$work/$scene" --scene
    check "$scene: our picture" "$billow" preview "$work/$scene" --frames 1001-1001 --size 120 --out "$work/$scene.png"
    if have blender; then
        check "$scene: Cycles shows what we show" blender -b --factory-startup --python "$here/blender_scene.py" -- \
            "$work/$scene/${scene}_blender.py" 1001 "$work/$scene.png" "$(alike $scene)"
    fi
done
cat >"$work/usd.py" <<'PY'
import os, re, sys
path, grids, head = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
text = open(path).read()
assert text.startswith("#usda 1.0\n(") and text.count("{") == text.count("}"), "no stage"
for line in head:
    assert re.search(r"^    %s$" % re.escape(line), text, re.M), line
assert sorted(re.findall(r'def OpenVDBAsset "(\w+)"', text)) == sorted(grids), "grids"
assert sorted(re.findall(r"rel field:(\w+) = </\w+/volume/(\w+)>", text)) == sorted((g, g) for g in grids), "fields"
samples = re.findall(r"(\d+): @([^@]+)@", text)
assert len(samples) == 4 * len(grids), "samples"
for frame, name in samples:
    assert os.path.exists(os.path.join(os.path.dirname(path), name)) and name.endswith("_%04d.vdb" % int(frame)), name
PY
check "USD: a camera that goes along" test "$(grep -m1 -A5 'matrix4d xformOp:transform.timeSamples' "$work/studio/studio.usda" | grep -c '^ *100[1-4]:')" = 4
check "USD: the sun" grep -q 'def DistantLight "light_1"' "$work/studio/studio.usda"
check "USD: the box, z-up, in metres" python3 "$work/usd.py" "$work/box/box.usda" density,dye,vel 'upAxis = "Z"' \
    'metersPerUnit = 1' 'timeCodesPerSecond = 25' 'startTimeCode = 1001' 'endTimeCode = 1004'
check "USD: the flame, y-up, in centimetres" python3 "$work/usd.py" "$work/flame/flame.usda" \
    density,flame,temperature,vel,solid 'upAxis = "Y"' 'metersPerUnit = 0.01' 'timeCodesPerSecond = 23.976'

# The same stages by readers of USD, which are in npm alone: ./dev test installs them where there is npm.
modules=$here/../../node_modules
if have node && [ -d "$modules/three" ] && [ -d "$modules/tinyusdz" ]; then
    read_usd() { node "$here/usd_read.mjs" "$modules" "$work/$1/$1.usda" "$2"; }
    grids='"grids": ["density", "flame", "solid", "temperature", "vel"]'
    check "USD: studio by three and tinyusdz" read_usd studio "{$grids"', "frames": [1001, 1004], "fps": 24, "unit": 1,
        "up": "Z", "samples": [1001, 1002, 1003, 1004], "lights": 1, "distances": [5, 4.6666667, 4.3333333, 4],
        "moves": {"obstacle_1": [[-0.5, 0, 0.2], [-0.4, 0, 0.2], [-0.3, 0, 0.2], [-0.2, 0, 0.2]]}, "meshes":
        {"obstacle_1": {"triangles": 12, "box": [-0.65, -0.15, 0.05, -0.35, 0.15, 0.35]}, "floor": {"triangles": 2}}}'
    check "USD: flame by three and tinyusdz" read_usd flame "{$grids"', "frames": [998, 1001], "fps": 23.976,
        "unit": 0.01, "up": "Y", "samples": [998, 999, 1000, 1001], "lights": 2, "distances": [], "moves": {}, "meshes":
        {"obstacle_1": {"triangles": 12, "box": [-15, 0, -15, 15, 20, 15]}, "floor": {"triangles": 2}}}'
    cat >"$work/falls.yaml" <<'YAML'
billow: 1
name: falls
domain: {size: [0.6, 0.6, 0.6], voxel: 3 cm, sides: {rest: open}}
time: {fps: 25, frames: 1-3, substeps: 1}
stages:
  - set: {id: smoke, field: density, value: "(x+0.1)^2 + y*y + (z-0.15)^2 < 0.01"}
  - collide: {id: a, wake: always, shape: {box: {center: {keys: {1: [-0.2, 0, 0.1], 3: [-0.1, 0, 0.1]}}, size: [0.1, 0.1, 0.1]}}}
  - collide: {id: b, wake: always, shape: {box: {center: {keys: {1: [0.2, 0, 0.3], 3: [0.2, 0, 0.2]}}, size: [0.1, 0.1, 0.1]}}}
  - body: {shape: {sphere: {center: [0.1, 0.2, 0.5], radius: 4 cm}}}
  - bodies: {}
export:
  - vdb: {up: y, scale: 100}
  - bodies: {}
YAML
    check "a bake with a body" "$billow" bake "$work/falls.yaml" --out "$work/falls"
    check "its stage" "$billow" blender "$work/falls" --scene
    check "USD: bodies in metres in a stage in centimetres" read_usd falls '{"frames": [1, 3], "fps": 25, "unit": 0.01,
        "up": "Y", "samples": [1, 2, 3], "lights": 2, "distances": [], "moves": {"obstacle_1": [[-20, 10, 0], [-15, 10, 0],
        [-10, 10, 0]], "obstacle_2": [[20, 30, 0], [20, 25, 0], [20, 20, 0]]}, "meshes": {"floor": {"triangles": 2},
        "obstacle_1": {"triangles": 12, "box": [-25, 5, -5, -15, 15, 5]}, "obstacle_2": {"triangles": 12, "box":
        [15, 25, -5, 25, 35, 5]}},
        "grids": ["density", "solid"], "bodies": {"body_1": [10, 50, -20]}}'
else
    echo "skipped: three and tinyusdz of npm are not installed" >&2
fi

have blender && check "studio: camera, sky, embers and obstacles as in the movie" blender -b --factory-startup \
    --python-exit-code 1 --python "$here/blender_studio.py" -- "$work/studio/studio_blender.py"

# Smoke alone, into a scene that somebody works on.
for scene in box:1 flame:100; do
    check "${scene%:*}: smoke alone" "$billow" blender "$work/${scene%:*}" --out "$work"
    if have blender; then
        check "${scene%:*}: nothing but smoke comes" blender -b --factory-startup --python-exit-code 1 \
            --python "$here/blender_smoke.py" -- "$work/${scene%:*}_blender.py" "${scene#*:}"
    fi
done

# The add-on, as its .zip installs it.
addon() { # SCRIPT ARGS…
    local script=$1
    shift
    mkdir -p "$work/$script/scripts" && cd "$work/$script" && BLENDER_USER_SCRIPTS="$work/$script/scripts" blender -b \
        --factory-startup --python-exit-code 1 --python "$here/$script.py" -- "$@" \
        "$(dirname "$billow")/../hosts/blender/billow_addon.zip" "$billow"
}
if have blender; then
    check "the add-on: quick effects, motion, stop and resume, refusals" addon addon
    check "the add-on: force fields, particles, weights" addon addon_scene
    swirl() { cd "$work" && "$billow" plugin new swirl && make -C swirl BILLOW="$billow"; }
    check "a plugin of somebody else's" swirl
    export BILLOW_PLUGIN_PATH="$work/swirl"
    check "the add-on: stages of any plugin, what is animated, a folder elsewhere" addon addon_stages
    unset BILLOW_PLUGIN_PATH
    check "the add-on and a scene's script, as 4.2, 5.0 and 6.0 run them" addon addon_later "$work/studio/studio_blender.py"
    check "the add-on: starting points, estimates, Slurm, and words for what is wrong" addon addon_wrong
    check "the shot of ./dev bench shot, small: made, extended, changed" /usr/bin/python3 "$here/../bench/shot.py" "$billow" \
        "$(dirname "$billow")/../hosts/blender/billow_addon.zip" "$work/shot" --cells 12 --frames 8 --samples 1 --only billow
fi

# `scale: 2`: twice as large in metres, at the rate of the preset, in USD and in Blender.
check "larger: a bake" "$billow" bake "$here/box.yaml" --set scale=2 --set time.frames=1001-1003 --set name=large --mute mp4 --mute exr --out "$work/large"
check "larger: billow blender" "$billow" blender "$work/large" --scene
check "USD: twice as large" python3 "$work/usd.py" "$work/large/large.usda" density,dye,vel 'upAxis = "Z"' \
    'metersPerUnit = 1' 'timeCodesPerSecond = 25' 'startTimeCode = 1001' 'endTimeCode = 1004'
if have blender; then
    cat >"$work/twice.py" <<'PY'
import bpy, os, sys
box, large = sys.argv[sys.argv.index("--") + 1:]
sizes = []
for script in box, large:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    exec(compile(open(script).read(), script, "exec"), {"__file__": script, "__name__": "__main__"})
    scene = bpy.context.scene
    volume = [o for o in bpy.data.objects if o.type == "VOLUME"][0]
    volume.data.grids.load()
    bpy.context.view_layer.update()
    corners = [volume.matrix_world @ __import__("mathutils").Vector(c) for c in volume.bound_box]
    sizes.append([max(c[a] for c in corners) - min(c[a] for c in corners) for a in range(3)])
    fps = scene.render.fps / scene.render.fps_base
    if abs(fps - 25) > 1e-4 or abs(scene.unit_settings.scale_length - 1) > 1e-6:
        print("FAIL", script, fps, scene.unit_settings.scale_length, flush=True)
        os._exit(1)
good = all(abs(b / a - 2) < 1e-3 for a, b in zip(*sizes))
print("OK" if good else "FAIL", sizes, flush=True)
os._exit(0 if good else 1)
PY
    check "Blender: twice as large, at 25 frames a second" blender -b --factory-startup --python "$work/twice.py" -- \
        "$work/box/box_blender.py" "$work/large/large_blender.py"
fi

# Bodies: scenes in metres, z up; in centimetres, y up; in inches, z up.
moving() {
    cat >"$work/$1.yaml" <<YAML
billow: 1
name: $1
scale: ${3:-1}
domain: {cells: [16, 16, 16], voxel: 10 cm}
time: {fps: 30, frames: 1001-1009, substeps: 3}
stages:
  - body: {id: ball, shape: {sphere: {center: [-1, 0.25, 0.5], radius: 20 cm}}, velocity: [0.5, 0, 0.25], spin: [1, 2, 3]}
  - body: {id: turns, shape: {box: {center: [0, 0.5, 1], size: [0.2, 0.4, 0.6], rotate: [0, 0, 30 deg]}}, velocity: [0, -1, 0.5], spin: [0, 0, 2]}
  - body: {id: tumbles, shape: {box: {center: [1, -0.5, 1.5], size: [0.8, 0.3, 0.1], rotate: [20 deg, 40 deg, 70 deg]}}, spin: [1, -2, 0.5]}
  - bodies: {gravity: [0, 0, 0], ground: no}
export:
  - bodies: {$2}
YAML
    "$billow" bake "$work/$1.yaml" --out "$work/$1" && python3 "$here/motion.py" "$work/$1/bodies/$1.csv" "$work/$1/bodies/$1.usda" "${3:-1}"
}
check "bodies: a scene in metres, z up" moving metres ""
check "bodies: a scene in centimetres, y up" moving centimetres "up: y, scale: 100"
check "bodies: a scene in inches, z up" moving inches "scale: 39.37007874015748"
check "bodies: nine times as large" moving nine "up: y, scale: 100" 9
check "and as slow" grep -q '^    framesPerSecond = 30$' "$work/nine/bodies/nine.usda"

# Pictures and movie.
if have identify; then
    check "PNG: another decoder, 16 bits" sh -c "identify -verbose '$out/png/box_1001.png' | grep -qE '16-bit|Depth: 16'"
elif have python3; then
    check "PNG: 16 bits" /usr/bin/python3 -c "
import sys, zlib, struct
d = open('$out/png/box_1001.png', 'rb').read()
assert d[:8] == b'\x89PNG\r\n\x1a\n' and d[24] == 16"
fi
if have blender; then
    cat >"$work/shot.py" <<'PY'
import bpy, os
camera, rig = bpy.data.objects["Camera"], bpy.data.objects.new("rig", None)
bpy.context.scene.collection.objects.link(rig)
camera.parent = rig
camera.location, camera.rotation_euler, camera.data.lens = (0.3, -2, 0.8), (1.2, 0.1, 0.2), 30
for frame, turn in (1000, 0), (1004, 0.8):
    rig.rotation_euler[2] = turn
    rig.keyframe_insert("rotation_euler", frame=frame)
scene = bpy.context.scene
scene.frame_start, scene.frame_end = 1000, 1004
bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath("shot.blend"))
PY
    cat >"$work/shot_same.py" <<'PY'
import bpy, sys
bpy.context.scene.frame_set(1001)
wanted = bpy.context.scene.camera.matrix_world.copy(), bpy.context.scene.camera.data.angle
sys.argv = ["scene"]
exec(compile(open("seen/box_blender.py").read(), "box_blender.py", "exec"), {"__name__": "__main__", "__file__": "seen/box_blender.py"})
camera = bpy.context.scene.camera
found = camera.matrix_world.copy(), camera.data.angle
far = max(abs(wanted[0][i][j] - found[0][i][j]) for i in range(3) for j in range(4))
assert far < 1e-4 and abs(wanted[1] - found[1]) < 1e-4, (wanted, found)
PY
    shot() {
        cd "$work" && blender -b --factory-startup --python-exit-code 1 -P shot.py &&
            blender -b shot.blend --python-exit-code 1 -P "$here/../../hosts/scenes/write_camera.py" -- shot.yaml &&
            "$billow" bake "$here/box.yaml" --set camera.file=shot.yaml --set export.mp4.width=320 --frames 1001-1001 --out seen &&
            "$billow" blender seen --scene && blender -b shot.blend --python-exit-code 1 -P shot_same.py
    }
    check "Blender's camera, there and back" shot
    check "EXR: linear light with alpha" blender -b --factory-startup --python "$here/blender_exr.py" -- "$out/exr/box_1001.exr"
fi
if have ffprobe; then
    probed() { ffprobe -v error -count_frames -show_streams "$out/box.mp4" | grep -qE -- "$1"; }
    check "MP4: H.264" probed 'codec_name=h264'
    check "MP4: yuv420p" probed 'pix_fmt=yuv420p'
    check "MP4: 25 frames a second" probed 'r_frame_rate=25/1'
    check "MP4: four frames" probed 'nb_read_frames=4'
    check "MP4: the index comes first" sh -c "head -c 64 '$out/box.mp4' | grep -aq moov"
    check "MP4: decodes cleanly" sh -c "test -z \"\$(ffmpeg -v error -i '$out/box.mp4' -f null - 2>&1)\""
fi
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ] && [ "$passed" -gt 2 ]
