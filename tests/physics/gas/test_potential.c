// SPDX-License-Identifier: Apache-2.0
/* potential: Schaefer's relaxation to the digit, its table, closed forms, what walls do, balance, multigrid, words. */
#include <potential/mask_table.h>
#include "physics/physics.h"
#include <string.h>

/* One iteration a frame on cells of 1 m. */
#define RELAX_HEAD(cells, sides, frames)                                                                               \
    "billow: 1\ndomain: {cells: [" cells "], voxel: 1, origin: [0, 0, 0], sides: {" sides "}}\n"                       \
    "time: {fps: 1, frames: 1-" frames ", substeps: 1}\nstages:\n"
#define NO_SOURCE "  - set: {id: none, field: divergence, value: 0}\n"

Test(table, invariants)
{
    struct table t;
    const double w[] = {.01, .37, .5, .99};
    for (int q = 0; q < 4; q++) {
        table_make(&t, w[q]);
        for (int row = 0; row < 64; row++) {
            double sum = 0;
            int open = 6 - __builtin_popcount((unsigned)row);
            for (int c = 0; c < 7; c++) sum += t.mask[row][c];
            cr_assert_float_eq(sum, 1, 1e-15);
            for (int s = 0; s < 6; s++) cr_assert_eq(t.mask[row][1 + s], row >> s & 1 ? 0 : w[q] / open);
        }
    }
}

/* Periodic, k = 2π/32, w = ½: every iteration leaves 0.9951963201 of the wave. */
Test(relaxation, decay)
{
    struct test_run r = run(
        RELAX_HEAD("32, 32, 1", "x-: periodic, x+: periodic, y-: periodic, y+: periodic, rest: closed",
                   "2") "  - set: {id: phi, field: potential, value: \"cos(2*pi*(x-0.5)/32)\", keep: true}\n" NO_SOURCE
                        "  - potential: {mode: relaxation, relaxation: {w: 0.5, iterations: 1}}\n");
    struct grid phi = grid_of(&r, "potential", 0);
    cr_assert_float_eq(at(&phi, 0, 5, 0), 0.9951963201, 1e-10);
    cr_assert_float_eq(at(&phi, 16, 7, 0), -0.9951963201, 1e-10);
    bw_free(phi.v);
    test_end(&r);
}

/* ---- the branch version ---- */

/* Pseudo-random walls: the expression that `set` gets, and the same here. */
#define WALL_TEXT(c) "mod(" c "*0.618 + x*7.31 + y*3.77 + z*5.13, 1) > 0.7 ? 1 : 0"
static int wall_at(double c, double x, double y, double z)
{
    double v = c * 0.618 + x * 7.31 + y * 3.77 + z * 5.13;
    return v - floor(v) > 0.7;
}

struct box {
    int n[3];
    double *phi, *next;
};

static double phi_of(const struct box *b, int i, int j, int k) { return b->phi[i + b->n[0] * (j + b->n[1] * k)]; }

/* An iteration as Schaefer says it, with questions instead of a table. */
static void branch_step(struct box *b, double w)
{
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++)
            for (int i = 0; i < b->n[0]; i++) {
                double near[6];
                int open[6], count = 0;
                for (int s = 0; s < 6; s++) {
                    int a = s / 2, x[3] = {i, j, k}, f[3] = {i, j, k};
                    x[a] += s & 1 ? 1 : -1;
                    f[a] += s & 1;
                    double at_face[3] = {f[0] + (a == 0 ? 0 : .5), f[1] + (a == 1 ? 0 : .5), f[2] + (a == 2 ? 0 : .5)};
                    open[s] = x[a] >= 0 && x[a] < b->n[a] && !wall_at(a + 1, at_face[0], at_face[1], at_face[2]);
                    near[s] = open[s] ? phi_of(b, x[0], x[1], x[2]) : 0;
                    count += open[s];
                }
                double sum = (count ? 1 - w : 1) * phi_of(b, i, j, k);
                for (int s = 0; s < 6; s++)
                    if (open[s]) sum = sum + w / count * near[s];
                b->next[i + b->n[0] * (j + b->n[1] * k)] = sum;
            }
    double *swap = b->phi;
    b->phi = b->next;
    b->next = swap;
}

Test(relaxation, table_and_branches_give_the_same_bits)
{
    enum { N = 20 * 18 * 17 };
    static double one[N], two[N];
    struct box b = {{20, 18, 17}, one, two};
    for (int i = 0; i < N; i++) one[i] = .125 * (i % 20 + .5) - .25 * (i / 20 % 18 + .5) + .5 * (i / 360 + .5);
    for (int i = 0; i < 9; i++) branch_step(&b, .37);
    for (uint32_t threads = 1; threads < 3; threads++) {
        struct test_options o = {.threads = threads, .simd = threads == 1 ? BW_SIMD_BASELINE : UINT32_MAX};
        struct test_run r = run_with(
            &o, RELAX_HEAD("20, 18, 17", "rest: closed",
                           "10") "  - set: {id: phi, field: potential, value: \"0.125*x - 0.25*y + 0.5*z\", keep: "
                                 "true}\n" NO_SOURCE
                                 "  - set: {id: wall, field: wall, value: [\"" WALL_TEXT("1") "\", \"" WALL_TEXT(
                                     "2") "\", \"" WALL_TEXT("3") "\"]}\n"
                                                                  "  - potential: {mode: relaxation,\n"
                                                                  "      relaxation: {w: 0.37, iterations: 1}}\n"
                                                                  "fields: {wall: {kind: mac}}\n");
        struct grid phi = grid_of(&r, "potential", 0);
        for (int i = 0; i < N; i++)
            cr_assert_eq(phi.v[i], b.phi[i], "cell %d: %.17g, not %.17g", i, phi.v[i], b.phi[i]);
        bw_free(phi.v);
        test_end(&r);
    }
}

/* ---- as printed ---- */

/* Fixed point |N| phi - sum of neighbours = b/w; as printed the flow points into the source, with the strength b/w. */
Test(relaxation, as_printed)
{
    struct test_run r = run(RELAX_HEAD(
        "9, 1, 1", "rest: closed",
        "2") "  - set: {id: b, field: divergence, value: \"x < 1 ? 1 : x > 8 ? -1 : 0\", when: always}\n"
             "  - potential: {mode: relaxation, relaxation: {w: 0.4, iterations: 4000, as_printed: true}}\n");
    struct grid u = grid_of(&r, "vel", 0);
    for (int i = 1; i < 9; i++) cr_assert_float_eq(at(&u, i, 0, 0), -1 / .4, 1e-6);
    bw_free(u.v);
    test_end(&r);
}

/* phi = x² : the face has the difference of its cells, and the mean of two faces is 2x exactly. */
Test(relaxation, interpolation)
{
    struct test_run r = run(
        RELAX_HEAD("12, 4, 1", "rest: closed",
                   "2") "  - set: {id: phi, field: potential, value: \"x^2\", when: always, keep: true}\n" NO_SOURCE
                        "  - potential: {mode: relaxation, relaxation: {w: 1e-12, iterations: 1, as_printed: true}}\n");
    struct grid u = grid_of(&r, "vel", 0);
    for (int i = 1; i < 11; i++) cr_assert_float_eq(.5 * (at(&u, i, 1, 0) + at(&u, i + 1, 1, 0)), 2 * (i + .5), 1e-6);
    bw_free(u.v);
    test_end(&r);
}

/* ---- what spreads ---- */

/* How far a sudden source has come after 2 s: the mean square of phi's distance, which grows like 4·spread·t/2 in 2D
 * while the source goes on. */
static double front(double voxel, double fps, int iterations)
{
    int n = (int)lround(8 / voxel);
    struct test_run r =
        run("billow: 1\n"
            "domain: {cells: [%d, %d, 1], voxel: %.17g, origin: [0, 0, 0], sides: {rest: closed}}\n"
            "time: {fps: %g, frames: 1-%d, substeps: 1}\n"
            "stages:\n"
            "  - set: {id: s, field: divergence, value: \"hypot(x-4, y-4) < 0.5 ? 1 : 0\", when: always}\n"
            "  - potential: {mode: relaxation, balance: spread, relaxation: {spread: 0.1, iterations: %d}}\n",
            n, n, voxel, fps, 1 + (int)(2 * fps), iterations);
    struct grid u = grid_of(&r, "vel", 0);
    double peak = 0, position = 0; // where the flow along the axis falls below a twentieth of its largest
    for (int i = n / 2; i < n; i++) {
        double v = at(&u, i, n / 2, 0), before = i > n / 2 ? at(&u, i - 1, n / 2, 0) : 0;
        peak = fmax(peak, v);
        if (v < .05 * peak && before >= .05 * peak)
            position = (i - 1 + (before - .05 * peak) / (before - v)) * voxel - 4;
    }
    bw_free(u.v);
    test_end(&r);
    return position;
}

Test(relaxation, fronts_do_not_depend_on_steps_or_cells)
{
    double base = front(.1, 24, 8), rate = front(.1, 48, 8), fine = front(.05, 24, 16), odd = front(.1, 30, 5);
    fprintf(stderr, "front at %.4f m; half the step %.4f, half the voxel %.4f, 30 frames a second %.4f\n", base, rate,
            fine, odd);
    cr_assert_gt(base, .7);
    cr_assert_float_eq(rate / base, 1, .02);
    cr_assert_float_eq(fine / base, 1, .02);
    cr_assert_float_eq(odd / base, 1, .02);
}

/* ---- walls ---- */

#define ROOMS                                                                                                          \
    "  - set: {id: s, field: divergence, value: \"hypot(x-3, y-10) < 1.5 ? 1 : hypot(x-30, y-15) < 1.5 ? -1 : 0\", "   \
    "when: always}\n"                                                                                                  \
    "  - collide: {id: block, shape: {box: {center: [15, 10, 0], size: [4, 7, 9]}}, wake: always}\n"                   \
    "  - set: {id: walls, field: wall, value: [\"x == 36 || (x == 10 && y > 6) ? 1 : 0\", \"y == 15 && x > 20 && x < " \
    "25 ? 1 : 0\", 0], when: always}\n"
#define ROOMS_HEAD(frames)                                                                                             \
    "billow: 1\ndomain: {cells: [40, 20, 1], voxel: 1, origin: [0, 0, 0], sides: {rest: closed}}\n"                    \
    "fields: {wall: {kind: mac}}\ntime: {fps: 1, frames: 1-" frames "}\nstages:\n" ROOMS

/* The relaxation's fixed point is the multigrid's answer; nothing gets into the sealed room; nothing goes round. */
Test(walls, fixed_point_is_the_steady_answer)
{
    struct test_run r[2] = {
        run(ROOMS_HEAD(
            "2") "  - potential: {mode: relaxation, balance: spread, relaxation: {w: 0.9, iterations: 20000}}\n"),
        run(ROOMS_HEAD("2") "  - potential: {balance: spread, tolerance: 1e-9, obstacles: cells}\n")};
    struct grid phi = grid_of(&r[0], "potential", 0), u[2] = {grid_of(&r[0], "vel", 0), grid_of(&r[1], "vel", 0)},
                v[2] = {grid_of(&r[0], "vel", 1), grid_of(&r[1], "vel", 1)};
    double most = grid_max(&phi); // kept in single precision by the one
    cr_assert_gt(grid_max(&u[0]), .1);
    bw_free(phi.v);
    for (size_t i = 0; i < grid_count(&u[0]); i++)
        cr_assert_float_eq(u[0].v[i], u[1].v[i], 1e-6 * most, "%g and %g", u[0].v[i], u[1].v[i]);
    for (int q = 0; q < 2; q++) {
        double worst = 0;
        for (int j = 0; j < 20; j++)
            for (int i = 36; i < 40; i++) // what is left of the solve inside, and exactly nothing through the wall
                cr_assert_leq(fabs(at(&u[q], i, j, 0)), q && i > 36 ? 1e-6 * most : 0, "flow in the sealed room");
        for (int j = 1; j < 20; j++)
            for (int i = 1; i < 36; i++) {
                int closed =
                    (j == 15 && i > 19 && i < 26) || (i == 10 && j > 5) || (i > 12 && i < 18 && j > 5 && j < 15);
                if (closed) continue;
                double loop = at(&u[q], i, j - 1, 0) + at(&v[q], i, j, 0) - at(&u[q], i, j, 0) - at(&v[q], i - 1, j, 0);
                worst = fmax(worst, fabs(loop));
            }
        cr_assert_leq(worst, 2e-6 * most, "circulation %g", worst);
        cr_assert_eq(at(&u[q], 15, 10, 0), 0);
        bw_free(u[q].v), bw_free(v[q].v);
        test_end(&r[q]);
    }
}

static uint64_t rooms_hash(uint32_t threads, const char *mode)
{
    struct test_options o = {.threads = threads, .simd = UINT32_MAX};
    struct test_run r = run_with(&o, ROOMS_HEAD("4") "  - potential: {balance: nearest, mode: %s}\n", mode);
    uint64_t h = test_hash(&r, "potential") ^ test_hash(&r, "vel");
    test_end(&r);
    return h;
}

Test(walls, same_bits)
{
    cr_assert_eq(rooms_hash(1, "relaxation"), rooms_hash(2, "relaxation"));
    cr_assert_eq(rooms_hash(1, "multigrid"), rooms_hash(2, "multigrid"));
}

/* A door that opens: flow beyond it starts then. */
Test(walls, doors_open)
{
    for (int frames = 2; frames <= 4; frames += 2) {
        struct test_run r = run(
            RELAX_HEAD("32, 8, 1", "x+: open, rest: closed",
                       "%d") "  - set: {id: s, field: divergence, value: \"x < 10 && x > 7 ? 1 : 0\", when: always}\n"
                             "  - set: {id: exit, field: wall, value: [\"x == 2 && t > 2.5 ? 1 : x == 16 && t < 2.5 && "
                             "y < 7 ? 1 : 0\", 0, 0], when: always}\n"
                             "  - potential: {}\n"
                             "fields: {wall: {kind: mac}}\n",
            frames);
        struct grid u = grid_of(&r, "vel", 0);
        double through = at(&u, 16, 2, 0), beside = at(&u, 16, 7, 0);
        cr_assert_float_eq(frames == 2 ? beside : at(&u, 30, 2, 0), frames == 2 ? 24 : 3, 1e-3);
        cr_assert((through > 1) == (frames == 4), "frame %d: %g", frames, through);
        bw_free(u.v);
        test_end(&r);
    }
}

/* ---- closed forms ---- */

/* Round a cylinder (dim 2) or a ball (3) of radius a in a duct of half-width H the flow is that in unbounded space,
 * with the stream that the duct's mirror images make of the inflow: U/(1 - k (a/H)^dim), k = π²/12 for the cylinder's
 * images, 9.0336/16 for the ball's. Returns the root mean square error of the faces' velocity between 1.5 cells off the
 * surface and half a radius, over U. */
static double beside(int dim, int radius, const char *more)
{
    const int half = (dim == 2 ? 12 : 5) * radius, n[3] = {2 * half, 2 * half, dim == 2 ? 1 : 2 * half};
    const double k = dim == 2 ? PI * PI / 12 : 9.0336 / 16, ratio = (double)radius / half,
                 stream = 1 / (1 - k * pow(ratio, dim));
    char shape[160];
    snprintf(shape, sizeof shape,
             dim == 2 ? "cylinder: {center: [0, 0, 0], radius: %d, height: 9}"
                      : "sphere: {center: [0, 0, 0], radius: %d}",
             radius);
    struct test_run r = run("billow: 1\n"
                            "domain: {cells: [%d, %d, %d], voxel: 1, origin: [%d, %d, %g], sides: {x-: {inflow: [1, 0, "
                            "0]}, x+: {inflow: [1, 0, 0]}, rest: closed}}\n"
                            "time: {fps: 1, frames: 1-2, substeps: 1}\n"
                            "stages:\n"
                            "  - collide: {shape: {%s}, wake: always}\n"
                            "  - potential: {tolerance: 1e-6%s}\n",
                            n[0], n[1], n[2], -half, -half, dim == 2 ? -.5 : -half, shape, more);
    double sum = 0, count = 0;
    for (int axis = 0; axis < dim; axis++) {
        struct grid u = grid_of(&r, "vel", (uint32_t)axis);
        for (int z = 0; z < n[2]; z++)
            for (int y = 0; y < n[1]; y++)
                for (int x = 0; x < n[0]; x++) {
                    double at_[3] = {x + .5 - half, y + .5 - half, dim == 2 ? 0 : z + .5 - half};
                    at_[axis] -= .5;
                    const double d = sqrt(at_[0] * at_[0] + at_[1] * at_[1] + at_[2] * at_[2]);
                    if (d < radius + 1.5 || d > 1.5 * radius) continue;
                    const double c = pow(radius / d, dim) / (dim - 1),
                                 want = (axis == 0 ? 1 + c : 0) - dim * c * at_[0] * at_[axis] / (d * d);
                    sum += pow(at(&u, x, y, z) - stream * want, 2);
                    count++;
                }
        bw_free(u.v);
    }
    test_end(&r);
    return sqrt(sum / count);
}

/* Cells are cut as mac.project cuts them: slope and constant; walls of whole cells, as a relaxation has them, are
 * several times as wrong. */
Test(steady, cylinder_and_ball)
{
    for (int dim = 2; dim <= 3; dim++) {
        const int last = dim == 2 ? (test_short() ? 2 : 3) : test_short() ? 1 : 2;
        double off[3] = {0}, whole = beside(dim, 8, ", obstacles: cells");
        for (int i = 0; i < last; i++) off[i] = beside(dim, 6 << i, "");
        fprintf(stderr, "%s: beside it off by %.5f, %.5f, %.5f of the stream; %.5f with 8 whole ones\n",
                dim == 2 ? "cylinder of 6, 12, 24 cells" : "ball of 6, 12 cells", off[0], off[1], off[2], whole);
        cr_assert_lt(off[0], .01);
        cr_assert_gt(whole, 2 * off[0]);
        for (int i = 1; i < last; i++) cr_assert_gt(order(off[i - 1], off[i]), 1.5, "%g, then %g", off[i - 1], off[i]);
    }
}

/* ---- balance and words ---- */

static double sum_of_divergence(const char *balance, double *beyond)
{
    struct test_run r =
        run(RELAX_HEAD("64, 8, 1", "rest: closed", "2") "  - set: {id: s, field: divergence, value: \"x < 4 ? 3 : x > "
                                                        "60 ? -1 : x > 30 && x < 31 ? -1 : 0\", when: always}\n"
                                                        "  - potential: {balance: %s, tolerance: 1e-8}\n",
            balance);
    struct grid u = grid_of(&r, "vel", 0);
    double left = at(&u, 4, 3, 0);
    *beyond = at(&u, 40, 3, 0);
    bw_free(u.v);
    test_end(&r);
    return left;
}

Test(balance, policies)
{
    double beyond, left = sum_of_divergence("spread", &beyond); // 3·4 - 1·4 - 1 = 7 a row too much, over 64 cells
    cr_assert_float_eq(left, 12 - 4 * 7. / 64, 1e-3);
    cr_assert_float_eq(beyond, 12 - 1 - 40 * 7. / 64, 1e-3);
    left = sum_of_divergence("nearest", &beyond); // the sink at 30.5 is the nearest to all
    cr_assert_float_eq(left, 12, 1e-3);
    cr_assert_float_eq(beyond, 4, 1e-3);
}

static void refuse(const char *sides, const char *extra, const char *stage, const char *sentence)
{
    run_refused(sentence,
                "billow: 1\ndomain: {cells: [16, 16, 1], voxel: 1, origin: [0, 0, 0], sides: {%s}}\ntime: {fps: 1, "
                "frames: 1-3}\nstages:\n"
                "  - set: {id: s, field: divergence, value: \"hypot(x-4, y-4) < 2 ? 1 : 0\", when: always}\n%s  - "
                "potential: {%s}\n",
                sides, extra, stage);
}

Test(words, refusals)
{
    refuse("rest: open", "", "mode: relaxation, relaxation: {w: 1}", "relaxation.w is 1: it must lie between 0 and 1");
    refuse("rest: open", "", "mode: relaxation, relaxation: {w: 0}", "relaxation.w is 0");
    refuse("rest: open", "", "mode: relaxation, relaxation: {spread: 10, iterations: 3}",
           "take more than 40 iterations a frame");
    refuse("rest: closed", "", "", "walls seal the source at (3.5, 2.5, 0.5) m");
    refuse("rest: closed", "", "balance: nearest", "there is no sink in it");
    refuse("rest: open", "", "balance: reject", "balance: reject lets no side take them");
    refuse("rest: open", "  - collide: {shape: {box: {center: [4, 4, 0], size: [9, 9, 9]}}, wake: always}\n", "",
           "lies inside a wall");
}

/* ---- sparse ---- */

static struct test_run sparse_run(const char *options)
{
    return run(RELAX_HEAD("512, 512, 1", "rest: open", "2") "  - emit: {divergence: 2, mode: set, shape: {sphere: "
                                                            "{center: [96, 96, 0.5], radius: 8}}}\n"
                                                            "  - potential: {%s}\n",
               options);
}

/* Not the whole box, but the tiles round the source: beyond them the potential is 0. Flow that has not come to their
 * ends yet is what it is in the whole box, and the steady flow inside takes all that the source gives. */
Test(sparse, tiles_round_the_source)
{
    struct test_run r[3] = {sparse_run("mode: relaxation, whole: false, relaxation: {iterations: 20}"),
                            sparse_run("mode: relaxation, relaxation: {iterations: 20}"), sparse_run("whole: false")};
    struct grid few = grid_of(&r[0], "potential", 0), all = grid_of(&r[1], "potential", 0),
                source = grid_of(&r[2], "divergence", 0), u = grid_of(&r[2], "vel", 0), v = grid_of(&r[2], "vel", 1);
    cr_assert_eq(bw_chain_tiles(r[1].chain), 64);
    for (int q = 0; q < 3; q += 2)
        cr_assert_lt(bw_chain_tiles(r[q].chain), 10, "%lld tiles", (long long)bw_chain_tiles(r[q].chain));
    for (size_t i = 0; i < grid_count(&few); i++) cr_assert_eq(few.v[i], all.v[i]);
    cr_assert_gt(at(&few, 96, 96, 0), 1);
    for (int j = 80; j < 112; j++)
        for (int i = 80; i < 112; i++) {
            double out = at(&u, i + 1, j, 0) - at(&u, i, j, 0) + at(&v, i, j + 1, 0) - at(&v, i, j, 0);
            cr_assert_float_eq(out, at(&source, i, j, 0), 1e-3, "%g, not %g", out, at(&source, i, j, 0));
        }
    cr_assert_float_eq(at(&source, 96, 96, 0), 2, 1e-6);
    bw_free(few.v), bw_free(all.v), bw_free(source.v), bw_free(u.v), bw_free(v.v);
    for (int q = 0; q < 3; q++) test_end(&r[q]);
}
