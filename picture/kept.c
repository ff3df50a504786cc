// SPDX-License-Identifier: Apache-2.0
#include "kept.h"
#include "slice_place.h"
#include <picture/gather/fields.h>
#include <picture/volume/sky/hdri.h>

#include <math.h>
#include <string.h>

static void *tools_alloc(void *ctx, size_t bytes)
{
    struct bw_exporter *e = ctx;
    return e->host->alloc(e, bytes);
}

static void tools_release(void *ctx, void *memory)
{
    struct bw_exporter *e = ctx;
    e->host->release(e, memory);
}

static void tools_parallel(void *ctx, int64_t n, void (*fn)(int64_t i, void *user), void *user)
{
    struct bw_exporter *e = ctx;
    e->host->parallel_for(e, n, fn, user);
}

void bw_picture_begin(struct bw_picture *p, struct bw_exporter *e)
{
    *p = (struct bw_picture){.tools = {tools_alloc, tools_release, tools_parallel, e, e->bake->simd}};
}

enum bw_status bw_picture_files(const struct bw_picture *p, const struct bw_picture_params *params)
{
    struct bw_exporter *e = p->tools.ctx;
    const int flat = e->domains[e->domain]->thin >= 0;
    if (e->planned && !e->planned->n_fields) return e->host->fail(e, BW_ERR_PRESET, "there is no grid field to show");
    if (!bw_picture_params_render(params, p->slices) || (flat && params->view != BW_VIEW_RENDER))
        return bw_slice_check(e, params);
    char why[1200];
    struct bw_sky_wish wish;
    struct bw_look look;
    enum bw_status status = bw_picture_look(params, 0, &look, why, sizeof why);
    if (!status) status = bw_picture_sky(params, &wish, why, sizeof why);
    if (status) return e->host->fail(e, status, "%s", why);
    if (wish.kind != BW_SKY_HDRI || bw_hdri_begins(wish.file, why, sizeof why)) return BW_OK;
    return e->host->fail(e, BW_ERR_IO, "%s", why);
}

void bw_picture_bounds(struct bw_picture *p, const struct bw_snapshot_field *f, double lo[3], double hi[3])
{
    bw_gather_bounds(f, lo, hi);
    for (int a = 0; a < 3 && p->has_scene && f->info->domain->n[0] <= 0; a++) {
        lo[a] = fmin(lo[a], p->scene.lo[a]);
        hi[a] = fmax(hi[a], p->scene.hi[a]);
    }
    memcpy(p->scene.lo, lo, sizeof p->scene.lo);
    memcpy(p->scene.hi, hi, sizeof p->scene.hi);
    p->has_scene = 1;
}

/// Can pictures have left this? A checkpoint may be anybody's.
static int kept_good(const struct bw_picture *p)
{
    int good = isfinite(p->range[0]) && isfinite(p->range[1]) && isfinite(p->scene.extinction);
    for (int a = 0; a < 3; a++)
        good &= isfinite(p->scene.lo[a]) && isfinite(p->scene.hi[a]) && p->scene.lo[a] <= p->scene.hi[a];
    for (int a = 0; a < 2; a++) good &= p->size[a] >= 0 && p->size[a] < 1 << 16 && !p->size[a] == !p->size[0];
    return good;
}

enum bw_status bw_picture_checkpoint(struct bw_picture *p, struct bw_archive *a)
{
    struct bw_exporter *e = p->tools.ctx;
    enum bw_status status = a->bytes(a, "picture.has_scene", &p->has_scene, sizeof p->has_scene);
    if (!status) status = a->bytes(a, "picture.scene", &p->scene, sizeof p->scene);
    if (!status) status = a->bytes(a, "picture.size", p->size, sizeof p->size);
    if (!status) status = a->bytes(a, "picture.asked", p->asked, sizeof p->asked);
    if (!status) status = a->bytes(a, "picture.range", p->range, sizeof p->range);
    if (status || kept_good(p)) return status;
    return e->host->fail(e, BW_ERR_IO, "what was kept of its pictures is damaged");
}
