// SPDX-License-Identifier: Apache-2.0
/* What all multigrid files stand on: memory that is kept, and who is beside whom. */
#include "multigrid.h"

int mg_buffer_fit(struct bw_stage *stage, struct mg_buffer *buffer, size_t bytes)
{
    if (bytes <= buffer->bytes && bytes >= buffer->bytes / 4) return 1;
    stage->host->release(stage, buffer->data);
    const size_t size = bytes + bytes / 8 + 64;
    buffer->data = stage->host->alloc(stage, size);
    buffer->bytes = buffer->data ? size : 0;
    return buffer->data != NULL;
}

int32_t mg_step(const struct multigrid *mg, const struct mg_level *l, int32_t tile, const int32_t from[3], int side,
                int32_t to[3])
{
    const int axis = side >> 1, edge = mg->shape.edge[axis];
    for (int a = 0; a < 3; a++) to[a] = from[a];
    to[axis] += side & 1 ? 1 : -1;
    const int32_t at = l->coord[tile][axis] * edge + to[axis];
    if (l->periodic[axis] && (at < 0 || at >= l->cells[axis])) {
        to[axis] = at < 0 ? (l->cells[axis] - 1) % edge : 0;
        return l->near[tile][side];
    }
    if (to[axis] >= 0 && to[axis] < edge) return tile;
    to[axis] = to[axis] < 0 ? edge - 1 : 0;
    return l->near[tile][side];
}
