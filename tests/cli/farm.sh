#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# farm.sh BILLOW SOURCE: what goes over several tasks, without Slurm: a stand-in for sbatch takes the scripts, which are
# run one after another. The real one is in ../farm.
. "$(dirname "$0")/prompt.sh"

mkdir bin
cat >bin/sbatch <<'END'
#!/bin/bash
script=${!#}
echo "$script" >>submitted
[ -e full ] && { echo "sbatch: error: Batch job submission failed: the queue is full" >&2; exit 1; }
wc -l <submitted
END
printf '#!/bin/bash\nexit 0\n' >bin/squeue
chmod +x bin/*
export PATH="$work/bin:$PATH"

# tasks FOLDER: all of the array, the last first, then what follows it
tasks() {
    local i
    for i in $(seq "$(sed -n 's/#SBATCH --array=1-//p' "$1/farm/members.sbatch")" -1 1); do
        SLURM_ARRAY_TASK_ID=$i SLURM_CPUS_PER_TASK=1 bash "$1/farm/members.sbatch" >>"$1/tasks.log" 2>&1 || return
    done
    SLURM_CPUS_PER_TASK=1 bash "$1/farm/collect.sbatch" >out.txt 2>err.txt
}

# Smoke that fades: colours follow its highest value, which lies neither in the first frame nor in the last.
sed 's/1001-1006/1001-1062/; s/fps: 25/fps: 12/; s/density: 1,/density: {keys: {1001: 0.1, 1010: 1, 1020: 0}},/' puff.yaml >film.yaml
sed -i 's/^  - mac.advect.*/&\n  - dissipate: {density: 1 1\/s}/' film.yaml
cat >ball.yaml <<'END'
billow: 1
name: ball
domain: {size: [30 cm, 30 cm, 30 cm], voxel: 2.5 cm}
time: {fps: 12, frames: 1-30}
stages:
  - mac.advect: {}
  - emit: {mode: max, shape: {sphere: {radius: 8 cm, center: [0, 0, 0.1]}}, density: 1, temperature: 100}
  - mac.forces: {buoyancy: 1}
  - mac.project: {}
export:
  - vdb: {}
END
"$billow" bake film.yaml --out film >/dev/null 2>&1
"$billow" bake ball.yaml --out ball >/dev/null 2>&1

# ---- movies ----
for what in film ball; do
    run preview $what --size 90 --map viridis --out $what.mp4; expect "$what: a movie, here" 0
    run preview $what --size 90 --map viridis --out spread/$what.mp4 --on slurm --tasks 2; expect "no such folder" 2 "no such folder"
    mkdir -p spread
    run preview $what --size 90 --map viridis --out spread/$what.mp4 --on slurm --tasks 2; expect "$what: in parts" 0 "members 1-2"
    that "an array, and what follows it" sh -c "grep -qx '#SBATCH --array=1-2' spread/$what.parts/farm/members.sbatch &&
        grep -q '#SBATCH --dependency=afterany:' spread/$what.parts/farm/collect.sbatch"
    that "its tasks run" tasks spread/$what.parts
    that "$what: the same bytes" cmp $what.mp4 spread/$what.mp4
    that "of parts that are movies" test -s spread/$what.parts/001.mp4 -a -s spread/$what.parts/002.mp4
    mv spread "kept_$what"
done
mkdir spread
run preview film --size 90 --map viridis --out spread/film.mp4 --on slurm --tasks 8; expect "more tasks than there is for" 0 "members 1-8"
that "they run" tasks spread/film.parts
that "some with nothing to do" cmp film.mp4 spread/film.mp4
rm spread/film.parts/003.mp4
run preview film --size 90 --map viridis --out spread/film.mp4 --on slurm --tasks 8; expect "what is missing alone" 0 "members 3"
run preview film --size 100 --out spread/film.mp4 --on slurm --tasks 8; expect "another movie" 2 "holds the parts of another movie"
run preview film --on slurm --tasks 2 --out one.png; expect "a picture is none" 2 "one.png is a picture: make that here"
run preview film --tasks 2; expect "tasks of nobody" 2 "goes with --on slurm"
run preview film --ask cores=2; expect "a wish to nobody" 2 "go with --on slurm"

# ---- EXR files, of a cache that is only shown anew ----
run retime ball --speed 1 --set 'export=[exr: {size: 60}]' --out exr; expect "EXR files, here" 0
run retime ball --speed 1 --set 'export=[exr: {size: 60}]' --out exr_spread --on slurm --tasks 3; expect "in tasks" 0 "members 1-3"
that "they run" tasks exr_spread
find exr -name '*.exr' | sed 's/^exr/exr_spread/' >wanted
that "there are thirty" test "$(wc -l <wanted)" = 30
that "the same bytes" sh -c 'while read -r f; do cmp "$f" "exr/${f#exr_spread/}" || exit 1; done <wanted'

# ---- one bake by several processes ----
run bake ball.yaml --on slurm --ask ranks=4 --ask cores=2 --out ranks --dry-run; expect "what four processes ask for" 0 "--ntasks=4"
that "nothing is written for that" test ! -e ranks
grep -E '^#SBATCH' out.txt >asked
run bake ball.yaml --on slurm --ask ranks=4 --ask cores=2 --out ranks; expect "four processes" 0 "job"
that "they are asked for" sh -c "grep -qx '#SBATCH --ntasks=4' ranks/farm/bake.sbatch && grep -qx '#SBATCH --cpus-per-task=2' ranks/farm/bake.sbatch"
that "as they were told before" sh -c "grep -vxFf ranks/farm/bake.sbatch asked; [ \$? = 1 ] && [ -s asked ]"
that "and their share of memory a core" grep -qx '#SBATCH --mem-per-cpu=2[5-9][0-9]M' ranks/farm/bake.sbatch
that "and started by srun" grep -q '^srun --mpi=pmix --cpus-per-task=.* bake .*ranks/farm/preset.yaml' ranks/farm/bake.sbatch
run bake ball.yaml --on slurm --ask ranks=1 --out rank; expect "one" 0 "job"
that "is started as ever" sh -c "test -s rank/farm/bake.sbatch && ! grep -q 'srun\|ntasks\|per-cpu' rank/farm/bake.sbatch"
run bake ball.yaml --on slurm --ask ranks=none --out r; expect "no number" 2 "ranks wants a whole number above 0"
run bake ball.yaml --on slurm --ask ranks=65 --out r; expect "more than there may be" 2 "ranks wants 64 at most"
run wedge ball.yaml --vary time.seed=1..2 --on slurm --ask ranks=2 --out r; expect "ranks of members" 2 "ranks=2 is for one bake"

# ---- what is one task, and why ----
alone="each frame begins where the one before it ended, so one task bakes them all"
run bake ball.yaml --on slurm --tasks 4 --out b; expect "a simulation" 2 "ball: $alone"
run upres ball --on slurm --tasks 4 --out u; expect "smoke that is carried along" 2 "ball_upres: $alone"
touch full
run bake ball.yaml --on slurm --out b; expect "a submission that is refused" 1 "Slurm has refused it: .*the queue is full"

prompt_end
