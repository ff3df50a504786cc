// SPDX-License-Identifier: Apache-2.0
/* mac.diffuse: modes that decay at known rates, orders and constants in time and space, walls, and what is kept. */
#include "physics/wide.h"

/* ---- a sine in a periodic box ---- */

/* Amplitude of sin(2πx) that is left of 1 after t = 0.25 with ν = 0.1 on n cells a unit: sum of q·sin over sum of
 * sin²; `wide`: of a field in double. */
static double sine_left(int n, int steps, const char *scheme, int wide)
{
    struct test_options o = {.simd = UINT32_MAX, .module = &wide_module};
    struct test_run r = run_with(&o,
                                 "billow: 1\n"
                                 "domain: {cells: [%d, 4, 1], voxel: %.17g, origin: [0, 0, 0], sides: {x-: periodic, "
                                 "x+: periodic, rest: closed}}\n"
                                 "time: {fps: %.17g, frames: 1-%d, substeps: 1}\n"
                                 "stages:\n"
                                 "  - %s\n"
                                 "  - mac.diffuse: {fine: 0.1 m^2/s, scheme: %s, tolerance: 1e-10}\n",
                                 n, 1. / n, steps / .25, steps + 1,
                                 wide ? "wide: {}" : "set: {field: fine, keep: true, value: \"sin(2*pi*x)\"}", scheme);
    struct grid q = grid_of(&r, "fine", 0);
    double sum = 0, square = 0, residual = metric(&r, "mac.diffuse.residual_fine");
    for (int i = 0; i < n; i++) {
        double s = sin(2 * PI * (i + .5) / n);
        sum += at(&q, i, 1, 0) * s;
        square += s * s;
    }
    cr_assert_leq(residual, 1e-10, "residual %g with %d steps of %s", residual, steps, scheme);
    cr_assert_float_eq(metric(&r, "mac.diffuse.number_fine") / (.1 * .25 / steps * n * n), 1, 1e-9);
    bw_free(q.v);
    test_end(&r);
    return sum / square;
}

/* On a grid the sine is an eigenvector with the eigenvalue below: what is left against exp(-λt) is time's error alone.
 * Euler: (1+λdt)^-n = e^(-λt) (1 + λ²t dt/2 …); Crank–Nicolson: e^(-λt) (1 - λ³t dt²/12 …). */
Test(sine, order_in_time)
{
    double lambda = .1 * 32 * 32 * (2 - 2 * cos(2 * PI / 32)), exact = exp(-lambda * .25), euler[3], nicolson[3];
    for (int i = 0; i < 3; i++) {
        euler[i] = sine_left(32, 8 << i, "euler", 1) / exact - 1;
        nicolson[i] = 1 - sine_left(32, 4 << i, "crank-nicolson", 1) / exact;
    }
    double dt = .25 / 32, one = lambda * lambda * .25 * dt / 2;
    cr_assert_float_eq(order(euler[1], euler[2]), 1, .02, "Euler: order %g", order(euler[1], euler[2]));
    cr_assert_float_eq(euler[2] / one, 1, .05, "Euler: %g of the error expected", euler[2] / one);
    dt = .25 / 16;
    double two = lambda * lambda * lambda * .25 * dt * dt / 12;
    cr_assert_float_eq(order(nicolson[1], nicolson[2]), 2, .02, "CN: order %g", order(nicolson[1], nicolson[2]));
    cr_assert_float_eq(nicolson[2] / two, 1, .05, "CN: %g of the error expected", nicolson[2] / two);
}

/* Against exp(-νk²t), steps short enough not to count: the error is νk⁴h²t/12 of it. */
Test(sine, order_in_space)
{
    double k = 2 * PI, rate = .1 * k * k, error[3];
    for (int i = 0; i < 3; i++) error[i] = sine_left(16 << i, 200, "crank-nicolson", 1) / exp(-rate * .25) - 1;
    double want = rate * k * k / 64 / 64 * .25 / 12;
    cr_assert_float_eq(order(error[1], error[2]), 2, .05, "order %g", order(error[1], error[2]));
    cr_assert_float_eq(error[2] / want, 1, .05, "%g of the error expected", error[2] / want);
}

/* Single precision follows to its last digits; so does a step that is far too long for an explicit scheme. */
Test(sine, single_precision_and_long_steps)
{
    double lambda = .1 * 64 * 64 * (2 - 2 * cos(2 * PI / 64));
    cr_assert_float_eq(sine_left(64, 100, "euler", 0), pow(1 + lambda * .25 / 100, -100), 3e-6);
    cr_assert_float_eq(sine_left(64, 1, "euler", 0), 1 / (1 + lambda * .25), 1e-6);
    cr_assert_float_eq(sine_left(64, 1, "euler", 1), 1 / (1 + lambda * .25), 1e-10);
}

/* ---- the flow ---- */

/* Taylor–Green vortices keep their shape and fade like exp(-2νk²t): across the seams of tiles, in 2D and in 3D. */
Test(flow, taylor_green_decays)
{
    if (test_short()) cr_skip_test("accuracy alone");
    for (int tall = 1; tall <= 20; tall += 19) {
        struct test_run r = run(
            "billow: 1\n"
            "domain: {cells: [72, 72, %d], size: [1, 1, %.17g], origin: [0, 0, 0], sides: {rest: periodic}}\n"
            "time: {fps: 100, frames: 1-26, substeps: 1}\n"
            "stages:\n"
            "  - set: {field: vel, keep: true, value: [\"sin(2*pi*x)*cos(2*pi*y)\", \"-cos(2*pi*x)*sin(2*pi*y)\", 0]}\n"
            "  - mac.diffuse: {viscosity: 0.02, scheme: crank-nicolson, tolerance: 1e-6}\n"
            "  - stats: {}\n",
            tall, tall / 72.);
        double lambda = .02 * 72 * 72 * 2 * (2 - 2 * cos(2 * PI / 72));
        double left = metric(&r, "stats.energy_vel") * 72 / tall / .25, want = exp(-2 * lambda * .25);
        cr_assert_float_eq(left / want, 1, 3e-5, "%d planes: energy left %.7g, not %.7g", tall, left, want);
        test_end(&r);
    }
}

/* Flow along one axis between walls at 0 and 1 on another (each in turn): sin πx where it sticks, cos πx where it
 * slides. A no-slip wall half a cell from the first value is what the order checks. */
static double channel_error(int n, int across, const char *slip, const char *mode)
{
    static const char *const names[] = {"x", "y", "z"};
    char cells[64], sides[256], value[128];
    int along = (across + 1) % 3, c[3] = {3, 3, 3};
    c[across] = n;
    c[along] = 4;
    snprintf(cells, sizeof cells, "[%d, %d, %d]", c[0], c[1], c[2]);
    snprintf(sides, sizeof sides,
             "{%s-: periodic, %s+: periodic, %s-: {closed: {slip: %s}}, %s+: {closed: {slip: %s}}, rest: periodic}",
             names[along], names[along], names[across], slip, names[across], slip);
    snprintf(value, sizeof value, "\"%s(pi*%s)\"", mode, names[across]);
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: %s, voxel: %.17g, origin: [0, 0, 0], sides: %s}\n"
            "time: {fps: 100, frames: 1-51, substeps: 1}\n"
            "stages:\n"
            "  - set: {field: vel, keep: true, value: [%s, %s, %s]}\n"
            "  - mac.diffuse: {viscosity: 0.1, scheme: crank-nicolson, tolerance: 1e-7}\n",
            cells, 1. / n, sides, along == 0 ? value : "0", along == 1 ? value : "0", along == 2 ? value : "0");
    struct grid u = grid_of(&r, "vel", (uint32_t)along);
    double worst = 0, left = exp(-.1 * PI * PI * .5);
    for (int i = 0; i < n; i++) {
        int x[3] = {0, 0, 0};
        x[across] = i;
        x[along] = 2;
        double s = (i + .5) / n, want = left * (mode[0] == 's' ? sin(PI * s) : cos(PI * s));
        worst = fmax(worst, fabs(at(&u, x[0], x[1], x[2]) - want));
    }
    bw_free(u.v);
    test_end(&r);
    return worst;
}

Test(flow, walls_that_hold_and_walls_that_do_not)
{
    if (test_short()) cr_skip_test("accuracy alone");
    double first = channel_error(16, 0, "no", "sin"), slide = channel_error(16, 0, "free", "cos");
    for (int a = 0; a < 3; a++) {
        double sticks[2] = {channel_error(16, a, "no", "sin"), channel_error(32, a, "no", "sin")};
        double slides[2] = {channel_error(16, a, "free", "cos"), channel_error(32, a, "free", "cos")};
        cr_assert_float_eq(order(sticks[0], sticks[1]), 2, .1, "no slip across %c: order %g", 'x' + a,
                           order(sticks[0], sticks[1]));
        cr_assert_float_eq(order(slides[0], slides[1]), 2, .1, "free slip across %c: order %g", 'x' + a,
                           order(slides[0], slides[1]));
        cr_assert_float_eq(sticks[0], first, 1e-6);
        cr_assert_float_eq(slides[0], slide, 1e-6);
    }
    double want = exp(-.1 * PI * PI * .5) * .1 * pow(PI, 4) / 32 / 32 * .5 / 12,
           fine = channel_error(32, 0, "no", "sin");
    cr_assert_float_eq(fine / want, 1, .1, "%g of the error expected", fine / want);
}

/* Across closed walls a flow is held on the walls themselves: sin πs on faces is a mode of its own, and decays so. */
Test(flow, across_walls)
{
    enum { N = 40, STEPS = 20 };
    for (int a = 0; a < 3; a++) {
        static const char *const value[] = {"\"sin(pi*x)\", 0, 0", "0, \"sin(pi*y)\", 0", "0, 0, \"sin(pi*z)\""};
        static const char *const names[] = {"left: closed, right: closed", "front: closed, back: closed",
                                            "bottom: closed, top: closed"};
        int c[3] = {3, 3, 3};
        c[a] = N;
        struct test_run r = run("billow: 1\n"
                                "domain: {cells: [%d, %d, %d], voxel: %.17g, origin: [0, 0, 0], sides: {%s, rest: "
                                "periodic}}\n"
                                "time: {fps: 40, frames: 1-%d, substeps: 1}\n"
                                "stages:\n"
                                "  - set: {field: vel, keep: true, value: [%s]}\n"
                                "  - mac.diffuse: {viscosity: 0.1, tolerance: 1e-7}\n",
                                c[0], c[1], c[2], 1. / N, names[a], STEPS + 1, value[a]);
        struct grid u = grid_of(&r, "vel", (uint32_t)a);
        double lambda = .1 * N * N * (2 - 2 * cos(PI / N)), left = pow(1 + lambda / 40, -STEPS);
        for (int i = 0; i <= N; i++) {
            int x[3] = {1, 1, 1};
            x[a] = i;
            cr_assert_float_eq(at(&u, x[0], x[1], x[2]), left * sin(PI * i / N), 2e-6, "%c, face %d", 'x' + a, i);
        }
        bw_free(u.v);
        test_end(&r);
    }
}

/* Couette flow, after a few very long steps: between a wall at rest and one that moves, a straight line, whether the
 * walls are sides of the domain or obstacles, on cells' faces or not. Walls are at `low` and `high`, in cells. */
static void couette_check(const struct test_run *r, int along, int across, double low, double high, const char *what)
{
    struct grid u = grid_of(r, "vel", (uint32_t)along);
    for (int k = (int)ceil(low - .5); k + .5 < high; k++) {
        int x[3] = {1, 1, 1};
        if (u.n[3 - along - across] == 1) x[3 - along - across] = 0;
        x[across] = k;
        double want = .5 * (k + .5 - low) / (high - low), v = at(&u, x[0], x[1], x[2]);
        cr_assert_float_eq(v, want, 2e-5, "%s at %g and %g: %g m/s in row %d, not %g", what, low, high, v, k, want);
    }
    bw_free(u.v);
}

Test(flow, couette_between_sides)
{
    struct test_run r = run(
        "billow: 1\n"
        "domain: {cells: [8, 1, 20], voxel: 0.05, floor: 0, sides: {left: periodic, right: periodic, bottom: {closed: "
        "{slip: no}}, top: {closed: {slip: no, velocity: [0.5, 0, 0]}}, rest: periodic}}\n"
        "time: {fps: 1, frames: 1-6, dt: 1}\nstages:\n" KEEP_VEL "  - mac.diffuse: {viscosity: 10, tolerance: 1e-6}\n");
    couette_check(&r, 0, 2, 0, 20, "sides");
    test_end(&r);
}

/* Poiseuille flow, after a few very long steps: 2 m/s² between walls a metre apart that hold a viscosity of 1 m²/s, a
 * parabola z(1-z), to rounding on 8 cells. (A line through the wall and one value is h²/4 off, 2 % of the peak.) */
Test(flow, poiseuille_between_sides)
{
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: [4, 1, 8], voxel: 0.125, floor: 0, sides: {left: periodic, right: periodic, bottom: "
            "{closed: {slip: no}}, top: {closed: {slip: no}}, rest: periodic}}\n"
            "time: {fps: 1, frames: 1-9, dt: 1}\nstages:\n" KEEP_VEL
            "  - force: {kind: {wind: {velocity: [2e5, 0, 0], rate: 1e-5 1/s}}}\n"
            "  - mac.diffuse: {viscosity: 1, tolerance: 1e-7}\n  - mac.project: {}\n");
    struct grid u = grid_of(&r, "vel", 0);
    for (int k = 0; k < 8; k++) {
        const double z = (k + .5) / 8, want = z * (1 - z), is = at(&u, 1, 0, k);
        cr_assert_float_eq(is, want, 1e-5, "%.6f m/s at %g m, not %.6f", is, z, want);
    }
    bw_free(u.v);
    test_end(&r);
}

/* Obstacles from both ends of 24 cells of 5 cm to the walls, the upper one moving. */
static void couette_of_obstacles(int across, double low, double high)
{
    int along = (across + 1) % 3, c[3] = {3, 3, 3};
    double centre[3][3] = {{0}}, size[2][3] = {{9, 9, 9}, {9, 9, 9}};
    c[across] = 24;
    size[0][across] = low * .05;
    size[1][across] = 1.2 - high * .05;
    centre[0][across] = size[0][across] / 2;
    centre[1][across] = centre[2][across] = 1.2 - size[1][across] / 2;
    centre[2][along] = 2;
    struct test_run r = run(
        "billow: 1\n"
        "domain: {cells: [%d, %d, %d], voxel: 0.05, origin: [0, 0, 0], sides: {rest: periodic}}\n"
        "time: {fps: 1, frames: 1-5, dt: 1}\n"
        "stages:\n" KEEP_VEL "  - collide: {id: low, shape: {box: {center: [%g, %g, %g], size: [%g, %g, %g]}}}\n"
        "  - collide: {id: high, shape: {box: {center: {keys: {1: [%g, %g, %g], 5: [%g, %g, %g]}, ease: linear}, "
        "size: [%g, %g, %g]}}}\n"
        "  - mac.diffuse: {viscosity: 10, tolerance: 1e-6, max_iterations: 10000}\n",
        c[0], c[1], c[2], centre[0][0], centre[0][1], centre[0][2], size[0][0], size[0][1], size[0][2], centre[1][0],
        centre[1][1], centre[1][2], centre[2][0], centre[2][1], centre[2][2], size[1][0], size[1][1], size[1][2]);
    couette_check(&r, along, across, low, high, "obstacles");
    test_end(&r);
}

Test(flow, couette_between_obstacles)
{
    for (int across = test_short() ? 2 : 0; across < 3; across++) {
        couette_of_obstacles(across, 2, 20);
        couette_of_obstacles(across, 1.7, 20.2);
    }
    couette_of_obstacles(2, 2.49, 19.51);
}

/* Where the flow slides along obstacles, nothing slows it. */
Test(flow, slides_along_obstacles)
{
    struct test_run r = run("billow: 1\n"
                            "domain: {cells: [8, 1, 20], voxel: 0.05, floor: 0, sides: {rest: periodic}}\n"
                            "time: {fps: 1, frames: 1-2, dt: 1}\n"
                            "stages:\n"
                            "  - set: {field: vel, keep: true, value: [\"z>0.1 && z<0.8 ? 1 : 0\", 0, 0]}\n"
                            "  - collide: {id: low, shape: {box: {center: [0, 0, 0.05], size: [9, 9, 0.1]}}}\n"
                            "  - collide: {id: high, shape: {box: {center: [0, 0, 0.9], size: [9, 9, 0.2]}}}\n"
                            "  - mac.diffuse: {viscosity: 0.1, slip: free}\n");
    struct grid u = grid_of(&r, "vel", 0);
    for (int k = 2; k < 16; k++) cr_assert_float_eq(at(&u, 3, 0, k), 1, 1e-6);
    bw_free(u.v);
    test_end(&r);
}

/* ---- openings ---- */

/* Beyond an open side a scalar has its background, beyond an inflow the flow has the stream's velocity, a cell away:
 * sin(π(i+1)/(n+1)) on top of that is a mode of its own. */
static void mode_check(const char *field, uint32_t c, const char *side, const char *value, const char *what,
                       double base)
{
    enum { N = 31, STEPS = 10 };
    struct test_run r = run("billow: 1\n"
                            "domain: {cells: [%d, 3, 3], voxel: 1, origin: [0, 0, 0], sides: {left: %s, right: %s, "
                            "rest: periodic}}\n"
                            "time: {fps: 1, frames: 1-%d, dt: 1}\n"
                            "stages:\n"
                            "  - set: {field: %s, keep: true, value: %s}\n"
                            "  - mac.diffuse: {%s: 4, tolerance: 1e-7}\n",
                            N, side, side, STEPS + 1, field, value, what);
    struct grid q = grid_of(&r, field, c);
    double left = pow(1 + 4 * (2 - 2 * cos(PI / (N + 1))), -STEPS);
    for (int i = 0; i < N; i++) {
        double want = base + left * sin(PI * (i + 1) / (N + 1));
        cr_assert_float_eq(at(&q, i, 0, 1), want, 3e-6, "%s, cell %d: %g, not %g", side, i, at(&q, i, 0, 1), want);
    }
    bw_free(q.v);
    test_end(&r);
}

Test(open, what_lies_beyond)
{
    mode_check("density", 0, "open", "\"sin(pi*(x+0.5)/32)\"", "density", 0);
    mode_check("vel", 1, "{inflow: [0, 0.5, 0]}", "[0, \"0.5+sin(pi*(x+0.5)/32)\", 0]", "viscosity", .5);
}

/* A uniform flow has nothing to lose: through openings, in from a side, along walls that slide or move with it. */
Test(open, a_uniform_stream_stays)
{
    static const char *const sides[] = {
        "rest: open", "left: {inflow: [1, 0, 0]}, right: open, rest: closed",
        "left: {inflow: [1, 0, 0]}, right: open, rest: {closed: {slip: no, velocity: [1, 0, 0]}}"};
    for (int i = 0; i < 3; i++) {
        struct test_run r = run("billow: 1\n"
                                "domain: {cells: [20, 18, 17], voxel: 1, sides: {%s}}\n"
                                "time: {fps: 1, frames: 1-4, dt: 1}\n"
                                "fields: {vel: {background: [1, 0, 0]}}\n"
                                "stages:\n"
                                "  - set: {field: vel, keep: true, value: [1, 0, 0]}\n"
                                "  - mac.diffuse: {viscosity: 5}\n",
                                sides[i]);
        for (uint32_t c = 0; c < 3; c++) {
            struct grid u = grid_of(&r, "vel", c);
            for (size_t k = 0; k < grid_count(&u); k++)
                cr_assert_float_eq(u.v[k], c == 0, 1e-6, "%s: %g", sides[i], u.v[k]);
            bw_free(u.v);
        }
        test_end(&r);
    }
}

/* Around the active tiles the gas is at rest: one tile, whose faces are 17 along their own axis and 16 beside it. */
Test(open, edge_of_the_active_tiles)
{
    for (int a = 0; a < 3; a++) {
        char mode[256], value[3][256];
        snprintf(mode, sizeof mode, "\"sin(pi*(x-%s)/%d)*sin(pi*(y-%s)/%d)*sin(pi*(z-%s)/%d)\"", a == 0 ? "15" : "15.5",
                 a == 0 ? 18 : 17, a == 1 ? "15" : "15.5", a == 1 ? 18 : 17, a == 2 ? "15" : "15.5", a == 2 ? 18 : 17);
        for (int c = 0; c < 3; c++) snprintf(value[c], sizeof value[c], "%s", c == a ? mode : "0");
        struct test_run r = run("billow: 1\n"
                                "domain: {cells: [48, 48, 48], voxel: 1, origin: [0, 0, 0], margin: 0, sides: {rest: "
                                "open}}\n"
                                "time: {fps: 1, frames: 1-5, dt: 1}\n"
                                "stages:\n"
                                "  - set: {id: keep, field: density, keep: true, box: {lo: [17, 17, 17], hi: [31, 31, "
                                "31]}, value: 0}\n"
                                "  - set: {field: vel, value: [%s, %s, %s]}\n"
                                "  - mac.diffuse: {viscosity: 3, tolerance: 1e-7}\n",
                                value[0], value[1], value[2]);
        cr_assert_eq(bw_chain_tiles(r.chain), 1);
        struct grid u = grid_of(&r, "vel", (uint32_t)a);
        double left = pow(1 + 3 * (6 - 2 * cos(PI / 18) - 4 * cos(PI / 17)), -4);
        for (int k = 16; k < 32 + (a == 2); k++)
            for (int j = 16; j < 32 + (a == 1); j++)
                for (int i = 16; i < 32 + (a == 0); i++) {
                    double x[3] = {i - 15, j - 15, k - 15}, want = left;
                    for (int d = 0; d < 3; d++) want *= sin(PI * x[d] / (d == a ? 18 : 17));
                    cr_assert_float_eq(at(&u, i, j, k), want, 2e-6, "face %c (%d, %d, %d): %g, not %g", 'x' + a, i, j,
                                       k, at(&u, i, j, k), want);
                }
        bw_free(u.v);
        test_end(&r);
    }
}

/* ---- what is kept ---- */

/* A closed box with an obstacle, several tiles, a vector and two scalars, each with its own rate; a tolerance so loose
 * that the solve stops early must not cost anything either. */
static struct test_run box_run(uint32_t threads, const char *tolerance)
{
    struct test_options o = {.threads = threads, .simd = UINT32_MAX, .module = &wide_module};
    return run_with(&o,
                    "billow: 1\n"
                    "domain: {cells: [40, 36, 20], voxel: 0.05, origin: [0, 0, 0], sides: {rest: closed}}\n"
                    "time: {fps: 10, frames: 1-11, substeps: 1}\n"
                    "fields: {dye: {kind: vector}}\n"
                    "stages:\n"
                    "  - collide: {shape: {sphere: {center: [1, 0.9, 0.5], radius: 0.3}}}\n"
                    "  - set: {id: a, field: density, keep: true, value: \"x>1.4 ? 1 : 0\"}\n"
                    "  - set: {id: b, field: dye, keep: true, value: [\"y>1.5\", \"z>0.8\", \"x<0.3\"]}\n"
                    "  - wide: {shape: corner}\n"
                    "  - set: {id: v, field: vel, keep: true, value: [\"sin(y)\", \"cos(z)\", \"x\"]}\n"
                    "  - mac.diffuse: {viscosity: 0.01, density: 0.02, dye: 1e-3, fine: 0.5, tolerance: %s}\n",
                    tolerance);
}

static double total(const struct test_run *r, const char *field, uint32_t c)
{
    struct grid g = grid_of(r, field, c);
    double sum = grid_sum(&g);
    bw_free(g.v);
    return sum;
}

Test(kept, sums_in_a_closed_box)
{
    static const char *const tolerance[] = {"1e-6", "0.3"};
    for (int i = 0; i < (test_short() ? 1 : 2); i++) {
        struct test_run r = box_run(2, tolerance[i]);
        cr_assert_float_eq(total(&r, "density", 0) / (12 * 36 * 20), 1, 1e-6);
        cr_assert_float_eq(total(&r, "dye", 0) / (40 * 6 * 20), 1, 1e-6);
        cr_assert_float_eq(total(&r, "dye", 1) / (40 * 36 * 4), 1, 1e-6);
        cr_assert_float_eq(total(&r, "dye", 2) / (6 * 36 * 20), 1, 1e-6);
        cr_assert_float_eq(total(&r, "fine", 0) / (3 * 10 * 10 * 20), 1, 1e-12);
        struct grid s = grid_of(&r, "solid", 0), q = grid_of(&r, "density", 0);
        int inside = 0;
        for (size_t k = 0; k < grid_count(&s); k++) {
            if (!(s.v[k] < 0)) continue;
            inside++;
            cr_assert_eq(q.v[k], 0, "smoke %g got into the ball", q.v[k]);
        }
        cr_assert_gt(inside, 500);
        cr_assert_lt(grid_max(&q), 1);
        bw_free(s.v);
        bw_free(q.v);
        test_end(&r);
    }
}

Test(kept, bits_for_any_threads)
{
    if (test_short()) cr_skip_test("as sums_in_a_closed_box");
    struct test_run one = box_run(1, "1e-6"), two = box_run(2, "1e-6");
    static const char *const names[] = {"vel", "density", "dye", "fine"};
    for (int i = 0; i < 4; i++) cr_assert_eq(test_hash(&one, names[i]), test_hash(&two, names[i]), "%s", names[i]);
    test_end(&one);
    test_end(&two);
}

/* ---- words ---- */

static void refuse(const char *stage, const char *sentence)
{
    run_refused(sentence,
                "billow: 1\ndomain: {cells: [8, 8, 8], voxel: 1}\ntime: {fps: 1, frames: 1-2}\nstages:\n"
                "  - set: {field: density, keep: true, value: 1}\n  - %s\n",
                stage);
}

Test(words, refusals)
{
    refuse("mac.diffuse: {viscosity: 1}", "a viscosity needs a flow");
    refuse("mac.diffuse: {viscosity: -1}", "viscosity");
    refuse("mac.diffuse: {density: -1}", "must be between 0 and");
    refuse("mac.diffuse: {density: [1, 2, 3]}", "one number, not three");
    refuse("mac.diffuse: {smoke: 1}", "no stage makes it");
    refuse("mac.diffuse: {viscosity: 1 m/s}", "wanted is a diffusivity");
}

/* A solve that may not take as long as it needs: the metric tells what is left, nothing is lost, the run goes on. */
Test(words, a_solve_that_stalls)
{
    struct test_run r = run("billow: 1\n"
                            "domain: {cells: [16, 16, 16], voxel: 1, sides: {rest: closed}}\n"
                            "time: {fps: 1, frames: 1-2, dt: 1}\n"
                            "stages:\n"
                            "  - set: {field: density, keep: true, value: \"x>0 ? 1 : 0\"}\n"
                            "  - mac.diffuse: {density: 100, max_iterations: 3}\n");
    cr_assert_gt(metric(&r, "mac.diffuse.residual_density"), 1e-4);
    cr_assert_eq(metric(&r, "mac.diffuse.iterations_density"), 3);
    cr_assert_float_eq(total(&r, "density", 0), 2048, 2e-3);
    test_end(&r);
}
