// SPDX-License-Identifier: Apache-2.0
#include "wish.h"

#include "options.h"
#include "preset/preset.h"
#include <picture/params.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define UNSAID "auto|" ///< choices begin with it, so that they are one higher than what they mean

static const struct bw_param override_applies[] = {
    {.type = BW_PARAM_STRING, .doc = "A text."},
};

static const struct bw_param rows[] = {
    BW_STRING(struct wish, frames, "frames", 0, "A-B: only these frames."),
    BW_STRING(struct wish, share, "part", 0, "K/N: of a movie in N parts, the K-th."),
    BW_CHOICE(struct wish, slice, "view", "auto", UNSAID "render|slice", "Volume render, or a slice."),
    BW_STRING(struct wish, field, "field", 0, "The grid to show; density."),
    BW_INT(struct wish, size, "size", "0", 0, 8192, "Height in pixels; 0: the bake's own, else 720."),
    BW_CHOICE(struct wish, axis, "axis", "auto", UNSAID "x|y|z", "Slices: the axis across the slice."),
    BW_STRING(struct wish, at, "position", 0, "Slices: where along it."),
    BW_CHOICE(struct wish, vectors, "vectors", "auto", UNSAID BW_VECTORS_CHOICES, "Slices: the flow drawn over it."),
    BW_CHOICE(struct wish, map, "map", "baked", "baked|" BW_MAP_CHOICES, "Slices: colour map."),
    BW_LIST(struct wish, asked, double, "range", bw_picture_range_row,
            "Slices: [lowest, highest] value of the colours."),
    BW_F64(struct wish, relief, "relief", "-1", -1, 4, 0, "Slices: lit as a thick layer; -1: the bake's own, else 0."),
    BW_CHOICE(struct wish, y_up, "up", "auto", UNSAID "z|y", "The files' up axis."),
    BW_F64(struct wish, fps, "fps", "0", 0, 1e6, 0, "Frames a second."),
    BW_F64(struct wish, thickness, "thickness", "1", 0, 1e6, 0, "Renders: optical thickness, times the bake's own."),
    BW_F64(struct wish, exposure, "exposure", "1", 0, 1e6, 0, "Renders: brightness, likewise."),
    BW_F64(struct wish, fire, "fire", "1", 0, 1e6, 0, "Renders: brightness of flames, likewise."),
    BW_F64(struct wish, key, "key", "1", 0, 1e6, 0, "Renders: strength of the lamps, likewise."),
    BW_BOOL(struct wish, labels, "labels", "true", "Slices: title, scale and colour bar."),
    BW_LIST(struct wish, said, const char *, "set", override_applies,
            "Over what the bake says: look.KEY=VALUE, camera.KEY=VALUE."),
};

/* What of a look is an option here too: of slices nothing else is read. */
static const char *const both[] = {"view",    "field", "size",  "axis",   "position",
                                   "vectors", "map",   "range", "relief", "labels"};

static enum bw_status wish_settle(struct wish *w, struct bw_diag *d)
{
    char why[256];
    int has_unit;
    w->first = INT64_MIN;
    w->last = INT64_MAX;
    w->position = NAN;
    w->slice--, w->axis--, w->vectors--, w->map--, w->y_up--;
    if (w->frames && bw_parse_frames(w->frames, &w->first, &w->last))
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "frames is %s; A-B or one number is wanted", w->frames);
    if (w->at && bw_parse_quantity(w->at, "m", &w->position, &has_unit, why, sizeof why))
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "position: %s", why);
    if (w->share && (sscanf(w->share, "%" SCNd64 "/%" SCNd64, &w->part, &w->parts) != 2 || w->part < 1 ||
                     w->part > w->parts || w->parts > INT32_MAX))
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "part is %s; K/N is wanted, like 2/4", w->share);
    if (w->asked.count && w->asked.count != 2)
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "range wants two numbers, [lowest, highest]");
    if (w->size > 0 && w->size < 16)
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "size is %d; 16 pixels are the least", (int)w->size);
    if (w->asked.count) memcpy(w->range, w->asked.items, sizeof w->range);
    return BW_OK;
}

static void said_share(struct bw_node *options, struct bw_diag *d)
{
    const struct bw_node *said = options ? bw_node_get(options, "set") : NULL;
    for (int32_t i = 0; said && said->type == BW_NODE_SEQ && i < said->count; i++) {
        const char *text = said->child[i]->text;
        if (!text || strncmp(text, "look.", 5) != 0) continue;
        const size_t length = strcspn(text + 5, "=");
        for (size_t k = 0; k < BW_COUNT(both); k++)
            if (strlen(both[k]) == length && !strncmp(text + 5, both[k], length) && text[5 + length])
                bw_preset_say(options, text, rows, BW_COUNT(rows), d);
    }
}

enum bw_status wish_read(struct wish *w, const char *options, struct bw_params **params, struct bw_diag *d)
{
    struct bw_params_context ctx = {.owner = "preview", .fps = 24, .ambient = 293.15};
    struct bw_node *node = options ? options_parse(options, "options", d) : NULL;
    said_share(node, d);
    *params = d->status ? NULL : bw_params_compile(rows, sizeof rows / sizeof *rows, sizeof *w, node, &ctx, d);
    enum bw_status status = *params ? bw_params_eval(*params, 0, 0, w, d) : d->status;
    bw_node_free(node);
    return status ? status : wish_settle(w, d);
}
