#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# nano.sh BILLOW SOURCE NANO_VALUES: NanoVDB from a bake and from an old cache, read back value by value by NanoVDB's own
# reader, by Debian's tools, and of files that lie. The last line is "N passed, N failed".
values=$(realpath "$3")
. "$(dirname "$0")/prompt.sh"

cat >nano.yaml <<'YAML'
billow: 1
name: nano
domain: {size: [0.8, 0.8, 1.2], voxel: 5 cm, sides: {bottom: closed, rest: open}}
time: {fps: 24, frames: 1-5}
stages:
  - collide: {shape: {sphere: {center: [0, 0, 0.8], radius: 12 cm}}}
  - mac.advect: {}
  - emit: {frames: 3-5, shape: {sphere: {center: [0, 0, 0.3], radius: 18 cm}}, falloff: 8 cm, density: 3, temperature: 300}
  - mac.forces: {buoyancy: 2}
  - mac.project: {}
export:
  - vdb: {precision: float}
  - nvdb: {}
  - nvdb: {name: half, precision: fp16, compression: zip}
  - nvdb: {name: byte, precision: fp8, compression: blosc}
YAML
run bake nano.yaml --out out; expect "a cache of both kinds" 0

# same NAME VDB NVDB: equal within half a step, by NanoVDB's own reader; and good for Debian's tool.
same() {
    that "$1" "$values" "$2" "$3"
    that "$1, for nanovdb_validate" sh -c "nanovdb_validate '$3' && nanovdb_print '$3' | grep -q density"
}
for f in 0001 0003 0005; do
    for name in nano half byte; do same "$name $f" "out/vdb/nano_$f.vdb" "out/nvdb/${name}_$f.nvdb"; done
done
that "an empty frame has its grids" sh -c "nanovdb_print out/nvdb/nano_0001.nvdb | grep -q 'vel *Vec3f'"
that "each of its kind" sh -c "nanovdb_print out/nvdb/half_0005.nvdb | grep -q 'density *Float16.*ZIP' &&
    nanovdb_print out/nvdb/byte_0005.nvdb | grep -q 'density *Float8.*BLOSC'"
run bake nano.yaml --out again; expect "once more" 0
that "the same bytes" diff -r out/nvdb again/nvdb
run bake nano.yaml --out two --threads 2; expect "on two threads" 0
that "the same bytes, too" diff -r out/nvdb two/nvdb
run bake nano.yaml --out part --frames 1-4; run resume part --frames 1-5; expect "extended" 0
that "the same bytes, too, after a rest" diff -r out/nvdb part/nvdb
run check out; expect "the cache beside it is whole" 0 "frames 1-5, 5 files, 0 missing"

# ---- an old cache ----
for kind in fp32 fp16 fp8; do
    run convert out --format nvdb --precision $kind --out "old_$kind"; expect "convert to $kind" 0 "5 files for NanoVDB"
    for f in 0001 0005; do same "$kind $f" "out/vdb/nano_$f.vdb" "old_$kind/nano_$f.nvdb"; done
done
run convert out --format nvdb --for omniverse --compression zip; expect "by a host's rules" 0 "out_omniverse"
that "is one as well" nanovdb_validate out_omniverse/nano_0005.nvdb
run convert out/vdb/nano_0005.vdb --format nvdb; expect "a file alone" 0
run convert out --format nvdb; expect "a folder by default" 0 "out_nvdb"
run convert out --format nvdb; expect "files that are there" 2 "is there already: --force"
run convert out --format nvdb --force; expect "replaced" 0
run convert out --format nano; expect "no such format" 3 "format can't be .nano."
run convert out --format nvdb --precision fp4; expect "no such precision" 3 "precision can't be .fp4."
run convert out --for blender --precision fp8; expect "not of VDB" 2 "are of .format: nvdb."
run convert out; expect "for nobody" 2 "wants --for"
run bake nano.yaml --out none --set export.nvdb.precision=half; expect "a word of the other exporter" 3 "precision can't be .half."
that "no half of a file is left" test -z "$(find . -name '.*.part')"

# ---- files that lie ----
/usr/bin/python3 - <<'PY'
import pyopenvdb as vdb, os
os.mkdir("lie")
def write(name, *grids): vdb.write(f"lie/{name}_0001.vdb", grids)
def grid(value, n=8, name="density", kind=vdb.FloatGrid, at=0):
    g = kind(); g.name = name; g.fill((at, at, at), (at + n - 1,) * 3, value); return g
write("nan", grid(float("nan"))); write("endless", grid(float("inf"))); write("wide", grid(-3e38), grid(3e38, name="b"))
both = grid(-3e38); both.fill((2, 2, 2), (3, 3, 3), 3e38); write("both", both)
write("tile", grid(1.0, 4096)); write("one", grid(1.0, 1)); write("long", grid(1.0, 9, "x" * 300))
write("far", grid(1.0, 9, at=2**30)); write("truth", grid(True, 9, "m", vdb.BoolGrid))
write("vector", grid((1.0, -2.0, 3.0), 9, "vel", vdb.Vec3SGrid)); write("none")
f = vdb.FloatGrid(); f.transform = vdb.createFrustumTransform((0, 0, 0), (9, 9, 9), .7, 1.0, 1.0); f.name = "density"
f.fill((0, 0, 0), (8, 8, 8), 1.0); write("frustum", f)
PY
head -c 9000 out/vdb/nano_0005.vdb >lie/cut_0001.vdb
python3 -c 'b = bytearray(open("out/vdb/nano_0005.vdb", "rb").read())
for i in range(5000, len(b), 97): b[i] ^= 0x55
open("lie/flipped_0001.vdb", "wb").write(b)'
cp "$2"/tests/volumes/*.vdb lie/
: >lie/nothing_0001.vdb
for f in lie/*.vdb; do
    for kind in fp32 fp8; do
        soon_run convert "$f" --format nvdb --precision $kind --out "$f.$kind"
        that "$f as $kind: a file or one sentence" sh -c "test $code = 0 || { case $code in 1 | 2 | 3 | 6 | 7) ;; *) exit 1 ;; esac
            test \$(grep -vc '^note: ' err.txt) = 1; }"
        [ $code != 0 ] || for made in "$f.$kind"/*.nvdb; do that "$made" nanovdb_validate "$made"; done
    done
done
run convert lie/both_0001.vdb --format nvdb --precision fp16 --out w; expect "too wide for steps" 6 "both_0001.vdb: .*too large for steps"
run convert lie/nan_0001.vdb --format nvdb --out w; expect "no number" 6 "no finite numbers"
run convert lie/frustum_0001.vdb --format nvdb --out w; expect "a frustum" 6 "no grid that NanoVDB could hold"
prompt_end
