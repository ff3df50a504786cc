#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# hosts.sh BILLOW SOURCE: what other programs ask of a cache, named and mended. The last line is "N passed, N failed".
. "$(dirname "$0")/prompt.sh"

hosts="blender houdini unreal unreal-nano arnold redshift vray octane omniverse"
cat >dense.yaml <<'YAML'
billow: 1
name: dense
domain: {size: [0.8, 0.8, 1.2], voxel: 5 cm, sides: {bottom: closed, rest: open}}
time: {fps: 24, frames: 1-6}
fields: {soot: {advect: true}, ash: {advect: true}, dye: {kind: vector, advect: true}}
stages:
  - mac.advect: {}
  - emit: {shape: {sphere: {center: [0, 0, 0.3], radius: 18 cm}}, falloff: 8 cm, density: 3, temperature: 300, soot: 1,
           ash: 1, dye: [1, 0, 0]}
  - mac.forces: {buoyancy: 2}
  - mac.project: {}
export:
  - vdb: {}
YAML
run bake dense.yaml --out out/dense; expect "a cache" 0
find out/dense -name '*.vdb' -exec md5sum {} + | sort >before

# ---- what breaks, each with the command that mends it ----
run check out/dense; expect "without a host nothing is wrong" 0
run check out/dense --for houdini; expect "Houdini has y up" 1 "z points up, there y does.*billow convert out/dense --for houdini mends it"
run check out/dense --for unreal
expect "Unreal: centimetres, eight channels, 8 bits" 1 "a metre is 1 units, there it is 100" "has 10 channels, there are 8" \
    "density reaches 3.*cut off at 1" "billow convert out/dense --for unreal mends it" "Unreal Engine 5.4 manual"
run check out/dense --for unreal-nano; expect "unreal-vdb: no vectors, one box" 1 "vel is a vector" "other bounds" "issues/36"
run check out/dense --for maya; expect "a host that nobody knows" 2 "no host is called .maya."
run check out/dense --for blendr; expect "one that is nearly known" 2 "blender"
run check dense.yaml --for blender; expect "a preset has no host" 2 "of caches"

# ---- mended, the original untouched ----
for host in $hosts; do
    run convert out/dense --for "$host"; expect "convert for $host" 0 "6 files for $host"
    run check "out/dense_$host" --for "$host"; expect "which keeps its rules" 0 "frames 1-6, 6 files, 0 missing"
done
that "the cache is what it was" sh -c "find out/dense -name '*.vdb' -exec md5sum {} + | sort | cmp - before"
that "no half of a file is left" test -z "$(find out -name '.*.part')"
run info out/dense_unreal/dense_0003.vdb; expect "Unreal's file says its units" 0 "scale.*100" "density" "vel"
run convert out/dense --for unreal --force --json; expect "what was done" 0 '"density_gain": 0.333' '"left_out"'
run convert out/dense --for unreal; expect "files that are there" 2 "is there already: --force"
run convert out/dense --for unreal --out out/dense/vdb --force; expect "into the cache itself" 2 "holds the cache, which is not changed"
run convert out/dense; expect "for nobody" 2 "wants --for"
run convert out/dense --for unrael; expect "a host misspelt" 2 "unreal"
run convert nowhere --for unreal; expect "no cache" 6 "nowhere"
run convert out/dense --for blender --proxy; expect "a proxy" 0 "out/dense_blender_proxy" "vel is left out"
run info out/dense_blender_proxy/dense_0003.vdb; expect "voxels twice as wide" 0 "voxel size +0\.1$"
run blender out/dense_houdini; expect "a converted cache is one" 0 "dense_blender.py"
run convert out/dense_houdini --for blender --out again; expect "and back" 0
run compare out/dense/vdb/dense_0003.vdb again/dense_0003.vdb
that "all but a note of it is what it was" sh -c "test \$(grep -c : out.txt) = 1 && grep -q 'for: nothing' out.txt"

# ---- names that are not English, frames without smoke, others' flows ----
mkdir -p "煙"
cp out/dense/vdb/*.vdb "煙/"
run check "煙" --for octane; expect "Octane reads ASCII alone" 1 "path is not ASCII" "billow convert .* --for octane --out FOLDER"
run convert "煙" --for octane; expect "nor a folder beside it" 2 "not ASCII: give another with --out"
run convert "煙" --for octane --out plain; expect "a plain one is good" 0
run check plain --for octane; expect "and Octane reads it" 0
sed 's/density: 3, temperature: 300/frames: 2-6, density: 3, temperature: 300/; s/name: dense/name: late/' dense.yaml >late.yaml
run bake late.yaml --out out/late; expect "a first frame without smoke" 0
run check out/late --for unreal-nano; expect "which unreal-vdb cannot import" 1 "grid density is empty" "issues/92"
run convert out/late --for unreal-nano; expect "gets a voxel" 0
run check out/late_unreal-nano --for unreal-nano; expect "and is imported" 0

# ---- an unreadable frame: one sentence, and nothing of the cache is lost ----
cp -r out/dense broken
truncate -s 900 broken/vdb/dense_0002.vdb
run convert broken --for unreal; expect "a truncated frame" 6 "dense_0002.vdb"
that "no half of it" test -z "$(find broken_unreal -name '*0002*')"

prompt_end
