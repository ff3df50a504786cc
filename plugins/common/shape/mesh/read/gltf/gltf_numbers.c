// SPDX-License-Identifier: Apache-2.0
/* Numbers of a glTF accessor: of its view, or zeros, and over them those of its sparse part. */
#include "gltf.h"

#include <stdlib.h>
#include <string.h>

static int bytes_of(int64_t type)
{
    switch (type) {
    case 5120:
    case 5121: return 1;
    case 5122:
    case 5123: return 2;
    case 5125:
    case 5126: return 4;
    default: return 0;
    }
}

static const char *type_of(int comps)
{
    return comps == 1 ? "SCALAR" : comps == 3 ? "VEC3" : comps == 4 ? "VEC4" : "MAT4";
}

static double number_read(const char *at, int64_t type, bool normalized)
{
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    uint32_t u32;
    float f;
    switch (type) {
    case 5120: memcpy(&i8, at, 1); return normalized ? (i8 < -127 ? -1 : i8 / 127.0) : i8;
    case 5121: memcpy(&u8, at, 1); return normalized ? u8 / 255.0 : u8;
    case 5122: memcpy(&i16, at, 2); return normalized ? (i16 < -32767 ? -1 : i16 / 32767.0) : i16;
    case 5123: memcpy(&u16, at, 2); return normalized ? u16 / 65535.0 : u16;
    case 5125: memcpy(&u32, at, 4); return u32;
    default: memcpy(&f, at, 4); return (double)f;
    }
}

/* Where the elements of an accessor, or of a part of its sparse one, are in a view. */
struct elements {
    const char *at;
    size_t stride;
    int64_t count, type;
    int comps;
};

/* All of them lie in their view: whatever the JSON says, only bytes that are there are read. */
static bool elements_find(struct gltf *g, const json_t *entry, struct elements *e)
{
    size_t n = 0;
    int64_t stride = 0;
    if (!bytes_of(e->type)) return mesh_build_fail(g->b, "an accessor is of the wrong type"), false;
    e->at =
        gltf_view(g, gltf_integer(g, entry, "bufferView", -1), gltf_integer(g, entry, "byteOffset", 0), &n, &stride);
    if (!e->at || g->b->status) return false;
    const size_t bytes = (size_t)(e->comps * bytes_of(e->type));
    e->stride = stride ? (size_t)stride : bytes;
    if (e->count && (n < bytes || (uint64_t)e->count > (n - bytes) / e->stride + 1))
        return mesh_build_fail(g->b, "an accessor goes on behind its view"), false;
    return true;
}

static void elements_read(const struct elements *e, int64_t i, bool normalized, double *out)
{
    for (int c = 0; c < e->comps; c++)
        out[c] = number_read(e->at + (size_t)i * e->stride + c * bytes_of(e->type), e->type, normalized);
}

/* Some elements anew: their numbers, then their values. */
static void sparse_read(struct gltf *g, const json_t *sparse, int64_t type, bool normalized, struct gltf_numbers *out)
{
    const json_t *where = json_object_get(sparse, "indices"), *what = json_object_get(sparse, "values");
    struct elements at = {
        .count = gltf_integer(g, sparse, "count", 0), .type = gltf_integer(g, where, "componentType", 0), .comps = 1};
    struct elements value = {.count = at.count, .type = type, .comps = out->comps};
    if (g->b->status || !elements_find(g, where, &at) || !elements_find(g, what, &value)) return;
    for (int64_t i = 0; i < at.count; i++) {
        double index;
        elements_read(&at, i, false, &index);
        if (index >= 0 && index < (double)out->count)
            elements_read(&value, i, normalized, out->value + (int64_t)index * out->comps);
    }
}

/* MAT4 by bytes or shorts would be padded: no file has that. */
static bool entry_good(struct gltf *g, const json_t *entry, int64_t accessor, int64_t type, int comps)
{
    const char *is = json_string_value(json_object_get(entry, "type"));
    if (!is || strcmp(is, type_of(comps)) || !bytes_of(type) || (comps == 16 && type != 5126))
        return mesh_build_fail(g->b, "accessor %lld is of the wrong type", (long long)accessor), false;
    return !g->b->status;
}

bool gltf_numbers(struct gltf *g, int64_t accessor, int comps, struct gltf_numbers *out)
{
    struct mesh_build *b = g->b;
    const json_t *entry = gltf_entry(g, "accessors", accessor), *sparse = json_object_get(entry, "sparse");
    *out = (struct gltf_numbers){.comps = comps};
    if (!entry) return false;
    struct elements e = {.count = gltf_integer(g, entry, "count", 0),
                         .type = gltf_integer(g, entry, "componentType", 0),
                         .comps = comps};
    const bool normalized = json_is_true(json_object_get(entry, "normalized")),
               view = json_object_get(entry, "bufferView");
    if (!entry_good(g, entry, accessor, e.type, comps)) return false;
    if (!view && !sparse) return mesh_build_fail(b, "accessor %lld has no numbers", (long long)accessor), false;
    if (view && !elements_find(g, entry, &e)) return false;
    if (e.count > b->most) return mesh_build_fail(b, "accessor %lld is too large", (long long)accessor), false;
    out->count = e.count;
    out->value = mesh_build_grow(b, NULL, 0, (size_t)(e.count + 1) * (size_t)comps * sizeof *out->value);
    if (!out->value) return false;
    if (!view) memset(out->value, 0, (size_t)e.count * (size_t)comps * sizeof *out->value);
    for (int64_t i = 0; view && i < e.count; i++) elements_read(&e, i, normalized, out->value + i * comps);
    if (sparse) sparse_read(g, sparse, e.type, normalized, out);
    if (b->status) free(out->value), out->value = NULL;
    return !b->status;
}
