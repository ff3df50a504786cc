// SPDX-License-Identifier: Apache-2.0
/* STL, text and binary (80 bytes of anything, the number of triangles, 50 bytes each: normal, three corners, two more
 * bytes; little-endian). Binary files may begin with "solid" too: the size tells them, or bytes that no text has.
 * Texts are read word by word: programs differ in how they end their solids and loops. */
#include "build.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { HEAD = 84, TRIANGLE = 50, LOOKED_AT = 4096 };

/* ---- binary ---- */

static void binary_read(struct mesh_build *b, const char *bytes, size_t count)
{
    for (size_t t = 0; t < count && !b->status; t++) {
        float x[9];
        memcpy(x, bytes + HEAD + t * TRIANGLE + 12, sizeof x);
        for (int i = 0; i < 3; i++)
            mesh_build_point(b, (const double[3]){(double)x[3 * i], (double)x[3 * i + 1], (double)x[3 * i + 2]});
        const int64_t n = b->n_points;
        mesh_build_face(b, (const int64_t[3]){n - 3, n - 2, n - 1}, 3);
    }
}

/* Writers that do not know the number beforehand leave it 0, or all ones. */
static void binary_choose(struct mesh_build *b, const char *bytes, size_t n, uint32_t count)
{
    const size_t held = (n - HEAD) / TRIANGLE, rest = (n - HEAD) % TRIANGLE;
    if (held && !rest && (count == 0 || count == UINT32_MAX)) {
        mesh_build_note(b, "its heading does not tell how many triangles it has: %zu by its size", held);
        binary_read(b, bytes, held);
    } else if (count > held) {
        mesh_build_fail(b, "the file is cut short: it promises %u triangles and holds %zu", count, held);
    } else {
        if (held > count)
            mesh_build_note(b, "%zu bytes behind its last triangle are not read", n - HEAD - (size_t)count * TRIANGLE);
        binary_read(b, bytes, count);
    }
}

/* ---- text ---- */

struct reading {
    struct mesh_build *b;
    struct text text;
    struct corners loop;
    bool bad;     ///< the loop has a corner that is none
    bool in_loop; ///< corners have come, and no end
    bool in_solid, in_facet;
    int64_t strange; ///< words
};

static void vertex_read(struct reading *r)
{
    double p[3];
    for (int a = 0; a < 3; a++)
        if (!text_number(&r->text, &p[a])) {
            r->bad = true;
            return;
        }
    mesh_build_point(r->b, p);
    corners_add(r->b, &r->loop, r->b->n_points - 1);
}

static void loop_end(struct reading *r)
{
    if (r->bad) mesh_build_leave(r->b, "a vertex of this facet has not three numbers");
    else if (r->in_loop && r->loop.n < 3)
        mesh_build_leave(r->b, "a facet has %lld corners, and must have three", (long long)r->loop.n);
    else mesh_build_face(r->b, r->loop.list, r->loop.n);
    r->loop.n = 0, r->bad = r->in_loop = false;
}

enum word { SOLID, FACET, NORMAL, OUTER, LOOP, VERTEX, ENDLOOP, ENDFACET, ENDSOLID, END, COLOUR, STRANGE, NOTHING };

static enum word word_of(const char *word, size_t n)
{
    static const char *const words[] = {"solid",   "facet",    "normal",   "outer", "loop", "vertex",
                                        "endloop", "endfacet", "endsolid", "end",   "color"};
    for (int i = 0; i < STRANGE; i++)
        if (n == strlen(words[i]) && !strncasecmp(word, words[i], n)) return (enum word)i;
    return STRANGE;
}

static void normal_skip(struct text *t)
{
    double x;
    for (int i = 0; i < 3; i++) // what is no number is no matter: the corners tell
        if (!text_number(t, &x)) return;
}

/* "end solid" is "endsolid". */
static enum word word_next(struct text *t)
{
    size_t n = 0;
    const char *word = text_any_word(t, &n);
    enum word is = word ? word_of(word, n) : NOTHING;
    if (is != END) return is;
    word = text_any_word(t, &n);
    is = word ? word_of(word, n) : STRANGE;
    return is == SOLID ? ENDSOLID : is == FACET ? ENDFACET : is == LOOP ? ENDLOOP : STRANGE;
}

static void word_take(struct reading *r)
{
    const enum word is = word_next(&r->text);
    if (is != NOTHING) r->b->line = r->text.line;
    switch (is) {
    case SOLID:
    case ENDSOLID:
        r->in_solid = is == SOLID, r->in_facet = false;
        r->text.at = text_line_end(r->text.at, r->text.end); // its name
        break;
    case VERTEX: r->in_loop = true, vertex_read(r); break;
    case ENDLOOP:
    case ENDFACET:
        if (r->in_loop) loop_end(r);
        r->in_facet &= is != ENDFACET;
        break;
    case NORMAL: normal_skip(&r->text); break;
    case FACET:
    case OUTER:
        if (r->in_loop) loop_end(r); // the one before did not end
        r->in_facet = true;
        break;
    case COLOUR: r->text.at = text_line_end(r->text.at, r->text.end); break;
    case STRANGE:
        if (!r->strange++) mesh_build_note(r->b, "words here are none of STL");
        r->text.at = text_line_end(r->text.at, r->text.end);
        break;
    default: break;
    }
}

static void text_read(struct mesh_build *b, const char *text, size_t n)
{
    struct reading r = {.b = b, .text = {text, text + n, 1}};
    while (r.text.end > text && !r.text.end[-1]) r.text.end--;
    while (r.text.at < r.text.end && !b->status) word_take(&r);
    if (r.in_loop || r.in_facet) mesh_build_fail(b, "the file is cut short in a facet");
    else if (r.in_solid) mesh_build_note(b, "its last solid does not end: is the file cut short?");
    b->line = 0;
    free(r.loop.list);
}

/* Does it begin with nothing that a text has not? */
static bool is_text(const char *text, size_t n)
{
    while (n && !text[n - 1]) n--; // some fill up with zeros
    for (size_t i = 0; i < n && i < LOOKED_AT; i++)
        if ((unsigned char)text[i] < ' ' && !strchr("\t\n\v\f\r", text[i])) return false;
    return memchr(text, 0, n < LOOKED_AT ? n : LOOKED_AT) == NULL;
}

static bool is_solid(const char *text, size_t n)
{
    struct text t = {text, text + n, 1};
    while (text_line_ends(&t) && text_line_next(&t))
        ;
    return text_word(&t, "solid");
}

void mesh_read_stl(struct mesh_build *b, const char *text, size_t n)
{
    uint32_t count = 0;
    if (n >= HEAD) memcpy(&count, text + HEAD - 4, sizeof count);
    const bool sized = n >= HEAD && n - HEAD == (size_t)count * TRIANGLE;
    const bool is_words = !sized && is_text(text, n);
    if (is_words && is_solid(text, n)) text_read(b, text, n);
    else if (is_words) mesh_build_fail(b, "it is no STL file: a text that does not begin with \"solid\"");
    else if (n >= HEAD) binary_choose(b, text, n, count);
    else mesh_build_fail(b, "it is no STL file: too short for one");
}
