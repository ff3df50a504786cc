// SPDX-License-Identifier: Apache-2.0
/* Several domains in a preset: what `transfer` takes over, where, and which tiles that wakes; wiring mistakes. */
#include "support.h"
#include <common/openvdb/bwvdb.h>
#include "grid/grid.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "billow: 1\nname: d\ntime: {fps: 30, frames: 1001-%d, substeps: %d}\n"
/* The fine cells are no whole part of the coarse ones, and the fine box begins anywhere. */
#define TWO                                                                                                            \
    "domains:\n  coarse: {cells: [24, 22, 26], voxel: 10 cm, floor: 0.3}\n"                                            \
    "  fine: {cells: [33, 30, 35], voxel: 3.3 cm, center: [0.07, -0.11], floor: 1.01}\n"
#define LINEAR(domain)                                                                                                 \
    "  - set: {id: q_" domain ", domain: " domain ", field: q, keep: true, value: \"2*x - 3*y + 0.5*z + 1\"}\n"        \
    "  - set: {id: u_" domain ", domain: " domain                                                                      \
    ", field: vel, keep: true, value: [\"x + 2*z\", \"y - x\", \"3*z + y\"]}\n"
#define ZERO(domain)                                                                                                   \
    "  - set: {id: q_" domain ", domain: " domain ", field: q, keep: true, value: \"-7\"}\n"                           \
    "  - set: {id: u_" domain ", domain: " domain ", field: vel, keep: true, value: [\"-7\", \"-7\", \"-7\"]}\n"

__attribute__((format(printf, 2, 3))) static struct test_run run(uint32_t threads, const char *format, ...)
{
    static char text[8192];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    struct test_options o = {.simd = UINT32_MAX, .threads = threads};
    return test_start(text, &o);
}

static double linear(const char *field, uint32_t c, const double x[3])
{
    if (!strcmp(field, "q")) return 2 * x[0] - 3 * x[1] + .5 * x[2] + 1;
    return c == 0 ? x[0] + 2 * x[2] : c == 1 ? x[1] - x[0] : 3 * x[2] + x[1];
}

/* Largest error of the linear field over values whose cell (or face) lies `margin` m inside the box lo … hi; their
 * number in *count, and in *kept how many elsewhere still hold -7. */
static double linear_error(const struct test_run *r, const char *domain, const char *field, uint32_t c,
                           const double lo[3], const double hi[3], double margin, int *count, int *kept)
{
    char name[32];
    int32_t n[3];
    snprintf(name, sizeof name, "%s.%s", domain, field);
    double *v = test_field(r, name, c, n), worst = 0;
    cr_assert_not_null(v, "no field %s", name);
    const struct bw_domain_info *d = bw_chain_field(r->chain, name)->info.domain;
    int face = !strcmp(field, "vel");
    *count = *kept = 0;
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) {
                const int at[3] = {i, j, k};
                double x[3], value = v[i + n[0] * (j + n[1] * k)];
                int inside = 1, ruled = 0;
                for (int a = 0; a < 3; a++) {
                    x[a] = d->origin[a] + (at[a] + (face && (int)c == a ? 0 : .5)) * d->h;
                    inside &= x[a] > lo[a] + margin && x[a] < hi[a] - margin;
                    ruled |= face && (int)c == a && (at[a] == 0 || at[a] == d->n[a]); /* faces on the box's sides */
                }
                if (ruled) continue;
                if (inside) worst = fmax(worst, fabs(value - linear(field, c, x)));
                *(inside ? count : kept) += inside || fabs(value + 7) < 1e-6;
            }
    bw_free(v);
    return worst;
}

static void box_of(const struct test_run *r, const char *field, double lo[3], double hi[3])
{
    const struct bw_domain_info *d = bw_chain_field(r->chain, field)->info.domain;
    for (int a = 0; a < 3; a++) lo[a] = d->origin[a], hi[a] = lo[a] + d->n[a] * d->h;
}

Test(domains, coarse_to_fine_is_exact_for_linear_fields)
{
    for (uint32_t c = 0; c < 4; c++) {
        struct test_run r = run(2,
                                HEAD TWO "fields: {q: {precision: f64}}\nstages:\n" LINEAR("coarse")
                                    ZERO("fine") "  - transfer: {domain: fine, from: coarse, fields: [q, vel]}\n",
                                1001, 1);
        cr_assert_eq(r.status, BW_OK, "%s", r.diag.text);
        double lo[3], hi[3];
        int count, kept;
        box_of(&r, "fine.q", lo, hi);
        double worst = linear_error(&r, "fine", c ? "vel" : "q", c ? c - 1 : 0, lo, hi, 0, &count, &kept);
        printf("coarse to fine, %s%u: %.2g off in %d values\n", c ? "vel" : "q", c, worst, count);
        cr_assert_gt(count, 30000);
        cr_assert_lt(worst, c ? 2e-6 : 1e-12);
        test_end(&r);
    }
}

/* Averages of a linear field are its values; inside the fine box, `blend` of its cells away from its sides. */
Test(domains, fine_to_coarse_is_exact_for_linear_fields)
{
    for (uint32_t c = 0; c < 4; c++) {
        struct test_run r =
            run(2,
                HEAD TWO "fields: {q: {precision: f64}}\nstages:\n" ZERO("coarse")
                    LINEAR("fine") "  - transfer: {domain: coarse, from: fine, fields: [q, vel], blend: 2}\n",
                1001, 1);
        cr_assert_eq(r.status, BW_OK, "%s", r.diag.text);
        double lo[3], hi[3];
        int count, kept;
        box_of(&r, "fine.q", lo, hi);
        double worst =
            linear_error(&r, "coarse", c ? "vel" : "q", c ? c - 1 : 0, lo, hi, 2.01 * .033 + .05, &count, &kept);
        printf("fine to coarse, %s%u: %.2g off in %d values, %d as before\n", c ? "vel" : "q", c, worst, count, kept);
        cr_assert_gt(count, 250);
        cr_assert_gt(kept, 10000);
        cr_assert_lt(worst, c ? 2e-6 : 1e-12);
        test_end(&r);
    }
}

/* The rim is filled, the inside is left alone; a side that both boxes share is no border. */
Test(domains, the_rim_alone)
{
    struct test_run r =
        run(2,
            HEAD "domains:\n  coarse: {cells: [20, 20, 20], voxel: 10 cm}\n  fine: {cells: [24, 24, 24], voxel: 5 cm}\n"
                 "stages:\n  - set: {domain: coarse, field: q, keep: true, value: \"1\"}\n"
                 "  - set: {id: z, domain: fine, field: q, keep: true, value: \"0\"}\n"
                 "  - transfer: {domain: fine, from: coarse, fields: [q], region: rim, blend: 4}\n",
            1031, 4);
    cr_assert_eq(r.status, BW_OK, "%s", r.diag.text);
    int32_t n[3];
    double *v = test_field(&r, "fine.q", 0, n);
#define AT(i, j, k) v[(i) + 24 * ((j) + 24 * (k))]
    cr_assert_float_eq(AT(12, 12, 0), 0, 1e-9, "the shared floor is no border: %g", AT(12, 12, 0));
    cr_assert_float_eq(AT(12, 12, 12), 0, 1e-9);
    cr_assert_float_eq(AT(4, 12, 12), 0, 1e-9);
    cr_assert_gt(AT(0, 12, 12), 0.999);
    cr_assert_gt(AT(12, 23, 12), 0.999);
    cr_assert_gt(AT(12, 12, 23), 0.999);
    /* 30 frames of 1/30 s at weight 1 - 2.5/4, half the way in 1/24 s */
    cr_assert_float_eq(AT(2, 12, 12), 1 - pow(2.5 / 4, 24), 1e-5, "%g", AT(2, 12, 12));
    bw_free(v);
    test_end(&r);
}

/* One substep or seven: the same in the rim. */
Test(domains, amounts_do_not_depend_on_substeps)
{
    double got[2][2];
    for (int i = 0; i < 2; i++) {
        struct test_run r =
            run(2,
                HEAD TWO "stages:\n  - set: {domain: coarse, field: q, keep: true, value: \"1\"}\n"
                         "  - set: {id: z, domain: fine, field: q, keep: true, value: \"0\"}\n"
                         "  - set: {id: y, domain: fine, field: p, keep: true, value: \"0\"}\n"
                         "  - set: {id: w, domain: coarse, field: p, keep: true, value: \"1\"}\n"
                         "  - transfer: {domain: fine, from: coarse, fields: [q], region: rim, blend: 6}\n"
                         "  - transfer: {id: add, domain: fine, from: coarse, fields: [p], mode: add}\n",
                1004, i ? 7 : 1);
        cr_assert_eq(r.status, BW_OK, "%s", r.diag.text);
        int32_t n[3];
        double *v = test_field(&r, "fine.q", 0, n), *w = test_field(&r, "fine.p", 0, n);
        got[i][0] = v[2 + n[0] * (15 + n[1] * 15)];
        got[i][1] = w[15 + n[0] * (15 + n[1] * 15)];
        bw_free(v);
        bw_free(w);
        test_end(&r);
    }
    cr_assert(got[0][0] > .1 && got[0][0] < .95);
    cr_assert_float_eq(got[0][0], got[1][0], 1e-6, "%g, %g", got[0][0], got[1][0]);
    cr_assert_float_eq(got[0][1], .1, 1e-6, "1 per second over 3 frames of 1/30 s: %g", got[0][1]);
    cr_assert_float_eq(got[1][1], .1, 1e-6);
}

static int64_t tiles_of(const struct test_run *r, const char *field)
{
    return bw_chain_field(r->chain, field)->src.topo->pub.count;
}

/* A ball of smoke in the fine domain wakes the coarse tiles under it, and no more; smoke that the fine box does not
 * touch wakes nothing there. */
Test(domains, activity_follows)
{
    static const char *const ball =
        "  - emit: {domain: %s, density: 1, shape: {sphere: {center: [%g, 0, 3], radius: 30 cm}}}\n";
    char emit[256];
    double mass[2];
    snprintf(emit, sizeof emit, ball, "fine", 0.);
    struct test_run r = run(2,
                            HEAD "domains:\n  coarse: {cells: [80, 80, 80], voxel: 10 cm}\n"
                                 "  fine: {cells: [64, 64, 64], voxel: 2.5 cm, floor: 2.2}\n"
                                 "stages:\n%s  - transfer: {domain: coarse, from: fine, fields: [density]}\n",
                            1003, 1, emit);
    cr_assert_eq(r.status, BW_OK, "%s", r.diag.text);
    for (int i = 0; i < 2; i++) {
        int32_t n[3];
        double *v = test_field(&r, i ? "fine.density" : "coarse.density", 0, n);
        mass[i] = 0;
        for (int q = 0; q < n[0] * n[1] * n[2]; q++) mass[i] += v[q] * (i ? 1.5625e-5 : 1e-3);
        bw_free(v);
    }
    printf("smoke: %.6f coarse, %.6f fine; %d tiles of 125 coarse, %d of 64 fine\n", mass[0], mass[1],
           (int)tiles_of(&r, "coarse.density"), (int)tiles_of(&r, "fine.density"));
    cr_assert_gt(mass[1], .1);
    cr_assert_float_eq(mass[0], mass[1], 5e-4 * mass[1]);
    cr_assert(tiles_of(&r, "coarse.density") > 0 && tiles_of(&r, "coarse.density") <= 27);
    test_end(&r);
    for (int inside = 0; inside < 2; inside++) {
        snprintf(emit, sizeof emit, ball, "coarse", inside ? .8 : 2.5); /* on the rim, or far away */
        r = run(2,
                HEAD "domains:\n  coarse: {cells: [80, 80, 80], voxel: 10 cm}\n"
                     "  fine: {cells: [64, 64, 64], voxel: 2.5 cm, floor: 2.2}\n"
                     "stages:\n%s  - transfer: {domain: fine, from: coarse, fields: [density], region: rim}\n",
                1003, 1, emit);
        cr_assert_eq(r.status, BW_OK, "%s", r.diag.text);
        int64_t woke = tiles_of(&r, "fine.density");
        if (inside) cr_assert(woke > 0 && woke <= 32, "%d tiles", (int)woke);
        else cr_assert_eq(woke, 0, "%d tiles woke", (int)woke);
        test_end(&r);
    }
}

/* Up and back again by `large`: nothing has changed meanwhile, so nothing does, and the detail is all there. A change
 * of the coarse flow comes back as it is, where it is linear. */
Test(domains, large_scales_come_back_alone)
{
    double worst[2] = {0, 0};
    for (int change = 0; change < 2; change++) {
        struct test_run r = run(
            2,
            HEAD TWO "stages:\n  - set: {id: a, domain: coarse, field: vel, keep: true, value: [\"0\", \"0\", \"0\"]}\n"
                     "  - set: {id: b, domain: fine, field: vel, keep: true, value: [\"sin(60*x)*cos(50*z)\", "
                     "\"sin(20*z)\", \"cos(9*x)\"]}\n"
                     "  - transfer: {id: up, domain: coarse, from: fine, fields: [vel], blend: 0}\n"
                     "  - set: {id: c, domain: coarse, field: vel, mode: add, value: [\"%d*(x+2*z)\", \"0\", \"0\"]}\n"
                     "  - transfer: {id: back, domain: fine, from: coarse, fields: [vel], mode: large}\n",
            1001, 1, change);
        cr_assert_eq(r.status, BW_OK, "%s", r.diag.text);
        int32_t n[3];
        double *v = test_field(&r, "fine.vel", 0, n);
        const struct bw_domain_info *d = bw_chain_field(r.chain, "fine.vel")->info.domain;
        for (int k = 5; k < n[2] - 5; k++)
            for (int j = 5; j < n[1] - 5; j++)
                for (int i = 5; i < n[0] - 5; i++) {
                    double x = d->origin[0] + i * d->h, z = d->origin[2] + (k + .5) * d->h;
                    double want = sin(60 * x) * cos(50 * z) + change * (x + 2 * z);
                    worst[change] = fmax(worst[change], fabs(v[i + n[0] * (j + n[1] * k)] - want));
                }
        bw_free(v);
        test_end(&r);
    }
    printf("large scales there and back: off by %.2g; with a linear change %.2g\n", worst[0], worst[1]);
    cr_assert_lt(worst[0], 1e-6);
    cr_assert_lt(worst[1], 3e-6);
}

/* Where fine places lie on coarse ones, and those at the fine box's sides are unknown, rounding must not choose who is
 * moved: boxes that begin elsewhere, by whole cells or by the least there is, give the same. */
Test(domains, large_does_not_depend_on_where_a_domain_begins)
{
    static const double begin[][2] = {{0, 0}, {.1, .1}, {.7, .7}, {-12.3, -12.3}, {0, 1.5e-16}, {1.1, 1.1 - 2.3e-16}};
    double *first[3] = {NULL, NULL, NULL};
    for (size_t q = 0; q < BW_COUNT(begin); q++) {
        const double o = begin[q][0], f = begin[q][1] + .4;
        struct test_run r =
            run(1,
                HEAD "domains:\n  coarse: {cells: [40, 40, 40], voxel: 10 cm, origin: [%.17g, %.17g, %.17g]}\n"
                     "  fine: {cells: [40, 42, 44], voxel: 5 cm, origin: [%.17g, %.17g, %.17g]}\n"
                     "stages:\n  - set: {id: a, domain: fine, field: vel, keep: true, value: [\"0\", \"0\", \"0\"]}\n"
                     "  - set: {id: b, domain: coarse, field: vel, keep: true, value: [\"1\", \"2\", \"3\"]}\n"
                     "  - transfer: {domain: fine, from: coarse, fields: [vel], mode: large}\n",
                1001, 1, o, o, o, f, f, f);
        cr_assert_eq(r.status, BW_OK, "%s", r.diag.text);
        for (uint32_t c = 0; c < 3; c++) {
            int32_t n[3];
            double *v = test_field(&r, "fine.vel", c, n), worst = 0;
            int moved = 0;
            for (int i = 0; i < n[0] * n[1] * n[2]; i++) moved += fabs(v[i]) > .5;
            cr_expect_gt(moved, 30 * 32 * 34);
            for (int i = 0; q && i < n[0] * n[1] * n[2]; i++) worst = fmax(worst, fabs(v[i] - first[c][i]));
            cr_expect_lt(worst, 1e-6, "begun at %g, component %u: off by %g", o, c, worst);
            if (q) bw_free(v);
            else first[c] = v;
        }
        test_end(&r);
    }
    for (int c = 0; c < 3; c++) bw_free(first[c]);
}

/* Two domains that feed each other, with everything else: the same bits on one thread and on two. */
Test(domains, equal_bytes_both_ways)
{
    uint64_t h[2][4];
    static const char *const name[] = {"coarse.density", "coarse.vel", "fine.density", "fine.vel"};
    for (int i = 0; i < 2; i++) {
        struct test_run r = run(
            i ? 2 : 1,
            HEAD TWO
            "stages:\n"
            "  - emit: {domain: fine, density: 1, temperature: 90 K, shape: {sphere: {center: [0.07, -0.1, "
            "1.4], radius: 25 cm}}}\n"
            "  - mac.advect: {id: ca, domain: coarse}\n  - mac.forces: {id: cf, domain: coarse}\n"
            "  - mac.advect: {id: fa, domain: fine}\n  - mac.forces: {id: ff, domain: fine}\n"
            "  - transfer: {id: up, domain: coarse, from: fine, fields: [density, temperature, vel]}\n"
            "  - mac.project: {id: cp, domain: coarse}\n"
            "  - transfer: {id: back, domain: fine, from: coarse, fields: [vel], mode: large}\n"
            "  - transfer: {id: down, domain: fine, from: coarse, fields: [density, temperature, vel], region: rim}\n"
            "  - mac.project: {id: fp, domain: fine}\n",
            1006, 2);
        cr_assert_eq(r.status, BW_OK, "%s", r.diag.text);
        for (int q = 0; q < 4; q++) h[i][q] = test_hash(&r, name[q]);
        test_end(&r);
    }
    for (int q = 0; q < 4; q++) cr_assert_eq(h[0][q], h[1][q], "%s differs", name[q]);
}

/* Both caches, each blended with the other domain, add up to what there is: smoke of density 1 everywhere. What the
 * coarse cells leave out, read between them, is what the fine ones show, up to their own interpolation. */
Test(domains, blended_exports_add_up)
{
    char folder[] = "/tmp/billow-domains-XXXXXX", path[2][128], command[64];
    cr_assert_not_null(mkdtemp(folder));
    static const char text[] = HEAD "domains:\n  coarse: {cells: [24, 24, 24], voxel: 9 cm}\n"
                                    "  fine: {cells: [32, 32, 32], voxel: 3 cm, center: [0.1, 0]}\n"
                                    "stages:\n  - set: {id: a, domain: coarse, field: density, value: \"1\"}\n"
                                    "  - set: {id: b, domain: fine, field: density, value: \"1\"}\n"
                                    "export:\n  - vdb: {domain: coarse, blend: fine, precision: float}\n"
                                    "  - vdb: {id: v, domain: fine, blend: coarse, precision: float}\n";
    char yaml[2048];
    snprintf(yaml, sizeof yaml, text, 1001, 1);
    struct test_options o = {.simd = UINT32_MAX, .out = folder};
    struct test_run r = test_start(yaml, &o);
    cr_assert_eq(r.status, BW_OK, "%s", r.diag.text);
    test_end(&r);
    snprintf(path[0], sizeof path[0], "%s/vdb/d_1001.vdb", folder);
    snprintf(path[1], sizeof path[1], "%s/vdb/d_fine_1001.vdb", folder);
    enum { N = 20000 };
    static double pos[N][3], value[2][N];
    for (int i = 0; i < N; i++)
        for (int a = 0; a < 3; a++)
            pos[i][a] = (a == 2 ? 1.08 : 0) + 1.9 * (bw_rng_unit(3, (uint64_t)(3 * i + a)) - .5);
    for (int f = 0; f < 2; f++) {
        struct bwvdb_file *file;
        struct bwvdb_error e;
        cr_assert_eq(bwvdb_open(path[f], &file, &e), BWVDB_OK, "%s", e.text);
        int32_t g = bwvdb_find(file, "density");
        cr_assert_eq(bwvdb_load(file, g, &e), BWVDB_OK, "%s", e.text);
        cr_assert_eq(bwvdb_sample(file, g, N, (const double(*)[3])pos, value[f], &e), BWVDB_OK);
        bwvdb_close(file);
    }
    double worst = 0;
    int inner = 0, outer = 0;
    for (int i = 0; i < N; i++) {
        worst = fmax(worst, fabs(value[0][i] + value[1][i] - 1));
        inner += value[0][i] == 0;
        outer += value[1][i] == 0;
    }
    printf("blended exports: at most %.3f from 1; %d places in the fine one alone, %d in the coarse one\n", worst,
           inner, outer);
    cr_assert(inner > 40 && outer > 10000);
    cr_assert_lt(worst, .03);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    cr_assert_eq(system(command), 0);
}

static void refused(const char *stages, const char *word)
{
    struct test_run r = run(1, HEAD TWO "fields: {odd: {kind: vector}}\nstages:\n%s", 1001, 1, stages);
    cr_assert_neq(r.status, BW_OK, "accepted: %s", stages);
    cr_assert(r.diag.text && strstr(r.diag.text, word), "\"%s\" is not in: %s", word, r.diag.text ? r.diag.text : "");
    test_end(&r);
}

Test(domains, mistakes_are_named)
{
    refused(LINEAR("coarse") ZERO("fine") "  - transfer: {domain: fine, from: coarce, fields: [q]}\n",
            "there is no domain \"coarce\"; did you mean \"coarse\"");
    refused(LINEAR("fine") "  - transfer: {domain: fine, from: fine, fields: [q]}\n", "reads domain fine into itself");
    refused(LINEAR("coarse") "  - transfer: {domain: fine, from: coarse}\n", "name the `fields`");
    refused(LINEAR("coarse") "  - transfer: {domain: fine, from: coarse, fields: [nothing]}\n",
            "no stage makes it in domain coarse");
    refused(LINEAR("coarse") "  - transfer: {domain: fine, fields: [q]}\n", "from");
    refused("  - emit: {domain: coarse, bend: [1, 2, 3], shape: {sphere: {}}}\n"
            "  - emit: {id: b, domain: fine, bend: 1, shape: {sphere: {}}}\n"
            "  - transfer: {domain: fine, from: coarse, fields: [bend]}\n",
            "\"bend\" is a vector in domain coarse, but a scalar in domain fine");
    refused(LINEAR("coarse") LINEAR("fine") "  - transfer: {domain: coarse, from: fine, fields: [vel], mode: large}\n",
            "from a coarser one");
    refused(LINEAR("fine") "  - guide: {domain: fine}\n", "say what to follow");
    refused(LINEAR("fine") "  - guide: {domain: fine, from: coarse}\n", "domain coarse has no vel to follow");
    refused(LINEAR("fine") "  - guide: {domain: fine, from: fine}\n", "follows itself");
    refused(LINEAR("fine") "  - guide: {domain: fine, to: {motion: {}}}\n", "follows a shape");
    refused(LINEAR("fine") "  - guide: {domain: fine, to: {vdb: {file: /nowhere/a_####.vdb}}}\n",
            "/nowhere/a_####.vdb");
}
