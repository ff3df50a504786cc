#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# table.sh BUILD: every figure that speed is judged by, one after the other, in some minutes of a machine that does
# nothing else. A part that fails says so and the rest goes on. TABLE_ONLY='PART …': those alone.
set -u
build=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
billow=$build/cli/billow
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
BILLOW_TEST_PLUGINS=$(printf '%s:' "$build"/plugins/*/ "$build"/exporters/*/)
export BILLOW_TEST_PLUGINS BILLOW_TEST_BUILD=$build
cd "$work" || exit 1

# part NAME WHAT COMMAND…: its output under a heading, and how long it took.
part() {
    local name=$1 what=$2 start=$EPOCHREALTIME
    shift 2
    case " ${TABLE_ONLY:-$name} " in *" $name "*) ;; *) return ;; esac
    printf '\n== %s: %s\n' "$name" "$what"
    "$@" || printf '%s: FAILED\n' "$name"
    awk "BEGIN {printf \"(%.0f s)\n\", $EPOCHREALTIME - $start}"
}

# bake WHAT ARGS…: into $work/WHAT; processor seconds into cpu.
bake() {
    local what=$1 TIMEFORMAT='%U %S'
    shift
    if ! { time "$billow" bake "$@" --force --out "$work/$what" >"$work/log" 2>&1; } 2>"$work/time"; then
        tail -5 "$work/log"
        return 1
    fi
    cpu=$(awk '{print $1 + $2}' "$work/time")
}

# column FILE NAME: a column's values.
column() { awk -F, -v name="$2" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == name) c = i; next} {print $c}' "$1"; }

mantaflow() {
    PEER_RUNS=1 "$here/peers/peer.sh" "$billow" 64 128
}

hypre() {
    local solve=$build/tests/bench/hypre_solve
    [ -x "$solve" ] || solve=none
    "$build/tests/bench/bench_project" "$solve" 128 256
}

# A full box written by one thread: what its files add to the processor's seconds.
# A box full of smoke that stands still, so that frames cost what their files do; the first two are taken off, with all
# that is loaded and done once.
vdb() {
    local frames=14 what t
    cat >"$work/full.yaml" <<YAML
billow: 1
name: full
domain: {cells: [128, 128, 128], size: [1 m, 1 m, 1 m], sides: {rest: open}}
time: {fps: 24, frames: 1-2, substeps: 1}
stages:
  - set: {id: smoke, field: density, keep: true, value: "1 + 0.5*sin(31*x + 3*sin(17*y)) * sin(23*z + x)"}
  - set: {id: heat, field: temperature, value: "60 + 20*sin(29*y + 3*sin(19*z)) * sin(21*x + y)"}
  - set:
      id: wind
      field: vel
      value: ["sin(27*z + 3*sin(11*y))", "sin(25*x + 3*sin(13*z))", "1 + sin(33*y + 3*sin(12*x))"]
export:
  - vdb: {fields: [density, temperature, vel], precision: half, compression: blosc}
YAML
    t=
    for what in "" "--mute vdb"; do
        bake full "$work/full.yaml" --threads 1 $what || return 1
        t="$t $cpu"
        bake full "$work/full.yaml" --threads 1 --set "time.frames=1-$frames" $what || return 1
        t="$t $cpu"
    done
    echo "$t" | awk -v n="$(((frames - 2) * 128 ** 3))" \
        '{printf "%.1f ns of processor a cell of five half components\n", (($2 - $1) - ($4 - $3)) / n * 1e9}'
}

# The least of twenty processes, in milliseconds. The first frame is the start; the second has the first step.
start() {
    cat >"$work/small.yaml" <<YAML
billow: 1
name: small
domain: {cells: [16, 16, 16], size: [1 m, 1 m, 1 m]}
time: {fps: 24, frames: 1-1, substeps: 1}
stages:
  - mac.advect: {}
  - emit: {density: 1, temperature: 60 K, shape: {sphere: {center: [0, 0, 0.2], radius: 0.15}}}
  - mac.forces: {}
  - mac.project: {}
YAML
    local begin i took=
    for ((i = 0; i < 20; i++)); do
        begin=$EPOCHREALTIME
        bake small "$work/small.yaml" || return 1
        took+="$(awk "BEGIN {print 1000 * ($EPOCHREALTIME - $begin)}") $(awk "BEGIN {print 1000 * $cpu}") "
        begin=$EPOCHREALTIME
        took+="$("$billow" bake "$work/small.yaml" --frames 1-2 --force --out "$work/small" --json 2>/dev/null |
            while read -r line; do
                [[ $line != *'"event":"frame","frame":2,'* ]] || awk "BEGIN {print 1000 * ($EPOCHREALTIME - $begin)}"
            done)"$'\n'
    done
    awk 'NF == 3 {for (i = 1; i <= 3; i++) if (!least[i] || $i < least[i]) least[i] = $i}
        END {printf "%.1f ms to the first step; ", least[3]
            printf "%.1f ms, %.1f of processor, for a process that bakes one frame of 16³ cells\n", least[1], least[2]}
    ' <<<"$took"
}

gas() {
    for what in 'euler ideal, 3D' 'mass_flow, 26 ways' 'relaxation, 3D'; do
        "$build/tests/bench/bench_gas" --quick --only "$what"
    done
}

# The plume with small cells from its first puff on, two threads; the last frame.
plume() {
    bake plume plume --set 'domain.voxel=5 mm' --set time.warmup=0 --frames 1-24 --overcommit --mute vdb --mute mp4 || return 1
    local metrics=$work/plume/metrics.csv timings=$work/plume/timings.csv
    paste <(column "$metrics" cells) <(column "$metrics" substeps) <(column "$timings" seconds) \
        <(column "$timings" mac.advect.seconds) |
        awk 'END {s = 1e9 / $1 / $2
            printf "%.2fM cells, %d steps a frame: %.1f ns a cell and step, ", $1 / 1e6, $2, $3 * s
            printf "mac.advect %.1f\n", $4 * s}'
}

# What transfers take of all stages' seconds.
nested() {
    bake nested plume_nested --frames 1-6 --mute mp4 --mute wide.vdb --mute near.vdb || return 1
    awk -F, 'NR == 1 {for (i = 4; i <= NF; i++) moves[i] = $i ~ /^(up|back|rim)\.seconds$/; next}
        {for (i = 4; i <= NF; i++) {all += $i; if (moves[i]) part += $i}}
        END {printf "transfers take %.1f %% of the stages of six frames\n", 100 * part / all}' \
        "$work/nested/timings.csv"
}

part step 'a smoke step of 128³ and 256³ cells, against the prototypes; the second thread' \
    "$build/tests/bench/bench_step"
part hypre 'the projection against PCG with PFMG' hypre
part vdb 'what files take' vdb
part start 'from nothing to the first step' start
part upres 'the plume made twice as fine, against simulating that' "$here/upres.sh" "$billow" 24 12.5
part gas 'gas and potential against the least that memory or arithmetic allows' gas
part baroclinic 'of a step, 15 thousand vortons' "$build/tests/bench/bench_baroclinic" 10000 10000
part plume 'the preset with cells of 5 mm' plume
part nested 'a domain in another' nested
part mantaflow "a whole bake against Blender's Mantaflow" mantaflow
