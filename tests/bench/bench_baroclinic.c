// SPDX-License-Identifier: Apache-2.0
/* What `baroclinic` costs of a step: a soft heavy ball of N vortons with ten tracers each, carried for three frames. Prints the
 * microseconds a step (and a vorton), and their share of the whole step, for its method `seed` in Gourlay's own setting
 * (vorton.velocity's `seed`) and for the default in both; asserts nothing. Usage: bench_baroclinic [largest N]. */
#include "support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FIRST = 3, LAST = 6 };

/// Processor seconds of a run of so many frames, and what the stage said of its last step.
static double run_seconds(int64_t n, const char *velocity, const char *method, int frames, double *us, double *vortons)
{
    double spacing = cbrt(4.18879 / (double)n);
    char *yaml = bw_printf("billow: 1\nname: bench\ndomain: {cells: [16, 16, 16], voxel: 1 m}\ntime: {fps: 24, frames: 1-%d, substeps: 1}\nstages:\n"
                           "  - vorton.emit: {density: 0.1, source: {fill: {shape: {sphere: {radius: 1 m}}, spacing: %.9g m, edge: %.9g m, margin: 0}}}\n"
                           "  - tracers: {shape: {sphere: {radius: 1 m}}, count: %lld}\n"
                           "  - vorton.velocity: {method: %s}\n  - vorton.stretch: {}\n  - vorton.advect: {}\n  - baroclinic: {method: %s}\n",
                           frames, spacing, 4 * spacing, (long long)(10 * n), velocity, method);
    clock_t begun = clock();
    struct test_run r = test_start(yaml, &(struct test_options){.simd = UINT32_MAX, .threads = 1});
    if (r.status) fprintf(stderr, "%s\n", r.diag.text ? r.diag.text : "failed");
    *vortons = bw_chain_metric(r.chain, "vorton.velocity.vortons");
    *us = fmin(*us, bw_chain_metric(r.chain, "baroclinic.microseconds"));
    test_end(&r);
    bw_free(yaml);
    return (double)(clock() - begun) / CLOCKS_PER_SEC;
}

/// On one thread: a busy machine disturbs less.
static void row(int64_t n, const char *velocity, const char *method)
{
    double us = HUGE_VAL, vortons = 0, all = 0;
    for (int frames = FIRST; frames <= LAST; frames++) {
        double seconds = run_seconds(n, velocity, method, frames, &us, &vortons);
        if (frames == FIRST) all -= seconds;
        if (frames == LAST) all += seconds;
    }
    all *= 1e6 / (LAST - FIRST);
    printf("%8.0f %-8s %-9s %12.0f %10.1f %12.0f %9.3f %%\n", vortons, velocity, method, us, 1e3 * us / vortons, all, 100 * us / all);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int64_t most = argc > 1 ? atoll(argv[1]) : 10000;
    printf("%8s %-8s %-9s %12s %10s %12s %9s\n", "vortons", "velocity", "method", "us a step", "ns each", "whole step", "share");
    for (int64_t n = 3000; n <= most; n = n * 10 / 3) {
        row(n, "seed", "seed");
        row(n, "seed", "conserve");
        row(n, "auto", "conserve");
    }
    return 0;
}
