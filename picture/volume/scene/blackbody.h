// SPDX-License-Identifier: Apache-2.0
/* Blackbody emission: the colour of what is hot, by Planck's law. */
#ifndef BW_BLACKBODY_H
#define BW_BLACKBODY_H

/// CIE 1931 tristimulus values of a black body, W/(sr m³).
void bw_blackbody_xyz(double kelvin, double xyz[3]);
enum { BW_BLACKBODY_LOW = 600, BW_BLACKBODY_STEP = 10, BW_BLACKBODY_N = 341, BW_BLACKBODY_WHITE = 1900 };
/// Linear Rec.709 of black bodies from LOW K in steps; luminance (Y/Y at `white` K)^contrast.
struct bw_blackbody {
    float rgb[BW_BLACKBODY_N][3];
    float white[3]; ///< of that temperature
};
void bw_blackbody_init(struct bw_blackbody *p, double contrast, double white);
/// Between the table's entries; colder than LOW is dark.
static inline void bw_blackbody_rgb(const struct bw_blackbody *p, float kelvin, float rgb[3])
{
    float x = (kelvin - BW_BLACKBODY_LOW) * (1.0f / BW_BLACKBODY_STEP);
    x = x < BW_BLACKBODY_N - 1.001f ? x : BW_BLACKBODY_N - 1.001f;
    const int i = x > 0 ? (int)x : 0;
    for (int c = 0; c < 3; c++) rgb[c] = x > 0 ? p->rgb[i][c] + (p->rgb[i + 1][c] - p->rgb[i][c]) * (x - (float)i) : 0;
}

#endif
