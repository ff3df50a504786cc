// SPDX-License-Identifier: Apache-2.0
/* Amounts carried by fluxes: what the parts of the scheme share. */
#ifndef FLUX_H
#define FLUX_H

#include "advect/advect_pass.h"
#include "flux_lines.h"
#include "project/open_flux.h"

/// What a tile's flow does to its cells, m/s.
struct flux_range {
    float up[3], down[3]; ///< fastest flow through a face, along each axis and against it
    float emptied
        [2][2]; ///< most that leaves a cell less what enters it, after one sweep and after two: forward order, reverse
};

/// Sweeps over the amounts, in one part of the step or in several.
struct flux {
    struct pass *pass;
    const struct bw_topology *topology;
    struct bw_field *flow, *volume; ///< volume per time through faces, over h²; of cells on the way, less 1
    struct flux_range *range;       ///< by tile
    struct flux_range all;
    int32_t axis[3], n_axes; ///< without the thin one
    double scale;            ///< dt/h of a part
    int32_t parts;
    float least[FLUX_FIELDS], most[FLUX_FIELDS]; ///< bounds of the group's components
    bool expands;                                ///< the flow is meant to diverge
    bool moves;                                  ///< obstacles have velocities
    const struct open_flux *open;                ///< beside obstacles; NULL: unknown
    /* the present sweep: */
    int32_t done, reverse;                ///< sweeps before it in this part; the order
    uint32_t view_volume, view_volume_to; ///< 0: none
};

/// Is this field an amount that the scheme carries by fluxes?
bool flux_carries(const struct pass *p, const struct bw_field_info *info);
/// Carries all amounts of the list along p->vel over p->scale.
enum bw_status flux_fields(struct pass *p);

/* ---- flux_split.c: into how many parts a step goes ---- */

/// Measures the flow, and finds the parts.
enum bw_status flux_split(struct flux *f);
/// Cells beyond a tile's ends along the axis of the present sweep that its lines read.
void flux_reach(const struct flux *f, int64_t tile, int32_t around[2]);

/* ---- flux_walls.c ---- */

/// Makes f->flow: what goes through faces that obstacles leave open, and with those that move.
enum bw_status flux_open(struct flux *f);
/// Marks the cells of a tile's lines that obstacles are near. False: out of memory.
bool flux_beside(const struct flux *f, const struct bw_block *b, struct flux_tile *t);

/* ---- flux_expel.c ---- */

/// Gives back to the gas what the pass's items have in cells that obstacles now cover.
enum bw_status flux_expel(struct flux *f);

#endif
