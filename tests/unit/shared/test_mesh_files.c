// SPDX-License-Identifier: Apache-2.0
/* Sequences of meshes; meshes that are open, crossed, missing or no meshes at all. */
#include "mesh_world.h"

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
    refused(BW_ERR_LIMIT, "scale right?", "box.obj", preset, meshes(), "box.obj", ", scale: 1000");
}

Test(mesh_files, a_gap_in_a_sequence_is_named)
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

/* Two boxes that overlap are one solid, and said to cross; two that do not are not. */
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
