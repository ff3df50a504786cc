// SPDX-License-Identifier: Apache-2.0
/* A quarter of the pixels are marched. Those amid them follow, then those between these: a pixel that its sixteen
 * neighbours do not foretell is marched as well, which is seen by whether cubics and lines through them agree. Each
 * round goes by those before: threads do not matter. */
#include "veil.h"
#include "jitter.h"
#include "shown.h"

#include <math.h>

enum { BAND = 4 };  ///< rows a task
#define UNLIKE 0.3f ///< of white: the four next that differ by more see more than one thing
#define BENT 0.01f  ///< of white: a cubic and a line that differ by more amid four: what is there is finer
#define CLIPS 0.5f  ///< of white: the film shows little of what differs above

/// Which pixels of two by two are marched; and the offset between those that lie along a line through the pixel, the
/// second line being across.
struct round {
    struct bw_take *m;
    int odd[2], all, offset[2];
};

/// A pixel's, marched; of one that may meet an obstacle none.
static void pixel_march(const struct bw_take *m, int x, int y, struct bw_veil *veil)
{
    struct bw_camera_ray s = {
        .x = x, .y = y, .transmittance = BW_CLEAR, .jitter = bw_jitter(x, y, 0) - 0.5f, .studio = &m->studio};
    veil->known = !m->shot.v->shapes || bw_take_tile(m, x, y) == BW_TILE_BARE;
    if (veil->known) bw_camera_ray_veil(m, &s, veil);
}

/// A cubic's value amid four of its values: peaks stay as high as they are.
static const float amid[4] = {-1 / 16.0f, 9 / 16.0f, 9 / 16.0f, -1 / 16.0f};

/// What pixels have of each of {rgb, transmittance}, from least to most.
struct spread {
    float lo[4], hi[4];
};
static const struct spread nothing = {{INFINITY, INFINITY, INFINITY, INFINITY},
                                      {-INFINITY, -INFINITY, -INFINITY, -INFINITY}};

static void spread_add(struct spread *s, const struct bw_veil *v)
{
    for (int c = 0; c < 4; c++) {
        const float one = c < 3 ? v->rgb[c] : v->transmittance[3];
        s->lo[c] = bw_least(s->lo[c], one), s->hi[c] = bw_most(s->hi[c], one);
    }
}

/// As the film shows it; and of what that nearly clips, in itself: linear light is kept as well.
static int spread_within(const struct spread *s, float most, float exposure)
{
    int within = s->hi[3] - s->lo[3] < most;
    for (int c = 0; c < 3 && within; c++) {
        const float hi = s->hi[c] * exposure, lo = s->lo[c] * exposure;
        within = bw_shown(hi) - bw_shown(lo) < most && (hi < CLIPS || hi - lo < 2 * most * hi);
    }
    return within;
}

/// Of sixteen, four along each of the lines through the next four: a cubic through them and a line between the two amid
/// agree there, as the film shows {rgb} and transmittance.
static int are_even(const struct bw_veil *const v[16], float exposure)
{
    for (int c = 0; c < 4; c++) {
        float is[16];
        for (int q = 0; q < 16; q++) is[q] = c < 3 ? bw_shown(v[q]->rgb[c] * exposure) : v[q]->transmittance[3];
        for (int i = 1; i < 3; i++) {
            const float across = is[4 * i] - is[4 * i + 1] - is[4 * i + 2] + is[4 * i + 3];
            const float down = is[i] - is[4 + i] - is[8 + i] + is[12 + i];
            if (!(fabsf(across) < 16 * BENT && fabsf(down) < 16 * BENT)) return 0;
        }
    }
    return 1;
}

/// 1: the sixteen round a pixel are there and alike, and `between` is what lies amid them.
static int are_alike(const struct round *r, int x, int y, struct bw_veil *between)
{
    const struct bw_take *m = r->m;
    const struct bw_veil *near[16];
    struct spread next = nothing;
    *between = (struct bw_veil){.known = 1};
    for (int q = 0; q < 16; q++) {
        const int u = 2 * (q % 4) - 3, w = 2 * (q / 4) - 3; // in halves
        const int i = x + (u * r->offset[0] + w * r->offset[1]) / 2, j = y + (u * r->offset[1] - w * r->offset[0]) / 2;
        if (i < 0 || j < 0 || i >= m->img->w || j >= m->img->h) return 0;
        const struct bw_veil *v = near[q] = &m->veil[(size_t)j * (size_t)m->img->w + (size_t)i];
        const float share = amid[q % 4] * amid[q / 4];
        if (!v->known) return 0;
        for (int c = 0; c < 4; c++) between->transmittance[c] += share * v->transmittance[c];
        for (int c = 0; c < 3; c++) between->rgb[c] += share * v->rgb[c];
        if (u * u == 1 && w * w == 1) spread_add(&next, v);
    }
    for (int c = 0; c < 4; c++) // overshoot: light without cover, or cover without light
        if (between->transmittance[c] < 0 || between->transmittance[c] > 1 || (c < 3 && between->rgb[c] < 0)) return 0;
    const float exposure = (float)m->shot.scene->exposure;
    return spread_within(&next, UNLIKE, exposure) && are_even(near, exposure);
}

static void band_veil(int64_t band, void *user)
{
    const struct round *r = user;
    const struct bw_take *m = r->m;
    for (int y = (int)band * BAND; y < m->img->h && y < (int)(band + 1) * BAND; y++)
        for (int x = 0; x < m->img->w; x++) {
            const int own = r->all ? (x + y) % 2 : x % 2 == r->odd[0] && y % 2 == r->odd[1];
            struct bw_veil between, *veil = &m->veil[(size_t)y * (size_t)m->img->w + (size_t)x];
            if (!own) continue;
            if (r->offset[0] && are_alike(r, x, y, &between)) *veil = between;
            else pixel_march(m, x, y, veil);
        }
}

enum bw_status bw_veil_make(const struct bw_tools *tools, struct bw_take *m)
{
    struct round round[] = {{m, {0, 0}, 0, {0, 0}}, {m, {1, 1}, 0, {2, 0}}, {m, {0, 0}, 1, {1, 1}}};
    const struct bw_volume *v = m->shot.v;
    if (m->wide || m->medium.steps.across > 1 || !m->shot.lit->rgbs || (v->solid && !v->shapes)) return BW_OK;
    m->veil = tools->alloc(tools->ctx, (size_t)m->img->w * (size_t)m->img->h * sizeof *m->veil);
    if (!m->veil) return BW_ERR_MEMORY;
    for (int k = 0; k < 3; k++) tools->parallel(tools->ctx, (m->img->h + BAND - 1) / BAND, band_veil, &round[k]);
    return BW_OK;
}
