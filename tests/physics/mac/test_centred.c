// SPDX-License-Identifier: Apache-2.0
/* mac.advect's velocity: that it makes no energy in three dimensions, whichever way it goes; and centred in time, that
 * a plume hardly knows how many steps it took, nor whether they change. Its order in time: test_reflection.c. */
#include "physics/physics.h"

/* ---- Taylor–Green's vortices, inviscid, 32³: the whole energy at first, less once they break up, never more. Steps of
 * a third of a cell: the shorter they are, the less the interpolation damps. ---- */

static double energy_left(const char *advect, int frames)
{
    struct test_run r = run("billow: 1\n"
                            "domain: {cells: [32, 32, 32], size: [6.283185307179586, 6.283185307179586, "
                            "6.283185307179586],\n"
                            "         origin: [0, 0, 0], sides: {rest: periodic}}\n"
                            "time: {fps: 16, frames: 1-%d, dt: 0.0625}\n"
                            "stages:\n"
                            "  - set: {id: flow, field: vel, keep: true, value: [\"sin(x)*cos(y)*cos(z)\", "
                            "\"-cos(x)*sin(y)*cos(z)\", 0]}\n"
                            "  - mac.advect: {%s}\n"
                            "  - mac.project: {tolerance: 1e-4}\n"
                            "  - stats: {}\n",
                            frames + 1, advect);
    const double left = metric(&r, "stats.energy_vel") / (PI * PI * PI);
    test_end(&r);
    return left;
}

static void energy_check(const char *advect, double least)
{
    const double early = energy_left(advect, test_short() ? 4 : 16),
                 late = test_short() ? early : energy_left(advect, 64);
    fprintf(stderr, "Taylor-Green 32^3, energy at t = 1 and 4: %.4f, %.4f with %s\n", early, late, advect);
    cr_assert(early <= 1 && late <= 1, "%s makes energy: %g, %g", advect, early, late);
    cr_assert(early >= least && late >= least, "%s keeps %g, %g", advect, early, late);
}

Test(centred, makes_no_energy) { energy_check("velocity: centred", .98); }
Test(centred, unbounded_makes_no_energy) { energy_check("velocity: centred, clamp: false", .98); }
Test(centred, nor_does_cubic) { energy_check("velocity: cubic", .8); }
Test(centred, nor_does_semi_lagrangian) { energy_check("velocity: semi-lagrangian", .4); }
Test(centred, nor_does_reflection) { energy_check("reflection: true", .98); }

/* ---- a plume, by steps of 5 cells in the end or of 1, or as the flow asks for ---- */

struct rise {
    double height, energy;
};

static struct rise plume_rise(const char *velocity, const char *steps, uint32_t threads)
{
    const struct test_options o = {.threads = threads, .simd = UINT32_MAX};
    struct test_run r = run_with(&o,
                                 "billow: 1\n"
                                 "domain: {cells: [40, 40, 80], size: [1, 1, 2], sides: {bottom: closed, rest: open}}\n"
                                 "time: {fps: 24, frames: 1-%d, %s}\n"
                                 "stages:\n"
                                 "  - emit: {shape: {sphere: {center: [0, 0, 0.25], radius: 0.12}}, mode: max,\n"
                                 "           density: 1, temperature: 60 K}\n"
                                 "  - mac.advect: {velocity: %s}\n"
                                 "  - mac.forces: {}\n"
                                 "  - mac.project: {tolerance: 1e-4}\n"
                                 "  - stats: {}\n",
                                 test_short() ? 4 : 48, steps, velocity);
    struct rise p = {metric(&r, "stats.center_density_z") - .25, metric(&r, "stats.energy_vel")};
    test_end(&r);
    return p;
}

Test(centred, steps_hardly_matter)
{
    const struct rise one = plume_rise("centred", "substeps: 1", 1), four = plume_rise("centred", "substeps: 4", 2),
                      other = plume_rise("centred", "cfl: 1.5", 2), cubic = plume_rise("cubic", "substeps: 1", 2);
    fprintf(stderr,
            "plume by 1 and 4 steps a frame, and by changing ones: height %.4f, %.4f, %.4f, energy %.4f, %.4f, "
            "%.4f; first order %.4f, %.4f\n",
            one.height, four.height, other.height, one.energy, four.energy, other.energy, cubic.height, cubic.energy);
    if (test_short()) return;
    cr_assert_float_eq(one.height / four.height, 1, .06, "height %g by 1 step, %g by 4", one.height, four.height);
    cr_assert_float_eq(one.energy / four.energy, 1, .1, "energy %g by 1 step, %g by 4", one.energy, four.energy);
    cr_assert_float_eq(other.height / four.height, 1, .03, "height %g by changing steps", other.height);
    cr_assert_float_eq(other.energy / four.energy, 1, .05, "energy %g by changing steps", other.energy);
    cr_assert_lt(cubic.energy, .85 * four.energy, "first order in time keeps as much: %g", cubic.energy);
}
