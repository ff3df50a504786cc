// SPDX-License-Identifier: Apache-2.0
/* The still air kept round the smoke (`margin`, cells) is a matter of memory: the large motion must not depend on it.
 * Were p = 0 at the rim, as if air beyond had no weight, a narrow margin would let smoke rise up to a tenth faster. */
#include "physics/physics.h"

enum { DEFAULT = -1, ALL = 100000 }; ///< cells: the whole box is active

/// The smoke at the end of a run, lengths in cells.
struct motion {
    double rise;  ///< of its centre, above where it began
    double top;   ///< the same of the height with a hundredth of it above
    double wide;  ///< rms distance from the axis
    double speed; ///< rms of its faces' vertical velocity, m/s
};

/// Flow `format` takes the margin; `up` is its vertical axis, `from` the height where it began.
struct flow {
    const char *name, *format;
    int up;
    double from;
};

static const struct flow puff = {
    "puff",
    "billow: 1\n"
    "domain: {cells: [96, 96, 112], voxel: 0.03125, origin: [-1.5, -1.5, 0], margin: %d, sides: {rest: open}}\n"
    "time: {fps: 24, frames: 1-22, dt: 0.0416666666666666667}\n"
    "stages:\n"
    "  - emit: {mode: max, frames: 1-1, density: 1, temperature: 60 K,\n"
    "           shape: {sphere: {center: [0, 0, 1.25], radius: 0.25}}}\n"
    "  - mac.advect: {}\n"
    "  - mac.forces: {}\n"
    "  - mac.project: {tolerance: 1e-4}\n",
    2, 40};

static const struct flow plume = {
    "plume",
    "billow: 1\n"
    "domain: {cells: [80, 80, 112], voxel: 3.125 cm, margin: %d}\n"
    "time: {fps: 24, frames: 1001-1026, dt: 0.0416666666666666667}\n"
    "stages:\n"
    "  - emit: {mode: max, density: 1, temperature: 100 K, shape: {sphere: {center: [0, 0, 0.2], radius: 0.25}}}\n"
    "  - mac.advect: {}\n"
    "  - mac.forces: {}\n"
    "  - mac.project: {}\n",
    2, 6.4};

static const struct flow flat = {
    "flat puff",
    "billow: 1\n"
    "domain: {cells: [1024, 1024, 1], voxel: 0.03125, origin: [-16, -8, 0], margin: %d, sides: {rest: open}}\n"
    "time: {fps: 24, frames: 1-25, dt: 0.0416666666666666667}\n"
    "stages:\n"
    "  - emit: {mode: max, frames: 1-1, density: 1, temperature: 60 K,\n"
    "           shape: {sphere: {center: [0, 7, 0], radius: 0.6}}}\n"
    "  - mac.advect: {}\n"
    "  - mac.forces: {gravity: [0, -9.81, 0]}\n"
    "  - mac.project: {tolerance: 1e-4}\n",
    1, 480};

/* Narrow: the active tiles reach both open sides, where p is 0, and end below the top. */
static const struct flow shaft = {
    "shaft",
    "billow: 1\n"
    "domain: {cells: [48, 48, 160], voxel: 3.125 cm, margin: %d, sides: {bottom: closed, rest: open}}\n"
    "time: {fps: 24, frames: 1-22, dt: 0.0416666666666666667}\n"
    "stages:\n"
    "  - emit: {mode: max, frames: 1-1, density: 1, temperature: 60 K,\n"
    "           shape: {sphere: {center: [0, 0, 1], radius: 0.35}}}\n"
    "  - mac.advect: {}\n"
    "  - mac.forces: {}\n"
    "  - mac.project: {tolerance: 1e-4}\n",
    2, 32};

static const struct flow flat_shaft = {
    "flat shaft",
    "billow: 1\n"
    "domain: {cells: [128, 1, 640], voxel: 3.125 cm, margin: %d, sides: {bottom: closed, rest: open}}\n"
    "time: {fps: 24, frames: 1-40, dt: 0.0416666666666666667}\n"
    "stages:\n"
    "  - emit: {mode: max, frames: 1-1, density: 1, temperature: 60 K,\n"
    "           shape: {sphere: {center: [-0.5, 0, 1.5], radius: 0.6}}}\n"
    "  - mac.advect: {}\n"
    "  - mac.forces: {}\n"
    "  - mac.project: {tolerance: 1e-4}\n",
    2, 48};

/* Its smoke comes near a tile's edge from within, and air from all around. */
static const struct flow flat_source = {
    "flat source",
    "billow: 1\n"
    "domain: {cells: [320, 1, 256], voxel: 3.125 cm, margin: %d}\n"
    "time: {fps: 24, frames: 1-40}\n"
    "stages:\n"
    "  - emit: {mode: max, density: 1, temperature: 80 K, shape: {sphere: {center: [0, 0, 1], radius: 0.4}}}\n"
    "  - mac.advect: {}\n"
    "  - mac.forces: {}\n"
    "  - mac.project: {tolerance: 1e-4}\n",
    2, 32};

/* Air can only go along it, and not out at its bottom. */
static const struct flow pipe = {
    "pipe",
    "billow: 1\n"
    "domain: {cells: [32, 32, 112], voxel: 3.125 cm, margin: %d, sides: {rest: closed, top: open}}\n"
    "time: {fps: 24, frames: 1-24, dt: 0.0416666666666666667}\n"
    "stages:\n"
    "  - emit: {mode: max, frames: 1-1, density: 1, temperature: 60 K,\n"
    "           shape: {sphere: {center: [0.1, 0.1, 1], radius: 0.3}}}\n"
    "  - mac.advect: {}\n"
    "  - mac.forces: {}\n"
    "  - mac.project: {tolerance: 1e-4}\n",
    2, 32};

/// Height above which a hundredth of the smoke is, from how much there is in each layer.
static double layers_top(const double *layer, int n, double mass)
{
    double above = 0;
    for (int k = n - 1; k >= 0; above += layer[k--])
        if (above + layer[k] > .01 * mass) return k + 1 - (.01 * mass - above) / layer[k];
    return 0;
}

static struct motion motion_of(const struct test_run *r, int up, double from)
{
    struct motion m = {0};
    struct grid d = grid_of(r, "density", 0), u = grid_of(r, "vel", (uint32_t)up);
    double mass = grid_sum(&d), layer[1088] = {0};
    for (int k = 0; k < d.n[2]; k++)
        for (int j = 0; j < d.n[1]; j++)
            for (int i = 0; i < d.n[0]; i++) {
                const int c[3] = {i, j, k}, high[3] = {i, j + (up == 1), k + (up == 2)};
                const double q = at(&d, i, j, k) / mass, v = .5 * (at(&u, i, j, k) + at(&u, high[0], high[1], high[2]));
                layer[c[up]] += q;
                m.rise += q * (c[up] + .5);
                m.wide += q * pow(i + .5 - .5 * d.n[0], 2);
                m.speed += q * v * v;
            }
    m.rise -= from;
    m.top = layers_top(layer, d.n[up], 1) - from;
    m.wide = sqrt(m.wide);
    m.speed = sqrt(m.speed);
    bw_free(d.v);
    bw_free(u.v);
    return m;
}

static struct motion flow_motion(const struct flow *f, int margin)
{
    char yaml[2048];
    snprintf(yaml, sizeof yaml, f->format, margin);
    static const char said[] = ", margin: -1";
    char *unsaid = strstr(yaml, said);
    if (unsaid) memmove(unsaid, unsaid + strlen(said), strlen(unsaid + strlen(said)) + 1);
    struct test_run r = run("%s", yaml);
    struct motion m = motion_of(&r, f->up, f->from);
    test_end(&r);
    return m;
}

static double per_cent(double a, double b) { return 100 * (a / b - 1); }

/// All margins end within `limit` per cent of the whole box's motion.
static void margins_check(const struct flow *f, const int *margin, int n, double limit)
{
    const struct motion all = flow_motion(f, ALL);
    fprintf(stderr, "%s, margin %d: rise %.3f top %.3f width %.3f cells, speed %.4f m/s; per cent from it:\n", f->name,
            ALL, all.rise, all.top, all.wide, all.speed);
    for (int i = 0; i < n; i++) {
        const struct motion m = flow_motion(f, margin[i]);
        const double off[4] = {per_cent(m.rise, all.rise), per_cent(m.top, all.top), per_cent(m.wide, all.wide),
                               per_cent(m.speed, all.speed)};
        fprintf(stderr, "  margin %2d: rise %5.2f  top %5.2f  width %5.2f  speed %5.2f\n", margin[i], off[0], off[1],
                off[2], off[3]);
        for (int q = 0; q < 4; q++)
            cr_expect(fabs(off[q]) <= limit, "%s, margin %d: number %d is %.2f %% off", f->name, margin[i], q, off[q]);
    }
}

static const int wide[] = {16, 8, 4}, narrow = 4, as_it_comes = DEFAULT;

/* Accuracy alone: the same stages in three dimensions run below. */
Test(margin, puff)
{
    if (test_short()) cr_skip_test("accuracy alone");
    margins_check(&puff, wide, 3, 1);
}

Test(margin, plume)
{
    if (test_short()) cr_skip_test("accuracy alone");
    margins_check(&plume, &narrow, 1, 1);
}

Test(margin, puff_in_two_dimensions)
{
    if (test_short()) cr_skip_test("accuracy alone");
    margins_check(&flat, &narrow, 1, 2.5);
}

Test(margin, shafts)
{
    if (!test_short()) margins_check(&shaft, &narrow, 1, 1);
    margins_check(&flat_shaft, &narrow, 1, 1);
}

/* Where potentials fall off slowly the margin is wider unless it is given. */
Test(margin, as_it_comes)
{
    margins_check(&pipe, &as_it_comes, 1, 1);
    if (!test_short()) margins_check(&flat_source, &as_it_comes, 1, 1);
}

struct speeds {
    struct watched watched; ///< first
    double speed[11];       ///< of the last frames
    int64_t fewest, most;   ///< tiles in these
};
static void speeds_see(struct watched *w, const struct bw_progress *p)
{
    struct speeds *s = (struct speeds *)w;
    const int64_t n = p->frame - 15, tiles = bw_chain_tiles(w->run.chain);
    if (n < 0) return;
    s->speed[n] = motion_of(&w->run, 2, 0).speed;
    s->fewest = n && s->fewest < tiles ? s->fewest : tiles;
    s->most = s->most > tiles ? s->most : tiles;
}

/* Tiles that wake as the smoke grows bring no jolt: its speed goes on smoothly from step to step. */
Test(margin, tiles_wake_without_a_jolt)
{
    struct speeds s = {.watched = {.see = speeds_see}};
    double worst = 0;
    run_watched(&s.watched,
                "billow: 1\n"
                "domain: {cells: [64, 64, 64], voxel: 0.0625, origin: [-2, -2, 0], margin: 4, sides: {rest: open}}\n"
                "time: {fps: 24, frames: 1-25, dt: 0.0416666666666666667}\n"
                "stages:\n"
                "  - emit: {mode: max, frames: 1-1, density: 1, temperature: 60 K,\n"
                "           shape: {sphere: {center: [0, 0, 0.9], radius: 0.4}}}\n"
                "  - mac.advect: {}\n"
                "  - mac.forces: {}\n"
                "  - mac.project: {tolerance: 1e-5}\n");
    test_end(&s.watched.run);
    cr_assert_gt(s.most, s.fewest, "no tile woke");
    for (int n = 1; n < 10; n++) {
        const double jolt = fabs(s.speed[n + 1] - 2 * s.speed[n] + s.speed[n - 1]) / s.speed[n];
        worst = fmax(worst, jolt);
        cr_expect_leq(jolt, .01, "frame %d: the speed jumps by %.2g of it", 15 + n, jolt);
    }
    fprintf(stderr, "%lld to %lld tiles: the speed jumps by %.4f of it at most\n", (long long)s.fewest,
            (long long)s.most, worst);
}

/* Speeds where there is smoke, of a hot puff that rises through tiles which the box cuts to one cell. */
static struct grid cut_puff(int margin, struct grid *smoke)
{
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: [49, 49, 33], voxel: 0.0625, origin: [-1.5, -1.5, 0], margin: %d, sides: {rest: open}}\n"
            "time: {fps: 24, frames: 1-22, dt: 0.0416666666666666667}\n"
            "stages:\n"
            "  - emit: {mode: max, frames: 1-1, density: 1, temperature: 300 K,\n"
            "           shape: {sphere: {center: [-0.5, -0.5, 1.3], radius: 0.4}}}\n"
            "  - force: {kind: {wind: {velocity: [1.5, 1.5, 0], rate: 5 1/s}}}\n"
            "  - mac.advect: {}\n"
            "  - mac.forces: {}\n"
            "  - mac.project: {tolerance: 1e-5}\n",
            margin);
    struct grid g = grid_of(&r, "vel", 2);
    *smoke = grid_of(&r, "density", 0);
    test_end(&r);
    return g;
}

/* What wakes beside a tile of one cell takes nothing from beyond that cell. */
Test(margin, tiles_of_one_cell)
{
    struct grid smoke, other, all = cut_puff(ALL, &smoke), some = cut_puff(4, &other);
    double worst = 0, most = 0;
    for (int k = 0; k < 33; k++)
        for (int j = 0; j < 49; j++)
            for (int i = 0; i < 49; i++) {
                if (at(&smoke, i, j, k) < .05) continue;
                worst = fmax(worst, fabs(at(&all, i, j, k) - at(&some, i, j, k)));
                most = fmax(most, fabs(at(&all, i, j, k)));
            }
    fprintf(stderr, "rises by %.3f m/s at most, %.4f of it off\n", most, worst / most);
    cr_assert_leq(worst,
                  .45 * most); // the edge of a small margin in a wind; without a number, where a cell beyond was read
    bw_free(smoke.v);
    bw_free(other.v);
    bw_free(all.v);
    bw_free(some.v);
}
