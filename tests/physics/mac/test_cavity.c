// SPDX-License-Identifier: Apache-2.0
/* The lid-driven cavity of Ghia, Ghia & Shin: mac.advect, mac.diffuse and mac.project together. */
#include "physics/physics.h"

/* Re 100, 64²: velocities on the centre lines against table I and II of Ghia, Ghia, Shin, "High-Re solutions for
 * incompressible flow using the Navier–Stokes equations and a multigrid method", J. Comput. Phys. 48 (1982) 387. */
static const double ghia_u[][2] = {{.9766, .84123},  {.9688, .78871},  {.9609, .73722},  {.9531, .68717},
                                   {.8516, .23151},  {.7344, .00332},  {.6172, -.13641}, {.5, -.20581},
                                   {.4531, -.21090}, {.2813, -.15662}, {.1719, -.10150}, {.1016, -.06434},
                                   {.0703, -.04775}, {.0625, -.04192}, {.0547, -.03717}};
static const double ghia_v[][2] = {{.9688, -.05906}, {.9609, -.07391}, {.9531, -.08864}, {.9453, -.10313},
                                   {.9063, -.16914}, {.8594, -.22445}, {.8047, -.24533}, {.5, .05454},
                                   {.2344, .17527},  {.2266, .17507},  {.1563, .16077},  {.0938, .12317},
                                   {.0781, .10890},  {.0703, .10091},  {.0625, .09233}};

/* Component c at a height s (0 … 1) of the centre line along the other axis, linear between cell centres. */
static double centre_line(const struct grid *g, int c, double s)
{
    double x = s * 64 - .5;
    int i = (int)floor(x);
    i = i < 0 ? 0 : i > 62 ? 62 : i;
    double a = c == 0 ? at(g, 32, 0, i) : at(g, i, 0, 32), b = c == 0 ? at(g, 32, 0, i + 1) : at(g, i + 1, 0, 32);
    return a + (x - i) * (b - a);
}

static struct test_run cavity_run(int cells, int fps, int seconds, double viscosity, const char *scheme)
{
    return run("billow: 1\n"
               "domain: {cells: [%d, 1, %d], size: [1, %.17g, 1], origin: [0, 0, 0], sides: {rest: {closed: {slip: "
               "no}}, top: {closed: {slip: no, velocity: [1, 0, 0]}}}}\n"
               "time: {fps: %d, frames: 1-%d, substeps: 1}\n"
               "stages:\n" KEEP_VEL "  - mac.advect: {}\n"
               "  - mac.diffuse: {viscosity: %g, scheme: %s}\n"
               "  - mac.project: {tolerance: 1e-4}\n",
               cells, cells, 1. / cells, fps, fps * seconds + 1, viscosity, scheme);
}

Test(cavity, reynolds_100)
{
    if (test_short()) cr_skip_test("accuracy alone");
    struct test_run r = cavity_run(64, 40, 16, .01, "euler");
    struct grid u = grid_of(&r, "vel", 0), w = grid_of(&r, "vel", 2);
    double worst = 0;
    for (size_t i = 0; i < sizeof ghia_u / sizeof *ghia_u; i++) {
        double a = centre_line(&u, 0, ghia_u[i][0]) - ghia_u[i][1], b = centre_line(&w, 2, ghia_v[i][0]) - ghia_v[i][1];
        if (getenv("BILLOW_TEST_PRINT")) fprintf(stderr, "%g %+.5f  %g %+.5f\n", ghia_u[i][0], a, ghia_v[i][0], b);
        worst = fmax(worst, fmax(fabs(a), fabs(b)));
    }
    cr_assert_leq(worst, .012, "off by %g", worst);
    bw_free(u.v);
    bw_free(w.v);
    test_end(&r);
}

/* The largest of sign times n values, by a parabola through the three about it. */
static double extreme(const double *q, int n, int sign)
{
    int i = 1;
    for (int k = 1; k < n - 1; k++)
        if (sign * q[k] > sign * q[i]) i = k;
    const double rise = q[i + 1] - q[i - 1], bend = q[i + 1] - 2 * q[i] + q[i - 1];
    return q[i] - rise * rise / (8 * bend);
}

/* Re 400, 64²: least u, most and least v on the centre lines, of the same tables. (Marchi, Suero, Araki, J. Braz. Soc.
 * Mech. Sci. 31, 2009, have -.32873, .30403, -.45406 by 1024².) */
Test(cavity, reynolds_400)
{
    enum { N = 64 };
    if (test_short()) cr_skip_test("accuracy alone");
    struct test_run r = cavity_run(N, 40, 40, 1. / 400, "crank-nicolson");
    struct grid u = grid_of(&r, "vel", 0), w = grid_of(&r, "vel", 2);
    double line[2][N];
    for (int i = 0; i < N; i++) {
        line[0][i] = at(&u, N / 2, 0, i);
        line[1][i] = at(&w, i, 0, N / 2);
    }
    const double is[] = {extreme(line[0], N, -1), extreme(line[1], N, 1), extreme(line[1], N, -1)};
    static const double want[] = {-.32726, .30203, -.44993};
    for (int i = 0; i < 3; i++)
        cr_assert_float_eq(is[i], want[i], .01 * fabs(want[i]), "%.5f, not %.5f: %.2f %% off", is[i], want[i],
                           100 * (is[i] / want[i] - 1));
    bw_free(u.v);
    bw_free(w.v);
    test_end(&r);
}

/* The steady flow does not depend on the step: by steps of 3.2 cells and of .8, Re 100, 32². (Without the pressure of
 * the last step in what diffuses they are .009 apart.) */
Test(cavity, steps_of_any_length)
{
    struct test_run coarse = cavity_run(32, 10, 16, .01, "euler"), fine = cavity_run(32, 40, 16, .01, "euler");
    double worst = 0;
    for (uint32_t c = 0; c < 3; c += 2) {
        struct grid a = grid_of(&coarse, "vel", c), b = grid_of(&fine, "vel", c);
        for (int i = 1; i < 32; i++)
            worst =
                fmax(worst, c ? fabs(at(&a, i, 0, 16) - at(&b, i, 0, 16)) : fabs(at(&a, 16, 0, i) - at(&b, 16, 0, i)));
        bw_free(a.v);
        bw_free(b.v);
    }
    cr_assert_leq(worst, .002, "off by %g", worst);
    test_end(&coarse);
    test_end(&fine);
}
