// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE /* sched_getaffinity */
#include "machine.h"
#include <billow/host.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

double bw_processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bw_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int64_t bw_resident_bytes(void)
{
    long total = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f) {
        if (fscanf(f, "%ld %ld", &total, &resident) != 2) resident = 0;
        fclose(f);
    }
    return (int64_t)resident * sysconf(_SC_PAGESIZE);
}

/// Cores that a process may run on (0: this one); 0: nobody knows.
static long cores_allowed(pid_t process)
{
    cpu_set_t set; // of more cores than it holds the call fails
    return sched_getaffinity(process, sizeof set, &set) ? 0 : CPU_COUNT(&set);
}

/// Cores' worth of time that a container has, INFINITY: as much as there is.
static double cores_of_time(void)
{
    double quota, period;
    FILE *f = fopen("/sys/fs/cgroup/cpu.max", "re");
    const int said = f && fscanf(f, "%lf %lf", &quota, &period) == 2 && quota > 0 && period > 0; // else "max"
    if (f) fclose(f);
    return said ? quota / period : (double)INFINITY;
}

uint32_t bw_cores(void)
{
    const long allowed = cores_allowed(0), n = allowed ? allowed : sysconf(_SC_NPROCESSORS_ONLN);
    const double timed = ceil(cores_of_time());
    return n < 1 ? 1 : timed < (double)n ? (uint32_t)timed : (uint32_t)n;
}

uint32_t bw_threads_usual(void)
{
    const char *local = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    const long n = local ? atol(local) : 1;
    const uint32_t cores = bw_cores();
    if (n < 2 || cores_allowed(0) < cores_allowed(getppid())) return cores; // bound by mpirun: they are its own
    return cores > (uint32_t)n ? cores / (uint32_t)n : 1;
}

uint32_t bw_simd_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq"))
        return BW_SIMD_AVX512;
    if (__builtin_cpu_supports("avx2")) return BW_SIMD_AVX2;
#endif
    return BW_SIMD_BASELINE;
}
