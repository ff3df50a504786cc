// SPDX-License-Identifier: Apache-2.0
/* Where a glTF file's numbers are: accessor → view → buffer, which is the binary chunk, a data URI, or a file beside.
 * Every offset is compared with what holds it, so that whatever the JSON says, only bytes that are there are read. */
#include "gltf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OFFSET_MOST ((int64_t)1 << 40) ///< sums of offsets stay numbers

json_t *gltf_entry(struct gltf *g, const char *list, int64_t index)
{
    json_t *entry = json_array_get(json_object_get(g->root, list), index < 0 ? SIZE_MAX : (size_t)index);
    if (!json_is_object(entry)) mesh_build_fail(g->b, "there is no entry %lld in \"%s\"", (long long)index, list);
    return json_is_object(entry) ? entry : NULL;
}

int64_t gltf_integer(struct gltf *g, const json_t *object, const char *key, int64_t missing)
{
    const json_t *value = json_object_get(object, key);
    const int64_t n = json_is_integer(value) ? (int64_t)json_integer_value(value) : -1;
    if (!value) return missing;
    if (n < 0 || n > OFFSET_MOST) mesh_build_fail(g->b, "\"%s\" is no whole number that can be", key);
    return n < 0 || n > OFFSET_MOST ? -1 : n;
}

/* ---- buffers ---- */

static int digit64(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Three bytes for each four letters; what is no letter ends it. */
static bool base64_read(struct gltf *g, const char *text, struct gltf_buffer *out)
{
    struct bw_stage *s = g->b->stage;
    unsigned bits = 0;
    int held = 0;
    out->own.text = s->host->alloc(s, strlen(text) / 4 * 3 + 4);
    if (!out->own.text) {
        g->b->status = BW_ERR_MEMORY;
        return false;
    }
    for (int digit; (digit = digit64(*text)) >= 0; text++) {
        bits = bits << 6 | (unsigned)digit, held += 6;
        if (held < 8) continue;
        held -= 8;
        out->own.text[out->own.n++] = (char)(bits >> held);
    }
    out->bytes = out->own.text, out->n = out->own.n;
    return true;
}

/* A file beside the mesh; %20 and the like stand for bytes. */
static bool neighbour_read(struct gltf *g, const char *uri, struct gltf_buffer *out)
{
    char path[SEQUENCE_PATH];
    const char *mesh = g->b->out->path, *slash = strrchr(mesh, '/');
    size_t n = slash ? (size_t)(slash + 1 - mesh) : 0;
    memcpy(path, mesh, n);
    for (; *uri && n < sizeof path - 1; uri++) {
        unsigned byte;
        if (*uri == '%' && sscanf(uri + 1, "%2x", &byte) == 1 && uri[1] && uri[2]) path[n++] = (char)byte, uri += 2;
        else path[n++] = *uri;
    }
    path[n] = '\0';
    for (const char *c = path; *c; c++)
        if ((unsigned char)*c < ' ') return mesh_build_fail(g->b, "a buffer's file has no name that can be"), false;
    g->b->status = file_read(g->b->stage, path, &out->own);
    out->bytes = out->own.text, out->n = out->own.n;
    return !g->b->status;
}

/* The buffer, loaded at its first use. */
static struct gltf_buffer *buffer_get(struct gltf *g, int64_t index)
{
    const json_t *entry = gltf_entry(g, "buffers", index);
    if (!entry) return NULL;
    if (index >= GLTF_BUFFERS) {
        mesh_build_fail(g->b, "more than %d buffers", GLTF_BUFFERS);
        return NULL;
    }
    struct gltf_buffer *buffer = &g->buffer[index];
    const char *uri = json_string_value(json_object_get(entry, "uri")), *comma = uri ? strchr(uri, ',') : NULL;
    if (buffer->bytes) return buffer;
    if (!uri) buffer->bytes = g->bin, buffer->n = g->n_bin;
    else if (!strncmp(uri, "data:", 5) && comma && comma - uri >= 7 && !strncmp(comma - 7, ";base64", 7))
        base64_read(g, comma + 1, buffer);
    else if (strncmp(uri, "data:", 5)) neighbour_read(g, uri, buffer);
    if (!buffer->bytes) mesh_build_fail(g->b, "buffer %lld is not there", (long long)index);
    return g->b->status ? NULL : buffer;
}

void gltf_free(struct gltf *g)
{
    for (int i = 0; i < GLTF_BUFFERS; i++) file_free(g->b->stage, &g->buffer[i].own);
    json_decref(g->root);
}

/* ---- numbers ---- */

static int bytes_of(int type)
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

/* Bytes of a view, from `offset` in it on; *n of them, each `stride` apart where it says so. */
static const char *view_get(struct gltf *g, int64_t index, int64_t offset, size_t *n, int64_t *stride)
{
    const json_t *view = gltf_entry(g, "bufferViews", index);
    if (!view) return NULL;
    if (json_object_get(json_object_get(view, "extensions"), "EXT_meshopt_compression")) {
        mesh_build_fail(g->b, "its numbers are packed by EXT_meshopt_compression: export it without");
        return NULL;
    }
    const int64_t first = gltf_integer(g, view, "byteOffset", 0), length = gltf_integer(g, view, "byteLength", 0);
    *stride = gltf_integer(g, view, "byteStride", 0);
    const struct gltf_buffer *buffer = buffer_get(g, gltf_integer(g, view, "buffer", -1));
    if (g->b->status || !buffer) return NULL;
    if (first + length > (int64_t)buffer->n || offset > length) {
        mesh_build_fail(g->b, "view %lld goes on behind its buffer's %zu bytes", (long long)index, buffer->n);
        return NULL;
    }
    *n = (size_t)(length - offset);
    return buffer->bytes + first + offset;
}

bool gltf_numbers(struct gltf *g, int64_t accessor, int comps, struct gltf_numbers *out)
{
    const json_t *entry = gltf_entry(g, "accessors", accessor);
    if (!entry) return false;
    const char *type = json_string_value(json_object_get(entry, "type"));
    size_t n = 0;
    int64_t stride = 0;
    out->comps = comps;
    out->type = (int)gltf_integer(g, entry, "componentType", 0);
    out->count = gltf_integer(g, entry, "count", 0);
    out->normalized = json_is_true(json_object_get(entry, "normalized"));
    if (json_object_get(entry, "sparse") || !json_object_get(entry, "bufferView"))
        return mesh_build_fail(g->b, "accessor %lld is sparse, which cannot be read", (long long)accessor), false;
    if (!type || strcmp(type, comps == 3 ? "VEC3" : "SCALAR") || !bytes_of(out->type))
        return mesh_build_fail(g->b, "accessor %lld is of the wrong type", (long long)accessor), false;
    out->at =
        view_get(g, gltf_integer(g, entry, "bufferView", -1), gltf_integer(g, entry, "byteOffset", 0), &n, &stride);
    if (!out->at || g->b->status) return false;
    const size_t bytes = (size_t)(comps * bytes_of(out->type));
    out->stride = stride ? (size_t)stride : bytes;
    if (out->count < 0 || n < bytes || (uint64_t)out->count > (n - bytes) / out->stride + 1)
        return mesh_build_fail(g->b, "accessor %lld goes on behind its view", (long long)accessor), false;
    return true;
}

double gltf_number(const struct gltf_numbers *n, int64_t i, int c)
{
    const char *at = n->at + (size_t)i * n->stride + (size_t)(c * bytes_of(n->type));
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    uint32_t u32;
    float f;
    switch (n->type) {
    case 5120: memcpy(&i8, at, 1); return n->normalized ? (i8 < -127 ? -1 : i8 / 127.0) : i8;
    case 5121: memcpy(&u8, at, 1); return n->normalized ? u8 / 255.0 : u8;
    case 5122: memcpy(&i16, at, 2); return n->normalized ? (i16 < -32767 ? -1 : i16 / 32767.0) : i16;
    case 5123: memcpy(&u16, at, 2); return n->normalized ? u16 / 65535.0 : u16;
    case 5125: memcpy(&u32, at, 4); return u32;
    default: memcpy(&f, at, 4); return (double)f;
    }
}
