// SPDX-License-Identifier: Apache-2.0
/* `scale`: the same flow, shown so many times as large and the root of that slower. Moments are exact, numbered files
 * keep their rate, and what is written down fits together in its own metres and seconds. */
#include "unit/mesh/mesh_world.h"

#include <common/openvdb/bwvdb.h>

TestSuite(larger, .init = folder_make, .fini = folder_remove);

/* A source that gives 3 a second: what there is in the end tells how long it gave. */
static double given(const char *scale, const char *time, const char *frames)
{
    struct test_run r =
        run("billow: 1\n%sdomain: {cells: [16, 16, 16], voxel: 10 cm, floor: -0.8}\ntime: {%s, substeps: 2}\n"
            "stages:\n" KEEP_VEL "  - emit: {mode: add, density: 3, %s shape: {sphere: {radius: 50 cm}}}\n",
            scale, time, frames);
    struct grid d = grid_of(&r, "density", 0);
    const double most = grid_max(&d) / 3;
    bw_free(d.v);
    test_end(&r);
    return most;
}

Test(larger, moments_are_exact)
{
    static const char *const scales[] = {"", "scale: 2\n", "scale: 3\n", "scale: 0.3\n", "scale: 17\n"};
    for (size_t i = 0; i < BW_COUNT(scales); i++) {
        cr_expect_float_eq(given(scales[i], "frames: 1-13", "frames: 3-6,"), 4 / 24.0, 2e-6, "%s", scales[i]);
        cr_expect_float_eq(given(scales[i], "frames: 1-13, warmup: 5", "frames: -2-4,"), 7 / 24.0, 2e-6,
                           "%sin the warm-up", scales[i]);
        cr_expect_float_eq(given(scales[i], "frames: 1-13, warmup: 1", "frames: -9-4,"), 4 / 24.0, 2e-6,
                           "%sfrom its beginning", scales[i]);
        cr_expect_float_eq(given(scales[i], "frames: 0-12", "frames: 0-4,"), 4 / 24.0, 2e-6, "%sfrom frame 0",
                           scales[i]);
    }
    cr_expect_float_eq(given("", "frames: 1-13, warmup: 2.5", "frames: -9-1,"), 2.5 / 24, 2e-6, "a part of a frame");
    cr_expect_float_eq(given("", "frames: 1-13", "frames: 3.25-6.5,"), 4.25 / 24, 2e-6, "of a stage's, too");
}

/* By an expression of frames, and by keys. */
Test(larger, values_come_as_late)
{
    static const char *const scales[] = {"", "scale: 4\n"};
    for (int i = 0; i < 2; i++) {
        struct test_run r =
            run("billow: 1\n%sdomain: {cells: [16, 16, 16], voxel: 10 cm}\ntime: {frames: 1-9, substeps: 1}\n"
                "fields: {dye: {kind: vector}}\nstages:\n" KEEP_VEL
                "  - set: {field: density, value: 'frame/fps + t', when: always, keep: true}\n"
                "  - set: {id: b, field: dye, value: ['0', '0', '0'], keep: true}\n"
                "  - emit: {dye: ['=frame', '=fps', {keys: {1: 0, 9: 16}}], shape: {box: {size: [9, 9, 9]}}}\n",
                scales[i]);
        struct grid d = grid_of(&r, "density", 0);
        cr_expect_float_eq(grid_max(&d), 9 / 24.0 + 8 / 24.0, 1e-6, "%s%g", scales[i], grid_max(&d));
        bw_free(d.v);
        static const double wanted[] = {9, 24, 16};
        for (uint32_t c = 0; c < 3; c++) {
            d = grid_of(&r, "dye", c);
            cr_expect_float_eq(grid_max(&d), wanted[c], 1e-5, "%scomponent %u: %g", scales[i], c, grid_max(&d));
            bw_free(d.v);
        }
        test_end(&r);
    }
}

/* A sequence of boxes, whose face goes out by 2 cm a file, and one of points: where they are then, as fast. */
Test(larger, sequences_keep_their_rate)
{
    static const char *const scales[] = {"", "scale: 4\n"};
    for (int i = 1; i <= 9; i++) {
        char name[32];
        snprintf(name, sizeof name, "wave_%04d.obj", i);
        box_write(name, (const double[3]){-.4, -.3, -.3}, (const double[3]){.2 + .02 * i, .3, .3}, 0);
        snprintf(name, sizeof name, "p_%04d.csv", i);
        FILE *f = file_new(name);
        fprintf(f, "x,y,z,id\n%g,0,0.6,1\n", -.6 + .1 * i);
        fclose(f);
    }
    for (int i = 0; i < 2; i++) {
        struct test_run r =
            run("billow: 1\n%sdomain: {cells: [40, 40, 40], voxel: 5 cm, floor: -1, sides: {rest: open}}\n"
                "time: {fps: 10, frames: 1-5, substeps: 1}\nstages:\n" KEEP_VEL
                "  - emit: {density: 1, inherit_velocity: 1, shape: {points: {file: '%s/p_####.csv', radius: 12 cm}}}\n"
                "  - collide: {shape: {mesh: {file: '%s/wave_####.obj'}}}\n",
                scales[i], folder, folder);
        struct grid s = grid_of(&r, "solid", 0), u = grid_of(&r, "solid_vel", 0);
        const double face = .5 * (at(&s, 26, 20, 20) + at(&s, 25, 20, 20)), speed = at(&u, 26, 20, 20);
        cr_expect_float_eq(face, 0, .002, "%sthe face of file 5 is %g m away", scales[i], face);
        cr_expect_float_eq(speed, .2, .01, "%s%g m/s", scales[i], speed);
        bw_free(s.v), bw_free(u.v);
        u = grid_of(&r, "vel", 0);
        const double flies = at(&u, 18, 20, 32);
        cr_expect_float_eq(flies, 1, .02, "%sthe point: %g m/s", scales[i], flies);
        bw_free(u.v);
        test_end(&r);
    }
}

struct cache {
    double voxel, corner, fps, larger, slower, units, time, fastest, smoke;
};

static double number_of(const struct bwvdb_file *f, const char *key)
{
    uint32_t n;
    const struct bwvdb_meta *m = bwvdb_file_meta(f, &n);
    for (uint32_t i = 0; i < n; i++)
        if (!strcmp(m[i].key, key)) return m[i].number;
    return NAN;
}

static double grid_most(struct bwvdb_file *f, const char *name)
{
    struct bwvdb_error error;
    const int32_t g = bwvdb_find(f, name);
    cr_assert(g >= 0 && !bwvdb_load(f, g, &error));
    const struct bwvdb_info *info = bwvdb_grid_info(f, g);
    int32_t n[3];
    size_t count = 1;
    for (int a = 0; a < 3; a++) n[a] = info->hi[a] - info->lo[a] + 1, count *= (size_t)n[a];
    float *v = bw_calloc(3 * count * sizeof *v), *comps[3] = {v, v + count, v + 2 * count};
    cr_assert(!bwvdb_read_box(f, g, info->lo, n, comps, &error));
    double most = 0;
    for (size_t i = 0; i < count * info->comps; i++) most = fmax(most, fabs((double)v[i]));
    bw_free(v);
    return most;
}

static struct cache cache_of(const char *scale, const char *units, int frame)
{
    char path[256];
    struct bwvdb_file *f;
    struct bwvdb_error error;
    struct test_run r =
        run_with(&(struct test_options){.threads = 2, .simd = UINT32_MAX, .out = folder},
                 "billow: 1\nname: puff\n%sdomain: {cells: [20, 20, 20], voxel: 5 cm}\n"
                 "time: {frames: 1-5, substeps: %d}\nstages:\n"
                 "  - emit: {density: 1, velocity: [0, 0, 0.7], shape: {sphere: {radius: 20 cm, center: "
                 "[0, 0, 0.5]}}}\n  - mac.advect:\n"
                 "export:\n  - vdb: {fields: [density, vel], precision: float%s}\n",
                 scale, *scale ? 1 : 2, units); // the same steps
    test_end(&r);
    snprintf(path, sizeof path, "%s/vdb/puff_%04d.vdb", folder, frame);
    cr_assert(!bwvdb_open(path, &f, &error), "%s", error.text);
    const struct bwvdb_info *g = bwvdb_grid_info(f, bwvdb_find(f, "density"));
    const struct cache c = {g->matrix[0],           g->matrix[3],           number_of(f, "fps"),
                            number_of(f, "larger"), number_of(f, "slower"), number_of(f, "scale"),
                            number_of(f, "time"),   grid_most(f, "vel"),    grid_most(f, "density")};
    bwvdb_close(f);
    return c;
}

/* Four times as large: twice as slow, so speeds are twice as high in its own metres and seconds. */
Test(larger, a_cache_fits_together)
{
    const struct cache own = cache_of("", "", 5), large = cache_of("scale: 4\n", "", 9),
                       cm = cache_of("scale: 4\n", ", scale: 100, up: y", 9);
    cr_expect(fabs(own.voxel - .05) < 1e-9 && own.fps == 24 && isnan(own.larger) && own.units == 1);
    cr_expect_float_eq(large.voxel, .2, 1e-12);
    cr_expect_float_eq(large.corner, 4 * own.corner, 1e-12);
    cr_expect(large.fps == 24 && large.larger == 4 && fabs(large.slower - 2) < 1e-12 && large.units == 1, "%g %g %g",
              large.fps, large.larger, large.units);
    cr_expect_float_eq(large.time, 2 * own.time, 1e-9);
    cr_expect(own.fastest > .5);
    cr_expect_float_eq(large.fastest, 2 * own.fastest, 1e-4 * own.fastest, "%g for %g", large.fastest, 2 * own.fastest);
    cr_expect_float_eq(large.smoke, own.smoke, 1e-6);
    cr_expect_float_eq(cm.voxel, 20, 1e-9);
    cr_expect(cm.fps == 24 && cm.larger == 4 && cm.units == 100);
    cr_expect_float_eq(cm.fastest, 200 * own.fastest, 1e-2 * own.fastest);
}
