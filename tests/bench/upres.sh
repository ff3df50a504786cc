#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# upres.sh BILLOW [FRAMES [VOXEL]]: seconds a frame of the plume made twice as fine, cells of VOXEL (6.25) mm, against
# simulating it at that size; the last six of FRAMES (36), when the plume has grown. Processor seconds are of the whole
# process, files written in both.
set -eu
billow=$(realpath "$1")
frames=${2:-36}
voxel=${3:-6.25}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# bake WHAT ARGS…: frames first-last, its processor seconds into cpu.
bake() {
    local what=$1
    shift
    TIMEFORMAT='%U %S'
    { time "$billow" bake "$@" --force --out "$what" --mute mp4 >"$what.log" 2>&1; } 2>"$what.time"
    cpu=$(awk '{print $1 + $2}' "$what.time")
}

# wall WHAT: mean seconds of the last six rows of its timings.csv.
wall() { tail -6 "$1/timings.csv" | awk -F, '{sum += $2} END {printf "%.2f", sum / NR}'; }

# cells WHAT
cells() { tail -1 "$1/metrics.csv" | awk -F, '{printf "%.1f", $4 / 1e6}'; }

from=$((frames - 5))
bake plume plume --frames "1-$frames" --set "domain.voxel=$(awk "BEGIN {print 2 * $voxel}") mm"
bake short plume_upres --set "domain.voxel=$voxel mm" --set "frames_from=$work/plume/vdb/plume_####.vdb" --set "time.frames=$((from - 1))-$((from - 1))"
before=$cpu
bake finer plume_upres --set "domain.voxel=$voxel mm" --set "frames_from=$work/plume/vdb/plume_####.vdb" --set "time.frames=$((from - 1))-$frames"
upres=$(echo "$cpu $before" | awk '{printf "%.2f", ($1 - $2) / 6}')
bake before plume --set "domain.voxel=$voxel mm" --frames "$((from - 1))-$((from - 1))"
before=$cpu
bake fine plume --set "domain.voxel=$voxel mm" --frames "$((from - 1))-$frames"
fine=$(echo "$cpu $before" | awk '{printf "%.2f", ($1 - $2) / 6}')
printf 'plume, %s mm, frames %d-%d, a frame   upres %s s (%s s processor, %sM cells)   simulated %s s (%s s processor, %sM cells)   ratio %s\n' \
    "$voxel" "$from" "$frames" "$(wall finer)" "$upres" "$(cells finer)" "$(wall fine)" "$fine" "$(cells fine)" "$(echo "$fine $upres" | awk '{printf "%.2f", $1 / $2}')"
