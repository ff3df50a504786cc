// SPDX-License-Identifier: Apache-2.0
#include "texture.h"
#include <picture/volume/scene/fast_math.h>

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { SIDE = BW_TEXTURE_SIDE, STEP = SIDE - 1 }; ///< the last row and column are the next tile's first
enum { SLOTS = 1 << 17, TRIES = 16, MOST = SLOTS / 2, KEPT = MOST * 3 / 4 }; ///< tiles at all, and for another picture
#define FARTHEST 1e8                                                         ///< tiles from the origin
#define WHOLE 65535.0f

typedef float vec4 __attribute__((vector_size(16)));
typedef uint16_t share4 __attribute__((vector_size(8)));

struct tile {
    uint64_t key;
    uint16_t share[]; ///< SIDE × SIDE texels of all lanes
};

struct bw_texture {
    struct bw_texture_plan plan;
    struct bw_tools tools;
    atomic_int users;
    atomic_uint used;                   ///< tiles
    _Atomic(struct tile *) slot[SLOTS]; ///< the hash table
};

static size_t tile_bytes(const struct bw_texture_plan *plan)
{
    return sizeof(struct tile) + (size_t)plan->lanes * SIDE * SIDE * sizeof(uint16_t);
}

void bw_texture_free(const struct bw_tools *tools, struct bw_texture *t)
{
    if (!t || atomic_fetch_sub_explicit(&t->users, 1, memory_order_acq_rel) != 1) return;
    for (size_t i = 0; i < SLOTS; i++) {
        struct tile *one = atomic_load_explicit(&t->slot[i], memory_order_relaxed);
        if (one) tools->release(tools->ctx, one);
    }
    tools->release(tools->ctx, t);
}

int bw_texture_serves(const struct bw_texture *t, const struct bw_texture_plan *plan)
{
    return t && !memcmp(&t->plan, plan, sizeof *plan) && atomic_load(&t->used) <= KEPT;
}

void bw_texture_keep(const struct bw_tools *tools, const struct bw_texture_plan *plan, struct bw_texture **t)
{
    if (bw_texture_serves(*t, plan)) return;
    bw_texture_free(tools, *t);
    *t = tools->alloc(tools->ctx, sizeof **t);
    if (!*t) return;
    memcpy(&(*t)->plan, plan, sizeof *plan);
    (*t)->tools = *tools;
    atomic_init(&(*t)->users, 1);
}

struct bw_texture *bw_texture_hold(struct bw_texture *t)
{
    if (t) atomic_fetch_add_explicit(&t->users, 1, memory_order_relaxed);
    return t;
}

static uint16_t share_keep(float x) { return (uint16_t)(bw_least(bw_most(x, 0), 1) * WHOLE + 0.5f); }

/// side × side texels from number (i, j) on.
static void texels_make(const struct bw_texture_plan *plan, double texel, double i, double j, int side, uint16_t *share)
{
    const int n = side * side;
    float lanes[BW_TEXTURE_LANES * SIDE * SIDE];
    plan->make(plan, (const double[2]){(i + 0.5) * texel, (j + 0.5) * texel}, texel, side, lanes);
    for (int l = 0; l < plan->lanes; l++)
        for (int q = 0; q < n; q++) share[q * plan->lanes + l] = share_keep(lanes[l * n + q]);
}

static struct tile *tile_make(struct bw_texture *t, uint64_t key, double texel, double i, double j)
{
    struct tile *one = NULL;
    if (atomic_fetch_add_explicit(&t->used, 1, memory_order_relaxed) < MOST)
        one = t->tools.alloc(t->tools.ctx, tile_bytes(&t->plan));
    if (!one) return NULL;
    one->key = key;
    texels_make(&t->plan, texel, i * STEP, j * STEP, SIDE, one->share);
    return one;
}

/// NULL: there is no room. Of two threads that make one, the second throws its own away.
static const struct tile *tile_find(struct bw_texture *t, int level, double texel, double i, double j)
{
    const uint64_t key =
        (uint64_t)(level + 64) << 56 | (uint64_t)(int64_t)(i + FARTHEST) << 28 | (uint64_t)(int64_t)(j + FARTHEST);
    struct tile *made = NULL;
    uint64_t at = (key ^ key >> 28) * 0x9e3779b97f4a7c15u >> 32;
    for (int n = 0; n < TRIES; n++, at++) {
        _Atomic(struct tile *) *slot = &t->slot[at % SLOTS];
        struct tile *is = atomic_load_explicit(slot, memory_order_acquire);
        if (!is && !made && !(made = tile_make(t, key, texel, i, j))) return NULL;
        if (!is && atomic_compare_exchange_strong_explicit(slot, &is, made, memory_order_acq_rel, memory_order_acquire))
            return made;
        if (is->key != key) continue;
        if (made) t->tools.release(t->tools.ctx, made), atomic_fetch_sub_explicit(&t->used, 1, memory_order_relaxed);
        return is;
    }
    if (made) t->tools.release(t->tools.ctx, made);
    return NULL;
}

static vec4 texel_read(const uint16_t *share)
{
    share4 is;
    memcpy(&is, share, sizeof is);
    return __builtin_convertvector(is, vec4);
}

/// Places along a line, so far between the texels of a level.
struct line {
    struct bw_texture *t;
    const struct bw_texture_plan *plan;
    const double *at, *step;
    int n;
};

/// Add their sum in a level, `part` of it.
static void level_read(const struct line *line, int level, float part, vec4 *lanes)
{
    const double texel = ldexp(1, level), finer = ldexp(1, -level);
    const int n = line->plan->lanes;
    const struct tile *tile = NULL;
    double last[2] = {NAN, NAN};
    for (int k = 0; k < line->n; k++) {
        const double x = (line->at[0] + k * line->step[0]) * finer - 0.5,
                     y = (line->at[1] + k * line->step[1]) * finer - 0.5, i = floor(x), j = floor(y),
                     ti = floor((i + 0.5) * (1.0 / STEP)), tj = floor((j + 0.5) * (1.0 / STEP));
        const float u = (float)(x - i), v = (float)(y - j), to = part / WHOLE;
        const float w[4] = {to * (1 - u) * (1 - v), to * u * (1 - v), to * (1 - u) * v, to * u * v};
        uint16_t own[BW_TEXTURE_LANES * 4];
        if (!(ti == last[0] && tj == last[1]))
            tile =
                line->t && fabs(ti) < FARTHEST && fabs(tj) < FARTHEST ? tile_find(line->t, level, texel, ti, tj) : NULL;
        last[0] = ti, last[1] = tj;
        if (!tile) texels_make(line->plan, texel, i, j, 2, own);
        const int side = tile ? SIDE : 2;
        const uint16_t *p = tile ? tile->share + n * ((int)(j - tj * STEP) * SIDE + (int)(i - ti * STEP)) : own;
        for (int l = 0; l < n; l += 4, p += 4)
            lanes[l / 4] += w[0] * texel_read(p) + w[1] * texel_read(p + n) + w[2] * texel_read(p + n * side) +
                            w[3] * texel_read(p + n * side + n);
    }
}

void bw_texture_mean(struct bw_texture *t, const struct bw_texture_plan *plan, const double at[2], const double step[2],
                     int n, double wide, float *lanes)
{
    const struct line line = {t, plan, at, step, n};
    int power;
    const float coarse = (float)(2 * frexp(fmin(fmax(wide, 1e-9), 1e9), &power) - 1);
    vec4 sum[BW_TEXTURE_LANES / 4] = {{0}};
    level_read(&line, power - 1, (1 - coarse) / (float)n, sum);
    if (coarse > 0) level_read(&line, power, coarse / (float)n, sum);
    memcpy(lanes, sum, (size_t)plan->lanes * sizeof *lanes);
}

void bw_texture_read(struct bw_texture *t, const struct bw_texture_plan *plan, const double at[2], double wide,
                     float *lanes)
{
    bw_texture_mean(t, plan, at, (const double[2]){0, 0}, 1, wide, lanes);
}
