// SPDX-License-Identifier: Apache-2.0
#include "probe.h"

#include "json_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 32 }; ///< height of a slice that is rendered for its box alone

/// The point that a pixel shows, in world units of the view, and what is there.
struct hit {
    const char *what;
    double at[3];
};

/// Component `a` of a point or vector of the view (z up) in the axes of the grid.
static double grid_axis(const double p[3], int y_up, int a)
{
    return !y_up ? p[a] : a == 0 ? p[0] : a == 1 ? p[2] : -p[1];
}

/// The cell of a grid at a point. 0: it is not stored.
static int cell_of(const struct bw_snapshot_grid *g, const double at[3], int y_up, int32_t cell[3])
{
    int inside = 1;
    for (int a = 0; a < 3; a++) {
        const double x = floor((grid_axis(at, y_up, a) - g->origin[a]) / g->voxel);
        inside &= x >= g->lo[a] && x < (double)g->lo[a] + g->n[a];
        cell[a] = inside ? (int32_t)x : 0;
    }
    return inside;
}

static json_t *value_read(struct bw_snapshot *snapshot, uint32_t i, const struct bw_snapshot_grid *g,
                          const int32_t cell[3], int inside, int y_up)
{
    double value[3];
    json_t *out = json_array();
    for (uint32_t c = 0; c < g->comps && c < 3; c++) {
        const struct bw_box box = {{cell[0], cell[1], cell[2]}, {1, 1, 1}};
        float x = (float)g->background[c];
        if (inside && bw_snapshot_read(snapshot, i, c, &box, 1, &x)) x = NAN;
        value[c] = (double)x * (g->kelvin > 0 ? g->kelvin : 1);
    }
    if (g->comps == 3 && y_up) { // back to the axes of the view
        const double up = value[1];
        value[1] = -value[2];
        value[2] = up;
    }
    for (uint32_t c = 0; c < g->comps && c < 3; c++) json_array_append_new(out, json_number(value[c]));
    return out;
}

/// Values of all grids of a snapshot. `domain`: its name; NULL: the grids have it.
static void values_add(json_t *list, struct bw_snapshot *snapshot, const char *domain, const double at[3], int y_up)
{
    struct bw_snapshot_facts f = {.size = sizeof f};
    if (bw_snapshot_facts(snapshot, &f)) return;
    for (uint32_t i = 0; i < f.n_grids; i++) {
        const struct bw_snapshot_grid *g = &f.grids[i];
        int32_t cell[3];
        const int inside = cell_of(g, at, y_up, cell);
        const char *unit = g->kelvin > 0 ? "K" : !strcmp(g->unit, "1") ? "" : g->unit;
        json_array_append_new(list, json_pack("{s:s, s:s?, s:s, s:b, s:o}", "field", g->name, "domain",
                                              domain ? domain : g->domain, "unit", unit, "stored", inside, "value",
                                              value_read(snapshot, i, g, cell, inside, y_up)));
    }
}

/// Values of all domains, also of those with files of their own.
static json_t *values_read(struct source *s, int64_t frame, struct bw_snapshot *own, const double at[3], int y_up)
{
    struct bw_snapshot_facts f = {.size = sizeof f};
    struct other_domain_frame other[MAX_OTHER_DOMAINS];
    json_t *list = json_array();
    values_add(list, own, NULL, at, y_up);
    const int complete = bw_snapshot_facts(own, &f) || domains_count(&f) > 1;
    for (int n = complete ? 0 : source_other_domains(s, frame, other); n-- > 0;) {
        values_add(list, other[n].snapshot, other[n].name, at, y_up);
        bw_snapshot_close(other[n].snapshot);
    }
    return list;
}

/// In a slice: the middle of its layer, at that pixel.
static enum bw_status slice_hit(struct source *s, const struct query *q, double metre, struct hit *out)
{
    struct bw_pixels small = {0};
    struct query slice;
    struct bw_snapshot *cut;
    enum bw_status status = slice_snapshot(s, q, &cut, &slice);
    if (status) return status;
    query_set_height(&slice, SMALL);
    status = bw_snapshot_picture(cut, slice.slice_json, 0, &small);
    bw_snapshot_close(cut);
    if (status) return status;
    int axis = 0; // normal to the layer, which is thin
    for (int a = 1; a < 3; a++)
        if (small.hi[a] - small.lo[a] < small.hi[axis] - small.lo[axis]) axis = a;
    const int right = axis == 0 ? 1 : 0, up = axis == 2 ? 1 : 2;
    for (int a = 0; a < 3; a++) out->at[a] = metre * 0.5 * (small.lo[a] + small.hi[a]);
    out->at[right] = metre * (small.lo[right] + q->point[0] * (small.hi[right] - small.lo[right]));
    out->at[up] = metre * (small.hi[up] - q->point[1] * (small.hi[up] - small.lo[up]));
    out->what = "cell";
    bw_pixels_free(&small);
    return BW_OK;
}

/// In a render: where the pixel's ray hits smoke or an obstacle.
static enum bw_status render_hit(const struct cached_view *o, const struct query *q, struct hit *out)
{
    static const char *const names[] = {
        [BW_MET_NOTHING] = "nothing", [BW_MET_GAS] = "gas", [BW_MET_OBSTACLE] = "obstacle"};
    const double point[2] = {q->point[0] * q->width, q->point[1] * q->height};
    int32_t met = BW_MET_NOTHING;
    struct bw_eye movie;
    const enum bw_status status =
        bw_view_meet(o->view, picture_camera(o, q, &movie), q->width, q->height, point, out->at, &met);
    out->what = names[met];
    return status;
}

static json_t *probe_json(struct source *s, struct cached_view *o, struct bw_snapshot *snapshot, const struct query *q)
{
    struct hit hit;
    const double metre = o->facts.metre;
    if (q->slice ? slice_hit(s, q, metre, &hit) : render_hit(o, q, &hit)) return NULL;
    const int missed = !strcmp(hit.what, "nothing");
    json_t *at = missed ? json_null() : json_pack("[f, f, f]", hit.at[0] / metre, hit.at[1] / metre, hit.at[2] / metre);
    return json_pack("{s:s, s:o, s:o}", "hit", hit.what, "at", at, "values",
                     missed ? json_array() : values_read(s, q->frame, snapshot, hit.at, o->facts.y_up));
}

struct response probe_response(struct view_cache *v, struct source *s, const struct query *q)
{
    struct cached_view *o = view_cache_acquire(v, s, q->frame, q->look);
    struct bw_snapshot *snapshot = NULL;
    json_t *values = NULL;
    if (o && !source_snapshot(s, q->frame, &snapshot)) {
        values = probe_json(s, o, snapshot, q);
        bw_snapshot_close(snapshot);
    }
    if (o) view_cache_release(v, o);
    return values ? json_response(json_to_text(values))
                  : text_response(MHD_HTTP_INTERNAL_SERVER_ERROR, bw_error_last()->sentence);
}
