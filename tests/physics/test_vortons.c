// SPDX-License-Identifier: Apache-2.0
/* Vortons: how fast rings go, what stays constant, viscosity, the fast method's error, and what must be refused. */
#include "grid.h"
#include "physics.h"
#include <string.h>
#include <unistd.h>

#define HEAD "billow: 1\ndomain: {cells: [16, 16, 16], voxel: 1}\n"

/// An attribute of particles after a run; valid until test_end.
static const double *attribute(const struct test_run *r, const char *particles, const char *name, int64_t *count)
{
    struct bw_particles *p = bw_chain_particles(r->chain, particles);
    cr_assert_not_null(p, "no particles \"%s\"", particles);
    *count = bw_particles_table.count(p);
    return bw_particles_table.attribute(p, name);
}

/* ---- rings ---- */

/// Mean z of the vortons.
static double height(const struct test_run *r)
{
    int64_t n;
    const double *pos = attribute(r, "vortons", "pos", &n);
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += pos[3 * i + 2] / (double)n;
    return sum;
}

static double ring_speed(const char *kernel, const char *method, double core)
{
    struct test_run r = run(HEAD "time: {fps: 100, frames: 1001-1002, substeps: 1}\nstages:\n"
                                 "  - vorton.emit: {source: {ring: {radius: 1 m, core: %g m, circulation: 1, segments: 1200}}}\n"
                                 "  - vorton.velocity: {kernel: %s, method: %s}\n  - vorton.advect: {}\n",
                            core, kernel, method);
    double u = height(&r) * 100;
    test_end(&r);
    return u;
}

/* β = ln 2 + ∫ q' ln ρ dρ: 1.058, 1/2, 1, ln 2 - 1/2 for the seed's q = min(ρ², 1). */
Test(vortons, ring_speed)
{
    static const struct {
        const char *kernel;
        double beta;
    } cases[] = {{"gaussian", 1.05797}, {"algebraic", .5}, {"moore", 1}, {"seed", .19315}};
    for (int i = 0; i < 4; i++) {
        double core = .04, want = (log(8 / core) - cases[i].beta) / (4 * PI);
        double direct = ring_speed(cases[i].kernel, "direct", core), fast = ring_speed(cases[i].kernel, "fast", core);
        cr_assert_float_eq(direct, want, .005 * want, "%s: %.6f m/s, not %.6f", cases[i].kernel, direct, want);
        cr_assert_float_eq(fast, want, .02 * want, "%s, fast: %.6f m/s, not %.6f", cases[i].kernel, fast, want);
    }
    double u = ring_speed("gaussian", "direct", .1);
    cr_assert_float_eq(u, .264370, 2e-4, "R = Γ = 1, σ = 0.1: %.6f m/s", u);
}

/* A wobbling ring, stretched and turned, a hundred steps. */
static struct test_run wobbling(const char *method, const char *rest, int frames, uint32_t threads)
{
    struct test_options o = {.threads = threads, .simd = UINT32_MAX};
    return run_with(&o,
                    HEAD "time: {fps: 96, frames: 1001-%d, substeps: 1, seed: 3}\nstages:\n"
                         "  - vorton.emit: {wobble: 1 cm, source: {ring: {center: [0.1, 0, 0], axis: [1, 2, 3], radius: 50 cm, core: 12 cm, "
                         "layers: 1}}}\n"
                         "  - vorton.velocity: {method: %s}\n  - vorton.stretch: {}\n  - vorton.advect: {}\n%s",
                    1000 + frames, method, rest);
}

static void sums(const struct test_run *r, double total[3], double impulse[3], double *all)
{
    int64_t n;
    const double *x = attribute(r, "vortons", "pos", &n), *a = attribute(r, "vortons", "strength", &n);
    memset(total, 0, 24);
    memset(impulse, 0, 24);
    *all = 0;
    for (int64_t i = 0; i < n; i++, x += 3, a += 3) {
        *all += sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        for (int c = 0; c < 3; c++) {
            int d = (c + 1) % 3, e = (c + 2) % 3;
            total[c] += a[c];
            impulse[c] += .5 * (x[d] * a[e] - x[e] * a[d]);
        }
    }
}

Test(vortons, constants_of_the_motion)
{
    static const char *const methods[] = {"direct", "fast"};
    for (int m = 0; m < 2; m++) {
        struct test_run before = wobbling(methods[m], "", 1, 2), after = wobbling(methods[m], "", 101, 2);
        double t0[3], t1[3], i0[3], i1[3], all, all1;
        sums(&before, t0, i0, &all);
        sums(&after, t1, i1, &all1);
        double size = sqrt(i0[0] * i0[0] + i0[1] * i0[1] + i0[2] * i0[2]);
        for (int c = 0; c < 3; c++) {
            cr_assert_float_eq(t1[c], t0[c], 1e-12 * all, "%s: strength %d from %.15g to %.15g", methods[m], c, t0[c], t1[c]);
            cr_assert_float_eq(i1[c], i0[c], .01 * size, "%s: impulse %d from %g to %g", methods[m], c, i0[c], i1[c]);
        }
        cr_assert(fabs(all1 / all - 1) > 1e-4, "nothing was stretched");
        test_end(&before);
        test_end(&after);
    }
}

static uint64_t hash(const struct test_run *r, const char *particles, const char *name)
{
    int64_t n;
    const unsigned char *v = (const unsigned char *)attribute(r, particles, name, &n);
    uint64_t h = 1469598103934665603ull;
    for (int64_t i = 0; i < 24 * n; i++) h = (h ^ v[i]) * 1099511628211ull;
    return h;
}

Test(vortons, equal_bytes)
{
    const char *rest = "  - vorton.diffuse: {}\n  - vorton.remesh: {interval: 0.02, spacing: 7 cm, merge: 0.2, split: 1.5}\n"
                       "  - tracers: {shape: {sphere: {radius: 40 cm}}, count: 3000, rate: 2 1/s}\n  - to_grid: {velocity: vel}\n";
    static const char *const methods[] = {"fast", "mesh"};
    for (int m = 0; m < 2; m++) {
        struct test_run one = wobbling(methods[m], rest, 6, 1), two = wobbling(methods[m], rest, 6, 2);
        cr_assert_eq(hash(&one, "vortons", "pos"), hash(&two, "vortons", "pos"));
        cr_assert_eq(hash(&one, "vortons", "strength"), hash(&two, "vortons", "strength"));
        cr_assert_eq(hash(&one, "tracers", "pos"), hash(&two, "tracers", "pos"));
        cr_assert_eq(test_hash(&one, "density"), test_hash(&two, "density"));
        cr_assert_eq(test_hash(&one, "vel"), test_hash(&two, "vel"));
        test_end(&one);
        test_end(&two);
    }
}

/* ---- the fast methods against the direct sum ---- */

static struct test_run cloud(const char *method, const char *kernel, const char *error, const char *simd)
{
    struct test_options o = {.simd = !strcmp(simd, "baseline") ? 0 : !strcmp(simd, "avx2") ? 1 : UINT32_MAX};
    return run_with(&o,
                    HEAD "time: {fps: 1000, frames: 1-2, substeps: 1}\nstages:\n"
                         "  - vorton.emit: {id: a, source: {cloud: {count: 6000, radius: 1 m, core: 8 cm}}}\n"
                         "  - vorton.emit: {id: b, wobble: 1 cm, source: {ring: {center: [3, 0, 0], radius: 50 cm, core: 10 cm, layers: 4}}}\n"
                         "  - vorton.velocity: {method: %s, kernel: %s, error: %s}\n  - vorton.stretch: {}\n  - vorton.advect: {scheme: euler}\n",
                    method, kernel, error);
}

/// Displacements by one and by the other, root mean square of their difference over that of the second.
static double difference(const struct test_run *a, const struct test_run *b, const struct test_run *start, const char *name)
{
    int64_t n;
    const double *x = attribute(a, "vortons", name, &n), *y = attribute(b, "vortons", name, &n), *o = attribute(start, "vortons", name, &n);
    double wrong = 0, all = 0;
    for (int64_t i = 0; i < 3 * n; i++) {
        wrong += (x[i] - y[i]) * (x[i] - y[i]);
        all += (y[i] - o[i]) * (y[i] - o[i]);
    }
    return sqrt(wrong / all);
}

static struct test_run cloud_start(void)
{
    return run(HEAD "time: {fps: 1000, frames: 1-1}\nstages:\n"
                    "  - vorton.emit: {id: a, source: {cloud: {count: 6000, radius: 1 m, core: 8 cm}}}\n"
                    "  - vorton.emit: {id: b, wobble: 1 cm, source: {ring: {center: [3, 0, 0], radius: 50 cm, core: 10 cm, layers: 4}}}\n");
}

Test(vortons, fast_is_as_good_as_it_says)
{
    static const char *const kernels[] = {"gaussian", "algebraic", "moore", "seed"}, *const methods[] = {"fast", "mesh"};
    struct test_run start = cloud_start();
    for (int k = 0; k < 4; k++) {
        struct test_run direct = cloud("direct", kernels[k], "1e-3", "");
        for (int m = 0; m < 2; m++) {
            struct test_run fast = cloud(methods[m], kernels[k], "1e-3", "");
            double u = difference(&fast, &direct, &start, "pos"), g = difference(&fast, &direct, &start, "strength");
            cr_assert_lt(u, 1.2e-3, "%s, %s: velocity off by %.2e", methods[m], kernels[k], u);
            cr_assert_lt(g, 1e-2, "%s, %s: stretching off by %.2e", methods[m], kernels[k], g);
            cr_assert_gt(u, 1e-9, "%s, %s: it is the direct sum", methods[m], kernels[k]);
            test_end(&fast);
        }
        test_end(&direct);
    }
    struct test_run direct = cloud("direct", "gaussian", "1e-3", "");
    for (int m = 0; m < 2; m++) {
        struct test_run fine = cloud(methods[m], "gaussian", "3e-5", "");
        double u = difference(&fine, &direct, &start, "pos");
        cr_assert_lt(u, 4e-5, "%s, asked for 3e-5: %.2e", methods[m], u);
        test_end(&fine);
    }
    test_end(&direct);
    test_end(&start);
}

/* Levels agree within rounding, and single precision's rounding is 1e-5 of the velocity at most. */
Test(vortons, simd_levels_agree)
{
    struct test_run start = cloud_start(), best = cloud("direct", "gaussian", "1e-3", "");
    static const char *const levels[] = {"baseline", "avx2"};
    for (int i = 0; i < 2; i++) {
        struct test_run other = cloud("direct", "gaussian", "1e-3", levels[i]);
        double u = difference(&other, &best, &start, "pos");
        cr_assert_lt(u, 1e-5, "%s: %.2e", levels[i], u);
        test_end(&other);
    }
    test_end(&best);
    test_end(&start);
}

/* Gourlay's tree: a tenth or two off where vorticity is coherent. */
Test(vortons, the_seed_s_tree)
{
    double direct = ring_speed("gaussian", "direct", .1), seed = ring_speed("gaussian", "seed", .1);
    cr_assert(fabs(seed / direct - 1) < .3 && fabs(seed / direct - 1) > 1e-4, "%.6f m/s against %.6f", seed, direct);
}

/* ---- the gradient against differences of the velocity ---- */

static double gradient_wrong; ///< what the stage below found

static enum bw_status differences_step(struct bw_stage *s)
{
    const void *table = NULL;
    struct bw_stage *from = s->host->find_stage(s, BW_VELOCITY, 0, &table);
    const struct bw_velocity_api *api = table;
    bw_vec3 at[7];
    double u[21] = {0}, g[63] = {0}, h = .01, wrong = 0, all = 0;
    for (int i = 0; i < 7; i++)
        for (int a = 0; a < 3; a++) at[i][a] = .3 + .1 * a + (i && (i - 1) / 2 == a ? (i & 1 ? h : -h) : 0);
    enum bw_status st = api->evaluate(from, 7, (const bw_vec3 *)at, u, g);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double d = (u[3 * (1 + 2 * j) + i] - u[3 * (2 + 2 * j) + i]) / (2 * h);
            wrong += (d - g[3 * i + j]) * (d - g[3 * i + j]);
            all += d * d;
        }
    gradient_wrong = sqrt(wrong / all);
    return st;
}

static const struct bw_stage_desc difference_stages[] = {{.id = "differences", .version = "1", .brief = "Checks.", .step = differences_step}};
static const struct bw_module difference_module = BW_MODULE(difference_stages);

Test(vortons, gradient)
{
    static const char *const kernels[] = {"gaussian", "algebraic", "moore", "seed"}, *const methods[] = {"direct", "fast", "mesh"};
    struct test_options o = {.simd = UINT32_MAX, .module = &difference_module};
    for (int k = 0; k < 12; k++) {
        struct test_run r = run_with(&o, HEAD "time: {fps: 24, frames: 1-2, substeps: 1}\nstages:\n"
                                              "  - vorton.emit: {source: {ring: {axis: [1, 1, 2], radius: 70 cm, core: 20 cm, layers: 4}}}\n"
                                              "  - vorton.velocity: {kernel: %s, method: %s}\n  - differences: {}\n",
                                     kernels[k % 4], methods[k / 4]);
        cr_assert_lt(gradient_wrong, k % 4 == 3 ? .02 : .002, "%s, %s: %.2e", kernels[k % 4], methods[k / 4], gradient_wrong);
        test_end(&r);
    }
}

/* ---- pairs: order in time, what is removed ---- */

static char *table_write(const char *rows)
{
    static char path[] = "/tmp/billow-vortons-XXXXXX.csv";
    memcpy(path, "/tmp/billow-vortons-XXXXXX.csv", sizeof path);
    int fd = mkstemps(path, 4);
    cr_assert(fd >= 0 && write(fd, rows, strlen(rows)) == (ssize_t)strlen(rows));
    close(fd);
    return path;
}

/* Two equal vortons side by side turn about their middle: after a time in which the exact angle is 0.6, how far off? */
static double pair_error(const char *scheme, int substeps)
{
    double d = 1, rate = 1 / (4 * PI) * (erf(5 / sqrt(2)) - sqrt(2 / PI) * 5 * exp(-12.5)), angle = 0.6;
    struct test_run r = run(HEAD "time: {fps: %.15g, frames: 1-2, substeps: %d}\nstages:\n"
                                 "  - vorton.emit: {source: {file: {file: %s, core: 0.2}}}\n"
                                 "  - vorton.velocity: {method: direct}\n  - vorton.advect: {scheme: %s, max_turn: 10}\n",
                            2 * rate / d / angle, substeps,
                            table_write("x,y,z,strength_x,strength_y,strength_z\n0.5,0,0,0,0,1\n-0.5,0,0,0,0,1\n"), scheme);
    int64_t n;
    const double *x = attribute(&r, "vortons", "pos", &n);
    double wrong = hypot(x[0] - .5 * cos(angle), x[1] - .5 * sin(angle));
    test_end(&r);
    return wrong;
}

Test(vortons, order_in_time)
{
    static const char *const schemes[] = {"euler", "rk2", "rk3"};
    for (int k = 0; k < 3; k++) {
        double coarse = pair_error(schemes[k], 8), fine = pair_error(schemes[k], 16), p = order(coarse, fine);
        cr_assert(p > k + .75 && p < k + 1.4, "%s: order %.2f (%.2e, %.2e)", schemes[k], p, coarse, fine);
    }
    cr_assert_lt(pair_error("rk3", 16), 2e-4);
}

/* No size, far away, twice in the same place. */
Test(vortons, misfits_are_counted)
{
    const char *rows = "x,y,z,strength_x,strength_y,strength_z,radius\n"
                       "0,0,0,0,0,1,0.1\n0,0,0,0,0,1,0.1\n1,0,0,0,0,1,0\n1e12,0,0,0,0,1,0.1\n0,1,0,0,0,1,0.1\n";
    struct test_run r = run(HEAD "time: {fps: 24, frames: 1-2, substeps: 1}\nstages:\n"
                                 "  - vorton.emit: {source: {file: {file: %s}}}\n"
                                 "  - vorton.remesh: {merge: 0.1}\n  - vorton.velocity: {}\n  - vorton.stretch: {}\n  - vorton.advect: {}\n",
                            table_write(rows));
    int64_t n;
    attribute(&r, "vortons", "pos", &n);
    cr_assert_eq(n, 2, "%lld vortons are left", (long long)n);
    cr_assert_eq(metric(&r, "vorton.remesh.merged"), 1);
    test_end(&r);
}

Test(vortons, flung_away)
{
    const char *rows = "x,y,z,strength_x,strength_y,strength_z,radius\n0,0,0,0,0,1e9,0.1\n0.2,0,0,0,0,1,0.1\n";
    struct test_run r = run(HEAD "time: {fps: 1, frames: 1-2, substeps: 1}\nstages:\n"
                                 "  - vorton.emit: {source: {file: {file: %s}}}\n"
                                 "  - vorton.velocity: {}\n  - vorton.advect: {limit: 100 m, scheme: euler}\n",
                            table_write(rows));
    int64_t n;
    attribute(&r, "vortons", "pos", &n);
    cr_assert_eq(n, 1, "%lld are left", (long long)n);
    cr_assert_eq(metric(&r, "vorton.advect.lost"), 1);
    test_end(&r);
}

static void refuse(const char *stages, const char *sentence)
{
    run_refused(sentence, HEAD "time: {fps: 24, frames: 1-3, substeps: 1}\nstages:\n%s", stages);
}

Test(vortons, refusals)
{
    refuse("  - vorton.emit: {}\n", "source");
    refuse("  - vorton.emit: {source: {ring: {radius: 0}}}\n", "radius");
    refuse("  - vorton.emit: {source: {ring: {axis: [0, 0, 0]}}}\n", "axis has no length");
    refuse("  - vorton.emit: {source: {ring: {radius: 10 cm, core: 8 cm, layers: 4}}}\n", "does not fit");
    refuse("  - vorton.emit: {source: {tube: {to: [0, 0, 0]}}}\n", "has no length");
    refuse("  - vorton.emit: {source: {file: {file: /nowhere.csv}}}\n", "/nowhere.csv");
    refuse("  - vorton.velocity: {}\n", "no stage makes it");
    refuse("  - vorton.emit: {source: {ring: {}}}\n  - vorton.velocity: {}\n  - vorton.stretch: {}\n", "vorton.advect");
    refuse("  - tracers: {shape: {sphere: {}}}\n  - to_grid: {detail: 3}\n", "detail");
    char *path = table_write("x,y,z\n1,2,3\n"), stage[256];
    snprintf(stage, sizeof stage, "  - vorton.emit: {source: {file: {file: %s}}}\n", path);
    refuse(stage, "strength_x");
}

/* ---- viscosity ---- */

/* A long tube whose core spreads: velocity at mid-length against Lamb and Oseen's, 2 %. */
Test(vortons, lamb_oseen)
{
    struct test_run r = run("billow: 1\ndomain: {cells: [48, 48, 16], voxel: 2 cm, origin: [-0.48, -0.48, -0.16], margin: 100}\n"
                            "time: {fps: 25, frames: 1-26, substeps: 2}\nstages:\n"
                            "  - set: {field: density, value: 1}\n"
                            "  - vorton.emit: {source: {tube: {from: [0, 0, -6], to: [0, 0, 6], core: 5 cm, circulation: 1}}}\n"
                            "  - vorton.velocity: {}\n  - vorton.advect: {}\n  - vorton.diffuse: {method: core, viscosity: 0.003}\n"
                            "  - tracers: {shape: {sphere: {radius: 2 cm}}, count: 10}\n"
                            "  - to_grid: {density: none, velocity: vel, detail: 1}\n");
    struct grid v = grid_of(&r, "vel", 1);
    double s2 = .05 * .05 + 2 * .003 * 1.0;
    for (int i = 26; i < 46; i += 3) {
        double x = (i - 24 + .5) * .02, want = 1 / (2 * PI * x) * (1 - exp(-x * x / (2 * s2)));
        double is = at(&v, i, 24, 8); /* on y = 0, at x */
        cr_assert_float_eq(is, want, .02 * want, "x = %.2f: %.4f m/s, not %.4f", x, is, want);
    }
    bw_free(v.v);
    test_end(&r);
}

/// Mean of x² by strength.
static double variance(const struct test_run *r)
{
    int64_t n;
    const double *x = attribute(r, "vortons", "pos", &n), *a = attribute(r, "vortons", "strength", &n);
    double sum = 0, weight = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += a[3 * i + 2] * x[3 * i] * x[3 * i];
        weight += a[3 * i + 2];
    }
    return sum / weight;
}

/* Exchange among the nodes of a remeshed tube: its cross-section's variance grows by 2νt, its strength stays. */
Test(vortons, strength_exchange)
{
    struct test_run r[2];
    double total[2][3], impulse[3], all;
    for (int i = 0; i < 2; i++) {
        r[i] = run(HEAD "time: {fps: 25, frames: 1001-%d, substeps: 2}\nstages:\n"
                        "  - vorton.emit: {source: {tube: {from: [0, 0, -0.3], to: [0, 0, 0.3], core: 10 cm, circulation: 1, layers: 3}}}\n"
                        "  - vorton.remesh: {interval: 0.2, spacing: 4 cm, threshold: 1e-4, margin: 2}\n  - vorton.diffuse: {viscosity: 0.005}\n",
                   i ? 1026 : 1006);
        sums(&r[i], total[i], impulse, &all);
    }
    double grown = variance(&r[1]) - variance(&r[0]), want = 2 * .005 * .8;
    cr_assert_float_eq(grown, want, .02 * want, "variance grew by %.5f m², not %.5f", grown, want);
    cr_assert_float_eq(total[1][2], total[0][2], 1e-12 * all, "Σα from %.15g to %.15g", total[0][2], total[1][2]);
    test_end(&r[0]);
    test_end(&r[1]);
}

/* ---- lattice, merging, splitting: what has to stay ---- */

Test(vortons, remesh_keeps_the_moments)
{
    struct test_run before = wobbling("direct", "", 1, 2);
    struct test_run after = wobbling("direct", "  - vorton.remesh: {interval: 1e-3, spacing: 6 cm, threshold: 0}\n", 2, 2);
    struct test_run moved = wobbling("direct", "", 2, 2);
    double t0[3], t1[3], i0[3], i1[3], all, all1;
    int64_t n0, n1;
    attribute(&before, "vortons", "pos", &n0);
    attribute(&after, "vortons", "pos", &n1);
    cr_assert_neq(n0, n1, "nothing was remeshed");
    sums(&moved, t0, i0, &all);
    sums(&after, t1, i1, &all1);
    for (int c = 0; c < 3; c++) {
        cr_assert_float_eq(t1[c], t0[c], 1e-12 * all, "strength %d from %.15g to %.15g", c, t0[c], t1[c]);
        cr_assert_float_eq(i1[c], i0[c], 1e-12 * all, "impulse %d from %.15g to %.15g", c, i0[c], i1[c]);
    }
    test_end(&before);
    test_end(&after);
    test_end(&moved);
}

Test(vortons, split_and_merge_keep_the_sum)
{
    struct test_run whole = wobbling("direct", "", 100, 2);
    struct test_run cut = wobbling("direct", "  - vorton.remesh: {split: 1.05, merge: 0.3}\n", 100, 2);
    double t0[3], t1[3], i0[3], i1[3], all, all1;
    sums(&whole, t0, i0, &all);
    sums(&cut, t1, i1, &all1);
    int64_t n0, n1;
    attribute(&whole, "vortons", "pos", &n0);
    attribute(&cut, "vortons", "pos", &n1);
    cr_assert_neq(n0, n1, "neither split nor merged: %lld vortons", (long long)n0);
    for (int c = 0; c < 3; c++) {
        cr_assert_float_eq(t1[c], t0[c], 1e-12 * all);
        cr_assert_float_eq(i1[c], i0[c], .02 * sqrt(i0[0] * i0[0] + i0[1] * i0[1] + i0[2] * i0[2]), "impulse %d from %g to %g", c, i0[c], i1[c]);
    }
    test_end(&whole);
    test_end(&cut);
}

/* ---- grids ---- */

/* Smoke of a ball of tracers in a domain without a box that begins anywhere: no amount is lost while it is blown about, colour follows it. */
Test(vortons, smoke_is_conserved)
{
    struct test_run r = run("billow: 1\ndomain: {size: none, voxel: 3 cm, origin: [0.017, -0.4, 0.2]}\nfields: {dye: {kind: vector}}\n"
                            "time: {fps: 30, frames: 1001-1012, substeps: 2}\nstages:\n"
                            "  - vorton.emit: {source: {ring: {radius: 30 cm, core: 5 cm, circulation: 2}}}\n"
                            "  - tracers: {shape: {sphere: {radius: 40 cm}}, count: 20000, density: 0.7, colour: [0.2, 0.4, 0.8]}\n"
                            "  - vorton.velocity: {}\n  - vorton.advect: {}\n  - to_grid: {colour: dye, velocity: vel}\n  - stats: {}\n");
    double want = .7 * 4. / 3 * PI * .4 * .4 * .4, is = metric(&r, "to_grid.smoke");
    cr_assert_float_eq(is, want, .01 * want, "%.5f m³ of smoke, not %.5f", is, want);
    cr_assert_float_eq(metric(&r, "to_grid.outside"), 0, 1e-6 * want);
    cr_assert_float_eq(metric(&r, "stats.mass_density"), is, 1e-6 * want);
    cr_assert_gt(metric(&r, "stats.center_density_z"), .05, "nothing was carried");
    test_end(&r);
}

/* What the exporter ply writes, vorton.emit reads: the same vortons. */
Test(vortons, there_and_back)
{
    char folder[] = "/tmp/billow-vortons-XXXXXX", stages[256];
    cr_assert_not_null(mkdtemp(folder));
    struct test_options o = {.simd = UINT32_MAX, .out = folder};
    struct test_run there = run_with(&o, HEAD "time: {fps: 24, frames: 1-1}\nname: ring\nstages:\n"
                                              "  - vorton.emit: {source: {ring: {axis: [1, 2, 3], layers: 1}}}\n"
                                              "export:\n  - ply: {precision: double}\n%s", "");
    snprintf(stages, sizeof stages, "  - vorton.emit: {source: {file: {file: %s/ply/ring_vortons_0001.ply}}}\n", folder);
    struct test_run back = run(HEAD "time: {fps: 24, frames: 1-1}\nstages:\n%s", stages);
    static const char *const names[] = {"pos", "strength", "radius", "volume"};
    for (int i = 0; i < 4; i++) {
        int64_t n, m;
        const double *a = attribute(&there, "vortons", names[i], &n), *b = attribute(&back, "vortons", names[i], &m);
        cr_assert_eq(n, m);
        cr_assert_eq(memcmp(a, b, (size_t)n * (i < 2 ? 24 : 8)), 0, "%s changed on the way", names[i]);
    }
    test_end(&there);
    test_end(&back);
    snprintf(stages, sizeof stages, "rm -r %s", folder);
    cr_assert_eq(system(stages), 0);
}

/* ---- with grids ---- */

/* Vortons in a grid's strain u = (x, -y, 0): places and strengths grow and shrink as exp(±t). */
Test(vortons, carried_by_a_grid)
{
    struct test_run r = run("billow: 1\ndomain: {cells: [32, 32, 16], voxel: 0.1, origin: [-1.6, -1.6, -0.8], margin: 100}\n"
                            "time: {fps: 25, frames: 1001-1011, substeps: 4}\nstages:\n"
                            "  - set: {field: vel, value: [\"x\", \"-y\", 0], keep: true}\n"
                            "  - vorton.emit: {source: {file: {file: %s}}}\n  - vorton.stretch: {}\n  - vorton.advect: {flow: [vel]}\n",
                            table_write("x,y,z,strength_x,strength_y,strength_z\n0.3,0.5,0.1,1,0,0\n-0.2,0.4,0,0,2,1\n"));
    int64_t n;
    const double *x = attribute(&r, "vortons", "pos", &n), *a = attribute(&r, "vortons", "strength", &n), grown = exp(.4);
    const double want[] = {.3 * grown, .5 / grown, .1, -.2 * grown, .4 / grown, 0}, strength[] = {grown, 0, 0, 0, 2 / grown, 1};
    for (int i = 0; i < 6; i++) {
        cr_assert_float_eq(x[i], want[i], 1e-5, "place %d: %.7f, not %.7f", i, x[i], want[i]);
        cr_assert_float_eq(a[i], strength[i], 1e-4, "strength %d: %.7f, not %.7f", i, a[i], strength[i]);
    }
    test_end(&r);
}

/// A still vorton, α = V ω along z, ω = 2 1/s, at cell corner and centre, stirring a grid for some seconds.
static struct test_run stirred(int frames, uint32_t threads)
{
    struct test_options o = {.simd = UINT32_MAX, .threads = threads};
    return run_with(&o, "billow: 1\ndomain: {cells: [48, 48, 48], voxel: 0.1, origin: [-2.4, -2.4, -2.4], margin: 100, sides: {rest: open}}\n"
                        "time: {fps: 25, frames: 1-%d, substeps: 1}\nstages:\n" KEEP_VEL
                        "  - vorton.emit: {source: {file: {file: %s}}}\n  - vorton.confine: {rate: 5}\n", frames,
                    table_write("x,y,z,strength_x,strength_y,strength_z,radius,volume\n0,0,0,0,0,2,0.4,1\n0.33,0.21,-0.57,0.5,0,0,0.3,0.5\n"));
}

/* A grid takes on a vorton's rotation, half of its vorticity times the distance, and no more; without divergence. */
Test(vortons, stir_a_grid)
{
    struct test_run r = run("billow: 1\ndomain: {cells: [48, 48, 48], voxel: 0.1, origin: [-2.4, -2.4, -2.4], margin: 100, sides: {rest: open}}\n"
                            "time: {fps: 25, frames: 1-101, substeps: 1}\nstages:\n" KEEP_VEL
                            "  - vorton.emit: {source: {file: {file: %s}}}\n  - vorton.confine: {rate: 5}\n  - stats: {}\n",
                            table_write("x,y,z,strength_x,strength_y,strength_z,radius,volume\n0,0,0,0,0,2,0.4,1\n"));
    struct grid v = grid_of(&r, "vel", 1);
    for (int i = 20; i < 29; i++) {
        double x = -2.4 + (i + .5) * .1, want = x * exp(-.5 * (x * x + .05 * .05) / .16); /* on faces y = 0, z = 0.05 m */
        double is = at(&v, i, 24, 24);
        cr_assert_float_eq(is, want, .02 * fabs(want) + 1e-3, "x = %.2f: %.4f m/s, not %.4f", x, is, want);
    }
    cr_assert_lt(metric(&r, "stats.max_div_vel"), .15, "divergence %.3f 1/s", metric(&r, "stats.max_div_vel"));
    bw_free(v.v);
    test_end(&r);
    struct test_run one = stirred(4, 1), two = stirred(4, 2);
    cr_assert_eq(test_hash(&one, "vel"), test_hash(&two, "vel"));
    test_end(&one);
    test_end(&two);
    refuse("  - set: {field: vel, value: [0, 0, 0]}\n  - vorton.emit: {source: {cloud: {core: 6 m}}}\n  - vorton.confine: {}\n", "voxels");
}

/* Eddies' viscosity: strengths of neighbours even out, their sum stays, whatever the step. */
Test(vortons, eddies_bound_and_keep_the_sum)
{
    double last = HUGE_VAL, square = 0;
    for (int frames = 2; frames <= 4; frames++) {
        struct test_run r = run(HEAD "time: {fps: 1, frames: 1-%d, substeps: 1}\nstages:\n"
                                     "  - vorton.emit: {source: {cloud: {count: 2000, radius: 1 m, core: 20 cm, vorticity: 100}}}\n"
                                     "  - vorton.diffuse: {viscosity: 0, eddy: 0.3}\n", frames);
        int64_t n;
        const double *a = attribute(&r, "vortons", "strength", &n);
        double sum[3] = {0}, all = 0;
        square = 0;
        for (int64_t i = 0; i < 3 * n; i++) {
            sum[i % 3] += a[i];
            all += fabs(a[i]);
            square += a[i] * a[i];
        }
        for (int c = 0; c < 3; c++) cr_assert_float_eq(sum[c], 0, 1e-12 * all, "Σα: %g of %g", sum[c], all);
        cr_assert_lt(square, .999 * last, "frame %d: Σα² from %g to %g", frames, last, square);
        last = square;
        test_end(&r);
    }
}
