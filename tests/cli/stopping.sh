#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# stopping.sh BILLOW SOURCE: bakes that are stopped, killed and begun again; what is finished stays. The last line is "N passed, N failed".
. "$(dirname "$0")/prompt.sh"

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
run bake puff --frames 1005-1006 --out part; cp -r part torn; rm torn/vdb/puff_1005.vdb
run bake puff --frames 1005-1006 --out torn; expect "a frame is gone" 2 "torn holds a damaged bake of this preset, 1 file is whole"
rm torn/vdb/puff_1006.vdb
run bake puff --frames 1005-1006 --out torn; expect "all frames are gone, but a checkpoint is not" 2 "torn holds a damaged bake of this preset, [0-9]+ checkpoints? (is|are) whole"

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
files = json.load(open("renamed/bake.json"))["files"] # how many checkpoints depends on how long it took
print(*(name for name in files if not name.startswith("checkpoints/") or "1004" in name))
PYTHON
that "the record lists what the bake wrote" test "$(cat files.txt)" = \
    "bake.json bake.log checkpoints/puff_1004.bwck metrics.csv resolved.yaml timings.csv $(echo vdb/puff_100{2,3,4}.vdb)"
run bake puff --frames 1001-1001 --out renamed --force; expect "--force over a finished bake" 0 "1 frame"
that "it, too, removes nothing else" cmp users.txt <(users)
cat >renamed/bake.json <<JSON
{"billow": 1, "complete": false, "files": ["resolved.yaml", "vdb/puff_1001.vdb", "../outside.txt", "$work/outside.txt",
 "link/inside.txt", "vdb/../notes.txt", 7, ""]}
JSON
run bake puff --frames 1002-1002 --out renamed; expect "an older record" 2 "$other, 1 file is whole" # what a link leads to is not looked at, and stays
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

prompt_end
