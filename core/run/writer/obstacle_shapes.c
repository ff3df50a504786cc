// SPDX-License-Identifier: Apache-2.0
#include "obstacle_shapes.h"
#include "base/alloc.h"
#include "run/call.h"
#include <string.h>

struct taking {
    struct bw_snapshot_shape *shape;
    uint32_t n, cap;
    const struct bw_field_info *field; ///< of what comes next
    const char *stage;
    uint32_t flags; ///< enum bw_obstacle_flag that a stage must have, else it is unknown
    enum bw_status status;
};

static void *copy_of(const void *from, size_t bytes)
{
    void *to = bw_alloc_aligned(bytes);
    if (to) memcpy(to, from, bytes);
    return to;
}

static bool mesh_copy(struct bw_shape *s)
{
    const void *point = s->point, *triangle = s->triangle;
    s->point = NULL, s->triangle = NULL;
    if (s->kind != BW_SHAPE_MESH) return true;
    s->point = copy_of(point, (size_t)s->n_points * sizeof *s->point);
    s->triangle = copy_of(triangle, (size_t)s->n_triangles * sizeof *s->triangle);
    return s->point && s->triangle;
}

static void shape_add(const struct bw_shape *shape, void *user)
{
    struct taking *t = user;
    if (t->status != BW_OK) return;
    if (t->n == t->cap) {
        const uint32_t cap = t->cap ? 2 * t->cap : 16;
        void *more = bw_realloc(t->shape, cap * sizeof *t->shape);
        if (!more) {
            t->status = BW_ERR_MEMORY;
            return;
        }
        t->shape = more;
        t->cap = cap;
    }
    struct bw_snapshot_shape *out = &t->shape[t->n++];
    *out = (struct bw_snapshot_shape){.field = t->field, .stage = t->stage, .shape = *shape};
    if (!mesh_copy(&out->shape)) t->status = BW_ERR_MEMORY;
}

static bool writes(const struct run_stage *s, const struct bw_field *field)
{
    for (uint32_t row = 0; row < s->pub.desc->n_ports; row++) {
        const struct bw_bound *b = &s->bound[row];
        for (uint32_t i = 0; s->pub.desc->ports[row].access != BW_READ && b->fields && i < b->count; i++)
            if (b->fields[i] == field) return true;
    }
    return false;
}

/* Of the stage as an obstacle in that field; NULL: it is none there. */
static const struct bw_obstacle_api *obstacle_of(struct run_stage *s, const struct bw_field *field)
{
    const struct bw_obstacle_api *api = stage_extension(s, BW_OBSTACLE);
    if (!api) return NULL;
    const struct where_was was = stage_enter(s, "obstacle");
    const bool there = api->field(&s->pub) == field;
    stage_leave(s, &was);
    return there ? api : NULL;
}

/* What one stage that writes to a field says of it. */
static enum bw_status stage_ask(struct bw_chain *c, struct run_stage *s, const struct bw_field *field, struct taking *t)
{
    const struct bw_obstacle_api *api = obstacle_of(s, field);
    t->stage = s->pub.id;
    const bool told = api && api->size >= offsetof(struct bw_obstacle_api, shapes) + sizeof api->shapes && api->shapes;
    if (!told || (api->flags & t->flags) != t->flags) {
        shape_add(&(struct bw_shape){.kind = BW_SHAPE_UNKNOWN}, t);
        return t->status;
    }
    call_clock(c, s, 0);
    const struct where_was was = stage_enter(s, "obstacle");
    enum bw_status status = api->shapes(&s->pub, shape_add, t);
    stage_leave(s, &was);
    stage_scratch_end(s);
    status = call_status(c, s, status, "obstacle");
    return status == BW_OK ? t->status : status;
}

static bool asked(const struct bw_chain *c, const struct run_stage *s, const struct bw_field *field)
{
    return !s->ended && !s->twin && call_due(c, s) && writes(s, field);
}

/* Of a field that some stage says the obstacles of, what all stages that write to it say. */
static enum bw_status field_ask(struct bw_chain *c, const struct bw_field *field, struct taking *t)
{
    enum bw_status status = BW_OK;
    bool any = false;
    for (int32_t i = 0; i < c->stages.n && !any; i++)
        any = asked(c, &c->stages.stage[i], field) && obstacle_of(&c->stages.stage[i], field);
    t->field = &field->info;
    for (int32_t i = 0; i < c->stages.n && any && status == BW_OK; i++)
        if (asked(c, &c->stages.stage[i], field)) status = stage_ask(c, &c->stages.stage[i], field, t);
    return status;
}

enum bw_status obstacle_shapes_add(struct bw_chain *c, struct chain_snapshot *s, uint32_t flags)
{
    struct taking t = {.flags = flags};
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < c->fields.n && status == BW_OK; i++) {
        const struct run_field *f = &c->fields.field[i];
        if (f->field && f->kind == BW_SCALAR) status = field_ask(c, f->field, &t);
    }
    if (status == BW_OK) status = t.status;
    s->frame.shapes = s->shape = t.shape;
    s->frame.n_shapes = t.n;
    return status;
}
