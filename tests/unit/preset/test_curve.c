// SPDX-License-Identifier: Apache-2.0
/* Curves of other programs: the same one from every format, in centimetres and y-up too, as a way and as places. */
#include "folder.h"
#include "preset/preset.h"
#include <math.h>

#define HEAD "billow: 1\ndomain: {cells: [32, 32, 32], voxel: 1 cm}\n"

static void file_write(const char *name, const char *text)
{
    FILE *f = file_new(name);
    fputs(text, f);
    fclose(f);
}

TestSuite(curve, .init = folder_make, .fini = folder_remove);

/* `what` of a stage, as the reader leaves it. */
static struct bw_preset *load(const char *what, struct bw_diag *d)
{
    char text[512], path[128];
    snprintf(text, sizeof text, HEAD "stages:\n  - emit: {way: %s}\n", what);
    file_write("a.yaml", text);
    snprintf(path, sizeof path, "%s/a.yaml", folder);
    return bw_preset_load(path, NULL, d);
}

static void numbers_take(const struct bw_node *n, double out[3])
{
    cr_assert_eq(n->count, 3);
    for (int a = 0; a < 3; a++) out[a] = strtod(n->child[a]->text, NULL);
}

/* From (1, 2, 3) a metre along x, then three up: at the way's quarter it turns. */
static void way_check(const char *curve, const char *what)
{
    static const double wanted[3][3] = {{1, 2, 3}, {2, 2, 4}, {2, 2, 6}}; // after 0, 2 and 4 metres
    struct bw_diag d = {0};
    char text[256];
    snprintf(text, sizeof text, "{curve: %s, frames: 1001-1003}", curve);
    struct bw_preset *p = load(text, &d);
    cr_assert_not_null(p, "%s: %s", what, d.text);
    const struct bw_node *keys = bw_node_get(bw_node_get(p->stage[0].node, "way"), "keys");
    cr_assert(keys && keys->count == 3, "%s", what);
    for (int i = 0; i < 3; i++) {
        char frame[16];
        double at[3];
        snprintf(frame, sizeof frame, "%d", 1001 + i);
        cr_expect_str_eq(keys->child[i]->key, frame, "%s", what);
        numbers_take(keys->child[i], at);
        for (int a = 0; a < 3; a++)
            cr_expect_float_eq(at[a], wanted[i][a], 1e-9, "%s: frame %d, axis %d: %g for %g", what, i, a, at[a],
                               wanted[i][a]);
    }
    bw_preset_free(p);
    bw_diag_free(&d);
}

Test(curve, every_format_is_the_same_way)
{
    file_write(
        "c.obj",
        "# four places, a line through three of them\nv 9 9 9\r\nv 1 2 3\nv 2 2 3\nv 2 2 6\nl 2 3/1 -1\nl 1 2\n");
    way_check("c.obj", "OBJ");
    file_write("c.obj", "v 100 300 -200\nv 200 300 -200\nv 200 600 -200\n");
    way_check("c.obj, scale: 0.01, up: y", "OBJ without a line, y up, centimetres");
    file_write("c.obj", "# Blender 3.4.1\n# www.blender.org\no Curve\nv 1 3 -2\nv 2 3 -2\nv 2 6 -2\nl 1 2\nl 2 3\n");
    way_check("c.obj, up: y", "Blender's OBJ as the preset has it");
    file_write("c.obj", "# Blender v2.93.0 OBJ File: ''\nv 1 3 -2\nv 2 3 -2\nv 2 6 -2\n");
    way_check("c.obj", "Blender's OBJ by its habit");
    file_write("c.csv", "t, Z, x, y\n0, 3, 1, 2\n\n1, 3, 2, 2\n2, 6, 2, 2\n");
    way_check("c.csv", "CSV with a head");
    file_write("c.csv", "1 2 3\n 2\t 2  3 \n# a remark\n2 2 6\n");
    way_check("c.csv", "CSV without, parted by blanks");
    file_write("c.csv", "\r\nx;y;z;note\r\n1,0;2;3;a, b\r\n2;\"2\";3,0;\r\n2;2;6;\r\n");
    way_check("c.csv", "CSV with commas for points, behind an empty line");
    file_write("c.csv", "\xef\xbb\xbf"
                        "1;2;3\r2;2;3\r2;2;6");
    way_check("c.csv", "lines of old Macs, a byte-order mark");
    file_write("C.CSV", "\"a, \"\"b\"\"\",x,\"y\",z\r\n\"one,\r\ntwo\",1,2,3\r\n#\r\n,2,\"2\",3\r\nx,2,2,6\r\n");
    way_check("C.CSV", "quoted cells");
}

/* Whose habit decided is told, unless the preset decides. */
Test(curve, habits_are_told)
{
    struct bw_diag d = {0};
    file_write("c.obj", "# Blender 3.4.1\nv 0 0 0\nv 0 1 0\n");
    struct bw_preset *p = load("[{curve: c.obj, points: 2}]", &d);
    cr_assert_not_null(p, "%s", d.text);
    cr_expect(p->notes && !strcmp(p->notes, "c.obj: written by Blender, y is up; say `up: z` if it is not\n"), "%s",
              p->notes);
    bw_preset_free(p);
    p = load("[{curve: c.obj, points: 2, up: z}]", &d);
    cr_assert_not_null(p, "%s", d.text);
    cr_expect_null(p->notes);
    bw_preset_free(p);
    bw_diag_free(&d);
}

Test(curve, places_on_it)
{
    struct bw_diag d = {0};
    file_write("c.csv", "0,0,0\n4,0,0\n");
    struct bw_preset *p = load("[{curve: c.csv, points: 5}]", &d);
    cr_assert_not_null(p, "%s", d.text);
    const struct bw_node *list = bw_node_get(p->stage[0].node, "way")->child[0];
    cr_assert(list->type == BW_NODE_SEQ && list->count == 5);
    for (int i = 0; i < 5; i++) {
        double at[3];
        numbers_take(list->child[i], at);
        cr_expect_float_eq(at[0], i, 1e-9);
    }
    bw_preset_free(p);
    bw_diag_free(&d);
}

static void refused(const char *what, enum bw_status status, const char *sentence)
{
    struct bw_diag d = {0};
    struct bw_preset *p = load(what, &d);
    cr_expect_null(p, "%s", what);
    cr_expect_eq(d.status, status, "%s: %d", what, d.status);
    cr_expect(d.text && strstr(d.text, sentence), "%s: %s", what, d.text);
    bw_diag_free(&d);
}

Test(curve, mistakes)
{
    file_write("c.csv", "0,0,0\n");
    refused("{curve: c.csv, frames: 1-9}", BW_ERR_PRESET, "goes through two places or more");
    refused("{curve: c.csv, frame: 1-9}", BW_ERR_PRESET, "did you mean \"frames\"?");
    refused("{curve: c.csv, frames: 9-1}", BW_ERR_PRESET, "frames are A-B");
    refused("{curve: c.abc}", BW_ERR_PRESET, "is read from .obj or .csv");
    refused("{curve: c.usda}", BW_ERR_PRESET, "from_usd.py writes its curve as CSV");
    refused("{curve: none.csv}", BW_ERR_IO, "none.csv: No such file");
    file_write("c.csv", "a,b,c\n1,2,3\n");
    refused("{curve: c.csv}", BW_ERR_PRESET, "columns x, y and z are wanted");
    file_write("c.csv", "x,y,z\n1,2,3\n1,2,3 m\n");
    refused("{curve: c.csv}", BW_ERR_PRESET, "no finite number");
    file_write("c.csv", "1,2\n1,2,3\n");
    refused("{curve: c.csv}", BW_ERR_PRESET, "no finite number");
    file_write("c.csv", "\xff\xfe"
                        "1,2,3");
    refused("{curve: c.csv}", BW_ERR_PRESET, "c.csv is text in UTF-16");
    file_write("c.obj", "v 0 0 0\nl 1 5\n");
    refused("{curve: c.obj}", BW_ERR_PRESET, "a place that is not there");
}
