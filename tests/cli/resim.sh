#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# resim.sh BILLOW SOURCE: sources through the flow of a finished cache. The last line is "N passed, N failed".
. "$(dirname "$0")/prompt.sh"

cat >old.yaml <<'YAML'
billow: 1
name: old
domain: {size: [0.8, 0.8, 1.2], voxel: 2.5 cm, sides: {bottom: closed, rest: open}}
time: {fps: 24, frames: 1-24}
stages:
  - mac.advect: {}
  - emit: {shape: {sphere: {center: [0, 0, 0.3], radius: 12 cm}}, falloff: 8 cm, density: 1, temperature: 100}
  - mac.forces: {buoyancy: 1}
  - mac.project: {}
export:
  - vdb: {}
YAML
cat >dyes.yaml <<'YAML'
billow: 1
extends: old.yaml
name: dyes
fields: {dye: {kind: vector, advect: true}}
stages:
  - emit: {dye: [1, 0, 0]}
YAML
cat >hot.yaml <<'YAML'
billow: 1
extends: fire
name: hot
domain: {size: [0.8, 0.8, 1.2], voxel: 2.5 cm}
YAML
run bake old.yaml --out old; expect "a cache" 0

# off A B MOST: the sum of all differences in density, as a part of A's density, at frame 24.
cat >off.py <<'PY'
import sys
import numpy
import pyopenvdb as vdb
def dense(path):
    a = numpy.zeros((40, 40, 56))
    vdb.read(path, "density").copyToArray(a, (-4, -4, -4))
    return a
a, b = dense(sys.argv[1]), dense(sys.argv[2])
off = abs(a - b).sum() / a.sum()
print("off by %.4f, the sum by %.4f" % (off, abs(b.sum() / a.sum() - 1)))
sys.exit(not off < float(sys.argv[3]))
PY
off() { /usr/bin/python3 off.py "$1" "$2" "$3" >off.txt; local good=$?; cat off.txt >&2; return $good; }

run resim old old.yaml --out again; expect "the same sources" 0 "24 frames"
that "give the same smoke" off old/vdb/old_0024.vdb again/vdb/old_resim_0024.vdb 0.15
run resim old old.yaml --out two --threads 2; expect "on two threads" 0
that "the same bytes" diff -r again/vdb two/vdb
run resim old old.yaml --out part --frames 1-10; expect "a part of it" 0
run resume part --frames 1-24; expect "made longer" 0
that "the same bytes, too" diff -r again/vdb part/vdb
run resim old dyes.yaml; expect "another source" 0 "out/dyes_resim"
run check out/dyes_resim; expect "is a cache" 0 "frames 1-24, 24 files, 0 missing" "dye"
run resim old hot.yaml --mute mp4 --frames 1-6; expect "a fire" 0 "out/hot_resim"
run resim old old.yaml --out fine --set 'domain.voxel=1.25 cm' --frames 1-4; expect "another voxel" 0
run resim old old.yaml --out long --frames 20-26; expect "beyond its end" 0

mkdir gap
cp old/vdb/*.vdb gap/ && rm gap/old_0010.vdb
run resim gap old.yaml --out none; expect "a frame is missing" 6 "frame 10 is missing between 1 and 24"
run bake old.yaml --out still --frames 1-2 --set 'export=[vdb: {fields: [density]}]'; expect "a cache without flow" 0
run resim still old.yaml --out none; expect "is none to go through" 1 "has no grid vel"
run resim old vortex_ring --out none; expect "a preset without pressure" 3 "mac.project"
run resim old nosuch --out none; expect "no such preset" 3 "nosuch"
run resim nowhere old.yaml; expect "no such cache" 6 "nowhere"
run resim old; expect "no preset" 2 "wants a cache and a preset"
that "nothing is left" test -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'resim-*' -user "$(id -u)" -newer old.yaml)"
prompt_end
