// SPDX-License-Identifier: Apache-2.0
/* Light that a gas bends is caught by a filter, dark where none is bent and of two colours beside it, so that slopes
 * towards one side are amber, away from it blue (Settles 2001, Schlieren and Shadowgraph Techniques, colour filters):
 * shocks are lines, whichever way they run, and hot gas has a relief. We cheat twice: p/(1 + p) of p = s^1.5, for a
 * slope s that a real one squares, shows faint waves beside strong shocks, but lets them stay behind; and what is thin,
 * and so hot, glows. */
#include "schlieren.h"

#include <math.h>

#define FROM 2.2f   ///< radians anticlockwise from the right: slopes down towards there are amber
#define NEAR 0.045f ///< of the layer's height: a change by the whole span on so short a way is half as bright as may be

void bw_schlieren_show(const struct bw_slice *s, double u, double v, const double range[2], float rgb[3])
{
    static const float ground[3] = {0.025f, 0.035f, 0.055f}, glow[3] = {0.46f, 0.085f, 0.02f},
                       amber[3] = {1, 0.7f, 0.36f}, blue[3] = {0.22f, 0.52f, 1};
    const float *f = s->value[0], span = fmaxf((float)(range[1] - range[0]), 1e-30f);
    const float reach = NEAR * (float)s->n[1] / (2 * span);
    const float x = reach * (bw_slice_read(s, f, u + 1, v) - bw_slice_read(s, f, u - 1, v));
    const float y = reach * (bw_slice_read(s, f, u, v + 1) - bw_slice_read(s, f, u, v - 1));
    const float slope = sqrtf(x * x + y * y), power = slope * sqrtf(slope), light = power / (1 + power);
    const float side = slope > 0 ? 0.5f - 0.5f * (x * cosf(FROM) + y * sinf(FROM)) / slope : 0.5f;
    const float thin = fminf(fmaxf(((float)range[1] - bw_slice_read(s, f, u, v)) / span, 0), 1);
    for (int c = 0; c < 3; c++) {
        const float dark = ground[c] + thin * sqrtf(thin) * glow[c];
        rgb[c] = fminf(dark + light * (blue[c] + side * (amber[c] - blue[c])), 1);
    }
}
