# SPDX-License-Identifier: Apache-2.0
# A Slurm of its own on this machine: munged, slurmctld and two slurmd on loopback, all files in $cluster, nothing of the
# system's touched. Sourced; `cluster_start FOLDER`, `node_start N`, `node_kill N`, `cluster_stop`.

cluster_port=${FARM_PORT:-$((20000 + $$ % 20000))}

cluster_config() {
    local host memory
    host=$(hostname -s)
    memory=$(($(sed -n 's/MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 1024 - 100))
    cat >"$cluster/slurm.conf" <<END
ClusterName=billow
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$cluster_port
AuthType=auth/munge
AuthInfo=socket=$cluster/munge.socket
CredType=cred/munge
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool.%n
TmpFS=$cluster/tmp.%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.%n.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
ReturnToService=2
RequeueExit=75
SlurmdTimeout=10
KillWait=20
MinJobAge=300
SchedulerParameters=sched_interval=2,bf_interval=2
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName=n[1-2] NodeHostname=$host NodeAddr=127.0.0.1 Port=$((cluster_port + 1))-$((cluster_port + 2)) CPUs=2 RealMemory=$memory
PartitionName=low Nodes=n[1-2] Default=YES MaxTime=INFINITE PriorityTier=1 OverSubscribe=NO
PartitionName=high Nodes=n[1-2] MaxTime=INFINITE PriorityTier=10 OverSubscribe=NO
END
    : >"$cluster/cgroup.conf"
}

# cluster_start FOLDER
cluster_start() {
    cluster=$1
    mkdir -p "$cluster/state" "$cluster/tmp.n1" "$cluster/tmp.n2"
    chmod 755 "$cluster"
    cluster_config
    export SLURM_CONF="$cluster/slurm.conf"
    dd if=/dev/urandom of="$cluster/munge.key" bs=128 count=1 2>/dev/null
    chmod 600 "$cluster/munge.key"
    /usr/sbin/munged --force --foreground --socket="$cluster/munge.socket" --key-file="$cluster/munge.key" \
        --log-file="$cluster/munge.log" --pid-file="$cluster/munge.pid" --seed-file="$cluster/munge.seed" \
        --num-threads=2 </dev/null >"$cluster/munge.out" 2>&1 &
    munge_pid=$!
    for _ in $(seq 100); do [ -S "$cluster/munge.socket" ] && break; sleep 0.1; done
    /usr/sbin/slurmctld -D -c </dev/null >"$cluster/slurmctld.out" 2>&1 &
    controller_pid=$!
    node_start 1
    node_start 2
    for _ in $(seq 200); do
        [ "$(sinfo -h -N -p low -t idle -o %N 2>/dev/null | wc -l)" = 2 ] && return 0
        sleep 0.2
    done
    echo "the cluster does not come up:" >&2
    tail -5 "$cluster"/*.log "$cluster"/*.out >&2
    return 1
}

node_start() {
    /usr/sbin/slurmd -D -N "n$1" </dev/null >"$cluster/slurmd.$1.out" 2>&1 &
    eval "node_pid_$1=$!"
}

# children PID: all processes below it
children() {
    local pid
    for pid in $(pgrep -P "$1"); do
        children "$pid"
        echo "$pid"
    done
}

# has PID VARIABLE=VALUE: in its environment
has() { { tr '\0' '\n' <"/proc/$1/environ"; } 2>/dev/null | grep -qxF "$2"; }

# node_kill N: the daemon and all that it runs, as if the machine had lost its power. Job steps leave their daemon, so
# they are known by what Slurm tells the job.
node_kill() {
    local daemon step pid
    eval "daemon=\$node_pid_$1"
    local all="$daemon"
    for step in $(pgrep slurmstepd); do
        for pid in $(children "$step"); do
            has "$pid" "SLURM_CONF=$cluster/slurm.conf" && has "$pid" "SLURMD_NODENAME=n$1" &&
                { all="$all $step $(children "$step")"; break; }
        done
    done
    # shellcheck disable=SC2086
    kill -KILL $all 2>/dev/null
    { wait "$daemon"; } 2>/dev/null
}

cluster_stop() {
    scancel --user="$(id -un)" >/dev/null 2>&1
    node_kill 1
    node_kill 2
    kill -TERM "$controller_pid" 2>/dev/null
    { wait "$controller_pid"; } 2>/dev/null
    kill -TERM "$munge_pid" 2>/dev/null
    { wait "$munge_pid"; } 2>/dev/null
}
