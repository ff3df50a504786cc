// SPDX-License-Identifier: Apache-2.0
/* What a shot is exposed for: the temperature of its hottest flames, by closed forms, whatever frames are made. */
#include "physics/physics.h"
#include "run/chain.h"

#define SHOT                                                                                                           \
    "billow: 1\n"                                                                                                      \
    "domain: {size: [1 m, 1 m, 1.5 m], voxel: 6.25 cm, sides: {bottom: closed, rest: open}}\n"                         \
    "time: {fps: 24, frames: %s}\n"                                                                                    \
    "stages:\n"                                                                                                        \
    "  - mac.advect: {}\n"                                                                                             \
    "  - emit: {%s, shape: {sphere: {center: [0, 0, 0.3], radius: %.17g}}}\n"                                          \
    "  - fire: {%s}\n"                                                                                                 \
    "  - mac.forces: {}\n"                                                                                             \
    "  - mac.project: {}\n"
#define RISE (1.8e6 / 1005)

static double metered(const char *frames, const char *source, double radius, const char *fire)
{
    struct test_run r = run(SHOT, frames, source, radius, fire);
    const double kelvin = r.chain->flame_kelvin;
    test_end(&r);
    return kelvin;
}

/* Burning heats as fast as gas radiates; fuel that burns up before heats by all that it has; gas may be hotter. */
Test(exposure, flames_are_metered_by_their_law)
{
    const double span = 2000 - 293.15;
    const struct {
        const char *source, *fire;
        double kelvin;
    } of[] = {
        {"fuel: 1, temperature: 900 K", "burn_rate: 4, cooling: 3000 K/s", 293.15 + span * pow(4 * RISE / 3000, .25)},
        {"fuel: 0.5, temperature: 900 K", "law: proportional, burn_rate: 5, cooling: 5000 K/s",
         293.15 + span * pow(.5 * 5 * RISE / 5000, .25)},
        {"fuel: 0.3, temperature: 600 K", "burn_rate: 40", 293.15 + 600 + .3 * RISE},
        {"fuel: 0.3, temperature: 600 K", "burn_rate: 40, cooling: 0", 293.15 + 600 + .3 * RISE},
        {"fuel: 1, temperature: 2500 K", "burn_rate: 2, cooling: 3000 K/s", 2793.15},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const double kelvin = metered("1-2", of[i].source, .2, of[i].fire);
        cr_assert_float_eq(kelvin, of[i].kelvin, 1e-3, "%s, %s: %.6g K, not %.6g", of[i].source, of[i].fire, kelvin,
                           of[i].kelvin);
    }
}

/* The brightest moment counts, whenever it is; what comes later than the bake's end does not. */
Test(exposure, one_for_the_shot)
{
    static const char source[] = "fuel: {keys: {1: 0.1, 5: 0.4}}, temperature: 600 K", fire[] = "burn_rate: 40";
    cr_assert_float_eq(metered("1-6", source, .2, fire), 893.15 + .4 * RISE, 1e-3);
    cr_assert_float_eq(metered("1-2", source, .2, fire), 893.15 + .175 * RISE, 1e-3);
}

/* Times that nobody gave follow the size; temperatures do not. */
Test(exposure, sources_of_all_sizes_are_as_hot)
{
    static const char source[] = "fuel: 1, temperature: 900 K";
    cr_assert_float_eq(metered("1-2", source, .05, ""), metered("1-2", source, .3, ""), 1e-6);
}

/* Where nothing burns there is nothing to expose for; what glows without burning is as hot as its source. */
Test(exposure, without_fire)
{
    static const char calm[] = "billow: 1\ndomain: {cells: [8, 8, 8], voxel: 5 cm}\ntime: {frames: 1-2}\n"
                               "stages:\n  - emit: {%s, shape: {sphere: {center: [0, 0, 0.2], radius: 0.1}}}\n";
    struct test_run smoke = run(calm, "density: 1"), glow = run(calm, "flame: 1, temperature: 1200");
    cr_assert_eq(smoke.chain->flame_kelvin, 0);
    cr_assert_float_eq(glow.chain->flame_kelvin, 1493.15, 1e-9);
    test_end(&smoke);
    test_end(&glow);
}

/* Flames of a bake are a little colder, by the air that they mix with. */
Test(exposure, flames_are_nearly_as_hot)
{
    struct test_run r = run(SHOT, "1-12", "fuel: 1, temperature: 900 K", .25, "");
    struct grid g = grid_of(&r, "temperature", 0);
    double most = 0;
    for (size_t i = 0; i < grid_count(&g); i++) most = fmax(most, g.v[i] + 293.15);
    cr_log_info("hottest %g K, metered %g K", most, r.chain->flame_kelvin);
    cr_assert(most > .8 * r.chain->flame_kelvin && most < 1.02 * r.chain->flame_kelvin, "%g of %g K", most,
              r.chain->flame_kelvin);
    bw_free(g.v);
    test_end(&r);
}
