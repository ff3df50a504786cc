#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""volumes.py BILLOW [CASE…]: VDB files of other programs. Each is written here by OpenVDB's own Python module, or lies
beside this script where that cannot write it, and what Billow makes of it is read by that module again: amounts and
places, the sentences, the exit code. The last line is "N passed, N failed"."""
import os
import shutil
import subprocess
import sys
import tempfile

import numpy
import pyopenvdb as vdb

import given
from given import BALL, Nothing, Run, Seen, air, bake, ball, block, check, grid, linear, near, played, read, write

HERE = os.path.dirname(os.path.realpath(__file__))


# ---- transforms ----

def frustums():
    box = dict(xyzMin=(0, 0, 0), xyzMax=(23, 23, 23))
    for what, transform in {
            "a camera's": vdb.createFrustumTransform(taper=.7, depth=1.0, voxelSize=1.0, **box),
            "a wide one": vdb.createFrustumTransform(taper=.4, depth=1.6, voxelSize=.8, **box)}.items():
        middle = transform.indexToWorld((12, 11, 13))
        smoke = ball(middle=middle, radius=.25, transform=transform, voxel=.1)
        write("frustum/s_0001.vdb", smoke)
        origin = tuple(round(m - .6, 3) for m in middle)
        run = bake("load: {path: frustum/s_0001.vdb, field: density}", (30, 30, 30), origin)
        right = grid("out/vdb/t_0001.vdb")
        check(f"{what}: load", run.code == 0 and near(right.amount, .0655, .1) and right.at(*middle, within=.03), run.said, right)
        run = bake("emit: {shape: {vdb: {file: frustum/s_0001.vdb}}, density: 1}", (30, 30, 30), origin)
        seen = grid("out/vdb/t_0001.vdb")
        check(f"{what}: emit", near(seen.amount, right.amount, .02) and seen.at(*right.middle), run.said, seen, right)
        for f in (1, 2):
            write(f"cam/s_000{f}.vdb", smoke, block("vel", (2, 2, 2), (21, 21, 21), (.01, 0.0, 0.0), transform, vdb.Vec3SGrid))
        for command in ("retime", "upres"):
            files, run = played("cam", command=command)
            seen = grid(files[0]) if files else Nothing()
            check(f"{what}: {command}", run.code == 0 and near(seen.amount, right.amount, .03)
                  and seen.at(*right.middle, within=.015), run.said, seen, right)


def turned():
    """By quarters, mirrored, sheared, stretched, by 30 degrees: what load, emit, retime and upres make of them."""
    quarter = linear(.05)
    quarter.rotate(numpy.pi / 2, vdb.Axis.X)
    half = linear(.05)
    half.rotate(numpy.pi, vdb.Axis.Z)
    mirrored = vdb.createLinearTransform([[-.05, 0, 0, 0], [0, .05, 0, 0], [0, 0, .05, 0], [0, 0, 0, 1]])
    sheared = vdb.createLinearTransform([[.05, 0, 0, 0], [.02, .05, 0, 0], [0, 0, .05, 0], [0, 0, 0, 1]])
    flat = vdb.createLinearTransform([[.05, 0, 0, 0], [0, .05, 0, 0], [0, 0, .025, 0], [0, 0, 0, 1]])
    thirty = linear(.05)
    thirty.rotate(numpy.pi / 6, vdb.Axis.Z)
    for what, t in {"by 90": quarter, "by 180": half, "mirrored": mirrored, "sheared": sheared, "stretched": flat,
                    "by 30": thirty}.items():
        exact = what in ("by 90", "by 180", "mirrored")
        smoke = ball(middle=(.1, -.05, .5), transform=t)
        own = Seen(smoke)
        det = abs(numpy.linalg.det(numpy.array([[b - a for a, b in zip(t.indexToWorld((0, 0, 0)), t.indexToWorld(e))]
                                                for e in ((1, 0, 0), (0, 1, 0), (0, 0, 1))])))
        amount = own.voxels * det
        centre = t.worldToIndex((.1, -.05, .5))
        lo, hi = (tuple(int(round(c)) + s * 16 for c in centre) for s in (-1, 1))
        for f in (1, 2):
            write(f"turn/s_000{f}.vdb", smoke, block("vel", lo, hi, (0.0, 0.0, .6), t, vdb.Vec3SGrid))
        run = bake("emit: {shape: {vdb: {file: turn/s_0001.vdb}}, density: 1}", origin=(-.8, -.6, -.1))
        seen = grid("out/vdb/t_0001.vdb")
        check(f"{what}: emit", near(seen.amount, amount, .03) and seen.at(.1, -.05, .5, within=.015), run.said, seen, amount)
        for command in ("retime", "upres"):
            files, run = played("turn", command=command)
            seen = grid(files[0]) if files else Nothing()
            flow = grid(files[0], "vel") if files else Nothing()
            check(f"{what}: {command}", run.code == 0 and near(seen.amount, amount, 1e-5 if exact and command == "retime" else .04)
                  and seen.at(.1, -.05, .5, within=.015), run.said, seen, amount)
            check(f"{what}: {command}'s flow", numpy.abs(flow.near((.1, -.05, .5)) - (0, 0, .6)).max() < .06, flow)


# ---- names ----

def twins():
    write("twins/s_0001.vdb", ball(middle=(0, 0, .5)), ball(middle=(1, 0, .5), value=2.0))
    shutil.copy("twins/s_0001.vdb", "twins/s_0002.vdb")
    wide = dict(cells=(70, 30, 30), origin=(-.8, -.6, -.1))
    run = bake("load: {path: 'twins/s_0001.vdb', field: density}", **wide)
    seen = grid("out/vdb/t_0001.vdb")
    check("twins: the first, and a word", near(seen.amount, BALL, .03) and seen.at(0, 0, .5)
          and run.says('twins/s_0001.vdb holds 2 grids called "density"', '"density[1]" is the next'), run.said, seen)
    check("twins: check says so too", bake("load: {path: 'twins/s_0001.vdb', field: density}", command="check", **wide)
          .says('holds 2 grids called "density"'))
    run = bake("load: {path: 'twins/s_0001.vdb', field: density, grid: 'density[1]'}", **wide)
    seen = grid("out/vdb/t_0001.vdb")
    check("twins: the second by its number", near(seen.amount, 2 * BALL, .03) and seen.at(1, 0, .5) and not run.says("called"),
          run.said, seen)
    run = bake("emit: {shape: {vdb: {file: 'twins/s_####.vdb', grid: 'density[1]'}}, density: 1}", **wide)
    check("twins: a shape by its number", grid("out/vdb/t_0001.vdb").at(1, 0, .5, within=.02), run.said)
    run = bake("emit: {shape: {vdb: {file: 'twins/s_####.vdb'}}, density: 1}", **wide)
    check("twins: a shape's word", run.says('"density[1]" is the next'), run.said)
    run = bake("load: {path: 'twins/s_0001.vdb', field: density, grid: 'density[2]'}", **wide)
    check("twins: there is no third", run.code == 3 and run.says('no grid "density[2]"; it holds density, density[1]'), run.said)
    for f in (1, 2):
        write(f"both/s_000{f}.vdb", ball(), ball(middle=(.5, 0, .5), value=3.0), ball(middle=(0, .5, .5), value=5.0),
              air(cells=16))
    files, run = played("both")
    got = read(files[0])[0] if files else {}
    check("twins: retime takes all", run.code == 0 and sorted(got) == ["density", "density[1]", "density[2]", "vel"]
          and near(got["density[2]"].amount, 5 * BALL) and got["density[2]"].at(0, .5, .5), run.said, list(got))
    files, run = played("both", command="upres")
    got = read(files[0])[0] if files else {}
    check("twins: upres takes all", run.code == 0 and "density[1]" in got and near(got["density[1]"].amount, 3 * BALL, .04),
          run.said, list(got))
    run = Run("preview", "both", "--view", "slice", "--size", "48", "--out", "both.mp4")
    check("twins: preview says so", run.code == 0 and run.says('3 grids called "density"'), run.said)
    run = Run("blender", "both")
    check("twins: blender says so", run.code == 0 and run.says('3 grids called "density"'), run.said)
    run = Run("preview", "both", "--view", "slice", "--field", "density[1]", "--size", "48", "--out", "one.mp4")
    check("twins: preview of one of them", run.code == 0 and not run.says("called"), run.said)
    path = os.path.join(HERE, "kinds_of_one_name.vdb")
    run = bake(f"load: {{path: '{path}', field: density, grid: 'density[2]'}}", origin=(-1.4, -.6, -.1))
    seen = grid("out/vdb/t_0001.vdb")
    check("twins of several types: whole numbers", near(seen.amount, 3 * 33 * .05 ** 3, .12) and seen.at(-1, 0, .5), run.said, seen)
    run = bake(f"load: {{path: '{path}', field: density, grid: 'density[1]'}}")
    check("twins of several types: vectors are told", run.code == 3 and run.says("holds vectors"), run.said)


# ---- values ----

def values():
    """As they are: in no unit that a file does not say, weak ones too, half and whole floats."""
    for gain, what in ((1.0, "around one"), (1e-3, "weak"), (2e3, "kelvin, who knows"), (3e-5, "very weak")):
        for f in (1, 2):
            write(f"hot/s_000{f}.vdb", ball(value=gain), ball("temperature", value=gain), ball("heat", value=2 * gain), air())
        for command in ("retime", "upres"):
            files, run = played("hot", command=command)
            for name, scale in (("density", 1), ("temperature", 1), ("heat", 2)):
                seen = grid(files[0], name) if files else Nothing()
                check(f"{what}: {command}'s {name}", run.code == 0 and near(seen.amount, scale * gain * BALL, .04)
                      and near(seen.most, scale * gain, .25), run.said, seen)
        files, run = played("hot")
        check(f"{what}: whole frames are the same", near(grid(files[0], "temperature").amount, gain * BALL, 1e-6))
        check(f"{what}: no kelvin is said", "kelvin" not in vdb.readGridMetadata(files[0], "temperature").metadata)
    bake("load: {path: 'hot/s_0001.vdb', field: temperature, gain: 1e7}", fields="temperature")
    own = grid("out/vdb/t_0001.vdb", "temperature")
    check("a bake of ours is in thousands of kelvin", near(own.amount, 300 * BALL * 1e-3, .05), own)
    for f in (1, 2):
        hot = ball("temperature", value=1.5)
        hot["kelvin"] = 100.0
        write(f"ours/s_000{f}.vdb", ball(), hot, air())
    files, run = played("ours")
    check("what says its kelvin keeps them", near(grid(files[0], "temperature").amount, 1.5 * BALL, 1e-3)
          and vdb.readGridMetadata(files[0], "temperature")["kelvin"] == 100.0, run.said)
    bake("load: {path: 'ours/s_0001.vdb', field: temperature}", fields="temperature")
    own = grid("out/vdb/t_0001.vdb", "temperature")
    check("load takes them so", near(own.amount, 150 * BALL * 1e-3, .05), own)
    for f in (1, 2):
        warm = ball("temperature", value=300.0)
        back = vdb.FloatGrid(293.0)
        back.name, back.transform = "temperature", linear(.05)
        for v in warm.citerOnValues():
            back.fill(v.min, v.max, v.value, True)
        write(f"room/s_000{f}.vdb", ball(), back, air())
    for command in ("retime", "upres"):
        files, run = played("room", command=command)
        exact = command == "retime"
        for path in files:
            seen = vdb.read(path, "temperature")
            warmth = (Seen(seen).amount - 293 * Seen(seen).volume) / 7
            check(f"a background is kept: {command}", run.code == 0 and seen.background == 293.0
                  and near(warmth, BALL, 1e-4 if exact else .02) and near(Seen(seen).most, 300, 1e-5 if exact else .01)
                  and (not exact or seen.activeVoxelCount() == 251), run.said, path, Seen(seen), warmth)
        check(f"a background is kept: {command}'s frames", len(files) == 2, run.said)


# ---- what a file says of itself ----

def said_of_itself():
    column = dict(middle=(.1, 1.0, .2), radius=.25)
    flow = air(value=(0.0, 1.0, 0.0), middle=(.1, 1.0, .2), cells=10)
    marks = {"Houdini": dict(creator="Houdini 20.5.654/GEO_VDBTranslator"), "up_axis: y": dict(up_axis="y"),
             "Y": dict(up_axis="Y", creator="somebody")}
    for what, meta in marks.items():
        for f in (1, 2):
            write(f"up/s_000{f}.vdb", ball(**column), flow, fps=30.0, **meta)
        for command in ("retime", "upres"):
            files, run = played("up", command=command)
            seen, flew = grid(files[0]), grid(files[0], "vel")
            meta_out = read(files[0])[1]
            check(f"{what}: {command} stays y-up", run.code == 0 and meta_out.get("up_axis") == "y"
                  and seen.at(.1, 1.0, .2) and numpy.abs(flew.near((.1, 1, .2)) - (0, 1, 0)).max() < .1, run.said, seen, flew)
            check(f"{what}: {command} keeps 30 frames a second", meta_out.get("fps") == 30.0, meta_out)
    run = bake("load: {path: 'up/s_0001.vdb', field: density}", origin=(-.8, -.6, -.1))
    check("load says that y is up", run.says("was written with y up: `up: y` stands it upright"), run.said)
    run = bake("load: {path: 'up/s_0001.vdb', field: density, up: y}", origin=(-.8, -.8, .4))
    check("load takes it so", grid("out/vdb/t_0001.vdb").at(.1, -.2, 1) and not run.says("upright"), run.said)
    Run("preview", "up", "--frames", "1", "--view", "slice", "--axis", "x", "--size", "64", "--out", "a.png")
    Run("preview", "up_retime", "--frames", "1", "--view", "slice", "--axis", "x", "--size", "64", "--out", "b.png")
    check("preview shows both alike", os.path.exists("a.png") and open("a.png", "rb").read() == open("b.png", "rb").read())
    Run("blender", "up_retime")
    check("blender stands it up", '"up": "y"' in open("up_retime/s_retime_blender.py").read()
          if os.path.exists("up_retime/s_retime_blender.py") else False, os.listdir("up_retime"))
    for f in (1, 2):
        write(f"cm/s_000{f}.vdb", ball(middle=(10, 0, 50), voxel=5, radius=18.9),
              air("velocity", voxel=5, middle=(10, 0, 50), value=(0.0, 0.0, 100.0), cells=9), scale=100.0)
    for command in ("retime", "upres"):
        files, run = played("cm", command=command)
        seen, flew = grid(files[0]), grid(files[0], "velocity")
        check(f"centimetres: {command}", run.code == 0 and read(files[0])[1].get("scale") == 100.0
              and near(seen.amount, 1e6 * BALL, .04) and seen.at(10, 0, 50, within=1) and numpy.abs(flew.near((10, 0, 50)) - (0, 0, 100)).max() < 10,
              run.said, seen, flew)
    run = bake("load: {path: 'cm/s_0001.vdb', field: density}")
    check("load says that it is in centimetres", run.says("with 100 units a metre: `scale: 0.01` reads it in metres"), run.said)
    for half in (False, True):
        for f in (1, 2):
            smoke, flow = ball(value=1 / 3), air()
            smoke.saveFloatAsHalf = flow.saveFloatAsHalf = half
            write(f"half/s_000{f}.vdb", smoke, flow)
        files, run = played("half")
        check("as exact as it was" if not half else "half floats stay so",
              vdb.readGridMetadata(files[0], "density").saveFloatAsHalf == half, run.said)


# ---- where it all is ----

def domains():
    for f in (1, 2):
        write(f"tight/s_000{f}.vdb", ball(), air(cells=2))
        write(f"coarse/s_000{f}.vdb", ball(), air(voxel=.2, cells=3))
        write(f"offset/s_000{f}.vdb", ball(middle=(2, 0, .5)), ball("dust", middle=(-1, .5, 1), voxel=.1),
              air(voxel=.08, cells=4))
    for command in ("retime", "upres"):
        for cache in ("tight", "coarse"):
            files, run = played(cache, command=command)
            for path in files:
                seen = grid(path)
                check(f"{cache}: {command} keeps all smoke", near(seen.amount, BALL, .04), path, seen, run.said)
            check(f"{cache}: {command}'s voxels are the smoke's",
                  near(grid(files[0]).voxel, .05 / (1 if command == "retime" else 2), 1e-5), run.said)
        files, run = played("offset", command=command)
        got = read(files[0])[0] if files else {}
        dust, smoke = got.get("dust", Nothing()), got.get("density", Nothing())
        check(f"smoke beside its flow: {command}", near(smoke.amount, BALL, .04) and smoke.at(2, 0, .5)
              and near(dust.amount, Seen(ball("dust", middle=(-1, .5, 1), voxel=.1)).amount, .08)
              and dust.at(-1, .5, 1, within=.02), run.said, dust, smoke)


# ---- frames ----

def frames_of(movie):
    """How many the movie itself holds."""
    return int(subprocess.run(["ffprobe", "-v", "error", "-count_packets", "-show_entries", "stream=nb_read_packets", "-of",
                               "csv=p=0", movie], capture_output=True, text=True).stdout or 0)


def far_apart():
    """Two voxels whose box has more cells than a number of 64 bits counts: 2^64 are 0."""
    for sides in ((22, 21, 21), (24, 20, 20)):
        smoke = vdb.FloatGrid()
        smoke.name, smoke.transform = "density", linear(.05)
        for at in ((0, 0, 0), tuple(2 ** s - 1 for s in sides)):
            smoke.getAccessor().setValueOn(at, 1.0)
        for f in (1, 2):
            write(f"far/s_000{f}.vdb", smoke, air())
        for stage in ("retime: {fields: [density]}", "upres.match: {fields: [density]}"):
            with open("far.yaml", "w") as out:
                out.write("billow: 1\nname: far\ndomain: {cells: [16, 16, 16], voxel: 5 cm}\nframes_from: far/s_####.vdb\n"
                          f"stages:\n  - {stage}\nexport:\n  - vdb: {{fields: [density]}}\n")
            run = Run("bake", "far.yaml", "--threads", "1", "--force", "--out", "far_out")
            check(f"2^{sides} cells: {stage}", run.code == 7
                  and run.says("out of memory for 1.8446744073709", "cells of the cache"), run.code, run.said)


def gaps():
    for f in (1, 2, 5):
        write(f"gap/s_000{f}.vdb", ball(middle=(.1 * f, 0, .5)), air())
    load = "load: {path: 'gap/s_####.vdb', field: density%s}"
    run = bake(load % "", frames="1-5", command="check")
    check("check says at once what lacks", run.code == 0
          and run.says("preset.yaml:6:5", "gap/s_0003.vdb is missing, and 1 more: the file before stands in"), run.said)
    for stage, what in ((load % "", "load"), ("emit: {shape: {vdb: {file: 'gap/s_####.vdb'}}, density: 1}", "emit")):
        run = bake(stage, frames="1-5")
        held = grid("out/vdb/t_0004.vdb")
        check(f"{what}: held", run.code == 0 and run.says("gap/s_0003.vdb is missing, and 1 more")
              and held.amount > .9 * BALL and held.at(.2, 0, .5, within=.05), run.said, held)
        check(f"{what}: goes on", grid("out/vdb/t_0005.vdb").middle[0] > .3 or what == "emit")
    run = bake(load % ", outside: blank", frames="1-5")
    check("load: blank", run.code == 0 and run.says("nothing stands in") and grid("out/vdb/t_0003.vdb").amount == 0
          and near(grid("out/vdb/t_0005.vdb").amount, BALL, .06), run.said)
    for command in ("check", "bake"):
        run = bake("load: {path: 'gap/s_#.vdb', field: density}", frames="1-5", command=command)
        check(f"{command}: a number of another width", run.code == 6
              and run.says("no file is called", "s_#.vdb with a number as wide as the #; there is s_000"), run.said)
    run = bake("guide: {to: {vdb: {file: 'gap/s_####.vdb'}}}", frames="1-5", command="check")
    check("guide: told", run.says("gap/s_0003.vdb is missing, and 1 more") or run.code == 3, run.said)
    run = Run("preview", "gap", "--view", "slice", "--size", "48", "--out", "gap.mp4")
    check("preview keeps its pace", run.code == 0
          and run.says("5 of 5 frames", "frame 3 is missing, and 1 more: the frame before stands in")
          and frames_of("gap.mp4") == 5, run.said)
    run = Run("preview", "gap", "--view", "slice", "--size", "48", "--out", "gap_####.png")
    check("pictures are of what is there", run.code == 0 and os.path.exists("gap_0005.png")
          and not os.path.exists("gap_0003.png") and run.says("frame 3 is missing, and 1 more"), run.said)
    files, run = played("gap")
    check("retime refuses a gap at once", run.code == 6 and run.says("frame 3 is missing"), run.said)
    for f in (1, 3):
        with open(f"p_{f:02}.csv", "w") as out:
            out.write(f"x,y,z\n{.1 * f},0,0.5\n")
    run = bake("emit: {shape: {points: {file: 'p_##.csv', radius: 10 cm}}, density: 1}", frames="1-3")
    check("points: held", run.code == 0 and run.says("p_02.csv is missing: the file before stands in")
          and grid("out/vdb/t_0002.vdb").amount > 0, run.said)
    for f in (1, 2, 4):
        with open(f"m_{f:03}.obj", "w") as out:
            at = .1 * f - .2
            out.writelines(f"v {at + (c & 1) * .2} {-.1 + (c >> 1 & 1) * .2} {.4 + (c >> 2) * .2}\n" for c in range(8))
            out.write("f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n")
    run = bake("emit: {shape: {mesh: {file: 'm_###.obj'}}, density: 1}", frames="1-4")
    check("meshes: held", run.code == 0 and run.says("m_003.obj is missing: ") and grid("out/vdb/t_0003.vdb").amount > 0, run.said)


def empties():
    """Frames without the grid, the first ones too, without any grid, and with empty ones."""
    shutil.copy(os.path.join(HERE, "empty.vdb"), "none.vdb")
    for f in range(1, 6):
        path = f"late/s_000{f}.vdb"
        if f <= 2:
            os.makedirs("late", exist_ok=True)
            shutil.copy("none.vdb", path)
        elif f == 3:
            write(path, air())
        elif f == 4:
            write(path, ball(), air())
        else:
            write(path, ball(), ball("flame", value=2.0), air())
    run = bake("load: {path: 'late/s_####.vdb', field: density}", frames="1-5")
    check("load: nothing, then something", run.code == 0 and grid("out/vdb/t_0002.vdb").amount == 0
          and grid("out/vdb/t_0003.vdb").amount == 0 and near(grid("out/vdb/t_0004.vdb").amount, BALL, .05), run.said)
    run = bake("load: {path: 'late/s_####.vdb', field: density, grid: smoke}", frames="1-5")
    check("load: a name that no file has", run.code == 3 and run.says('has no grid "smoke"; it holds none at all'), run.said)
    run = bake("emit: {shape: {vdb: {file: 'late/s_####.vdb'}}, density: 1}", frames="1-5")
    check("emit: nothing, then something", run.code == 0 and grid("out/vdb/t_0002.vdb").amount == 0
          and near(grid("out/vdb/t_0004.vdb").amount, BALL, .06), run.said)
    for command in ("retime", "upres"):
        files, run = played("late", command=command)
        amounts = [grid(p).amount for p in files]
        check(f"{command}: nothing, then something", run.code == 0 and len(files) == 5 and max(amounts[:3]) == 0
              and near(amounts[3], BALL, .05) and near(amounts[4], BALL, .05)
              and near(grid(files[4], "flame").amount, 2 * BALL, .05), run.said, amounts)
    files, run = played("late", "--speed", "0.5")
    check("retime: between nothing and something", run.code == 0 and len(files) == 9
          and 0 < grid(files[5]).amount < BALL, run.said)
    run = Run("preview", "late", "--view", "slice", "--field", "density", "--size", "48", "--out", "late.mp4")
    check("preview: nothing, then something", run.code == 0 and run.says("5 of 5 frames"), run.said)
    run = Run("preview", "late", "--view", "render", "--size", "48", "--out", "render.mp4")
    check("preview: renders of it", run.code == 0 and run.says("5 of 5 frames"), run.said)
    run = Run("blender", "late")
    check("blender: its grids", run.code == 0 and '"density": "density"' in open("late/s_blender.py").read()
          if os.path.exists("late/s_blender.py") else False, run.said)
    os.makedirs("nothing")
    for f in (1, 2):
        shutil.copy("none.vdb", f"nothing/s_000{f}.vdb")
    run = Run("retime", "nothing", "--speed", "1")
    check("retime: nothing at all", run.code == 1 and run.says("holds none at all"), run.said)


def files_of_others():
    """No name, a stream, whole numbers and truths, doubles."""
    def loaded(path, name, field="density"):
        return bake(f"load: {{path: '{os.path.join(HERE, path)}', field: {field}, grid: '{name}'}}")

    small = 33 * .05 ** 3  # voxels of the balls that lie beside this script
    for path, name, amount in (("no_name.vdb", "unnamed", small), ("no_name.vdb", "unnamed[1]", 2 * small),
                               ("stream.vdb", "density", small), ("stream.vdb", "truth", small),
                               ("whole.vdb", "count", 3 * small), ("whole.vdb", "id", 7 * small),
                               ("whole.vdb", "truth", small), ("whole.vdb", "exact", .5 * small)):
        run = loaded(path, name)
        seen = grid("out/vdb/t_0001.vdb")
        check(f"{path}: {name}", run.code == 0 and near(seen.amount, amount, .12) and seen.at(0, 0, .5), run.said, seen)
    for f in (1, 2):
        os.makedirs("stream", exist_ok=True)
        shutil.copy(os.path.join(HERE, "stream.vdb"), f"stream/s_000{f}.vdb")
    files, run = played("stream")
    check("retime of streams", run.code == 0 and near(grid(files[0]).amount, small, .01), run.said)
    data = open(os.path.join(HERE, "stream.vdb"), "rb").read()
    for n in (30, 200, len(data) // 2, len(data) - 1):
        open("cut.vdb", "wb").write(data[:n])
        run = Run("info", "cut.vdb")
        check(f"a stream that ends at byte {n}", run.code == 6 and run.says("cannot read cut.vdb: byte"), run.said)
    run = Run("info", os.path.join(HERE, "stream_of_masks.vdb"))
    check("a stream with what is not known", run.code == 6 and run.says("written as a stream", "can't be stepped over"), run.said)


def flows():
    """Of other names, in three grids, on faces."""
    def three(names, *on_faces):
        out = []
        for c, name in enumerate(names):
            t = linear(.05)
            t.translate(tuple(-.025 * (a == c) * (len(on_faces) > 0) for a in range(3)))
            out.append(block(name, (-10, -10, 0), (10, 10, 20), (.5, -1.0, 2.0)[c], t))
        return out

    sets = {"vel.x": three(["vel.x", "vel.y", "vel.z"]), "VEL.X": three(["VEL.X", "VEL.Y", "VEL.Z"]),
            "on faces": three(["vel.x", "vel.y", "vel.z"], 1), "velocity_x": three(["velocity_x", "velocity_y", "velocity_z"]),
            "vx": three(["vx", "vy", "vz"]), "Velocity": [air("Velocity", value=(.5, -1.0, 2.0))]}
    for what, grids in sets.items():
        for f in (1, 2):
            write(f"flow/s_000{f}.vdb", ball(), *grids)
        for command in ("retime", "upres"):
            files, run = played("flow", command=command)
            got = read(files[0])[0] if files else {}
            flew = [g for n, g in got.items() if n != "density"]
            check(f"{what}: {command}", run.code == 0 and len(flew) == 1 and near(got["density"].amount, BALL, .05)
                  and numpy.abs(flew[0].near((0, 0, .5)) - (.5, -1, 2)).max() < .2, run.said, list(got), *flew)
    for f in (1, 2):
        write(f"wind/s_000{f}.vdb", ball(), air("wind", value=(1.0, 0.0, 0.0)), *three(["gust.x", "gust.y", "gust.z"]))
    files, run = played("wind")
    check("another name is asked for", run.code == 1 and run.says("no grid vel (velocity, v) of vectors", "--flow NAME"), run.said)
    surface = ball("surface")
    surface.gridClass = vdb.GridClass.LEVEL_SET
    write("wind/s_0003.vdb", ball(), surface, air("wind"), air("velocity"))
    files, run = played("wind", "--flow", "wind")
    check("what is left out is told", run.code == 0 and sorted(read(files[2])[0]) == ["density", "wind"]
          and run.says('grid "velocity" is left out: there is one flow', 'grid "surface" is left out: a level set'), run.said)
    os.remove("wind/s_0003.vdb")
    for name, mean in (("wind", (1, 0, 0)), ("gust", (.5, -1, 2)), ("WIND", (1, 0, 0))):
        files, run = played("wind", "--flow", name)
        flew = grid(files[0], name.lower()) if files else Nothing()
        check(f"--flow {name}", run.code == 0 and numpy.abs(flew.mean - mean).max() < .1, run.said, flew)
    run = Run("retime", "wind", "--flow", "breeze", "--speed", "1")
    check("a flow that is not there", run.code == 1 and run.says('no grid of vectors called "breeze"'), run.said)
    run = bake("load: {path: 'flow/s_0001.vdb', field: vel, grid: Velocity}", fields="vel")
    check("load of a flow", run.code == 0, run.said)
    write("three.vdb", ball(), *three(["vel.x", "vel.y", "vel.z"], 1))
    run = bake("load: {path: three.vdb, field: vel}", fields="vel, density")
    run = Run("preview", "three.vdb", "--view", "slice", "--field", "vel", "--size", "48", "--out", "three.png")
    check("preview shows it", run.code == 0 and os.path.getsize("three.png") > 100, run.said)
    run = bake("set: {field: density, value: 1}\n  - mac.advect: {}\n  - guide: {to: {vdb: {file: three.vdb}}, weight: 1000}\n"
               "  - mac.project: {}", fields="vel", frames="1-2")
    seen = grid("out/vdb/t_0002.vdb", "vel")
    check("guide follows it", run.code == 0 and seen.near((0, 0, .5))[2] > .3, run.said, seen)
    run = Run("check", "three.vdb", "--for", "arnold")
    check("three grids are slow there", run.code == 1 and run.says("vel.x is a third of a vector"), run.said)
    run = Run("convert", "three.vdb", "--for", "arnold", "--out", "one")
    got = read("one/three.vdb")[0] if run.code == 0 else {}
    check("convert joins them", sorted(got) == ["density", "vel"]
          and numpy.abs(grid("one/three.vdb", "vel").near((0, 0, .5)) - (.5, -1, 2)).max() < .05, run.said, list(got))
    check("which Arnold wants", Run("check", "one/three.vdb", "--for", "arnold").code == 0)
    run = Run("info", "three.vdb")
    check("info shows what is in the file", run.says("vel.x", "4 grids"), run.said)


def too_large():
    """Blender's viewport stops at 4 GB: a file with a hole behind its grids is as large."""
    write("large/s_0001.vdb", ball())
    os.truncate("large/s_0001.vdb", 4100000000)
    run = Run("check", "large", "--for", "blender")
    check("a proxy is advised", run.code == 0 and run.says("has 4.1 GB", "convert large --for blender --proxy"), run.said)
    run = Run("convert", "large", "--for", "blender", "--proxy")
    seen = grid("large_blender_proxy/s_0001.vdb") if run.code == 0 else Nothing()
    check("and made", near(seen.amount, BALL, .01) and seen.at(*Seen(ball()).middle, within=.005), run.said, seen)
    check("which is small", os.path.getsize("large_blender_proxy/s_0001.vdb") < 1e6)


FLOW = """billow: 1
name: flow
domain: {size: [0.68, 0.6, 0.92], voxel: 4 cm, sides: {bottom: closed, rest: open}}
time: {fps: 24, frames: 1-3}
stages:
  - mac.advect: {}
  - emit: {shape: {sphere: {center: [0, 0, 0.3], radius: 14 cm}}, falloff: 6 cm, density: 1, temperature: 300}
  - mac.forces: {buoyancy: 2}
  - mac.project: {}
export:
  - vdb: {precision: float}
"""


def coarse_flows():
    """Velocities on every second voxel: each is the mean of eight, in their middle, and everybody reads them."""
    with open("flow.yaml", "w") as out:
        out.write(FLOW)
    fine, run = Run("bake", "flow.yaml", "--out", "fine"), Run("bake", "flow.yaml", "--out", "coarse", "--set",
                                                               "export.vdb.velocity=coarse")
    check("both bakes", fine.code == 0 and run.code == 0, run.said)
    whole, half = (vdb.read(f"{folder}/vdb/flow_0003.vdb", "vel") for folder in ("fine", "coarse"))
    cells, seen = whole.getConstAccessor(), 0
    for v in half.iterOnValues():
        eight = [tuple(2 * c + (n >> a & 1) for a, c in enumerate(v.min)) for n in range(8)]
        if all(cells.isValueOn(c) for c in eight):
            seen += 1
            mean = numpy.mean([cells.getValue(c) for c in eight], 0)
            middle = numpy.mean([whole.transform.indexToWorld(c) for c in eight], 0)
            if numpy.abs(mean - v.value).max() > 2e-6 or numpy.abs(half.transform.indexToWorld(v.min) - middle).max() > 1e-9:
                check("the mean of eight", False, v.min, v.value, mean)
    check("voxels that are compared", seen > 200, seen)
    check("an eighth of them", whole.activeVoxelCount() / 10 < half.activeVoxelCount() < whole.activeVoxelCount() / 4)
    run = Run("check", "coarse", "--for", "blender")
    check("no complaint", run.code == 0 and not run.says("note"), run.said)
    for command in ("retime", "upres"):
        files, run = played("coarse/vdb", command=command)
        check(f"{command} reads them", run.code == 0 and len(files) > 1, run.said)
    check("preview, too", Run("preview", "coarse/vdb", "--size", "48", "--out", "c.png").code == 0)


CASES = [too_large, coarse_flows, frustums, turned, twins, values, said_of_itself, domains, far_apart, gaps, empties, files_of_others, flows]

if __name__ == "__main__":
    work = tempfile.mkdtemp()
    os.environ.update(XDG_DATA_HOME=work + "/home", BILLOW_PLUGIN_PATH="")
    try:
        for case in [globals()[a] for a in sys.argv[2:]] or CASES:
            os.makedirs(os.path.join(work, case.__name__))
            os.chdir(os.path.join(work, case.__name__))
            case()
    finally:
        os.chdir("/")
        shutil.rmtree(work)
    print(f"{given.passed} passed, {given.failed} failed")
    sys.exit(given.failed > 0)
