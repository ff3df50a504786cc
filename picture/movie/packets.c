// SPDX-License-Identifier: Apache-2.0
#include "packets.h"

#include <string.h>

/// Room in *memory for `wanted` items of which there are `used`; half as much again when it grows.
static enum bw_status room_make(const struct bw_tools *tools, void **memory, int64_t *room, int64_t used,
                                int64_t wanted, size_t item)
{
    if (wanted <= *room) return BW_OK;
    int64_t more = wanted + wanted / 2;
    void *grown = tools->alloc(tools->ctx, (size_t)more * item);
    if (!grown) return BW_ERR_MEMORY;
    if (used) memcpy(grown, *memory, (size_t)used * item);
    tools->release(tools->ctx, *memory);
    *memory = grown;
    *room = more;
    return BW_OK;
}

static enum bw_status packets_room(struct bw_packets *p, const struct bw_tools *tools, int64_t rows, int64_t bytes)
{
    void *row = p->row, *all = p->bytes;
    enum bw_status status = room_make(tools, &row, &p->room, p->count, p->count + rows, sizeof *p->row);
    p->row = row;
    if (!status) status = room_make(tools, &all, &p->bytes_room, p->used, p->used + bytes, 1);
    p->bytes = all;
    return status;
}

enum bw_status bw_packets_add(struct bw_packets *p, const struct bw_tools *tools, const void *bytes, int64_t size,
                              int64_t pts, int is_key)
{
    enum bw_status status = packets_room(p, tools, 1, size);
    if (status) return status;
    memcpy(p->bytes + p->used, bytes, (size_t)size);
    p->row[p->count++] = (struct bw_packet){p->used, size, pts, is_key};
    p->used += size;
    return BW_OK;
}

/// Does every packet lie within the bytes, and is shown at a time that there is?
static int packets_lie(const struct bw_packets *p)
{
    for (int64_t i = 0; i < p->count; i++) {
        const struct bw_packet *r = &p->row[i];
        if (r->pts < 0 || r->pts > INT32_MAX) return 0;
        if (r->at < 0 || r->size < 1 || r->at > p->used || r->size > p->used - r->at || r->size > INT32_MAX) return 0;
    }
    return 1;
}

enum bw_status bw_packets_checkpoint(struct bw_packets *p, const struct bw_tools *tools, struct bw_archive *a)
{
    enum bw_status status = BW_OK;
    if (a->restoring) {
        const int64_t rows = a->stored(a, "movie.packets") / (int64_t)sizeof *p->row,
                      used = a->stored(a, "movie.bytes");
        if (rows < 0 || used < 0) return BW_ERR_IO;
        status = packets_room(p, tools, rows, used);
        if (!status) p->count = rows, p->used = used;
    }
    if (!status) status = a->bytes(a, "movie.packets", p->row, (size_t)p->count * sizeof *p->row);
    if (!status) status = a->bytes(a, "movie.bytes", p->bytes, (size_t)p->used);
    if (status || packets_lie(p)) return status;
    p->count = 0;
    return BW_ERR_IO;
}

void bw_packets_free(struct bw_packets *p, const struct bw_tools *tools)
{
    tools->release(tools->ctx, p->row);
    tools->release(tools->ctx, p->bytes);
    *p = (struct bw_packets){0};
}
