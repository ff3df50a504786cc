// SPDX-License-Identifier: Apache-2.0
/* Forces, waves and what a flow conserves: buoyancy on a disc, internal waves, wind, walls that drag, momentum and
 * energy of periodic flows. Exact values and the tables of the physics notes. */
#include "physics/pushed.h"

/* ---- buoyancy ---- */

/* A light disc in two dimensions must push as much air as it holds: its centre sets off at b/2 (a ball at 2b/3). The
 * box's walls, 4 radii away, cost about (a/L)² of it. b = g T/T_ambient = 1 m/s². */
static double disc_acceleration(int n, const char *sides)
{
    struct test_run r = run("billow: 1\n"
                            "domain: {cells: [%d, 1, %d], size: [8, %.17g, 8], floor: -4, sides: %s}\n"
                            "time: {fps: 100, frames: 1-2, dt: 0.01}\n"
                            "stages:\n" KEEP_VEL
                            "  - set: {id: heat, field: temperature, value: \"x^2+z^2 < 0.25 ? 293.15/9.81 : 0\"}\n"
                            "  - mac.forces: {}\n"
                            "  - mac.project: {tolerance: 1e-6}\n",
                            n, n, 8. / n, sides);
    struct grid w = grid_of(&r, "vel", 2);
    double a = at(&w, n / 2, 0, n / 2) / .01;
    bw_free(w.v);
    test_end(&r);
    return a;
}

Test(buoyancy, disc_sets_off_at_half_b)
{
    double closed = disc_acceleration(256, "{rest: closed}"), open = disc_acceleration(256, "{rest: open}");
    cr_assert_float_eq(.5 * (closed + open), .5, .005, "%g between walls, %g in an open box", closed, open);
    cr_assert(closed < open, "walls hold back, openings do not");
    cr_assert_float_eq(closed, open, .02);
}

/* Weight of smoke, and gravity along any axis: a column that fills a periodic box falls freely. */
Test(buoyancy, direction_and_size)
{
    struct test_run r =
        run_pushed("billow: 1\n"
                   "domain: {cells: [8, 8, 8], voxel: 1 cm, sides: {rest: periodic}}\n"
                   "time: {fps: 25, frames: 1001-1002, dt: 0.04}\n"
                   "stages:\n" KEEP_VEL "  - set: {id: heat, field: temperature, value: 30}\n"
                   "  - set: {id: smoke, field: density, value: 0.5}\n"
                   "  - mac.forces: {gravity: [3, 0, -4], buoyancy: 2, ambient: 300 K, weight: 0.7}\n" PUSHED);
    struct grid u = grid_of(&r, "vel", 0), w = grid_of(&r, "vel", 2);
    double push = .04 * (-2 * 30 / 300. * 5 + .7 * .5); /* along gravity */
    for (size_t i = 0; i < grid_count(&u); i++) {
        cr_assert_float_eq(u.v[i], .6 * push, 1e-6, "u %g, not %g", u.v[i], .6 * push);
        cr_assert_float_eq(w.v[i], -.8 * push, 1e-6, "w %g, not %g", w.v[i], -.8 * push);
    }
    bw_free(u.v);
    bw_free(w.v);
    test_end(&r);
}

/* Internal waves in a box stratified with N = 1/s: mode (1,1) has the period 2π√2/N. After two periods the phase, from
 * the mode's amplitudes b ~ cos, w ~ sin of ωt, tells the period. */
Test(buoyancy, internal_wave_period)
{
    enum { N = 32 };
    double omega = 1 / sqrt(2), period = 2 * PI / omega, unit = 293.15 / 9.81; /* K per m/s² of lift */
    int steps = 360;
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: [%d, 1, %d], size: [1, %.17g, 1], origin: [0, 0, 0], sides: {rest: closed}}\n"
            "time: {fps: %.17g, frames: 1-%d, substeps: 1}\n"
            "stages:\n" KEEP_VEL
            "  - set: {id: heat, field: temperature, value: \"%.17g*(z + 0.01*cos(pi*x)*sin(pi*z))\"}\n"
            "  - mac.advect: {}\n"
            "  - mac.forces: {}\n"
            "  - mac.project: {tolerance: 1e-6}\n",
            N, N, 1. / N, steps / (2 * period), steps + 1, unit);
    struct grid t = grid_of(&r, "temperature", 0), w = grid_of(&r, "vel", 2);
    double b = 0, v = 0;
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++) {
            double x = (i + .5) / N, z = (k + .5) / N;
            b += (at(&t, i, 0, k) / unit - z) * cos(PI * x) * sin(PI * z) * 4 / (N * N);
            v += .5 * (at(&w, i, 0, k) + at(&w, i, 0, k + 1)) * cos(PI * x) * sin(PI * z) * 4 / (N * N);
        }
    double phase = atan2(v / omega, b), amplitude = hypot(v / omega, b);
    cr_assert_float_eq(phase / (4 * PI), 0, .003, "after two periods the phase is off by %g of them", phase / (4 * PI));
    cr_assert(amplitude > .0095 && amplitude < .0105, "amplitude %g of 0.01", amplitude);
    bw_free(t.v);
    bw_free(w.v);
    test_end(&r);
}

/* ---- somebody else's force ---- */

/* Smoke that sinks, as mac.forces has it, from the public headers alone. */
static const struct bw_port sink_ports[] = {
    BW_FORCE_PORT,
    {.name = "density", .kind = BW_SCALAR, .access = BW_READ, .unit = "1", .doc = "Smoke."},
};

static void sink_body(const struct bw_block *b, void *user)
{
    const struct bw_view *f = &b->view[0], *q = &b->view[1];
    (void)user;
    for (int k = 0; k < b->n[2] + b->high[2]; k++)
        for (int j = 0; j < b->n[1]; j++)
            for (int i = 0; i < b->n[0]; i++) {
                const float *at = bw_f32(q, 0) + i + j * q->sy + k * q->sz;
                bw_f32(f, 2)[i + j * f->sy + k * f->sz] += -3.0f * (0.5f * (at[-q->sz] + at[0]));
            }
}

static enum bw_status sink_step(struct bw_stage *s)
{
    const struct bw_access a[] = {{bw_port_field(s, 0), BW_UPDATE_OWN, 0}, {bw_port_field(s, 1), BW_READ, 1}};
    return s->host->sweep(s, &(struct bw_sweep){.access = a, .n_access = 2, .body = sink_body});
}

static const struct bw_stage_desc sink_stage = {
    .id = "sink", .version = "1.0", .brief = "Smoke sinks.", BW_PORTS(sink_ports), .step = sink_step};
static const struct bw_stage_desc *const sink_stages[] = {&sink_stage};
static const struct bw_module sink_module = BW_MODULE(sink_stages);

static struct test_run sinking(const char *before, const char *after)
{
    static const struct test_options o = {.simd = UINT32_MAX, .module = &sink_module};
    return run_with(&o,
                    "billow: 1\n"
                    "domain: {cells: [24, 24, 40], voxel: 5 cm, sides: {bottom: closed, rest: open}}\n"
                    "time: {fps: 24, frames: 1-6}\n"
                    "stages:\n"
                    "  - emit: {density: 1, shape: {sphere: {center: [0, 0, 1.4], radius: 30 cm}}}\n"
                    "  - collide: {shape: {sphere: {center: [0.1, 0, 0.6], radius: 20 cm}}}\n"
                    "%s  - mac.advect: {}\n"
                    "  - force: {kind: {wind: {velocity: [0.5, 0, 0]}}}\n"
                    "%s  - mac.project: {}\n",
                    before, after);
}

Test(force, somebody_elses_is_like_ours)
{
    static const char ours[] = "  - mac.forces: {buoyancy: 0, weight: 3}\n", theirs[] = "  - sink: {}\n";
    for (int before = 0; before < 2; before++) {
        struct test_run a = before ? sinking(ours, "") : sinking("", ours);
        struct test_run b = before ? sinking(theirs, "") : sinking("", theirs);
        struct grid w = grid_of(&a, "vel", 2);
        cr_assert_gt(grid_max(&w), .1, "nothing moves: %g m/s", grid_max(&w));
        cr_assert_eq(test_hash(&a, "vel"), test_hash(&b, "vel"), "listed %s", before ? "before" : "after");
        cr_assert_eq(test_hash(&a, "density"), test_hash(&b, "density"));
        bw_free(w.v);
        test_end(&a);
        test_end(&b);
    }
}

static void idle_hear(int level, const char *who, const char *text, void *heard)
{
    (void)who;
    if (level >= BW_LOG_WARNING && strstr(text, (const char *)((void **)heard)[0])) ++*(int *)((void **)heard)[1];
}

/* What a step does not read any more is told as the preset is read, with where it stands: a force that nobody applies,
 * an amount of a step's field that is given below its reader. */
Test(force, that_nobody_applies_is_told)
{
#define VENT(ID) "  - emit: {id: " ID ", divergence: 1, shape: {sphere: {radius: 10 cm}}}\n"
    static const char *const chain[] = {
        "  - mac.project: {}\n  - sink: {}\n", "  - sink: {}\n",
        "  - potential: {}\n" VENT("a"),       VENT("a") "  - mac.project: {}\n" VENT("b"),
        "  - sink: {}\n  - mac.project: {}\n", VENT("a") "  - potential: {}\n"};
    static const char *const told[] = {
        ":9:5: adds to \"force\", which no stage below reads: list it before mac.project",
        ":8:5: adds to \"force\", which no stage reads, as mac.project does",
        ":9:5: adds to \"divergence\", which no stage below reads: list it before potential",
        ":10:5: adds to \"divergence\", which no stage below reads: list it before mac.project",
        "adds to",
        "adds to"};
    for (int i = 0; i < 6; i++) {
        int heard = 0;
        void *ask[] = {(void *)(intptr_t)told[i], &heard};
        const struct test_options o = {
            .simd = UINT32_MAX, .module = &sink_module, .only_check = 1, .on_log = idle_hear, .user = ask};
        struct test_run r =
            run_with(&o,
                     "billow: 1\n"
                     "domain: {cells: [16, 16, 16], voxel: 5 cm}\n"
                     "time: {fps: 24, frames: 1-2}\n"
                     "stages:\n"
                     "  - emit: {density: 1, shape: {sphere: {radius: 10 cm}}}\n" KEEP_VEL "  - mac.advect: {}\n%s",
                     chain[i]);
        cr_assert_eq(heard, i < 4, "chain %d: told %d times", i, heard);
        test_end(&r);
    }
}

/* A source of divergence alone: the flow ends with it. */
Test(force, a_source_of_volume_ends)
{
    for (int frames = 2; frames <= 8; frames += 6) {
        struct test_run r = run("billow: 1\n"
                                "domain: {cells: [16, 16, 16], voxel: 5 cm, sides: {rest: open}}\n"
                                "time: {fps: 24, frames: 1-%d}\n"
                                "stages:\n" KEEP_VEL "  - mac.advect: {}\n"
                                "  - emit: {divergence: 3, frames: 1-3, shape: {sphere: {center: [0, 0, 0.4]}}}\n"
                                "  - mac.project: {}\n",
                                frames);
        struct grid w = grid_of(&r, "vel", 2);
        if (frames == 2) cr_assert_gt(grid_max(&w), .05, "%g m/s", grid_max(&w));
        else cr_assert_lt(grid_max(&w), .02, "%g m/s", grid_max(&w));
        bw_free(w.v);
        test_end(&r);
    }
}

/* Viscosity asks for a force where it is not 0: told once it has come to nothing, not where it diffuses smoke alone. */
Test(force, viscosity_below_the_projection_is_told)
{
    static const char *const what[] = {"viscosity: 0.01", "density: 0.01"};
    for (int i = 0; i < 2; i++) {
        int heard = 0;
        void *ask[] = {(void *)(intptr_t) "came to nothing in a step: mac.project takes it", &heard};
        const struct test_options o = {.simd = UINT32_MAX, .on_log = idle_hear, .user = ask};
        struct test_run r =
            run_with(&o,
                     "billow: 1\ndomain: {cells: [16, 16, 16], voxel: 5 cm}\ntime: {fps: 24, frames: 1-4}\nstages:\n"
                     "  - set: {field: vel, keep: true, value: [z, 0, 0]}\n"
                     "  - emit: {density: 1, shape: {sphere: {radius: 10 cm}}}\n"
                     "  - mac.advect: {}\n  - mac.project: {}\n  - mac.diffuse: {%s}\n",
                     what[i]);
        cr_assert_eq(heard, !i, "%s: told %d times", what[i], heard);
        test_end(&r);
    }
}

/* ---- wind and walls ---- */

/* Wind: du/dt = rate (wind - u), whose exact answer 1 - e^(-rate t) holds for any number of substeps. */
Test(wind, relaxes_exponentially)
{
    for (int substeps = 1; substeps <= 4; substeps += 3) {
        struct test_run r = run_pushed("billow: 1\n"
                                       "domain: {cells: [8, 8, 8], voxel: 1, sides: {rest: periodic}}\n"
                                       "time: {fps: 5, frames: 1-6, substeps: %d}\n"
                                       "stages:\n" KEEP_VEL
                                       "  - force: {kind: {wind: {velocity: [2, -1, 0.5], rate: 1.5 1/s}}}\n" PUSHED,
                                       substeps);
        static const double wind[] = {2, -1, .5};
        for (uint32_t c = 0; c < 3; c++) {
            struct grid u = grid_of(&r, "vel", c);
            double want = wind[c] * (1 - exp(-1.5));
            for (size_t i = 0; i < grid_count(&u); i++)
                cr_assert_float_eq(u.v[i], want, 1e-6, "%d substeps: %g, not %g", substeps, u.v[i], want);
            bw_free(u.v);
        }
        test_end(&r);
    }
}

/* x-momentum of a vortex below a lid. Advection brings the lid's own velocity in where the flow leaves it. */
static double lid_momentum(const char *top)
{
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: [32, 1, 32], size: [1, 0.03125, 1], origin: [0, 0, 0], sides: {rest: closed, top: "
            "{closed: %s}}}\n"
            "time: {fps: 20, frames: 1-11, dt: 0.05}\n"
            "stages:\n"
            "  - set: {field: vel, keep: true, value: [\"-sin(pi*x)*cos(pi*z)\", 0, \"cos(pi*x)*sin(pi*z)\"]}\n"
            "  - mac.advect: {velocity: semi-lagrangian}\n"
            "  - mac.project: {tolerance: 1e-6}\n",
            top);
    struct grid u = grid_of(&r, "vel", 0);
    double sum = 0;
    for (int k = 28; k < 32; k++)
        for (int i = 0; i <= 32; i++) sum += at(&u, i, 0, k);
    bw_free(u.v);
    test_end(&r);
    return sum / 128;
}

Test(walls, a_moving_lid_drags_only_without_slip)
{
    double slip = lid_momentum("{slip: free, velocity: [2, 0, 0]}"), rest = lid_momentum("{slip: free}");
    double still = lid_momentum("{slip: no}"), drag = lid_momentum("{slip: no, velocity: [2, 0, 0]}");
    cr_assert_eq(slip, rest, "a lid without friction moved the gas: %g instead of %g", slip, rest);
    cr_assert_lt(still, rest - .002, "a lid at rest brakes");
    cr_assert_gt(drag, rest + .002, "a faster lid drives");
}

/* ---- what is conserved ---- */

/* Momentum of a periodic box: projection cannot change it at all, advection only by its errors. */
Test(conserved, momentum_in_a_periodic_box)
{
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: [24, 24, 24], size: [1, 1, 1], origin: [0, 0, 0], sides: {rest: periodic}}\n"
            "time: {fps: 25, frames: 1-26, substeps: 1}\n"
            "stages:\n"
            "  - set: {field: vel, keep: true, value: [\"0.5+0.4*sin(2*pi*y)\", \"-0.3+0.4*sin(2*pi*z)\", "
            "\"0.2+0.4*sin(2*pi*x)\"]}\n"
            "  - mac.advect: {}\n"
            "  - stats: {id: advected, fields: [vel]}\n"
            "  - mac.project: {tolerance: 1e-5}\n"
            "  - stats: {}\n");
    static const char *const names[] = {"momentum_vel_x", "momentum_vel_y", "momentum_vel_z"};
    static const double start[] = {.5, -.3, .2};
    for (int a = 0; a < 3; a++) {
        char before[64], after[64];
        snprintf(before, sizeof before, "advected.%s", names[a]);
        snprintf(after, sizeof after, "stats.%s", names[a]);
        cr_assert_float_eq(metric(&r, after), metric(&r, before), 1e-7, "the projection changed momentum %c", 'x' + a);
        cr_assert_float_eq(metric(&r, after), start[a], 5e-4, "momentum %c went from %g to %g", 'x' + a, start[a],
                           metric(&r, after));
    }
    test_end(&r);
}

/* Perturbed Taylor–Green vortices, 64², periodic, no viscosity, t = 1: kinetic energy kept, by the physics notes 0.534
 * semi-Lagrangian, .850 MacCormack and .996 with reflection. */
static double vortices_energy(const char *velocity)
{
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: [64, 64, 1], size: [1, 1, 0.015625], origin: [0, 0, 0], sides: {x-: periodic, x+: "
            "periodic, y-: periodic, y+: periodic}}\n"
            "time: {fps: 204, frames: 1-205, substeps: 1}\n"
            "stages:\n"
            "  - set: {field: vel, keep: true, value: [\"sin(2*pi*x)*cos(2*pi*y)+0.3*sin(4*pi*x)*cos(2*pi*y)\","
            " \"-cos(2*pi*x)*sin(2*pi*y)-0.6*cos(4*pi*x)*sin(2*pi*y)\", 0]}\n"
            "  - mac.advect: {velocity: %s}\n"
            "  - mac.project: {tolerance: 1e-5}\n"
            "  - stats: {}\n",
            velocity);
    double whole = (.25 + .25 + .0225 + .09) / 2 / 64, kept = metric(&r, "stats.energy_vel") / whole;
    test_end(&r);
    return kept;
}

Test(conserved, energy_of_vortices)
{
    double plain = vortices_energy("semi-lagrangian"), fine = vortices_energy("centred");
    cr_assert_float_eq(plain, .534, .005, "semi-Lagrangian keeps %.3f, the reference 0.534", plain);
    cr_assert(fine > .98 && fine < 1, "centred in time it keeps %.3f", fine);
}
