// SPDX-License-Identifier: Apache-2.0
#include "preview_options.h"

#include "options.h"
#include "preset/preset.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define AUTO "auto|" ///< first among choices, so their index is one higher than the value

static const struct bw_param set_row[] = {
    {.type = BW_PARAM_STRING, .doc = "A text."},
};

static const struct bw_param rows[] = {
    BW_STRING(struct preview_options, frames, "frames", 0, "A-B: only these frames."),
    BW_STRING(struct preview_options, share, "part", 0, "K/N: of a movie in N parts, the K-th."),
    BW_CHOICE(struct preview_options, view, "view", "auto", AUTO "render|slice", "Volume render, or a slice."),
    BW_INT(struct preview_options, size, "size", "0", 0, 8192, "Height in pixels; 0: the bake's own, else 720."),
    BW_SLICE_ROWS(BW_PICTURE_ROW, struct preview_options, slice.)
        BW_SLICE_STYLE_ROWS(BW_PICTURE_ROW, struct preview_options, slice.)
            BW_CHOICE(struct preview_options, y_up, "up", "auto", AUTO "z|y", "The files' up axis."),
    BW_F64(struct preview_options, fps, "fps", "0", 0, 1e6, 0, "Frames a second."),
    BW_F64(struct preview_options, thickness, "thickness", "1", 0, 1e6, 0,
           "Renders: optical thickness, times the bake's own."),
    BW_F64(struct preview_options, exposure, "exposure", "1", 0, 1e6, 0, "Renders: brightness, likewise."),
    BW_F64(struct preview_options, fire, "fire", "1", 0, 1e6, 0, "Renders: brightness of flames, likewise."),
    BW_F64(struct preview_options, key, "key", "1", 0, 1e6, 0, "Renders: strength of the lamps, likewise."),
    BW_LIST(struct preview_options, set, const char *, "set", set_row,
            "Over what the bake says: look.KEY=VALUE, camera.KEY=VALUE."),
};

/* Keys of a look that are options here, too: a slice reads nothing else of it. */
#define KEY(S, m, KIND, member, ...) #member,
static const char *const look_keys[] = {"view", "size", BW_SLICE_ROWS(KEY, , ) BW_SLICE_STYLE_ROWS(KEY, , )};

/* -1 for those of a slice that the options don't give: there the bake's own look counts. */
static void given_mark(struct slice_options *s, const struct bw_node *options)
{
    const struct {
        const char *key;
        int32_t *value;
    } choice[] = {{"axis", &s->axis}, {"vectors", &s->vectors}, {"map", &s->map}};
    for (size_t i = 0; i < BW_COUNT(choice); i++)
        if (!options || !bw_node_get(options, choice[i].key)) *choice[i].value = -1;
    if (!options || !bw_node_get(options, "relief")) s->relief = -1;
}

static enum bw_status options_resolve(struct preview_options *o, struct bw_diag *d)
{
    char why[256];
    int has_unit;
    const char *position = o->slice.position;
    const struct bw_list *range = &o->slice.range;
    o->first = INT64_MIN;
    o->last = INT64_MAX;
    o->position = NAN;
    o->view--, o->y_up--;
    if (o->frames && bw_parse_frames(o->frames, &o->first, &o->last))
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "frames is %s; A-B or one number is wanted", o->frames);
    if (strcmp(position, "center") != 0 && bw_parse_quantity(position, "m", &o->position, &has_unit, why, sizeof why))
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "position: %s", why);
    if (o->share && (sscanf(o->share, "%" SCNd64 "/%" SCNd64, &o->part, &o->parts) != 2 || o->part < 1 ||
                     o->part > o->parts || o->parts > INT32_MAX))
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "part is %s; K/N is wanted, like 2/4", o->share);
    if (range->count && range->count != 2)
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "range wants two numbers, [lowest, highest]");
    if (o->size > 0 && o->size < 16)
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "size is %d; 16 pixels are the least", (int)o->size);
    if (range->count) memcpy(o->range, range->items, sizeof o->range);
    return BW_OK;
}

/* A `set` of a look's key that is an option here becomes that option. */
static void overrides_apply(struct bw_node *options, struct bw_diag *d)
{
    const struct bw_node *set = options ? bw_node_get(options, "set") : NULL;
    for (int32_t i = 0; set && set->type == BW_NODE_SEQ && i < set->count; i++) {
        const char *text = set->child[i]->text;
        if (!text || strncmp(text, "look.", 5) != 0) continue;
        const size_t length = strcspn(text + 5, "=");
        for (size_t k = 0; k < BW_COUNT(look_keys); k++)
            if (strlen(look_keys[k]) == length && !strncmp(text + 5, look_keys[k], length) && text[5 + length])
                bw_preset_override_look(options, text, rows, BW_COUNT(rows), d);
    }
}

enum bw_status preview_options_read(struct preview_options *o, const char *options, struct bw_params **params,
                                    struct bw_diag *d)
{
    struct bw_params_context ctx = {.owner = "preview", .fps = 24, .ambient = 293.15};
    struct bw_node *node = options ? options_parse(options, "options", d) : NULL;
    overrides_apply(node, d);
    *params = d->status ? NULL : bw_params_compile(rows, BW_COUNT(rows), sizeof *o, node, &ctx, d);
    enum bw_status status = *params ? bw_params_eval(*params, 0, 0, o, d) : d->status;
    if (!status) given_mark(&o->slice, node);
    bw_node_free(node);
    return status ? status : options_resolve(o, d);
}
