// SPDX-License-Identifier: Apache-2.0
/* debris: flight by its closed forms, and its order where there is none; what comes back from a floor and off a box;
 * the spread of what is thrown; as much in the trail, and the trail where the flow takes it, in any steps; bits and
 * refusals. */
#include "grid/grid.h"
#include "physics/physics.h"

#include <string.h>

#define YARD                                                                                                           \
    "billow: 1\n"                                                                                                      \
    "domain: {size: [6.4 m, 1.6 m, 3.2 m], voxel: %g, sides: {bottom: closed, rest: open}}\n"                          \
    "time: {fps: 4, frames: 1-4, substeps: %d, seed: 2}\n"                                                             \
    "stages:\n"                                                                                                        \
    "  - set: {id: wind, field: vel, value: [\"%s\", 0, 0], keep: true}\n"                                             \
    "%s"                                                                                                               \
    "  - debris: {%s}\n%s"

/* One piece from (-2, 0, 1), straight to +x; or up. */
#define ONE "direction: [1, 0, 0], life: 50, " AWAY
#define UP "life: 50, " AWAY
#define AWAY                                                                                                           \
    "count: 1, cone: 0, speed_spread: 0, size_spread: 0, life_spread: 0, "                                             \
    "shape: {sphere: {center: [-2, 0, 1], radius: 1e-7}}, "

struct yard {
    struct test_run run;
    int64_t n;
    const double *pos;
    const float *velocity, *temperature, *size, *age, *life;
};

struct setting {
    double voxel;
    int substeps;
    uint32_t threads;
    const char *wind, *before, *after;
};

static struct yard yard_run(struct setting q, const char *how)
{
    const struct test_options o = {.threads = q.threads ? q.threads : 2, .simd = UINT32_MAX};
    struct yard y = {.run = run_with(&o, YARD, q.voxel > 0 ? q.voxel : 0.1, q.substeps ? q.substeps : 1,
                                     q.wind ? q.wind : "0", q.before ? q.before : "", how, q.after ? q.after : "")};
    struct bw_particles *p = bw_chain_particles(y.run.chain, "debris");
    cr_assert_not_null(p);
    y.n = bw_particles_table.count(p);
    y.pos = bw_particles_table.attribute(p, "pos");
    y.velocity = bw_particles_table.attribute(p, "velocity");
    y.temperature = bw_particles_table.attribute(p, "temperature");
    y.size = bw_particles_table.attribute(p, "size");
    y.age = bw_particles_table.attribute(p, "age");
    y.life = bw_particles_table.attribute(p, "life");
    return y;
}

/* After 3/4 s: gravity alone, and drag alone in a wind: w = v - u, x = u t + L ln(1 + w t/L), v = u + w/(1 + w t/L). */
Test(debris, flies_by_its_closed_forms)
{
    for (int substeps = 1; substeps <= 5; substeps += 4) {
        struct yard y =
            yard_run((struct setting){.substeps = substeps}, ONE "speed: 3, drag_length: 0, gravity: [0, 0.4, 1]");
        const double t = 0.75;
        cr_assert_eq(y.n, 1);
        cr_assert_float_eq(y.age[0], t, 1e-6);
        cr_assert_float_eq(y.pos[0], -2 + 3 * t, 2e-6, "x = %.9g m", y.pos[0]);
        cr_assert_float_eq(y.pos[1], 0.2 * t * t, 2e-6, "y = %.9g m", y.pos[1]);
        cr_assert_float_eq(y.pos[2], 1 + 0.5 * t * t, 2e-6, "z = %.9g m", y.pos[2]);
        cr_assert_float_eq(y.velocity[2], t, 1e-6);
        cr_assert_float_eq(y.temperature[0], (1500 - 293.15) * exp(-t / 0.8), 0.01);
        test_end(&y.run);
        y = yard_run((struct setting){.substeps = substeps, .wind = "-1"},
                     ONE "speed: 5, drag_length: 2, gravity: [0, 0, 0]");
        cr_assert_float_eq(y.pos[0], -2 - t + 2 * log1p(6 * t / 2), 5e-6, "x = %.9g m", y.pos[0]);
        cr_assert_float_eq(y.velocity[0], -1 + 6 / (1 + 6 * t / 2), 5e-6, "%.9g m/s", (double)y.velocity[0]);
        test_end(&y.run);
    }
}

/* Both together, in a wind that grows as y does, to where the piece falls; against the same law in 2^18 steps of a
 * fourth-order Runge-Kutta. */
#define FALL 1.2
static void throw_exact(double t, double length, double out[2])
{
    enum { STEPS = 1 << 18 };
    double q[4] = {0, 0, 4, 0}; // x, y, and their rates
    const double h = t / STEPS;
    for (int i = 0; i < STEPS; i++) {
        double k[4][4];
        for (int s = 0; s < 4; s++) {
            double a[4];
            for (int c = 0; c < 4; c++) a[c] = q[c] + (s ? (s < 3 ? 0.5 : 1) * h * k[s - 1][c] : 0);
            const double w = a[2] - 8 * a[1], v = hypot(w, a[3]);
            k[s][0] = a[2];
            k[s][1] = a[3];
            k[s][2] = -v * w / length;
            k[s][3] = -v * a[3] / length + FALL;
        }
        for (int c = 0; c < 4; c++) q[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
    }
    out[0] = q[0], out[1] = q[1];
}

Test(debris, second_order_of_both)
{
    double exact[2], error[3];
    throw_exact(0.75, 1, exact);
    for (int n = 0; n < 3; n++) {
        char how[256];
        // cells of 0.8 m leave the pace to `rate`
        snprintf(how, sizeof how, ONE "speed: 4, drag_length: 1, rate: %d, gravity: [0, %g, 0]", 32 << n, FALL);
        struct yard y = yard_run((struct setting){.voxel = 0.8, .wind = "8*y"}, how);
        error[n] = hypot(y.pos[0] + 2 - exact[0], y.pos[1] - exact[1]);
        test_end(&y.run);
    }
    cr_assert_float_eq(order(error[0], error[1]), 2, 0.15, "order %g, errors %g %g %g m", order(error[0], error[1]),
                       error[0], error[1], error[2]);
    cr_assert_float_eq(order(error[1], error[2]), 2, 0.15, "order %g", order(error[1], error[2]));
    cr_assert_lt(error[0] * 32 * 32, 0.75, "%g m with 32 parts a second", error[0]); // measured: 0.64
}

/* Straight down onto the floor: of 2.2 m/s and more a half comes back, a quarter of the height. */
Test(debris, bounces_slides_and_rests)
{
    const char *drop = "count: 1, cone: 0, speed_spread: 0, size: 10 cm, size_spread: 0, life: 50, drag_length: 0, ";
    char how[512];
    snprintf(how, sizeof how,
             "%sspeed: 1e-6, shape: {sphere: {center: [0, 0, 1.15], radius: 1e-7}}, restitution: 0.5, rate: 4000",
             drop);
    struct yard y = yard_run((struct setting){0}, how);
    const double fall = sqrt(2 * 1.1 / 9.81), up = 0.5 * 9.81 * fall, t = 0.75 - fall;
    const double want = 0.05 + up * t - 0.5 * 9.81 * t * t;
    cr_assert(want > 0.05 && fabs(y.pos[2] - want) < 5e-3, "%g m high, not %g", y.pos[2], want);
    test_end(&y.run);
    /* without a bounce it slides: Coulomb's friction takes mu (v_z) at once, and mu g t after it */
    snprintf(
        how, sizeof how,
        "%sdirection: [1, 0, 0], speed: 3, shape: {sphere: {center: [-1, 0, 0.05], radius: 1e-7}}, restitution: 0, "
        "friction: 0.2, rate: 4000",
        drop);
    y = yard_run((struct setting){0}, how);
    cr_assert_float_eq(y.velocity[0], 3 - 0.2 * 9.81 * 0.75, 0.02, "%g m/s along the floor", (double)y.velocity[0]);
    cr_assert_float_eq(y.pos[2], 0.05, 1e-3);
    test_end(&y.run);
    /* against a box: back it comes */
    y = yard_run(
        (struct setting){.before = "  - collide: {shape: {box: {center: [0, 0, 1], size: [0.6, 1.2, 1.6]}}}\n"},
        ONE "speed: 4, drag_length: 0, gravity: [0, 0, 0], restitution: 0.5, size: 10 cm, rate: 4000");
    const double hit = (2 - 0.3 - 0.05) / 4;
    cr_assert_float_eq(y.velocity[0], -2, 0.05, "%g m/s", (double)y.velocity[0]);
    cr_assert_float_eq(y.pos[0], -0.35 - 2 * (0.75 - hit), 0.02, "x = %g m", y.pos[0]);
    test_end(&y.run);
}

#define MANY                                                                                                           \
    "count: 4000, speed: 2, speed_spread: 0.4, size: 4 cm, size_spread: 0.5, life: 40, life_spread: 0.3, "             \
    "drag_length: 0, gravity: [0, 0, 0], duration: 0.3, shape: {sphere: {center: [0, 0, 1.6], radius: 10 cm}}, "

static double median_of(const double *v, int64_t n, double above)
{
    int64_t less = 0;
    for (int64_t i = 0; i < n; i++) less += v[i] < above;
    return (double)less / (double)n;
}

/* Half are below the median, one in six more than a deviation above; evenly over the cone, or gathered. */
Test(debris, thrown_as_told)
{
    for (int gathered = 0; gathered < 2; gathered++) {
        struct yard y =
            yard_run((struct setting){.voxel = 0.4},
                     gathered ? MANY "cone: 60 deg, clusters: 3, cluster_spread: 2 deg" : MANY "cone: 60 deg");
        double *speed = calloc((size_t)y.n, sizeof *speed), *size = calloc((size_t)y.n, sizeof *size), apart = 0;
        int64_t wide = 0;
        cr_assert_eq(y.n, 4000);
        for (int64_t i = 0; i < y.n; i++) {
            const float *v = y.velocity + 3 * i;
            double way[3];
            speed[i] = sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
            size[i] = (double)y.size[i];
            for (int a = 0; a < 3; a++) way[a] = (double)v[a] / speed[i];
            wide += way[2] < 0.75; // half of the cone's solid angle
            cr_assert(gathered || way[2] > 0.4999, "%g of the cone's axis", way[2]);
            apart += i ? acos(fmin(1, fabs(way[0] * (double)y.velocity[0] + way[1] * (double)y.velocity[1] +
                                           way[2] * (double)y.velocity[2]) /
                                          speed[0])) < 0.15
                       : 0;
        }
        if (gathered) {
            cr_assert_gt(apart, 400, "%g of 4000 go with the first", apart);
        } else {
            cr_assert_lt(apart, 200, "%g of 4000 go with the first", apart);
            cr_assert_float_eq((double)wide / 4000, 0.5, 0.03);
            cr_assert_float_eq(median_of(speed, y.n, 2), 0.5, 0.03);
            cr_assert_float_eq(median_of(speed, y.n, 2 * exp(0.4)), 0.8413, 0.02);
            cr_assert_float_eq(median_of(size, y.n, 0.04 * exp(0.5)), 0.8413, 0.02);
        }
        free(speed);
        free(size);
        test_end(&y.run);
    }
}

Test(debris, other_seeds_throw_others)
{
    double first[2];
    for (int n = 0; n < 2; n++) {
        struct yard y = yard_run((struct setting){.voxel = 0.4}, n ? MANY "seed: 1" : MANY "seed: 0");
        first[n] = y.pos[0];
        test_end(&y.run);
    }
    cr_assert_neq(first[0], first[1]);
}

/* A rate, over a life of half a second that ends in the run: amount times seconds times the ball, in any steps. */
Test(debris, leaves_as_much_in_any_steps)
{
    double sum[3], peak[3];
    for (int n = 0; n < 3; n++) {
        struct yard y =
            yard_run((struct setting){.voxel = 0.05, .substeps = (const int[]){1, 2, 7}[n]},
                     "count: 30, speed: 3, cone: 40 deg, life: 0.5, life_spread: 0, size: 10 cm, size_spread: 0, "
                     "trail: 4, taper: 1, drag_length: 5, gravity: [0, 0, 0], duration: 0.1, "
                     "shape: {sphere: {center: [0, 0, 0.5], radius: 10 cm}}, density: 1 1/s, fuel: 1, fade: 1, "
                     "burning: 1");
        struct grid d = grid_of(&y.run, "density", 0), f = grid_of(&y.run, "fuel", 0);
        cr_assert_eq(y.n, 0);
        sum[n] = grid_sum(&d) * 0.05 * 0.05 * 0.05;
        peak[n] = grid_sum(&f) * 0.05 * 0.05 * 0.05;
        bw_free(d.v);
        bw_free(f.v);
        test_end(&y.run);
    }
    const double want = 30 * 0.5 * 0.5 * 4 / 3 * PI * 0.008; // the mean of 1 - a/life is a half
    for (int n = 0; n < 3; n++) {
        cr_assert_float_eq(sum[n], want, 0.03 * want, "%g m3 s, not %g", sum[n], want);
        cr_assert_float_eq(peak[n], peak[0], 0.01 * peak[0], "%g m3 of fuel, not %g", peak[n], peak[0]);
    }
}

/* A trail across a wind, carried on by mac.advect: as of many steps, so of one. */
Test(debris, trail_goes_with_the_flow)
{
    struct grid d[2];
    double apart = 0, all = 0;
    for (int n = 0; n < 2; n++) {
        struct yard y = yard_run(
            (struct setting){
                .voxel = 0.05, .wind = "2", .substeps = n ? 8 : 1, .before = "  - mac.advect: {only: [density]}\n"},
            UP "speed: 1.6, drag_length: 0, gravity: [0, 0, 0], size: 10 cm, trail: 3, "
               "density: 1, fade: 0, taper: 1");
        d[n] = grid_of(&y.run, "density", 0);
        test_end(&y.run);
    }
    for (size_t i = 0; i < grid_count(&d[0]); i++) {
        apart += fabs(d[0].v[i] - d[1].v[i]);
        all += d[1].v[i];
    }
    cr_assert_lt(apart, 0.2 * all, "%g of %g elsewhere", apart, all); // laid before the flow, it would be most of it
    /* it leans: half-way up the trail is where the wind has taken it since, 3/8 s */
    double x = 0, weight = 0;
    const int k = (int)((1 + 0.6) / 0.05);
    for (int i = 0; i < d[0].n[0]; i++) {
        x += at(&d[0], i, d[0].n[1] / 2, k) * (-3.2 + 0.05 * (i + 0.5));
        weight += at(&d[0], i, d[0].n[1] / 2, k);
    }
    cr_assert_gt(weight, 1);
    cr_assert_float_eq(x / weight, -2 + 2 * 0.375, 0.1, "the trail's middle is at x = %g m", x / weight);
    bw_free(d[0].v);
    bw_free(d[1].v);
}

/* Fuel dies with the fire, smoke with the piece; gas takes some velocity on. */
Test(debris, burns_out_and_drags_gas_along)
{
    struct yard y = yard_run((struct setting){.voxel = 0.05},
                             "direction: [1, 0, 0], life: 1, " AWAY
                             "speed: 4, drag_length: 0, gravity: [0, 0, 0], burning: 0.25, fade: 1, size: 10 cm, "
                             "trail: 4, density: 1, fuel: 1, inherit_velocity: 0.5");
    struct grid d = grid_of(&y.run, "density", 0), f = grid_of(&y.run, "fuel", 0), u = grid_of(&y.run, "vel", 0);
    const int j = d.n[1] / 2, k = 20;
    for (int i = 26; i < 80; i++) {
        const double age = (0.05 * (i + 0.5) - 1.2) / 4, smoke = 1 - age, fire = fmax(0, 1 - age / 0.25);
        cr_assert_float_eq(at(&d, i, j, k), smoke, 0.06, "%g of smoke at an age of %g s", at(&d, i, j, k), age);
        cr_assert_float_eq(at(&f, i, j, k), fire, 0.2, "%g of fuel at an age of %g s", at(&f, i, j, k), age);
        cr_assert_float_eq(at(&u, i, j, k), 2, 1e-5);
    }
    cr_assert_eq(grid_max(&f) > 0.9, 1);
    bw_free(d.v);
    bw_free(f.v);
    bw_free(u.v);
    test_end(&y.run);
}

Test(debris, same_bits)
{
    struct yard y[2];
    uint64_t hash[2];
    for (uint32_t t = 0; t < 2; t++) {
        y[t] = yard_run(
            (struct setting){.voxel = 0.05, .substeps = 3, .threads = t + 1, .before = "  - mac.advect: {}\n"},
            "count: 60, every: 0.2, speed: 4, life: 0.4, shape: {sphere: {center: [0, 0, 0.5], radius: 10 cm}}, "
            "density: 1, temperature: 300, fuel: 2 1/s, inherit_velocity: 0.2, noise: {amount: 1}");
        hash[t] = test_hash(&y[t].run, "density") ^ test_hash(&y[t].run, "fuel") ^ test_hash(&y[t].run, "vel");
    }
    cr_assert(y[0].n > 50 && y[0].n == y[1].n);
    cr_assert(hash[0] == hash[1] && !memcmp(y[0].pos, y[1].pos, 24 * (size_t)y[0].n));
    test_end(&y[0].run);
    test_end(&y[1].run);
}

Test(debris, refusals)
{
    static const char *const wrong[][2] = {{ONE "speed: -1", "speed"},
                                           {ONE "restitution: 2", "restitution"},
                                           {ONE "glow: 200 K", "below the ambient"},
                                           {ONE "temperature: -400", "colder than 0 K"},
                                           {"count: 4", "shape"},
                                           {"shape: {sphere: {}}, direction: [0, 0, 0]", "direction must not be zero"},
                                           {"shape: {sphere: {}}, every: 1e-9", "pieces at once"}};
    for (int i = 0; i < 7; i++) run_refused(wrong[i][1], YARD, 0.1, 1, "0", "", wrong[i][0], "");
}

/* ---- periodic sides ---- */

/* Smoke of pieces thrown along x, from a shape that lies at x, in a box 1.6 m long that leads round. */
static struct grid smoke_round(double x)
{
    struct test_run r = run("billow: 1\n"
                            "domain: {cells: [32, 20, 24], voxel: 5 cm, origin: [-0.8, -0.5, 0], margin: 4096, "
                            "sides: {x-: periodic, x+: periodic, rest: open}}\n"
                            "time: {fps: 25, frames: 1-6, substeps: 6}\n"
                            "stages:\n"
                            "  - debris: {count: 12, direction: [1, 0, 0.4], cone: 20 deg, speed: 9 m/s, size: 4 cm, "
                            "inherit_velocity: 0.5, shape: {sphere: {center: [%.17g, 0, 0.4], radius: 0.1}}, "
                            "density: 30 1/s}\n"
                            "  - mac.advect: {}\n"
                            "  - mac.project: {tolerance: 1e-6}\n",
                            x);
    struct grid g = grid_of(&r, "density", 0);
    test_end(&r);
    return g;
}

/* Once they flew off, and trails ended where the box does: smoke was another wherever one stood. And where trails
 * overlap the order counts in which they are laid. The shape stands in the middle and in the side, a tile of 16 cells
 * from there: elsewhere tiles would be other ones, and the flow another by .4 %. */
Test(debris, goes_round_periodic_sides)
{
    struct grid middle = smoke_round(0), beside = smoke_round(.8);
    double most = 0, apart = 0;
    for (int k = 0; k < 24; k++)
        for (int j = 0; j < 20; j++)
            for (int i = 0; i < 32; i++) {
                most = fmax(most, at(&middle, i, j, k));
                apart = fmax(apart, fabs(at(&middle, i, j, k) - at(&beside, (i + 16) % 32, j, k)));
            }
    cr_log_info("smoke of %g at most is %g apart", most, apart);
    cr_assert_gt(most, .1);
    cr_assert_lt(apart, 1e-5 * most, "smoke of %g at most is %g apart in the side", most, apart);
    bw_free(middle.v);
    bw_free(beside.v);
}
