// SPDX-License-Identifier: Apache-2.0
#include "shapes.h"
#include <picture/volume/material/uneven.h>

#include <string.h>

/// One more than which of `each` is meant, or 0.
static int32_t look_of(const struct bw_picture_obstacles *wish, const char *stage)
{
    const struct bw_picture_obstacle *each = wish->each.items;
    for (int32_t i = 0; stage && i < wish->each.count; i++)
        if (!strcmp(each[i].stage, stage)) return i + 1;
    return 0;
}

/// Logs, torches and candles are not turned on a lathe.
static struct bw_form_grown grown_of(const struct bw_picture_obstacles *wish, int32_t look, uint32_t lot)
{
    const struct bw_picture_obstacle *each = wish->each.items, *own = look ? &each[look - 1] : &wish->all;
    const int32_t uneven = own->material == BW_MATERIAL_BARK    ? BW_UNEVEN_LOG
                           : own->material == BW_MATERIAL_CLOTH ? BW_UNEVEN_RAGS
                           : own->material == BW_MATERIAL_WAX   ? BW_UNEVEN_WAX
                                                                : BW_UNEVEN_NOT;
    return (struct bw_form_grown){uneven, lot};
}

enum bw_status bw_gather_shapes(const struct bw_tools *tools, const struct bw_frame *frame,
                                const struct bw_snapshot_field *solid, const struct bw_picture_obstacles *wish,
                                struct bw_shapes **shapes)
{
    const size_t most = (size_t)frame->n_shapes + 1;
    const struct bw_shape **list = tools->alloc(tools->ctx, most * sizeof *list);
    int32_t *look = tools->alloc(tools->ctx, most * sizeof *look), n = 0;
    struct bw_form_grown *grown = tools->alloc(tools->ctx, most * sizeof *grown);
    int known = solid != NULL;
    enum bw_status status = list && look && grown ? BW_OK : BW_ERR_MEMORY;
    for (uint32_t i = 0; !status && known && i < frame->n_shapes; i++) {
        const struct bw_snapshot_shape *s = &frame->shapes[i];
        if (s->field != solid->info) continue;
        known = s->shape.kind != BW_SHAPE_UNKNOWN;
        look[n] = look_of(wish, s->stage);
        grown[n] = grown_of(wish, look[n], (uint32_t)n);
        list[n++] = &s->shape;
    }
    if (!status && known && n > 0) status = bw_shapes_follow(tools, list, grown, n, shapes);
    else if (!status) bw_shapes_free(tools, *shapes), *shapes = NULL;
    for (int32_t i = 0; !status && *shapes && i < (*shapes)->n; i++)
        (*shapes)->form[i].look = look[(*shapes)->form[i].of];
    if (list) tools->release(tools->ctx, list);
    if (look) tools->release(tools->ctx, look);
    if (grown) tools->release(tools->ctx, grown);
    return status;
}
