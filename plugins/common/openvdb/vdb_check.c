// SPDX-License-Identifier: Apache-2.0
/* What stands before the trees: header, metadata, the list of grids (format 222 to 224, with offsets), transforms. A
 * metadata entry is a name, a type, a size and so many bytes; OpenVDB reads as many as the type has, whatever the size
 * says, so both must agree. */
#include "vdb_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OLDEST = 222, NEWEST = 224 }; ///< file formats: 222 is OpenVDB 2.0 of 2013
enum { NAME = 256 };                 ///< characters of a name that are looked at
static const char half_suffix[] = "_HalfFloat", half_key[] = "is_saved_as_half_float";

/* ---- metadata ---- */

/* Bytes of a metadata type; -1: any number. */
static int64_t meta_size(const char *type)
{
    static const struct {
        const char *type;
        int64_t bytes;
    } types[] = {{"bool", 1},   {"int32", 4},  {"int64", 8},  {"float", 4},  {"double", 8}, {"vec2i", 8},
                 {"vec2s", 8},  {"vec2d", 16}, {"vec3i", 12}, {"vec3s", 12}, {"vec3d", 24}, {"vec4i", 16},
                 {"vec4s", 16}, {"vec4d", 32}, {"mat3s", 36}, {"mat3d", 72}, {"mat4s", 64}, {"mat4d", 128}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(type, types[i].type)) return types[i].bytes;
    return -1;
}

/* One of the two arrays that let OpenVDB find leaves without reading them: `count` entries of `width` bytes, packed or
 * not. Short ones are padded before they are packed. */
static bool delayed_array_check(struct vdb_bytes *b, uint32_t n, uint64_t count, uint64_t width)
{
    if (n) return vdb_blosc_check(b, n, 0, count * width + 4096);
    return vdb_bytes_skip(b, count * width);
}

static bool delayed_check(struct vdb_bytes *b, int64_t end)
{
    const uint32_t count = vdb_bytes_u32(b);
    if ((int64_t)count > b->size / 64) return vdb_bytes_fail(b, "%u leaves are more than the file can hold", count);
    if (!delayed_array_check(b, vdb_bytes_u32(b), count, 1)) return false;
    const uint32_t n = vdb_bytes_u32(b);
    if (n != UINT32_MAX && !delayed_array_check(b, n, count, 8)) return false;
    return b->at <= end || vdb_bytes_fail(b, "a metadata entry is longer than it says");
}

static bool meta_value_check(struct vdb_bytes *b, const char *name, const char *type, bool *half)
{
    const uint32_t n = vdb_bytes_u32(b);
    const int64_t wanted = meta_size(type), end = b->at + n;
    if (b->bad || (wanted >= 0 && wanted != n))
        return vdb_bytes_fail(b, "metadata \"%.64s\" has %u bytes, and a %.16s has %lld", name, n, type,
                              (long long)wanted);
    if (end > b->size) return vdb_bytes_fail(b, "metadata \"%.64s\" is cut short", name);
    const bool flag = !strcmp(type, "bool");
    if (!flag && half && !strcmp(name, half_key)) return vdb_bytes_fail(b, "\"%s\" is no truth value", half_key);
    if (flag) {
        const uint8_t value = vdb_bytes_u8(b);
        if (value > 1) return vdb_bytes_fail(b, "metadata \"%.64s\" is neither true nor false", name);
        if (half && !strcmp(name, half_key)) *half = value;
    }
    if (n && !strcmp(type, "__delayedload") && !delayed_check(b, end)) return false;
    return vdb_bytes_skip(b, (uint64_t)(end - b->at));
}

static bool meta_check(struct vdb_bytes *b, bool *half)
{
    char name[NAME], type[NAME];
    const uint32_t count = vdb_bytes_u32(b);
    for (uint32_t i = 0; i < count && !b->bad; i++) {
        vdb_bytes_string(b, name, sizeof name);
        vdb_bytes_string(b, type, sizeof type);
        if (!meta_value_check(b, name, type, half)) return false;
    }
    return !b->bad;
}

/* ---- transforms ---- */

static bool map_check(struct vdb_bytes *b, bool inner)
{
    static const struct {
        const char *type;
        uint32_t bytes;
    } maps[] = {{"AffineMap", 128},       {"UnitaryMap", 128},        {"ScaleMap", 120},
                {"UniformScaleMap", 120}, {"ScaleTranslateMap", 144}, {"UniformScaleTranslateMap", 144},
                {"TranslationMap", 24},   {"NonlinearFrustumMap", 64}};
    char type[NAME];
    vdb_bytes_string(b, type, sizeof type);
    for (size_t i = 0; i < sizeof maps / sizeof *maps && !b->bad; i++) {
        if (strcmp(type, maps[i].type)) continue;
        const bool frustum = !strcmp(type, "NonlinearFrustumMap"); // which goes on with another map
        if (frustum && inner) break;
        return vdb_bytes_skip(b, maps[i].bytes) && (!frustum || map_check(b, true));
    }
    return vdb_bytes_fail(b, "a transform of type \"%.64s\" is unknown", type);
}

/* ---- the file ---- */

/* 8-4-4-4-12 hexadecimal digits. */
static bool uuid_check(struct vdb_bytes *b)
{
    const unsigned char *id = vdb_bytes_take(b, 36);
    for (int i = 0; id && i < 36; i++) {
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? id[i] != '-' : !id[i] || !strchr("0123456789abcdefABCDEF", id[i]))
            return vdb_bytes_fail(b, "the file's id is none");
    }
    return id != NULL;
}

static bool header_check(struct vdb_bytes *b, bool *stream)
{
    if (vdb_bytes_i64(b) != 0x56444220) return vdb_bytes_fail(b, "it is not a VDB file");
    const uint32_t format = vdb_bytes_u32(b);
    if (!b->bad && format < OLDEST)
        return vdb_bytes_fail(b, "format %u is older than OpenVDB 2.0; write it anew with a later one", format);
    if (format > NEWEST) return vdb_bytes_fail(b, "format %u is newer than %d, the newest known", format, NEWEST);
    vdb_bytes_skip(b, 8); // the library's version
    const uint8_t offsets = vdb_bytes_u8(b);
    if (offsets > 1) return vdb_bytes_fail(b, "whether it has an index is neither true nor false");
    *stream = !offsets;
    return uuid_check(b) && meta_check(b, NULL);
}

/* An entry of the list; its own bytes, from `start` on, and the next entry after its end. In a stream they follow at
 * once, and what is said of places means nothing. */
static bool entry_check(struct vdb_bytes *b, struct vdb_grid *g, bool stream, int64_t *start)
{
    char name[NAME], parent[NAME];
    vdb_bytes_string(b, name, sizeof name);
    vdb_bytes_string(b, g->type, sizeof g->type);
    vdb_bytes_string(b, parent, sizeof parent);
    *start = vdb_bytes_i64(b);
    vdb_bytes_i64(b); // where the leaves' values begin
    g->end = vdb_bytes_i64(b);
    g->instance = parent[0] != '\0';
    char *tail = strstr(g->type, half_suffix);
    if (tail) *tail = '\0';
    if (stream) *start = b->at, g->end = b->size;
    if (b->bad) return false;
    if (g->end > b->size) return vdb_bytes_fail(b, "the file is cut short: grid \"%.64s\" ends behind it", name);
    if (*start < b->at || g->end < *start) return vdb_bytes_fail(b, "grid \"%.64s\" is nowhere in the file", name);
    return true;
}

static bool grid_check(struct vdb_bytes *b, bool trees, bool stream)
{
    struct vdb_grid g = {0};
    int64_t start;
    size_t half;
    if (!entry_check(b, &g, stream, &start)) return false;
    b->at = start;
    g.compression = vdb_bytes_u32(b);
    if (!meta_check(b, &g.half) || !map_check(b, false)) return false;
    if (stream && !g.instance && !vdb_tree_value(g.type, &half))
        return vdb_bytes_fail(b, "it was written as a stream, and a grid of type %.64s in it can't be stepped over",
                              g.type);
    if (trees && !g.instance && vdb_tree_value(g.type, &half) && !vdb_tree_check(b, &g)) return false;
    if (b->at > g.end) return vdb_bytes_fail(b, "a grid goes on behind its end");
    if (stream) return !b->bad;
    b->at = g.end;
    return true;
}

bool vdb_check(struct vdb_bytes *b, bool trees, bool *stream)
{
    if (!header_check(b, stream)) return false;
    if (*stream && !trees) return true;
    const int32_t n = (int32_t)vdb_bytes_u32(b);
    if (n < 0) return vdb_bytes_fail(b, "there are %d grids", n);
    for (int32_t i = 0; i < n; i++)
        if (!grid_check(b, trees, *stream)) return false;
    return !b->bad;
}

static enum bwvdb_status file_check(const char *path, bool trees, bool *stream, struct bwvdb_error *error)
{
    struct vdb_bytes *b = malloc(sizeof *b); // too large for a worker's stack
    if (!b && error) snprintf(error->text, sizeof error->text, "cannot read %s: out of memory", path);
    if (!b) return BWVDB_ERR_MEMORY;
    enum bwvdb_status status = vdb_bytes_open(b, path, error) && vdb_check(b, trees, stream) ? BWVDB_OK : BWVDB_ERR_IO;
    vdb_bytes_close(b);
    free(b);
    return status;
}

enum bwvdb_status vdb_check_head(const char *path, bool *stream, struct bwvdb_error *error)
{
    return file_check(path, false, stream, error);
}

enum bwvdb_status vdb_check_trees(const char *path, struct bwvdb_error *error)
{
    bool stream;
    return file_check(path, true, &stream, error);
}
