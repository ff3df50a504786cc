// SPDX-License-Identifier: Apache-2.0
/* The colour of what is hot. */
#ifndef BW_PLANCK_H
#define BW_PLANCK_H

/// CIE 1931 tristimulus values of a black body, W/(sr m³).
void bw_planck_xyz(double kelvin, double xyz[3]);
enum { BW_PLANCK_LOW = 600, BW_PLANCK_STEP = 10, BW_PLANCK_N = 341, BW_PLANCK_WHITE = 1900 };
/// Linear Rec.709 of black bodies from LOW K in steps; luminance (Y/Y at WHITE)^contrast.
struct bw_planck {
    float rgb[BW_PLANCK_N][3];
};
void bw_planck_init(struct bw_planck *p, double contrast);
/// Between the table's entries; colder than LOW is dark.
static inline void bw_planck_read(const struct bw_planck *p, float kelvin, float rgb[3])
{
    float x = (kelvin - BW_PLANCK_LOW) * (1.0f / BW_PLANCK_STEP);
    x = x < BW_PLANCK_N - 1.001f ? x : BW_PLANCK_N - 1.001f;
    const int i = x > 0 ? (int)x : 0;
    for (int c = 0; c < 3; c++) rgb[c] = x > 0 ? p->rgb[i][c] + (p->rgb[i + 1][c] - p->rgb[i][c]) * (x - (float)i) : 0;
}

#endif
