#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# files.sh BILLOW SOURCE: what lies on the disk while a bake runs and after it: nothing wrong looks right, nothing
# finished is lost.
. "$(dirname "$0")/prompt.sh"

sed 's/1001-1006/1001-1003/; s/name: puff/name: film/' puff.yaml >film.yaml
printf '  - mp4: {size: 64, sheet: no}\ncheckpoints: {keep: 1}\n' >>film.yaml # that of the end alone
run bake film; expect "a bake" 0 "out/film: 3 frames"

# ---- what was written is known ----
cat >sums.py <<'PYTHON'
import json, os
files = json.load(open("out/film/bake.json"))["files"]
assert sorted(files) == list(files) and "vdb/film_1002.vdb" in files and "film.mp4" in files and len(files) == 10, files
for name, facts in files.items():
    assert name == "bake.json" or (facts["bytes"] == os.path.getsize("out/film/" + name) and len(facts["xxh3"]) == 16)
assert len({facts.get("xxh3") for facts in files.values()}) == 10
PYTHON
that "bake.json tells size and sum of every file" python3 sums.py
that "so does the journal" grep -qE '^whole [0-9]+ [0-9a-f]{16} vdb/film_1002.vdb$' out/film/bake.journal

rm -rf hurt; cp -r out/film hurt
cat >flip.py <<'PYTHON'
import os, sys
with open(sys.argv[1], "r+b") as f:
    f.seek(int(os.path.getsize(sys.argv[1]) * float(sys.argv[2])))
    byte = f.read(1)[0]
    f.seek(-1, 1)
    f.write(bytes([byte ^ 1]))
PYTHON
for at in 0.01 0.3 0.6 0.99; do
    python3 flip.py hurt/vdb/film_1002.vdb $at
    run check hurt; expect "a flipped bit at $at" 1 "hurt/vdb/film_1002.vdb: is damaged"
    python3 flip.py hurt/vdb/film_1002.vdb $at
done
run check hurt; expect "flipped back" 0 "0 missing"

# damaged WHAT PATTERN COMMAND…: after COMMAND in a copy of the bake, it is not up to date, and says why.
damaged() {
    local what=$1 pattern=$2
    shift 2
    rm -rf hurt; cp -r out/film hurt
    (cd hurt && "$@")
    run bake film --out hurt; expect "$what" 2 "hurt holds a damaged bake of this preset, .*\($pattern" "--force"
}
damaged "an empty VDB" "vdb/film_1002.vdb has 0 bytes, not the [0-9]+ that were written\)" truncate -s 0 vdb/film_1002.vdb
damaged "a cut movie" "film.mp4 has 1000 bytes" truncate -s 1000 film.mp4
damaged "a VDB that is gone" "vdb/film_1001.vdb is missing\)" rm vdb/film_1001.vdb
damaged "an emptied folder" "vdb/film_1001.vdb is missing, and 2 more files\)" sh -c 'rm vdb/*'
damaged "a folder that is gone" "vdb/film_1001.vdb is missing, and 2 more files\)" rm -r vdb
rm -rf hurt; cp -r out/film hurt; rm -r hurt/checkpoints
run bake film --out hurt; expect "checkpoints that are gone" 0 "up to date"
rm hurt/vdb/*
run bake film --out hurt --force; expect "--force mends it" 0 "3 frames"
run bake film --out hurt; expect "then it is up to date" 0 "hurt is up to date"

# ---- the record is lost ----
# lost WHAT COMMAND…: without its record, nothing is mixed; --force replaces what is known.
lost() {
    local what=$1
    shift
    rm -rf lost; cp -r out/film lost
    (cd lost && "$@")
    run bake film --out lost --set domain.voxel=4cm; expect "$what: another voxel size" 2 "$words" "--force.*--new.*--out DIR"
    run bake film --out lost; expect "$what: the same bake" 2 "$words"
    # The same bake each time: sanitizers see it where the next line looks at what it left.
    [ -n "${BILLOW_TEST_SHORT:-}" ] && [ "$1" != rm ] && return
    run bake film --out lost --frames 1002-1002 --set domain.voxel=4cm --force; expect "$what: --force" 0 "1 frame"
}
words="lost holds a bake that lost its record, bake.json, 4 files are whole"
lost "no bake.json" rm bake.json
that "its frames are gone" test "$(cd lost/vdb && echo *)" = film_1002.vdb
lost "an empty bake.json" truncate -s 0 bake.json
lost "a cut bake.json" truncate -s 100 bake.json
lost "a pipe for bake.json" sh -c 'rm bake.json; mkfifo bake.json'
words="lost holds 7 files that no record lists"
lost "neither bake.json nor journal" rm bake.json bake.journal
that "what nobody knows stays" test "$(cd lost/vdb && echo *)" = "film_1001.vdb film_1002.vdb film_1003.vdb"
mkdir -p mine/vdb; echo mine >mine/vdb/film_0007.vdb
run bake film --out mine; expect "another bake's frame" 2 "mine holds 1 file that no record lists, .*: vdb/film_0007.vdb"
mv mine/vdb/film_0007.vdb mine/vdb/film_0007_mine.vdb; mkdir mine/film.mp4; rmdir mine/film.mp4
run bake film --out mine; expect "a file that is none of ours" 0 "3 frames"

# ---- taken away while it runs ----
sed 's/voxel: 2 cm/voxel: 5 mm/; s/frames: 1001-1006/frames: 1001-1030/' puff.yaml >long.yaml
during 1 "find emptied/vdb -name 'puff_*' -delete" bake long.yaml --out emptied
expect "frames that go in mid-bake" 6 "emptied was changed while the bake ran: vdb/puff_1001.vdb is missing"
that "it is not complete" grep -q '"complete": false' emptied/bake.json
during 1 "rm -rf removed/vdb" bake long.yaml --out removed
expect "a folder that goes in mid-bake" 6 "removed was changed while the bake ran: vdb/puff_1001.vdb is missing|removed/vdb/.*( was removed|No such file)"
that "nor is this" grep -q '"complete": false' removed/bake.json

# ---- a frame is told when it is on the disk ----
cat >follow.py <<'PYTHON'
import json, os, subprocess, sys
bake = subprocess.Popen([sys.argv[1], "bake", "film.yaml", "--out", "told", "--json", "--set", "time.frames=1001-1012"],
                        stdout=subprocess.PIPE, text=True)
told = []
for line in bake.stdout:
    event = json.loads(line)
    if event["event"] == "frame" and event["written"]:
        told.append(event["frame"])
        name = "vdb/film_%d.vdb" % event["frame"]
        size = os.path.getsize("told/" + name)
        journal = open("told/bake.journal").read().splitlines()
        assert any(l.startswith("whole %d " % size) and l.endswith(name) for l in journal), name
assert bake.wait() == 0 and told == list(range(1001, 1013)), told
PYTHON
that "written: true comes after the file and its line" python3 follow.py "$billow"
mkdir -p short/vdb/film_1002.vdb
run bake film --out short --json; expect "a name that is a folder's" 6 "short/vdb/film_1002.vdb.*[Dd]irectory"
that "the frame before it is told as written" grep -q '"frame":1001,"written":true' out.txt
that "it is not, nor are those behind it" sh -c '! grep -E "\"frame\":100[23],\"written\":true" out.txt'

# ---- the terminal goes away ----
sed 's/name: puff/name: hung/' long.yaml >hung.yaml
printf '  - mp4: {size: 64}\n' >>hung.yaml
during 1 'kill -HUP $pid' bake hung.yaml --out hung; expect "SIGHUP" 75
that "log and movie are finished" test -s hung/bake.log -a -s hung/hung.mp4 -a -z "$(find hung -name '.*')"

# ---- files that may not grow ----
cp "$presets/every.yaml" .
sizes="2 8 32"; [ -z "${BILLOW_TEST_SHORT:-}" ] || sizes=8
for kilobytes in $sizes; do
    (ulimit -f $kilobytes; exec "$billow" bake every --out "grow$kilobytes" >out.txt 2>err.txt </dev/null)
    code=$?; expect "files of $kilobytes KiB at most" 6 "grow$kilobytes/.*: File too large"
    that "nothing half-written is left" test -z "$(find grow$kilobytes -name '.*')"
done

prompt_end
