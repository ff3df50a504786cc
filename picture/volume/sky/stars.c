// SPDX-License-Identifier: Apache-2.0
/* The hemisphere is cut into bands of height and these into cells as wide as they are high; some cells have one star.
 * As many are brighter than F as F^-1.3 says (3.3 times as many a magnitude, the sky has 3), warm or
 * bluish by lot. A star is a point that air and lens spread over a pixel or a minute and a half of arc, whichever is
 * more, so that its light is the same in pictures of all sizes. Towards the horizon air takes it away. */
#include "stars.h"
#include <picture/volume/studio/noise.h>

#include <math.h>

#define CELL 0.022    ///< rad a cell is high
#define SHARE 0.55    ///< of the cells that have a star
#define FAINT 1.1e-8  ///< radiance times solid angle of the faintest: by choice, as bright as films show them
#define MOST 220      ///< times as bright, no star is more
#define SPREAD 2.2e-4 ///< rad, standard deviation of a point, at least
#define PIXELS 0.55   ///< likewise, of a pixel
#define MARGIN 0.12   ///< of a cell beside its edge that stays dark: no star is cut
#define AIR 0.035     ///< optical depth overhead, some of which is haze

static double lot(int32_t i, int32_t band, uint32_t which)
{
    return (double)(bw_noise_hash(i, band, 1300u + which) >> 8) / 16777216;
}

void bw_stars_add(const double to[3], double wide, float bright, float rgb[3])
{
    if (!(to[2] > 0.01)) return;
    const double up = asin(fmin(to[2], 1)), round = atan2(to[1], to[0]) + 3.14159265358979;
    const int32_t band = (int32_t)floor(up / CELL);
    const double middle = (band + 0.5) * CELL, cells = fmax(floor(6.283185307179586 * cos(middle) / CELL), 1),
                 each = 6.283185307179586 / cells;
    const int32_t cell = (int32_t)floor(round / each);
    if (lot(cell, band, 0) > SHARE) return;
    const double free = 1 - 2 * MARGIN;
    const double x = (round / each - cell - MARGIN - free * lot(cell, band, 1)) * each * cos(up),
                 y = up - (band + MARGIN + free * lot(cell, band, 2)) * CELL;
    const double s = fmax(PIXELS * wide, SPREAD), r2 = (x * x + y * y) / (s * s);
    if (r2 > 20) return;
    const double flux = FAINT * fmin(pow(fmax(lot(cell, band, 3), 1e-6), -1 / 1.3), MOST),
                 warm = lot(cell, band, 4) - 0.5;
    const double light = (double)bright * flux * exp(-0.5 * r2 - AIR / to[2]) / (6.283185307179586 * s * s);
    for (int c = 0; c < 3; c++) rgb[c] += (float)(light * (1 + 0.5 * (1 - c) * warm));
}
