// SPDX-License-Identifier: Apache-2.0
/* fire.control: hot gas that would rise is gathered in a shape, follows a path, is dragged by a point; it escapes when
 * it is let go; the force has buoyancy as its measure; VDB targets; bits, substeps, refusals. */
#include "unit/mesh/mesh_world.h"

#include <common/openvdb/bwvdb.h>
#include <string.h>
#include <unistd.h>

/* A puff of hot gas over the floor, in a domain that starts anywhere. A way through `stages`, of fire.control's
 * options. */
#define PUFF                                                                                                           \
    "billow: 1\n"                                                                                                      \
    "domain: {cells: [36, 32, 52], voxel: 2.5 cm, center: [5 cm, 0], sides: {bottom: closed, rest: open}}\n"           \
    "time: {fps: %g, frames: 1001-%d, %s, seed: 3}\n"                                                                  \
    "stages:\n"                                                                                                        \
    "  - emit: {frames: 1001-1005, mode: max, temperature: 1500, shape: {sphere: {center: [0, 0, 0.17], radius: 11 "   \
    "cm}}}\n"                                                                                                          \
    "  - mac.advect: {}\n"                                                                                             \
    "  - mac.forces: {buoyancy: %g}\n"                                                                                 \
    "%s%s%s"                                                                                                           \
    "  - mac.project: {tolerance: 1e-3}\n"

struct puff {
    const char *control; ///< options of fire.control; NULL: left alone
    int last;            ///< frame
    double fps, buoyancy;
    const char *steps;
    uint32_t threads;
};

static struct test_run puff_run(struct puff p)
{
    struct test_options o = {.threads = p.threads ? p.threads : 2, .simd = UINT32_MAX};
    return run_with(&o, PUFF, p.fps > 0 ? p.fps : 24, p.last, p.steps ? p.steps : "cfl: 3",
                    p.fps > 0 ? p.buoyancy : 0.25, p.control ? "  - fire.control: {" : "", p.control ? p.control : "",
                    p.control ? "}\n" : "");
}

struct heat {
    double middle[3]; ///< of the glowing gas, m
    double share;     ///< of it that is in the ball, counted here
    double told;      ///< the same by the stage's metric
    double cells;     ///< that glow
};

static const double ball[4] = {0.08, 0, 0.52, 0.2};
#define BALL "shape: {sphere: {center: [0.08, 0, 0.52], radius: 20 cm}}, radius: 35 cm, "

static struct heat puff_heat(struct puff p)
{
    struct test_run r = puff_run(p);
    struct grid t = grid_of(&r, "temperature", 0);
    struct heat h = {.told = bw_chain_metric(r.chain, "fire.control.overlap")};
    for (int k = 0; k < t.n[2]; k++)
        for (int j = 0; j < t.n[1]; j++)
            for (int i = 0; i < t.n[0]; i++) {
                const double x[3] = {0.05 + (i - 17.5) * 0.025, (j - 15.5) * 0.025, (k + 0.5) * 0.025};
                if (at(&t, i, j, k) <= 500) continue;
                h.cells++;
                h.share += hypot(hypot(x[0] - ball[0], x[1] - ball[1]), x[2] - ball[2]) <= ball[3];
                for (int c = 0; c < 3; c++) h.middle[c] += x[c];
            }
    cr_assert_gt(h.cells, 50, "nothing glows: %g cells", h.cells);
    h.share /= h.cells;
    for (int c = 0; c < 3; c++) h.middle[c] /= h.cells;
    bw_free(t.v);
    test_end(&r);
    return h;
}

/* ---- shapes ---- */

/* Left alone the puff is through the ball and gone; steered it gathers there, aside of where it would rise, and
 * stays. */
Test(control, a_shape_gathers_flames_and_lets_go)
{
    if (test_short()) cr_skip_test("same_bits_on_any_threads goes all ways");
    struct heat early = puff_heat((struct puff){BALL "strength: 2", 1005});
    struct heat held = puff_heat((struct puff){BALL "strength: 2", 1030});
    struct heat stays = puff_heat((struct puff){BALL "strength: 2", 1042});
    struct heat freed = puff_heat((struct puff){BALL "strength: {keys: {1030: 2, 1031: 0}, ease: hold}", 1040});
    struct heat alone = puff_heat((struct puff){NULL, 1026});
    cr_assert_lt(early.share, 0.1, "%g is there from the start", early.share);
    cr_assert_geq(held.share, 0.7, "only %g of the flames are in their target", held.share);
    cr_assert_geq(stays.share, 0.5, "%g stays", stays.share);
    cr_assert_lt(freed.share, 0.2, "let go, %g is still in the target", freed.share);
    cr_assert_lt(alone.share, 0.2, "uncontrolled, %g is there all the same", alone.share);
    cr_assert_float_eq(held.share, held.told, 1e-12, "the stage tells %g, it is %g", held.told, held.share);
}

/* All forces have the local buoyancy as their measure: four times the buoyancy is the same film, twice as fast. */
Test(control, scales_with_buoyancy)
{
    if (test_short()) cr_skip_test("same_bits_on_any_threads goes all ways");
    struct heat slow = puff_heat((struct puff){BALL "strength: 1.5", 1020, 24, 0.2});
    struct heat fast = puff_heat((struct puff){BALL "strength: 1.5", 1020, 48, 0.8});
    for (int c = 0; c < 3; c++)
        cr_assert_float_eq(slow.middle[c], fast.middle[c], 1e-3, "axis %d: %g and %g m", c, slow.middle[c],
                           fast.middle[c]);
    cr_assert_float_eq(slow.share, fast.share, 0.01, "%g and %g", slow.share, fast.share);
    cr_assert_gt(slow.share, 0.5);
}

/* Half of a kilometre's cube as the target: it counts where the domain is, and draws as a box of the domain's size. */
Test(control, a_mesh_much_larger_than_the_domain, .init = folder_make, .fini = folder_remove)
{
    char control[256];
    box_write("half.obj", (const double[3]){0.2, -500, -500}, (const double[3]){500, 500, 500}, 0);
    snprintf(control, sizeof control, "shape: {mesh: {file: %s/half.obj, up: z}}, radius: 35 cm, strength: 2", folder);
    struct heat mesh = puff_heat((struct puff){control, 1006});
    struct heat box = puff_heat(
        (struct puff){"shape: {box: {center: [1.2, 0, 0], size: [2, 9, 9]}}, radius: 35 cm, strength: 2", 1006});
    struct heat alone = puff_heat((struct puff){NULL, 1006});
    cr_assert_gt(box.middle[0], alone.middle[0] + 0.005, "it draws to %g m only", box.middle[0]);
    for (int c = 0; c < 3; c++)
        cr_assert_float_eq(mesh.middle[c], box.middle[c], 1e-3, "axis %d: %g and %g m", c, mesh.middle[c],
                           box.middle[c]);
}

/* The same sphere as a mask in a file: its distance, which the file does not hold, draws from as far. */
Test(control, a_vdb_mask_draws_as_far_as_a_sphere)
{
    enum { N = 48 };
    const int last = test_short() ? 1006 : 1030;
    static float mask[N * N * N];
    char path[64], control[256];
    struct bwvdb_error err;
    struct bwvdb_writer *w;
    const struct bwvdb_options options = {.compression = BWVDB_NONE};
    for (int q = 0; q < N * N * N; q++) {
        double x = q % N - 23.5, y = q / N % N - 23.5, z = q / N / N - 23.5;
        mask[q] = (float)fmin(fmax(20.5 - sqrt(x * x + y * y + z * z), 0), 1); /* of 1 cm */
    }
    const struct bwvdb_block block = {.n = {N, N, N}, .stride = {1, N, N * N}, .data = {mask}};
    const struct bwvdb_grid grid = {
        .name = "density", .comps = 1, .voxel = 0.01, .origin = {-.235, -.235, -.235}, .blocks = &block, .n_blocks = 1};
    snprintf(path, sizeof path, "/tmp/bw_control_%d.vdb", (int)getpid());
    cr_assert_eq(bwvdb_writer_create(&options, &w, &err), BWVDB_OK, "%s", err.text);
    cr_assert_eq(bwvdb_writer_add(w, &grid, &err), BWVDB_OK, "%s", err.text);
    cr_assert_eq(bwvdb_writer_write(w, path, &err), BWVDB_OK, "%s", err.text);
    bwvdb_writer_free(w);
    snprintf(control, sizeof control, "shape: {vdb: {file: %s, center: [0.08, 0, 0.52]}}, radius: 35 cm, strength: 2",
             path);
    struct heat file = puff_heat((struct puff){control, last});
    struct heat sphere = puff_heat((struct puff){BALL "strength: 2", last});
    unlink(path);
    for (int c = 0; c < 3; c++)
        cr_assert_float_eq(file.middle[c], sphere.middle[c], 0.01, "axis %d: %g and %g m", c, file.middle[c],
                           sphere.middle[c]);
    cr_assert_float_eq(file.share, sphere.share, 0.03, "%g with the file, %g with the sphere", file.share,
                       sphere.share);
    cr_assert(test_short() || file.share >= 0.7);
}

/* ---- paths and points ---- */

/* A path that turns aside after 10 cm leads the gas to where nothing else would; alone it rises straight. */
Test(control, a_path_is_followed)
{
    if (test_short()) cr_skip_test("same_bits_on_any_threads goes all ways");
    struct heat led = puff_heat((struct puff){"path: [[0, 0, 0.15], [0, 0, 0.28], [0.12, 0, 0.36], [0.45, 0, 0.36]], "
                                              "thickness: 9 cm, radius: 25 cm, strength: 1.5",
                                              1014});
    struct heat alone = puff_heat((struct puff){NULL, 1014});
    cr_assert_float_eq(alone.middle[0], 0, 0.01, "alone it drifts to %g m", alone.middle[0]);
    cr_assert_gt(led.middle[0], 0.15, "it has come %g m along the path", led.middle[0]);
    cr_assert_lt(led.middle[2], 0.45, "it has risen to %g m", led.middle[2]);
    cr_assert_gt(alone.middle[2], led.middle[2] + 0.05, "alone it rises to %g m only", alone.middle[2]);
}

/* A point that moves takes its flames along; one of strength 0 leaves the bits as they are. */
Test(control, a_point_drags_flames)
{
    if (test_short()) cr_skip_test("same_bits_on_any_threads goes all ways");
    struct heat held = puff_heat((struct puff){"points: [{at: [0, 0, 0.4], radius: 35 cm}], strength: 2", 1026});
    struct heat drag =
        puff_heat((struct puff){"points: [{at: [{keys: {1014: 0, 1026: 0.25}}, 0, 0.4], radius: 35 cm}], "
                                "strength: 2",
                                1026});
    struct puff none = {"points: [{at: [0, 0, 0.4], strength: {keys: {1001: 0, 1010: 0}}}]", 1010}, off = {NULL, 1010};
    struct test_run with = puff_run(none), without = puff_run(off);
    cr_assert_float_eq(held.middle[0], 0, 0.02, "held at %g m", held.middle[0]);
    cr_assert_float_eq(held.middle[2], 0.4, 0.06, "held at a height of %g m", held.middle[2]);
    cr_assert_float_eq(drag.middle[0], 0.25, 0.08, "dragged to %g m", drag.middle[0]);
    cr_assert_eq(test_hash(&with, "vel"), test_hash(&without, "vel"), "a point without strength pulls");
    test_end(&with);
    test_end(&without);
}

/* ---- bits, substeps, words ---- */

#define ALL                                                                                                            \
    "shape: {torus: {center: [0, 0, 0.5], axis: [0, 1, 0]}}, path: [[0, 0, 0.1], [0.2, 0, 0.5]], calm: 0.6, "          \
    "points: [{at: [\"=0.3*t\", 0, 0.5], radius: 30 cm, strength: 0.5}]"

Test(control, same_bits_on_any_threads)
{
    struct test_run one = puff_run((struct puff){ALL, 1008, .threads = 1}), two = puff_run((struct puff){ALL, 1008});
    cr_assert_eq(test_hash(&one, "vel"), test_hash(&two, "vel"));
    cr_assert_eq(test_hash(&one, "temperature"), test_hash(&two, "temperature"));
    test_end(&one);
    test_end(&two);
}

Test(control, substeps_hardly_matter)
{
    if (test_short()) cr_skip_test("accuracy alone");
    struct heat few = puff_heat((struct puff){BALL "strength: 2", 1022, .steps = "substeps: 4"});
    struct heat many = puff_heat((struct puff){BALL "strength: 2", 1022, .steps = "substeps: 8"});
    for (int c = 0; c < 3; c++)
        cr_assert_float_eq(few.middle[c], many.middle[c], 0.01, "axis %d: %g and %g m", c, few.middle[c],
                           many.middle[c]);
}

static void refuse(const char *control, const char *forces, const char *sentence)
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml,
             "billow: 1\ndomain: {cells: [8, 8, 8], voxel: 0.1}\ntime: {fps: 1, frames: 1-2}\nstages:\n"
             "  - emit: {shape: {sphere: {}}, temperature: 900}\n  - mac.advect: {}\n%s  - fire.control: {%s}\n  - "
             "mac.project: {}\n",
             forces, control);
    struct test_run r = test_start(yaml, NULL);
    cr_assert_eq(r.status, BW_ERR_PRESET, "%s was taken", control);
    cr_assert(strstr(r.diag.text, sentence), "%s: %s", control, r.diag.text);
    int line = 0;
    const char *colon = strchr(r.diag.text, ':');
    cr_assert(colon && sscanf(colon + 1, "%d:", &line) == 1 && line == (*forces ? 8 : 7), "no place: %s", r.diag.text);
    test_end(&r);
}

Test(control, refusals)
{
    const char *lifts = "  - mac.forces: {}\n", *shape = "shape: {sphere: {}}";
    refuse("", lifts, "nothing to steer to");
    refuse(shape, "", "no stage lifts hot gas");
    refuse("shape: {sphere: {}}, strength: -1", lifts, "strength");
    refuse("shape: {sphere: {}}, strength: {keys: {1: 1, 2: -0.5}}", lifts, "strength");
    refuse("points: [{at: [0, 0, 0.2], strength: -2}]", lifts, "strength");
    refuse("shape: {sphere: {}}, calm: 1.5", lifts, "calm");
    refuse("shape: {sphere: {center: [3, 0, 0.4]}}", lifts,
           "the target lies outside the domain: shape, round (3, 0, 0.4) m");
    refuse("points: [{at: [0, 0, 0.2]}, {at: [0, 0, 5]}]", lifts, "outside the domain: point 2");
    refuse("path: [[0, 2, 0], [1, 2, 0]]", lifts, "outside the domain: path");
    refuse("path: [[0, 0, 0.2]]", lifts, "the path has 1 places");
}
