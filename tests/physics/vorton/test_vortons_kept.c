// SPDX-License-Identifier: Apache-2.0
/* Vortons: remeshing, and what goes between them and grids: what has to stay, and how fast the rest goes. */
#include "folder.h"
#include "physics/pushed.h"
#include "vortons.h"

/* ---- lattice, merging, splitting: what has to stay ---- */

Test(vortons_kept, remesh_keeps_the_moments)
{
    struct test_run before = wobbling("direct", "", 1, 2);
    struct test_run after =
        wobbling("direct", "  - vorton.remesh: {interval: 1e-3, spacing: 6 cm, threshold: 0}\n", 2, 2);
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

/* ---- a stage that looks ---- */

static double peak; ///< largest |curl u| on lines across a core at (0.5, 0, 0) m, 1/s
static enum bw_status peak_step(struct bw_stage *s)
{
    enum { LINE = 121 };
    const void *table = NULL;
    struct bw_stage *from = s->host->find_stage(s, BW_VELOCITY, 0, &table);
    bw_vec3 at[2 * LINE];
    double u[6 * LINE] = {0}, g[18 * LINE] = {0};
    for (int i = 0; i < 2 * LINE; i++) {
        const double off = .3 * (2. * (i % LINE) / (LINE - 1) - 1);
        at[i][0] = .5 + (i < LINE ? off : 0);
        at[i][1] = 0;
        at[i][2] = i < LINE ? 0 : off;
    }
    enum bw_status st = ((const struct bw_velocity_api *)table)->evaluate(from, 2 * LINE, (const bw_vec3 *)at, u, g);
    peak = 0;
    for (int i = 0; i < 2 * LINE; i++) {
        const double *d = g + 9 * i;
        peak = fmax(peak, hypot(hypot(d[7] - d[5], d[2] - d[6]), d[3] - d[1]));
    }
    return st;
}

static const struct bw_port peak_ports[] = {{.name = "vortons",
                                             .kind = BW_PARTICLES,
                                             .access = BW_READ,
                                             .doc = "Seen.",
                                             .attributes = (const struct bw_attribute[]){{"pos", BW_F64P, 3, "m"}},
                                             .n_attributes = 1}};
static const struct bw_stage_desc *const peak_stages[] = {&(const struct bw_stage_desc){
    .id = "peak", .version = "1", .brief = "Looks.", BW_PORTS(peak_ports), .step = peak_step}};
static const struct bw_module peak_module = BW_MODULE(peak_stages);

static double peak_of(const char *ring, const char *rest)
{
    struct test_options o = {.simd = UINT32_MAX, .module = &peak_module};
    struct test_run r = run_with(&o,
                                 HEAD "time: {fps: 25, frames: 1-2, substeps: 1}\nstages:\n"
                                      "  - vorton.emit: {source: {ring: {radius: 50 cm, circulation: 1, %s}}}\n%s"
                                      "  - vorton.velocity: {method: direct}\n  - peak: {}\n",
                                 ring, rest);
    test_end(&r);
    return peak;
}

/* A remesh onto a lattice whose cores are smaller than those of the vortons leaves the field as it was, resolved cores
 * and single lines alike, and so a core that has grown by viscosity stays grown. */
Test(vortons_kept, remesh_keeps_the_peak)
{
    static const char *const rings[] = {"core: 12 cm, layers: 1", "core: 12 cm", "core: 10 cm, layers: 2"};
    static const char *const spacing[] = {"6 cm", "4 cm", "3 cm"};
    for (int i = 0; i < (test_short() ? 1 : 3); i++) {
        char remesh[160];
        snprintf(remesh, sizeof remesh, "  - vorton.remesh: {interval: 0.04, spacing: %s}\n", spacing[i]);
        double was = peak_of(rings[i], ""), is = peak_of(rings[i], remesh);
        fprintf(stderr, "%s, spacing %s: peak from %.4f to %.4f 1/s, %+.2f %%\n", rings[i], spacing[i], was, is,
                100 * (is / was - 1));
        cr_assert_float_eq(is, was, .01 * was, "peak from %g to %g", was, is);
    }
    double was = peak_of("core: 12 cm", "  - vorton.diffuse: {method: core, viscosity: 0.05}\n");
    double is = peak_of("core: 12 cm", "  - vorton.diffuse: {method: core, viscosity: 0.05}\n"
                                       "  - vorton.remesh: {interval: 0.04, spacing: 6 cm}\n");
    cr_assert_float_eq(is, was, .01 * was, "peak from %g to %g", was, is);
}

Test(vortons_kept, split_and_merge_keep_the_sum)
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
        cr_assert_float_eq(i1[c], i0[c], .02 * sqrt(i0[0] * i0[0] + i0[1] * i0[1] + i0[2] * i0[2]),
                           "impulse %d from %g to %g", c, i0[c], i1[c]);
    }
    test_end(&whole);
    test_end(&cut);
}

/* ---- grids ---- */

/* Smoke of a ball of tracers in a domain without a box that begins anywhere: no amount is lost while it is blown about,
 * colour follows it. */
Test(vortons_kept, smoke_is_conserved)
{
    struct test_run r = run(
        "billow: 1\ndomain: {size: none, voxel: 3 cm, origin: [0.017, -0.4, 0.2]}\nfields: {dye: {kind: vector}}\n"
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
Test(vortons_kept, there_and_back)
{
    char stages[256];
    folder_make();
    struct test_options o = {.simd = UINT32_MAX, .out = folder};
    struct test_run there = run_with(&o,
                                     HEAD "time: {fps: 24, frames: 1-1}\nname: ring\nstages:\n"
                                          "  - vorton.emit: {source: {ring: {axis: [1, 2, 3], layers: 1}}}\n"
                                          "export:\n  - ply: {precision: double}\n%s",
                                     "");
    snprintf(stages, sizeof stages, "  - vorton.emit: {source: {file: {file: %s/ply/ring_vortons_0001.ply}}}\n",
             folder);
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
    folder_remove();
}

/// A binary PLY of doubles and floats.
struct ply {
    char *head, *data;
    long rows;
};

static struct ply ply_read(const char *particles, int frame)
{
    struct ply p = {.head = calloc(1, 1 << 22)};
    char path[128];
    snprintf(path, sizeof path, "%s/ply/ring_%s_%04d.ply", folder, particles, frame);
    FILE *f = fopen(path, "rb");
    cr_assert_not_null(f, "%s", path);
    cr_assert_gt(fread(p.head, 1, (1 << 22) - 1, f), 0);
    fclose(f);
    p.data = strstr(p.head, "end_header\n");
    cr_assert_not_null(p.data);
    *p.data = 0;
    p.data += strlen("end_header\n");
    p.rows = strtol(strstr(p.head, "vertex ") + 7, NULL, 10);
    return p;
}

/// n numbers of a row, from property `name` on.
static void ply_take(const struct ply *p, long row, const char *name, int n, double *out)
{
    size_t size = 0, at = 0;
    int wide = 0;
    for (const char *q = p->head; (q = strstr(q, "\nproperty ")); q++) {
        char type[16], is[64];
        cr_assert_eq(sscanf(q, " property %15s %63s", type, is), 2);
        if (!strcmp(is, name)) at = size, wide = *type == 'd';
        size += *type == 'd' ? 8 : 4;
    }
    for (int c = 0; c < n; c++) {
        const char *from = p->data + (size_t)row * size + at + (size_t)c * (wide ? 8 : 4);
        float f;
        memcpy(&f, from, 4);
        out[c] = f;
        if (wide) memcpy(out + c, from, 8);
    }
}

/// Velocity that the vortons of a file make at a place: Biot & Savart, Gaussian cores.
static void ply_flow(const struct ply *vortons, const double x[3], double u[3])
{
    memset(u, 0, 24);
    for (long j = 0; j < vortons->rows; j++) {
        double y[3], a[3], radius, n2 = 0;
        ply_take(vortons, j, "x", 3, y);
        ply_take(vortons, j, "strength_x", 3, a);
        ply_take(vortons, j, "radius", 1, &radius);
        for (int c = 0; c < 3; c++) {
            y[c] = x[c] - y[c];
            n2 += y[c] * y[c];
        }
        double n = sqrt(n2), rho = n / radius,
               f = (erf(rho / sqrt(2)) - sqrt(2 / PI) * rho * exp(-.5 * rho * rho)) / (4 * PI * n2 * n);
        for (int c = 0; c < 3 && n2 > 0; c++)
            u[c] += f * (a[(c + 1) % 3] * y[(c + 2) % 3] - a[(c + 2) % 3] * y[(c + 1) % 3]);
    }
}

/* The velocities in a file are those that its vortons and tracers have where they are: Biot & Savart's of all that it
 * holds, in the first frame, and in one whose step has moved them and put all on a lattice anew; what comes after does
 * not depend on whether anyone looks. */
Test(vortons_kept, velocities_of_the_frame)
{
    static const char *const what[] = {"vortons", "tracers"};
    uint64_t h[2];
    for (int looks = 0; looks < 2; looks++) {
        folder_make();
        struct test_options o = {.simd = UINT32_MAX, .out = folder};
        struct test_run r =
            run_with(&o,
                     HEAD "time: {fps: 10, frames: 1-3, substeps: 1}\nname: ring\nstages:\n"
                          "  - vorton.emit: {source: {ring: {axis: [1, 2, 3], core: 6 cm, segments: 20}}}\n"
                          "  - tracers: {shape: {sphere: {radius: 10 cm}}, count: 40}\n"
                          "  - vorton.velocity: {method: direct}\n  - vorton.stretch: {}\n  - vorton.advect: {}\n"
                          "  - vorton.remesh: {interval: 0.2, spacing: 6 cm, threshold: 0.05}\n%s",
                     looks ? "export:\n  - ply: {precision: double}\n" : "");
        h[looks] = hash(&r, "vortons", "pos");
        for (int k = 0; k < (test_short() ? 1 : 6) * looks; k++) {
            struct ply from = ply_read("vortons", k % 3 + 1), p = ply_read(what[k / 3], k % 3 + 1);
            double wrong = 0, all = 0, x[3], is[3], u[3];
            for (long i = 0; i < p.rows; i++) {
                ply_take(&p, i, "x", 3, x);
                ply_take(&p, i, "velocity_x", 3, is);
                ply_flow(&from, x, u);
                for (int c = 0; c < 3; c++) {
                    wrong = fmax(wrong, fabs(is[c] - u[c]));
                    all = fmax(all, fabs(u[c]));
                }
            }
            fprintf(stderr, "%s, frame %d: velocities off by %.2g of the largest\n", what[k / 3], k % 3 + 1,
                    wrong / all);
            cr_assert(wrong < 1e-5 * all && all > .1, "%s of frame %d: velocities of %g m/s are off by %g", what[k / 3],
                      k % 3 + 1, all, wrong);
            free(from.head);
            free(p.head);
        }
        test_end(&r);
        folder_remove();
    }
    cr_assert_eq(h[0], h[1], "who looks changes the flow");
}

/* ---- what blows up ---- */

/* Two rings that meet in steps far too long, with nothing to hold them: stretching a million times the energy into them
 * ends the run as diverged, with step and advice, before the last of them is gone; so do places that are none. */
Test(vortons_kept, blown_up)
{
    struct test_run r = test_start(
        HEAD "time: {fps: 4, frames: 1-200, substeps: 1, seed: 3}\nstages:\n"
             "  - vorton.emit: {id: a, wobble: 2 cm, source: {ring: {center: [0, 0, -0.5], radius: 50 cm, core: 8 cm, "
             "circulation: 2}}}\n"
             "  - vorton.emit: {id: b, wobble: 2 cm, source: {ring: {center: [0, 0, 0.5], axis: [0, 0, -1], radius: 50 "
             "cm, core: 8 cm, circulation: 2}}}\n"
             "  - vorton.velocity: {method: direct}\n  - vorton.stretch: {}\n  - vorton.advect: {}\n",
        NULL);
    cr_assert_eq(r.status, BW_ERR_DIVERGED, "status %d: %s", r.status, r.diag.text ? r.diag.text : "");
    fprintf(stderr, "%.200s\n", r.diag.text);
    cr_assert(strstr(r.diag.text, "vorton.advect: step ") && strstr(r.diag.text, "stretching has made") &&
              strstr(r.diag.text, "time.substeps"));
    test_end(&r);
    r = test_start(HEAD "time: {fps: 1, frames: 1-9, substeps: 1}\nstages:\n"
                        "  - vorton.emit: {source: {cloud: {count: 20, vorticity: 1e6, core: 10 cm}}}\n"
                        "  - vorton.velocity: {}\n  - vorton.stretch: {}\n  - vorton.advect: {limit: 1e9 m}\n",
                   NULL);
    cr_assert_eq(r.status, BW_ERR_DIVERGED, "status %d: %s", r.status, r.diag.text ? r.diag.text : "");
    test_end(&r);
}

/* ---- with grids ---- */

/* A grid's strain draws a vorton out by e^t: with `radii: stretched` its radius shrinks by e^(-t/2), r² |α| stays, and
 * one that is compressed grows; else they stay. */
Test(vortons_kept, radii_follow_stretching)
{
    for (int follow = 0; follow < 2; follow++) {
        struct test_run r =
            run("billow: 1\ndomain: {cells: [32, 32, 16], voxel: 0.1, origin: [-1.6, -1.6, -0.8], margin: 100}\n"
                "time: {fps: 25, frames: 1001-1011, substeps: 4}\nstages:\n"
                "  - set: {field: vel, value: [\"x\", \"-y\", 0], keep: true}\n"
                "  - vorton.emit: {source: {file: {file: %s}}}\n  - vorton.stretch: {}\n"
                "  - vorton.advect: {flow: [vel], radii: %s}\n",
                test_table("x,y,z,strength_x,strength_y,strength_z,radius,volume,density\n0.3,0.5,0.1,1,0,0,0.1,1,0\n"
                           "-0.2,0.4,0,0,2,0,0.2,1,0\n0.1,0.1,0,0,0,1,0.1,1,0.5\n"),
                follow ? "stretched" : "fixed");
        int64_t n;
        const double *radius = attribute(&r, "vortons", "radius", &n);
        const double want[] = {.1 * exp(-.2), .2 * exp(.2), .1}, was[] = {.1, .2, .1};
        for (int i = 0; i < 3; i++)
            cr_assert_float_eq(radius[i], follow ? want[i] : was[i], follow ? 1e-4 * was[i] : 0, "radius %d: %.7f m", i,
                               radius[i]);
        test_end(&r);
    }
    refuse("  - vorton.emit: {source: {ring: {}}}\n  - vorton.velocity: {}\n  - vorton.advect: {radii: stretched}\n",
           "put a `vorton.stretch` in");
}

/* Vortons in a grid's strain u = (x, -y, 0): places and strengths grow and shrink as exp(±t). */
Test(vortons_kept, carried_by_a_grid)
{
    struct test_run r =
        run("billow: 1\ndomain: {cells: [32, 32, 16], voxel: 0.1, origin: [-1.6, -1.6, -0.8], margin: 100}\n"
            "time: {fps: 25, frames: 1001-1011, substeps: 4}\nstages:\n"
            "  - set: {field: vel, value: [\"x\", \"-y\", 0], keep: true}\n"
            "  - vorton.emit: {source: {file: {file: %s}}}\n  - vorton.stretch: {}\n  - vorton.advect: {flow: [vel]}\n",
            test_table("x,y,z,strength_x,strength_y,strength_z\n0.3,0.5,0.1,1,0,0\n-0.2,0.4,0,0,2,1\n"));
    int64_t n;
    const double *x = attribute(&r, "vortons", "pos", &n), *a = attribute(&r, "vortons", "strength", &n),
                 grown = exp(.4);
    const double want[] = {.3 * grown, .5 / grown, .1, -.2 * grown, .4 / grown, 0},
                 strength[] = {grown, 0, 0, 0, 2 / grown, 1};
    for (int i = 0; i < 6; i++) {
        cr_assert_float_eq(x[i], want[i], 1e-5, "place %d: %.7f, not %.7f", i, x[i], want[i]);
        cr_assert_float_eq(a[i], strength[i], 1e-4, "strength %d: %.7f, not %.7f", i, a[i], strength[i]);
    }
    test_end(&r);
}

/// A still vorton, α = V ω along z, ω = 2 1/s, at cell corner and centre, stirring a grid for some seconds.
static struct test_run stirred(int frames, uint32_t threads)
{
    struct test_options o = {.simd = UINT32_MAX, .threads = threads, .module = &pushed_module};
    return run_with(
        &o,
        "billow: 1\ndomain: {cells: [48, 48, 48], voxel: 0.1, origin: [-2.4, -2.4, -2.4], margin: 100, sides: "
        "{rest: open}}\n"
        "time: {fps: 25, frames: 1-%d, substeps: 1}\nstages:\n" KEEP_VEL
        "  - vorton.emit: {source: {file: {file: %s}}}\n  - vorton.confine: {rate: 5}\n" PUSHED,
        frames,
        test_table("x,y,z,strength_x,strength_y,strength_z,radius,volume\n0,0,0,0,0,2,0.4,1\n"
                   "0.33,0.21,-0.57,0.5,0,0,0.3,0.5\n"));
}

/* A grid takes on a vorton's rotation, half of its vorticity times the distance, and no more; without divergence. */
Test(vortons_kept, stir_a_grid)
{
    struct test_run r = run_pushed(
        "billow: 1\ndomain: {cells: [48, 48, 48], voxel: 0.1, origin: [-2.4, -2.4, -2.4], margin: 100, sides: "
        "{rest: open}}\n"
        "time: {fps: 25, frames: 1-101, substeps: 1}\nstages:\n" KEEP_VEL
        "  - vorton.emit: {source: {file: {file: %s}}}\n  - vorton.confine: {rate: 5}\n" PUSHED "  - stats: {}\n",
        test_table("x,y,z,strength_x,strength_y,strength_z,radius,volume\n0,0,0,0,0,2,0.4,1\n"));
    struct grid v = grid_of(&r, "vel", 1);
    for (int i = 20; i < 29; i++) {
        double x = -2.4 + (i + .5) * .1,
               want = x * exp(-.5 * (x * x + .05 * .05) / .16); /* on faces y = 0, z = 0.05 m */
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
    refuse("  - set: {field: vel, value: [0, 0, 0]}\n  - vorton.emit: {source: {cloud: {core: 6 m}}}\n"
           "  - vorton.confine: {}\n",
           "voxels");
}

/* Eddies' viscosity: strengths of neighbours even out, their sum stays, whatever the step. */
Test(vortons_kept, eddies_bound_and_keep_the_sum)
{
    double last = HUGE_VAL, square = 0;
    for (int frames = 2; frames <= 4; frames++) {
        struct test_run r =
            run(HEAD "time: {fps: 1, frames: 1-%d, substeps: 1}\nstages:\n"
                     "  - vorton.emit: {source: {cloud: {count: 2000, radius: 1 m, core: 20 cm, vorticity: 100}}}\n"
                     "  - vorton.diffuse: {viscosity: 0, eddy: 0.3}\n",
                frames);
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
