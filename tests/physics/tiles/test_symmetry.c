// SPDX-License-Identifier: Apache-2.0
/* Nothing may depend on direction, on where a domain lies, on tiles, threads or vectors: a buoyant cloud that leaves
 * the active tiles and the box, mirrored, moved, put into a larger box, cut otherwise into threads. */
#include "physics/physics.h"

/* A cloud of width 3 cells at a place in cells from the box's low corner; it rises against gravity g (m/s²), in a box
 * of n cells of 1/16 m. Whole numbers and powers of two throughout: a shifted or mirrored preset has the same bits. */
struct cloud {
    int n[3];
    double at[3], g[3], origin[3];
    int frames;
    double confinement; ///< 1/s
    const char *scheme; ///< NULL: the default
    int finer;          ///< times as many cells a metre, and steps a second; 0: 1
};

static struct test_run cloud_run(const struct cloud *c)
{
    const int finer = c->finer ? c->finer : 1;
    const double edge = .0625 / finer;
    double x[3];
    for (int a = 0; a < 3; a++) x[a] = c->origin[a] + c->at[a] / 16;
    char shape[256], box[256];
    snprintf(box, sizeof box, "box: {lo: [%.17g, %.17g, %.17g], hi: [%.17g, %.17g, %.17g]}", x[0] - .6, x[1] - .6,
             x[2] - .6, x[0] + .6, x[1] + .6, x[2] + .6);
    snprintf(shape, sizeof shape, "exp(-16*((x-(%.17g))^2+(y-(%.17g))^2+(z-(%.17g))^2))", x[0], x[1], x[2]);
    return run(
        "billow: 1\n"
        "domain: {cells: [%d, %d, %d], voxel: %.17g, origin: [%.17g, %.17g, %.17g], margin: 3, sides: {rest: open}}\n"
        "time: {fps: 16, frames: 1-%d, dt: %.17g, cfl: 1}\n"
        "stages:\n"
        "  - set: {id: smoke, field: density, value: \"%s > 0.01 ? %s : 0\", %s}\n"
        "  - set: {id: heat, field: temperature, value: \"%s > 0.01 ? 100*%s : 0\", %s}\n"
        "  - mac.advect: {%s}\n"
        "  - mac.forces: {gravity: [%g, %g, %g], confinement: %g}\n"
        "  - mac.project: {tolerance: 1e-9}\n"
        "  - stats: {}\n",
        c->n[0] * finer, c->n[1] * finer, c->n[2] * finer, edge, c->origin[0], c->origin[1], c->origin[2], c->frames,
        edge, shape, shape, box, shape, shape, box, c->scheme ? c->scheme : "", c->g[0], c->g[1], c->g[2],
        c->confinement);
}

/* Largest difference of a component between two runs, one mirrored along `axis` (-1: not) and moved by `by` cells,
 * as a share of the largest value. */
static double difference(const struct test_run *a, const struct test_run *b, const char *field, int c, int axis,
                         const int by[3])
{
    struct grid p = grid_of(a, field, (uint32_t)c), q = grid_of(b, field, (uint32_t)c);
    int mac = field[0] == 'v';
    double sign = mac && c == axis ? -1 : 1, worst = 0, most = 0;
    for (int k = 0; k < p.n[2]; k++)
        for (int j = 0; j < p.n[1]; j++)
            for (int i = 0; i < p.n[0]; i++) {
                int x[3] = {i, j, k}, inside = 1;
                if (axis >= 0) x[axis] = p.n[axis] - 1 - x[axis];
                for (int d = 0; d < 3; d++) {
                    x[d] += by ? by[d] : 0;
                    inside = inside && x[d] >= 0 && x[d] < q.n[d];
                }
                double v = at(&p, i, j, k), w = inside ? sign * at(&q, x[0], x[1], x[2]) : 0;
                worst = fmax(worst, fabs(v - w));
                most = fmax(most, fabs(v));
            }
    bw_free(p.v);
    bw_free(q.v);
    cr_assert_gt(most, 0, "%s is empty", field);
    return worst / most;
}

/* The cloud leaves through the three high sides; its mirror images through the low ones. */
Test(symmetry, mirrored_cloud_leaves_every_side_alike)
{
    struct cloud c = {.n = {48, 48, 48}, .at = {40, 39, 38}, .g = {-24, -28, -32}, .confinement = .2, .frames = 17};
    struct test_run r = cloud_run(&c);
    double left = metric(&r, "stats.mass_density"), full = pow(PI / 16, 1.5);
    cr_assert(left < .7 * full && left > .05 * full, "%g of %g is still in the box", left, full);
    for (int a = 0; a < 3; a++) {
        struct cloud m = c;
        m.at[a] = 48 - c.at[a];
        m.g[a] = -c.g[a];
        struct test_run s = cloud_run(&m);
        double d = difference(&r, &s, "density", 0, a, NULL), t = difference(&r, &s, "temperature", 0, a, NULL), u = 0;
        for (int k = 0; k < 3; k++) u = fmax(u, difference(&r, &s, "vel", k, a, NULL));
        cr_assert_eq(bw_chain_tiles(r.chain), bw_chain_tiles(s.chain));
        cr_assert_leq(d, 2e-6, "mirrored along %c, density differs by %g", 'x' + a, d);
        cr_assert_leq(t, 2e-6, "mirrored along %c, temperature differs by %g", 'x' + a, t);
        cr_assert_leq(u, 2e-6, "mirrored along %c, velocity differs by %g", 'x' + a, u);
        test_end(&s);
    }
    test_end(&r);
}

static void cloud_rename(const struct cloud *c, struct cloud *to)
{
    *to = *c;
    for (int a = 0; a < 3; a++) {
        to->n[(a + 1) % 3] = c->n[a];
        to->at[(a + 1) % 3] = c->at[a];
        to->g[(a + 1) % 3] = c->g[a];
    }
}

static const struct cloud leaning = {
    .n = {48, 32, 64}, .at = {22, 19, 30}, .g = {4, -8, -16}, .confinement = .2, .frames = 9};

/* The axes have no order: with x, y, z renamed to y, z, x the same comes out. */
Test(symmetry, axes_renamed)
{
    struct cloud c = leaning, to;
    c.scheme = "scheme: maccormack";
    cloud_rename(&c, &to);
    struct test_run r = cloud_run(&c), s = cloud_run(&to);
    static const char *const field[] = {"density", "vel", "vel", "vel"};
    for (int f = 0; f < 4; f++) {
        struct grid p = grid_of(&r, field[f], (uint32_t)(f ? f - 1 : 0)),
                    q = grid_of(&s, field[f], (uint32_t)(f ? f % 3 : 0));
        double worst = 0;
        for (int k = 0; k < p.n[2]; k++)
            for (int j = 0; j < p.n[1]; j++)
                for (int i = 0; i < p.n[0]; i++) worst = fmax(worst, fabs(at(&p, i, j, k) - at(&q, k, i, j)));
        cr_assert_leq(worst, 1e-6 * grid_max(&p), "%s differs by %g of %g", field[f], worst, grid_max(&p));
        bw_free(p.v);
        bw_free(q.v);
    }
    test_end(&r);
    test_end(&s);
}

/* Amounts by fluxes go along one axis after the other. What their order makes of a cloud, as a share of it, is a part
 * of what the cells' size makes of it, and less than that of maccormack, which has no order. */
Test(symmetry, axes_renamed_for_amounts)
{
    struct cloud c = leaning, to, fine = leaning, old = leaning;
    fine.finer = 2;
    old.scheme = "scheme: maccormack";
    cloud_rename(&c, &to);
    struct test_run r = cloud_run(&c), s = cloud_run(&to), t = cloud_run(&fine), u = cloud_run(&old);
    struct grid p = grid_of(&r, "density", 0), q = grid_of(&s, "density", 0), exact = grid_of(&t, "density", 0),
                m = grid_of(&u, "density", 0);
    double order = 0, size = 0, before = 0, all = grid_sum(&p);
    for (int k = 0; k < p.n[2]; k++)
        for (int j = 0; j < p.n[1]; j++)
            for (int i = 0; i < p.n[0]; i++) {
                double mean = 0;
                for (int e = 0; e < 8; e++)
                    mean += at(&exact, 2 * i + (e & 1), 2 * j + (e >> 1 & 1), 2 * k + e / 4) / 8;
                order += fabs(at(&p, i, j, k) - at(&q, k, i, j)) / all;
                size += fabs(at(&p, i, j, k) - mean) / all;
                before += fabs(at(&m, i, j, k) - mean) / all;
            }
    cr_log_info("by the order %g, by the size of cells %g, maccormack %g", order, size, before);
    cr_assert_leq(order, .01, "%g of the cloud", order);
    cr_assert_leq(order, .1 * size, "%g of the cloud, %g by the size of cells", order, size);
    cr_assert_lt(size, before, "%g of the cloud off what twice as many cells say, maccormack %g", size, before);
    bw_free(p.v), bw_free(q.v), bw_free(exact.v), bw_free(m.v);
    test_end(&r), test_end(&s), test_end(&t), test_end(&u);
}

/* Two dimensions are the same in every plane, across the borders of their larger tiles too. */
static struct test_run flat(int a, int b, const char *scheme)
{
    int n[3] = {1, 1, 1};
    double g[3] = {0};
    n[a] = 100;
    n[b] = 70;
    g[a] = -3;
    g[b] = -8;
    return run("billow: 1\n"
               "domain: {cells: [%d, %d, %d], voxel: 0.0625, origin: [0, 0, 0], sides: {rest: open}}\n"
               "time: {fps: 16, frames: 1-13, dt: 0.0625}\n"
               "stages:\n"
               "  - set: {id: smoke, field: density, value: \"exp(-4*((%c-3.75)^2+(%c-2)^2))\"}\n"
               "  - set: {id: heat, field: temperature, value: \"90*density\"}\n"
               "  - mac.advect: {scheme: %s}\n"
               "  - mac.forces: {gravity: [%g, %g, %g], confinement: 0.2}\n"
               "  - mac.project: {tolerance: 1e-8}\n",
               n[0], n[1], n[2], 'x' + a, 'x' + b, scheme, g[0], g[1], g[2]);
}

static void planes_check(const char *scheme, double least)
{
    struct test_run r = flat(0, 1, scheme);
    struct grid p = grid_of(&r, "density", 0);
    cr_assert_gt(grid_max(&p), .5);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            if (a == b || (a == 0 && b == 1)) continue;
            struct test_run s = flat(a, b, scheme);
            struct grid q = grid_of(&s, "density", 0);
            double worst = 0;
            for (int j = 0; j < 70; j++)
                for (int i = 0; i < 100; i++) {
                    int x[3] = {0};
                    x[a] = i;
                    x[b] = j;
                    worst = fmax(worst, fabs(at(&p, i, j, 0) - at(&q, x[0], x[1], x[2])));
                }
            cr_assert_leq(worst, least, "%s, axes %c%c: density differs by %g", scheme, 'x' + a, 'x' + b, worst);
            bw_free(q.v);
            test_end(&s);
        }
    bw_free(p.v);
    test_end(&r);
}

/* Amounts by fluxes go along one axis after the other. */
Test(symmetry, two_dimensions_in_every_plane)
{
    planes_check("maccormack", 2e-6);
    planes_check("flux_ppm", .004);
}

/* Moved by whole tiles inside a large box: the same bits. */
Test(symmetry, moved_by_whole_tiles)
{
    struct cloud c = {.n = {96, 96, 96}, .at = {34, 36, 33}, .g = {-3, 2, -12}, .confinement = .2, .frames = 9};
    static const int by[2][3] = {{16, 0, 0}, {32, 0, 16}};
    struct test_run r = cloud_run(&c);
    for (int m = 0; m < 2; m++) {
        struct cloud to = c;
        for (int a = 0; a < 3; a++) to.at[a] += by[m][a];
        struct test_run s = cloud_run(&to);
        cr_assert_eq(difference(&r, &s, "density", 0, -1, by[m]), 0, "density differs");
        for (int k = 0; k < 3; k++) cr_assert_eq(difference(&r, &s, "vel", k, -1, by[m]), 0, "vel differs");
        test_end(&s);
    }
    test_end(&r);
}

/* Moved by a part of a tile: the active set is another, and with it where the pressure ends; what remains is small. */
Test(symmetry, moved_by_part_of_a_tile)
{
    struct cloud c = {.n = {96, 96, 96}, .at = {34, 36, 33}, .g = {-3, 2, -12}, .confinement = .2, .frames = 9}, to = c;
    static const int by[3] = {5, 11, 3};
    static const char *const centre[] = {"stats.center_density_x", "stats.center_density_y", "stats.center_density_z"};
    for (int a = 0; a < 3; a++) to.at[a] += by[a];
    struct test_run r = cloud_run(&c), s = cloud_run(&to);
    double d = difference(&r, &s, "density", 0, -1, by), u = metric(&r, "stats.max_speed_vel"),
           v = metric(&s, "stats.max_speed_vel");
    cr_assert_leq(d, .005, "density differs by %g", d);
    cr_assert_float_eq(u, v, .01 * u, "top speed %g and %g m/s", u, v);
    for (int a = 0; a < 3; a++)
        cr_assert_float_eq((metric(&s, centre[a]) - metric(&r, centre[a])) * 16, by[a], .02,
                           "the cloud came elsewhere along %c", 'x' + a);
    test_end(&r);
    test_end(&s);
}

/* Another origin is another name for the same places. */
Test(symmetry, origin_does_not_matter)
{
    struct cloud c = {.n = {48, 48, 64}, .at = {24, 20, 20}, .g = {0, -2, -12}, .frames = 9}, to = c;
    to.origin[0] = 12.5;
    to.origin[1] = -128;
    to.origin[2] = 3.0625;
    struct test_run r = cloud_run(&c), s = cloud_run(&to);
    cr_assert_eq(test_hash(&r, "density"), test_hash(&s, "density"));
    cr_assert_eq(test_hash(&r, "vel"), test_hash(&s, "vel"));
    cr_assert_eq(test_hash(&r, "pressure"), test_hash(&s, "pressure"));
    test_end(&r);
    test_end(&s);
}

/* A box of 64 times the volume costs and shows the same as long as nothing touches the sides. */
Test(symmetry, larger_box_same_cloud)
{
    struct cloud c = {.n = {96, 96, 96}, .at = {47, 45, 42}, .g = {-1, 1, -10}, .confinement = .2, .frames = 8}, to = c;
    for (int a = 0; a < 3; a++) {
        to.n[a] = 384;
        to.at[a] += 144;
    }
    struct test_run r = cloud_run(&c);
    double most = -1;
    int64_t tiles = bw_chain_tiles(r.chain);
    struct grid p = grid_of(&r, "density", 0);
    test_end(&r);
    r = cloud_run(&to);
    int32_t lo[3] = {144, 144, 144};
    double *q = bw_calloc(grid_count(&p) * sizeof *q);
    bw_chain_read(r.chain, bw_chain_field(r.chain, "density"), 0, lo, p.n, q);
    for (size_t i = 0; i < grid_count(&p); i++) most = fmax(most, fabs(q[i] - p.v[i]));
    cr_assert_eq(bw_chain_tiles(r.chain), tiles);
    cr_assert_eq(most, 0, "density differs by %g", most);
    bw_free(q);
    bw_free(p.v);
    test_end(&r);
}

/* A domain without limits is a box that is large enough, on the far side of the origin too. */
Test(symmetry, no_limits)
{
    static const char *const domain[] = {"cells: [128, 128, 128], origin: [-4, -4, -4]", "size: none",
                                         "size: none, origin: [64, -3, 7]"};
    static const char *const names[] = {"stats.mass_density", "stats.center_density_x", "stats.center_density_y",
                                        "stats.center_density_z", "stats.energy_vel"};
    double want[5] = {0};
    for (int i = 0; i < 3; i++) {
        struct test_run r = run("billow: 1\n"
                                "domain: {voxel: 0.0625, margin: 3, sides: {rest: open}, %s}\n"
                                "time: {fps: 16, frames: 1-9, dt: 0.0625, cfl: 1}\n"
                                "stages:\n"
                                "  - set: {id: smoke, field: density, value: \"exp(-16*(x^2+y^2+z^2))\",\n"
                                "          box: {lo: [-0.6, -0.6, -0.6], hi: [0.6, 0.6, 0.6]}}\n"
                                "  - set: {id: heat, field: temperature, value: \"100*density\",\n"
                                "          box: {lo: [-0.6, -0.6, -0.6], hi: [0.6, 0.6, 0.6]}}\n"
                                "  - mac.advect: {}\n"
                                "  - mac.forces: {gravity: [8, 5, 12], confinement: 0.2}\n"
                                "  - mac.project: {tolerance: 1e-8}\n"
                                "  - stats: {}\n",
                                domain[i]);
        for (int m = 0; m < 5; m++) {
            double v = metric(&r, names[m]);
            if (i) cr_assert_float_eq(v, want[m], 1e-7, "%s: %s %.9g, not %.9g", domain[i], names[m], v, want[m]);
            want[m] = v;
        }
        cr_assert_lt(metric(&r, "stats.center_density_z"), -.01);
        test_end(&r);
    }
}

/* Smoke that crosses tiles: a smooth cloud carried by a uniform wind stays as smooth across tile borders as within. */
Test(symmetry, no_seams_between_tiles)
{
    struct test_run r = run(
        "billow: 1\n"
        "domain: {cells: [64, 48, 48], voxel: 1, origin: [0, 0, 0], sides: {rest: periodic}}\n"
        "time: {fps: 10, frames: 1-11, dt: 0.1}\n"
        "stages:\n"
        "  - set: {id: flow, field: vel, keep: true, value: [13.7, 6.1, 4.3]}\n"
        "  - set: {id: smoke, field: density, value: \"(1+sin(2*pi*x/64))*(1+sin(2*pi*y/48))*(1+sin(2*pi*z/48))\"}\n"
        "  - mac.advect: {}\n"
        "  - mac.project: {}\n");
    struct grid g = grid_of(&r, "density", 0);
    double worst = 0;
    for (int k = 0; k < 48; k++)
        for (int j = 0; j < 48; j++)
            for (int i = 0; i < 64; i++) {
                double want = (1 + sin(2 * PI * (i + .5 - 13.7) / 64)) * (1 + sin(2 * PI * (j + .5 - 6.1) / 48)) *
                              (1 + sin(2 * PI * (k + .5 - 4.3) / 48));
                worst = fmax(worst, fabs(at(&g, i, j, k) - want));
            }
    cr_assert_leq(worst, .03, "off by %g", worst);
    bw_free(g.v);
    test_end(&r);
}

/* ---- the same bits ---- */

static struct test_run busy(uint32_t threads, uint32_t simd)
{
    struct test_options o = {.threads = threads, .simd = simd};
    return run_with(&o, "billow: 1\n"
                        "domain: {cells: [40, 36, 52], voxel: 2.5 cm, sides: {bottom: closed, rest: open}}\n"
                        "time: {fps: 25, frames: 1001-1008, cfl: 2, seed: 5}\n"
                        "stages:\n"
                        "  - emit: {shape: {cylinder: {center: [0, 0, 0.2], radius: 0.16, height: 0.15}}, density: 1, "
                        "temperature: 120,\n"
                        "           noise: {amount: 0.8, size: 0.1}}\n"
                        "  - emit: {id: puff, mode: add, shape: {torus: {center: [0.1, 0, 0.3]}}, density: 2 1/s}\n"
                        "  - collide: {id: ball, shape: {sphere: {center: {keys: {1001: [-0.2, 0.05, 0.6], 1008: [0.2, "
                        "0, 0.5]}}, radius: 0.12}}}\n"
                        "  - collide: {id: shelf, shape: {box: {center: [0.3, 0, 0.5], size: [0.2, 0.3, 0.05]}}}\n"
                        "  - mac.advect: {}\n"
                        "  - force: {id: stir, kind: {turbulence: {strength: 3}}}\n"
                        "  - mac.forces: {confinement: 0.4}\n"
                        "  - mac.project: {}\n"
                        "  - stats: {}\n");
}

Test(same_bits, any_number_of_threads)
{
    static const char *const fields[] = {"density", "temperature", "vel", "pressure", "solid"};
    uint64_t hash[5];
    double mass = 0;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        struct test_run r = busy(threads, UINT32_MAX);
        for (int f = 0; f < 5; f++) {
            uint64_t h = test_hash(&r, fields[f]);
            if (threads > 1) cr_assert_eq(h, hash[f], "%s differs on %u threads", fields[f], threads);
            hash[f] = h;
        }
        double m = metric(&r, "stats.mass_density");
        if (threads > 1) cr_assert_eq(m, mass, "the sum differs on %u threads", threads);
        cr_assert_gt(m, .001);
        mass = m;
        test_end(&r);
    }
}

Test(same_bits, simd_levels_agree_within_rounding)
{
    struct test_run r = busy(2, 0);
    for (uint32_t simd = 1; simd <= bw_simd_best(); simd++) {
        struct test_run s = busy(2, simd);
        double d = difference(&r, &s, "density", 0, -1, NULL), u = difference(&r, &s, "vel", 2, -1, NULL);
        cr_assert_leq(d, 1e-4, "simd level %u: density differs by %g", simd, d);
        cr_assert_leq(u, 1e-4, "simd level %u: velocity differs by %g", simd, u);
        test_end(&s);
    }
    test_end(&r);
}

/* A rate is a rate: one step or four, one frame or another rate of frames. */
Test(same_amounts, any_number_of_substeps)
{
    double first = 0;
    static const struct {
        int fps, frames, substeps;
    } t[] = {{24, 13, 1}, {24, 13, 4}, {10, 6, 3}, {50, 26, 1}};
    for (int i = 0; i < 4; i++) {
        struct test_run r =
            run("billow: 1\n"
                "domain: {cells: [32, 32, 32], voxel: 5 cm}\n"
                "time: {fps: %d, frames: 1-%d, substeps: %d}\n"
                "stages:\n"
                "  - emit: {mode: add, shape: {box: {center: [0, 0, 0.8], size: [0.5, 0.4, 0.3]}}, density: 0.8 1/s}\n"
                "  - stats: {}\n",
                t[i].fps, t[i].frames, t[i].substeps);
        double m = metric(&r, "stats.mass_density"), want = .5 * .8 * .5 * .4 * .3;
        if (!i) first = m;
        cr_assert_float_eq(m, want, .02 * want, "mass %g, %g were asked for", m, want);
        cr_assert_float_eq(m, first, 1e-6 * first, "mass %.9g with %d frames/s × %d, %.9g with 24 × 1", m, t[i].fps,
                           t[i].substeps, first);
        test_end(&r);
    }
}

/* Round a periodic side, in a box that is whole tiles long and in one that is not: a cloud that drifts either way
 * through the seam loses nothing. */
Test(symmetry, smoke_goes_round_a_periodic_box)
{
    for (int e = 0; e < 12; e++) {
        int axis = e / 4, n[3] = {16, 16, 16};
        double v[3] = {0}, at[3] = {8, 8, 8};
        n[axis] = e & 1 ? 72 : 64;
        v[axis] = e & 2 ? 1.9 : -1.9;
        at[axis] = e & 2 ? n[axis] - 8 : 8;
        struct test_run r =
            run("billow: 1\n"
                "domain: {cells: [%d, %d, %d], voxel: 1, origin: [0, 0, 0], margin: 4, sides: {rest: closed,"
                " %c-: periodic, %c+: periodic}}\n"
                "time: {fps: 1, frames: 1-9, dt: 1, cfl: 2}\n"
                "fields: {vel: {kind: mac, background: [%g, %g, %g]}}\n"
                "stages:\n"
                "  - set: {id: smoke, field: density, value: \"exp(-((x-%g)^2+(y-%g)^2+(z-%g)^2)/6)\",\n"
                "          box: {lo: [%g, %g, %g], hi: [%g, %g, %g]}}\n"
                "  - mac.advect: {}\n"
                "  - stats: {}\n",
                n[0], n[1], n[2], 'x' + axis, 'x' + axis, v[0], v[1], v[2], at[0], at[1], at[2], at[0] - 6, at[1] - 6,
                at[2] - 6, at[0] + 6, at[1] + 6, at[2] + 6);
        double mass = metric(&r, "stats.mass_density"), want = pow(6 * PI, 1.5);
        cr_assert_float_eq(mass, want, .02 * want, "%d cells along %c at %g cells a step: %g of %g is left", n[axis],
                           'x' + axis, v[axis], mass, want);
        cr_assert_leq(bw_chain_tiles(r.chain), 3);
        test_end(&r);
    }
}

/* A periodic box has no place of its own: a cloud that rises through the seams does as one in the middle. */
Test(symmetry, seams_of_a_periodic_box_do_not_show)
{
    struct test_run r[2];
    for (int i = 0; i < 2; i++) {
        double x = i ? 3.25 : 1.25;
        char box[128];
        snprintf(box, sizeof box, "box: {lo: [%g, %g, %g], hi: [%g, %g, %g]}", x - .6, x - .6, x - .6, x + .6, x + .6,
                 x + .6);
        r[i] =
            run("billow: 1\n"
                "domain: {voxel: 0.0625, cells: [64, 64, 64], origin: [0, 0, 0], margin: 3, sides: {rest: periodic}}\n"
                "time: {fps: 16, frames: 1-21, dt: 0.0625, cfl: 1}\n"
                "stages:\n"
                "  - set: {id: smoke, field: density, value: \"exp(-16*((x-%g)^2+(y-%g)^2+(z-%g)^2))\", %s}\n"
                "  - set: {id: heat, field: temperature, value: \"100*density\", %s}\n"
                "  - mac.advect: {}\n"
                "  - mac.forces: {gravity: [-24, -28, -32], confinement: 0.2}\n"
                "  - mac.project: {tolerance: 1e-9}\n",
                x, x, x, box, box);
    }
    cr_assert_eq(bw_chain_tiles(r[0].chain), bw_chain_tiles(r[1].chain));
    struct grid p = grid_of(&r[0], "density", 0), q = grid_of(&r[1], "density", 0);
    double worst = 0, past = 0;
    for (int k = 0; k < 64; k++)
        for (int j = 0; j < 64; j++)
            for (int i = 0; i < 64; i++) {
                double v = at(&q, (i + 32) % 64, (j + 32) % 64, (k + 32) % 64);
                worst = fmax(worst, fabs(at(&p, i, j, k) - v));
                if (i >= 32 || j >= 32 || k >= 32) past += v;
            }
    cr_assert_gt(past, 20, "little smoke went through the seams: %g", past);
    cr_assert_leq(worst, 1e-6, "density differs by %g", worst);
    bw_free(p.v);
    bw_free(q.v);
    test_end(&r[0]);
    test_end(&r[1]);
}

/* Smoke in a wind that blows 13 cells a step, with a step that the CFL rule does not choose: the tiles it comes to are
 * active in time. */
Test(symmetry, fast_smoke_finds_its_tiles)
{
    static const char *const time[] = {"dt: 0.1", "substeps: 1", "cfl: 14"};
    for (int i = 0; i < (test_short() ? 1 : 3); i++) {
        struct test_run r =
            run("billow: 1\n"
                "domain: {cells: [96, 32, 32], voxel: 0.1, origin: [0, 0, 0], sides: {rest: open}}\n"
                "time: {fps: 10, frames: 1-6, %s}\n"
                "fields: {vel: {kind: mac, background: [13, 0, 0]}}\n"
                "stages:\n"
                "  - set: {id: smoke, field: density, value: \"exp(-16*((x-1.1)^2+(y-1.6)^2+(z-1.6)^2))\",\n"
                "          box: {lo: [0.1, 0.6, 0.6], hi: [2.1, 2.6, 2.6]}}\n"
                "  - mac.advect: {}\n"
                "  - stats: {}\n",
                time[i]);
        double mass = metric(&r, "stats.mass_density"), want = pow(PI / 16, 1.5);
        cr_assert_float_eq(mass, want, 1e-3 * want, "%s: %g of %g is left", time[i], mass, want);
        cr_assert_float_eq(metric(&r, "stats.center_density_x"), 1.1 + 5 * 1.3, 1e-4);
        test_end(&r);
    }
}
