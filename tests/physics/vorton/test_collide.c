// SPDX-License-Identifier: Apache-2.0
/* Bodies among vortons: no-slip, added mass, momentum to rounding, wakes that brake, Gourlay's way, and what is
 * bad. */
#include "bodies_of.h"
#include <unistd.h>

#define HEAD "billow: 1\ndomain: {cells: [16, 16, 16], voxel: 1}\n"
#define RHO 2.0

/* ---- stages that look ---- */

#define PLACES 200
static double slip,
    past; ///< root mean squares at 200 places about the first body, a ball: inside, a grain's spacing off
          ///< the sheet, against its motion; outside, two off, against the potential flow about it
static double grain_apart; ///< the grains' spacing, in radii
static double
    ledger[2][6];       ///< fluid and bodies together before and after: momentum, angular momentum about the first body
static double scale[2]; ///< of what goes into them
static double worst;    ///< largest change so far, relative
#define MIDDLE (80. * 9)  ///< number of the ball's last grain, of 80 nodes 3 × 3 fine
static int gourlay_books; ///< 1: vortons as balls; 2: impulse without a sheet

static const struct bw_attribute vorton_rows[] = {{"pos", BW_F64P, 3, "m"},       {"strength", BW_F64P, 3, "m^3/s"},
                                                  {"radius", BW_F64P, 1, "m"},    {"volume", BW_F64P, 1, "m^3"},
                                                  {"velocity", BW_F32, 3, "m/s"}, {"bound", BW_F64P, 1, "1"}};
static const struct bw_attribute body_rows[] = {BODY_ATTRIBUTE_ROWS};
static const struct bw_port look_ports[] = {{.name = "vortons",
                                             .kind = BW_PARTICLES,
                                             .access = BW_READ,
                                             .doc = "Seen.",
                                             .attributes = vorton_rows,
                                             .n_attributes = 6},
                                            {.name = "bodies",
                                             .kind = BW_PARTICLES,
                                             .access = BW_READ,
                                             .doc = "Seen.",
                                             .attributes = body_rows,
                                             .n_attributes = BW_COUNT(body_rows)}};

/// The flow about a ball of radius a that moves with velocity v.
static void ball_flow(const double v[3], double a, const double r[3], double out[3])
{
    double d = sqrt(vec3_dot(r, r)), k = .5 * a * a * a / (d * d * d), n = vec3_dot(v, r) / (d * d);
    for (int c = 0; c < 3; c++) out[c] = k * (3 * n * r[c] - v[c]);
}

static enum bw_status slip_step(struct bw_stage *s)
{
    const void *table = NULL;
    struct bw_stage *from = s->host->find_stage(s, BW_VELOCITY, 0, &table);
    struct body_arrays b = body_arrays(s, s->ports[1].particles);
    bw_vec3 at[2 * PLACES];
    double u[6 * PLACES] = {0}, sum[2] = {0};
    for (int i = 0; i < 2 * PLACES; i++) {
        double z = 2 * bw_rng_unit(1, 2 * (uint64_t)i) - 1, t = 2 * PI * bw_rng_unit(1, 2 * (uint64_t)i + 1),
               r = sqrt(1 - z * z), far = b.size[0][0] * (1 + (i < PLACES ? -1 : 2) * grain_apart);
        const double n[3] = {r * cos(t), r * sin(t), z};
        for (int a = 0; a < 3; a++) at[i][a] = b.pos[0][a] + far * n[a];
    }
    enum bw_status st =
        ((const struct bw_velocity_api *)table)->evaluate(from, 2 * PLACES, (const bw_vec3 *)at, u, NULL);
    for (int i = 0; i < 2 * PLACES; i++) {
        double want[3], off[3];
        vec3_sub(at[i], b.pos[0], off);
        if (i < PLACES) body_velocity(&b, 0, at[i], want);
        else ball_flow(b.velocity[0], b.size[0][0], off, want);
        vec3_sub(u + 3 * i, want, off);
        sum[i / PLACES] += vec3_dot(off, off) / PLACES;
    }
    slip = sqrt(sum[0]);
    past = sqrt(sum[1]);
    return st;
}

static void vorton_add(const struct bw_stage *s, const double centre[3], double out[6], double *size)
{
    struct bw_particles *p = s->ports[0].particles;
    const bw_vec3 *x = bw_particles_table.attribute(p, "pos"), *alpha = bw_particles_table.attribute(p, "strength");
    const double *radius = bw_particles_table.attribute(p, "radius"),
                 *volume = bw_particles_table.attribute(p, "volume");
    const float *v = bw_particles_table.attribute(p, "velocity");
    for (int64_t i = 0; i < bw_particles_table.count(p); i++) {
        double r[3], c[3], d[3], own[3], mass = RHO * volume[i];
        for (int a = 0; a < 3; a++) {
            r[a] = x[i][a] - centre[a];
            own[a] = mass * (double)v[3 * i + a];
        }
        vec3_cross(r, gourlay_books == 1 ? own : alpha[i], c);
        vec3_cross(r, c, d);
        for (int a = 0; a < 3; a++) {
            double lin = gourlay_books == 1 ? own[a] : RHO * c[a] / 2;
            double ang = gourlay_books == 1 ? c[a] + .4 * mass * radius[i] * radius[i] * .5 * alpha[i][a] / volume[i]
                                            : RHO * d[a] / 3;
            out[a] += lin;
            out[3 + a] += ang;
            *size += fabs(lin) + fabs(ang);
        }
    }
}

static enum bw_status ledger_find(struct bw_stage *s, int which)
{
    struct body_arrays b = body_arrays(s, s->ports[1].particles);
    const bw_vec3 *met = bw_particles_table.attribute(s->ports[1].particles, "met");
    const bw_vec3 *met_spin = bw_particles_table.attribute(s->ports[1].particles, "met_spin");
    memset(ledger[which], 0, sizeof ledger[which]);
    scale[which] = 0;
    vorton_add(s, b.pos[0], ledger[which], &scale[which]);
    const bw_vec3 *alpha = bw_particles_table.attribute(s->ports[0].particles, "strength");
    const double *bound = bw_particles_table.attribute(s->ports[0].particles, "bound"), *middle = (const double[3]){0};
    for (int64_t i = 0; i < bw_particles_table.count(s->ports[0].particles) && !gourlay_books; i++)
        if (bound[i] == 1 + MIDDLE) middle = alpha[i];
    for (int64_t i = 0; i < b.count; i++) {
        double spin[3], orbit[3], r[3], own[3];
        body_inertia(&b, i, b.spin[i], 0, spin);
        for (int a = 0; a < 3; a++) {
            r[a] = b.pos[i][a] - b.pos[0][a];
            own[a] = b.mass[i] * b.velocity[i][a] - (gourlay_books ? 0 : RHO * b.volume[i] * met[i][a]);
            ledger[which][a] += own[a];
            /* inside: -1/3 J c/V of c in the middle, and the fluid's own J Ω is not there */
            ledger[which][3 + a] += spin[a] - (gourlay_books ? 0
                                                             : b.inertia[i][a] / b.mass[i] * RHO *
                                                                   (b.volume[i] * met_spin[i][a] + middle[a] / 3));
        }
        vec3_cross(r, own, orbit);
        for (int a = 0; a < 3; a++) ledger[which][3 + a] += orbit[a];
    }
    for (int a = 0; a < 6 && which && s->step > 0; a++)
        worst = fmax(worst, fabs(ledger[1][a] - ledger[0][a]) / fmax(scale[0], scale[1]));
    return BW_OK;
}
static enum bw_status before_step(struct bw_stage *s) { return ledger_find(s, 0); }
static enum bw_status after_step(struct bw_stage *s) { return ledger_find(s, 1); }

static double thrown,
    drawn; ///< over the speed of the first body's equator: outward at its equator, 1.4 radii out; inward over its poles
static enum bw_status throw_step(struct bw_stage *s)
{
    const void *table = NULL;
    struct bw_stage *from = s->host->find_stage(s, BW_VELOCITY, 0, &table);
    struct body_arrays b = body_arrays(s, s->ports[1].particles);
    bw_vec3 at[18];
    double u[54] = {0}, tip = b.size[0][0] * b.spin[0][2];
    for (int i = 0; i < 18; i++) {
        const double turn = 2 * PI / 16 * i,
                     n[3] = {i < 16 ? cos(turn) : 0, i < 16 ? sin(turn) : 0, i < 16 ? 0 : 33 - 2 * i};
        for (int a = 0; a < 3; a++) at[i][a] = b.pos[0][a] + 1.4 * b.size[0][0] * n[a];
    }
    enum bw_status st = ((const struct bw_velocity_api *)table)->evaluate(from, 18, (const bw_vec3 *)at, u, NULL);
    thrown = 0;
    for (int i = 0; i < 16; i++)
        thrown += (u[3 * i] * cos(2 * PI / 16 * i) + u[3 * i + 1] * sin(2 * PI / 16 * i)) / (16 * tip);
    drawn = (u[3 * 17 + 2] - u[3 * 16 + 2]) / (2 * tip);
    return st;
}

static double speed, quickened,
    strongest; ///< of the first body; the most it gained in a step; of all free vortons so far
static int64_t steps;
static enum bw_status watch_step(struct bw_stage *s)
{
    struct body_arrays b = body_arrays(s, s->ports[1].particles);
    struct bw_particles *p = s->ports[0].particles;
    const bw_vec3 *alpha = bw_particles_table.attribute(p, "strength");
    const double *volume = bw_particles_table.attribute(p, "volume"), *u = b.velocity[0];
    double now = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    if (steps++) quickened = fmax(quickened, now - speed);
    speed = now;
    for (int64_t i = 0; i < bw_particles_table.count(p); i++)
        if (volume[i] > 0)
            strongest = fmax(strongest,
                             sqrt(alpha[i][0] * alpha[i][0] + alpha[i][1] * alpha[i][1] + alpha[i][2] * alpha[i][2]));
    return BW_OK;
}

static const struct bw_stage_desc *const look_stages[] = {
    &(const struct bw_stage_desc){
        .id = "watch", .version = "1", .brief = "Looks.", BW_PORTS(look_ports), .step = watch_step},
    &(const struct bw_stage_desc){
        .id = "throw", .version = "1", .brief = "Looks.", BW_PORTS(look_ports), .step = throw_step},
    &(const struct bw_stage_desc){.id = "slip",
                                  .version = "1",
                                  .brief = "Looks.",
                                  BW_PORTS(look_ports),
                                  .step = slip_step,
                                  .flags = BW_STAGE_SETUP},
    &(const struct bw_stage_desc){
        .id = "before", .version = "1", .brief = "Looks.", BW_PORTS(look_ports), .step = before_step},
    &(const struct bw_stage_desc){
        .id = "after", .version = "1", .brief = "Looks.", BW_PORTS(look_ports), .step = after_step},
};
static const struct bw_module look_module = BW_MODULE(look_stages);
static const struct test_options looking = {.simd = UINT32_MAX, .module = &look_module};

/* ---- the sheet ---- */

/* Of a ball of 50, 200, 600 nodes: fluid inside goes with it, fluid outside as about a ball of its size and no larger;
 * one that only spins moves nothing outside. */
Test(collide, no_slip)
{
    static const int nodes[] = {50, 200, 600};
    const int turns = test_short() ? 2 : 3;
    for (int w = 0; w < 2; w++) {
        double in[3] = {0}, out[3] = {0};
        for (int k = 0; k < turns; k++) {
            grain_apart = sqrt(4 * PI / nodes[k]) / 5;
            struct test_run r = run_with(
                &looking,
                HEAD "time: {fps: 24, frames: 1-1}\nstages:\n"
                     "  - body: {shape: {sphere: {center: [1, 2, 3], radius: 50 cm}}, velocity: [%d, 0, 0], spin: [0, "
                     "0, %d]}\n"
                     "  - vorton.velocity: {method: direct}\n  - vorton.collide: {nodes: %d}\n  - slip: {}\n",
                !w, 2 * w, nodes[k]);
            in[k] = slip;
            out[k] = past;
            test_end(&r);
        }
        fprintf(stderr,
                "%s: inside off by %.4f, %.4f, %.4f m/s, outside by %.4f, %.4f, %.4f, with 50, 200, 600 nodes\n",
                w ? "spinning" : "moving", in[0], in[1], in[2], out[0], out[1], out[2]);
        for (int k = 0; k < turns; k++)
            cr_assert(in[k] < .01 && out[k] < .01, "%d nodes: %.4f and %.4f m/s", nodes[k], in[k], out[k]);
    }
}

/* From rest: (m - m_f) g = (m + C m_f) a, C = ½ for a ball, heavy or light, within 2 % from few nodes on. */
Test(collide, added_mass)
{
    static const struct {
        double density;
        int nodes;
    } cases[] = {{1.01, 600}, {2, 600}, {.05, 150}, {.05, 600}};
    for (int k = test_short() ? 2 : 0; k < (test_short() ? 3 : 4); k++) {
        const double ratio = cases[k].density;
        struct test_run r =
            run(HEAD "time: {fps: 24, frames: 1-2, substeps: 1}\nstages:\n"
                     "  - body: {shape: {sphere: {center: [0, 0, 9], radius: 30 cm}}, density: %g}\n"
                     "  - bodies: {}\n  - vorton.velocity: {}\n  - vorton.collide: {density: 1000, nodes: %d}\n",
                1000 * ratio, cases[k].nodes);
        double is = bodies_of(&r).velocity[0][2] * 24, added = -9.81 * (ratio - 1) / is - ratio;
        fprintf(stderr, "density %g of the fluid's, %d nodes: %.4f m/s^2, added mass %.4f of the fluid's\n", ratio,
                cases[k].nodes, is, added);
        cr_assert_float_eq(added, .5, .01, "%.4f", added);
        test_end(&r);
    }
}

/* Without shedding a ball goes on for ever (d'Alembert). */
Test(collide, no_drag_without_a_wake)
{
    struct test_run r = run(
        HEAD "time: {fps: 24, frames: 1-25, substeps: 1}\nstages:\n"
             "  - body: {shape: {sphere: {center: [0, 0, 9], radius: 30 cm}}, density: 1.2, velocity: [1, 0.5, 0]}\n"
             "  - vorton.velocity: {method: direct}\n  - vorton.stretch: {}\n  - vorton.advect: {}\n"
             "  - bodies: {gravity: [0, 0, 0]}\n  - vorton.collide: {shed: no, nodes: 100, fine: 4}\n");
    struct body_arrays b = bodies_of(&r);
    cr_assert_float_eq(b.velocity[0][0], 1, 2e-4, "%.6f m/s", b.velocity[0][0]);
    cr_assert_float_eq(b.velocity[0][1], .5, 2e-4, "%.6f m/s", b.velocity[0][1]);
    test_end(&r);
}

#define WILD                                                                                                           \
    "x,y,z,strength_x,strength_y,strength_z,radius\n0.1,0.25,1.1,0.1,0.2,-0.3,0.1\n0.3,0.1,1.2,0,0.3,0.1,0.15\n"       \
    "0.5,-0.2,1,0.3,-0.1,0.2,0.1\n"

/* Fluid and body have together after the stage what they had before: shedding, spinning, with vortons thrown into the
 * body. */
Test(collide, books_of_the_sheet)
{
    gourlay_books = 0;
    worst = 0;
    struct test_run r = run_with(
        &looking,
        HEAD "time: {fps: 24, frames: 1-13, substeps: 1}\nstages:\n"
             "  - vorton.emit: {source: {file: {file: %s}}}\n"
             "  - body: {shape: {sphere: {center: [0, 0, 1], radius: 20 cm}}, density: 3, velocity: [1, 0.2, 0], "
             "spin: [1, 2, 3]}\n"
             "  - vorton.velocity: {}\n  - vorton.advect: {}\n  - bodies: {}\n"
             "  - before: {}\n  - vorton.collide: {density: 2, nodes: 80, fine: 3}\n  - after: {}\n",
        test_table(WILD));
    cr_assert_gt(metric(&r, "vorton.velocity.vortons"), 80 * 9 + 1 + 3 + 80, "nothing was shed");
    fprintf(stderr, "momentum of fluid and body changes by %.1e of what is there\n", worst);
    cr_assert(worst < 1e-12 && worst > 0, "changed by %.2e", worst);
    test_end(&r);
}

/* A ball in still fluid only ever slows down, step by step for two seconds, spinning or not, its wake stretched or not,
 * and that stays bounded: what is shed at once is no stronger than 1.5 U h² · h/2 a node, a lattice's node holds no
 * more than a few of those. */
Test(collide, slows_down)
{
    static const double spin[] = {0, 0, 5};
    static const char *const stretch[] = {"", "  - vorton.stretch: {form: mixed}\n",
                                          "  - vorton.stretch: {form: mixed}\n"};
    for (int k = test_short() ? 2 : 0; k < 3; k++) {
        speed = quickened = strongest = 0;
        steps = 0;
        struct test_run r = run_with(
            &looking,
            HEAD "time: {fps: 24, frames: 1-49, substeps: 1}\nstages:\n"
                 "  - body: {shape: {sphere: {center: [0, 0, 9], radius: 20 cm}}, density: 30, velocity: [1, 0, 0], "
                 "spin: [0, %g, 0]}\n"
                 "  - vorton.velocity: {method: direct}\n%s  - vorton.advect: {}\n"
                 "  - vorton.remesh: {interval: 41 ms, spacing: 8 cm, overlap: 1.3, threshold: 0.02, margin: 0}\n"
                 "  - vorton.diffuse: {viscosity: 0, eddy: 0.3}\n"
                 "  - bodies: {gravity: [0, 0, 0]}\n  - vorton.collide: {nodes: 80, fine: 2}\n  - watch: {}\n",
            spin[k], stretch[k]);
        fprintf(stderr,
                "spin %g, %s: %.4f m/s after %lld steps, gained %.1e in one at most; strongest vorton %.2e m^3/s\n",
                spin[k], *stretch[k] ? "stretched" : "unstretched", speed, (long long)steps, quickened, strongest);
        cr_assert_eq(r.status, BW_OK);
        cr_assert_geq(steps, 48);
        cr_assert_leq(quickened, 1e-4, "faster by %g m/s", quickened);
        cr_assert(speed < .97 && speed > .3, "%g m/s", speed);
        cr_assert_lt(strongest, 0.03);
        test_end(&r);
    }
}

/* A ball that spins in still fluid drags it round, slip-free, throws it out along its equator and draws it in over the
 * poles (Howarth 1951): the wrong way round where vortons are stretched by `classic`. Both sums of strength stay zero
 * together. */
Test(collide, throws_out_at_its_equator)
{
    struct test_run r = run_with(
        &looking, HEAD "time: {fps: 24, frames: 1-17, substeps: 2}\nstages:\n"
                       "  - body: {shape: {sphere: {center: [0, 0, 1], radius: 20 cm}}, spin: [0, 0, 12], held: yes}\n"
                       "  - vorton.velocity: {method: direct}\n  - vorton.stretch: {}\n  - vorton.advect: {}\n"
                       "  - vorton.remesh: {interval: 41 ms, spacing: 8 cm, overlap: 1.3, threshold: 0.02, margin: 0}\n"
                       "  - vorton.diffuse: {viscosity: 0, eddy: 0.3}\n"
                       "  - bodies: {gravity: [0, 0, 0]}\n  - vorton.collide: {nodes: 80, fine: 2}\n  - throw: {}\n");
    double off = metric(&r, "vorton.collide.slip"), sum = metric(&r, "vorton.velocity.strength");
    fprintf(stderr,
            "spinning in place: slip %.4f; at 1.4 radii %.4f of the equator's speed outward, %.4f inward over the "
            "poles; sum of strengths %.1e m^3/s\n",
            off, thrown, drawn, sum);
    cr_assert(off < .05, "slip %g", off);
    cr_assert(thrown > .008 && thrown < .3, "outward %g", thrown);
    cr_assert(drawn > .008 && drawn < .3, "inward %g", drawn);
    cr_assert(sum < 1e-10, "sum of strengths %g", sum);
    test_end(&r);
}

static uint64_t hash(const struct test_run *r, const char *particles, const char *name)
{
    struct bw_particles *p = bw_chain_particles(r->chain, particles);
    const unsigned char *v = bw_particles_table.attribute(p, name);
    uint64_t h = 1469598103934665603ull;
    for (int64_t i = 0; i < 24 * bw_particles_table.count(p); i++) h = (h ^ v[i]) * 1099511628211ull;
    return h;
}

/* Two bodies, a ball and a box, that meet: the same bits on one and two threads. */
Test(collide, equal_bytes)
{
    uint64_t h[2][3];
    for (uint32_t threads = 1; threads <= 2; threads++) {
        struct test_options o = {.threads = threads, .simd = UINT32_MAX};
        struct test_run r = run_with(
            &o,
            HEAD "time: {fps: 25, frames: 1001-1006, substeps: 2}\nstages:\n"
                 "  - body: {id: a, shape: {sphere: {center: [0, 0, 1], radius: 20 cm}}, velocity: [2, 0, 0], spin: "
                 "[0, 0, 9]}\n"
                 "  - body: {id: b, shape: {box: {center: [0.5, 0.1, 1], size: [0.3, 0.3, 0.2]}}}\n"
                 "  - tracers: {shape: {box: {center: [0.2, 0, 1], size: [1, 1, 1]}}, count: 3000}\n"
                 "  - vorton.velocity: {}\n  - vorton.stretch: {}\n  - vorton.advect: {}\n  - bodies: {}\n"
                 "  - vorton.collide: {nodes: 60, fine: 3}\n");
        h[threads - 1][0] = hash(&r, "bodies", "pos");
        h[threads - 1][1] = hash(&r, "vortons", "strength");
        h[threads - 1][2] = hash(&r, "tracers", "pos");
        test_end(&r);
    }
    for (int i = 0; i < 3; i++) cr_assert_eq(h[0][i], h[1][i], "%d", i);
}

/* ---- Gourlay's way ---- */

Test(collide, gourlay_contact)
{
    static const char *const books[] = {"particles", "impulse"}, *const place[] = {"offset", "above"};
    for (int k = 0; k < 4; k++) {
        gourlay_books = 1 + k / 2;
        worst = 0;
        struct test_run r = run_with(
            &looking,
            HEAD
            "time: {fps: 24, frames: 1-3, substeps: 1}\nstages:\n"
            "  - vorton.emit: {source: {cloud: {center: [0.4, 0, 1], radius: 30 cm, count: 300, vorticity: 5, "
            "core: 5 cm}}}\n"
            "  - body: {shape: {sphere: {center: [0, 0, 1], radius: 20 cm}}, density: 3, velocity: [2, 0.2, 0], "
            "spin: [1, 2, 3]}\n"
            "  - vorton.velocity: {kernel: gourlay, method: direct}\n  - vorton.advect: {}\n"
            "  - bodies: {gravity: [0, 0, 0]}\n"
            "  - before: {}\n  - vorton.collide: {method: gourlay, density: 2, books: %s, place: %s}\n  - after: {}\n",
            books[k / 2], place[k % 2]);
        cr_assert_gt(metric(&r, "vorton.collide.ejected"), 0);
        double left = metric(&r, "vorton.collide.contact");
        cr_assert(left < 1e-12, "%g of the velocity is left at a contact", left);
        cr_assert(worst < 1e-12 && worst > 0, "%s: changed by %.2e", books[k / 2], worst);
        test_end(&r);
    }
}

/* One vorton in a ball that moves: what it brings about at the nearest point is the ball's motion; kernel by hand. */
Test(collide, gourlay_by_hand)
{
    struct test_run r =
        run(HEAD "time: {fps: 24, frames: 1-2, substeps: 1}\nstages:\n"
                 "  - body: {shape: {sphere: {center: [0, 0, 1], radius: 20 cm}}, velocity: [3, 0, 0], held: yes}\n"
                 "  - vorton.emit: {source: {file: {file: %s}}}\n  - vorton.velocity: {}\n  - bodies: {}\n"
                 "  - vorton.collide: {method: gourlay}\n",
            test_table("x,y,z,strength_x,strength_y,strength_z,radius\n0.25,0.1,1.05,0,0,0.001,0.05\n"));
    struct bw_particles *p = bw_chain_particles(r.chain, "vortons");
    const double *x = bw_particles_table.attribute(p, "pos"), *alpha = bw_particles_table.attribute(p, "strength");
    const double d[3] = {.25 - .125, .1, .05}, size = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    double q = erf(sqrt(.5)) - sqrt(2 / PI) * exp(-.5), to[3], u[3];
    cr_assert_lt(size, .2);
    for (int a = 0; a < 3; a++) to[a] = (a == 0 ? .125 : a == 2) + .2 / size * d[a] - x[a];
    vec3_cross(alpha, to, u);
    for (int a = 0; a < 3; a++) {
        u[a] *= q / (4 * PI * .05 * .05 * .05);
        cr_assert_float_eq(u[a], a ? 0 : 3, 1e-8, "%d: %.12g m/s", a, u[a]);
    }
    test_end(&r);
}

/* ---- bad input ---- */

Test(collide, misfits)
{
    const char *rows = "x,y,z,strength_x,strength_y,strength_z,radius\n0,0,1,0,0,1,0.1\n0.1,0,1,0,0,1,0.1\n"
                       "0.4,0,1,0,0,0.01,0.1\n0.4,0,1,0,0,0.01,0.1\n0.4,0.2,1,0,0,0.01,0\n0,0,1e7,1,0,0,0.1\n";
    struct test_run r = run(
        HEAD
        "time: {fps: 24, frames: 1-3, substeps: 1}\nstages:\n"
        "  - vorton.emit: {source: {file: {file: %s}}}\n"
        "  - body: {shape: {sphere: {center: [0, 0, 1], radius: 20 cm}}, velocity: [1, 0, 0]}\n"
        "  - tracers: {shape: {sphere: {center: [0, 0, 1], radius: 30 cm}}, count: 1000}\n"
        "  - vorton.velocity: {}\n  - vorton.advect: {}\n  - bodies: {}\n  - vorton.collide: {nodes: 50, fine: 2}\n",
        test_table(rows));
    struct body_arrays b = bodies_of(&r);
    struct bw_particles *p = bw_chain_particles(r.chain, "tracers");
    const bw_vec3 *x = bw_particles_table.attribute(p, "pos");
    int64_t n = bw_particles_table.count(p);
    cr_assert(n > 600 && n < 800, "%lld tracers of about 704 are left", (long long)n);
    for (int64_t i = 0; i < n; i++)
        cr_assert_gt(hypot(hypot(x[i][0] - b.pos[0][0], x[i][1] - b.pos[0][1]), x[i][2] - b.pos[0][2]), .2 - 1e-9);
    cr_assert_geq(metric(&r, "vorton.velocity.vortons"), 2 + 50 * 4 + 1,
                  "the two that stood free are there, the two inside are not");
    test_end(&r);
}

static void refuse(const char *stages, const char *sentence)
{
    run_refused(sentence, HEAD "time: {fps: 24, frames: 1-3, substeps: 1}\nstages:\n%s", stages);
}

Test(collide, refusals)
{
    refuse("  - body: {shape: {sphere: {}}}\n  - vorton.collide: {}\n", "vorton.velocity");
    refuse("  - body: {shape: {sphere: {}}}\n  - vorton.velocity: {}\n  - vorton.collide: {nodes: 2}\n", "nodes");
}
