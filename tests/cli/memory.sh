#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# memory.sh BILLOW SOURCE: a bake with less and less memory. It is made, or it says that memory lacks and ends with 7;
# never a signal, never an exception that nobody caught, never "unknown exporter". Below some 250 MB not even the
# system's loader gets as far as main, and answers 127. The last line is "N passed, N failed".
set -u
billow=$(realpath "$1")
puff=$(realpath "$2")/tests/cli/puff.yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_DATA_HOME="$work/home" BILLOW_PLUGIN_PATH=''
ulimit -c 0
passed=0 failed=0 short=0

for megabytes in {220..480..10}; do
    (ulimit -v $((megabytes * 1024)) && exec timeout 60 "$billow" bake "$puff" --threads 2 --out "out$megabytes") \
        >out.txt 2>&1 </dev/null
    code=$?
    [ $code = 7 ] && short=$((short + 1))
    if [ $code = 127 ] || [ $code = 0 ] || { [ $code = 7 ] && grep -qiE "memory|thread" out.txt; }; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        { echo "-- failed: $megabytes MB: exit code $code"; tail -c 1000 out.txt; } >&2
    fi
done
# A test that never ran short proves nothing.
[ $short -gt 2 ] || { failed=$((failed + 1)); echo "-- failed: memory never lacked" >&2; }

echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 20 ]
