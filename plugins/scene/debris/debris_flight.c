// SPDX-License-Identifier: Apache-2.0
/* Flight of all pieces through one step, in parts no longer than 1/rate in which nobody moves by more than half a cell.
 * The law and the scheme are debris.c's. Each piece meets the same parts whatever thread it is on, and all ranks have
 * all pieces. */
#include "debris.h"

#include <common/ranks.h>

#include <math.h>
#include <string.h>

#define PARTS_MOST 1000 ///< of a step: beyond, pieces pass more than half a cell in a part
#define BEAD_APART 0.25 ///< cells that a piece flies from one bead to the next, at least
enum { CHUNK = 64 };

/// One piece on its way.
struct flyer {
    double x[3], v[3];
    double size, age, life, since;
    double from[3]; ///< its last bead
    double solid;   ///< distance from an obstacle, m
    int32_t hit, beads;
};

struct flight {
    struct bw_stage *stage;
    const struct debris *p;
    const struct glowing *pieces;
    struct flyer *flyer;
    struct bead *bead; ///< per piece, `room` of them
    int32_t room;
    double part, left; ///< s: of this part; to the step's end when it is over
    bw_vec3 *place;
    double *value;
};

static double drag_length(const struct debris *p, const struct flyer *f) { return p->drag_length * f->size / p->size; }

/// How long the piece flies in this part: less if it is born in it.
static double own_part(const struct flight *f, const struct flyer *q)
{
    return fmax(0, fmin(f->part, q->age + f->part));
}

static void each(const struct flight *f, int64_t chunk, void (*what)(const struct flight *f, int64_t i))
{
    for (int64_t i = chunk * CHUNK; i < f->pieces->count && i < (chunk + 1) * CHUNK; i++) what(f, i);
}

#define CHUNKS_OF(name)                                                                                                \
    static void name##_chunk(int64_t chunk, uint32_t worker, void *user)                                               \
    {                                                                                                                  \
        (void)worker;                                                                                                  \
        each(user, chunk, name);                                                                                       \
    }

static void bead_add(const struct flight *f, int64_t i, double ago)
{
    const struct debris *p = f->p;
    struct flyer *q = &f->flyer[i];
    const double old = fmax(q->age, 0) / q->life;
    if (old >= 1) return;
    struct bead *b = f->bead + i * f->room + q->beads++;
    const double burnt = p->burning > 0 ? fmin(old / p->burning, 1) : 1;
    memcpy(b->pos, q->x, sizeof b->pos);
    for (int a = 0; a < 3; a++) b->velocity[a] = (float)q->v[a];
    b->radius = (float)(0.5 * p->trail * q->size * (1 - (1 - p->taper) * old));
    b->smoke = (float)pow(1 - old, p->fade);
    b->fire = (float)pow(1 - burnt, p->fade);
    b->since = (float)q->since;
    b->ago = (float)ago;
    memcpy(q->from, q->x, sizeof q->from);
    q->since = 0;
}

static void piece_begin(const struct flight *f, int64_t i)
{
    const struct glowing *all = f->pieces;
    struct flyer *q = &f->flyer[i];
    memset(q, 0, sizeof *q);
    q->size = (double)all->size[i];
    q->age = (double)all->age[i];
    q->life = (double)all->life[i];
    for (int a = 0; a < 3; a++) {
        q->x[a] = all->pos[i][a];
        q->v[a] = (double)all->velocity[3 * i + a];
    }
    if (q->age >= 0) bead_add(f, i, f->stage->dt); // the flow has moved the last step's on
    memcpy(q->from, q->x, sizeof q->from);
}
CHUNKS_OF(piece_begin)

/// The middle of the way, where the gas is asked for its velocity.
static void piece_ahead(const struct flight *f, int64_t i)
{
    const struct flyer *q = &f->flyer[i];
    const double dt = own_part(f, q);
    for (int a = 0; a < 3; a++) f->place[i][a] = q->x[a] + 0.5 * dt * q->v[a];
}
CHUNKS_OF(piece_ahead)

static void piece_drift(const struct flight *f, int64_t i)
{
    const struct debris *p = f->p;
    struct flyer *q = &f->flyer[i];
    const double dt = own_part(f, q), length = drag_length(p, q);
    double w[3];
    for (int a = 0; a < 3; a++) {
        q->v[a] += 0.5 * dt * p->gravity[a];
        w[a] = q->v[a] - f->value[3 * i + a];
    }
    const double speed = vec3_length(w), ways = length > 0 ? speed * dt / length : 0;
    const double time = ways > 1e-12 ? length * log1p(ways) / speed : dt; // at the speed that it had
    for (int a = 0; a < 3; a++) {
        const double u = f->value[3 * i + a];
        if (length > 0) {
            q->x[a] += u * dt + w[a] * time;
            q->v[a] = u + w[a] / (1 + ways);
        } else {
            q->x[a] += q->v[a] * dt;
        }
        q->v[a] += 0.5 * dt * p->gravity[a];
        if (a == f->stage->grid->thin) q->v[a] = 0;
    }
    q->age += f->part;
    q->since += dt;
    memcpy(f->place[i], q->x, sizeof *f->place);
}
CHUNKS_OF(piece_drift)

/// Off a wall with the unit normal n: a share of the speed towards it comes back, friction takes what Coulomb says.
static void piece_bounce(const struct flight *f, struct flyer *q, const double n[3])
{
    const struct debris *p = f->p;
    const double towards = -vec3_dot(q->v, n), slow = 2 * vec3_length(p->gravity) * f->part;
    if (towards <= 0) return;
    const double back = towards > slow ? p->restitution : 0;
    double along[3];
    for (int a = 0; a < 3; a++) along[a] = q->v[a] + towards * n[a];
    const double speed = vec3_length(along);
    const double left = speed > 0 ? fmax(0, 1 - p->friction * (1 + back) * towards / speed) : 0;
    for (int a = 0; a < 3; a++) q->v[a] = along[a] * left + back * towards * n[a];
}

/// Out of a periodic side and in through the other, with its last bead.
static void piece_wrap(const struct bw_domain_info *g, struct flyer *q)
{
    for (int a = 0; a < 3; a++) {
        const double box = g->n[a] * g->h;
        if (!debris_goes_round(g, a)) continue;
        const double round = box * floor((q->x[a] - g->origin[a]) / box);
        q->x[a] -= round;
        q->from[a] -= round;
    }
}

static void piece_sides(const struct flight *f, int64_t i)
{
    const struct bw_domain_info *g = f->stage->grid;
    struct flyer *q = &f->flyer[i];
    piece_wrap(g, q);
    for (int side = 0; side < 6; side++) {
        const int a = side / 2, high = side % 2;
        const double edge = g->origin[a] + (high ? g->n[a] * g->h : 0) + (high ? -0.5 : 0.5) * q->size;
        const double past = (high ? 1 : -1) * (q->x[a] - edge);
        if (g->n[a] == 0 || g->side[side].kind != BW_CLOSED || a == g->thin || past <= 0) continue;
        double n[3] = {0};
        n[a] = high ? -1 : 1;
        q->x[a] = edge + n[a] * f->p->restitution * past;
        piece_bounce(f, q, n);
    }
    if (f->left <= 0 || vec3_distance2(q->x, q->from) >= BEAD_APART * BEAD_APART * g->h * g->h)
        if (q->age > 0 && q->since > 0) bead_add(f, i, f->left);
}
CHUNKS_OF(piece_sides)

/// Out of obstacles, along the slope of their distance. They count as at rest.
static enum bw_status obstacles_meet(struct flight *f)
{
    struct bw_stage *s = f->stage;
    struct bw_field *solid = bw_port_field(s, DEBRIS_SOLID);
    const int64_t n = f->pieces->count;
    const double h = s->grid->h;
    int64_t hits = 0;
    if (!solid) return BW_OK;
    enum bw_status status = ranks_sample(s, solid, (size_t)n, (const bw_vec3 *)f->place, f->value);
    for (int64_t i = 0; i < n && status == BW_OK; i++) {
        struct flyer *q = &f->flyer[i];
        q->solid = f->value[i];
        q->hit = q->age > 0 && q->solid < fmin(0.5 * q->size, h); // the distance is known no farther than some cells
        hits += q->hit;
    }
    if (!hits || status) return status;
    bw_vec3 *round = s->host->scratch(s, 6 * (size_t)hits * sizeof *round);
    double *slope = s->host->scratch(s, 6 * (size_t)hits * sizeof *slope);
    if (!round || !slope) return BW_ERR_MEMORY;
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++)
        for (int side = 0; side < 6 && f->flyer[i].hit; side++, at++) {
            memcpy(round[at], f->place[i], sizeof *round);
            if (side / 2 != s->grid->thin) round[at][side / 2] += side % 2 ? h : -h;
        }
    status = ranks_sample(s, solid, (size_t)at, (const bw_vec3 *)round, slope);
    at = 0;
    for (int64_t i = 0; i < n && status == BW_OK; i++) {
        struct flyer *q = &f->flyer[i];
        if (!q->hit) continue;
        double normal[3];
        for (int a = 0; a < 3; a++, at += 2) normal[a] = slope[at + 1] - slope[at];
        const double length = vec3_length(normal), deep = fmin(0.5 * q->size, h) - q->solid;
        if (!(length > 0)) continue;
        for (int a = 0; a < 3; a++) normal[a] /= length;
        for (int a = 0; a < 3; a++) q->x[a] += deep * normal[a];
        piece_bounce(f, q, normal);
    }
    return status;
}

static void piece_end(const struct flight *f, int64_t i)
{
    const struct debris *p = f->p;
    const struct glowing *all = f->pieces;
    const struct flyer *q = &f->flyer[i];
    const double flown = fmin(f->stage->dt, q->age);
    for (int a = 0; a < 3; a++) {
        all->pos[i][a] = q->x[a];
        all->acceleration[3 * i + a] = (float)(flown > 0 ? (q->v[a] - (double)all->velocity[3 * i + a]) / flown : 0);
        all->velocity[3 * i + a] = (float)q->v[a];
    }
    all->age[i] = (float)q->age;
    all->temperature[i] = (float)((p->glow - p->ambient) * exp(-q->age * p->size / (p->cooling * q->size)));
}
CHUNKS_OF(piece_end)

/// Parts that the step is cut into.
static int32_t parts_of(const struct bw_stage *s, const struct glowing *p)
{
    const struct debris *d = s->params;
    double fastest = 0;
    for (int64_t i = 0; i < p->count; i++)
        for (int a = 0; a < 3; a++) fastest = fmax(fastest, fabs((double)p->velocity[3 * i + a]));
    fastest = 1.8 * fastest + vec3_length(d->gravity) * s->dt; // of a vector, from its longest component
    return (int32_t)fmax(1, fmin(PARTS_MOST, ceil(s->dt * fmax(d->rate, 2 * fastest / s->grid->h) - 1e-9)));
}

static enum bw_status flight_run(struct flight *f, int32_t parts)
{
    struct bw_stage *s = f->stage;
    struct bw_field *vel = bw_port_field(s, DEBRIS_VEL);
    const int64_t n = f->pieces->count, chunks = (n + CHUNK - 1) / CHUNK;
    enum bw_status status = BW_OK;
    s->host->parallel_for(s, chunks, piece_begin_chunk, f);
    for (int32_t k = 0; k < parts && status == BW_OK; k++) {
        f->left = k + 1 < parts ? s->dt - f->part * (k + 1) : 0;
        s->host->parallel_for(s, chunks, piece_ahead_chunk, f);
        if (vel) status = ranks_sample(s, vel, (size_t)n, (const bw_vec3 *)f->place, f->value);
        else memset(f->value, 0, 3 * (size_t)n * sizeof *f->value);
        if (status) return status;
        s->host->parallel_for(s, chunks, piece_drift_chunk, f);
        status = obstacles_meet(f);
        s->host->parallel_for(s, chunks, piece_sides_chunk, f);
    }
    s->host->parallel_for(s, chunks, piece_end_chunk, f);
    return status;
}

/// Across periodic sides each bead is there once more, a box away: what reaches over a side comes in through the other.
/// The copies follow it at once: the order in which a cell meets beads is that of the pieces, wherever the box ends.
static void bead_keep(const struct bw_domain_info *g, struct debris_state *st, const struct bead *bead)
{
    const int64_t first = st->beads;
    st->bead[st->beads++] = *bead;
    for (int a = 0; a < 3; a++) {
        const int64_t n = debris_goes_round(g, a) ? st->beads : first;
        for (int64_t i = first; i < n; i++) {
            struct bead *b = &st->bead[st->beads++];
            const double box = g->n[a] * g->h;
            *b = st->bead[i];
            b->pos[a] += b->pos[a] < g->origin[a] + 0.5 * box ? box : -box;
        }
    }
}

/// The beads of all pieces, one piece after the other, for debris_trail.c.
static enum bw_status beads_keep(const struct flight *f)
{
    struct bw_stage *s = f->stage;
    struct debris_state *st = s->state;
    int64_t count = 0;
    for (int64_t i = 0; i < f->pieces->count; i++) count += f->flyer[i].beads;
    for (int a = 0; a < 3; a++) count *= debris_goes_round(s->grid, a) ? 2 : 1;
    if (count > st->room) {
        s->host->release(s, st->bead);
        st->room = count + count / 2;
        st->bead = s->host->alloc(s, (size_t)st->room * sizeof *st->bead);
        if (!st->bead) st->room = 0;
        if (!st->bead) return BW_ERR_MEMORY;
    }
    for (int64_t i = 0; i < f->pieces->count; i++)
        for (int32_t k = 0; k < f->flyer[i].beads; k++)
            if (f->bead[i * f->room + k].radius > 0) bead_keep(s->grid, st, &f->bead[i * f->room + k]);
    return BW_OK;
}

enum bw_status debris_fly(struct bw_stage *s, const struct glowing *p)
{
    const size_t n = (size_t)p->count;
    const int32_t parts = parts_of(s, p);
    struct flight f = {.stage = s, .p = s->params, .pieces = p, .room = parts + 1, .part = s->dt / parts};
    ((struct debris_state *)s->state)->beads = 0;
    if (!n) return BW_OK;
    f.flyer = s->host->scratch(s, n * sizeof *f.flyer);
    f.bead = s->host->scratch(s, n * (size_t)f.room * sizeof *f.bead);
    f.place = s->host->scratch(s, n * sizeof *f.place);
    f.value = s->host->scratch(s, 3 * n * sizeof *f.value);
    if (!f.flyer || !f.bead || !f.place || !f.value) return BW_ERR_MEMORY;
    const enum bw_status status = flight_run(&f, parts);
    return status ? status : beads_keep(&f);
}
