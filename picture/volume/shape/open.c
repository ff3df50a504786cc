// SPDX-License-Identifier: Apache-2.0
/* A lamp is a disc, and rays go to places on it that are spread evenly, as a sunflower's seeds (Vogel 1979), turned
 * from pixel to pixel by blue noise. Where nothing is in the cone round all of them no ray is needed; where its middle
 * and five places on its rim are alike, no more. */
#include "open.h"

enum { FEW = 6 };  ///< rays that tell half-shadow from light and from shadow
#define APART 61.0 ///< turns from a place's angle to its radius: a lattice of 256, spread evenly

/// Of the lamp's radius; turned by how much: the i-th of n places on it, or of FEW on its rim.
static double radius_at(int i, int n, int rim, double *turn)
{
    *turn = rim ? 6.283185307179586 * i / (FEW - 1) : 2.399963229728653 * i;
    return rim ? i < FEW - 1 : n > 1 ? sqrt((i + 0.5) / n) : 0;
}

/// Of n rays; -1: the lamp is below the horizon.
static float rays_open(const struct bw_shapes *s, const struct bw_open_place *at, const double p[3],
                       const struct bw_light_seen *lamp, int n, int rim)
{
    double u[3], w[3];
    int above = 0, open = 0;
    bw_light_across(lamp->to, u, w);
    for (int i = 0; i < n; i++) {
        double to[3], up = 0, face = 0, turn;
        double r = lamp->half * radius_at(i, n, rim, &turn);
        if (at->rays < 1) r = lamp->half * sqrt(fmod(APART * (double)at->turn, 1));
        turn += 6.283185307179586 * (double)at->turn;
        for (int a = 0; a < 3; a++) {
            to[a] = lamp->to[a] + r * (cos(turn) * u[a] + sin(turn) * w[a]);
            up += to[a] * at->face[a], face += at->face[a] * at->face[a];
        }
        if (face > 0 && up <= 0) continue;
        above++, open += !bw_shapes_block(s, p, to, lamp->away);
    }
    return above ? (float)open / (float)above : -1;
}

float bw_shapes_open(const struct bw_shapes *s, const struct bw_open_place *at, const struct bw_light_seen *lamp)
{
    double p[3];
    for (int a = 0; a < 3; a++) p[a] = at->p[a] + s->least * at->face[a];
    if (!bw_shapes_near(s, p, lamp->to, lamp->half, lamp->away)) return 1;
    if (at->rays > 1) {
        const float few = rays_open(s, at, p, lamp, FEW, 1);
        if (few <= 0 || few >= 1) return bw_most(few, 0);
    }
    return bw_most(rays_open(s, at, p, lamp, at->rays > 1 ? at->rays : 1, 0), 0);
}
