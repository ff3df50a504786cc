// SPDX-License-Identifier: Apache-2.0
/* Rigid bodies: free fall, what contacts keep and take, what others push, how they show on a grid, and what is
 * refused. */
#include "bodies_of.h"

#include <criterion/redirect.h>

#define HEAD "billow: 1\ndomain: {cells: [16, 16, 16], voxel: 10 cm, center: [0, 0]}\n"

/* Free fall has no error, for any step. */
Test(bodies, free_fall)
{
    for (int substeps = 1; substeps <= 7; substeps += 6) {
        struct test_run r = run(
            HEAD
            "time: {fps: 24, frames: 1001-1013, substeps: %d}\nstages:\n"
            "  - body: {shape: {sphere: {center: [1, 2, 50], radius: 10 cm}}, velocity: [3, 0, 1], spin: [0, 0, 5]}\n"
            "  - bodies: {}\n",
            substeps);
        struct body_arrays b = bodies_of(&r);
        const double want[3] = {1 + 3 * .5, 2, 50 + .5 - .5 * 9.81 * .25}, half = .5 * 5 * .5; /* turned by 2.5 */
        for (int a = 0; a < 3; a++)
            cr_assert_float_eq(b.pos[0][a], want[a], 1e-11, "%d: %.15g, not %.15g", a, b.pos[0][a], want[a]);
        cr_assert_float_eq(b.velocity[0][2], 1 - 9.81 * .5, 1e-12);
        cr_assert_float_eq(b.turn[0][2], sin(half), 1e-3, "%.9f", b.turn[0][2]);
        cr_assert_float_eq(b.turn_w[0], cos(half), 1e-3, "%.9f", b.turn_w[0]);
        cr_assert_float_eq(metric(&r, "bodies.lost"), 0, 1e-12);
        test_end(&r);
    }
}

/* A ball hits a box in free space: momentum stays to rounding, angular momentum to the integrator's first order; the
 * energy that is gone is what is told. */
Test(bodies, collision_keeps_momentum)
{
    double p[2][3], l[2][3], energy[2], lost = 0;
    for (int k = 0; k < 2; k++) {
        struct test_run r = run(
            HEAD
            "time: {fps: 24, frames: 1-%d, substeps: 2}\nstages:\n"
            "  - body: {id: a, shape: {sphere: {center: [0, 0, 1], radius: 10 cm}}, velocity: [2, 0.1, 0], "
            "spin: [3, 1, 0]}\n"
            "  - body: {id: b, shape: {box: {center: [0.5, 0.05, 1], size: [0.2, 0.3, 0.1], rotate: [0.3, 0.2, 0.1]}}, "
            "density: 300}\n"
            "  - bodies: {gravity: [0, 0, 0], ground: no}\n",
            k ? 9 : 2);
        struct body_arrays b = bodies_of(&r);
        bodies_momentum(&b, p[k], l[k]);
        energy[k] = metric(&r, "bodies.kinetic");
        lost = metric(&r, "bodies.lost");
        test_end(&r);
    }
    for (int a = 0; a < 3; a++) {
        cr_assert_float_eq(p[1][a], p[0][a], 1e-12, "momentum %d: %.15g, was %.15g", a, p[1][a], p[0][a]);
        cr_assert_float_eq(l[1][a], l[0][a], 1e-3, "angular momentum %d: %.9g, was %.9g", a, l[1][a], l[0][a]);
    }
    cr_assert(energy[1] < .97 * energy[0] && energy[1] > .1 * energy[0], "energy from %g to %g J", energy[0],
              energy[1]);
    cr_assert_float_eq(energy[0] - energy[1], lost, .02 * lost, "%g J are gone, %g J told", energy[0] - energy[1],
                       lost);
}

/* ODE does not find the forces between boxes of unlike mass in every part of a step. They rest all the same, so nothing
 * is said, neither by it nor of it. */
Test(bodies, stacks_rest_in_silence)
{
    static const double density[][4] = {{500, 500, 5000, 0}, {1000, 1000, 1000, 1000}, {100, 300, 3000, 9000}};
    cr_redirect_stderr();
    for (int k = 0; k < 3; k++) {
        char stages[1000] = "";
        int n = 0, boxes = 0;
        for (; boxes < 4 && density[k][boxes] > 0; boxes++)
            n += snprintf(stages + n, sizeof stages - (size_t)n,
                          "  - body: {shape: {box: {center: [0, 0, %g], size: [0.2, 0.2, 0.2]}}, density: %g}\n",
                          0.1 + 0.2 * boxes, density[k][boxes]);
        struct test_run r = run("billow: 1\ndomain: {size: none, voxel: 5 cm}\ntime: {frames: 1-97}\nstages:\n"
                                "%s  - bodies: {}\n",
                                stages);
        struct body_arrays b = bodies_of(&r);
        for (int i = 0; i < boxes; i++) {
            cr_expect_float_eq(b.pos[i][0], 0, 2e-3, "%d: %d lies at %g", k, i, b.pos[i][0]);
            cr_expect_float_eq(b.pos[i][2], 0.1 + 0.2 * i, 1e-3, "%d: %d lies at %g", k, i, b.pos[i][2]);
        }
        test_end(&r);
    }
    fflush(stderr);
    cr_expect_stderr_eq_str("");
}

/* Dropped from 1 m with restitution e, a ball comes up again to e² m and at last lies still on the ground; all of m g h
 * goes. */
Test(bodies, bounce)
{
    double highest = 0, mass = 0;
    for (int frame = 12; frame < 25; frame += 2) {
        struct test_run r =
            run(HEAD
                "time: {fps: 24, frames: 1-%d, substeps: 1}\nstages:\n"
                "  - body: {shape: {sphere: {center: [0, 0, 1.1], radius: 10 cm}}, restitution: 0.7}\n  - bodies: {}\n",
                frame);
        highest = fmax(highest, bodies_of(&r).pos[0][2] - .1);
        test_end(&r);
    }
    cr_assert_float_eq(highest, .49, .015, "came up to %.4f m", highest);
    struct test_run r = run(
        HEAD "time: {fps: 24, frames: 1-121, substeps: 1}\nstages:\n"
             "  - body: {shape: {sphere: {center: [0, 0, 1.1], radius: 10 cm}}, restitution: 0.7}\n  - bodies: {}\n");
    struct body_arrays b = bodies_of(&r);
    mass = b.mass[0];
    cr_assert_float_eq(mass, 500 * 4 / 3. * PI * 1e-3, 1e-12);
    cr_assert_float_eq(b.pos[0][2], .1, 1e-3);
    cr_assert_float_eq(b.velocity[0][2], 0, 1e-3, "%g m/s", b.velocity[0][2]);
    cr_assert_float_eq(metric(&r, "bodies.lost"), mass * 9.81, .02 * mass * 9.81, "lost %g J of %g",
                       metric(&r, "bodies.lost"), mass * 9.81);
    test_end(&r);
}

/* A sliding ball ends up rolling at 5/7 of its speed, and what is held is not stopped. */
Test(bodies, friction)
{
    struct test_run r = run(
        HEAD "time: {fps: 24, frames: 1-25, substeps: 1}\nstages:\n"
             "  - body: {id: slides, shape: {sphere: {center: [0, 0, 0.1], radius: 10 cm}}, velocity: [1.4, 0, 0]}\n"
             "  - body: {id: goes, shape: {sphere: {center: [0, 5, 0.05], radius: 10 cm}}, velocity: [1.4, 0, 0], "
             "held: yes}\n"
             "  - bodies: {}\n");
    struct body_arrays b = bodies_of(&r);
    cr_assert_float_eq(b.velocity[0][0], 1, .01, "%g m/s", b.velocity[0][0]);
    cr_assert_float_eq(b.spin[0][1], 10, .1, "%g /s", b.spin[0][1]);
    cr_assert_float_eq(b.pos[1][0], 1.4, 1e-12);
    cr_assert_float_eq(b.pos[1][2], .05, 1e-12);
    test_end(&r);
}

/* ---- where the energy goes ---- */

/* A box set on a belt that runs at v gets ½ m v², and as much goes lost. */
Test(bodies, held_bodies_work)
{
    struct test_run r = run(
        HEAD
        "time: {fps: 24, frames: 1-25, substeps: 1}\nstages:\n"
        "  - body: {id: belt, shape: {box: {center: [0, 0, 0.1], size: [9, 1, 0.2]}}, velocity: [1, 0, 0], held: yes}\n"
        "  - body: {id: box, shape: {box: {center: [0, 0, 0.25], size: [0.4, 0.4, 0.1]}}, mass: 3}\n"
        "  - bodies: {ground: no}\n");
    struct body_arrays b = bodies_of(&r);
    cr_assert_float_eq(b.velocity[1][0], 1, 1e-3);
    cr_assert_float_eq(metric(&r, "bodies.lost"), 1.5, .01 * 1.5, "lost %g J, not 1.5", metric(&r, "bodies.lost"));
    test_end(&r);
}

/// Heat of the grid, J, in all and nearer to x than so many metres.
static double heat_of(const struct test_run *r, const char *field, const double x[3], double h, double capacity,
                      double radius, double *near)
{
    struct grid t = grid_of(r, field, 0);
    double all = 0;
    *near = 0;
    for (int k = 0; k < t.n[2]; k++)
        for (int j = 0; j < t.n[1]; j++)
            for (int i = 0; i < t.n[0]; i++) {
                const double d[3] = {(i + .5 - .5 * t.n[0]) * h - x[0], (j + .5 - .5 * t.n[1]) * h - x[1],
                                     (k + .5) * h - x[2]};
                const double joule = at(&t, i, j, k) * capacity * h * h * h;
                all += joule;
                if (sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) < radius) *near += joule;
            }
    bw_free(t.v);
    return all;
}

#define WARM                                                                                                           \
    "billow: 1\ndomain: {cells: [40, 40, 30], voxel: 5 cm, center: [0, 0]}\n"                                          \
    "time: {fps: 25, frames: 1001-%d, substeps: 3}\nstages:\n"

/* What bounces lose heats the air around the contact and nothing else, to a millionth. */
Test(bodies, contacts_heat)
{
    struct test_run r = run(WARM "  - body: {shape: {sphere: {center: [0.3, -0.2, 0.6], radius: 10 cm}}, mass: 4}\n"
                                 "  - bodies: {heat: temperature, heat_radius: 0.2 m}\n",
                            1041);
    double near, all = heat_of(&r, "temperature", (const double[]){.3, -.2, 0}, .05, 1206, .2, &near),
                 lost = metric(&r, "bodies.lost");
    cr_assert_float_eq(lost, 4 * 9.81 * .5, .02 * lost);
    cr_assert_float_eq(all, lost, 1e-6 * lost, "heat of %.9g J for %.9g J", all, lost);
    cr_assert_float_eq(near, all, 1e-9 * all, "%.9g J of %.9g J are near", near, all);
    cr_assert_float_eq(metric(&r, "bodies.heated"), all, 1e-9 * all);
    cr_assert_eq(metric(&r, "bodies.missed"), 0);
    test_end(&r);
}

/* Two pairs collide at once, one thrice as heavily: each heats its own place; nothing gets into the bodies. */
Test(bodies, contacts_heat_where_they_are)
{
    struct test_run r = run(
        WARM
        "  - body: {id: a, shape: {sphere: {center: [-0.5, 0, 0.5], radius: 10 cm}}, mass: 1, velocity: [0, 1, 0]}\n"
        "  - body: {id: b, shape: {sphere: {center: [-0.5, 0.25, 0.5], radius: 10 cm}}, mass: 1}\n"
        "  - body: {id: c, shape: {box: {center: [0.5, 0, 0.5], size: [0.2, 0.2, 0.2]}}, mass: 3, velocity: [0, "
        "1, 0]}\n"
        "  - body: {id: d, shape: {box: {center: [0.5, 0.25, 0.5], size: [0.2, 0.2, 0.2]}}, mass: 3}\n"
        "  - bodies: {gravity: [0, 0, 0], ground: no, heat: temperature, heat_radius: 0.15 m, heat_capacity: 2000}\n"
        "  - body.solid: {}\n",
        1003);
    struct body_arrays b = bodies_of(&r);
    const double left[3] = {-.5, b.pos[1][1] - .1, .5}, right[3] = {.5, b.pos[3][1] - .1, .5};
    double one, two, all = heat_of(&r, "temperature", left, .05, 2000, .35, &one);
    heat_of(&r, "temperature", right, .05, 2000, .35, &two);
    struct grid t = grid_of(&r, "temperature", 0), solid = grid_of(&r, "solid", 0);
    cr_assert_float_eq(all, metric(&r, "bodies.lost"), 1e-6 * all);
    cr_assert_float_eq(one, .25 * (1 - .5 * .5), 1e-3, "%g J", one);
    cr_assert_float_eq(two, 3 * one, .05 * two, "%g J and %g J", one, two);
    cr_assert_float_eq(one + two, all, 1e-9 * all);
    int inside = 0;
    for (int64_t i = 0; i < (int64_t)t.n[0] * t.n[1] * t.n[2]; i++)
        if (solid.v[i] < -.05) inside += 1 + 1000 * (t.v[i] != 0);
    cr_assert(inside > 10 && inside < 1000, "%d", inside);
    bw_free(t.v);
    bw_free(solid.v);
    test_end(&r);
}

/* ---- what others push ---- */

static enum bw_status push_step(struct bw_stage *s)
{
    struct body_arrays b = body_arrays(s, s->ports[0].particles);
    for (int a = 0; a < 3 && s->step == 1; a++) {
        b.impulse[0][a] += (a + 1) * .1;
        b.torque[0][a] += (a + 1) * .01;
    }
    for (int64_t i = 0; i < b.count; i++) b.displaced[i] = b.mass[i];
    return BW_OK;
}

static const struct bw_attribute push_attributes[] = {BODY_ATTRIBUTE_ROWS};
static const struct bw_port push_ports[] = {{.name = "bodies",
                                             .kind = BW_PARTICLES,
                                             .access = BW_UPDATE,
                                             .doc = "Pushed.",
                                             .attributes = push_attributes,
                                             .n_attributes = BW_COUNT(push_attributes)}};
static const struct bw_stage_desc push_stage = {
    .id = "push", .version = "1", .brief = "Pushes once, and bears up.", BW_PORTS(push_ports), .step = push_step};
static const struct bw_stage_desc *const push_stages[] = {&push_stage};
static const struct bw_module push_module = BW_MODULE(push_stages);

Test(bodies, pushed_and_borne_up)
{
    struct test_options o = {.simd = UINT32_MAX, .module = &push_module};
    struct test_run r =
        run_with(&o, HEAD "time: {fps: 24, frames: 1-4, substeps: 1}\nstages:\n"
                          "  - body: {shape: {box: {center: [0, 0, 5], size: [0.2, 0.4, 0.6]}}, mass: 2}\n"
                          "  - push: {}\n  - bodies: {}\n");
    struct body_arrays b = bodies_of(&r);
    double p[3], l[3];
    bodies_momentum(&b, p, l);
    for (int a = 0; a < 3; a++) cr_assert_float_eq(p[a], (a + 1) * .1, 1e-12, "momentum %d is %g", a, p[a]);
    cr_assert_float_eq(b.inertia[0][0], 2 / 12. * (.16 + .36), 1e-12);
    cr_assert_eq(b.impulse[0][0] + b.torque[0][0], 0);
    test_end(&r);
}

/* ---- on a grid ---- */

Test(bodies, solid)
{
    struct test_run r =
        run("billow: 1\ndomain: {cells: [32, 32, 32], voxel: 5 cm, center: [0, 0]}\n"
            "time: {fps: 24, frames: 1-2, substeps: 1}\nstages:\n"
            "  - body: {shape: {sphere: {center: [0.1, 0, 0.8], radius: 30 cm}}, velocity: [0.5, 0, 0], spin: [0, "
            "0, 2], held: yes}\n"
            "  - bodies: {}\n  - body.solid: {slip: no}\n");
    struct grid d = grid_of(&r, "solid", 0), v = grid_of(&r, "solid_vel", 1), grip = grid_of(&r, "solid_grip", 0);
    double cx = .1 + .5 / 24;
    int inside = 0;
    for (int k = 0; k < 32; k++)
        for (int j = 0; j < 32; j++)
            for (int i = 0; i < 32; i++) {
                double x = (i - 15.5) * .05 - cx, y = (j - 15.5) * .05, z = (k + .5) * .05 - .8,
                       want = sqrt(x * x + y * y + z * z) - .3;
                if (want > .1) continue;
                cr_assert_float_eq(at(&d, i, j, k), want, 1e-6, "%d %d %d: %g m, not %g", i, j, k, at(&d, i, j, k),
                                   want);
                cr_assert_eq(at(&grip, i, j, k), 1);
                if (want < 0)
                    cr_assert_float_eq(at(&v, i, j, k), 2 * x, 1e-6, "%g m/s, not %g", at(&v, i, j, k), 2 * x);
                inside += want < 0;
            }
    cr_assert_gt(inside, 800);
    bw_free(d.v);
    bw_free(v.v);
    bw_free(grip.v);
    test_end(&r);
}

/* ---- what is refused ---- */

static void refuse(const char *stages, const char *sentence)
{
    run_refused(sentence, HEAD "time: {fps: 24, frames: 1-3, substeps: 1}\nstages:\n%s", stages);
}

Test(bodies, refusals)
{
    refuse("  - body: {}\n", "shape");
    refuse("  - body: {shape: {sphere: {radius: 0}}}\n", "radius is 0 m");
    refuse("  - body: {shape: {box: {size: [1, 0, 1]}}}\n", "size is 0 m");
    refuse("  - body: {shape: {sphere: {}}, density: 0}\n", "neither mass nor density");
    refuse("  - body: {shape: {torus: {}}}\n", "torus");
    refuse("  - bodies: {}\n", "no stage makes");
    refuse("  - body: {shape: {sphere: {}}}\n  - bodies: {heat: temperature, heat_radius: 1 cm}\n", "less than a cell");
}
