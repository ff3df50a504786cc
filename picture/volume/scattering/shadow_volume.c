// SPDX-License-Identifier: Apache-2.0
/* A lamp is as many points as it takes for their shadows to run into each other: one that is seen wider than WIDE from
 * the middle of the cells is a sunflower's seeds on its disc (Vogel 1979) if it is far off, on a sphere of as much
 * spread if it has a place. What each of them is wide itself, its sweep blurs: as the square root of the distance,
 * where shadows really widen with the distance; the two are alike MIDDLE cells away. */
#include "shadow_volume.h"
#include "directional_light.h"
#include "point_light.h"

#include <string.h>

#define TURN 2.399963229728653               ///< rad, the golden angle
#define WIDE 0.15                            ///< tangent of half an angle
#define MIDDLE 24                            ///< cells
static const int most_points[] = {1, 4, 16}; ///< by quality

static int points_count(double half, int32_t quality)
{
    const double n = ceil(half * half / (WIDE * WIDE)), most = most_points[quality + 1];
    return (int)fmin(fmax(n, 1), most);
}

/// A far lamp's i-th point of n.
static void beam_aim(const struct bw_light *l, int i, int n, struct bw_light_beam *beam)
{
    double u[3], w[3], length = 0;
    const double r = n > 1 ? l->half * sqrt((i + 0.5) / n) : 0, half = l->half / sqrt(n);
    bw_light_across(l->to, u, w);
    for (int a = 0; a < 3; a++) {
        beam->to[a] = l->to[a] + r * (cos(TURN * i) * u[a] + sin(TURN * i) * w[a]);
        length += beam->to[a] * beam->to[a];
    }
    for (int a = 0; a < 3; a++) beam->to[a] /= sqrt(length);
    beam->spread = (float)fmin(0.25 * MIDDLE * half * half, 0.2); // variances: spread a cell, (half · cells / 2)²
    beam->weight = 1 / (float)n;
}

/// A near lamp's: on a sphere of √¾ its radius, whose points lie as far from the middle, seen from any side, as a
/// disc's.
static void point_place(const struct bw_light *l, int i, int n, double at[3])
{
    const double z = 1 - (2 * i + 1.0) / n, r = n > 1 ? 0.866 * l->half : 0, round = sqrt(1 - z * z);
    const double p[3] = {round * cos(TURN * i), round * sin(TURN * i), z};
    for (int a = 0; a < 3; a++) at[a] = l->at[a] + r * p[a];
}

enum bw_status bw_shadow_volume(const struct bw_tools *tools, const struct bw_dense *box,
                                const struct bw_shadow_volume_wish *wish, float *out)
{
    const struct bw_light *l = wish->light;
    double middle[3], size = 0;
    for (int a = 0; a < 3; a++) middle[a] = box->origin[a] + 0.5 * box->n[a] * box->h, size += box->n[a] * box->h / 6;
    const struct bw_light_seen seen = bw_light_from(l, middle, 0);
    const double half = l->near ? l->half / fmax(seen.away, fmax(size, l->half)) : l->half;
    const int n = points_count(half, wish->quality);
    enum bw_status status = BW_OK;
    memset(out, 0, bw_dense_cells(box) * sizeof *out);
    for (int i = 0; i < n && !status; i++) {
        struct bw_light_beam beam;
        double at[3];
        if (l->near) point_place(l, i, n, at);
        else beam_aim(l, i, n, &beam);
        status = l->near ? bw_point_transmittance(tools, box, wish->extinction, at, 1 / (float)n, out)
                         : bw_directional_transmittance(tools, box, wish->extinction, &beam, out);
    }
    return status;
}
