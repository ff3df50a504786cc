// SPDX-License-Identifier: Apache-2.0
/* OBJ, PLY and STL as programs of others write them: a box of 1 x 2 x 3 m each time. */
#include "mesh_bench.h"

TestSuite(mesh_kinds, .init = bench_begin, .fini = bench_end);

#define APPEND(text, ...) snprintf((text) + strlen(text), sizeof(text) - strlen(text), __VA_ARGS__)

/* ---- OBJ ---- */

static size_t obj_text(char *out, size_t room, const char *end, const char *extra)
{
    out[0] = '\0';
    for (int i = 0; i < 8; i++)
        snprintf(out + strlen(out), room - strlen(out), "v %g %g %g%s", box_corner(i, 0), box_corner(i, 1),
                 box_corner(i, 2), end);
    for (int i = 0; i < 12; i++)
        snprintf(out + strlen(out), room - strlen(out), "f %d %d %d%s", box_face[i][0] + 1, box_face[i][1] + 1,
                 box_face[i][2] + 1, end);
    snprintf(out + strlen(out), room - strlen(out), "%s", extra);
    return strlen(out);
}

static void utf16_put(const char *name, const char *text, int big, int mark)
{
    char out[8192];
    size_t n = 0;
    if (mark) out[n++] = (char)(big ? 0xfe : 0xff), out[n++] = (char)(big ? 0xff : 0xfe);
    for (const char *c = text; *c; c++) out[n++] = big ? 0 : *c, out[n++] = big ? *c : 0;
    bytes_put(name, out, n);
}

Test(mesh_kinds, obj_of_any_encoding)
{
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    char text[4096], marked[4100];
    for (int e = 0; e < 3; e++) {
        obj_text(text, sizeof text, ends[e], "");
        text_put("plain.obj", text);
        reads("plain.obj", 12, BOX_AREA, zero, box_size, NULL);
        snprintf(marked, sizeof marked, "\xef\xbb\xbf%s", text);
        text_put("mark.obj", marked);
        reads("mark.obj", 12, BOX_AREA, zero, box_size, NULL);
        for (int i = 0; i < 4; i++) {
            utf16_put("wide.obj", text, i & 1, i >> 1);
            reads("wide.obj", 12, BOX_AREA, zero, box_size, NULL);
        }
    }
}

/* One face of a large mesh is no reason to refuse it: it is counted, and the first one's line told. */
Test(mesh_kinds, obj_with_a_bad_face)
{
    static const struct {
        const char *extra, *word;
    } bad[] = {
        {"f 1 2 9\n", "bad.obj:21: 1 face of it is left out; the first thing wrong: a face names place 9"},
        {"f 0 1 2\nf 1 2\n", "bad.obj:21: 2 faces of it are left out; the first thing wrong: a face names place 0"},
        {"v 1 2\nf 1 2 9\n", "bad.obj:21: 1 face of it is left out; the first thing wrong: a place has three numbers"},
        {"v 1 nan 0\nf 1 2 -1\n",
         "bad.obj:21: 1 face of it is left out; the first thing wrong: point 9 is not a number"},
        {"f 1 2 three\n", "bad.obj:21: 1 face of it is left out; the first thing wrong: corner 3 of a face is none"},
    };
    char text[4096];
    for (size_t i = 0; i < BW_COUNT(bad); i++) {
        obj_text(text, sizeof text, "\n", bad[i].extra);
        text_put("bad.obj", text);
        reads("bad.obj", 12, BOX_AREA, zero, box_size, bad[i].word);
    }
}

/* A round lid of 5000 corners, and one that turns inward. */
Test(mesh_kinds, faces_of_many_corners)
{
    static char text[400000];
    for (int inward = 0; inward < 2; inward++) {
        const int n = 5000;
        size_t at = 0;
        for (int i = 0; i < n; i++) {
            const double r = inward && i % 2 ? 0.9 : 1, turn = 6.283185307179586 * i / n;
            at += (size_t)snprintf(text + at, sizeof text - at, "v %.9f %.9f 0\n", r * cos(turn), r * sin(turn));
        }
        at += (size_t)snprintf(text + at, sizeof text - at, "f");
        for (int i = 0; i < n; i++) at += (size_t)snprintf(text + at, sizeof text - at, " %d", i + 1);
        text_put("lid.obj", text);
        const struct found f = found("lid.obj");
        cr_assert_eq(f.triangles, n - 2, "%s%s", said, warned);
        cr_assert_float_eq(f.area, inward ? 0.9 * 3.14159 : 3.14159, 1e-3, "%g", f.area);
    }
}

Test(mesh_kinds, what_is_no_triangle_is_said)
{
    text_put("points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    refuses("points.obj", "points.obj holds no triangles, only 3 points: the shape `points` reads those");
    text_put("lines.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n");
    refuses("lines.obj", "holds no triangles, only lines");
    text_put("surf.obj", "v 0 0 0\nv 1 0 0\nsurf 0 1 0 1 1 2\n");
    refuses("surf.obj", "free-form surfaces");
    text_put("scan.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
                         "property float z\nend_header\n0 0 0\n");
    refuses("scan.ply", "only 1 point: the shape `points`");
}

Test(mesh_kinds, what_is_not_read_is_named)
{
    bytes_put("wide.obj", "\xff\xfe\0\0v\0\0\0 \0\0\0", 12);
    refuses("wide.obj", "wide.obj is text in UTF-32, which is not read: save it as UTF-8");
    bytes_put("packed.obj", "\x1f\x8b\b\0\0\0\0\0", 8);
    refuses("packed.obj", "packed.obj is packed by gzip, which is not read: save it as OBJ");
    text_put("scene.dae", "<?xml version=\"1.0\"?>\n");
    refuses("scene.dae", "scene.dae is XML, as COLLADA and X3D are, which is not read");
    text_put("car.obj", "Kaydara FBX Binary  \n");
    refuses("car.obj", "car.obj is FBX, which");
}

/* ---- PLY ---- */

#define VERTEX "element vertex 8\nproperty double x\nproperty double y\nproperty double z\n"
#define FACE "element face 12\nproperty list uchar int vertex_indices\n"

static void vertices_put(char *text, size_t room, const char *extra)
{
    for (int i = 0; i < 8; i++)
        snprintf(text + strlen(text), room - strlen(text), "%g %g %g%s\n", box_corner(i, 0), box_corner(i, 1),
                 box_corner(i, 2), extra);
}

static void faces_put(char *text, size_t room, const char *extra)
{
    for (int i = 0; i < 12; i++)
        snprintf(text + strlen(text), room - strlen(text), "3 %d %d %d%s\n", box_face[i][0], box_face[i][1],
                 box_face[i][2], extra);
}

static void ply_put(const char *vertex, const char *face, const char *rest)
{
    char text[4096] = "ply\nformat ascii 1.0\n" VERTEX FACE "end_header\n";
    vertices_put(text, sizeof text, vertex);
    faces_put(text, sizeof text, face);
    APPEND(text, "%s", rest);
    text_put("rows.ply", text);
}

Test(mesh_kinds, ply_rows_are_lines)
{
    ply_put("", "", "");
    reads("rows.ply", 12, BOX_AREA, zero, box_size, NULL);
    ply_put(" 255 0 128", "", "");
    reads("rows.ply", 12, BOX_AREA, zero, box_size, "rows.ply:10: from here on 8 rows have more numbers");
    ply_put("", " 7", "");
    reads("rows.ply", 12, BOX_AREA, zero, box_size, "rows.ply:18: from here on 12 rows have more numbers");
    ply_put("", "", "1 2 3\n\n4 5\n");
    reads("rows.ply", 12, BOX_AREA, zero, box_size, "rows.ply: 2 lines behind its last row are not read");
}

/* A row that is short spoils no other one. */
Test(mesh_kinds, ply_with_a_short_row)
{
    char text[4096] = "ply\nformat ascii 1.0\n" VERTEX "element face 13\nproperty list uchar int vertex_indices\n"
                      "end_header\n";
    vertices_put(text, sizeof text, "");
    APPEND(text, "3 0 1\n");
    faces_put(text, sizeof text, "");
    text_put("short.ply", text);
    reads("short.ply", 12, BOX_AREA, zero, box_size,
          "short.ply:18: 1 face of it is left out; the first thing wrong: "
          "the row has fewer numbers than the heading says");
}

/* Numbers of a row over several lines: then no row is taken for a line. */
Test(mesh_kinds, ply_of_wrapped_rows)
{
    char text[4096] = "ply\nformat ascii 1.0\n" VERTEX FACE "end_header\n";
    for (int i = 0; i < 8; i++) APPEND(text, "%g\n%g\n%g\n", box_corner(i, 0), box_corner(i, 1), box_corner(i, 2));
    faces_put(text, sizeof text, "");
    text_put("wrapped.ply", text);
    reads("wrapped.ply", 12, BOX_AREA, zero, box_size, NULL);
}

Test(mesh_kinds, ply_elements_in_any_order)
{
    char text[4096] = "ply\nformat ascii 1.0\n" FACE
                      "element edge 1\nproperty int vertex1\nproperty int vertex2\n" VERTEX "end_header\n";
    faces_put(text, sizeof text, "");
    APPEND(text, "0 1\n");
    vertices_put(text, sizeof text, "");
    text_put("order.ply", text);
    reads("order.ply", 12, BOX_AREA, zero, box_size, NULL);
}

static void binary_put(const char *rest, size_t n_rest)
{
    static const char head[] = "ply\nformat binary_little_endian 1.0\n" FACE VERTEX "end_header\n";
    char out[4096];
    size_t n = sizeof head - 1;
    memcpy(out, head, n);
    for (int i = 0; i < 12; i++) {
        const int32_t corner[3] = {box_face[i][0], box_face[i][1], box_face[i][2]};
        out[n++] = 3;
        memcpy(out + n, corner, sizeof corner), n += sizeof corner;
    }
    for (int i = 0; i < 24; i++) {
        const double x = box_corner(i / 3, i % 3);
        memcpy(out + n, &x, sizeof x), n += sizeof x;
    }
    memcpy(out + n, rest, n_rest);
    bytes_put("binary.ply", out, n + n_rest);
}

Test(mesh_kinds, ply_binary_with_faces_first_and_a_rest)
{
    binary_put("", 0);
    reads("binary.ply", 12, BOX_AREA, zero, box_size, NULL);
    binary_put("padding.", 8);
    reads("binary.ply", 12, BOX_AREA, zero, box_size, "8 bytes behind its last row are not read");
}

/* Strips, the first of which ends with -1. */
Test(mesh_kinds, ply_strips)
{
    char text[4096] = "ply\nformat ascii 1.0\n" VERTEX "element tristrips 1\nproperty list int int vertex_indices\n"
                      "end_header\n";
    vertices_put(text, sizeof text, "");
    APPEND(text, "18 0 1 2 3 6 7 4 5 0 1 -1 0 2 4 6 -1 1 5\n");
    text_put("strips.ply", text);
    reads("strips.ply", 10, 22 - 6, zero, box_size, NULL);
}

/* ---- STL ---- */

static void facets_put(char *text, size_t room, const char *end_loop, const char *end_facet)
{
    for (int i = 0; i < 12; i++) {
        snprintf(text + strlen(text), room - strlen(text), "facet normal 0 0 0\nouter loop\n");
        for (int c = 0; c < 3; c++)
            snprintf(text + strlen(text), room - strlen(text), "vertex %g %g %g\n", box_corner(box_face[i][c], 0),
                     box_corner(box_face[i][c], 1), box_corner(box_face[i][c], 2));
        snprintf(text + strlen(text), room - strlen(text), "%s\n%s\n", end_loop, end_facet);
    }
}

Test(mesh_kinds, stl_texts_of_cad_programs)
{
    static const struct {
        const char *begin, *end_loop, *end_facet, *end, *word;
    } kind[] = {
        {"solid part", "endloop", "endfacet", "endsolid part", NULL},
        {"\xef\xbb\xbfsolid part", "endloop", "endfacet", "endsolid", NULL},
        {"SOLID part", "ENDLOOP", "ENDFACET", "ENDSOLID", NULL},
        {"solid part", "end loop", "endfacet", "endsolid", NULL},
        {"solid part", "endloop", "end facet", "end solid part", NULL},
        {"solid facet of a thing", "endloop", "endfacet", "", "stl.stl:85: its last solid does not end"},
        {"\nsolid \xc3\xbc\ncolor 1 0 0", "endloop", "endfacet", "endsolid", NULL},
        {"solid part\nfacet normal 0 0 1\nouter loop\nvertex 0 0 x\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet",
         "endloop", "endfacet", "endsolid", "stl.stl:7: 1 face of it is left out; the first thing wrong: a vertex"},
    };
    char text[8192];
    for (size_t i = 0; i < BW_COUNT(kind); i++) {
        snprintf(text, sizeof text, "%s\n", kind[i].begin);
        facets_put(text, sizeof text, kind[i].end_loop, kind[i].end_facet);
        APPEND(text, "%s\n", kind[i].end);
        text_put("stl.stl", text);
        reads("stl.stl", 12, BOX_AREA, zero, box_size, kind[i].word);
        bytes_put("zeros.stl", text, strlen(text) + 1);
        reads("zeros.stl", 12, BOX_AREA, zero, box_size, kind[i].word ? "" : NULL);
        if (i) continue;
        utf16_put("wide.stl", text, 0, 1);
        reads("wide.stl", 12, BOX_AREA, zero, box_size, NULL);
    }
}

static size_t stl_binary(char *out, const char *head, uint32_t count)
{
    memset(out, ' ', 80);
    memcpy(out, head, strlen(head));
    memcpy(out + 80, &count, 4);
    for (int i = 0; i < 12; i++) {
        float x[12] = {0};
        for (int k = 0; k < 9; k++) x[3 + k] = (float)box_corner(box_face[i][k / 3], k % 3);
        memcpy(out + 84 + 50 * i, x, sizeof x);
        memset(out + 84 + 50 * i + 48, 0, 2);
    }
    return 84 + 50 * 12;
}

Test(mesh_kinds, stl_binaries_of_cad_programs)
{
    char out[1024] = "";
    bytes_put("b.stl", out, stl_binary(out, "solid of SolidWorks", 12));
    reads("b.stl", 12, BOX_AREA, zero, box_size, NULL);
    for (size_t tail = 1; tail < 4; tail++) {
        bytes_put("b.stl", out, stl_binary(out, "solid", 12) + tail);
        reads("b.stl", 12, BOX_AREA, zero, box_size, NULL);
    }
    bytes_put("b.stl", out, stl_binary(out, "streamed", 0));
    reads("b.stl", 12, BOX_AREA, zero, box_size, "does not tell how many triangles it has: 12 by its size");
    bytes_put("b.stl", out, stl_binary(out, "solid", 13));
    refuses("b.stl", "cut short: it promises 13 triangles and holds 12");
    bytes_put("b.stl", out, stl_binary(out, "rest", 11));
    const struct found f = found("b.stl");
    cr_assert(f.triangles == 11 && strstr(warned, "50 bytes behind its last triangle"), "%s", warned);
}

/* Its own first bytes say what a file is, whatever its name. */
Test(mesh_kinds, stl_by_other_names)
{
    char obj[512] = "# a sheet\n";
    text_put("b.obj", "solid sheet\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
                      "endfacet\nendsolid sheet\n");
    cr_assert_eq(found("b.obj").triangles, 1);
    for (int i = 0; i < 30; i++) strcat(obj, "v 1 0 0\n");
    text_put("b.stl", strcat(obj, "f 1 2 3\n"));
    refuses("b.stl", "is no STL file: a text that does not begin with \"solid\"");
    text_put("b.stl", "v 1 0 0\n");
    refuses("b.stl", "is no STL file: a text that does not begin with \"solid\"");
}

/* ---- far from the origin ---- */

/* UTM, and millimetres with an offset: no digit is lost. */
Test(mesh_kinds, coordinates_are_doubles)
{
    static const double from[2][3] = {{500000.25, 4500000.5, 120}, {-3812345678.125, 91234567.0625, 2.5}};
    for (int i = 0; i < 2; i++) {
        const double *o = from[i], hi[3] = {o[0] + 1, o[1] + 2, o[2] + 3};
        char text[4096] = "", ply[4096] = "ply\nformat ascii 1.0\n" VERTEX FACE "end_header\n", stl[8192] = "solid\n";
        for (int k = 0; k < 8; k++) {
            const double x = o[0] + box_corner(k, 0), y = o[1] + box_corner(k, 1), z = o[2] + box_corner(k, 2);
            APPEND(text, "v %.6f %.6f %.6f\n", x, y, z);
            APPEND(ply, "%.6f %.6f %.6f\n", x, y, z);
        }
        for (int k = 0; k < 12; k++) {
            APPEND(text, "f %d %d %d\n", box_face[k][0] + 1, box_face[k][1] + 1, box_face[k][2] + 1);
            APPEND(stl, "facet normal 0 0 0\nouter loop\n");
            for (int c = 0; c < 3; c++)
                APPEND(stl, "vertex %.6f %.6f %.6f\n", o[0] + box_corner(box_face[k][c], 0),
                       o[1] + box_corner(box_face[k][c], 1), o[2] + box_corner(box_face[k][c], 2));
            APPEND(stl, "endloop\nendfacet\n");
        }
        faces_put(ply, sizeof ply, "");
        APPEND(stl, "endsolid\n");
        text_put("far.obj", text);
        text_put("far.ply", ply);
        text_put("far.stl", stl);
        reads("far.obj", 12, BOX_AREA, o, hi, NULL);
        reads("far.ply", 12, BOX_AREA, o, hi, NULL);
        reads("far.stl", 12, BOX_AREA, o, hi, NULL);
    }
}
