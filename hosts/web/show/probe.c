// SPDX-License-Identifier: Apache-2.0
#include "probe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GOOD = 200, UNABLE = 500, SMALL = 32 }; ///< SMALL: of a slice that is made to learn where it lies

/// A place, in the view's world, and what is known of it.
struct spot {
    const char *met;
    double at[3];
};

static double turned(const double p[3], int y_up, int a)
{
    return !y_up ? p[a] : a == 0 ? p[0] : a == 1 ? p[2] : -p[1];
}

static json_t *number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

/// The cell of a grid that a place lies in. 0: it is not among those that are stored.
static int cell_of(const struct bw_snapshot_grid *g, const double at[3], int y_up, int32_t cell[3])
{
    int inside = 1;
    for (int a = 0; a < 3; a++) {
        const double x = floor((turned(at, y_up, a) - g->origin[a]) / g->voxel);
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
    if (g->comps == 3 && y_up) { // as the picture has it
        const double up = value[1];
        value[1] = -value[2];
        value[2] = up;
    }
    for (uint32_t c = 0; c < g->comps && c < 3; c++) json_array_append_new(out, number(value[c]));
    return out;
}

/// `domain`: of files of another one; NULL: as the grids say.
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

/// Of all domains, those too whose files lie apart.
static json_t *values_read(struct source *s, int64_t frame, struct bw_snapshot *own, const double at[3], int y_up)
{
    struct bw_snapshot_facts f = {.size = sizeof f};
    struct other_frame other[OTHERS];
    json_t *list = json_array();
    values_add(list, own, NULL, at, y_up);
    const int whole = bw_snapshot_facts(own, &f) || domains_count(&f) > 1;
    for (int n = whole ? 0 : source_others(s, frame, other); n-- > 0;) {
        values_add(list, other[n].snapshot, other[n].label, at, y_up);
        bw_snapshot_close(other[n].snapshot);
    }
    return list;
}

/// In a slice: the middle of the layer, at that pixel.
static enum bw_status slice_spot(struct source *s, const struct wish *w, double metre, struct spot *out)
{
    struct bw_pixels small = {0};
    struct wish tiny;
    struct bw_snapshot *cut;
    enum bw_status status = draw_cut(s, w, &cut, &tiny);
    if (status) return status;
    wish_height(&tiny, SMALL);
    status = bw_snapshot_picture(cut, tiny.look, 0, &small);
    bw_snapshot_close(cut);
    if (status) return status;
    int axis = 0; // across the layer, which is thin
    for (int a = 1; a < 3; a++)
        if (small.hi[a] - small.lo[a] < small.hi[axis] - small.lo[axis]) axis = a;
    const int right = axis == 0 ? 1 : 0, up = axis == 2 ? 1 : 2;
    for (int a = 0; a < 3; a++) out->at[a] = metre * 0.5 * (small.lo[a] + small.hi[a]);
    out->at[right] = metre * (small.lo[right] + w->point[0] * (small.hi[right] - small.lo[right]));
    out->at[up] = metre * (small.hi[up] - w->point[1] * (small.hi[up] - small.lo[up]));
    out->met = "cell";
    bw_pixels_free(&small);
    return BW_OK;
}

static enum bw_status render_spot(const struct open_view *o, const struct wish *w, struct spot *out)
{
    static const char *const words[] = {
        [BW_MET_NOTHING] = "nothing", [BW_MET_GAS] = "gas", [BW_MET_OBSTACLE] = "obstacle"};
    const double point[2] = {w->point[0] * w->width, w->point[1] * w->height};
    int32_t met = BW_MET_NOTHING;
    struct bw_eye movies;
    const enum bw_status status =
        bw_view_meet(o->view, draw_eye(o, w, &movies), w->width, w->height, point, out->at, &met);
    out->met = words[met];
    return status;
}

static json_t *probe_make(struct source *s, struct open_view *o, struct bw_snapshot *snapshot, const struct wish *w)
{
    struct spot spot;
    const double metre = o->facts.metre;
    if (w->slice ? slice_spot(s, w, metre, &spot) : render_spot(o, w, &spot)) return NULL;
    const int nothing = !strcmp(spot.met, "nothing");
    json_t *at =
        nothing ? json_null() : json_pack("[f, f, f]", spot.at[0] / metre, spot.at[1] / metre, spot.at[2] / metre);
    return json_pack("{s:s, s:o, s:o}", "met", spot.met, "at", at, "values",
                     nothing ? json_array() : values_read(s, w->frame, snapshot, spot.at, o->facts.y_up));
}

struct drawn draw_probe(struct views *v, struct shelf *shelf, const struct wish *w)
{
    struct source *s = shelf_take(shelf, w->of);
    struct open_view *o = s ? views_take(v, s, w->frame) : NULL;
    struct bw_snapshot *snapshot = NULL;
    json_t *said = NULL;
    char *text = NULL;
    if (o && !source_snapshot(s, w->frame, &snapshot)) {
        said = probe_make(s, o, snapshot, w);
        bw_snapshot_close(snapshot);
    }
    if (said) text = json_dumps(said, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(said);
    struct drawn out =
        text ? (struct drawn){.code = GOOD, .type = "application/json", .bytes = text, .size = strlen(text)}
        : s  ? drawn_words(UNABLE, bw_error_last()->sentence)
             : drawn_words(UNABLE, "nothing is shown");
    if (o) views_give(v, o);
    shelf_give(shelf, s);
    return out;
}
