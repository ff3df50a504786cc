// SPDX-License-Identifier: Apache-2.0
/* Particles that shine, as obstacles near them see them: a grid of their light to be mirrored, and lamps. */
#ifndef BW_SHINE_H
#define BW_SHINE_H

#include <picture/tools.h>
#include <picture/volume/scene/scene.h>
#include <picture/volume/scene/volume.h>

/// The particles of a block of cells.
struct bw_shine_lamp {
    double at[3];
    float rgb[3]; ///< radiant intensity
};

struct bw_shine {
    struct bw_dense box;
    float *rgb; ///< interleaved, radiant intensity a volume: what a ray gathers along a metre; NULL: nothing shines
    struct bw_shine_lamp *lamp;
    int32_t n_lamps;
    double floor; ///< of lamps, added to r², m²
};

/// Where there are obstacles and particles that shine; else it stays empty. `pixel`: width at a distance of 1, that of
/// particles without a size. bw_shine_free gives it back, after a failure too. Errors: BW_ERR_MEMORY.
enum bw_status bw_shine_make(const struct bw_tools *tools, const struct bw_volume *v, const struct bw_scene *scene,
                             double pixel, struct bw_shine *s);
void bw_shine_free(const struct bw_tools *tools, struct bw_shine *s);
/// Add irradiance over π on a surface that faces `n`.
void bw_shine_light(const struct bw_shine *s, const double p[3], const double n[3], float rgb[3]);
/// Radiance from `dir`, which a mirror blurs by `wide`, the tangent of half an angle; `turn`: 0 … 1, grain.
void bw_shine_along(const struct bw_shine *s, const struct bw_volume *v, const double from[3], const double dir[3],
                    double wide, float turn, float rgb[3]);

#endif
