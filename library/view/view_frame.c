// SPDX-License-Identifier: Apache-2.0
/* The volume and scene of a view: gathered from a running bake's snapshot as its exporter does it, or read from a
 * cache's file as `billow preview` does it. */
#include "view.h"

#include "bake_look.h"
#include "cache/look.h"
#include "snapshot_exporter.h"
#include "job/job.h"
#include "snapshot.h"
#include <picture/volume/sky/sky.h>
#include <picture/gather/fields.h>
#include <picture/show_render.h>
#include <stdlib.h>
#include <string.h>

/* ---- of a running bake ---- */

static int has_renderable_field(const struct bw_frame *frame)
{
    static const char *const shown[] = {"density", "dye", "flame"};
    const struct bw_snapshot_field *f = bw_gather_choose(frame, NULL);
    int visible = 0;
    for (size_t i = 0; i < BW_COUNT(shown); i++) visible |= bw_gather_find(frame, shown[i]) != NULL;
    return f && f->info->domain->thin < 0 && visible;
}

static void frame_gather(struct snapshot_exporter *exporter, const struct bw_frame *frame,
                         const struct bw_picture_params *p, struct kept_meshes *meshes, struct view *v)
{
    struct bw_picture kept;
    bw_picture_begin(&kept, &exporter->e);
    const struct bw_making m = {&kept, &exporter->e, frame, p};
    const struct bw_snapshot_field *f = bw_gather_choose(frame, NULL);
    if (f) bw_gather_bounds(f, v->scene.lo, v->scene.hi);
    v->renders = has_renderable_field(frame);
    if (!v->renders) return;
    kept.shapes = kept_meshes_take(meshes);
    bw_show_scene(&m, &v->volume, &v->memory, &v->scene);
    kept_meshes_put(meshes, kept.shapes);
    v->solid = v->volume.solid;
    v->spark = v->volume.spark;
    v->sky = kept.sky;
    v->shapes = kept.shapes;
    memcpy(v->size, kept.size, sizeof v->size);
}

/// A preset, which goes on owning what it points to, with the values that `look` sets over it.
static struct bw_preset preset_with(const struct bw_preset *p, const struct view_look *look)
{
    struct bw_preset with = *p;
    with.look_overrides = look->set;
    with.n_look_overrides = look->n_set;
    return with;
}

enum bw_status view_of_job(struct snapshot *m, const struct view_look *look, struct view *v, struct bw_diag *d)
{
    const struct job *j = m->owner;
    const struct bw_preset with = preset_with(look->preset ? look->preset : j->preset, look), *p = &with;
    const struct chain_snapshot *s = m->data;
    struct bake_look own;
    struct snapshot_exporter exporter;
    if (!bake_look_renders(&own, j->session->registry, p, s->frame.time, d) &&
        (d->status || !bake_look_default(&own, p, s->frame.time, d)))
        return d->status;
    struct bw_snapshot_field *fields = bw_calloc((s->frame.n_fields + 1) * sizeof *fields);
    if (!fields) out_of_memory(d);
    else if (snapshot_exporter_init(&exporter, m, bake_look_domain(p, own.export)->name, d)) {
        const struct bw_frame frame = snapshot_of_domain(s, exporter.domains[exporter.e.domain], fields);
        frame_gather(&exporter, &frame, own.p, &j->session->meshes, v);
        v->around = kept_surroundings_take(&j->session->around, &v->scene);
        v->scene.around = &v->around;
    }
    bw_free(fields);
    bake_look_free(&own);
    return d->status;
}

/* ---- of a file ---- */

/// The look of a file's frame: the cache's own, that of another preset, or either with values over it.
static int file_look(struct cache *c, const struct view_look *look, const struct bw_vdb_view *vdb, int64_t frame,
                     struct cache_look *out, struct bw_diag *d)
{
    const struct bw_preset *base = look->preset;
    struct bw_preset *own = NULL, with;
    if (!base && look->n_set && !(base = own = cache_preset_with(c, NULL, look->set, look->n_set, d))) return 0;
    if (base) with = preset_with(base, look);
    const int good = cache_look_at(out, c, base ? &with : NULL, vdb, frame, d);
    bw_preset_free(own);
    return good;
}

enum bw_status view_of_file(struct snapshot *m, const struct view_look *wanted, struct view *v, struct bw_diag *d)
{
    struct cache *c = m->owner;
    const char *path = cache_frame_path(c, m->facts.frame);
    struct bw_vdb_view vdb;
    struct cache_look look;
    char why[1024] = "";
    if (cache_bounds_get(c, NULL, &vdb, d) || cache_bounds_look(c, &vdb, &look, d)) return d->status;
    if (!file_look(c, wanted, &vdb, m->facts.frame, &look, d)) return d->status;
    vdb.tools = &v->tools;
    v->metre = vdb.scale;
    v->y_up = vdb.y_up;
    v->renders = 1;
    for (int a = 0; a < 3; a++) v->renders &= vdb.hi[a] - vdb.lo[a] > 1.5 * vdb.voxel;
    v->scene = look.scene;
    memcpy(v->size, look.size, sizeof v->size);
    if (!v->renders) return BW_OK;
    if (bw_sky_follow(&v->tools, &look.sky, &v->sky, why, sizeof why))
        return bw_diag_error(d, NULL, BW_ERR_IO, "%s", why);
    v->scene.look.sky = v->sky;
    vdb.moves = bw_scene_moves(&v->scene);
    vdb.roots = bw_scene_roots(&v->scene);
    v->scene.frame = (double)m->facts.frame;
    enum bw_status status = bw_vdb_volume_whole(&vdb, path, &v->volume, &v->memory, why, sizeof why);
    if (status) return bw_diag_error(d, NULL, status, "%s", why);
    struct bw_diag cells = {0}; // as cells know them is better than not at all
    cache_obstacles(c, wanted->preset, &vdb, m->facts.frame, &v->tools, &v->shapes, &v->volume, &v->memory, &cells);
    bw_diag_free(&cells);
    v->around = kept_surroundings_take(&c->session->around, &v->scene);
    v->scene.around = &v->around;
    return d->status;
}
