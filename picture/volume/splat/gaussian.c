// SPDX-License-Identifier: Apache-2.0
#include "gaussian.h"

#define REACH2 9.0 ///< standard deviations drawn, squared

struct bw_gaussian bw_gaussian_make(const struct bw_spread *s, const double across[2][3], double least,
                                    const double at[2], int32_t rows)
{
    const double m[3][3] = {{(double)s->xx, (double)s->xy, (double)s->xz},
                            {(double)s->xy, (double)s->yy, (double)s->yz},
                            {(double)s->xz, (double)s->yz, (double)s->zz}};
    double c[3] = {least, 0, least}; // xx, xy, yy
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            c[0] += across[0][i] * m[i][j] * across[0][j];
            c[1] += across[0][i] * m[i][j] * across[1][j];
            c[2] += across[1][i] * m[i][j] * across[1][j];
        }
    const double area2 = fmax(c[0] * c[2] - c[1] * c[1], least * least), half = sqrt(REACH2 * c[2]);
    struct bw_gaussian b = {.at = {at[0], at[1]}, .xx = c[2] / area2, .xy = -c[1] / area2, .yy = c[0] / area2};
    b.peak = 1 / (6.283185307179586 * sqrt(area2));
    b.lo = (int32_t)fmin(fmax(ceil(at[1] - half - 0.5), 0), rows);
    b.hi = (int32_t)fmin(fmax(floor(at[1] + half - 0.5), -1), rows - 1);
    return b;
}

struct bw_gaussian_row bw_gaussian_row(const struct bw_gaussian *b, int32_t y, int32_t width)
{
    const double dy = y + 0.5 - b->at[1], mid = b->at[0] - b->xy / b->xx * dy;
    const double rest = REACH2 - (b->yy - b->xy * b->xy / b->xx) * dy * dy, half = rest > 0 ? sqrt(rest / b->xx) : 0;
    struct bw_gaussian_row r = {.x = (int32_t)fmin(fmax(ceil(mid - half - 0.5), 0), width)};
    r.n = (int32_t)fmin(fmax(floor(mid + half - 0.5), -1), width - 1) - r.x + 1;
    if (!(rest > 0)) r.n = 0;
    if (r.n <= 0) return r;
    const double x = r.x + 0.5 - mid;
    r.value = b->peak * exp(-0.5 * (REACH2 - rest + b->xx * x * x));
    r.ratio = exp(-b->xx * (x + 0.5));
    r.fall = exp(-b->xx);
    return r;
}
