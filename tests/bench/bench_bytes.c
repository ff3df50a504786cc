// SPDX-License-Identifier: Apache-2.0
/* Bytes that each part of a step moves, against what the memory can do: the whole smoke step on n³ cells, all active, a
 * sphere in it, 2 threads; the triad is measured before and after, and the better one counts.
 *
 * How bytes are counted: a pass over an array of floats is 4 bytes a cell when it is read; when it is written to fresh
 * tiles 8, for the line is read first; in place 8. Neighbours and halos are taken to come from the cache, and so is
 * what one pass leaves for the next within a block or a slab: the least that could be moved, not what a counter would
 * show. "of the limit" is the share of the triad's bandwidth that this least takes; what is far below is bound by
 * arithmetic or gathers, not by memory. An amount is half of what two that fill the box add to advection; the velocity
 * is all of it without them, with smoke and heat that are there in a thousandth of the box. A V-cycle's levels above
 * the first add a seventh.
 *
 * Operations are those that the kernels' sources name for one cell, each addition, multiplication, minimum, division
 * or root as one, of what is computed once: not again for halos. A second argument names a file for a picture of it
 * all (roofline.h). */
#include "bench.h"
#include "limits/roofline.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { READ = 4, FRESH = 8, IN_PLACE = 8, KIND = 1 };
enum { EMIT, COLLIDE, ADVECT, FORCES, RHS, SOLVE, CORRECT, CYCLE, CYCLES };
static const char *const metric[] = {
    "emit.seconds",        "collide.seconds",       "mac.advect.seconds",  "mac.forces.seconds",   "bench.project.rhs",
    "bench.project.solve", "bench.project.correct", "bench.project.cycle", "bench.project.cycles", NULL};

/* `more`: two amounts that fill the box. */
static char *preset_text(int n, bool more)
{
    return bw_printf(
        "billow: 1\nname: bench\n%s"
        "domain: {cells: [%d, %d, %d], size: [1 m, 1 m, 1 m], margin: 4096, sides: {bottom: closed, rest: open}}\n"
        "time: {fps: 24, frames: 1-7, substeps: 1}\n"
        "stages:\n%s"
        "  - emit: {mode: max, density: 1, temperature: 60 K, shape: {sphere: {center: [0, 0, 0.2], radius: 0.1}}}\n"
        "  - collide: {wake: always, shape: {sphere: {center: [0, 0, 0.6], radius: 0.12}}}\n"
        "  - mac.advect: {}\n"
        "  - mac.forces: {buoyancy: 1, confinement: 0.25}\n"
        "  - bench.project: {tolerance: 1e-3}\n",
        more ? "fields: {one: {advect: true}, two: {advect: true}}\n" : "", n, n, n,
        more ? "  - set: {field: one, value: \"1 + 0.5*sin(31*x + 3*sin(17*y)) * sin(23*z + x)\"}\n"
               "  - set: {field: two, value: \"2 + sin(29*y + 3*sin(19*z)) * sin(21*x + y)\"}\n"
             : "");
}

static double limit; /* bytes a second */

/* A cell: a way of two rounds; the mean of two ways for faces; of a component the cubic gather, its bounds, what leans
 * it forward and back. A sweep of an amount: edges, the parabola in its bounds, what passes, what the cell takes; the
 * last one keeps the amount, too. */
enum { WAY = 120, FACES = 3 * 6, CUBIC = 123, RANGE = 75, LEAN = 8, SWEEP = 8 + 27 + 6 + 12, KEPT = 16 };

static struct roofline_point point[8];
static int points;

static void row(const char *what, double seconds, double cells, double bytes, double flops, const char *counted)
{
    const double rate = bytes * cells / seconds;
    printf("%-24s %8.4f %7.2f %7.1f %7.1f %6.0f %% %7.0f %7.1f   %s\n", what, seconds, seconds / cells * 1e9, bytes,
           rate * 1e-9, 100 * rate / limit, flops, flops * cells / seconds * 1e-9, counted);
    point[points++] = (struct roofline_point){what, bytes, flops, seconds / cells};
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 256;
    struct bench_figures bare, full;
    limit = bench_triad(2);
    if (!bench_measure(&(struct bench_run){preset_text(n, false), 2, 4, metric, &bench_module}, &bare) ||
        !bench_measure(&(struct bench_run){preset_text(n, true), 2, 4, metric, &bench_module}, &full))
        return 1;
    limit = fmax(limit, bench_triad(2));
    const double *m = bare.metric, cells = bare.cells;
    printf("%d^3, 2 threads; the triad moves %.1f GB/s\n", n, limit * 1e-9);
    printf("%-24s %8s %7s %7s %7s %8s %7s %7s   %s\n", "a step", "seconds", "ns/cell", "B/cell", "GB/s", "of limit",
           "op/cell", "Gop/s", "counted");
    row("velocity", m[ADVECT], cells, 6 * IN_PLACE + 3 * (READ + FRESH + IN_PLACE) + 6 * READ + 2 * FRESH,
        WAY + FACES + 3 * (CUBIC + RANGE + LEAN), "it and how it was carried leant, then carried; cells' volumes");
    row("an amount", (full.metric[ADVECT] - m[ADVECT]) / 2, cells, READ + 3 * (READ + FRESH), 3 * SWEEP + KEPT,
        "its range; three sweeps");
    row("forces", m[FORCES], cells, 4 * READ + 3 * FRESH, 30 + 27 + 4 * 4, "vel, temperature read; vel written");
    row("right-hand side", m[RHS], cells, 4 * READ + KIND + 2 * IN_PLACE, 6, "vel, pressure, kinds read; b, x written");
    row("V-cycles", m[SOLVE], cells, m[CYCLES] * (READ + IN_PLACE) * 8 / 7., m[CYCLES] * 34 * 8 / 7.,
        "a cycle: b read, x in place, once for down and up");
    row("one V-cycle", m[CYCLE], cells, (READ + IN_PLACE) * 8 / 7., 34 * 8 / 7., "the same");
    points--; // the same place in the picture
    row("correction", m[CORRECT], cells, READ + KIND + 3 * (READ + FRESH) + IN_PLACE, 17,
        "x, kinds, vel read; vel, pressure written");
    printf("%-24s %8.4f   with emit %.4f and collide %.4f, which touch few tiles; %.0f cycles\n", "all but amounts",
           m[EMIT] + m[COLLIDE] + m[ADVECT] + m[FORCES] + m[RHS] + m[SOLVE] + m[CORRECT], m[EMIT], m[COLLIDE],
           m[CYCLES]);
    const double speed = 2 * bench_flops(0);
    char title[100];
    snprintf(title, sizeof title, "A smoke step on %d³ cells, two threads: what its parts reach of the limit", n);
    const struct roofline r = {title, limit, speed, point, points};
    return argc > 2 && !roofline_write(&r, argv[2]);
}
