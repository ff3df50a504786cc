// SPDX-License-Identifier: Apache-2.0
/* The worked example of alice-bian/Fire-Simulation: a 2×2 closed box one cell thick, cells of 1 m,
 * dt = 0.1 s, density 1. Its one inner vertical face starts at 1 m/s, is carried by a semi-Lagrangian Euler step to
 * 1 - 0.1·1 = 0.9 (the walls are at rest), and is projected:
 *     b = [-9, 0, 9, 0],  p = [-3.375, -1.125, 3.375, 1.125],  u = ∓0.225 (low, high row),  v = ±0.225 (left, right
 * column). */
#include "physics/physics.h"

/* The plane's axes: `u` runs along the example's x, `v` along its y. */
struct plane {
    const char *name, *cells, *start;
    int u, v;
};

static const struct plane planes[] = {
    {"xy", "[2, 2, 1]", "[0, \"x < 1 && abs(y - 1) < 0.1\", 0]", 0, 1},
    {"xz", "[2, 1, 2]", "[0, 0, \"x < 1 && abs(z - 1) < 0.1\"]", 0, 2},
    {"yz", "[1, 2, 2]", "[0, 0, \"y < 1 && abs(z - 1) < 0.1\"]", 1, 2},
};

static double of(const struct grid *g, const struct plane *p, int i, int j)
{
    int32_t x[3] = {0};
    x[p->u] = i;
    x[p->v] = j;
    return at(g, x[0], x[1], x[2]);
}

static struct test_run example(const struct plane *p, const char *scheme, const char *project)
{
    return run("billow: 1\n"
               "domain: {cells: %s, voxel: 1 m, origin: [0, 0, 0], sides: {rest: closed}}\n"
               "time: {fps: 10, frames: 1-2, dt: 0.1}\n"
               "stages:\n"
               "  - set: {field: vel, value: %s, keep: true}\n"
               "  - mac.advect: {velocity: %s, trace: euler}\n%s",
               p->cells, p->start, scheme, project);
}

static void example_check(const struct plane *p)
{
    struct test_run r = example(p, "semi-lagrangian", "");
    struct grid v = grid_of(&r, "vel", (uint32_t)p->v);
    cr_assert_float_eq(of(&v, p, 0, 1), 0.9, 1e-7, "%s: advected %.9g", p->name, of(&v, p, 0, 1));
    bw_free(v.v);
    test_end(&r);

    r = example(p, "semi-lagrangian", "  - mac.project: {tolerance: 1e-10}\n");
    struct grid u = grid_of(&r, "vel", (uint32_t)p->u), q = grid_of(&r, "pressure", 0);
    v = grid_of(&r, "vel", (uint32_t)p->v);
    static const double pressure[2][2] = {{-3.375, -1.125}, {3.375, 1.125}};
    for (int j = 0; j < 2; j++) { /* row of u, column of v */
        cr_assert_float_eq(of(&u, p, 1, j), j ? 0.225 : -0.225, 1e-7, "%s: u(1,%d) %.9g", p->name, j, of(&u, p, 1, j));
        cr_assert_float_eq(of(&v, p, j, 1), j ? -0.225 : 0.225, 1e-7, "%s: v(%d,1) %.9g", p->name, j, of(&v, p, j, 1));
        for (int i = 0; i < 2; i++) {
            cr_assert_float_eq(of(&q, p, i, j), pressure[j][i], 1e-6, "%s: p(%d,%d) %.9g", p->name, i, j,
                               of(&q, p, i, j));
            double div = of(&u, p, i + 1, j) - of(&u, p, i, j) + of(&v, p, i, j + 1) - of(&v, p, i, j);
            cr_assert_float_eq(div, 0, 1e-7, "%s: divergence %.3g", p->name, div);
        }
    }
    for (int s = 0; s < 2; s++) {
        cr_assert_eq(of(&u, p, 2 * s, 0), 0, "%s: flow through a wall", p->name);
        cr_assert_eq(of(&v, p, 0, 2 * s), 0, "%s: flow through a wall", p->name);
    }
    bw_free(u.v);
    bw_free(v.v);
    bw_free(q.v);
    test_end(&r);
}

Test(worked_example, box_2x2x1)
{
    for (int i = 0; i < 3; i++) example_check(&planes[i]);
}

/* b = -h² rho/dt div u is what the pressure answers: twice the density, twice the pressure, the same flow. */
Test(worked_example, density_scales_pressure_only)
{
    struct test_run r = example(&planes[0], "semi-lagrangian", "  - mac.project: {tolerance: 1e-10, density: 2}\n");
    struct grid v = grid_of(&r, "vel", 1), q = grid_of(&r, "pressure", 0);
    cr_assert_float_eq(at(&q, 0, 0, 0), -6.75, 2e-6);
    cr_assert_float_eq(at(&v, 1, 1, 0), -0.225, 1e-7);
    bw_free(v.v);
    bw_free(q.v);
    test_end(&r);
}
