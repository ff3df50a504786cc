// SPDX-License-Identifier: Apache-2.0
/* Light that a gas bends is caught by a filter, dark where none is bent and of two colours beside it, so that slopes
 * towards one side are amber, away from it blue (Settles 2001, Schlieren and Shadowgraph Techniques, colour filters):
 * shocks are lines, whichever way they run, and hot gas has a relief. We cheat twice: p/(1 + p) of p = s^1.5, for a
 * slope s that a real one squares, shows faint waves beside strong shocks, but lets them stay behind; and what is thin,
 * and so hot, glows from deep red to yellow, as a relief under a lamp at its upper left, in which lines are paler. */
#include "schlieren.h"

#include <math.h>

#define FROM 2.2f    ///< radians anticlockwise from the right: slopes down towards there are amber
#define RELIEF 0.35f ///< height of what glows, times its slope
#define SHADED 0.55f ///< of its light that the relief shades
#define PALE 12.0f   ///< lines in what glows: how soon they are pale …
#define FAINT 0.45f  ///< … and how much fainter
#define NEAR 0.045f ///< of the layer's height: a change by the whole span on so short a way is half as bright as may be

/// 0 at the range's upper end, 1 at its lower one: by their ratio, as heat goes, where both are positive.
static float thin_at(float value, const double range[2])
{
    const float lo = (float)range[0], hi = (float)range[1];
    const float share = lo > 0 ? logf(hi / fmaxf(value, lo)) / logf(hi / lo) : (hi - value) / fmaxf(hi - lo, 1e-30f);
    return fminf(fmaxf(share, 0), 1);
}

/// What glows, `thin` from 0 to 1, where the filter's slopes are x, y.
static void glow_show(float thin, float x, float y, float rgb[3])
{
    static const float lamp[3] = {-0.52f, 0.6f, 0.6f};
    const float dx = RELIEF * x, dy = RELIEF * y;
    const float lit = fmaxf(lamp[0] * dx + lamp[1] * dy + lamp[2], 0) / (lamp[2] * sqrtf(1 + dx * dx + dy * dy));
    const float shade = 1 - SHADED + SHADED * fminf(lit, 1.5f), square = thin * thin;
    rgb[0] = shade * 1.3f * thin * sqrtf(thin), rgb[1] = shade * 0.92f * square * sqrtf(thin);
    rgb[2] = shade * 0.42f * square * square;
}

void bw_schlieren_show(const struct bw_slice *s, double u, double v, const double range[2], float rgb[3])
{
    static const float ground[3] = {0.025f, 0.035f, 0.055f}, amber[3] = {1, 0.7f, 0.36f}, blue[3] = {0.22f, 0.52f, 1},
                       pale[3] = {1, 0.8f, 0.5f};
    const float *f = s->value[0], span = fmaxf((float)(range[1] - range[0]), 1e-30f);
    const float reach = NEAR * (float)s->n[1] / (2 * span);
    const float x = reach * (bw_slice_read(s, f, u + 1, v) - bw_slice_read(s, f, u - 1, v));
    const float y = reach * (bw_slice_read(s, f, u, v + 1) - bw_slice_read(s, f, u, v - 1));
    const float slope = sqrtf(x * x + y * y), power = slope * sqrtf(slope), light = power / (1 + power);
    const float side = slope > 0 ? 0.5f - 0.5f * (x * cosf(FROM) + y * sinf(FROM)) / slope : 0.5f;
    const float thin = thin_at(bw_slice_read(s, f, u, v), range);
    const float hot = fminf(PALE * thin * thin, 1), line = light * (1 - FAINT * hot);
    float glow[3];
    glow_show(thin, x, y, glow);
    for (int c = 0; c < 3; c++) {
        const float cold = blue[c] + side * (amber[c] - blue[c]);
        rgb[c] = fminf(ground[c] + glow[c] + line * (cold + hot * (pale[c] - cold)), 1);
    }
}
