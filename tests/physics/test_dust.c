// SPDX-License-Identifier: Apache-2.0
/* dust: what a steady wind lifts by its closed form, in any steps, on any cells; none below the threshold, above the
 * layer or outside the shape; never more than it comes to; behind a shock; bits and refusals. */
#include "physics/physics.h"

/* A wind that grows with x, from 0 to 2 m/s, over a floor. */
#define FIELD                                                                                                          \
    "billow: 1\n"                                                                                                      \
    "domain: {size: [2 m, 1 m, 1 m], center: [1, 0], voxel: %g, sides: {bottom: %s, rest: open}}\n"                    \
    "time: {fps: 2, frames: 1-2, substeps: %d}\n"                                                                      \
    "fields: {dye: {kind: vector}}\n"                                                                                  \
    "stages:\n"                                                                                                        \
    "  - set: {field: vel, value: [\"x\", 0.5, 3], keep: true}\n"                                                      \
    "  - set: {id: some, field: density, value: 0.1}\n"                                                                \
    "  - dust: {density: 0.6, threshold: 1, thickness: 20 cm%s}\n"

static struct test_run field(double voxel, int substeps, uint32_t threads, const char *more)
{
    return run_with(&(struct test_options){.threads = threads}, FIELD, voxel, "closed", substeps, more);
}

/// Of a cell at x, from `low` to `high` above the ground, after half a second. Wind along the ground alone counts.
static double lifted(double x, double low, double high)
{
    const double top = fmin(high, 0.2), share = low < top ? (top - low) * (1 - 2.5 * (low + top)) / (high - low) : 0;
    const double q = x * x + 0.25 - 1;
    return q > 0 ? 0.6 - 0.5 * exp(-1.5 * q * share * 0.5) : 0.1;
}

Test(dust, by_its_law_in_any_steps)
{
    for (int substeps = 1; substeps <= 4; substeps += 3) {
        struct test_run r = field(0.05, substeps, 2, ", rate: 1.5, dye: dye, colour: [1, 0.5, 0]");
        struct grid d = grid_of(&r, "density", 0), red = grid_of(&r, "dye", 0), green = grid_of(&r, "dye", 1);
        for (int k = 0; k < d.n[2]; k++)
            for (int i = 0; i < d.n[0]; i++) {
                const double want = lifted(0.05 * (i + 0.5), 0.05 * k, 0.05 * (k + 1));
                cr_assert_float_eq(at(&d, i, 5, k), want, 1e-6, "%g at (%d, %d), not %g", at(&d, i, 5, k), i, k, want);
                cr_assert_float_eq(at(&red, i, 5, k), want - 0.1, 1e-6);
                cr_assert_float_eq(at(&green, i, 5, k), 0.5 * (want - 0.1), 1e-6);
            }
        bw_free(d.v);
        bw_free(red.v);
        bw_free(green.v);
        test_end(&r);
    }
}

/* A cell that is thicker than the layer, and the same layer in eight: as much dust while there is little of it. */
Test(dust, knows_no_voxel)
{
    double sum[2];
    for (int fine = 0; fine < 2; fine++) {
        struct test_run r = field(fine ? 0.03125 : 0.25, 1, 2, ", rate: 0.01");
        sum[fine] = metric(&r, "dust.lifted");
        test_end(&r);
    }
    cr_assert_float_eq(sum[0], sum[1], 0.05 * sum[1], "%g m3 on coarse cells, %g on fine ones", sum[0], sum[1]);
    cr_assert_gt(sum[1], 1e-4);
}

Test(dust, only_where_it_lies)
{
    struct test_run r = field(0.05, 1, 2, ", rate: 1.5, shape: {box: {center: [1.5, 0, 0], size: [0.4, 4, 1]}}");
    struct grid d = grid_of(&r, "density", 0);
    for (int i = 0; i < d.n[0]; i++) {
        const double x = 0.05 * (i + 0.5), now = at(&d, i, 5, 0);
        if (fabs(x - 1.5) > 0.26) cr_assert_float_eq(now, 0.1, 1e-6, "%g at x = %g", now, x);
        if (fabs(x - 1.5) < 0.14) cr_assert_float_eq(now, lifted(x, 0, 0.05), 1e-6, "%g at x = %g", now, x);
    }
    bw_free(d.v);
    test_end(&r);
}

/* A charge in the air: dust where its shock has been, none before it. */
Test(dust, behind_a_shock)
{
    struct test_run r =
        run("billow: 1\ndomain: {size: [4 m, 4 m, 2 m], voxel: 12.5 cm, sides: {bottom: closed, rest: open}}\n"
            "time: {fps: 24, frames: 1-5, substeps: 1}\nstages:\n"
            "  - emit: {mode: max, frames: 1-1, mass: 2, energy: 400,\n"
            "      shape: {sphere: {center: [0, 0, 0.5], radius: 40 cm}}}\n"
            "  - flux: {sound_speed: 7 m/s, bind: {density: excess}}\n  - dust: {threshold: 0.5}\n");
    struct grid d = grid_of(&r, "density", 0);
    const int j = d.n[1] / 2;
    double near = 0, far = 0;
    for (int i = 0; i < d.n[0]; i++) {
        const double x = fabs(-2 + 0.125 * (i + 0.5));
        if (x > 0.5 && x < 1) near = fmax(near, at(&d, i, j, 0));
        if (d.n[0] == 32 && (i == 0 || i == 31)) far = fmax(far, at(&d, i, 0, 0));
    }
    cr_assert_gt(near, 0.1, "%g where the shock has been", near);
    cr_assert_lt(far, 0.02 * near, "%g in the corner", far);
    bw_free(d.v);
    test_end(&r);
}

Test(dust, same_bits_and_refusals)
{
    struct test_run a = field(0.05, 3, 1, ""), b = field(0.05, 3, 2, "");
    cr_assert_eq(test_hash(&a, "density"), test_hash(&b, "density"));
    test_end(&a);
    test_end(&b);
    run_refused("closed bottom", FIELD, 0.1, "open", 1, "");
    run_refused("rate", FIELD, 0.1, "closed", 1, ", rate: -1");
}
