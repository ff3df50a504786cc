#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh BILLOW SOURCE: how the program behaves at the prompt. The last line is "N passed, N failed".
. "$(dirname "$0")/prompt.sh"

# ---- words ----
run; expect "no command" 2 "billow bake plume"
run --help; expect "--help" 0 "Commands" "Exit codes"
run --version; expect "--version" 0 "^Billow [0-9]+\.[0-9]+"
run bkae; expect "unknown command" 2 'did you mean bake\?'
that "one line for an unknown command" test "$(wc -l <err.txt)" = 1
for command in bake wedge status cancel check compare list info view preview blender upres retime doctor plugin schema completion; do
    run help "$command"; expect "help $command" 0 "$command"
done
run bake puff --frmaes 1; expect "unknown option" 2 'did you mean --frames\?'
run bake; expect "bake without a preset" 2 "wants a preset"
run bake puff --threads two; expect "threads that are no number" 2 "whole number"
run bake puff --threads 0; expect "no threads" 2 "whole number"
run bake puff --simd avx1024; expect "unknown SIMD level" 2 "baseline, avx2 or avx512"
run bake puff --out; expect "option without its value" 2 "wants a value"
for command in "bake puff --force" "blender ." "preview ." "upres ." "retime ."; do
    # shellcheck disable=SC2086
    run $command --out ''; expect "$command into nowhere" 2 "--out is empty"
done
that "nothing is made for an empty --out" test ! -e out
run bake puff --force --new; expect "contradicting options" 2 "one of them"
run info mac.projct; expect "unknown name" 2 "did you mean mac.project"
run info mac.project; expect "info of a stage" 0 "tolerance" "vel +updates mac"
run info mac.forces; expect "a usual range" 0 "usually 250 to 320, K"
run info vdb; expect "info of an exporter" 0 "fields"
run info domain; expect "info of a section" 0 "voxel: # number, above 0, m" "periodic: # group" "x-: # one of"
run info time; expect "its defaults and ranges" 0 "fps: 24" "substeps: auto +# list of whole numbers, 1 to 2, or auto"
run info stages; expect "what every stage takes" 0 "bind: # map of fields"
run info limts; expect "unknown section" 2 "did you mean limits"
run info puff; expect "info of a preset" 0 "Watch it rise" "32 x 1 x 64" "1001-1006 at 25"
run list; expect "list" 0 "mac.project" "emit" "vdb"
run list --json; that "list --json parses" python3 -m json.tool out.txt
run schema; that "schema parses" python3 -m json.tool out.txt
cat >schema.py <<'END'
import json
schema = json.load(open("out.txt"))
parts = schema["properties"]
assert parts["time"]["properties"]["fps"]["anyOf"][0]["exclusiveMinimum"] == 0
assert parts["domain"]["properties"]["center"]["anyOf"][0]["minItems"] == 2 and not schema["additionalProperties"]
stage = parts["stages"]["items"]["anyOf"][1]["properties"]["mac.project"]["properties"]
assert True in stage["enabled"]["enum"] and "tolerance" in stage
assert "frames" not in parts["export"]["items"]["anyOf"][1]["properties"]["vdb"]["properties"]
END
that "schema knows the sections" python3 schema.py
run doctor; expect "doctor" 0 "SIMD" "movie encoder"
run completion; that "completion is bash" bash -n out.txt

# ---- presets ----
run check puff; expect "check of a good preset" 0 "good, 5 stages, 6 frames"
run check puffy.yaml; expect "no such preset" 3 "puffy"
edit 's/mac.project: {}/mac.project: {tolerence: 1}/'
run check edited.yaml; expect "unknown key" 3 'edited\.yaml:10:[0-9]+: .*did you mean "tolerance"'
edit 's/density: 1, temperature: 100/density: 1, temprature: 100/'
run check edited.yaml; expect "a field by a slip of the pen" 0 'edited\.yaml:7:5: makes "temprature", .*did you mean "temperature"'
edit 's/density: 1, temperature: 100/density: 1, perfume: 100/'
run check edited.yaml; expect "a field of its own" 0 "good"; that "… without a warning" test ! -s err.txt
edit 's/mac.project: {}/mac.projct: {}/'
run check edited.yaml; expect "unknown stage" 3 'edited\.yaml:10:[0-9]+: .*did you mean "mac\.project"'
edit 's/radius: 10 cm/radius: 10 kg/'
run check edited.yaml; expect "wrong unit" 3 'edited\.yaml:7:[0-9]+: .*mass'
edit 's/mac.project: {}/mac.project: {tolerance: -1}/'
run check edited.yaml; expect "out of range" 3 'edited\.yaml:10:[0-9]+: '
edit 's/voxel: 2 cm/voxel: 0/'
run check edited.yaml; expect "zero voxel" 3 'edited\.yaml:4:[0-9]+: '
edit 's/- mac.project: {}/- mac.project: {/'
run check edited.yaml; expect "broken YAML" 3 'edited\.yaml:[0-9]+:[0-9]+: '
edit 's/- vdb: .*/- exr: {}/'
run check edited.yaml; expect "an exporter that refuses" 3 'edited\.yaml:13:[0-9]+: exr: .*one cell thick'
edit 's/- vdb: .*/- png: {view: render, lights: [{to: [0, 0, 0]}]}/'
run check edited.yaml; expect "a lamp of no direction" 3 'edited\.yaml:13:[0-9]+: png: lamp 1 has no direction'
edit 's/- vdb: .*/- png: {view: render, obstacles: {each: [{material: wax}]}}/'
run check edited.yaml; expect "an obstacle of no stage" 3 'edited\.yaml:13:[0-9]+: png: obstacles: number 1 of `each` has no `stage`'
edit 's/- vdb: .*/- png: {view: render, sky: {hdri: {file: none.hdr}}}/'
run check edited.yaml; expect "a sky that is not there" 6 'edited\.yaml:13:[0-9]+: png: there is no file .*none\.hdr'
echo "no sky" >none.hdr
run bake edited.yaml --out dark; expect "a sky that is none, before the first frame" 6 "none.hdr is no picture for a sky"
that "no frame of it" test -z "$(grep '^frame' err.txt)"
run check puff --set stages.mac.forces.buoyancy=2; expect "--set" 0 good
run check puff --set stages.mac.forces.bouyancy=2; expect "--set of an unknown key" 3 'buoyancy'
sed 's/^stages:/&\n  - fire: {}/; /mac\.project/d' puff.yaml > edited.yaml
run check edited.yaml; expect "fire without a projection" 3 'edited\.yaml:[0-9]+:[0-9]+: .*no stage projects the flow'
sed '$s/.*/&\n  - vdb: {fields: [vel]}/' puff.yaml > edited.yaml
run check edited.yaml; expect "two exporters of one name" 3 'edited\.yaml:14:5: vdb_2 would write .*, as vdb \(.*edited\.yaml:13:5\)'
run bake edited.yaml; expect "bake of two exporters of one name" 3 'edited\.yaml:14:5: vdb_2 would write .*give one of them another name'
run check edited.yaml --set export.vdb_2.name=flow; expect "two exporters of two names" 0 good
that "check writes nothing" test ! -e out

# ---- a bake ----
run bake puff --dry-run; expect "--dry-run" 0 "mac.project" "memory:" "disk:"
that "--dry-run writes nothing" test ! -e out
run bake puff; expect "bake" 0 "frame 6/6" "next:" "billow blender out/puff/vdb --open" "billow info out/puff/vdb/puff_1001.vdb"
that "data is on stdout only: a bake says nothing there" test ! -s out.txt
that "frames 1001-1006" test "$(cd out/puff/vdb && echo *)" = \
    "puff_1001.vdb puff_1002.vdb puff_1003.vdb puff_1004.vdb puff_1005.vdb puff_1006.vdb"
for file in resolved.yaml bake.log bake.json metrics.csv timings.csv; do that "$file is there" test -s "out/puff/$file"; done
for file in metrics timings; do that "$file.csv has a row a frame" test "$(wc -l <"out/puff/$file.csv")" = 7; done
that "nothing half-written is left" test -z "$(find out -name '.*')"
run info out/puff/vdb/puff_1001.vdb; expect "info of a VDB file" 0 "density" "vel"
run info --json out/puff/vdb/puff_1001.vdb; that "info --json of a VDB file parses" python3 -m json.tool out.txt
run check out/puff; expect "check of a cache" 0 "frames 1001-1006" "0 missing" "density"

# ---- the second bake ----
touch -d '1 hour ago' out/puff/vdb/puff_1003.vdb
before=$(stat -c %Y out/puff/vdb/puff_1003.vdb)
run bake puff; expect "the same again" 0 "up to date" "out/puff/vdb/puff_1001.vdb"
that "up to date leaves the files alone" test "$(stat -c %Y out/puff/vdb/puff_1003.vdb)" = "$before"
that "time begins at 0" grep -q '^1001,0,' out/puff/metrics.csv
sed 's/center: \[0, 0, 0.3\]/center: [5, 0, 0.3]/' puff.yaml >far.yaml
run bake far.yaml --out 'no where'; expect "a source outside of the box" 0 "all grids of domain main are empty in all of the 6 frames"
that "a path with a space can be pasted" grep -q "billow view 'no where'\$" err.txt
run bake puff --out "it's"; expect "and one with a quote" 0 "billow preview 'it'\\\\''s/vdb'"
that "smoke is not called empty" test -z "$(grep 'are empty' err.txt)"
run bake puff --set stages.mac.forces.buoyancy=2
expect "a different bake" 2 "different bake" "stages.mac.forces.buoyancy: 1 → 2" "--force" "--new"
run bake puff --seed 8; expect "another seed" 2 "seed"
run bake puff --set stages.mac.forces.buoyancy=2 --new; expect "--new" 0 "out/puff_v002"
run bake puff --set stages.mac.forces.buoyancy=2 --frames 1001-1003 --force; expect "--force" 0 "3 frames"
that "--force leaves no old frame" test "$(cd out/puff/vdb && echo *)" = "puff_1001.vdb puff_1002.vdb puff_1003.vdb"
run bake puff --frames 1005-1006 --out part; expect "--frames" 0 "2 frames"
that "only these frames" test "$(cd part/vdb && echo *)" = "puff_1005.vdb puff_1006.vdb"
run bake puff --frames 2-3 --out part2; expect "frames outside of the preset's" 3 "1001"
run bake out/puff_v002/resolved.yaml --out again --json
hash=$(sed -n 's/.*"hash":"\([0-9a-f]*\)".*/\1/p' out.txt)
that "resolved.yaml alone reproduces the bake" grep -q "\"hash\": \"$hash\"" out/puff_v002/bake.json
run bake puff --quick; expect "--quick" 0 "out/puff_quick"
sed 's/0.64, 0.02, 1.28/0.32, 0.32, 0.64/' puff.yaml >deep.yaml
echo '  - png: {view: render, size: 128, name: r}' >>deep.yaml
run bake deep --quick --frames 1001 --out deep_quick; run bake deep --frames 1001 --out deep
tall() { od -An -tu1 -j22 -N2 "$1" | tr -s ' '; }
that "a render is as tall as asked for" test "$(tall deep/png/r_1001.png)" = " 0 128"
that "--quick keeps it a render, half as tall" test "$(tall deep_quick/png/r_1001.png)" = " 0 64"
cat >>deep.yaml <<'END'
  - png: {id: wide, view: render, name: wide, camera: {azimuth: 90 deg}}
look: {width: 192, size: 96, exposure: {keys: {1001: 1, 1002: 0.2}}}
camera: {azimuth: 10 deg, orbit: 0.5}
END
wide() { od -An -tu1 -j18 -N6 "$1" | tr -s ' '; }
run bake deep --frames 1001-1002 --out alike; expect "one look and camera for all" 0
that "both are as wide as the look says" test "$(wide alike/png/wide_1001.png)" = " 0 192 0 0 0 96"
that "what an exporter says itself stays" test "$(wide alike/png/r_1002.png)" = " 0 192 0 0 0 128"
that "and its camera is its own" grep -qE 'azimuth: 90 deg' alike/resolved.yaml
that "but for what it does not say" test "$(grep -c 'orbit: 0.5' alike/resolved.yaml)" = 3
run bake alike/resolved.yaml --out alike2 --frames 1001-1002; that "resolved.yaml says it again" cmp alike/png/r_1002.png alike2/png/r_1002.png
run check deep.yaml --set look.exposre=2; expect "a key that no picture has" 3 '1:6: look: unknown key "exposre"; did you mean "exposure"'
run check deep.yaml --set camera.lens=0; expect "a camera that can't be" 3 'camera: lens|lens: 0'
run check deep.yaml --set look=bright; expect "a look that is no map" 3 'look has to be a map'
run preview deep/vdb/puff_1001.vdb --size 64; expect "a file's picture" 0 "^puff_1001\.png"
run preview out/puff_v002/vdb/puff_1003.vdb --out one.png --size 64; expect "one file, one picture" 0 "1 of 1 frames"
run preview out/puff_v002/vdb/puff_1003.vdb --frames 1001-1003 --out few.png --size 64; expect "and of more" 0 "3 of 3 frames"
run preview out/puff_v002/vdb/puff_1003.vdb --out all.mp4 --size 64; expect "a movie is of all" 0 "6 of 6 frames"

# ---- names that are no UTF-8 ----
odd=$'caf\xe9'
run bake puff --frames 1001-1002 --out "$odd" --json; expect "bake into a name that is no UTF-8" 0
run bake puff --frames 1001-1002 --out "$odd" --dry-run; expect "its estimate" 0 "output:"
that "it has the folder's own bytes" grep -q "$odd" out.txt
run check "$odd"; LC_ALL=C expect "its check" 0 "2 files, 0 missing"
that "check tells its own bytes" grep -q "^$odd/vdb/puff_" out.txt
run blender "$odd"; expect "its scene" 0
that "the scene is there" test -s "$odd/puff_blender.py"
run preview "$odd" --frames 1001 --size 64; expect "its preview" 0 "^puff"
run info --json "$odd/vdb/puff_1001.vdb"; that "info --json of it parses" python3 -m json.tool out.txt
run retime "$odd" --speed 0.5 --out slow; expect "its retime: a preset is UTF-8" 3 "no UTF-8"
rm "$odd/vdb/puff_1001.vdb"
run check "$odd"; expect "what is wrong with it" 1 "the first frames are missing"

# ---- what exporters are told is looked at before the bake, not when the first frame is written ----
told() { # told WHAT PATTERN
    sed 's/0.64, 0.02, 1.28/0.64, 0.64, 1.28/; /^export/q' puff.yaml >told.yaml
    echo "  - $1" >>told.yaml
    run check told.yaml
    expect "$1" 3 "told.yaml:13:5: .*$2"
}
told 'vdb: {fields: [density, vle]}' 'vdb: there is no field "vle"; the fields are density, temperature, vel'
told 'vdb: {scale: 1e-6}' 'voxels of 2e-08 are finer than the 1.45e-05 that VDB files can have'
told 'png: {field: soot}' 'there is no field "soot"; the fields are density'
told 'png: {range: [0, 1, 2]}' 'range wants two numbers'
told 'mp4: {view: slice, range: [1, 0]}' 'range is \[1, 0\]: the lowest comes first'
told 'png: {position: middle}' 'position is "middle"; a length'
told 'png: {position: 3 m}' 'position 3 m lies outside the domain, which spans -0.32 to 0.32 m along y'

# ---- flat caches in preview: the slice that the bake showed, or across the thin axis ----
size_of() { od -An -tu1 -j16 -N8 "$1"; }
sed 's/0.64, 0.02, 1.28/0.02, 0.64, 1.28/; s/name: puff/name: flat/' puff.yaml >flat.yaml
echo '  - png: {field: density, map: viridis, range: [0, 1.5]}' >>flat.yaml
run bake flat; expect "a flat bake" 0 "out/flat"
run preview out/flat --frames 3-1; expect "preview of no frames" 2 "billow: --frames is 3-1"
run preview out/flat --position lots; expect "preview of a slice nowhere" 2 "billow: --position: "
run preview out/flat --frames 1006-1006 --out own.png; expect "preview of a flat bake" 0 "own.png"
that "it is as large as the bake's picture" test "$(size_of own.png)" = "$(size_of out/flat/png/flat_1006.png)"
run preview out/flat --frames 1006-1006 --view slice --axis x --field density --map viridis --out said.png
that "it is the bake's slice" cmp own.png said.png
run preview out/flat --frames 1006-1006 --map fire --out fire.png; that "another map is taken" test -n "$(cmp own.png fire.png)"
cp -r out/flat/vdb bare
run preview bare --frames 1006-1006 --out bare.png; expect "preview of flat files" 0 "bare.png"
run preview bare --frames 1006-1006 --view slice --axis x --out bare_x.png
that "they are sliced across their thin axis" cmp bare.png bare_x.png

# ---- caches slower, faster, finer ----
run retime out/puff_v002 --speed 0.5; expect "retime" 0 "11 frames" "puff_retime_1001.vdb"
run check out/puff_retime; expect "a retimed cache" 0 "frames 1001-1011" "0 missing"
run retime out/puff_v002 --speed 0.5; expect "retime again" 0 "up to date"
run retime out/puff_v002 --frames 1-3 --reverse --new; expect "retime into frames, backwards" 0 "3 frames"
run retime out/puff_v002 --hold 1003:4 --out held; expect "retime with a hold" 0 "10 frames"
run retime out/puff_v002; expect "retime that asks for nothing" 2 "wants --speed"
run retime out/puff_v002 --speed 0; expect "no speed" 2 "above 0"
run retime out/puff_v002 --speed 2 --out out/puff_v002 --force; expect "a cache that is its own output" 2 "holds the cache"
that "it is untouched" test -s out/puff_v002/vdb/puff_1001.vdb
run upres out/puff_v002 --factor 3; expect "factor 3" 2 "2 or 4"
run upres out/puff_v002; expect "upres of a cache one cell thick" 2 "one cell thick"
run upres nowhere; expect "upres of nothing" 6 "nowhere"
sed 's/0.64, 0.02, 1.28/0.32, 0.32, 0.64/; s/name: puff/name: round/; s/radius: 10 cm/radius: 6 cm/' puff.yaml >round.yaml
printf 'extends: %s/../../presets/upres.yaml\nbillow: 1\nname: finer\nframes_from: {bake: round}\n' "$presets" >finer.yaml
printf 'domain: {size: [0.32, 0.32, 0.64], voxel: 1 cm}\ntime: {fps: 25, frames: 1001-1006}\nexport:\n  - mp4: {enabled: false}\n' >>finer.yaml
run bake finer; expect "a bake that makes its cache first" 0 "out/round: 6 frames" "out/finer: 6 frames"
run bake finer; expect "the same again: both are there" 0 "out/round is up to date" "out/finer is up to date"
run upres out/round --mute mp4 --strength 2; expect "upres" 0 "out/round_upres: 6 frames"
run info out/round_upres/vdb/round_upres_1006.vdb; expect "its voxels" 0 "0\.01" "vel"
run bake upres; expect "upres without a cache" 3 "billow upres CACHE"
rm out/round/vdb/round_1004.vdb
run upres out/round --out gap; expect "a gap in the sequence" 6 "frame 1004 is missing"

cp out/puff_v002/vdb/puff_1004.vdb out/puff_v002/vdb/puff_01004.vdb
run check out/puff_v002; expect "two files of one frame" 1 "is frame 1004, as .*puff_1004.vdb is"
rm out/puff_v002/vdb/puff_01004.vdb
rm out/puff_v002/vdb/puff_1004.vdb
run check out/puff_v002; expect "a missing frame" 1 "1004"
truncate -s 1000 out/puff/vdb/puff_1002.vdb
run check out/puff; expect "a truncated frame" 1 "puff_1002.vdb"
rm -r out/puff/vdb
run bake puff --set stages.mac.forces.buoyancy=2 --frames 1001-1003; expect "a damaged bake is made again" 0 "3 frames"

# ---- events ----
cat >events.py <<'PYTHON'
import json, sys
events = [json.loads(line) for line in open("out.txt")]
assert all(e["billow"] == 1 for e in events)
start, frames, end = events[0], [e for e in events if e["event"] == "frame"], events[-1]
assert start["event"] == "start" and start["fps"] == 25 and (start["first"], start["last"]) == (1001, 1006)
assert [e["frame"] for e in frames if e["written"]] == list(range(1001, 1007))
assert all(e["cells"] > 0 and e["memory"] > 0 for e in frames)
assert any(e["event"] == "output" for e in events)
assert end["event"] == "end" and end["ok"] and end["code"] == 0
PYTHON
run bake puff --out json --json; expect "--json" 0
that "the events say what happened" python3 events.py
run bake edited.yaml --out json2 --json; expect "--json of a broken preset" 3 '"event":"end","ok":false,"code":3'

# ---- stopping ----
sed 's/voxel: 2 cm/voxel: 5 mm/; s/frames: 1001-1006/frames: 1001-1400/' puff.yaml >long.yaml
# stop_with FOLDER SIGNAL ARGS…: at the fourth frame's event at least two frames are written.
stop_with() {
    local folder=$1 signal=$2
    shift 2
    during 4 "kill -$signal \$pid" bake long.yaml --out "$folder" "$@"
}
set +m
for signal in INT TERM HUP; do
    stop_with "stop_$signal" $signal; expect "SIG$signal" 75 '"code":75'
    that "SIG$signal leaves whole files only" test -z "$(find "stop_$signal" -name '.*' -type f)"
    frames_ok() {
        for file in "stop_$signal"/vdb/*.vdb; do "$billow" info "$file" || return 1; done
    }
    that "SIG$signal: each frame can be read" frames_ok
    run check "stop_$signal"; expect "an unfinished cache is told" 1 "did not come to its end: billow resume stop_$signal goes on with it"
done

# ---- two at once ----
"$billow" bake long.yaml --out shared --json >/dev/null 2>&1 </dev/null &
first=$!
soon test -e shared/vdb
run bake long.yaml --out shared --force; expect "a second bake into one folder" 2 "another bake is writing into shared"
that "the first one goes on" kill -0 $first
kill -INT $first; wait $first; code=$?
that "the first one's files are whole" test "$code" = 75 -a -s shared/bake.log -a -z "$(find shared -name '.*' -type f)"

# ---- what is finished stays, without --force ----
listing() { (cd "$1" && find . ! -type d -exec sha1sum {} + | sort -k2); }
n_frames() { find "$1/vdb" -name 'puff_[0-9]*.vdb' | wc -l; }
# refused WHAT FOLDER KIND ARGS…: the bake ARGS is refused, tells how many frames FOLDER holds, and touches nothing.
refused() {
    local what=$1 folder=$2 kind=$3
    shift 3
    listing "$folder" >before.txt
    run bake "$@" --out "$folder"
    expect "$what" 2 "$folder holds $kind, $(n_frames "$folder") files are whole" "--force .*--new .*--out DIR"
    that "$what: nothing is touched" cmp before.txt <(listing "$folder")
}
ours='an unfinished bake of this preset' other='an unfinished, different bake'
stop_with killed KILL; expect "SIGKILL" 137
that "SIGKILL leaves frames" test "$(n_frames killed)" -ge 2
refused "a killed bake" killed "$ours" long.yaml
refused "an interrupted bake" stop_INT "$ours" long.yaml
refused "a killed bake, another preset" killed "$other" puff
refused "a killed bake, another name" killed "$other" long.yaml --set name=wisp
mv killed renamed
refused "a killed bake, moved" renamed "$ours" long.yaml
rm renamed/bake.json
refused "a killed bake without its record" renamed "a bake that lost its record, bake.json" long.yaml
stop_with renamed KILL --force; expect "killed again" 137
refused "a bake killed twice" renamed "$ours" long.yaml
cp renamed/bake.journal whole.journal; echo mine | tee renamed/cut >renamed/cu; printf 'wrote cut' >>renamed/bake.journal
refused "a journal that ends in mid-line" renamed "$ours" long.yaml
cp whole.journal renamed/bake.journal
cp -r part torn; rm torn/vdb/puff_1005.vdb
run bake puff --frames 1005-1006 --out torn; expect "a frame is gone" 2 "torn holds a damaged bake of this preset, 1 file is whole"
rm torn/vdb/puff_1006.vdb
run bake puff --frames 1005-1006 --out torn; expect "all frames are gone: nothing to lose" 0 "2 frames"

# ---- --force removes what a bake wrote, and nothing else ----
mkdir renamed/approved far
echo far >far/inside.txt; echo outside >outside.txt
ln -s ../far renamed/link
cp renamed/vdb/puff_1001.vdb renamed/approved/
cp renamed/vdb/puff_1001.vdb renamed/vdb/puff_9001.vdb # by hand, as a frame is called
for file in notes.txt vdb/beauty_1001.exr vdb/.mine.part approved/.puff_1001.vdb.part; do echo mine >"renamed/$file"; done
touch -d '1 hour' renamed/notes.txt renamed/approved/* renamed/vdb/beauty* renamed/vdb/puff_9001.vdb
users() { sha1sum outside.txt far/inside.txt renamed/{notes.txt,vdb/{beauty_1001.exr,.mine.part,puff_9001.vdb}} renamed/approved/{*,.p*}; }
users >users.txt
touch renamed/vdb/.puff_1001.vdb.part
printf 'wrote ../outside.txt\nwrote %s/outside.txt\nwrote link/inside.txt\nwrote vdb\nwrote ' "$work" >>renamed/bake.journal
run bake puff --frames 1002-1004 --out renamed --force; expect "--force over a killed bake" 0 "3 frames"
that "it removes the killed one's frames" test "$(cd renamed/vdb && echo *)" = \
    "beauty_1001.exr puff_1002.vdb puff_1003.vdb puff_1004.vdb puff_9001.vdb"
that "and its temporaries" test "$(find renamed -name '.*.part' | wc -l)" = 2
that "it removes nothing else" cmp users.txt <(users)
python3 - >files.txt <<'PYTHON'
import json
print(*json.load(open("renamed/bake.json"))["files"])
PYTHON
that "the record lists what the bake wrote" test "$(cat files.txt)" = \
    "bake.json bake.log checkpoints/puff_1004.bwck metrics.csv resolved.yaml timings.csv $(echo vdb/puff_100{2,3,4}.vdb)"
run bake puff --frames 1001-1001 --out renamed --force; expect "--force over a finished bake" 0 "1 frame"
that "it, too, removes nothing else" cmp users.txt <(users)
cat >renamed/bake.json <<JSON
{"billow": 1, "complete": false, "files": ["resolved.yaml", "vdb/puff_1001.vdb", "../outside.txt", "$work/outside.txt",
 "link/inside.txt", "vdb/../notes.txt", 7, ""]}
JSON
run bake puff --frames 1002-1002 --out renamed; expect "an older record" 2 "$other, 2 files are whole" # what a link leads to counts, and stays
run bake puff --frames 1002-1002 --out renamed --force; expect "--force over an older record" 0 "1 frame"
that "what it listed is gone" test ! -e renamed/vdb/puff_1001.vdb -a -e renamed/vdb/puff_1002.vdb
that "what it listed outside is not" cmp users.txt <(users)

# ---- descriptors that are closed ----
sed 's/name: puff/name: film/; s/1001-1006/1001-1003/' puff.yaml >film.yaml
printf '  - mp4: {}\n' >>film.yaml
run bake film.yaml --out open; expect "a movie" 0 "open: 3 frames"
"$billow" bake film.yaml --out closed 0<&- 1>&- 2>&-; code=$?; expect "a bake with closed descriptors" 0
for file in film.mp4 film_sheet.png; do that "$file is the same" cmp {open,closed}/"$file"; done
that "a frame is the same, but for its id" cmp -i 64 {open,closed}/vdb/film_1003.vdb
that "no words in an output" test "$(grep -rlaE 'frame [0-9]+/3|up to date|next:' closed)" = closed/bake.log
"$billow" list >&- 2>err.txt; code=$?; expect "a list that can't be told" 6 "stdout"

# ---- a scene for other programs ----
run blender out/puff; expect "blender" 0 "out/puff/puff_blender.py" "out/puff/puff.usda"
that "the script is Python" python3 -m py_compile out/puff/puff_blender.py
that "it names the first frame" grep -q '"file": "vdb/puff_1001.vdb"' out/puff/puff_blender.py
that "USD names every frame" test "$(grep -c '@./vdb/puff_10' out/puff/puff.usda)" -ge 6
run blender; expect "blender without a cache" 2 "wants a cache"
run blender nowhere; expect "blender without files" 6 "nowhere"
mkdir -p odd gap
for f in 1 2 4; do cp out/puff/vdb/puff_1001.vdb gap/a_000$f.vdb; cp out/puff/vdb/puff_1001.vdb odd/a_000${f}_sim.vdb; done
run blender odd; expect "a number that does not end the name" 1 "ends the name"
run blender gap; expect "a missing frame is told" 0 "frame 3 is missing" "gap/a_blender.py"
mkdir scene
run blender gap --out scene; expect "written elsewhere" 0 "scene/a_blender.py"
that "the cache has its full name there" grep -q "\"file\": \"$PWD/gap/a_0001.vdb\"" scene/a_blender.py
run blender gap --open --blender ./no_blender; expect "no Blender to open" 1 "no_blender can't be started"

# ---- refusals ----
run bake puff --set 'domain.size=[1 km, 1 km, 1 km]' --out huge; expect "a domain larger than memory" 7 "voxel"
that "it never began" test ! -e huge
run bake puff --memory 1M --out small; expect "a memory limit that is too small" 7 "voxel"
touch plain
run bake puff --out plain/out; expect "an output folder that can't be" 6 "plain/out"
run bake puff --memory lots; expect "a memory limit that is none" 2 "lots"

# ---- plugins ----
mkdir broken
echo "no library" >broken/bad.so
run list --plugin-path broken; expect "a broken plugin is told" 0 "bad.so: " "mac.project"
that "in one line" test "$(grep -c bad.so err.txt)" = 1
run plugin validate broken/bad.so; expect "validate of a broken plugin" 4 "bad.so"
run plugin new swirl; expect "plugin new" 0 "swirl/swirl.c"
run plugin new swirl; expect "plugin new keeps files" 2 "there already"
run plugin new Swirl; expect "a name that is none" 2 "small letters"
that "the new plugin builds without a warning" make -C swirl CFLAGS="-O2 -Wall -Wextra -Werror"
run plugin validate swirl/swirl.so; expect "the new plugin is valid" 0 "stage swirl: good"
sed 's/\.params_size/.state_size = 8, &/' swirl/swirl.c >forgets.c
sed 's/\.params_size/.flags = BW_STAGE_PLAIN_STATE | BW_STAGE_REBUILT_STATE, &/' swirl/swirl.c >both.c
sed 's/\.state_size/.flags = 3, &/; s/\.checkpoint = .*//' "$presets/../plugin_sdk/peaks.c" >peaks_both.c
sed 's/\.checkpoint = .*//' "$presets/../plugin_sdk/peaks.c" >peaks_forgets.c
for name in forgets both peaks_both peaks_forgets; do
    # shellcheck disable=SC2046
    that "$name builds" cc -shared -fPIC $("$billow" plugin cflags) -Wno-unused-function -o $name.so $name.c -lm
done
run plugin validate forgets.so; expect "a stage whose state nobody keeps" 4 "swirl: has state that no checkpoint keeps"
run plugin validate both.so; expect "a stage whose state is plain and rebuilt" 4 "can't be both plain and rebuilt"
run plugin validate peaks_forgets.so; expect "an exporter likewise" 4 "peaks: has state that no checkpoint keeps"
run plugin validate peaks_both.so; expect "an exporter that is both" 4 "can't be both plain and rebuilt"
run info swirl --plugin-path swirl; expect "its stage has a page" 0 "rate: 0.5 1/s"
mkdir twice
cp swirl/swirl.so twice/other.so
run list --plugin-path swirl:twice; expect "shadowing is told" 0 "hides the one in .*other.so"

prompt_end
