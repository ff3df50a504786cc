// SPDX-License-Identifier: Apache-2.0
#include "picture.h"
#include "show_render.h"
#include "show_slice.h"
#include <picture/gather/fields.h>

/// Another height is asked for, as after a resume with other values: the size is chosen anew.
static void size_follow(struct bw_picture *p, const struct bw_picture_params *params)
{
    if (p->asked[0] != params->width || p->asked[1] != params->size) p->size[0] = p->size[1] = 0;
    p->asked[0] = params->width;
    p->asked[1] = params->size;
}

enum bw_status bw_picture_light(struct bw_picture *p, struct bw_exporter *e, const struct bw_frame *frame,
                                const struct bw_picture_params *params, struct bw_image *img, float **alpha)
{
    *img = (struct bw_image){.tools = &p->tools};
    if (!frame->n_fields) return e->host->fail(e, BW_ERR_PRESET, "there is no grid field to show");
    size_follow(p, params);
    const struct bw_making m = {p, e, frame, params};
    enum bw_status status = bw_show_light(&m, img, alpha);
    if (!status) return BW_OK;
    bw_image_free(img);
    if (alpha) p->tools.release(p->tools.ctx, *alpha);
    return status;
}

/// 1 when there is something that a render shows, and that is asked for.
static int render_wanted(const struct bw_making *m)
{
    const struct bw_frame *frame = m->frame;
    const struct bw_snapshot_field *f = bw_gather_choose(frame, NULL);
    int visible = bw_gather_find(frame, "density") || bw_gather_find(frame, "dye") || bw_gather_find(frame, "flame");
    if (!f || f->info->domain->thin >= 0) return 0;
    return bw_picture_params_render(m->params, m->kept->slices) && (visible || m->params->view == BW_VIEW_RENDER);
}

enum bw_status bw_picture_make(struct bw_picture *p, struct bw_exporter *e, const struct bw_frame *frame,
                               const struct bw_picture_params *params, struct bw_image *img)
{
    *img = (struct bw_image){.tools = &p->tools};
    if (!frame->n_fields) return e->host->fail(e, BW_ERR_PRESET, "there is no grid field to show");
    size_follow(p, params);
    const struct bw_making m = {p, e, frame, params};
    enum bw_status status = render_wanted(&m) ? bw_show_render(&m, img) : bw_show_slice(&m, img);
    if (status) bw_image_free(img);
    return status;
}
