#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# resume.sh BILLOW SOURCE: bakes that stop, or are stopped, and go on: to the same bytes, or with a sentence.
. "$(dirname "$0")/prompt.sh"

sed 's/name: puff/name: film/; s/1001-1006/1001-1024/' puff.yaml >film.yaml
printf '  - mp4: {size: 64}\n  - png: {size: 64}\ncheckpoints: {every: 0, frames: 3, keep: 4}\n' >>film.yaml
run bake film --out whole; expect "a bake" 0 "whole: 24 frames" "checkpoints, .* beside the simulation"

# same WHAT FOLDER: all files but those that tell of the run are the undisturbed bake's, and nothing else is there.
same() { that "$1: the same files" diff <(made whole) <(made "$2"); }

# stopped FOLDER SIGNAL FRAMES ARGS…: bake film until so many frames are told, then send the signal.
stopped() {
    local folder=$1 signal=$2 frames=$3
    shift 3
    during "$frames" "kill -$signal \$pid" bake film.yaml --out "$folder" "$@"
}

# ---- stopped, killed, and killed again ----
signals="TERM INT HUP"; [ -z "${BILLOW_TEST_SHORT:-}" ] || signals=TERM # all three end in the same handler
for signal in $signals; do
    stopped "s_$signal" $signal 5; expect "SIG$signal" 75 '"code":75'
    run resume "s_$signal"; expect "it is resumed" 0 "24 frames"
    same "SIG$signal" "s_$signal"
done
stopped kill KILL 8
stopped kill KILL 2 --resume
that "a kill leaves a list of what is there" grep -q '^whole .* vdb/film_1001.vdb$' kill/bake.journal
run bake film --out kill; expect "without --resume it is refused" 2 "unfinished bake of this preset" "--resume goes on with it"
run bake film --out kill --resume; expect "with it, it goes on" 0 "24 frames"
same "killed twice" kill
that "nothing half-written is left" test -z "$(find kill -name '.*')"
that "the log tells of both" test "$(grep -c '^resumed from kill/checkpoints/film_' kill/bake.log)" -ge 1
run resume kill; expect "once more there is nothing to do" 0 "up to date"

# ---- what is muted makes nothing: another build of its plugin would be no other bake ----
sed 's/^export:$/&\n  - ply: {id: points, particles: none, enabled: false}/' film.yaml >muted.yaml
run bake muted.yaml --out muted --frames 1001-1010; expect "with a muted exporter" 0 "10 frames"
run resume muted --frames 1001-1024; expect "resolved.yaml, which says so, is the same bake" 0 "24 frames"
that "without what was muted: the same files" diff <(made whole | grep -v resolved.yaml) <(made muted | grep -v resolved.yaml)
that "but for a line in resolved.yaml" test "$(grep -A2 '  - ply:' muted/resolved.yaml | grep -c 'enabled: false')" = 1

# ---- on demand ----
sed 's/^checkpoints.*/checkpoints: {keep: 2}/' film.yaml >rare.yaml
"$billow" bake rare.yaml --out demand --frames 1001-9000 --json >out.txt 2>err.txt </dev/null &
pid=$!
soon grep -qs '"event":"frame"' out.txt
kill -USR1 $pid
soon compgen -G 'demand/checkpoints/*.bwck' >/dev/null
that "SIGUSR1 makes one" test -n "$(ls demand/checkpoints 2>/dev/null)"
that "and the bake goes on" kill -0 $pid
kill -KILL $pid
{ wait $pid; } 2>/dev/null

run bake rare.yaml --out late --frames 1001-1400 --set limits.time=0.2; expect "the time limit" 7 "time limit"
that "leaves a checkpoint" test -n "$(ls late/checkpoints 2>/dev/null)"

# ---- longer, shorter, other values ----
run bake film --out long --frames 1001-1010; expect "a short bake" 0 "10 frames"
run bake film --out long; expect "a longer one is refused" 2 "with other frames" "--resume goes on with it"
run resume long --frames 1001-1024; expect "--resume makes it longer" 0 "24 frames"
that "it began behind the last frame" grep -q "^frame 11/24" err.txt
same "longer" long
run resume long --frames 1001-1012; expect "it is not cut" 2 "more frames of this bake than were asked for"
run resume long --set stages.mac.forces.buoyancy=2; expect "other values are refused" 2 "buoyancy: 1 → 2"
run resume long --from-frame 1003 --set stages.mac.forces.buoyancy=2
expect "before the first checkpoint that is kept" 2 "keeps no checkpoint that is whole and good before frame 1003"
run resume long --from-frame 1020 --set stages.mac.forces.buoyancy=2; expect "from a frame on they are not" 0 "24 frames"
cat >change.py <<'PYTHON'
import hashlib, json
record = json.load(open("long/bake.json"))
[change] = record["changes"]
assert "buoyancy: 1 → 2" in change["values"] and 1010 <= change["after"] < 1020, change
def sums(folder): return [hashlib.sha1(open(f"{folder}/vdb/film_{i}.vdb", "rb").read()).digest() for i in range(1001, 1025)]
same = [a == b for a, b in zip(sums("whole"), sums("long"))]
assert same == [1000 + i <= change["after"] for i in range(1, 25)], (same, change)
PYTHON
that "the change is recorded, and frames before it are as they were" python3 change.py
run check long; expect "no foreign frames, for a check" 0 "frames 1001-1024, 24 files, 0 missing"
run bake film --out long --set stages.mac.forces.buoyancy=2; expect "that is the bake now" 0 "up to date"
run bake film --from-frame 7; expect "--from-frame alone" 2 "from-frame is for a bake that is resumed"
run resume long --from-frame 1025; expect "a frame behind the last" 2 'frame 1025 lies behind the last one, 1024'
run resume long --from-frame soon; expect "a frame that is none" 2 'from-frame wants a whole number, not "soon"'

# ---- a project that moves ----
mkdir -p here/caches && cp "$presets/../meshes/box.obj" here/ && cp whole/vdb/film_100[1-3].vdb here/caches
sed -e 's/name: puff/name: moves/; s/sphere: .*radius: 10 cm}/mesh: {file: box.obj, scale: 0.3}/' \
    -e 's/frames: 1001-1006, //; 2i frames_from: caches/film_####.vdb' puff.yaml >here/moves.yaml
cp -r here there
run bake here/moves.yaml --out here/out; expect "a bake with a mesh, on a cache, both by relative names" 0 "3 frames"
run bake there/moves.yaml --out there/out; expect "the same elsewhere" 0 "3 frames"
that "the same bytes" cmp here/out/vdb/moves_1003.vdb there/out/vdb/moves_1003.vdb
run resume here/out; expect "a resume finds both" 0 "up to date"
echo "v 9 9 9" >>there/box.obj
run bake there/moves.yaml --out there/out; expect "another mesh by that name is another bake" 2 "a different bake"

# ---- checkpoints that are no good ----
stopped bad KILL 8
newest=$(ls bad/checkpoints | sort | tail -1)
# hurt WHAT COMMAND…: with the newest checkpoint in that state the bake goes on from an older one, or anew.
hurt() {
    local what=$1
    shift
    rm -rf hurt; cp -r bad hurt
    (cd hurt/checkpoints && "$@")
    run resume hurt; expect "$what" 0 "24 frames"
    same "$what" hurt
    that "$what: the log says so" grep -qE "$log" hurt/bake.log
}
log="^not from hurt/checkpoints/$newest: it (is|has|says)"
hurt "a checkpoint that is cut" truncate -s -100 "$newest"
hurt "one of no bytes" truncate -s 0 "$newest"
hurt "one with a byte turned" python3 -c "f = open('$newest', 'r+b'); f.seek(5000); f.write(b'x')"
hurt "one that is a pipe" sh -c "rm $newest; mkfifo $newest"
hurt "one that is somebody else's file" sh -c "echo hello >$newest"
log="^to be resumed, but it began anew: no checkpoint is there"
hurt "none at all" sh -c 'rm *'
log="^to be resumed, but it began anew: .* depends on files that are damaged or missing"
hurt "a frame before it that is cut" truncate -s 100 ../vdb/film_1002.vdb
log="^resumed from hurt/checkpoints/$newest"
hurt "a lost record" rm ../bake.json
hurt "a lost journal" rm ../bake.journal
rm -r hurt; cp -r bad hurt
run resume hurt --frames 1001-1010; expect "fewer frames than it was to have" 2 "more frames of this bake than were asked for"
rm hurt/checkpoints/*
run resume hurt --frames 1003-1024; expect "anew, but from another frame" 2 "an unfinished bake of this preset with other frames"
log="^resumed from hurt/checkpoints/"
hurt "of these nothing was lost" rm "$newest"
mkdir far; cp bad/checkpoints/* far/; sha1sum far/* >far.txt
rm -r hurt/checkpoints; ln -s ../far hurt/checkpoints
run resume hurt --frames 1001-1030; expect "a folder of them that is a link elsewhere" 6 "hurt/checkpoints/.*: Not a directory"
that "what a link leads to is left alone" sha1sum --quiet -c far.txt
run bake film --out other --simd baseline --frames 1001-1004; run resume other --simd avx2
expect "another SIMD level" 2 "simd: baseline → avx2"
mkdir built; cp "$("$billow" info mac.project | sed -n 's/^plugin: //p')" built; echo >>built/mac.so
BILLOW_PLUGIN_PATH=built run resume other --simd baseline --frames 1001-1008; expect "another build" 2 "mac.so has been built anew since"
run resume nowhere; expect "a folder that is none" 2 "nowhere holds no bake that can be resumed"
run bake film --out fresh --resume; expect "--resume in an empty folder begins" 0 "24 frames"
same "begun with --resume" fresh

prompt_end
