#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cache.sh BILLOW SOURCE: finished caches, whole and damaged, as `check`, `preview` and `compare` see them.
. "$(dirname "$0")/prompt.sh"
here=$presets

# vdb.py WHAT FILE…: makes of a file what a bad disk or somebody else's program would. Files are written without
# packing, so that values are found as they are; the id's version is made another's, whose files have no checksum.
cat >vdb.py <<'PYTHON'
import struct, sys
what, path = sys.argv[1:3]
data = bytearray(open(path, "rb").read())
def foreign():
    assert chr(data[21 + 14]) in "48"
    data[21 + 14] = ord("4")
def replace(old, new, times=1):
    assert len(old) == len(new) and data.count(old), path
    data[:] = data.replace(old, new, times)
if what == "nan":
    replace(struct.pack("<f", float(sys.argv[3])), struct.pack("<f", float(sys.argv[4])))
if what == "bit":
    data[int(sys.argv[3])] ^= 1 << int(sys.argv[4])
else:
    foreign()
if what == "text":
    replace(sys.argv[3].encode(), sys.argv[4].encode(), -1)
open(path, "wb").write(data)
PYTHON
vdb() { python3 vdb.py "$@" || bad "vdb.py $*"; }

# A ball of voxels of 0.625, unpacked.
cat >box.yaml <<'YAML'
billow: 1
name: box
domain: {size: [0.6, 0.6, 0.6], voxel: 2 cm, sides: {rest: open}}
time: {fps: 25, frames: 1-5, substeps: 1}
stages:
  - set: {id: smoke, field: density, value: "0.625*(x*x + y*y + (z - 0.3)*(z - 0.3) < 0.04)"}
  - set: {id: flow, field: vel, value: ["0.5", "0", "0"], when: start}
export:
  - vdb: {fields: [density, vel], precision: float, compression: none}
  - png: {view: slice, size: 48}
  - exr: {view: render, size: 32}
YAML
run bake box.yaml --out whole; expect "the bake" 0
# fresh: another copy of it as `cache`.
fresh() { rm -rf cache && cp -r whole cache; }

# ---- check ----
run check whole; expect "a whole cache" 0 "frames 1-5, 5 files, 0 missing, grids density, vel"
that "nothing is said of it" test ! -s err.txt
# Smoke that comes late and goes early is no hole; one in the middle is.
for frames in 2-5 1-3 "1-1, 4-5"; do
    stages=
    IFS=', ' read -ra parts <<<"$frames"
    for part in "${parts[@]}"; do
        stages+="  - emit: {id: at_$part, frames: $part, mode: set, density: 1, shape: {sphere: {center: [0, 0, 0.2], radius: 10 cm}}}"$'\n'
    done
    printf 'billow: 1\nname: late\ndomain: {cells: [8, 8, 8], voxel: 5 cm}\ntime: {fps: 25, frames: 1-5, substeps: 1}\nstages:\n%s%s\n%s\n' \
        $'  - set: {field: density, when: always, value: 0, keep: true}\n' "${stages%$'\n'}" 'export: [vdb: {fields: [density]}]' >late.yaml
    rm -rf late; run bake late.yaml --out late; expect "smoke in $frames" 0
    run check late; expect "check of smoke in $frames" 0 "5 files, 0 missing"
    if [ "${#parts[@]}" = 2 ]; then expect "the hole is told" 0 "note: late/vdb/late_####.vdb: grid density is empty in 2 of 5 files, between others"
    else that "nothing else is said of smoke in $frames" [ ! -s err.txt ]; fi
done
run check whole/vdb/box_0002.vdb; expect "by one of its files" 0 "frames 1-5"
run check 'whole/vdb/box_####.vdb'; expect "by a pattern" 0 "frames 1-5"
run check nowhere/smoke_####.vdb; expect "no such files" 6 "nowhere"
run check whole --json; expect "--json" 0 '"findings": \[\]'
run check box.yaml --json; expect "--json of a preset" 0 "\"good\": true"

fresh; rm cache/vdb/box_0003.vdb
run check cache; expect "a gap" 1 "frames 3-3 are missing: hosts show nothing from there on" "box_0003.vdb is missing"
fresh; rm cache/vdb/box_0001.vdb
run check cache; expect "the first is missing" 1 "the first frames are missing" "begins with 2, the bake with 1"
fresh; : >cache/vdb/box_0004.vdb
run check cache; expect "an empty file" 1 "box_0004.vdb"
fresh; truncate -s 2000 cache/vdb/box_0002.vdb
run check cache; expect "a cut file" 1 "box_0002.vdb: is damaged"
fresh; cp cache/vdb/box_0002.vdb cache/vdb/box_0003.vdb
run check cache; expect "a frame copied over another" 1 "box_0003.vdb: is frame 2 by its metadata"
fresh; for i in 1 2 3 4 5; do vdb nan cache/vdb/box_000$i.vdb 0.625 nan; done
run check cache; expect "no numbers" 1 "box_0001.vdb: grid density holds [0-9]+ values that are no finite numbers" "and 4 files more"
run preview cache --out p.png; expect "a preview of no numbers" 1 "grid density holds values that are no finite numbers"
that "no picture of it is left" test ! -e p.png
run preview whole --out p.png; expect "a preview of the whole" 0
fresh; vdb nan cache/vdb/box_0002.vdb 0.625 inf
run check cache; expect "one that is infinite" 1 "holds 1 values that are no finite numbers, one at voxel"
fresh; vdb text cache/vdb/box_0004.vdb density densest
run check cache; expect "a grid by another name" 1 "box_0004.vdb: holds grids densest, vel; before, density, vel"
preset_hash=$(python3 -c 'import json; print(json.load(open("whole/bake.json"))["parts"]["preset_hash"])')
run info whole/vdb/box_0005.vdb; expect "a file and the record of its bake have the same preset_hash" 0 "$preset_hash"
fresh; vdb text cache/vdb/box_0005.vdb "$preset_hash" 0123456789abcdef
run check cache; expect "a frame of another preset" 1 "box_0005.vdb: is of preset 0123456789abcdef; before, $preset_hash"
fresh; vdb text cache/vdb/box_0001.vdb "$preset_hash" 0123456789abcdef
run check cache; expect "the first frame of another preset" 1 "box_0001.vdb: is of preset 0123456789abcdef; its bake, $preset_hash"
that "the others are not blamed" test "$(grep -c "is of preset" err.txt)" = 1 -a -z "$(grep "box_000[2-5]" err.txt)"
run bake box.yaml --out coarse --set "domain.voxel=4 cm"; expect "a coarser bake" 0
fresh; cp coarse/vdb/box_0003.vdb cache/vdb/
run check cache; expect "voxels of two sizes" 1 "box_0003.vdb: voxels of grid density are 0.04 wide and lie elsewhere; before, 0.02"
run bake box.yaml --out thin --set export.vdb.velocity_pad=0; run check thin
expect "a flow without a margin is a note" 0 "note: .*vel is known in [0-9]+ voxels, density in"
run bake box.yaml --out faces --set export.vdb.velocity=staggered; run check faces
expect "a staggered flow is a note" 0 "note: .*Blender shows it half a voxel off"
run bake box.yaml --out void --set stages.smoke.value=0 --set 'export.vdb.fields=[density]'; run check void
expect "nothing but empty grids" 1 "all grids are empty"
mkdir odd; for i in 1 2 3; do cp whole/vdb/box_000$i.vdb odd/box_000${i}_sim.vdb; done
run check odd; expect "numbers that do not end the name" 1 "_sim.vdb: its number does not end its name"
mkdir mixed; cp whole/vdb/box_0001.vdb mixed/; cp whole/vdb/box_0002.vdb mixed/box_2.vdb
run check mixed; expect "numbers of two widths" 1 "its number has 1 digits, that of .* 4"
mkdir none; run check none; expect "an empty folder" 1 "holds no .vdb file"
run view box.yaml; expect "a page of a preset" 6 "box.yaml is no .vdb file: one, a folder or a pattern"

# ---- a shutter is open a quarter of a frame, in the bake's pictures and in those of its files ----
run preview whole --frames 3 --out usual.exr; expect "a render" 0
run compare usual.exr whole/exr/box_0003.exr; expect "is the bake's own" 0 "the same"
run preview whole --frames 3 --set look.shutter=0.25 --out same.exr; run compare usual.exr same.exr
expect "with a shutter of .25" 0 "the same"
run preview whole --frames 3 --set look.shutter=1 --out long.exr; run compare usual.exr long.exr
expect "unless it is longer" 1 "values differ"

# ---- what a renderer reads is in the files, whoever makes it ----
cat >usual.yaml <<'YAML'
billow: 1
name: usual
domain: {size: [0.6, 0.6, 0.6], voxel: 5 cm}
time: {fps: 25, frames: 1-2}
fields: {dye: {kind: vector}, note: {kind: scalar}}
stages:
  - set: {id: ink, field: dye, value: [1, 0, 0]}
  - set: {id: notes, field: note, value: 1}
  - collide: {shape: {sphere: {center: [0, 0, 0.3], radius: 15 cm}}}
  - mac.advect: {}
  - emit: {shape: {sphere: {center: [0, 0, 0.1], radius: 20 cm}}, fuel: 1, temperature: 900, density: 1}
  - fire: {}
  - mac.project: {}
export: [vdb: {}]
YAML
run bake usual.yaml --out usual; expect "a bake that names no fields" 0
run check usual; expect "holds them" 0 "grids age, density, dye, flame, fuel, solid, temperature, vel$"

# near A B WHAT: two pictures of 8 bits of which no value differs by more than 2: places in centimetres are not the same
# to the last bit.
near() {
    run compare "$1" "$2"
    that "$3" grep -qE 'the same|differ, by [12] at most' out.txt
}

# ---- a picture of the cache is the bake's own, particles too ----
cat >hair.yaml <<'YAML'
billow: 1
name: hair
domain: {size: [0.6, 0.6, 0.6], voxel: 2 cm, sides: {rest: open}}
time: {fps: 25, frames: 1-2, substeps: 1}
stages:
  - set: {id: smoke, field: density, value: "0.1*(x*x + y*y < 0.01)"}
  - set: {id: flow, field: vel, value: ["0.5", "0", "1"], when: start}
  - tracers: {shape: {sphere: {center: [0, 0, 0.3], radius: 10 cm}}, count: 500, colour: [1, 0.5, 0.1]}
camera: {azimuth: {keys: {1: 0, 2: 70 deg}}}
export:
  - vdb: {fields: [density, vel], precision: float, up: y, scale: 100}
  - ply: {}
  - png: {view: render, size: 64, width: 80, particles: {show: light, size: 1 cm}}
  - exr: {size: 64, width: 80, particles: {show: light, size: 1 cm}}
YAML
run bake hair.yaml --out hair; expect "a bake with particles" 0
run preview hair/vdb/hair_0002.vdb --out own.png; expect "its preview" 0
run compare own.png hair/png/hair_0002.png; expect "is the bake's own picture" 0 "the same"
run preview hair/vdb/hair_0002.vdb --out own.exr; expect "as light" 0
run compare own.exr hair/exr/hair_0002.exr # places in centimetres: a last bit of a half here and there
that "is the bake's own light, and alpha" grep -qE 'the same|differ, by (0\.000|[0-9.]+e-)' out.txt
amber=(--set 'look.smoke=[0.9, 0.4, 0.1]' --set look.particles.size=2cm --set 'camera.lens=35 mm')
run bake hair.yaml --out amber --set 'export.png.smoke=[0.9, 0.4, 0.1]' --set export.png.particles.size=2cm --set 'camera.lens=35 mm'
run preview hair/vdb/hair_0002.vdb --out amber.png "${amber[@]}"; expect "its look and camera said anew" 0
run compare amber.png amber/png/hair_0002.png; expect "is the picture of a bake that says so" 0 "the same"
run preview hair --out 'n_###.png' --size 32 "${amber[@]}"; expect "a picture of each frame" 0 "2 of 2 frames"
that "numbered" test -s n_001.png -a -s n_002.png -a ! -e n_###.png
run preview hair --out all.exr; expect "two frames in one of light" 2 "^billow: --out is all.exr, one picture, and there are 2 frames"
run preview hair --out all.exr --frames 1 --view slice; expect "a slice as light" 2 "all.exr is light, and a slice is none"
that "nothing of either" test ! -e all.exr
for wrong in "look.smok=1 it_has_no_key:look:.unknown.key..smok.;.did.you.mean..smoke" "smoke=1 it_has_to_be_look:it.has.to.be.look.KEY" \
    "look.detail=9 out_of_range:--set:1:13:.*detail:.9.is.out.of.range" "camera.lenz=1 camera:unknown.key..lenz"; do
    run preview hair --out wrong.png --frames 1 --set "${wrong%% *}"; expect "${wrong#* }" 3 "${wrong#*:}"
done
# A camera of another program: at 40 degrees, 15 above, tilted by 10, two metres off, in centimetres and y up, as USD's
# library tells it. What stands for that library has one stage.
mkdir pxr
cat >pxr/__init__.py <<'PY'
import math

class Gf:
    class Vec3d(tuple):
        def __new__(cls, v): return super().__new__(cls, v)
        def __rmul__(self, k): return Gf.Vec3d(k * x for x in self)
        def GetNormalized(self): return Gf.Vec3d(x / math.hypot(*self) for x in self)

class Attribute:
    def __init__(self, value, times=()): self.value, self.times = value, times
    def Get(self, time): return self.value
    def GetTimeSamples(self): return self.times

class Prim:
    def __init__(self, path, kind, parent=None, **values): self.path, self.kind, self.parent, self.values = path, kind, parent, values
    def IsA(self, kind): return self.kind == kind.__name__
    def GetPath(self): return self.path
    def GetName(self): return self.path.split("/")[-1]
    def GetParent(self): return self.parent
    def GetAttributes(self): return self.values.values()
    def IsValid(self): return True
    def IsPseudoRoot(self): return self.path == "/"

class Matrix: # rows are where the axes go
    def __init__(self, turn): self.turn = turn
    def row(self, v): # tilted by -10, raised from -z by 75, turned by the rig; then from z up to y up
        def about(v, a, degrees):
            b, c, t, out = (a + 1) % 3, (a + 2) % 3, math.radians(degrees), list(v)
            out[b], out[c] = v[b] * math.cos(t) - v[c] * math.sin(t), v[b] * math.sin(t) + v[c] * math.cos(t)
            return out
        return about(about(about(v, 2, -10), 0, 75), 2, self.turn)
    def GetRow3(self, i): x, y, z = self.row([i == 0, i == 1, i == 2]); return x, z, -y
    def ExtractTranslation(self):
        t = math.radians(self.turn)
        return (193.18516525781366 * math.sin(t), 30 + 51.76380902050415, 193.18516525781366 * math.cos(t))
    def Transform(self, p): return tuple(100 * x for x in p)

ROOT = Prim("/", "Pseudo")
RIG = Prim("/Rig", "Xform", ROOT, turn=Attribute(None, (1.0, 3.0)))
SHOT = Prim("/Rig/Shot", "Camera", RIG, FocalLength=Attribute(35), HorizontalAperture=Attribute(36), VerticalAperture=Attribute(27),
            FStop=Attribute(None), FocusDistance=Attribute(200.0))
WAY = Prim("/Rig/Way", "BasisCurves", ROOT, Points=Attribute([(1, 3, -2), (2, 3, -2), (2, 6, -2)]))

class Stage:
    name = ""
    @staticmethod
    def Open(path): Stage.name = path; return Stage()
    def Traverse(self): return [RIG, SHOT, WAY] + ([Prim("/Rig/Other", "Camera", RIG)] if "two" in Stage.name else [])

class Usd:
    Stage = Stage
    class TimeCode(float):
        @staticmethod
        def Default(): return Usd.TimeCode(1)

class UsdGeom:
    class Tokens: y = "y"
    class Camera:
        def __init__(self, prim): self.prim = prim
        def __getattr__(self, name): return lambda: self.prim.values[name[3:-4]]
    class BasisCurves: pass
    class NurbsCurves: pass
    class PointBased(Camera): pass
    class Xformable(Camera):
        def ComputeLocalToWorldTransform(self, time): return Matrix(-50 + 90 * (time - 1))
    GetStageUpAxis = staticmethod(lambda stage: "y")
    GetStageMetersPerUnit = staticmethod(lambda stage: 0.01)
PY
usd() { PYTHONPATH=. python3 "$here/../../hosts/scenes/from_usd.py" "$@" >out.txt 2>err.txt; code=$?; }
usd camera shot.usd shot.yaml; expect "USD's camera is written" 0
same=()
for said in azimuth='40 deg' elevation='15 deg' roll='10 deg' target='{point: [0, 0, 0.3]}' distance='2 m' lens='35 mm' \
    sensor='36 mm' orbit=0; do
    same+=(--set "camera.$said")
done
run preview hair/vdb/hair_0002.vdb --out keyed.png "${same[@]}"; expect "a camera by its angles" 0
run preview hair/vdb/hair_0002.vdb --out shot.png --set camera.file=shot.yaml; expect "the same from another program" 0
near keyed.png shot.png "shows the same"
run compare shot.png own.png; expect "which is not the bake's own camera" 1 "values differ"
sed 's/^camera:.*/camera: {file: shot.yaml}/' hair.yaml >filmed.yaml
run bake filmed.yaml --out filmed; expect "a preset with another program's camera" 0
near keyed.png filmed/png/hair_0002.png "shows the same, too"
that "whose cache knows it without the file" test -z "$(grep shot.yaml filmed/resolved.yaml)" -a -n "$(grep -A3 azimuth: filmed/resolved.yaml | grep keys)"
usd camera two.usd named.yaml; expect "of two cameras" 1 "name one of these prims. /Rig/Shot, /Rig/Other"
usd camera two.usd named.yaml Shot; expect "one is named" 0
that "and is it" cmp shot.yaml named.yaml
usd camera two.usd no.yaml Shut; expect "or is not there" 1 "name one of these prims"
usd curve shot.usd way.csv; expect "USD's curve is written" 0
that "in metres, z up" test "$(tr '\n' ' ' <way.csv)" = "x,y,z 1,2,3 2,2,3 2,2,6 "
run preview hair --frames 1 --out no.png --set camera.file=none.yaml; expect "no file" 6 "can't read .*none.yaml: No such file"
run preview hair --frames 1 --out no.png --set camera.file=shot.usda; expect "USD itself" 3 "from_usd.py writes its camera as YAML"
head -c 60 shot.yaml >cut.yaml
run preview hair --frames 1 --out no.png --set camera.file=cut.yaml; expect "a file that is cut" 3 "cut.yaml:[0-9]+:[0-9]+: "
sed 's/  lens:/  lenz:/' shot.yaml >odd.yaml
run preview hair --frames 1 --out no.png --set camera.file=odd.yaml; expect "a key that is none" 3 "odd.yaml:[0-9]+:3: .*lenz"
echo 'secret: 1' >other.yaml
run preview hair --frames 1 --out no.png --set camera.file=other.yaml; expect "one without a camera" 3 "other.yaml holds no camera"
mkdir foreign; cp hair/vdb/*.vdb foreign/
run preview foreign --frames 2 --out as_is.png --size 64; expect "files of others" 0
run preview foreign --frames 2 --out plain.png --size 64 --set look.exposure=1
run preview foreign --frames 2 --out sharp.png --size 64 --set look.shutter=0; run compare plain.png sharp.png
expect "whose velocities may be in any unit" 0 "the same"
run preview foreign --frames 2 --out moved.png --size 64 --set look.shutter=0.5; run compare plain.png moved.png
expect "unless they are told to move" 1 "values differ"
run preview foreign --frames 2 --out said.png --size 64 --set 'look.smoke=[0.9, 0.4, 0.1]'; expect "look as they are told, too" 0
run compare as_is.png said.png; expect "and another way" 1 "values differ"
truncate -s 900 hair/ply/hair_tracers_0002.ply
run preview hair/vdb/hair_0002.vdb --out cut.png
expect "particles that are cut short" 0 "particles are not drawn: .*hair_tracers_0002.ply is .* cut short"
rm -r hair/ply; run preview hair/vdb/hair_0002.vdb --out bare.png; 
expect "without particles" 0 "none lie beside it: exporter ply keeps them"
run preview hair/vdb/hair_0002.vdb --size 32 --out small.png; expect "half as high" 0
that "and half as wide" test "$(od -An -tu1 -j16 -N8 small.png | tr -s ' ')" = " 0 0 0 40 0 0 0 32"
run compare own.png bare.png; expect "particles are seen" 1 "values differ"

# ---- and its obstacles, which the preset places: a mesh, and a ball on its way ----
cat >standing.yaml <<YAML
billow: 1
name: standing
domain: {size: [0.6, 0.6, 0.6], voxel: 3 cm, sides: {rest: open}}
time: {fps: 25, frames: 1-3, substeps: 1}
stages:
  - set: {id: smoke, field: density, value: "(x+0.1)^2 + y*y + (z-0.15)^2 < 0.01"}
  - collide: {id: block, wake: always, shape: {mesh: {file: $here/../meshes/box.obj, scale: 0.3, center: [0.1, 0, 0.05], rotate: [20 deg, 0, 30 deg]}}}
  - collide: {id: ball, wake: always, shape: {sphere: {center: {keys: {1: [-0.2, 0, 0.3], 3: [-0.1, 0, 0.4]}, ease: linear}, radius: 7 cm}}}
export:
  - vdb: {fields: [density, solid], precision: float, up: y, scale: 100}
  - png: {view: render, every: 1, size: 128, width: 160, obstacles: {each: [{stage: ball, colour: [0.1, 0.2, 0.7]}]},
         lights: [{to: [1, 0, 0.5], colour: [1, 1, 1]}, {position: [0.2, -0.4, 0.6], colour: [0.3, 0.3, 0.2], size: 4 cm}]}
YAML
run bake standing.yaml --out standing; expect "a bake with obstacles" 0
for i in 1 2; do
    run preview standing/vdb/standing_000$i.vdb --out own.png; expect "its preview" 0
    near own.png standing/png/standing_000$i.png "obstacles of frame $i are the bake's own"
done
run preview standing/vdb/standing_0002.vdb --out white.png --set 'look.obstacles.each=[{stage: ball, colour: [1, 1, 1]}]'
run compare own.png white.png; expect "another colour of one of them" 1 "values differ"
sed 's/^  - collide: {id: ball.*/&\n  - body: {shape: {sphere: {center: [0.1, 0.1, 0.5], radius: 4 cm}}}\n  - bodies: {}\n  - body.solid: {}/' standing.yaml >falling.yaml
run bake falling.yaml --out falling; expect "a bake with a body" 0
run preview falling/vdb/standing_0002.vdb --out own.png; expect "bodies' places are the bake's" 0 "as cells know them: where .body.solid. is"

# ---- and the shade of one that stands where no gas is, of which the files know nothing ----
cat >shaded.yaml <<'YAML'
billow: 1
name: shaded
domain: {size: [1.6, 0.6, 0.6], voxel: 2 cm, sides: {rest: open}}
time: {fps: 25, frames: 1-1, substeps: 1}
stages:
  - set: {id: smoke, field: density, value: "(x+0.55)^2 + y*y + (z-0.25)^2 < 0.02"}
  - collide: {id: wall, wake: never, shape: {box: {center: [0.5, 0, 0.3], size: [0.06, 0.56, 0.56]}}}
export:
  - vdb: {fields: [density, solid], precision: float}
  - png: {view: render, every: 1, size: 96, width: 160, key: 0, environment: 0.2, lights: [{to: [1, 0, 0.1], colour: [6, 6, 6]}]}
YAML
run bake shaded.yaml --out shaded; expect "a bake in the shade" 0
run preview shaded/vdb/shaded_0001.vdb --out own.png; expect "its preview" 0
near own.png shaded/png/shaded_0001.png "the wall keeps the lamp's light from the smoke"

# ---- a shared look's sky is a file beside the preset: files alone know it, too, wherever they lie ----
mkdir -p aside; cp "$presets/../../presets/skies/dusk.hdr" aside/sky.hdr
printf '%s\n' 'billow: 1' 'name: under' 'domain: {size: [1, 1, 1], voxel: 10 cm}' 'time: {fps: 24, frames: 1-1}' 'stages:' \
    '  - set: {id: smoke, field: density, value: "x*x + y*y + (z-0.5)^2 < 0.1"}' 'look: {sky: {hdri: {file: sky.hdr}}}' \
    'export:' '  - vdb: {fields: [density]}' >aside/under.yaml
run bake aside/under.yaml --out under; expect "under a sky from a file" 0
run preview under/vdb/under_0001.vdb --size 32 --out under.png; expect "its preview finds that" 0 "1 of 1"

# ---- compare ----
run compare whole whole; expect "a folder with itself" 0 "the same"
run bake box.yaml --out again --threads 1; run compare whole again; expect "a bake with itself" 0 "the same"
run compare whole/vdb/box_0001.vdb again/vdb/box_0001.vdb; expect "a file with itself" 0 "1 file: the same"
run compare whole nowhere; expect "a folder with none" 2 "nowhere"
run compare whole whole/bake.json; expect "a folder with a file" 2 "compare two of a kind"
run compare whole; expect "one thing alone" 2 "wants two things"
fresh; vdb nan cache/vdb/box_0002.vdb 0.625 0.875; rm cache/vdb/box_0005.vdb; mkdir cache/notes; echo mine >cache/notes/a.txt
echo 1 >cache/bake.log
run compare whole cache
expect "what has been done to it" 1 "vdb/box_0002.vdb +grid density: 1 of [0-9]+ voxels differ, by 0.25 at most, at .*: 0.625, 0.875" \
    "vdb/box_0005.vdb +is in whole alone" "notes/a.txt +is in cache alone"
that "and no more" test "$(wc -l <out.txt)" = 3
run compare whole cache --json; cp out.txt compared.json
cat >compared.py <<'PYTHON'
import json
told = json.load(open("compared.json"))
assert not told["equal"] and len(told["differences"]) == 3, told
one = next(d for d in told["differences"] if d["what"] == "values")
assert one["grid"] == "density" and one["max"] == 0.25 and one["differ"] == 1 and len(one["at"]) == 3, one
PYTHON
expect "--json of a comparison" 1; that "it has the numbers" python3 compared.py
fresh; vdb text cache/vdb/box_0004.vdb density densest; run compare whole/vdb cache/vdb
expect "a grid in each alone" 1 "grid density is in the first alone" "grid densest is in the second alone"
fresh; vdb nan cache/vdb/box_0002.vdb 0.625 nan; run compare whole cache
expect "what is no number differs" 1 "grid density: 1 of [0-9]+ voxels differ, by inf at most"
run bake box.yaml --out faint --set stages.smoke.value="0.5*(x*x + y*y + (z - 0.3)*(z - 0.3) < 0.04)"; run compare whole faint
expect "another density" 1 "vdb/box_0001.vdb .*preset_hash: " "differ, by 0.125 at most" "png/box_0001.png +[0-9]+ of [0-9]+ values differ" \
    "exr/box_0001.exr +[0-9]+ of [0-9]+ values differ" "resolved.yaml +differs from byte [0-9]+ on"
run compare whole coarse
expect "another voxel" 1 "grid density: voxels of 0.02, of 0.04" "metrics.csv +differs from byte [0-9]+ on"
for file in whole/png/box_0001.png whole/exr/box_0001.exr whole/vdb/box_0001.vdb; do
    ending=${file##*.}; head -c 300 "$file" >"cut.$ending"
    run compare "$file" "cut.$ending"; expect "a cut .$ending" 1 "cut"
done
cat >sparks.yaml <<'YAML'
billow: 1
name: sparks
domain: {size: none, voxel: 4 cm}
time: {fps: 25, frames: 1-2}
stages:
  - tracers: {shape: {sphere: {radius: 30 cm}}, count: 500}
  - to_grid: {velocity: vel}
export:
  - vdb: {}
  - ply: {}
YAML
run bake sparks.yaml --out sparks
expect "points" 0 "File node on sparks/vdb/sparks_.F4" "particles, in files of all frames: sparks/ply/sparks_tracers_"
run retime sparks --speed 0.5 --out slow
expect "particles are not retimed" 0 "such as tracers, are not carried along"
# ---- names that would be more than names ----
mkdir odd_names; cp whole/vdb/*.vdb odd_names/
for file in odd_names/*.vdb; do vdb text "$file" density $'a"\nb@cd'; done
run blender odd_names; expect "a grid whose name would add lines" 0
that "the stage has a line a name" test "$(grep -c 'fieldName = "' odd_names/box.usda)" = 2
that "and no quote is left open" python3 -c "
import re
text = open('odd_names/box.usda').read()
assert text.count('{') == text.count('}') and not re.search(r'^b@c', text, re.M)
assert all(len(re.findall(r'(?<!\\\\)\"', line)) % 2 == 0 for line in text.splitlines())"
run upres odd_names --out finer --mute mp4; expect "upres of such a grid" 0 "finer: 5 frames"
run retime odd_names --speed 0.5 --out slower --mute mp4; expect "retime of such a grid" 0 "slower: 9 frames"
run check finer; expect "what upres made has the name" 0 'a"'
run bake "$here/../interop/box.yaml" --out twins --mute mp4; expect "three grids" 0
for file in twins/vdb/*.vdb; do vdb text "$file" dye v-l; vdb text "$file" vel v_l 2>/dev/null; done
run blender twins; expect "two names that are one prim" 0
that "they get two prims" test "$(grep -o 'def OpenVDBAsset "[^"]*"' twins/box.usda | sort -u | wc -l)" = 3
for bad in 'a@@@b' 'new
line' "$(printf 'caf\351')"; do
    mkdir "$bad"; for i in 1 2; do cp whole/vdb/box_000$i.vdb "$bad/${bad}_000$i.vdb"; done
    run blender "$bad"; expect "a file that no stage can name" 2 "no USD stage can name it"
    that "the stage is not there, the script is" test -z "$(find "$bad" -name '*.usda')" -a -n "$(find "$bad" -name '*.py')"
    that "and finds the file" python3 - "$bad" <<'PYTHON'
import ast, os, sys, glob
script, = glob.glob(sys.argv[1] + "/*.py")
tree = ast.parse(open(script, encoding="utf-8").read())
cache = ast.literal_eval(next(s.value for s in tree.body if isinstance(s, ast.Assign)))
assert os.path.exists(os.path.join(sys.argv[1], cache["file"])), cache["file"]
cache["name"].encode("utf-8")
PYTHON
done

# Twenty-five bits, from the first byte to the last: each is seen. (Four where sanitizers make a run long.)
seen=0
bits=25; [ -z "${BILLOW_TEST_SHORT:-}" ] || bits=4
size=$(stat -c %s whole/vdb/box_0003.vdb)
for k in $(seq 0 $((bits - 1))); do
    fresh; vdb bit cache/vdb/box_0003.vdb $((k * (size - 1) / (bits - 1))) $((k % 8))
    run check cache
    [ "$code" = 1 ] && grep -q box_0003.vdb err.txt && seen=$((seen + 1))
done
that "each of $bits bits that turned is seen: $seen" test "$seen" = $bits

echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 60 ]
