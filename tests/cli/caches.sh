#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# caches.sh BILLOW SOURCE: caches made slower, faster and finer, and told to other programs. The last line is "N passed, N failed".
. "$(dirname "$0")/prompt.sh"

buoyant=(--set stages.mac.forces.buoyancy=2)
run bake puff "${buoyant[@]}" --out out/puff_v002; expect "a cache" 0
run bake puff "${buoyant[@]}" --frames 1001-1003; expect "three frames of it" 0

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
run bake puff "${buoyant[@]}" --frames 1001-1003
expect "a damaged bake is not begun anew unasked" 2 "[1-9] checkpoints? (is|are) whole \(vdb/puff_1001.vdb is missing, and 2 more files\): --resume"
run resume out/puff; expect "a damaged bake is made again" 0 "made again: vdb/puff_1001.vdb is missing, and 2 more" "3 frames"
run check out/puff; expect "and is whole" 0 "frames 1001-1003, 3 files, 0 missing"

# ---- a scene for other programs ----
run blender out/puff; expect "blender" 0 "out/puff/puff_blender.py" "out/puff/puff.usda"
that "smoke alone" sh -c "! grep -q camera out/puff/puff_blender.py && ! grep -q Camera out/puff/puff.usda"
run blender out/puff --scene; expect "the movie's scene" 0 "out/puff/puff_blender.py" "out/puff/puff.usda"
that "with a camera" sh -c "grep -q camera out/puff/puff_blender.py && grep -q Camera out/puff/puff.usda"
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

prompt_end
