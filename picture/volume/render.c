// SPDX-License-Identifier: Apache-2.0
#include "render.h"
#include "tone_map.h"
#include <picture/volume/detail/detail.h>
#include <picture/volume/light/medium.h>
#include <picture/volume/motion/shine.h>
#include <picture/volume/motion/shutter.h>
#include <picture/volume/motion/sparks.h>
#include <picture/volume/rays/draft.h>
#include <picture/volume/scene/flame.h>
#include <picture/volume/solid/normals.h>

#define STAND 2 ///< cells over the floor: lower edges would be round, and the floor seen below them

/// Is any of it hot enough to glow? Temperatures of smoke that is merely warm would be read and moved all along a ray.
static int glows_anywhere(const struct bw_volume *v, double ambient)
{
    const size_t cells = bw_dense_cells(&v->box);
    float most = 0;
    if (v->flame || !v->temperature) return v->flame != NULL;
    for (size_t i = 0; i < cells; i++) most = bw_most(most, v->temperature[i]);
    return (double)most + ambient > (double)BW_DRAPER;
}

enum bw_status bw_render_linear(const struct bw_tools *tools, const struct bw_volume *v, const struct bw_scene *scene,
                                struct bw_image *img, float *alpha)
{
    struct bw_medium medium;
    struct bw_volume standing = *v, burning = *v;
    struct bw_detail detail = {.flow = NULL};
    struct bw_shine shine = {.rgb = NULL};
    struct bw_shot shot = {&medium.lit, &medium.ambient, &standing, scene, NULL, &shine};
    standing.stands = scene->floor;
    standing.stand = scene->lo[2] + STAND * v->solid_box.h;
    if (!glows_anywhere(v, scene->ambient)) burning.temperature = NULL;
    enum bw_status status = bw_medium_light(tools, &burning, scene, &medium);
    if (!status && v->solid && !v->shapes) status = bw_normals_make(tools, &standing);
    if (!status) status = bw_shutter_open(tools, v, scene->shutter, &medium);
    if (!status) status = bw_medium_sharpen(tools, &scene->look, &medium);
    if (!status) status = bw_detail_make(tools, v, scene, &detail);
    if (detail.flow) shot.detail = &detail;
    if (!status) status = bw_shine_make(tools, v, scene, 2 * scene->camera.tan_y / img->h, &shine);
    const int draft = scene->look.quality == BW_QUALITY_DRAFT;
    if (!status) status = draft ? bw_draft_march(tools, &shot, img, alpha) : bw_march(tools, &shot, img, alpha);
    if (!status) status = bw_sparks_draw(tools, &shot, img, alpha);
    bw_shine_free(tools, &shine);
    bw_detail_free(tools, &detail);
    bw_medium_free(tools, &medium);
    bw_normals_free(tools, &standing);
    return status;
}

enum bw_status bw_render(const struct bw_tools *tools, const struct bw_volume *v, const struct bw_scene *scene,
                         struct bw_image *img)
{
    enum bw_status status = bw_render_linear(tools, v, scene, img, NULL);
    if (!status) status = bw_bloom(img, scene->look.bloom, scene->exposure);
    if (!status) bw_tone_map(img, scene->exposure);
    return status;
}
