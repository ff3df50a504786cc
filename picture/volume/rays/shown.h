// SPDX-License-Identifier: Apache-2.0
/* How bright light looks, to judge what is seen of a difference. */
#ifndef BW_SHOWN_H
#define BW_SHOWN_H

#include <picture/volume/scene/fast_math.h>

/// A stand-in for the film's curve without powers, of exposed light: 0 … 1, nearly as steep.
static inline float bw_shown(float light)
{
    const float a = bw_most(light, 0), top = a * (a + 3.36f);
    return top / (top + 0.855f * a + 0.003f / (a + 0.01f));
}

#endif
