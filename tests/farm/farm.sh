#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# farm.sh BILLOW SOURCE: bakes and wedges on a real Slurm of two nodes, on this machine and of its own. The last line is
# "N passed, N failed". Each part compares with members that were baked here, undisturbed.
here=$(realpath "$(dirname "$0")")
. "$here/../cli/prompt.sh"
. "$here/cluster.sh"
trap 'cluster_stop; rm -rf "$work"' EXIT
begun=$SECONDS
lap() { printf '== %s (%d s)\n' "$1" $((SECONDS - begun)) >&2; begun=$SECONDS; }
unset BILLOW_SITE
export XDG_CONFIG_HOME="$work/config"

# Long enough to be stopped in the middle; a checkpoint every few frames.
sed 's/name: puff/name: film/; s/1001-1006/1001-1400/' puff.yaml >film.yaml
printf 'checkpoints: {every: 0, frames: 20, keep: 2}\n' >>film.yaml
small=(--ask memory=400M --ask cores=1)

cluster_start "$work/slurm" || { bad "the cluster"; prompt_end; exit 1; }
lap "a cluster of two nodes"

# Nodes and jobs change when Slurm's own threads come round to it; what is waited for is named, and its time bounded.
# wait_for SECONDS COMMAND…
wait_for() {
    local most=$1
    shift
    for _ in $(seq $((most * 5))); do
        if "$@" >/dev/null 2>&1; then return 0; fi
        release
        sleep 0.2
    done
    return 1
}
# A requeued task would wait for two minutes. Three seconds it needs: in the second in which it was stopped its node
# takes it for dead ("Job credential revoked").
declare -A waits
release() {
    local job
    for job in $(squeue -h -r -t PENDING -o '%i %r' 2>/dev/null | awk '$2 == "BeginTime" {print $1}'); do
        : "${waits[$job]:=$SECONDS}"
        [ $((SECONDS - waits[$job])) -lt 3 ] && continue
        scontrol update JobId="$job" StartTime=now >/dev/null 2>&1
        unset "waits[$job]"
    done
}
# A controller that does not answer has not lost the job.
gone() {
    local rows
    rows=$(squeue -h -r -j "$1" 2>&1) || { echo "$rows" | grep -q "Invalid job id"; return; }
    [ -z "$rows" ]
}
job_of() { sed -n 's/.*"job": "\(.*\)",/\1/p' "$1/farm/job.json"; }
after_of() { sed -n 's/.*"collect": "\(..*\)"/\1/p' "$1/farm/job.json"; }
over() { gone "$(job_of "$1")" && { [ -z "$(after_of "$1")" ] || gone "$(after_of "$1")"; }; }
frames() { [ "$(ls "$1/vdb" 2>/dev/null | wc -l)" -ge "$2" ]; }
# hold JOB: its bake stands still, so that a fast machine is not done with it before Slurm wants its place, and goes on
# when Slurm tells it to end: that begins with SIGCONT.
hold() {
    local pid
    for pid in $(pgrep -x billow); do
        if has "$pid" "SLURM_JOB_ID=$1"; then kill -STOP "$pid"; fi
    done
}
# All files but those that tell of the run.
listing() {
    (cd "$1" && find . -type f ! -name bake.\* ! -name timings.csv ! -path './checkpoints/*' ! -path './farm/*' -exec sha1sum {} + | sort -k2)
}
same() { diff <(listing "$1") <(listing "$2"); }

# ---- an array of 6, and a node that dies in the middle ----
vary=(--vary "stages.emit.density=0.5,1" --vary "time.seed=1..3" --set stages.emit.noise.amount=1 --still)
run wedge film.yaml "${vary[@]}" --out whole; expect "undisturbed, here" 0 "6 of 6 members to bake"
lap "6 members here"
run wedge film.yaml "${vary[@]}" --on slurm "${small[@]}" --out killed; expect "an array of 6" 0 "job [0-9]+, members 1-6"
run wedge film.yaml "${vary[@]}" --on slurm --out killed; expect "once more while it is queued" 2 "is in the queue still"
that "a node runs members" wait_for 60 sh -c '[ -n "$(squeue -h -t RUNNING -w n2 -o %i)" ]'
victims=$(squeue -h -r -t RUNNING -w n2 -o %K)
first=$(printf '%03d' "$(echo "$victims" | head -1)")
that "and has written frames" wait_for 60 frames "killed/$first" 30
node_kill 2
that "none of which is whole" test "$(ls "killed/$first/vdb" | wc -l)" -lt 400
that "Slurm notices" wait_for 60 sh -c 'sinfo -h -N -n n2 -o %t | grep -q down'
node_start 2
that "the array comes to its end" wait_for 240 over killed
that "the member was requeued and resumed" grep -q "^resumed from" "killed/$first/bake.log"
for i in 001 002 003 004 005 006; do that "member $i: the same bytes" same "whole/$i" "killed/$i"; done
run status killed; expect "status" 0 "^001 +done +400/400 +density=0.5 seed=1" "^006 +done"
that "the table is made" test "$(grep -c ',done,0,' killed/wedge.csv)" = 6
that "the sheet is" test -s killed/wedge.png
lap "an array of 6, a node killed"

# ---- preempted and requeued ----
"$billow" bake film.yaml --out calm >/dev/null 2>&1
run bake film.yaml --on slurm "${small[@]}" --ask cores=2 --out "pre empted"; expect "a bake, in a folder with a space" 0 "job [0-9]+"
job=$(job_of "pre empted")
that "the script says what it asks for" grep -qx '#SBATCH --cpus-per-task=2' "pre empted/farm/bake.sbatch"
that "it runs" wait_for 60 frames "pre empted" 30
run status "pre empted"; expect "status of a bake" 0 "running +[0-9][0-9]+/400"
hold "$job"
sbatch --parsable -p high -n 4 -N 2 --mem=100M -o /dev/null --wrap "sleep 3" >urgent
that "what is urgent takes its place" wait_for 60 sh -c "scontrol show job $job | grep -q 'Restarts=1'"
that "it was stopped in the middle" test "$(ls "pre empted/vdb" | wc -l)" -lt 400
that "with a checkpoint" wait_for 30 grep -q "stopping after this step, with a checkpoint" "pre empted/farm/bake.log"
that "it comes to its end" wait_for 240 over "pre empted"
that "it was resumed" grep -q "^resumed from" "pre empted/bake.log"
that "the same bytes" same calm "pre empted"
run bake film.yaml --on slurm --out "pre empted"; expect "once more" 0 "up to date"
lap "preempted"

# ---- time is over: what Slurm does two minutes before, of a site that requeues nothing by itself ----
sed -i /RequeueExit/d "$cluster/slurm.conf"
scontrol reconfigure
run bake film.yaml --on slurm "${small[@]}" --out late; expect "a bake whose time is over" 0 "job"
that "the script asks for the signal" grep -qx '#SBATCH --signal=B:TERM@120' late/farm/bake.sbatch
that "it runs" wait_for 60 frames late 30
scancel --batch --signal=TERM "$(job_of late)"
that "it is requeued" wait_for 60 sh -c "scontrol show job $(job_of late) | grep -q 'Restarts=1'"
that "it was stopped once" test "$(grep -c "stopping after this step, with a checkpoint" late/farm/bake.log)" = 1
that "it comes to its end" wait_for 240 over late
that "it was resumed" grep -q "^resumed from" late/bake.log
that "the same bytes, too" same calm late
lap "its time over"

# ---- cancelled ----
run bake film.yaml --on slurm "${small[@]}" --out cancelled; expect "a bake to be cancelled" 0 "job"
job=$(job_of cancelled)
that "it runs" wait_for 60 frames cancelled 30
run cancel cancelled; expect "cancel" 0 "job $job is cancelled"
that "it is gone" wait_for 60 gone "$job"
that "and stays so" sh -c "sleep 3; [ -z \"\$(squeue -h -j $job 2>/dev/null)\" ]"
that "with a checkpoint" sh -c 'ls cancelled/checkpoints/*.bwck'
run status cancelled; expect "status of what was cancelled" 1 "stopped"
run bake film.yaml --on slurm --out cancelled; expect "the same command alone" 2 "--resume goes on with it"
run bake film.yaml --on slurm "${small[@]}" --resume --out cancelled; expect "with --resume" 0 "job"
that "it comes to its end" wait_for 240 over cancelled
that "the same bytes after all" same calm cancelled
lap "cancelled"

# ---- 50 members, submitted and followed ----
run wedge puff.yaml --vary time.seed=1..50 --still --on slurm --ask memory=300M --ask cores=1 --out fifty; expect "fifty" 0 "members 1-50"
timeout 400 "$billow" status fifty --follow >out.txt 2>err.txt; code=$?
expect "followed to their end" 0 "^050 +done +6/6"
that "none was left out" test "$(tail -50 out.txt | grep -c ' done ')" = 50
that "the table has fifty" test "$(grep -c ',done,0,' fifty/wedge.csv)" = 50
run wedge puff.yaml --vary time.seed=1..50 --still --on slurm --out fifty; expect "nothing is left" 0 "all members are done"
rm -r fifty/007 fifty/031 fifty/032
run wedge fifty --still --on slurm --ask memory=300M --out fifty; expect "--out of a wedge" 2 "has no meaning"
run wedge fifty --still --on slurm --ask memory=300M --ask cores=1; expect "what is missing alone" 0 "members 7,31-32"
that "it comes to its end" wait_for 120 over fifty
that "they are there" test -s fifty/031/vdb/puff_1006.vdb
lap "50 members"

# ---- frames that stand alone, over several tasks ----
run bake puff.yaml --frames 1001-1006 --out source; expect "a cache" 0
run retime source --speed 0.25 --mute mp4 --out slow; expect "slower, here" 0
run retime source --speed 0.25 --on slurm --tasks 4 --ask memory=300M --ask cores=1 --out spread; expect "slower, in 4 tasks" 0 "members 1-4"
that "it comes to its end" wait_for 120 over spread
that "frames are the same bytes" diff <(cd slow/vdb && sha1sum ./*) <(cd spread/vdb && sha1sum ./*)
that "the table, too" cmp slow/metrics.csv spread/metrics.csv
that "it is a cache without a gap" "$billow" check spread/vdb
run status spread; expect "status of its parts" 0 "^004 +done .*frames="
run preview slow/vdb --fps 12 --out whole.mp4; expect "a movie, here" 0
run preview slow/vdb --fps 12 --on slurm --tasks 2 --ask memory=300M --ask cores=1 --out joined.mp4; expect "a movie in 2 parts" 0 "members 1-2"
that "it comes to its end" wait_for 120 over joined.parts
that "the movie is the same bytes" cmp whole.mp4 joined.mp4
run upres source --on slurm --tasks 4 --out r4; expect "what carries smoke along" 2 "one cell thick|one task bakes them all"
run bake puff.yaml --on slurm --tasks 4 --out r4; expect "a simulation is one task" 2 "puff: each frame begins where the one before it ended, so one task bakes them all"
run bake puff.yaml --tasks 4 --out r4; expect "tasks of nobody" 2 "goes with --on slurm"
lap "a cache over several tasks"

# ---- one bake by several processes of a step ----
cat >ball.yaml <<'END'
billow: 1
name: ball
domain: {size: [1.2 m, 1.2 m, 1.2 m], voxel: 2.5 cm}
time: {fps: 12, frames: 1-4}
stages:
  - mac.advect: {}
  - emit: {mode: max, shape: {sphere: {radius: 25 cm, center: [0, 0, 0.3]}}, density: 1, temperature: 100}
  - mac.forces: {buoyancy: 1}
  - mac.project: {}
export:
  - vdb: {}
END
"$billow" bake ball.yaml --out alone >/dev/null 2>&1
# Both nodes are this machine, with one memory for shared segments, named by host: between them TCP alone, over loopback.
# They have fewer cores than processes, of which no node knows: who waits gives way.
export OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_mpi_yield_when_idle=1
srun_bake() { timeout 120 srun --mem=300M "$@" --threads 1 >out.txt 2>err.txt; code=$?; }
srun_bake --mpi=none -n 2 "$billow" bake ball.yaml --out together; expect "srun without MPI's own" 2 "told MPI nothing of each other: srun --mpi=pmix"
that "one sentence, of one rank" test "$(grep -c "told MPI nothing" err.txt)" = 1
for nodes in 1 2; do
    srun_bake --mpi=pmix -N $nodes -n $((2 * nodes)) "$billow" bake ball.yaml --out on$nodes; expect "srun, nodes: $nodes" 0 "blender"
    that "the same bytes, too" same alone on$nodes
    that "and all had a share" sh -c "grep -q 'ranks.bytes' on$nodes/timings.csv"
done

# ---- a process of one that lies on two nodes dies ----
long=(bake ball.yaml --set domain.voxel=4cm --set time.frames=1-60 --set checkpoints.frames=3 --out died)
"$billow" "${long[@]/died/lives}" >/dev/null 2>&1
srun_bake --mpi=pmix -N 2 -n 4 "$billow" "${long[@]}" &
step=$!
that "it keeps a checkpoint" wait_for 60 sh -c 'ls died/checkpoints/*.bwck'
for pid in $(pgrep -f "bake ball.yaml .*--out died"); do
    has "$pid" SLURM_PROCID=3 && has "$pid" "SLURM_CONF=$SLURM_CONF" && kill -KILL "$pid"
done
wait $step
that "one of the last is killed" grep -q "task 3: Killed" err.txt
that "and so all end" test -z "$(squeue -h)" -a "$(ls died/vdb | wc -l)" -lt 60
srun_bake --mpi=pmix -N 2 -n 3 "$billow" "${long[@]}" --resume; expect "on three instead of four" 0 "60 frames"
that "it goes on where that was" grep -q "^resumed from" died/bake.log
that "the same bytes after all" same lives died

# ---- the same into the queue, and its time is over ----
queued=("${long[@]/died/queued}")
run "${queued[@]}" --on slurm --ask memory=500M --ask cores=1 --ask ranks=2 --ask options=--nodes=2; expect "a bake by two processes" 0 "job"
that "one on each node" wait_for 60 sh -c "[ \"\$(squeue -h -j $(job_of queued) -t RUNNING -o %D)\" = 2 ]"
that "it runs" wait_for 60 frames queued 5
scancel --signal=TERM "$(job_of queued)"
that "it is requeued" wait_for 60 sh -c "scontrol show job $(job_of queued) | grep -q 'Restarts=1'"
that "with a checkpoint" grep -q "stopping after this step, with a checkpoint" queued/farm/bake.log
that "and was stopped in the middle" test "$(ls queued/vdb | wc -l)" -lt 60
that "it comes to its end" wait_for 240 over queued
that "it was resumed" grep -q "^resumed from" queued/bake.log
run "${queued[@]/queued/ended}" --on slurm --ask memory=500M --ask cores=1 --ask ranks=2; expect "one to be cancelled" 0 "job"
that "it runs" wait_for 60 frames ended 5
run cancel ended; expect "cancel" 0 "is cancelled"
that "it is gone" wait_for 60 gone "$(job_of ended)"
that "with a checkpoint of its end" grep -q "is kept: .billow resume" ended/farm/bake.log
that "both had a share" grep -q "ranks.bytes" queued/timings.csv
that "the same bytes after all" same lives queued
unset OMPI_MCA_btl OMPI_MCA_btl_tcp_if_include OMPI_MCA_mpi_yield_when_idle
lap "srun"

# ---- a site file ----
mkdir -p config/billow "mapped"
cat >config/billow/site.yaml <<END
setup: |
  export FARM_MARK=1
container: env FARM_CONTAINER=1
paths: {$work/mapped: $work/elsewhere}
ask: {partition: low, cores: 2, memory: 300M, options: [--comment=ours]}
END
ln -s mapped elsewhere
run bake puff.yaml --on slurm --ask cores=1 --out mapped/one; expect "with a site file" 0 "job"
that "its own words are in the script" sh -c "grep -qx '#SBATCH --partition=low' mapped/one/farm/bake.sbatch &&
    grep -qx '#SBATCH --comment=ours' mapped/one/farm/bake.sbatch && grep -qx 'export FARM_MARK=1' mapped/one/farm/bake.sbatch &&
    grep -q '^exec env FARM_CONTAINER=1 .*/elsewhere/one' mapped/one/farm/bake.sbatch"
that "--ask counts before it" grep -qx '#SBATCH --cpus-per-task=1' mapped/one/farm/bake.sbatch
that "it comes to its end" wait_for 60 over mapped/one
that "where the nodes see it" test -s mapped/one/vdb/puff_1006.vdb
rm -r config

# ---- refused ----
run bake puff.yaml --on slurm --ask partition=night --out r1; expect "a partition that is none" 1 "Slurm has refused it: .*[Ii]nvalid partition"
run bake puff.yaml --on slurm --ask memory=900T --out r2; expect "more memory than there is" 1 "Slurm has refused it: .*not available|refused it: .*[Mm]emory"
run bake puff.yaml --on slurm --ask memroy=1G --out r3; expect "an unknown wish" 2 "--ask: there is no \"memroy\"; did you mean memory"
run bake puff.yaml --ask memory=1G --out r3; expect "a wish to nobody" 2 "go with --on slurm"
echo 'modlues: [a]' >site.yaml
run bake puff.yaml --on slurm --site site.yaml --out r3; expect "an unknown key of a site" 3 "site.yaml:1:10: there is no \"modlues\"; did you mean modules"
run bake puff.yaml --on slurm --site none.yaml --out r3; expect "no site file" 6 "none.yaml"
run bake film.yaml --on slurm --out mapped/one; expect "a folder of another bake" 2 "holds a different bake"
that "nothing refused is left in the queue" wait_for 20 sh -c '[ -z "$(squeue -h)" ]'
lap "site file, refusals"

prompt_end
