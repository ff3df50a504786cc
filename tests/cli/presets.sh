#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# presets.sh BILLOW SOURCE: presets that lead in circles, are no files, want more than there is, or get a stage from
# somebody else; and those of README and guide, with the guide's commands. The last line is "N passed, N failed".
set -u
billow=$(realpath "$1")
source=$(realpath "$2")
puff=$source/tests/cli/puff.yaml
plugins=$(dirname "$billow")/../plugins
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_DATA_HOME="$work/home" BILLOW_PLUGIN_PATH=''
passed=0 failed=0

# expect WHAT CODE PATTERN COMMAND…: exit code and words; a minute is far more than any of them needs.
expect() {
    local what=$1 wanted=$2 pattern=$3 code
    shift 3
    timeout -k 5 60 "$billow" "$@" >out.txt 2>&1 </dev/null
    code=$?
    if [ "$code" = "$wanted" ] && grep -qE -- "$pattern" out.txt; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        { echo "-- failed: $what: exit code $code, wanted $wanted and \"$pattern\""; head -c 1500 out.txt; } >&2
    fi
}

# from NAME BAKE: NAME.yaml takes its frames from the bake of BAKE
from() { { sed '/^name:/d' "$puff"; echo "frames_from: {bake: $2}"; } >"$1.yaml"; }

# ---- circles ----
from self self; from one two; from two one; from lost nowhere
ln -s one.yaml other.yaml
for command in check "bake --force"; do
    # shellcheck disable=SC2086
    expect "$command of itself" 3 'self\.yaml:13:21: frames_from: .*itself' $command self
    # shellcheck disable=SC2086
    expect "$command of two in a circle" 3 'one\.yaml:13:21: frames_from: .*itself' $command one
done
expect "a circle by way of a link" 3 'frames_from: .*itself' check other
expect "frames of a preset that is not there" 3 'lost\.yaml:13:21: frames_from: there is no preset "nowhere"' check lost
for i in {1..20}; do from "s$i" "s$((i + 1))"; done
sed 's/^name:.*//' "$puff" >s21.yaml
expect "twenty in a row" 3 'too many presets' check s1
expect "five in a row" 0 good check s16
cp "$puff" puff.yaml
from twice puff; sed -i "1a name: puff" twice.yaml
expect "into the folder that it reads" 2 'out/puff is where .*puff\.yaml goes' check twice

# ---- an installed preset, extended from anywhere ----
mkdir far && printf 'billow: 1\nextends: campfire\nname: mine\n' >far/mine.yaml
expect "a preset that extends an installed one" 0 'mine\.yaml: good' check far/mine.yaml
expect "what it is" 0 'mine, a preset' info far/mine.yaml
expect "one that comes along, by its name" 0 'good' check smoke
expect "a file of that name that is not here" 3 'there is no preset "smoke.yaml"' check smoke.yaml
printf 'billow: 1\nextends: burning_letters\n' >far/letters.yaml
expect "an installed one that has files beside it" 0 good check far/letters.yaml
printf 'billow: 1\nextends: smoke\nstages: [{collide: {id: post, shape: {sphere: {radius: 0.1}}}}]\n' >far/post.yaml
expect "an obstacle at the end of it" 3 '^far/post\.yaml:3:11: mac.advect .* made later, by post: give that `before: mac.advect`' check far/post.yaml
[ "$(grep -c 'made later' out.txt)" = 1 ] && passed=$((passed + 1)) || { failed=$((failed + 1)); echo "-- failed: told once" >&2; }
printf 'billow: 1\nextends: smoke\nstages: [{force: {id: wind, kind: {wind: {}}}}]\n' >far/wind.yaml
expect "a force at the end of it" 0 'no stage below reads: give it `before: mac.project`' check far/wind.yaml
cp "$puff" far/campfire.yaml
expect "one of that name beside it comes first" 0 'mine\.yaml: good, .* 6 frames' check far/mine.yaml
printf 'billow: 1\nextends: nowhere\n' >far/lost.yaml

# ---- recipes of the guide: each is a whole file ----
mkdir -p recipes/geo && cp "$source/presets/meshes/dragon.obj" recipes/geo/chair.obj
printf 'x,y,z\n0,0,0.1\n' | tee recipes/geo/path_0001.csv >recipes/geo/path_0002.csv
printf 'x,y,z\n-1,0,1\n1,0,1\n' >recipes/geo/flight.csv
printf 'v 0 0 0\nv 0 1 0\nl 1 2\n' >recipes/geo/way.obj
awk '/^```yaml/{f = "recipes/recipe" ++n ".yaml"; next} /^```/{f = ""} f{print >f}' "$source/docs/guide/recipes.md"
[ "$(ls recipes/*.yaml | wc -l)" -ge 10 ] && passed=$((passed + 1)) || { failed=$((failed + 1)); echo "-- failed: ten recipes" >&2; }
for recipe in recipes/recipe*.yaml; do
    printf 'billow: 1\nname: mine\n' >>"$recipe"
    expect "$(head -1 "$recipe")" 0 good check "$recipe"
done

# ---- pages of the guide: commands run as they stand, in the page's order, and each preset bakes ----
# A `yaml` block is a whole preset, kept as NAME.yaml; a `sh` block is run beside it. What no command of the page has
# baked is baked then, two frames of it, quickly.
page() {
    local page=$1 what preset first code
    mkdir -p "$work/pages/$(basename "$page" .md)" && cd "$work/pages/$(basename "$page" .md)" || exit 1
    awk '/^```(yaml|sh)$/{f = sprintf("block%02d.%s", ++n, substr($0, 4)); next} /^```/{f = ""} f{print >f}' "$page"
    for preset in block*.yaml; do
        [ -e "$preset" ] && mv "$preset" "$(sed -n 's/^name: *\([a-z0-9_]*\).*/\1/p' "$preset").yaml"
    done
    for what in block*.sh *.yaml; do
        [ -e "$what" ] || continue
        case $what in
        *.sh)
            grep -q '^ *blender ' "$what" && ! command -v blender >/dev/null &&
                { echo "skipped: $page, $what: no blender" >&2; continue; }
            PATH="$(dirname "$billow"):$PATH" timeout -k 5 200 bash -e "$what" >out.txt 2>&1 </dev/null ;;
        *)
            [ -d "out/${what%.yaml}" ] && continue
            first=$(sed -n 's/^time:.*[{ ]frames: *\(-*[0-9]*\)-[0-9].*/\1/p' "$what" | head -1)
            timeout -k 5 200 "$billow" bake "$what" --quick --frames "${first:-1}-$((${first:-1} + 1))" >out.txt 2>&1 \
                </dev/null ;;
        esac
        code=$?
        [ $code = 0 ] && passed=$((passed + 1)) ||
            { failed=$((failed + 1)); echo "-- failed: $page, $what: exit code $code"; tail -c 1500 out.txt; } >&2
    done
    cd "$work" || exit 1
}
# Sanitizers see nothing in them that other scripts' bakes do not have.
if [ -z "${BILLOW_TEST_SHORT:-}" ]; then
    for file in "$source"/README.md "$source"/docs/guide/*.md; do page "$file"; done
fi

expect "one that is nowhere" 3 'lost\.yaml:2:10: there is no preset "nowhere" to extend' check far/lost.yaml

# ---- no files ----
mkfifo fifo fifo.yaml
printf 'billow: 1\nextends: fifo\n' >onto.yaml
expect "a pipe" 6 "a pipe" check ./fifo
expect "a pipe by name" 6 "a pipe" bake fifo.yaml
expect "a pipe that is extended" 3 'onto\.yaml:2:10: .*a pipe' check onto
expect "a device" 6 "a device" bake /dev/zero
expect "a folder" 3 "neither a file" bake "$work"

# ---- more than there is ----
tracers() {
    printf 'billow: 1\ndomain: {%s}\ntime: {frames: 1-2}\nstages:\n  - tracers: {count: 1000, shape: {box: {size: [%s]}}}\n' "$@" >far.yaml
}
tracers 'size: none, voxel: 1 cm' '1e15, 1e15, 1e15'
expect "tracers in a box of 1e15 m" 7 'far\.yaml:5:5: tracers: no memory for the tiles' bake far --force
tracers 'cells: [16, 16, 16], voxel: 1 cm' '1e15, 1, 1e-15'
expect "tracers in a line" 3 'far\.yaml:5:5: tracers: more than 1e\+09 places' bake far --force

# ---- colder than cold ----
expect "air of -307 K" 3 'emit: temperature: 600 K below an ambient of 29[0-9.]* K: nothing is colder' \
    check puff --set stages.emit.temperature=-600
expect "air at 3 K of a colder sky" 0 good check puff --set stages.emit.temperature=-200 --set ambient=203
expect "a rate of cooling" 0 good check puff --set stages.emit.mode=add --set stages.emit.temperature=-600

# ---- somebody's emit ----
mkdir mine
cp "$plugins/scene/scene.so" mine/
for command in check "bake --force"; do
    # shellcheck disable=SC2086
    BILLOW_PLUGIN_PATH=$work/mine expect "$command with another emit" 0 \
        'warning: emit: the one in .*/mine/scene.so is used, which hides the one in .*/scene/scene.so' $command puff
done
expect "nothing is hidden" 0 'good' check puff
grep -q warning out.txt && { failed=$((failed + 1)); echo "-- failed: a warning of nothing" >&2; }

echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 18 ]
