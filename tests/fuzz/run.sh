#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh SECONDS [TARGET…]: every fuzz target, or those named, SECONDS each, from the corpus and from what earlier runs
# kept in build-fuzz/kept. A finding stops its target, and its file lies in build-fuzz/found; mended, it goes into the
# corpus. A line a target: its executions. Exit code 1: something was found.
set -u
[ $# -ge 1 ] || { echo "usage: run.sh SECONDS [TARGET…]" >&2; exit 2; }
seconds=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$root/build-fuzz

if [ ! -f "$build/build.ninja" ]; then
    CC=clang CXX=clang++ meson setup "$build" "$root" -Dfuzz=true -Dtests=plain -Dbuildtype=debugoptimized \
        -Db_sanitize=address,undefined -Db_lundef=false >/dev/null || exit 1
fi
ninja -C "$build" fuzz >"$build/ninja.log" 2>&1 || { tail -40 "$build/ninja.log" >&2; exit 1; }

# What a hostile file may cost: 1 GB at once, 25 s. OpenVDB's and the compiler's containers are not all instrumented.
# Small inputs spend most of their time on the sanitizer's records of what was freed, and on choosing the next input.
export ASAN_OPTIONS=detect_container_overflow=0:allocator_may_return_null=1:quarantine_size_mb=8:malloc_context_size=6
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
failed=0 total=0
for program in "$build"/tests/fuzz/fuzz_*; do
    [ -x "$program" ] && [ -f "$program" ] || continue
    name=${program##*/fuzz_}
    [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
    mkdir -p "$build/kept/$name" "$build/found"
    dictionary=()
    [ -f "$here/$name.dict" ] && dictionary=(-dict="$here/$name.dict")
    "$program" "$build/kept/$name" "$here/corpus/$name" "${dictionary[@]}" -max_total_time="$seconds" -timeout=25 \
        -entropic=0 -rss_limit_mb=1500 -malloc_limit_mb=1000 -print_final_stats=1 -artifact_prefix="$build/found/$name-" \
        >"$build/$name.log" 2>&1
    code=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log")
    total=$((total + ${runs:-0}))
    verdict=good
    [ $code = 0 ] || { verdict="FOUND, see $build/$name.log"; failed=1; }
    printf '%-12s %10s executions  %s\n' "$name" "${runs:-0}" "$verdict"
done
echo "$total executions"
exit $failed
