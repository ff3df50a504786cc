// SPDX-License-Identifier: Apache-2.0
/* What camera rays are traced through. */
#ifndef BW_SHOT_H
#define BW_SHOT_H

#include <picture/volume/detail/detail.h>
#include <picture/volume/light/medium.h>
#include <picture/volume/motion/shine.h>

struct bw_shot {
    const struct bw_lit *lit;
    const struct bw_ambient *ambient;
    const struct bw_volume *v; ///< obstacles
    const struct bw_scene *scene;
    const struct bw_detail *detail; ///< NULL: none
    const struct bw_shine *shine;   ///< NULL: none
};

#endif
