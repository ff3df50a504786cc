// SPDX-License-Identifier: Apache-2.0
/* Seconds a step, by stage: the whole smoke step with every cell active, a sphere in it, MacCormack, projection to
 * 1e-3, and what a domain costs that is mostly empty. Prints a table; asserts nothing about time. The column
 * "prototype" is the sum of parts that throw-away programs reached on a like machine (two cores, AVX-512). */
#include "support.h"
#include "grid.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const stage_id[] = {"emit", "collide", "mac.advect", "mac.forces", "mac.project"};

/* One step a frame, dt fixed; `margin` cells of still air round the smoke (large: the whole box is active). */
static char *preset_text(int nx, int ny, int nz, double margin, int frames, int obstacle)
{
    return bw_printf("billow: 1\nname: bench\n"
                     "domain: {cells: [%d, %d, %d], voxel: %.9g m, margin: %g, sides: {bottom: closed, rest: open}}\n"
                     "time: {fps: 24, frames: 1-%d, dt: %.9g}\n"
                     "stages:\n"
                     "  - emit: {mode: max, density: 1, temperature: 60 K, shape: {sphere: {center: [0, 0, 0.2], radius: 0.1}}}\n"
                     "%s"
                     "  - mac.advect: {scheme: maccormack}\n"
                     "  - mac.forces: {buoyancy: 1, confinement: 0.25}\n"
                     "  - mac.project: {tolerance: 1e-3}\n",
                     nx, ny, nz, 1. / 128, margin, frames, 1. / 24,
                     obstacle ? "  - collide: {wake: always, shape: {sphere: {center: [0, 0, 0.6], radius: 0.12}}}\n" : "");
}

struct figures {
    double step, cpu, stage[5], iterations, cells, resident;
    double cpu_before;
    int64_t from; /* frames before this one only warm up: fresh memory, a plume that has yet to grow */
};

/* All threads' processor seconds: what a step costs when others use the machine too. */
static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct bw_chain *current; /* the chain under way, for the callback */

static void on_frame(const struct bw_progress *p, void *user)
{
    struct figures *f = user;
    double cpu = cpu_seconds(), spent = cpu - f->cpu_before;
    f->cpu_before = cpu;
    if (p->done < f->from) return;
    for (int i = 0; i < 5; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s.seconds", stage_id[i]);
        double s = bw_chain_metric(current, name);
        if (!(s >= 0)) s = 0;
        if (s < f->stage[i]) f->stage[i] = s;
    }
    if (p->seconds < f->step) f->step = p->seconds;
    if (spent < f->cpu) f->cpu = spent;
    f->iterations = bw_chain_metric(current, "mac.project.iterations");
    f->cells = (double)p->cells;
    f->resident = (double)p->memory;
}

static int run(const char *yaml, uint32_t threads, struct figures *f)
{
    for (int i = 0; i < 5; i++) f->stage[i] = 1e9;
    f->step = f->cpu = 1e9;
    f->cpu_before = 0;
    char path[] = "/tmp/billow-bench-XXXXXX.yaml";
    int fd = mkstemps(path, 5);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file) return 0;
    fputs(yaml, file);
    fclose(file);
    struct bw_diag d = {0};
    struct bw_preset_overrides over = {0};
    struct bw_preset *p = bw_preset_load(path, &over, &d);
    remove(path);
    struct bw_registry *r = bw_registry_open(getenv("BILLOW_TEST_PLUGINS"));
    struct bw_run_options o = {.threads = threads, .simd = UINT32_MAX, .on_frame = on_frame, .user = f};
    current = p && r ? bw_chain_create(p, r, &o, &d) : NULL;
    enum bw_status st = current ? bw_chain_run(current, &d) : BW_ERR;
    if (st != BW_OK) fprintf(stderr, "bench: %s\n", d.first ? d.first : "failed");
    bw_chain_free(current);
    bw_registry_close(r);
    bw_preset_free(p);
    bw_diag_free(&d);
    return st == BW_OK;
}

/* In a process of its own: what one run leaves in the heap must not count as the next one's memory. */
static int measure(const char *yaml, uint32_t threads, struct figures *f)
{
    int way[2], status = 1;
    if (pipe(way)) return 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int good = run(yaml, threads, f) && write(way[1], f, sizeof *f) == (ssize_t)sizeof *f;
        _exit(good ? 0 : 1);
    }
    close(way[1]);
    int good = child > 0 && read(way[0], f, sizeof *f) == (ssize_t)sizeof *f;
    close(way[0]);
    if (child > 0) waitpid(child, &status, 0);
    return good && status == 0;
}

static void row(const char *what, const struct figures *f, double prototype)
{
    printf("%-26s %8.4f %8.4f %8.4f %8.4f %8.4f %8.4f %8.4f %4.0f %7.2f %7.1f", what, f->step, f->cpu, f->stage[0], f->stage[1], f->stage[2],
           f->stage[3], f->stage[4], f->iterations, f->cells / 1e6, f->step / f->cells * 1e9);
    if (prototype > 0) printf("  %.3f (%.2fx)\n", prototype, f->step / prototype);
    else printf("\n");
    fflush(stdout);
}

static void full(int nx, int ny, int nz, uint32_t threads, int frames, double prototype)
{
    struct figures f = {.from = 4};
    char what[64], *yaml = preset_text(nx, ny, nz, 4096, frames, 1);
    snprintf(what, sizeof what, "%dx%dx%d, %u thread%s", nx, ny, nz, threads, threads > 1 ? "s" : "");
    if (measure(yaml, threads, &f)) row(what, &f, prototype);
    bw_free(yaml);
}

/* The same plume in a box of n and of 4n cells a side: 64 times the volume. */
static void sparse(int n, int frames)
{
    struct figures f[2] = {{.from = frames - 3}, {.from = frames - 3}};
    for (int big = 0; big < 2; big++) {
        int s = big ? 4 : 1;
        char what[64], *yaml = preset_text(s * n, s * n, s * n, 6, frames, 0);
        snprintf(what, sizeof what, "sparse, box %d^3", s * n);
        if (measure(yaml, 2, &f[big])) row(what, &f[big], 0);
        bw_free(yaml);
    }
    printf("box of 64 times the volume: time ratio %.3f, resident ratio %.3f, %.0f bytes a cell of active tiles\n", f[1].step / f[0].step,
           f[1].resident / f[0].resident, f[1].resident / f[1].cells);
}

int main(int argc, char **argv)
{
    int quick = argc > 1 && !strcmp(argv[1], "--quick");
    printf("%-26s %8s %8s %8s %8s %8s %8s %8s %4s %7s %7s  %s\n", "seconds a step (minimum)", "step", "cpu", "emit", "collide", "advect", "forces",
           "project", "its", "Mcells", "ns/cell", "prototype");
    full(64, 64, 64, 2, 12, 0);
    full(128, 128, 128, 2, 10, .0625);
    if (!quick) {
        full(128, 128, 128, 1, 8, 0);
        full(128, 128, 256, 2, 8, .125);
        full(256, 256, 256, 2, 7, .7);
    }
    sparse(quick ? 64 : 128, quick ? 16 : 30);
    return 0;
}
