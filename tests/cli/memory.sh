#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# memory.sh BILLOW SOURCE: a bake with less and less of what the system gives: addresses, threads, stack. It is made, or
# it says what lacks and ends with 7; never a signal, never an exception that nobody caught, never "unknown exporter".
# Below some 250 MB not even the system's loader gets as far as main, and answers 127. The last line is "N passed,
# N failed".
set -u
billow=$(realpath "$1")
puff=$(realpath "$2")/tests/cli/puff.yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_DATA_HOME="$work/home" BILLOW_PLUGIN_PATH=''
ulimit -c 0
passed=0 failed=0

# root may start as many threads as it likes
nobody=()
if [ "$(id -u)" = 0 ]; then
    nobody=(setpriv --reuid 64719 --regid 64719 --clear-groups)
    chmod a+rwx .
fi
user=$([ "$(id -u)" = 0 ] && echo 64719 || id -u)
others=$(ps -L --no-headers -u "$user" | wc -l) # threads that count there already

printf 'v %s\n' '0 0 0' '.1 0 0' '0 .1 0' '0 0 .1' >solid.obj
printf 'f %s\n' '1 3 2' '1 2 4' '2 3 4' '3 1 4' >>solid.obj
cp "$puff" puff.yaml
sed 's/^name: puff/name: movie/; s/^  - vdb:.*/  - mp4: {view: slice, size: 64}/' puff.yaml >movie.yaml
sed 's/^name: puff/name: solid/; s/^stages:/&\n  - collide: {shape: {mesh: {file: solid.obj}}}/' puff.yaml >solid.yaml

# limited UNIT VALUE PRESET [COMMAND…]: the bake, by way of the command, ends as it may
limited() {
    local code
    (ulimit "$1" "$2" && exec timeout 60 "${@:4}" "$billow" bake "$3.yaml" --threads 2 --out "out$1$2$3") \
        >out.txt 2>&1 </dev/null
    code=$?
    codes+=" $code"
    if [ $code = 0 ] || { [ $code = 127 ] && [ "$1" = -v ]; } ||
        { [ $code = 7 ] && grep -qiE "memory|thread|cannot be started: Resource" out.txt; }; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        { echo "-- failed: $3 under ulimit $1 $2: exit code $code"; tail -c 1000 out.txt; } >&2
    fi
}

# A limit that never stopped a bake, or stopped every one, proves nothing.
both() {
    if [[ $codes = *" 7"*" 7"*" 0"* ]]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "-- failed: $1: codes$codes" >&2
    fi
    codes=
}

codes=
for megabytes in {220..480..20}; do limited -v $((megabytes * 1024)) puff; done
both "addresses"
for megabytes in {240..640..20}; do limited -v $((megabytes * 1024)) movie; done
both "addresses, for a movie"
for preset in movie solid; do
    for threads in 1 2 3 4 5 6 7 8 9 10 12 16 24; do
        limited -u $((others + threads)) $preset ${nobody[@]+"${nobody[@]}"}
    done
    both "threads, for $preset"
done

# A small stack is no reason not to bake.
for kilobytes in 64 100 256 1024; do
    for preset in puff movie solid; do limited -s $kilobytes $preset; done
done
if [ "${codes//[ 0]/}" ]; then
    failed=$((failed + 1))
    echo "-- failed: stacks: codes$codes" >&2
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
