#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# peer.sh BILLOW [RES…]: the same plume by Blender's Mantaflow and by Billow, whole processes in turn: unit cube, RES³ cells
# all of them active, one step a frame, MacCormack, VDB half + Blosc of density, temperature and velocity; then fuel that
# burns and smokes in its place, with the flame in the files and lift as of Mantaflow's flames, by steps of at most 12
# cells (Mantaflow's single one is 30 and more; PEER_STEPS='substeps: 1' is one here too). Ours is calm, which is the same
# work, and natural, which is what a preset is that does not say: with turbulence, and smoke that ages and mixes. Seconds,
# the least of RUNS each (PEER_RUNS, default 2), and how many times as long Mantaflow takes. With PEER_LONG=1 at RES 64, 128, 192; then the preset `plume` as it is,
# movie apart, active tiles only and as many steps as it wants, against Mantaflow in the same box of 147×107×227 cells
# over the same frames, one step each (its warm-up too; PEER_PLUME frames, default 108), once each. PEER_ONLY: cube or
# fire alone.
set -u
billow=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
shift
if [ $# = 0 ]; then
    set -- 64 128
    [ -z "${PEER_LONG:-}" ] || set -- 64 128 192
fi
command -v blender >/dev/null || { echo "peer: there is no blender to compare with"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
frames=${PEER_FRAMES:-20}

# preset RES cube|fire CHARACTER
preset() {
    local amounts='density: 1, temperature: 60 K' burns= lift=1 steps='substeps: 1' fields='density, temperature, vel'
    [ "$2" = cube ] || {
        amounts='fuel: 1, temperature: 900 K' fields='density, temperature, vel, flame'
        burns='  - fire: {burn_rate: 3 1/s, smoke: 1}' lift=0.2 steps=${PEER_STEPS:-cfl: 12}
    }
    cat <<YAML
billow: 1
name: peer
character: $3
domain: {cells: [$1, $1, $1], size: [1 m, 1 m, 1 m], margin: 100000, sides: {rest: open}}
time: {fps: 24, frames: 1-$frames, $steps}
stages:
  - mac.advect: {scheme: maccormack}
  - emit: {mode: max, $amounts, shape: {sphere: {center: [0, 0, 0.2], radius: 0.15}}}
$burns
  - mac.forces: {buoyancy: $lift}
  - mac.project: {tolerance: 1e-3}
export:
  - vdb: {fields: [$fields], precision: half, compression: blosc}
YAML
}

# seconds COMMAND…: of a whole process.
seconds() {
    local start=$EPOCHREALTIME end
    "$@" >"$work/log" 2>&1 || { tail -20 "$work/log" >&2; return 1; }
    end=$EPOCHREALTIME
    awk "BEGIN {printf \"%.3f\", $end - $start}"
}

least() { printf '%s\n%s\n' "$1" "$2" | sort -g | head -1; }

printf '%-10s %7s %12s %17s %17s\n' cells frames "Mantaflow, s" "calm, s (times)" "natural, s (times)"
for place in ${PEER_ONLY:-cube fire}; do
    for res in "$@"; do
        other=1e9
        declare -A ours=([calm]=1e9 [natural]=1e9)
        for _ in $(seq "${PEER_RUNS:-2}"); do
            rm -rf "$work/manta"
            t=$(seconds blender -b --factory-startup --python "$here/mantaflow.py" -- "$place" "$res" "$frames" "$work/manta") || exit 1
            other=$(least "$other" "$t")
            for character in calm natural; do
                preset "$res" "$place" "$character" >"$work/peer.yaml"
                rm -rf "$work/billow"
                t=$(seconds "$billow" bake "$work/peer.yaml" --out "$work/billow") || exit 1
                ours[$character]=$(least "${ours[$character]}" "$t")
            done
        done
        [ "$(find "$work/manta" -name '*.vdb' | wc -l)" -ge "$frames" ] || { echo "peer: Mantaflow wrote too few frames"; exit 1; }
        [ "$(find "$work/billow" -name '*.vdb' | wc -l)" = "$frames" ] || { echo "peer: Billow wrote too few frames"; exit 1; }
        printf '%-10s %7s %12s' "$place $res³" "$frames" "$other"
        for character in calm natural; do
            printf ' %17s' "${ours[$character]} ($(awk "BEGIN {printf \"%.1f\", $other / ${ours[$character]}}"))"
        done
        printf '\n'
    done
done

[ -n "${PEER_LONG:-}" ] || exit 0
count=${PEER_PLUME:-108}
rm -rf "$work/manta" "$work/billow"
other=$(seconds blender -b --factory-startup --python "$here/mantaflow.py" -- plume 227 "$count" "$work/manta") || exit 1
own=$(seconds "$billow" bake plume --mute mp4 --frames "1-$((count - 36))" --out "$work/billow") || exit 1
[ "$(find "$work/manta" -name '*.vdb' | wc -l)" -ge "$count" ] || { echo "peer: Mantaflow wrote too few frames"; exit 1; }
[ "$(find "$work/billow" -name '*.vdb' | wc -l)" = "$((count - 36))" ] || { echo "peer: Billow wrote too few frames"; exit 1; }
printf '%-10s %7s %12s %12s %8s\n' plume "$count" "$other" "$own" "$(awk "BEGIN {printf \"%.1f\", $other / $own}")"
