// SPDX-License-Identifier: Apache-2.0
/* Meshes as shapes: the distance against the analytic one, in every format; a mesh box does what `box` does, as
 * obstacle and as source, still and moving; sequences; meshes that are open, crossed, missing or no meshes at all. */
#include "../physics/physics.h"
#include "bwvdb.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static void folder_make(void)
{
    strcpy(folder, "/tmp/billow-mesh-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

static void folder_remove(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(mesh, .init = folder_make, .fini = folder_remove);

static const char *meshes(void)
{
    static char path[1024];
    const char *source = getenv("BILLOW_TEST_SOURCE");
    cr_assert_not_null(source, "BILLOW_TEST_SOURCE tells where tests/meshes is");
    snprintf(path, sizeof path, "%s/meshes", source);
    return path;
}

static FILE *file_new(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    return f;
}

/* A box as OBJ; `split` cuts its lid in three instead of two triangles. */
static void box_write(const char *name, const double lo[3], const double hi[3], int split)
{
    FILE *f = file_new(name);
    for (int i = 0; i < 8; i++)
        fprintf(f, "v %.9g %.9g %.9g\n", i & 1 ? hi[0] : lo[0], i & 2 ? hi[1] : lo[1], i & 4 ? hi[2] : lo[2]);
    if (split) fprintf(f, "v %.9g %.9g %.9g\n", .5 * (lo[0] + hi[0]), lo[1], hi[2]);
    fprintf(f, "f 1 3 4 2\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
    fprintf(f, split ? "f 5 9 7\nf 9 8 7\nf 9 6 8\nf 1 2 9\nf 1 9 5\nf 2 6 9\n" : "f 5 6 8 7\nf 1 2 6 5\n");
    fclose(f);
}

/* ---- what the log says ---- */

struct ear {
    char text[4096];
};

static void ear_listen(int level, const char *who, const char *text, void *user)
{
    struct ear *e = user;
    size_t n = strlen(e->text);
    if (level == BW_LOG_WARNING) snprintf(e->text + n, sizeof e->text - n, "%s: %s\n", who, text);
}

/* Run a preset and hand back its warnings; the run must succeed. */
static struct ear warnings_of(const char *yaml)
{
    struct ear ear = {{0}};
    char path[] = "/tmp/billow-test-XXXXXX.yaml";
    int fd = mkstemps(path, 5);
    cr_assert(fd >= 0 && write(fd, yaml, strlen(yaml)) == (ssize_t)strlen(yaml));
    close(fd);
    struct bw_diag diag = {0};
    struct bw_preset *preset = bw_preset_load(path, &(struct bw_preset_overrides){0}, &diag);
    unlink(path);
    cr_assert_not_null(preset, "%s", diag.text);
    struct bw_registry *registry = bw_registry_open(getenv("BILLOW_TEST_PLUGINS"));
    struct bw_run_options o = {.threads = 2, .simd = UINT32_MAX, .on_log = ear_listen, .user = &ear};
    struct bw_chain *chain = bw_chain_create(preset, registry, &o, &diag);
    cr_assert_not_null(chain, "%s", diag.text);
    cr_assert_eq(bw_chain_run(chain, &diag), BW_OK, "%s", diag.text);
    bw_chain_free(chain);
    bw_registry_close(registry);
    bw_preset_free(preset);
    bw_diag_free(&diag);
    return ear;
}

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
    struct bwvdb_mesh m = {.points = (const double(*)[3])point, .triangles = (const int32_t(*)[3])triangle,
                           .n_points = (RINGS + 1) * SPOKES, .n_triangles = n, .voxel = .05, .band = .2};
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

#define STILL "billow: 1\ndomain: {cells: [40, 40, 40], voxel: 5 cm, floor: -1, sides: {rest: open}}\n" \
              "time: {fps: 25, frames: 1-1}\nstages:\n" KEEP_VEL

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
        inside += want < 0, outside += want > 0;
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
                                  "[0.03, 0, -0.1], rotate: [20 deg, 30 deg, 50 deg]}}}\n", folder);
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
                                "  - emit: {shape: {%s}, inherit_velocity: 1, density: 1}\n", text);
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

#define TUNNEL \
    "billow: 1\ndomain: {cells: [40, 24, 24], voxel: 5 cm, floor: -0.6, " \
    "sides: {rest: closed, x-: {inflow: [1, 0, 0]}, x+: open}}\ntime: {fps: 25, frames: 1-11, substeps: 2}\nstages:\n" KEEP_VEL \
    "  - emit: {shape: {cylinder: {center: [-0.9, 0, 0], radius: 0.3, height: 0.2, axis: [1, 0, 0]}}, density: 1}\n" \
    "  - collide: {shape: {%s}}\n" \
    "  - mac.advect: {}\n" \
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
                            "1006: [-0.04, 0, 0]}, ease: linear}}}}\n  - mac.project: {tolerance: 1e-7}\n", folder);
    struct grid u = grid_of(&r, "vel", 0), s = grid_of(&r, "solid", 0);
    int faces = 0;
    for (int k = 0; k < 40; k++)
        for (int j = 0; j < 40; j++)
            for (int i = 1; i < 48; i++)
                if (at(&s, i - 1, j, k) + at(&s, i, j, k) < -2 * 2.5 * .05) { // deeper than the flow outside is extended
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
    snprintf(shape, sizeof shape, "mesh: {file: %s/ball.obj, center: {keys: {1: [-0.3, 0, 0], 9: [-0.5, 0.1, 0]}}, "
             "scale: {keys: {1: 0.8, 9: 1.2}}}", folder);
    for (uint32_t t = 0; t < 2; t++) {
        struct test_run r = run_with(&(struct test_options){.threads = t + 1, .simd = UINT32_MAX}, TUNNEL, shape);
        for (int i = 0; i < 4; i++) hash[t][i] = test_hash(&r, field[i]);
        test_end(&r);
    }
    for (int i = 0; i < 4; i++) cr_assert_eq(hash[0][i], hash[1][i], "%s depends on the threads", field[i]);
}

/* ---- sequences ---- */

#define SEQUENCE \
    "billow: 1\ndomain: {cells: [40, 40, 40], voxel: 5 cm, floor: -1, sides: {rest: open}}\n" \
    "time: {fps: 10, frames: %d-%d, substeps: 1}\nstages:\n" KEEP_VEL \
    "  - collide: {shape: {mesh: {file: '%s/wave_####.obj'%s}}}\n"

/* Frame f of a box whose +x face moves out at 0.2 m/s (10 frames a second) while the rest stays. */
static void wave_write(int frame, int split)
{
    char name[32];
    snprintf(name, sizeof name, "wave_%04d.obj", frame);
    box_write(name, (const double[3]){-.4, -.3, -.3}, (const double[3]){.2 + .02 * frame, .3, .3}, split);
}

/* Mean of solid_vel's x component on faces within a cell of a plane x, in the middle of it. */
static double plane_velocity(const struct test_run *r, double x)
{
    struct grid u = grid_of(r, "solid_vel", 0);
    double sum = 0;
    int n = 0, i = (int)lround((x + 1) / .05);
    for (int k = 18; k < 22; k++)
        for (int j = 18; j < 22; j++, n++) sum += at(&u, i, j, k);
    bw_free(u.v);
    return sum / n;
}

/* The file follows the frame, and the surface has the velocity of its vertices. */
Test(mesh, sequence_moves_and_has_a_velocity)
{
    for (int f = 1; f <= 6; f++) wave_write(f, 0);
    struct test_run r = run(SEQUENCE, 1, 5, folder, "");
    struct grid s = grid_of(&r, "solid", 0);
    double d = .5 * (at(&s, 26, 20, 20) + at(&s, 25, 20, 20)); // x = 0.3 m: file 5's face
    cr_assert_float_eq(d, 0, .002, "the face of frame 5 is %g m away", d);
    double moving = plane_velocity(&r, .3), still = plane_velocity(&r, -.4);
    cr_log_info("growing face %.4f m/s, resting face %.4f m/s", moving, still);
    cr_assert_float_eq(moving, .2, .01, "%g m/s", moving);
    cr_assert_float_eq(still, 0, .01, "%g m/s", still);
    bw_free(s.v);
    test_end(&r);
}

/* Held behind its last file it rests; blank, it is gone. */
Test(mesh, sequence_ends)
{
    for (int f = 1; f <= 3; f++) wave_write(f, 0);
    struct test_run r = run(SEQUENCE, 1, 6, folder, "");
    struct grid s = grid_of(&r, "solid", 0);
    cr_assert_float_eq(s.v[20 + 40 * (20 + 40 * 20)], -.235, .08);
    cr_assert_float_eq(plane_velocity(&r, .25), 0, 1e-9);
    bw_free(s.v);
    test_end(&r);
    r = run(SEQUENCE, 1, 6, folder, ", outside: blank");
    s = grid_of(&r, "solid", 0);
    cr_assert_float_eq(grid_sum(&s), 1000. * 64000, 1, "an obstacle after its sequence's end");
    bw_free(s.v);
    test_end(&r);
}

/* Another topology from one file to the next: at rest, and said. */
Test(mesh, sequence_of_another_topology)
{
    for (int f = 1; f <= 6; f++) wave_write(f, f % 2);
    char yaml[2048];
    snprintf(yaml, sizeof yaml, SEQUENCE, 1, 4, folder, "");
    struct ear ear = warnings_of(yaml);
    cr_assert(strstr(ear.text, "counts as at rest") && strstr(ear.text, "wave_####.obj"), "%s", ear.text);
    struct test_run r = run(SEQUENCE, 1, 4, folder, "");
    cr_assert_float_eq(plane_velocity(&r, .3), 0, 1e-9);
    test_end(&r);
}

/* ---- meshes that are not as they should be ---- */

/* A chain that must fail, with these words. */
__attribute__((format(printf, 4, 5))) static void refused(enum bw_status status, const char *one, const char *two,
                                                          const char *format, ...)
{
    char yaml[4096];
    va_list list;
    va_start(list, format);
    vsnprintf(yaml, sizeof yaml, format, list);
    va_end(list);
    struct test_run r = test_start(yaml, NULL);
    const char *text = r.diag.text ? r.diag.text : "";
    cr_assert_eq(r.status, status, "status %d: %s", r.status, text);
    cr_assert(strstr(text, one) && strstr(text, two), "\"%s\" and \"%s\" are not in: %s", one, two, text);
    test_end(&r);
}

Test(mesh, bad_files_are_named)
{
    fclose(file_new("empty.obj"));
    FILE *f = file_new("points.obj");
    fprintf(f, "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    fclose(f);
    f = file_new("noise.obj");
    fprintf(f, "This is a letter, not a mesh.\n");
    fclose(f);
    f = file_new("noise.dat");
    fprintf(f, "%c%c%c%c", 1, 2, 3, 4);
    fclose(f);
    static const char preset[] = STILL "  - emit: {density: 1, shape: {mesh: {file: %s/%s%s}}}\n";
    refused(BW_ERR_IO, "nothing.obj", ".yaml:6:", preset, folder, "nothing.obj", "");
    refused(BW_ERR_IO, "empty.obj is empty", ".yaml:6:", preset, folder, "empty.obj", "");
    refused(BW_ERR_IO, "points.obj", ".yaml:6:", preset, folder, "points.obj", "");
    refused(BW_ERR_IO, "noise.obj", ".yaml:6:", preset, folder, "noise.obj", "");
    refused(BW_ERR_IO, "noise.dat", "no format known here", preset, folder, "noise.dat", "");
    refused(BW_ERR_IO, "is not a file", ".yaml:6:", preset, folder, "", "");
    refused(BW_ERR_IO, "sea_####.obj", "number for the #", preset, folder, "sea_####.obj", "");
    refused(BW_ERR_PRESET, "scale", ".yaml:6:", preset, meshes(), "box.obj", ", scale: \"=-1\"");
    refused(BW_ERR_LIMIT, "scale right?", "box.obj", preset, meshes(), "box.obj", ", scale: 1000");
}

Test(mesh, a_gap_in_a_sequence_is_named)
{
    for (int f = 1; f <= 6; f++)
        if (f != 4) wave_write(f, 0);
    refused(BW_ERR_IO, "wave_0004.obj", "frame 4", SEQUENCE, 1, 6, folder, "");
    char yaml[2048];
    snprintf(yaml, sizeof yaml, SEQUENCE, 1, 2, folder, "");
    struct ear ear = warnings_of(yaml);
    cr_assert(strstr(ear.text, "wave_0004.obj is not there"), "%s", ear.text);
}

/* An open box: warned, with its name and its four open edges; its walls, 10 cm thick, are solid and its room is not. */
Test(mesh, an_open_mesh_is_walls)
{
    char yaml[2048];
    snprintf(yaml, sizeof yaml, STILL "  - collide: {wake: always, shape: {mesh: {file: %s/open_box.obj}}}\n",
             meshes());
    struct ear ear = warnings_of(yaml);
    cr_assert(strstr(ear.text, "open_box.obj") && strstr(ear.text, "4 open edges"), "%s", ear.text);
    struct test_run r = run("%s", yaml);
    struct grid s = grid_of(&r, "solid", 0);
    cr_assert_float_eq(at(&s, 20, 19, 26), .1 + .05, .06, "%g m in the room", at(&s, 20, 19, 26));
    cr_assert_lt(at(&s, 20, 19, 22), -.01, "the floor is not solid: %g m", at(&s, 20, 19, 22));
    cr_assert_lt(at(&s, 14, 19, 26), -.01, "a wall is not solid: %g m", at(&s, 14, 19, 26));
    cr_assert_gt(at(&s, 20, 19, 30), .05, "the lid is closed: %g m", at(&s, 20, 19, 30));
    bw_free(s.v);
    test_end(&r);
}

/* A single sheet across a channel stops the stream. */
Test(mesh, a_sheet_holds)
{
    FILE *f = file_new("sheet.obj");
    fprintf(f, "v 0 -9 -9\nv 0 9 -9\nv 0 9 9\nv 0 -9 9\nf 1 2 3 4\n");
    fclose(f);
    struct test_run r = run("billow: 1\ndomain: {cells: [20, 20, 20], voxel: 1, origin: [0, 0, 0], "
                            "sides: {rest: closed, x-: open, x+: open}}\ntime: {fps: 10, frames: 1-3, dt: 0.1}\nstages:\n"
                            "  - set: {field: vel, value: [\"x<10 ? 1 : -0.5\", 0, 0], keep: true}\n"
                            "  - collide: {shape: {mesh: {file: %s/sheet.obj, center: [10.5, 10, 10], scale: 1.2}}}\n"
                            "  - mac.advect: {}\n  - mac.project: {tolerance: 1e-7}\n", folder);
    struct grid u = grid_of(&r, "vel", 0);
    cr_assert_lt(grid_max(&u), 1e-5, "%g m/s through a sheet", grid_max(&u));
    bw_free(u.v);
    test_end(&r);
}

/* Two boxes that overlap are one solid, and said to cross; two that do not are not. */
Test(mesh, crossing_parts_unite)
{
    for (int apart = 0; apart < 2; apart++) {
        FILE *f = file_new("two.obj");
        for (int b = 0; b < 2; b++)
            for (int i = 0; i < 8; i++)
                fprintf(f, "v %g %g %g\n", (i & 1 ? .2 : -.4) + b * (apart ? .7 : .21), (i & 2 ? .2 : -.2) + b * .011,
                        (i & 4 ? .2 : -.2) + b * .013);
        for (int b = 0; b < 16; b += 8)
            fprintf(f, "f %d %d %d %d\nf %d %d %d %d\nf %d %d %d %d\nf %d %d %d %d\nf %d %d %d %d\nf %d %d %d %d\n",
                    b + 1, b + 3, b + 4, b + 2, b + 5, b + 6, b + 8, b + 7, b + 1, b + 2, b + 6, b + 5, b + 3, b + 7, b + 8,
                    b + 4, b + 1, b + 5, b + 7, b + 3, b + 2, b + 4, b + 8, b + 6);
        fclose(f);
        char yaml[2048];
        snprintf(yaml, sizeof yaml, STILL "  - collide: {wake: always, shape: {mesh: {file: %s/two.obj}}}\n", folder);
        struct ear ear = warnings_of(yaml);
        cr_assert_eq(strstr(ear.text, "crosses itself") != NULL, !apart, "%s", ear.text);
        cr_assert_null(strstr(ear.text, "open edges"), "%s", ear.text);
        if (apart) continue;
        struct test_run r = run("%s", yaml);
        struct grid s = grid_of(&r, "solid", 0);
        for (int i = 13; i < 27; i++)
            cr_assert_lt(at(&s, i, 20, 20), -.02, "a gap at cell %d: %g m", i, at(&s, i, 20, 20));
        bw_free(s.v);
        test_end(&r);
    }
}
