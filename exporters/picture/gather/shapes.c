// SPDX-License-Identifier: Apache-2.0
#include "shapes.h"

enum bw_status bw_gather_shapes(const struct bw_tools *tools, const struct bw_frame *frame,
                                const struct bw_snapshot_field *solid, struct bw_shapes **shapes)
{
    const struct bw_shape **list = tools->alloc(tools->ctx, ((size_t)frame->n_shapes + 1) * sizeof *list);
    int32_t n = 0;
    int known = solid != NULL;
    if (!list) return BW_ERR_MEMORY;
    for (uint32_t i = 0; known && i < frame->n_shapes; i++) {
        if (frame->shapes[i].field != solid->info) continue;
        known = frame->shapes[i].shape.kind != BW_SHAPE_UNKNOWN;
        list[n++] = &frame->shapes[i].shape;
    }
    enum bw_status status = BW_OK;
    if (known && n > 0) status = bw_shapes_follow(tools, list, n, shapes);
    else bw_shapes_free(tools, *shapes), *shapes = NULL;
    tools->release(tools->ctx, list);
    return status;
}
