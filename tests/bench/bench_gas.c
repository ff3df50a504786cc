// SPDX-License-Identifier: Apache-2.0
/* How far the two fast gases are from what memory allows: a cell's iteration of `potential` and a cell's step of `flux`,
 * beside the least that they must move at the rate of a triad that as many threads run just before and after.
 *
 * Bytes a cell: 4 or 8 a value that is read, and as much again twice for one that is written, for its line is fetched
 * first. Iterations of `potential` are counted as if each went through memory (8 read, 16 written, 1 of walls), though
 * several are made on a block while it is in the cache: a ratio below 1 is possible. What is "cpu" is the processor's
 * time of all threads in a frame, the system's included, which other programs disturb less. The modern gas does some
 * 500 (2D) to 900 (3D) operations a cell (see `flops`): that, not memory, is its limit.
 * `--quick`: 128³ instead of 256³; `--only WORD`: rows that hold the word. Prints a table; asserts nothing about time. */
#include "bench.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FRAMES = 4 };

struct gas {
    const char *what, *stage, *number, *parameters;
    int dim, bytes; ///< bytes: a cell and iteration or step
    int flops;      ///< operations a cell: 0 where they are few
};

/* The modern gas, a cell: to primitive variables 8 + 3 dim; slopes 9 a variable and axis; half a step 10 + 8 dim + 9
 * dim²; faces, one an axis: two sides 24 + 12 dim, the flux 60 + 2 dim; what they change 3 a variable and axis; the
 * survey 20. Divisions and roots count as one. */
static int flops_modern(int dim)
{
    const int vars = dim + 2;
    return 28 + 3 * dim + 12 * vars * dim + 10 + 8 * dim + 9 * dim * dim + dim * (84 + 14 * dim);
}

static char *preset_text(const struct gas *g, const char *cells)
{
    const int flux = !strcmp(g->stage, "flux");
    return bw_printf("billow: 1\ndomain: {cells: [%s], voxel: 1, origin: [0, 0, 0], sides: {rest: closed}}\n"
                     "time: {fps: 1, frames: 1-%d, substeps: 1}\nstages:\n"
                     "  - set: {field: %s, value: \"%s\", keep: true}\n"
                     "  - set: {field: divergence, value: 0}\n"
                     "  - %s: {%s}\n",
                     cells, FRAMES, flux ? "mass" : "potential", flux ? "1 + 0.1*sin(x)" : "x", g->stage,
                     g->parameters);
}

static void row(const struct gas *g, const char *cells, double count, uint32_t threads)
{
    char seconds[64], number[64];
    snprintf(seconds, sizeof seconds, "%s.seconds", g->stage);
    snprintf(number, sizeof number, "%s.%s", g->stage, g->number);
    const char *const metric[] = {seconds, number, NULL};
    struct bench_figures f;
    double rate = bench_triad(threads);
    if (!bench_measure(&(struct bench_run){preset_text(g, cells), threads, 2, metric, NULL}, &f)) return;
    rate = fmax(rate, bench_triad(threads));
    const double updates = f.metric[1] * count, each = f.metric[0] / updates, least = g->bytes / rate;
    printf("%-24s %u %9.1f %8.2f %8.2f %6d %8.2f %7.1f %7.2f", g->what, threads, 1e-6 / each, 1e9 * each,
           1e9 * f.cpu / updates, g->bytes, 1e9 * least, 1e-9 * rate, each / least);
    if (g->flops) printf("   %d flop a cell: %.1f Gflop/s", g->flops, 1e-9 * g->flops / each);
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int quick = 0;
    const char *only = "";
    for (int i = 1; i < argc; i++) {
        quick |= !strcmp(argv[i], "--quick");
        if (!strcmp(argv[i], "--only") && i + 1 < argc) only = argv[i + 1];
    }
    const struct gas gas[] = {
        {"potential seed, 2D", "potential", "iterations", "mode: seed, seed: {iterations: 160}", 2, 25, 0},
        {"potential seed, 3D", "potential", "iterations", "mode: seed, seed: {iterations: 80}", 3, 25, 0},
        {"flux seed, 4 ways", "flux", "substeps", "mode: seed, ambient: 1, seed: {rate: 40, neighbours: 4}", 2, 72, 0},
        {"flux seed, 8 ways", "flux", "substeps", "mode: seed, ambient: 1, seed: {rate: 40, neighbours: 8}", 2, 72, 0},
        {"flux seed, 6 ways", "flux", "substeps", "mode: seed, ambient: 1, seed: {rate: 10, neighbours: 6}", 3, 96, 0},
        {"flux seed, 26 ways", "flux", "substeps", "mode: seed, ambient: 1, seed: {rate: 10, neighbours: 26}", 3, 96, 0},
        {"flux isothermal, 2D", "flux", "substeps", "gas: isothermal, ambient: 1, sound_speed: 12", 2, 36, 0},
        {"flux ideal, 2D", "flux", "substeps", "ambient: 1, sound_speed: 12", 2, 48, flops_modern(2)},
        {"flux ideal, 3D", "flux", "substeps", "ambient: 1, sound_speed: 3", 3, 60, flops_modern(3)},
    };
    printf("%-24s %s %9s %8s %8s %6s %8s %7s %7s\n", "a cell", "t", "M/s", "ns", "ns cpu", "bytes", "memory", "GB/s",
           "ratio");
    for (size_t i = 0; i < sizeof gas / sizeof *gas; i++) {
        const char *const cells = gas[i].dim == 2 ? "1024, 1024, 1" : quick ? "128, 128, 128" : "256, 256, 256";
        const double n = quick ? 128 : 256, count = gas[i].dim == 2 ? 1024. * 1024 : n * n * n;
        for (uint32_t threads = 1; threads <= 2 && strstr(gas[i].what, only); threads++)
            row(&gas[i], cells, count, threads);
    }
    return 0;
}
