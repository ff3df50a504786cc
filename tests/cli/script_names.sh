#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# script_names.sh BILLOW SOURCE: one rule for names, told by `check`; and whatever files and folders are called, it is no
# line of a script, no option of Slurm's and no command of a terminal.
. "$(dirname "$0")/prompt.sh"

mkdir bin
printf '#!/bin/bash\necho "$@" >>"$CALLS"; echo 17\n' >bin/sbatch
printf '#!/bin/bash\necho "scancel $*" >>"$CALLS"\n' >bin/scancel
printf '#!/bin/bash\nexit 0\n' >bin/squeue
chmod +x bin/*
export PATH="$work/bin:$PATH" CALLS="$work/calls"

# preset NAME ID FIELD DOMAIN: as YAML has them
preset() {
    cat >named.yaml <<YAML
billow: 1
name: $1
domains:
  $4: {cells: [8, 8, 8], voxel: 5 cm, sides: {rest: open}}
time: {fps: 25, frames: 1-2, substeps: 1}
fields: {$3: {kind: scalar}}
stages:
  - mac.advect: {}
  - emit: {id: $2, mode: max, density: 1, temperature: 100, shape: {sphere: {center: [0, 0, 0.2], radius: 10 cm}}}
  - mac.project: {}
export:
  - vdb: {fields: [density]}
YAML
}
# ruled WHAT PLACE FAULT: `check` and a bake on a farm say the same, and nothing is written.
ruled() {
    run check named.yaml; expect "$1: check" 3 "named.yaml:$2.*$3"
    run bake named.yaml --on slurm --out o; expect "$1: a farm" 3 "named.yaml:$2.*$3"
    that "$1: nothing is there" test ! -e o -a ! -e calls
}
preset plain source dye main
run check named.yaml; expect "plain names" 0 good
preset '"a\ntouch PWN #"' source dye main; ruled "a line" 2:8 'name: "a.ntouch PWN #" has a control character in it'
preset '"tab\there"' source dye main; ruled "a tab" 2:8 "has a control character"
preset '"\x9b31m"' source dye main; ruled "C1" 2:8 "has a control character"
preset '"del\x7f"' source dye main; ruled "DEL" 2:8 "has a control character"
preset '"\u2028"' source dye main; ruled "a line separator" 2:8 "has a control character"
preset '../up' source dye main; ruled "a path" 2:7 "has a slash in it"
preset '.hidden' source dye main; ruled "a dot" 2:7 "begins with a dot"
preset plain '"s\rx"' dye main; ruled "an id" 9: 'id: .* has a control character'
preset plain source '"d\ne"' main; ruled "a field" 6: 'fields: .* has a control character'
preset plain source dye '"m\e[2J"'; ruled "a domain" 4: 'domains: .* has a control character'
preset plain source dye main; sed -i 's/vdb: {/&name: "x\\ny", /' named.yaml; ruled "an exporter's" 1 "has a control character in it"
preset plain source dye main; sed '/^name/d' named.yaml >$'new\nline.yaml'
run check $'new\nline.yaml'; expect "a file's own name" 3 "the file's name becomes the preset's.*has a control character in it: give a .name."
preset '"-x; $(touch PWN) `touch PWN` \"q\" %j"' source dye main
run check named.yaml; expect "what is a name" 0 good

# ---- scripts ----
# lines FILE: each is a comment, empty, or one command of the program.
lines() { ! grep -vqE "^(#|$|exec .*billow.* (bake|wedge) )" "$1"; }
mkdir '$(touch PWN) "a" %b'
( cd '$(touch PWN) "a" %b' && "$billow" bake ../named.yaml --on slurm --out "it's" ) >out.txt 2>err.txt; code=$?
expect "a bake in such a folder" 0 "job 17" "billow status 'it'.''s'$"
script="$work/\$(touch PWN) \"a\" %b/it's/farm/bake.sbatch"
that "its lines" lines "$script"
that "sbatch gets it behind --" grep -q "^--parsable -- it's/farm/bake.sbatch$" calls
that "Slurm's own signs are quoted" grep -qxF "#SBATCH --output=\"$work/\$(touch PWN) \\\"a\\\" %%b/it's/farm/bake.log\"" "$script"
SLURM_CPUS_PER_TASK=1 bash "$script" >out.txt 2>err.txt; code=$?
expect "it runs" 0 "2 frames"
that "and nothing else does" test "$(find . -name PWN)" = ""
rm calls
for folder in $'two\nlines' $'esc\x1b[2J'; do
    mkdir "$folder"
    ( cd "$folder" && "$billow" bake ../named.yaml --on slurm --out o ) >out.txt 2>err.txt; code=$?
    expect "a working folder with a control character" 2 "Slurm takes no path with a control character in it"
    run bake named.yaml --on slurm --out "$folder/o"; expect "such a folder for the bake" 2 "Slurm takes no path"
    that "nothing is submitted" test ! -e calls
done
run bake named.yaml --out plain; expect "a bake" 0
mkdir cache
for n in 1 2; do cp plain/vdb/*_000$n.vdb "cache/"$'x\ntouch PWN #_000'$n.vdb; done
run preview cache --size 16 --on slurm --tasks 2 --out m.mp4; expect "a movie of such files" 0 "members 1-2"
that "its lines" lines m.parts/farm/members.sbatch
that "and those of what follows" lines m.parts/farm/collect.sbatch
that "the job's name" grep -qx '#SBATCH --job-name=x_touch_PWN_#' m.parts/farm/members.sbatch
run wedge named.yaml --vary time.seed=1,2 --on slurm --out "a wedge's"; expect "a wedge" 0 "members 1-2" "billow cancel 'a wedge'.''s'$"
that "its lines" lines "a wedge's/farm/members.sbatch"

# ---- job.json ----
# numbered JSON PLACE: is no record of a job; Slurm hears nothing.
numbered() {
    rm -f calls; mkdir -p sent/farm; printf '%s' "$1" >sent/farm/job.json
    for command in cancel status; do
        run $command sent; expect "$command: $1" 3 "sent/farm/job.json:$2[0-9]+: .*has to be a job's number"
    done
    that "$1: Slurm hears nothing" test ! -e calls
}
numbered '{"job": "--user=root"}' 1:
numbered '{"job": "17", "collect": "--me"}' 1:
numbered $'{\n "job": "17 18"}' 2:
numbered '{"job": "17;18"}' 1:
numbered '{"job": 17}' 1:
numbered '{"job": ""}' 1:
numbered '{"collect": "17"}' 1:
printf '{"job": "17", "collect": "18"}' >sent/farm/job.json
run cancel sent; expect "a good one" 0 "job 17 is cancelled"
that "is cancelled" grep -qx 'scancel -- 17 18' calls

# ---- what is printed to be typed ----
# harmless: what the last run said holds no control character but line ends and tabs, in UTF-8 too.
harmless() { ! cat out.txt err.txt | LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]'; }
# typed OUT: the commands that a bake prints can be typed as they are.
typed() {
    run bake named.yaml --out="$1"; expect "a bake into $1" 0
    sed -n 's/^  billow \(info\|preview\|blender\) \(.*\)/"$billow" \1 \2/p' err.txt | sed 's/ --open$//' >typed.sh
    [ "$(wc -l <typed.sh)" = 3 ] || bad "three lines for $1"
    export billow
    that "they run" bash -e typed.sh
    that "nothing printed commands the terminal" harmless
}
typed "it's \$HOME"
typed -x
typed $'two\nlines \x1b[31m'
typed '#~*?[a-z]'
that "nothing ran" test "$(find . -name PWN)" = ""

# ---- what a cache says ----
# A grid, a metadatum's key and its value, a creator, whose texts command a terminal.
preset plain source dye main
run bake named.yaml --out told --set export.vdb.compression=none
cat >hostile.py <<'PYTHON'
import sys
path = sys.argv[1]
data = open(path, "rb").read()
assert data.count(b"density") and data.count(b"creator")
data = data.replace(b"density", b"den\x1b[2J").replace(b"file_compression", b"file\x9b31m\xc2\x9b3\x7f\r!!!")
foreign = bytearray(data)
foreign[21 + 14] = ord("4")
open(path, "wb").write(foreign)
PYTHON
cp told/vdb/*_0001.vdb $'cache/evil\x1b]0;x\x07_0001.vdb'
python3 hostile.py $'cache/evil\x1b]0;x\x07_0001.vdb' || bad "hostile.py"
for command in "info" "check" "preview --size 16 --field nothing" "blender" "retime --speed 2 --mute mp4 --out r" "upres --out u" \
    "compare told/vdb/plain_0001.vdb"; do
    run ${command%% *} cache/evil*_0001.vdb $(sed 's/^[a-z]*//' <<<"$command")
    that "$command is harmless" harmless
    [ -s out.txt ] || [ -s err.txt ] || bad "$command says nothing"
done
run info cache/evil*_0001.vdb; expect "the grid is named" 0 'den\?\[2J'
printf 'billow: 1\nname: \033[2J\n' >e.yaml; run check e.yaml; expect "a preset" 3; that "is harmless" harmless
printf 'billow: 1\n"\\e[31mkey": 1\ndomain: {size: "\\x9b2J"}\n' >e.yaml; run check e.yaml; expect "keys" 3; that "are harmless" harmless
printf '{"job": "\\u001b[2J\\u009b"}' >sent/farm/job.json; run status sent; expect "a record" 3; that "is harmless" harmless
printf '{"job": "17"}' >sent/farm/job.json; printf '#!/bin/bash\nprintf "17|RUN\\033[2J|no\\007|n\\302\\233"' >bin/squeue
printf '{"complete": false, "frames": [1, 2]}' >sent/bake.json
run status sent; that "Slurm's words are harmless" harmless
that "and there" grep -q 17 out.txt
run preview "no"$'\x1b[2J'; expect "an operand" 6 'no\?\[2J'; that "is harmless" harmless
run $'\x1b[2J'; expect "a command" 2; that "is harmless" harmless
run preview cache/evil*_0001.vdb --size 16 --json 2>/dev/null; run check cache --json; that "JSON is harmless" harmless
that "and JSON" python3 -c 'import json; json.load(open("out.txt"))'

prompt_end
