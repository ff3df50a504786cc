// SPDX-License-Identifier: Apache-2.0
/* Bytes a cell of active tiles: smoke without obstacles, every cell active, no writer. Two sizes: the program and its
 * libraries, the same in both, fall out of the difference. What was resident at most is what counts; the parts say
 * where it is. `fields` is what the state itself takes; the pools hold it and what sweeps need besides, as much as they
 * ever needed at once; the C library's heap holds the multigrid's levels, the workers' memory, and tables. */
#include "bench.h"
#include <stdio.h>
#include <stdlib.h>

enum { FIELDS = 4 * (1 + 1 + 3 + 1), GOAL = 80 }; /* density, temperature, vel, pressure */

static char *preset_text(int n)
{
    return bw_printf(
        "billow: 1\nname: bench\n"
        "domain: {cells: [%d, %d, %d], voxel: 1 cm, margin: 4096, sides: {bottom: closed, rest: open}}\n"
        "time: {fps: 24, frames: 1-6, substeps: 1}\n"
        "stages:\n"
        "  - emit: {mode: max, density: 1, temperature: 60 K, shape: {sphere: {center: [0, 0, 0.2], radius: 0.1}}}\n"
        "  - mac.advect: {scheme: maccormack}\n"
        "  - mac.forces: {buoyancy: 1, confinement: 0.25}\n"
        "  - mac.project: {tolerance: 1e-3}\n",
        n, n, n);
}

int main(int argc, char **argv)
{
    const int n[2] = {argc > 1 ? atoi(argv[1]) : 128, argc > 2 ? atoi(argv[2]) : 256};
    struct bench_figures f[2] = {{0}};
    for (int q = 0; q < 2; q++)
        if (!bench_measure(&(struct bench_run){preset_text(n[q]), 2, 2, NULL, NULL}, &f[q])) return 1;
    const double cells = f[1].cells - f[0].cells, peak = (f[1].peak - f[0].peak) / cells;
    const double pool = (f[1].pool - f[0].pool) / cells, heap = (f[1].heap - f[0].heap) / cells;
    printf("bytes a cell of active tiles (%d^3 less %d^3): %.1f at the peak, goal %d\n", n[1], n[0], peak, (int)GOAL);
    printf("    fields %d + in sweeps %.1f + heap (multigrid, workers, tables) %.1f + rest %.1f\n", (int)FIELDS,
           pool - FIELDS, heap, peak - pool - heap);
    printf("    the program's own: %.0f MB\n", (f[0].peak - peak * f[0].cells) / 1e6);
    return 0;
}
