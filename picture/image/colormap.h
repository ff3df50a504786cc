// SPDX-License-Identifier: Apache-2.0
/* Colour maps. */
#ifndef BW_COLORMAP_H
#define BW_COLORMAP_H

enum bw_map {
    BW_MAP_AUTO,
    BW_MAP_SMOKE,
    BW_MAP_FIRE,
    BW_MAP_VIRIDIS,
    BW_MAP_DIVERGING,
    BW_MAP_GREY,
    BW_MAP_INK,
    BW_MAP_SCHLIEREN
};
#define BW_MAP_CHOICES "auto|smoke|fire|viridis|diverging|grey|ink|schlieren"

/// The colour at t in [0, 1] (sRGB); outside, the nearest end; NaN is magenta.
void bw_map_colour(enum bw_map map, float t, float rgb[3]);
/// The map that suits a field by its name and range: diverging for signed ones, fire for heat, …
enum bw_map bw_map_for(const char *field, double lo, double hi);

#endif
