// SPDX-License-Identifier: Apache-2.0
/* Nothing may depend on direction or on where a domain lies: a buoyant cloud that leaves the active tiles and the box,
 * mirrored, with its axes renamed, moved, put into a larger box. */
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
    const int frames = test_short() && c->frames < 16 ? 5 : c->frames; // what must leave the box needs its time
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
        c->n[0] * finer, c->n[1] * finer, c->n[2] * finer, edge, c->origin[0], c->origin[1], c->origin[2], frames, edge,
        shape, shape, box, shape, shape, box, c->scheme ? c->scheme : "", c->g[0], c->g[1], c->g[2], c->confinement);
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
    for (int a = 0; a < (test_short() ? 1 : 3); a++) {
        struct cloud m = c;
        m.at[a] = 48 - c.at[a];
        m.g[a] = -c.g[a];
        struct test_run s = cloud_run(&m);
        double d = difference(&r, &s, "density", 0, a, NULL), t = difference(&r, &s, "temperature", 0, a, NULL), u = 0;
        for (int k = 0; k < 3; k++) u = fmax(u, difference(&r, &s, "vel", k, a, NULL));
        cr_assert_eq(bw_chain_tiles(r.chain), bw_chain_tiles(s.chain));
        cr_assert_leq(d, 2e-6, "mirrored along %c, density differs by %g", 'x' + a, d);
        cr_assert_leq(t, 2e-6, "mirrored along %c, temperature differs by %g", 'x' + a, t);
        cr_assert_leq(u, 4e-6, "mirrored along %c, velocity differs by %g", 'x' + a, u);
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
        cr_assert_leq(worst, 4e-6 * grid_max(&p), "%s differs by %g of %g", field[f], worst, grid_max(&p));
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
    if (test_short()) cr_skip_test("accuracy alone");
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
    cr_assert_leq(order, .2 * size, "%g of the cloud, %g by the size of cells", order, size);
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
               "time: {fps: 16, frames: 1-%d, dt: 0.0625}\n"
               "stages:\n"
               "  - set: {id: smoke, field: density, value: \"exp(-4*((%c-3.75)^2+(%c-2)^2))\"}\n"
               "  - set: {id: heat, field: temperature, value: \"90*density\"}\n"
               "  - mac.advect: {scheme: %s}\n"
               "  - mac.forces: {gravity: [%g, %g, %g], confinement: 0.2}\n"
               "  - mac.project: {tolerance: 1e-8}\n",
               n[0], n[1], n[2], test_short() ? 4 : 13, 'x' + a, 'x' + b, scheme, g[0], g[1], g[2]);
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
    fprintf(stderr, "moved by part of a tile: density %.2g, top speed %.2g\n", d, v / u - 1);
    cr_assert_leq(d, 1e-3, "density differs by %g", d);
    cr_assert_float_eq(u, v, 1e-3 * u, "top speed %g and %g m/s", u, v);
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
