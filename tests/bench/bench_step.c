// SPDX-License-Identifier: Apache-2.0
/* Seconds a step, by stage: the whole smoke step as presets have it, every cell active, a sphere in it, projection to
 * 1e-3, and what a domain costs that is mostly empty; what a cell costs in a large domain over a small one; what the
 * second thread gives. Prints tables; asserts nothing about time. The column "prototype" is the sum of parts that
 * throw-away programs reached on a like machine (two cores, AVX-512). */
#include "bench.h"
#include <stdio.h>
#include <string.h>

static const char *const metric[] = {"emit.seconds",
                                     "collide.seconds",
                                     "mac.advect.seconds",
                                     "mac.forces.seconds",
                                     "mac.project.seconds",
                                     "mac.project.iterations",
                                     NULL};
enum { EMIT, COLLIDE, ADVECT, FORCES, PROJECT, ITERATIONS };

/* One step a frame, dt fixed; `margin` cells of still air round the smoke (large: the whole box is active). */
static char *preset_text(const char *character, const int n[3], double margin, int frames, int obstacle,
                         const char *project)
{
    return bw_printf(
        "billow: 1\nname: bench\ncharacter: %s\n"
        "domain: {cells: [%d, %d, %d], voxel: %.9g m, margin: %g, sides: {bottom: closed, rest: open}}\n"
        "time: {fps: 24, frames: 1-%d, dt: %.9g}\n"
        "stages:\n"
        "  - emit: {mode: max, density: 1, temperature: 60 K, shape: {sphere: {center: [0, 0, 0.2], radius: 0.1}}}\n"
        "%s"
        "  - mac.advect: {}\n"
        "  - mac.forces: {buoyancy: 1, confinement: 0.25}\n"
        "  - %s: {tolerance: 1e-3}\n",
        character, n[0], n[1], n[2], 1. / 128, margin, frames, 1. / 24,
        obstacle ? "  - collide: {wake: always, shape: {sphere: {center: [0, 0, 0.6], radius: 0.12}}}\n" : "", project);
}

static void row(const char *what, const struct bench_figures *f, double prototype)
{
    const double *m = f->metric;
    printf("%-29s %8.4f %8.4f %8.4f %8.4f %8.4f %8.4f %8.4f %4.0f %7.2f %7.1f", what, f->step, f->cpu, m[EMIT],
           m[COLLIDE], m[ADVECT], m[FORCES], m[PROJECT], m[ITERATIONS], f->cells / 1e6, f->step / f->cells * 1e9);
    if (prototype > 0) printf("  %.3f (%.2fx)\n", prototype, f->step / prototype);
    else printf("\n");
    fflush(stdout);
}

/* Calm, as the prototypes are, or natural, which is what a preset has that does not say. */
static struct bench_figures full(const char *character, int nx, int ny, int nz, uint32_t threads, int frames,
                                 double prototype)
{
    struct bench_figures f = {0};
    char what[64];
    snprintf(what, sizeof what, "%s %dx%dx%d, %u thread%s", character, nx, ny, nz, threads, threads > 1 ? "s" : "");
    char *yaml = preset_text(character, (int[3]){nx, ny, nz}, 4096, frames, 1, "mac.project");
    if (bench_measure(&(struct bench_run){yaml, threads, 4, metric, NULL}, &f)) row(what, &f, prototype);
    return f;
}

/* The same plume in a box of n and of 4n cells a side: 64 times the volume. Means: tiles come in most frames but not in
 * all, and where they come the projection takes three times as long, so that the least is one lucky frame's. */
static void sparse(int n, int frames)
{
    struct bench_figures f[2] = {{0}};
    for (int big = 0; big < 2; big++) {
        const int s = big ? 4 * n : n;
        char what[64];
        snprintf(what, sizeof what, "sparse, box %d^3", s);
        char *yaml = preset_text("natural", (int[3]){s, s, s}, 6, frames, 0, "mac.project");
        if (bench_measure(
                &(struct bench_run){.yaml = yaml, .threads = 2, .from = frames - 7, .metric = metric, .mean = 1},
                &f[big]))
            row(what, &f[big], 0);
    }
    printf("box of 64 times the volume: time ratio %.3f (processor %.3f), resident ratio %.3f\n", f[1].step / f[0].step,
           f[1].cpu / f[0].cpu, f[1].resident / f[0].resident);
}

/* ---- what a cell costs, and the second thread ---- */

/* Seconds of one V-cycle on n³ cells. */
static double cycle(int n)
{
    static const char *const name[] = {"bench.project.cycle", NULL};
    struct bench_figures f = {0};
    char *yaml = preset_text("calm", (int[3]){n, n, n}, 4096, 6, 1, "bench.project");
    return bench_measure(&(struct bench_run){yaml, 2, 3, name, &bench_module}, &f) ? f.metric[0] : 0;
}

static void growth_say(int n, int more, const struct bench_figures *small, const struct bench_figures *large)
{
    const double cells = (double)n * n * n, cells_more = (double)more * more * more;
    const double c = cycle(n) / cells, c_more = cycle(more) / cells_more;
    printf("\na cell at %d^3 over %d^3, 2 threads: whole step %.1f / %.1f ns = %.2f   V-cycle %.2f / %.2f ns = %.2f\n",
           more, n, large->step / cells_more * 1e9, small->step / cells * 1e9,
           large->step / cells_more / (small->step / cells), c_more * 1e9, c * 1e9, c_more / c);
}

static void threads_say(const struct bench_figures *one, const struct bench_figures *two)
{
    static const char *const stage[] = {"emit", "collide", "advect", "forces", "project"};
    printf("second thread: step %.2fx", one->step / two->step);
    for (int i = EMIT; i <= PROJECT; i++) printf("   %s %.2fx", stage[i], one->metric[i] / two->metric[i]);
    printf("\n\n");
}

int main(int argc, char **argv)
{
    const int quick = argc > 1 && !strcmp(argv[1], "--quick");
    printf("%-29s %8s %8s %8s %8s %8s %8s %8s %4s %7s %7s  %s\n", "seconds a step (minimum)", "step", "cpu", "emit",
           "collide", "advect", "forces", "project", "its", "Mcells", "ns/cell", "prototype");
    const struct bench_figures small = full("calm", 64, 64, 64, 2, 12, 0),
                               middle = full("calm", 128, 128, 128, 2, 10, .0625);
    full("natural", 128, 128, 128, 2, 10, 0);
    struct bench_figures large = middle, alone;
    if (quick) {
        alone = full("calm", 128, 128, 128, 1, 8, 0);
    } else {
        full("calm", 128, 128, 256, 2, 8, .125);
        large = full("calm", 256, 256, 256, 2, 7, .7);
        alone = full("calm", 256, 256, 256, 1, 6, 0);
    }
    growth_say(64, quick ? 128 : 256, &small, &large);
    threads_say(&alone, &large);
    sparse(quick ? 64 : 128, quick ? 16 : 30);
    return 0;
}
