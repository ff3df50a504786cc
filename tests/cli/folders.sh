#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# folders.sh BILLOW SOURCE: output folders that go away, are shared, led elsewhere by links, or can't be written to.
. "$(dirname "$0")/prompt.sh"
sed 's/1001-1006/1001-1002/' puff.yaml >short.yaml
sed 's/voxel: 2 cm/voxel: 5 mm/; s/frames: 1001-1006/frames: 1001-1030/' puff.yaml >long.yaml

# ---- it goes away (rm takes the files first: a bake may meet the folder half empty) ----
during 1 'while [ -e gone ]; do rm -rf gone; done 2>/dev/null' bake long.yaml --out gone
expect "a folder that is removed" 6 "the folder gone is gone|or its folder, was removed"
that "none is made in its place" test ! -e gone
during 1 "mv here away" bake long.yaml --out here; expect "a folder that is moved" 6 "the folder here is gone"
that "none is made in its place either" test ! -e here
during 1 "mv swapped old; mkdir swapped" bake long.yaml --out swapped; expect "a folder with another in its place" 6 "the folder swapped is gone"
that "the other stays empty" test -z "$(ls -A swapped)"
run bake long.yaml --frames 1001-1001 --out away --force; expect "what was moved is good for another" 0 "1 frame"

# ---- two at once ----
for i in 1 2 3 4; do
    "$billow" bake short.yaml --new --out at >"out$i" 2>"err$i" </dev/null &
    pids[i]=$!
done
codes=
for i in 1 2 3 4; do wait "${pids[i]}"; codes+="$? "; done
code=${codes// /}; expect "four at once with --new" 0000
that "each has its own folder" test "$(echo at*/bake.json)" = "at/bake.json at_v002/bake.json at_v003/bake.json at_v004/bake.json"
for i in 1 2 3 4; do
    "$billow" bake short.yaml --out one >"out$i" 2>"err$i" </dev/null &
    pids[i]=$!
done
codes=
for i in 1 2 3 4; do wait "${pids[i]}"; codes+="$? "; done
that "four at once into one folder: one bakes" test "$(cat err? | grep -c 'one: 2 frames')" = 1
that "the others wait, or find it up to date" sh -c "echo '$codes' | grep -qE '^([02] ){4}$'"
run check one; expect "it is whole" 0 "2 files, 0 missing"

# ---- links ----
mkdir far shared; echo mine >far/victim
for name in resolved.yaml bake.log bake.json metrics.csv; do ln -s ../far/victim "shared/.$name.part"; done
ln -s ../far/victim shared/bake.journal; ln -s ../far/victim shared/metrics.csv
mkdir shared/vdb; ln -s ../../far/victim shared/vdb/.puff_1001.vdb.part; ln -s ../../far/victim shared/vdb/puff_1002.vdb
run bake short.yaml --out shared; expect "links under a bake's names" 2 "no record lists"
run bake short.yaml --out shared --force; expect "links with --force" 0 "2 frames"
that "what they lead to is as it was" test "$(cat far/victim)" = mine
that "no link is left" test -z "$(find shared -type l)"
rm -r shared/vdb; mv far/victim .; ln -s ../far shared/vdb
run bake short.yaml --out shared --force; expect "a link for a folder" 6 "shared/vdb.*a link or a file is where its folder should be"
that "before anything is simulated" sh -c '! grep -q "s/frame" err.txt'
that "nothing is written through it" test -z "$(ls -A far)"
echo mine >far/victim; ln -s ../far/victim one/.puff_blender.py.part; ln -s ../far/victim one/.puff.usda.part
run blender one; expect "a scene where links lie" 0
run preview one --frames 1001-1001 --size 64 --out nowhere/seen.png; expect "a preview into no folder" 6 "nowhere/seen.png: No such file"
that "what they lead to is as it was, too" test "$(cat far/victim)" = mine -a -s one/puff_blender.py -a ! -L one/puff.usda
mkdir real; ln -s real lead
run bake short.yaml --out lead; expect "--out itself may be a link" 0 "lead: 2 frames"
touch file; run bake short.yaml --out file; expect "--out that is a file" 6 "file.*(Not a directory|can.t be)"

# ---- names ----
sed 's/name: puff/name: a..b/' short.yaml >dots.yaml
run bake dots.yaml; expect "a name with two dots" 0 "out/a..b: 2 frames"
run bake dots.yaml; expect "it is up to date" 0 "up to date"
run check out/a..b; expect "it is checked" 0 "0 missing"
sed '$s/.*/  - vdb: {name: "..\/..\/far\/x"}/' short.yaml >out.yaml
run check out.yaml; expect "a name that leads out" 3 "out.yaml:13:5: vdb.*far/x"
sed '$s/.*/  - png: {name: "a\\nb"}/' short.yaml >line.yaml
run check line.yaml; expect "a name with a line's end in it" 3 'line.yaml:13:5: png would write .*, which has a control character'
run bake line.yaml; expect "nor is it simulated" 3 "control character"

# ---- no leave to write ----
# As root, leave is always given: then somebody else tries.
as_other() { if [ "$(id -u)" = 0 ]; then setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; else "$@"; fi; }
chmod 755 .; mkdir locked open; chmod 777 open; chmod 555 locked
as_other env HOME="$work/open" "$billow" bake short.yaml --out locked/out >out.txt 2>err.txt; code=$?
expect "a folder that may not be written to" 6 "locked/out: can.t be made: Permission denied"
cp -r one kept; chmod -R a-w kept
as_other env HOME="$work/open" "$billow" bake short.yaml --out kept >out.txt 2>err.txt; code=$?
expect "a finished bake there is up to date" 0 "up to date"
as_other env HOME="$work/open" "$billow" bake short.yaml --out kept --seed 3 --force >out.txt 2>err.txt; code=$?
expect "it can't be replaced" 6 "kept/.*(removed|written): Permission denied"
that "it is untouched" diff -r one kept
as_other env HOME="$work/open" "$billow" retime kept --speed 0.5 --out open/slow >out.txt 2>err.txt; code=$?
expect "frames from a folder that may not be written to" 0 "open/slow: 3 frames"
as_other env HOME="$work/open" "$billow" preview kept --out open/seen.mp4 >out.txt 2>err.txt; code=$?
expect "a preview of it" 0
as_other env HOME="$work/open" "$billow" blender kept >out.txt 2>err.txt; code=$?
expect "a scene beside it" 6 "kept/.*(Permission denied|can.t be written)"
chmod -R u+w kept

prompt_end
