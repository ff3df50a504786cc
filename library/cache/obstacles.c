// SPDX-License-Identifier: Apache-2.0
/* Obstacles of a cache from its bake's preset: exact shapes and distances at any frame, unlike the file's cells. */
#include "look.h"

#include "run/run.h"
#include "run/snapshot.h"
#include "run/writer/obstacle_tiles.h"
#include "view/bake_look.h"
#include "view/kept_meshes.h"
#include <picture/gather/shapes.h>
#include <picture/gather/solid.h>
#include <picture/volume/scene/volume.h>

#include <math.h>
#include <string.h>

/// The bake's chain of stages, created for its outlines and never run.
struct cache_chain {
    struct bw_preset *preset; ///< NULL: no bake by Billow
    struct bw_chain *chain;   ///< NULL: it can't be created …
    char *why;                ///< … for this reason
    struct kept_meshes meshes;
};

/* Once a cache, under its lock. NULL: out of memory. */
static struct cache_chain *chain_make(struct cache *c)
{
    struct cache_chain *k = bw_calloc(sizeof *k);
    struct bw_diag d = {0};
    const struct bw_run_options o = {.threads = 1, .simd = UINT32_MAX};
    if (!k) return NULL;
    kept_meshes_init(&k->meshes);
    k->preset = cache_preset(c, &d);
    if (k->preset) k->chain = bw_chain_create(k->preset, c->session->registry, &o, &d);
    if (!k->chain && d.first) k->why = bw_strdup(d.first);
    bw_diag_free(&d);
    return k;
}

void cache_obstacles_free(struct cache *c)
{
    struct cache_chain *k = c->chain;
    if (!k) return;
    kept_meshes_free(&k->meshes);
    bw_chain_free(k->chain);
    bw_preset_free(k->preset);
    bw_free(k->why);
    bw_free(k);
}

static const struct bw_field_info *solid_of(const struct chain_snapshot *s, const struct bw_domain_info *domain)
{
    for (uint32_t i = 0; i < s->frame.n_fields; i++)
        if (!strcmp(s->field[i].info->name, "solid") && !strcmp(s->field[i].info->domain->name, domain->name))
            return s->field[i].info;
    return NULL;
}

/// The first stage whose obstacle has no known shape; NULL: none.
static const char *unknown_in(const struct chain_snapshot *s, const struct bw_field_info *solid)
{
    for (uint32_t i = 0; i < s->frame.n_shapes; i++)
        if (s->shape[i].field == solid && s->shape[i].shape.kind == BW_SHAPE_UNKNOWN) return s->shape[i].stage;
    return NULL;
}

static void shapes_gather(struct cache_chain *k, struct chain_snapshot *s, const struct bake_look *own,
                          const struct bw_tools *tools, struct bw_shapes **shapes, struct bw_diag *why)
{
    const struct bw_snapshot_field solid = {.info = solid_of(s, bake_look_domain(k->preset, own->export))};
    const char *unknown = solid.info ? unknown_in(s, solid.info) : NULL;
    if (unknown) bw_diag_error(why, NULL, BW_ERR, "where \"%s\" is, its parameters alone do not tell", unknown);
    if (!*shapes) *shapes = kept_meshes_take(&k->meshes);
    if (bw_gather_shapes(tools, &s->frame, solid.info ? &solid : NULL, &own->p->obstacles, shapes)) out_of_memory(why);
    kept_meshes_put(&k->meshes, *shapes);
}

enum { PADDING = 2 }; ///< cells around the solid's box, as in bw_gather_volume

/// The volume's box, wide enough for the obstacles too, and how many cells it begins before its own.
static struct bw_dense box_widen(const struct bw_dense *own, const struct bw_dense *solid, int32_t before[3])
{
    struct bw_dense wide = *own;
    for (int a = 0; a < 3; a++) {
        const int32_t first = (int32_t)lround((solid->origin[a] - own->origin[a]) / own->h) - PADDING,
                      end = first + solid->n[a] + 2 * PADDING;
        before[a] = first < 0 ? -first : 0;
        wide.n[a] = before[a] + (end > own->n[a] ? end : own->n[a]);
        wide.origin[a] -= before[a] * own->h;
    }
    return wide;
}

static void array_move(const struct bw_dense *from, const float *f, const struct bw_dense *to, const int32_t before[3],
                       float *out)
{
    memset(out, 0, bw_dense_cells(to) * sizeof *out);
    for (int k = 0; k < from->n[2]; k++)
        for (int j = 0; j < from->n[1]; j++) {
            const size_t row = (size_t)(k + before[2]) * (size_t)to->n[1] + (size_t)(j + before[1]);
            memcpy(out + row * (size_t)to->n[0] + before[0], f, (size_t)from->n[0] * sizeof *f);
            f += from->n[0];
        }
}

/// Replace the volume's distances to obstacles by those of `solid`, a snapshot's field with its outlines, and widen its
/// box to hold all obstacles, as a bake's is: those outside of the smoke shade it, too. `scale`: the volume's units to
/// a metre. *memory: the volume's arrays, released with the tools; replaced on success. Errors: BW_ERR_MEMORY, volume
/// unchanged.
static enum bw_status solid_distances_replace(const struct bw_tools *tools, const struct bw_snapshot_field *solid,
                                              double scale, struct bw_volume *v, float **memory)
{
    const int32_t step = (int32_t)fmax(lround(v->box.h / (solid->info->domain->h * scale)), 1);
    struct bw_volume all = {.solid = NULL};
    int32_t before[3];
    const enum bw_status status = bw_gather_solid(tools, solid, step, &all);
    if (status || !all.solid) return status;
    const size_t solids = bw_dense_cells(&all.solid_box);
    all.solid_box.h *= scale;
    for (int a = 0; a < 3; a++) all.solid_box.origin[a] *= scale;
    for (size_t i = 0; i < solids; i++) all.solid[i] *= (float)scale;
    struct bw_dense wide = box_widen(&v->box, &all.solid_box, before);
    if (bw_dense_cells(&wide) >= (size_t)BW_GATHER_CELLS) wide = v->box, memset(before, 0, sizeof before);
    float **array[BW_VOLUME_ARRAYS], *block, *at;
    size_t n = 0;
    bw_volume_arrays(v, array);
    for (int i = 0; i < BW_VOLUME_ARRAYS; i++) n += *array[i] != NULL;
    at = block = tools->alloc(tools->ctx, (n * bw_dense_cells(&wide) + solids) * sizeof *block);
    for (int i = 0; block && i < BW_VOLUME_ARRAYS; i++) {
        if (!*array[i]) continue;
        array_move(&v->box, *array[i], &wide, before, at);
        *array[i] = at, at += bw_dense_cells(&wide);
    }
    if (block) {
        v->box = wide, v->solid_box = all.solid_box;
        v->solid = memcpy(at, all.solid, solids * sizeof *at);
        tools->release(tools->ctx, *memory);
        *memory = block;
    }
    tools->release(tools->ctx, all.solid);
    return block ? BW_OK : BW_ERR_MEMORY;
}

/// Distances to obstacles all over the domain, from their outlines: the chain has no tiles.
static void solid_gather(const struct cache_chain *k, int64_t frame, const struct bake_look *own, double scale,
                         const struct bw_tools *tools, struct bw_volume *v, float **memory, struct bw_diag *why)
{
    const struct bw_domain_info *domain = bake_look_domain(k->preset, own->export);
    struct chain_snapshot *s = bw_dense_cells(&v->box) ? snapshot_take(k->chain, frame) : NULL;
    enum bw_status status = s ? obstacle_tiles_add(k->chain, s) : BW_OK;
    const struct bw_field_info *info = s && !status ? solid_of(s, domain) : NULL;
    for (uint32_t i = 0; info && !status && i < s->frame.n_fields; i++)
        if (s->field[i].info == info) status = solid_distances_replace(tools, &s->field[i], scale, v, memory);
    if (status) out_of_memory(why);
    snapshot_free(s);
}

void cache_obstacles(struct cache *c, const struct bw_preset *look, const struct bw_vdb_view *vdb, int64_t frame,
                     const struct bw_tools *tools, struct bw_shapes **shapes, struct bw_volume *v, float **memory,
                     struct bw_diag *why)
{
    struct chain_snapshot *s = NULL;
    struct bake_look own;
    pthread_mutex_lock(&c->lock);
    if (!c->chain) c->chain = chain_make(c);
    struct cache_chain *k = c->chain;
    const struct bw_preset *p = look ? look : k ? k->preset : NULL;
    if (!k) out_of_memory(why);
    else if (k->why) bw_diag_error(why, NULL, BW_ERR, "%s", k->why);
    if (k && k->chain) s = bw_chain_obstacles_at(k->chain, frame, why);
    for (uint32_t i = 0; s && i < s->frame.n_shapes; i++)
        for (int a = 0; a < 3; a++) {
            s->shape[i].shape.center[a] *= vdb->scale;
            s->shape[i].shape.scale[a] *= vdb->scale;
            s->shape[i].shape.vel[a] *= vdb->scale / vdb->slower;
            s->shape[i].shape.spin[a] /= vdb->slower;
        }
    if (s && s->frame.n_shapes &&
        (bake_look_renders(&own, c->session->registry, p, s->frame.time, why) ||
         (!why->status && bake_look_default(&own, p, s->frame.time, why)))) {
        shapes_gather(k, s, &own, tools, shapes, why);
        if (*shapes) solid_gather(k, frame, &own, vdb->scale, tools, v, memory, why);
        bake_look_free(&own);
    } else {
        bw_shapes_free(tools, *shapes);
        *shapes = NULL;
    }
    v->shapes = *shapes;
    snapshot_free(s);
    pthread_mutex_unlock(&c->lock);
}
