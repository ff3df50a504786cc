// SPDX-License-Identifier: Apache-2.0
/* Where a glTF file's numbers are: accessor → view → buffer, which is the binary chunk, a data URI, or a file beside.
 * Every offset is compared with what holds it, so that whatever the JSON says, only bytes that are there are read. */
#include "gltf.h"
#include "../bytes.h"

#include <math.h>
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

/* Some write 3.0 for 3. */
static int64_t whole_of(const json_t *value)
{
    const double real = json_real_value(value);
    if (json_is_integer(value)) return (int64_t)json_integer_value(value);
    return json_is_real(value) && real == floor(real) && fabs(real) < 1e15 ? (int64_t)real : -1;
}

int64_t gltf_integer(struct gltf *g, const json_t *object, const char *key, int64_t missing)
{
    const json_t *value = json_object_get(object, key);
    const int64_t n = whole_of(value);
    if (!value) return missing;
    if (n < 0 || n > OFFSET_MOST) mesh_build_fail(g->b, "\"%s\" is no whole number that can be", key);
    return n < 0 || n > OFFSET_MOST ? -1 : n;
}

int64_t gltf_index(const json_t *list, size_t i)
{
    const int64_t n = whole_of(json_array_get(list, i));
    return n < 0 ? -1 : n;
}

/* ---- buffers ---- */

static int digit64(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c == '-' ? '+' : c == '_' ? '/' : c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Three bytes for each four letters; what is no letter ends it. */
static void base64_read(struct gltf *g, const char *text, struct gltf_buffer *out)
{
    unsigned bits = 0;
    int held = 0;
    out->own = mesh_build_grow(g->b, NULL, 0, strlen(text) / 4 * 3 + 4);
    for (int digit; out->own && (digit = digit64(*text)) >= 0; text++) {
        bits = bits << 6 | (unsigned)digit, held += 6;
        if (held < 8) continue;
        held -= 8;
        out->own[out->n++] = (char)(bits >> held);
    }
    out->bytes = out->own;
}

/* A file beside the mesh; %20 and the like stand for bytes. */
static void neighbour_read(struct gltf *g, const char *uri, struct gltf_buffer *out)
{
    char path[4096];
    const char *mesh = g->b->path, *slash = strrchr(mesh, '/');
    size_t n = slash ? (size_t)(slash + 1 - mesh) : 0;
    if (n > sizeof path / 2) n = 0;
    memcpy(path, mesh, n);
    for (; *uri && n < sizeof path - 1; uri++) {
        unsigned byte;
        if (*uri == '%' && sscanf(uri + 1, "%2x", &byte) == 1 && uri[1] && uri[2]) path[n++] = (char)byte, uri += 2;
        else path[n++] = *uri;
    }
    path[n] = '\0';
    for (const char *c = path; *c; c++)
        if ((unsigned char)*c < ' ') mesh_build_fail(g->b, "a buffer's file has no name that can be");
    if (!g->b->status) out->own = bytes_read(g->b, path, &out->n);
    g->b->most = g->b->most > (int64_t)out->n ? g->b->most : (int64_t)out->n;
    if (!out->own) g->gone = true;
    out->bytes = out->own;
}

static bool buffers_begin(struct gltf *g)
{
    if (g->buffer) return true;
    const size_t n = json_array_size(json_object_get(g->root, "buffers"));
    g->buffer = mesh_build_grow(g->b, NULL, 0, (n + 1) * sizeof *g->buffer);
    if (!g->buffer) return false;
    memset(g->buffer, 0, (n + 1) * sizeof *g->buffer);
    g->n_buffers = n;
    return true;
}

/* The buffer, loaded at its first use. */
static struct gltf_buffer *buffer_get(struct gltf *g, int64_t index)
{
    const json_t *entry = gltf_entry(g, "buffers", index);
    if (!entry || !buffers_begin(g)) return NULL;
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

/* What is packed may lie beside as it is; else its buffer is none, or said to be a place for what is unpacked. */
static const char *packed_by(struct gltf *g, const json_t *view, int64_t buffer)
{
    static const char *const packings[] = {"EXT_meshopt_compression", "KHR_meshopt_compression"};
    const json_t *entry = json_array_get(json_object_get(g->root, "buffers"), buffer < 0 ? SIZE_MAX : (size_t)buffer);
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++) {
        const json_t *packed = json_object_get(json_object_get(view, "extensions"), packings[i]);
        const json_t *own = json_object_get(json_object_get(entry, "extensions"), packings[i]);
        if (packed && (!json_object_get(entry, "uri") || json_is_true(json_object_get(own, "fallback"))))
            return packings[i];
    }
    return NULL;
}

const char *gltf_view(struct gltf *g, int64_t index, int64_t offset, size_t *n, int64_t *stride)
{
    const json_t *view = gltf_entry(g, "bufferViews", index);
    if (!view) return NULL;
    const int64_t first = gltf_integer(g, view, "byteOffset", 0), length = gltf_integer(g, view, "byteLength", 0);
    const int64_t number = gltf_integer(g, view, "buffer", -1);
    const char *packing = packed_by(g, view, number);
    if (packing) return mesh_build_fail(g->b, "its numbers are packed by %s: export it without", packing), NULL;
    *stride = gltf_integer(g, view, "byteStride", 0);
    const struct gltf_buffer *buffer = buffer_get(g, number);
    if (g->b->status || !buffer) return NULL;
    if (first + length > (int64_t)buffer->n || offset > length) {
        mesh_build_fail(g->b, "view %lld goes on behind its buffer's %zu bytes", (long long)index, buffer->n);
        return NULL;
    }
    *n = (size_t)(length - offset);
    return buffer->bytes + first + offset;
}

void gltf_free(struct gltf *g)
{
    for (size_t i = 0; i < g->n_buffers; i++) free(g->buffer[i].own);
    free(g->buffer);
    free(g->parent);
    free(g->world);
    json_decref(g->root);
}
