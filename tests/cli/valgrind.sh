#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# valgrind.sh BILLOW SOURCE: a short bake with VDB files, pictures, a movie and checkpoints, stopped after a frame and
# resumed, under Valgrind: no error, nothing definitely lost.
. "$(dirname "$0")/prompt.sh"
command -v valgrind >/dev/null || { echo "valgrind is missing: ./dev test installs it"; exit 77; }
cat "$presets/flat.yaml" >two.yaml # `checkpoints` is its last line
sed -i 's/1-1000/1-2/; s/^checkpoints.*/checkpoints: {every: 0, frames: 1}/' two.yaml

# Files are not compared: Valgrind knows no flushing of denormals, so its bits are its own. The lists of plugins, which a
# child process makes, are not looked at.
grind() {
    valgrind --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --error-exitcode=99 \
        --child-silent-after-fork=yes --log-file=valgrind.txt "$billow" "$@" >out.txt 2>err.txt </dev/null
    code=$?
    cat valgrind.txt >>err.txt
}

grind bake two.yaml --out two --threads 2 --frames 1-1
# On some machines a library that FFmpeg's loads has an instruction that Valgrind does not know: then without a movie.
movie=two/flat.mp4
if grep -A1 "Unrecognised instruction" valgrind.txt | grep -q "(in /usr/lib/"; then
    echo "without a movie: $(grep -A1 "Unrecognised instruction" valgrind.txt | tail -1)"
    sed -i '/^ *- mp4/d' two.yaml
    movie=two/vdb/flat_0001.vdb
    rm -rf two
    grind bake two.yaml --out two --threads 2 --frames 1-1
fi
expect "a bake" 0 "definitely lost: 0 bytes" "ERROR SUMMARY: 0 errors"
that "it wrote a frame, a movie and a checkpoint" test -s two/vdb/flat_0001.vdb -a -s $movie -a -s two/checkpoints/flat_0001.bwck
grind resume two --threads 2 --frames 1-2
expect "it goes on" 0 "definitely lost: 0 bytes" "ERROR SUMMARY: 0 errors"
that "from the checkpoint" grep -q "^resumed from two/checkpoints/flat_0001.bwck" two/bake.log

prompt_end
