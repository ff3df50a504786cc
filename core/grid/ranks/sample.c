// SPDX-License-Identifier: Apache-2.0
/* Values of a field at places that every rank has: each samples those in or beside its own tiles, and gets the others.
 * A place belongs to the owner of the first active tile that the cells around it lie in, which has all that touch that
 * tile. Where that was too little, as for places that the sides' rules take elsewhere, all tiles come to all. */
#include "ranks.h"
#include "base/alloc.h"
#include <math.h>
#include <string.h>

enum { CHUNK = 4096 };

struct job {
    struct bw_field *f;
    int64_t count; ///< of places …
    const bw_vec3 *pos;
    double *out;
    uint8_t *owner; ///< … and of each its rank
};

static void chunk_sample(int64_t chunk, uint32_t worker, void *user)
{
    const struct job *j = user;
    const int64_t first = chunk * CHUNK, n = j->count - first < CHUNK ? j->count - first : CHUNK;
    (void)worker;
    bw_sample(&j->f->src, (size_t)n, j->pos + first, j->out + first * j->f->info.comps);
}

static void places_sample(struct bw_workers *w, const struct job *j)
{
    bw_workers_for(w, (j->count + CHUNK - 1) / CHUNK, chunk_sample, (void *)(uintptr_t)j);
}

/* Of the tiles that the cells beside cell x lie in, the first that is active; 0 where there is none. */
static int32_t owner_of(const struct bw_domain *d, const double pos[3])
{
    int32_t lo[3], hi[3], c[3];
    for (int a = 0; a < 3; a++) {
        double x = floor((pos[a] - d->info.origin[a]) / d->info.h);
        if (!(fabs(x) < 1e9)) return 0;
        if (bw_bounded(&d->info)) x = fmin(fmax(x, 0), d->info.n[a] - 1);
        lo[a] = (int32_t)floor((x - 1) / d->info.tile[a]);
        hi[a] = (int32_t)floor((x + 1) / d->info.tile[a]);
    }
    for (c[2] = lo[2]; c[2] <= hi[2]; c[2]++)
        for (c[1] = lo[1]; c[1] <= hi[1]; c[1]++)
            for (c[0] = lo[0]; c[0] <= hi[0]; c[0]++) {
                const int64_t t = bw_topo_find(d->topo, &d->info, c);
                if (t >= 0) return d->partition->owner[t];
            }
    return 0;
}

static void chunk_own(int64_t chunk, uint32_t worker, void *user)
{
    const struct job *j = user;
    (void)worker;
    for (int64_t i = chunk * CHUNK; i < j->count && i < (chunk + 1) * CHUNK; i++)
        j->owner[i] = (uint8_t)owner_of(j->f->domain, j->pos[i]);
}

/* The pieces of all ranks, and this rank's of them sampled. */
struct pieces {
    double *value;
    bw_vec3 *pos;                                       ///< this rank's places
    int64_t count[BW_RANKS_MOST], begin[BW_RANKS_MOST]; ///< of values by rank, in places
};

static void pieces_count(const struct job *j, struct pieces *p, int32_t ranks)
{
    for (int64_t i = 0; i < j->count; i++) p->count[j->owner[i]]++;
    for (int32_t r = 1; r < ranks; r++) p->begin[r] = p->begin[r - 1] + p->count[r - 1];
}

static void mine_sample(struct bw_workers *w, const struct job *j, const struct pieces *p, int32_t rank)
{
    int64_t n = 0;
    for (int64_t i = 0; i < j->count; i++)
        if (j->owner[i] == rank) memcpy(p->pos[n++], j->pos[i], sizeof *p->pos);
    places_sample(w,
                  &(struct job){j->f, n, (const bw_vec3 *)p->pos, p->value + p->begin[rank] * j->f->info.comps, NULL});
}

/* Back to their places; 0: one is no number, so a tile was missing. */
static int pieces_spread(const struct job *j, struct pieces *p)
{
    const size_t comps = j->f->info.comps;
    int all = 1;
    for (int64_t i = 0; i < j->count; i++) {
        const double *from = p->value + (size_t)p->begin[j->owner[i]]++ * comps;
        for (size_t c = 0; c < comps; c++) all &= !isnan(j->out[(size_t)i * comps + c] = from[c]);
    }
    return all;
}

/* What lies around a rank's tiles is there. */
static enum bw_status shares_sample(struct bw_workers *w, const struct job *j, struct pieces *p)
{
    struct bw_transport *t = j->f->domain->ranks;
    size_t bytes[BW_RANKS_MOST];
    bw_workers_for(w, (j->count + CHUNK - 1) / CHUNK, chunk_own, (void *)(uintptr_t)j);
    pieces_count(j, p, t->size);
    mine_sample(w, j, p, t->rank);
    for (int32_t r = 0; r < t->size; r++) bytes[r] = (size_t)p->count[r] * j->f->info.comps * sizeof *p->value;
    t->gather(t, NULL, bytes, p->value);
    if (pieces_spread(j, p)) return BW_OK;
    struct bw_field *f = j->f;
    const enum bw_status status = bw_ranks_fetch(f->domain, &f, 1, BW_FETCH_ALL_RANKS);
    if (status == BW_OK) places_sample(w, j);
    return status;
}

enum bw_status bw_ranks_sample(struct bw_field *f, struct bw_workers *w, size_t count, const bw_vec3 *pos, double *out)
{
    struct job j = {f, (int64_t)count, pos, out, NULL};
    if (!f->domain->ranks || !f->domain->topo->pub.count) {
        places_sample(w, &j);
        return BW_OK;
    }
    struct pieces p = {.value = bw_calloc((count * f->info.comps + 1) * sizeof *p.value),
                       .pos = bw_calloc((count + 1) * sizeof *p.pos)};
    j.owner = bw_calloc(count + 1);
    enum bw_status status =
        p.value && p.pos && j.owner ? bw_ranks_fetch(f->domain, &f, 1, BW_FETCH_HALO) : BW_ERR_MEMORY;
    if (status == BW_OK) status = shares_sample(w, &j, &p);
    bw_free(p.value);
    bw_free(p.pos);
    bw_free(j.owner);
    return status;
}
