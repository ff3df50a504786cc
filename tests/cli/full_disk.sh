#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# full_disk.sh BILLOW SOURCE: a disk that is full at every possible write: of so many pages, of so many files. Each time
# the bake names a file and ends with 6, what has its name is whole, and with room the same bake comes to its end.
# Needs a mount of its own: root, or user namespaces; else 77, which Meson calls skipped.
if [ "${BILLOW_UNSHARED:-}" != 1 ]; then
    for map in "" -r; do
        # shellcheck disable=SC2086
        unshare -m $map mount -t tmpfs none /mnt 2>/dev/null && BILLOW_UNSHARED=1 exec unshare -m $map "$0" "$@"
    done
    exit 77
fi
. "$(dirname "$0")/prompt.sh"
cp "$presets/every.yaml" .
mkdir disk
run bake every --out whole; expect "with room" 0
# What is the same in every bake; the log and the times, which are in checkpoints too, are of the moment.
same() { find "$1" -type f ! -name '*.bwck' ! -name bake.log ! -name timings.csv ! -name 'bake.j*' -printf '%P\n' | sort; }
same whole >names.txt

# A file under its final name that is not the whole bake's, or a temporary one.
wrong() {
    local file
    find disk/out -name '.*' -type f 2>/dev/null
    while read -r file; do
        [ ! -e "disk/out/$file" ] || cmp -s "whole/$file" "disk/out/$file" || echo "$file"
    done <names.txt
    [ ! -e disk/out/bake.log ] || tail -c1 disk/out/bake.log | cmp -s - <(echo) || echo bake.log
}

# full WHAT OPTIONS MORE N: a bake onto a disk that small, then, for every third N, on or again with room. 1 once there
# was room at once.
full() {
    local what=$1 found way
    mount -t tmpfs -o "$2" none disk || return 1
    run bake every --out disk/out
    if [ "$code" != 0 ]; then
        expect "$what" 6 'disk/out.*(No space left|cannot|can.t)'
        that "$what: one line tells of it" test "$(grep -c 'No space left' err.txt)" -ge 1
    fi
    found=$(wrong | { [ "$code" = 0 ] && cat || grep -vE '^(metrics.csv|every.mp4|every_sheet.png)$'; }) # of fewer frames
    [ -z "$found" ] || bad "$what: not whole: $found"
    [ ! -e disk/out/every.mp4 ] || that "$what: the movie plays" test -z "$(ffprobe -v error disk/out/every.mp4 2>&1)"
    local ended=$code
    if [ $(($4 % 3)) = 0 ]; then
        mount -o "remount,$3" disk
        [ $(($4 % 2)) = 0 ] && way=--force || way=--resume
        run bake every --out disk/out $way; expect "$what: with room, $way" 0
        found=$(wrong)
        [ -z "$found" ] || bad "$what: with room, $way: $found"
        that "$what: with room, all is there" test "$(same disk/out | wc -l)" = "$(wc -l <names.txt)"
    fi
    umount disk
    [ "$ended" != 0 ]
}

# Sanitizers see the same ways out at one size in seven. What the bake takes is still found to a page: the next wants it.
each=1; [ -z "${BILLOW_TEST_SHORT:-}" ] || each=7
sized() { full "$1 pages" "size=$((4 * $1))k" "size=4m" "$1"; }
for pages in $(seq 1 $each 100); do sized "$pages" || break; done
while [ $each -gt 1 ] && ! sized $((pages - 1)); do pages=$((pages - 1)); done
that "every size up to what it takes" test "$pages" -gt 20 -a "$pages" -lt 100
mount -t tmpfs -o "size=$((4 * pages + 16))k" none disk
run bake every --out disk/out --set checkpoints.keep=2; expect "room for all but a checkpoint" 0 "the checkpoint .*every_0002.bwck could not be written: No space"
that "then there is none" test -z "$(ls -A disk/out/checkpoints)"
umount disk
for files in $(seq 2 $each 60); do full "$files files" "nr_inodes=$files,size=4m" "nr_inodes=1000" "$files" || break; done
that "every number of files up to what it takes" test "$files" -gt 10 -a "$files" -lt 60

prompt_end
