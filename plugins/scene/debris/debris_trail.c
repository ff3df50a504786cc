// SPDX-License-Identifier: Apache-2.0
/* Emission along the trajectories of the pieces. A sample is a ball of the trail's radius, its edge soft over a cell
 * as emit's are; c is its coverage times the noise. Samples lie at most half a cell apart, so that their union is the
 * trail. In the order of the samples:
 *     target   f = max(f, c fade amount)               (amount < 0: min)
 *     rate     f += c fade amount duration             duration: what the sample stands for
 *     vel      u += (1 - (1-c)^(duration/tau)) (inherit v - u)     as emit
 * A field that has been advected in this step gets its targets where the gas is at the step's end: a sample taken at X,
 * a time s before that, lies, second order in s, at
 *     X + s u(X + s/2 u(X))
 * so the trail is the limit of many small steps. The noise is fixed in space. */
#include "debris.h"

#include <common/ranks.h>

#include <math.h>
#include <string.h>

#define BLEND_TIME (1.0 / 24) ///< s, as emit's

struct deposit {
    const struct debris *p;
    const struct bw_amount *amount;
    const struct sample *sample;
    struct points_cloud cloud;
    uint32_t row[DEBRIS_FIELDS], n_rows;
    uint8_t burns[DEBRIS_FIELDS]; ///< by row: fades with the fire
    int sets_velocity, octaves;
    uint64_t seed;
};

/// Does the field's amount fade with the fire, not with the smoke?
static int field_burns(const char *name)
{
    return !strcmp(name, "temperature") || !strcmp(name, "flame") || !strcmp(name, "fuel");
}

/* ---- a block ---- */

/// A sample in a block, and the cells that it touches.
struct ball {
    double x[3], radius; ///< m
    int32_t lo[3], hi[3];
};

/// `at`: offset of the values from a cell's low corner, cells; `more`: values beyond the cells. 0: it touches none.
static int ball_make(const struct deposit *l, const struct bw_block *b, int64_t i, const double at[3],
                     const int more[3], struct ball *out)
{
    const double h = b->grid->h, wide = (double)l->sample[i].radius + 0.5 * h;
    out->radius = (double)l->sample[i].radius;
    for (int a = 0; a < 3; a++) {
        const double x = (l->cloud.pos[i][a] - b->grid->origin[a]) / h - b->lo[a] - at[a];
        const double lo = ceil(x - wide / h), hi = floor(x + wide / h) + 1;
        const int32_t n = b->n[a] + more[a];
        out->x[a] = l->cloud.pos[i][a];
        out->lo[a] = lo < 0 ? 0 : lo > n ? n : (int32_t)lo;
        out->hi[a] = hi < 0 ? 0 : hi > n ? n : (int32_t)hi;
        if (a == b->grid->thin) out->lo[a] = 0, out->hi[a] = n; // in 2D it is a rod
        if (out->lo[a] >= out->hi[a]) return 0;
    }
    return 1;
}

static double ball_cover(const struct bw_block *b, const struct ball *q, const double at[3], int i, int j, int k)
{
    const double cell[3] = {i + at[0], j + at[1], k + at[2]};
    double square = 0;
    for (int a = 0; a < 3; a++) {
        const double d = block_coord(b, a, cell[a]) - q->x[a];
        if (a != b->grid->thin) square += d * d;
    }
    return shape_cover(sqrt(square) - q->radius, b->grid->h);
}

struct noise_batch {
    struct bw_noise_lattice lattice[BW_NOISE_OCTAVES];
    struct noise_places places;
    size_t cell[NOISE_PLACES];
};

static void noise_flush(const struct deposit *l, const struct bw_block *b, struct noise_batch *w, float *share)
{
    if (w->places.n) emit_kernels_for(b->stage->host->simd)->share(&w->places, l->octaves, l->p->noise.amount);
    for (int32_t n = 0; n < w->places.n; n++) share[w->cell[n]] = w->places.share[n];
    w->places.n = 0;
}

static size_t cell_index(const struct bw_block *b, int i, int j, int k)
{
    return (size_t)i + (size_t)b->n[0] * ((size_t)j + (size_t)b->n[1] * (size_t)k);
}

static const double CENTRE[3] = {0.5, 0.5, 0.5};

/// Noise factor of each cell that a sample touches; NULL: out of memory.
static float *noise_shares(const struct deposit *l, const struct bw_block *b, const int32_t *list, int64_t n)
{
    const size_t cells = (size_t)b->n[0] * (size_t)b->n[1] * (size_t)b->n[2];
    float *share = b->stage->host->body_scratch(b, cells * sizeof *share);
    struct noise_batch *w = b->stage->host->body_scratch(b, sizeof *w);
    double lo[3], hi[3];
    if (!share || !w) return NULL;
    for (size_t c = 0; c < cells; c++) share[c] = l->octaves ? -1 : 1;
    if (!l->octaves) return share;
    for (int a = 0; a < 3; a++) {
        lo[a] = block_coord(b, a, 0);
        hi[a] = block_coord(b, a, b->n[a]);
    }
    if (!noise_prepare(&l->p->noise, l->seed, l->octaves, 0, b, lo, hi, w->lattice)) return NULL;
    w->places.n = 0;
    for (int64_t q = 0; q < n; q++) {
        struct ball ball;
        if (!ball_make(l, b, list[q], CENTRE, (const int[3]){0}, &ball)) continue;
        for (int k = ball.lo[2]; k < ball.hi[2]; k++)
            for (int j = ball.lo[1]; j < ball.hi[1]; j++)
                for (int i = ball.lo[0]; i < ball.hi[0]; i++) {
                    const size_t cell = cell_index(b, i, j, k);
                    const int at[3] = {i, j, k};
                    if (share[cell] >= 0) continue;
                    share[cell] = 0;
                    for (int a = 0; a < 3; a++) w->places.x[a][w->places.n] = block_coord(b, a, at[a] + 0.5);
                    w->places.at[w->places.n] = w->lattice;
                    w->cell[w->places.n++] = cell;
                    if (w->places.n == NOISE_PLACES) noise_flush(l, b, w, share);
                }
    }
    noise_flush(l, b, w, share);
    return share;
}

static void cell_deposit(const struct deposit *l, const struct bw_block *b, const struct sample *sample, double cover,
                         int i, int j, int k)
{
    for (uint32_t r = 0; r < l->n_rows; r++) {
        const struct bw_amount *amount = &l->amount[l->row[r]];
        const struct bw_view *v = &b->view[r];
        const double give = cover * (double)(l->burns[r] ? sample->fire : sample->smoke);
        const ptrdiff_t cell = i + j * v->sy + k * v->sz;
        for (int c = 0; c < v->comps; c++) {
            const double f = bw_get(v, c, cell), value = give * amount->value[c];
            bw_put(v, c, cell,
                   amount->rate           ? f + value * (double)sample->duration
                   : amount->value[c] < 0 ? fmin(f, value)
                                          : fmax(f, value));
        }
    }
}

static int cells_deposit(const struct deposit *l, const struct bw_block *b, const int32_t *list, int64_t n)
{
    const float *share = noise_shares(l, b, list, n);
    if (!share) return 0;
    for (int64_t q = 0; q < n; q++) {
        struct ball ball;
        if (!ball_make(l, b, list[q], CENTRE, (const int[3]){0}, &ball)) continue;
        for (int k = ball.lo[2]; k < ball.hi[2]; k++)
            for (int j = ball.lo[1]; j < ball.hi[1]; j++)
                for (int i = ball.lo[0]; i < ball.hi[0]; i++) {
                    const double cover = ball_cover(b, &ball, CENTRE, i, j, k);
                    if (cover > 0)
                        cell_deposit(l, b, &l->sample[list[q]], cover * (double)share[cell_index(b, i, j, k)], i, j, k);
                }
    }
    return 1;
}

/// Blends faces along one axis towards the pieces' velocity. Both tiles of a high face write the same value.
static void faces_deposit(const struct deposit *l, const struct bw_block *b, const int32_t *list, int64_t n, int axis)
{
    const double at[3] = {axis == 0 ? 0 : 0.5, axis == 1 ? 0 : 0.5, axis == 2 ? 0 : 0.5};
    const int more[3] = {axis == 0, axis == 1, axis == 2};
    const struct bw_view *v = &b->view[l->n_rows];
    for (int64_t q = 0; q < n; q++) {
        const struct sample *sample = &l->sample[list[q]];
        const double aim = l->p->inherit_velocity * (double)sample->velocity[axis];
        struct ball ball;
        if (sample->duration <= 0 || !ball_make(l, b, list[q], at, more, &ball)) continue;
        for (int k = ball.lo[2]; k < ball.hi[2]; k++)
            for (int j = ball.lo[1]; j < ball.hi[1]; j++)
                for (int i = ball.lo[0]; i < ball.hi[0]; i++) {
                    const double cover = ball_cover(b, &ball, at, i, j, k);
                    float *face = bw_f32(v, axis) + i + j * v->sy + k * v->sz;
                    const double weight = cover >= 1  ? 1
                                          : cover > 0 ? 1 - pow(1 - cover, (double)sample->duration / BLEND_TIME)
                                                      : 0;
                    *face += (float)(weight * (aim - (double)*face));
                }
    }
}

static int deposit_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    (void)row, (void)reach;
    return points_touch(&((const struct deposit *)user)->cloud, b);
}

static void deposit_body(const struct bw_block *b, void *user)
{
    const struct deposit *l = user;
    const int32_t *list;
    const int64_t n = points_list(&l->cloud, b, &list);
    if (!n) return;
    if (l->n_rows && !cells_deposit(l, b, list, n)) b->sum[0] += 1;
    for (int axis = 0; axis < 3 && l->sets_velocity; axis++)
        if (axis != b->grid->thin) faces_deposit(l, b, list, n, axis);
}

/* ---- a step ---- */

static enum bw_status samples_cloud(struct bw_stage *s, const struct debris_state *st, struct points_cloud *c)
{
    const size_t n = (size_t)st->n_samples;
    *c = (struct points_cloud){.n = st->n_samples, .reach = 1.5 * s->grid->h};
    c->pos = s->host->scratch(s, (n + 1) * sizeof *c->pos);
    c->displacement = s->host->scratch(s, (n + 1) * sizeof *c->displacement);
    c->radius = s->host->scratch(s, (n + 1) * sizeof *c->radius);
    if (!c->pos || !c->displacement || !c->radius) return BW_ERR_MEMORY;
    memset(c->displacement, 0, n * sizeof *c->displacement);
    for (size_t i = 0; i < n; i++) {
        memcpy(c->pos[i], st->sample[i].pos, sizeof *c->pos);
        c->radius[i] = st->sample[i].radius;
    }
    return BW_OK;
}

/// Advects each sample from its time to the step's end, midpoint rule.
static enum bw_status samples_advect(struct bw_stage *s, const struct debris_state *st, struct bw_field *vel,
                                     struct points_cloud *c)
{
    const size_t n = (size_t)c->n;
    bw_vec3 *middle = s->host->scratch(s, n * sizeof *middle), *u = s->host->scratch(s, n * sizeof *u);
    if (!middle || !u) return BW_ERR_MEMORY;
    enum bw_status status = ranks_sample(s, vel, n, (const bw_vec3 *)c->pos, *u);
    for (size_t i = 0; i < n && !status; i++)
        for (int a = 0; a < 3; a++) middle[i][a] = c->pos[i][a] + 0.5 * (double)st->sample[i].ago * u[i][a];
    if (!status) status = ranks_sample(s, vel, n, (const bw_vec3 *)middle, *u);
    for (size_t i = 0; i < n && !status; i++)
        for (int a = 0; a < 3; a++)
            if (a != s->grid->thin) c->pos[i][a] += (double)st->sample[i].ago * u[i][a];
    return status;
}

/// Is amount i a target, of a field that has been advected in this step already?
static int is_advected(struct bw_stage *s, const struct deposit *l, uint32_t i)
{
    return !l->amount[i].rate && advected_this_step(s, s->ports[DEBRIS_AMOUNTS].fields[i]);
}

static void rows_find(struct bw_stage *s, struct deposit *l, struct bw_field *vel, int advected)
{
    for (uint32_t i = 0; i < s->ports[DEBRIS_AMOUNTS].count; i++) {
        if ((vel && is_advected(s, l, i)) != advected) continue;
        l->burns[l->n_rows] = (uint8_t)field_burns(l->amount[i].field);
        l->row[l->n_rows++] = i;
    }
}

/// Emits targets of advected fields, or all other amounts and the velocity.
static enum bw_status deposit_run(struct bw_stage *s, struct bw_field *vel, int advected)
{
    const struct debris *p = s->params;
    const struct debris_state *st = s->state;
    struct deposit l = {.p = p,
                        .amount = p->amounts.items,
                        .sample = st->sample,
                        .sets_velocity = !advected && vel && p->inherit_velocity > 0,
                        .octaves = noise_octaves(&p->noise, s->grid->h),
                        .seed = bw_rng((uint64_t)p->noise.seed, s->seed)};
    struct bw_access access[DEBRIS_FIELDS + 1];
    double failed = 0;
    rows_find(s, &l, vel, advected);
    if (!l.n_rows && !l.sets_velocity) return BW_OK;
    enum bw_status status = samples_cloud(s, st, &l.cloud);
    if (!status && advected) status = samples_advect(s, st, vel, &l.cloud);
    if (!status) status = points_sort(s, &l.cloud);
    if (status) return status;
    for (uint32_t r = 0; r < l.n_rows; r++)
        access[r] = (struct bw_access){s->ports[DEBRIS_AMOUNTS].fields[l.row[r]], BW_UPDATE, 0};
    access[l.n_rows] = (struct bw_access){vel, BW_UPDATE, 0};
    status = s->host->sweep(s, &(struct bw_sweep){.access = access,
                                                  .n_access = l.n_rows + (uint32_t)l.sets_velocity,
                                                  .body = deposit_body,
                                                  .reach = deposit_reach,
                                                  .user = &l,
                                                  .sums = &failed,
                                                  .n_sums = 1});
    return status ? status : failed > 0 ? BW_ERR_MEMORY : BW_OK;
}

enum bw_status debris_deposit(struct bw_stage *s)
{
    struct bw_field *vel = bw_port_field(s, DEBRIS_VEL);
    if (!((const struct debris_state *)s->state)->n_samples) return BW_OK;
    const enum bw_status status = deposit_run(s, vel, 1);
    return status ? status : deposit_run(s, vel, 0);
}

/* ---- tiles ---- */

static void cloud_add(const struct bw_stage *s, struct points_cloud *c, const double x[3], const double v[3],
                      double size)
{
    const struct debris *p = s->params;
    for (int a = 0; a < 3; a++) {
        const double displacement = v[a] / s->fps;
        c->pos[c->n][a] = x[a] + displacement;
        c->displacement[c->n][a] = (float)displacement;
    }
    c->radius[c->n++] = (float)(0.5 * p->trail * size);
}

/// Adds the periodic images.
static void cloud_add_images(const struct bw_domain_info *g, struct points_cloud *c)
{
    for (int a = 0; a < 3; a++) {
        const int64_t n = debris_axis_periodic(g, a) ? c->n : 0;
        for (int64_t i = 0; i < n; i++, c->n++) {
            const double box = g->n[a] * g->h;
            memcpy(c->pos[c->n], c->pos[i], sizeof *c->pos);
            memcpy(c->displacement[c->n], c->displacement[i], sizeof *c->displacement);
            c->radius[c->n] = c->radius[i];
            c->pos[c->n][a] += c->pos[i][a] < g->origin[a] + 0.5 * box ? box : -box;
        }
    }
}

enum bw_status debris_activate(struct bw_stage *s, const struct glowing *p, const struct piece *fresh, int64_t n_fresh)
{
    size_t n = (size_t)(p->count + n_fresh);
    struct points_cloud c = {.reach = 1.5 * s->grid->h};
    if (!n) return BW_OK;
    for (int a = 0; a < 3; a++) n *= debris_axis_periodic(s->grid, a) ? 2 : 1;
    c.pos = s->host->scratch(s, n * sizeof *c.pos);
    c.displacement = s->host->scratch(s, n * sizeof *c.displacement);
    c.radius = s->host->scratch(s, n * sizeof *c.radius);
    if (!c.pos || !c.displacement || !c.radius) return BW_ERR_MEMORY;
    for (int64_t i = 0; i < p->count; i++) {
        const float *v = p->velocity + 3 * i;
        cloud_add(s, &c, p->pos[i], (const double[3]){(double)v[0], (double)v[1], (double)v[2]}, (double)p->size[i]);
    }
    for (int64_t i = 0; i < n_fresh; i++) cloud_add(s, &c, fresh[i].pos, fresh[i].velocity, fresh[i].size);
    cloud_add_images(s->grid, &c);
    const enum bw_status status = points_sort(s, &c);
    return status ? status : points_activate(s, &c);
}
