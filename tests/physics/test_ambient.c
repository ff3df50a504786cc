// SPDX-License-Identifier: Apache-2.0
/* The preset's `ambient`, the temperature of the air around, reaches every stage that asks for it; a stage that is told
 * otherwise keeps its own. */
#include "pushed.h"

static const double usual = 293.15, cold = 280;

#define BOX(air)                                                                                                       \
    "billow: 1\n" air "domain: {cells: [12, 12, 12], voxel: 1 cm}\n"                                                   \
    "time: {fps: 25, frames: 1-2, substeps: 1}\nstages:\n"
#define HOT "  - set: {id: heat, field: temperature, value: 500 + 100*x, keep: true}\n"

/* Largest value of a field's last component after one step. */
static double most_of(struct test_run r, const char *field, uint32_t c)
{
    struct grid g = grid_of(&r, field, c);
    double most = grid_max(&g);
    bw_free(g.v);
    test_end(&r);
    cr_assert_gt(most, 0, "%s stays 0", field);
    return most;
}

Test(ambient, lifts_in_mac_forces)
{
    static const char rest[] = HOT KEEP_VEL "  - mac.forces: {}\n" PUSHED,
                      own[] = HOT KEEP_VEL "  - mac.forces: {ambient: 300}\n" PUSHED;
    const double plain = most_of(run_pushed(BOX("") "%s", rest), "vel", 2);
    const double now = most_of(run_pushed(BOX("ambient: 280 K\n") "%s", rest), "vel", 2);
    const double told = most_of(run_pushed(BOX("ambient: 280 K\n") "%s", own), "vel", 2);
    cr_assert_float_eq(now / plain, usual / cold, 1e-6, "%.9g times the lift", now / plain);
    cr_assert_float_eq(told / plain, usual / 300, 1e-6, "%.9g times the lift", told / plain);
}

Test(ambient, expands_in_baroclinic)
{
    static const char rest[] = HOT KEEP_VEL "  - mac.advect: {}\n  - baroclinic: {grid: true}\n" PUSHED;
    const double plain = most_of(run_pushed(BOX("") "%s", rest), "vel", 2);
    const double now = most_of(run_pushed(BOX("ambient: 280 K\n") "%s", rest), "vel", 2);
    cr_assert_float_eq(now / plain, usual / cold, 1e-6, "%.9g times the push", now / plain);
}

/* Gas of 500 K over ambient that becomes hotter by dT expands by log(1 + dT/(ambient + 500)). */
static double divergence(const char *air, double kelvin)
{
    struct test_run r = run("billow: 1\n%s"
                            "domain: {cells: [12, 12, 12], voxel: 1 cm, sides: {rest: open}}\n"
                            "time: {fps: 25, frames: 1-2, substeps: 1}\nstages:\n"
                            "  - set: {id: heat, field: temperature, value: 500, keep: true}\n"
                            "  - set: {id: gas, field: fuel, value: 0.5, keep: true}\n"
                            "  - fire: {cooling: 0}\n  - mac.project: {}\n",
                            air);
    struct grid t = grid_of(&r, "temperature", 0), d = grid_of(&r, "divergence", 0);
    const double hotter = at(&t, 6, 6, 6) - 500, is = at(&d, 6, 6, 6);
    bw_free(t.v);
    bw_free(d.v);
    test_end(&r);
    cr_assert(hotter > 10 && is > 0, "%g K hotter, divergence %g", hotter, is);
    return is / log1p(hotter / (kelvin + 500));
}

Test(ambient, expands_in_fire)
{
    const double plain = divergence("", usual), now = divergence("ambient: 280 K\n", cold);
    cr_assert_float_eq(now / plain, 1, 1e-5, "%.9g", now / plain);
}

/* What has to lie above it. */
Test(ambient, bounds_of_fires)
{
#define VORTONS                                                                                                        \
    "  - vorton.emit: {source: {fill: {shape: {sphere: {center: [0, 0, 0.05], radius: 3 cm}}, spacing: 1 cm}}}\n"
    run_refused("ignition is 600 K, below the ambient 700 K", BOX("ambient: 700 K\n") "%s",
                "  - set: {field: fuel, value: 0.5, keep: true}\n  - fire: {ignition: 600 K, expansion: 0}\n");
    run_refused("ignition is 600 K, below the ambient 700 K", BOX("ambient: 700 K\n") "%s",
                VORTONS "  - fire.vortons: {ignition: 600 K}\n");
}

/* Any value may say it. */
Test(ambient, in_expressions)
{
    const double t =
        most_of(run(BOX("ambient: 280 K\n") "%s", "  - set: {field: temperature, value: ambient/2, keep: true}\n"),
                "temperature", 0);
    cr_assert_eq(t, 140);
}
