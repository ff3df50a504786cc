// SPDX-License-Identifier: Apache-2.0
/* Launches: each piece's time, position, velocity, size and life are random numbers of its index and the seed alone, so
 * any step lengths, threads and ranks give the same pieces. */
#include "debris.h"

#include <math.h>
#include <string.h>

#define TURN 6.283185307179586
#define LOTS_MOST 1e6     ///< lots begun at once: `every` is far too short
#define PIECES_MOST 1e6   ///< launched in one step
#define DEVIATIONS_MOST 3 ///< from a median: no piece a thousand times as large as the rest

/// Counters of a piece's random numbers; normal ones take two.
enum {
    DRAW_BORN,
    DRAW_CLUSTER,
    DRAW_COS,
    DRAW_TURN,
    DRAW_SPEED,
    DRAW_SIZE = DRAW_SPEED + 2,
    DRAW_LIFE = DRAW_SIZE + 2,
    DRAW_OFF = DRAW_LIFE + 2,
    DRAW_PLACE = DRAW_OFF + 2
};

static double normal_draw(uint64_t seed, uint64_t counter)
{
    const double u = 1 - bw_rng_unit(seed, counter), z = sqrt(-2 * log(u)) * cos(TURN * bw_rng_unit(seed, counter + 1));
    return fmax(-DEVIATIONS_MOST, fmin(z, DEVIATIONS_MOST));
}

/// A unit vector at `angle` from the unit vector `axis`, turned about it.
static void direction_off(const double axis[3], double angle, double turn, double out[3])
{
    double a[3], b[3];
    vec3_across(axis, a);
    const double length = vec3_length(a);
    for (int i = 0; i < 3; i++) a[i] /= length;
    vec3_cross(axis, a, b);
    for (int i = 0; i < 3; i++) out[i] = cos(angle) * axis[i] + sin(angle) * (cos(turn) * a[i] + sin(turn) * b[i]);
}

/// Random direction in the cone: uniform over its solid angle, or concentrated at its axis.
static void cone_draw(const struct debris *p, const double axis[3], uint64_t seed, double out[3])
{
    const double share = pow(bw_rng_unit(seed, DRAW_COS), p->focus), c = 1 - (1 - cos(p->cone)) * share;
    direction_off(axis, acos(fmax(-1, fmin(c, 1))), TURN * bw_rng_unit(seed, DRAW_TURN), out);
}

/// Seed of a random cluster; their probabilities are log-normal, so some get many more pieces than others.
static uint64_t cluster_seed(const struct debris *p, uint64_t lot, uint64_t seed)
{
    double weight[64], all = 0;
    for (int64_t c = 0; c < p->clusters; c++) all += weight[c] = exp(normal_draw(bw_rng(lot, (uint64_t)c), DRAW_SIZE));
    double at = all * bw_rng_unit(seed, DRAW_CLUSTER);
    int64_t c = 0;
    while (c + 1 < p->clusters && at >= weight[c]) at -= weight[c++];
    return bw_rng(lot, (uint64_t)c);
}

/// Random direction; returns the speed's deviation from the median, in standard deviations of its logarithm.
static double throw_draw(const struct debris *p, const double axis[3], uint64_t lot, uint64_t seed, double direction[3])
{
    const double own = normal_draw(seed, DRAW_SPEED);
    double jet[3];
    if (!p->clusters) {
        cone_draw(p, axis, seed, direction);
        return own;
    }
    const uint64_t cluster = cluster_seed(p, lot, seed);
    cone_draw(p, axis, cluster, jet);
    const double off = p->cluster_spread * sqrt(-2 * log(1 - bw_rng_unit(seed, DRAW_OFF)));
    direction_off(jet, off, TURN * bw_rng_unit(seed, DRAW_OFF + 1), direction);
    return sqrt(0.5) * (own + normal_draw(cluster, DRAW_SPEED));
}

static int place_draw(const struct bw_stage *s, const struct pose *pose, uint64_t seed, double x[3])
{
    const struct box3 box = pose_bounds(pose, 0);
    for (uint64_t attempt = 0; attempt < 1000; attempt++) {
        for (uint64_t a = 0; a < 3; a++)
            x[a] = box.lo[a] + (box.hi[a] - box.lo[a]) * bw_rng_unit(seed, DRAW_PLACE + 3 * attempt + a);
        if (pose_cover(pose, x, 1e-6 * s->grid->h) >= 0.5) return 1;
    }
    return 0;
}

/// Draws one piece. 0: the shape fills too little of its bounds to be hit.
static int piece_make(const struct bw_stage *s, const struct pose *pose, const double axis[3], uint64_t lot,
                      uint64_t seed, struct piece *out)
{
    const struct debris *p = s->params;
    double direction[3];
    const double speed = p->speed * exp(p->speed_spread * throw_draw(p, axis, lot, seed, direction));
    out->size = p->size * exp(p->size_spread * normal_draw(seed, DRAW_SIZE));
    out->life = p->life * exp(p->life_spread * normal_draw(seed, DRAW_LIFE));
    for (int a = 0; a < 3; a++) out->velocity[a] = a == s->grid->thin ? 0 : speed * direction[a];
    return place_draw(s, pose, seed, out->pos);
}

static enum bw_status pose_find(struct bw_stage *s, struct pose *pose, double axis[3])
{
    const struct debris *p = s->params;
    const double length = vec3_length(p->direction);
    if (!(length > 0)) return s->host->fail(s, BW_ERR_PRESET, "direction must not be zero");
    for (int a = 0; a < 3; a++) axis[a] = p->direction[a] / length;
    const enum bw_status status = shape_prepare(s, &p->shape, s->grid->h);
    return status ? status : shape_pose(s, &p->shape, pose);
}

enum bw_status debris_launch(struct bw_stage *s, double from, double to, struct piece **out, int64_t *count)
{
    const struct debris *p = s->params;
    const struct debris_state *st = s->state;
    const double first = st->begin + p->delay;
    struct pose pose;
    double axis[3];
    *count = 0;
    if (st->begun && p->every <= 0 && from > first + p->duration) return BW_OK; // all are under way
    enum bw_status status = pose_find(s, &pose, axis);
    if (status || to <= first) return status;
    /* lots that may still launch at `from`, and those that have begun at `to` */
    const double low = p->every > 0 ? fmax(0, floor((from - first - p->duration) / p->every)) : 0;
    const double high = p->every > 0 ? floor((to - first) / p->every) : 0;
    if (high - low > LOTS_MOST || (high - low + 1) * (double)p->count > PIECES_MOST)
        return s->host->fail(s, BW_ERR_LIMIT, "count and every make more than %g pieces at once", PIECES_MOST);
    *out = s->host->scratch(s, (size_t)((high - low + 1) * (double)p->count + 1) * sizeof **out);
    if (!*out) return s->host->fail(s, BW_ERR_MEMORY, "out of memory for %lld pieces", (long long)p->count);
    for (int64_t lot = (int64_t)low; lot <= (int64_t)high; lot++) {
        const uint64_t lot_seed = bw_rng(bw_rng((uint64_t)p->seed, s->seed), (uint64_t)lot);
        for (int64_t i = 0; i < p->count; i++) {
            const uint64_t seed = bw_rng(~lot_seed, (uint64_t)i);
            struct piece *q = *out + *count;
            q->born = first + (double)lot * p->every + p->duration * bw_rng_unit(seed, DRAW_BORN);
            if (q->born < from || q->born >= to) continue;
            if (!piece_make(s, &pose, axis, lot_seed, seed, q))
                return s->host->fail(s, BW_ERR_PRESET, "the shape fills too little of its box to be hit at random");
            ++*count;
        }
    }
    return BW_OK;
}
