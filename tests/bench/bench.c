// SPDX-License-Identifier: Apache-2.0
#include "bench.h"
#include "limits/flops.h"
#include "grid/grid.h"
#include "base/machine.h"
#include "base/thread/threads.h"
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double clock_read(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_seconds(void) { return clock_read(CLOCK_MONOTONIC); }

/* ---- one run ---- */

struct watch {
    const struct bench_run *run;
    struct bench_figures *out;
    struct bw_chain *chain;
    double cpu_before; /* all threads' seconds: what a step costs when others use the machine too */
    int frames;        /* that count */
};

/// What to say of a figure so far, with one more frame's.
static double with_frame(const struct watch *w, double so_far, double now)
{
    if (isinf(so_far)) return now;
    return w->run->mean ? so_far + (now - so_far) / w->frames : fmin(so_far, now);
}

static void on_frame(const struct bw_progress *p, void *user)
{
    struct watch *w = user;
    struct bench_figures *f = w->out;
    double cpu = clock_read(CLOCK_PROCESS_CPUTIME_ID), spent = cpu - w->cpu_before;
    struct mallinfo2 heap = mallinfo2();
    w->cpu_before = cpu;
    f->cells = (double)p->cells;
    f->resident = (double)p->memory;
    f->pool = (double)bw_pool_bytes();
    f->heap = (double)heap.hblkhd + (double)heap.uordblks;
    if (p->done < w->run->from) return;
    w->frames++;
    f->step = with_frame(w, f->step, p->seconds);
    f->cpu = with_frame(w, f->cpu, spent);
    for (int i = 0; w->run->metric && w->run->metric[i]; i++) {
        double m = bw_chain_metric(w->chain, w->run->metric[i]);
        if (m >= 0) f->metric[i] = with_frame(w, f->metric[i], m);
    }
}

static struct bw_preset *preset_load(const char *yaml, struct bw_diag *d)
{
    char path[] = "/tmp/billow-bench-XXXXXX.yaml";
    int fd = mkstemps(path, 5);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file) return NULL;
    fputs(yaml, file);
    fclose(file);
    struct bw_preset_overrides over = {0};
    struct bw_preset *p = bw_preset_load(path, &over, d);
    remove(path);
    return p;
}

static int run_here(const struct bench_run *run, struct bench_figures *f)
{
    *f = (struct bench_figures){.step = HUGE_VAL, .cpu = HUGE_VAL};
    for (int i = 0; i < BENCH_METRICS; i++) f->metric[i] = HUGE_VAL;
    struct bw_diag d = {0};
    struct bw_preset *p = preset_load(run->yaml, &d);
    struct bw_registry *r = bw_registry_open(getenv("BILLOW_TEST_PLUGINS"));
    struct watch w = {.run = run, .out = f};
    struct bw_run_options o = {.threads = run->threads, .simd = UINT32_MAX, .on_frame = on_frame, .user = &w};
    enum bw_status st = p && r && run->module ? bw_registry_add(r, run->module, "bench", &d) : BW_OK;
    w.chain = p && r && st == BW_OK ? bw_chain_create(p, r, &o, &d) : NULL;
    st = w.chain ? bw_chain_run(w.chain, &d) : BW_ERR;
    if (st != BW_OK) fprintf(stderr, "bench: %s\n", d.first ? d.first : "failed");
    bw_chain_free(w.chain);
    bw_registry_close(r);
    bw_preset_free(p);
    bw_diag_free(&d);
    for (int i = 0; i < BENCH_METRICS; i++) f->metric[i] = isinf(f->metric[i]) ? 0 : f->metric[i];
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    f->peak = (double)use.ru_maxrss * 1024;
    return st == BW_OK;
}

int bench_measure(const struct bench_run *run, struct bench_figures *out)
{
    int way[2], status = 1, good = 0;
    fflush(stdout);
    if (run->yaml && !pipe(way)) {
        pid_t child = fork();
        if (child == 0) _exit(!(run_here(run, out) && write(way[1], out, sizeof *out) == (ssize_t)sizeof *out));
        close(way[1]);
        good = child > 0 && read(way[0], out, sizeof *out) == (ssize_t)sizeof *out;
        close(way[0]);
        if (child > 0) waitpid(child, &status, 0);
    }
    bw_free(run->yaml);
    return good && status == 0;
}

/* ---- the memory's own speed ---- */

enum { TRIAD_VALUES = 1 << 25, TRIAD_PART = 1 << 16, TRIAD_ROUNDS = 7 };

struct triad {
    float *a, *b, *c;
};

static void triad_part(int64_t i, uint32_t worker, void *user)
{
    const struct triad *t = user;
    float *restrict a = t->a + i * TRIAD_PART;
    const float *restrict b = t->b + i * TRIAD_PART, *restrict c = t->c + i * TRIAD_PART;
    (void)worker;
    for (int k = 0; k < TRIAD_PART; k++) a[k] = b[k] + 0.5f * c[k];
}

double bench_triad(uint32_t threads)
{
    const size_t bytes = TRIAD_VALUES * sizeof(float);
    float *m = mmap(NULL, 3 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct bw_workers *w = m == MAP_FAILED ? NULL : bw_workers_create(threads);
    if (!w) return 0;
    madvise(m, 3 * bytes, MADV_HUGEPAGE);
    memset(m, 0, 3 * bytes);
    struct triad t = {m, m + TRIAD_VALUES, m + 2 * TRIAD_VALUES};
    double best = HUGE_VAL;
    for (int r = 0; r < TRIAD_ROUNDS; r++) {
        double began = bench_seconds();
        bw_workers_for(w, TRIAD_VALUES / TRIAD_PART, triad_part, &t);
        best = fmin(best, bench_seconds() - began);
    }
    bw_workers_destroy(w);
    munmap(m, 3 * bytes);
    return 4 * (double)bytes / best;
}

/* ---- the processor's own speed ---- */

double bench_flops(int twice)
{
    static float v[FLOPS_VALUES];
    static double w[FLOPS_VALUES];
    const uint32_t level = bw_simd_best();
    const struct flops_kernels *k = level >= BW_SIMD_AVX512 ? &flops_kernels_avx512
                                    : level >= BW_SIMD_AVX2 ? &flops_kernels_avx2
                                                            : &flops_kernels_baseline;
    double best = HUGE_VAL;
    for (int round = 0; round < 40; round++) {
        const double began = bench_seconds();
        for (int i = 0; i < 100; i++) {
            if (twice) k->twice(w, 0.5, 1);
            else k->single(v, 0.5f, 1);
        }
        best = fmin(best, bench_seconds() - began);
    }
    return 100. * FLOPS_VALUES * 2 * FLOPS_PAIRS / best;
}
