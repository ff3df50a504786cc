// SPDX-License-Identifier: Apache-2.0
/* Lamps: discs far off, or balls with a place. */
#ifndef BW_SCENE_LIGHT_H
#define BW_SCENE_LIGHT_H

#include <math.h>
#include <stdint.h>

/// W/m² of a lamp of strength 1; of that white a surface sends SURFACE back, and smoke scatters SMOKE to each side.
#define BW_SUN 8.5
#define BW_SUN_SURFACE ((float)(BW_SUN / 3.14159265358979))
#define BW_SUN_SMOKE ((float)(BW_SUN / (4 * 3.14159265358979)))

struct bw_light {
    double to[3]; ///< a unit vector towards one far off
    float rgb[3]; ///< linear; of one with a place: what it has a metre away
    double half;  ///< far off: tangent of half the angle at which it is seen; with a place: its radius, m
    int32_t near; ///< 1: it has a place …
    double at[3]; ///< … m
};

/// A lamp as it is seen from a place.
struct bw_light_seen {
    double to[3]; ///< a unit vector
    double away;  ///< m, HUGE_VAL: far off
    double half;  ///< tangent of half the angle
    float share;  ///< of `rgb` that arrives through clear air
};

/// From p. Within the lamp, and nearer than `nearest`, light does not rise any more.
static inline struct bw_light_seen bw_light_from(const struct bw_light *l, const double p[3], double nearest)
{
    struct bw_light_seen s = {{l->to[0], l->to[1], l->to[2]}, HUGE_VAL, l->half, 1};
    if (!l->near) return s;
    double r2 = 1e-30;
    for (int a = 0; a < 3; a++) s.to[a] = l->at[a] - p[a], r2 += s.to[a] * s.to[a];
    const double r = sqrt(r2), least = fmax(fmax(r, l->half), nearest);
    for (int a = 0; a < 3; a++) s.to[a] /= r;
    s.away = r, s.half = l->half / fmax(r, l->half + 1e-30), s.share = (float)(1 / (least * least));
    return s;
}

/// Two unit vectors across the unit vector `to`.
static inline void bw_light_across(const double to[3], double u[3], double w[3])
{
    const int low = fabs(to[1]) < fabs(to[0]), least = fabs(to[2]) < fabs(to[low]) ? 2 : low;
    double length = 0;
    for (int a = 0; a < 3; a++) u[a] = (a == least) - to[least] * to[a], length += u[a] * u[a];
    for (int a = 0; a < 3; a++) u[a] /= sqrt(length);
    for (int a = 0; a < 3; a++) w[a] = to[(a + 1) % 3] * u[(a + 2) % 3] - to[(a + 2) % 3] * u[(a + 1) % 3];
}

#endif
