// SPDX-License-Identifier: Apache-2.0
/* fire.vortons: parcels that tracers carry burn, smoke and cool by their closed forms, lit where the shape is and
 * nowhere else; fractions at any step; bits and refusals. */
#include "grid/grid.h"
#include "physics/physics.h"

#include <string.h>

/* A cube of still tracers, the half at x < 0 of which is lit. */
#define CUBE                                                                                                           \
    "billow: 1\n"                                                                                                      \
    "domain: {cells: [16, 16, 16], voxel: 5 cm}\n"                                                                     \
    "time: {fps: %.17g, frames: 1001-1002, substeps: %d, seed: 2}\n"                                                   \
    "stages:\n" KEEP_VEL                                                                                               \
    "  - tracers: {shape: {box: {center: [0, 0, 0.4], size: [0.4, 0.4, 0.4]}}, count: 900, flow: [vel]}\n"             \
    "  - fire.vortons: {bind: {vortons: tracers}, shape: {box: {center: [-0.5, 0, 0.4], size: [1, 1, 1]}}, %s}\n"

struct cube {
    struct test_run run;
    int64_t n;
    const double *pos, *temperature, *fuel, *flame, *smoke;
};

static struct cube cube_burn(double seconds, int substeps, uint32_t threads, const char *how)
{
    const struct test_options o = {.threads = threads, .simd = UINT32_MAX};
    struct cube c = {.run = run_with(&o, CUBE, 1 / seconds, substeps, how)};
    struct bw_particles *p = bw_chain_particles(c.run.chain, "tracers");
    cr_assert_not_null(p);
    c.n = bw_particles_table.count(p);
    cr_assert_gt(c.n, 500);
    c.pos = bw_particles_table.attribute(p, "pos");
    c.temperature = bw_particles_table.attribute(p, "temperature");
    c.fuel = bw_particles_table.attribute(p, "fuel");
    c.flame = bw_particles_table.attribute(p, "flame");
    c.smoke = bw_particles_table.attribute(p, "smoke");
    return c;
}

/// All lit particles are alike: the first one's index. The others are as they were born.
static int64_t lit_find(const struct cube *c, double fuel)
{
    int64_t lit = -1;
    int n[2] = {0, 0};
    for (int64_t i = 0; i < c->n; i++) {
        const int side = c->pos[3 * i] < 0;
        n[side]++;
        if (side && lit < 0) lit = i;
        cr_assert_float_eq(c->fuel[i] + c->flame[i] + c->smoke[i], fuel, 1e-12, "the fractions' sum is %.15g",
                           c->fuel[i] + c->flame[i] + c->smoke[i]);
        cr_assert(c->fuel[i] >= 0 && c->flame[i] >= 0 && c->smoke[i] >= 0);
        if (side) cr_assert_eq(c->temperature[i], c->temperature[lit]);
        else cr_assert(c->temperature[i] < 1e-5 && c->fuel[i] > fuel - 1e-7, "particle %d burns unlit", (int)i);
    }
    cr_assert(n[0] > 100 && n[1] > 100);
    return lit;
}

Test(fire_vortons, heat_released_by_each_law)
{
    static const char *const law[] = {"law: linear, burn_rate: 3", "law: proportional, burn_rate: 60",
                                      "law: arrhenius, burn_rate: 1e9 1/s, activation: 12000"};
    for (int i = 0; i < 3; i++) {
        char how[256];
        snprintf(how, sizeof how, "%s, fuel: 0.8, cooling: 0, heat: 2.1e6 J/kg, heat_capacity: 1400 J/kg/K", law[i]);
        struct cube c = cube_burn(1, 5, 2, how);
        const int64_t lit = lit_find(&c, 0.8);
        const double rise = 0.8 * 2.1e6 / 1400;
        cr_assert_lt(c.fuel[lit], 1e-9, "%s: %g is left", law[i], c.fuel[lit]);
        cr_assert_float_eq(c.temperature[lit] - 900, rise, 1e-6 * rise, "%s: %.9g K, not %.9g", law[i],
                           c.temperature[lit] - 900, rise);
        test_end(&c.run);
    }
}

/* All burnt in the first of n steps, which makes smoke before it burns: F = Y exp(-rate exp(-(T/Ts)²) t (n-1)/n). */
Test(fire_vortons, flame_turns_to_smoke)
{
    for (int n = 2; n <= 8; n *= 4) {
        struct cube c = cube_burn(
            0.3, n, 2,
            "burn_rate: 1e9, fuel: 0.5, heat: 1005000, torch: 700, cooling: 0, smoke_rate: 9, smoke_at: 1500");
        const int64_t lit = lit_find(&c, 0.5);
        const double q = (293.15 + 700 + 500) / 1500, want = 0.5 * exp(-9 * exp(-q * q) * 0.3 * (n - 1) / n);
        cr_assert_float_eq(c.flame[lit], want, 1e-9, "%d steps: %.12g, not %.12g", n, c.flame[lit], want);
        test_end(&c.run);
    }
}

Test(fire_vortons, cools_by_the_fourth_power)
{
    /* The lit ones are heated in the first step alone where the shape then leaves them: here by a torch that goes
     * out. */
    struct cube c = cube_burn(
        0.5, 4, 2,
        "fuel: 0, torch: {keys: {1001: 1200, 1001.25: 1200, 1001.26: 0}}, cooling: 2500 K/s, cooling_at: 2000 K");
    const int64_t lit = lit_find(&c, 0);
    const double span = 2000 - 293.15, x = 1200 / span, want = span * pow(pow(x, -3) + 3 * 2500 * 0.5 / span, -1. / 3);
    cr_assert_float_eq(c.temperature[lit], want, 1e-9 * want, "%.12g, not %.12g", c.temperature[lit], want);
    test_end(&c.run);
}

Test(fire_vortons, fractions_at_any_step_and_same_bits)
{
    for (uint32_t threads = 1; threads <= 2; threads++) {
        struct cube c = cube_burn(1e4, 1, threads, "burn_rate: 1e6, smoke_rate: 1e6, smoke_at: 1e5");
        lit_find(&c, 1);
        test_end(&c.run);
    }
    struct cube one = cube_burn(0.2, 3, 1, "law: arrhenius, burn_rate: 1e5, activation: 12000"),
                two = cube_burn(0.2, 3, 2, "law: arrhenius, burn_rate: 1e5, activation: 12000");
    cr_assert_eq(one.n, two.n);
    cr_assert(!memcmp(one.temperature, two.temperature, (size_t)one.n * sizeof(double)));
    cr_assert_gt(one.flame[lit_find(&one, 1)], 0.01);
    test_end(&one.run);
    test_end(&two.run);
}

/* Heat is lightness: a ball of vortons that is lit rises, by the baroclinic vorticity of what burns; unlit it stays. */
static double ball_height(const char *torch)
{
    struct test_run r =
        run("billow: 1\n"
            "domain: {size: none, voxel: 5 cm}\n"
            "time: {fps: 24, frames: 1001-1007, substeps: 2, seed: 2}\n"
            "stages:\n"
            "  - vorton.emit: {source: {fill: {shape: {sphere: {radius: 10 cm}}, spacing: 2.5 cm, edge: 4 cm}}}\n"
            "  - fire.vortons: {shape: {sphere: {radius: 8 cm}}, torch: %s, fuel: 0.3, heat: 3e5, cooling: 0}\n"
            "  - vorton.velocity: {}\n  - vorton.stretch: {}\n  - baroclinic: {ambient_density: 1.2}\n"
            "  - vorton.advect: {}\n",
            torch);
    struct bw_particles *p = bw_chain_particles(r.chain, "vortons");
    const double *pos = bw_particles_table.attribute(p, "pos");
    const int64_t n = bw_particles_table.count(p);
    double height = 0;
    for (int64_t i = 0; i < n; i++) height += pos[3 * i + 2] / (double)n;
    test_end(&r);
    return height;
}

Test(fire_vortons, what_burns_rises)
{
    const double lit = ball_height("300 K"), dark = ball_height("0 K");
    cr_assert_float_eq(dark, 0, 1e-3, "unlit vortons drift to %g m", dark);
    cr_assert(lit > 0.02 && lit < 0.6, "lit vortons rise to %g m in a quarter of a second", lit);
}

Test(fire_vortons, refusals)
{
    static const char *const wrong[][2] = {{"fuel: 1.5", "fuel"},
                                           {"burn_rate: -1", "burn_rate"},
                                           {"ignition: 200 K", "below the ambient"},
                                           {"cooling_at: 290 K", "above the ambient"}};
    for (int i = 0; i < 4; i++) run_refused(wrong[i][1], CUBE, 24., 1, wrong[i][0]);
}
