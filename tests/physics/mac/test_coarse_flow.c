// SPDX-License-Identifier: Apache-2.0
/* `domain: {flow: N}`: smoke on cells finer than the flow's. The flow between wide faces keeps divergence, so amounts
 * stay and a constant stays one; forces see means; nothing depends on threads; what needs both on the same cells is
 * refused. */
#include "physics/physics.h"

/* ---- the flow on fine faces ---- */

/* Smoke in a flow that the preset holds, on cells of 1/N m. */
static struct test_run held(int wide, const char *flow)
{
    return run("billow: 1\ncharacter: calm\n"
               "domain: {cells: [24, 24, 24], voxel: 1 m, origin: [0, 0, 0], flow: %d, sides: {rest: open}}\n"
               "time: {fps: 1000, frames: 1-2, substeps: 1}\n"
               "stages:\n"
               "  - set: {id: gust, field: vel, value: %s, keep: true}\n"
               "  - set: {field: density, value: 1, keep: true}\n"
               "  - mac.advect: {only: [density]}\n",
               wide, flow);
}

static double divergence(const struct grid u[3], int i, int j, int k)
{
    return at(&u[0], i + 1, j, k) - at(&u[0], i, j, k) + at(&u[1], i, j + 1, k) - at(&u[1], i, j, k) +
           at(&u[2], i, j, k + 1) - at(&u[2], i, j, k);
}

static void flow_of(const struct test_run *r, const char *name, struct grid u[3])
{
    for (uint32_t c = 0; c < 3; c++) u[c] = grid_of(r, name, c);
}

static void flow_free(struct grid u[3])
{
    for (int c = 0; c < 3; c++) bw_free(u[c].v);
}

/* However rough the flow: of each fine cell the divergence is that of its wide cell, and a wide face's flux is the mean
 * of its parts. */
Test(coarse_flow, fine_cells_have_the_divergence_of_their_wide_cell)
{
    for (int wide = 2; wide <= 4; wide++) {
        struct test_run r =
            held(wide, "[\"sin(5*x+3*y)*cos(2*z)\", \"sin(7*y-z)+cos(4*x*z)\", \"sin(3*x*y)+cos(6*z)\"]");
        struct grid fine[3], flow[3];
        double worst = 0, mean = 0;
        flow_of(&r, "vel", fine);
        flow_of(&r, "flow.vel", flow);
        cr_assert_eq(flow[0].n[0], 24 / wide + 1);
        for (int k = 0; k < 24; k++)
            for (int j = 0; j < 24; j++)
                for (int i = 0; i < 24; i++) {
                    const double due = divergence(flow, i / wide, j / wide, k / wide) / wide;
                    worst = fmax(worst, fabs(divergence(fine, i, j, k) - due));
                }
        for (int k = 0; k < 24; k += wide)
            for (int j = 0; j < 24; j += wide) {
                double sum = 0;
                for (int e = 0; e < wide * wide; e++) sum += at(&fine[0], 12, j + e % wide, k + e / wide);
                mean = fmax(mean, fabs(sum / wide / wide - at(&flow[0], 12 / wide, j / wide, k / wide)));
            }
        cr_assert_leq(worst, 2e-6, "%d: %g", wide, worst);
        cr_assert_leq(mean, 5e-7, "%d: %g", wide, mean);
        flow_free(fine);
        flow_free(flow);
        test_end(&r);
    }
}

/* A linear flow is itself, away from the sides, where it ends. */
Test(coarse_flow, linear_flows_stay)
{
    struct test_run r = held(3, "[\"1 + x + 2*y - z\", \"3*x - 2*y + z\", \"y + z - 5*x\"]");
    struct grid u[3];
    flow_of(&r, "vel", u);
    for (int k = 6; k < 18; k++)
        for (int j = 6; j < 18; j++)
            for (int i = 6; i < 18; i++) {
                cr_assert_float_eq(at(&u[0], i, j, k), 1 + i + 2 * (j + .5) - (k + .5), 1e-4);
                cr_assert_float_eq(at(&u[1], i, j, k), 3 * (i + .5) - 2 * j + (k + .5), 1e-4);
                cr_assert_float_eq(at(&u[2], i, j, k), (j + .5) + k - 5 * (i + .5), 1e-4);
            }
    flow_free(u);
    test_end(&r);
}

/* In a flat box too, in the tile of an obstacle. (Slopes of 0 there give thin streaks teeth of a wide cell.) */
Test(coarse_flow, linear_flows_stay_in_the_tile_of_an_obstacle)
{
    struct test_run r =
        run("billow: 1\ncharacter: calm\n"
            "domain: {cells: [64, 1, 64], voxel: 1 m, origin: [0, 0, 0], flow: 2, sides: {rest: open}}\n"
            "time: {fps: 1000, frames: 1-2, substeps: 1}\n"
            "stages:\n"
            "  - set: {id: gust, field: vel, value: [\"1 + x - 2*z\", 0, \"3*x - z\"], keep: true}\n"
            "  - set: {field: density, value: 1, keep: true}\n"
            "  - collide: {shape: {sphere: {center: [12, 0.5, 12], radius: 6 m}}}\n"
            "  - mac.advect: {only: [density]}\n");
    struct grid u[3];
    flow_of(&r, "vel", u);
    for (int k = 30; k < 58; k++)
        for (int i = 30; i < 58; i++) {
            cr_assert_float_eq(at(&u[0], i, 0, k), 1 + i - 2 * (k + .5), 1e-4);
            cr_assert_float_eq(at(&u[2], i, 0, k), 3 * (i + .5) - k, 1e-4);
        }
    flow_free(u);
    test_end(&r);
}

/* Along a face waves of eight wide cells do not alternate from one fine cell to the next: no more than a fiftieth of
 * what they change by. Central differences leave a tenth. */
Test(coarse_flow, waves_are_smooth)
{
    struct test_run r = held(2, "[0, 0, \"sin(2*pi*x/16)\"]");
    struct grid u = grid_of(&r, "vel", 2);
    double worst = 0;
    for (int i = 6; i < 18; i++) {
        const double own = at(&u, i, 12, 12) - at(&u, i - 1, 12, 12),
                     due = sin(PI / 8 * (i + .5)) - sin(PI / 8 * (i - .5));
        worst = fmax(worst, fabs(own - 1.02 * due)); // means of point values are steeper
    }
    cr_assert_leq(worst, .02 * PI / 8, "%g", worst);
    bw_free(u.v);
    test_end(&r);
}

/* ---- a plume ---- */

static const char still[] = "  - collide: {shape: {sphere: {center: [0.02, 0.01, 0.7], radius: 16 cm}}}\n";
static const char moving[] =
    "  - collide: {shape: {sphere: {center: [\"=0.14*sin(5*t)\", 0.01, \"=0.66+0.1*sin(3*t)\"], radius: 16 cm}}}\n";

static struct test_run shut_in(int wide, int detail, const char *more, uint32_t threads, int frames)
{
    const struct test_options o = {.threads = threads, .simd = UINT32_MAX};
    return run_with(&o,
                    "billow: 1\n"
                    "domain: {cells: [36, 24, 48], voxel: 3 cm, margin: 4096, flow: %d, sides: {rest: closed}}\n"
                    "time: {fps: 24, frames: 1-%d, cfl: 3}\n"
                    "fields: {dye: {kind: vector, advect: true}}\n"
                    "stages:\n"
                    "%s"
                    "  - mac.advect: {mixing: 0, detail: %d}\n"
                    "  - emit: {frames: 1-6, density: 1, temperature: 100, "
                    "shape: {sphere: {center: [0.03, 0.02, 0.25], radius: 14 cm}}}\n"
                    "  - set: {field: dye, value: [0.75, \"x > 0 ? 1 : -1\", 0]}\n"
                    "  - stats: {id: source, frames: 1-7, fields: [density, temperature]}\n"
                    "  - mac.forces: {confinement: 0.2}\n"
                    "  - mac.project: {}\n"
                    "  - stats: {id: after, fields: [density, temperature]}\n",
                    wide, frames, more, detail);
}

static double drift(const struct test_run *r, const char *field)
{
    char source[64], after[64];
    snprintf(source, sizeof source, "source.mass_%s", field);
    snprintf(after, sizeof after, "after.mass_%s", field);
    return fabs(metric(r, after) / metric(r, source) - 1);
}

Test(coarse_flow, amounts_stay_and_a_constant_stays_one)
{
    for (int wide = 2; wide <= 4; wide++) { // 4: 2 with noise
        struct test_run r = shut_in(wide > 3 ? 2 : wide, wide > 3, "", 2, test_short() ? 9 : 20);
        cr_assert_gt(metric(&r, "mac.advect@flow.cells"), .3, "it hardly moves");
        cr_assert_leq(drift(&r, "density"), 5e-5, "%d: %g", wide, drift(&r, "density"));
        cr_assert_leq(drift(&r, "temperature"), 5e-5, "%d: %g", wide, drift(&r, "temperature"));
        struct grid dye = grid_of(&r, "dye", 0);
        for (size_t i = 0; i < grid_count(&dye); i++) cr_assert_eq(dye.v[i], .75, "a constant became %.9g", dye.v[i]);
        bw_free(dye.v);
        test_end(&r);
    }
}

Test(coarse_flow, amounts_stay_round_obstacles)
{
    static const char *const ball[] = {still, moving};
    static const double bound[] = {5e-5, 2e-3};
    for (int i = 0; i < 2; i++) {
        struct test_run r = shut_in(2, i, ball[i], 2, test_short() ? 9 : 20);
        cr_assert_leq(drift(&r, "density"), bound[i], "%d: %g", i, drift(&r, "density"));
        cr_assert_geq(metric(&r, "after.min_density"), 0);
        cr_assert_leq(metric(&r, "after.max_density"), 1 + 1e-6);
        test_end(&r);
    }
}

Test(coarse_flow, threads_do_not_count)
{
    static const char *const field[] = {"density", "temperature", "dye", "flow.vel", "flow.temperature"};
    struct test_run a = shut_in(2, 1, still, 1, 8), b = shut_in(2, 1, still, 3, 8);
    for (size_t i = 0; i < sizeof field / sizeof *field; i++)
        cr_assert_eq(test_hash(&a, field[i]), test_hash(&b, field[i]), "%s", field[i]);
    test_end(&a);
    test_end(&b);
}

/* ---- noise ---- */

/* A rough flow past a ball in a closed box of 1 m cells, full of smoke; `first`: where the box starts, m. */
static struct test_run noisy(int wide, int detail, int first, int cells)
{
    return run("billow: 1\ncharacter: calm\n"
               "domain: {cells: [%d, %d, 36], voxel: 1 m, origin: [%d, 0, 0], flow: %d, sides: {rest: closed}}\n"
               "time: {fps: 4, frames: 1-3, substeps: 1}\n"
               "stages:\n"
               "  - set: {id: gust, field: vel, keep: true, value: [\"sin(.9*x+.3*y)*cos(.7*z)\",\n"
               "      \"sin(.8*y-z)+cos(.4*x+z)\", \"sin(.3*x+y)+cos(.6*z)\"]}\n"
               "  - set: {field: density, value: 1, keep: true}\n"
               "  - collide: {shape: {sphere: {center: [12, 12, 12], radius: 4 m}}}\n"
               "  - mac.advect: {only: [density], detail: %d}\n",
               cells, 12 * wide, first, wide, detail);
}

/* Noise has no divergence, and nothing of it goes through closed sides or into a ball. */
Test(coarse_flow, noise_keeps_divergence_and_walls)
{
    for (int wide = 2; wide <= 4; wide++) {
        struct test_run r[2] = {noisy(wide, 0, 0, 12 * wide), noisy(wide, 1, 0, 12 * wide)};
        struct grid u[2][3];
        double worst = 0, energy[2] = {0, 0};
        for (int e = 0; e < 2; e++) flow_of(&r[e], "vel", u[e]);
        for (int c = 0; c < 3; c++)
            for (size_t i = 0; i < grid_count(&u[1][c]); i++) {
                energy[0] += u[0][c].v[i] * u[0][c].v[i];
                u[1][c].v[i] -= u[0][c].v[i];
                energy[1] += u[1][c].v[i] * u[1][c].v[i];
            }
        for (int k = 0; k < 36; k++)
            for (int j = 0; j < 12 * wide; j++) {
                cr_assert_eq(at(&u[1][0], 0, j, k), 0);
                cr_assert_eq(at(&u[1][0], 12 * wide, j, k), 0);
                for (int i = 0; i < 12 * wide; i++) {
                    worst = fmax(worst, fabs(divergence(u[1], i, j, k)));
                    if (hypot(hypot(i - 11.5, j - 11.5), k - 11.5) < 4) cr_assert_eq(at(&u[1][2], i, j, k), 0);
                }
            }
        cr_assert_leq(worst, 4e-6, "%d: %g", wide, worst);
        cr_assert_gt(energy[1], .02 * energy[0], "%d: %g of %g", wide, energy[1], energy[0]);
        cr_assert_lt(energy[1], 4 * energy[0]);
        for (int e = 0; e < 2; e++) {
            flow_free(u[e]);
            test_end(&r[e]);
        }
    }
}

/* It lies where it lies in the world, whatever cells a box starts with. */
Test(coarse_flow, noise_does_not_depend_on_where_the_box_starts)
{
    struct test_run r[2] = {noisy(2, 1, 0, 48), noisy(2, 1, -6, 54)};
    for (uint32_t c = 0; c < 3; c++) {
        struct grid a = grid_of(&r[0], "vel", c), b = grid_of(&r[1], "vel", c);
        for (int k = 0; k < 24; k++)
            for (int j = 0; j < 24; j++)
                for (int i = 12; i < 48; i++)
                    cr_assert_float_eq(at(&a, i, j, k), at(&b, i + 6, j, k), 1e-5, "%d %d %d", i, j, k);
        bw_free(a.v);
        bw_free(b.v);
    }
    for (int e = 0; e < 2; e++) test_end(&r[e]);
}

/* ---- what the flow sees of amounts ---- */

/* Forces take the means of heat as the last stage leaves it; here in a flat box whose cells end within a tile. */
Test(coarse_flow, forces_see_means)
{
    struct test_run r = run("billow: 1\ncharacter: calm\n"
                            "domain: {cells: [90, 1, 42], voxel: 2 cm, flow: 3, sides: {rest: open}}\n"
                            "time: {fps: 24, frames: 1-6}\n"
                            "stages:\n"
                            "  - mac.advect: {}\n"
                            "  - emit: {temperature: 80, density: 1, velocity: [0.3, 0, 0.4],\n"
                            "           shape: {cylinder: {center: [0.1, 0, 0.3], radius: 0.2, axis: [0, 1, 0]}}}\n"
                            "  - mac.forces: {}\n"
                            "  - mac.project: {}\n");
    struct grid fine = grid_of(&r, "temperature", 0), flow = grid_of(&r, "flow.temperature", 0);
    cr_assert_eq(flow.n[0], 30);
    cr_assert_eq(flow.n[1], 1);
    for (int k = 0; k < flow.n[2]; k++)
        for (int i = 0; i < flow.n[0]; i++) {
            double sum = 0;
            for (int e = 0; e < 9; e++) sum += at(&fine, 3 * i + e % 3, 0, 3 * k + e / 3);
            cr_assert_float_eq(at(&flow, i, 0, k), sum / 9, 1e-5 * (1 + sum / 9));
        }
    cr_assert_gt(grid_sum(&fine), 1000);
    bw_free(fine.v);
    bw_free(flow.v);
    struct grid vel = grid_of(&r, "flow.vel", 0);
    cr_assert_gt(grid_max(&vel), .2, "the source's velocity is the flow's");
    bw_free(vel.v);
    test_end(&r);
}

/* Reflection is the flow's matter: it moves, and what it carries stays in its bounds. */
Test(coarse_flow, it_reflects)
{
    struct test_run r =
        run("billow: 1\ncharacter: calm\n"
            "domain: {cells: [32, 32, 48], voxel: 4 cm, flow: 2, sides: {rest: open}}\n"
            "time: {fps: 24, frames: 1-10}\n"
            "stages:\n"
            "  - mac.advect: {reflection: yes}\n"
            "  - emit: {temperature: 80, density: 1, shape: {sphere: {center: [0, 0, 0.4], radius: 0.2}}}\n"
            "  - mac.forces: {}\n"
            "  - mac.project: {}\n");
    struct grid vel = grid_of(&r, "flow.vel", 2), smoke = grid_of(&r, "density", 0);
    cr_assert_gt(grid_max(&vel), .5);
    cr_assert_leq(grid_max(&smoke), 1);
    bw_free(vel.v);
    bw_free(smoke.v);
    test_end(&r);
}

/* Fire expands the flow: what leaves a closed-up room by its one opening is what the gas has grown. */
Test(coarse_flow, fire_expands_it)
{
    struct test_run r = run("billow: 1\ncharacter: calm\n"
                            "domain: {cells: [32, 32, 32], voxel: 4 cm, flow: 2, margin: 4096,\n"
                            "         sides: {top: open, rest: closed}}\n"
                            "time: {fps: 48, frames: 1-4, substeps: 2}\n"
                            "stages:\n"
                            "  - mac.advect: {}\n"
                            "  - emit: {fuel: 0.5, temperature: 900, frames: 1-2,\n"
                            "           shape: {sphere: {center: [0, 0, 0.6], radius: 0.3}}}\n"
                            "  - fire: {}\n"
                            "  - mac.forces: {buoyancy: 0}\n"
                            "  - mac.project: {tolerance: 1e-6}\n");
    struct grid source = grid_of(&r, "divergence", 0), up = grid_of(&r, "flow.vel", 2);
    double out = 0;
    for (int j = 0; j < 16; j++)
        for (int i = 0; i < 16; i++) out += at(&up, i, j, 16);
    const double made = grid_sum(&source) * pow(.04, 3), left = out * pow(.08, 2);
    cr_assert_gt(made, 1e-3);
    cr_assert_float_eq(left, made, 1e-3 * made, "%g of %g m³/s", left, made);
    bw_free(source.v);
    bw_free(up.v);
    test_end(&r);
}

/* ---- sparse tiles ---- */

/* Where smoke is the flow is computed; and what is computed around does not change the answer. */
Test(coarse_flow, tiles_follow_the_smoke)
{
    struct grid q[2];
    for (int full = 0; full < 2; full++) {
        struct test_run r =
            run("billow: 1\ncharacter: calm\n"
                "domain: {cells: [64, 64, 256], voxel: 2 cm, flow: 2, margin: %d, sides: {rest: open}}\n"
                "time: {fps: 24, frames: 1-12}\n"
                "stages:\n"
                "  - mac.advect: {}\n"
                "  - emit: {temperature: 80, density: 1,\n"
                "           shape: {sphere: {center: [0, 0, 0.5], radius: 0.15}}}\n"
                "  - mac.forces: {}\n"
                "  - mac.project: {tolerance: 1e-6}\n",
                full ? 64 : 12);
        q[full] = grid_of(&r, "density", 0);
        cr_assert(full || bw_chain_tiles(r.chain) < 4 * 4 * 16 / 2 + 2 * 2 * 8, "%lld tiles",
                  (long long)bw_chain_tiles(r.chain));
        cr_assert_eq(metric(&r, "mac.advect.left_density"), 0);
        test_end(&r);
    }
    double apart = 0;
    for (size_t i = 0; i < grid_count(&q[0]); i++) apart += fabs(q[0].v[i] - q[1].v[i]);
    cr_assert_leq(apart, .03 * grid_sum(&q[1]), "%g of %g", apart, grid_sum(&q[1]));
    bw_free(q[0].v);
    bw_free(q[1].v);
}

/* ---- refusals ---- */

#define CUBE "domain: {cells: [32, 32, 32], voxel: 4 cm, flow: 2}\n"

Test(coarse_flow, what_can_not_be_is_refused)
{
    run_refused("2:50: 31 cells along y are no whole number of the flow's, which are 2 cells wide",
                "billow: 1\ndomain: {cells: [32, 31, 32], voxel: 4 cm, flow: 2}\nstages: []\n");
    run_refused("flow", "billow: 1\ndomain: {cells: [32, 32, 32], voxel: 4 cm, flow: 9}\nstages: []\n");
    run_refused("flow", "billow: 1\ndomain: {cells: [32, 32, 32], voxel: 4 cm, flow: 1.5}\nstages: []\n");
    run_refused("flow: 2 leaves one cell along y",
                "billow: 1\ndomain: {cells: [32, 2, 32], voxel: 4 cm, flow: 2}\nstages: []\n");
    run_refused("flow is for a preset of one domain",
                "billow: 1\ndomains: {a: {cells: [32, 32, 32], voxel: 4 cm, flow: 2}}\nstages: []\n");
    run_refused("3:13: flux: changes both the flow and what it carries",
                "billow: 1\n" CUBE "stages: [ { flux: {} } ]\n");
    run_refused("\"vel\" is a velocity", "billow: 1\n" CUBE "stages:\n  - to_grid: {colour: dye, velocity: vel}\n");
    run_refused("scheme", "billow: 1\n" CUBE "stages:\n"
                          "  - collide: {shape: {sphere: {center: [0, 0, 0.5], radius: 0.2}}}\n"
                          "  - mac.advect: {scheme: cubic}\n"
                          "  - emit: {density: 1, shape: {sphere: {center: [0, 0, 0.2], radius: 0.1}}}\n"
                          "  - mac.project: {}\n");
}

Test(coarse_flow, noise_wants_a_wide_flow_and_three_dimensions)
{
    run_refused("detail stands for what a flow on wider cells lacks",
                "billow: 1\ndomain: {cells: [32, 32, 32], voxel: 4 cm}\nstages:\n  - mac.advect: {detail: 1}\n");
    run_refused("one cell thick", "billow: 1\ndomain: {cells: [32, 1, 32], voxel: 4 cm, flow: 2}\n"
                                  "stages:\n  - mac.advect: {detail: 1}\n");
}

/* With a size the box is whole cells of the flow. */
Test(coarse_flow, a_size_is_rounded_up)
{
    struct test_run r = run("billow: 1\ndomain: {size: [1 m, 1 m, 1.3 m], voxel: 11 cm, flow: 3}\n"
                            "time: {frames: 1-1}\nstages:\n  - mac.advect: {}\n  - mac.project: {}\n");
    cr_assert_eq(r.preset->domain[0].info.n[0], 12);
    cr_assert_eq(r.preset->domain[0].info.n[2], 12);
    cr_assert_eq(r.preset->domain[1].info.n[2], 4);
    test_end(&r);
}
