// SPDX-License-Identifier: Apache-2.0
/* Where the transforms of a prim and of those above it put it (UsdGeomXformable). */
#ifndef PRESET_USDA_WORLD_H
#define PRESET_USDA_WORLD_H

#include "usda_text.h"

/// For columns: place = m·(x, 1). USD writes them for rows, transposed.
typedef double matrix4[4][4];

/// World from the prim's own, in the file's units and axes, at a time code (NAN: the first). 0: an op is none that USD
/// has, or can't be inverted.
int usda_world(const struct usda_prim *prim, double code, matrix4 m);

#endif
