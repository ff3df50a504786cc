// SPDX-License-Identifier: Apache-2.0
/* The source radiance of each cell, emission and in-scattering: what it sends to the camera. */
#ifndef BW_LIT_H
#define BW_LIT_H

#include <picture/volume/scene/dense.h>
#include <picture/volume/scene/blackbody.h>

#define BW_BRIGHTEST 2981.0f ///< e⁸, radiance

/// Interleaved {j.r, j.g, j.b, s} a cell, 1/m; with `logs` {x.r, x.g, x.b, s}, of which j = s · BW_BRIGHTEST · exp(-x),
/// in clear cells beside smoke too: light is smooth where j is not, so that a voxel that hides what is behind it has
/// all of its light's slope, and exponentials, of which light in smoke is made, are straight lines. And flames, which
/// glow between the cells as what they are there, for their light is far from linear in it: {flame, kelvin} a cell, or
/// NULL. And their roots, which shine where there is neither smoke nor soot: radiance a metre, of the colour root_rgb;
/// or NULL.
struct bw_lit {
    struct bw_dense box;
    float *rgbs;
    float *fire, *roots;
    float root_rgb[3];
    const struct bw_blackbody *blackbody;
    float gain, soot;  ///< of a flame of 1: radiance at the white point and extinction, 1/m
    const float *wide; ///< what is sent out round a cell, against which sheets of flame stand out, or NULL …
    float sheets;      ///< … and by which power they do
    int logs;          ///< how light stands in rgbs
    float hides;       ///< of its extinction what flames that glow have more, for the eye alone
    float black;       ///< 0 … 1: how much of it those have too that hardly glow
};

#endif
