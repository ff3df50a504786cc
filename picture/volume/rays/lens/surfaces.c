// SPDX-License-Identifier: Apache-2.0
#include "surfaces.h"
#include <picture/volume/rays/jitter.h>

enum { BAND = 4 }; ///< rows a task

struct finding {
    const struct bw_take *m; ///< without what is found
    struct bw_still still;
    struct bw_studio coarse; ///< as places so far apart see it
    int32_t grid;            ///< of what is kept
};

static void band_find(int64_t band, void *user)
{
    const struct finding *f = user;
    const struct bw_take *m = f->m;
    const int w = bw_still_count(&f->still, f->still.w), h = bw_still_count(&f->still, f->still.h);
    for (int j = (int)band * BAND; j < h && j < (int)(band + 1) * BAND; j++)
        for (int i = 0; i < w; i++) {
            const int x = i * f->still.step - f->still.margin, y = j * f->still.step - f->still.margin;
            const double uv[2] = {2 * (x + 0.5) / m->img->w - 1, 1 - 2 * (y + 0.5) / m->img->h};
            struct bw_camera_ray s = {.x = x, .y = y, .jitter = bw_jitter(x, y, 0) - 0.5f, .studio = &f->coarse};
            bw_camera_ray_keeps(m, f->grid, i, j, &s);
            bw_camera_ray_surface(m, uv, f->still.blurred, &s, &f->still.spot[(size_t)j * (size_t)w + (size_t)i]);
        }
}

enum bw_status bw_surfaces_find(const struct bw_tools *tools, int32_t step, double blurred, struct bw_take *m)
{
    const int which = m->still[0].spot != NULL;
    struct finding f = {
        m, {&m->shot.scene->camera, m->img->w, m->img->h, NULL, step, m->margin, blurred}, m->studio, which + 1};
    const size_t w = (size_t)bw_still_count(&f.still, m->img->w), h = (size_t)bw_still_count(&f.still, m->img->h);
    f.still.spot = tools->alloc(tools->ctx, w * h * sizeof *f.still.spot);
    if (!f.still.spot) return BW_ERR_MEMORY;
    f.coarse.pixel *= step;
    bw_camera_rays_keep(tools, m, f.grid, (const int32_t[]){(int32_t)w, (int32_t)h});
    tools->parallel(tools->ctx, ((int64_t)h + BAND - 1) / BAND, band_find, &f);
    m->still[which] = f.still;
    return BW_OK;
}
