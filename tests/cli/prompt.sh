# SPDX-License-Identifier: Apache-2.0
# What the scripts of this folder share. Sourced with BILLOW SOURCE: a folder of its own to work in, with puff.yaml, and
# words to try the program with. `prompt_end` tells how it went: the last line is "N passed, N failed".
set -u
# Signals as a terminal's program has them, whoever started this: what runs behind nohup ignores SIGHUP.
[ -n "${PROMPT_SIGNALS:-}" ] || PROMPT_SIGNALS=1 exec env --default-signal=HUP,INT,TERM "$0" "$@"
billow=$(realpath "$1")
presets=$(realpath "$2")/tests/cli
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_DATA_HOME="$work/home" BILLOW_PLUGIN_PATH='' BILLOW_COMMAND=billow
passed=0 failed=0 code=0

good() { passed=$((passed + 1)); }
bad() {
    failed=$((failed + 1))
    { echo "-- failed: $1"; echo "   exit code $code"; head -c 1500 out.txt; head -c 1500 err.txt; } >&2
}

# run ARGS…: the program, with stdout, stderr and exit code kept.
run() {
    "$billow" "$@" >out.txt 2>err.txt </dev/null
    code=$?
}

# soon_run ARGS…: as run, but what waits for a writer, or reads without an end, is killed after a minute.
soon_run() {
    timeout -k 5 60 "$billow" "$@" >out.txt 2>err.txt </dev/null
    code=$?
}

# during FRAMES WORDS ARGS…: the program with --json, and words for the shell when so many frames are told: see during.py.
during() {
    local frames=$1 words=$2
    shift 2
    "$presets/during.py" "$frames" "$words" "$billow" "$@" --json >out.txt 2>err.txt
    code=$?
}

# soon COMMAND…: waits until it is true, a minute at most.
soon() {
    local end=$((SECONDS + 60))
    until "$@"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.02
    done
}

# expect WHAT CODE PATTERN…: the last run's exit code, and text that it has to have said.
expect() {
    local what=$1 wanted=$2 pattern
    shift 2
    [ "$code" = "$wanted" ] || { bad "$what: exit code $wanted is wanted"; return; }
    for pattern in "$@"; do
        cat out.txt err.txt | grep -qE -- "$pattern" || { bad "$what: nothing says \"$pattern\""; return; }
    done
    good
}

# that WHAT COMMAND…
that() {
    local what=$1
    shift
    if "$@" >/dev/null 2>&1; then good; else bad "$what"; fi
}

# sums FOLDER TEST…: a checksum of each file that passes find's test.
sums() { (cd "$1" && shift && find . -type f "$@" -exec sha1sum {} + | sort -k2); }
# made FOLDER: of what the bake made, not of what tells of the run.
made() { sums "$1" ! -name 'bake.*' ! -name timings.csv ! -path './checkpoints/*'; }
# kept FOLDER: of all but the journal, which tells of what was begun.
kept() { sums "$1" ! -name bake.journal; }

# edit SCRIPT: puff.yaml with a change, as edited.yaml
edit() { sed "$1" puff.yaml >edited.yaml; }

cp "$presets/puff.yaml" .

prompt_end() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}
