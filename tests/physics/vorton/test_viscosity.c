// SPDX-License-Identifier: Apache-2.0
/* Vortons: viscosity. How fast a core spreads by each method, and which vortons cannot exchange it. */
#include "vortons.h"

/* A long tube whose core spreads: velocity at mid-length against Lamb and Oseen's, 2 %. */
Test(viscosity, lamb_oseen)
{
    struct test_run r =
        run("billow: 1\ndomain: {cells: [48, 48, 16], voxel: 2 cm, origin: [-0.48, -0.48, -0.16], margin: 100}\n"
            "time: {fps: 25, frames: 1-26, substeps: 2}\nstages:\n"
            "  - set: {field: density, value: 1}\n"
            "  - vorton.emit: {source: {tube: {from: [0, 0, -6], to: [0, 0, 6], core: 5 cm, circulation: 1}}}\n"
            "  - vorton.velocity: {}\n  - vorton.advect: {}\n  - vorton.diffuse: {method: core, viscosity: 0.003}\n"
            "  - tracers: {shape: {sphere: {radius: 2 cm}}, count: 10}\n"
            "  - to_grid: {density: none, velocity: vel, detail: 1}\n");
    struct grid v = grid_of(&r, "vel", 1);
    double s2 = .05 * .05 + 2 * .003 * 1.0;
    for (int i = 26; i < 46; i += 3) {
        double x = (i - 24 + .5) * .02, want = 1 / (2 * PI * x) * (1 - exp(-x * x / (2 * s2)));
        double is = at(&v, i, 24, 8); /* on y = 0, at x */
        cr_assert_float_eq(is, want, .02 * want, "x = %.2f: %.4f m/s, not %.4f", x, is, want);
    }
    bw_free(v.v);
    test_end(&r);
}

/// Mean of x² by strength.
static double variance(const struct test_run *r)
{
    int64_t n;
    const double *x = attribute(r, "vortons", "pos", &n), *a = attribute(r, "vortons", "strength", &n);
    double sum = 0, weight = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += a[3 * i + 2] * x[3 * i] * x[3 * i];
        weight += a[3 * i + 2];
    }
    return sum / weight;
}

/* A tube that exchanges its strength, remeshed so often. */
static struct test_run tube_spread(int last, int layers, const char *interval)
{
    return run(HEAD "time: {fps: 25, frames: 1001-%d, substeps: 1}\nstages:\n"
                    "  - vorton.emit: {source: {tube: {from: [0, 0, -0.1], to: [0, 0, 0.1], core: 10 cm, circulation: "
                    "1, layers: %d}}}\n"
                    "  - vorton.remesh: {interval: %s, spacing: 5 cm}\n"
                    "  - vorton.diffuse: {viscosity: 0.005}\n",
               last, layers, interval);
}

/* Exchange among the nodes of a remeshed tube, remeshed in every step and in every fifth: its cross-section's variance
 * is its core's, which four rings of vortons make 2 % too small, and grows by 2νt; its strength stays. */
Test(viscosity, strength_exchange)
{
    static const char *const intervals[] = {"0.04 s", "0.2 s"};
    for (int k = 0; k < (test_short() ? 1 : 2); k++) {
        struct test_run r[2];
        double total[2][3], impulse[3], all, is[2];
        for (int i = 0; i < 2; i++) {
            int64_t n;
            r[i] = tube_spread(i ? 1012 : 1002, 3, intervals[k]);
            sums(&r[i], total[i], impulse, &all);
            const double core = attribute(&r[i], "vortons", "radius", &n)[0];
            is[i] = variance(&r[i]) + core * core;
        }
        const double grown = is[1] - is[0], want = 2 * .005 * .4, first = .01 + 2 * .005 * .04;
        fprintf(stderr, "remeshed every %s: %.4f of the viscosity, at first %.4f of the variance\n", intervals[k],
                grown / want, is[0] / first);
        cr_assert_float_eq(grown, want, .005 * want, "variance grew by %.5f m², not %.5f", grown, want);
        cr_assert_float_eq(is[0], first, .025 * first, "variance of %.5f m², not %.5f", is[0], first);
        cr_assert_float_eq(total[1][2], total[0][2], 1e-12 * all, "Σα from %.15g to %.15g", total[0][2], total[1][2]);
        test_end(&r[0]);
        test_end(&r[1]);
    }
}

/* The same before the interval is over, from the tube as it is emitted on: the first step remeshes. */
Test(viscosity, exchange_from_the_first_step)
{
    struct test_run r[2];
    for (int i = 0; i < 2; i++) {
        r[i] = tube_spread(i ? 1007 : 1002, 2, "1000 s");
        const double carried = metric(&r[i], "vorton.diffuse.carried");
        cr_assert(carried > .7 && carried < 1.1, "%g of the viscosity", carried);
    }
    double grown = variance(&r[1]) - variance(&r[0]), want = 2 * .005 * .2;
    cr_assert_float_eq(grown, want, .02 * want, "variance grew by %.5f m², not %.5f", grown, want);
    test_end(&r[0]);
    test_end(&r[1]);
}

/* Where vortons do not stand side by side exchange cannot spread them: refused, at the stage's line; lines, sheets and
 * single ones. On a lattice, and where a shape or a core is full of vortons, it is taken. */
Test(viscosity, exchange_wants_neighbours)
{
    static const char *const lone[] = {"ring: {radius: 50 cm, core: 10 cm}", "tube: {core: 5 cm}", "sheet: {}",
                                       "cloud: {count: 20, core: 1 cm}"};
    for (int i = 0; i < 4; i++) {
        char stages[200];
        snprintf(stages, sizeof stages, "  - vorton.emit: {source: {%s}}\n  - vorton.diffuse: {}\n", lone[i]);
        refuse(stages, ":6:5: frame 2: vorton.diffuse: these vortons do not stand side by side");
    }
    static const char *const fine[] = {
        "ring: {radius: 50 cm, core: 10 cm}}}\n  - vorton.remesh: {interval: 0.04, spacing: 5 cm}\n",
        "ring: {radius: 50 cm, core: 10 cm, layers: 3}}}\n", "cloud: {core: 8 cm}}}\n"};
    for (int i = 0; i < 3; i++) {
        struct test_run r = run(HEAD "time: {fps: 25, frames: 1-2, substeps: 1}\nstages:\n  - vorton.emit: {source: "
                                     "{%s  - vorton.diffuse: {}\n",
                                fine[i]);
        double carried = metric(&r, "vorton.diffuse.carried");
        fprintf(stderr, "%.25s: %.3f of the viscosity\n", fine[i], carried);
        cr_assert(carried > (i ? .2 : .8) && carried < 1.1, "%g", carried);
        test_end(&r);
    }
}
