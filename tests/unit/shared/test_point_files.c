// SPDX-License-Identifier: Apache-2.0
/* Points of CSV and PLY as sources: against spheres that move, in all forms of files; and files that are no good, named
 * with the line. */
#include "source_world.h"
#include <sys/stat.h>

TestSuite(points, .init = folder_make, .fini = folder_remove);

/* Two points that part, by a file a frame: with velocities, or changing places from file to file. */
static void pair_write(int frames, int with_velocity)
{
    for (int f = 0; f < frames; f++) {
        char name[32], text[512], a[128], b[128];
        const char *more = with_velocity ? "," : "";
        double t = f / 30.;
        snprintf(name, sizeof name, "p_%04d.csv", 1001 + f);
        snprintf(a, sizeof a, "7, %.9g,0,%.9g,0.1%s%s\r\n", 1.2 * t - .1, .6 + .3 * t, more,
                 with_velocity ? "1.2,0,0.3" : "");
        snprintf(b, sizeof b, "4,%.9g,-0.1,0.9,0.07%s%s\n\n", .3 - .9 * t, more, with_velocity ? "-0.9,0,0" : "");
        snprintf(text, sizeof text, "# two\nid, X,y,z, radius%s\n%s%s", with_velocity ? ",vx,vy,vz" : "", f % 2 ? a : b,
                 f % 2 ? b : a);
        text_write(name, text);
    }
}

#define PAIR_SPHERES                                                                                                   \
    "  - emit: {id: a, mode: max, density: 1, inherit_velocity: 1, shape: {sphere: {center: [\"=1.2*t - 0.1\", "       \
    "0, \"=0.6 + 0.3*t\"], radius: 10 cm}}}\n"                                                                         \
    "  - emit: {id: b, mode: max, density: 1, inherit_velocity: 1, shape: {sphere: {center: [\"=0.3 - 0.9*t\", "       \
    "-0.1, 0.9], radius: 7 cm}}}\n"
#define VEL "  - set: {field: vel, value: [0, 0, 0]}\n"

/* What two keyframed spheres leave, velocity included, is what two points leave: from velocities in the file, or from
 * positions in files whose points change places. */
Test(points, do_as_spheres_that_move)
{
    struct test_run a = run(1004, 2, VEL PAIR_SPHERES, 2, NULL);
    cr_assert_eq(a.status, BW_OK, "%s", a.diag.text);
    for (int own = 0; own < 2; own++) {
        pair_write(6, own);
        struct test_run b =
            run(1004, 2,
                VEL "  - emit: {mode: max, density: 1, inherit_velocity: 1, shape: {points: {file: @/p_####.csv}}}\n",
                2, NULL);
        cr_assert_eq(b.status, BW_OK, "%s", b.diag.text);
        double sum, flow, worst = difference(&a, &b, "density", 0, &sum), u = difference(&a, &b, "vel", 0, &flow),
                          w = difference(&a, &b, "vel", 2, &flow);
        printf("points, %s: density off by %.2g of 1, u by %.2g of 1.2 m/s, w by %.2g of 0.3\n",
               own ? "velocities of the file" : "velocities by id", worst, u, w);
        cr_assert_gt(sum, 300);
        cr_assert_lt(worst, 2e-3);
        cr_assert_lt(u, 6e-3);
        cr_assert_lt(w, 3e-3);
        test_end(&b);
    }
    test_end(&a);
}

static void ply_write(const char *name, int form, int n, const float (*row)[7])
{
    static const char *const forms[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    fprintf(f,
            "ply\nformat %s 1.0\ncomment of points\nelement vertex %d\nproperty float x\nproperty float y\n"
            "property float z\n"
            "property uchar red\nproperty float radius\nproperty float vx\nproperty float vy\nproperty float vz\n"
            "end_header\n",
            forms[form], n);
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 8; c++) {
            float v = c == 3 ? 200 : row[i][c > 3 ? c - 1 : c];
            uint32_t u;
            memcpy(&u, &v, 4);
            if (form == 2) u = __builtin_bswap32(u);
            if (form == 0) fprintf(f, "%.12g%c", (double)v, c == 7 ? '\n' : ' ');
            else if (c == 3) fputc(200, f);
            else fwrite(&u, 4, 1, f);
        }
    fclose(f);
}

/* Every form of file gives the same bits, on one thread and on two. */
Test(points, in_all_forms)
{
    enum { N = 500 };
    static float row[N][7];
    char csv[N * 100], *at = csv;
    at += sprintf(at, "x,y,z,radius,vx,vy,vz,note\n");
    for (int i = 0; i < N; i++) {
        for (int c = 0; c < 7; c++)
            row[i][c] = (float)floor(400 * bw_rng_unit(5, (uint64_t)(7 * i + c))) / 1024; // the same in any form
        row[i][2] += 0.5f;
        row[i][3] = (8 + row[i][3] * 64) / 1024;
        for (int c = 0; c < 7; c++) at += sprintf(at, "%.12g,", (double)row[i][c]);
        at += sprintf(at, "\"a\"\n");
    }
    text_write("p.csv", csv);
    for (int form = 0; form < 3; form++)
        ply_write(form == 0 ? "p0.ply" : form == 1 ? "p1.ply" : "p2.ply", form, N, (const float(*)[7])row);
    static const char *const name[] = {"p.csv", "p0.ply", "p1.ply", "p2.ply", "p2.ply"};
    uint64_t first[2] = {0, 0};
    for (int i = 0; i < 5; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 VEL "  - emit: {mode: max, density: 1, inherit_velocity: 1, shape: {points: {file: @/%s}}, noise: "
                     "{amount: 0.5}}\n",
                 name[i]);
        struct test_run r = run(1002, 2, text, i == 4 ? 1 : 2, NULL);
        cr_assert_eq(r.status, BW_OK, "%s", r.diag.text);
        uint64_t h[2] = {test_hash(&r, "density"), test_hash(&r, "vel")};
        if (i == 0) memcpy(first, h, sizeof h);
        cr_assert(h[0] == first[0] && h[1] == first[1], "%s differs", name[i]);
        test_end(&r);
    }
}

/* The same ball by tabs, in whole numbers as text, and in whole numbers of several widths, which are signed or not. */
Test(points, in_whole_numbers)
{
#define HEADING(format)                                                                                                \
    "ply\nformat " format                                                                                              \
    " 1.0\ncomment one\nelement vertex 1\nproperty uint16 y\nproperty int other\nproperty int8 x\n"                    \
    "property uchar radius\nproperty short z\nend_header\n"
    static const char csv[] = "x,y,z,radius\n-100,700,-300,210\n";
    static const char tabs[] = "# by tabs\r\nX\tnote\t\"Y\"\tZ\tRadius\r\n\r\n-100\t\t700\t-300\t210";
    static const char text[] = HEADING("ascii") "700 7 -100 210 -300\n";
    static const char little[] = HEADING("binary_little_endian") "\xbc\x02\xff\xff\xff\x7f\x9c\xd2\xd4\xfe";
    static const char big[] = HEADING("binary_big_endian") "\x02\xbc\x7f\xff\xff\xff\x9c\xd2\xfe\xd4";
    static const struct {
        const char *name, *bytes;
        size_t size;
    } file[] = {{"w.csv", csv, sizeof csv - 1},
                {"tabs.csv", tabs, sizeof tabs - 1},
                {"text.ply", text, sizeof text - 1},
                {"little.ply", little, sizeof little - 1},
                {"big.ply", big, sizeof big - 1}};
    uint64_t first = 0;
    for (size_t i = 0; i < BW_COUNT(file); i++) {
        char stages[256];
        double sum;
        file_write(file[i].name, file[i].bytes, file[i].size);
        snprintf(stages, sizeof stages,
                 "  - emit: {density: 1, shape: {points: {file: @/%s, up: y, scale: 0.001, grow: 0.5, center: [0.1, "
                 "0, 0.05]}}}\n",
                 file[i].name);
        struct test_run r = run(1001, 1, stages, 2, NULL);
        cr_assert_eq(r.status, BW_OK, "%s: %s", file[i].name, r.diag.text);
        difference(&r, &r, "density", 0, &sum);
        cr_assert_gt(sum, 100);
        if (i == 0) first = test_hash(&r, "density");
        cr_assert_eq(test_hash(&r, "density"), first, "%s differs", file[i].name);
        test_end(&r);
    }
}

/* The same ball as spreadsheets and other programs write it. */
Test(points, as_other_programs_write_them)
{
    static const char *const file[] = {
        "x,y,z,radius\n-100,700,-300,210\n",
        "\xef\xbb\xbfx,y,z,radius\r\n-100,700,-300,210\r\n",
        "x,y,z,radius\r\r-100,700,-300,210",
        "name,x,y,z,radius\n\"a, \"\"b\"\"\n# c\",-100,\" 700 \",-300, 210 \n",
        "\"x\",\"no, te\",\"Y\",\"z\",\"Radius\"\n\"-100\",,\"700\",-300,210",
        "x;y;z;radius\n\"-100,0\";700,00;-3e2;210.0\n",
        "sep=;\r\nnote;x;y;z;radius\r\n1,2;-100;700;-300;210\r\n",
        "x\ty\tz\tradius\tnote\n-100\t700\t-300\t210\tone, two; three\n",
    };
    uint64_t first = 0;
    for (size_t i = 0; i < BW_COUNT(file); i++) {
        text_write("sheet.csv", file[i]);
        struct test_run r = run(1001, 1,
                                "  - emit: {density: 1, shape: {points: {file: @/sheet.csv, up: y, scale: 0.001, grow: "
                                "0.5, center: [0.1, 0, 0.05]}}}\n",
                                2, NULL);
        cr_assert_eq(r.status, BW_OK, "%zu: %s", i, r.diag.text);
        if (i == 0) first = test_hash(&r, "density");
        cr_expect_eq(test_hash(&r, "density"), first, "%zu differs", i);
        test_end(&r);
    }
}

/* PLY whose vertices are not the first element, or have lists, or more numbers than the heading says. */
Test(points, of_ply_as_other_programs_write_it)
{
#define XYZ "element vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
#define RADIUS "property float radius\n"
#define FACES "element face 2\nproperty list uchar int vertex_indices\nproperty uchar red\n"
    static const struct {
        const char *text, *word;
    } file[] = {
        {"ply\nformat ascii 1.0\n" XYZ RADIUS "end_header\n-100 700 -300 210\n", NULL},
        {"ply\nformat ascii 1.0\n" FACES XYZ RADIUS "end_header\n3 0 0 0 7\n0 1\n-100 700 -300 210\n", NULL},
        {"ply\rformat ascii 1.0\r"
         "element vertex 1\rproperty float x\rproperty float y\rproperty float z\r"
         "property float radius\rend_header\r-100 700 -300 210\r",
         NULL},
        {"ply\nformat ascii 1.0\n" XYZ "property list uchar int near\n" RADIUS FACES
         "end_header\n-100 700 -300 2 8 9 210\n0 1\n0 2\n",
         NULL},
        {"ply\nformat ascii 1.0\n" XYZ RADIUS "end_header\n-100 700 -300 210 255 0 9\n",
         "sheet.ply:9: from here on 1 rows have more numbers than the heading says"},
        {"ply\nformat ascii 1.0\n" XYZ RADIUS "end_header\n-100 700 -300 210\n1 2 3 4\n",
         "sheet.ply: what stands behind its last row is not read"},
    };
    uint64_t first = 0;
    for (size_t i = 0; i < BW_COUNT(file); i++) {
        text_write("sheet.ply", file[i].text);
        struct test_run r = run(1001, 1,
                                "  - emit: {density: 1, shape: {points: {file: @/sheet.ply, up: y, scale: 0.001, grow: "
                                "0.5, center: [0.1, 0, 0.05]}}}\n",
                                2, NULL);
        cr_assert_eq(r.status, BW_OK, "%zu: %s", i, r.diag.text);
        if (i == 0) first = test_hash(&r, "density");
        cr_expect_eq(test_hash(&r, "density"), first, "%zu differs", i);
        cr_expect(file[i].word ? strstr(warned, file[i].word) != NULL : !warned[0], "%zu: %s", i, warned);
        test_end(&r);
    }
}

/* Radius: the file's times `grow`, or the row's; up: y; scale in centimetres. */
Test(points, are_placed_as_told)
{
    text_write("one.csv", "x,y,z,radius\n10,70,5,21\n");
    struct test_run a = run(
        1001, 1, "  - emit: {density: 1, shape: {sphere: {center: [0.2, -0.05, 0.75], radius: 10.5 cm}}}\n", 2, NULL);
    struct test_run b =
        run(1001, 1,
            "  - emit: {density: 1, shape: {points: {file: @/one.csv, up: y, scale: 0.01, grow: 0.5, center: [0.1, "
            "0, 0.05]}}}\n",
            2, NULL);
    cr_assert_eq(b.status, BW_OK, "%s", b.diag.text);
    double sum, worst = difference(&a, &b, "density", 0, &sum);
    cr_assert_gt(sum, 100);
    cr_assert_lt(worst, 1e-5, "off by %g", worst);
    test_end(&a);
    test_end(&b);
}

Test(points, that_are_no_good)
{
#define POINTS(file) "  - emit: {density: 1, shape: {points: {file: @/" file "}}}\n"
    text_write("a.csv", "x,y,z\n1,2,3\n4,five,6\n");
    text_write("b.csv", "x,y,radius\n1,2,3\n");
    text_write("c.csv", "x,y,z\n1,2\n");
    text_write("d.csv", "x,y,z,radius\n1,2,3,4\n\n1,2,3,-4\n");
    text_write("e.csv", "x,y,z,vx\n");
    text_write("f.csv", "x,y,z\n1,2,nan\n");
    text_write("g.csv", "");
    text_write("h.ply",
               "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n"
               "end_header\n1 2 3\n4 5\n");
    text_write("i.ply", "ply\nformat binary_little_endian 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
                        "property float z\nend_header\n123412341234");
    text_write("j.ply", "ply\nformat ascii 1.0\nelement vertex 2\nproperty quad x\n");
    text_write("k.ply", "ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty float x\nproperty float y\n"
                        "property float z\nend_header\n");
    text_write("l.ply",
               "ply\nformat ascii 1.0\nelement face 2\nproperty list uchar int vertex_indices\nelement vertex 1\n"
               "end_header\n");
    refused(POINTS("a.csv"), "a.csv:3: \"five\" is no number");
    refused(POINTS("b.csv"), "b.csv:1: columns x, y and z are wanted; z is not there");
    refused(POINTS("c.csv"), "c.csv:2: the line has fewer cells");
    refused(POINTS("d.csv"), "d.csv:4: a place or velocity is not finite, or the radius negative");
    refused(POINTS("e.csv"), "e.csv:1: a velocity has vx, vy and vz");
    refused(POINTS("f.csv"), "f.csv:2: a place");
    refused(POINTS("g.csv"), "g.csv is empty");
    refused(POINTS("h.ply"), "h.ply:9: a number is missing");
    refused(POINTS("i.ply"), "i.ply: row 2 of 2: the file is cut short");
    refused(POINTS("j.ply"), "j.ply:4: a property's type is unknown");
    refused(POINTS("k.ply"), "k.ply:3: element vertex has 99999999999 rows, more than the file can hold");
    refused(POINTS("l.ply"), "l.ply:6: the file is cut short");
    refused(POINTS("none.csv"), "none.csv");
    text_write("m.csv", "x,y,z,id\n1,2,3,1e300\n");
    refused(POINTS("m.csv"), "m.csv:2: an id is no whole number");
    text_write("n.csv", "x,y,z\n1,2,3\n\"4,5,6\n7,8,9\n");
    refused(POINTS("n.csv"), "n.csv:3: a quote is not closed");
    text_write("n.csv", "x,y,z,note\n1,2,3,\"a\nb\"\n\n4,5,six,\n");
    refused(POINTS("n.csv"), "n.csv:5: \"six\" is no number");
    text_write("n.csv", "x,y,z\n1,2,\"3\n4\"\n");
    refused(POINTS("n.csv"), "n.csv:2: \"3?4\" is no number");
    text_write("n.csv", "x;y;z\n1;2;3\n1,5;2,5,5;3\n");
    refused(POINTS("n.csv"), "n.csv:3: \"2.5,5\" is no number");
    file_write("n.csv", "\xff\xfex\0,\0y\0", 8);
    refused(POINTS("n.csv"), "n.csv is text in UTF-16: UTF-8 is wanted");
    file_write("n.csv", "\0x\0,\0y\0,\0z", 10);
    refused(POINTS("n.csv"), "n.csv is text in UTF-16: UTF-8 is wanted");
    file_write("n.csv", "x,y,z\n1,2,3\0 4\n", 16);
    refused(POINTS("n.csv"), "n.csv:2: \"3\" is no number");
    refused(POINTS("."), "is not a file");
    char path[128];
    snprintf(path, sizeof path, "%s/pipe.csv", folder);
    cr_assert(!mkfifo(path, 0600));
    refused(POINTS("pipe.csv"), "pipe.csv is not a file"); // and not waited for
    refused("  - collide: {shape: {points: {file: @/a.csv}}}\n", "points");
    refused("  - force: {kind: {wind: {velocity: [1, 0, 0]}}, shape: {points: {file: @/a.csv}}}\n" VEL,
            "for sources only");
}
