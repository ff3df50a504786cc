// SPDX-License-Identifier: Apache-2.0
/* Meshes far from their origin, and meshes much larger than the domain: the field is that of a mesh of the domain's
 * size at its middle. */
#include "mesh_world.h"
#include "physics/pushed.h"

TestSuite(mesh_large, .init = folder_make, .fini = folder_remove);

/* The solid field of a chain with this stage. */
__attribute__((format(printf, 1, 2))) static struct grid solid_of(const char *format, ...)
{
    char yaml[4096] = STILL;
    va_list list;
    va_start(list, format);
    vsnprintf(yaml + strlen(yaml), sizeof yaml - strlen(yaml), format, list);
    va_end(list);
    struct test_run r = run("%s", yaml);
    struct grid g = grid_of(&r, "solid", 0);
    test_end(&r);
    return g;
}

/* The distance to `mesh` as the obstacle `want` has it, within 2.5 cells; the sign everywhere. */
static void solids_agree(const struct grid *mesh, const struct grid *want, double close, const char *what)
{
    int inside = 0, near = 0;
    for (size_t q = 0; q < grid_count(mesh); q++) {
        const double a = (double)mesh->v[q], b = (double)want->v[q];
        if (fabs(b) > .026) cr_assert_eq(a < 0, b < 0, "%s: cell %zu is %g, and should be %g", what, q, a, b);
        inside += b < 0;
        if (fabs(b) > .12) continue;
        near++;
        cr_assert_float_eq(a, b, close, "%s: cell %zu is %g, and should be %g", what, q, a, b);
    }
    cr_assert(near > 100, "%s: %d cells are near, %d inside", what, near, inside);
    bw_free(mesh->v);
    bw_free(want->v);
}

/* ---- far from the origin ---- */

/* A box that stands somewhere in a grid of maps, brought to the domain's middle. */
static void far_write(const char *name, const double o[3], double scale)
{
    FILE *f = file_new(name);
    const int ply = strstr(name, ".ply") != NULL;
    if (ply)
        fprintf(f, "ply\nformat ascii 1.0\nelement vertex 8\nproperty double x\nproperty double y\nproperty double z\n"
                   "element face 6\nproperty list uchar int vertex_indices\nend_header\n");
    for (int i = 0; i < 8; i++)
        fprintf(f, "%s%.7f %.7f %.7f\n", ply ? "" : "v ", o[0] + scale * (i & 1 ? .4 : -.3),
                o[1] + scale * (i & 2 ? .5 : -.2), o[2] + scale * (i & 4 ? .6 : -.1));
    static const int face[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int i = 0; i < 6; i++)
        fprintf(f, "%s %d %d %d %d\n", ply ? "4" : "f", face[i][0] + !ply, face[i][1] + !ply, face[i][2] + !ply,
                face[i][3] + !ply);
    fclose(f);
}

#define NEAR_BOX "box: {center: [5 cm, 15 cm, 25 cm], size: [70 cm, 70 cm, 70 cm]}"

Test(mesh_large, far_meshes_as_obstacles)
{
    static const struct {
        const char *name;
        double origin[3], scale;
    } far[] = {{"utm.obj", {500000.25, 4500000.5, 120}, 1},
               {"gauss.ply", {-3500123.0625, 5800456.375, -80.5}, 1},
               {"millimetres.obj", {691234567.25, -76543210.5, 1000000}, 1000}};
    for (size_t i = 0; i < BW_COUNT(far); i++) {
        const double *o = far[i].origin, s = far[i].scale;
        far_write(far[i].name, o, s);
        struct grid mesh =
            solid_of("  - collide: {wake: always, shape: {mesh: {file: %s/%s, scale: %g, center: [%.9f, %.9f, "
                     "%.9f]}}}\n",
                     folder, far[i].name, 1 / s, -o[0] / s, -o[1] / s, -o[2] / s);
        struct grid box = solid_of("  - collide: {wake: always, shape: {" NEAR_BOX "}}\n");
        solids_agree(&mesh, &box, .013, far[i].name);
    }
}

static double amount_of(const char *stage)
{
    struct test_run r = run(STILL "%s", stage);
    struct grid g = grid_of(&r, "density", 0);
    const double sum = grid_sum(&g) * .05 * .05 * .05;
    bw_free(g.v);
    test_end(&r);
    return sum;
}

Test(mesh_large, far_meshes_as_sources)
{
    const double o[3] = {500000.25, 4500000.5, 120};
    char stage[512];
    far_write("utm.obj", o, 1);
    snprintf(stage, sizeof stage,
             "  - emit: {density: 1, shape: {mesh: {file: %s/utm.obj, center: [%.9f, %.9f, %.9f]}}}\n", folder, -o[0],
             -o[1], -o[2]);
    const double mesh = amount_of(stage), box = amount_of("  - emit: {density: 1, shape: {" NEAR_BOX "}}\n");
    cr_log_info("a mesh in UTM emits %.5f, the box %.5f", mesh, box);
    cr_assert_float_eq(mesh, box, .02 * box, "%g for %g", mesh, box);
}

/* What a wind blows, inside alone. */
static double wind_of(const char *shape)
{
    struct test_run r =
        run_pushed("billow: 1\ndomain: {cells: [40, 40, 40], voxel: 5 cm, floor: -1, sides: {rest: open}}\n"
                   "time: {fps: 25, frames: 1-2}\nstages:\n" KEEP_VEL
                   "  - force: {kind: {wind: {velocity: [1, 0, 0], rate: 10 1/s}}, shape: {%s}}\n" PUSHED,
                   shape);
    struct grid g = grid_of(&r, "vel", 0);
    const double sum = grid_sum(&g);
    bw_free(g.v);
    test_end(&r);
    return sum;
}

Test(mesh_large, far_meshes_as_forces)
{
    const double o[3] = {500000.25, 4500000.5, 120};
    char shape[512];
    far_write("utm.obj", o, 1);
    snprintf(shape, sizeof shape, "mesh: {file: %s/utm.obj, center: [%.9f, %.9f, %.9f]}", folder, -o[0], -o[1], -o[2]);
    const double mesh = wind_of(shape), box = wind_of(NEAR_BOX);
    cr_assert(box > 10, "%g", box);
    cr_assert_float_eq(mesh, box, .02 * box, "%g for %g", mesh, box);
}

/* ---- much larger than the domain ---- */

/* A plane without an inside is a wall of two cells. */
Test(mesh_large, ground_planes)
{
    static const double size[] = {20, 100, 1000, 1e5};
    for (int i = 0; i < 4; i++) {
        const double s = size[i];
        FILE *f = file_new("plane.obj");
        fprintf(f, "v %g %g .1\nv %g %g .1\nv %g %g .1\nv %g %g .1\nf 1 2 3 4\n", -s, -s, s, -s, s, s, -s, s);
        fclose(f);
        struct grid mesh = solid_of("  - collide: {wake: always, shape: {mesh: {file: %s/plane.obj}}}\n", folder);
        struct grid box =
            solid_of("  - collide: {wake: always, shape: {box: {center: [0, 0, 10 cm], size: [9, 9, 10 cm]}}}\n");
        solids_agree(&mesh, &box, .003, "a plane");
    }
}

/* Closed: what is below the ground, or within a hill's slope, is solid; above is air. */
Test(mesh_large, closed_slabs)
{
    static const double lo[][3] = {{-10, -10, -.7}, {-1000, -1000, -50}, {-50, -50, -50}, {-300, -300, -300}};
    static const double hi[][3] = {{10, 10, .1}, {1000, 1000, .1}, {.3, .2, .1}, {300, 300, 300}};
    static const char *const box[] = {"center: [0, 0, -30 cm], size: [9, 9, 80 cm]",
                                      "center: [0, 0, -1.95], size: [9, 9, 4.1]",
                                      "center: [-1.85, -1.9, -1.95], size: [4.3, 4.2, 4.1]", NULL};
    for (int i = 0; i < 4; i++) {
        box_write("slab.obj", lo[i], hi[i], i & 1);
        struct grid mesh = solid_of("  - collide: {wake: always, shape: {mesh: {file: %s/slab.obj}}}\n", folder);
        if (box[i]) {
            struct grid want = solid_of("  - collide: {wake: always, shape: {box: {%s}}}\n", box[i]);
            solids_agree(&mesh, &want, .003, box[i]);
            continue;
        }
        for (size_t q = 0; q < grid_count(&mesh); q++) cr_assert_lt(mesh.v[q], -.1, "air within a hill: %g", mesh.v[q]);
        bw_free(mesh.v);
    }
}

/* Turned, and of two parts that overlap: a ridge over the ground. */
Test(mesh_large, a_turned_slab_and_a_ridge)
{
    box_write("slab.obj", (const double[3]){-100, -100, -60}, (const double[3]){100, 100, .1}, 0);
    struct grid mesh =
        solid_of("  - collide: {wake: always, shape: {mesh: {file: %s/slab.obj, rotate: [20 deg, 0, 0]}}}\n", folder);
    struct grid box =
        solid_of("  - collide: {wake: always, shape: {box: {center: [0, 0.666878, -1.832231], size: [12, 12, 4.1], "
                 "rotate: [20 deg, 0, 0]}}}\n");
    solids_agree(&mesh, &box, .013, "turned");

    FILE *f = file_new("ridge.obj");
    static const double lo[2][3] = {{-90, -90, -70}, {-80, -.3, -60}}, hi[2][3] = {{90, 90, -.2}, {80, .3, .3}};
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < 8; i++)
            fprintf(f, "v %g %g %g\n", i & 1 ? hi[b][0] : lo[b][0], i & 2 ? hi[b][1] : lo[b][1],
                    i & 4 ? hi[b][2] : lo[b][2]);
    for (int b = 0; b < 16; b += 8)
        fprintf(f, "f %d %d %d %d\nf %d %d %d %d\nf %d %d %d %d\nf %d %d %d %d\nf %d %d %d %d\nf %d %d %d %d\n", b + 1,
                b + 3, b + 4, b + 2, b + 5, b + 6, b + 8, b + 7, b + 1, b + 2, b + 6, b + 5, b + 3, b + 7, b + 8, b + 4,
                b + 1, b + 5, b + 7, b + 3, b + 2, b + 4, b + 8, b + 6);
    fclose(f);
    mesh = solid_of("  - collide: {wake: always, shape: {mesh: {file: %s/ridge.obj}}}\n", folder);
    box = solid_of("  - collide: {wake: always, shape: {box: {center: [0, 0, -2.2], size: [9, 9, 4]}}}\n"
                   "  - collide: {wake: always, shape: {box: {center: [0, 0, -1.7], size: [9, 60 cm, 4]}}}\n");
    for (size_t q = 0; q < grid_count(&mesh); q++)
        if (fabs((double)box.v[q]) > .026)
            cr_assert_eq(mesh.v[q] < 0, box.v[q] < 0, "cell %zu: %g", q, (double)mesh.v[q]);
    bw_free(mesh.v);
    bw_free(box.v);
}

/* One that rises through the domain, out of what it was cut to at first. */
Test(mesh_large, a_slab_that_moves)
{
    static const char moving[] =
        "billow: 1\ndomain: {cells: [40, 40, 40], voxel: 5 cm, floor: -1, sides: {rest: open}}\n"
        "time: {fps: 10, frames: 1-9, substeps: 1}\nstages:\n" KEEP_VEL
        "  - collide: {shape: {%s, center: [0, 0, \"=-6 + 7*t\"]%s}}}\n";
    char mesh[256];
    box_write("slab.obj", (const double[3]){-100, -100, -60}, (const double[3]){100, 100, 0}, 0);
    snprintf(mesh, sizeof mesh, "mesh: {file: %s/slab.obj", folder);
    struct test_run r = run(moving, mesh, "");
    struct grid got = grid_of(&r, "solid", 0);
    test_end(&r);
    double top = 0;
    for (int k = 0; k + 1 < 40; k++)
        if (at(&got, 20, 20, k) < 0 && at(&got, 20, 20, k + 1) >= 0)
            top = -1 + .05 * (k + .5 + at(&got, 20, 20, k) / (at(&got, 20, 20, k) - at(&got, 20, 20, k + 1)));
    cr_assert_float_eq(top, -6 + 7 * .8, .003, "its top is at %g m", top);
    bw_free(got.v);
}

/* Its surface has the velocity of the file's points, where it is cut too. */
Test(mesh_large, a_sequence_of_slabs)
{
    for (int f = 1; f <= 6; f++) {
        char name[32];
        snprintf(name, sizeof name, "rise_%04d.obj", f);
        box_write(name, (const double[3]){-50, -50, -30}, (const double[3]){50, 50, -.2 + .02 * f}, 0);
    }
    struct test_run r = run("billow: 1\ndomain: {cells: [40, 40, 40], voxel: 5 cm, floor: -1, sides: {rest: open}}\n"
                            "time: {fps: 10, frames: 1-5, substeps: 1}\nstages:\n" KEEP_VEL
                            "  - collide: {shape: {mesh: {file: '%s/rise_####.obj'}}}\n",
                            folder);
    struct grid w = grid_of(&r, "solid_vel", 2);
    cr_assert_float_eq(at(&w, 20, 20, 18), .2, .01, "it rises with %g m/s", at(&w, 20, 20, 18));
    cr_assert_float_eq(at(&w, 3, 35, 18), .2, .01, "it rises with %g m/s", at(&w, 3, 35, 18));
    bw_free(w.v);
    test_end(&r);
}
