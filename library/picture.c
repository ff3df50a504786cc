// SPDX-License-Identifier: Apache-2.0
/* Pictures in memory: of a bake's snapshot as the png exporter makes them. */
#include "snapshot.h"

#include "job/job.h"
#include "options.h"
#include "preset/values/params.h"
#include "view/picture_tools.h"
#include "view/snapshot_exporter.h"
#include <picture/volume/shape/shapes.h>
#include <picture/picture.h>
#include <stdlib.h>
#include <string.h>

/* Linear light, with alpha unless that is NULL. */
static enum bw_status pixels_of_light(const struct bw_image *img, const float *alpha, struct bw_pixels *out,
                                      struct bw_diag *d)
{
    size_t n = (size_t)img->w * (size_t)img->h, channels = alpha ? 4 : 3;
    float *memory = malloc(n * channels * sizeof *memory);
    if (!memory) return out_of_memory(d);
    for (size_t i = 0; i < n; i++) {
        memcpy(memory + i * channels, img->px + 3 * i, 3 * sizeof *memory);
        if (alpha) memory[i * channels + 3] = alpha[i];
    }
    *out = (struct bw_pixels){
        .width = img->w, .height = img->h, .channels = (int32_t)channels, .is_float = 1, .memory = memory};
    return BW_OK;
}

/* ---- a picture ---- */

struct picture_options {
    struct bw_picture_params p;
    const char *domain;
};

static const struct bw_param rows[] = {
    BW_STRING(struct picture_options, domain, "domain", 0, "Which domain is shown; the first when absent."),
    BW_PICTURE_PARAMS(struct picture_options, p)};

static enum bw_status picture_draw(struct snapshot *m, struct bw_exporter *e, const struct picture_options *o,
                                   uint32_t flags, struct bw_pixels *out, struct bw_diag *d)
{
    const struct chain_snapshot *s = m->data;
    struct bw_snapshot_field *fields = bw_calloc((s->frame.n_fields + 1) * sizeof *fields);
    if (!fields) return out_of_memory(d);
    struct bw_frame frame = snapshot_of_domain(s, e->domains[e->domain], fields);
    struct bw_picture p;
    struct bw_image img = {0};
    float *alpha = NULL;
    bw_picture_begin(&p, e);
    p.slices = 1;
    enum bw_status status = flags
                                ? bw_picture_light(&p, e, &frame, &o->p, &img, flags & BW_PIXELS_ALPHA ? &alpha : NULL)
                                : bw_picture_make(&p, e, &frame, &o->p, &img);
    if (!status) status = flags ? pixels_of_light(&img, alpha, out, d) : pixels_of_image(&img, out, d);
    else if (!d->status) bw_diag_error(d, NULL, status, "the picture can't be made");
    memcpy(out->lo, p.cut[0], sizeof out->lo);
    memcpy(out->hi, p.cut[1], sizeof out->hi);
    memcpy(out->range, p.shown, sizeof out->range);
    bw_image_free(&img);
    bw_shapes_free(&p.tools, p.shapes);
    bw_spots_free(&p.tools, &p.spots);
    if (p.sky) p.tools.release(p.tools.ctx, p.sky);
    free(alpha);
    bw_free(fields);
    return d->status;
}

enum bw_status picture_of_job(struct snapshot *m, const char *look, uint32_t flags, struct bw_pixels *out,
                              struct bw_diag *d)
{
    const struct job *j = m->owner;
    const struct chain_snapshot *s = m->data;
    if (flags & ~(uint32_t)(BW_PIXELS_FLOAT | BW_PIXELS_ALPHA))
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "a picture has no flags 0x%x", flags);
    struct bw_node *node = look ? options_parse(look, "look", d) : NULL;
    struct bw_params_context ctx = {.owner = "look", .fps = s->frame.fps, .first = j->preset->time.first};
    ctx.seed = j->preset->time.seed;
    ctx.ambient = j->preset->ambient;
    struct picture_options *o = bw_calloc(sizeof *o);
    struct bw_params *params =
        d->status || !o ? NULL : bw_params_compile(rows, sizeof rows / sizeof *rows, sizeof *o, node, &ctx, d);
    if (params) bw_params_eval(params, s->frame.time, 0, o, d);
    struct snapshot_exporter exporter;
    if (params && !d->status) {
        if (snapshot_exporter_init(&exporter, m, o->domain, d)) picture_draw(m, &exporter.e, o, flags, out, d);
    } else if (!d->status) {
        out_of_memory(d);
    }
    bw_params_free(params);
    bw_free(o);
    bw_node_free(node);
    return d->status;
}
