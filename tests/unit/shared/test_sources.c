// SPDX-License-Identifier: Apache-2.0
/* VDB files as sources: a grid, fog or level set, against the shape it was made from. */
#include "source_world.h"

TestSuite(sources, .init = folder_make, .fini = folder_remove);

static void ball_export(void)
{
    static const char *const stage[] = {
        "  - emit: {density: 0.8, shape: {" SPHERE
        "}}\nexport:\n  - vdb: {fields: [density], precision: float, name: ball}\n",
        "  - collide: {wake: always, shape: {" SPHERE "}}\n"
        "export:\n  - vdb: {fields: [solid, solid_vel], precision: float, name: hull}\n"};
    for (int i = 0; i < 2; i++) {
        struct test_run r = run(1003, 1, stage[i], 2, folder);
        cr_assert_eq(r.status, BW_OK, "%s", r.diag.text);
        test_end(&r);
    }
}

Test(sources, fog_comes_back_as_it_was_written)
{
    ball_export();
    struct test_run a = run(1001, 1, "  - emit: {density: 0.8, shape: {" SPHERE "}}\n", 2, NULL);
    struct test_run b = run(1001, 1, "  - emit: {density: 1, shape: {vdb: {file: @/vdb/ball_####.vdb}}}\n", 2, NULL);
    cr_assert_eq(a.status, BW_OK);
    cr_assert_eq(b.status, BW_OK, "%s", b.diag.text);
    double sum, worst = difference(&a, &b, "density", 0, &sum);
    printf("fog: largest difference %.2g of 0.8\n", worst);
    cr_assert_gt(sum, 100);
    cr_assert_lt(worst, 1e-6);
    test_end(&a);
    test_end(&b);
}

/* `scale` multiplies lengths, on the way out and on the way in, in every stage and exporter. */
Test(sources, centimetres_there_and_back)
{
    static const char *const wind = "  - emit: {density: 0.8, shape: {" SPHERE "}}\n"
                                    "  - set: {field: vel, value: [1 + x, 2, 3 + z], keep: true}\n";
    static const char *const back = "  - load: {path: @/vdb/cm_1001.vdb, scale: %s,\n"
                                    "           fields: [{field: density}, {field: vel}]}\n";
    char stages[512];
    snprintf(
        stages, sizeof stages,
        "%sexport:\n  - vdb: {name: cm, fields: [density, vel], scale: 100, precision: float, velocity: staggered}\n",
        wind);
    struct test_run a = run(1001, 1, stages, 2, folder);
    snprintf(stages, sizeof stages, back, "0.01");
    struct test_run b = run(1001, 1, stages, 2, NULL);
    struct test_run c =
        run(1001, 1, "  - emit: {density: 1, shape: {vdb: {file: @/vdb/cm_1001.vdb, scale: 0.01}}}\n", 2, NULL);
    snprintf(stages, sizeof stages, back, "1");
    struct test_run wrong = run(1001, 1, stages, 2, NULL);
    cr_assert_eq(a.status, BW_OK, "%s", a.diag.text);
    cr_assert_eq(b.status, BW_OK, "%s", b.diag.text);
    cr_assert_eq(c.status, BW_OK, "%s", c.diag.text);
    double sum, smoke = difference(&a, &b, "density", 0, &sum), other = difference(&a, &c, "density", 0, &sum);
    cr_assert(sum > 100 && smoke < 1e-6 && other < 1e-6, "%g of smoke, off by %g and %g", sum, smoke, other);
    int32_t n[3], m[3], at = 0;
    double *was = test_field(&a, "vel", 2, n), *is = test_field(&b, "vel", 2, n),
           *fog = test_field(&b, "density", 0, m);
    for (int32_t i = 0; i < m[0] * m[1] * m[2]; i++) { /* the file ends a few cells around the smoke */
        const int32_t q = i % m[0] + n[0] * (i / m[0] % m[1] + n[1] * (i / m[0] / m[1]));
        at += fog[i] > 0.1;
        cr_assert(fog[i] <= 0.1 || fabs(is[q] - was[q]) < 1e-5, "%d: %g m/s, not %g", i, is[q], was[q]);
    }
    cr_assert_gt(at, 100);
    bw_free(was);
    bw_free(is);
    bw_free(fog);
    cr_assert(wrong.status != BW_OK || difference(&a, &wrong, "density", 0, &sum) > 0.1);
    test_end(&a);
    test_end(&b);
    test_end(&c);
    test_end(&wrong);
}

/* The distance is linear across the surface, so a level set covers cells as the sphere does, up to its curvature. */
Test(sources, level_set_covers_what_its_sphere_does)
{
    ball_export();
    struct test_run a = run(1001, 1, "  - emit: {density: 1, shape: {" SPHERE "}}\n", 2, NULL);
    struct test_run b =
        run(1001, 1, "  - emit: {density: 1, shape: {vdb: {file: @/vdb/hull_1001.vdb, grid: solid}}}\n", 2, NULL);
    struct test_run t =
        run(1001, 1,
            "  - emit: {density: 1, shape: {vdb: {file: @/vdb/hull_1001.vdb, grid: solid, scale: 0.5, rotate: [0, "
            "0, 90 deg], center: [0.2, 0, 0.4]}}}\n",
            2, NULL);
    struct test_run c = run(
        1001, 1, "  - emit: {density: 1, shape: {sphere: {center: [0.21, 0.065, 0.75], radius: 10.5 cm}}}\n", 2, NULL);
    cr_assert_eq(b.status, BW_OK, "%s", b.diag.text);
    cr_assert_eq(t.status, BW_OK, "%s", t.diag.text);
    double sum, worst = difference(&a, &b, "density", 0, &sum), turned = difference(&c, &t, "density", 0, &sum);
    printf("level set: largest difference %.2g; at half the size, turned: %.2g\n", worst, turned);
    cr_assert_lt(worst, 1e-5);
    cr_assert_lt(turned, 0.03);
    test_end(&a);
    test_end(&b);
    test_end(&t);
    test_end(&c);
}

/* Files 1001 to 1003 exist; 1001 is the run's first. */
Test(sources, sequences_end_as_told)
{
    static const char *const stage =
        "  - emit: {density: 1, shape: {vdb: {file: @/vdb/ball_####.vdb, offset: 5, outside: %s}}}\n";
    static const char *const word[] = {"hold", "loop", "blank"};
    ball_export();
    for (int i = 0; i < 3; i++) {
        char text[512];
        snprintf(text, sizeof text, stage, word[i]);
        struct test_run r = run(1001, 1, text, 2, NULL);
        cr_assert_eq(r.status, BW_OK, "%s", r.diag.text);
        int32_t n[3];
        double *v = test_field(&r, "density", 0, n), most = 0;
        for (int q = 0; q < n[0] * n[1] * n[2]; q++) most = fmax(most, v[q]);
        cr_assert_float_eq(most, i == 2 ? 0 : 0.8, 1e-6, "%s: %g", word[i], most);
        bw_free(v);
        test_end(&r);
    }
}

Test(sources, vdb_files_that_do_not_fit)
{
    ball_export();
    text_write("no.vdb", "nothing");
    refused("  - emit: {density: 1, shape: {vdb: {file: @/vdb/ball_1001.vdb, grid: smoke}}}\n", "it holds density");
    refused("  - emit: {density: 1, shape: {vdb: {file: @/vdb/hull_1001.vdb, grid: solid_vel}}}\n", "holds vectors");
    refused("  - emit: {density: 1, shape: {vdb: {file: @/no.vdb}}}\n", "no.vdb");
    refused("  - emit: {density: 1, shape: {vdb: {file: @/none_####.vdb}}}\n", "none_####.vdb");
    refused("  - emit: {density: 1, shape: {vdb: {file: @/vdb/ball_1001.vdb, form: level-set}}}\n",
            "a level set's is positive");
    refused("  - collide: {shape: {vdb: {file: @/vdb/ball_1001.vdb}}}\n", "is a fog volume");
}

/* A level set as obstacle is the sphere it was made from. */
Test(sources, level_set_as_obstacle)
{
    ball_export();
    struct test_run a = run(1001, 1, "  - collide: {wake: always, shape: {" SPHERE "}}\n", 2, NULL);
    struct test_run b =
        run(1001, 1, "  - collide: {wake: always, shape: {vdb: {file: @/vdb/hull_1001.vdb, grid: solid}}}\n", 2, NULL);
    cr_assert_eq(b.status, BW_OK, "%s", b.diag.text);
    int32_t n[3];
    double *x = test_field(&a, "solid", 0, n), *y = test_field(&b, "solid", 0, n), worst = 0;
    int near = 0, wrong = 0;
    for (int i = 0; i < n[0] * n[1] * n[2]; i++) {
        wrong += (x[i] < 0) != (y[i] < 0);
        if (fabs(x[i]) > 0.05) continue;
        near++;
        worst = fmax(worst, fabs(x[i] - y[i]));
    }
    printf("level set as obstacle: %.2g m off within two cells, %d cells\n", worst, near);
    cr_assert_gt(near, 1000);
    cr_assert_eq(wrong, 0);
    cr_assert_lt(worst, 1e-5);
    bw_free(x);
    bw_free(y);
    test_end(&a);
    test_end(&b);
}
