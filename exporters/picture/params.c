// SPDX-License-Identifier: Apache-2.0
#include "params.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct bw_param bw_picture_range_row[1] = {{.type = BW_PARAM_F64}};
const struct bw_param bw_picture_light_rows[3] = {
    BW_VEC3(struct bw_picture_light, to, "to", "[-1, -1, 2]", NULL, "Direction towards the lamp."),
    BW_COLOUR(struct bw_picture_light, colour, "colour", "[2, 2, 2]",
              "Linear colour and strength; the studio's key is about 2."),
    BW_F64(struct bw_picture_light, soft, "soft", "0.03", 0, 0.3, 0, "How fast shadows get soft."),
};

/// The rows by themselves: offsets are those in struct bw_picture_params.
struct alone {
    struct bw_picture_params p;
};
static const struct bw_param own_rows[] = {BW_PICTURE_PARAMS(struct alone, p)};

static const struct bw_param *row_find(const struct bw_param *rows, uint32_t n, const char *key)
{
    for (uint32_t i = 0; i < n; i++)
        if (rows[i].key && !strcmp(rows[i].key, key)) return &rows[i];
    return NULL;
}

const struct bw_picture_params *bw_picture_params_find(const struct bw_param *rows, uint32_t n_rows, const void *values)
{
    const struct bw_param *first = row_find(rows, n_rows, own_rows[0].key);
    if (!first || first->offset < own_rows[0].offset) return NULL;
    const uint32_t start = first->offset - own_rows[0].offset;
    for (uint32_t i = 0; i < BW_COUNT(own_rows); i++) { // another program's table may have some of these keys too
        const struct bw_param *row = row_find(rows, n_rows, own_rows[i].key);
        if (!row || row->type != own_rows[i].type || row->offset != start + own_rows[i].offset) return NULL;
    }
    return (const void *)((const char *)values + start);
}

int bw_picture_params_render(const struct bw_picture_params *p, int slices)
{
    return p->view == BW_VIEW_RENDER || (p->view == BW_VIEW_AUTO && !p->field && !slices);
}

/// Nobody has said how bright lamps, sky, smoke and flames are to be.
static int look_untouched(const struct bw_picture_params *p)
{
    static const struct bw_look usual = BW_LOOK_DEFAULT;
    int same = p->key == usual.key && p->environment == usual.environment && p->fire == usual.fire;
    for (int c = 0; c < 3; c++) same &= fabs(p->smoke[c] - (double)usual.albedo[c]) < 1e-6;
    return same;
}

enum bw_status bw_picture_look(const struct bw_picture_params *p, int flames, struct bw_look *look, char *why,
                               size_t why_size)
{
    static const struct bw_look usual = BW_LOOK_DEFAULT, fire = BW_LOOK_FIRE;
    const int dim = p->mood == BW_MOOD_FIRE || (p->mood == BW_MOOD_AUTO && flames && look_untouched(p));
    const struct bw_look *base = dim ? &fire : &usual;
    const struct bw_picture_light *light = p->lights.items;
    const double *back = p->background.items;
    *look = (struct bw_look){.key = p->key * base->key,
                             .environment = p->environment * base->environment,
                             .fire = p->fire * base->fire,
                             .anisotropy = p->anisotropy,
                             .soften = p->soften,
                             .bloom = p->bloom,
                             .has_background = p->background.count > 0};
    if (p->background.count && p->background.count != 3) {
        snprintf(why, why_size, "background wants three numbers, [r, g, b]");
        return BW_ERR_PRESET;
    }
    if (p->lights.count > BW_LIGHTS) {
        snprintf(why, why_size, "lights has %lld lamps; at most %d are taken", (long long)p->lights.count, BW_LIGHTS);
        return BW_ERR_PRESET;
    }
    for (int c = 0; c < 3; c++) {
        look->albedo[c] = (float)fmin(fmax(p->smoke[c], 0), 1) * base->albedo[c] / usual.albedo[c];
        look->background[c] = back ? (float)back[c] : 0;
    }
    look->n_lights = (int32_t)p->lights.count;
    for (int32_t l = 0; l < look->n_lights; l++) {
        const double *to = light[l].to, size = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
        if (!(size > 0)) {
            snprintf(why, why_size, "lamp %d has no direction: `to` is zero", l + 1);
            return BW_ERR_PRESET;
        }
        look->light[l].spread = (float)light[l].soft;
        for (int c = 0; c < 3; c++) {
            look->light[l].to[c] = to[c] / size;
            look->light[l].rgb[c] = (float)light[l].colour[c];
        }
    }
    return BW_OK;
}

void bw_picture_stage(const struct bw_picture_params *p, int32_t size[2], struct bw_scene *s)
{
    double lo[3], hi[3];
    s->exposure = p->exposure;
    s->floor = p->floor;
    for (int a = 0; a < 3; a++) { // what the picture shows of it
        const double fixed = a == 2 ? s->lo[a] : 0.5 * (s->lo[a] + s->hi[a]);
        lo[a] = fixed + p->frame * (s->lo[a] - fixed);
        hi[a] = fixed + p->frame * (s->hi[a] - fixed);
    }
    const double aspect = size[0] ? (double)size[0] / size[1] : bw_camera_aspect(lo, hi);
    if (!size[0]) {
        double h = aspect > 2 ? (double)p->size * 2 / aspect : (double)p->size;
        size[0] = 2 * (int32_t)lround(h * aspect / 2);
        size[1] = 2 * (int32_t)lround(h / 2);
        s->extinction = bw_scene_extinction(s->lo, s->hi);
    }
    bw_camera_fit(&s->camera, lo, hi, aspect);
}
