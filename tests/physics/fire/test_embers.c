// SPDX-License-Identifier: Apache-2.0
/* fire.embers: as many as flames are worth and where they are, on any grid and in any steps; flight and cooling by
 * their closed forms; what lies on a floor or an obstacle; death, bits and refusals. */
#include "grid/grid.h"
#include "unit/mesh/mesh_world.h"

#include <string.h>

/* A wind of 0.5 m/s over a floor, flames as told, a second of time. */
#define YARD                                                                                                           \
    "billow: 1\n"                                                                                                      \
    "domain: {size: [3.2 m, 0.8 m, 1.6 m], voxel: %g, sides: {bottom: closed, rest: open}}\n"                          \
    "time: {fps: 2, frames: 1-3, substeps: %d, seed: 2}\n"                                                             \
    "fields: {flame: {kind: scalar}}\n"                                                                                \
    "stages:\n"                                                                                                        \
    "  - set: {id: wind, field: vel, value: [0.5, 0, 0], keep: true}\n"                                                \
    "  - set: {field: flame, value: \"%s\"}\n%s"                                                                       \
    "  - fire.embers: {%s}\n"
#define LONG "life: 1000, cooling: 1e5, "

struct yard {
    struct test_run run;
    int64_t n;
    const double *pos;
    const float *velocity, *acceleration, *temperature, *size, *age, *life;
};

static struct yard yard_run(double voxel, int substeps, uint32_t threads, const char *flame, const char *more,
                            const char *how)
{
    const struct test_options o = {.threads = threads, .simd = UINT32_MAX};
    struct yard y = {.run = run_with(&o, YARD, voxel, substeps, flame, more, how)};
    struct bw_particles *p = bw_chain_particles(y.run.chain, "embers");
    cr_assert_not_null(p);
    y.n = bw_particles_table.count(p);
    y.pos = bw_particles_table.attribute(p, "pos");
    y.velocity = bw_particles_table.attribute(p, "velocity");
    y.acceleration = bw_particles_table.attribute(p, "acceleration");
    y.temperature = bw_particles_table.attribute(p, "temperature");
    y.size = bw_particles_table.attribute(p, "size");
    y.age = bw_particles_table.attribute(p, "age");
    y.life = bw_particles_table.attribute(p, "life");
    return y;
}

/* 1 in 0.4³ m³ on the left, a quarter in as much on the right: 0.08 m³ of flame, four embers in five on the left. */
#define TWO "(abs(y)<0.2)*(z>0.8)*(z<1.2)*((x>-1.4)*(x<-1) + 0.25*(x>0)*(x<0.4))"

Test(embers, as_many_as_flames_are_worth)
{
    for (int fine = 0; fine < 2; fine++)
        for (int substeps = 1; substeps <= 7; substeps += 6) {
            struct yard y =
                yard_run(fine ? 0.05 : 0.1, substeps, 2, TWO, "", LONG "rate: 20000, fall: 1e-5, kick: 0, flutter: 0");
            int64_t left = 0;
            for (int64_t i = 0; i < y.n; i++) {
                const double born = y.pos[3 * i] - 0.5 * (double)y.age[i]; // upwind of where it is
                left += born < -0.5;
                cr_assert(fabs(born + 1.2) < 0.31 || fabs(born - 0.2) < 0.31, "born at x = %g m: no flame", born);
                cr_assert(fabs(y.pos[3 * i + 2] - 1) < 0.31, "born at z = %g m", y.pos[3 * i + 2]);
            }
            cr_assert(llabs(y.n - 1600) <= 1, "%lld embers of 1600", (long long)y.n);
            cr_assert_float_eq((double)left / (double)y.n, 0.8, 0.04, "%lld of %lld on the left", (long long)left,
                               (long long)y.n);
            test_end(&y.run);
        }
}

/* Down is where gravity points, and none is no fall. */
Test(embers, fall_by_gravity)
{
    static const char *const gravity[] = {"[0, -9.81, 0]", "[0, 0, 0]"};
    for (int q = 0; q < 2; q++) {
        char how[256];
        snprintf(how, sizeof how, "rate: 20000, fall: 0.4, kick: 0, flutter: 0, life: 100, out: 500, gravity: %s",
                 gravity[q]);
        struct yard y = yard_run(0.1, 1, 2, "(abs(x)<0.1)*(abs(y)<0.1)*(z>1)*(z<1.2)", "", how);
        cr_assert_gt(y.n, 10);
        for (int64_t i = 0; i < y.n; i++) {
            const double d = (double)y.size[i] / .002, tau = d * d * .4 / 9.81;
            const double fall = q ? 0 : 9.81 * tau * expm1(-(double)y.age[i] / tau);
            cr_assert_float_eq((double)y.velocity[3 * i + 1], fall, 1e-5, "%g m/s along y, not %g",
                               (double)y.velocity[3 * i + 1], fall);
            cr_assert_float_eq((double)y.velocity[3 * i + 2], 0, 1e-5, "%g m/s along z", (double)y.velocity[3 * i + 2]);
        }
        test_end(&y.run);
    }
}

/* Born at the wind's speed; u_z' = -(g + u_z/tau), so in tau it comes to (1 - 1/e) of its fall. */
Test(embers, fly_fall_and_cool_by_their_laws)
{
    for (int substeps = 1; substeps <= 5; substeps += 4) {
        struct yard y =
            yard_run(0.1, substeps, 2, "(abs(x)<0.1)*(abs(y)<0.1)*(z>1)*(z<1.2)",
                     "  - set: {id: heat, field: temperature, value: 200}\n",
                     "rate: 50000, size: 4 mm, fall: 0.4, kick: 0, flutter: 0, life: 100, cooling: 2, out: 500");
        double slow = 0, fast = 0;
        cr_assert_gt(y.n, 300);
        for (int64_t i = 0; i < y.n; i++) {
            const double q = (double)y.size[i] / 4e-3, tau = q * q * 0.4 / 9.81, age = (double)y.age[i];
            const double fall = -9.81 * tau * -expm1(-age / tau), sunk = -9.81 * tau * (age + tau * expm1(-age / tau));
            const double step = fmin(0.5 / substeps, age), before = -9.81 * tau * -expm1(-(age - step) / tau);
            const double gas = 200, first = gas + ((double)y.temperature[i] - gas) * exp(age / (2 * q));
            cr_assert(q > 0.499 && q < 1.501 && age > 0 && age <= 1);
            cr_assert_float_eq((double)y.velocity[3 * i], 0.5, 1e-5);
            cr_assert_float_eq((double)y.velocity[3 * i + 2], fall, 1e-5, "falls at %g m/s, not %g",
                               (double)y.velocity[3 * i + 2], fall);
            cr_assert_float_eq((double)y.acceleration[3 * i + 2], (fall - before) / step, 2e-3, "%g m/s², not %g",
                               (double)y.acceleration[3 * i + 2], (fall - before) / step);
            cr_assert_float_eq(y.pos[3 * i + 2] - sunk, 1.1, 0.2, "at %g m, %g below where it was born",
                               y.pos[3 * i + 2], sunk);
            cr_assert(first > 1750 * 0.899 - 293.15 && first < 1750 * 1.101 - 293.15, "%g K at birth", first);
            slow = fmin(slow, fall);
            fast = fmax(fast, fall);
        }
        cr_assert_lt(slow, fast - 0.3, "all fall alike");
        test_end(&y.run);
    }
}

Test(embers, go_out)
{
    struct yard y = yard_run(0.1, 6, 2, "z>0.8", "", "rate: 20000, life: 0.3, cooling: 0.4, out: 900");
    double oldest = 0, coldest = HUGE_VAL;
    cr_assert_gt(y.n, 1000);
    for (int64_t i = 0; i < y.n; i++) {
        cr_assert_lt(y.age[i], y.life[i]);
        oldest = fmax(oldest, (double)y.age[i]);
        coldest = fmin(coldest, 293.15 + (double)y.temperature[i]);
    }
    cr_assert(oldest > 0.2 && oldest < 0.45, "the oldest is %g s old", oldest);
    cr_assert(coldest >= 900 && coldest < 1000, "the coldest has %g K", coldest);
    test_end(&y.run);
}

Test(embers, lie_on_floors_and_obstacles)
{
    struct yard y = yard_run(0.05, 8, 2, "(x>-1.5)*(x<-1)*(z>0.6)*(z<0.8)",
                             "  - collide: {shape: {box: {center: [-0.9, 0, 0.2], size: [0.6, 0.6, 0.4]}}}\n",
                             LONG "rate: 10000, fall: 2.5");
    int64_t floor = 0, box = 0;
    for (int64_t i = 0; i < y.n; i++) {
        const double *x = y.pos + 3 * i;
        const float *v = y.velocity + 3 * i;
        cr_assert_geq(x[2], 0, "%g m below the floor", -x[2]);
        cr_assert(!(fabs(x[0] + 0.9) < 0.29 && fabs(x[1]) < 0.29 && x[2] < 0.39), "in the box, at (%g, %g, %g)", x[0],
                  x[1], x[2]);
        const int still = v[0] == 0 && v[2] == 0;
        floor += still && x[2] == 0;
        box += still && fabs(x[0] + 0.9) < 0.4 && x[2] > 0.35 && x[2] < 0.65;
    }
    cr_assert(floor > 10 && box > 50, "%lld lie on the floor and %lld on the box, of %lld", (long long)floor,
              (long long)box, (long long)y.n);
    test_end(&y.run);
}

Test(embers, only_in_the_shape_and_same_bits)
{
    struct yard y[2];
    for (uint32_t t = 0; t < 2; t++)
        y[t] =
            yard_run(0.05, 4, t + 1, "z>0.4", "", "rate: 5000, shape: {sphere: {center: [0.3, 0, 0.9], radius: 0.3}}");
    cr_assert(y[0].n > 200 && y[0].n == y[1].n);
    for (int64_t i = 0; i < y[0].n; i++)
        if (y[0].age[i] < 0.05F)
            cr_assert_lt(hypot(y[0].pos[3 * i] - 0.3, y[0].pos[3 * i + 2] - 0.9), 0.42, "born outside");
    const size_t n = (size_t)y[0].n;
    cr_assert(!memcmp(y[0].pos, y[1].pos, 24 * n) && !memcmp(y[0].velocity, y[1].velocity, 12 * n) &&
              !memcmp(y[0].temperature, y[1].temperature, 4 * n));
    test_end(&y[0].run);
    test_end(&y[1].run);
}

/* A ground of a kilometre: it counts where the domain is. */
Test(embers, in_a_mesh_much_larger_than_the_domain, .init = folder_make, .fini = folder_remove)
{
    char shape[256];
    box_write("ground.obj", (const double[3]){-500, -500, -400}, (const double[3]){500, 500, 0.8}, 0);
    snprintf(shape, sizeof shape, "fall: 1e-5, rate: 5000, shape: {mesh: {file: %s/ground.obj, up: z}}", folder);
    struct yard mesh = yard_run(0.1, 4, 2, "1", "", shape);
    struct yard box =
        yard_run(0.1, 4, 2, "1", "", "fall: 1e-5, rate: 5000, shape: {box: {center: [0, 0, -1.2], size: [9, 9, 4]}}");
    cr_assert_gt(box.n, 1000, "%lld embers", (long long)box.n);
    cr_assert(llabs(mesh.n - box.n) < box.n / 100, "%lld embers in the mesh, %lld in the box", (long long)mesh.n,
              (long long)box.n);
    test_end(&mesh.run);
    test_end(&box.run);
}

Test(embers, refusals)
{
    static const char *const wrong[][2] = {{"rate: -1", "rate"},
                                           {"size: 0", "size"},
                                           {"out: 200 K", "between the ambient"},
                                           {"temperature: 700 K", "between the ambient"},
                                           {"rate: 1e12", "more than can be shown"}};
    for (int i = 0; i < 5; i++) run_refused(wrong[i][1], YARD, 0.1, 1, "1", "", wrong[i][0]);
}
