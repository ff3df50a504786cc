// SPDX-License-Identifier: Apache-2.0
/* The colour of what is hot: Planck's law L = 2hc²/λ^5 / (exp(hc/λkT) - 1) seen by the CIE 1931 standard observer
 * (the tabulated colour-matching functions, 380 … 780 nm every 10 nm), then linear Rec.709. Fires below 1900 K are
 * redder than any Rec.709 colour, so their blue is a little below 0. Linear light keeps that, film clips it. */
#include "blackbody.h"

#include <math.h>

enum { BANDS = 41 };
static const double observer[BANDS][3] = {
    {0.001368, 0.000039, 0.006450}, {0.004243, 0.000120, 0.020050}, {0.014310, 0.000396, 0.067850},
    {0.043510, 0.001210, 0.207400}, {0.134380, 0.004000, 0.645600}, {0.283900, 0.011600, 1.385600},
    {0.348280, 0.023000, 1.747060}, {0.336200, 0.038000, 1.772110}, {0.290800, 0.060000, 1.669200},
    {0.195360, 0.090980, 1.287640}, {0.095640, 0.139020, 0.812950}, {0.032010, 0.208020, 0.465180},
    {0.004900, 0.323000, 0.272000}, {0.009300, 0.503000, 0.158200}, {0.063270, 0.710000, 0.078250},
    {0.165500, 0.862000, 0.042160}, {0.290400, 0.954000, 0.020300}, {0.433450, 0.994950, 0.008750},
    {0.594500, 0.995000, 0.003900}, {0.762100, 0.952000, 0.002100}, {0.916300, 0.870000, 0.001650},
    {1.026300, 0.757000, 0.001100}, {1.062200, 0.631000, 0.000800}, {1.002600, 0.503000, 0.000340},
    {0.854450, 0.381000, 0.000190}, {0.642400, 0.265000, 0.000050}, {0.447900, 0.175000, 0.000020},
    {0.283500, 0.107000, 0},        {0.164900, 0.061000, 0},        {0.087400, 0.032000, 0},
    {0.046770, 0.017000, 0},        {0.022700, 0.008210, 0},        {0.011359, 0.004102, 0},
    {0.005790, 0.002091, 0},        {0.002899, 0.001047, 0},        {0.001440, 0.000520, 0},
    {0.000690, 0.000249, 0},        {0.000332, 0.000120, 0},        {0.000166, 0.000060, 0},
    {0.000083, 0.000030, 0},        {0.000042, 0.000015, 0},
};

void bw_blackbody_xyz(double kelvin, double xyz[3])
{
    xyz[0] = xyz[1] = xyz[2] = 0;
    for (int i = 0; i < BANDS && kelvin > 0; i++) {
        const double metres = (380 + 10 * i) * 1e-9, c1 = 1.191042972e-16, c2 = 1.438776877e-2; // W m²/sr, m K
        const double radiance = c1 / pow(metres, 5) / expm1(c2 / (metres * kelvin));
        for (int c = 0; c < 3; c++) xyz[c] += radiance * observer[i][c];
    }
}

/// Linear Rec.709 of luminance 1.
static void colour_make(const double xyz[3], double rgb[3])
{
    static const double matrix[3][3] = {
        {3.2404542, -1.5371385, -0.4985314}, {-0.9692660, 1.8760108, 0.0415560}, {0.0556434, -0.2040259, 1.0572252}};
    for (int c = 0; c < 3; c++)
        rgb[c] = (matrix[c][0] * xyz[0] + matrix[c][1] * xyz[1] + matrix[c][2] * xyz[2]) / xyz[1];
}

void bw_blackbody_init(struct bw_blackbody *p, double contrast, double white)
{
    double xyz[3], rgb[3];
    bw_blackbody_xyz(white, xyz);
    const double unit = xyz[1];
    for (int i = 0; i < BW_BLACKBODY_N; i++) {
        bw_blackbody_xyz(BW_BLACKBODY_LOW + i * BW_BLACKBODY_STEP, xyz);
        colour_make(xyz, rgb);
        const double luminance = pow(xyz[1] / unit, contrast);
        for (int c = 0; c < 3; c++) p->rgb[i][c] = (float)(luminance * rgb[c]);
    }
    bw_blackbody_rgb(p, (float)white, p->white);
}
