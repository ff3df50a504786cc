#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One bake by several processes under Open MPI.

ranks.py BILLOW MODULE WORK     what is wrong ends it with a sentence; where MPI is not, it says so and is skipped (77)

MODULE: the folder that the module for MPI would be built in."""

import filecmp
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import time

SKIPPED = 77
HEAD = """billow: 1
name: puff
domain: {size: [1.2 m, 1.2 m, 1.2 m], voxel: 2.5 cm, sides: {bottom: closed, rest: open}}
time: {fps: 24, frames: 1-%d, cfl: 4, seed: 3}
checkpoints: {frames: 3, keep: 2}
stages:
"""
SOURCE = """  - emit: {id: source, mode: max, shape: {sphere: {center: [0, 0, 0.1], radius: 25 cm}}, density: 1, temperature: 150}
"""
FLOW = """  - mac.advect: {}
""" + SOURCE + """  - mac.forces: {buoyancy: 1, confinement: 0.25}
  - dissipate: {density: 0.5 1/s}
  - mac.project: {}
  - stats: {fields: [density, vel]}
export:
  - vdb: {}
"""
BALL = """  - collide: {shape: {sphere: {center: {keys: {1: [0, 0, 0.4], 6: [0.1, 0.05, 0.45]}}, radius: 12 cm}}}
"""
THICK = """  - mac.diffuse: {viscosity: 1e-3, temperature: 1e-3}
"""
# `unruly`, of a plugin of the tests', says nothing of ranks: each does all of it
WHOLE = """  - unruly: {}
"""
# large scales of the near flow follow the wide one's and, without a filter, a shape of it does; that of the wide
# domain lies in other tiles than the near one's, of other ranks
GUIDED = """  - guide: {id: large, domain: near, from: wide, weight: 20, size: 12 cm}
  - guide: {id: inside, domain: near, from: wide, weight: 20, shape: {sphere: {center: [0.1, 0, 0.3], radius: 25 cm}}}
  - guide: {id: wind, domain: wide, to: {constant: {velocity: [0.4, 0, 0.5]}}, weight: 4, size: 25 cm}
"""
# gas that moves of itself round a box that does; `hole` is no gas where it is more than nothing
GAS = """billow: 1
name: gas
domain: {size: [2.4 m, 2.4 m, 2.4 m], voxel: 5 cm, sides: {bottom: closed, rest: open}}
time: {fps: 24, frames: 1-3, seed: 3}
fields: {flame: {kind: scalar, advect: true}}
stages:
  - emit: {id: charge, mode: max, frames: 1-1, mass: 5, energy: 5000, density: 2, flame: 14,
           shape: {sphere: {center: [-0.3, 0, 0.6], radius: 45 cm}}}
  - set: {id: layer, field: flame, mode: add, value: "2*excess + x", box: {lo: [-0.6, -0.6, 0], hi: [0.6, 0.6, 0.4]}}
  - set: {id: hole, field: mass, mode: add, value: 0, box: {lo: [-0.5, -0.1, 0.1], hi: [0.6, 0.4, 0.4]}}
  - collide: {shape: {box: {center: {keys: {1: [0.5, 0.1, 0.3], 3: [0.4, 0.1, 0.3]}}, size: [0.3, 0.5, 0.6]}}}
  - flux: {sound_speed: 7 m/s, bind: {density: excess}}
export:
  - vdb: {fields: [mass, energy, flame, excess, vel]}
"""
# vortons are on every rank, each finds the flow at a share of them and of the tracers
RINGS = """billow: 1
name: rings
domain: {size: [1.5 m, 1.2 m, 1.2 m], voxel: 5 cm, sides: {rest: open}}
time: {fps: 24, frames: 1-3, seed: 3}
stages:
  - vorton.emit:
      source: {ring: {center: [-0.3, 0, 0.6], axis: [1, 0, 0], radius: 26 cm, core: 3 cm, circulation: 0.6, layers: 2}}
  - tracers: {shape: {torus: {center: [-0.3, 0, 0.6], axis: [1, 0, 0], radius: 26 cm, thickness: 6 cm}}, count: 3000}
  - vorton.velocity: {method: fast}
  - vorton.stretch: {}
  - vorton.advect: {}
  - to_grid: {velocity: vel}
export:
  - vdb: {fields: [density, vel]}
  - ply: {particles: tracers}
"""
# particles of each rank see fields near its own tiles alone
EMBERS = HEAD % 3 + """  - body: {shape: {sphere: {center: [0.1, 0, 0.7], radius: 12 cm}}, velocity: [0, 0, -1]}
  - bodies: {}
  - body.solid: {}
  - mac.advect: {}
""" + SOURCE + """  - debris: {shape: {sphere: {center: [0, 0, 0.3], radius: 10 cm}}, count: 30, every: 60 ms, speed: 4 m/s, density: 1,
             temperature: 900 1/s, inherit_velocity: 0.2, noise: {amount: 1}}
  - fire: {}
  - mac.forces: {buoyancy: 1, confinement: 0.25}
  - mac.project: {}
  - vorton.emit: {source: {ring: {center: [0, 0, 0.5], radius: 20 cm, core: 5 cm, circulation: 0.4, layers: 1}}}
  - vorton.confine: {rate: 2}
  - vorton.advect: {flow: [vel]}
  - probe: {points: [{name: here, at: [0.1, 0.1, 0.3]}], fields: [density, vel]}
  - fire.embers: {}
  - tracers: {shape: {sphere: {center: [0, 0, 0.3], radius: 20 cm}}, count: 3000, flow: [vel]}
export:
  - vdb: {for: blender, velocity: coarse, precision: {density: 1/255, vel: 1 cm/s}}
  - ply: {id: of_embers, particles: embers}
  - ply: {id: of_debris, particles: debris}
  - ply: {id: of_tracers, particles: tracers}
"""
# a level whose x axis leads round inside a tile: its multigrid is not partitioned
LEVEL = """billow: 1
name: level
domain: {cells: [40, 40, 48], voxel: 5 cm, sides: {%s, rest: closed}}
time: {fps: 24, frames: 1-3}
stages:
  - collide: {shape: {sphere: {center: {keys: {1: [0, 0, 0.7], 3: [0.2, 0, 0.7]}}, radius: 35 cm}}}
  - emit: {id: in, shape: {sphere: {center: [0.6, 0, 0.4], radius: 20 cm}}, mode: set, divergence: 3, density: 1}
  - emit: {id: out, shape: {sphere: {center: [-0.6, 0, 0.9], radius: 20 cm}}, mode: set, divergence: -3}
  - potential: {balance: spread}
  - mac.advect: {only: [density]}
export:
  - vdb: {fields: [density, vel, potential]}
"""
# the wide domain takes the near one's means, the near one what is large and its rim of the wide one
NESTED = """billow: 1
name: nested
domains:
  wide: {size: [1.6 m, 1.6 m, 1.6 m], voxel: 2.5 cm, sides: {bottom: closed, rest: open}}
  near: {size: [1 m, 1 m, 0.9 m], voxel: 1.25 cm, sides: {bottom: closed, rest: open}}
time: {fps: 24, frames: 1-2, cfl: 4, seed: 3}
stages:
  - mac.advect: {id: wide.advect, domain: wide}
  - mac.forces: {id: wide.forces, domain: wide}
  - mac.advect: {id: near.advect, domain: near}
  - emit: {domain: near, mode: max, density: 1, temperature: 300,
           shape: {sphere: {center: [0.1, 0, 0.2], radius: 25 cm}}}
  - mac.forces: {id: near.forces, domain: near}
  - transfer: {id: up, domain: wide, from: near, fields: [density, temperature, vel]}
  - mac.project: {id: wide.project, domain: wide}
  - transfer: {id: back, domain: near, from: wide, mode: large, fields: [vel]}
  - transfer: {id: rim, domain: near, from: wide, region: rim, blend: 6, fields: [density, temperature, vel]}
  - mac.project: {id: near.project, domain: near}
export:
  - vdb: {id: wide.vdb, domain: wide}
  - vdb: {id: near.vdb, domain: near, blend: wide, edge: 6}
"""
# velocity is written far beyond its tiles: from what these and their rims hold of faces outside of them
WIDE = HEAD.replace("1.2 m, 1.2 m, 1.2 m", "2.4 m, 2.4 m, 2.4 m") + FLOW.replace("vdb: {}", "vdb: {velocity_pad: 64}")
GUIDED = NESTED.replace("  - mac.project: {id: near.project", GUIDED + "  - mac.project: {id: near.project")
# no value in the last rank's tiles alone
NOWHERE = HEAD % 2 + """  - set: {field: density, value: "sqrt(1.25 - x - y - z)"}
""" + FLOW
# traces of 40 cells and more, past what any halo holds: ranks fetch what they lack, and the sweep runs again
FAST = (HEAD % 3).replace("cfl: 4", "substeps: 1") + FLOW.replace(
    "mac.advect: {}", "mac.advect: {scheme: maccormack}").replace("150", "150, velocity: [12, 0, 40]")
PRESETS = {"fast": FAST, "nowhere": NOWHERE,
           "smoke": HEAD % 4 + FLOW, "ball": HEAD % 4 + BALL + THICK + FLOW, "whole": HEAD % 3 + WHOLE + FLOW,
           "long": HEAD % 16 + FLOW, "gas": GAS, "rings": RINGS, "wide": WIDE % 2,
           "level": LEVEL % "x-: closed", "round": LEVEL % "x-: periodic, x+: periodic",
           "embers": EMBERS.replace("density: 1, temperature: 150", "fuel: 0.9, temperature: 1500"),
           "nested": NESTED, "guided": GUIDED, "willful": WIDE.replace("  - stats", "  - willful: {}\n  - stats") % 2}


class Ranks:
    def __init__(self, billow, work):
        self.billow, self.work = billow, pathlib.Path(work)
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        for name, text in PRESETS.items():
            (self.work / f"{name}.yaml").write_text(text)
        self.unruly = ["--plugin-path", str(pathlib.Path(billow).resolve().parents[1] / "tests" / "unruly")]
        self.env = dict(os.environ, OMPI_MCA_btl="self,vader", OMPI_MCA_rmaps_base_oversubscribe="1")

    def command(self, name, out, n, *more):
        run = [self.billow, "bake", str(self.work / f"{name}.yaml"), "--out", str(self.work / out), "--threads", "1"]
        return self.mpi(n) + run + list(more)

    @staticmethod
    def mpi(n):
        return ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(n)] if n else []

    def bake(self, name, out, n, *more):
        return subprocess.run(self.command(name, out, n, *more), env=self.env, capture_output=True, text=True,
                              timeout=300)

    def good(self, name, out, n, *more):
        r = self.bake(name, out, n, *more)
        assert r.returncode == 0, f"{name} on {n} ranks: {r.returncode}\n{r.stderr}"

    def same(self, one, other):
        files = [str(p.relative_to(self.work / one)) for p in sorted((self.work / one).glob("*/*_*.[vp][dl][by]"))]
        assert files, f"{one} wrote nothing"
        for name in files + ["metrics.csv"]:
            assert filecmp.cmp(self.work / one / name, self.work / other / name, False), f"{other}/{name} differs"

    def sent(self, out):
        head, *rows = [line.split(",") for line in (self.work / out / "timings.csv").read_text().splitlines()]
        return sum(int(float(row[head.index("ranks.bytes")])) for row in rows)


def bytes_are_the_same(r):
    ranks_of = {"smoke": (4,), "ball": (2, 3), "whole": (2,), "gas": (3,), "rings": (3,), "wide": (3,), "fast": (3,),
                "embers": (3,), "level": (3,), "round": (2,), "nested": (3,), "guided": (4,)}
    for name, ranks in ranks_of.items():
        r.good(name, f"{name}_1", 0, *r.unruly)
        if name == "fast":
            head, *rows = [x.split(",") for x in (r.work / "fast_1/metrics.csv").read_text().splitlines()]
            assert float(rows[-1][head.index("mac.advect.long_traces")]) > 0, "no trace is long"
        for n in ranks:
            r.good(name, f"{name}_{n}", n, *r.unruly)
            r.same(f"{name}_1", f"{name}_{n}")
            assert r.sent(f"{name}_{n}") > 5000, f"{name}: {n} ranks had nothing to tell each other"


def caches_made_anew_are_the_same(r):
    """upres, retime: what they take from a finished cache each rank reads, and carries on its own tiles."""
    for name, words in (("upres", []), ("retime", ["--speed", "0.4"])):
        for n in (0, 3):
            made = subprocess.run(r.mpi(n) + [r.billow, name, str(r.work / "smoke_1"), *words, "--mute", "mp4", "--out",
                                              str(r.work / f"{name}_{n}")], env=r.env, capture_output=True, text=True,
                                  timeout=300)
            assert made.returncode == 0, f"{name} on {n} ranks: {made.returncode}\n{made.stderr}"
            assert "not distributed" not in made.stderr, made.stderr
        r.same(f"{name}_0", f"{name}_3")
        assert r.sent(f"{name}_3") > 5000, f"{name}: ranks had nothing to tell each other"


# runs a rank and notes its largest resident memory
MEASURE = """import os, resource, subprocess, sys
code = subprocess.run(sys.argv[2:]).returncode
rank = os.environ.get("OMPI_COMM_WORLD_RANK", "0")
open(f"{sys.argv[1]}.{rank}", "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)"""


def peaks(r, name, n, *more):
    """KiB beyond what an almost empty box takes."""
    found = []
    env = {k: v for k, v in r.env.items() if k != "MALLOC_PERTURB_"}  # which writes to all that is taken
    for size in ("[0.3, 0.3, 0.3]", "[2.2, 2.2, 1.6]"):
        a = r.command(name, f"measured_{n}", n, "--force", "--set", f"domain.size={size}",
                      "--set", "domain.voxel=1.25 cm", "--set", "stages.source.shape.sphere.radius=70 cm",
                      "--frames", "1-2", *more)
        at = a.index(r.billow)
        notes = r.work / f"peak_{n}"
        subprocess.run(a[:at] + [sys.executable, "-c", MEASURE, str(notes)] + a[at:], env=env, check=True,
                       capture_output=True, timeout=300)
        found.append([int((r.work / f"peak_{n}.{i}").read_text()) for i in range(max(n, 1))])
    return [b - a for a, b in zip(*found)]


def memory_falls(r):
    """What others hold is their share, what the first holds besides is a slab of a field. These bounds are far from
    what is reached (docs/scaling.md), for a box as small as this; large enough that the multigrid's level 1 is dealt
    out, and in tiles from an odd one on, so that it is cut elsewhere than level 0."""
    alone, = peaks(r, "ball", 0)
    first, *others = peaks(r, "ball", 3)
    print(f"  {alone} KiB alone, {first} the first of 3, {others} the others")
    assert max(first, *others) < 0.55 * alone, (alone, first, others)
    r.same("measured_0", "measured_3")


def other_build(r):
    """A folder with the flow's plugin as another build would have it: one byte longer."""
    found = [p for p in pathlib.Path(r.billow).resolve().parents[1].glob("plugins/mac/mac.so")]
    folder = r.work / "other"
    folder.mkdir()
    (folder / "mac.so").write_bytes(found[0].read_bytes() + b"\0")
    return ["--plugin-path", str(folder)]


def what_does_not_fit_is_refused(r):
    for more, words in ((["--seed", "9"], "rank 1 has another preset"),
                        (["--simd", "baseline"], "rank 1 has another instruction set"),
                        (other_build(r), "rank 1 has another build")):
        a = r.command("smoke", "refused", 1)
        p = subprocess.run(a + [":", "-n", "1"] + a[a.index(r.billow):] + more, env=r.env, capture_output=True,
                           text=True, timeout=60)
        assert words in p.stderr and p.returncode == 2, (more, p.returncode, p.stderr)
    p = r.bake("smoke", "refused", 3, "--set", "domain.size=[0.3, 0.3, 0.3]")
    assert "3 ranks for 1 tiles" in p.stderr and p.returncode == 2, p.stderr
    for words, what in ((["--view"], "--view"), (["--on", "slurm"], "--on")):
        p = r.bake("smoke", "refused", 2, *words)
        assert f"{what} is for one process, not for 2" in p.stderr and p.returncode == 2, p.stderr
    p = subprocess.run(r.mpi(3) + [r.billow, "wedge", str(r.work / "smoke.yaml"), "--vary", "time.seed=1,2", "--out",
                                   str(r.work / "members")], env=r.env, capture_output=True, text=True, timeout=60)
    assert p.stderr.count("wedge is for one process, not for 3") == 1 and p.returncode == 2, p.stderr
    assert not (r.work / "members").exists()
    p = r.bake("smoke", "refused", 3, "--memory", "20M")
    assert r.bake("smoke", "refused", 0, "--memory", "20M").returncode == p.returncode == 7, p.returncode
    assert p.stderr.count("the limit is 20") == 1, p.stderr
    a = [os.path.realpath(r.billow), "bake", "ball.yaml"]  # where one of two has no such file
    p = subprocess.run(r.mpi(1) + ["-wdir", str(r.work)] + a + [":", "-n", "1", "-wdir", "/"] + a, env=r.env,
                       capture_output=True, text=True, timeout=60)
    assert 'rank 1: there is no preset "ball.yaml"' in p.stderr and p.returncode == 3, p.stderr
    for name, words, more in (("gas", "kg/m3: a gas needs", ["--set", "stages.hole.value=-1.3"]),
                              ("nowhere", "has no finite value", [])):
        alone, parted = (r.bake(name, "refused", n, *more, "--force") for n in (0, 2))
        told = [[line for line in p.stderr.splitlines() if words in line] for p in (alone, parted)]
        assert len(told[0]) == 1 and told[0] == told[1] and parted.returncode == alone.returncode, told
    for name, words in (("whole", "whole, with all tiles: unruly\n"), ("embers", None), ("rings", None), ("gas", None),
                        ("guided", None)):
        said = subprocess.run([r.billow, "bake", str(r.work / f"{name}.yaml"), "--dry-run", "--out",
                               str(r.work / "dry"), *r.unruly], capture_output=True, text=True, timeout=60).stdout
        assert "output:" in said, said
        assert words in said if words else "mpirun" not in said, said
    (r.work / "a_file").write_text("")
    a = r.command("smoke", "a_file/out", 2)
    at = a.index(r.billow)
    tell = f"\"$@\"; echo $? > {r.work}/code.$OMPI_COMM_WORLD_RANK"
    subprocess.run(a[:at] + ["sh", "-c", tell, "sh"] + a[at:], env=r.env, capture_output=True, timeout=60)
    codes = [(r.work / f"code.{i}").read_text().strip() for i in (0, 1)]
    assert codes == ["6", "6"], codes  # mpirun takes whichever comes first
    p = r.bake("nothing", "refused", 2)
    assert p.stderr.count("nothing.yaml") == 1 and p.returncode == 3, p.stderr  # the first alone speaks


def who_wants_other_tiles_ends_all(r):
    """… in a sentence that names who may have asked for them; nobody waits for ever."""
    p = r.bake("willful", "willful", 3, *r.unruly)
    said = "ranks want different tiles of domain main: one of source, willful goes by what its own rank alone knows"
    assert p.returncode == 4 and said in p.stderr, (p.returncode, p.stderr)


def on_small_disk(r, size, *more):
    disk = r.work / "disk"
    disk.mkdir(exist_ok=True)
    mount = f"mount -t tmpfs -o size={size} none {disk} && \"$@\"; code=$?; cat {disk}/out/bake.log; exit $code"
    env = {k: v for k, v in r.env.items() if k != "MALLOC_PERTURB_"}  # mpirun 4.1 reads what it gave back as it ends
    p = subprocess.run(["unshare", "-m", "sh", "-c", mount, "sh"] + r.command("smoke", "disk/out", 2, *more), env=env,
                       capture_output=True, text=True, timeout=60)
    return None if "unshare" in p.stderr or "mount:" in p.stderr else p


def a_full_disk_ends_all(r):
    """… with its code, a sentence and the folder, where values wait to be put together by the second rank; of a
    checkpoint, whoever writes it, only the log is told."""
    p = on_small_disk(r, "128k")
    if not p:
        print("  not tried: no mount of its own")
        return
    said = f"{r.work}/disk/out: cannot build a VDB grid: No space left"
    assert p.returncode == 6 and said in p.stderr, (p.returncode, p.stderr)
    assert "frame 4/4" not in p.stdout, p.stdout
    p = on_small_disk(r, "512k", "--mute", "vdb")
    for name in ("puff_0003", "puff_0004"):
        said = f"the checkpoint checkpoints/{name}.bwck could not be written: No space left"
        assert p.returncode == 0 and said in p.stdout, (p.returncode, p.stdout)


def record(r, out, kind):
    files = json.loads((r.work / out / "bake.json").read_text())["files"]
    return {name: file for name, file in files.items() if name.startswith(kind)}


def wrote(r, out):
    """Which rank wrote what, as the log has it, which does not name the first one's."""
    lines = [line.split() for line in (r.work / out / "bake.log").read_text().splitlines() if " wrote " in line]
    return {line[-1]: int(line[3]) for line in lines}


def files_are_written_in_turn(r):
    """… and recorded by the first rank as one process does; any number of ranks goes on from what one of them kept."""
    r.good("smoke", "turns_0", 0)
    r.good("smoke", "turns_3", 3)
    assert wrote(r, "turns_3") == {"vdb/puff_0001.vdb": 1, "vdb/puff_0002.vdb": 2, "vdb/puff_0004.vdb": 1,
                                   "checkpoints/puff_0004.bwck": 1}, wrote(r, "turns_3")
    assert record(r, "turns_0", "vdb") == record(r, "turns_3", "vdb")
    kept = record(r, "turns_3", "checkpoints")
    assert list(kept) == ["checkpoints/puff_0003.bwck", "checkpoints/puff_0004.bwck"], kept
    outputs = [json.loads((r.work / out / "bake.json").read_text())["outputs"] for out in ("turns_0", "turns_3")]
    assert json.dumps(outputs[0]).replace("turns_0", "turns_3") == json.dumps(outputs[1]), outputs
    for n in (0, 2):
        shutil.copytree(r.work / "turns_3", r.work / f"further_{n}")
        r.good("smoke", f"further_{n}", n, "--frames", "1-6", "--resume")
        assert "after frame 4" in (r.work / f"further_{n}" / "bake.log").read_text()
    r.same("further_0", "further_2")
    r.good("smoke", "turns_0", 0, "--frames", "1-6", "--force")
    r.same("turns_0", "further_0")
    assert "2 checkpoints, " in (r.work / "turns_3" / "bake.log").read_text()


def field_bytes(path):
    """Of all fields in a checkpoint, unpacked (docs/checkpoint.md)."""
    data, at, found = path.read_bytes(), 16, 0
    while at < len(data):
        n, = struct.unpack_from("<I", data, at + 4)
        size, packed = struct.unpack_from("<QQ", data, at + 8)
        found += size if data[at + 32:at + 32 + n].startswith(b"field/") else 0
        at += 32 + n + packed
    return found


def a_checkpoint_brings_tiles_once(r):
    """What the first rank sends for one that the second one writes is in the row of the frame after it. Tiles enough
    for several rounds of 64, of which one goes when the next comes."""
    large = ["--set", "domain.voxel=1.25 cm", "--set", "stages.source.shape.sphere.radius=50 cm", "--frames", "1-3"]
    sent = []
    for frames in (1, 100):
        (r.work / "kept.yaml").write_text(PRESETS["smoke"].replace("frames: 3, keep", f"frames: {frames}, keep"))
        r.good("kept", f"kept_{frames}", 2, *large)
        head, *rows = [line.split(",") for line in (r.work / f"kept_{frames}" / "timings.csv").read_text().splitlines()]
        sent.append(int(float(rows[2][head.index("ranks.bytes")])))
    all_of_it = field_bytes(r.work / "kept_1" / "checkpoints" / "puff_0003.bwck")
    share = (sent[0] - sent[1]) / all_of_it
    assert 0.3 < share < 0.7, (sent, all_of_it)
    assert all_of_it > 2 * 64 * 9 * 16384, all_of_it


def who_does_not_see_the_folder_writes_nothing(r):
    """… as on a machine that shares no disk with the first rank's."""
    (r.work / "unseen").mkdir()
    a = r.command("smoke", "unseen/out", 1)
    own = ["unshare", "-m", "sh", "-c", f"mount -t tmpfs none {r.work}/unseen && exec \"$@\"", "sh"]
    p = subprocess.run(a + [":", "-n", "1"] + own + a[a.index(r.billow):] + [":", "-n", "1"] + a[a.index(r.billow):],
                       env=r.env, capture_output=True, text=True, timeout=60)
    if "unshare" in p.stderr or "mount:" in p.stderr:
        print("  not tried: no mount of its own")
        return
    assert p.returncode == 0, (p.returncode, p.stderr)
    assert "rank 1 does not see the folder" in (r.work / "unseen" / "out" / "bake.log").read_text()
    assert set(wrote(r, "unseen/out").values()) == {2}, wrote(r, "unseen/out")
    r.same("smoke_4" if (r.work / "smoke_4").exists() else "turns_3", "unseen/out")


def children(pid):
    text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(p) for p in text.split()]


def one_that_dies_ends_all(r):
    """… within ten seconds; on another number of ranks it goes on to the same bytes."""
    with subprocess.Popen(r.command("long", "killed", 3), env=r.env, stderr=subprocess.PIPE, text=True) as p:
        until = time.monotonic() + 120
        while not list((r.work / "killed").glob("checkpoints/*.bwck")) and time.monotonic() < until:
            time.sleep(0.05)
        ranks = children(p.pid)
        assert len(ranks) == 3, ranks
        os.kill(ranks[2], signal.SIGKILL)
        began = time.monotonic()
        _, said = p.communicate(timeout=60)
        while any(os.path.exists(f"/proc/{i}") for i in ranks) and time.monotonic() < began + 10:
            time.sleep(0.05)
        took = time.monotonic() - began
    assert p.returncode and took < 10, (p.returncode, took)
    assert "signal 9" in said, said
    assert not [i for i in ranks if os.path.exists(f"/proc/{i}")], "ranks are left"
    r.good("long", "killed", 2, "--resume")
    r.good("long", "long_1", 0)
    r.same("long_1", "killed")


def those_that_are_stopped_keep_a_checkpoint(r):
    """… each told by a signal of its own; one for mpirun leaves them a second. Another asks for a checkpoint alone."""
    rarely = ["--set", "checkpoints.frames=0"]
    with subprocess.Popen(r.command("long", "stopped", 3, *rarely), env=r.env, stderr=subprocess.PIPE,
                          text=True) as p:
        said = p.stderr.readline()
        p.send_signal(signal.SIGUSR1)  # which mpirun hands on
        until = time.monotonic() + 120
        while not list((r.work / "stopped").glob("checkpoints/*.bwck")) and time.monotonic() < until:
            time.sleep(0.05)
        for rank in children(p.pid):
            os.kill(rank, signal.SIGTERM)
        said += p.communicate(timeout=60)[1]
    assert p.returncode == 75 and "goes on" in said, (p.returncode, said)
    r.good("long", "stopped", 2, "--resume", *rarely)
    r.same("long_1", "stopped")


def main():
    billow, module, work = sys.argv[1:4]
    if not list(pathlib.Path(module).glob("libbillow-mpi.so*")) or not shutil.which("mpirun"):
        print("skipped: Open MPI (libopenmpi-dev, openmpi-bin) is not here")
        return SKIPPED
    r = Ranks(billow, work)
    for test in (bytes_are_the_same, caches_made_anew_are_the_same, files_are_written_in_turn,
                 a_checkpoint_brings_tiles_once, memory_falls, what_does_not_fit_is_refused, a_full_disk_ends_all,
                 who_does_not_see_the_folder_writes_nothing, who_wants_other_tiles_ends_all, one_that_dies_ends_all,
                 those_that_are_stopped_keep_a_checkpoint):
        began = time.monotonic()
        test(r)
        print(f"{test.__name__}: good, {time.monotonic() - began:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
