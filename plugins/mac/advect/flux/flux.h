// SPDX-License-Identifier: Apache-2.0
/* Flux-form advection of conserved quantities (amounts): shared by its files. */
#ifndef FLUX_H
#define FLUX_H

#include "advect/advect_pass.h"
#include "flux_lines.h"
#include "flux_extremes.h"
#include "project/open_flux.h"

/// Extremes of the flow in a tile, m/s.
struct flux_range {
    float up[3], down[3];     ///< fastest flow through a face, along each axis and against it
    float emptied[FLUX_SETS]; ///< largest net outflow of a cell, by the set of axes swept
};

/// Sums over all tiles, by component, in cells: outflow from the box or the active tiles; for flux_lost_report.
struct flux_sums {
    double left[FLUX_FIELDS], lost[FLUX_FIELDS], held[FLUX_FIELDS];
};

/// Fields of the first order (the fields themselves) and of the second; volumes: whole, and two that are stored.
enum flux_fields_at { FLUX_FIELD, FLUX_OTHER };
enum flux_volume_at { FLUX_WHOLE, FLUX_VOLUME, FLUX_VOLUME_2 };
enum { FLUX_SWEEPS = 5 }; ///< of a part, at most

/// One sweep of a part: along an axis, after those along `swept`.
struct flux_sweep {
    int8_t axis;
    uint8_t swept;                ///< axes swept before in this order, a bit each
    enum flux_fields_at from, to; ///< which of the two orders' fields
    enum flux_volume_at volume, volume_to;
    bool both; ///< one of the pair, swept in either order
    bool mean; ///< the result is the mean with the other order's
    int times; ///< parts that it makes at once
};

/// Flux-form sweeps over the conserved quantities, in one substep (part) or several.
struct flux {
    struct pass *pass;
    const struct bw_topology *topology;
    struct bw_field *flow;                    ///< volume per time through faces, over h²
    struct bw_field *volume[3];               ///< by enum flux_volume_at: intermediate volumes of cells, less 1
    struct bw_field *other[FLUX_FIELDS];      ///< by item: the second order's
    struct bw_field *scratch[2][FLUX_FIELDS]; ///< those there are: scalars, vectors
    struct flux_range *range;                 ///< by tile
    struct flux_range all;
    double scale;                         ///< dt/h of a part
    int32_t parts, middle;                ///< substeps; of one order: the axis that all of them sweep second
    bool joined;                          ///< sweeps that meet between parts are one
    double net_outflow;                   ///< of cells over all parts where joined, as `emptied`; else 0
    struct flux_sweep sweep[FLUX_SWEEPS]; ///< of each of them
    int32_t n_sweeps;
    float least[FLUX_FIELDS], most[FLUX_FIELDS]; ///< bounds of the group's components
    bool expands;                                ///< the flow has sources of `divergence`
    bool moves;                                  ///< obstacles have velocities
    const struct open_flux *open;                ///< beside obstacles; NULL: unknown
    /* the present sweep: */
    const struct flux_sweep *now;
    uint32_t view_volume, view_volume_to, view_mean[FLUX_FIELDS]; ///< 0: none
};

/// Is the flux form possible? Not with moving obstacles in a flow that no projection makes go round them.
bool flux_is_possible(const struct pass *p);
/// Is this field advected in flux form?
bool flux_advects(const struct pass *p, const struct bw_field_info *info);
/// Advects all such fields by p->vel over p->scale.
enum bw_status flux_fields(struct pass *p);

/// Strides of a tile's own memory, which a view need not have.
static inline void tile_steps_set(const struct bw_domain_info *g, ptrdiff_t step[3])
{
    step[0] = 1, step[1] = g->tile[0], step[2] = (ptrdiff_t)g->tile[0] * g->tile[1];
}

/* ---- flux_substeps.c: number of substeps, order of axes ---- */

/// Measures the flow; finds the number of substeps and the sweeps of each.
enum bw_status flux_plan_substeps(struct flux *f);
/// Plans one part's sweeps in one order of axes; symmetric ones stay. Parts count from 1.
void flux_order(struct flux *f, int32_t part);
/// Can a tile's faces along `a` be read in place, the high ones as the low ones of the next tile?
bool flux_faces_are_in_place(const struct flux *f, const struct bw_block *b, int64_t tile, int a);
/// Cells beyond a tile's ends along the axis of the current sweep that its lines read.
void flux_reach(const struct flux *f, int64_t tile, int32_t around[2]);

/* ---- flux_walls.c ---- */

/// Fills f->flow: the volume flux through faces, with obstacles and their motion.
enum bw_status flux_through_faces(struct flux *f);
/// Marks the cells of a tile's lines that are near obstacles. False: out of memory.
bool flux_mark_near_solid(const struct flux *f, const struct bw_block *b, struct flux_tile *t);
/// Bytes of a block and `far` cells around it, x fastest; that of cell (0,0,0) is at `zero`.
struct region_marks {
    int32_t far, lo[3], n[3];
    ptrdiff_t step[3], zero, size;
    uint8_t *cells, *is, *next; ///< for walls_fill; marked; for flux_marks_spread
};

/// Memory for them, `is` cleared. False: out of memory.
bool flux_marks_begin(const struct bw_block *b, int32_t far, struct region_marks *m);
/// Dilation: marks cells up to `far` cells from a marked one along each axis; valid in the block.
void flux_marks_spread(struct region_marks *m);
/// Marks the cells of a tile that are near moving obstacles. False: out of memory.
bool flux_mark_moving_solid(const struct flux *f, const struct bw_block *b, struct flux_tile *t);

/* ---- flux_lost.c ---- */

/// A metric for each component of the pass's items, `what`_FIELD: unit times m³ of so many cells.
void flux_metric(const struct pass *p, const char *what, const double *cells);
/// Reports the amount of each component lost beside obstacles in a step; `held`: all of it there, in cells.
void flux_lost_report(const struct flux *f, const double *lost, const double *held);

/* ---- flux_expel.c ---- */

/// Sets cells that obstacles covered at the start of the step to the background: stages may have written there.
enum bw_status flux_clear(struct flux *f);
/// Moves the amounts in cells that obstacles now cover to the gas beside them.
enum bw_status flux_expel(struct flux *f);

/* ---- flux_redistribute.c ---- */

/// Redistributes amounts beyond the bounds beside obstacles to cells with capacity.
enum bw_status flux_redistribute(struct flux *f);

#endif
