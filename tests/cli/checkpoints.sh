#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# checkpoints.sh BILLOW SOURCE: the checkpoints of a short bake, what they may take, and bakes that go on from them with a stage more.
. "$(dirname "$0")/prompt.sh"

# ---- by default ----
run bake puff.yaml --out usual --frames 1001-1040
that "by default the first frame has one" test -s usual/checkpoints/puff_1001.bwck
run resume usual --from-frame 1020 --set stages.mac.forces.buoyancy=2; expect "so any frame can be changed" 0 "40 frames"
run bake puff.yaml --dry-run
expect "what they take is told" 0 "96.0 KiB of VDB files and 168 KiB of checkpoints \(.checkpoints: \{keep: 2\}. keeps two\)"
run bake puff.yaml --dry-run --set checkpoints.keep=2; expect "of two" 0 "and 144 KiB of checkpoints"

prompt_end
