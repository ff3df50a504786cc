#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# plugins.sh BILLOW SOURCE UNRULY: plugins that misbehave are named, and what was done is kept. UNRULY is the folder of
# tests/unruly's. The last line is "N passed, N failed".
unruly=$(realpath "$3")
. "$(dirname "$0")/prompt.sh"
preset=$presets/unruly.yaml
export BILLOW_PLUGIN_PATH=$unruly
ulimit -c 0

# bake WHO DOES AT OPTIONS…: frames 1 and 2 are good, from 3 on WHO does it.
bake() {
    local who=$1 does=$2 at=$3
    shift 3
    rm -rf o
    timeout -k 1 120 "$billow" bake "$preset" --out o --set "$who.does=$does" --set "$who.at=$at" --set "$who.frame=3" --threads 2 "$@" \
        >out.txt 2>err.txt </dev/null
    code=$?
}

# ---- while they are loaded ----
# Ten seconds long nobody is told of one that hangs: it waits beside the rest.
mkdir stuck && cp "$unruly/loads/hangs.so" stuck
timeout -k 1 60 "$billow" list --plugin-path stuck >stuck/out.txt 2>stuck/err.txt </dev/null &
stuck=$!
mkdir loads && cp "$unruly"/loads/*.so "$unruly/unruly.so" loads && rm loads/hangs.so
mkfifo loads/fifo.so
mkdir loads/folder.so
ln -s /dev/zero loads/zero.so
ln -s nowhere loads/dangling.so
head -c 6000 loads/unruly.so >loads/cut.so
printf '\x08' | cat <(head -c 18 loads/unruly.so) - <(tail -c +20 loads/unruly.so) >loads/mips.so
soon_run list --plugin-path loads
expect "bad files are lines, the list goes on" 0 "mac.project" "^ +unruly +Misbehaves" \
    "loads/crashes.so: crashes when it is loaded \(Abort" "loads/crashes_later.so: crashes when" \
    "loads/wild.so: crashes when it is loaded \(Segm" "loads/exits.so: ends the process" "loads/leaves.so: ends the process" \
    "loads/fifo.so: .*is no file" "loads/folder.so: .*is no file" "loads/zero.so: .*is no file" \
    "loads/dangling.so: .*No such file" "loads/cut.so: .*is cut short" "loads/mips.so: .*for another machine"
that "each in one line" test "$(grep -c 'loads/' err.txt)" = 11
soon_run plugin validate loads/crashes.so; expect "validate of one that crashes" 4 "crashes when it is loaded"
soon_run plugin validate loads/unruly.so; expect "validate of one with state that nobody saves" 4 "forgetful: has state that no checkpoint keeps"
run plugin validate "$("$billow" info mac.project | sed -n 's/^plugin: //p')"; expect "validate of a good one" 0 "stage mac.project: good"
# All of ours are good, and so without a word on stderr.
"$billow" list --json | python3 -c 'import json, sys
all = json.load(sys.stdin)
print(*sorted({e["path"] for kind in ("stages", "exporters") for e in all[kind]}), sep="\n")' | grep -v unruly >ours.txt
while read -r plugin; do
    run plugin validate "$plugin"
    expect "validate of ${plugin##*/}" 0 "good"
    that "nothing else is said of ${plugin##*/}" [ ! -s err.txt ]
done <ours.txt
that "there are some" [ "$(wc -l <ours.txt)" -gt 10 ]

# ---- crashes ----
name='unruly \(.*/unruly\.so\)'
bake stages.unruly nothing step; expect "one that behaves" 0 "4 frames"
while read -r does words; do
    bake stages.unruly "$does" step; expect "$does" 4 "$name $words step\(\), frame 3, substep 1" "kept in o(;|$)"
done <<'CASES'
segv crashed in
abort crashed in
fpe crashed in
bus crashed in
ill crashed in
recurse crashed in
throw crashed in
exit called exit\(\) in
quick_exit called exit\(\) in
leave called exit\(\) in
CASES
that "the log ends with it" sh -c "tail -2 o/bake.log | grep -q 'called exit'"
that "it also says what went well" grep -q "frame 2/4" o/bake.log
bake stages.unruly recurse step; expect "a stack is told from other memory" 4 "its stack is full"
bake stages.unruly segv activate; expect "activate" 4 "$name crashed in activate\(\), frame 3"
bake stages.unruly segv max_dt --set time.substeps=auto; expect "max_dt" 4 "$name crashed in max_dt\(\), frame [34]"
for at in body worker team; do
    bake stages.unruly segv $at; expect "$at" 4 "$name crashed in a body of step\(\), frame 3"
done
bake stages.unruly recurse worker; expect "a worker's stack" 4 "a body of step\(\), frame 3.*its stack is full"
bake stages.unruly exit worker; expect "exit from a worker" 4 "called exit\(\) in a body of step\(\), frame 3"
bake stages.unruly segv init --set stages.unruly.frame=1; expect "init" 4 "$name crashed in init\(\), frame 1"
soon_run check "$preset" --set stages.unruly.does=segv --set stages.unruly.at=init; expect "init, in check" 4 "$name crashed in init\(\)"
bake stages.unruly segv uninit; expect "uninit" 4 "$name crashed in uninit\(\)"
that "by then the bake is whole" grep -q '"complete": true' o/bake.json
for at in init finish; do
    bake export.unruly_out segv $at; expect "an exporter's $at" 4 "unruly_out \(.*\) crashed in $at\(\), frame [134]:"
done
bake export.unruly_out segv frame; expect "an exporter's frame" 4 "crashed in frame\(\), frame 3:"
bake export.unruly_out segv frame --set checkpoints.frames=1; expect "the newest checkpoint" 4 "from checkpoints/mad_000"
that "the frames before are whole" "$billow" info o/vdb/mad_0002.vdb
that "and none comes after" test ! -e o/vdb/mad_0004.vdb
bake stages.unruly throw worker --json
expect "--json" 4 '"event":"end","ok":false,"code":4,"message":"unruly \(.*crashed in a body of step\(\), frame 3'
that "events are JSON, the last too" python3 -c "import json; [json.loads(line) for line in open('out.txt')]"
that "there is one end" test "$(grep -c '"event":"end"' out.txt)" = 1
odd=$(printf 'a "q"\n\xe9 \xc3\xa9') # a quote, a line's end, a byte that is no UTF-8, one letter that is
mkdir "$odd" && cp "$unruly/unruly.so" "$odd"
BILLOW_PLUGIN_PATH=$odd bake stages.unruly segv step --json
that "names of files with anything in them" python3 -c 'import json
message = json.loads(open("out.txt", encoding="utf-8").readlines()[-1])["message"]
assert "a \"q\"\n\uefe9 \u00e9/unruly.so" in message, message'

# ---- rules that are broken ----
while read -r does words; do
    bake stages.unruly "$does" body; expect "$does in a body" 4 "unruly\.yaml:8:.*: frame 3: unruly: $words"
done <<'CASES'
sweep a body called sweep\(\), which only
alloc a body called alloc\(\), which only
metric a body called metric\(\), which only
fail a body called fail\(\), which only
list a body called find_stage\(\), which only
write a body wrote to "density", which its sweep only reads
touch a body wrote to "density", which its sweep only reads
CASES
bake stages.unruly late uninit; expect "a stage that is kept too long" 4 "second: called scratch\(\) after its uninit"
that "by then, too, the bake is whole" grep -q '"complete": true' o/bake.json
bake stages.unruly leak step --set time.substeps=20
expect "memory that is never given back" 0 "warning: unruly: holds 3. pieces of memory, more after each of 32 steps"
that "once" test "$(grep -c 'pieces of memory' err.txt)" = 1

sed '/unruly/d; s/^stages:/&\n  - forgetful: {}/' "$preset" >forgetful.yaml
soon_run bake forgetful.yaml --out forgotten; expect "state that nobody saves" 0 "warning: .*can't be resumed: forgetful does not say how its state is saved" "4 frames"
that "leaves no checkpoint" test ! -e forgotten/checkpoints

# ---- callbacks that do not return ----
# start WHAT DOES AT OPTIONS…: a bake in a folder of its own, beside the others; its process in $pid.
start() {
    local what=$1 does=$2 at=$3
    shift 3
    mkdir "$what" && cd "$what" || return
    timeout -k 1 120 "$billow" bake "$preset" --out o --set "stages.unruly.does=$does" --set "stages.unruly.at=$at" \
        --set stages.unruly.frame=3 --threads 2 "$@" >out.txt 2>err.txt </dev/null &
    pid=$!
    cd ..
}

# says WHAT PATTERN: within a minute.
says() {
    local i
    for ((i = 0; i < 600; i++)); do
        grep -qsE -- "$2" "$1/out.txt" "$1/err.txt" && return 0
        sleep 0.1
    done
    return 1
}

# interrupt PID: what `timeout` has started; it would pass the signal on, and a kill after it.
interrupt() { kill -INT "$(ps -o pid= --ppid "$1" | head -1)"; }

start hang hang step --patience 1; hang=$pid
start spin spin worker --patience 1 --json; spin=$pid
start slow nothing step --patience 1 --set export.unruly_out.does=hang --set export.unruly_out.at=frame; slow=$pid
start gone thread_exit step --patience 1; gone=$pid
where='has been in step\(\) for [0-9.]+ s, frame 3, substep 1 \(.*unruly\.so\)'
that "a step that never returns is named" says hang "^unruly $where"
that "one whose worker spins" says spin '"event":"waiting","id":"unruly".*"text":"unruly has been in a body of step\(\)'
that "one whose thread is gone" says gone "^unruly has been in step"
that "an exporter" says slow "^unruly_out has been in frame\(\) for"
for pid in $hang $spin $gone $slow; do interrupt "$pid"; done
that "Ctrl-C names it" says hang "^waiting: unruly $where"
for pid in $hang $spin $gone $slow; do interrupt "$pid"; done
for what in hang spin gone slow; do
    wait "${!what}"
    code=$?
    cp $what/*.txt .
    expect "Ctrl-C again ends $what" 130 unruly
done

# ---- a good one is good, without a word more ----
run check "$preset"
expect "a stage that runs on one process" 0 "unruly.yaml: good"
that "no word of processes that there are not, nor any other" [ "$(cat out.txt err.txt | wc -l)" = 1 ]
run bake "$preset" --dry-run
expect "its estimate tells" 0 "^ranks: .*unruly"

# ---- what they print ----
# objects FILE: each line of it is one of ours.
objects() { python3 -c 'import json, sys; assert all(json.loads(l)["billow"] == 1 for l in open(sys.argv[1])) and open(sys.argv[1]).read(1)' "$1"; }
for at in activate step body frame; do
    who=stages.unruly
    [ $at = frame ] && who=export.unruly_out
    bake $who talk $at --json
    expect "one that prints in $at" 0 "words of a plugin" '"event":"end","ok":true'
    that "its words are no events: $at" objects out.txt
    that "they are kept, on stderr: $at" grep -q "its own write" err.txt
done
bake stages.unruly segv step --json
expect "the end of one that crashes" 4 '"event":"end","ok":false'
that "is JSON alone" objects out.txt
bake stages.unruly nothing step --dry-run --json
expect "an estimate" 0 '^\{"billow":1,"event":"estimate"' '"memory":' '"event":"end","ok":true'
that "is JSON alone" objects out.txt
bake stages.unruly does step --json
expect "a value that is none" 3 '"event":"end","ok":false,"code":3,"message":"--set:1:[0-9]+: .*","file":"--set","line":1,"column":[0-9]+'
sed 's/frames: 1-4/frames: x/' "$preset" >bad.yaml
for command in "bake bad.yaml --json" "check bad.yaml --json" "bake bad.yaml --dry-run --json"; do
    # shellcheck disable=SC2086
    run $command
    expect "$command" 3 '"file":"bad.yaml","line":5,"column":[0-9]+'
    that "$command: JSON alone" objects out.txt
done
mkdir w && printf '{"members":\n [}' >w/wedge.json && mkdir w/farm && echo '{"job": "1"}' >w/farm/job.json
run status w --json
expect "a record that is none" 3 '"error":\{"message":"w/wedge.json:2:3: .*","file":"w/wedge.json","line":2,"column":3,"count":1,"code":3'
run check "$preset" --json
expect "a preset that is good" 0 '"good": true' '"stages": 3'
that "is JSON" python3 -m json.tool out.txt
run info --json nothing.vdb
expect "a file that is not there" 6 '"error":\{"message":"cannot read nothing.vdb.*"file":"nothing.vdb"'
run compare --json a
expect "a wrong use" 2 '"error":\{"message":"compare wants two things'

wait $stuck
code=$?
cp stuck/*.txt .
expect "one that hangs when it is loaded" 0 "mac.project" "stuck/hangs.so: does not come back within 10 s"

prompt_end
