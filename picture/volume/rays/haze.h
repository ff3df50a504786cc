// SPDX-License-Identifier: Apache-2.0
/* Hot gas bends what is seen behind it. */
#ifndef BW_HAZE_H
#define BW_HAZE_H

#include <picture/tools.h>
#include <picture/volume/scene/scene.h>
#include <picture/volume/scene/volume.h>

struct bw_haze {
    struct bw_dense box;
    float *bend;    ///< {gradient of the refractive index, 1/m, 0} a cell; NULL: nothing is bent
    int32_t n[3];   ///< blocks of BW_BLOCK cells …
    uint8_t *holds; ///< … and which bend
};

/// Of the gas in `v`, as much as the look asks for; bw_haze_free gives it back, after a failure too. Errors:
/// BW_ERR_MEMORY.
enum bw_status bw_haze_make(const struct bw_tools *tools, const struct bw_volume *v, const struct bw_scene *scene,
                            struct bw_haze *haze);
/// The way, a unit vector, along which clear air would show from `eye` what stands `depth` metres off (HUGE_VAL: far)
/// along `dir`.
void bw_haze_turn(const struct bw_haze *haze, const double eye[3], const double dir[3], double depth, double seen[3]);
void bw_haze_free(const struct bw_tools *tools, struct bw_haze *haze);

#endif
