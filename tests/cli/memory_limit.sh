#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# memory_limit.sh BILLOW: `--memory` counts whatever a bake holds: fields, particles, what stages keep and what
# exporters make of a frame. Each bake is made with enough; with too little it ends with 7 and says for what and where
# the limit was, having taken little more from the system. The last line is "N passed, N failed".
set -u
billow=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_DATA_HOME="$work/home" BILLOW_PLUGIN_PATH=''
passed=0 failed=0

# PEAK of a command and its exit code, MiB.
peak='
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdin=subprocess.DEVNULL)
print("peak", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)
sys.exit(code)'

# bake NAME MEMORY WANTED PATTERN: exit code and words; beside what was allowed it takes what the program itself does.
bake() {
    timeout 60 python3 -c "$peak" "$billow" bake "$1.yaml" --threads 2 --force --memory "$2M" >out.txt 2>&1
    local code=$? most=$((${2} + 160)) held
    held=$(sed -n 's/^peak //p' out.txt)
    if [ $code = "$3" ] && grep -qE -- "$4" out.txt && ! grep -q overcommit out.txt && [ "${held:-9999999}" -le $most ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        { echo "-- failed: $1 with $2 MiB: exit code $code, wanted $3 and \"$4\", within $most MiB"; tail -c 1500 out.txt; } >&2
    fi
}

# preset NAME STAGES EXPORTERS: a small box around them
preset() {
    cat >"$1.yaml" <<EOF
billow: 1
name: $1
domain: {size: [0.64, 0.64, 0.64], voxel: 4 cm}
time: {fps: 25, frames: 1-2}
stages:
$2
export:
$3
EOF
}

ball='shape: {sphere: {center: [0, 0, 0.3], radius: 20 cm}}'
still='  - emit: {shape: {sphere: {center: [0, 0, 0.3], radius: 20 cm}}, density: 1}'
limit='the memory limit of [0-9]+ MiB is reached, with [0-9]+ MiB held and [0-9]+ MiB more wanted'
preset tracers "$still
  - tracers: {$ball, count: 1500000}" '  - png: {}'
preset points "$still
  - tracers: {$ball, count: 400000}" '  - vdb: {points: [tracers]}'
preset table "$still
  - tracers: {$ball, count: 400000}" '  - ply: {}'
preset pieces "$still
  - debris: {$ball, count: 60000, speed: 1 m/s, size: 1 cm, trail: 4, density: 1}" '  - png: {}'
preset small "$still" '  - png: {view: render, size: 240}'
preset picture "$still" '  - png: {view: render, size: 8192}'
preset slice "$still" '  - png: {size: 8192}'
preset movie "$still" '  - mp4: {view: render, size: 4320}'

bake tracers 900 0 'tracers'
bake tracers 100 7 "tracers.*: $limit"
bake pieces 900 0 'pieces'
bake pieces 100 7 "debris.*: $limit"
bake points 500 0 'points'
bake points 100 7 ": $limit"
bake table 500 0 'table'
bake table 80 7 ": $limit"
bake small 100 0 'small'
bake picture 100 7 "png: .*render of [0-9]+×8192.*: $limit"
bake slice 100 7 "png: .*: $limit"
bake movie 100 7 "mp4: .*: $limit"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
