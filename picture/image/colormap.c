// SPDX-License-Identifier: Apache-2.0
/* Colour maps as a few stops, joined linearly in sRGB (nearly perceptual, and lightness rises steadily in all but
 * the diverging one, which is symmetric in lightness about its middle). */
#include "colormap.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { STOPS = 9 };

static const uint32_t stops[][STOPS] = {
    [BW_MAP_SMOKE] = {0x14171f, 0x272c3a, 0x3d4453, 0x59606c, 0x7b7d82, 0x9f9a94, 0xc2b7a8, 0xe2d5c0, 0xfff6e6},
    [BW_MAP_FIRE] = {0x0a0a10, 0x2b0a12, 0x5c0d10, 0x97200a, 0xcc4407, 0xee7512, 0xfba834, 0xffd873, 0xfffbe0},
    [BW_MAP_VIRIDIS] = {0x45085b, 0x472f7d, 0x39568c, 0x2a788e, 0x1f988b, 0x3cbc75, 0x7ad151, 0xc0df25, 0xfde725},
    [BW_MAP_DIVERGING] = {0x16366e, 0x2c63a8, 0x5f98cf, 0xa7c9e3, 0xf0eeeb, 0xf0bda3, 0xdd7e62, 0xb53a3c, 0x6f1127},
    [BW_MAP_GREY] = {0x000000, 0x202020, 0x404040, 0x606060, 0x808080, 0xa0a0a0, 0xc0c0c0, 0xe0e0e0, 0xffffff},
    [BW_MAP_INK] = {0xfdfcf8, 0xdfe3ec, 0xbcc6dc, 0x96a6ca, 0x7085b5, 0x4c659d, 0x2f4882, 0x1a2f62, 0x0d1a3d},
    [BW_MAP_SCHLIEREN] = {0x0b0e14, 0x2e2a24, 0x55442f, 0x7f623d, 0xa88150, 0xc9a066, 0xe3bf85, 0xf4dcb0, 0xfff4de},
};

void bw_map_colour(enum bw_map map, float t, float rgb[3])
{
    const uint32_t *s = stops[map == BW_MAP_AUTO ? BW_MAP_SMOKE : map];
    if (isnan(t)) {
        rgb[0] = rgb[2] = 1;
        rgb[1] = 0;
        return;
    }
    float x = (t < 0 ? 0 : t > 1 ? 1 : t) * (STOPS - 1);
    int i = x < STOPS - 2 ? (int)x : STOPS - 2;
    for (int c = 0; c < 3; c++) {
        float a = (float)(s[i] >> (16 - 8 * c) & 255), b = (float)(s[i + 1] >> (16 - 8 * c) & 255);
        rgb[c] = (a + (b - a) * (x - (float)i)) / 255;
    }
}

enum bw_map bw_map_for(const char *field, double lo, double hi)
{
    static const char *const hot[] = {"temperature", "flame", "flames", "fuel", "heat"};
    for (size_t i = 0; i < sizeof hot / sizeof *hot; i++)
        if (!strcmp(field, hot[i])) return BW_MAP_FIRE;
    if (lo < 0 && hi > 0) return BW_MAP_DIVERGING;
    return strstr(field, "density") || strstr(field, "smoke") || strstr(field, "soot") ? BW_MAP_SMOKE : BW_MAP_VIRIDIS;
}
