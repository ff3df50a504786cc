// SPDX-License-Identifier: Apache-2.0
/* What obstacles are made of: colour, gloss and relief finer than their shape, that stand still on what moves. */
#ifndef BW_MATERIAL_H
#define BW_MATERIAL_H

#include "place.h"

void bw_material_at(const struct bw_material_wish *wish, const struct bw_material_place *place, struct bw_finish *out);

#endif
