// SPDX-License-Identifier: Apache-2.0
/* A lamp is a disc, and what of it an obstacle hides is found by rays to it, spread evenly as a sunflower's seeds
 * (Vogel 1979), turned from pixel to pixel by blue noise. Each ray is a cone with its share of the disc, of which a
 * distance d beside the way t to it covers ½ - ½ d/(t tan): half-shadows come out even from few rays. Most places are
 * all in light or all in shadow, which one march or a few tell: distances are lower bounds, so that where they stay
 * larger than the whole lamp's cone nothing is hidden. */
#include "shadow.h"
#include "distance.h"
#include <picture/volume/scene/fast_math.h>
#include <picture/volume/shape/open.h>

#include <math.h>

#define EDGE 0.15f  ///< cells: cones are no thinner, for voxels would show
#define SURE 1.001f ///< past this many cones nothing is hidden, whatever the last digits say
#define THIN 0.2f   ///< cells: what is deeper than this inside a wall does not get through, however wide the cone

enum { MORE = 2 }; ///< times the rays, where each is seen or not
enum { FEW = 4 };  ///< rays that tell half-shadow from light and from shadow behind walls thinner than a cone

/// A ray in cells from the first one's centre, x = at + t·to, and how high distances are read at least, 0 or more.
struct way {
    float at[3], to[3], stand;
};

/// Signed distance in cells, between cells; *beyond: how far from the box, < 0 inside: at its faces obstacles are cut.
static inline float distance_read(const struct bw_volume *v, const struct way *w, float t, float *beyond)
{
    const struct bw_dense *b = &v->solid_box;
    const size_t sy = (size_t)b->n[0], sz = sy * (size_t)b->n[1], step[3] = {1, sy, sz};
    size_t next[3], first = 0;
    float f[3], e[4];
    *beyond = -1e9f;
    for (int a = 0; a < 3; a++) {
        const float most = (float)(b->n[a] - 1), free = w->at[a] + t * w->to[a];
        const float x = bw_least(bw_most(free, a == 2 ? w->stand : 0), most);
        const int i = (int)x;
        *beyond = bw_most(*beyond, fabsf(free - 0.5f * most) - 0.5f * most - 0.5f);
        f[a] = x - (float)i, first += (size_t)i * step[a];
        next[a] = i + 1 < b->n[a] ? step[a] : 0;
    }
    for (int q = 0; q < 4; q++) {
        const float *p = v->solid + first + (q & 1 ? next[1] : 0) + (q & 2 ? next[2] : 0);
        e[q] = p[0] + f[0] * (p[next[0]] - p[0]);
    }
    const float low = e[0] + f[1] * (e[1] - e[0]), high = e[2] + f[1] * (e[3] - e[2]);
    return bw_most((low + f[2] * (high - low)) / (float)b->h, *beyond);
}

/// Share of a cone along a ray, of half its angle `half`, that is open, as far as it is more than `least`; -1: nothing
/// is, whatever lies beside. Between two steps a ray is nearest to what it passes where circles about them meet
/// (Aaltonen 2018); that is looked at only where it may be less than the cone is wide.
static float cone_open(const struct bw_volume *v, const double p[3], const double to[3], double away, float half,
                       float least)
{
    const struct bw_dense *b = &v->solid_box;
    double range[2] = {0, away};
    float open = 1, before = 1e9f, beyond = 0;
    if (!bw_solid_clip(v, p, to, (double)half, range)) return 1;
    struct way w = {.stand = v->stands ? bw_most((float)((v->stand - b->origin[2]) / b->h - 0.5), 0) : 0};
    for (int a = 0; a < 3; a++) w.at[a] = (float)((p[a] - b->origin[a]) / b->h - 0.5), w.to[a] = (float)to[a];
    const float end = (float)(range[1] / b->h);
    for (float t = bw_most((float)(range[0] / b->h), 0.5f); t < end;) {
        const float d = distance_read(v, &w, t, &beyond), wide = bw_most(half * t, EDGE);
        const float d2 = d * d;
        if (d <= -wide) return -1;
        if (d <= -THIN) open = 0;
        if (open <= least) return open;
        if (!(d > wide && (d2 - SURE * wide * wide) * 4 * before * before > d2 * d2)) {
            const float back = d > 0 ? bw_least(0.5f * d * d / before, t) : 0; // of the place where it is nearest
            const float near = back < d ? sqrtf(d * d - back * back) : d;
            open = bw_least(open, 0.5f + 0.5f * near / bw_most(half * (t - back), EDGE));
        }
        before = bw_most(d, 0.5f);
        t += bw_most(0.85f * fabsf(d), 0.5f);
    }
    return bw_most(open, 0);
}

/// Mean over cones to n points of a lamp.
static float lamp_open(const struct bw_volume *v, const double p[3], const struct bw_light_seen *lamp, int n,
                       float turned)
{
    const float half = (float)(lamp->half / sqrt(n));
    double u[3], w[3];
    float sum = 0;
    bw_light_across(lamp->to, u, w);
    for (int i = 0; i < n; i++) {
        const double turn = 2.399963229728653 * i + 6.283185307179586 * (double)turned;
        const double r = lamp->half * sqrt((i + 0.5) / n);
        double to[3], length = 0;
        for (int a = 0; a < 3; a++) {
            to[a] = lamp->to[a] + r * (cos(turn) * u[a] + sin(turn) * w[a]);
            length += to[a] * to[a];
        }
        for (int a = 0; a < 3; a++) to[a] /= sqrt(length);
        sum += bw_most(cone_open(v, p, to, lamp->away, half, 0), 0);
    }
    return sum / (float)n;
}

float bw_solid_shadow_rays(const struct bw_volume *v, const struct bw_shadow_place *at,
                           const struct bw_light_seen *seen)
{
    struct bw_light_seen from = *seen, *lamp = &from;
    double p[3], r2 = 0;
    if (v->shapes)
        return bw_shapes_open(v->shapes, &(struct bw_open_place){at->p, at->face, MORE * at->rays, at->turn}, seen);
    for (int a = 0; a < 3; a++) p[a] = at->p[a] + at->lift * v->solid_box.h * at->normal[a];
    if (seen->away < HUGE_VAL) { // as it is seen from there
        for (int a = 0; a < 3; a++)
            from.to[a] = at->p[a] + seen->away * seen->to[a] - p[a], r2 += from.to[a] * from.to[a];
        from.away = sqrt(r2);
        for (int a = 0; a < 3; a++) from.to[a] /= fmax(from.away, 1e-30);
    }
    const float whole = cone_open(v, p, lamp->to, lamp->away, (float)lamp->half, -1);
    if (whole >= 1 || whole < 0 || at->rays < 2) return bw_most(whole, 0);
    const float few = lamp_open(v, p, lamp, FEW, at->turn);
    return few <= 0 || few >= 1 || at->rays <= FEW ? few : lamp_open(v, p, lamp, at->rays, at->turn);
}
