// SPDX-License-Identifier: Apache-2.0
/* Amounts carried by fluxes: what the parts of the scheme share. */
#ifndef FLUX_H
#define FLUX_H

#include "advect/advect_pass.h"
#include "flux_lines.h"
#include "flux_measure.h"
#include "project/open_flux.h"

/// What a tile's flow does to its cells, m/s.
struct flux_range {
    float up[3], down[3];     ///< fastest flow through a face, along each axis and against it
    float emptied[FLUX_SETS]; ///< most that leaves a cell less what enters it, by the axes swept
};

/// Sums over all tiles, by component, in cells: what left the box or the active tiles; flux_lost_report's.
struct flux_sums {
    double left[FLUX_FIELDS], lost[FLUX_FIELDS], held[FLUX_FIELDS];
};

/// Sweeps over the amounts, in one part of the step or in several.
struct flux {
    struct pass *pass;
    const struct bw_topology *topology;
    struct bw_field *flow, *volume; ///< volume per time through faces, over h²; of cells on the way, less 1
    struct flux_range *range;       ///< by tile
    struct flux_range all;
    int32_t n_axes;                              ///< without the thin one
    double scale;                                ///< dt/h of a part
    int32_t parts, middle;                       ///< middle: the axis that all parts sweep second
    float least[FLUX_FIELDS], most[FLUX_FIELDS]; ///< bounds of the group's components
    bool expands;                                ///< the flow is meant to diverge
    bool moves;                                  ///< obstacles have velocities
    const struct open_flux *open;                ///< beside obstacles; NULL: unknown
    /* the present sweep: */
    int32_t axis[3], done;                ///< in their order; sweeps before it in this part
    uint32_t view_volume, view_volume_to; ///< 0: none
};

/// Can amounts go by fluxes? Not among obstacles that move in a flow that no projection makes go round them.
bool flux_can(const struct pass *p);
/// Is this field an amount that the scheme carries by fluxes?
bool flux_carries(const struct pass *p, const struct bw_field_info *info);
/// Carries all amounts of the list along p->vel over p->scale.
enum bw_status flux_fields(struct pass *p);

/* ---- flux_split.c: into how many parts a step goes ---- */

/// Measures the flow, and finds the parts and which axis is in the middle of each.
enum bw_status flux_split(struct flux *f);
/// Sets the axes' order of one part.
void flux_order(struct flux *f, int64_t turn);
/// Are a tile's faces along `a` what is stored there, and the high ones the low ones of the next tile?
bool flux_faces_are_in_place(const struct flux *f, const struct bw_block *b, int64_t tile, int a);
/// Cells beyond a tile's ends along the axis of the present sweep that its lines read.
void flux_reach(const struct flux *f, int64_t tile, int32_t around[2]);

/* ---- flux_walls.c ---- */

/// Makes f->flow: what goes through faces that obstacles leave open, and with those that move.
enum bw_status flux_open(struct flux *f);
/// Marks the cells of a tile's lines that obstacles are near. False: out of memory.
bool flux_beside(const struct flux *f, const struct bw_block *b, struct flux_tile *t);
/// Bytes of a block and `far` cells around it, x fastest; that of cell (0,0,0) is at `zero`.
struct region_marks {
    int32_t far, lo[3], n[3];
    ptrdiff_t step[3], zero, size;
    uint8_t *cells, *is, *next; ///< for walls_fill; marked; for flux_marks_spread
};

/// Memory for them, `is` cleared. False: out of memory.
bool flux_marks_begin(const struct bw_block *b, int32_t far, struct region_marks *m);
/// Marks what is up to `far` cells from a marked one along each axis; right in the block.
void flux_marks_spread(struct region_marks *m);
/// Marks the cells of a tile that obstacles move near. False: out of memory.
bool flux_pushed(const struct flux *f, const struct bw_block *b, struct flux_tile *t);

/* ---- flux_lost.c ---- */

/// A metric for each component of the pass's items, `what`_FIELD: unit times m³ of so many cells.
void flux_told(const struct pass *p, const char *what, const double *cells);
/// Of each component of the pass's items what was lost beside obstacles in a step, and all that was there, in cells.
void flux_lost_report(const struct flux *f, const double *lost, const double *held);

/* ---- flux_expel.c ---- */

/// Takes away what stages have put where obstacles stood as the step began: it is none of the gas.
enum bw_status flux_clear(struct flux *f);
/// Gives back to the gas what the pass's items have in cells that obstacles now cover.
enum bw_status flux_expel(struct flux *f);

/* ---- flux_level.c ---- */

/// Brings what lies beyond its bounds beside obstacles to where there is room.
enum bw_status flux_level(struct flux *f);

#endif
