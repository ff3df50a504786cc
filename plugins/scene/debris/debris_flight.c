// SPDX-License-Identifier: Apache-2.0
/* Integrates the motion of all pieces over a step, in substeps no longer than 1/rate in which no piece moves by more
 * than half a cell. Equation and scheme: debris.c. All pieces take the same substeps on any thread; all ranks hold all
 * pieces. */
#include "debris.h"

#include <common/ranks.h>

#include <math.h>
#include <string.h>

#define SUBSTEPS_MOST 1000  ///< of a step: beyond, pieces pass more than half a cell in a substep
#define SAMPLE_SPACING 0.25 ///< distance between samples of a piece, at least, cells
enum { CHUNK = 64 };

/// A piece in flight, in doubles.
struct particle {
    double x[3], v[3];
    double size, age, life;
    double duration; ///< since its last sample, s
    double from[3];  ///< position of its last sample
    double solid;    ///< distance from an obstacle, m
    int32_t hit, n_samples;
};

struct flight {
    struct bw_stage *stage;
    const struct debris *p;
    const struct glowing *pieces;
    struct particle *particle;
    struct sample *sample; ///< per piece, `capacity` of them
    int32_t capacity;
    double substep, left; ///< length of the substep; from its end to the step's end, s
    bw_vec3 *place;
    double *value;
};

static double drag_length(const struct debris *p, const struct particle *f)
{
    return p->drag_length * f->size / p->size;
}

/// How long the piece flies in this substep: less if it is born in it.
static double own_substep(const struct flight *f, const struct particle *q)
{
    return fmax(0, fmin(f->substep, q->age + f->substep));
}

static void chunk_each(const struct flight *f, int64_t chunk, void (*what)(const struct flight *f, int64_t i))
{
    for (int64_t i = chunk * CHUNK; i < f->pieces->count && i < (chunk + 1) * CHUNK; i++) what(f, i);
}

#define PARALLEL_OVER_PIECES(name)                                                                                     \
    static void name##_chunk(int64_t chunk, uint32_t worker, void *user)                                               \
    {                                                                                                                  \
        (void)worker;                                                                                                  \
        chunk_each(user, chunk, name);                                                                                 \
    }

static void sample_add(const struct flight *f, int64_t i, double ago)
{
    const struct debris *p = f->p;
    struct particle *q = &f->particle[i];
    const double old = fmax(q->age, 0) / q->life;
    if (old >= 1) return;
    struct sample *b = f->sample + i * f->capacity + q->n_samples++;
    const double burnt = p->burning > 0 ? fmin(old / p->burning, 1) : 1;
    memcpy(b->pos, q->x, sizeof b->pos);
    for (int a = 0; a < 3; a++) b->velocity[a] = (float)q->v[a];
    b->radius = (float)(0.5 * p->trail * q->size * (1 - (1 - p->taper) * old));
    b->smoke = (float)pow(1 - old, p->fade);
    b->fire = (float)pow(1 - burnt, p->fade);
    b->duration = (float)q->duration;
    b->ago = (float)ago;
    memcpy(q->from, q->x, sizeof q->from);
    q->duration = 0;
}

static void piece_begin(const struct flight *f, int64_t i)
{
    const struct glowing *all = f->pieces;
    struct particle *q = &f->particle[i];
    memset(q, 0, sizeof *q);
    q->size = (double)all->size[i];
    q->age = (double)all->age[i];
    q->life = (double)all->life[i];
    for (int a = 0; a < 3; a++) {
        q->x[a] = all->pos[i][a];
        q->v[a] = (double)all->velocity[3 * i + a];
    }
    if (q->age >= 0) sample_add(f, i, f->stage->dt); // that of the last step's end has been advected since
    memcpy(q->from, q->x, sizeof q->from);
}
PARALLEL_OVER_PIECES(piece_begin)

/// Midpoint of the substep, where the gas' velocity is sampled.
static void piece_midpoint(const struct flight *f, int64_t i)
{
    const struct particle *q = &f->particle[i];
    const double dt = own_substep(f, q);
    for (int a = 0; a < 3; a++) f->place[i][a] = q->x[a] + 0.5 * dt * q->v[a];
}
PARALLEL_OVER_PIECES(piece_midpoint)

static void piece_integrate(const struct flight *f, int64_t i)
{
    const struct debris *p = f->p;
    struct particle *q = &f->particle[i];
    const double dt = own_substep(f, q), length = drag_length(p, q);
    double w[3];
    for (int a = 0; a < 3; a++) {
        q->v[a] += 0.5 * dt * p->gravity[a];
        w[a] = q->v[a] - f->value[3 * i + a];
    }
    const double speed = vec3_length(w), path = length > 0 ? speed * dt / length : 0;
    const double time = path > 1e-12 ? length * log1p(path) / speed : dt; // equivalent time without drag
    for (int a = 0; a < 3; a++) {
        const double u = f->value[3 * i + a];
        if (length > 0) {
            q->x[a] += u * dt + w[a] * time;
            q->v[a] = u + w[a] / (1 + path);
        } else {
            q->x[a] += q->v[a] * dt;
        }
        q->v[a] += 0.5 * dt * p->gravity[a];
        if (a == f->stage->grid->thin) q->v[a] = 0;
    }
    q->age += f->substep;
    q->duration += dt;
    memcpy(f->place[i], q->x, sizeof *f->place);
}
PARALLEL_OVER_PIECES(piece_integrate)

/// Bounce off a wall of unit normal n, with restitution and Coulomb friction. Slow contacts do not bounce.
static void piece_bounce(const struct flight *f, struct particle *q, const double n[3])
{
    const struct debris *p = f->p;
    const double towards = -vec3_dot(q->v, n), slow = 2 * vec3_length(p->gravity) * f->substep;
    if (towards <= 0) return;
    const double back = towards > slow ? p->restitution : 0;
    double along[3];
    for (int a = 0; a < 3; a++) along[a] = q->v[a] + towards * n[a];
    const double speed = vec3_length(along);
    const double left = speed > 0 ? fmax(0, 1 - p->friction * (1 + back) * towards / speed) : 0;
    for (int a = 0; a < 3; a++) q->v[a] = along[a] * left + back * towards * n[a];
}

/// Wraps the position, and that of the last sample, into a periodic box.
static void piece_wrap(const struct bw_domain_info *g, struct particle *q)
{
    for (int a = 0; a < 3; a++) {
        const double box = g->n[a] * g->h;
        if (!debris_axis_periodic(g, a)) continue;
        const double round = box * floor((q->x[a] - g->origin[a]) / box);
        q->x[a] -= round;
        q->from[a] -= round;
    }
}

static void piece_sides(const struct flight *f, int64_t i)
{
    const struct bw_domain_info *g = f->stage->grid;
    struct particle *q = &f->particle[i];
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
    if (f->left <= 0 || vec3_distance2(q->x, q->from) >= SAMPLE_SPACING * SAMPLE_SPACING * g->h * g->h)
        if (q->age > 0 && q->duration > 0) sample_add(f, i, f->left);
}
PARALLEL_OVER_PIECES(piece_sides)

/// Pushes pieces out of obstacles along the gradient of the signed distance, and bounces them. Obstacles count as at
/// rest. Errors: the host's, BW_ERR_MEMORY.
static enum bw_status obstacles_collide(struct flight *f)
{
    struct bw_stage *s = f->stage;
    struct bw_field *solid = bw_port_field(s, DEBRIS_SOLID);
    const int64_t n = f->pieces->count;
    const double h = s->grid->h;
    int64_t hits = 0;
    if (!solid) return BW_OK;
    enum bw_status status = ranks_sample(s, solid, (size_t)n, (const bw_vec3 *)f->place, f->value);
    for (int64_t i = 0; i < n && status == BW_OK; i++) {
        struct particle *q = &f->particle[i];
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
        for (int side = 0; side < 6 && f->particle[i].hit; side++, at++) {
            memcpy(round[at], f->place[i], sizeof *round);
            if (side / 2 != s->grid->thin) round[at][side / 2] += side % 2 ? h : -h;
        }
    status = ranks_sample(s, solid, (size_t)at, (const bw_vec3 *)round, slope);
    at = 0;
    for (int64_t i = 0; i < n && status == BW_OK; i++) {
        struct particle *q = &f->particle[i];
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
    const struct particle *q = &f->particle[i];
    const double flown = fmin(f->stage->dt, q->age);
    for (int a = 0; a < 3; a++) {
        all->pos[i][a] = q->x[a];
        all->acceleration[3 * i + a] = (float)(flown > 0 ? (q->v[a] - (double)all->velocity[3 * i + a]) / flown : 0);
        all->velocity[3 * i + a] = (float)q->v[a];
    }
    all->age[i] = (float)q->age;
    all->temperature[i] = (float)((p->glow - p->ambient) * exp(-q->age * p->size / (p->cooling * q->size)));
}
PARALLEL_OVER_PIECES(piece_end)

/// Number of substeps of the step.
static int32_t substeps_of(const struct bw_stage *s, const struct glowing *p)
{
    const struct debris *d = s->params;
    double fastest = 0;
    for (int64_t i = 0; i < p->count; i++)
        for (int a = 0; a < 3; a++) fastest = fmax(fastest, fabs((double)p->velocity[3 * i + a]));
    fastest = 1.8 * fastest + vec3_length(d->gravity) * s->dt; // of a vector, from its longest component
    return (int32_t)fmax(1, fmin(SUBSTEPS_MOST, ceil(s->dt * fmax(d->rate, 2 * fastest / s->grid->h) - 1e-9)));
}

static enum bw_status flight_run(struct flight *f, int32_t substeps)
{
    struct bw_stage *s = f->stage;
    struct bw_field *vel = bw_port_field(s, DEBRIS_VEL);
    const int64_t n = f->pieces->count, chunks = (n + CHUNK - 1) / CHUNK;
    enum bw_status status = BW_OK;
    s->host->parallel_for(s, chunks, piece_begin_chunk, f);
    for (int32_t k = 0; k < substeps && status == BW_OK; k++) {
        f->left = k + 1 < substeps ? s->dt - f->substep * (k + 1) : 0;
        s->host->parallel_for(s, chunks, piece_midpoint_chunk, f);
        if (vel) status = ranks_sample(s, vel, (size_t)n, (const bw_vec3 *)f->place, f->value);
        else memset(f->value, 0, 3 * (size_t)n * sizeof *f->value);
        if (status) return status;
        s->host->parallel_for(s, chunks, piece_integrate_chunk, f);
        status = obstacles_collide(f);
        s->host->parallel_for(s, chunks, piece_sides_chunk, f);
    }
    s->host->parallel_for(s, chunks, piece_end_chunk, f);
    return status;
}

/// Stores a sample and its periodic images, a box away. Images follow at once, so that cells receive the samples in
/// the order of the pieces wherever the box ends.
static void sample_store(const struct bw_domain_info *g, struct debris_state *st, const struct sample *sample)
{
    const int64_t first = st->n_samples;
    st->sample[st->n_samples++] = *sample;
    for (int a = 0; a < 3; a++) {
        const int64_t n = debris_axis_periodic(g, a) ? st->n_samples : first;
        for (int64_t i = first; i < n; i++) {
            struct sample *b = &st->sample[st->n_samples++];
            const double box = g->n[a] * g->h;
            *b = st->sample[i];
            b->pos[a] += b->pos[a] < g->origin[a] + 0.5 * box ? box : -box;
        }
    }
}

/// Stores the samples of all pieces in the state, piece by piece. Errors: BW_ERR_MEMORY.
static enum bw_status samples_store(const struct flight *f)
{
    struct bw_stage *s = f->stage;
    struct debris_state *st = s->state;
    int64_t count = 0;
    for (int64_t i = 0; i < f->pieces->count; i++) count += f->particle[i].n_samples;
    for (int a = 0; a < 3; a++) count *= debris_axis_periodic(s->grid, a) ? 2 : 1;
    if (count > st->capacity) {
        s->host->release(s, st->sample);
        st->capacity = count + count / 2;
        st->sample = s->host->alloc(s, (size_t)st->capacity * sizeof *st->sample);
        if (!st->sample) st->capacity = 0;
        if (!st->sample) return BW_ERR_MEMORY;
    }
    for (int64_t i = 0; i < f->pieces->count; i++)
        for (int32_t k = 0; k < f->particle[i].n_samples; k++)
            if (f->sample[i * f->capacity + k].radius > 0) sample_store(s->grid, st, &f->sample[i * f->capacity + k]);
    return BW_OK;
}

enum bw_status debris_fly(struct bw_stage *s, const struct glowing *p)
{
    const size_t n = (size_t)p->count;
    const int32_t substeps = substeps_of(s, p);
    struct flight f = {.stage = s, .p = s->params, .pieces = p, .capacity = substeps + 1, .substep = s->dt / substeps};
    ((struct debris_state *)s->state)->n_samples = 0;
    if (!n) return BW_OK;
    f.particle = s->host->scratch(s, n * sizeof *f.particle);
    f.sample = s->host->scratch(s, n * (size_t)f.capacity * sizeof *f.sample);
    f.place = s->host->scratch(s, n * sizeof *f.place);
    f.value = s->host->scratch(s, 3 * n * sizeof *f.value);
    if (!f.particle || !f.sample || !f.place || !f.value) return BW_ERR_MEMORY;
    const enum bw_status status = flight_run(&f, substeps);
    return status ? status : samples_store(&f);
}
