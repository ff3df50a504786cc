// SPDX-License-Identifier: Apache-2.0
/* How far the two fast gases are from what the machine allows: a cell's iteration of `potential` and a cell's step of
 * `flux`, beside the least that memory and arithmetic leave possible; the larger of both binds.
 *
 * Memory: 4 or 8 bytes a value that is read, and as much again twice for one that is written, for its line is fetched
 * first, at the rate of a triad that as many threads run just before and after. Iterations of `potential` are counted
 * as if each went through memory (8 read, 16 written, 1 of walls), though several are made on a block while it is in
 * the cache: a ratio below 1 is possible. In 2D the third component of momentum, nothing but zeros, is moved but not
 * counted. Arithmetic: operations a cell (divisions and roots count as one, though they take as long as ten), at the
 * rate of multiplications and additions in full vectors that are in the nearest cache.
 *
 * "cpu" is the processor's time of all threads in a frame, the system's and what is handed on after a step included:
 * other programs disturb it less. Ratios are to the limit that binds, by the clock and by that time. `--quick`: 128³
 * instead of 256³; `--only WORD`: rows that hold the word. Prints a table; asserts nothing about time. */
#include "bench.h"
#include "run/run.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MASS_FLOW(rate) "mode: mass_flow, ambient_density: 1, mass_flow: {rate: " rate "}"

enum { FRAMES = 4 };

struct gas {
    const char *what, *stage, *number, *parameters;
    int dim, bytes, flops; ///< bytes, flops: a cell and iteration or step
    int twice;             ///< 1: in double
};

/* mass_flow, a cell: for each half of its neighbours the flow, what it pushes and what both change, with fewer
 * operations along an axis; then the new values. */
static int flops_mass_flow(int dim, int neighbours)
{
    const int aligned = dim == 2 ? 15 : 21, diagonal = dim == 2 ? 32 : 44, sums = 2 * (1 + dim);
    return dim * aligned + (neighbours / 2 - dim) * diagonal + neighbours / 2 * sums + 3 * (1 + dim);
}

/* euler, a cell: to primitive variables 8 + 3 dim; slopes 9 a variable and axis; half a step 10 + 8 dim + 9
 * dim²; faces, one an axis: two sides 24 + 12 dim, the flux 60 + 2 dim; what they change 3 a variable and axis; the
 * survey 20. Without energy some 20 less a face, and one variable. */
static int flops_euler(int dim, int ideal)
{
    const int vars = dim + 1 + ideal;
    return 28 + 3 * dim + 12 * vars * dim + 10 + 8 * dim + 9 * dim * dim + dim * ((ideal ? 84 : 64) + 14 * dim);
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
    double rate = bench_triad(threads), speed = bench_flops(g->twice);
    if (!bench_measure(&(struct bench_run){preset_text(g, cells), threads, 2, metric, NULL}, &f)) return;
    rate = fmax(rate, bench_triad(threads));
    speed = threads * fmax(speed, bench_flops(g->twice));
    const double updates = f.metric[1] * count, each = f.metric[0] / updates, cpu = f.cpu / updates;
    const double memory = g->bytes / rate, sums = g->flops / speed, least = fmax(memory, sums);
    printf("%-20s %u %7.1f %7.2f %7.2f %6d %7.2f %6d %7.2f %6.1f %6.0f %7.2f %7.2f\n", g->what, threads, 1e-6 / each,
           1e9 * each, 1e9 * cpu, g->bytes, 1e9 * memory, g->flops, 1e9 * sums, 1e-9 * rate, 1e-9 * speed, each / least,
           cpu / threads / least);
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
        {"relaxation, 2D", "potential", "iterations", "mode: relaxation, relaxation: {iterations: 160}", 2, 25, 9, 1},
        {"relaxation, 3D", "potential", "iterations", "mode: relaxation, relaxation: {iterations: 80}", 3, 25, 13, 1},
        {"mass_flow, 4 ways", "flux", "substeps", MASS_FLOW("40, neighbours: 4"), 2, 72, flops_mass_flow(2, 4), 1},
        {"mass_flow, 8 ways", "flux", "substeps", MASS_FLOW("40, neighbours: 8"), 2, 72, flops_mass_flow(2, 8), 1},
        {"mass_flow, 6 ways", "flux", "substeps", MASS_FLOW("20, neighbours: 6"), 3, 96, flops_mass_flow(3, 6), 1},
        {"mass_flow, 26 ways", "flux", "substeps", MASS_FLOW("20, neighbours: 26"), 3, 96, flops_mass_flow(3, 26), 1},
        {"euler isothermal, 2D", "flux", "substeps", "gas: isothermal, ambient_density: 1, sound_speed: 12", 2, 36,
         flops_euler(2, 0), 0},
        {"euler ideal, 2D", "flux", "substeps", "ambient_density: 1, sound_speed: 12", 2, 48, flops_euler(2, 1), 0},
        {"euler ideal, 3D", "flux", "substeps", "ambient_density: 1, sound_speed: 6", 3, 60, flops_euler(3, 1), 0},
    };
    printf("%-20s %s %7s %7s %7s %6s %7s %6s %7s %6s %6s %7s %7s\n", "a cell", "t", "M/s", "ns", "ns cpu", "bytes",
           "ns", "flop", "ns", "GB/s", "Gf/s", "ratio", "by cpu");
    for (size_t i = 0; i < sizeof gas / sizeof *gas; i++) {
        const char *const cells = gas[i].dim == 2 ? "1024, 1024, 1" : quick ? "128, 128, 128" : "256, 256, 256";
        const double n = quick ? 128 : 256, count = gas[i].dim == 2 ? 1024. * 1024 : n * n * n;
        for (uint32_t threads = 1; threads <= 2 && strstr(gas[i].what, only); threads++)
            row(&gas[i], cells, count, threads);
    }
    return 0;
}
