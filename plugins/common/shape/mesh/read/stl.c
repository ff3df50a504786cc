// SPDX-License-Identifier: Apache-2.0
/* STL, text and binary (80 bytes of anything, the number of triangles, 50 bytes each: normal, three corners, two more
 * bytes; little-endian). Binary files may begin with "solid" too: the size tells them. */
#include "build.h"
#include "text.h"

#include <string.h>

enum { HEAD = 84, TRIANGLE = 50 };

static void three_add(struct mesh_build *b, double corner[3][3])
{
    for (int i = 0; i < 3; i++) mesh_build_point(b, corner[i]);
    const int64_t n = b->out->n_points;
    mesh_build_triangle(b, n - 3, n - 2, n - 1);
}

static void binary_read(struct mesh_build *b, const char *bytes, uint32_t count)
{
    for (uint32_t t = 0; t < count && !b->status; t++) {
        float x[9];
        double corner[3][3];
        memcpy(x, bytes + HEAD + (size_t)t * TRIANGLE + 12, sizeof x);
        for (int i = 0; i < 9; i++) corner[i / 3][i % 3] = (double)x[i];
        three_add(b, corner);
    }
}

/* To the next line that holds something; false: there is none. */
static bool line_find(struct mesh_build *b, struct text *t)
{
    while (text_line_ends(t))
        if (!text_line_next(t)) return false;
    b->line = t->line;
    return true;
}

/* One line of a facet. */
static bool line_is(struct mesh_build *b, struct text *t, const char *word, const char *second)
{
    if (!line_find(b, t)) mesh_build_fail(b, "the file is cut short: \"%s\" is wanted", word);
    else if (!text_word(t, word) || (second && !text_word(t, second)))
        mesh_build_fail(b, "\"%s%s%s\" is wanted", word, second ? " " : "", second ? second : "");
    return !b->status;
}

/* The rest of a facet, behind its first word. */
static void facet_read(struct mesh_build *b, struct text *t)
{
    double corner[3][3];
    text_line_next(t);
    if (!line_is(b, t, "outer", "loop")) return;
    for (int i = 0; i < 3; i++) {
        if (!line_is(b, t, "vertex", NULL)) return;
        for (int a = 0; a < 3; a++) {
            if (text_number(t, &corner[i][a])) continue;
            mesh_build_fail(b, "a vertex has three numbers");
            return;
        }
    }
    if (!line_is(b, t, "endloop", NULL) || !line_is(b, t, "endfacet", NULL)) return;
    three_add(b, corner);
}

static void text_read(struct mesh_build *b, const char *text, size_t n)
{
    struct text t = {text, text + n, 1};
    bool open = false;
    while (!b->status && line_find(b, &t)) {
        if (!open && text_word(&t, "solid")) open = true, text_line_next(&t);
        else if (open && text_word(&t, "facet")) facet_read(b, &t);
        else if (open && text_word(&t, "endsolid")) open = false, text_line_next(&t);
        else mesh_build_fail(b, "\"%s\" is wanted", open ? "facet\" or \"endsolid" : "solid");
    }
    if (open) mesh_build_fail(b, "the file is cut short: \"endsolid\" is wanted");
    b->line = 0;
}

void mesh_read_stl(struct mesh_build *b, const char *text, size_t n)
{
    uint32_t count = 0;
    if (n >= HEAD) memcpy(&count, text + HEAD - 4, sizeof count);
    const bool whole = n >= HEAD && n - HEAD >= (size_t)count * TRIANGLE;
    struct text t = {text, text + n, 1};
    while (text_line_ends(&t) && text_line_next(&t))
        ;
    if (whole && n - HEAD == (size_t)count * TRIANGLE) binary_read(b, text, count);
    else if (text_word(&t, "solid")) text_read(b, text, n);
    else if (whole) binary_read(b, text, count);
    else if (n < HEAD) mesh_build_fail(b, "it is no STL file: too short for one, and does not begin with \"solid\"");
    else
        mesh_build_fail(b, "the file is cut short: it promises %u triangles and holds %zu", count,
                        (n - HEAD) / TRIANGLE);
}
