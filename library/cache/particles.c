// SPDX-License-Identifier: Apache-2.0
/* Particles in .ply files beside a finished cache: as a snapshot (bw_cache_points), and for its pictures. */
#include "cache.h"

#include "points/points.h"
#include "view/picture_tools.h"
#include <picture/gather/sparks.h>

enum bw_status bw_cache_points(struct bw_cache *cache, int64_t frame, struct bw_snapshot **snapshot)
{
    struct api_call api;
    api_enter(&api);
    if (snapshot) *snapshot = NULL;
    struct cache *c = cache_acquire(cache, &api.d);
    if (c && !snapshot) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "bw_cache_points wants a place for the snapshot");
    else if (c) {
        struct snapshot *m = points_open(c->pattern, c->files.name, frame, &api.d);
        if (m && !(*snapshot = handle_new(HANDLE_SNAPSHOT, &m->o))) {
            object_unref(&m->o);
            out_of_memory(&api.d);
        }
    }
    if (c) object_unref(&c->o);
    return api_leave(&api);
}

/// From metres and seconds of the bake to the files'.
static void spark_scale(struct bw_spark *s, const struct bw_vdb_view *vdb)
{
    for (int a = 0; a < 3; a++) {
        s->at[a] *= vdb->scale;
        s->vel[a] = (float)(s->vel[a] * vdb->scale / vdb->slower);
    }
    s->size = (float)(s->size * vdb->scale);
}

enum bw_status cache_sparks(const struct cache *c, int64_t frame, const struct bw_sparks_wish *wish,
                            const struct bw_vdb_view *vdb, struct bw_volume *v, struct bw_diag *d)
{
    if (wish->which == BW_SHOW_NONE) return BW_OK;
    const struct bw_tools tools = picture_tools();
    struct snapshot *m = points_open(c->pattern, c->files.name, frame, d);
    if (!m) return d->status;
    struct bw_snapshot_particles kinds[16];
    struct bw_frame f = {.size = sizeof f, .number = frame, .particles = kinds};
    for (; f.n_particles < m->facts.n_points && f.n_particles < sizeof kinds / sizeof *kinds; f.n_particles++) {
        const struct bw_snapshot_points *p = &m->facts.points[f.n_particles];
        kinds[f.n_particles] =
            (struct bw_snapshot_particles){p->name, p->count, p->n_attributes, p->attributes, p->data};
    }
    const enum bw_status status = bw_gather_sparks(&tools, &f, wish, v);
    for (int64_t i = 0; i < v->n_sparks; i++) spark_scale(&v->spark[i], vdb);
    object_unref(&m->o);
    return status ? out_of_memory(d) : BW_OK;
}
