// SPDX-License-Identifier: Apache-2.0
/* guide: large scales approach their goal as exp(-w t) whatever the substeps, fine ones keep their energy, the share in
 * between is that of the filter; a shape's motion, a constant, another domain, and a coarse bake that a fine one
 * follows. */
#include "physics/pushed.h"
#include "grid/grid.h"
#include <string.h>
#include <unistd.h>

#define BOX                                                                                                            \
    "billow: 1\nname: g\ntime: {fps: 20, frames: 1001-%d, substeps: %d}\n"                                             \
    "domain: {cells: [192, 12, 20], voxel: 2.5 cm, center: [0.3, 0],\n"                                                \
    "         sides: {top: periodic, bottom: periodic, rest: closed}}\n"

/* Amplitude of cos(2πx/λ) in the middle half of w, along x. */
static double amplitude(const struct test_run *r, double wave)
{
    struct grid g = grid_of(r, "vel", 2);
    double sum = 0, norm = 0;
    const struct bw_domain_info *d = bw_chain_field(r->chain, "vel")->info.domain;
    for (int i = g.n[0] / 4; i < 3 * g.n[0] / 4; i++) {
        double c = cos(2 * PI * (d->origin[0] + (i + .5) * d->h) / wave);
        sum += c * at(&g, i, 6, 10);
        norm += c * c;
    }
    bw_free(g.v);
    return sum / norm;
}

/* w = cos(2πx/λ), pulled towards nothing with 6/s over a quarter of a second. */
static double kept(double wave, double size, int substeps)
{
    struct test_run r =
        run_pushed(BOX "stages:\n  - set: {field: vel, keep: true, value: [\"0\", \"0\", \"cos(2*pi*x/%g)\"]}\n"
                       "  - guide: {to: {constant: {velocity: [0, 0, 0]}}, weight: 6 1/s, size: %g}\n" PUSHED,
                   1006, substeps, wave, size);
    double a = amplitude(&r, wave);
    test_end(&r);
    return a;
}

Test(guide, scales_apart)
{
    const double size = .4, all = exp(-6 * .25);
    double large = kept(8 * size, size, 1), large_many = kept(8 * size, size, 5), twice = kept(2 * size, size, 1),
           half = kept(size / 2, size, 1), fine = kept(size / 4, size, 1), everything = kept(size / 4, 0, 1);
    double rate = log(large) / log(all), rate_twice = log(twice) / log(all);
    printf("rate of 8·size over the weight: %.4f (5 substeps %.4f), of 2·size %.3f; energy kept at size/2 %.4f, at "
           "size/4 %.5f; size 0: %.6f\n",
           rate, log(large_many) / log(all), rate_twice, half * half, fine * fine, everything / all);
    cr_assert_float_eq(rate, 1, .01);
    cr_assert_float_eq(large, large_many, 2e-3);
    cr_assert_float_eq(rate_twice, .9, .02);
    cr_assert_gt(half * half, .94);
    cr_assert_gt(fine * fine, .998);
    cr_assert_float_eq(everything, all, 1e-5);
}

/* Round a periodic side there is no border: the share of the filter, 0.99 of the weight at 4·size, holds on the seam as
 * in the middle, along each axis and where steps of the widest lattice do not divide the period. The wave slopes
 * there. */
Test(guide, periodic_sides)
{
    static const int cells[] = {64, 72, 62}, swap[][3] = {{0, 1, 2}, {1, 0, 2}, {2, 1, 0}};
    for (int k = 0; k < 3; k++) {
        const int n = cells[k], *axis = swap[k];
        int size[3];
        for (int a = 0; a < 3; a++) size[a] = axis[a] ? 8 : n;
        struct test_run r = run_pushed(
            "billow: 1\nname: g\ntime: {fps: 20, frames: 1-6, substeps: 1}\n"
            "domain: {cells: [%d, %d, %d], voxel: 5 cm, origin: [0, 0, 0], sides: {left: periodic, right: periodic, "
            "front: periodic, back: periodic, bottom: periodic, top: periodic}}\nstages:\n"
            "  - set: {field: vel, keep: true, value: [\"0\", \"0\", \"cos(2*pi*(%c/%g+1/8))\"]}\n"
            "  - guide: {to: {constant: {velocity: [0, 0, 0]}}, weight: 6 1/s, size: %g}\n" PUSHED,
            size[0], size[1], size[2], "xyz"[k], n * .05, n * .05 / 4);
        struct grid w = grid_of(&r, "vel", 2);
        const int step = k == 0 ? 1 : k == 1 ? w.n[0] : w.n[0] * w.n[1];
        const double shift = k == 2 ? 0 : .5; // of the component's own faces
        double most = 0, least = 9;
        for (int i = 0; i < n; i++) {
            const double wave = cos(2 * PI * ((i + shift) / n + .125)), value = w.v[i * step];
            if (fabs(wave) < .3) continue;
            const double rate = log(value / wave) / -1.5;
            most = fmax(most, rate), least = fmin(least, rate);
        }
        printf("%d cells along %c: %.4f to %.4f of the weight\n", n, "xyz"[k], least, most);
        cr_assert(least > .975 && most < .999 && most - least < .015, "%g to %g", least, most);
        bw_free(w.v);
        test_end(&r);
    }
}

/* The goal is reached, and held where the flow would leave it. */
Test(guide, a_shapes_motion)
{
    struct test_run r = run_pushed(
        BOX "stages:\n  - set: {field: vel, keep: true, value: [\"0\", \"0\", \"0\"]}\n"
            "  - guide: {to: {motion: {}}, weight: 1000, shape: {box: {center: [\"=0.3 + 0.4*t\", 0, 0.25], size: "
            "[1, 2, 2]}}}\n" PUSHED,
        1003, 2);
    struct grid u = grid_of(&r, "vel", 0);
    cr_assert_float_eq(at(&u, 96, 6, 10), .4, 1e-3, "%g", at(&u, 96, 6, 10));
    cr_assert_float_eq(at(&u, 10, 6, 10), 0, 1e-6, "%g", at(&u, 10, 6, 10));
    bw_free(u.v);
    test_end(&r);
}

static double correlation(const struct grid *a, const struct grid *b)
{
    double ab = 0, aa = 0, bb = 0, ma = grid_sum(a) / (double)grid_count(a), mb = grid_sum(b) / (double)grid_count(b);
    cr_assert_eq(grid_count(a), grid_count(b));
    for (size_t i = 0; i < grid_count(a); i++) {
        ab += (a->v[i] - ma) * (b->v[i] - mb);
        aa += (a->v[i] - ma) * (a->v[i] - ma);
        bb += (b->v[i] - mb) * (b->v[i] - mb);
    }
    return ab / sqrt(aa * bb);
}

/* Smoke of a 2D plume averaged over 8×8 cells (fine: 16×16): the large shape alone. */
static struct grid smoke_of(const struct test_run *r, int block)
{
    struct grid f = grid_of(r, "density", 0), g = {NULL, {f.n[0] / block, 1, f.n[2] / block}};
    g.v = bw_calloc(grid_count(&g) * sizeof *g.v);
    for (int k = 0; k < g.n[2] * block; k++)
        for (int i = 0; i < g.n[0] * block; i++)
            g.v[i / block + g.n[0] * (k / block)] += at(&f, i, 0, k) / (block * block);
    bw_free(f.v);
    return g;
}

#define PLUME                                                                                                          \
    "billow: 1\nname: p\ntime: {fps: 24, frames: 1-36, cfl: 3}\n"                                                      \
    "domain: {cells: [%d, 1, %d], voxel: %s, sides: {bottom: closed, rest: open}}\n"                                   \
    "stages:\n  - emit: {density: 1, temperature: %d K, shape: {sphere: {center: [%g, 0, 0.15], radius: 10 cm}}}\n"    \
    "  - force: {kind: {wind: {velocity: [%g, 0, 0], rate: 1 1/s}}}\n  - mac.advect: {}\n  - mac.forces: {}\n"         \
    "%s  - mac.project: {}\n%s"

/* A coarse bake blown to the right; a fine one that by itself would rise straight follows it. */
Test(guide, a_fine_bake_follows_a_coarse_one)
{
    char folder[] = "/tmp/billow-guide-XXXXXX", guide[256], command[64];
    cr_assert_not_null(mkdtemp(folder));
    struct test_options o = {.simd = UINT32_MAX, .out = folder};
    struct test_run coarse = run_with(&o, PLUME, 48, 72, "2.5 cm", 80, 0., .8, "",
                                      "export:\n  - vdb: {velocity_pad: 16, precision: float}\n");
    struct grid want = smoke_of(&coarse, 4);
    double c[2] = {0};
    snprintf(guide, sizeof guide, "  - guide: {to: {vdb: {file: %s/vdb/p_####.vdb}}, weight: 20 1/s, size: 15 cm}\n",
             folder);
    for (int i = test_short() ? 1 : 0; i < 2; i++) {
        struct test_run fine = run(PLUME, 96, 144, "1.25 cm", 80, 0., 0., i ? guide : "", "");
        struct grid got = smoke_of(&fine, 8);
        c[i] = correlation(&want, &got);
        bw_free(got.v);
        test_end(&fine);
    }
    printf("correlation of the smoke with the coarse bake's: %.3f free, %.3f guided\n", c[0], c[1]);
    cr_assert_gt(c[1], .85);
    cr_assert(test_short() || c[1] > c[0] + .2, "%g guided, %g free", c[1], c[0]);
    bw_free(want.v);
    test_end(&coarse);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    cr_assert_eq(system(command), 0);
}

/* Another domain with another voxel, two threads or one: its flow is taken over, the same bits. */
Test(guide, another_domain)
{
    uint64_t h[2];
    for (int i = 0; i < 2; i++) {
        struct test_options o = {.simd = UINT32_MAX, .threads = (uint32_t)(i + 1), .module = &pushed_module};
        struct test_run r = run_with(
            &o,
            "billow: 1\nname: g\ntime: {fps: 20, frames: 1-2}\n"
            "domains:\n  near: {cells: [40, 30, 30], voxel: 2.5 cm, sides: {rest: closed}}\n"
            "  far: {cells: [20, 20, 20], voxel: 7 cm}\n"
            "stages:\n  - set: {id: a, domain: near, field: vel, keep: true, value: [\"0\", \"sin(40*x)\", \"0\"]}\n"
            "  - set: {id: b, domain: far, field: vel, keep: true, value: [\"0\", \"0\", \"1 + x\"]}\n"
            "  - guide: {domain: near, from: far, weight: 1e6, size: 0.4}\n"
            "  - pushed: {domain: near}\n");
        struct grid w = {NULL, {0}}, v = {NULL, {0}};
        w.v = test_field(&r, "near.vel", 2, w.n);
        v.v = test_field(&r, "near.vel", 1, v.n);
        cr_assert_float_eq(at(&w, 20, 15, 15), 1.0125, .02, "%g", at(&w, 20, 15, 15));
        double x = .0125; /* λ = 0.157 m, below the size: free */
        cr_assert_float_eq(at(&v, 20, 15, 15), sin(40 * x), .02);
        h[i] = test_hash(&r, "near.vel");
        bw_free(w.v);
        bw_free(v.v);
        test_end(&r);
    }
    cr_assert_eq(h[0], h[1]);
}
