// SPDX-License-Identifier: Apache-2.0
/* mac.advect's velocity: that it makes no energy in three dimensions, whichever way it goes; and centred in time, that
 * smoke follows it to second order and a plume hardly knows how many steps it took, nor whether they change. The order
 * of the velocity alone: test_reflection.c. */
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

/* ---- warm smoke that rises from rest in a shut box, in `steps` steps of at most 3 cells for 10 ---- */

static double smoke_rise(int steps, const char *velocity)
{
    const double seconds = .8;
    struct test_run r = run("billow: 1\n"
                            "domain: {cells: [64, 64, 1], size: [1, 1, 0.015625], origin: [0, 0, 0], sides: {rest: "
                            "closed}}\n"
                            "time: {fps: %.17g, frames: 1-%d, dt: %.17g}\n"
                            "stages:\n"
                            "  - set: {id: smoke, field: density, value: \"exp(-30*((x-0.5)^2+(y-0.35)^2))\"}\n"
                            "  - set: {id: heat, field: temperature, value: "
                            "\"60*exp(-30*((x-0.5)^2+(y-0.35)^2))\"}\n"
                            "  - mac.advect: {velocity: %s}\n"
                            "  - mac.forces: {gravity: [0, -9.81, 0]}\n"
                            "  - mac.project: {tolerance: 1e-5}\n"
                            "  - stats: {}\n",
                            steps / seconds, steps + 1, seconds / steps, velocity);
    const double rise = metric(&r, "stats.center_density_y") - .35;
    test_end(&r);
    return rise;
}

Test(centred, smoke_follows_to_second_order)
{
    if (test_short()) cr_skip_test("accuracy alone");
    const double fine = smoke_rise(160, "centred"), few = fabs(smoke_rise(10, "centred") / fine - 1),
                 more = fabs(smoke_rise(20, "centred") / fine - 1), order = log2(few / more),
                 cubic = fabs(smoke_rise(20, "cubic") / fine - 1);
    fprintf(stderr, "smoke rises %.4f m, by 10 steps off by %.4f, by 20 by %.4f, order %.2f; first order %.4f\n", fine,
            few, more, order, cubic);
    cr_assert(order > 1.8 && few < .018, "by 10 steps off by %g, order %g", few, order);
    cr_assert_gt(cubic, 5 * more, "first order in time errs as little: %g", cubic);
}

/* ---- a plume, by steps of 5 cells in the end or of 1, or as the flow asks for. Its source comes before mac.advect, as
 * in most presets, or after: then forces find it full. ---- */

struct rise {
    double height, energy;
};

static struct rise plume_rise(const char *velocity, const char *steps, bool fed_last, uint32_t threads)
{
    static const char source[] = "  - emit: {shape: {sphere: {center: [0, 0, 0.25], radius: 0.12}}, mode: max,\n"
                                 "           density: 1, temperature: 60 K}\n";
    const struct test_options o = {.threads = threads, .simd = UINT32_MAX};
    struct test_run r =
        run_with(&o,
                 "billow: 1\n"
                 "domain: {cells: [40, 40, 80], size: [1, 1, 2], sides: {bottom: closed, rest: open}}\n"
                 "time: {fps: 24, frames: 1-%d, %s}\n"
                 "stages:\n"
                 "%s"
                 "  - mac.advect: {velocity: %s}\n"
                 "%s"
                 "  - mac.forces: {}\n"
                 "  - mac.project: {tolerance: 1e-4}\n"
                 "  - stats: {}\n",
                 test_short() ? 4 : 48, steps, fed_last ? "" : source, velocity, fed_last ? source : "");
    struct rise p = {metric(&r, "stats.center_density_z") - .25, metric(&r, "stats.energy_vel")};
    test_end(&r);
    return p;
}

static void steps_check(bool fed_last, double height, double energy)
{
    const struct rise one = plume_rise("centred", "substeps: 1", fed_last, 1),
                      four = plume_rise("centred", "substeps: 4", fed_last, 2),
                      other = plume_rise("centred", "cfl: 1.5", fed_last, 2);
    fprintf(stderr,
            "plume fed %s mac.advect, by 1 and 4 steps a frame, and by changing ones: height %.4f, %.4f, %.4f, energy "
            "%.4f, %.4f, %.4f\n",
            fed_last ? "after" : "before", one.height, four.height, other.height, one.energy, four.energy,
            other.energy);
    if (test_short()) return;
    cr_assert_float_eq(one.height / four.height, 1, height, "height %g by 1 step, %g by 4", one.height, four.height);
    cr_assert_float_eq(one.energy / four.energy, 1, energy, "energy %g by 1 step, %g by 4", one.energy, four.energy);
    cr_assert_float_eq(other.height / four.height, 1, .02, "height %g by changing steps", other.height);
    cr_assert_float_eq(other.energy / four.energy, 1, .05, "energy %g by changing steps", other.energy);
}

/* One step a frame is 5 cells here, in which gas turns farther than steps that the flow chooses let it. */
Test(centred, steps_hardly_matter) { steps_check(true, .02, .06); }
Test(centred, steps_hardly_matter_fed_before) { steps_check(false, .02, .06); }

/* What the flow has taken out of the source is filled up before forces look; and what left it in the meantime has more
 * than if it comes after. */
Test(centred, nor_does_the_place_of_the_source)
{
    const struct rise before = plume_rise("centred", "substeps: 1", false, 2),
                      after = plume_rise("centred", "substeps: 1", true, 2);
    cr_assert_float_eq(before.height / after.height, 1, .003, "height %g, %g", before.height, after.height);
    cr_assert_float_eq(before.energy / after.energy, 1, .015, "energy %g, %g", before.energy, after.energy);
}

Test(centred, first_order_keeps_less)
{
    if (test_short()) cr_skip_test("accuracy alone");
    const double cubic = plume_rise("cubic", "substeps: 1", false, 2).energy,
                 four = plume_rise("centred", "substeps: 4", false, 2).energy;
    cr_assert_lt(cubic, .85 * four, "first order in time keeps as much: %g of %g", cubic, four);
}
