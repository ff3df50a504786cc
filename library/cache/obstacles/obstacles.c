// SPDX-License-Identifier: Apache-2.0
#include "obstacles.h"

#include "cache/look.h"
#include "run/run.h"
#include "run/snapshot.h"
#include "run/writer/outline.h"
#include "view/bake_look.h"
#include "whole.h"
#include <picture/gather/shapes.h>
#include <string.h>

/// The bake's chain, which is never run.
struct cache_chain {
    struct bw_preset *preset; ///< NULL: no bake of ours
    struct bw_chain *chain;   ///< NULL: it can't be made …
    char *why;                ///< … and this is said of it
};

/* Once a cache, under its lock. NULL: out of memory. */
static struct cache_chain *chain_make(struct cache *c)
{
    struct cache_chain *k = bw_calloc(sizeof *k);
    struct bw_diag d = {0};
    const struct bw_run_options o = {.threads = 1, .simd = UINT32_MAX};
    if (!k) return NULL;
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

/// The first stage that does not say where it is; NULL: all do, or there is none.
static const char *unknown_in(const struct chain_snapshot *s, const struct bw_field_info *solid)
{
    for (uint32_t i = 0; i < s->frame.n_shapes; i++)
        if (s->shape[i].field == solid && s->shape[i].shape.kind == BW_SHAPE_UNKNOWN) return s->shape[i].stage;
    return NULL;
}

static void shapes_gather(const struct cache_chain *k, struct chain_snapshot *s, const struct bake_look *own,
                          const struct bw_tools *tools, struct bw_shapes **shapes, struct bw_diag *why)
{
    const struct bw_snapshot_field solid = {.info = solid_of(s, bake_look_domain(k->preset, own->export))};
    const char *unknown = solid.info ? unknown_in(s, solid.info) : NULL;
    if (unknown) bw_diag_error(why, NULL, BW_ERR, "where \"%s\" is, its parameters alone do not tell", unknown);
    if (bw_gather_shapes(tools, &s->frame, solid.info ? &solid : NULL, &own->p->obstacles, shapes)) out_of_memory(why);
}

/// Their distances all over the domain. The chain has no tile of its own: all that it tells are outlines.
static void solid_gather(const struct cache_chain *k, int64_t frame, const struct bake_look *own, double scale,
                         const struct bw_tools *tools, struct bw_volume *v, float **memory, struct bw_diag *why)
{
    const struct bw_domain_info *domain = bake_look_domain(k->preset, own->export);
    struct chain_snapshot *s = bw_dense_cells(&v->box) ? snapshot_take(k->chain, frame) : NULL;
    enum bw_status status = s ? outline_take(k->chain, s) : BW_OK;
    const struct bw_field_info *info = s && !status ? solid_of(s, domain) : NULL;
    for (uint32_t i = 0; info && !status && i < s->frame.n_fields; i++)
        if (s->field[i].info == info) status = whole_solid(tools, &s->field[i], scale, v, memory);
    if (status) out_of_memory(why);
    snapshot_unref(s);
}

void cache_obstacles(struct cache *c, const struct bw_preset *look, const struct bw_vdb_view *seen, int64_t frame,
                     const struct bw_tools *tools, struct bw_shapes **shapes, struct bw_volume *v, float **memory,
                     struct bw_diag *why)
{
    struct chain_snapshot *s = NULL;
    struct bake_look own;
    pthread_mutex_lock(&c->lock);
    if (!c->chain) c->chain = chain_make(c);
    const struct cache_chain *k = c->chain;
    const struct bw_preset *p = look ? look : k ? k->preset : NULL;
    if (!k) out_of_memory(why);
    else if (k->why) bw_diag_error(why, NULL, BW_ERR, "%s", k->why);
    if (k && k->chain) s = bw_chain_recall(k->chain, frame, why);
    for (uint32_t i = 0; s && i < s->frame.n_shapes; i++)
        for (int a = 0; a < 3; a++) {
            s->shape[i].shape.center[a] *= seen->scale;
            s->shape[i].shape.scale[a] *= seen->scale;
            s->shape[i].shape.vel[a] *= seen->scale / seen->slower;
            s->shape[i].shape.spin[a] /= seen->slower;
        }
    if (s && s->frame.n_shapes &&
        (bake_look_renders(&own, c->session->registry, p, s->frame.time, why) ||
         (!why->status && bake_look_default(&own, p, s->frame.time, why)))) {
        shapes_gather(k, s, &own, tools, shapes, why);
        if (*shapes) solid_gather(k, frame, &own, seen->scale, tools, v, memory, why);
        bake_look_free(&own);
    } else {
        bw_shapes_free(tools, *shapes);
        *shapes = NULL;
    }
    v->shapes = *shapes;
    snapshot_unref(s);
    pthread_mutex_unlock(&c->lock);
}
