// SPDX-License-Identifier: Apache-2.0
/* Ray marching: radiance and transmittance of a segment of a ray in the medium, compiled once a SIMD level: the same
 * bits by each. */
#ifndef BW_MARCH_SEGMENT_H
#define BW_MARCH_SEGMENT_H

#include "ray.h"
#include "read.h"
#include <picture/volume/detail/detail.h>

/// How rays are marched.
struct bw_steps {
    float length;         ///< cells
    int32_t cubic;        ///< how cells are read …
    float deep;           ///< … as long as more than that of the light gets out
    int32_t fine, across; ///< flames a step; rays a pixel, squared
};

struct bw_march_medium {
    const struct bw_lit *lit;
    const struct bw_blocks *blocks;
    const struct bw_detail *detail; ///< NULL: none
    const float *more;              ///< extinction by channel, times the medium's
    struct bw_steps steps;
};

/// Light gathered along a ray into seen[0] … seen[2], and into seen[3] the cells to what hides what is behind, by how
/// much of that it hides; answers what is let through from there, {rgb, grey}. Samples stand for a step around them,
/// the first and last for what of it lies on the ray: else the jitter would show where rays end, at floor and
/// obstacles.
typedef struct lanes (*bw_march_fn)(const struct bw_march_medium *m, const struct bw_ray *r, float jitter,
                                    float seen[4]);
struct lanes bw_march_segment_baseline(const struct bw_march_medium *m, const struct bw_ray *r, float jitter,
                                       float seen[4]);
struct lanes bw_march_segment_avx2(const struct bw_march_medium *m, const struct bw_ray *r, float jitter,
                                   float seen[4]);
struct lanes bw_march_segment_avx512(const struct bw_march_medium *m, const struct bw_ray *r, float jitter,
                                     float seen[4]);

#endif
