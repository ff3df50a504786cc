#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# install.sh BUILD SOURCE: libbillow as it is installed, moved elsewhere, and linked to by its pkg-config file alone.
# The last line is "N passed, N failed".
set -u
build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_DATA_HOME="$work/home" BILLOW_PLUGIN_PATH=''
unset LD_LIBRARY_PATH # Meson's leads back to the build
passed=0 failed=0

that() {
    local what=$1
    shift
    if "$@" >"$work/said.txt" 2>&1; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        { echo "-- failed: $what"; head -c 1500 "$work/said.txt"; } >&2
    fi
}

# Installed below one folder, then moved to another: nothing may know where it was.
DESTDIR="$work/root" meson install -C "$build" --no-rebuild --quiet >"$work/install.txt" 2>&1 || { cat "$work/install.txt" >&2; exit 1; }
root=$work/moved
mv "$(dirname "$(find "$work/root" -type d -name bin | head -1)")" "$root"
rm -r "$work/root"
library=$(find "$root" -name 'libbillow.so.0')
folder=$(dirname "$library")
export PKG_CONFIG_PATH=$folder/pkgconfig

# ---- the library ----
that "it has a name for the linker" sh -c "readelf -d '$library' | grep -q 'SONAME.*libbillow\.so\.0\]'"
declared() { grep -ohE "^BW_API [^(]*\(" "$source"/core/include/billow/*.h | grep -oE "bw_[a-z_]+\(" | tr -d "(" | sort; }
exported() { nm -D --defined-only "$library" | awk '{ print $3 }' | sort; }
that "it exports what bake.h declares, and nothing else" diff <(declared) <(exported)
that "and that is something" test "$(declared | wc -l)" -gt 25
that "bake.h is short" test "$(wc -l <"$root/include/billow/bake.h")" -le 330

# ---- a program of somebody else's ----
cc=${CC:-cc}
# shellcheck disable=SC2046
that "the example builds" $cc -std=c99 -Wall -Wextra -Wpedantic -Werror "$source/docs/examples/bake.c" $(pkg-config --cflags --libs billow-embed) -o "$work/bake"
that "it has 60 lines at most" test "$(wc -l <"$source/docs/examples/bake.c")" -le 60
mkdir "$work/empty"
cd "$work/empty" || exit 1
that "it runs, and stops by itself" env LD_LIBRARY_PATH="$folder" "$work/bake" plume
cp "$work/said.txt" "$work/example.txt"
that "it saw the smoke rise" python3 - "$work/example.txt" <<'PYTHON'
import re, sys
heights = [float(h) for h in re.findall(r"smoke up to ([\d.-]+) m", open(sys.argv[1]).read())]
assert len(heights) > 2 and heights[-1] > 1.8 and heights[0] < heights[-1] and heights[-2] <= 1.8, heights
PYTHON
that "the library said nothing" test -z "$(grep -v '^frame [0-9]*: smoke up to' "$work/example.txt")"
that "it wrote nothing" test -z "$(ls -A)"
that "a preset that is none is told" sh -c "! LD_LIBRARY_PATH='$folder' '$work/bake' plumm 2>&1 | grep -v 'did you mean \"plume\"'"

# ---- the program ----
that "the program finds its library" "$root/bin/billow" --version
"$root/bin/billow" list --paths >"$work/list.txt" 2>&1
"$root/bin/billow" bake "$source/tests/cli/every.yaml" --out "$work/every" >"$work/bake.txt" 2>&1
that "and its plugins" grep -q "$root/.*/mac.so" "$work/list.txt"
that "and its manual page" test -n "$(find "$root" -path '*/man/man1/billow.1*')"
that "and its presets" grep -q "$root/.*/plume.yaml" "$work/list.txt"
that "and what writes VDB files" test -s "$work/every/vdb/every_0001.vdb"
that "and its movie writer" test -s "$work/every/every.mp4"
that "and nothing else's" test -z "$(grep -E '^ +/' "$work/list.txt" | grep -v "$root")"
cp "$build/tests/unruly/loads/crashes.so" "$folder/billow/plugins" # among its own
"$root/bin/billow" list >"$work/list.txt" 2>&1
that "a plugin that crashes when it is loaded is a line" grep -q 'crashes.so: crashes when it is loaded' "$work/list.txt"
that "and the others are there" grep -q 'mac.project' "$work/list.txt"
that "it stands on the library alone" sh -c "readelf -d '$root/bin/billow' | grep NEEDED | grep -qv -E 'fyaml|openvdb|avcodec|muparser' && ! readelf -d '$root/bin/billow' | grep -E 'NEEDED.*(fyaml|openvdb|avcodec|muparser)'"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
