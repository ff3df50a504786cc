// SPDX-License-Identifier: Apache-2.0
/* Vortons without vorticity that fill a shape evenly: fluid that is heavier, lighter, hotter, for `baroclinic` to move.
 *
 * A lattice about the middle of the shape's box, each place moved by up to `jitter` spacings. Each vorton stands for a
 * cell of the lattice; how much it has of the stage's density and temperature is the shape's volume fraction there, its
 * edge softened over `edge`. `margin` layers around hold nothing of it: vorticity arises where density changes, and
 * wants vortons to sit on. With `refill` places that the flow has emptied, no vorton within EMPTY spacings, are filled
 * again. */
#include "flow/cell_list.h"
#include "emit.h"
#include <common/number/whole.h>
#include <common/vec3.h>
#include <math.h>
#include <string.h>

#define EMPTY 0.75
#define OVERLAP 1.5 /* σ over spacing, unless `core` is given */

struct places {
    double spacing, reach, low[3];
    int64_t n[3];
};

static struct places places_find(const struct emit_fill *f, const struct pose *pose)
{
    struct places l = {.spacing = f->spacing, .reach = fmax((double)f->margin * f->spacing, f->edge / 2)};
    struct box3 box = pose_bounds(pose, l.reach);
    for (int a = 0; a < 3; a++) {
        l.n[a] = (int64_t)ceil((box.hi[a] - box.lo[a]) / l.spacing - 1e-9);
        l.low[a] = 0.5 * (box.lo[a] + box.hi[a]) - 0.5 * (double)(l.n[a] - 1) * l.spacing;
    }
    return l;
}

/// Place number i before it is moved. 0: not in the shape or its margin.
static int place_at(const struct places *l, const struct pose *pose, int64_t i, double x[3])
{
    const int64_t at[3] = {i % l->n[0], i / l->n[0] % l->n[1], i / l->n[0] / l->n[1]};
    for (int a = 0; a < 3; a++) x[a] = l->low[a] + l->spacing * (double)at[a];
    return pose_distance(pose, x) <= l->reach;
}

static int is_free(const struct vorton_arrays *v, const struct cell_list *b, const double x[3], double near)
{
    int64_t run[25][2];
    int n = v->count ? cell_list_near(b, x, 1, run) : 0;
    for (int r = 0; r < n; r++)
        for (int64_t k = run[r][0]; k < run[r][1]; k++) {
            if (vec3_distance2(x, v->pos[b->order[k]]) < near * near) return 0;
        }
    return 1;
}

static struct newborn vorton_make(const struct emit_params *p, const struct pose *pose, const double x[3])
{
    const struct emit_fill *f = &p->source.fill;
    double fraction = pose_cover(pose, x, fmax(f->edge, 1e-9));
    struct newborn o = {.radius = f->core > 0 ? f->core : OVERLAP * f->spacing,
                        .volume = f->spacing * f->spacing * f->spacing,
                        .density = fraction * p->density,
                        .temperature = fraction * p->temperature};
    memcpy(o.pos, x, sizeof o.pos);
    return o;
}

enum bw_status emit_fill_ready(struct bw_stage *s, const struct emit_fill *f)
{
    return shape_prepare(s, &f->shape, f->edge + (double)f->margin * f->spacing);
}

enum bw_status emit_fill_make(struct bw_stage *s, const struct emit_params *p, int start, struct brood *out)
{
    const struct emit_fill *f = &p->source.fill;
    struct vorton_arrays v = vorton_arrays(s, s->ports[0].particles);
    struct pose pose;
    struct cell_list bins;
    double x[3];
    if (!start && !f->refill) return BW_OK;
    enum bw_status st = emit_fill_ready(s, f);
    if (!st) st = shape_pose(s, &f->shape, &pose);
    if (st) return st;
    struct places l = places_find(f, &pose);
    double all = (double)l.n[0] * (double)l.n[1] * (double)l.n[2];
    if (all > 1e9)
        return s->host->fail(s, BW_ERR_PRESET, "a lattice of %.2g places fills the shape: raise `spacing` (%g m)", all,
                             f->spacing);
    if (cell_list_make(s, &bins, v.count, (const bw_vec3 *)v.pos, EMPTY * f->spacing)) return BW_ERR_MEMORY;
    int64_t sites = (int64_t)all, inside = 0;
    for (int64_t i = 0; i < sites; i++) inside += place_at(&l, &pose, i, x);
    if (!inside) return s->host->fail(s, BW_ERR_PRESET, "the shape is smaller than `spacing`, %g m", f->spacing);
    out->item = s->host->scratch(s, (size_t)inside * sizeof *out->item);
    if (!out->item) return s->host->fail(s, BW_ERR_MEMORY, "out of memory for %lld vortons", (long long)inside);
    uint64_t seed = s->seed ^ bw_mix64((uint64_t)whole_below(s->time * 1e6 + 0.5) + 1); // refills differ
    for (int64_t i = 0; i < sites; i++) {
        if (!place_at(&l, &pose, i, x)) continue;
        for (int a = 0; a < 3; a++)
            x[a] += f->jitter * l.spacing * (2 * bw_rng_unit(seed, 3 * (uint64_t)i + (uint64_t)a) - 1);
        if (is_free(&v, &bins, x, EMPTY * f->spacing)) out->item[out->count++] = vorton_make(p, &pose, x);
    }
    return BW_OK;
}
