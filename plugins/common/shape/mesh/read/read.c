// SPDX-License-Identifier: Apache-2.0
/* Which reader a mesh is for: by its name's ending, else by its first bytes, which say more where they are a format's
 * own mark. All triangles, where the file's scene has them, turned Z-up. Materials, normals and cameras are of no use
 * here. */
#include "build.h"
#include "bytes.h"

#include <billow/files/obj_writer.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Points or triangles that a file may have: as many as it has bytes, and as a scene needs that shows a mesh often. */
#define ROOM_LEAST 20000000

typedef void (*read_fn)(struct mesh_build *b, const char *text, size_t n);

static bool name_ends(const char *name, const char *tail)
{
    const size_t n = strlen(name), m = strlen(tail);
    return n >= m && !strcasecmp(name + n - m, tail);
}

static read_fn reader_by_mark(const char *text, size_t n)
{
    if (n > 3 && !memcmp(text, "ply", 3) && (text[3] == '\n' || text[3] == '\r')) return mesh_read_ply;
    if (n > 6 && !strncasecmp(text, "solid ", 6)) return mesh_read_stl;
    return n > 12 && !memcmp(text, "glTF", 4) && text[4] < ' ' ? mesh_read_gltf : NULL;
}

static read_fn reader_find(const char *path, const char *text, size_t n)
{
    static const struct {
        const char *ending;
        read_fn read;
    } known[] = {{".obj", mesh_read_obj},
                 {".ply", mesh_read_ply},
                 {".stl", mesh_read_stl},
                 {".gltf", mesh_read_gltf},
                 {".glb", mesh_read_gltf}};
    const read_fn marked = reader_by_mark(text, n);
    for (size_t i = 0; i < sizeof known / sizeof *known && !marked; i++)
        if (name_ends(path, known[i].ending)) return known[i].read;
    return marked;
}

/* What else people have, by its first bytes. NULL: nothing known. */
static const char *other_format(const char *text, size_t n)
{
    static const struct {
        const char *mark, *name;
    } other[] = {{"\x1f\x8b", "packed by gzip"},
                 {"BZh", "packed by bzip2"},
                 {"\xfd\x37zXZ", "packed by xz"},
                 {"\x28\xb5\x2f\xfd", "packed by Zstandard"},
                 {"PK\3\4", "a ZIP archive, as 3MF and USDZ are"},
                 {"Kaydara FBX", "FBX"},
                 {"; FBX", "FBX"},
                 {"#usda", "USD"},
                 {"PXR-USDC", "USD"},
                 {"Ogawa", "Alembic"},
                 {"\x89HDF", "Alembic or other HDF5"},
                 {"BLENDER", "a scene of Blender's"},
                 {"OFF", "OFF"},
                 {"MM", "3DS"},
                 {"<", "XML, as COLLADA and X3D are"}};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        const size_t m = strlen(other[i].mark);
        if (n > m && !memcmp(text, other[i].mark, m)) return other[i].name;
    }
    return NULL;
}

/* Why there are no triangles: what was wrong first, else what the file holds in place of them. */
static void nothing_tell(struct mesh_build *b)
{
    if (b->first.text[0]) {
        b->failure = b->first;
        b->status = BW_ERR_IO;
    } else if (b->instead) {
        mesh_build_fail(b, "it holds no triangles, only %s", b->instead);
    } else if (b->n_points) {
        mesh_build_fail(b, "it holds no triangles, only %lld point%s: the shape `points` reads those, of PLY and CSV",
                        (long long)b->n_points, b->n_points > 1 ? "s" : "");
    } else {
        mesh_build_fail(b, "it holds no triangles");
    }
}

/* Points that are none lie where another one does: no face names them. */
static void points_mend(struct mesh_build *b)
{
    const double *good = b->point[b->triangle[0][0]];
    for (int64_t i = 0; i < b->n_points; i++)
        if (!isfinite(b->point[i][0])) memcpy(b->point[i], good, sizeof b->point[i]);
}

static void left_tell(struct mesh_build *b)
{
    b->line = b->first.line;
    if (b->left_parts)
        mesh_build_note(b, "%lld part%s of it %s left out; the first thing wrong: %.120s", (long long)b->left_parts,
                        b->left_parts > 1 ? "s" : "", b->left_parts > 1 ? "are" : "is", b->first.text);
    if (b->left_out)
        mesh_build_note(b, "%lld face%s of it %s left out; the first thing wrong: %.120s", (long long)b->left_out,
                        b->left_out > 1 ? "s" : "", b->left_out > 1 ? "are" : "is", b->first.text);
}

static void text_read(struct mesh_build *b, const char *text, size_t n, enum answer_up up)
{
    if (n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) text += 3, n -= 3; // a byte-order mark
    const read_fn read = reader_find(b->path, text, n);
    const char *other = read == mesh_read_stl ? NULL : other_format(text, n); // an STL begins with 80 bytes of any kind
    if (other) {
        mesh_build_fail(b, "it is %s, which is not read: save it as OBJ, PLY, STL or glTF", other);
        return;
    }
    if (!read) {
        mesh_build_fail(b, "it cannot be read as a mesh: of no format known here (OBJ, PLY, STL, glTF)");
        return;
    }
    b->most = (int64_t)n > ROOM_LEAST ? (int64_t)n : ROOM_LEAST;
    if (b->most > INT32_MAX) b->most = INT32_MAX;
    if (up == ANSWER_UP_AUTO && read == mesh_read_obj) b->writer = bw_obj_y_up_writer(text, n);
    b->y_up = up == ANSWER_UP_Y || (up == ANSWER_UP_AUTO && (read == mesh_read_gltf || b->writer));
    read(b, text, n);
    if (b->status) return;
    if (!b->n_triangles) nothing_tell(b);
    else points_mend(b), left_tell(b);
}

void mesh_build_read(struct mesh_build *b, const char *text, size_t n, enum answer_up up)
{
    char *plain = bytes_from_utf16(b, text, &n);
    if (!b->status) text_read(b, plain ? plain : text, n, up);
    free(plain);
}
