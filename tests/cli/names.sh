#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# names.sh BILLOW SOURCE: files and folders may be called whatever the system lets them be called.
. "$(dirname "$0")/prompt.sh"

cat >drift.yaml <<'YAML'
billow: 1
name: drift
domain: {size: [0.4, 0.4, 0.4], voxel: 4 cm, sides: {rest: open}}
time: {fps: 25, frames: 1-2, substeps: 1}
stages:
  - set: {id: smoke, field: density, value: "x*x + y*y + (z - 0.2)*(z - 0.2) < 0.02"}
  - set: {id: flow, field: vel, value: ["0.5", "0", "0"], when: start}
export:
  - vdb: {fields: [density, vel]}
YAML
run bake drift.yaml; expect "the bake" 0

# cache FOLDER FILE: the bake's files under other names.
cache() {
    mkdir -p "$1"
    for n in 0001 0002; do cp out/drift/vdb/drift_$n.vdb "$1/$2$n.vdb"; done
}

# ---- names that mean something to YAML ----
# retimed FOLDER FILE: played in twice the frames, and again from its own resolved.yaml.
retimed() {
    local what="$1/$2"
    cache "$1" "$2"
    run retime "$1" --speed 0.5 --threads 1 --mute mp4 --out played --force; expect "retime of $what" 0 "3 frames"
    run resume played; expect "resume of $what" 0 "up to date"
    rm -rf "$1" played
}
retimed 'my "shot"' 'a: b_'
retimed 'a\b' 'c\d_'
retimed "it's # 1" '# '
retimed '{x: y}, [z]' '*star_'
retimed '%YAML 1.2' '&anchor_'
retimed './- dash' '!tag_'
retimed $'two\nlines' $'a\tb_'
retimed '@home' '`tick_'
retimed 'null' '~'
retimed $'bell\a' $'c\x1b[31m_'
retimed $'caf\xe9' $'\xff\xfe_'      # bytes that are no UTF-8
retimed $'\xc2\x85\xe2\x80\xa8' 'ü_' # NEL and a line separator
retimed 'hashes' 'part#'             # #0001, #0002: no fifth digit

# ---- a name is said in one line ----
# one_line WHAT CODE ARGS…: of a folder or file called two, a line end and lines.
one_line() {
    local what=$1 wanted=$2
    shift 2
    run "$@"; expect "$what of two lines" "$wanted" 'two\?lines'
    that "$what: no line begins with the second" sh -c '! grep -h "^lines" out.txt err.txt'
}
two=$'two\nlines'
cache "$two" 'smoke_'; cp drift.yaml "$two.yaml"
one_line "a bake" 0 bake drift.yaml --out "$two.out"
one_line "the same again" 0 bake drift.yaml --out "$two.out"
one_line "another" 2 bake drift.yaml --seed 9 --out "$two.out"
one_line "a check of a preset" 0 check "$two.yaml"
one_line "a check of a cache" 0 check "$two"
one_line "info" 0 info "$two/smoke_0001.vdb"
one_line "a movie" 0 preview "$two" --size 16 --out "$two.mp4"
one_line "no file" 6 info "$two.vdb"
one_line "no preset" 3 bake "$two.none.yaml"
one_line "no option" 2 bake drift.yaml "--$two"
one_line "no command" 2 "$two"
rm -r "$two"*

cache 'say "hi"' 'c\d: '
run upres 'say "hi"' --threads 1 --mute mp4 --out finer; expect "upres" 0 "2 frames"
that "its name keeps the rule" test -e 'finer/vdb/c_d:_upres_0001.vdb'

# The values of a list of a wedge are quoted as they were.
cp "out/drift/vdb/drift_0001.vdb" 'a: b, c.vdb'
cat >from.yaml <<'YAML'
billow: 1
name: from
domain: {cells: [4, 4, 4], voxel: 4 cm}
time: {frames: 1-1, substeps: 1}
stages:
  - emit: {shape: {vdb: {file: nothing.vdb, grid: density}}, density: 1}
YAML
printf 'list:\n  - stages.emit.shape: {vdb: {file: "a: b, c.vdb", grid: density}}\n  - stages.emit.shape.vdb.file: "a: b, c.vdb"\n' >vary.yaml
run wedge from.yaml --vary vary.yaml --dry-run; expect "a wedge" 0

# ---- names that mean something to FFmpeg ----
cache shot 'a: b_'
for name in a:b.mp4 file:z.mp4 -x.mp4 'pipe:1.mp4' 'concat:a|b.mp4' 'q"%d.mp4' http:x.MP4; do
    run preview shot --size 16 --frames 1-2 --out="$name"; expect "the movie $name" 0
    that "it is one" sh -c 'head -c 12 < "$1" | grep -q ftyp' . "$name"
    that "nothing else is left" test "$(ls -A | grep -c 'part-')" = 0
done
run preview shot --size 16; expect "its own name" 0 '^a: b.mp4$'
run bake drift.yaml --set 'export=[{mp4: {name: "file:y", size: 16, sheet: false}}]' --out 'out/a:b'
expect "a bake's" 0
that "is a movie" sh -c 'head -c 12 "out/a:b/file:y.mp4" | grep -q ftyp'
cd 'out/a:b' && run preview ../drift --size 16 --out file:file:y.mp4; expect "twice" 0
that "is called so" test -s file:file:y.mp4
cd "$work" || exit 1

# ---- outputs are tried before anything is drawn ----
# refused WHAT WORDS ARGS…: at once, without a frame, and nothing is left.
refused() {
    local what=$1 words=$2
    shift 2
    run "$@"; expect "$what" 6 "$words"
    that "$what: no frame was drawn" sh -c '! grep -qE "frame 1/|of 2 frames" err.txt'
}
mkdir -p full.mp4 full.png; touch file
refused "a folder in the movie's place" "full.mp4: Is a directory" preview shot --size 16 --out full.mp4
refused "in the picture's" "full.png: Is a directory" preview shot --size 16 --out full.png
refused "a file for a folder" "file/a.mp4: Not a directory" preview shot --size 16 --out file/a.mp4
refused "no such folder" "nowhere/a.mp4: No such file" preview shot --size 16 --out nowhere/a.mp4
long=$(printf 'n%.0s' {1..252}).mp4
refused "a name too long for the disk" "File name too long" preview shot --size 16 --out "$long"
long=$(printf 'n%.0s' {1..250}).mp4
run preview shot --size 16 --out "$long"; expect "the longest" 0
mkdir -p taken/film.mp4
refused "a bake's movie" "taken/film.mp4: can't be written: a folder has its name" bake drift.yaml \
    --set 'export=[{mp4: {name: film, size: 16}}]' --out taken
refused "a file for a bake's folder" "file/out: can't be made" bake drift.yaml --out file/out

# ---- # in a name ----
# smoke.yaml FILE KEY: a preset that reads that file, which is there under exactly this name.
reads() {
    local what=$1 shape=$2
    sed "s|{vdb: {file: nothing.vdb, grid: density}}|$shape|" from.yaml >reads.yaml
    run check reads.yaml; expect "$what" 0 "good, 1 stages"
}
cp out/drift/vdb/drift_0001.vdb 'one #1.vdb'; cp out/drift/vdb/drift_0001.vdb '##.vdb'
printf 'v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n' >'part#3.obj'
printf 'x,y,z\n0,0,0.1\n' >'#points.csv'
reads "a VDB" "{vdb: {file: 'one #1.vdb', grid: density}}"
reads "a VDB called ##" "{vdb: {file: '##.vdb', grid: density}}"
reads "a mesh" "{mesh: {file: 'part#3.obj'}}"
reads "points" "{points: {file: '#points.csv', radius: 0.05}}"
sed 's|- emit.*|- load: {path: "one #1.vdb", fields: [{field: density}]}|' from.yaml >loads.yaml
run bake loads.yaml --out loaded; expect "load" 0
cp 'part#3.obj' 'part#_0001.obj'
reads "a sequence" "{mesh: {file: 'part#_####.obj'}}"
sed "s|{vdb: .*}, d|{mesh: {file: 'part#4.obj'}}, d|" from.yaml >reads.yaml
run check reads.yaml; expect "one that is not there" 6 'no file is called .*part#4.obj with a number for the #'

cache seq 'smoke #2_'
run check seq; expect "check" 0 'smoke #2_####.vdb: frames 1-2, 2 files, 0 missing'
run preview seq --size 16 --out hash.mp4; expect "preview" 0 "2 of 2 frames"
run preview 'seq/smoke #2_####.vdb' --size 16 --out hash.mp4; expect "by its pattern" 0 "2 of 2 frames"
run preview 'seq/smoke #2_0002.vdb' --size 16; expect "a file's picture" 0 '^smoke #2_0002.png$'
that "is called so" test -s 'smoke #2_0002.png'
run preview seq --size 16 --out 'seen #_##.png'; expect "pictures" 0
that "the last # are the number" test -s 'seen #_01.png' -a -s 'seen #_02.png'
run blender seq; expect "blender" 0 'smoke #2_blender.py'
run compare seq/smoke\ \#2_0001.vdb out/drift/vdb/drift_0001.vdb; expect "compare" 0 "the same"
retimed seq2 'smoke #2_'
reads "a shape of such files" "{vdb: {file: 'seq/smoke #2_####.vdb', grid: density}}"

# ---- endings in capitals ----
cp out/drift/vdb/drift_0001.vdb SMOKE.VDB
run info SMOKE.VDB; expect "info" 0 "2 grids"
run info SMOKE.VDB --json; expect "as JSON" 0 '"density"'
run check SMOKE.VDB; expect "check" 1 "SMOKE####.VDB: frames 0-0, 1 files"
run preview SMOKE.VDB --size 16 --out X.PNG; expect "preview" 0 "X.PNG"
that "a picture" sh -c 'head -c 4 X.PNG | grep -q PNG'
run preview SMOKE.VDB --size 16 --out X.Exr; expect "light" 0 "X.Exr"
run compare SMOKE.VDB out/drift/vdb/drift_0001.vdb; expect "compare" 0 "the same"
run compare SMOKE.VDB out/drift/vdb/drift_0002.vdb; expect "by its metadata" 1 "frame: 1 → 2"
mkdir BIG; for n in 1 2; do cp out/drift/vdb/drift_000$n.vdb BIG/SMOKE_000$n.VDB; done
run check BIG; expect "a sequence" 0 'SMOKE_####.VDB: frames 1-2, 2 files, 0 missing'
run preview BIG --size 16 --out X.MP4; expect "its movie" 0
run retime BIG --reverse --mute mp4 --out reversed --threads 1; expect "retime" 0 "2 frames"
run blender BIG; expect "blender" 0 "SMOKE_blender.py"
cp '#points.csv' POINTS.CSV; cp 'part#3.obj' PART.OBJ
reads "points" "{points: {file: POINTS.CSV, radius: 0.05}}"
reads "a mesh" "{mesh: {file: PART.OBJ}}"
sed 's|{vdb: .*}, d|{sphere: {center: [0, 0, 0], radius: "=0.05"}}, d|' from.yaml >sky.yaml
printf '#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n\200\200\200\200\200\200\200\200' >SKY.HDR
run preview SMOKE.VDB --size 16 --out L.EXR; cp L.EXR SKY.EXR
for sky in SKY.HDR SKY.EXR; do
    run bake sky.yaml --set "look={sky: {hdri: {file: $sky}}}" --set 'export=[{png: {view: render, size: 16}}]' --out lit --force
    expect "a sky called $sky" 0
done

prompt_end
