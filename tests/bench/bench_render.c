// SPDX-License-Identifier: Apache-2.0
/* Seconds that a picture takes, 960×540 at the default look, by quality, of a fire and of smoke in 128³ cells: what a
 * preview of every frame costs. Wall clock and processor seconds on two threads, the least of a few pictures. Prints a
 * table; asserts nothing about time. `--only smoke default`: that alone. `--png FILE`: the last picture, to look at. */
#include "unit/render/image_tools.h"
#include "look.h"
#include <picture/volume/render.h>
#include "support.h"
#include "base/alloc.h"
#include "base/machine.h"
#include "base/thread/threads.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 128, TURNS = 4, THREADS = 2 };

struct task {
    void (*fn)(int64_t i, void *user);
    void *user;
};

static void task_run(int64_t i, uint32_t worker, void *user)
{
    const struct task *t = user;
    (void)worker;
    t->fn(i, t->user);
}

static void spread(void *ctx, int64_t n, void (*fn)(int64_t i, void *user), void *user)
{
    struct task t = {fn, user};
    bw_workers_for(ctx, n, task_run, &t);
}

/// The bake's own memory.
static void *memory_take(void *ctx, size_t bytes)
{
    (void)ctx;
    return bw_alloc_all_written(bw_calloc(bytes), bytes);
}

static void memory_give(void *ctx, void *memory)
{
    (void)ctx;
    bw_free(memory);
}

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// A restless column: waves of five lengths, steeper ones weaker.
static double billows(const double p[3])
{
    double sum = 0;
    for (int o = 0; o < 5; o++) {
        const double k = 9 * (1 << o), a = 1.0 / (1 << o);
        sum +=
            a * sin(k * p[0] + 1.7 * o + 2 * sin(0.7 * k * p[2])) * sin(k * p[1] + 2.3 * o) * sin(k * p[2] - 1.1 * o);
    }
    return sum;
}

/// 1 m³ of it: flames in the middle, smoke around and above them.
static struct bw_volume column_make(int fire)
{
    struct bw_volume v = {.box = {{N, N, N}, {-0.5, -0.5, 0}, 1.0 / N}};
    float **to[3] = {&v.density, fire ? &v.flame : NULL, fire ? &v.temperature : NULL};
    for (int q = 0; q < 3; q++)
        if (to[q]) *to[q] = take(NULL, (size_t)N * N * N * sizeof(float));
    for (int i = 0; i < N * N * N; i++) {
        const double p[3] = {(i % N + 0.5) / N - 0.5, (i / N % N + 0.5) / N - 0.5, (i / N / N + 0.5) / N};
        const double r = hypot(p[0], p[1]), edge = 0.24 + 0.1 * p[2] - r + 0.12 * billows(p);
        v.density[i] = (float)fmin(fmax(8 * edge, 0), 1) * (fire ? 0.15f : 1);
        if (!fire) continue;
        v.flame[i] = (float)fmin(fmax(6 * (edge - 0.1 - 0.15 * p[2]), 0), 1);
        v.temperature[i] = 1700 * v.flame[i];
    }
    return v;
}

/// Wall and processor seconds of the quickest picture.
static void picture_time(const struct bw_tools *with, const struct bw_volume *v, int32_t quality, struct bw_image *img,
                         double best[2])
{
    struct bw_scene scene = {
        .lo = {-0.5, -0.5, 0}, .hi = {0.5, 0.5, 1}, .ambient = 293, .exposure = 1, .floor = 1, .look = look_usual()};
    scene.extinction = bw_scene_extinction(scene.lo, scene.hi);
    scene.look.quality = quality;
    bw_camera_fit(&scene.camera, NULL, scene.lo, scene.hi, (double)img->w / img->h);
    best[0] = best[1] = HUGE_VAL;
    for (int i = 0; i < TURNS; i++) {
        const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
        if (bw_render(with, v, &scene, img)) abort();
        best[0] = fmin(best[0], seconds(CLOCK_MONOTONIC) - wall);
        best[1] = fmin(best[1], seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    }
}

/// The words that follow an option; NULL: it isn't there.
static char **option(int argc, char **argv, const char *name, int words)
{
    for (int i = 1; i + words < argc; i++)
        if (!strcmp(argv[i], name)) return argv + i + 1;
    return NULL;
}

int main(int argc, char **argv)
{
    char **only = option(argc, argv, "--only", 2), **png = option(argc, argv, "--png", 1);
    struct bw_workers *workers = bw_workers_create(THREADS);
    struct bw_tools threaded = tools;
    threaded.alloc = memory_take, threaded.release = memory_give;
    threaded.parallel = spread;
    threaded.ctx = workers;
    threaded.simd = bw_simd_best();
    struct bw_image img;
    if (!workers || bw_image_init(&img, &tools, 960, 540)) return 1;
    printf("%-14s %10s %12s\n", "960x540", "s", "cpu s");
    for (int fire = 0; fire < 2; fire++) {
        static const char *const what[] = {"smoke", "fire"}, *const name[] = {"draft", "default", "final"};
        if (only && strcmp(only[0], what[fire])) continue;
        struct bw_volume v = column_make(fire);
        for (int32_t quality = BW_QUALITY_DRAFT; quality <= BW_QUALITY_FINAL; quality++) {
            double best[2];
            if (only && strcmp(only[1], name[quality + 1])) continue;
            picture_time(&threaded, &v, quality, &img, best);
            printf("%-6s%-8s %10.3f %12.3f\n", what[fire], name[quality + 1], best[0], best[1]);
        }
        free(v.density);
        free(v.flame);
        free(v.temperature);
    }
    char why[200];
    if (png && bw_image_write_png(&img, *png, 8, why, sizeof why)) puts(why);
    bw_image_free(&img);
    bw_workers_destroy(workers);
    return 0;
}
