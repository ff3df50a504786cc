// SPDX-License-Identifier: Apache-2.0
/* Means of a field over cells of another grid, rows of them along x. A mean is that of `parts` trilinear samples along
 * each axis; since these lie on a lattice, the field's own values are weighted along z and y first, a line of them at a
 * time, and along x last. Where the samples lie is found once an axis, not once a row. */
#ifndef MEANS_H
#define MEANS_H

#include "refine.h"

/// Samples along an axis, and how many of the field's cells a cell may be long, at most; cells of a row, at most.
enum { MEANS_FINER = 16, MEANS_ROW = 80, MEANS_TILES = 4 };

struct means {
    const struct bw_sample_api *sample;
    const struct bw_tiles_api *tiles;
    const struct bw_field *field;
    struct bw_domain *domain;
    const struct bw_field_info *info; ///< of the field
    uint32_t c;
    int parts[3];
    double size; ///< edge of the cells
};

/// The samples of the cells of a row along x: the value below each, and how far it lies above that, in cells.
struct means_along {
    int32_t n, at[MEANS_ROW * MEANS_FINER];
    double part[MEANS_ROW * MEANS_FINER];
};

/// The values along y or z that a cell's samples lie between, and their weights; tile coordinates, and places in the
/// tile, -1 for values that are ruled by a side.
struct means_across {
    int32_t first, n, tile[MEANS_FINER + 2], within[MEANS_FINER + 2];
    double w[MEANS_FINER + 2];
};

/// Tiles in a line along x. NULL data: inactive.
struct means_tiles {
    int32_t y, z, first, known;
    const void *data[MEANS_ROW * MEANS_FINER / 2 + 1];
};

/// Rows of a block: `along` is set by means_rows, y and z by the caller for each.
struct means_rows {
    const struct means *m;
    const struct means_across *y, *z;
    struct means_along along;
    struct means_tiles met[MEANS_TILES]; ///< those of the last rows
};

/// Rows of a block. Where a mean is one sample they are made by refine.h, of lines over places from … to-1.
struct means_block {
    struct means_rows rows;
    struct means_across *y, z; ///< y: by row
    int32_t from, to;
    struct refine refine;
    struct refine_place *row, plane; ///< row: NULL where means are of several samples
};

/// Of component c of a field, over cells of the grid `over`.
struct means means_of(const struct bw_stage *s, const struct bw_field *field, uint32_t c,
                      const struct bw_domain_info *over);
/// For rows of n cells whose middles are at x[i]; n at most MEANS_ROW.
void means_rows(const struct means *m, const double *x, int32_t n, struct means_rows *rows);
/// For rows with their middles at `x` along axis 1 or 2.
void means_across(const struct means *m, int axis, double x, struct means_across *a);
/// Over cells from … to-1 of the row at rows->y, rows->z.
void means_row(struct means_rows *rows, int32_t from, int32_t to, double *out);
/// Over the cells of a block whose middles are at x[0][i], x[1][j]: n[0] of them, n[1] rows; from … to-1 are asked for.
/// 0: out of memory.
int means_block(const struct means *m, const struct bw_block *b, const double *const x[2], const int32_t n[2],
                int32_t from, int32_t to, struct means_block *out);
/// Rows from now on have their middles at z.
void means_plane(struct means_block *b, double z);
/// Where row j has a weight above 0; elsewhere anything finite, or what was in `out`.
void means_block_row(struct means_block *b, int32_t j, const double *weight, double *out);
/// The field's own n values along x from value at[] on, as they are stored or its sides say.
void means_values(const struct means *m, const int32_t at[3], int32_t n, double *out);

#endif
