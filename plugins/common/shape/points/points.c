// SPDX-License-Identifier: Apache-2.0
/* Which file of points counts at present, how fast its points are, and where they are during a step. Velocities are the
 * file's own; else the central difference between the files beside it, matched by id, or by place in the file while
 * the number of points stays the same. */
#include <common/shape/shape.h>
#include <common/vec3.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TILES_MOST 6.4e7 ///< in the box round all points: their table takes half a GB

/* ---- files ---- */

static enum bw_status file_get(struct bw_stage *s, const struct shape_points *p, struct points_source *m,
                               int64_t number, int needed, struct points_file *out)
{
    char path[SEQUENCE_PATH];
    for (int i = 0; i < 3; i++)
        if (m->file[i].loaded && m->file[i].number == number) {
            *out = m->file[i];
            m->file[i] = (struct points_file){0};
            return BW_OK;
        }
    enum bw_status status = sequence_file(s, &m->sequence, p->file, number, needed, path);
    if (status || !path[0]) return status;
    status = points_read(s, path, p->up, out);
    out->number = number;
    return status;
}

/* ---- velocities ---- */

struct labelled {
    int64_t id, at;
};

static int label_order(const void *a, const void *b)
{
    const struct labelled *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Where each point of `f` is in `other`, -1: nowhere. NULL: they cannot be matched, or out of memory. */
static int64_t *match_make(struct bw_stage *s, const struct points_file *f, const struct points_file *other)
{
    int by_id = f->id && other->id;
    if (!by_id && f->n != other->n) return NULL;
    int64_t *match = s->host->scratch(s, (size_t)(f->n + 1) * sizeof *match);
    struct labelled *label = by_id ? s->host->scratch(s, (size_t)(other->n + 1) * sizeof *label) : NULL;
    if (!match || (by_id && !label)) return NULL;
    for (int64_t i = 0; by_id && i < other->n; i++) label[i] = (struct labelled){other->id[i], i};
    if (by_id) qsort(label, (size_t)other->n, sizeof *label, label_order);
    for (int64_t i = 0; i < f->n; i++) {
        int64_t lo = 0, hi = by_id ? other->n : 0;
        while (lo < hi) {
            int64_t middle = (lo + hi) / 2;
            if (label[middle].id < f->id[i]) lo = middle + 1;
            else hi = middle;
        }
        match[i] = !by_id ? i : lo < other->n && label[lo].id == f->id[i] ? label[lo].at : -1;
    }
    return match;
}

/* Velocities, units a second at the file's own speed, from the files beside the present one. */
static enum bw_status velocity_find(struct bw_stage *s, const struct shape_points *p, struct points_source *m)
{
    const struct points_file *now = &m->file[1];
    const int64_t *match[3] = {NULL, NULL, NULL};
    int beside = 0;
    for (int i = 0; i < 3; i += 2) {
        if (!m->file[i].loaded) continue;
        match[i] = match_make(s, now, &m->file[i]);
        beside++;
        if (!match[i])
            s->host->log(s, BW_LOG_WARNING,
                         "the number of points changes along %s, which has neither velocities (vx, vy, "
                         "vz) nor an id: where it does, points count as at rest",
                         p->file);
    }
    m->vel = beside ? s->host->alloc(s, (size_t)(now->n + 1) * sizeof *m->vel) : NULL;
    m->own = m->vel != NULL;
    if (beside && !m->vel) return BW_ERR_MEMORY;
    for (int64_t i = 0; i < now->n && m->vel; i++) {
        const double *from = now->pos[i], *to = now->pos[i];
        int files = 0;
        if (match[0] && match[0][i] >= 0) from = m->file[0].pos[match[0][i]], files++;
        if (match[2] && match[2][i] >= 0) to = m->file[2].pos[match[2][i]], files++;
        for (int a = 0; a < 3 && files; a++) m->vel[i][a] = (float)((to[a] - from[a]) * m->sequence.files / files);
    }
    return BW_OK;
}

static enum bw_status files_load(struct bw_stage *s, const struct shape_points *p, struct points_source *m,
                                 int64_t number)
{
    struct points_file fresh[3] = {{0}};
    if (m->own) s->host->release(s, m->vel);
    m->vel = NULL, m->own = 0;
    enum bw_status status = file_get(s, p, m, number, 1, &fresh[1]);
    int alone = status || fresh[1].vel || !m->sequence.numbered;
    for (int i = 0; i < 3 && !alone && !status; i += 2)
        if (number + i - 1 >= m->sequence.first && number + i - 1 <= m->sequence.last)
            status = file_get(s, p, m, number + i - 1, 0, &fresh[i]);
    for (int i = 0; i < 3; i++) points_file_free(s, &m->file[i]);
    memcpy(m->file, fresh, sizeof fresh);
    m->vel = fresh[1].vel;
    return status || alone ? status : velocity_find(s, p, m);
}

static enum bw_status source_begin(struct bw_stage *s, const struct shape_points *p, struct points_source *m)
{
    m->sequence = (struct sequence){.offset = p->offset, .speed = p->speed, .outside = p->outside};
    enum bw_status status = sequence_begin(s, p->file, &m->sequence);
    m->begun = !status;
    return status;
}

enum bw_status points_prepare(struct bw_stage *s, const struct shape_points *p, struct points_source *m)
{
    enum bw_status status = m->begun ? BW_OK : source_begin(s, p, m);
    if (status) return status;
    if (!(p->scale >= 0) || !(p->radius >= 0) || !(p->grow >= 0))
        return s->host->fail(s, BW_ERR_PRESET, "shape: radius, grow and scale must not be negative");
    int64_t number = sequence_number(s, &m->sequence, s->frame, 1);
    m->blank = number < 0;
    m->held = m->sequence.numbered && p->outside == SEQUENCE_HOLD &&
              number != (int64_t)floor(sequence_wanted(s, &m->sequence, s->frame) + 0.5 + 1e-6);
    if (m->blank || (m->file[1].loaded && m->file[1].number == number)) return BW_OK;
    return files_load(s, p, m, number);
}

/* ---- in the world ---- */

struct placing {
    const struct bw_stage *stage;
    const struct shape_points *p;
    const struct points_times *t;
    const struct points_source *m;
    struct points_cloud *c;
    double ahead[2]; ///< s from the file's moment to the step's start and end, at the file's own speed
    double rate;     ///< how much faster than that
};
enum { CHUNK = 4096 };

static void place(const struct pose *p, const double local[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = p->center[i] + p->scale * vec3_turned(p->axis, local, i);
}

static void point_place(const struct placing *a, int64_t i)
{
    const struct points_file *f = &a->m->file[1];
    struct points_cloud *c = a->c;
    const struct pose *now = a->t->now;
    double local[2][3], was[3], rigid[3], spin[3] = {0};
    for (int x = 0; x < 3; x++) {
        double v = a->m->vel ? (double)a->m->vel[i][x] : 0;
        for (int e = 0; e < 2; e++) local[e][x] = f->pos[i][x] + v * a->ahead[e];
        for (int k = 0; k < 3; k++) spin[k] += now->scale * v * a->rate * now->axis[x][k];
    }
    place(a->t->start, local[0], was);
    place(now, local[1], c->pos[i]);
    place(a->t->before, local[1], rigid);
    for (int x = 0; x < 3; x++) {
        c->displacement[i][x] = (float)(c->pos[i][x] - was[x]);
        c->vel[i][x] = (float)((c->pos[i][x] - rigid[x]) / a->t->moment + spin[x]);
    }
    double r = a->p->radius > 0 ? a->p->radius : a->stage->grid->h;
    c->radius[i] = (float)(f->radius ? (double)f->radius[i] * now->scale * a->p->grow : r);
}

static void chunk_place(int64_t chunk, uint32_t worker, void *user)
{
    (void)worker;
    const struct placing *a = user;
    int64_t end = (chunk + 1) * CHUNK;
    for (int64_t i = chunk * CHUNK; i < end && i < a->c->n; i++) point_place(a, i);
}

/* ---- sorted into tiles ---- */

struct tiles {
    int64_t lo[3], hi[3]; ///< hi included
};

/* Tiles that the path of point i touches; 0: none, it is beyond the box. */
static int point_tiles(const struct bw_domain_info *d, const struct points_cloud *c, int64_t i, struct tiles *t)
{
    double wide = (double)c->radius[i] + c->reach;
    for (int a = 0; a < 3; a++) {
        double end = c->pos[i][a], start = end - (double)c->displacement[i][a];
        double lo = floor((fmin(start, end) - wide - d->origin[a]) / d->h);
        double hi = floor((fmax(start, end) + wide - d->origin[a]) / d->h);
        if (d->n[a] > 0) {
            if (hi < 0 || lo >= d->n[a]) return 0;
            lo = fmax(lo, 0), hi = fmin(hi, d->n[a] - 1);
        }
        lo = fmin(fmax(lo, -1e9), 1e9), hi = fmin(fmax(hi, -1e9), 1e9);
        t->lo[a] = (int64_t)floor(lo / d->tile[a]);
        t->hi[a] = (int64_t)floor(hi / d->tile[a]);
    }
    return 1;
}

static int64_t tile_index(const struct points_cloud *c, int64_t i, int64_t j, int64_t k)
{
    return i - c->lo[0] + c->tiles[0] * (j - c->lo[1] + c->tiles[1] * (k - c->lo[2]));
}

/* Walk over the tiles of all points: count, or with `list` write as well. */
static void tiles_walk(const struct bw_domain_info *d, struct points_cloud *c, int64_t *at)
{
    for (int64_t q = 0; q < c->n; q++) {
        struct tiles t;
        if (!point_tiles(d, c, q, &t)) continue;
        for (int64_t k = t.lo[2]; k <= t.hi[2]; k++)
            for (int64_t j = t.lo[1]; j <= t.hi[1]; j++)
                for (int64_t i = t.lo[0]; i <= t.hi[0]; i++) {
                    int64_t n = at[tile_index(c, i, j, k)]++;
                    if (c->list) c->list[n] = (int32_t)q;
                }
    }
}

enum bw_status points_sort(struct bw_stage *s, struct points_cloud *c)
{
    const struct bw_domain_info *d = s->grid;
    struct tiles all = {{INT64_MAX, INT64_MAX, INT64_MAX}, {INT64_MIN, INT64_MIN, INT64_MIN}}, t;
    double count = 1;
    for (int64_t i = 0; i < c->n; i++)
        for (int a = 0; a < 3 && point_tiles(d, c, i, &t); a++) {
            if (t.lo[a] < all.lo[a]) all.lo[a] = t.lo[a];
            if (t.hi[a] > all.hi[a]) all.hi[a] = t.hi[a];
        }
    for (int a = 0; a < 3; a++) {
        int none = all.lo[a] > all.hi[a];
        c->lo[a] = none ? 0 : (int32_t)all.lo[a];
        c->tiles[a] = none ? 0 : (int32_t)(all.hi[a] - all.lo[a] + 1);
        count *= c->tiles[a];
    }
    if (count > TILES_MOST)
        return s->host->fail(s, BW_ERR_LIMIT,
                             "points are spread over %.3g tiles; give the domain a size, or check their "
                             "scale",
                             count);
    int64_t n = (int64_t)count;
    c->first = s->host->scratch(s, (size_t)(n + 1) * sizeof *c->first);
    int64_t *at = s->host->scratch(s, (size_t)(n + 1) * sizeof *at);
    if (!c->first || !at) return BW_ERR_MEMORY;
    memset(at, 0, (size_t)(n + 1) * sizeof *at);
    tiles_walk(d, c, at);
    c->first[0] = 0;
    for (int64_t i = 0; i < n; i++) c->first[i + 1] = c->first[i] + at[i];
    memcpy(at, c->first, (size_t)(n + 1) * sizeof *at);
    c->list = s->host->scratch(s, (size_t)(c->first[n] + 1) * sizeof *c->list);
    if (!c->list) return BW_ERR_MEMORY;
    tiles_walk(d, c, at);
    return BW_OK;
}

enum bw_status points_place(struct bw_stage *s, const struct shape_points *p, const struct points_times *t,
                            double reach, struct points_cloud *c)
{
    const struct points_source *m = t->now->points;
    int64_t n = m->blank ? 0 : m->file[1].n;
    *c = (struct points_cloud){.n = n, .reach = reach};
    c->pos = s->host->scratch(s, (size_t)(n + 1) * sizeof *c->pos);
    c->displacement = s->host->scratch(s, (size_t)(n + 1) * sizeof *c->displacement);
    c->vel = s->host->scratch(s, (size_t)(n + 1) * sizeof *c->vel);
    c->radius = s->host->scratch(s, (size_t)(n + 1) * sizeof *c->radius);
    if (!c->pos || !c->displacement || !c->vel || !c->radius) return BW_ERR_MEMORY;
    int moves = m->sequence.numbered && !m->held;
    double wanted = sequence_wanted(s, &m->sequence, s->frame),
           ahead = moves ? (wanted - floor(wanted + 0.5 + 1e-6)) / m->sequence.files : 0;
    double shift = s->time + s->dt; // what s->frame stands for
    struct placing a = {s, p, t, m, c, {ahead, ahead}, m->held ? 0 : m->sequence.numbered ? p->speed : 1};
    if (moves) a.ahead[0] += (t->begin - shift) * p->speed, a.ahead[1] += (t->end - shift) * p->speed;
    s->host->parallel_for(s, (n + CHUNK - 1) / CHUNK, chunk_place, &a);
    double longest = 0;
    for (int64_t i = 0; i < n; i++) {
        const float *w = c->displacement[i];
        longest = fmax(longest, (double)(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
    }
    c->fastest = sqrt(longest);
    return points_sort(s, c);
}

enum bw_status points_activate(struct bw_stage *s, const struct points_cloud *c)
{
    const struct bw_domain_info *d = s->grid;
    enum bw_status status = BW_OK;
    for (int64_t k = 0; k < c->tiles[2]; k++)
        for (int64_t j = 0; j < c->tiles[1]; j++)
            for (int64_t i = 0; i < c->tiles[0] && !status; i++) {
                const int64_t at = i + c->tiles[0] * (j + c->tiles[1] * k), tile[3] = {i, j, k};
                double middle[3];
                if (c->first[at] == c->first[at + 1]) continue;
                for (int a = 0; a < 3; a++) // its first cell: a box may cut the tile
                    middle[a] = d->origin[a] + ((double)(c->lo[a] + tile[a]) * d->tile[a] + 0.5) * d->h;
                status = s->host->activate(s, middle, middle);
            }
    return status;
}
