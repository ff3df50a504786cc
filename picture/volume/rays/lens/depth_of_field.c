// SPDX-License-Identifier: Apache-2.0
/* A blurred picture takes many rays where what is sharp, or of one colour, mixes with what is not, and few elsewhere.
 * So each pixel has one at first, four where it and those around differ, and from there on four times as many, as long
 * as their mean's error by their spread would be seen (Mitchell 1987). What is seen is judged as the film shows it,
 * from pixels around too: rays of one may all miss what theirs hit. All that is decided goes by pixels of the round
 * before: threads do not matter. */
#include "depth_of_field.h"
#include "sobol.h"
#include <picture/volume/rays/shown.h>
#include <picture/volume/rays/jitter.h>
#include <picture/volume/shape/shapes.h>

#include <math.h>
#include <string.h>

enum { BAND = 4, LEVELS = 5 }; ///< rows a task; how many counts of rays there are
static const int32_t counts[LEVELS] = {1, 4, 16, 64, 256};
enum { NEAR = 2 };   ///< pixels from one that a first ray is compared with
#define UNLIKE 0.02f ///< of white: first rays that differ by more see more than one thing
#define ERROR 0.012f ///< of white: what a mean may be off, by its rays' spread

enum { BLOCKS = 4 };
/// A pixel's rays: the sum of {rgb, cover}, and of the squares of the means of four blocks of them, 0 of one ray. A
/// block is spread as evenly as all are, so that its mean is off by as little as that leaves.
struct tally {
    float sum[4], square[4];
};

struct many {
    const struct bw_take *m;
    struct bw_studio few; ///< the studio as one of several rays sees it
    struct tally *tally;
    uint8_t *level, *next; ///< which of `counts` a pixel has; is to have
    int32_t round;
    float strict; ///< of the errors that are seen
};

/* ---- rays ---- */

/// A square onto the disc of radius 1, evenly (Shirley and Chiu 1997).
static void disc(double u, double v, double at[2])
{
    const double x = 2 * u - 1, y = 2 * v - 1, quarter = 0.7853981633974483;
    const int wide = fabs(x) > fabs(y);
    const double r = wide ? x : y, turn = wide ? quarter * y / x : y != 0 ? quarter * (2 - x / y) : 0;
    at[0] = r * cos(turn), at[1] = r * sin(turn);
}

/// The q-th ray of a pixel, added to sum[].
static void ray_add(const struct many *g, int x, int y, int q, float sum[4])
{
    const struct bw_take *m = g->m;
    struct bw_camera_ray s = {.x = x, .y = y, .transmittance = BW_CLEAR, .jitter = bw_jitter(x, y, q) - 0.5f};
    const struct bw_shapes *shapes = m->shot.v->shapes;
    double at[BW_SOBOL];
    float seen[4];
    bw_sobol((uint32_t)q, x, y, at);
    s.studio = q ? &g->few : &m->studio;
    disc(at[2], at[3], s.lens);
    if (shapes) s.when = (at[4] - 0.5) * shapes->shutter;
    const double uv[2] = {2 * (x + at[0]) / m->img->w - 1, 1 - 2 * (y + at[1]) / m->img->h};
    seen[3] = bw_camera_ray_trace(m, uv, &s, seen);
    for (int c = 0; c < 4; c++) sum[c] += seen[c];
}

/// Four times as many rays as a pixel has.
static void pixel_add(const struct many *g, int x, int y, int n, struct tally *t)
{
    for (int c = 0; c < 4; c++) t->square[c] = t->sum[c] * t->sum[c] / (float)(n * n);
    for (int block = 1; block < BLOCKS; block++) {
        float sum[4] = {0};
        for (int q = block * n; q < (block + 1) * n; q++) ray_add(g, x, y, q, sum);
        for (int c = 0; c < 4; c++) t->sum[c] += sum[c], t->square[c] += sum[c] * sum[c] / (float)(n * n);
    }
}

static void band_rays(int64_t band, void *user)
{
    const struct many *g = user;
    const int w = g->m->img->w, h = g->m->img->h;
    for (int y = (int)band * BAND; y < h && y < (int)(band + 1) * BAND; y++)
        for (int x = 0; x < w; x++) {
            const size_t at = (size_t)y * (size_t)w + (size_t)x;
            const int many = bw_take_many(g->m, x, y);
            if (!g->round && many) ray_add(g, x, y, 0, g->tally[at].sum);
            if (!g->round && !many) g->tally[at].sum[3] = bw_camera_rays_trace(g->m, x, y, g->tally[at].sum);
            for (; g->level[at] < g->next[at]; g->level[at]++) pixel_add(g, x, y, counts[g->level[at]], &g->tally[at]);
        }
}

/* ---- what is wanted ---- */

static float shown(const struct many *g, float light) { return bw_shown(light * (float)g->m->shot.scene->exposure); }

/// By how much first rays differ around a pixel.
static float unlike(const struct many *g, int x, int y)
{
    const int w = g->m->img->w, h = g->m->img->h;
    float most = 0;
    for (int c = 0; c < (g->m->alpha ? 4 : 3); c++) {
        float lo = INFINITY, hi = -INFINITY;
        for (int j = y > NEAR ? y - NEAR : 0; j <= y + NEAR && j < h; j++)
            for (int i = x > NEAR ? x - NEAR : 0; i <= x + NEAR && i < w; i++) {
                const float one = g->tally[(size_t)j * (size_t)w + (size_t)i].sum[c];
                lo = bw_least(lo, one), hi = bw_most(hi, one);
            }
        most = bw_most(most, c < 3 ? shown(g, hi) - shown(g, lo) : hi - lo);
    }
    return most;
}

/// By how much a pixel's mean may be off, its square; 0: it has one ray.
static float error(const struct many *g, size_t at)
{
    const struct tally *t = &g->tally[at];
    const float n = (float)counts[g->level[at]];
    float most = 0;
    for (int c = 0; c < (g->m->alpha ? 4 : 3) && n > 1; c++) {
        const float mean = t->sum[c] / n, spread = bw_most(t->square[c] / BLOCKS - mean * mean, 0);
        const float off = sqrtf(spread / (BLOCKS - 1));
        most = bw_most(most, c < 3 ? 0.5f * (shown(g, mean + off) - shown(g, mean - off)) : off);
    }
    return most * most;
}

/// The mean of it around a pixel.
static float error_near(const struct many *g, int x, int y)
{
    const int w = g->m->img->w, h = g->m->img->h;
    float sum = 0;
    int n = 0;
    for (int j = y > 0 ? y - 1 : 0; j <= y + 1 && j < h; j++)
        for (int i = x > 0 ? x - 1 : 0; i <= x + 1 && i < w; i++) {
            const size_t at = (size_t)j * (size_t)w + (size_t)i;
            if (g->level[at]) sum += error(g, at), n++;
        }
    return n ? sqrtf(sum / (float)n) : 0;
}

static void band_judge(int64_t band, void *user)
{
    const struct many *g = user;
    const int w = g->m->img->w, h = g->m->img->h;
    for (int y = (int)band * BAND; y < h && y < (int)(band + 1) * BAND; y++)
        for (int x = 0; x < w; x++) {
            const size_t at = (size_t)y * (size_t)w + (size_t)x;
            const int more = g->round ? error_near(g, x, y) > g->strict * ERROR : unlike(g, x, y) > g->strict * UNLIKE;
            g->next[at] = more && bw_take_many(g->m, x, y) ? (uint8_t)(g->round + 1) : g->level[at];
        }
}

static void band_finish(int64_t band, void *user)
{
    const struct many *g = user;
    const size_t w = (size_t)g->m->img->w, first = (size_t)band * BAND * w, all = w * (size_t)g->m->img->h;
    for (size_t at = first; at < all && at < first + BAND * w; at++) {
        const float share = 1 / (float)counts[g->level[at]];
        for (int c = 0; c < 3; c++) g->m->img->px[3 * at + (size_t)c] = share * g->tally[at].sum[c];
        if (g->m->alpha) g->m->alpha[at] = share * g->tally[at].sum[3];
    }
}

enum bw_status bw_depth_of_field_march(const struct bw_tools *tools, const struct bw_take *m)
{
    static const float strict[] = {2, 1, 0.5f};
    const int32_t levels = m->shot.scene->look.quality > 0 ? LEVELS : LEVELS - 1; // the last one doubles the time
    const size_t pixels = (size_t)m->img->w * (size_t)m->img->h;
    const int64_t bands = (m->img->h + BAND - 1) / BAND;
    struct many g = {.m = m, .few = m->studio, .strict = strict[m->shot.scene->look.quality + 1]};
    g.few.pixel /= 4, g.few.blur /= 2;
    g.few.rays = 0, g.few.grains = 1;
    g.tally = tools->alloc(tools->ctx, pixels * sizeof *g.tally);
    g.level = tools->alloc(tools->ctx, 2 * pixels);
    const enum bw_status status = g.tally && g.level ? BW_OK : BW_ERR_MEMORY;
    g.next = g.level + pixels;
    for (; !status && g.round < levels; g.round++) {
        tools->parallel(tools->ctx, bands, band_rays, &g);
        if (g.round < levels - 1) tools->parallel(tools->ctx, bands, band_judge, &g);
    }
    if (!status) tools->parallel(tools->ctx, bands, band_finish, &g);
    if (g.tally) tools->release(tools->ctx, g.tally);
    if (g.level) tools->release(tools->ctx, g.level);
    return status;
}
