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
expect "Unreal: centimetres, eight channels, 8 bits" 1 "a metre is 1 unit, there it is 100" "has 11 channels, there are 8" \
    "density reaches 3.*cut off at 1" "billow convert out/dense --for unreal mends it" "Unreal Engine 5.4 manual"
run check out/dense --for unreal-nano; expect "unreal-vdb: no vectors, one box" 1 "vel is a vector" "other bounds" "issues/36"
run check out/dense --for maya; expect "a host that nobody knows" 2 "no host is called .maya."
run check out/dense --for blendr; expect "one that is nearly known" 2 "blender"
run check dense.yaml --for blender; expect "a preset has no host" 2 "of caches"

# ---- smoke as thick in files of another unit, on which nothing optical depends ----
thick() { # thick SCRIPT: extinction a metre of the scene
    awk -F'[:,{} ]+' '$2 == "\"scale\"" { scale = $3 } $2 == "\"extinction\"" { print scale * $4; exit }' "$1"
}
for unit in 1 100 39.37; do
    run bake dense.yaml --frames 1-1 --set export.vdb.scale=$unit --out "out/in$unit"; expect "files of $unit units a metre" 0
    run blender "out/in$unit" --scene; expect "their scene" 0
    that "smoke is as thick: $(thick out/in1/dense_blender.py)" \
        test "$(thick "out/in$unit/dense_blender.py")" = "$(thick out/in1/dense_blender.py)"
done

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

# ---- baked so in the first place ----
for host in $hosts; do
    run bake dense.yaml --out "out/by_$host" --set "export.vdb.for=$host" --set stages.emit.density=0.9
    expect "vdb: {for: $host}" 0 "VDB files: .* a frame"
    run check "out/by_$host" --for "$host"; expect "keeps its rules" 0 "frames 1-6, 6 files, 0 missing"
done
run bake dense.yaml --out out/short --set export.vdb.for=unreal
expect "what has no channel is told" 0 "field ash is left out: no channel"
run bake dense.yaml --out out/wide --set export.vdb.for=unreal --set export.vdb.scale=1
run check out/wide --for unreal; expect "what is given counts more than the host" 1 "a metre is 1 unit"
run bake dense.yaml --out out/none --set export.vdb.for=maya; expect "an unknown host" 3 "for can't be .maya."
run bake dense.yaml --out out/none --set export.vdb.for=octane --set export.vdb.name=煙; expect "a name for Octane" 3 "its names are ASCII"
sed 's/density: 3, temperature: 300/frames: 3-6, density: 3, temperature: 300/; s/name: dense/name: dawn/' dense.yaml >dawn.yaml
run bake dawn.yaml --out out/dawn --set export.vdb.for=unreal-nano; expect "frames without smoke" 0
run check out/dawn --for unreal-nano; expect "have their voxel" 0
sed 's/buoyancy: 2/buoyancy: 2, confinement: 0/; s/density: 3,/density: 3, velocity: [9, 0, 0],/; s/name: dense/name: fast/' dense.yaml >fast.yaml
run bake fast.yaml --out out/fast --set export.vdb.velocity_pad=1; expect "fast smoke" 0
run check out/fast --for blender; expect "asks for a wider rim, as a note" 0 "note: .*vel is known 1 voxels round.*velocity_pad"
run bake fast.yaml --out out/rim --set export.vdb.for=blender; expect "which the host gets" 0
run check out/rim --for blender; expect "and nothing is said" 0
that "not even a note" sh -c "! grep -q note err.txt"

# ---- how exact ----
run bake dense.yaml --out out/exact --set 'export.vdb.precision={density: 1/255, temperature: 2 K}'
expect "rounded values" 0
run bake dense.yaml --out out/flow --set 'export.vdb.precision={vel: 1 cm/s}'; expect "and velocities" 0
# largest FOLDER GRID BOUND: how far the last frame is off
largest() {
    "$billow" compare out/dense/vdb/dense_0006.vdb "$1/vdb/dense_0006.vdb" --json >found.json
    python3 -c 'import json, sys
found = [d["max"] for d in json.load(open("found.json"))["differences"] if d.get("grid") == sys.argv[1] and "max" in d]
sys.exit(not (found and 0 < found[0] <= float(sys.argv[2])))' "$2" "$3"
}
that "density is off by 1/255 at most" largest out/exact density .0039216
that "temperature by 2 K, in thousands of them" largest out/exact temperature .002
that "each component of vel by 1 cm/s" largest out/flow vel .0173206
that "and smaller" test "$(du -sb out/exact/vdb | cut -f1)" -lt "$(du -sb out/dense/vdb | cut -f1)"
run check out/exact; expect "the files are good" 0
run bake dense.yaml --out out/none --set 'export.vdb.precision={densty: 1/255}'; expect "of no field" 3 "no field .densty., but one by the name .density."
run bake dense.yaml --out out/no_error --set 'export.vdb.precision={density: 0}'; expect "no error at all" 3 "above 0"
run bake dense.yaml --out out/no_bits --set 'export.vdb.precision=twice'; expect "no such bits" 3 "bits can't be .twice."
run bake dense.yaml --dry-run; expect "a frame's size before" 0 "VDB files, .*B a frame"

# ---- heat: V-Ray's preset takes 0 to 1, or 2 ----
run bake dense.yaml --out out/kelvin --set export.vdb.temperature=excess; expect "kelvin" 0
run check out/kelvin --for vray; expect "is not what V-Ray expects" 1 "a temperature of 1 is 1 K above the air, there it is 1000 K" \
    "convert out/kelvin --for vray"
run convert out/kelvin --for vray; expect "thousands of them" 0
run check out/kelvin_vray --for vray; expect "are" 0
run compare out/kelvin_vray/dense_0006.vdb out/dense/vdb/dense_0006.vdb --json
that "the same temperatures" python3 -c 'import json, sys
sys.exit(any(d.get("grid") == "temperature" and d.get("max", 0) > 2.5e-4 for d in json.load(open("out.txt"))["differences"]))'

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

# ---- stopped at any moment: what has its name is whole, and the cache is what it was ----
for pause in 0.02 0.06 0.15; do
    "$billow" convert out/dense --for houdini --out "cut_$pause" >out.txt 2>err.txt &
    sleep "$pause"
    kill -9 $!
    wait $! 2>kill.txt
    if [ -n "$(ls "cut_$pause" 2>kill.txt)" ]; then
        run check "cut_$pause"; expect "no half of a file after $pause s" 0
    fi
    run convert out/dense --for houdini --out "cut_$pause" --force; expect "and once more" 0
    run check "cut_$pause" --for houdini; expect "all of it" 0 "6 files"
done
(ulimit -f 8; "$billow" convert out/dense --for houdini --out small >out.txt 2>err.txt)
code=$?
expect "files that may not grow" 6 "cannot write small/"
that "no half of one" test -z "$(ls -A small)"
(cd out/dense && "$billow" convert . --for houdini) >out.txt 2>err.txt
code=$?
expect "a folder without a name" 2 "out/dense_houdini/dense_0001.vdb is there already"
find out/dense -name '*.vdb' -exec md5sum {} + | sort | cmp -s - before; code=$?
expect "the cache after all that" 0

prompt_end
