// SPDX-License-Identifier: Apache-2.0
/* dissipate: exact decay for any number of substeps, thin smoke that goes faster, what vanishes, tiles that sleep. */
#include "physics/wide.h"

/* Values 0 … 4 along x, of both signs, after one second; `wide`: in double. */
static struct grid fade(int wide, const char *how, int substeps)
{
    struct test_options o = {.simd = UINT32_MAX, .module = &wide_module};
    struct test_run r =
        run_with(&o,
                 "billow: 1\n"
                 "domain: {cells: [64, 1, 64], voxel: 1, origin: [0, 0, 0]}\n"
                 "time: {fps: 1, frames: 1-2, substeps: %d}\n"
                 "stages:\n"
                 "  - %s\n"
                 "  - dissipate: {%s}\n",
                 substeps,
                 wide ? "wide: {shape: ramp}" : "set: {field: fine, keep: true, value: \"x/16*(z>32 ? 1 : -1)\"}", how);
    struct grid g = grid_of(&r, "fine", 0);
    test_end(&r);
    return g;
}

static void fade_check(const struct grid *g, double (*want)(double), double tolerance, const char *what)
{
    for (int k = 0; k < 64; k += 63)
        for (int i = 0; i < 64; i++) {
            double d = want((i + .5) / 16), q = at(g, i, 0, k) * (k ? 1 : -1);
            cr_assert_float_eq(q, d, tolerance, "%s: of %g %.9g is left, not %.9g", what, (i + .5) / 16, q, d);
        }
}

static double plain(double q) { return q * exp(-.7); }
static double straight(double q) { return fmax(q - .5, 0); }
static double both(double q) { return fmax((q + .5 / .7) * exp(-.7) - .5 / .7, 0); }
static double gone(double q) { return plain(q) < .3 ? 0 : plain(q); }
/* Rate 0.7 down to 1, from there 2.1. */
static double thin(double q)
{
    double t = q > 1 ? log(q) / .7 : 0;
    return t > 1 ? plain(q) : fmin(q, 1) * exp(-2.1 * (1 - t));
}

Test(dissipate, exact_for_any_substeps)
{
    static const struct {
        const char *how;
        double (*want)(double);
    } cases[] = {{"fine: 0.7 1/s", plain},
                 {"fine: 0, linear: 0.5 1/s", straight},
                 {"fine: 0.7 1/s, linear: 0.5 1/s", both},
                 {"fine: 0.7 1/s, vanish: 0.3", gone},
                 {"fine: 0.7 1/s, thin: 1, faster: 3", thin}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int substeps = 1; substeps <= 5; substeps += substeps) {
            struct grid wide = fade(1, cases[i].how, substeps), single = fade(0, cases[i].how, substeps);
            fade_check(&wide, cases[i].want, 1e-14, cases[i].how);
            fade_check(&single, cases[i].want, 1e-6, cases[i].how);
            bw_free(wide.v);
            bw_free(single.v);
        }
}

/* A vector keeps its direction while its length falls; another field falls by a rate of its own, to its background. */
static struct test_run vector_run(uint32_t threads)
{
    struct test_options o = {.threads = threads, .simd = UINT32_MAX};
    return run_with(&o, "billow: 1\n"
                        "domain: {cells: [40, 20, 20], voxel: 1, origin: [0, 0, 0]}\n"
                        "time: {fps: 1, frames: 1-2, substeps: 3}\n"
                        "fields: {dye: {kind: vector}, air: {kind: scalar, background: 0.23}}\n"
                        "stages:\n"
                        "  - set: {id: a, field: dye, keep: true, value: [\"x\", \"2*x\", \"-2*x\"]}\n"
                        "  - set: {id: b, field: air, keep: true, value: \"0.01*x\"}\n"
                        "  - dissipate: {dye: 0.2 1/s, air: 2 1/s, linear: 0.01}\n");
}

Test(dissipate, vectors_and_backgrounds)
{
    struct test_run r = vector_run(2);
    struct grid x = grid_of(&r, "dye", 0), y = grid_of(&r, "dye", 1), z = grid_of(&r, "dye", 2);
    struct grid air = grid_of(&r, "air", 0);
    for (int i = 0; i < 40; i++) {
        double d = 3 * (i + .5), left = fmax((d + .05) * exp(-.2) - .05, 0) / 3, off = .01 * (i + .5) - .23;
        cr_assert_float_eq(at(&x, i, 9, 9), left, 1e-5);
        cr_assert_float_eq(at(&y, i, 9, 9), 2 * left, 1e-5);
        cr_assert_float_eq(at(&z, i, 9, 9), -2 * left, 1e-5);
        double fallen = fmax((fabs(off) + .005) * exp(-2) - .005, 0);
        cr_assert_float_eq(at(&air, i, 9, 9), .23 + (off < 0 ? -fallen : fallen), 1e-7);
    }
    struct test_run one = vector_run(1);
    cr_assert_eq(test_hash(&one, "dye"), test_hash(&r, "dye"));
    cr_assert_eq(test_hash(&one, "air"), test_hash(&r, "air"));
    bw_free(x.v);
    bw_free(y.v);
    bw_free(z.v);
    bw_free(air.v);
    test_end(&one);
    test_end(&r);
}

/* Smoke that is gone gives its tiles back. */
static int64_t tiles_after(const char *stage)
{
    struct test_run r = run("billow: 1\n"
                            "domain: {cells: [96, 96, 96], voxel: 1, origin: [0, 0, 0], margin: 1}\n"
                            "time: {fps: 1, frames: 1-13, substeps: 1}\n"
                            "stages:\n"
                            "  - set: {field: density, value: \"x<20 ? 1 : 0.05\", box: {lo: [0, 0, 0], hi: [90, 20, "
                            "20]}}\n"
                            "%s",
                            stage);
    int64_t n = (int64_t)bw_chain_tiles(r.chain);
    test_end(&r);
    return n;
}

Test(dissipate, thin_smoke_sleeps)
{
    int64_t all = tiles_after(""), some = tiles_after("  - dissipate: {density: 0.01 1/s, vanish: 0.06}\n");
    int64_t none = tiles_after("  - dissipate: {density: 2 1/s, vanish: 0.01}\n");
    cr_assert_geq(all, 3 * some, "%lld tiles, then %lld", (long long)all, (long long)some);
    cr_assert_gt(some, 0);
    cr_assert_eq(none, 0, "%lld tiles of nothing", (long long)none);
}

static void refuse(const char *stage, const char *sentence)
{
    run_refused(sentence,
                "billow: 1\ndomain: {cells: [8, 8, 8], voxel: 1}\ntime: {fps: 1, frames: 1-2}\nstages:\n"
                "  - set: {field: density, keep: true, value: 1}\n  - %s\n",
                stage);
}

Test(dissipate, refusals)
{
    refuse("dissipate: {density: -1}", "must be between 0 and");
    refuse("dissipate: {density: [1, 2, 3]}", "one number, not three");
    refuse("dissipate: {smoke: 1}", "no stage makes it");
    refuse("dissipate: {density: 1, faster: -1}", "faster");
}
