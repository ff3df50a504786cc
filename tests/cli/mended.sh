#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# mended.sh BILLOW SOURCE: bakes that are gone on with after something about them changed: files they read, where they
# lie, what is muted, frames that were damaged. What can't go on is told by name.
. "$(dirname "$0")/prompt.sh"

# ---- files that a look names ----
cat >sky.py <<'PYTHON'
import sys
with open(sys.argv[1], "wb") as f:  # 8x4, one colour
    f.write(b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 4 +X 8\n" + bytes([100, 120, 140, 128]) * 32)
PYTHON
mkdir -p here/skies; python3 sky.py "here/skies/a sky.hdr"; cp "$presets/../meshes/box.obj" here
sed -e 's/sphere: .*radius: 10 cm}/mesh: {file: box.obj, scale: 0.3}/; s/name: puff/name: lit/' puff.yaml >here/lit.yaml
printf '  - mp4: {view: render, size: 32, sheet: no}\n  - png: {view: render, size: 32, sky: {hdri: {file: skies/a sky.hdr}}}\n' >>here/lit.yaml
printf 'look: {sky: {hdri: {file: skies/a sky.hdr}}}\ncheckpoints: {every: 0, frames: 2, keep: 9}\n' >>here/lit.yaml
run bake here/lit.yaml --out here/out; expect "a look with a relative file" 0 "6 frames"
run resume here/out; expect "its resolved.yaml is the same bake" 0 "up to date"
run resume here/out --frames 1001-1008; expect "and is made longer" 0 "8 frames"
run bake here/lit.yaml --out here/out --frames 1001-1008; expect "the preset as well" 0 "up to date"

# ---- a project that moved ----
mv here there
run resume there/out; expect "a project that moved" 0 "up to date"
run resume there/out --frames 1001-1010; expect "resumes from where it is" 0 "10 frames"
that "resolved.yaml names the files where they are" grep -q "there/skies/a sky.hdr" there/out/resolved.yaml
that "and none where they were" sh -c '! grep -q "/here/" there/out/resolved.yaml'
mv there/out elsewhere
run resume elsewhere --frames 1001-1011; expect "a folder that moved alone" 0 "11 frames"
mv elsewhere there/out
python3 - <<'PYTHON'
text = open("there/box.obj").read()
open("there/box.obj", "w").write(text + "# another\n")
PYTHON
run resume there/out --frames 1001-1012; expect "a mesh that is another by now" 2 "box.obj: the file holds something else than it did"
run bake there/lit.yaml --out there/out; expect "the preset says so, too" 2 "box.obj: the file holds something else than it did"
sed -i '$d' there/box.obj
sed -i 's/bytes(\[100/bytes([90/' sky.py; python3 sky.py "there/skies/a sky.hdr"
run resume there/out --frames 1001-1012; expect "another sky" 2 "a sky.hdr: the file holds something else than it did"

# ---- exporters that are muted ----
sed 's/name: puff/name: film/' puff.yaml >film.yaml
printf '  - mp4: {size: 64, sheet: no}\n  - png: {size: 64}\ncheckpoints: {every: 0, frames: 4, keep: 9}\n' >>film.yaml
run bake film.yaml --out whole --frames 1001-1016
run bake film.yaml --out muted --frames 1001-1008; expect "a bake with a movie" 0 "8 frames"
sum=$(sha1sum <muted/film.mp4)
run resume muted --frames 1001-1012 --mute mp4; expect "made longer without it" 0 "12 frames"
that "from its last checkpoint" grep -q "^resumed from muted/checkpoints/film_1008.bwck" muted/bake.log
that "the movie is as it was" test "$sum" = "$(sha1sum <muted/film.mp4)"
run check muted; expect "its frames are of one bake" 0 "frames 1001-1012, 12 files, 0 missing"
run bake film.yaml --out muted --frames 1001-1012 --mute mp4 --mute png; expect "with more muted it is up to date" 0 "up to date"
run bake film.yaml --out muted --resume --frames 1001-1016; expect "with the movie again" 0 "16 frames"
that "from the last checkpoint that has its frames" grep -q "^resumed from muted/checkpoints/film_1008.bwck, after" <(tail -n +20 muted/bake.log)
that "all files are those of one go" diff <(made whole) <(made muted)
rm muted/checkpoints/*
run resume muted --frames 1001-1018 --set export.png.size=32; expect "an exporter of other values" 2 "export.png.size: 64 → 32"
mkdir built; cp "$("$billow" info mp4 | sed -n 's/^plugin: //p')" built; echo >>built/mp4.so
BILLOW_PLUGIN_PATH=built run bake film.yaml --out whole --frames 1001-1016; expect "another build of one" 2 "mp4.so has been built anew since"
BILLOW_PLUGIN_PATH=built run resume whole --frames 1001-1017 --mute mp4; expect "is no matter when it is muted" 0 "17 frames"

# ---- damaged frames ----
sed 's/keep: 9/keep: 3/' film.yaml >hurt.yaml
run bake hurt.yaml --out good --frames 1001-1016; expect "a bake to be damaged" 0 "16 frames"
kept good >good.txt
# hurt WHAT MADE PATTERN COMMAND…: COMMAND in a copy; resume makes the same files again, and of VDB files no more than MADE.
hurt() {
    local what=$1 made=$2 pattern=$3
    shift 3
    rm -rf hurt; cp -r good hurt
    (cd hurt && "$@")
    find hurt/vdb -type f -exec touch -d 2020-01-01 {} +
    run check hurt; expect "$what: check sends one there" 1 "billow resume"
    run resume hurt; expect "$what" 0 "to be made again.*: $pattern" "hurt: 16 frames"
    that "$what: the same bytes" diff good.txt <(kept hurt)
    that "$what: others are left alone" test "$(find hurt/vdb -type f -newermt 2021-01-01 | wc -l)" = "$made"
    cp err.txt said.txt
    run check hurt; expect "$what: check is content" 0 "0 missing"
}
flip() { python3 -c "import sys; f = open(sys.argv[1], 'r+b'); f.seek(300); b = f.read(1); f.seek(300); f.write(bytes([b[0] ^ 1]))" "$1"; }
hurt "a frame that is gone" 1 "vdb/film_1002.vdb is missing" rm vdb/film_1002.vdb
hurt "a bit that flipped" 1 "vdb/film_1011.vdb has not the bytes" flip vdb/film_1011.vdb
that "from the nearest checkpoint" grep -q "again, from hurt/checkpoints/film_1008.bwck: " said.txt
hurt "two frames" 2 "vdb/film_101[15].vdb has 9 bytes.* and 1 more file" truncate -s 9 vdb/film_1011.vdb vdb/film_1015.vdb
hurt "a movie" 0 "film.mp4 has 10 bytes" truncate -s 10 film.mp4
hurt "a movie, a picture" 0 ".* is missing, and 1 more file" rm film.mp4 png/film_1010.png
hurt "numbers and values" 0 ".*, and 1 more file" rm metrics.csv timings.csv
rm -rf hurt; cp -r good hurt; rm -r hurt/checkpoints hurt/vdb/film_1003.vdb
run resume hurt; expect "without a checkpoint" 0 "vdb/film_1003.vdb is missing"
that "from the first frame" cmp good/vdb/film_1003.vdb hurt/vdb/film_1003.vdb
rm -rf hurt; cp -r good hurt; rm hurt/vdb/film_1003.vdb
run resume hurt --frames 1001-1018; expect "damaged and to be longer" 2 "a resume of the frames that it has makes files again"
during 2 'kill -KILL $pid' resume hurt; run resume hurt
expect "killed as it is mended" 0; that "and mended" diff good.txt <(kept hurt)

prompt_end
