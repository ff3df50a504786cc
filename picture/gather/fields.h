// SPDX-License-Identifier: Apache-2.0
/* The fields of a frame's snapshot: which are there, where their cells lie, and a copy of them in a dense box. */
#ifndef BW_GATHER_FIELDS_H
#define BW_GATHER_FIELDS_H

#include <billow/plugin.h>
#include <picture/tools.h>
#include <picture/volume/scene/dense.h>

#define BW_GATHER_CELLS 24e6 ///< a dense box has fewer: 40 bytes each while a frame is drawn

/// The grid field called `name`, or NULL.
const struct bw_snapshot_field *bw_gather_find(const struct bw_frame *frame, const char *name);
/// The field to show: the one named; else density, dye, the first scalar, the first of all. NULL: there is none.
const struct bw_snapshot_field *bw_gather_choose(const struct bw_frame *frame, const char *name);
/// World box of a domain: its own, or, without one, that of the active tiles of `f`.
void bw_gather_bounds(const struct bw_snapshot_field *f, double lo[3], double hi[3]);

/// A box of cells, half open.
struct bw_cells {
    int32_t lo[3], hi[3];
};
#define BW_CELLS_NONE                                                                                                  \
    {                                                                                                                  \
        {INT32_MAX, INT32_MAX, INT32_MAX}, { INT32_MIN, INT32_MIN, INT32_MIN }                                         \
    }

void bw_cells_join(struct bw_cells *a, const struct bw_cells *b);
int bw_cells_empty(const struct bw_cells *c);
/// Cells to a dense box of cells `step` wide; the low corner is aligned, so that tiles hold whole wide cells.
void bw_cells_dense(const struct bw_domain_info *d, struct bw_cells *c, int32_t step, struct bw_dense *out);

/// Cells of a tile, clipped to the domain's box.
struct bw_cells bw_tile_cells(const struct bw_snapshot_field *f, int64_t t);
static inline float bw_tile_value(const struct bw_snapshot_field *f, uint32_t c, int64_t t, size_t i)
{
    const void *data = f->tile[c][t];
    return f->info->precision == BW_F64P ? (float)((const double *)data)[i] : ((const float *)data)[i];
}

/// What is copied: component `c` over cells whose low corner is `lo`, in cells `step` wide.
struct bw_gather_copy {
    const struct bw_snapshot_field *f;
    uint32_t c;
    const int32_t *lo;
    const struct bw_dense *dense;
    int32_t step;
    float most; ///< larger values count as this
};
/// Means over the wide cells; the background where no tile is.
void bw_gather_copy(const struct bw_tools *tools, const struct bw_gather_copy *what, float *out);

#endif
