// SPDX-License-Identifier: Apache-2.0
/* Light from all around, and the fire's, on the coarse grid. */
#ifndef BW_AMBIENT_H
#define BW_AMBIENT_H

#include "lamps.h"
#include <picture/volume/scene/scene.h>

struct bw_ambient {
    struct bw_coarse coarse, smoke; ///< smoke: the same without obstacles; coarse itself, not owned, if there are none
    float *rgb[3];                  ///< mean radiance from all around, the fire's included; one block
    struct bw_lamps lamps;
};

/// Light from one of six sides: where it comes from, and its part of the mean radiance.
struct bw_ambient_side {
    double to[3];
    float rgb[3];
};
extern const struct bw_ambient_side bw_ambient_sides[6];
/// Of the look's own sky, or the studio's, times `environment`.
void bw_ambient_side_light(const struct bw_look *l, int side, float rgb[3]);

/// `emission`: {rgb, flames' own extinction} interleaved or NULL; `extinction` has theirs in it. bw_ambient_free gives
/// it back, after a failure too. Errors: BW_ERR_MEMORY.
enum bw_status bw_ambient_make(const struct bw_tools *tools, const struct bw_dense *box, const float *extinction,
                               const float *emission, const struct bw_scene *scene, struct bw_ambient *a);
/// Where there are obstacles: `clear`, the same grid without them, is what alone dims light between them and lamps; it
/// is given back with `a`. Errors: BW_ERR_MEMORY.
enum bw_status bw_ambient_solids(const struct bw_tools *tools, const struct bw_coarse *clear, struct bw_ambient *a);
/// Share of a lamp's light at p that smoke lets through.
float bw_ambient_transmittance(const struct bw_ambient *a, const double p[3], const struct bw_light_seen *lamp);
void bw_ambient_free(const struct bw_tools *tools, struct bw_ambient *a);
/// One channel at a row of `n` fine cells, bilinear in y and z into `coarse` (scratch, as long), then linear in x.
void bw_ambient_row(const struct bw_ambient *a, int channel, int n, int j, int k, float *coarse, float *fine);

#endif
