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
for command in bake wedge status cancel check compare list info view preview blender upres retime convert doctor plugin schema completion; do
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
run info wind; expect "info of a key, wherever it stands" 0 "^wind, a parameter: force.kind.wind$" "rate: 1 1/s"
run info shape.sphere; expect "a table that stages share, once" 0 "emit.shape.sphere, .*collide.shape.sphere"
run info density; expect "info of a field" 0 "^density, a field" "^  mac.forces +reads"
run info look; expect "info of what pictures share" 0 "exposure: "
run info camera; expect "info of the camera" 0 "azimuth: 24 deg"
run info emit --json; that "info --json of a stage parses" \
    python3 -c 'import json; assert json.load(open("out.txt"))["stage"]["id"] == "emit"'
run info vdb; expect "info of an exporter" 0 "fields"
run info mp4; expect "info of a movie" 0 "^  crf: 19" "^  size: 720" "billow info mp4.GROUP" "^      file, azimuth"
that "it is seen at a glance" test "$(wc -l <out.txt)" -lt 60 -a -z "$(grep -E "^ *(haze|azimuth|veil|crisp):" out.txt)"
run info mp4.look; expect "what is in no group's table" 0 "^mp4.look, " "^  haze: 0 " "^  labels: true"
that "and that alone" test -z "$(grep -E "^ *(crf|size|azimuth|camera):" out.txt)"
run info mp4.camera; expect "one of its groups" 0 "^  camera: # group" "azimuth: 24 deg"
run info mp5.look; expect "the look of nothing" 3 "mp5.look"
run info emit.look; expect "of what has no pictures" 3 "emit.look"
run info mp4 --json; that "as JSON it is whole" python3 -c '
import json
def keys(rows): return sum(1 + keys(row.get("rows", [])) for row in rows)
rows = json.load(open("out.txt"))["exporter"]["parameters"]
assert keys(rows) > 110, keys(rows)
maps, = (row["choices"] for row in rows if row["key"] == "map")
open("maps.txt", "w").write("|".join(maps))'
run help preview; that "preview takes all maps" grep -q -- "--map $(cat maps.txt) " out.txt
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
run check edited.yaml; expect "a field by a slip of the pen" 0 'edited\.yaml:8:5: makes "temprature", .*did you mean "temperature"'
edit 's/density: 1, temperature: 100/density: 1, perfume: 100/'
run check edited.yaml; expect "a field of its own" 0 "good"; that "… without a warning" test ! -s err.txt
edit 's/^stages:/fields: {perfume: {kind: scalar}}\nstages:/; s/density: 1, temperature: 100/density: 1, parfume: 100/'
run check edited.yaml; expect "a slip in a name of one's own" 0 'edited\.yaml:9:5: makes "parfume", .*did you mean "perfume"'
edit 's/mac.project: {}/mac.projct: {}/'
run check edited.yaml; expect "unknown stage" 3 'edited\.yaml:10:[0-9]+: .*did you mean "mac\.project"'
edit 's/radius: 10 cm/radius: 10 kg/'
run check edited.yaml; expect "wrong unit" 3 'edited\.yaml:8:[0-9]+: .*mass'
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
run bake puff; expect "bake" 0 "frame 6/6" "next:" "billow blender out/puff/vdb --scene --open" "billow info out/puff/vdb/puff_1001.vdb"
that "data is on stdout only: a bake says nothing there" test ! -s out.txt
that "frames 1001-1006" test "$(cd out/puff/vdb && echo *)" = \
    "puff_1001.vdb puff_1002.vdb puff_1003.vdb puff_1004.vdb puff_1005.vdb puff_1006.vdb"
for file in resolved.yaml bake.log bake.json metrics.csv timings.csv; do that "$file is there" test -s "out/puff/$file"; done
that "timings.csv has a column an exporter" grep -q "^frame,.*,export\.[a-z]*\.seconds" out/puff/timings.csv
that "what took how long is said" grep -q "the stages took .* s, .* s" out/puff/bake.log
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
run retime "$odd" --speed 0.5 --out slow; expect "its retime" 0
rm "$odd/vdb/puff_1001.vdb"
run check "$odd"; expect "what is wrong with it" 1 "the first frames are missing"

# ---- what exporters are told is looked at before the bake, not when the first frame is written ----
told() { # told WHAT PATTERN
    sed 's/0.64, 0.02, 1.28/0.64, 0.64, 1.28/; /^export/q' puff.yaml >told.yaml
    echo "  - $1" >>told.yaml
    run check told.yaml
    expect "$1" 3 "told.yaml:13:5: .*$2"
}
told 'vdb: {fields: [density, vle]}' 'vdb: there is no field "vle", but one by the name "vel"; the fields are vel, vel_carried, age, density, temperature'
told 'vdb: {scale: 1e-6}' 'voxels of 2e-08 are finer than the 1.45e-05 that VDB files can have'
told 'ply: {}' 'ply: no stage of this preset makes particles: leave ply out'
told 'ply: {particles: sparks}' 'ply: there are no particles "sparks"; the particles are none'
told 'vdb: {points: [sparks]}' 'vdb: there are no particles "sparks"'
told 'vdb: {fields: [main.density]}' 'vdb: there is no field "main.density", but one by the name "density"'
told 'vdb: {precision: {densty: 0.1}}' 'vdb: there is no field "densty", but one by the name "density"'
told 'bodies: {}' 'bodies: there are no particles "bodies"'
for what in 'png: {}' 'exr: {}' 'mp4: {}' 'vdb: {}' 'bodies: {particles: vortons}' 'ply: {particles: vorton}' 'vdb: {points: [vortons]}'; do
    cat >told.yaml <<END
billow: 1
domain: {size: [0.64, 0.64, 1.28], voxel: 2 cm}
time: {frames: 1-2}
stages:
  - vorton.emit: {source: {ring: {}}}
  - vorton.velocity: {}
  - vorton.advect: {}
export:
  - $what
END
    run check told.yaml
    case $what in
    vdb*points*) expect "points alone" 0 'told.yaml: good' ;;
    bodies*) expect "$what" 3 'told.yaml:9:5: bodies: particles "vortons" are no bodies' ;;
    ply*) expect "$what" 3 'told.yaml:9:5: ply: there are no particles "vorton", but some by the name "vortons"' ;;
    vdb*) expect "$what without a field" 3 'told.yaml:9:5: vdb: nothing to export' ;;
    *) expect "$what without a field" 3 'told.yaml:9:5: .*there is no grid field to show' ;;
    esac
done
run bake told.yaml --out points; expect "a bake of points alone" 0
run info points/vdb/told_0001.vdb; expect "its file" 0 "vortons"
told 'png: {field: soot}' 'there is no field "soot"; the fields are .*density'
told 'png: {range: [0, 1, 2]}' 'range wants two numbers'
told 'mp4: {view: slice, range: [1, 0]}' 'range is \[1, 0\]: the lowest comes first'
told 'png: {position: middle}' 'position is "middle"; a length'
told 'png: {position: 3 m}' 'position 3 m lies outside the domain, which spans -0.32 to 0.32 m along y'

# ---- and so is where a file puts what is in it ----
{ echo '# Blender 3.4.1'; cat "$(dirname "$0")/../meshes/box.obj"; } >crate.obj
sed 's/sphere: .*radius: 10 cm}/mesh: {file: crate.obj, scale: 0.001}/' puff.yaml >crate.yaml
run check crate.yaml
expect "check says whose habit decided" 0 'note: .*crate.obj: written by Blender, y is up; say `up: z` if it is not'
expect "and what is too small" 0 'warning: .*crate.yaml:[0-9]+:5: crate.obj is smaller than a cell of main: 0.0006 m'

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
run bake flat --out unseen --mute png; expect "a flat bake without pictures" 0 "unseen"
run preview unseen --frames 1006-1006 --out unseen.png; that "its preview is the picture that was muted" cmp own.png unseen.png
that "which is none of its outputs, and makes no other bake" test ! -e unseen/png -a "$(grep '"hash"' unseen/bake.json)" = "$(sed '/  - png/d' flat.yaml >mute.yaml; "$billow" bake mute.yaml --out mute >/dev/null 2>&1; grep '"hash"' mute/bake.json)"
cp -r out/flat/vdb bare
run preview bare --frames 1006-1006 --out bare.png; expect "preview of flat files" 0 "bare.png"
run preview bare --frames 1006-1006 --view slice --axis x --out bare_x.png
that "they are sliced across their thin axis" cmp bare.png bare_x.png

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
for wrong in "puff --frmaes 1" "puff --threads two" "puff --memory lots" "puff --force --new" "" "puff --out"; do
    # shellcheck disable=SC2086
    run bake --json $wrong
    expect "--json of bake $wrong" 2 '^\{"billow":1,"event":"end","ok":false,.*"code":2' '"message":"[^"]'
    that "one event of bake $wrong" test "$(wc -l <out.txt)" = 1
done
run bake puff --frmaes 1 --json; expect "behind what is wrong" 2 '"event":"end","ok":false'

# ---- refusals ----
run bake puff --seed 8 --out json --json; expect "a folder that holds another bake" 2 '"message":"json holds .*"file":"json","line":0'
flock json "$billow" bake puff --seed 8 --out json >out.txt 2>err.txt
code=$?; expect "a folder that another one writes into" 2 "^another bake is writing into json"
that "what it holds is another thing" test "$(wc -l <err.txt)" = 1
run bake puff --set 'domain.size=[1 km, 1 km, 1 km]' --out huge; expect "a domain larger than memory" 7 "voxel"
that "it never began" test ! -e huge
run bake puff --memory 1M --out small; expect "a memory limit that is too small" 7 "voxel"
touch plain
run bake puff --out plain/out --json; expect "an output folder that can't be" 6 '"message":"plain/out: can.t be made.*"file":"plain/out"'
run bake puff --memory lots; expect "a memory limit that is none" 2 "lots"

# ---- what blows up ----
cat >blow.yaml <<'END'
billow: 1
domain: {size: none, voxel: 10 cm}
time: {fps: 4, frames: 1-200, substeps: 1, seed: 3}
stages:
  - vorton.emit: {id: a, wobble: 2 cm, source: {ring: {center: [0, 0, -0.5], radius: 50 cm, core: 8 cm}}}
  - vorton.emit: {id: b, wobble: 2 cm, source: {ring: {center: [0, 0, 0.5], axis: [0, 0, -1], radius: 50 cm, core: 8 cm}}}
  - vorton.velocity: {method: direct}
  - vorton.stretch: {}
  - vorton.advect: {}
END
run bake blow.yaml --set stages.a.source.ring.circulation=2 --set stages.b.source.ring.circulation=2
expect "vortons that blow up" 5 'blow\.yaml:9:5: frame [0-9]+: vorton\.advect: step [0-9]+: stretching has made'

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
