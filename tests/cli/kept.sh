#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kept.sh BILLOW SOURCE: a bake that was begun is not lost to the next one: not to a bake without a word, and not to one
# that was to replace it and came to nothing.
. "$(dirname "$0")/prompt.sh"

# stays WHAT FOLDER: all files are as they were when they were summed into stays.txt.
stays() {
    that "$1: all is as it was" diff stays.txt <(kept "$2")
}

# ---- bakes without a file a frame ----
sed '/^export:/,$d; s/1001-1006/1001-1200/' puff.yaml >bare.yaml
printf 'checkpoints: {every: 0, frames: 3, keep: 4}\n' >>bare.yaml
sed 's/name: puff/name: numbers/' bare.yaml >numbers.yaml
sed 's/name: puff/name: film/' bare.yaml >film.yaml
printf 'export:\n  - mp4: {size: 64, sheet: no}\n' >>film.yaml
mkdir built; cp "$("$billow" info mac.project | sed -n 's/^plugin: //p')" built; echo >>built/mac.so
for preset in numbers film; do
    during 8 "until ls $preset/checkpoints/*.bwck; do sleep 0.01; done; kill -KILL \$pid" bake $preset.yaml --out $preset --simd baseline
    kept $preset | grep -v '/\.' >stays.txt
    that "$preset: killed with checkpoints" grep -q bwck stays.txt
    find $preset -name '.*' -type f -delete
    run bake $preset.yaml --out $preset --simd baseline
    expect "$preset: a plain bake" 2 "$preset holds an unfinished bake of this preset, [0-9]+ checkpoints? (is|are) whole" "--resume goes on with it"
    run bake $preset.yaml --out $preset --simd baseline --set domain.voxel=4cm
    expect "$preset: of another voxel" 2 "an unfinished, different bake, [0-9]+ checkpoints? (is|are) whole" "voxel: 2 cm → 4cm"
    run bake $preset.yaml --out $preset --simd baseline --resume --set stages.mac.forces.buoyancy=2
    expect "$preset: resumed with another value" 2 "buoyancy: 1 → 2"
    run bake $preset.yaml --out $preset --simd avx2 --resume; expect "$preset: with another SIMD level" 2 "simd: baseline → avx2"
    BILLOW_PLUGIN_PATH=built run bake $preset.yaml --out $preset --simd baseline --resume
    expect "$preset: by another build" 2 "built anew since"
    stays "$preset: refused" $preset
    run resume $preset --simd baseline --frames 1001-1020; expect "$preset: fewer frames" 2 "more frames of this bake"
    stays "$preset: refused" $preset
done
sed '/^checkpoints/d' numbers.yaml >rare.yaml
during 8 'sleep 2.2; kill -KILL $pid' bake rare.yaml --out rare --frames 1001-9000 --set checkpoints.every=0
run bake rare.yaml --out rare --set domain.voxel=4cm
expect "rows without a checkpoint" 2 "rare holds an unfinished, different bake, metrics.csv is whole"

# ---- a bake that comes to nothing ----
cp "$presets/../meshes/box.obj" .
sed -e 's/1001-1006/1001-1008/; s/name: puff/name: shot/; s/sphere: .*radius: 10 cm}/mesh: {file: box.obj, scale: 0.3}/' puff.yaml >shot.yaml
printf '  - mp4: {size: 64}\ncheckpoints: {every: 0, frames: 3, keep: 4}\n' >>shot.yaml
cp shot.yaml other.yaml; sed -i 's/buoyancy: 1/buoyancy: 2/' other.yaml
run bake shot.yaml --out done; expect "a bake" 0 "done: 8 frames"
during 6 'kill -KILL $pid' bake shot.yaml --out part --frames 1001-1014
find part -name '.*' -type f -delete
rm box.obj
# nothing WHAT CODE PATTERN ARGS…: it fails before a frame is whole; the folder is as it was.
nothing() {
    local what=$1 wanted=$2 pattern=$3
    shift 3
    run bake "$@"; expect "$what" "$wanted" "$pattern"
    stays "$what" "$folder"
}
for folder in done part; do
    kept $folder >stays.txt
    for way in --force "--resume --from-frame 1005"; do
        # shellcheck disable=SC2086
        nothing "$folder $way: a mesh that is gone" 6 "box.obj" other.yaml --out $folder $way
    done
    cp "$presets/../meshes/box.obj" .
    that "$folder: the sentence" grep -q "no frame was finished: $folder keeps what it has" err.txt
    nothing "$folder: a limit of memory" 7 "" other.yaml --out $folder --force --memory 3M --set domain.voxel=4mm --set time.warmup=2
    nothing "$folder: of a preset" 3 "no\.such" other.yaml --out $folder --force --set stages.no.such.key=1
    (ulimit -f 4; exec "$billow" bake other.yaml --out $folder --force >out.txt 2>err.txt </dev/null); code=$?
    expect "$folder: files that may not grow" 6 "File too large"
    stays "$folder: files that may not grow" $folder
    during 2 'kill -INT $pid' bake other.yaml --out $folder --force --set time.warmup=4000
    expect "$folder: Ctrl-C in the first frame" 130
    stays "$folder: Ctrl-C in the first frame" $folder
    rm box.obj
done
cp "$presets/../meshes/box.obj" .
run check done; expect "for a check it is whole" 0 "0 missing"
run bake shot.yaml --out done; expect "and up to date" 0 "up to date"
run resume part --frames 1001-1014; expect "the killed one goes on" 0 "14 frames"
run bake other.yaml --out done --force; expect "a bake that gets there replaces it" 0 "8 frames"
that "with nothing half-written" test -z "$(find done -name '.*')"
run bake other.yaml --out fresh; expect "beside it" 0 "8 frames"
that "the same files as in a new folder" diff <(made done) <(made fresh)
that "the log is that of the new one" test "$(grep -c '^Billow' done/bake.log)" = 1

# ---- replacing is one thing, memory another ----
big="--set domain.size=[400,400,400] --set domain.voxel=5mm --memory 2G"
# shellcheck disable=SC2086
nothing_big() { run bake shot.yaml --out fresh $big "$@"; }
kept fresh >stays.txt
nothing_big --force; expect "--force asks whether it fits" 7 "needs up to .* when it is full, the limit is" "--overcommit starts all the same"
stays "refused" fresh
nothing_big --force --overcommit --set time.frames=1001-1001; expect "--overcommit does not" 0 "1 frame"
nothing_big --overcommit --set time.frames=1001-1001 --set stages.mac.forces.buoyancy=3; expect "--overcommit replaces nothing" 2 "fresh holds a different bake"

# ---- old checkpoints thin out ----
# spread FOLDER: the newest two are there; before any frame there is one at most four times as old; those older than the
# two take a quarter of what the other files do at most.
spread() {
    python3 - "$1" <<'EOF'
import os, pathlib, sys
folder = pathlib.Path(sys.argv[1])
kept = {int(p.stem[-4:]): p.stat().st_size for p in folder.glob("checkpoints/*.bwck")}
frames = sorted(kept, reverse=True)
age = [frames[0] - f for f in frames]
assert age[1] == 1 and 5 <= len(age) <= 8, frames
assert all(old <= 4 * young for young, old in zip(age[1:], age[2:])) and frames[-1] <= 1004, frames
rest = sum(p.stat().st_size for p in folder.rglob("*") if p.is_file() and p.suffix != ".bwck")
assert sum(kept[f] for f in frames[2:]) <= rest / 4, (kept, rest)
EOF
}
run bake puff.yaml --out thin --set time.frames=1001-1064 --set checkpoints.frames=1
that "log-spaced" spread thin
run resume thin --from-frame 1030 --set stages.mac.forces.buoyancy=3; expect "so a late change finds one" 0 "64 frames"
that "before its frame" grep -qE "^resumed from thin/checkpoints/puff_10[012].\.bwck" thin/bake.log
run bake puff.yaml --out two --set checkpoints.frames=1 --set checkpoints.keep=2
that "as many as one says" test "$(cd two/checkpoints && echo *)" = "puff_1005.bwck puff_1006.bwck"
run bake puff.yaml --out bare --mute vdb --set checkpoints.frames=1
that "beside small files the newest two" test "$(cd bare/checkpoints && echo *)" = "puff_1005.bwck puff_1006.bwck"

# ---- the way to more checkpoints ----
run bake shot.yaml --out few --set checkpoints.frames=0
run resume few --from-frame 1003 --set stages.mac.forces.buoyancy=3
expect "no checkpoint before a frame" 2 "no checkpoint .* before frame 1003.* with .checkpoints: \\{frames: 10\\}. in the preset, and no .keep. in it"

prompt_end
