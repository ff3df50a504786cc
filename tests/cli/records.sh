#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# records.sh BILLOW SOURCE: folders that somebody else has made. Records that name other places, links, pipes, sockets
# and folders in place of files, and files without an end: nothing outside the folder is read or written, nothing
# waits, and there is one sentence. The last line is "N passed, N failed".
# shellcheck source=tests/cli/prompt.sh
. "$(dirname "$0")/prompt.sh"
grep -q '__[at]san_init' "$billow" || ulimit -v 3000000

# one_sentence WHAT: stderr of the last run, without its caret.
one_sentence() { that "$1: one sentence" [ "$(grep -vc '^    ' err.txt)" = 1 ]; }

cat >mini.yaml <<'YAML'
billow: 1
name: mini
domain: {cells: [8, 8, 8], voxel: 5 cm, sides: {rest: open}}
time: {fps: 25, frames: 1-2, substeps: 1}
stages:
  - mac.advect: {}
  - emit: {mode: max, density: 1, temperature: 100, shape: {sphere: {center: [0, 0, 0.2], radius: 10 cm}}}
  - mac.project: {}
export:
  - vdb: {}
YAML
mkdir victim && echo mine >victim/x.json && echo mine >victim/x.log && ln -s "$PWD/victim" outside
victim() { that "$1: nothing outside has changed" [ "$(cat victim/* | tr '\n' ' ') $(ls victim | wc -l)" = "mine mine  2" ]; }
run wedge mini.yaml --vary time.seed=1,2 --out clean --still
expect "a wedge" 0 'clean: 2 members'

# ---- wedge.json: what it names is inside, what it says is what is meant ----

# wedge_of SCRIPT: w/, the wedge with wedge.json changed.
wedge_of() { rm -rf w && cp -r clean w && rm -rf w/001 w/001.json && sed -i "$1" w/wedge.json; }
wedge_try() {
    local what=$1 pattern=$2
    for command in "wedge w --again" "wedge pick w 1 --force"; do
        # shellcheck disable=SC2086
        soon_run $command
        expect "$command: $what" 3 "^w/wedge.json:[0-9]+:[0-9]+: $pattern"
        one_sentence "$command: $what"
    done
    victim "$what"
}
wedge_of 's#"folder": "001"#"folder": "../victim/x"#'
wedge_try "a member outside" 'members\[0\]\.folder is "../victim/x"'
wedge_of 's#"folder": "001"#"folder": "002"#'
wedge_try "two members in one folder" 'members\[0\]\.folder is "002"'
wedge_of "s#\"folder\": \"001\"#\"folder\": \"$PWD/victim\"#"
wedge_try "a member by its whole path" 'members\[0\]\.folder is'
wedge_of 's#"name": "mini"#"name": "victim/q"#'
wedge_try "a name with a folder" 'name is "victim/q"'
wedge_of 's#"name": "mini"#"name": ".."#'
wedge_try "a name that leads up" 'name is "\.\."'
wedge_of 's#"name": "mini"#"name": "a\\nb"#'
wedge_try "a name of two lines" 'name has a control character'
wedge_of 's#"time.seed"$#1#'
wedge_try "a key that is a number" 'keys\[0\] has to be a text'
wedge_of 's#"billow": 1#"billow": 1, "set": [1]#'
wedge_try "a setting that is a number" 'set\[0\] has to be a text'
wedge_of 's#"billow": 1#"billow": 1, "mute": {"a": 1}#'
wedge_try "ids that are an object" 'mute has to be a list'
wedge_of 's#"time.seed": "1"#"time.seed": ["1"]#'
wedge_try "a value that is a list" 'members\[0\]\.values\.time\.seed has to be a text'
wedge_of 's#"number": 1,#"number": 2,#'
wedge_try "a number twice" 'members\[0\]\.number has to be 1'
wedge_of 's#"columns": [0-9]*#"columns": 0#'
wedge_try "no columns" 'columns has to be in 1 to'
wedge_of 's#"fps": 25.0#"fps": "25"#'
wedge_try "a rate that is a text" 'members\[0\]\.fps has to be a number'
wedge_of 's#"billow": 1#"billow": 1, "split": true#'
wedge_try "a preset outside" 'preset has to be farm/preset.yaml'
wedge_of 's#"billow": 1#"billow": 1, "movies": "../victim/x.json"#'
wedge_try "a key that there is none of" 'movies is no key'
wedge_of '$d'
wedge_try "a record that is cut short" 'not readable as JSON'
wedge_of '/name/d' && printf '[1, 2]' >w/wedge.json
wedge_try "a record that is a list" 'this is no record'
wedge_of '/name/d' && rm -rf w/001 && ln -s "$PWD/victim" w/001 && cp clean/wedge.json w/
soon_run wedge w --again
expect "a member that is a link" 6 'w/wedge.json:[0-9]*:[0-9]*: members\[0\]\.folder is no folder of the wedge: w/001 is a link'
victim "a member that is a link"
wedge_of '/name/d' && cp clean/wedge.json w/ && rm w/001.log && mkfifo w/001.log
soon_run wedge w --again
expect "a log that is a pipe" 1 "member 1 .*its log can't be written"
wedge_of '/name/d' && cp clean/wedge.json w/ && mkfifo w/001.json && rm -rf w/002/metrics.csv && mkfifo w/002/metrics.csv
soon_run wedge w --again --still
expect "an end and a table that are pipes" 0 'w: 2 members'
mkdir t && mv victim/x.json t && ln -s "$PWD/t/x.json" w/002/metrics.csv 2>/dev/null
rm -f w/002/metrics.csv && printf 'frame,time,secret\n1,0,7\n' >t/table.csv && ln -s "$PWD/t/table.csv" w/002/metrics.csv
soon_run wedge w --collect --still
that "a table that is a link is not taken" [ -z "$(grep secret w/wedge.csv w/wedge.svg)" ]
mv t/x.json victim/

# ---- what is no file, in place of each record ----

# stand_in KIND FILE: puts that in its place.
stand_in() {
    rm -rf "$2"
    case $1 in
    pipe) mkfifo "$2" ;;
    folder) mkdir "$2" ;;
    device) ln -s /dev/zero "$2" ;;
    link) ln -s "$PWD/secret" "$2" ;;
    socket) python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$2" ;;
    endless) truncate -s 20G "$2" ;;
    esac
}
echo 'SECRET: [' >secret
run bake mini.yaml --out first
expect "a bake" 0 'first'
reads() { # reads RECORD COMMAND…: commands that read it, each with every kind of what is no file.
    local record=$1 kind command
    shift
    for kind in pipe link endless folder device socket; do
        for command in "$@"; do
            rm -rf c && cp -r first c && mkdir -p c/farm && stand_in $kind "c/$record" || bad "$kind for $record"
            # shellcheck disable=SC2086
            soon_run $command
            that "$command, $record is a $kind: it ends" [ "$code" -lt 124 ]
            that "$command, $record is a $kind: it quotes nothing" [ -z "$(cat out.txt err.txt | grep SECRET)" ]
        done
    done
}
reads bake.json "check c" "resume c" "status c"
reads resolved.yaml "resume c" "preview c --size 32 --out p.png"
reads bake.journal "check c" "bake mini.yaml --out c"
reads wedge.json "wedge c --again" "wedge pick c 1" "status c"
reads farm/job.json "status c" "cancel c"
reads checkpoints "resume c"
reads vdb/mini_0002.vdb "check c" "info c/vdb/mini_0002.vdb" "retime c --speed 0.5 --out r"
while read -r record command wanted pattern; do
    rm -rf c && cp -r first c && mkdir -p c/farm && stand_in pipe "c/$record"
    # shellcheck disable=SC2086
    soon_run ${command//_/ }
    expect "$command of a pipe for $record" "$wanted" "$pattern"
done <<'TABLE'
bake.json check_c 1 c/bake.json: the record of the bake can't be read: it is a pipe, not a file
bake.json resume_c 0 c: 2 frames
resolved.yaml resume_c 6 can't read c/resolved.yaml: it is a pipe, not a file
wedge.json wedge_c 6 can't read c/wedge.json: it is a pipe, not a file
farm/job.json status_c 6 can't read c/farm/job.json: it is a pipe, not a file
farm/job.json cancel_c 6 can't read c/farm/job.json: it is a pipe, not a file
vdb/mini_0001.vdb check_c 1 cannot read c/vdb/mini_0001.vdb: it is a pipe, not a file
vdb/mini_0001.vdb preview_c_--out_p.png 6 cannot read .*mini_0001.vdb: it is a pipe, not a file
TABLE
rm -rf c && cp -r first c && rm -rf c/vdb && mkdir away && cp first/vdb/*.vdb away && ln -s "$PWD/away" c/vdb
soon_run check c
expect "a folder of files that is a link" 1 'c/vdb/mini_0001.vdb is missing'

# ---- files that a preset names ----

given() {
    cat >given.yaml <<YAML
billow: 1
domain: {cells: [8, 8, 8], voxel: 5 cm, sides: {rest: open}}
time: {fps: 25, frames: 1-2}
$1
YAML
}
mkfifo pipe.hdr pipe.exr pipe.csv pipe.yaml pipe.vdb
while IFS='|' read -r what text; do
    given "$(printf '%b' "$text")"
    for command in "check given.yaml" "bake given.yaml --out g --force"; do
        # shellcheck disable=SC2086
        soon_run $command
        that "$command with $what: it ends" [ "$code" -lt 124 ]
        that "$command with $what: it is a mistake" [ "$code" -gt 2 ]
        that "$command with $what: its name is said" grep -q "pipe\.[a-z]*" err.txt
    done
done <<'TABLE'
a sky|stages: [{emit: {shape: {sphere: {radius: 1}}}}]\nexport: [{png: {what: render, sky: {hdri: {file: pipe.hdr}}}}]
a sky of lines|stages: [{emit: {shape: {sphere: {radius: 1}}}}]\nexport: [{png: {what: render, sky: {hdri: {file: pipe.exr}}}}]
points|stages: [{emit: {shape: {points: {file: pipe.csv, radius: 1}}}}]
a volume|stages: [{emit: {shape: {vdb: {file: pipe.vdb}}}}]
a field|stages: [{load: {path: pipe.vdb, fields: [{field: density}]}}]
a camera|camera: {file: pipe.yaml}\nstages: [{emit: {shape: {sphere: {radius: 1}}}}]\nexport: [{png: {what: render}}]
a base|extends: pipe.yaml
files of frames|frames_from: pipe.vdb\nstages: []
TABLE

# ---- what no preset is, is not quoted ----

printf 'PASSWORD=hunter2\n' >.env && printf 'password: hunter2\n' >keys.yaml && printf '"hunter2: [\n' >broken
for base in ./.env keys ./broken /etc/passwd; do
    printf 'billow: 1\nextends: %s\n' "$base" >onto.yaml
    soon_run check onto.yaml
    expect "a base that is none: $base" 3 "^onto.yaml:2:10: \"$base\" is no preset"
    that "it is not quoted" [ -z "$(cat out.txt err.txt | grep -E 'hunter2|root:|PASSWORD|password:')" ]
done
given 'camera: {file: .env}\nstages: [{emit: {shape: {sphere: {radius: 1}}}}]\nexport: [{png: {what: render}}]'
sed -i 's/\\n/\n/g' given.yaml
soon_run check given.yaml
expect "a camera from what is none" 3 "env holds no camera"
that "it is not quoted either" [ -z "$(cat out.txt err.txt | grep PASSWORD)" ]
printf 'billow: 1\nframes_from: {bake: keys}\nstages: []\n' >onto.yaml
soon_run check onto.yaml
that "a bake that is none is not quoted" [ -z "$(cat out.txt err.txt | grep hunter2)" ]

victim "all of it"
that "all of it was tried" [ "$passed" -gt 240 ]
prompt_end
