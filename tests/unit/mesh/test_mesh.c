// SPDX-License-Identifier: Apache-2.0
/* Meshes as shapes: the distance against the analytic one, in every format; a mesh box does what `box` does, as
 * obstacle and as source, still and moving. */
#include "mesh_world.h"
#include <common/openvdb/bwvdb.h>

TestSuite(mesh, .init = folder_make, .fini = folder_remove);

/* ---- distance ---- */

enum { RINGS = 40, SPOKES = 80 };

/* Triangles of a ball; the poles are rings of equal points, as exporters write them. */
static size_t ball_make(double r, double (*point)[3], int32_t (*triangle)[3])
{
    size_t n = 0;
    for (int i = 0; i <= RINGS; i++)
        for (int j = 0; j < SPOKES; j++) {
            double a = PI * i / RINGS, b = 2 * PI * j / SPOKES, *p = point[i * SPOKES + j];
            p[0] = r * sin(a) * cos(b), p[1] = r * sin(a) * sin(b), p[2] = r * cos(a);
        }
    for (int i = 0; i < RINGS; i++)
        for (int j = 0; j < SPOKES; j++) {
            int a = i * SPOKES + j, b = i * SPOKES + (j + 1) % SPOKES;
            int32_t *t = triangle[n];
            t[0] = a, t[1] = a + SPOKES, t[2] = b + SPOKES;
            t = triangle[n + 1];
            t[0] = a, t[1] = b + SPOKES, t[2] = b;
            n += 2;
        }
    return n;
}

static void ball_write(const char *name, double r)
{
    static double point[(RINGS + 1) * SPOKES][3];
    static int32_t triangle[2 * RINGS * SPOKES][3];
    size_t n = ball_make(r, point, triangle);
    FILE *f = file_new(name);
    for (size_t i = 0; i < (RINGS + 1) * SPOKES; i++)
        fprintf(f, "v %.9g %.9g %.9g\n", point[i][0], point[i][1], point[i][2]);
    for (size_t i = 0; i < n; i++)
        fprintf(f, "f %d %d %d\n", triangle[i][0] + 1, triangle[i][1] + 1, triangle[i][2] + 1);
    fclose(f);
}

/* The wrapper alone: a ball of 8 voxels' radius; both sides of the band, beyond it ±band; which triangle is nearest. */
Test(mesh, wrapper_ball)
{
    static double point[(RINGS + 1) * SPOKES][3];
    static int32_t triangle[2 * RINGS * SPOKES][3];
    size_t n = ball_make(.4, point, triangle);
    struct bwvdb_mesh m = {.points = (const double(*)[3])point,
                           .triangles = (const int32_t(*)[3])triangle,
                           .n_points = (RINGS + 1) * SPOKES,
                           .n_triangles = n,
                           .voxel = .05,
                           .band = .2};
    struct bwvdb_distance *d;
    struct bwvdb_error err;
    cr_assert_eq(bwvdb_distance_create(&m, &d, &err), BWVDB_OK, "%s", err.text);
    const int32_t lo[3] = {-16, -16, -16}, size[3] = {33, 33, 33};
    static float got[33 * 33 * 33];
    static int32_t nearest[33 * 33 * 33];
    bwvdb_distance_read(d, lo, size, got, nearest);
    double worst = 0;
    for (int q = 0; q < 33 * 33 * 33; q++) {
        double x = .05 * (q % 33 - 16), y = .05 * (q / 33 % 33 - 16), z = .05 * (q / 33 / 33 - 16);
        double want = sqrt(x * x + y * y + z * z) - .4;
        if (fabs(want) > .21) {
            cr_assert_eq(got[q], want > 0 ? .2f : -.2f);
            continue;
        }
        if (fabs(want) < .19) worst = fmax(worst, fabs(got[q] - want));
        if (fabs(want) < .14) {
            cr_assert(nearest[q] >= 0 && nearest[q] < (int)n, "voxel %d at %g m has no nearest triangle", q, want);
            const double *p = point[triangle[nearest[q]][0]];
            double far = hypot(hypot(p[0] - x, p[1] - y), p[2] - z);
            cr_assert_lt(far, fabs(want) + .06, "triangle %d is %g m away, the ball %g", nearest[q], far, want);
        }
    }
    cr_log_info("ball, voxels of 0.05 m: worst distance error %.2g m", worst);
    cr_assert_lt(worst, .025); // half a voxel
    bwvdb_distance_free(d);
}

Test(mesh, wrapper_refuses)
{
    const double point[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, far[3][3] = {{0, 0, 0}, {1e12, 0, 0}, {0, NAN, 0}};
    const int32_t good[1][3] = {{0, 1, 2}}, bad[1][3] = {{0, 1, 3}};
    struct bwvdb_mesh m = {.points = point, .triangles = bad, .n_points = 3, .n_triangles = 1, .voxel = .1, .band = .3};
    struct bwvdb_distance *d;
    struct bwvdb_error err;
    cr_assert_eq(bwvdb_distance_create(&m, &d, &err), BWVDB_ERR_USAGE);
    cr_assert(strstr(err.text, "triangle 0") && !d, "%s", err.text);
    m.triangles = good, m.voxel = 0;
    cr_assert_eq(bwvdb_distance_create(&m, &d, &err), BWVDB_ERR_USAGE);
    m.voxel = .1, m.points = far;
    cr_assert_eq(bwvdb_distance_create(&m, &d, &err), BWVDB_ERR_USAGE);
    cr_assert(strstr(err.text, "point 1"), "%s", err.text);
    bwvdb_distance_free(NULL);
}

/* The `solid` field of a chain against an exact distance, within 3 cells outside and `deep` inside. Returns the worst
 * error; cells on the wrong side by more than that fail. */
static double solid_error(const struct test_run *r, double (*exact)(const double x[3]), double deep)
{
    struct grid s = grid_of(r, "solid", 0);
    double worst = 0;
    int inside = 0, outside = 0;
    for (int q = 0; q < 64000; q++) {
        const double x[3] = {-.975 + .05 * (q % 40), -.975 + .05 * (q / 40 % 40), -.975 + .05 * (q / 1600)};
        double want = exact(x);
        if (want > .15) cr_assert_gt(s.v[q], .1499, "%g m where there is %g", s.v[q], want);
        if (want > .149 || want < -deep) continue;
        worst = fmax(worst, fabs(s.v[q] - want));
        inside += want<0, outside += want> 0;
        if (fabs(want) > .025) cr_assert_eq(want < 0, s.v[q] < 0, "sign at %g m: %g", want, s.v[q]);
    }
    cr_assert(inside > 200 && outside > 1000, "%d cells inside, %d outside", inside, outside);
    bw_free(s.v);
    return worst;
}

static double ball_exact(const double x[3])
{
    return sqrt((x[0] - .03) * (x[0] - .03) + x[1] * x[1] + (x[2] + .1) * (x[2] + .1)) - .42;
}

/* Through the stage: moved, grown, and read between voxels; half a voxel of the distance is 1.25 cm. */
Test(mesh, distance_of_a_ball)
{
    ball_write("ball.obj", .1);
    struct test_run r = run(STILL "  - collide: {wake: always, shape: {mesh: {file: %s/ball.obj, scale: 4.2, center: "
                                  "[0.03, 0, -0.1], rotate: [20 deg, 30 deg, 50 deg]}}}\n",
                            folder);
    double worst = solid_error(&r, ball_exact, .15);
    cr_log_info("ball of radius 0.42 m, cells of 5 cm: worst error %.2g m", worst);
    cr_assert_lt(worst, .0125);
    test_end(&r);
}

/* Off the voxels' lattice, so that the distance is interpolated. */
#define SHIFT "center: [0.011, 0.007, -0.012]"

static double box_exact(const double x[3])
{
    static const double lo[3] = {-.289, -.243, .088}, hi[3] = {.311, .157, .488};
    double outside = 0, inside = -1e9;
    for (int a = 0; a < 3; a++) {
        double q = fmax(lo[a] - x[a], x[a] - hi[a]);
        if (q > 0) outside += q * q;
        inside = fmax(inside, q);
    }
    return sqrt(outside) + fmin(inside, 0);
}

/* The same box in four formats, the last with y up and a node that scales it. */
Test(mesh, formats_agree)
{
    static const char *const name[] = {"box.obj", "box.ply", "box.stl", "box.gltf"};
    for (int i = 0; i < 4; i++) {
        struct test_run r =
            run(STILL "  - collide: {wake: always, shape: {mesh: {file: %s/%s, " SHIFT "}}}\n", meshes(), name[i]);
        double worst = solid_error(&r, box_exact, .14);
        cr_log_info("%s: worst error %.2g m, cells of 5 cm", name[i], worst);
        cr_assert_lt(worst, .0125, "%s: %g m", name[i], worst);
        test_end(&r);
    }
}

/* An OBJ with y up, told so. */
Test(mesh, up_is_a_choice)
{
    box_write("y.obj", (const double[3]){-.3, .1, -.15}, (const double[3]){.3, .5, .25}, 0);
    struct test_run r =
        run(STILL "  - collide: {wake: always, shape: {mesh: {file: %s/y.obj, up: y, " SHIFT "}}}\n", folder);
    cr_assert_lt(solid_error(&r, box_exact, .14), .0125);
    test_end(&r);
}

static double round_exact(const double x[3])
{
    const double out = hypot(x[0], x[1]) - .4, up = fabs(x[2]) - .3;
    return hypot(fmax(out, 0), fmax(up, 0)) + fmin(fmax(out, up), 0) - .1;
}

/* No mesh, but judged as one: a cylinder whose edges are round. */
Test(mesh, a_cylinder_with_round_edges)
{
    struct test_run r =
        run(STILL "  - collide: {wake: always, shape: {cylinder: {radius: 50 cm, height: 80 cm, round: 10 cm}}}\n");
    cr_assert_lt(solid_error(&r, round_exact, .14), 1e-5);
    test_end(&r);
}

/* ---- parts that the domain does not feel ---- */

static void boxes_write(const char *name, const double (*box)[2][3], int n)
{
    FILE *f = file_new(name);
    for (int b = 0; b < n; b++)
        for (int i = 0; i < 8; i++)
            fprintf(f, "v %.9g %.9g %.9g\n", box[b][i & 1][0], box[b][i >> 1 & 1][1], box[b][i >> 2 & 1][2]);
    for (int b = 0; b < n; b++)
        for (int side = 0; side < 6; side++) {
            static const int face[6][4] = {{1, 3, 4, 2}, {3, 7, 8, 4}, {1, 5, 7, 3},
                                           {2, 4, 8, 6}, {5, 6, 8, 7}, {1, 2, 6, 5}};
            const int *q = face[side], o = 8 * b;
            fprintf(f, "f %d %d %d %d\n", o + q[0], o + q[1], o + q[2], o + q[3]);
        }
    fclose(f);
}

/* Where either says that a surface is near, or inside: the same bits. */
static int solids_agree(const struct test_run *a, const struct test_run *b)
{
    struct grid s = grid_of(a, "solid", 0), t = grid_of(b, "solid", 0);
    int n = 0;
    for (size_t q = 0; q < grid_count(&s); q++) {
        if (s.v[q] >= .15 && t.v[q] >= .15) continue;
        cr_assert_eq(s.v[q], t.v[q], "cell %zu: %.9g and %.9g", q, s.v[q], t.v[q]);
        n++;
    }
    bw_free(s.v);
    bw_free(t.v);
    return n;
}

static const double town[3][2][3] = {
    {{-.31, -.32, -.33}, {.11, .12, .13}}, {{1.12, -.4, -.4}, {1.5, .4, .4}}, {{5, 0, 0}, {6, 1, 1}}};

/* One mesh of a box in the domain, one that only its band reaches in, and one far away; and each of the first alone. */
Test(mesh, far_parts_change_nothing)
{
    boxes_write("town.obj", town, 3);
    boxes_write("a.obj", town, 1);
    boxes_write("b.obj", town + 1, 1);
    struct test_run all = run(STILL "  - collide: {wake: always, shape: {mesh: {file: %s/town.obj}}}\n", folder);
    struct test_run each = run(STILL "  - collide: {id: a, wake: always, shape: {mesh: {file: %s/a.obj}}}\n"
                                     "  - collide: {id: b, wake: always, shape: {mesh: {file: %s/b.obj}}}\n",
                               folder, folder);
    struct test_run inner = run(STILL "  - collide: {wake: always, shape: {mesh: {file: %s/a.obj}}}\n", folder);
    const int n = solids_agree(&all, &each);
    cr_assert_gt(n, solids_agree(&inner, &inner), "the second box is not felt");
    test_end(&all);
    test_end(&each);
    test_end(&inner);
}

/* A mesh whose far part comes in: at the end all is as if it had always stood there. */
Test(mesh, far_parts_come_near)
{
    boxes_write("town.obj", town, 3);
    struct test_run r[2];
    for (int still = 0; still < 2; still++)
        r[still] = run("billow: 1\ndomain: {cells: [40, 40, 40], voxel: 5 cm, floor: -1, sides: {rest: open}}\n"
                       "time: {fps: 25, frames: 1-5, substeps: 1}\nstages:\n" KEEP_VEL
                       "  - collide: {wake: always, shape: {mesh: {file: %s/town.obj, center: %s}}}\n",
                       folder, still ? "[-5.5, 0, 0]" : "{keys: {1: [0, 0, 0], 5: [-5.5, 0, 0]}, ease: linear}");
    cr_assert_gt(solids_agree(&r[0], &r[1]), 1000);
    test_end(&r[0]);
    test_end(&r[1]);
}

/* ---- as a source ---- */

/* Volume of a mesh cube by its emission, 0.6·0.4·0.4 m³ on 5 cm cells; and cell by cell what a box emits. */
Test(mesh, emits_what_a_box_emits)
{
    static const char *const shape[] = {"box: {center: [0.011, -0.043, 0.288], size: [0.6, 0.4, 0.4]}",
                                        "mesh: {file: %s/box.obj, " SHIFT "}"};
    for (int soft = 0; soft < 2; soft++) {
        struct grid g[2];
        for (int i = 0; i < 2; i++) {
            char text[2048];
            snprintf(text, sizeof text, shape[i], meshes());
            struct test_run r = run(STILL "  - emit: {shape: {%s}, density: 1, falloff: %g}\n", text, soft ? .3 : 0.);
            g[i] = grid_of(&r, "density", 0);
            test_end(&r);
        }
        double box = grid_sum(&g[0]) * 1.25e-4, mesh = grid_sum(&g[1]) * 1.25e-4, worst = 0;
        for (size_t q = 0; q < grid_count(&g[0]); q++) worst = fmax(worst, fabs(g[0].v[q] - g[1].v[q]));
        cr_log_info("falloff %g m: %.5f m³ from the mesh, %.5f from the box, worst cell %.2g", soft * .3, mesh, box,
                    worst);
        if (!soft) cr_assert_float_eq(mesh, .096, .0008, "%g m³", mesh);
        cr_assert_float_eq(mesh, box, .01 * box);
        cr_assert_lt(worst, soft ? .05 : .2); // a cell on an edge, whose distance is interpolated
        bw_free(g[0].v);
        bw_free(g[1].v);
    }
}

/* Far inside, where no distance is kept, is inside all the same: the volume of a ball 38 cells wide. */
Test(mesh, a_large_ball_is_full)
{
    ball_write("ball.obj", .95);
    struct test_run r = run(STILL "  - emit: {shape: {mesh: {file: %s/ball.obj}}, density: 1}\n", folder);
    struct grid g = grid_of(&r, "density", 0);
    double volume = grid_sum(&g) * 1.25e-4, want = 4 / 3. * PI * .95 * .95 * .95;
    cr_assert_float_eq(volume, want, .005 * want, "%g m³, not %g", volume, want);
    bw_free(g.v);
    test_end(&r);
}

/* Inherited velocity of a source that moves and turns: what a box gives the gas. */
Test(mesh, a_moving_source_carries_the_gas)
{
    struct grid u[2];
    static const char *const shape[] = {"box: {size: [0.6, 0.4, 0.4], %s}", "mesh: {file: %s/b.obj, %s}"};
    static const char motion[] = "center: {keys: {1: [0, 0, 0], 11: [0.2, 0, 0.1]}, ease: linear}, "
                                 "rotate: {keys: {1: [0, 0, 0], 11: [0, 0, 60 deg]}, ease: linear}";
    box_write("b.obj", (const double[3]){-.3, -.2, -.2}, (const double[3]){.3, .2, .2}, 0);
    for (int i = 0; i < 2; i++) {
        char text[2048];
        if (i) snprintf(text, sizeof text, shape[1], folder, motion);
        else snprintf(text, sizeof text, shape[0], motion);
        struct test_run r = run("billow: 1\n"
                                "domain: {cells: [40, 40, 40], voxel: 5 cm, floor: -1, sides: {rest: open}}\n"
                                "time: {fps: 25, frames: 1-3}\nstages:\n" KEEP_VEL
                                "  - emit: {shape: {%s}, inherit_velocity: 1, density: 1}\n",
                                text);
        u[i] = grid_of(&r, "vel", 1);
        test_end(&r);
    }
    double most = grid_max(&u[0]), worst = 0;
    for (size_t q = 0; q < grid_count(&u[0]); q++) worst = fmax(worst, fabs(u[0].v[q] - u[1].v[q]));
    cr_log_info("turning source: up to %.3g m/s, mesh and box differ by %.2g at most", most, worst);
    cr_assert_gt(most, .5);
    cr_assert_lt(worst, .15 * most);
    bw_free(u[0].v);
    bw_free(u[1].v);
}

/* ---- as an obstacle ---- */

#define TUNNEL                                                                                                         \
    "billow: 1\ndomain: {cells: [40, 24, 24], voxel: 5 cm, floor: -0.6, "                                              \
    "sides: {rest: closed, x-: {inflow: [1, 0, 0]}, x+: open}}\ntime: {fps: 25, frames: 1-11, substeps: 2}\n"          \
    "stages:\n" KEEP_VEL                                                                                               \
    "  - emit: {shape: {cylinder: {center: [-0.9, 0, 0], radius: 0.3, height: 0.2, axis: [1, 0, 0]}}, density: 1}\n"   \
    "  - collide: {shape: {%s}}\n"                                                                                     \
    "  - mac.advect: {}\n"                                                                                             \
    "  - mac.project: {tolerance: 1e-6}\n"

/* How far the mesh's flow is from the box's: sum of squares, relative. */
static double flow_difference(const char *box, const char *mesh)
{
    double off = 0, all = 0;
    struct test_run a = run(TUNNEL, box), b = run(TUNNEL, mesh);
    for (uint32_t c = 0; c < 3; c++) {
        struct grid u = grid_of(&a, "vel", c), v = grid_of(&b, "vel", c);
        for (size_t q = 0; q < grid_count(&u); q++) {
            off += (u.v[q] - v.v[q]) * (u.v[q] - v.v[q]);
            all += u.v[q] * u.v[q];
        }
        bw_free(u.v);
        bw_free(v.v);
    }
    test_end(&a);
    test_end(&b);
    return sqrt(off / all);
}

/* A stream past a turned box, and past the same one as a mesh; then one that moves against the stream. */
Test(mesh, an_obstacle_like_a_box)
{
    if (test_short()) cr_skip_test("same_bits_on_any_number_of_threads goes this way");
    static const char *const motion[] = {
        "center: [-0.3, 0.02, 0.01], rotate: [0, 0, 20 deg]",
        "center: {keys: {1: [-0.1, 0, 0], 11: [-0.3, 0, 0]}, ease: linear}, rotate: [0, 0, 20 deg]"};
    box_write("b.obj", (const double[3]){-.15, -.2, -.2}, (const double[3]){.15, .2, .2}, 0);
    for (int i = 0; i < 2; i++) {
        char box[512], mesh[512];
        snprintf(box, sizeof box, "box: {size: [0.3, 0.4, 0.4], %s}", motion[i]);
        snprintf(mesh, sizeof mesh, "mesh: {file: %s/b.obj, %s}", folder, motion[i]);
        double off = flow_difference(box, mesh);
        cr_log_info("%s mesh and box: flows differ by %.2g", i ? "moving" : "still", off);
        cr_assert_lt(off, .03);
    }
}

/* A mesh that moves at 0.8 m/s through still air: its faces have its velocity, the air ahead gives way. */
Test(mesh, a_moving_mesh_pushes_the_air)
{
    ball_write("ball.obj", .4);
    struct test_run r = run("billow: 1\ndomain: {cells: [48, 40, 40], voxel: 5 cm, floor: -1, sides: {rest: open}}\n"
                            "time: {fps: 25, frames: 1001-1002, substeps: 1}\nstages:\n" KEEP_VEL
                            "  - collide: {shape: {mesh: {file: %s/ball.obj, center: {keys: {1001: [-0.2, 0, 0], "
                            "1006: [-0.04, 0, 0]}, ease: linear}}}}\n  - mac.project: {tolerance: 1e-7}\n",
                            folder);
    struct grid u = grid_of(&r, "vel", 0), s = grid_of(&r, "solid", 0);
    int faces = 0;
    for (int k = 0; k < 40; k++)
        for (int j = 0; j < 40; j++)
            for (int i = 1; i < 48; i++)
                if (at(&s, i - 1, j, k) + at(&s, i, j, k) <
                    -2 * 2.5 * .05) { // deeper than the flow outside is extended
                    cr_assert_float_eq(at(&u, i, j, k), .8, 1e-5, "%g m/s in the ball", at(&u, i, j, k));
                    faces++;
                }
    cr_assert_gt(faces, 500);
    double want = .8 * pow(.4 / (33 * .05 - 1.2 + .168), 3); // potential flow, on the axis 0.62 m ahead
    cr_assert_float_eq(at(&u, 33, 20, 20), want, .25 * want, "%g m/s ahead, not %g", at(&u, 33, 20, 20), want);
    bw_free(u.v);
    bw_free(s.v);
    test_end(&r);
}

Test(mesh, no_smoke_inside)
{
    ball_write("ball.obj", .25);
    char shape[256];
    snprintf(shape, sizeof shape, "mesh: {file: %s/ball.obj, center: [-0.4, 0, 0]}", folder);
    struct test_run r = run(TUNNEL, shape);
    struct grid d = grid_of(&r, "density", 0), s = grid_of(&r, "solid", 0);
    double near = 0;
    int deep = 0;
    for (size_t q = 0; q < grid_count(&d); q++) {
        if (s.v[q] > 0 && s.v[q] < .1) near += d.v[q];
        if (s.v[q] > -.05) continue;
        cr_assert_lt(d.v[q], 1e-3, "smoke %g inside", d.v[q]);
        deep++;
    }
    cr_assert(deep > 100 && near > 1, "%d cells deep inside, smoke %g beside it", deep, near);
    bw_free(d.v);
    bw_free(s.v);
    test_end(&r);
}

Test(mesh, same_bits_on_any_number_of_threads)
{
    static const char *const field[] = {"vel", "solid", "solid_vel", "density"};
    uint64_t hash[2][4];
    char shape[256];
    ball_write("ball.obj", .25);
    snprintf(shape, sizeof shape,
             "mesh: {file: %s/ball.obj, center: {keys: {1: [-0.3, 0, 0], 9: [-0.5, 0.1, 0]}}, "
             "scale: {keys: {1: 0.8, 9: 1.2}}}",
             folder);
    for (uint32_t t = 0; t < 2; t++) {
        struct test_run r = run_with(&(struct test_options){.threads = t + 1, .simd = UINT32_MAX}, TUNNEL, shape);
        for (int i = 0; i < 4; i++) hash[t][i] = test_hash(&r, field[i]);
        test_end(&r);
    }
    for (int i = 0; i < 4; i++) cr_assert_eq(hash[0][i], hash[1][i], "%s depends on the threads", field[i]);
}
