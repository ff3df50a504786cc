// SPDX-License-Identifier: Apache-2.0
/* What obstacles send back: of lamps through their own shadows and those of smoke, of fire, and of the room. */
#include "shade.h"
#include "distance.h"
#include <picture/volume/shape/shapes.h>

#include <math.h>
#include <string.h>

#define LIFT 1.2    ///< cells over a surface, where its own rounding throws no shadow
#define SOFT 0.35   ///< at most the cosine by which lamps, being large, reach round an edge
#define REACH 3     ///< times the tangent that they are wide
#define BEHIND 0.3  ///< cells behind a face that is turned away
#define MIRROR 0.03 ///< no lamp is smaller in a mirror

/// Light of a lamp mirrored to the eye, of what a white surface would send back: microfacets (Trowbridge and Reitz,
/// after Walter et al. 2007) of a dielectric, as wide as roughness and the lamp's size make them.
static float gloss(const double n[3], const double to[3], const double eye[3], double roughness, double wide)
{
    double half[3], nl = 0, nv = 0, nh = 0, vh = 0, len = 1e-30;
    for (int a = 0; a < 3; a++) half[a] = to[a] + eye[a], len += half[a] * half[a];
    for (int a = 0; a < 3; a++) {
        half[a] /= sqrt(len);
        nl += n[a] * to[a], nv += n[a] * eye[a], nh += n[a] * half[a], vh += eye[a] * half[a];
    }
    if (nl <= 0 || nv <= 0) return 0;
    const double alpha = fmax(roughness * roughness, fmax(wide, MIRROR) / 2), a2 = alpha * alpha,
                 low = nh * nh * (a2 - 1) + 1;
    const double sight = 2 / (nl * sqrt(a2 + (1 - a2) * nv * nv) + nv * sqrt(a2 + (1 - a2) * nl * nl)); // over 4 nl nv
    return (float)(a2 / (low * low) * sight * (0.04 + 0.96 * pow(1 - vh, 5)) * nl / 4);
}

/// The room in a mirror whose roughness blurs it, as seen along dir.
static void room_mirror(const struct bw_studio *s, const double n[3], const double dir[3], float gloss, float rgb[3])
{
    double cosine = 0;
    for (int a = 0; a < 3; a++) cosine -= n[a] * dir[a];
    const double up = dir[2] + 2 * cosine * n[2];
    const float share = (float)(0.5 + 0.5 * up), much = gloss * (0.04f + 0.96f * powf(1 - (float)fmax(cosine, 0), 5));
    for (int c = 0; c < 3; c++) rgb[c] += much * (s->room.below[c] + share * (s->room.above[c] - s->room.below[c]));
}

/// Add what a lamp sends there: `arrives`, irradiance over π, and what is mirrored.
static void lamp_add(const struct bw_solid_seen *s, const struct bw_studio *studio, int lamp, float arrives[3],
                     float mirrored[3])
{
    const double eye[3] = {-s->dir[0], -s->dir[1], -s->dir[2]}, *n = s->at.normal;
    const struct bw_look *look = &studio->scene->look;
    const struct bw_light_seen seen = bw_light_from(&studio->light[lamp], s->at.p, 0);
    const double cosine = n[0] * seen.to[0] + n[1] * seen.to[1] + n[2] * seen.to[2];
    const double soft = s->hit ? fmin(seen.half, SOFT) : fmin(REACH * seen.half, SOFT);
    if (cosine <= -soft) return;
    float open = BW_SUN_SURFACE * seen.share * bw_solid_open(s->v, &s->at, &seen);
    if (!(open > 0)) return;
    const float smoke = bw_ambient_through(studio->ambient, s->at.p, &seen);
    const float share = (float)((cosine + soft) / (1 + soft));
    const float spot = look->roughness < 1 ? gloss(n, seen.to, eye, (double)look->roughness, seen.half) : 0;
    for (int c = 0; c < 3; c++) {
        const float light = open * bw_look_through(look, smoke, c) * studio->light[lamp].rgb[c];
        arrives[c] += share * light;
        mirrored[c] += spot * light;
    }
}

/// Beside an edge a ray that just passes meets the face behind it: of what is seen the face before it is the colour.
static void normal_seen(struct bw_solid_seen *s)
{
    double away = 0, in[3];
    if (s->hit) {
        memcpy(s->at.normal, s->hit->normal, sizeof s->at.normal);
        memcpy(s->at.face, s->hit->face, sizeof s->at.face);
        return;
    }
    bw_solid_normal(s->v, s->at.p, s->at.normal);
    for (int a = 0; a < 3; a++) {
        away += s->at.normal[a] * s->dir[a];
        in[a] = s->at.p[a] - BEHIND * s->v->solid_box.h * s->at.normal[a];
    }
    if (away > 0) bw_solid_normal(s->v, in, s->at.normal);
}

void bw_solid_shade(const struct bw_solid_seen *seen, const struct bw_studio *studio, float rgb[3])
{
    const struct bw_look *look = &studio->scene->look;
    struct bw_solid_seen s = *seen;
    float arrives[3] = {0}, mirrored[3] = {0};
    s.at.lift = LIFT;
    normal_seen(&s);
    const struct bw_facing surface = {{s.at.normal[0], s.at.normal[1], s.at.normal[2]}, 1};
    bw_lamps_light(&studio->ambient->lamps, s.at.p, &surface, arrives);
    const float up = 0.5f + 0.5f * (float)s.at.normal[2];
    for (int c = 0; c < 3; c++) // irradiance over π
        arrives[c] = 4 * arrives[c] + studio->room.below[c] + up * (studio->room.above[c] - studio->room.below[c]);
    for (int l = 0; l < studio->n_lights; l++) lamp_add(&s, studio, l, arrives, mirrored);
    if (look->roughness < 1) room_mirror(studio, s.at.normal, s.dir, 1 - look->roughness, mirrored);
    for (int c = 0; c < 3; c++) rgb[c] = look->obstacle[c] * arrives[c] + mirrored[c];
}
