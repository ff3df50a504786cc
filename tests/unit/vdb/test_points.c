// SPDX-License-Identifier: Apache-2.0
/* Points in VDB files. */
#include "bwvdb_world.h"

#include <math.h>

TestSuite(points, .init = path_make, .fini = path_remove);

/* Points come back with what they carry, turned to y-up and in centimetres. */
Test(points, points)
{
    enum { COUNT = 1000 };
    static double pos[COUNT][3], p[COUNT][3], v[COUNT][3], mass[COUNT], id[COUNT];
    static float velocity[COUNT][3], weight[COUNT];
    static int64_t number[COUNT];
    int64_t n = 0, seen = 0;
    for (int i = 0; i < COUNT; i++) {
        for (int a = 0; a < 3; a++) {
            pos[i][a] = sin(1.7 * i + a) + .01 * i;
            velocity[i][a] = (float)cos(i + 2. * a);
        }
        weight[i] = (float)i / 8;
        number[i] = 7 * i;
    }
    const struct bwvdb_points_attribute attributes[] = {
        {.name = "v", .comps = 3, .data = velocity, .gain = 100, .turns = 1},
        {.name = "weight", .comps = 1, .data = weight},
        {.name = "id", .comps = 1, .number = BWVDB_I64, .data = number}};
    const struct bwvdb_points points = {.name = "sparks",
                                        .count = COUNT,
                                        .pos = (const double(*)[3])pos,
                                        .gain = 100,
                                        .y_up = 1,
                                        .attributes = attributes,
                                        .n_attributes = 3};
    struct bwvdb_writer *w = writer_new(BWVDB_BLOSC, 1);
    GOOD(bwvdb_writer_points(w, &points, &err));
    cr_assert_eq(bwvdb_writer_points(w, &points, &err), BWVDB_ERR_USAGE, "the name is taken");
    write_and_free(w);
    GOOD(bwvdb_read_points(path, "sparks", "P", 3, &n, p[0], &err));
    cr_assert_eq(n, COUNT);
    GOOD(bwvdb_read_points(path, "sparks", "v", 3, &n, v[0], &err));
    GOOD(bwvdb_read_points(path, "sparks", "weight", 1, &n, mass, &err));
    GOOD(bwvdb_read_points(path, "sparks", "id", 1, &n, id, &err));
    for (int i = 0; i < COUNT; i++) {
        const int from = (int)id[i] / 7, axis[3] = {0, 2, 1};
        for (int a = 0; a < 3; a++) {
            const double sign = a == 2 ? -100 : 100;
            cr_assert_float_eq(p[i][a], sign * pos[from][axis[a]], 1e-3, "point %d", from);
            cr_assert_float_eq(v[i][a], sign * (double)velocity[from][axis[a]], 1e-4, "point %d", from);
        }
        cr_assert_eq(mass[i], from / 8.);
        seen += from;
    }
    cr_assert_eq(seen, COUNT * (COUNT - 1) / 2, "every point once");
    cr_assert_eq(bwvdb_read_points(path, "sparks", "colour", 3, &n, v[0], &err), BWVDB_ERR_USAGE);
    cr_assert(strstr(err.text, "no such attribute \"colour\""), "%s", err.text);
    cr_assert_eq(bwvdb_read_points(path, "smoke", "P", 3, &n, v[0], &err), BWVDB_ERR_USAGE);
}

Test(points, points_that_are_nowhere)
{
    const double pos[2][3] = {{0, 0, 0}, {0, NAN, 0}};
    struct bwvdb_writer *w = writer_new(BWVDB_BLOSC, 1);
    cr_assert_eq(bwvdb_writer_points(w, &(struct bwvdb_points){.name = "sparks", .count = 2, .pos = pos}, &err),
                 BWVDB_ERR);
    cr_assert(strstr(err.text, "point 1 of \"sparks\" is nowhere"), "%s", err.text);
    GOOD(bwvdb_writer_points(w, &(struct bwvdb_points){.name = "none"}, &err));
    bwvdb_writer_free(w);
}
