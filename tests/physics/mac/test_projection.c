// SPDX-License-Identifier: Apache-2.0
/* mac.project against exact solutions: Helmholtz decompositions in closed, periodic and open boxes, channels, sealed
 * rooms, and what no flow can fulfil.
 *
 * Manufactured solution: u = s + grad q with div s = 0 and no flow through the sides; the projection shall leave s.
 * Both are single modes, so the error of the second-order scheme is known in closed form: with the wave vector k of q
 * and its discrete counterpart K_a = (2/h) sin(k_a h/2), the discrete projection leaves of grad q exactly k - K
 * (k·K)/(K·K)   times the mode's sines and cosines,   about h²/24 [k_a³ - k_a Σk⁴/Σk²]. */
#include "physics/physics.h"

struct mode {
    const char *name, *sides, *origin;
    double k[3];       ///< of q, rad/m
    const char *value; ///< s + grad q
    double (*solenoidal)(int c, const double x[3]);
    double (*slope)(int c, const double x[3]); ///< mode of grad q without its factor k_c
};

static double wave(int c, const double x[3], const double k[3], double (*own)(double), double (*other)(double))
{
    double f = 1;
    for (int a = 0; a < 3; a++) f *= a == c ? own(k[a] * x[a]) : other(k[a] * x[a]);
    return f;
}

/* s = (sin cos cos, cos sin cos, -2 cos cos sin) at π; q = cos 2πx cos πy cos πz */
static double closed_solenoidal(int c, const double x[3])
{
    return (c == 2 ? -2 : 1) * wave(c, x, (double[]){PI, PI, PI}, sin, cos);
}

static double closed_slope(int c, const double x[3]) { return -wave(c, x, (double[]){2 * PI, PI, PI}, sin, cos); }

/* The same at doubled wave numbers and shifted, so that nothing vanishes on the box's sides. */
static double shifted_solenoidal(int c, const double x[3])
{
    const double y[3] = {x[0] + .1, x[1] + .2, x[2] + .3};
    return (c == 2 ? -2 : 1) * wave(c, y, (double[]){2 * PI, 2 * PI, 2 * PI}, sin, cos);
}

static double shifted_slope(int c, const double x[3])
{
    const double y[3] = {x[0] + .1, x[1] + .2, x[2] + .3};
    return -wave(c, y, (double[]){4 * PI, 2 * PI, 2 * PI}, sin, cos);
}

static const struct mode closed = {.name = "closed",
                                   .sides = "{rest: closed}",
                                   .k = {2 * PI, PI, PI},
                                   .value =
                                       "[\"sin(pi*x)*cos(pi*y)*cos(pi*z) - 2*pi*sin(2*pi*x)*cos(pi*y)*cos(pi*z)\","
                                       " \"cos(pi*x)*sin(pi*y)*cos(pi*z) - pi*cos(2*pi*x)*sin(pi*y)*cos(pi*z)\","
                                       " \"-2*cos(pi*x)*cos(pi*y)*sin(pi*z) - pi*cos(2*pi*x)*cos(pi*y)*sin(pi*z)\"]",
                                   .solenoidal = closed_solenoidal,
                                   .slope = closed_slope};

#define X "2*pi*(x+0.1)"
#define Y "2*pi*(y+0.2)"
#define Z "2*pi*(z+0.3)"
static const struct mode periodic = {
    .name = "periodic",
    .sides = "{rest: periodic}",
    .k = {4 * PI, 2 * PI, 2 * PI},
    .value = "[\"sin(" X ")*cos(" Y ")*cos(" Z ") - 4*pi*sin(2*" X ")*cos(" Y ")*cos(" Z ")\","
             " \"cos(" X ")*sin(" Y ")*cos(" Z ") - 2*pi*cos(2*" X ")*sin(" Y ")*cos(" Z ")\","
             " \"-2*cos(" X ")*cos(" Y ")*sin(" Z ") - 2*pi*cos(2*" X ")*cos(" Y ")*sin(" Z ")\"]",
    .solenoidal = shifted_solenoidal,
    .slope = shifted_slope};

static struct test_run mode_run(const struct mode *m, int n, const char *solver)
{
    return run("billow: 1\n"
               "domain: {cells: [%d, %d, %d], size: [1, 1, 1], origin: [0, 0, 0], sides: %s}\n"
               "time: {fps: 1, frames: 1-2, dt: 1}\n"
               "stages:\n"
               "  - set: {field: vel, value: %s, keep: true}\n"
               "  - mac.project: {tolerance: 1e-8, solver: %s}\n"
               "  - stats: {}\n",
               n, n, n, m->sides, m->value, solver);
}

/* Root mean square of u - s over all faces; `predicted` gets what the scheme itself must leave. */
static double mode_error(const struct mode *m, const struct test_run *r, int n, double *predicted)
{
    double h = 1. / n, K[3], kK = 0, KK = 0, sum = 0, want = 0;
    for (int a = 0; a < 3; a++) {
        K[a] = 2 / h * sin(m->k[a] * h / 2);
        kK += m->k[a] * K[a];
        KK += K[a] * K[a];
    }
    size_t count = 0;
    for (int c = 0; c < 3; c++) {
        struct grid g = grid_of(r, "vel", (uint32_t)c);
        double left = m->k[c] - K[c] * kK / KK;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                for (int i = 0; i < n; i++, count++) {
                    const double x[3] = {(i + (c == 0 ? 0 : .5)) * h, (j + (c == 1 ? 0 : .5)) * h,
                                         (k + (c == 2 ? 0 : .5)) * h};
                    double e = at(&g, i, j, k) - m->solenoidal(c, x), p = left * m->slope(c, x);
                    cr_assert_float_eq(e, p, 4e-6, "%s %d³: component %d at (%d,%d,%d) is off by %g, should be %g",
                                       m->name, n, c, i, j, k, e, p);
                    sum += e * e;
                    want += p * p;
                }
        bw_free(g.v);
    }
    *predicted = sqrt(want / (double)count);
    return sqrt(sum / (double)count);
}

static void mode_check(const struct mode *m, const char *solver)
{
    double e[3], p[3];
    for (int i = 0; i < 3; i++) {
        struct test_run r = mode_run(m, 12 << i, solver);
        e[i] = mode_error(m, &r, 12 << i, &p[i]);
        cr_assert_lt(metric(&r, "mac.project.residual"), 1e-8);
        cr_assert_lt(metric(&r, "stats.rms_div_vel"), 1e-4, "%s: divergence left %g", m->name,
                     metric(&r, "stats.rms_div_vel"));
        test_end(&r);
        cr_assert_float_eq(e[i], p[i], 2e-3 * p[i], "%s %d³: error %g, the scheme's is %g", m->name, 12 << i, e[i],
                           p[i]);
    }
    for (int i = 1; i < 3; i++)
        cr_assert_gt(order(e[i - 1], e[i]), 1.9, "%s: order %g", m->name, order(e[i - 1], e[i]));
}

Test(projection, order_in_a_closed_box) { mode_check(&closed, "auto"); }
Test(projection, order_in_a_closed_box_by_cg) { mode_check(&closed, "cg"); }
Test(projection, order_in_a_periodic_box) { mode_check(&periodic, "auto"); }

/* What a ball gives off goes through open sides as if there were none: u = m x/(4 pi |x|³) on them. The box cuts tiles.
 * */
Test(projection, open_sides_let_a_source_out)
{
    static const double at_ball[3] = {9, 12, 14}, radius = 4;
    enum { N = 26 };
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: [%d, %d, %d], voxel: 1, origin: [0, 0, 0], sides: {rest: open}}\n"
            "time: {fps: 1, frames: 1-2, dt: 1}\n"
            "stages:\n" KEEP_VEL
            "  - set: {field: divergence, when: always, value: \"(x-%g)^2 + (y-%g)^2 + (z-%g)^2 < %g ? 1 : 0\"}\n"
            "  - mac.project: {tolerance: 1e-6}\n",
            N, N, N, at_ball[0], at_ball[1], at_ball[2], radius * radius);
    struct grid d = grid_of(&r, "divergence", 0);
    const double source = grid_sum(&d) / (4 * PI);
    double worst = 0, most = 0;
    for (int side = 0; side < 6; side++) {
        const int a = side / 2;
        struct grid u = grid_of(&r, "vel", (uint32_t)a);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) {
                int face[3] = {0};
                double x[3], square = 0;
                face[a] = side & 1 ? N : 0;
                face[(a + 1) % 3] = i;
                face[(a + 2) % 3] = j;
                for (int q = 0; q < 3; q++) {
                    x[q] = face[q] + (q == a ? 0 : .5) - at_ball[q];
                    square += x[q] * x[q];
                }
                const double want = source * x[a] / (square * sqrt(square));
                worst = fmax(worst, fabs(at(&u, face[0], face[1], face[2]) - want));
                most = fmax(most, fabs(want));
            }
        bw_free(u.v);
    }
    fprintf(stderr, "%.4f of the fastest off\n", worst / most);
    cr_assert_lt(worst, .06 * most, "%g of %g m/s off", worst, most);
    bw_free(d.v);
    test_end(&r);
}

/* Divergence of something rough: below tolerance × what it was, for every kind of side. */
Test(projection, divergence_falls_by_the_tolerance)
{
    static const char *const sides[] = {"{rest: closed}",
                                        "{rest: open}",
                                        "{rest: periodic}",
                                        "{rest: closed, top: open}",
                                        "{rest: periodic, z-: closed, z+: open}",
                                        "{rest: open, x-: {inflow: [1, 0, 0]}}"};
    for (int i = 0; i < 6; i++)
        for (int fine = 0; fine < 2; fine++) {
            double tolerance = fine ? 1e-6 : 1e-3;
            struct test_run r =
                run("billow: 1\n"
                    "domain: {cells: [37, 24, 18], voxel: 5 cm, sides: %s}\n"
                    "time: {fps: 10, frames: 1-2, dt: 0.1}\n"
                    "stages:\n"
                    "  - set: {field: vel, keep: true, value: [\"sin(91*x+53*y*y+31*z)\", \"sin(77*y+x*z*40)\","
                    " \"cos(63*z*z+45*x)\"]}\n"
                    "  - stats: {id: before}\n"
                    "  - mac.project: {tolerance: %g}\n"
                    "  - stats: {id: after}\n",
                    sides[i], tolerance);
            double before = metric(&r, "before.rms_div_vel"), after = metric(&r, "after.rms_div_vel");
            cr_assert_gt(before, 1);
            cr_assert_leq(after, tolerance * before * 1.05 + 2e-6 * before, "%s: %g of %g is left", sides[i], after,
                          before);
            test_end(&r);
        }
}

/* One to three workers have slabs of planes to run the half-sweeps through, nine have not: the same bits all the
 * same. */
Test(projection, slabs_of_planes_change_no_bit)
{
    static const uint32_t threads[] = {9, 1, 2, 3};
    uint64_t hash[4];
    for (int i = 0; i < 4; i++) {
        struct test_options o = {.threads = threads[i], .simd = UINT32_MAX};
        struct test_run r =
            test_start("billow: 1\n"
                       "domain: {cells: [20, 36, 100], voxel: 5 cm}\n"
                       "time: {fps: 10, frames: 1-3, dt: 0.1}\n"
                       "stages:\n"
                       "  - set: {field: vel, keep: true, value: [\"sin(91*x+53*y*y+31*z)\", "
                       "\"sin(77*y+x*z*40)\", \"cos(63*z*z+45*x)\"]}\n"
                       "  - collide: {wake: always, shape: {sphere: {center: [0.1, 0, 2.4], radius: 0.4}}}\n"
                       "  - mac.project: {tolerance: 1e-3}\n",
                       &o);
        cr_assert_eq(r.status, BW_OK, "%s", r.diag.first);
        cr_assert_gt(metric(&r, "mac.project.iterations"), 1);
        hash[i] = test_hash(&r, "pressure");
        cr_assert_eq(hash[i], hash[0], "the pressure differs on %u threads", threads[i]);
        test_end(&r);
    }
}

/* Share of the face across `axis` at x (its centre) that lies outside a ball round c. */
static double share_outside(const double x[3], int axis, double h, const double c[3], double radius)
{
    enum { N = 40 };
    int outside = 0;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            double p[3] = {x[0], x[1], x[2]};
            p[(axis + 1) % 3] += h * ((i + .5) / N - .5);
            p[(axis + 2) % 3] += h * ((j + .5) / N - .5);
            outside += hypot(hypot(p[0] - c[0], p[1] - c[1]), p[2] - c[2]) > radius;
        }
    return (double)outside / (N * N);
}

/* A channel with a sphere in it: what flows in flows through every section's open area and out again. */
Test(projection, channel_carries_its_inflow_round_a_sphere)
{
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: [40, 20, 20], voxel: 5 cm, floor: -0.5, sides: {rest: closed, x-: {inflow: [0.7, 0, 0]}, "
            "x+: open}}\n"
            "time: {fps: 10, frames: 1-2, dt: 0.1}\n"
            "stages:\n" KEEP_VEL "  - collide: {shape: {sphere: {center: [-0.2, 0, 0], radius: 0.22}}}\n"
            "  - mac.project: {tolerance: 1e-7}\n");
    struct grid u = grid_of(&r, "vel", 0);
    const double h = 0.05, ball[3] = {-0.2, 0, 0};
    double worst = 0;
    int shut = 0, cut = 0;
    for (int i = 0; i <= 40; i++) {
        double flux = 0;
        for (int k = 0; k < 20; k++)
            for (int j = 0; j < 20; j++) {
                const double x[3] = {-1 + h * i, -.5 + h * (j + .5), -.5 + h * (k + .5)};
                double open = share_outside(x, 0, h, ball, 0.22);
                flux += open * at(&u, i, j, k);
                cut += open > 0 && open < 1;
                const double deep =
                    .22 - sqrt(pow(x[0] - ball[0], 2) + pow(x[1] - ball[1], 2) + pow(x[2] - ball[2], 2));
                if (deep < 2.5 * h) continue; /* nearer to the surface the flow outside goes on, for traces to read */
                shut++;
                cr_assert_eq(at(&u, i, j, k), 0, "flow through the sphere at (%d,%d,%d)", i, j, k);
            }
        worst = fmax(worst, fabs(flux / 400 - .7));
    }
    cr_assert_gt(shut, 20);
    cr_assert_gt(cut, 100);
    cr_assert_lt(worst, 0.008, "a section's mean is %g m/s off", worst); /* by the areas' own error */
    cr_assert_lt(metric(&r, "mac.project.divergence"), 2e-5, "divergence %g", metric(&r, "mac.project.divergence"));
    bw_free(u.v);
    test_end(&r);
}

/* A flow inside a box round a disc, tangential to both, plus a gradient that is not: the gradient goes, whatever it is,
 * and the flow is left. ψ = sin πx sin πy ((x-c)²+(y-d)²-a²), u = (∂ψ/∂y, -∂ψ/∂x). Mean error over the open faces. */
static double disc_error(int n)
{
    const double c = 0.47, d = 0.54, a = 0.231, h = 1. / n;
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: [%d, %d, 1], voxel: %.17g, origin: [0, 0, 0], sides: {rest: closed}}\n"
            "time: {fps: 10, frames: 1-2, dt: 0.1}\n"
            "stages:\n"
            "  - set: {field: vel, keep: true, value: [\"sin(pi*x)*(pi*cos(pi*y)*((x-0.47)^2+(y-0.54)^2-0.231^2)"
            "+2*(y-0.54)*sin(pi*y))+2*cos(2*x+3*y)\", \"-sin(pi*y)*(pi*cos(pi*x)*((x-0.47)^2+(y-0.54)^2"
            "-0.231^2)+2*(x-0.47)*sin(pi*x))+3*cos(2*x+3*y)\", 0]}\n"
            "  - collide: {shape: {cylinder: {center: [%g, %g, 0], radius: %g, height: 1}}}\n"
            "  - mac.project: {tolerance: 1e-6}\n",
            n, n, h, c, d, a);
    struct grid u[2] = {grid_of(&r, "vel", 0), grid_of(&r, "vel", 1)};
    double sum = 0, faces = 0;
    for (int q = 0; q < 2; q++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                double x = h * (i + (q ? .5 : 0)), y = h * (j + (q ? 0 : .5)),
                       R = (x - c) * (x - c) + (y - d) * (y - d) - a * a;
                if (R < 0) continue;
                double ux = sin(PI * x) * (PI * cos(PI * y) * R + 2 * (y - d) * sin(PI * y));
                double uy = -sin(PI * y) * (PI * cos(PI * x) * R + 2 * (x - c) * sin(PI * x));
                sum += fabs(at(&u[q], i, j, 0) - (q ? uy : ux));
                faces++;
            }
    bw_free(u[0].v);
    bw_free(u[1].v);
    test_end(&r);
    return sum / faces;
}

Test(projection, cut_cells_are_second_order)
{
    double e[3] = {disc_error(32), disc_error(64), disc_error(128)};
    cr_log_info("disc: L1 errors %.3e %.3e %.3e, orders %.2f %.2f", e[0], e[1], e[2], log2(e[0] / e[1]),
                log2(e[1] / e[2]));
    cr_assert_geq(log2(e[0] / e[2]) / 2, 1.9, "order %.2f", log2(e[0] / e[2]) / 2);
    cr_assert_lt(e[2], 2e-4, "mean error %g at 128", e[2]);
}

/* A cycle leaves a fourteenth of the residual, in a closed box with a ball in it: 7 to 1e-7; 9 where half-sweeps are
 * not over-relaxed. */
Test(projection, seven_digits_in_seven_cycles)
{
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: [64, 64, 64], size: [1, 1, 1], margin: 4096, sides: {rest: closed}}\n"
            "time: {fps: 24, frames: 1-2, substeps: 1}\n"
            "stages:\n"
            "  - collide: {wake: always, shape: {sphere: {center: [0.03, 0.05, 0.5], radius: 0.2}}}\n"
            "  - set: {field: vel, when: always, keep: true, value: [\"0.3*sin(9*x+4*z)\", \"0.3*sin(8*y+5*x)\", "
            "\"exp(-40*(x*x+y*y+(z-0.2)*(z-0.2)))\"]}\n"
            "  - mac.project: {tolerance: 1e-7, warm_start: false}\n");
    cr_assert_leq(metric(&r, "mac.project.residual"), 1e-7);
    cr_assert_leq(metric(&r, "mac.project.iterations"), 8);
}

/* A flow in a sealed room of one-cell walls inside an open domain: its pressure is known up to a constant that nothing
 * fixes. The room and what is outside converge, and nothing passes the walls. */
Test(projection, sealed_room_converges_and_keeps_tight)
{
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: [32, 32, 32], voxel: 1, origin: [0, 0, 0], sides: {rest: open}}\n"
            "time: {fps: 10, frames: 1-2, dt: 0.1}\n"
            "stages:\n"
            "  - set: {field: vel, keep: true, value: [\"sin(0.7*x+y)\", \"cos(0.5*y*z)\", \"sin(z+0.3*x*y)\"]}\n"
            "  - collide: {id: a, shape: {box: {center: [8.5, 16, 16], size: [1, 16, 16]}}}\n"
            "  - collide: {id: b, shape: {box: {center: [23.5, 16, 16], size: [1, 16, 16]}}}\n"
            "  - collide: {id: c, shape: {box: {center: [16, 8.5, 16], size: [16, 1, 16]}}}\n"
            "  - collide: {id: d, shape: {box: {center: [16, 23.5, 16], size: [16, 1, 16]}}}\n"
            "  - collide: {id: e, shape: {box: {center: [16, 16, 8.5], size: [16, 16, 1]}}}\n"
            "  - collide: {id: f, shape: {box: {center: [16, 16, 23.5], size: [16, 16, 1]}}}\n"
            "  - stats: {id: before}\n"
            "  - mac.project: {tolerance: 1e-7}\n"
            "  - stats: {id: after}\n");
    cr_assert_leq(metric(&r, "mac.project.residual"), 1e-7);
    cr_assert_lt(metric(&r, "mac.project.iterations"), 30);
    cr_assert_lt(metric(&r, "after.max_div_vel"), 2e-6);
    struct grid u = grid_of(&r, "vel", 0), s = grid_of(&r, "solid", 0);
    for (int k = 9; k < 23; k++)
        for (int j = 9; j < 23; j++)
            for (int i = 8; i <= 24; i += i == 9 ? 14 : 1) {
                cr_assert_eq(at(&u, i, j, k), 0, "face (%d,%d,%d) of the wall lets %g m/s through", i, j, k,
                             at(&u, i, j, k));
            }
    double inside = 0;
    for (int i = 10; i < 23; i++) inside = fmax(inside, fabs(at(&u, i, 16, 16)));
    cr_assert_gt(inside, 0.05, "the room has a flow of its own");
    bw_free(u.v);
    bw_free(s.v);
    test_end(&r);
}

/* Inflow into a box without a way out: no flow is free of divergence; the least that is left is the same everywhere,
 * inflow × area / volume = 0.5/1 1/s, and the run goes on. */
Test(projection, inflow_without_a_way_out_spreads_evenly)
{
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: [16, 16, 16], size: [1, 1, 1], sides: {rest: closed, x-: {inflow: [0.5, 0, 0]}}}\n"
            "time: {fps: 10, frames: 1-2, dt: 0.1}\n"
            "stages:\n" KEEP_VEL "  - mac.project: {tolerance: 1e-6}\n"
            "  - stats: {divergence_field: div}\n");
    struct grid d = grid_of(&r, "div", 0);
    for (size_t i = 0; i < grid_count(&d); i++) cr_assert_float_eq(d.v[i], -0.5, 1e-4, "divergence %g", d.v[i]);
    bw_free(d.v);
    test_end(&r);
}

/* Expansion: `divergence` = 2 1/s in a ball; the flow through the open sides is its integral. */
Test(projection, expansion_flows_out_of_the_box)
{
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: [24, 24, 24], voxel: 1, origin: [0, 0, 0], sides: {rest: open, bottom: closed}}\n"
            "time: {fps: 10, frames: 1-2, dt: 0.1}\n"
            "stages:\n" KEEP_VEL
            "  - set: {field: divergence, when: always, value: \"(x-9)^2 + (y-12)^2 + (z-11)^2 < 16 ? 2 : 0\"}\n"
            "  - mac.project: {tolerance: 1e-7}\n");
    double out = 0;
    for (int c = 0; c < 3; c++) {
        struct grid u = grid_of(&r, "vel", (uint32_t)c);
        for (int q = 0; q < 24; q++)
            for (int p = 0; p < 24; p++)
                out += c == 0   ? at(&u, 24, p, q) - at(&u, 0, p, q)
                       : c == 1 ? at(&u, p, 24, q) - at(&u, p, 0, q)
                                : at(&u, p, q, 24) - at(&u, p, q, 0);
        bw_free(u.v);
    }
    struct grid d = grid_of(&r, "divergence", 0);
    double source = grid_sum(&d);
    cr_assert_gt(source, 400);
    cr_assert_float_eq(out, source, 1e-5 * source, "%g m³/s leave, %g are made", out, source);
    bw_free(d.v);
    test_end(&r);
}

/* A closed side that moves inwards is a piston: all the air goes along, out of the open side. */
Test(projection, a_moving_side_is_a_piston)
{
    for (int a = 0; a < 3; a++) {
        double v[3] = {0};
        v[a] = .3;
        struct test_run r = run("billow: 1\n"
                                "domain: {cells: [19, 17, 18], voxel: 1 cm, sides: {rest: closed,"
                                " %c-: {closed: {velocity: [%g, %g, %g]}}, %c+: open}}\n"
                                "time: {fps: 25, frames: 1001-1002, substeps: 1}\n"
                                "stages:\n" KEEP_VEL "  - mac.project: {tolerance: 1e-8}\n",
                                'x' + a, v[0], v[1], v[2], 'x' + a);
        for (int c = 0; c < 3; c++) {
            struct grid u = grid_of(&r, "vel", (uint32_t)c);
            for (size_t i = 0; i < grid_count(&u); i++)
                cr_assert_float_eq(u.v[i], v[c], 1e-6, "side %c: component %d is %g m/s", 'x' + a, c, u.v[i]);
            bw_free(u.v);
        }
        test_end(&r);
    }
}
