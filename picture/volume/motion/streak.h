// SPDX-License-Identifier: Apache-2.0
/* A motion-blurred streak: the mark that a particle leaves on the picture while the shutter is open. */
#ifndef BW_STREAK_H
#define BW_STREAK_H

#include <picture/image/image.h>
#include <picture/volume/scene/scene.h>
#include <picture/volume/scene/volume.h>

enum { BW_STREAK_KNOTS = 9 };

struct bw_streak {
    double at[BW_STREAK_KNOTS][2]; ///< pixels, at even times from its tail to its head
    double sigma, area, length;    ///< pixels: standard deviation of its width; of the disc; of the way
    int fades;                     ///< 1: narrower and darker towards its tail
};

/// Where the particle is at `share` of the way, 0: its tail, 1: its head.
void bw_streak_place(const struct bw_spark *s, double seconds, double share, double at[3]);
/// 0: it is not seen.
int bw_streak_make(const struct bw_scene *scene, const struct bw_image *img, const struct bw_spark *s,
                   struct bw_streak *out);

/// Some of its light, on the pixel (x, y).
typedef void (*bw_streak_fn)(int x, int y, double light, void *user);
/// All of its light, `area` where none falls beside the picture, dimmed by transmittance[], which goes evenly from its
/// tail to its head.
void bw_streak_draw(const struct bw_streak *s, const struct bw_image *img, const float *transmittance,
                    int n_transmittance, bw_streak_fn draw, void *user);

#endif
