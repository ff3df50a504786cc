// SPDX-License-Identifier: Apache-2.0
/* Means of a field over cells of another grid, rows of them along x. A mean is that of `parts` trilinear samples along
 * each axis; since these lie on a lattice, the field's own values are weighted along z and y first, a line of them at a
 * time, and along x last. */
#ifndef MEANS_H
#define MEANS_H

#include <billow/plugin.h>

enum { MEANS_FINER = 16 }; ///< samples along an axis, and how many of the field's cells a cell may be long, at most

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

/// Of component c of a field, over cells of the grid `over`.
struct means means_of(const struct bw_stage *s, const struct bw_field *field, uint32_t c,
                      const struct bw_domain_info *over);
/// Over n cells in a row, whose middles are at x[i], y, z.
void means_row(const struct means *m, const double *x, double y, double z, int32_t n, double *out);

#endif
