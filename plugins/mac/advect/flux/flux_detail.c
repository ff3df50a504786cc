// SPDX-License-Identifier: Apache-2.0
/* Noise in place of the eddies that a flow on wide cells lacks: those of a few wide cells, which its scheme damps.
 *     u += curl ψ     ψ(x) = A Σ_sets share N((x - τ u + shift)/s) · scale
 * N is wavelet noise (common/noise) of lattice spacing s = 1.3 wide cells, and while that is more than 1.3 fine cells
 * of half that, too. ψ lives on corners of fine cells, an edge takes the mean of its ends, and a face the sum round its
 * edges. So the divergence stays, to rounding. Kim, Thürey, James, Gross, "Wavelet turbulence", SIGGRAPH 2008.
 *
 * Amplitude: A² = GAIN² B|u - B u|², B the mean with weights 1 2 1 over three wide cells along each axis: the energy of
 * the finest waves that the flow has. A is 0 in and beside obstacles and closed sides, so nothing crosses them.
 *
 * Noise has to move with the gas. Texture coordinates that are advected would have to be kept; here they are those of a
 * straight trajectory: a set is at rest in the middle of its life, and τ seconds later x looks it up at x - τ u. Two
 * sets alternate, faded by sin and cos: their squares add up to 1, and a set has no weight where τ is largest. Nothing
 * is kept from step to step. A set that is stretched, |∂(x - τ u)/∂x| = f, is divided by f; one that is sheared loses
 * its weight to the other (as in upres/flow/texture.c). The error: gas that turns within a life leaves its noise
 * behind. LIFE goes by Froude's law, so a candle and a house look alike. */
#include "flux_detail.h"
#include <common/froude.h>
#include <common/number/whole.h>
#include <common/tiles.h>
#include <assert.h>
#include <math.h>
#include <string.h>

#define SPREAD 1.3      // as of upres.flow: waves of 2 to 4 wide cells
#define GAIN 1.8f       // of the rms of noise by that of u - B u
#define LIFE 6.0        // roots of a wide cell over g
#define DECAY (5 / 6.0) // of an octave by the one before, powers of 2
#define LEAST 0.25      // fine cells in a life: noise that moves gas by less is left out
#define PI 3.14159265358979323846

static double wide_of(const struct bw_stage *s) { return s->grid->h * s->flow_cells; }

bool flux_detail_init(struct flux_detail *d, struct bw_stage *s)
{
    const double h = s->grid->h;
    *d = (struct flux_detail){.tile = wavelet_make(s, s->seed), .sample = s->host->extension(BW_SAMPLE)};
    for (double spacing = SPREAD * wide_of(s); d->tile && d->octaves < DETAIL_OCTAVES && spacing > 1.9 * SPREAD * h;
         spacing /= 2, d->octaves++) {
        d->spacing[d->octaves] = spacing;
        d->scale[d->octaves] =
            (float)(pow(2, -DECAY * d->octaves) * spacing / wavelet_curl_rms(s, d->tile, h / spacing));
    }
    return d->tile != NULL;
}

void flux_detail_begin(struct flux_detail *d, const struct bw_stage *s, double strength)
{
    const struct bw_bound *list = &s->ports[PORT_FIELDS];
    const double life = LIFE * froude_time(wide_of(s)), now = s->time + 0.5 * s->dt;
    d->seed = s->seed;
    d->strength = (float)strength;
    d->least = (float)(LEAST * s->grid->h / life);
    d->n_fields = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct bw_field_info *info = s->host->field_info(list->fields[i]);
        if (info->kind != BW_SCALAR || info->precision != BW_F32 || !(info->alive > 0)) continue;
        if (d->n_fields == DETAIL_FIELDS) {
            d->n_fields = 0; // too many to look at: noise everywhere
            break;
        }
        d->field[d->n_fields++] = list->fields[i];
    }
    for (int q = 0; q < DETAIL_SETS; q++) {
        const double phase = now / life + (double)q / DETAIL_SETS;
        d->life[q] = whole_below(phase);
        d->ahead[q] = (float)((phase - floor(phase) - 0.5) * life);
        d->weight[q] = (float)sin(PI * (phase - floor(phase)));
    }
}

/// What wide cells say, at their centres: velocity, and how much of each set.
struct centres {
    float *u[3], *amount[DETAIL_SETS];
};

/* B: ends of rows wrap around, in cells that nobody asks for. */
static void blur(const struct wide_box *w, const float *from, float *restrict work, float *restrict to)
{
    const float *in = from;
    float *out[3] = {to, work, to};
    for (int a = 0; a < 3; a++) {
        const size_t step = (size_t)w->step[a];
        memcpy(out[a], in, step * sizeof *in);
        for (size_t i = step; i + step < w->size; i++) out[a][i] = 0.25f * (in[i - step] + in[i + step]) + 0.5f * in[i];
        memcpy(out[a] + w->size - step, in + w->size - step, step * sizeof *in);
        in = out[a];
    }
}

/* Sets cells that are marked or touch one that is to more than 0. work: twice as many. */
static void marks_spread(const struct wide_box *w, float *marks, float *work)
{
    blur(w, marks, work, work + w->size);
    memcpy(marks, work + w->size, w->size * sizeof *marks);
}

/* Marks wide cells in which an amount is more than `alive` from its background, and those beside them; where nothing
 * has such a bound, all. The result: how many; -1: out of memory. */
static int64_t held_mark(const struct bw_block *b, const struct flux_detail *d, const struct wide_box *w, float *held,
                         float *work)
{
    enum { REACH = 2 };
    int32_t lo[3], n[3], c[3];
    int64_t count = 0;
    for (int a = 0; a < 3; a++) {
        lo[a] = (w->first[a] - REACH) * w->by[a];
        n[a] = (w->m[a] + 2 * REACH) * w->by[a];
    }
    const size_t size = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    float *fine = b->stage->host->body_scratch(b, size * sizeof *fine);
    if (!fine) return -1;
    for (size_t i = 0; i < w->size; i++) held[i] = d->n_fields == 0;
    for (uint32_t f = 0; f < d->n_fields; f++) {
        const struct bw_field_info *info = b->stage->host->field_info(d->field[f]);
        const float none = (float)info->background[0], alive = (float)info->alive;
        const float *at = fine;
        d->sample->box(d->field[f], 0, lo, n, fine);
        for (c[2] = 0; c[2] < n[2]; c[2]++)
            for (c[1] = 0; c[1] < n[1]; c[1]++, at += n[0]) {
                float *row = held + w->zero - REACH + (c[1] / w->by[1] - REACH) * w->step[1] +
                             (c[2] / w->by[2] - REACH) * w->step[2];
                for (c[0] = 0; c[0] < n[0]; c[0]++)
                    if (fabsf(at[c[0]] - none) > alive) row[c[0] / w->by[0]] = 1;
            }
    }
    for (size_t i = 0; i < w->size; i++) count += held[i] > 0;
    if (count) marks_spread(w, held, work);
    return count;
}

/* Unmarks cells that nothing crosses, and those that touch one. */
static void held_clear(const struct bw_block *b, const struct wide_box *w, float *held, float *shut)
{
    size_t at = 0;
    for (int32_t k = 0; k < w->n[2]; k++)
        for (int32_t j = 0; j < w->n[1]; j++)
            for (int32_t i = 0; i < w->n[0]; i++, at++) {
                const int32_t c[3] = {w->lo[0] + i, w->lo[1] + j, w->lo[2] + k};
                shut[at] = w->shut && w->shut[at];
                for (int a = 0; a < 3; a++) {
                    const int32_t n = b->grid->n[a] / w->by[a];
                    if (n > 0 && c[a] < 0 && b->grid->side[2 * a].kind != BW_OPEN) shut[at] = 1;
                    if (n > 0 && c[a] >= n && b->grid->side[2 * a + 1].kind != BW_OPEN) shut[at] = 1;
                }
            }
    marks_spread(w, shut, shut + w->size);
    for (size_t i = 0; i < w->size; i++)
        if (shut[i] > 0) held[i] = 0;
}

/* |∂(x - τ u)/∂x| / √3 */
static float stretch_of(const struct centres *c, const struct wide_box *w, size_t at, float per)
{
    float sum = 0;
    for (int a = 0; a < 3; a++)
        for (int t = 0; t < 3; t++) {
            const float slope =
                (a == t ? 1.f : 0.f) - per * (c->u[a][at + (size_t)w->step[t]] - c->u[a][at - (size_t)w->step[t]]);
            sum += slope * slope;
        }
    return sqrtf(sum / 3);
}

static void amounts_make(const struct flux_detail *d, const struct wide_box *w, double wide, const float *energy,
                         const float *held, struct centres *c)
{
    const size_t edge = (size_t)(w->step[0] + w->step[1] + w->step[2]);
    for (int q = 0; q < DETAIL_SETS; q++) memset(c->amount[q], 0, w->size * sizeof *energy);
    for (size_t i = edge; i + edge < w->size; i++) {
        float own[DETAIL_SETS], gain[DETAIL_SETS], sum = 0;
        if (!(held[i] > 0)) continue;
        for (int q = 0; q < DETAIL_SETS; q++) {
            const float f = stretch_of(c, w, i, d->ahead[q] / (float)(2 * wide));
            own[q] = d->weight[q] * (f > 2 ? 4 / (f * f) : 1);
            gain[q] = f > .5f ? 1 / f : 2;
            sum += own[q] * own[q];
        }
        const float rms = GAIN * d->strength * sqrtf(energy[i]) - d->least;
        if (!(rms > 0)) continue;
        const float whole = rms * (sum > .1f ? 1 / sqrtf(sum) : 3.16f);
        for (int q = 0; q < DETAIL_SETS; q++) c->amount[q][i] = own[q] * gain[q] * whole;
    }
}

/* 1: made; 0: there is nothing to carry; -1: out of memory. */
static int centres_make(const struct bw_block *b, const struct flux_detail *d, const struct wide_box *w,
                        struct centres *c)
{
    const size_t n = w->size;
    float *at = b->stage->host->body_scratch(b, 11 * n * sizeof *at);
    float *energy = at + 5 * n, *mean = at + 6 * n, *held = at + 7 * n, *work = at + 8 * n;
    const int64_t count = at ? held_mark(b, d, w, held, work) : -1;
    if (count <= 0) return (int)count;
    for (int a = 0; a < 3; a++) c->u[a] = at + (size_t)a * n;
    for (int q = 0; q < DETAIL_SETS; q++) c->amount[q] = at + (size_t)(3 + q) * n;
    memset(energy, 0, n * sizeof *energy);
    for (int a = 0; a < 3; a++) {
        const size_t up = (size_t)w->step[a];
        for (size_t i = 0; i + up < n; i++) c->u[a][i] = 0.5f * (w->u[a][i] + w->u[a][i + up]);
        memcpy(c->u[a] + n - up, w->u[a] + n - up, up * sizeof *mean);
        blur(w, c->u[a], work, mean);
        for (size_t i = 0; i < n; i++) energy[i] += (c->u[a][i] - mean[i]) * (c->u[a][i] - mean[i]);
    }
    blur(w, energy, work, mean);
    held_clear(b, w, held, work);
    amounts_make(d, w, b->grid->h * w->by[0], mean, held, c);
    return 1;
}

/// Where a fine corner lies between centres of wide cells.
struct between {
    int32_t cell; ///< of the box: the lower one
    float high;   ///< weight of the next
};

static struct between between_of(const struct bw_block *b, const struct wide_box *w, int axis, int32_t i)
{
    const int32_t at = 2 * (b->lo[axis] + i) - w->by[axis], cell = tile_coord(at, 2 * w->by[axis]);
    return (struct between){cell - w->first[axis], (float)(at - 2 * w->by[axis] * cell) / (float)(2 * w->by[axis])};
}

enum { CORNERS = 33 }; ///< of a block of two tiles along each axis

/// A row of corners.
struct corner_row {
    struct between x[CORNERS];
    float *wide, *scaled, *amount[DETAIL_SETS], *offset[DETAIL_SETS][3];
    bool any;
};

/* Linear between centres; wide: the row where it crosses them. */
static void row_expand(const struct wide_box *w, const float *from, const struct between *y, const struct between *z,
                       const struct corner_row *r, int32_t n, float *out)
{
    const float *p = from + w->zero + y->cell * w->step[1] + z->cell * w->step[2];
    const ptrdiff_t v = w->step[1], u = w->step[2];
    for (int32_t i = -1; i <= w->m[0]; i++)
        r->wide[i + 1] = (1 - z->high) * ((1 - y->high) * p[i] + y->high * p[i + v]) +
                         z->high * ((1 - y->high) * p[i + u] + y->high * p[i + u + v]);
    for (int32_t i = 0; i < n; i++) {
        const float *q = r->wide + 1 + r->x[i].cell;
        out[i] = q[0] + r->x[i].high * (q[1] - q[0]);
    }
}

static void corners_expand(const struct bw_block *b, const struct flux_detail *d, const struct wide_box *w,
                           const struct centres *c, int32_t j, int32_t k, struct corner_row *r)
{
    const int32_t n = b->n[0] + 1;
    const struct between y = between_of(b, w, 1, j), z = between_of(b, w, 2, k);
    r->any = false;
    for (int q = 0; q < DETAIL_SETS; q++) {
        row_expand(w, c->amount[q], &y, &z, r, n, r->amount[q]);
        for (int32_t i = 0; i < n; i++) r->any = r->any || r->amount[q][i] > 0;
    }
    for (int a = 0; a < 3 && r->any; a++) {
        row_expand(w, c->u[a], &y, &z, r, n, r->offset[0][a]);
        for (int32_t i = 0; i < n; i++) {
            const float u = r->offset[0][a][i];
            for (int q = 0; q < DETAIL_SETS; q++) r->offset[q][a][i] = -d->ahead[q] * u;
        }
    }
}

/// Where corners lie in an octave's lattice along an axis, whole and part: by their place in the world.
struct lattice_line {
    int32_t whole[CORNERS];
    float part[CORNERS];
};

static void line_fill(struct lattice_line *l, const struct bw_block *b, int axis, double spacing, int32_t shift)
{
    for (int32_t i = 0; i <= b->n[axis]; i++)
        wavelet_place((b->grid->origin[axis] + (b->lo[axis] + i) * b->grid->h) / spacing, shift, &l->whole[i],
                      &l->part[i]);
}

struct octave_lines {
    struct lattice_line axis[3];
};

static void row_add(const struct bw_block *b, const struct flux_detail *d, const struct corner_row *r,
                    const struct octave_lines *lines, int32_t j, int32_t k, vec4 *psi)
{
    for (int32_t o = 0; o < d->octaves; o++)
        for (int q = 0; q < DETAIL_SETS; q++) {
            const struct lattice_line *l = lines[o * DETAIL_SETS + q].axis;
            for (int32_t i = 0; i <= b->n[0]; i++) r->scaled[i] = d->scale[o] * r->amount[q][i];
            const struct noise_row row = {.offset = {r->offset[q][0], r->offset[q][1], r->offset[q][2]},
                                          .amount = r->scaled,
                                          .whole_x = l[0].whole,
                                          .part_x = l[0].part,
                                          .whole_y = l[1].whole[j],
                                          .whole_z = l[2].whole[k],
                                          .part_y = l[1].part[j],
                                          .part_z = l[2].part[k],
                                          .per = (float)(1 / d->spacing[o]),
                                          .n = b->n[0] + 1};
            noise_kernels_for(b->stage->host->simd)->row(d->tile, &row, psi);
        }
}

static struct octave_lines *lines_make(const struct bw_block *b, const struct flux_detail *d)
{
    struct octave_lines *lines = b->stage->host->body_scratch(b, (size_t)(d->octaves * DETAIL_SETS) * sizeof *lines);
    for (int32_t o = 0; lines && o < d->octaves; o++)
        for (int q = 0; q < DETAIL_SETS; q++) {
            const uint64_t shift =
                bw_rng(d->seed, (uint64_t)(d->life[q] * DETAIL_SETS + q) * DETAIL_OCTAVES + (uint64_t)o);
            for (int a = 0; a < 3; a++)
                line_fill(&lines[o * DETAIL_SETS + q].axis[a], b, a, d->spacing[o],
                          (int32_t)(shift >> (8 * a) & (WAVELET_SIZE - 1)));
        }
    return lines;
}

/* ψ on the corners of a block; false: out of memory. *any: is it anywhere but 0? */
static bool corners_fill(const struct bw_block *b, const struct flux_detail *d, const struct wide_box *w, vec4 *psi,
                         bool *any)
{
    struct centres c;
    struct corner_row r;
    const size_t n = (size_t)b->n[0] + 1;
    const struct octave_lines *lines = lines_make(b, d);
    float *at = b->stage->host->body_scratch(b, ((4 * DETAIL_SETS + 1) * n + (size_t)w->m[0] + 2) * sizeof *at);
    *any = false;
    for (int a = 0; a < 3; a++) assert(b->n[a] < CORNERS);
    const int made = lines && at ? centres_make(b, d, w, &c) : -1;
    if (made <= 0) return made == 0;
    for (int q = 0; q < DETAIL_SETS; q++) {
        r.amount[q] = at + (size_t)(4 * q) * n;
        for (int a = 0; a < 3; a++) r.offset[q][a] = at + (size_t)(4 * q + 1 + a) * n;
    }
    r.scaled = at + 4 * DETAIL_SETS * n;
    r.wide = r.scaled + n;
    for (int32_t i = 0; i <= b->n[0]; i++) r.x[i] = between_of(b, w, 0, i);
    for (int32_t k = 0; k <= b->n[2]; k++)
        for (int32_t j = 0; j <= b->n[1]; j++, psi += n) {
            corners_expand(b, d, w, &c, j, k, &r);
            memset(psi, 0, n * sizeof *psi);
            if (r.any) row_add(b, d, &r, lines, j, k, psi);
            *any = *any || r.any;
        }
    return true;
}

static void curl_add(const struct bw_block *b, const float *const psi[3], int axis, float *row, float scale)
{
    const struct bw_view *v = &b->view[0];
    const int next = (axis + 1) % 3, last = (axis + 2) % 3;
    const ptrdiff_t step[3] = {1, b->n[0] + 1, (ptrdiff_t)(b->n[0] + 1) * (b->n[1] + 1)};
    int32_t n[3] = {b->n[0], b->n[1], b->n[2]};
    n[axis]++;
    for (int32_t k = 0; k < n[2]; k++)
        for (int32_t j = 0; j < n[1]; j++) {
            const ptrdiff_t at = j * step[1] + k * step[2];
            float *to = bw_f32(v, axis) + j * v->sy + k * v->sz;
            noise_kernels_for(b->stage->host->simd)
                ->curl(psi[last] + at, psi[next] + at, step[next], step[last], scale, n[0], row);
            for (int32_t i = 0; i < n[0]; i++) {
                b->sum[0] += to[i] * to[i];
                b->sum[1] += row[i] * row[i];
                to[i] += row[i];
            }
        }
}

bool flux_detail_add(const struct bw_block *b, const struct flux_detail *d, const struct wide_box *w)
{
    const struct bw_host *host = b->stage->host;
    const size_t n = (size_t)(b->n[0] + 1) * (size_t)(b->n[1] + 1) * (size_t)(b->n[2] + 1);
    vec4 *psi = host->body_scratch(b, n * sizeof *psi);
    float *part = host->body_scratch(b, (3 * n + (size_t)b->n[0] + 1) * sizeof *part);
    bool any;
    if (!psi || !part || !corners_fill(b, d, w, psi, &any)) return false;
    float *const parts[3] = {part, part + n, part + 2 * n};
    if (!any) return true;
    noise_kernels_for(host->simd)->split(psi, n, parts);
    for (int axis = 0; axis < 3; axis++)
        curl_add(b, (const float *const *)parts, axis, part + 3 * n, (float)(0.5 / b->grid->h));
    return true;
}
