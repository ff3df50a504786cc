// SPDX-License-Identifier: Apache-2.0
/* What `baroclinic` costs of a step: a soft heavy ball of N vortons with ten tracers each, carried for FRAMES frames.
 * Prints the microseconds a step (and a vorton), and their share of the whole step, the least of the frames, for its
 * method `gourlay` in Gourlay's own setting (vorton.velocity's `influence_tree`) and for the default in both; asserts
 * nothing. On one thread: a busy machine disturbs less. Usage: bench_baroclinic [largest N [smallest N]]. */
#include "bench.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FRAMES = 16, FROM = 4 };

static void row(int64_t n, const char *velocity, const char *method)
{
    static const char *const metric[] = {"baroclinic.microseconds", "vorton.velocity.vortons", NULL};
    double spacing = cbrt(4.18879 / (double)n);
    struct bench_figures f;
    char *yaml = bw_printf(
        "billow: 1\nname: bench\ndomain: {cells: [16, 16, 16], voxel: 1 m}\n"
        "time: {fps: 24, frames: 1-%d, substeps: 1}\nstages:\n"
        "  - vorton.emit: {density: 0.1, source: {fill: {shape: {sphere: {radius: 1 m}}, spacing: %.9g m, edge: "
        "%.9g m, margin: 0}}}\n"
        "  - tracers: {shape: {sphere: {radius: 1 m}}, count: %lld}\n"
        "  - vorton.velocity: {method: %s}\n  - vorton.stretch: {}\n  - vorton.advect: {}\n"
        "  - baroclinic: {method: %s}\n",
        FRAMES, spacing, 4 * spacing, (long long)(10 * n), velocity, method);
    if (!bench_measure(&(struct bench_run){yaml, 1, FROM, metric, NULL}, &f)) return;
    printf("%8.0f %-8s %-9s %12.0f %10.1f %12.0f %9.3f %%\n", f.metric[1], velocity, method, f.metric[0],
           1e3 * f.metric[0] / f.metric[1], 1e6 * f.cpu, 1e-4 * f.metric[0] / f.cpu);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int64_t most = argc > 1 ? atoll(argv[1]) : 10000;
    printf("%8s %-8s %-9s %12s %10s %12s %9s\n", "vortons", "velocity", "method", "us a step", "ns each", "whole step",
           "share");
    for (int64_t n = argc > 2 ? atoll(argv[2]) : 3000; n <= most; n = n * 10 / 3) {
        row(n, "influence_tree", "gourlay");
        row(n, "influence_tree", "conserve");
        row(n, "auto", "conserve");
    }
    return 0;
}
