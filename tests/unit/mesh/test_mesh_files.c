// SPDX-License-Identifier: Apache-2.0
/* Sequences of meshes; meshes that are open, crossed, missing or no meshes at all. */
#include "mesh_world.h"

#include <sys/stat.h>

TestSuite(mesh_files, .init = folder_make, .fini = folder_remove);

/* ---- sequences ---- */

#define SEQUENCE                                                                                                       \
    "billow: 1\ndomain: {cells: [40, 40, 40], voxel: 5 cm, floor: -1, sides: {rest: open}}\n"                          \
    "time: {fps: 10, frames: %d-%d, substeps: 1}\nstages:\n" KEEP_VEL                                                  \
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
Test(mesh_files, sequence_moves_and_has_a_velocity)
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
Test(mesh_files, sequence_ends)
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
Test(mesh_files, sequence_of_another_topology)
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

Test(mesh_files, bad_files_are_named)
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
    refused(BW_ERR_LIMIT, "scale right?", "box.obj", STILL "  - tracers: {count: 9, shape: {mesh: {file: %s/%s%s}}}\n",
            meshes(), "box.obj", ", scale: 1000");
}

static void text_write(const char *name, const char *text)
{
    FILE *f = file_new(name);
    fputs(text, f);
    fclose(f);
}

#define MESH STILL "  - emit: {density: 1, shape: {mesh: {file: %s/%s}}}\n"
#define PLY_HEAD(points)                                                                                               \
    "ply\nformat ascii 1.0\nelement vertex " points "\nproperty float x\nproperty float y\nproperty float z\n"         \
    "element face 1\nproperty list uchar int vertex_indices\nend_header\n"

/* Corners that there are not, numbers that are none, promises that the file cannot hold, files that end too early: each
 * with its line, and none of them a signal or a gigabyte. */
Test(mesh_files, what_a_file_says_is_not_believed)
{
    static const struct {
        const char *name, *text, *words;
    } bad[] = {
        {"index.ply", PLY_HEAD("3") "0 0 0\n1 0 0\n0 1 0\n3 3 2 1\n",
         "index.ply:13: a face names point 3, and there are"},
        {"below.ply", PLY_HEAD("3") "0 0 0\n1 0 0\n0 1 0\n3 -1 2 1\n", "below.ply:13: a face names point -1"},
        {"promise.ply", PLY_HEAD("99999999999999999999") "0 0 0\n", "promise.ply:3: element vertex has"},
        {"many.ply", PLY_HEAD("4000") "0 0 0\n", "many.ply:3: element vertex has 4000 rows, more than the file"},
        {"cut.ply", PLY_HEAD("3") "0 0 0\n1 0 0\n0 1 0\n3 0 1", "cut.ply:13: the file is cut short"},
        {"word.ply", PLY_HEAD("3") "0 0 0\n1 zero 0\n0 1 0\n3 0 1 2", "word.ply:11: a number is wanted"},
        {"nan.ply", PLY_HEAD("3") "0 0 0\n1 nan 0\n0 1 0\n3 0 1 2", "nan.ply:11: point 2 is not a number"},
        {"list.ply", PLY_HEAD("3") "0 0 0\n1 0 0\n0 1 0\n250 0 1 2", "list.ply:13: a list is longer than the file"},
        {"huge.obj", "v 0 0 0\nv 1e39 0 0\nv 0 1 0\nf 1 2 3\n", "huge.obj:2: point 2 is not a number, or too large"},
        {"beyond.obj", "v 0 0 0\nv 1 0 0\nf 1 2 3\nv 0 1 0\n", "beyond.obj:3: a face names place 3, and there are 2"},
        {"zero.obj", "v 0 0 0\nf 0 1 1\n", "zero.obj:2: a face names place 0"},
        {"two.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2", "two.obj:4: a face has 2 corners"},
        {"cut.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n",
         "cut.stl:5: the file is cut"},
        {"short.stl", "nothing", "short.stl is no STL file"},
        {"deep.gltf", "[[[[[[[[[[[[[[[[", "deep.gltf:1: column"},
        {"twice.gltf", "{\"nodes\": [{\"children\": [0]}], \"scenes\": [{\"nodes\": [0]}]}",
         "twice.gltf: node 0 stands"},
        {"away.gltf",
         "{\"nodes\": [{\"mesh\": 0}], \"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}}]}],"
         "\"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\"}],"
         "\"bufferViews\": [{\"buffer\": 0, \"byteLength\": 35}], \"buffers\": [{\"uri\": \"data:;base64,AAAA\"}]}",
         "away.gltf: view 0 goes on behind its buffer's 3 bytes"},
    };
    for (size_t i = 0; i < BW_COUNT(bad); i++) {
        text_write(bad[i].name, bad[i].text);
        refused(BW_ERR_IO, bad[i].words, ".yaml:6:", MESH, folder, bad[i].name);
    }
}

/* The last line of an OBJ may have been longer: where it makes no face, and no line end, it is doubted. */
Test(mesh_files, an_obj_cut_in_a_line_is_doubted)
{
    static const char *const last[] = {"f 1 2 4", "f 1 2", "v 0 1"};
    for (int i = 0; i < 3; i++) {
        char yaml[2048], text[128];
        snprintf(text, sizeof text, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n%s", last[i]);
        text_write("cut.obj", text);
        snprintf(yaml, sizeof yaml, MESH, folder, "cut.obj");
        struct ear ear = warnings_of(yaml);
        cr_assert_eq(strstr(ear.text, "cut.obj:6: its last line has no end") != NULL, i > 0, "%s", ear.text);
    }
}

/* Nothing that is no file is opened for good: a pipe would be waited for, a device never ends. */
Test(mesh_files, what_is_no_file_is_refused)
{
    char path[128];
    snprintf(path, sizeof path, "%s/pipe.obj", folder);
    cr_assert(!mkfifo(path, 0600));
    refused(BW_ERR_IO, "pipe.obj is not a file", ".yaml:6:", MESH, folder, "pipe.obj");
    snprintf(path, sizeof path, "%s/zero.stl", folder);
    cr_assert(!symlink("/dev/zero", path));
    refused(BW_ERR_IO, "zero.stl is not a file", ".yaml:6:", MESH, folder, "zero.stl");
}

/* Faces of many corners, in and out: their triangles cover the face and nothing else. Here an L of 3/4. */
Test(mesh_files, faces_of_many_corners)
{
    text_write("l.obj", "v -.5 -.5 -.5\nv .5 -.5 -.5\nv .5 0 -.5\nv 0 0 -.5\nv 0 .5 -.5\nv -.5 .5 -.5\n"
                        "v -.5 -.5 .5\nv .5 -.5 .5\nv .5 0 .5\nv 0 0 .5\nv 0 .5 .5\nv -.5 .5 .5\n"
                        "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\n"
                        "f 5 6 12 11\nf 6 1 7 12\n");
    char yaml[2048];
    snprintf(yaml, sizeof yaml, STILL "  - collide: {wake: always, shape: {mesh: {file: %s/l.obj}}}\n", folder);
    struct ear ear = warnings_of(yaml);
    cr_assert_null(strstr(ear.text, "open edges"), "%s", ear.text);
    struct test_run r = run("%s", yaml);
    struct grid s = grid_of(&r, "solid", 0);
    cr_assert_lt(at(&s, 14, 14, 20), -.1, "no solid in the corner: %g m", at(&s, 14, 14, 20));
    cr_assert_lt(at(&s, 26, 14, 20), -.1, "no solid in one arm: %g m", at(&s, 26, 14, 20));
    cr_assert_lt(at(&s, 14, 26, 20), -.1, "no solid in the other arm: %g m", at(&s, 14, 26, 20));
    cr_assert_gt(at(&s, 25, 25, 20), .2, "solid where the face is not: %g m", at(&s, 25, 25, 20));
    bw_free(s.v);
    test_end(&r);
}

Test(mesh_files, a_gap_in_a_sequence_is_named)
{
    for (int f = 1; f <= 6; f++)
        if (f != 4) wave_write(f, 0);
    struct test_run r = run(SEQUENCE, 1, 4, folder, "");
    struct grid s = grid_of(&r, "solid", 0);
    const double face = .2 + .02 * 3; // file 3 stands for it
    cr_assert_float_eq(at(&s, 25, 20, 20), -1 + 25.5 * .05 - face, .01, "%g", at(&s, 25, 20, 20));
    bw_free(s.v);
    test_end(&r);
    char yaml[2048];
    snprintf(yaml, sizeof yaml, SEQUENCE, 1, 2, folder, "");
    struct ear ear = warnings_of(yaml);
    cr_assert(strstr(ear.text, "wave_0004.obj is missing: the file before stands in"), "%s", ear.text);
}

/* An open box: warned, with its name and its four open edges; its walls, 10 cm thick, are solid and its room is not. */
Test(mesh_files, an_open_mesh_is_walls)
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
Test(mesh_files, a_sheet_holds)
{
    FILE *f = file_new("sheet.obj");
    fprintf(f, "v 0 -9 -9\nv 0 9 -9\nv 0 9 9\nv 0 -9 9\nf 1 2 3 4\n");
    fclose(f);
    struct test_run r =
        run("billow: 1\ndomain: {cells: [20, 20, 20], voxel: 1, origin: [0, 0, 0], "
            "sides: {rest: closed, x-: open, x+: open}}\ntime: {fps: 10, frames: 1-3, dt: 0.1}\nstages:\n"
            "  - set: {field: vel, value: [\"x<10 ? 1 : -0.5\", 0, 0], keep: true}\n"
            "  - collide: {shape: {mesh: {file: %s/sheet.obj, center: [10.5, 10, 10], scale: 1.2}}}\n"
            "  - mac.advect: {}\n  - mac.project: {tolerance: 1e-7}\n",
            folder);
    struct grid u = grid_of(&r, "vel", 0);
    cr_assert_lt(grid_max(&u), 1e-5, "%g m/s through a sheet", grid_max(&u));
    bw_free(u.v);
    test_end(&r);
}

/* ---- meshes that cross themselves ---- */

/* Prisms along y over a cross-section in x and z, one after another. */
struct outline {
    FILE *f;
    int points;
};

static void box_add(struct outline *o, const double lo[3], const double hi[3])
{
    static const int face[6][4] = {{1, 3, 4, 2}, {3, 7, 8, 4}, {1, 5, 7, 3}, {2, 4, 8, 6}, {5, 6, 8, 7}, {1, 2, 6, 5}};
    for (int i = 0; i < 8; i++)
        fprintf(o->f, "v %.9g %.9g %.9g\n", i & 1 ? hi[0] : lo[0], i & 2 ? hi[1] : lo[1], i & 4 ? hi[2] : lo[2]);
    for (int q = 0; q < 6; q++) {
        fputs("f", o->f);
        for (int c = 0; c < 4; c++) fprintf(o->f, " %d", o->points + face[q][c]);
        fputs("\n", o->f);
    }
    o->points += 8;
}

/* A table: a top on legs that end `deep` inside it. */
static void table_write(const char *name, double deep)
{
    struct outline o = {file_new(name), 0};
    box_add(&o, (const double[3]){-.4, -.3, .2}, (const double[3]){.4, .3, .35});
    for (int leg = 0; leg < 4; leg++) {
        const double x = leg & 1 ? .3 : -.3, y = leg & 2 ? .2 : -.2;
        box_add(&o, (const double[3]){x - .081, y - .079, -.4}, (const double[3]){x + .077, y + .083, .2 + deep});
    }
    fclose(o.f);
}

/* A square tube through n places of the plane y = 0, its ends closed; `turn` -1: its faces look inward. */
static void tube_write(const char *name, const double (*place)[2], int n, int turn)
{
    FILE *f = file_new(name);
    const double half = .08;
    for (int i = 0; i < n; i++) {
        const double *from = place[i > 0 ? i - 1 : 0], *to = place[i + 1 < n ? i + 1 : n - 1];
        const double dx = to[0] - from[0], dz = to[1] - from[1], length = hypot(dx, dz), nx = -dz / length,
                     nz = dx / length;
        for (int c = 0; c < 4; c++) {
            const double across = c == 0 || c == 3 ? -half : half, y = c < 2 ? -half : half;
            fprintf(f, "v %.9g %.9g %.9g\n", place[i][0] + across * nx, y, place[i][1] + across * nz);
        }
    }
    const char *const quad = turn > 0 ? "f %1$d %2$d %3$d %4$d\n" : "f %4$d %3$d %2$d %1$d\n";
    fprintf(f, quad, 1, 2, 3, 4);
    for (int i = 0; i + 1 < n; i++)
        for (int c = 0; c < 4; c++)
            fprintf(f, quad, 4 * i + c + 1, 4 * i + 4 + c + 1, 4 * i + 4 + (c + 1) % 4 + 1, 4 * i + (c + 1) % 4 + 1);
    fprintf(f, quad, 4 * n, 4 * n - 1, 4 * n - 2, 4 * n - 3);
    fclose(f);
}

static struct ear mesh_warnings(const char *name)
{
    char yaml[2048];
    snprintf(yaml, sizeof yaml, STILL "  - collide: {wake: always, shape: {mesh: {file: %s/%s, up: z}}}\n", folder,
             name);
    return warnings_of(yaml);
}

/* Cells that are solid, as a volume. */
static double solid_volume(const char *name)
{
    struct test_run r = run(STILL "  - collide: {wake: always, shape: {mesh: {file: %s/%s, up: z}}}\n", folder, name);
    struct grid s = grid_of(&r, "solid", 0);
    double cells = 0;
    for (int i = 0; i < 40 * 40 * 40; i++) cells += fmin(fmax(.5 - s.v[i] / .05, 0), 1);
    bw_free(s.v);
    test_end(&r);
    return cells * .05 * .05 * .05;
}

Test(mesh_files, tables_are_ordinary)
{
    const double top = .8 * .6 * .15, leg = .158 * .162;
    table_write("deep.obj", .07);
    table_write("through.obj", .2);
    table_write("touch.obj", 0);
    struct ear ear = mesh_warnings("deep.obj");
    cr_expect_null(strstr(ear.text, "crosses"), "%s", ear.text);
    ear = mesh_warnings("through.obj");
    cr_expect_null(strstr(ear.text, "crosses"), "%s", ear.text);
    ear = mesh_warnings("touch.obj");
    cr_expect_null(strstr(ear.text, "crosses"), "%s", ear.text);
    const double wanted = top + 4 * leg * .6;
    cr_expect_float_eq(solid_volume("deep.obj"), wanted, .05 * wanted, "%g for %g", solid_volume("deep.obj"), wanted);
    cr_expect_float_eq(solid_volume("touch.obj"), wanted, .05 * wanted, "%g for %g", solid_volume("touch.obj"), wanted);
}

/* One closed part that goes through itself is one solid; where it is turned inside out by that, it is told. */
Test(mesh_files, what_is_inside_out)
{
    static const double sleeve[][2] = {{-.35, -.21}, {.32, -.2}, {.33, .25}, {.02, .26}, {.01, -.45}};
    for (int turn = 1; turn >= -1; turn -= 2) {
        tube_write("sleeve.obj", sleeve, 5, turn);
        struct ear ear = mesh_warnings("sleeve.obj");
        cr_expect_null(strstr(ear.text, "crosses"), "%s", ear.text);
    }
    FILE *f = file_new("eight.obj"); // a prism over a figure of eight
    static const double eight[4][2] = {{-.4, -.3}, {.4, .25}, {.38, -.3}, {-.4, .33}};
    for (int i = 0; i < 8; i++) fprintf(f, "v %g %g %g\n", eight[i % 4][0], i < 4 ? -.3 : .3, eight[i % 4][1]);
    fputs("f 1 2 3\nf 1 3 4\nf 7 6 5\nf 8 7 5\nf 2 1 5 6\nf 3 2 6 7\nf 4 3 7 8\nf 1 4 8 5\n", f);
    fclose(f);
    struct ear ear = mesh_warnings("eight.obj");
    cr_expect(strstr(ear.text, "eight.obj crosses itself so that a part of it is inside out"), "%s", ear.text);
    f = file_new("dent.obj"); // a box whose lid is pushed down through its floor
    fputs("v -.4 -.4 -.1\nv .4 -.4 -.1\nv .4 .4 -.1\nv -.4 .4 -.1\nv -.4 -.4 .2\nv .4 -.4 .2\nv .4 .4 .2\n"
          "v -.4 .4 .2\nv .03 .02 -.5\nf 1 4 3\nf 1 3 2\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
          "f 5 6 9\nf 6 7 9\nf 7 8 9\nf 8 5 9\n",
          f);
    fclose(f);
    ear = mesh_warnings("dent.obj");
    cr_expect(strstr(ear.text, "dent.obj crosses itself so that a part of it is inside out"), "%s", ear.text);
    cr_expect_null(strstr(ear.text, "open edges"), "%s", ear.text);
}

/* An open bowl that meets a closed box: the one is a wall, the other solid, and what is said is that it is open. */
Test(mesh_files, open_parts_cross)
{
    struct outline o = {file_new("bowl.obj"), 0};
    box_add(&o, (const double[3]){-.3, -.3, -.3}, (const double[3]){.3, .3, .1});
    fprintf(o.f, "v -.5 -.51 0\nv .5 -.5 .02\nv .5 .52 0\nv -.5 .5 .01\nf 9 10 11\nf 9 11 12\n");
    fclose(o.f);
    struct ear ear = mesh_warnings("bowl.obj");
    cr_expect_null(strstr(ear.text, "crosses"), "%s", ear.text);
    cr_expect(strstr(ear.text, "4 open edges"), "%s", ear.text);
}

/* Two boxes that overlap are one solid, which is nothing to be warned of. */
Test(mesh_files, crossing_parts_unite)
{
    for (int apart = 0; apart < 2; apart++) {
        FILE *f = file_new("two.obj");
        for (int b = 0; b < 2; b++)
            for (int i = 0; i < 8; i++)
                fprintf(f, "v %g %g %g\n", (i & 1 ? .2 : -.4) + b * (apart ? .7 : .21), (i & 2 ? .2 : -.2) + b * .011,
                        (i & 4 ? .2 : -.2) + b * .013);
        for (int b = 0; b < 16; b += 8)
            fprintf(f, "f %d %d %d %d\nf %d %d %d %d\nf %d %d %d %d\nf %d %d %d %d\nf %d %d %d %d\nf %d %d %d %d\n",
                    b + 1, b + 3, b + 4, b + 2, b + 5, b + 6, b + 8, b + 7, b + 1, b + 2, b + 6, b + 5, b + 3, b + 7,
                    b + 8, b + 4, b + 1, b + 5, b + 7, b + 3, b + 2, b + 4, b + 8, b + 6);
        fclose(f);
        char yaml[2048];
        snprintf(yaml, sizeof yaml, STILL "  - collide: {wake: always, shape: {mesh: {file: %s/two.obj}}}\n", folder);
        struct ear ear = warnings_of(yaml);
        cr_assert_null(strstr(ear.text, "crosses itself"), "%s", ear.text);
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
