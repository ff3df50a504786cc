// SPDX-License-Identifier: Apache-2.0
/* Which reader a mesh is for: by its name's ending, else by its first bytes. All triangles, where the file's scene has
 * them, turned Z-up. Materials, normals, cameras and animation are of no use here. */
#include "read/build.h"

#include <common/file/file.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Points or triangles that a file may have: as many as it has bytes, and as a scene needs that shows a mesh often. */
#define ROOM_LEAST 20000000

typedef void (*read_fn)(struct mesh_build *b, const char *text, size_t n);

static int name_ends(const char *name, const char *tail)
{
    size_t n = strlen(name), m = strlen(tail);
    return n >= m && !strcasecmp(name + n - m, tail);
}

static read_fn reader_by_bytes(const char *text, size_t n)
{
    if (n > 3 && !memcmp(text, "ply", 3) && (text[3] == '\n' || text[3] == '\r')) return mesh_read_ply;
    if (n > 4 && !memcmp(text, "glTF", 4)) return mesh_read_gltf;
    if (n > 6 && !strncasecmp(text, "solid ", 6)) return mesh_read_stl;
    return NULL;
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
    for (size_t i = 0; i < BW_COUNT(known); i++)
        if (name_ends(path, known[i].ending)) return known[i].read;
    return reader_by_bytes(text, n);
}

/* Points that no face names have no say in it. */
static void box_find(struct mesh_file *f)
{
    f->box = (struct box3){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (int64_t t = 0; t < f->n_triangles; t++)
        for (int c = 0; c < 3; c++)
            for (int a = 0; a < 3; a++) {
                const double x = f->point[f->triangle[t][c]][a];
                f->box.lo[a] = fmin(f->box.lo[a], x);
                f->box.hi[a] = fmax(f->box.hi[a], x);
            }
}

enum bw_status mesh_read_bytes(struct bw_stage *s, const char *path, const char *text, size_t n, int32_t up,
                               struct mesh_file *f)
{
    const read_fn read = reader_find(path, text, n);
    snprintf(f->path, sizeof f->path, "%s", path);
    if (!read)
        return s->host->fail(s, BW_ERR_IO, "%s cannot be read as a mesh: of no format known here (OBJ, PLY, STL, glTF)",
                             path);
    struct mesh_build b = {.stage = s, .out = f, .most = (int64_t)n > ROOM_LEAST ? (int64_t)n : ROOM_LEAST};
    if (b.most > INT32_MAX) b.most = INT32_MAX;
    b.y_up = up == MESH_UP_Y || (up == MESH_UP_AUTO && read == mesh_read_gltf);
    read(&b, text, n);
    if (!b.status && !f->n_triangles)
        b.status = s->host->fail(s, BW_ERR_IO, "%s holds no triangles (%lld points)", path, (long long)f->n_points);
    if (b.status) mesh_file_free(s, f);
    else box_find(f);
    return b.status;
}

enum bw_status mesh_read(struct bw_stage *s, const char *path, int32_t up, struct mesh_file *f)
{
    struct file_bytes bytes;
    enum bw_status status = file_read(s, path, &bytes);
    if (!status) status = mesh_read_bytes(s, path, bytes.text, bytes.n, up, f);
    file_free(s, &bytes);
    return status;
}

void mesh_file_free(struct bw_stage *s, struct mesh_file *f)
{
    s->host->release(s, f->point);
    s->host->release(s, f->triangle);
    *f = (struct mesh_file){0};
}
