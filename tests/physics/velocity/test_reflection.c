// SPDX-License-Identifier: Apache-2.0
/* mac.advect with reflection (Zehnder, Narain, Thomaszewski 2018): how much energy of an inviscid flow it keeps, its
 * order in time, and that a step of two halves is as well-behaved as one. */
#include "physics/physics.h"

/* ---- a perturbed Taylor–Green flow, inviscid, in a periodic unit box: energy is constant ---- */

/* Frames of 1/`fps` s, one step each; the flow at time 1 s · share. */
static struct test_run vortices(int n, int fps, int frames, const char *advect)
{
    return run("billow: 1\n"
               "domain: {cells: [%d, %d, 1], size: [1, 1, %.17g], origin: [0, 0, 0], sides: {rest: periodic}}\n"
               "time: {fps: %d, frames: 1-%d, dt: %.17g}\n"
               "stages:\n"
               "  - set: {id: flow, field: vel, keep: true, value: [\n"
               "      \"sin(2*pi*x)*cos(2*pi*y) + 0.3*sin(4*pi*x)*cos(2*pi*y)\",\n"
               "      \"-cos(2*pi*x)*sin(2*pi*y) - 0.6*cos(4*pi*x)*sin(2*pi*y)\", 0]}\n"
               "  - mac.advect: {%s}\n"
               "  - mac.project: {tolerance: 1e-5}\n",
               n, n, 1. / n, fps, frames, 1. / fps, advect);
}

static double energy_of(const struct test_run *r)
{
    double sum = 0;
    for (uint32_t c = 0; c < 2; c++) {
        struct grid g = grid_of(r, "vel", c);
        for (int j = 0; j < 64; j++)
            for (int i = 0; i < 64; i++) sum += at(&g, i, j, 0) * at(&g, i, j, 0);
        bw_free(g.v);
    }
    return sum;
}

/* 204 steps, as the reference takes; what is set at the start has ¼ + ¼ (1 + …) of energy: 0.6125 on average. */
static double energy_kept(const char *advect)
{
    struct test_run r = vortices(64, 204, 205, advect);
    double kept = energy_of(&r) / (64 * 64 * .6125);
    test_end(&r);
    fprintf(stderr, "perturbed Taylor-Green 64^2, t = 1: %.4f of its energy with %s\n", kept, advect);
    return kept;
}

Test(reflection, taylor_green_keeps_its_energy)
{
    if (test_short()) cr_skip_test("accuracy alone");
    double alone = energy_kept("velocity: cubic"), with = energy_kept("reflection: true");
    cr_assert(with >= .97 && with <= 1 && with > alone + .03, "%g with reflection, %g without", with, alone);
}

/* ---- error in time: at a fixed grid, against many steps; cubic, and rk3, so that little else depends on dt. To
 * project once a step loses what went into divergence; giving it back errs less. Centred in time, with one projection a
 * step, is second order. ---- */

static int time_cells(void) { return test_short() ? 48 : 96; }

static double vortices_error(const char *advect, int fps, const struct grid *want)
{
    struct test_run r = vortices(time_cells(), fps, fps / 2 + 1, advect);
    struct grid g = grid_of(&r, "vel", 0);
    double sum = 0;
    for (size_t i = 0; i < grid_count(&g); i++) sum += (g.v[i] - want->v[i]) * (g.v[i] - want->v[i]);
    test_end(&r);
    bw_free(g.v);
    return sqrt(sum / (double)grid_count(want));
}

Test(reflection, errs_less_in_time)
{
    if (test_short()) cr_skip_test("accuracy alone");
    const char *with = "clamp: false, trace: rk3, reflection: true",
               *alone = "clamp: false, trace: rk3, velocity: cubic", *centred = "clamp: false";
    struct test_run fine = vortices(time_cells(), 192, 97, centred);
    struct grid want = grid_of(&fine, "vel", 0);
    double few = vortices_error(with, 16, &want), more = vortices_error(with, 32, &want),
           few_alone = vortices_error(alone, 16, &want), more_alone = vortices_error(alone, 32, &want),
           few_centred = vortices_error(centred, 16, &want), more_centred = vortices_error(centred, 32, &want);
    test_end(&fine);
    bw_free(want.v);
    fprintf(stderr,
            "error at t = 1/2 in 8, 16 steps: %.4f, %.4f with reflection, %.4f, %.4f centred, %.4f, %.4f alone\n", few,
            more, few_centred, more_centred, few_alone, more_alone);
    cr_assert(few < .25 * few_alone && more < .25 * more_alone, "%g, %g with reflection, %g, %g without", few, more,
              few_alone, more_alone);
    cr_assert(few_centred < .12 * few_alone && more_centred < .06 * more_alone, "%g, %g centred, %g, %g without",
              few_centred, more_centred, few_alone, more_alone);
    // What three means along a path leave (advect_newton.h) is first order in time, of h²: it shows in many steps.
    cr_assert(order(few_centred, more_centred) > 1.5, "order %g centred", order(few_centred, more_centred));
}

/* ---- invariants ---- */

/* What other fields follow is the flow's middle: in a flow that is still, or uniform, reflection changes nothing. */
Test(reflection, uniform_flow_stays_uniform)
{
    struct test_run r = run("billow: 1\n"
                            "domain: {cells: [40, 24, 20], voxel: 0.5, origin: [0, 0, 0], sides: {rest: periodic}}\n"
                            "time: {fps: 4, frames: 1-4, dt: 0.25}\n"
                            "stages:\n"
                            "  - set: {id: flow, field: vel, keep: true, value: [6, -4, 2]}\n"
                            "  - set: {id: dye, field: density, value: \"1+sin(2*pi*x/20)\"}\n"
                            "  - mac.advect: {reflection: true}\n"
                            "  - mac.project: {}\n");
    static const double want[] = {6, -4, 2};
    for (uint32_t c = 0; c < 3; c++) {
        struct grid g = grid_of(&r, "vel", c);
        for (size_t i = 0; i < grid_count(&g); i++) cr_assert_float_eq(g.v[i], want[c], 1e-5);
        bw_free(g.v);
    }
    struct grid g = grid_of(&r, "density", 0);
    for (int i = 0; i < 40; i++)
        cr_assert_float_eq(at(&g, i, 3, 5), 1 + sin(2 * PI * ((i + .5) * .5 - 4.5) / 20), 1e-5, "cell %d", i);
    bw_free(g.v);
    test_end(&r);
}

static struct test_run plume(uint32_t threads, double side)
{
    struct test_options o = {.threads = threads, .simd = UINT32_MAX};
    return run_with(&o,
                    "billow: 1\n"
                    "domain: {cells: [48, 32, 48], voxel: 0.03125, origin: [-0.75, -0.5, 0], margin: 4,\n"
                    "         sides: {bottom: closed, rest: open}}\n"
                    "time: {fps: 16, frames: 1-9, dt: 0.0625}\n"
                    "stages:\n"
                    "  - emit: {shape: {sphere: {center: [%g, 0, 0.25], radius: 0.2}}, density: 1, temperature: 90}\n"
                    "  - collide: {id: ball, shape: {sphere: {center: [%g, 0, 0.8], radius: 0.15}}}\n"
                    "  - mac.advect: {reflection: true}\n"
                    "  - mac.forces: {confinement: 0.3}\n"
                    "  - mac.project: {tolerance: 1e-7}\n"
                    "  - stats: {}\n",
                    side * .0625, side * -.0625);
}

Test(reflection, same_bits_on_any_number_of_threads)
{
    static const char *const fields[] = {"density", "temperature", "vel", "pressure"};
    struct test_run r = plume(1, 1), s = plume(2, 1);
    cr_assert_gt(metric(&r, "stats.max_speed_vel"), .2);
    for (int f = 0; f < 4; f++) cr_assert_eq(test_hash(&r, fields[f]), test_hash(&s, fields[f]), "%s", fields[f]);
    test_end(&r);
    test_end(&s);
}

Test(reflection, mirrored_plume_is_the_mirror_image)
{
    struct test_run r = plume(2, 1), s = plume(2, -1);
    struct grid p = grid_of(&r, "density", 0), q = grid_of(&s, "density", 0);
    double worst = 0;
    for (int k = 0; k < p.n[2]; k++)
        for (int j = 0; j < p.n[1]; j++)
            for (int i = 0; i < p.n[0]; i++) worst = fmax(worst, fabs(at(&p, i, j, k) - at(&q, p.n[0] - 1 - i, j, k)));
    cr_assert_leq(worst, 1e-4, "density differs by %g of %g", worst, grid_max(&p));
    bw_free(p.v);
    bw_free(q.v);
    test_end(&r);
    test_end(&s);
}

/* ---- refusals ---- */

static void refusal_check(const char *stages, const char *sentence)
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml,
             "billow: 1\n"
             "domain: {cells: [16, 16, 16], voxel: 1}\n"
             "time: {fps: 10, frames: 1-3, dt: 0.1}\n"
             "stages:\n"
             "  - set: {id: flow, field: vel, keep: true, value: [1, 0, 0]}\n"
             "  - set: {id: dye, field: density, value: 1}\n%s",
             stages);
    struct test_run r = test_start(yaml, NULL);
    cr_assert_eq(r.status, BW_ERR_PRESET, "status %d", r.status);
    cr_assert_not_null(r.diag.first);
    cr_assert_not_null(strstr(r.diag.first, sentence), "it says: %s", r.diag.first);
    test_end(&r);
}

Test(reflection, says_what_it_needs)
{
    refusal_check("  - mac.advect: {reflection: true}\n", "reflection needs a projection in the chain");
    refusal_check("  - mac.advect: {reflection: true, only: [density]}\n  - mac.project: {}\n",
                  "reflection is about \"vel\"");
}
