// SPDX-License-Identifier: Apache-2.0
/* flux, mode euler: sound, exact Riemann problems, order, what is kept, what stays positive, symmetry, sameness. */
#include "physics/physics.h"
#include <string.h>

#define GAMMA 1.4

/* ---- sound ---- */

/* A small standing wave of one period in a box of 1 m: rho' = A cos(kx) cos(wt). Returns w/k, m/s. */
static double sound_measured(const char *gas, int cells)
{
    const double amplitude = 1e-3, c = 340, t = .4 / c;
    const int isothermal = gas[0] == 'i' && gas[1] == 's';
    char energy[200] = "0";
    if (!isothermal) snprintf(energy, sizeof energy, "%.17g*cos(2*pi*x)", amplitude * 1.2 * c * c / (GAMMA - 1));
    struct test_run r = run("billow: 1\n"
                            "domain: {cells: [%d, 4, 1], voxel: %.17g, origin: [0, 0, 0], sides: {x-: periodic, x+: "
                            "periodic, rest: closed}}\n"
                            "time: {fps: %.17g, frames: 1-2, substeps: 1}\n"
                            "stages:\n"
                            "  - set: {id: m, field: mass, value: \"1.2*(1 + %g*cos(2*pi*x))\", keep: true}\n"
                            "  - set: {id: e, field: energy, value: \"%s\"}\n"
                            "  - flux: {gas: %s, sound_speed: 340}\n",
                            cells, 1. / cells, 1 / t, amplitude, energy, gas);
    struct grid rho = grid_of(&r, "mass", 0);
    double sum = 0;
    for (int i = 0; i < cells; i++) sum += (at(&rho, i, 1, 0) / 1.2 - 1) * cos(2 * PI * (i + .5) / cells) * 2 / cells;
    bw_free(rho.v);
    test_end(&r);
    return acos(sum / amplitude) /
           (2 * PI * t); // cos(w t) at w t = 0.8 pi, where damping shifts it least beyond a quarter
}

Test(sound, runs_at_its_speed)
{
    double ideal = sound_measured("ideal", 128), isothermal = sound_measured("isothermal", 128);
    fprintf(stderr, "sound of 340 m/s: %.2f (ideal), %.2f (isothermal)\n", ideal, isothermal);
    cr_assert_float_eq(ideal / 340, 1, .01);
    cr_assert_float_eq(isothermal / 340, 1, .01);
}

/* ---- Riemann problems ---- */

struct state {
    double r, u, p;
};

/* Velocity change and its derivative across the wave from state s to pressure p (Toro, ch. 4); isothermal: c² rho = p.
 */
static double wave(const struct state *s, double p, double gamma, double c, double *slope)
{
    if (gamma == 1) {
        double q = p / s->p;
        *slope = p > s->p ? c * (.5 / sqrt(q) + .5 / (q * sqrt(q))) / s->p : c / p;
        return p > s->p ? c * (sqrt(q) - 1 / sqrt(q)) : c * log(q);
    }
    double a = 2 / (gamma + 1) / s->r, b = (gamma - 1) / (gamma + 1) * s->p, sound = sqrt(gamma * s->p / s->r);
    if (p > s->p) {
        double root = sqrt(a / (p + b));
        *slope = root * (1 - (p - s->p) / 2 / (b + p));
        return (p - s->p) * root;
    }
    *slope = pow(p / s->p, -(gamma + 1) / 2 / gamma) / (s->r * sound);
    return 2 * sound / (gamma - 1) * (pow(p / s->p, (gamma - 1) / 2 / gamma) - 1);
}

/* Side s of the fan at speed x (seen so that s lies at x = -infinity), between it and the contact. */
static struct state side_at(const struct state *s, double p, double u, double x, double gamma, double c)
{
    double sound = gamma == 1 ? c : sqrt(gamma * s->p / s->r);
    if (p > s->p) {
        double q = p / s->p, speed = gamma == 1
                                         ? s->u - c * sqrt(q)
                                         : s->u - sound * sqrt((gamma + 1) / 2 / gamma * q + (gamma - 1) / 2 / gamma);
        double g = (gamma - 1) / (gamma + 1), r = gamma == 1 ? s->r * q : s->r * (q + g) / (g * q + 1);
        return x < speed ? *s : (struct state){r, u, p};
    }
    double r = gamma == 1 ? s->r * p / s->p : s->r * pow(p / s->p, 1 / gamma),
           tail = gamma == 1 ? c : sqrt(gamma * p / r);
    if (x < s->u - sound) return *s;
    if (x > u - tail) return (struct state){r, u, p};
    if (gamma == 1) {
        double v = x + c, rho = s->r * exp(-(v - s->u) / c);
        return (struct state){rho, v, c * c * rho};
    }
    double q = 2 / (gamma + 1) + (gamma - 1) / (gamma + 1) / sound * (s->u - x), rho = s->r * pow(q, 2 / (gamma - 1));
    return (struct state){rho, 2 / (gamma + 1) * (sound + (gamma - 1) / 2 * s->u + x),
                          s->p * pow(q, 2 * gamma / (gamma - 1))};
}

/* The exact solution at x/t. */
static struct state riemann(struct state l, struct state r, double x, double gamma, double c)
{
    double p = .5 * (l.p + r.p), dl, dr, fl, fr;
    for (int i = 0; i < 100; i++) {
        fl = wave(&l, p, gamma, c, &dl);
        fr = wave(&r, p, gamma, c, &dr);
        p = fmax(p - (fl + fr + r.u - l.u) / (dl + dr), 1e-6 * p);
    }
    double u = .5 * (l.u + r.u) + .5 * (wave(&r, p, gamma, c, &dr) - wave(&l, p, gamma, c, &dl));
    if (x < u) return side_at(&l, p, u, x, gamma, c);
    struct state mirror = {r.r, -r.u, r.p}, s = side_at(&mirror, p, -u, -x, gamma, c);
    s.u = -s.u;
    return s;
}

/* Mean |error| of the mass over its mean, on n cells along `axis`, at time t. Sound in the ambient gas is 1 m/s. */
static double tube_error(const char *gas, const char *flux, int axis, int n, struct state l, struct state r, double t)
{
    const int isothermal = !strcmp(gas, "isothermal");
    const double gamma = isothermal ? 1 : GAMMA, rest = 1 / GAMMA / (GAMMA - 1); // energy of ambient gas: rho 1, c 1
    char cells[64], m[3][128] = {"0", "0", "0"}, x = (char)('x' + axis);
    int c[3] = {3, 3, 3};
    c[axis] = n;
    snprintf(cells, sizeof cells, "[%d, %d, %d]", c[0], c[1], c[2]);
    snprintf(m[axis], sizeof m[axis], "\"%c < 0.5 ? %.17g : %.17g\"", x, l.r * l.u, r.r * r.u);
    struct test_run q =
        run("billow: 1\n"
            "domain: {cells: %s, voxel: %.17g, origin: [0, 0, 0], sides: {rest: closed}}\n"
            "time: {fps: %.17g, frames: 1-2, substeps: 1}\n"
            "stages:\n"
            "  - set: {id: m, field: mass, value: \"%c < 0.5 ? %.17g : %.17g\", keep: true}\n"
            "  - set: {id: u, field: momentum, value: [%s, %s, %s]}\n"
            "  - set: {id: e, field: energy, value: \"%c < 0.5 ? %.17g : %.17g\"}\n"
            "  - flux: {gas: %s, riemann: %s, ambient_density: 1, sound_speed: 1}\n",
            cells, 1. / n, 1 / t, x, l.r, r.r, m[0], m[1], m[2], x, l.p / (GAMMA - 1) + .5 * l.r * l.u * l.u - rest,
            r.p / (GAMMA - 1) + .5 * r.r * r.u * r.u - rest, gas, flux);
    struct grid rho = grid_of(&q, "mass", 0);
    double error = 0, sum = 0;
    for (int i = 0; i < n; i++) {
        int at_cell[3] = {1, 1, 1};
        at_cell[axis] = i;
        double from = (i + .5) / n - .5, want = riemann(l, r, from / t, gamma, 1).r;
        if (l.u != 0 && fabs(from) > .25) continue; // there the walls at the ends are felt
        error += fabs(at(&rho, at_cell[0], at_cell[1], at_cell[2]) - want);
        sum += want;
    }
    bw_free(rho.v);
    test_end(&q);
    return error / sum;
}

Test(tube, exact_solutions)
{
    const struct state sod[2] = {{1, 0, 1}, {.125, 0, .1}}, blast[2] = {{1, 0, 10}, {1, 0, .1}},
                       apart[2] = {{1, -.8, .4}, {1, .8, .4}};
    const struct state thick = {8, 0, 8}, thin = {1, 0, 1}, ram = {1, 1.5, 1}, back = {1, -1.5, 1};
    const struct {
        const char *what, *gas, *flux;
        int axis, n;
        struct state l, r;
        double t;
    } tube[] = {
        {"Sod", "ideal", "hllc", 0, 400, sod[0], sod[1], .2},
        {"Sod along y", "ideal", "hybrid", 1, 400, sod[0], sod[1], .2},
        {"Sod along z, mirrored", "ideal", "hllc", 2, 400, sod[1], sod[0], .2},
        {"Sod, Rusanov", "ideal", "rusanov", 0, 400, sod[0], sod[1], .2},
        {"pressures 100 : 1", "ideal", "hllc", 0, 800, blast[0], blast[1], .1},
        {"pressures 100 : 1, hybrid", "ideal", "hybrid", 2, 800, blast[0], blast[1], .1},
        {"drawn apart", "ideal", "hllc", 0, 400, apart[0], apart[1], .12},
        {"isothermal 8 : 1", "isothermal", "hllc", 0, 400, thick, thin, .2},
        {"isothermal, Rusanov", "isothermal", "rusanov", 1, 400, thick, thin, .2},
        {"isothermal, head on", "isothermal", "hllc", 2, 400, ram, back, .08},
    };
    for (size_t i = 0; i < sizeof tube / sizeof *tube; i++) {
        if (test_short() && (i == 4 || i == 5 || i == 6 || i == 9))
            continue;                             // the same gas, flux and axis run elsewhere
        const int coarser = test_short() ? 4 : 1; // the error goes with the cell's size
        double e =
            tube_error(tube[i].gas, tube[i].flux, tube[i].axis, tube[i].n / coarser, tube[i].l, tube[i].r, tube[i].t);
        fprintf(stderr, "shock tube %-24s L1 error %.3f %%\n", tube[i].what, 100 * e);
        cr_assert_leq(e, .02 * coarser, "%s: %g", tube[i].what, e);
    }
}

/* ---- order ---- */

/* Density 1 + 0.3 sin 2π(x + y) carried with (1, 0.5) m/s at even pressure: mean |error| after 0.4 s. */
static double carried_error(int n, const char *limiter)
{
    struct test_run r = run("billow: 1\n"
                            "domain: {cells: [%d, %d, 1], voxel: %.17g, origin: [0, 0, 0], sides: {x-: periodic, x+: "
                            "periodic, y-: periodic, y+: periodic, rest: closed}}\n"
                            "time: {fps: 2.5, frames: 1-2, substeps: 1}\n"
                            "fields: {share: {kind: scalar, advect: true}}\n"
                            "stages:\n"
                            "  - set: {id: m, field: mass, value: \"1 + 0.3*sin(2*pi*(x+y))\", keep: true}\n"
                            "  - set: {id: u, field: momentum, value: [\"mass\", \"0.5*mass\", 0]}\n"
                            "  - set: {id: e, field: energy, value: \"0.625*mass\"}\n"
                            "  - set: {id: q, field: share, value: \"mass*(2 + sin(2*pi*y))\"}\n"
                            "  - flux: {ambient_density: 1, sound_speed: 1, limiter: %s}\n",
                            n, n, 1. / n, limiter);
    struct grid rho = grid_of(&r, "mass", 0), q = grid_of(&r, "share", 0);
    double error = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double x = (i + .5) / n - .4, y = (j + .5) / n - .2, want = 1 + .3 * sin(2 * PI * (x + y));
            error += fabs(at(&rho, i, j, 0) - want) / n / n;
            error += fabs(at(&q, i, j, 0) - want * (2 + sin(2 * PI * y))) / n / n;
        }
    bw_free(rho.v), bw_free(q.v);
    test_end(&r);
    return error;
}

Test(order, smooth_waves)
{
    const char *const limiters[] = {"mc", "none"};
    const int n = test_short() ? 8 : 32;
    for (int i = 0; i < 2; i++) {
        double e[3] = {carried_error(n, limiters[i]), carried_error(2 * n, limiters[i]),
                       carried_error(4 * n, limiters[i])};
        fprintf(stderr, "smooth wave, limiter %s: errors %.2e %.2e %.2e, orders %.2f %.2f\n", limiters[i], e[0], e[1],
                e[2], order(e[0], e[1]), order(e[1], e[2]));
        if (test_short()) continue; // too coarse for an order
        cr_assert_geq(order(e[1], e[2]), 1.8);
        cr_assert_leq(e[2], 2e-3);
    }
}

/* ---- what is kept ---- */

/* 10^4 substeps (a tenth when short) of a blast that runs about a closed box with a block in it: the sums stay to
 * rounding of the storage. */
Test(kept, over_ten_thousand_steps)
{
    double sum[2][3];
    for (int after = 0; after < 2; after++) {
        struct test_run r =
            run("billow: 1\nfields: {dye: {kind: scalar, advect: true}}\n"
                "domain: {cells: [48, 40, 1], voxel: 1, origin: [0, 0, 0], sides: {rest: closed}}\n"
                "time: {fps: %g, frames: 1-%d, substeps: 1}\n"
                "stages:\n"
                "  - collide: {shape: {sphere: {center: [30, 22, 0.5], radius: 6}}, wake: always, clear: false}\n"
                "  - set: {id: m, field: mass, value: \"hypot(x-10, y-11) < 5 ? 4 : 1\", keep: true}\n"
                "  - set: {id: e, field: energy, value: \"hypot(x-10, y-11) < 5 ? 9 : 0\"}\n"
                "  - set: {id: d, field: dye, value: \"hypot(x-10, y-11) < 5 ? 1 : 0\"}\n"
                "  - flux: {ambient_density: 1, sound_speed: 1, max_substeps: 100000}\n",
                test_short() ? 2.5e-3 : 2.5e-4, 1 + after);
        const char *const name[] = {"mass", "energy", "dye"};
        for (int c = 0; c < 3; c++) {
            struct grid g = grid_of(&r, name[c], 0);
            sum[after][c] = grid_sum(&g);
            bw_free(g.v);
        }
        if (after) {
            cr_assert_geq(metric(&r, "flux.substeps"), test_short() ? 1000 : 10000);
            fprintf(stderr, "%g substeps: mass off by %.1e, energy %.1e, dye %.1e\n", metric(&r, "flux.substeps"),
                    sum[1][0] / sum[0][0] - 1, sum[1][1] / sum[0][1] - 1, sum[1][2] / sum[0][2] - 1);
            for (int c = 0; c < 3; c++)
                cr_assert_float_eq(sum[1][c] / sum[0][c], 1, 2e-6, "%s: %g", name[c], sum[1][c] / sum[0][c] - 1);
        }
        test_end(&r);
    }
}

/* ---- what stays positive ---- */

static void grid_above(const struct test_run *r, const char *name, double least)
{
    struct grid g = grid_of(r, name, 0);
    for (size_t i = 0; i < grid_count(&g); i++) cr_assert_gt(g.v[i], least);
    bw_free(g.v);
}

/* 500 times the mass and 20000 times the heat beside walls; a vacuum drawn open by two streams. */
Test(positive, violent_starts)
{
    for (int gas = 0; gas < 2; gas++)
        for (int flux = 0; flux < 2; flux++) {
            struct test_run r =
                run("billow: 1\n"
                    "domain: {cells: [%s], voxel: 1, origin: [0, 0, 0], sides: {rest: closed}}\n"
                    "time: {fps: 0.5, frames: 1-%d, substeps: 1}\n"
                    "stages:\n"
                    "  - collide: {shape: {box: {center: [9, 6, 5], size: [4, 6, 50]}}, wake: always}\n"
                    "  - set: {id: m, field: mass, value: \"hypot(x-4, y-4) < 3 ? 500 : 1\", keep: true}\n"
                    "  - set: {id: e, field: energy, value: \"hypot(x-4, y-4) < 3 ? 2e4*%d : 0\"}\n"
                    "  - flux: {gas: %s, riemann: %s, ambient_density: 1, sound_speed: 1}\n",
                    test_short() ? "24, 20, 16" : "40, 36, 32", test_short() ? 2 : 5, !gas,
                    gas ? "isothermal" : "ideal", flux ? "rusanov" : "hllc");
            grid_above(&r, "mass", 0);
            struct grid rho = grid_of(&r, "mass", 0);
            cr_assert_lt(at(&rho, 4, 4, 10), 499);
            bw_free(rho.v);
            test_end(&r);
            r = run("billow: 1\n"
                    "domain: {cells: [100, 4, 1], voxel: 1, origin: [0, 0, 0], sides: {rest: closed}}\n"
                    "time: {fps: 0.1, frames: 1-2, substeps: 1}\n"
                    "stages:\n"
                    "  - set: {id: m, field: mass, value: 1, keep: true}\n"
                    "  - set: {id: u, field: momentum, value: [\"x < 50 ? -6 : 6\", 0, 0]}\n"
                    "  - set: {id: e, field: energy, value: 18}\n"
                    "  - flux: {gas: %s, riemann: %s, ambient_density: 1, sound_speed: 1}\n",
                    gas ? "isothermal" : "ideal", flux ? "rusanov" : "hllc");
            grid_above(&r, "mass", 0);
            test_end(&r);
        }
}

/* ---- walls ---- */

/* A box as wide as the tube runs into the gas at half the speed of sound: the shock before it has the jump of
 * Rankine-Hugoniot, rho2/rho1 = (g + 1)M²/((g - 1)M² + 2) with M = (g + 1)/4 u + sqrt(1 + ((g + 1)/4 u)²), and runs at
 * M; behind it gas follows; the mass outside stays but for a cell's at either face. */
Test(walls, piston)
{
    const double u = .5, k = (GAMMA + 1) / 4 * u, m = k + sqrt(1 + k * k);
    const double jump = (GAMMA + 1) * m * m / ((GAMMA - 1) * m * m + 2);
    for (int axis = test_short() ? 1 : 0; axis < 2; axis++) {
        struct test_run r =
            run("billow: 1\n"
                "domain: {cells: [%s], voxel: 1, origin: [0, 0, 0], sides: {rest: closed}}\n"
                "time: {fps: 1, frames: 1001-1081, substeps: 1}\n"
                "stages:\n"
                "  - collide: {wake: always, clear: false, shape: {box: {center: [%s], size: [%s]}}}\n"
                "  - set: {id: m, field: mass, value: 1, keep: true}\n"
                "  - flux: {ambient_density: 1, sound_speed: 1}\n",
                axis ? "5, 220, 1" : "220, 5, 1", axis ? "2.5, \"=60 + 0.5*t\", 0.5" : "\"=60 + 0.5*t\", 2.5, 0.5",
                axis ? "50, 20, 50" : "20, 50, 50");
        struct grid rho = grid_of(&r, "mass", 0), v = grid_of(&r, "vel", (uint32_t)axis);
        double sum = 0, plateau = 0, front = 0, flow = 0;
        for (int i = 0; i < 220; i++) { // the box is at 90 to 110, the shock at 70 + 80 m
            const double here = axis ? at(&rho, 2, i, 0) : at(&rho, i, 2, 0);
            if (i < 90 || i >= 110) sum += here - 1;
            if (i >= 118 && i < 168) plateau += here / 50, flow += (axis ? at(&v, 2, i, 0) : at(&v, i, 2, 0)) / 50;
            if (i >= 110 && here > (1 + jump) / 2) front = i + 1;
        }
        fprintf(stderr, "piston: mass %.4f (%.4f), flow %.4f (%.4f), shock at %.1f (%.1f), mass lost %.2f of %g\n",
                plateau, jump, flow, u, front, 70 + 80 * m, sum, 200.);
        cr_assert_float_eq(plateau / jump, 1, .02);
        cr_assert_float_eq(flow / u, 1, .02);
        cr_assert_float_eq(front, 70 + 80 * m, 2);
        cr_assert_float_eq(sum, 0, 2);
        cr_assert_float_eq(axis ? at(&v, 2, 110, 0) : at(&v, 110, 2, 0), u, 1e-6, "the obstacle's own velocity");
        bw_free(rho.v), bw_free(v.v);
        test_end(&r);
    }
}

/* A wall between two rows of cells is as good as a block: nothing gets through, and what is beside it is the same. */
Test(walls, between_cells)
{
    for (int q = 0; q < 2; q++) {
        const char *mode = q ? "mode: mass_flow, ambient_density: 1, mass_flow: {rate: 1, neighbours: 8, drain: 1}"
                             : "ambient_density: 1, sound_speed: 1";
        struct grid g[2];
        for (int thick = 0; thick < 2; thick++) {
            struct test_run r =
                run("billow: 1\n"
                    "domain: {cells: [70, 40, 1], voxel: 1, origin: [0, 0, 0], sides: {rest: closed}}\n"
                    "fields: {wall: {kind: mac}}\ntime: {fps: 1, frames: 1-31, substeps: 1}\n"
                    "stages:\n%s"
                    "  - set: {id: m, field: mass, value: \"hypot(x-26, y-12) < 5 ? 8 : 1\", keep: true}\n"
                    "  - set: {id: e, field: energy, value: \"hypot(x-26, y-12) < 5 ? 9 : 0\"}\n"
                    "  - flux: {%s}\n",
                    thick ? "  - collide: {wake: always, clear: false, shape: {box: {center: [37, 20, 0.5], size: "
                            "[10, 50, 9]}}}\n"
                          : "  - set: {id: w, field: wall, value: [\"x == 32 ? 1 : 0\", 0, 0], when: always}\n",
                    mode);
            g[thick] = grid_of(&r, "mass", 0);
            struct grid u = grid_of(&r, "vel", 0);
            for (int j = 0; j < 40; j++) cr_assert_eq(at(&u, 32, j, 0), 0);
            bw_free(u.v);
            test_end(&r);
        }
        double beyond = 0;
        for (int j = 0; j < 40; j++) {
            for (int i = 0; i < 32; i++)
                cr_assert_eq(at(&g[0], i, j, 0), at(&g[1], i, j, 0), "%d: cell %d %d", q, i, j);
            for (int i = 32; i < 70; i++) beyond = fmax(beyond, fabs(at(&g[0], i, j, 0) - 1));
        }
        cr_assert_eq(beyond, 0, "%g got through", beyond);
        cr_assert_gt(fabs(at(&g[0], 28, 12, 0) - 1), .05, "nothing came");
        bw_free(g[0].v), bw_free(g[1].v);
    }
}

/* ---- symmetry and sameness ---- */

/* A round blast between walls looks the same along every axis, to rounding. */
Test(symmetry, axes_are_alike)
{
    const int n = test_short() ? 24 : 40, last = n - 1, o = -n / 2;
    struct test_run r = run("billow: 1\n"
                            "domain: {cells: [%d, %d, %d], voxel: 1, origin: [%d, %d, %d], sides: {rest: closed}}\n"
                            "time: {fps: 0.1, frames: 1-2, substeps: 1}\n"
                            "stages:\n"
                            "  - set: {id: m, field: mass, value: \"hypot(hypot(x, y), z) < 5 ? 4 : 1\", keep: true}\n"
                            "  - set: {id: e, field: energy, value: \"hypot(hypot(x, y), z) < 5 ? 40 : 0\"}\n"
                            "  - flux: {ambient_density: 1, sound_speed: 1}\n",
                            n, n, n, o, o, o);
    struct grid g = grid_of(&r, "mass", 0);
    double worst = 0;
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                worst = fmax(worst, fabs(at(&g, i, j, k) - at(&g, last - i, j, k)));
                worst = fmax(worst, fabs(at(&g, i, j, k) - at(&g, k, j, i)));
                worst = fmax(worst, fabs(at(&g, i, j, k) - at(&g, i, k, j)));
            }
    cr_assert_leq(worst, 2e-4, "off by %g", worst);
    cr_assert_gt(fabs(at(&g, 2, n / 2, n / 2) - 1), 1e-3, "the blast is not there yet");
    bw_free(g.v);
    test_end(&r);
}

static uint64_t blast_hash(uint32_t threads)
{
    struct test_options o = {.threads = threads, .simd = UINT32_MAX};
    struct test_run r = run_with(&o,
                                 "billow: 1\n"
                                 "domain: {cells: [43, 34, 36], voxel: 5 cm, sides: {bottom: closed, rest: open}}\n"
                                 "time: {fps: 30, frames: 1001-%d, substeps: auto}\n"
                                 "stages:\n"
                                 "  - emit: {mass: 8, energy: 4e4, dye: [1, 2, 3], mode: max, frames: 1001-1001, "
                                 "shape: {sphere: {center: [0.2, 0, 0.4], radius: 0.3}}}\n"
                                 "  - collide: {shape: {box: {center: [\"=-0.5 + 2*t\", 0, 0.5], size: [0.3, 1, 1]}}}\n"
                                 "  - flux: {sound_speed: 20}\n",
                                 test_short() ? 1002 : 1003);
    uint64_t h = test_hash(&r, "mass") ^ test_hash(&r, "energy") ^ test_hash(&r, "dye") ^ test_hash(&r, "vel") ^
                 test_hash(&r, "density");
    test_end(&r);
    return h;
}

Test(sameness, threads) { cr_assert_eq(blast_hash(1), blast_hash(2)); }

/* The same blast in a box of which all is computed, and in one that is left alone where nothing moves. */
Test(sameness, sparse)
{
    struct grid g[2];
    struct test_run r[2];
    const int n = test_short() ? 80 : 112; // cells a side; the blast is in the middle
    for (int full = 0; full < 2; full++) {
        r[full] = run("billow: 1\n"
                      "domain: {cells: [%d, %d, %d], voxel: 5 cm, sides: {rest: open}}\n"
                      "time: {fps: 200, frames: 1-%d, substeps: 1}\n"
                      "stages:\n"
                      "%s"
                      "  - emit: {mass: 8, energy: 4e4, mode: max, frames: 1-1, shape: {sphere: {center: [0, 0, %g], "
                      "radius: 0.3}}}\n"
                      "  - flux: {sound_speed: 10, quiet: 1e-5}\n",
                      n, n, n, test_short() ? 2 : 3,
                      full ? "  - set: {field: momentum, value: [0, 0, 0], keep: true}\n" : "", n * .025);
        g[full] = grid_of(&r[full], "mass", 0);
    }
    const int64_t some = bw_chain_tiles(r[0].chain), all = bw_chain_tiles(r[1].chain);
    cr_assert_lt(8 * some, 7 * all, "%lld tiles of %lld", (long long)some, (long long)all);
    double worst = 0;
    for (size_t i = 0; i < grid_count(&g[0]); i++) worst = fmax(worst, fabs(g[0].v[i] - g[1].v[i]));
    cr_assert_leq(worst, 1e-4, "off by %g", worst);
    for (int full = 0; full < 2; full++) {
        bw_free(g[full].v);
        test_end(&r[full]);
    }
}
