// SPDX-License-Identifier: Apache-2.0
/* mac.advect against exact solutions: order and constant on a turning Gaussian, Zalesak's disc (S. T. Zalesak, J.
 * Comput. Phys. 31, 1979), uniform flow, traces of many cells, and what it may not do: change a constant, make new
 * extrema. */
#include "physics/physics.h"
#include <complex.h>

/* Solid rotation by w about (c, c) in a box n × n × 1 of cells of 1 m; the flow is set anew before each step. */
static struct test_run turn(int n, double w, int steps, const char *scheme, const char *density)
{
    double c = n / 2.;
    return run(
        "billow: 1\n"
        "domain: {cells: [%d, %d, 1], voxel: 1, origin: [0, 0, 0], sides: {rest: open}}\n"
        "time: {fps: 1, frames: 1-%d, dt: 1}\n"
        "stages:\n"
        "  - set: {id: flow, field: vel, when: always, keep: true, value: [\"%.17g*(%g-y)\", \"%.17g*(x-%g)\", 0]}\n"
        "  - set: {id: dye, field: density, value: \"%s\"}\n"
        "  - mac.advect: {%s}\n",
        n, n, steps + 1, w, c, w, c, density, scheme);
}

/* ---- a quarter turn of a Gaussian of width 0.06 L, 0.15 L off the axis; ¼ cell a step at its centre. The
 * constants are those of the same schemes written plainly in double precision with the exact flow. ---- */

static double gauss_error(int n, const char *scheme)
{
    char density[256];
    snprintf(density, sizeof density, "exp(-((x/%d-0.65)^2+(y/%d-0.5)^2)/0.0036)", n, n);
    struct test_run r = turn(n, 2 * PI / (4 * n), n, scheme, density);
    struct grid g = grid_of(&r, "density", 0);
    double sum = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double x = (i + .5) / n - .5, y = (j + .5) / n - .65, e = at(&g, i, j, 0) - exp(-(x * x + y * y) / .0036);
            sum += e * e;
        }
    bw_free(g.v);
    test_end(&r);
    return sqrt(sum / (n * n));
}

static void gauss_check(const char *scheme, double least, double most, double constant)
{
    if (test_short()) cr_skip_test("accuracy alone");
    double coarse = gauss_error(96, scheme);
    cr_assert(coarse < .03, "%s: error %g at 96²", scheme, coarse);
    double fine = gauss_error(192, scheme), slope = order(coarse, fine);
    cr_assert(slope > least && slope < most, "%s: order %g (%g, %g)", scheme, slope, coarse, fine);
    cr_assert_float_eq(fine, constant, .01 * constant, "%s: error %g at 192², %g is the scheme's", scheme, fine,
                       constant);
}

Test(advection, gaussian_maccormack_is_second_order)
{
    gauss_check("scheme: maccormack, clamp: false", 1.8, 2.2, .0014072);
}
Test(advection, gaussian_semi_lagrangian_is_first_order) { gauss_check("scheme: semi-lagrangian", .7, 1.1, .0150828); }
Test(advection, gaussian_cubic_is_third_order)
{
    gauss_check("scheme: cubic, clamp: false, trace: rk3", 2.8, 3.1, .000142284);
}
/* Of the product along both axes, which takes twice the values in 3D, .000136022 and .000237167. The peak is where the
 * clamp never rests: it costs some of the order. */
Test(advection, gaussian_cubic_clamped) { gauss_check("scheme: cubic, trace: rk3", 2.5, 3, .000242626); }

/* ---- waves of all lengths and directions, in uniform flow: none may grow ---- */

static double squares_left(const char *flow, int steps)
{
    struct test_run r = run("billow: 1\n"
                            "domain: {cells: [16, 16, 16], voxel: 1, origin: [0, 0, 0], sides: {rest: periodic}}\n"
                            "time: {fps: 1, frames: 1-%d, dt: 1}\n"
                            "stages:\n"
                            "  - set: {id: flow, field: vel, keep: true, value: [%s]}\n"
                            "  - set: {id: dye, field: density, value: \"sin(91*x+57*y*y+33*z*x)*sin(19*z*z+7*y)\"}\n"
                            "  - mac.advect: {scheme: cubic, clamp: false}\n",
                            steps + 1, flow);
    struct grid g = grid_of(&r, "density", 0);
    double sum = 0;
    for (size_t i = 0; i < grid_count(&g); i++) sum += g.v[i] * g.v[i];
    bw_free(g.v);
    test_end(&r);
    return sum;
}

Test(advection, no_wave_grows_by_cubic)
{
    static const char *const flows[] = {"0.5, 0.5, 0.5", "0.1, -0.3, 2.5", "0.9, 0.5, 0.02"};
    for (int i = 0; i < 3; i++) {
        const double early = squares_left(flows[i], 100), late = squares_left(flows[i], 500);
        cr_assert(late <= early && late > 0, "%s: %g after 100 steps, %g after 500", flows[i], early, late);
    }
}

/* ---- Zalesak's slotted disc: radius 15, slot 5 × 25, 100², one turn in 628 steps ---- */

static int zalesak_point(double x, double y)
{
    return (x - 50) * (x - 50) + (y - 75) * (y - 75) < 225 && !(fabs(x - 50) < 2.5 && y < 85);
}

static double zalesak_cell(int i, int j)
{
    int in = 0;
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) in += zalesak_point(i + (a + .5) / 4, j + (b + .5) / 4);
    return in / 16.;
}

/* The same, 4 × 4 points a cell, as an expression. */
static char *zalesak_text(void)
{
    size_t room = 1 << 13, used = 0;
    char *t = malloc(room);
    used += (size_t)snprintf(t, room, "(0");
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            double x = (a + .5) / 4 - .5 - 50, y = (b + .5) / 4 - .5;
            used +=
                (size_t)snprintf(t + used, room - used,
                                 "+((x%+g)^2+(y%+g)^2<225 && (abs(x%+g)>=2.5 || y%+g>=85) ? 1 : 0)", x, y - 75, x, y);
        }
    snprintf(t + used, room - used, ")/16");
    return t;
}

static void zalesak_check(const char *scheme, double l1, double iou)
{
    char *text = zalesak_text();
    const int steps = test_short() ? 63 : 628;
    struct test_run r = turn(100, 2 * PI / 628, steps, scheme, text);
    free(text);
    struct grid g = grid_of(&r, "density", 0);
    double error = 0, mass = 0, both = 0, any = 0, most = 0, least = 0;
    for (int j = 0; j < 100; j++)
        for (int i = 0; i < 100; i++) {
            double q = at(&g, i, j, 0), want = zalesak_cell(i, j);
            error += fabs(q - want);
            mass += want;
            both += q > .5 && want > .5;
            any += q > .5 || want > .5;
            most = fmax(most, q);
            least = fmin(least, q);
        }
    bw_free(g.v);
    test_end(&r);
    cr_assert(most <= 1 && least >= 0, "%s: values from %g to %g", scheme, least, most);
    if (test_short()) return;
    cr_assert_float_eq(error / mass, l1, .05 * l1, "%s: L1/mass %.4f, the reference has %.3f", scheme, error / mass,
                       l1);
    cr_assert_float_eq(both / any, iou, .05 * iou, "%s: IoU %.4f, the reference has %.3f", scheme, both / any, iou);
}

Test(advection, zalesak_maccormack) { zalesak_check("scheme: maccormack", .702, .497); }
Test(advection, zalesak_semi_lagrangian) { zalesak_check("scheme: semi-lagrangian", 1.093, .159); }

Test(advection, zalesak_cubic) { zalesak_check("scheme: cubic", .378, .907); }

/* ---- order of the trace: any interpolation is exact on a field that is linear, so what remains is the trace. In solid
 * rotation one step of angle w multiplies x + iy by the method's stability polynomial at -iw: the error is known. ----
 */

static double trace_error(const char *trace, int steps, double complex factor)
{
    char scheme[64];
    snprintf(scheme, sizeof scheme, "scheme: semi-lagrangian, trace: %s", trace);
    struct test_run r = turn(64, 1. / steps, steps, scheme, "x - 32");
    struct grid g = grid_of(&r, "density", 0);
    double complex turned = cpow(factor, steps);
    double worst = 0, off = 0;
    for (int j = 24; j < 40; j++)
        for (int i = 24; i < 40; i++) {
            double complex z = i + .5 - 32 + I * (j + .5 - 32);
            worst = fmax(worst, fabs(at(&g, i, j, 0) - creal(z * cexp(-I))));
            off = fmax(off, fabs(at(&g, i, j, 0) - creal(z * turned)));
        }
    cr_assert_leq(off, 1e-4, "%s: off its own polynomial by %g cells", trace, off);
    bw_free(g.v);
    test_end(&r);
    return worst;
}

Test(advection, order_of_the_trace)
{
    static const char *const trace[] = {"euler", "midpoint", "rk3"};
    for (int q = 0; q < 3; q++) {
        double error[2];
        for (int f = 0; f < 2; f++) {
            double complex z = -I / (4 << f), term = z, factor = 1 + z;
            for (int m = 2; m <= q + 1; m++) factor += term = term * z / m;
            error[f] = trace_error(trace[q], 4 << f, factor);
        }
        cr_assert_float_eq(order(error[0], error[1]), q + 1, .2, "%s: order %g (%g, %g cells)", trace[q],
                           order(error[0], error[1]), error[0], error[1]);
    }
}

/* ---- uniform flow in a periodic box ---- */

/* Whole cells a step: nothing is interpolated, so a pattern arrives bit by bit, after 3 cells a step, after 30 within
 * the halos, or after 60. */
static void shift_check(const char *scheme, const int by[3], const int n[3])
{
    struct test_run r = run("billow: 1\n"
                            "domain: {cells: [%d, %d, %d], voxel: 0.5, origin: [0, 0, 0], sides: {rest: periodic}}\n"
                            "time: {fps: 4, frames: 1-4, dt: 0.25}\n"
                            "stages:\n"
                            "  - set: {id: flow, field: vel, keep: true, value: [%g, %g, %g]}\n"
                            "  - set: {id: dye, field: density, value: \"rint(100*sin(x*7+y*5.1+z*3.3))/128\"}\n"
                            "  - mac.advect: {scheme: %s}\n",
                            n[0], n[1], n[2], by[0] * 2., by[1] * 2., by[2] * 2., scheme);
    struct grid g = grid_of(&r, "density", 0);
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) {
                int x[3] = {i, j, k};
                for (int a = 0; a < 3; a++) x[a] = (((x[a] - 3 * by[a]) % n[a]) + n[a]) % n[a];
                double want =
                    rint(100 * sin((x[0] + .5) * .5 * 7 + (x[1] + .5) * .5 * 5.1 + (x[2] + .5) * .5 * 3.3)) / 128;
                cr_assert_float_eq(at(&g, i, j, k), want, 1e-6, "%s by (%d,%d,%d): (%d,%d,%d) has %g, not %g", scheme,
                                   by[0], by[1], by[2], i, j, k, at(&g, i, j, k), want);
            }
    for (uint32_t c = 0; c < 3; c++) {
        struct grid u = grid_of(&r, "vel", c);
        for (size_t i = 0; i < grid_count(&u); i++)
            cr_assert_float_eq(u.v[i], by[c] * 2., 1e-5 * abs(by[c]), "vel changed");
        bw_free(u.v);
    }
    cr_assert_eq(metric(&r, "mac.advect.long_traces") > 0, abs(by[0]) > 48);
    bw_free(g.v);
    test_end(&r);
}

Test(advection, whole_cells_arrive_exactly)
{
    static const int n[3] = {40, 11, 6};
    static const char *const schemes[] = {"semi-lagrangian", "maccormack", "cubic", "cubic, trace: rk3"};
    for (int scheme = 0; scheme < 4; scheme++) {
        const char *name = schemes[scheme];
        shift_check(name, (int[]){3, -2, 1}, n);
        if (!test_short()) shift_check(name, (int[]){30, 0, 0}, n);
        if (!test_short()) shift_check(name, (int[]){-60, 2, 0}, n);
        shift_check(name, (int[]){-30, 17, -5}, n);
    }
}

/* ---- constants ---- */

Test(advection, a_constant_stays_one)
{
    static const char *const sides[] = {"{rest: closed}", "{rest: periodic}", "{rest: {closed: {slip: no}}}"};
    static const char *const schemes[] = {"semi-lagrangian", "maccormack", "cubic"};
    for (int i = 0; i < 9; i += test_short() ? 4 : 1) {
        struct test_run r = run("billow: 1\n"
                                "domain: {cells: [20, 18, 17], voxel: 1 cm, sides: %s}\n"
                                "time: {fps: 25, frames: 1001-1006, substeps: 2}\n"
                                "fields: {dye: {kind: vector, advect: true}}\n"
                                "stages:\n"
                                "  - set: {id: flow, field: vel, keep: true, value: [\"0.3*sin(91*x+53*y)\", "
                                "\"0.3*sin(77*y+40*z)\", \"0.3*cos(63*z)\"]}\n"
                                "  - set: {id: a, field: density, value: 0.75}\n"
                                "  - set: {id: b, field: dye, value: [1, 0.5, -3]}\n"
                                "  - mac.advect: {scheme: %s}\n"
                                "  - mac.project: {}\n",
                                sides[i / 3], schemes[i % 3]);
        static const double want[] = {.75, 1, .5, -3};
        for (uint32_t c = 0; c < 4; c++) {
            struct grid g = grid_of(&r, c ? "dye" : "density", c ? c - 1 : 0);
            for (size_t q = 0; q < grid_count(&g); q++)
                cr_assert_float_eq(g.v[q], want[c], 3e-6, "%s: %g instead of %g", sides[i / 3], g.v[q], want[c]);
            bw_free(g.v);
        }
        test_end(&r);
    }
}

/* Mass of a cloud that turns and shears in a closed box: no scheme conserves it, but over 50 steps the drift is small
 * (2 % semi-Lagrangian, under 0.1 % the others), and the clamp makes no value above the largest or below 0. */
Test(advection, mass_drifts_little)
{
    if (test_short()) cr_skip_test("accuracy alone");
    static const double bound[] = {.025, .002, .002};
    static const char *const schemes[] = {"semi-lagrangian", "maccormack", "cubic"};
    for (int i = 0; i < 3; i++) {
        struct test_run r = run(
            "billow: 1\n"
            "domain: {cells: [48, 48, 1], size: [1, 1, 0.0208333333333], origin: [0, 0, 0], sides: {rest: closed}}\n"
            "time: {fps: 50, frames: 1-51, dt: 0.02}\n"
            "stages:\n"
            "  - set: {id: flow, field: vel, keep: true, value: [\"sin(pi*x)*cos(pi*y)\", \"-cos(pi*x)*sin(pi*y)\", "
            "0]}\n"
            "  - set: {id: dye, field: density, value: \"exp(-((x-0.4)^2+(y-0.6)^2)/0.02)\"}\n"
            "  - stats: {id: before, frames: 1-1}\n"
            "  - mac.advect: {scheme: %s}\n"
            "  - mac.project: {tolerance: 1e-6}\n"
            "  - stats: {id: after}\n",
            schemes[i]);
        double before = metric(&r, "before.mass_density"), after = metric(&r, "after.mass_density");
        cr_assert_float_eq(before, PI * .02 / 48, .02 * PI * .02 / 48, "the cloud's mass is %g", before);
        cr_assert_float_eq(after, before, bound[i] * before, "mass went from %g to %g", before, after);
        cr_assert_leq(metric(&r, "after.max_density"), 1);
        cr_assert_geq(metric(&r, "after.min_density"), 0);
        test_end(&r);
    }
}

/* ---- where traces leave the gas ---- */

/* A ramp of 1 a cell, blown 2.25 cells a step, in once: what the first cells get is the policy's. */
static void outside_check(const char *scheme, const char *outside, const char *side, const double want[5])
{
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        struct test_run r =
            run("billow: 1\n"
                "domain: {cells: [40, 16, 16], voxel: 1, origin: [0, 0, 0], sides: {x-: %s, x+: %s, rest: closed}}\n"
                "time: {fps: 1, frames: 1-2, dt: 1}\n"
                "stages:\n"
                "  - set: {id: flow, field: vel, keep: true, value: [%g, 0, 0]}\n"
                "  - set: {id: dye, field: density, value: \"%s\"}\n"
                "  - mac.advect: {scheme: %s, outside: %s}\n",
                side, side, mirrored ? -2.25 : 2.25, mirrored ? "40.5-x" : "x+0.5", scheme, outside);
        struct grid g = grid_of(&r, "density", 0), u = grid_of(&r, "vel", 0);
        for (int i = 0; i < 5; i++) {
            double v = at(&g, mirrored ? 39 - i : i, 7, 8);
            cr_assert_float_eq(v, want[i], 2e-3, "%s, outside: %s, %s: cell %d from the side has %g, not %g", scheme,
                               outside, side, i, v, want[i]);
        }
        for (int i = 0; i < 41; i++) { // outside the flow decays; the first step of velocity is 3/2 long
            const double v = fabs(at(&u, mirrored ? 40 - i : i, 7, 8)), beyond = fmax(3.375 - i, 0);
            cr_assert_float_eq(v, !strcmp(outside, "background") ? 2.25 * pow(16 / (16 + beyond), 3) : 2.25, 1e-5,
                               "%s, outside: %s: face %d moves at %g", scheme, outside, i, v);
        }
        bw_free(g.v);
        bw_free(u.v);
        test_end(&r);
    }
}

Test(advection, outside_of_open_sides)
{
    static const char *const schemes[] = {"semi-lagrangian", "maccormack"};
    for (int i = 0; i < 2; i++) { // sources of cells 0 … 4: -1.25, -0.25, 0.75, 1.75, 2.75; the ramp is 1 at 1
        outside_check(schemes[i], "background", "open", (const double[]){0, 0, .75, 1.75, 2.75});
        outside_check(schemes[i], "clamp", "open", (const double[]){1, 1, 1, 1.75, 2.75});
        outside_check(schemes[i], "keep", "open", (const double[]){1, 2, 3, 1.75, 2.75});
    }
    outside_check("cubic", "clamp", "open", (const double[]){1, 1, 1, 1.75, 2.75});
    outside_check("cubic", "keep", "open", (const double[]){1, 2, 3, 1.75, 2.75});
}

/* A wind that fills some tiles of a larger box blows on at its edge, or is eaten from there by air that is stiller the
 * farther it comes from. */
static double wind_left(const char *scheme, const char *outside)
{
    struct test_run r = run("billow: 1\n"
                            "domain: {cells: [96, 96, 96], voxel: 1, origin: [0, 0, 0], sides: {rest: open}}\n"
                            "time: {fps: 1, frames: 1-5, dt: 1}\n"
                            "stages:\n"
                            "  - set: {id: flow, field: vel, keep: true, value: [1.5, -2, 0.75],\n"
                            "          box: {lo: [32, 32, 48], hi: [63.9, 63.9, 79.9]}}\n"
                            "  - mac.advect: {scheme: %s, outside: %s}\n",
                            scheme, outside);
    double least = HUGE_VAL;
    struct grid g = grid_of(&r, "vel", 0);
    for (int k = 48; k < 80; k++)
        for (int j = 32; j < 64; j++)
            for (int i = 32; i < 64; i++) least = fmin(least, at(&g, i, j, k));
    bw_free(g.v);
    test_end(&r);
    return least;
}

Test(advection, outside_of_active_tiles)
{
    static const char *const schemes[] = {"semi-lagrangian", "maccormack", "cubic"};
    for (int i = test_short() ? 2 : 0; i < 3; i++) {
        const double left = wind_left(schemes[i], "background");
        cr_assert(left > .6 && left < .75, "%s: of a wind of 1.5 m/s %g is left", schemes[i], left);
        for (int q = 0; q < 2; q++) {
            double least = wind_left(schemes[i], q ? "keep" : "clamp");
            cr_assert_float_eq(least, 1.5, 1e-4, "%s, %s: a wind of 1.5 m/s has become %g", schemes[i],
                               q ? "keep" : "clamp", least);
        }
    }
}
