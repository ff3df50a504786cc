// SPDX-License-Identifier: Apache-2.0
/* A lamp far off. */
#ifndef BW_SCENE_LIGHT_H
#define BW_SCENE_LIGHT_H

/// W/m² of a lamp of strength 1; of that white a surface sends SURFACE back, and smoke scatters SMOKE to each side.
#define BW_SUN 8.5
#define BW_SUN_SURFACE ((float)(BW_SUN / 3.14159265358979))
#define BW_SUN_SMOKE ((float)(BW_SUN / (4 * 3.14159265358979)))

/// Where light comes from (unit vectors towards the light) and how much of it; linear.
struct bw_light {
    double to[3];
    float rgb[3];
    float spread; ///< 0 … 0.2: how soft shadows get
};

#endif
