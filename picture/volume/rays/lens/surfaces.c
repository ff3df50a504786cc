// SPDX-License-Identifier: Apache-2.0
#include "surfaces.h"
#include <picture/volume/rays/jitter.h>

enum { BAND = 4 }; ///< rows a task

struct finding {
    const struct bw_take *m; ///< without what is found
    struct bw_still_spot *spot;
};

static void band_find(int64_t band, void *user)
{
    const struct finding *f = user;
    const struct bw_take *m = f->m;
    for (int y = (int)band * BAND; y < m->img->h && y < (int)(band + 1) * BAND; y++)
        for (int x = 0; x < m->img->w; x++) {
            const double uv[2] = {2 * (x + 0.5) / m->img->w - 1, 1 - 2 * (y + 0.5) / m->img->h};
            struct bw_camera_ray s = {.x = x, .y = y, .jitter = bw_jitter(x, y, 0) - 0.5f, .studio = &m->studio};
            bw_camera_ray_surface(m, uv, &s, &f->spot[(size_t)y * (size_t)m->img->w + (size_t)x]);
        }
}

enum bw_status bw_surfaces_find(const struct bw_tools *tools, struct bw_take *m)
{
    const size_t pixels = (size_t)m->img->w * (size_t)m->img->h;
    struct finding f = {m, tools->alloc(tools->ctx, pixels * sizeof *f.spot)};
    if (!f.spot) return BW_ERR_MEMORY;
    tools->parallel(tools->ctx, (m->img->h + BAND - 1) / BAND, band_find, &f);
    m->still = (struct bw_still){&m->shot.scene->camera, m->img->w, m->img->h, f.spot};
    return BW_OK;
}
