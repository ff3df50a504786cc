// SPDX-License-Identifier: Apache-2.0
#include "snapshot.h"

#include "job/job.h"
#include "options.h"
#include "run/writer/obstacle_tiles.h"
#include <stdlib.h>
#include <string.h>

static void snapshot_destroy(struct object *o)
{
    struct snapshot *m = (struct snapshot *)o;
    if (m->ops->free) m->ops->free(m);
    bw_free(m->grids);
    bw_free(m->points);
    bw_free(m);
}

struct snapshot *snapshot_new(const struct snapshot_ops *ops, uint32_t n_grids, uint32_t n_points)
{
    struct snapshot *m = bw_calloc(sizeof *m);
    if (!m) return NULL;
    object_init(&m->o, snapshot_destroy);
    m->ops = ops;
    m->grids = bw_calloc((n_grids + 1) * sizeof *m->grids);
    m->points = bw_calloc((n_points + 1) * sizeof *m->points);
    m->facts = (struct bw_snapshot_facts){
        .size = sizeof m->facts, .n_grids = n_grids, .n_points = n_points, .grids = m->grids, .points = m->points};
    if (m->grids && m->points) return m;
    object_unref(&m->o);
    return NULL;
}

/* ---- of a running bake ---- */

/* The box of all active tiles, cut to the domain's. */
static void tiles_box(const struct bw_snapshot_field *f, struct bw_snapshot_grid *g)
{
    const struct bw_domain_info *d = f->info->domain;
    for (int a = 0; a < 3; a++) {
        int32_t lo = INT32_MAX, hi = INT32_MIN;
        for (int64_t t = 0; t < f->n_tiles; t++) {
            int32_t from = f->coord[t][a] * d->tile[a];
            lo = from < lo ? from : lo;
            hi = from + d->tile[a] > hi ? from + d->tile[a] : hi;
        }
        if (d->n[a] > 0) lo = lo < 0 ? 0 : lo, hi = hi > d->n[a] ? d->n[a] : hi;
        g->lo[a] = f->n_tiles ? lo : 0;
        g->n[a] = f->n_tiles && hi > lo ? hi - lo : 0;
    }
}

static void grid_fill(const struct bw_snapshot_field *f, struct bw_snapshot_grid *g)
{
    const struct bw_field_info *i = f->info;
    *g = (struct bw_snapshot_grid){.name = i->name,
                                   .domain = i->domain->name,
                                   .unit = i->unit ? i->unit : "1",
                                   .kind = i->kind,
                                   .precision = i->precision,
                                   .comps = i->comps,
                                   .voxel = i->domain->h,
                                   .n_tiles = f->n_tiles,
                                   .coord = f->coord};
    memcpy(g->tile, i->domain->tile, sizeof g->tile);
    memcpy(g->origin, i->domain->origin, sizeof g->origin);
    memcpy(g->background, i->background, sizeof g->background);
    for (uint32_t c = 0; c < i->comps; c++) g->data[c] = f->tile[c];
    tiles_box(f, g);
}

static enum bw_status job_read_box(struct snapshot *m, uint32_t grid, uint32_t c, const struct bw_box *box, float *out,
                                   struct bw_diag *d)
{
    const struct chain_snapshot *s = m->data;
    (void)d;
    snapshot_read(&s->field[grid], c, box->lo, box->n, out);
    return BW_OK;
}

static void job_snapshot_free(struct snapshot *m)
{
    struct job *j = m->owner;
    snapshot_free(m->data);
    if (j) object_unref(&j->o);
}

static const struct snapshot_ops of_job = {job_read_box, picture_of_job, view_of_job, job_snapshot_free};

struct bw_snapshot *snapshot_of_job(struct job *j, int64_t frame)
{
    struct chain_snapshot *s = snapshot_take(j->chain, frame);
    if (s && obstacle_tiles_add(j->chain, s) != BW_OK) {
        snapshot_free(s);
        return NULL;
    }
    struct snapshot *m = s ? snapshot_new(&of_job, s->frame.n_fields, s->frame.n_particles) : NULL;
    if (!m) {
        snapshot_free(s);
        return NULL;
    }
    m->owner = object_ref(&j->o);
    m->data = s;
    m->facts.frame = frame;
    m->facts.time = s->frame.time;
    m->facts.fps = s->frame.fps;
    for (uint32_t i = 0; i < s->frame.n_fields; i++) grid_fill(&s->field[i], &m->grids[i]);
    for (uint32_t i = 0; i < s->frame.n_particles; i++) {
        const struct bw_snapshot_particles *p = &s->particles[i];
        m->points[i] = (struct bw_snapshot_points){p->name, p->count, p->n_attributes, p->attributes, p->data};
    }
    struct bw_snapshot *handle = handle_new(HANDLE_SNAPSHOT, &m->o);
    if (!handle) object_unref(&m->o);
    return handle;
}

/* ---- bake.h ---- */

static struct snapshot *snapshot_acquire(struct bw_snapshot *handle, struct bw_diag *d)
{
    return handle_acquire(handle, HANDLE_SNAPSHOT, d);
}

enum bw_status bw_snapshot_hold(struct bw_snapshot *snapshot)
{
    struct api_call api;
    api_enter(&api);
    handle_retain(snapshot, HANDLE_SNAPSHOT, &api.d);
    return api_leave(&api);
}

void bw_snapshot_close(struct bw_snapshot *snapshot)
{
    struct api_call api;
    api_enter(&api);
    if (snapshot) object_unref(handle_close(snapshot, HANDLE_SNAPSHOT, NULL));
    api_leave_silent(&api);
}

enum bw_status bw_snapshot_facts(struct bw_snapshot *snapshot, struct bw_snapshot_facts *facts)
{
    struct api_call api;
    struct bw_snapshot_facts asked;
    api_enter(&api);
    struct snapshot *m = snapshot_acquire(snapshot, &api.d);
    if (m && !facts) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "bw_snapshot_facts wants a place for the facts");
    else if (m && host_struct_copy(&asked, facts, sizeof asked, "bw_snapshot_facts", &api.d)) {
        uint32_t size = asked.size;
        asked = m->facts;
        asked.size = size;
        memcpy(facts, &asked, size < sizeof asked ? size : sizeof asked);
    }
    if (m) object_unref(&m->o);
    return api_leave(&api);
}

static size_t box_cells(const struct bw_box *b) { return (size_t)b->n[0] * (size_t)b->n[1] * (size_t)b->n[2]; }

/* Means of both faces: one more layer is read along the component's axis. */
static enum bw_status read_centred(struct snapshot *m, uint32_t grid, uint32_t c, const struct bw_box *box, float *out,
                                   struct bw_diag *d)
{
    struct bw_box faces = *box;
    faces.n[c]++;
    float *memory = bw_calloc(box_cells(&faces) * sizeof *memory);
    if (!memory) return out_of_memory(d);
    enum bw_status status = m->ops->read(m, grid, c, &faces, memory, d);
    size_t row = (size_t)faces.n[0], layer = row * (size_t)faces.n[1], step = c == 0 ? 1 : c == 1 ? row : layer;
    for (int32_t k = 0; !status && k < box->n[2]; k++)
        for (int32_t j = 0; j < box->n[1]; j++)
            for (int32_t i = 0; i < box->n[0]; i++) {
                const float *at = memory + (size_t)i + (size_t)j * row + (size_t)k * layer;
                *out++ = 0.5f * (at[0] + at[step]);
            }
    bw_free(memory);
    return status;
}

static enum bw_status box_read(struct snapshot *m, uint32_t grid, uint32_t c, const struct bw_box *box, int32_t centred,
                               float *out, struct bw_diag *d)
{
    const double most = 1e9;
    if (!box || !out) return bw_diag_error(d, NULL, BW_ERR_USAGE, "a box and a place for its values are wanted");
    if (grid >= m->facts.n_grids)
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "there is no grid %u, there are %u", grid, m->facts.n_grids);
    if (c >= m->grids[grid].comps)
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "%s has no component %u", m->grids[grid].name, c);
    for (int a = 0; a < 3; a++)
        if (box->n[a] <= 0 || box->lo[a] < -most || box->lo[a] > most || box->n[a] > most)
            return bw_diag_error(d, NULL, BW_ERR_USAGE, "a box of %d cells from %d can't be", box->n[a], box->lo[a]);
    if ((double)box->n[0] * box->n[1] * box->n[2] > 1e12)
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "a box of %d x %d x %d cells is too large", box->n[0], box->n[1],
                             box->n[2]);
    return centred && m->grids[grid].kind == BW_MAC ? read_centred(m, grid, c, box, out, d)
                                                    : m->ops->read(m, grid, c, box, out, d);
}

enum bw_status bw_snapshot_read(struct bw_snapshot *snapshot, uint32_t grid, uint32_t c, const struct bw_box *box,
                                int32_t centred, float *out)
{
    struct api_call api;
    api_enter(&api);
    struct snapshot *m = snapshot_acquire(snapshot, &api.d);
    if (m) box_read(m, grid, c, box, centred, out, &api.d);
    if (m) object_unref(&m->o);
    return api_leave(&api);
}

enum bw_status bw_snapshot_picture(struct bw_snapshot *snapshot, const char *look, uint32_t flags,
                                   struct bw_pixels *pixels)
{
    struct api_call api;
    api_enter(&api);
    if (pixels) *pixels = (struct bw_pixels){0};
    struct snapshot *m = snapshot_acquire(snapshot, &api.d);
    if (m && !pixels) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "bw_snapshot_picture wants a place for the pixels");
    else if (m) m->ops->picture(m, look, flags, pixels, &api.d);
    if (m) object_unref(&m->o);
    return api_leave(&api);
}

void bw_pixels_free(struct bw_pixels *pixels)
{
    if (!pixels) return;
    free(pixels->memory);
    *pixels = (struct bw_pixels){0};
}
