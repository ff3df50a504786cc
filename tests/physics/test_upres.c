// SPDX-License-Identifier: Apache-2.0
/* upres and retime on caches that the tests write themselves: where the added energy lies, that the noise has no
 * divergence and no seams, that the amount of smoke stays, that what moves is where it should be between two frames. */
#include "folder.h"
#include "physics.h"
#include <common/openvdb/bwvdb.h>

enum { BASE = 24 }; /* cells a side of the caches with eddies */

/* What a cache holds at a place (cells of the cache) and frame: density and flow, m/s. */
typedef void (*scene_fn)(const double x[3], int frame, float *density, float vel[3]);

static void grid_write(struct bwvdb_writer *w, const char *name, int comps, int n, double h, const double origin[3],
                       float *const v[3])
{
    struct bwvdb_error error;
    struct bwvdb_block block = {.n = {n, n, n}, .data = {v[0], v[1], v[2]}};
    struct bwvdb_grid g = {.name = name,
                           .comps = (uint32_t)comps,
                           .voxel = h,
                           .blocks = &block,
                           .n_blocks = 1,
                           .vector_type = comps == 3 ? BWVDB_VEC_CONTRAVARIANT_RELATIVE : BWVDB_VEC_INVARIANT};
    for (int a = 0; a < 3; a++) g.origin[a] = origin[a] + h / 2;
    cr_assert_eq(bwvdb_writer_add(w, &g, &error), BWVDB_OK, "%s", error.text);
}

/* Signed distance to a ball of 5 cells' radius in the middle, known three cells away on both sides. */
static void ball_write(struct bwvdb_writer *w, int n, double h, const double origin[3])
{
    size_t at = 0, count = (size_t)n * (size_t)n * (size_t)n;
    float *v = bw_calloc(count * sizeof *v);
    struct bwvdb_error error;
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                v[at++] =
                    (float)(h *
                            (sqrt(pow(i + .5 - .5 * n, 2) + pow(j + .5 - .5 * n, 2) + pow(k + .5 - .5 * n, 2)) - 5));
    struct bwvdb_block block = {.n = {n, n, n}, .data = {v}};
    struct bwvdb_grid g = {.name = "solid",
                           .comps = 1,
                           .voxel = h,
                           .blocks = &block,
                           .n_blocks = 1,
                           .band = (float)(3 * h),
                           .grid_class = BWVDB_CLASS_LEVEL_SET};
    for (int a = 0; a < 3; a++) g.origin[a] = origin[a] + h / 2;
    cr_assert_eq(bwvdb_writer_add(w, &g, &error), BWVDB_OK, "%s", error.text);
    bw_free(v);
}

static int with_ball;

/* One file of n³ cells of edge h; the low corner is at `origin`. */
static void file_write(int frame, int n, double h, const double origin[3], scene_fn scene, int with_vel)
{
    struct bwvdb_writer *w;
    struct bwvdb_error error;
    size_t count = (size_t)n * (size_t)n * (size_t)n, at = 0;
    float *v[4];
    for (int c = 0; c < 4; c++) v[c] = bw_calloc(count * sizeof(float));
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++, at++) {
                float u[3] = {0, 0, 0};
                scene((double[3]){i + .5, j + .5, k + .5}, frame, &v[3][at], u);
                for (int c = 0; c < 3; c++) v[c][at] = u[c];
            }
    cr_assert_eq(bwvdb_writer_create(NULL, &w, &error), BWVDB_OK);
    grid_write(w, "density", 1, n, h, origin, (float *const[3]){v[3], NULL, NULL});
    if (with_vel) grid_write(w, "vel", 3, n, h, origin, v);
    if (with_ball) ball_write(w, n, h, origin);
    char path[256];
    snprintf(path, sizeof path, "%s/c_%04d.vdb", folder, frame);
    cr_assert_eq(bwvdb_writer_write(w, path, &error), BWVDB_OK, "%s", error.text);
    bwvdb_writer_free(w);
    for (int c = 0; c < 4; c++) bw_free(v[c]);
}

/* ---- eddies ---- */

/* Waves of 4 to 16 cells in all directions, across their wave vectors, with a Kolmogorov spectrum, and smoke
 * everywhere. */
static void eddies(const double x[3], int frame, float *density, float vel[3])
{
    enum { WAVES = 120 };
    double u[3] = {0, 0, 0};
    for (uint64_t w = 0; w < WAVES; w++) {
        double c = 2 * bw_rng_unit(1, w) - 1, phi = 2 * PI * bw_rng_unit(2, w), s = sqrt(1 - c * c),
               spin = 2 * PI * bw_rng_unit(3, w);
        double k = 2 * PI / 16 * pow(4, bw_rng_unit(4, w)), d[3] = {s * cos(phi), s * sin(phi), c};
        double e1[3] = {-sin(phi), cos(phi), 0}, e2[3] = {-c * cos(phi), -c * sin(phi), s};
        double phase = k * (d[0] * x[0] + d[1] * x[1] + d[2] * x[2]) + 2 * PI * bw_rng_unit(5, w) + .2 * frame;
        double a = pow(k, -1 / 3.) * cos(phase) * sqrt(2. / WAVES);
        for (int i = 0; i < 3; i++) u[i] += a * (cos(spin) * e1[i] + sin(spin) * e2[i]);
    }
    for (int i = 0; i < 3; i++) vel[i] = (float)(.05 * u[i]);
    *density = 1;
}

#define HEAD "billow: 1\nframes_from: %s/c_####.vdb\n"

static struct test_run upres_run(uint32_t threads, const char *domain, const char *flow)
{
    struct test_options o = {.threads = threads, .simd = UINT32_MAX};
    return run_with(&o,
                    HEAD "domain: {%s, sides: {rest: open}}\n"
                         "time: {fps: 25, substeps: auto, cfl: 4, seed: 5}\n"
                         "stages:\n"
                         "  - upres.flow: {%s}\n"
                         "  - mac.advect: {only: [density]}\n"
                         "  - upres.match: {fields: [density]}\n",
                    folder, domain, flow);
}

static const double corner[3] = {.31, -.2, 7};
/* Four cells away from the cache's edge, where nobody knows how the eddies go on. */
#define DOMAIN "cells: [64, 64, 64], voxel: 0.25 cm, origin: [0.35, -0.16, 7.04]"

/* Σ over components of |DFT|², by octaves of |k|: 4-8, 8-16, 16-32 waves in 64 cells. Windowed: the noise does not
 * repeat. */
static void spectrum(const struct test_run *r, double octave[3])
{
    enum { N = 64 };
    size_t n = (size_t)N * N * N;
    double *re = bw_calloc(n * sizeof *re), *im = bw_calloc(n * sizeof *im), cs[N], sn[N];
    for (int i = 0; i < N; i++) cs[i] = cos(2 * PI * i / N), sn[i] = sin(2 * PI * i / N);
    octave[0] = octave[1] = octave[2] = 0;
    for (uint32_t c = 0; c < 3; c++) {
        struct grid g = grid_of(r, "upres.flow.noise", c);
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++)
                for (int i = 0; i < N; i++) {
                    size_t q = (size_t)i + N * ((size_t)j + N * (size_t)k);
                    re[q] = at(&g, i, j, k) * (1 - cs[i]) * (1 - cs[j]) * (1 - cs[k]);
                    im[q] = 0;
                }
        bw_free(g.v);
        for (size_t stride = 1; stride < n; stride *= N)
            for (size_t line = 0; line < n / N; line++) {
                size_t first = line / stride * stride * N + line % stride;
                double a[N], b[N];
                for (int q = 0; q < N; q++) {
                    a[q] = b[q] = 0;
                    for (int i = 0; i < N; i++) {
                        double x = re[first + (size_t)i * stride], y = im[first + (size_t)i * stride],
                               co = cs[i * q % N], si = sn[i * q % N];
                        a[q] += x * co + y * si, b[q] += y * co - x * si;
                    }
                }
                for (int q = 0; q < N; q++)
                    re[first + (size_t)q * stride] = a[q], im[first + (size_t)q * stride] = b[q];
            }
        for (size_t q = 0; q < n; q++) {
            int k[3] = {(int)(q % N), (int)(q / N % N), (int)(q / N / N)};
            double kk = 0;
            for (int a = 0; a < 3; a++) k[a] = k[a] > N / 2 ? k[a] - N : k[a], kk += k[a] * k[a];
            int o = kk < 16 ? -1 : kk < 64 ? 0 : kk < 256 ? 1 : kk < 1024 ? 2 : -1;
            if (o >= 0) octave[o] += re[q] * re[q] + im[q] * im[q];
        }
    }
    bw_free(re);
    bw_free(im);
}

Test(upres, energy_lies_where_it_should)
{
    if (test_short()) cr_skip_test("accuracy alone");
    folder_make();
    file_write(1001, BASE, .01, corner, eddies, 1);
    static const double decay[2] = {5 / 6., 1 / 3.};
    for (int q = 0; q < 2; q++) {
        char flow[64];
        snprintf(flow, sizeof flow, "decay: %.17g", decay[q]);
        struct test_run r = upres_run(2, DOMAIN, flow);
        double o[3], added = metric(&r, "upres.flow.added"), share = pow(4, -decay[q]),
                     expected = share + share * share + share * share * share;
        expected /= 1 + pow(2, 2 / 3.); // of waves of 4 to 8 cells; the base has those of 8 to 16 as well
        spectrum(&r, o);
        /* an octave's energy goes with k^(1+slope) */
        double slope = .5 * log2(o[2] / o[0]) - 1;
        printf("decay %.3f: energy added %.4f of the base's (%.4f wanted), octaves %.3f %.3f, slope of E(k) %.2f (%.2f "
               "wanted)\n",
               decay[q], added, expected, o[1] / o[0], o[2] / o[1], slope, -1 - 2 * decay[q]);
        cr_assert_float_eq(slope, -1 - 2 * decay[q], .4);
        cr_assert_float_eq(log2(o[2] / o[1]), -2 * decay[q], .5);
        cr_assert(added > .6 * expected && added < 1.4 * expected);
        test_end(&r);
    }
    folder_remove();
}

Test(upres, no_divergence_no_seams)
{
    folder_make();
    file_write(1001, BASE, .01, corner, eddies, 1);
    struct test_run r = upres_run(2, DOMAIN, "");
    /* The same world from a domain that starts elsewhere. */
    struct test_run s = upres_run(1, "cells: [80, 80, 80], voxel: 0.25 cm, origin: [0.325, -0.18, 7.02]", "");
    struct grid u[3], v[3];
    double sum = 0, div = 0, off = 0;
    for (uint32_t c = 0; c < 3; c++)
        u[c] = grid_of(&r, "upres.flow.noise", c), v[c] = grid_of(&s, "upres.flow.noise", c);
    for (int k = 0; k < 64; k++)
        for (int j = 0; j < 64; j++)
            for (int i = 0; i < 64; i++) {
                sum += pow(at(&u[0], i, j, k), 2);
                div = fmax(div, fabs(at(&u[0], i + 1, j, k) - at(&u[0], i, j, k) + at(&u[1], i, j + 1, k) -
                                     at(&u[1], i, j, k) + at(&u[2], i, j, k + 1) - at(&u[2], i, j, k)));
                off = fmax(off, fabs(at(&u[1], i, j, k) - at(&v[1], i + 10, j + 8, k + 8)));
            }
    double rms = sqrt(sum / (64 * 64 * 64));
    printf("noise of %.4g m/s a component: divergence at most %.2g of it a cell, %.2g between two domains\n", rms,
           div / rms, off / rms);
    cr_assert_gt(rms, 1e-4);
    cr_assert_lt(div, 1e-5 * rms);
    cr_assert_lt(off, 1e-3 * rms);
    for (int c = 0; c < 3; c++) bw_free(u[c].v), bw_free(v[c].v);
    test_end(&r);
    test_end(&s);
    folder_remove();
}

/* The same eddies, smoke in three cells around the middle alone; elsewhere so little that it just keeps tiles awake. */
static void puff(const double x[3], int frame, float *density, float vel[3])
{
    eddies(x, frame, density, vel);
    *density = pow(x[0] - BASE / 2, 2) + pow(x[1] - BASE / 2, 2) + pow(x[2] - BASE / 2, 2) < 9 ? 10 : .005f;
}

/* Noise is made where there is smoke to be stirred, the same that would be made everywhere, and what is left of it
 * farther out has no divergence either. */
Test(upres, noise_is_where_smoke_is)
{
    folder_make();
    file_write(1001, BASE, .01, corner, puff, 1);
    struct test_run some = upres_run(2, DOMAIN, ""), all = upres_run(2, DOMAIN, "around: \"\"");
    struct grid u[3], v[3];
    double sum = 0, div = 0;
    int64_t within = 0, without = 0;
    for (uint32_t c = 0; c < 3; c++)
        u[c] = grid_of(&some, "upres.flow.noise", c), v[c] = grid_of(&all, "upres.flow.noise", c);
    cr_assert_eq(bw_chain_tiles(some.chain), 64);
    for (int k = 16; k < 64; k++)
        for (int j = 16; j < 64; j++)
            for (int i = 16; i < 64; i++) {
                const double far = fmax(abs(i - 32), fmax(abs(j - 32), abs(k - 32)));
                div = fmax(div, fabs(at(&u[0], i + 1, j, k) - at(&u[0], i, j, k) + at(&u[1], i, j + 1, k) -
                                     at(&u[1], i, j, k) + at(&u[2], i, j, k + 1) - at(&u[2], i, j, k)));
                for (int c = 0; c < 3; c++) {
                    const double have = at(&u[c], i, j, k), full = at(&v[c], i, j, k);
                    if (hypot(hypot(i - 32, j - 32), k - 32) < 14) cr_assert_eq(have, full, "cell %d %d %d", i, j, k);
                    within += have != 0, without += full != 0 && have == 0;
                    if (far > 28) cr_assert_eq(have, 0, "cell %d %d %d", i, j, k);
                    sum += have * have;
                }
            }
    cr_assert_gt(within, 10000);
    cr_assert_gt(without, 10000);
    cr_assert_lt(div, 1e-5 * sqrt(sum / (double)within), "divergence %g", div);
    for (int c = 0; c < 3; c++) bw_free(u[c].v), bw_free(v[c].v);
    test_end(&some);
    test_end(&all);
    folder_remove();
}

/* No noise crosses an obstacle's surface, and there is none inside; a little away it is as it was. */
Test(upres, obstacles_stay_still)
{
    folder_make();
    with_ball = 1;
    file_write(1001, BASE, .01, corner, eddies, 1);
    struct test_run r = upres_run(2, "cells: [48, 48, 48], voxel: 0.5 cm, origin: [0.31, -0.2, 7]", "");
    struct grid u[3];
    double inside = 0, outside = 0, flux = 0, whole = 0;
    for (uint32_t c = 0; c < 3; c++) u[c] = grid_of(&r, "upres.flow.noise", c);
    for (int k = 0; k < 48; k++)
        for (int j = 0; j < 48; j++)
            for (int i = 0; i < 48; i++) {
                double x[3] = {i - 23.5, j - 23.5, k - 23.5}, r2 = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
                double v[3] = {at(&u[0], i, j, k) + at(&u[0], i + 1, j, k), at(&u[1], i, j, k) + at(&u[1], i, j + 1, k),
                               at(&u[2], i, j, k) + at(&u[2], i, j, k + 1)};
                double along = fabs(v[0] * x[0] + v[1] * x[1] + v[2] * x[2]) / r2, d = .5 * r2 - 5;
                double most = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
                if (d < -1) inside = fmax(inside, most);
                if (d > 2) outside = fmax(outside, most);
                if (d > -.3 && d <= 0) flux = fmax(flux, along);
                whole = fmax(whole, most);
            }
    printf("noise at most %.2g m/s, %.2g of it inside the obstacle, %.2g across its skin\n", whole / 2, inside / whole,
           flux / whole);
    cr_assert_eq(inside, 0);
    cr_assert_gt(outside, .5 * whole);
    cr_assert_lt(flux, .1 * whole);
    for (int c = 0; c < 3; c++) bw_free(u[c].v);
    test_end(&r);
    with_ball = 0;
    folder_remove();
}

/* A ball of smoke in the eddies and a wind. */
static void ball(const double x[3], int frame, float *density, float vel[3])
{
    double c[3] = {9 + .8 * (frame - 7), 12, 12}, d2 = 0;
    eddies(x, 0, density, vel);
    vel[0] += (float)(.8 * .01 * 25);
    for (int a = 0; a < 3; a++) d2 += pow(x[a] - c[a], 2);
    *density = d2 < 16 ? (float)fmax(0, 1 - pow(d2 / 16, 2)) : 0;
}

Test(upres, smoke_stays_and_threads_do_not_show)
{
    folder_make();
    for (int f = 7; f < 13; f++) file_write(f, BASE, .01, corner, ball, 1);
    uint64_t hash[2][2];
    for (uint32_t threads = 1; threads <= 2; threads++) {
        struct test_run r =
            upres_run(threads, "cells: [48, 48, 48], voxel: 0.5 cm, origin: [0.31, -0.2, 7]", "strength: 1.5");
        double share = metric(&r, "upres.match.density_share");
        if (threads == 1) printf("after 5 frames %.4f of the cache's smoke\n", share);
        cr_assert_float_eq(share, 1, .01);
        hash[threads - 1][0] = test_hash(&r, "density");
        hash[threads - 1][1] = test_hash(&r, "vel");
        test_end(&r);
    }
    cr_assert_eq(hash[0][0], hash[1][0]);
    cr_assert_eq(hash[0][1], hash[1][1]);
    folder_remove();
}

/* ---- retime ---- */

/* A bell of smoke that moves by 2.5, 1 and -0.5 cells a frame, in a flow that says so. */
static void bell(const double x[3], int frame, float *density, float vel[3])
{
    static const double way[3] = {2.5, 1, -.5};
    double d2 = 0;
    for (int a = 0; a < 3; a++) {
        d2 += pow(x[a] - (10 + way[a] * (frame - 3)), 2);
        vel[a] = (float)(way[a] * .02 * 10);
    }
    *density = d2 < 80 ? (float)exp(-d2 / 8) : 0;
}

static struct test_run retime_run(const char *frames, const char *at)
{
    return run(HEAD "domain: {cells: [32, 32, 32], voxel: 2 cm, origin: [0.31, -0.2, 7], sides: {rest: open}}\n"
                    "time: {fps: 10, frames: %s}\n"
                    "stages:\n  - retime: {fields: [density], at: \"%s\"}\n",
               folder, frames, at);
}

/* Where the smoke's centre lies, cells; answers how much smoke there is. */
static double centre(const struct test_run *r, double c[3])
{
    struct grid g = grid_of(r, "density", 0);
    double mass = 0;
    c[0] = c[1] = c[2] = 0;
    for (int k = 0; k < 32; k++)
        for (int j = 0; j < 32; j++)
            for (int i = 0; i < 32; i++) {
                double q = at(&g, i, j, k), x[3] = {i + .5, j + .5, k + .5};
                mass += q;
                for (int a = 0; a < 3; a++) c[a] += q * x[a];
            }
    for (int a = 0; a < 3; a++) c[a] /= mass;
    bw_free(g.v);
    return mass;
}

Test(retime, half_speed_is_half_way)
{
    folder_make();
    for (int f = 3; f < 7; f++) file_write(f, 32, .02, corner, bell, 1);
    double c[3], whole = 0, worst = 0, lost = 0;
    for (int last = 3; last <= 9; last++) { /* frame 9 shows file frame 6 */
        char frames[16];
        snprintf(frames, sizeof frames, "3-%d", last);
        struct test_run r = retime_run(frames, "=3 + 0.5*(frame-3)");
        double mass = centre(&r, c), shown = .5 * (last - 3), want[3] = {10 + 2.5 * shown, 10 + shown, 10 - .5 * shown};
        if (last == 3) whole = mass;
        for (int a = 0; a < 3; a++) worst = fmax(worst, fabs(c[a] - want[a]));
        lost = fmax(lost, fabs(mass / whole - 1));
        struct grid u = grid_of(&r, "vel", 0);
        cr_assert_float_eq(at(&u, 16, 16, 16), .5 * 2.5 * .02 * 10, 1e-6, "frame %d: %g m/s", last, at(&u, 16, 16, 16));
        bw_free(u.v);
        test_end(&r);
    }
    printf("half speed: off by at most %.4f cells, amount by %.4f\n", worst, lost);
    cr_assert_lt(worst, .02);
    cr_assert_lt(lost, .01);
    struct test_run back = retime_run("3-5", "=6 - (frame-3)");
    struct grid u = grid_of(&back, "vel", 1);
    centre(&back, c);
    cr_assert_float_eq(c[0], 12.5, .01);
    cr_assert_float_eq(at(&u, 16, 16, 16), -1 * .02 * 10, 1e-6);
    bw_free(u.v);
    test_end(&back);
    struct test_run still = retime_run("3-9", "=frame < 5 ? frame : 5");
    u = grid_of(&still, "vel", 0);
    centre(&still, c);
    cr_assert_float_eq(c[0], 15, .01);
    cr_assert_eq(at(&u, 16, 16, 16), 0);
    bw_free(u.v);
    test_end(&still);
    folder_remove();
}

Test(retime, whole_frames_come_out_as_they_are)
{
    folder_make();
    for (int f = 3; f < 7; f++) file_write(f, 32, .02, corner, bell, 1);
    struct test_run r = retime_run("3-5", "=frame");
    struct grid g = grid_of(&r, "density", 0), u = grid_of(&r, "vel", 2);
    for (int k = 0; k < 32; k++)
        for (int j = 0; j < 32; j++)
            for (int i = 0; i < 32; i++) {
                float want, vel[3];
                bell((double[3]){i + .5, j + .5, k + .5}, 5, &want, vel);
                cr_assert_eq((float)at(&g, i, j, k), want, "cell %d %d %d: %g, not %g", i, j, k, at(&g, i, j, k),
                             (double)want);
                cr_assert_eq((float)at(&u, i, j, k), vel[2]);
            }
    bw_free(g.v);
    bw_free(u.v);
    test_end(&r);
    folder_remove();
}

/* ---- refusals ---- */

static void refuse(const char *stage, const char *sentence)
{
    run_refused(sentence, HEAD "domain: {cells: [32, 32, 32], voxel: 1 cm}\nstages:\n  - %s\n", folder, stage);
}

Test(upres, refusals)
{
    folder_make();
    refuse("retime: {fields: [density]}", "there is no file");
    file_write(3, 8, .02, corner, bell, 0);
    refuse("retime: {fields: [density]}", "no grid \"vel\"");
    refuse("upres.flow: {}", "no grid \"vel\"; it holds density");
    file_write(5, 8, .02, corner, bell, 1);
    refuse("upres.flow: {}", "frame 4 is missing");
    file_write(4, 8, .02, corner, bell, 1);
    file_write(3, 8, .01, corner, bell, 1);
    refuse("upres.flow: {}", "leaves room for detail");
    struct test_run r =
        test_start("billow: 1\ndomain: {cells: [8, 8, 8], voxel: 1 cm}\nstages:\n  - upres.flow: {}\n", NULL);
    cr_assert_eq(r.status, BW_ERR_PRESET);
    cr_assert(strstr(r.diag.text, "frames_from"), "%s", r.diag.text);
    test_end(&r);
    folder_remove();
}
