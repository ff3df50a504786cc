// SPDX-License-Identifier: Apache-2.0
/* Velocity of N vortons of a thick ring (or of a random cloud) at their own places: interactions and evaluations a
 * second of each method, with the error against the direct sum at 1000 of them, and the exponent of the growth of cost
 * with N. Prints a table; asserts nothing.
 * 
 * `2/cpu` is what two undisturbed cores would do. Usage: bench_vorton [largest N] [kernel] [g|v] [cloud]. */
#include "support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SAMPLES = 1000 };

/* What a run measured; the stage below fills it. */
static struct result {
    double seconds, cpu, velocity[SAMPLES][3], gradient[SAMPLES][9];
    int64_t count;
    int want_gradient;
} result;

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static enum bw_status probe_step(struct bw_stage *s)
{
    const struct bw_particles_api *p = s->host->extension(BW_PARTICLES_API);
    const bw_vec3 *pos = p->attribute(s->ports[0].particles, "pos");
    const void *table = NULL;
    struct bw_stage *from = s->host->find_stage(s, BW_VELOCITY, 0, &table);
    const struct bw_velocity_api *api = table;
    size_t n = (size_t)p->count(s->ports[0].particles);
    double *u = s->host->scratch(s, 24 * n), *g = s->host->scratch(s, 72 * n);
    result.seconds = result.cpu = HUGE_VAL;
    result.count = (int64_t)n;
    for (int i = 0; i < 3 && !(result.cpu < HUGE_VAL && result.cpu > 1); i++) {
        memset(u, 0, 24 * n);
        memset(g, 0, 72 * n);
        double t = now(CLOCK_MONOTONIC), c = now(CLOCK_PROCESS_CPUTIME_ID);
        enum bw_status st = api->evaluate(from, n, pos, u, result.want_gradient ? g : NULL);
        if (st) return st;
        t = now(CLOCK_MONOTONIC) - t;
        c = now(CLOCK_PROCESS_CPUTIME_ID) - c;
        if (t < result.seconds) result.seconds = t;
        if (c < result.cpu) result.cpu = c;
    }
    for (size_t i = 0; i < SAMPLES && i < n; i++) {
        size_t k = i * (n - 1) / (SAMPLES - 1);
        memcpy(result.velocity[i], u + 3 * k, sizeof result.velocity[i]);
        memcpy(result.gradient[i], g + 9 * k, sizeof result.gradient[i]);
    }
    return BW_OK;
}

static const struct bw_attribute attributes[] = {{"pos", BW_F64P, 3, "m"}};
static const struct bw_port ports[] = {
    {.name = "vortons", .kind = BW_PARTICLES, .access = BW_READ, .attributes = attributes, .n_attributes = 1}};
static const struct bw_stage_desc stage = {
    .id = "probe.vortons", .version = "1", .brief = "Times one evaluation.", BW_PORTS(ports), .step = probe_step};
static const struct bw_stage_desc *const stages[] = {&stage};
static const struct bw_module module = BW_MODULE(stages);

static int cloud; ///< 1: random strengths in a ball; 0: a thick ring

static int run(int64_t n, const char *method, const char *kernel, int gradient, uint32_t threads)
{
    int64_t layers = (int64_t)round(cbrt((double)n / 200));
    char *what = cloud ? bw_printf("cloud: {count: %lld, radius: 1 m, core: %.9g m}", (long long)n,
                                   1.5 * cbrt(4.18879 / (double)n))
                       : bw_printf("ring: {radius: 1 m, core: 15 cm, layers: %lld, segments: %lld}", (long long)layers,
                                   (long long)(n / (1 + 3 * layers * (layers + 1))));
    char *yaml = bw_printf("billow: 1\nname: bench\ndomain: {cells: [16, 16, 16], voxel: 1 m}\n"
                           "time: {fps: 1, frames: 1-2, substeps: 1}\nstages:\n"
                           "  - vorton.emit: {wobble: 5 mm, source: {%s}}\n"
                           "  - vorton.velocity: {method: %s, kernel: %s}\n  - probe.vortons: {}\n",
                           what, method, kernel);
    bw_free(what);
    struct test_options o = {.threads = threads, .simd = UINT32_MAX, .module = &module};
    result.want_gradient = gradient;
    struct test_run r = test_start(yaml, &o);
    if (r.status) fprintf(stderr, "%s\n", r.diag.text ? r.diag.text : "failed");
    int good = r.status == BW_OK;
    test_end(&r);
    bw_free(yaml);
    return good;
}

static double rms(const double *a, const double *b, size_t n)
{
    double wrong = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        wrong += (a[i] - b[i]) * (a[i] - b[i]);
        all += b[i] * b[i];
    }
    return sqrt(wrong / all);
}

static void row(int64_t n, const char *method, const char *kernel, int gradient, const struct result *direct,
                double *last)
{
    if (!run(n, method, kernel, gradient, 2)) return;
    size_t k = result.count < SAMPLES ? (size_t)result.count : SAMPLES;
    double pairs = (double)result.count * (double)result.count;
    printf("%8lld %-7s %9.5f %9.5f %10.3g %10.3g", (long long)result.count, method, result.seconds, result.cpu,
           pairs / result.seconds, 2 * pairs / result.cpu);
    if (direct) printf(" %10.2e", rms(result.velocity[0], direct->velocity[0], 3 * k));
    else printf(" %10s", "-");
    if (direct && gradient) printf(" %10.2e", rms(result.gradient[0], direct->gradient[0], 9 * k));
    if (*last > 0) printf("   N^%.2f", log(result.cpu / *last) / log(10));
    printf("\n");
    fflush(stdout);
    *last = result.cpu;
}

int main(int argc, char **argv)
{
    int64_t most = argc > 1 ? atoll(argv[1]) : 1000000;
    const char *kernel = argc > 2 ? argv[2] : "gaussian";
    int gradient = argc > 3 && *argv[3] == 'g';
    double last[4] = {0};
    cloud = argc > 4;
    printf("%8s %-7s %9s %9s %10s %10s %10s%s\n", "vortons", "method", "seconds", "cpu", "pairs/s", "2/cpu", "error",
           gradient ? "   gradient" : "");
    for (int64_t n = 1000; n <= most; n *= 10) {
        struct result direct, *against = NULL;
        if (n <= 100000) {
            row(n, "direct", kernel, gradient, NULL, &last[0]);
            direct = result;
            against = &direct;
        }
        row(n, "fast", kernel, gradient, against, &last[1]);
        row(n, "mesh", kernel, gradient, against, &last[3]);
        row(n, "influence_tree", kernel, gradient, against, &last[2]);
    }
    return 0;
}
