// SPDX-License-Identifier: Apache-2.0
/* A one-dimensional sweep of flux-form semi-Lagrangian advection, compiled once a SIMD level (BW_LEVEL): VEC_LANES
 * lines of cells side by side, so that a vector never gathers.
 *
 * A cell holds the mean q in the volume v (1 when whole). The volume U = u dt/h (Courant number) crosses a face: it
 * lies upstream of it, across many cells if U is large:
 *     U Q = ∫ q over that volume,     v' = v + U_low - U_high,     v' q' = v q + U_low Q_low - U_high Q_high
 * so that the sum of v q changes only by the flux through the ends. It is computed as
 *     q' = q + (U_low (Q_low - q) - U_high (Q_high - q)) / v'
 * by which a constant stays one, bit by bit. In a cell q is a parabola (Colella, Woodward) through edges of sixth
 * order, on cells taken as of equal size. The limiter: where the parabola leaves the bounds that the field had before
 * the step, it is scaled towards its mean, which keeps the bounds and the order (Zhang, Shu; limiter_bounds). Colella
 * and Woodward's own limiter, without new extrema (limiter_monotone), takes half the variance of smoke a few cells wide
 * within 1.5 turns of a vortex, this a third less. It is used beside obstacles only, where values inside them are
 * meaningless.
 *
 * Colella, Woodward, J. Comput. Phys. 54 (1984); Lin, Rood, Mon. Weather Rev. 124 (1996); Leonard, Lock, MacVean, Mon.
 * Weather Rev. 124 (1996); Zhang, Shu, J. Comput. Phys. 229 (2010). */
#include "flux_lines.h"
#include <common/simd.h>
#include <float.h>

#define NEGLIGIBLE 1e-12f ///< of the field's range: far below rounding; set to 0

enum { LONGEST = 64, PLACES = LONGEST + 2 * FLUX_HALO + 1 };

/// Lines side by side; place 0 is the first cell of the tile, and its low face.
struct lines {
    vec volume[PLACES], courant[PLACES]; ///< v; U
    vec fraction[PLACES];                ///< U over the volume of the first cell upstream, at most 1; 1 without flow
    bool beyond_first[PLACES];           ///< some line's U spans more than that cell
    vec new_volume[PLACES];              ///< v', less 1
    vec near_solid[PLACES], moving_solid[PLACES]; ///< above 0: near an obstacle; near a moving one
    /* of one field: */
    vec q[PLACES], edge[PLACES];   ///< means of cells; values at their low faces
    vec low[PLACES], high[PLACES]; ///< the parabola at the cell's ends, less q
    vec mean[PLACES];              ///< Q
};

/// Which lines: they begin at `first`, lie `beside` apart, and `used` of the lanes are any.
struct bundle {
    struct flux_tile *tile;
    int32_t n, used;    ///< cells along the line
    int32_t lane;       ///< axis along which lines lie side by side
    int32_t at[3];      ///< first cell
    int32_t begin, end; ///< places that are there
};

static ptrdiff_t place(const ptrdiff_t step[3], const int32_t at[3])
{
    return at[0] * step[0] + at[1] * step[1] + at[2] * step[2];
}

/* Lines along x lie one after the other: squares of them are transposed, the last square aligned to the end. */
INLINE void lines_transpose_in(const float *p, ptrdiff_t beside, ptrdiff_t next, int32_t begin, int32_t end, vec *to)
{
    for (int32_t i = begin; i < end; i += VEC_LANES) {
        const int32_t at = i + VEC_LANES > end ? end - VEC_LANES : i;
        vec row[VEC_LANES];
        for (int l = 0; l < VEC_LANES; l++) {
            row[l] = vec_load(p + at + l * beside);
            __builtin_prefetch(p + at + l * beside + next);
        }
        vec_transpose(row);
        for (int l = 0; l < VEC_LANES; l++) to[at + l] = row[l];
    }
}

INLINE void lines_transpose_out(const vec *from, float *p, ptrdiff_t beside, int32_t n)
{
    for (int32_t i = 0; i < n; i += VEC_LANES) {
        const int32_t at = i + VEC_LANES > n ? n - VEC_LANES : i;
        vec row[VEC_LANES];
        for (int l = 0; l < VEC_LANES; l++) row[l] = from[at + l];
        vec_transpose(row);
        for (int l = 0; l < VEC_LANES; l++) vec_store(p + at + l * beside, row[l]);
    }
}

/* Places begin to end - 1, of which place 0 is at `at`. The next bundle is prefetched: tiles are scattered in memory,
 * and a bundle takes few cache lines of each. Lanes beyond the last line hold 0.
 * `square`: rows go on, so whole squares may be read and written, as many as reach from place 0 to either end. */
INLINE void piece_load(const struct bundle *b, const float *at, const ptrdiff_t step[3], int32_t begin, int32_t end,
                       bool square, vec *to)
{
    const ptrdiff_t along = step[b->tile->axis], beside = step[b->lane];
    const float *p = at + place(step, b->at);
    const ptrdiff_t next = step[3 - b->tile->axis - b->lane];
    if (beside == 1 && b->used == VEC_LANES) {
        for (int32_t i = begin; i < end; i++) {
            to[i] = vec_load(p + i * along);
            __builtin_prefetch(p + i * along + next);
        }
        return;
    }
    if (along == 1 && b->used == VEC_LANES && square && end - begin > 1) {
        const int32_t up = (end + VEC_LANES - 1) / VEC_LANES, down = (VEC_LANES - 1 - begin) / VEC_LANES;
        lines_transpose_in(p, beside, next, -down * VEC_LANES, up * VEC_LANES, to);
        return;
    }
    if (along == 1 && b->used == VEC_LANES && end - begin >= VEC_LANES) {
        lines_transpose_in(p, beside, next, begin, end, to);
        return;
    }
    for (int32_t i = begin; i < end && b->used < VEC_LANES; i++) to[i] = vec_set(0);
    for (int32_t l = 0; l < b->used; l++)
        for (int32_t i = begin; i < end; i++) to[i][l] = p[i * along + l * beside];
}

static void lines_load(const struct bundle *b, const struct flux_cells *c, int32_t begin, int32_t end, vec *to)
{
    const int32_t n = b->n, last = end < n ? end : n;
    if (!c->split) {
        piece_load(b, c->at, c->step, begin, end, false, to);
        return;
    }
    if (begin < 0 && c->below) piece_load(b, c->below, c->tile_step, begin, 0, true, to);
    for (int32_t i = begin; i < 0 && !c->below; i++) to[i] = vec_set(c->nothing);
    piece_load(b, c->at, c->step, 0, last, false, to);
    if (end > n && c->above) piece_load(b, c->above, c->tile_step, 0, end - n, true, to + n);
    for (int32_t i = n; i < end && !c->above; i++) to[i] = vec_set(c->nothing);
}

static void lines_store(const struct bundle *b, const vec *from, float *to, const ptrdiff_t step[3])
{
    const ptrdiff_t along = step[b->tile->axis], beside = step[b->lane];
    float *p = to + place(step, b->at);
    if (beside == 1 && b->used == VEC_LANES) {
        for (int32_t i = 0; i < b->n; i++) vec_store(p + i * along, from[i]);
        return;
    }
    if (along == 1 && b->used == VEC_LANES && b->n >= VEC_LANES) {
        lines_transpose_out(from, p, beside, b->n);
        return;
    }
    for (int32_t l = 0; l < b->used; l++)
        for (int32_t i = 0; i < b->n; i++) p[i * along + l * beside] = from[i][l];
}

INLINE vec vec_abs(vec a) { return vec_max(a, -a); }

/* Edges from the six cells around, sixth order. */
static void edges_make(const struct bundle *b, struct lines *s)
{
    const vec *q = s->q + FLUX_HALO;
    vec *edge = s->edge + FLUX_HALO;
    const vec near = vec_set(37.0f / 60), far = vec_set(8.0f / 60), end = vec_set(1.0f / 60);
    for (int32_t i = b->begin + 3; i <= b->end - 3; i++)
        edge[i] = (near * (q[i - 1] + q[i]) - far * (q[i - 2] + q[i + 1])) + end * (q[i - 3] + q[i + 2]);
}

/* Limiter of Zhang and Shu: scales a parabola towards the cell's mean c until it lies within the field's bounds. low,
 * high: its values at the ends, less c. With s their sum and d their difference its extremum is c - s/4 - d²/12s, if
 * 3|s| > |d|. `tiny`: for 0 over 0; what it multiplies must not become denormal, which is slow. */
INLINE void limiter_bounds(vec c, vec least, vec most, vec *low, vec *high)
{
    const vec tiny = vec_set(1e-20f), l = *low, r = *high, d = r - l, s = l + r, bend = vec_set(-3) * s;
    const vec turn = vec_set(-0.25f) * s + d * d / (vec_set(4) * bend);
    const vec also = vec_above(bend * bend, d * d, turn, l);
    const vec top = vec_max(vec_max(l, r), also), bottom = vec_min(vec_min(l, r), also);
    const vec up = vec_max(most - c, tiny), down = vec_min(least - c, -tiny);
    const vec fraction = vec_min(up / vec_max(top, up), down / vec_min(bottom, down));
    *low = fraction * l;
    *high = fraction * r;
}

/* Limiter of Colella and Woodward: no new extrema. Flat where the cell is an extremum, monotone within the cell. */
INLINE void limiter_monotone(const vec *q, vec *low, vec *high)
{
    const vec none = vec_set(0), below = q[-1] - q[0], above = q[1] - q[0];
    vec l = vec_min(vec_max(*low, vec_min(below, none)), vec_max(below, none));
    vec r = vec_min(vec_max(*high, vec_min(above, none)), vec_max(above, none));
    const vec turns = -r * l;
    l = vec_above(turns, none, l, none);
    r = vec_above(turns, none, r, none);
    const vec d = r - l, bend = d * (vec_set(-0.5f) * (l + r)), most = d * d * vec_set(1.0f / 6);
    *low = vec_above(bend, most, vec_set(-2) * r, l);
    *high = vec_above(-most, bend, vec_set(-2) * l, r);
}

static void parabolas_make(const struct bundle *b, const struct flux_amount *a, struct lines *s)
{
    const vec *q = s->q + FLUX_HALO, *edge = s->edge + FLUX_HALO, least = vec_set(a->least), most = vec_set(a->most);
    vec *low = s->low + FLUX_HALO, *high = s->high + FLUX_HALO;
    low[-1] = high[-1] = low[b->n] = high[b->n] = vec_set(0); // nothing may come from there: 0 times it must be 0
    for (int32_t i = b->begin + FLUX_STENCIL; i < b->end - FLUX_STENCIL; i++) {
        vec l = edge[i] - q[i], r = edge[i + 1] - q[i];
        if (b->tile->limit) limiter_bounds(q[i], least, most, &l, &r);
        if (b->tile->near_solid.at) {
            vec l2 = edge[i] - q[i], r2 = edge[i + 1] - q[i];
            limiter_monotone(q + i, &l2, &r2);
            l = vec_above(s->near_solid[i + FLUX_HALO], vec_set(0), l2, l);
            r = vec_above(s->near_solid[i + FLUX_HALO], vec_set(0), r2, r);
        }
        low[i] = l;
        high[i] = r;
    }
}

/// Integration upstream from a face.
struct upstream {
    vec first, sum; ///< q of the first cell; integral over the cells passed, of q less that
};

/* Mean over the fraction x of a cell next to a face, where its parabola is `near`, and `far` at its other end. */
INLINE vec parabola_mean(vec q, vec near, vec far, vec x)
{
    const vec rest = vec_set(1) - x;
    return q + rest * (rest * near - x * far);
}

INLINE vec cell_mean(const struct lines *s, int32_t c, vec x, bool up)
{
    return up ? parabola_mean(s->q[c], s->high[c], s->low[c], x) : parabola_mean(s->q[c], s->low[c], s->high[c], x);
}

/* Integrates upstream, cell after cell, over the volume `left`. The last cell counts for all the rest. */
INLINE void integrate_upstream(const struct lines *s, int32_t c, int32_t last, bool up, vec left, struct upstream *w)
{
    const vec one = vec_set(1);
    const int32_t step = up ? -1 : 1;
    vec taken = vec_min(left, s->volume[c]);
    w->first = s->q[c];
    w->sum = taken * (cell_mean(s, c, vec_min(left / s->volume[c], one), up) - w->first);
    left -= taken;
    while (vec_any(left) && c != last) {
        c += step;
        taken = c == last ? left : vec_min(left, s->volume[c]);
        w->sum += taken * (cell_mean(s, c, vec_min(taken / s->volume[c], one), up) - w->first);
        left -= taken;
    }
}

/* The mean over several cells, where U spans more than the first cell upstream. */
static void face_integrate(const struct bundle *b, struct lines *s, int32_t f)
{
    const vec none = vec_set(0), u = s->courant[f], up = vec_max(u, none), down = vec_max(-u, none);
    struct upstream w;
    if (vec_any(up - s->volume[f - 1])) {
        integrate_upstream(s, f - 1, b->begin + FLUX_HALO + FLUX_STENCIL, true, up, &w);
        s->mean[f] = vec_above(up, s->volume[f - 1], w.first + w.sum / up, s->mean[f]);
    }
    if (vec_any(down - s->volume[f])) {
        integrate_upstream(s, f, b->end + FLUX_HALO - FLUX_STENCIL - 1, false, down, &w);
        s->mean[f] = vec_above(down, s->volume[f], w.first + w.sum / down, s->mean[f]);
    }
}

/* The mean Q of the volume that crosses each face. */
static void face_means(const struct bundle *b, struct lines *s)
{
    const vec none = vec_set(0);
    for (int32_t f = FLUX_HALO; f <= b->n + FLUX_HALO; f++) {
        const vec u = s->courant[f];
        s->mean[f] =
            parabola_mean(vec_above(u, none, s->q[f - 1], s->q[f]), vec_above(u, none, s->high[f - 1], s->low[f]),
                          vec_above(u, none, s->low[f - 1], s->high[f]), s->fraction[f]);
        if (s->beyond_first[f]) face_integrate(b, s, f);
    }
}

INLINE vec vec_between(vec a, vec least, vec most) { return vec_min(vec_max(a, least), most); }

/* The update: a weighted mean of old content and inflow, so only rounding could leave their bounds. After the last
 * sweep the volume is 1 again: the cell keeps the amount, as far as it differs no more than values here, or the value.
 * Where an obstacle starts, stops or turns, the flow does not follow yet: the amount is kept whatever it is, and
 * flux_expel.c and flux_redistribute.c distribute it. Negligible values become 0: parabolas would spread them over all
 * active tiles. */
static void cells_update(const struct bundle *b, const struct flux_amount *a, struct lines *s)
{
    const bool limit = b->tile->limit;
    const vec least = vec_set(limit ? a->least : -FLT_MAX), most = vec_set(limit ? a->most : FLT_MAX);
    const vec trace = vec_set(NEGLIGIBLE * (a->most - a->least)), none = vec_set(0);
    for (int32_t f = FLUX_HALO; f < b->n + FLUX_HALO; f++) {
        const vec q = s->q[f], in = s->courant[f] * (s->mean[f] - q), out = s->courant[f + 1] * (s->mean[f + 1] - q);
        vec to = vec_between(q + (in - out) / (vec_set(1) + s->new_volume[f]), least, most);
        if (b->tile->keep_amount) {
            const vec low = vec_min(vec_min(s->mean[f], s->mean[f + 1]), q + vec_min(s->low[f], s->high[f]));
            const vec high = vec_max(vec_max(s->mean[f], s->mean[f + 1]), q + vec_max(s->low[f], s->high[f]));
            const vec over = to * s->new_volume[f],
                      kept = vec_between(to + vec_between(over, low - high, high - low), least, most);
            to = b->tile->moving_solid.at ? vec_above(s->moving_solid[f], none, to + over, kept) : kept;
        }
        s->q[f] = vec_above(trace, vec_abs(to), none, to);
    }
}

/* Expected amount in cells beside obstacles, by line: content and net inflow, without limits. */
static vec amount_expected(const struct bundle *b, const struct lines *s)
{
    vec sum = vec_set(0);
    for (int32_t f = FLUX_HALO; f < b->n + FLUX_HALO; f++) {
        const vec q = s->q[f], in = s->courant[f] * (s->mean[f] - q), out = s->courant[f + 1] * (s->mean[f + 1] - q);
        sum += vec_above(s->near_solid[f], vec_set(0), (vec_set(1) + s->new_volume[f]) * q + (in - out), vec_set(0));
    }
    return sum;
}

/* Beyond open ends: the value at the end, or what it was. */
static void ends_set(const struct bundle *b, vec *q, vec below, vec above)
{
    for (int32_t i = b->begin; i < 0 && b->tile->open[0]; i++) q[i] = below;
    for (int32_t i = b->n; i < b->end && b->tile->open[1]; i++) q[i] = above;
}

/* Parabolas at open ends go on as if the gas did: one that fell to the background there would keep two fifths of what
 * leaves. What comes in is the background all the same, unless it is extrapolated as well. */
static void parabolas_make_to_ends(const struct bundle *b, const struct flux_amount *a, struct lines *s)
{
    vec *q = s->q + FLUX_HALO;
    const vec below = q[-1], above = q[b->n];
    ends_set(b, q, q[0], q[b->n - 1]);
    edges_make(b, s);
    parabolas_make(b, a, s);
    if (!b->tile->extend) ends_set(b, q, below, above);
}

/* Lane by lane: the same order at all SIMD levels. */
static void lanes_add(const struct bundle *b, vec a, double *sum)
{
    for (int32_t l = 0; l < b->used; l++) *sum += (double)a[l];
}

/* May lines of the background stay as they are? No flow changes a constant; but where it leaves, that is summed. */
static bool background_stays(const struct flux_tile *t, float background)
{
    return background == 0 || (!t->open[0] && !t->open[1] && !t->counts && !t->moving_solid.at);
}

/* Loads lines; false: all is the background, and stays so. */
static bool amount_load(const struct bundle *b, const struct flux_amount *a, struct lines *s)
{
    const vec background = vec_set(background_stays(b->tile, a->from.nothing) ? a->from.nothing : 0);
    vec *q = s->q + FLUX_HALO;
    vec_int bits = {0};
    lines_load(b, &a->from, b->begin, b->end, q);
    ends_set(b, q, vec_set(a->from.nothing), vec_set(a->from.nothing)); // a scratch field knows no background
    for (int32_t i = b->begin; i < b->end; i++) bits |= (vec_int)q[i] ^ (vec_int)background;
    if (vec_any(vec_abs(__builtin_convertvector(bits, vec)))) return true;
    for (int32_t i = 0; i < b->n; i++) q[i] = background;
    return false;
}

/* Sums what cells beside obstacles have, and the loss against the expected amount. */
static void amount_loss(const struct bundle *b, struct flux_amount *a, const struct lines *s, vec due)
{
    vec sum = vec_set(0), held = vec_set(0);
    for (int32_t f = FLUX_HALO; f < b->n + FLUX_HALO; f++) {
        const vec q = vec_above(s->near_solid[f], vec_set(0), s->q[f], vec_set(0));
        sum += q;
        held += vec_abs(q);
    }
    lanes_add(b, due - sum, &a->lost);
    lanes_add(b, held, &a->held);
}

static void amount_advect(const struct bundle *b, struct flux_amount *a, struct lines *s)
{
    const int32_t low = FLUX_HALO, high = b->n + FLUX_HALO;
    parabolas_make_to_ends(b, a, s);
    face_means(b, s);
    if (b->tile->open[0]) lanes_add(b, -s->courant[low] * s->mean[low], &a->left[0]);
    if (b->tile->open[1]) lanes_add(b, s->courant[high] * s->mean[high], &a->left[1]);
    const vec due = b->tile->counts ? amount_expected(b, s) : vec_set(0);
    cells_update(b, a, s);
    if (b->tile->counts) amount_loss(b, a, s, due);
}

static void courant_fractions(const struct bundle *b, struct lines *s)
{
    const vec none = vec_set(0), one = vec_set(1);
    for (int32_t f = FLUX_HALO; f <= b->n + FLUX_HALO; f++) {
        const vec u = s->courant[f], size = vec_abs(u), from = vec_above(u, none, s->volume[f - 1], s->volume[f]);
        s->fraction[f] = vec_above(size, none, vec_min(size / from, one), one);
        s->beyond_first[f] = vec_any(size - from);
    }
}

static void volumes_load(const struct bundle *b, struct lines *s)
{
    const struct flux_tile *t = b->tile;
    vec *volume = s->volume + FLUX_HALO, *courant = s->courant + FLUX_HALO, *new_volume = s->new_volume + FLUX_HALO;
    for (int32_t i = b->begin; i < b->end && !t->volume.at; i++) volume[i] = vec_set(0);
    if (t->volume.at) lines_load(b, &t->volume, b->begin, b->end, volume);
    if (t->near_solid.at) lines_load(b, &t->near_solid, b->begin, b->end, s->near_solid + FLUX_HALO);
    if (t->moving_solid.at) lines_load(b, &t->moving_solid, 0, b->n, s->moving_solid + FLUX_HALO);
    lines_load(b, &t->u, 0, b->n + 1, courant);
    for (int32_t i = 0; i <= b->n; i++) courant[i] *= vec_set(t->scale);
    for (int32_t i = 0; i < b->n; i++) new_volume[i] = volume[i] + (courant[i] - courant[i + 1]);
    if (t->volume_to) lines_store(b, new_volume, t->volume_to, t->volume_step);
    for (int32_t i = b->begin; i < b->end; i++) volume[i] += vec_set(1);
}

static void lines_mean(const struct bundle *b, const struct flux_cells *other, struct lines *s)
{
    vec *q = s->q + FLUX_HALO, *with = s->edge + FLUX_HALO;
    lines_load(b, other, 0, b->n, with);
    for (int32_t i = 0; i < b->n; i++) q[i] = vec_set(.5f) * (q[i] + with[i]);
}

/* Lines of the background are skipped: most active tiles around smoke are empty. */
static void bundle_advect(const struct bundle *b, struct lines *s)
{
    struct flux_tile *t = b->tile;
    bool shared = false;
    if (t->volume_to) volumes_load(b, s);
    for (int32_t m = 0; m < t->n_amounts; m++) {
        struct flux_amount *a = &t->amount[m];
        if (amount_load(b, a, s)) {
            if (!shared && !t->volume_to) volumes_load(b, s);
            if (!shared) courant_fractions(b, s);
            shared = true;
            amount_advect(b, a, s);
        }
        if (a->other.at) lines_mean(b, &a->other, s);
        lines_store(b, s->q + FLUX_HALO, a->to, a->step);
    }
}

flux_tile_fn SIMD_NAME(flux_tile);

void SIMD_NAME(flux_tile)(struct flux_tile *t)
{
    struct lines s;
    const int32_t a = t->axis, x = (a + 1) % 3, y = (a + 2) % 3;
    const int32_t lane = a != 0 && t->n[0] > 1 ? 0 : t->n[x] > 1 ? x : y, other = 3 - a - lane;
    struct bundle b = {.tile = t, .n = t->n[a], .lane = lane, .begin = -t->around[0], .end = t->n[a] + t->around[1]};
    for (b.at[other] = 0; b.at[other] < t->n[other]; b.at[other]++)
        for (b.at[lane] = 0; b.at[lane] < t->n[lane]; b.at[lane] += VEC_LANES) {
            const int32_t rest = t->n[lane] - b.at[lane];
            b.used = rest < VEC_LANES ? rest : VEC_LANES;
            bundle_advect(&b, &s);
        }
}
