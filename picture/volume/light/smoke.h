// SPDX-License-Identifier: Apache-2.0
/* What smoke is in a cell. */
#ifndef BW_SMOKE_H
#define BW_SMOKE_H

#include <picture/volume/scene/fast_math.h>
#include <picture/volume/scene/scene.h>
#include <picture/volume/scene/volume.h>

static inline float bw_smoke_density(const struct bw_volume *v, size_t cell)
{
    if (v->density) return bw_most(v->density[cell], 0);
    return v->dye[0] ? bw_most(bw_most(v->dye[0][cell], v->dye[1][cell]), bw_most(v->dye[2][cell], 0)) : 0;
}

/// Its colour: the look's, and that of dyes by how much of it they are.
static inline void bw_smoke_albedo(const struct bw_volume *v, const struct bw_look *look, size_t cell, float rgb[3])
{
    for (int c = 0; c < 3; c++) rgb[c] = look->albedo[c];
    if (!v->dye[0]) return;
    const float density = bw_smoke_density(v, cell);
    float d[3], top = 0;
    for (int c = 0; c < 3; c++) {
        d[c] = bw_most(v->dye[c][cell], 0);
        top = bw_most(top, d[c]);
    }
    if (top <= 1e-4f) return;
    const float share = top < density ? top / density : 1;
    for (int c = 0; c < 3; c++) rgb[c] = rgb[c] * (1 - share) + share * bw_most(0.95f * d[c] / top, 0.03f);
}

#endif
