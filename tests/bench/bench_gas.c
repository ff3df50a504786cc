// SPDX-License-Identifier: Apache-2.0
/* How far the two fast gases are from what memory allows: cell·iterations a second of `potential` and cell·steps of
 * `flux`, beside the least that must be read and written (a write costs twice: the line is fetched first) at the rate
 * of a triad measured by the same threads just before. `--quick`: 128³ instead of 256³; `--cpu`: processor time of one
 * thread. Prints a table; asserts nothing about time. */
#include "support.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { TRIAD = 1 << 22, THREADS = 2 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *triad(void *memory)
{
    double *a = memory, *b = a + TRIAD, *c = b + TRIAD;
    for (int turn = 0; turn < 4; turn++)
        for (int i = 0; i < TRIAD; i++) a[i] = b[i] + 3 * c[i];
    return NULL;
}

/* Bytes a second of a = b + 3 c, its fetch of a counted: 32 a value. */
static double bandwidth(void)
{
    double *memory = calloc((size_t)THREADS * 3 * TRIAD, sizeof *memory), best = 0;
    for (int i = 0; memory && i < THREADS * 3 * TRIAD; i++) memory[i] = 1e-3 * i;
    for (int q = 0; memory && q < 4; q++) {
        pthread_t thread[THREADS];
        double start = now();
        for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, triad, memory + (size_t)i * 3 * TRIAD);
        for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
        double rate = THREADS * 4. * TRIAD * 32 / (now() - start);
        best = rate > best ? rate : best;
    }
    free(memory);
    return best;
}

/* What a run of some frames takes: processor seconds of all threads, and of the stage the last step's seconds and what
 * it counts. */
struct cost {
    double cpu, seconds, steps;
};

/* Of the program, not of the system on its behalf. */
static double processor_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_utime.tv_sec + 1e-6 * (double)u.ru_utime.tv_usec;
}

static struct cost cost_of(const char *cells, const char *stage, const char *parameters, const char *number, int frames,
                           uint32_t threads)
{
    const int flux = !strcmp(stage, "flux");
    char *yaml =
        bw_printf("billow: 1\ndomain: {cells: [%s], voxel: 1, origin: [0, 0, 0], sides: {rest: closed}}\n"
                  "time: {fps: 1, frames: 1-%d, substeps: 1}\nstages:\n"
                  "  - set: {field: %s, value: \"%s\", keep: true}\n"
                  "  - set: {field: divergence, value: 0}\n"
                  "  - %s: {%s}\n",
                  cells, frames, flux ? "mass" : "potential", flux ? "1 + 0.1*sin(x)" : "x", stage, parameters);
    struct cost c = {.steps = 1};
    struct test_options o = {.threads = threads, .simd = UINT32_MAX};
    const double start = processor_seconds();
    struct test_run r = test_start(yaml, &o);
    if (r.status == BW_OK) {
        char name[64];
        snprintf(name, sizeof name, "%s.seconds", stage);
        c.seconds = bw_chain_metric(r.chain, name);
        snprintf(name, sizeof name, "%s.%s", stage, number);
        c.steps = bw_chain_metric(r.chain, name);
    } else {
        fprintf(stderr, "bench: %s\n", r.diag.text ? r.diag.text : "failed");
    }
    test_end(&r);
    c.cpu = processor_seconds() - start;
    bw_free(yaml);
    return c;
}

/* `cpu`: processor time of one thread, a further frame over none, which other programs on the machine hardly change. */
static void row(int cpu, const char *what, const char *cells, double count, const char *stage, const char *parameters,
                const char *number, double bytes)
{
    const double rate = bandwidth();
    struct cost c = cost_of(cells, stage, parameters, number, cpu ? 2 : 3, cpu ? 1 : THREADS);
    if (cpu) {
        struct cost longer = cost_of(cells, stage, parameters, number, 4, 1);
        c.seconds = (longer.cpu - c.cpu) / 2;
        c.steps = longer.steps;
    }
    double each = c.seconds / c.steps / count;
    printf("%-28s %8.1f M/s %8.2f ns %8.2f ns at %5.1f GB/s: %5.2fx\n", what, 1e-6 / each, 1e9 * each,
           1e9 * bytes / rate, 1e-9 * rate, each * rate / bytes);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int quick = 0, cpu = 0;
    for (int i = 1; i < argc; i++) {
        quick |= !strcmp(argv[i], "--quick");
        cpu |= !strcmp(argv[i], "--cpu");
    }
    const char *const flat = "1024, 1024, 1", *const deep = quick ? "128, 128, 128" : "256, 256, 256";
    const double square = 1024. * 1024, cube = quick ? 128. * 128 * 128 : 256. * 256 * 256;
    printf("%-28s %12s %11s %11s\n", "cells a second", "", "a cell", "memory alone");
    row(cpu, "potential seed, 2D", flat, square, "potential", "mode: seed, seed: {iterations: 120}", "iterations", 25);
    row(cpu, "potential seed, 3D", deep, cube, "potential", "mode: seed, seed: {iterations: 80}", "iterations", 25);
    row(cpu, "flux seed, 4 ways", flat, square, "flux", "mode: seed, ambient: 1, seed: {rate: 20, neighbours: 4}",
        "substeps", 72);
    row(cpu, "flux seed, 8 ways", flat, square, "flux", "mode: seed, ambient: 1, seed: {rate: 20, neighbours: 8}",
        "substeps", 72);
    row(cpu, "flux seed, 6 ways", deep, cube, "flux", "mode: seed, ambient: 1, seed: {rate: 10, neighbours: 6}",
        "substeps", 96);
    row(cpu, "flux isothermal, 2D", flat, square, "flux", "gas: isothermal, ambient: 1, sound_speed: 2", "substeps",
        36);
    row(cpu, "flux ideal, 2D", flat, square, "flux", "ambient: 1, sound_speed: 2", "substeps", 48);
    row(cpu, "flux ideal, 3D", deep, cube, "flux", "ambient: 1, sound_speed: 1", "substeps", 60);
    return 0;
}
