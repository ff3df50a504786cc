// SPDX-License-Identifier: Apache-2.0
/* The sky by day. */
#ifndef BW_DAYLIGHT_H
#define BW_DAYLIGHT_H

#include "sphere.h"

enum { BW_DAYLIGHT_WIDE = 256 };
/// Fill the picture of a sky with its wish's sun, and make the sun its first lamp.
void bw_daylight_sky(struct bw_sky *s);

#endif
