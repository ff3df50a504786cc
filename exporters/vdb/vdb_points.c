// SPDX-License-Identifier: Apache-2.0
/* Particles as OpenVDB points, under the names that Houdini gives attributes: P, v, pscale, Cd, id. */
#include "vdb.h"

#include <string.h>

enum { ATTRIBUTES_MOST = 32 };
enum { GAIN_NONE, GAIN_LENGTH, GAIN_SPEED };

static const struct {
    const char *ours, *theirs;
    uint32_t gain, turns; ///< what `scale` does to it; 1: `up` applies
} names[] = {{"velocity", "v", GAIN_SPEED, 1},
             {"radius", "pscale", GAIN_LENGTH, 0},
             {"colour", "Cd", GAIN_NONE, 0},
             {"strength", "strength", GAIN_NONE, 1}};

static struct bwvdb_points_attribute attribute_of(const struct bw_snapshot_particles *p, uint32_t a,
                                                  const struct bw_exporter *e)
{
    static const uint32_t numbers[] = {[BW_F32] = BWVDB_F32, [BW_F64P] = BWVDB_F64, [BW_I64] = BWVDB_I64};
    const struct bw_attribute *at = &p->attributes[a];
    struct bwvdb_points_attribute out = {
        .name = at->name, .comps = at->comps, .number = numbers[at->precision], .data = p->data[a]};
    for (uint32_t i = 0; i < BW_COUNT(names); i++) {
        if (strcmp(names[i].ours, at->name)) continue;
        out.name = names[i].theirs;
        out.gain = names[i].gain == GAIN_LENGTH  ? vdb_length(e->params)
                   : names[i].gain == GAIN_SPEED ? vdb_speed(e)
                                                 : 1;
        out.turns = names[i].turns;
    }
    return out;
}

/// What OpenVDB takes beside them while it has the tree: places, an index, values, and these as a file's bytes.
static size_t bytes_of_tree(const struct bwvdb_points *p)
{
    size_t values = 3;
    for (uint32_t a = 0; a < p->n_attributes; a++) values += p->attributes[a].comps;
    return (size_t)p->count * (3 * sizeof(double) + sizeof(uint32_t) + 3 * values * sizeof(float));
}

/// Counted as the bake's memory, never touched.
static enum bw_status points_write(struct bw_exporter *e, struct bwvdb_writer *w, const struct bwvdb_points *points)
{
    struct bwvdb_error error;
    void *room = e->host->alloc(e, bytes_of_tree(points));
    if (!room) return e->host->fail(e, BW_ERR_MEMORY, "out of memory for the points \"%s\"", points->name);
    const enum bwvdb_status failed = bwvdb_writer_points(w, points, &error);
    e->host->release(e, room);
    return failed ? e->host->fail(e, (enum bw_status)failed, "%s", error.text) : BW_OK;
}

static enum bw_status particles_add(struct bw_exporter *e, const struct bw_snapshot_particles *p,
                                    struct bwvdb_writer *w)
{
    const struct vdb_params *o = e->params;
    struct bwvdb_points_attribute attribute[ATTRIBUTES_MOST];
    struct bwvdb_points points = {
        .name = p->name, .count = p->count, .gain = vdb_length(o), .y_up = vdb_y_up(o), .attributes = attribute};
    for (uint32_t a = 0; a < p->n_attributes && points.n_attributes < ATTRIBUTES_MOST; a++) {
        const struct bw_attribute *at = &p->attributes[a];
        if (!strcmp(at->name, "pos") && at->precision == BW_F64P) points.pos = (const double(*)[3])p->data[a];
        else if (at->comps == 1 || at->comps == 3) attribute[points.n_attributes++] = attribute_of(p, a, e);
    }
    if (!points.pos) return e->host->fail(e, BW_ERR_PRESET, "particles \"%s\" have no `pos` of three doubles", p->name);
    return points_write(e, w, &points);
}

enum bw_status vdb_points_add(struct bw_exporter *e, const struct bw_frame *frame, struct bwvdb_writer *w)
{
    const struct vdb_params *o = e->params;
    const struct vdb_field_name *name = o->points.items;
    for (int64_t i = 0; i < o->points.count; i++) {
        const struct bw_snapshot_particles *p = NULL;
        for (uint32_t k = 0; k < frame->n_particles; k++)
            if (!strcmp(frame->particles[k].name, name[i].name)) p = &frame->particles[k];
        enum bw_status status = p ? particles_add(e, p, w) : BW_OK;
        if (status) return status;
    }
    return BW_OK;
}
