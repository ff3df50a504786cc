// SPDX-License-Identifier: Apache-2.0
/* The stars of a clear night. */
#ifndef BW_STARS_H
#define BW_STARS_H

/// Add them along `to`, a unit vector, as a pixel `wide` at a distance of 1 sees them: `bright` times what there are.
void bw_stars_add(const double to[3], double wide, float bright, float rgb[3]);

#endif
