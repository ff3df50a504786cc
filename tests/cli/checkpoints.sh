#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# checkpoints.sh BILLOW SOURCE: the checkpoints of a short bake, what they may take, and bakes that go on from them with a stage more.
. "$(dirname "$0")/prompt.sh"

# ---- by default ----
run bake puff.yaml --out usual --frames 1001-1040
that "by default the first frame has one" test -s usual/checkpoints/puff_1001.bwck
run resume usual --from-frame 1020 --set stages.mac.forces.buoyancy=2; expect "so any frame can be changed" 0 "40 frames"
run bake puff.yaml --dry-run
expect "what they take is told" 0 "96.0 KiB of VDB files, 16.0 KiB a frame, and 184 KiB of checkpoints \(.checkpoints: \{keep: 2\}. keeps two\)"
run bake puff.yaml --dry-run --set checkpoints.keep=2; expect "of two" 0 "and 160 KiB of checkpoints"

# ---- a stage more, from a frame on ----
run bake puff.yaml --out old --frames 1001-1030 --set checkpoints.frames=5 --set checkpoints.keep=9
# more NAME FIRST STAGES: puff.yaml with these, from frame 1018 on, in the folder NAME, where the bake without them lies.
# Grids differ from its ones from frame FIRST on.
more() {
    printf 'billow: 1\nextends: puff.yaml\ncheckpoints: {frames: 5, keep: 9}\nstages:\n%b' "$3" >"$1.yaml"
    cp -r old "$1"
    run bake "$1.yaml" --out "$1" --frames 1001-1030 --resume --from-frame 1018
    expect "$1: a stage more" 0 "30 frames"
    that "$1: from the checkpoint before" grep -q "^resumed from $1/checkpoints/puff_1015.bwck, after frame 1015" "$1/bake.log"
    "$billow" compare old/vdb "$1/vdb" >out.txt 2>err.txt
    that "$1: frames from $2 on differ, and no others" test "$(grep -v preset_hash: out.txt | cut -c6-9 | uniq | xargs)" = "$(seq -s ' ' "$2" 1030)"
}
ball='shape: {sphere: {center: [0, 0, 0.3], radius: 6 cm}}'
more seen 1031 "  - tracers: {$ball, count: 200}\nexport:\n  - ply: {particles: tracers}\n"
that "tracers are there from then on" test "$(cd seen/ply && echo *)" = "$(seq -f 'puff_tracers_%.0f.ply' -s ' ' 1016 1030)"
that "all of them" grep -aq "element vertex 206" seen/ply/puff_tracers_1016.ply
more later 1020 "  - emit: {id: later, frames: 1020-1030, $ball, density: 3}\n"
more ball 1016 "  - collide: {id: ball, before: mac.advect, shape: {sphere: {center: [0, 0, 0.5], radius: 8 cm}}}\n"
more start 1016 "  - set: {field: density, value: 0.5, mode: multiply, before: emit}\n" # once, as its first step begins
cat >mass.py <<'PYTHON'
import csv
def mass(folder): return {r["frame"]: float(r["stats.mass_density"]) for r in csv.DictReader(open(f"{folder}/metrics.csv"))}
a, b = mass("old"), mass("later")
assert a.keys() == b.keys() and all(a[f] == b[f] for f in a if f < "1020"), (a, b)
assert b["1030"] > 1.2 * a["1030"], (a["1030"], b["1030"])
c = mass("start")
assert c["1016"] < 0.8 * a["1015"] and c["1016"] < c["1017"] < c["1018"], (a["1015"], c["1016"], c["1017"])
PYTHON
that "there is more smoke from then on, or half of it" python3 mass.py
run bake later.yaml --out later --resume --frames 1001-1034; expect "it is made longer as any other" 0 "34 frames"
that "from its own checkpoint" grep -q "^resumed from later/checkpoints/puff_1030.bwck" later/bake.log
run bake later.yaml --out later --resume --frames 1001-1036 --set stages.mac.forces.buoyancy=2
expect "but not with values that it never had" 2 "buoyancy: 1 → 2"
# refused WHAT PATTERN ARGS…: the bake `seen` does not become that from frame 1025 on.
refused() {
    local what=$1 pattern=$2
    shift 2
    run bake "$@" --frames 1001-1030 --out seen --resume --from-frame 1025
    expect "$what" 6 "$pattern" "no frame was finished: seen keeps what it has"
}
refused "particles that would be lost" 'puff_1020\.bwck: there are no particles "0/tracers" in this preset' puff.yaml
refused "another voxel" 'on a grid of other cells is the field "main/vel"' seen.yaml --set domain.voxel=1cm
refused "a box elsewhere" 'of domain main are of 0.02 m from \(-0.32, -0.01, 0\) m on there, and of 0.02 m from \(0, 0, 0.01\)' \
    seen.yaml --set 'domain.origin=[0,0,1cm]'

prompt_end
