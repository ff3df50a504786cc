// SPDX-License-Identifier: Apache-2.0
/* Before a run: is a shape where its stage can use it? */
#ifndef PLACED_H
#define PLACED_H

#include "shape.h"

/// Warn of a shape, made ready at the stage's beginning, that lies outside of the domain, is smaller than a cell, or
/// dwarfs the domain. 1: it was told.
int shape_place_tell(struct bw_stage *s, const struct shape *shape);
/// The same of a file's grids that stay where they lie: their box in the file's units, z up.
int shape_grids_tell(struct bw_stage *s, const char *name, const struct box3 *box, double scale, int y_up);

#endif
