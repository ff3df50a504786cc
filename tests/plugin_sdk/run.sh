#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh SOURCE BUILD: installs BUILD into a folder that is not its prefix, builds plugins there as a stranger would,
# and uses them. The last line is "N passed, N failed".
set -u
source_dir=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

try() {
    local what=$1
    shift
    if "$@" >"$work/log" 2>&1 </dev/null; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        { echo "-- failed: $what"; tail -20 "$work/log"; } >&2
    fi
}

meson install -C "$build" --no-rebuild --destdir "$work/stage" >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; echo "0 passed, 1 failed"; exit 1; }
pc=$(find "$work/stage" -name billow.pc)
export PKG_CONFIG_PATH="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$work/stage"
billow=$(find "$work/stage" -path '*/bin/billow')
export XDG_DATA_HOME="$work/home"
cp -r "$source_dir/tests/plugin_sdk" "$work/sdk"
cd "$work" || exit 1

installed_works() { "$billow" doctor && "$billow" list | grep -q mac.project && "$billow" check plume; }
they_build() { make -C sdk CFLAGS="-O2 -Wall -Wextra -Wpedantic -Werror"; }
they_are_valid() {
    for one in swirl peaks pgm; do "$billow" plugin validate "sdk/$one.so" || return 1; done
}
they_bake() {
    "$billow" bake sdk/swirl.yaml --plugin-path sdk --out "$work/out" && ls out/vdb/swirl_0004.vdb &&
        grep -q swirl out/timings.csv && [ "$(wc -l <out/peaks.csv)" = 5 ] && grep -q '^4,[01]' out/peaks.csv
}
# Peaks as a cache of volumes: it is estimated, and what lists a preset says what it makes.
they_say_what_they_make() {
    sed 's/\.checkpoint = /.flags = BW_EXPORTER_CACHE, &/; s/"peaks"/"volumes"/' sdk/peaks.c >sdk/volumes.c &&
        make -C sdk volumes.so && sed 's/- vdb: .*/- volumes: {}/' sdk/swirl.yaml >volumes.yaml &&
        "$billow" bake volumes.yaml --plugin-path sdk --out never --dry-run --json >said.json &&
        python3 - <<'EOF'
import json
said = json.loads(open("said.json").readline())
assert [e["makes"] for e in said["preset"]["exports"]] == ["cache", "frames"], said["preset"]["exports"]
assert said["disk"] == 4 * 50 ** 3 * 2 * 4, said["disk"]
EOF
}
# bake_as NAME EXPORT: the swirl with these pictures alone beside its volumes.
bake_as() {
    sed "s/- peaks: .*/- $2/" sdk/swirl.yaml >"$1.yaml" && "$billow" bake "$1.yaml" --plugin-path sdk --out "$1"
}
# same_preview A B: of their last frames, made of their volumes.
same_preview() {
    for one in "$1" "$2"; do
        BILLOW_PLUGIN_PATH=sdk "$billow" preview "$one" --frames 4 --out "$one.png" || return 1
    done
    cmp "$1.png" "$2.png"
}
# Slices of somebody else's: previews show what they show of our own pictures.
their_slices_are_previewed() {
    bake_as theirs 'pgm: {axis: x, map: viridis, size: 70}' && ls theirs/pgm/swirl_0001.pgm &&
        bake_as ours 'png: {axis: x, map: viridis, size: 70}' && same_preview theirs ours &&
        bake_as other 'pgm: {}' && ! same_preview theirs other
}
# A movie of renders; `look:` and `camera:` are its own too.
their_renders_are_previewed() {
    sed 's/BW_EXPORTER_SLICES/BW_EXPORTER_MOVIE | BW_EXPORTER_RENDERS/; s/"pgm"/"film"/' sdk/pgm.c >sdk/film.c &&
        make -C sdk film.so && bake_as theirs_film 'film: {size: 70, camera: {azimuth: 80 deg}}' &&
        bake_as ours_film 'mp4: {size: 70, camera: {azimuth: 80 deg}}' && same_preview theirs_film ours_film &&
        bake_as shared 'film: {}\nlook: {size: 70}\ncamera: {azimuth: 80 deg}' && same_preview shared ours_film
}
they_are_on_the_page() {
    BILLOW_PLUGIN_PATH=sdk PYTHONPATH=$source_dir/tests/web python3 - "$billow" <<'EOF'
import json, sys
from served import Served
def scene(folder):
    served = Served(sys.argv[1], "view", folder)
    code, said = served.get("scene?frame=4")
    served.end()
    assert code == 200, said
    return json.loads(said)
theirs, ours = scene("theirs_film"), scene("ours_film")
assert theirs["height"] == 70, theirs
assert theirs == ours, (theirs, ours)
EOF
}
they_are_resumed() {
    "$billow" bake sdk/swirl.yaml --plugin-path sdk --out "$work/longer" --frames 1-2 &&
        "$billow" bake sdk/swirl.yaml --plugin-path sdk --out "$work/longer" --frames 1-4 --resume &&
        cmp out/peaks.csv longer/peaks.csv && cmp out/metrics.csv longer/metrics.csv &&
        cmp out/vdb/swirl_0004.vdb longer/vdb/swirl_0004.vdb
}
they_install() {
    make -C sdk install DESTDIR= && "$billow" list | grep -q '^ *swirl ' && "$billow" list | grep -q peaks
}
new_builds() {
    "$billow" plugin new fade-away && make -C fade-away check CFLAGS="-O2 -Wall -Wextra -Werror" &&
        "$billow" info fade-away --plugin-path fade-away | grep -q 'rate: 0.5 1/s'
}
new_keeps_files() { ! "$billow" plugin new fade-away; }
cplusplus_compiles() {
    # shellcheck disable=SC2046
    g++ -std=c++17 -Wall -Wextra -Werror $(pkg-config --cflags billow) -fsyntax-only -x c++ - \
        <<<"#include <billow/plugin.h>"
}
no_host_symbols() { ! nm -D --undefined-only sdk/swirl.so sdk/peaks.so sdk/pgm.so | grep -i bw_; }

try "the installed program works from any folder" installed_works
try "swirl and peaks build through billow.pc" they_build
try "swirl and peaks validate" they_are_valid
try "neither wants a symbol of the host" no_host_symbols
try "they bake" they_bake
try "they say what they make" they_say_what_they_make
try "slices of theirs are previewed" their_slices_are_previewed
try "renders of theirs are previewed" their_renders_are_previewed
try "renders of theirs are on the page" they_are_on_the_page
try "a resumed bake writes the same" they_are_resumed
try "they install into plugindir" they_install
try "plugin new builds and validates" new_builds
try "plugin new keeps files that are there" new_keeps_files
try "the installed headers compile as C++" cplusplus_compiles
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
