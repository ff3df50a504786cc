// SPDX-License-Identifier: Apache-2.0
/* The view rays: steps of a part of a cell from a start that differs from pixel to pixel, empty blocks skipped,
 * obstacles and the studio behind. */
#include "march.h"
#include "lens/depth_of_field.h"
#include "lens/layers.h"
#include "lens/surfaces.h"
#include "veil.h"
#include <picture/volume/shape/shapes.h>

#include <billow/host.h>

#include <math.h>

#define DEEP 0.1f  ///< of the light from there gets out: smoke is read linearly, which is not seen where nothing burns
enum { BAND = 4 }; ///< rows a task
#define SPARE 1.02 ///< cones round screen tiles are as much wider
enum { SHEETS = 2 }; ///< flames a step, where they are sheets
#define BLURRED 1.5  ///< pixels across: surfaces that spread over less are lit by each ray

static const struct bw_steps quality_steps[] = {
    [BW_QUALITY_DRAFT + 1] = {.length = 1, .fine = 1, .across = 1},
    [BW_QUALITY_DEFAULT + 1] = {.length = 0.7f, .fine = 1, .across = 1},
    [BW_QUALITY_FINAL + 1] = {.length = 0.4f, .fine = 2, .across = 2},
};

static void band_march(int64_t band, void *user)
{
    const struct bw_take *m = user;
    for (int y = (int)band * BAND; y < m->img->h && y < (int)(band + 1) * BAND; y++)
        for (int x = 0; x < m->img->w; x++) {
            const size_t at = (size_t)y * (size_t)m->img->w + (size_t)x;
            const float cover = bw_camera_rays_trace(m, x, y, m->img->px + 3 * at);
            if (m->alpha) m->alpha[at] = cover;
        }
}

/// What the screen tiles of a row show of obstacles, by a cone round each.
static void tiles_look(int64_t row, void *user)
{
    const struct bw_take *m = user;
    const struct bw_camera *c = &m->shot.scene->camera;
    const struct bw_shapes *shapes = m->shot.v->shapes;
    const int32_t size[2] = {m->img->w, m->img->h}, *tiles = m->blocks.tiles;
    for (int32_t i = 0; i < tiles[0]; i++) {
        const int32_t at[2] = {i, (int32_t)row};
        double uv[2], wide[2], dir[3], length = 0;
        for (int a = 0; a < 2; a++) {
            wide[a] = (double)BW_SCREEN_TILE / size[a];
            uv[a] = wide[a] * (2 * at[a] + 1) - 1;
        }
        for (int a = 0; a < 3; a++) {
            dir[a] = c->forward[a] + uv[0] * c->tan_x * c->right[a] - uv[1] * c->tan_y * c->up[a];
            length += dir[a] * dir[a];
        }
        for (int a = 0; a < 3; a++) dir[a] /= sqrt(length);
        const double half = SPARE * hypot(wide[0] * c->tan_x, wide[1] * c->tan_y) / sqrt(length);
        uint8_t *tile = &m->tile[row * tiles[0] + i];
        if (bw_shapes_passes(shapes, c->eye, dir, half)) *tile = BW_TILE_BLURRED;
        else *tile = bw_shapes_near(shapes, c->eye, dir, half, HUGE_VAL) ? 0 : BW_TILE_BARE;
    }
}

static enum bw_status tiles_find(const struct bw_tools *tools, struct bw_take *m)
{
    if (m->wide || !m->shot.v->shapes) return BW_OK;
    m->tile = tools->alloc(tools->ctx, (size_t)m->blocks.tiles[0] * (size_t)m->blocks.tiles[1]);
    if (!m->tile) return BW_ERR_MEMORY;
    tools->parallel(tools->ctx, m->blocks.tiles[1], tiles_look, m);
    return BW_OK;
}

static bw_march_fn march_choose(uint32_t level)
{
    return level >= BW_SIMD_AVX512 ? bw_march_segment_avx512
           : level >= BW_SIMD_AVX2 ? bw_march_segment_avx2
                                   : bw_march_segment_baseline;
}

enum bw_status bw_march(const struct bw_tools *tools, const struct bw_shot *shot, struct bw_image *img, float *alpha)
{
    struct bw_take m = {.shot = *shot, .march = march_choose(tools->simd), .img = img, .alpha = alpha};
    const int moves = shot->v->shapes && shot->v->shapes->shutter > 0;
    const int blurs = shot->scene->camera.aperture > 0;
    m.wide = blurs && (moves || shot->scene->look.quality > BW_QUALITY_DEFAULT);
    const int layered = blurs && !m.wide;
    if (layered) m.margin = bw_layers_margin(&shot->scene->camera, img->w, img->h);
    m.medium = (struct bw_march_medium){shot->lit, &m.blocks, shot->detail, shot->scene->look.extinction,
                                        quality_steps[shot->scene->look.quality + 1]};
    m.blocks.moved = shot->detail != NULL;
    m.medium.steps.cubic = bw_lit_cubic(shot->lit, &shot->scene->look);
    if (shot->lit->wide && m.medium.steps.fine < SHEETS) m.medium.steps.fine = SHEETS;
    m.medium.steps.deep = shot->lit->fire ? 0 : DEEP; // what glows behind soot outshines it: cells would show as lines
    if (blurs) m.medium.steps.across = 1;
    const int32_t size[2] = {img->w, img->h}, seen[2] = {img->w + 2 * m.margin, img->h + 2 * m.margin};
    enum bw_status status = bw_studio_make(tools, shot->scene, shot->v, shot->ambient, &m.studio);
    m.studio.shine = shot->shine;
    m.studio.pixel = 2 * shot->scene->camera.tan_y / img->h / m.medium.steps.across;
    m.studio.blur = 0.25;
    m.studio.grains = m.medium.steps.across > 1 || m.wide ? 1 : BW_GRAINS; // where a pixel has one ray
    if (!status && m.medium.steps.across == 1) bw_camera_rays_keep(tools, &m, 0, seen);
    if (!status) status = bw_blocks_make(tools, shot->lit, &shot->scene->camera, size, &m.blocks);
    if (!status && !blurs) status = tiles_find(tools, &m);
    if (!status && !blurs) status = bw_veil_make(tools, &m);
    if (!status) status = bw_haze_make(tools, shot->v, shot->scene, &m.haze);
    if (!status && m.wide) status = bw_surfaces_find(tools, 1, BLURRED, &m);
    for (int step = 4; step > 1 && !status && layered; step /= 2)
        status = bw_surfaces_find(tools, step, BLURRED * step, &m);
    if (!status && layered) status = bw_layers_march(tools, &m);
    else if (!status && (m.wide || moves)) status = bw_depth_of_field_march(tools, &m);
    else if (!status) tools->parallel(tools->ctx, (img->h + BAND - 1) / BAND, band_march, &m);
    bw_blocks_free(tools, &m.blocks);
    bw_haze_free(tools, &m.haze);
    if (m.veil) tools->release(tools->ctx, m.veil);
    if (m.tile) tools->release(tools->ctx, m.tile);
    for (int i = 0; i < 2; i++)
        if (m.still[i].spot) tools->release(tools->ctx, m.still[i].spot);
    bw_studio_free(tools, &m.studio);
    return status;
}
