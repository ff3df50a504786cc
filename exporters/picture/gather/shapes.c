// SPDX-License-Identifier: Apache-2.0
#include "shapes.h"

#include <string.h>

/// One more than which of `each` is meant, or 0.
static int32_t look_of(const struct bw_picture_obstacles *wish, const char *stage)
{
    const struct bw_picture_obstacle *each = wish->each.items;
    for (int32_t i = 0; stage && i < wish->each.count; i++)
        if (!strcmp(each[i].stage, stage)) return i + 1;
    return 0;
}

enum bw_status bw_gather_shapes(const struct bw_tools *tools, const struct bw_frame *frame,
                                const struct bw_snapshot_field *solid, const struct bw_picture_obstacles *wish,
                                struct bw_shapes **shapes)
{
    const size_t most = (size_t)frame->n_shapes + 1;
    const struct bw_shape **list = tools->alloc(tools->ctx, most * sizeof *list);
    int32_t *look = tools->alloc(tools->ctx, most * sizeof *look), n = 0;
    int known = solid != NULL;
    enum bw_status status = list && look ? BW_OK : BW_ERR_MEMORY;
    for (uint32_t i = 0; !status && known && i < frame->n_shapes; i++) {
        const struct bw_snapshot_shape *s = &frame->shapes[i];
        if (s->field != solid->info) continue;
        known = s->shape.kind != BW_SHAPE_UNKNOWN;
        look[n] = look_of(wish, s->stage);
        list[n++] = &s->shape;
    }
    if (!status && known && n > 0) status = bw_shapes_follow(tools, list, n, shapes);
    else if (!status) bw_shapes_free(tools, *shapes), *shapes = NULL;
    for (int32_t i = 0; !status && *shapes && i < (*shapes)->n; i++)
        (*shapes)->form[i].look = look[(*shapes)->form[i].of];
    if (list) tools->release(tools->ctx, list);
    if (look) tools->release(tools->ctx, look);
    return status;
}
