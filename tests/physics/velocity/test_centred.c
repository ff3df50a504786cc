// SPDX-License-Identifier: Apache-2.0
/* mac.advect's velocity: that it makes no energy in three dimensions, whichever way it goes; and centred in time, that
 * smoke follows it to second order and a plume hardly knows how many steps it took, nor whether they change. The order
 * of the velocity alone: test_reflection.c. */
#include "physics/physics.h"

/* ---- Taylor–Green's vortices, inviscid, 32³: the whole energy at first, less once they break up, never more. Steps of
 * a third of a cell: the shorter they are, the less the interpolation damps. ---- */

/* What is left after `early` frames, and in the end. */
struct energy {
    struct watched watched; ///< first
    int early;
    double then, last;
};
static void energy_see(struct watched *w, const struct bw_progress *p)
{
    struct energy *e = (struct energy *)w;
    e->last = metric(&w->run, "stats.energy_vel") / (PI * PI * PI);
    if (p->frame == 1 + e->early) e->then = e->last;
}

static struct energy energy_left(const char *advect, int early, int frames)
{
    struct energy e = {.watched = {.see = energy_see}, .early = early, .then = NAN};
    run_watched(&e.watched,
                "billow: 1\n"
                "domain: {cells: [32, 32, 32], size: [6.283185307179586, 6.283185307179586, 6.283185307179586],\n"
                "         origin: [0, 0, 0], sides: {rest: periodic}}\n"
                "time: {fps: 16, frames: 1-%d, dt: 0.0625}\n"
                "stages:\n"
                "  - set: {id: flow, field: vel, keep: true, value: [\"sin(x)*cos(y)*cos(z)\", "
                "\"-cos(x)*sin(y)*cos(z)\", 0]}\n"
                "  - mac.advect: {%s}\n"
                "  - mac.project: {tolerance: 1e-4}\n"
                "  - stats: {}\n",
                frames + 1, advect);
    test_end(&e.watched.run);
    return e;
}

static void energy_check(const char *advect, double least)
{
    const struct energy e = test_short() ? energy_left(advect, 4, 4) : energy_left(advect, 16, 64);
    fprintf(stderr, "Taylor-Green 32^3, energy at t = 1 and 4: %.4f, %.4f with %s\n", e.then, e.last, advect);
    cr_assert(e.then <= 1 && e.last <= 1, "%s makes energy: %g, %g", advect, e.then, e.last);
    cr_assert(e.then >= least && e.last >= least, "%s keeps %g, %g", advect, e.then, e.last);
}

Test(centred, makes_no_energy) { energy_check("velocity: centred", .98); }
Test(centred, unbounded_makes_no_energy) { energy_check("velocity: centred, clamp: false", .98); }
Test(centred, quintic_makes_no_energy) { energy_check("velocity: quintic", .98); }
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

static struct rise plume_rise(const char *velocity, const char *steps, bool below, uint32_t threads)
{
    static const char source[] = "  - emit: {shape: {sphere: {center: [0, 0, 0.25], radius: 0.12}}, mode: max,\n"
                                 "           density: 1, temperature: 60 K}\n";
    const struct test_options o = {.threads = threads, .simd = UINT32_MAX};
    struct test_run r = run_with(&o,
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
                                 test_short() ? 4 : 48, steps, below ? "" : source, velocity, below ? source : "");
    struct rise p = {metric(&r, "stats.center_density_z") - .25, metric(&r, "stats.energy_vel")};
    test_end(&r);
    return p;
}

/* One step a frame is 5 cells here, in which gas turns farther than steps that the flow chooses let it. Fed above
 * mac.advect or below it, few steps and many differ little. Above it, what the flow has carried out of the source is
 * missing as forces look: the plume rises as high within a hundredth, with up to a tenth less energy. First order in
 * time keeps less. */
Test(centred, steps_and_the_place_of_the_source_hardly_matter)
{
    struct rise one[2], four[2], other[2]; // fed above, below
    for (int last = 0; last < 2; last++) {
        one[last] = plume_rise("centred", "substeps: 1", last, last ? 2 : 1);
        four[last] = plume_rise("centred", "substeps: 4", last, 2);
        other[last] = plume_rise("centred", "cfl: 1.5", last, 2);
        fprintf(stderr,
                "plume fed %s mac.advect, by 1 and 4 steps a frame, and by changing ones: height %.4f, %.4f, %.4f, "
                "energy %.4f, %.4f, %.4f\n",
                last ? "below" : "above", one[last].height, four[last].height, other[last].height, one[last].energy,
                four[last].energy, other[last].energy);
    }
    if (test_short()) return;
    cr_assert_float_eq(one[0].height / one[1].height, 1, .01, "height %g, %g", one[0].height, one[1].height);
    cr_assert_float_eq(one[0].energy / one[1].energy, .92, .02, "energy %g, %g", one[0].energy, one[1].energy);
    for (int last = 0; last < 2; last++) {
        cr_assert_float_eq(one[last].height / four[last].height, 1, .02, "height %g by 1 step, %g by 4",
                           one[last].height, four[last].height);
        cr_assert_float_eq(one[last].energy / four[last].energy, 1, .06, "energy %g by 1 step, %g by 4",
                           one[last].energy, four[last].energy);
        cr_assert_float_eq(other[last].height / four[last].height, 1, .02, "height %g by changing steps",
                           other[last].height);
        cr_assert_float_eq(other[last].energy / four[last].energy, 1, .05, "energy %g by changing steps",
                           other[last].energy);
    }
    const double cubic = plume_rise("cubic", "substeps: 1", true, 2).energy;
    cr_assert_lt(cubic, .85 * four[1].energy, "first order in time keeps as much: %g of %g", cubic, four[1].energy);
}

/* ---- energy of a puff, whatever the step ---- */

struct energies {
    struct watched w; ///< first: `see` gets it
    double now, last; ///< after the last frame and the one before
};

static void puff_see(struct watched *w, const struct bw_progress *p)
{
    struct energies *e = (struct energies *)w;
    (void)p;
    e->last = e->now;
    e->now = bw_chain_metric(w->run.chain, "stats.energy_vel");
}

static struct energies puff_energy(int fps, int frames)
{
    struct energies e = {.w.see = puff_see};
    run_watched(
        &e.w,
        "billow: 1\n"
        "character: calm\n"
        "domain: {cells: [96, 1, 96], voxel: 3 cm, origin: [-1.44, -0.015, 0], margin: 200, sides: {rest: open, "
        "bottom: closed}}\n"
        "time: {fps: %d, frames: 1-%d, substeps: 1}\n"
        "stages:\n"
        "  - set: {field: temperature, value: \"100*exp(-(x^2+(z-0.8)^2)/0.06)\"}\n"
        "  - mac.advect: {}\n"
        "  - mac.forces: {}\n"
        "  - mac.project: {tolerance: 1e-5}\n"
        "  - stats: {}\n",
        fps, frames);
    test_end(&e.w.run);
    return e;
}

/* The velocity is half a step ahead of the frame. At its own time a puff by one step a frame has the energy that eight
 * have within .5 %; frame by frame the eight have 8 % less, by half a frame's acceleration. */
Test(centred, long_steps_keep_the_energy_of_a_puff)
{
    const struct energies one = puff_energy(24, 13), eight = puff_energy(192, 101), same = puff_energy(192, 97);
    const double at_its_time = one.now / (.5 * (eight.last + eight.now)) - 1, at_frame = one.now / same.now - 1;
    cr_expect_leq(fabs(at_its_time), .005, "energy off by %.2f %%", 100 * at_its_time);
    cr_expect_float_eq(at_frame, .075, .02, "by the frame %.2f %%", 100 * at_frame);
}
