#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# hostile.sh BILLOW SOURCE: VDB files, meshes and points that lie, through every command that reads them. Whatever they
# say, there is a sentence with the file's name, no signal, and no more memory than 2 GB. The last line is
# "N passed, N failed".
# shellcheck source=tests/cli/prompt.sh
. "$(dirname "$0")/prompt.sh"
found=$(realpath "$presets/../fuzz/corpus")
# Sanitizers need the room themselves.
grep -q '__[at]san_init' "$billow" || ulimit -v 2000000

# try WHAT PATTERN COMMAND…: exit code 6 and words, within a minute, which is far more than any of them needs.
try() {
    local what=$1 pattern=$2
    shift 2
    soon_run "$@"
    expect "$what" 6 "$pattern"
}

# preset STAGE: p.yaml of one stage.
preset() {
    cat >p.yaml <<YAML
billow: 1
domain: {cells: [8, 8, 8], voxel: 5 cm, sides: {rest: open}}
time: {fps: 25, frames: 1-2}
stages:
  - $1
YAML
}

# A size that lies (a write past a buffer), a name of gigabytes, what is no file.
cp "$found/vdb/crash419.vdb" crash_0001.vdb && cp crash_0001.vdb crash_0002.vdb
cp "$found/vdb/hang109.vdb" hang_0001.vdb && cp hang_0001.vdb hang_0002.vdb
mkfifo pipe_0001.vdb pipe_0002.vdb
mkdir dir_0001.vdb dir_0002.vdb
ln -s /dev/zero zero_0001.vdb && ln -s /dev/zero zero_0002.vdb
for name in crash hang pipe dir zero; do
    file=${name}_0001.vdb
    try "info of $name" "cannot read .*$file: " info "$file"
done
for name in crash hang; do
    file=${name}_0001.vdb
    files="${name}_####.vdb"
    try "preview of $name" "cannot read .*$file: " preview "$files" --out p.mp4
    try "retime of $name" "cannot read .*$file: " retime "$files" --speed 0.5 --out r
    try "upres of $name" "cannot read .*$file: " upres "$files" --out u
    preset "emit: {density: 1, shape: {vdb: {file: \"$files\"}}}"
    try "a source from $name" "cannot read .*$file: " bake p.yaml --out b
    preset "load: {path: \"$files\", fields: [{field: density}]}"
    try "a field from $name" "cannot read .*$file: " bake p.yaml --out b
done

# Meshes and points: checked and baked.
for name in ply/index:18 ply/promise:3 ply/cut:18 stl/cut_text:43 obj/beyond:2; do
    file=mesh_${name%/*}/$(basename "${name%:*}").${name%%/*}
    preset "emit: {density: 1, shape: {mesh: {file: $found/$file}}}"
    for command in check "bake --out m"; do
        # shellcheck disable=SC2086
        try "$command of $file" "$file:${name##*:}: " $command p.yaml
    done
done
# A reader of meshes that ends without a word.
preset "emit: {density: 1, shape: {mesh: {file: $2/tests/meshes/box.obj}}}"
export BILLOW_MESH_READER=/bin/false
try "a reader that fails" "box.obj cannot be read: the reader of meshes ended without an answer" bake p.yaml --out m
unset BILLOW_MESH_READER
mkfifo pipe.ply pipe.csv
for shape in "mesh: {file: pipe.ply}" "points: {file: pipe.csv}" "mesh: {file: zero_0001.vdb}"; do
    preset "emit: {density: 1, shape: {$shape}}"
    try "$shape" "is not a file" bake p.yaml --out m
done

that "all of them were tried" [ "$passed" -gt 25 ]
prompt_end
