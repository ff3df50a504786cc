// SPDX-License-Identifier: Apache-2.0
/* Noise that is looked at again and again, as a texture: levels of detail (Williams 1983), each of square tiles that
 * are made where somebody looks and kept for the pictures that follow. A tile is the same whoever makes it, so pictures
 * do not depend on those before. Several threads, and several pictures at once, may read one. */
#ifndef BW_TEXTURE_H
#define BW_TEXTURE_H

#include <picture/tools.h>

enum { BW_TEXTURE_LANES = 12, BW_TEXTURE_SIDE = 16, BW_TEXTURE_NUMBERS = 5 };

/// What a texture shows, all of it: textures of equal bytes are alike. Zero it whole.
struct bw_texture_plan {
    /// Texels whose middles lie `texel` apart from `at` on, side × side: their lanes, 0 … 1, as
    /// out[(lane × side + j) × side + i]; side ≤ BW_TEXTURE_SIDE.
    void (*make)(const struct bw_texture_plan *plan, const double at[2], double texel, int side, float *out);
    int32_t lanes, kind; ///< lanes: a multiple of four, BW_TEXTURE_LANES at most
    double number[BW_TEXTURE_NUMBERS];
    uint64_t simd; ///< enum bw_simd
};

struct bw_texture;
/// Before a picture: *t, NULL before the first, goes on if it is of that plan and not too large; else a new one takes
/// its place, NULL where memory lacks.
void bw_texture_keep(const struct bw_tools *tools, const struct bw_texture_plan *plan, struct bw_texture **t);
/// One more has to free it. NULL is no error, here and below.
struct bw_texture *bw_texture_hold(struct bw_texture *t);
void bw_texture_free(const struct bw_tools *tools, struct bw_texture *t);
/// Its lanes at a place where what is less wide than `wide` is not seen, between texels and levels; `t` is of that
/// plan, or NULL: made for this place alone.
void bw_texture_read(struct bw_texture *t, const struct bw_texture_plan *plan, const double at[2], double wide,
                     float *lanes);
/// Their mean at n places, `step` apart from `at` on.
void bw_texture_mean(struct bw_texture *t, const struct bw_texture_plan *plan, const double at[2], const double step[2],
                     int n, double wide, float *lanes);
/// 1: it is of that plan, and not so large that another picture should start anew.
int bw_texture_serves(const struct bw_texture *t, const struct bw_texture_plan *plan);

#endif
