// SPDX-License-Identifier: Apache-2.0
/* What stays the same over a movie: stage, camera, lights and a photographer's choices. */
#ifndef BW_SCENE_H
#define BW_SCENE_H

#include "camera.h"
#include "light.h"
#include "volume.h"
#include <picture/rows.h>
#include <picture/volume/material/place.h>
#include <picture/volume/material/scorch.h>

#include <stdint.h>

enum { BW_LIGHTS = 8 };

/// How much time a picture is worth.
enum bw_quality { BW_QUALITY_DRAFT = -1, BW_QUALITY_DEFAULT, BW_QUALITY_FINAL };

enum { BW_FINISHES = 16 }; ///< looks of obstacles, at most

/// Which particles a render shows.
enum bw_show_particles { BW_SHOW_HOT, BW_SHOW_ALL, BW_SHOW_NONE, BW_SHOW_LIGHT };

/* Of a row of rows.h the member that renders read: as the preset has it, and colours from 0 up. */
// clang-format off
#define BW_LOOK_MEMBER(S, m, KIND, member, ...) BW_LOOK_MEMBER_##KIND(member)
#define BW_LOOK_MEMBER_F64(member) double member;
#define BW_LOOK_MEMBER_INT(member) int32_t member;
#define BW_LOOK_MEMBER_CHOICE(member) int32_t member;
#define BW_LOOK_MEMBER_COLOUR(member) float member[3];

struct bw_sky;
struct bw_spots;
struct bw_surroundings;
struct bw_stone_lots;
/// What a photographer would choose.
struct bw_look {
    BW_LOOK_ROWS(BW_LOOK_MEMBER, , ) ///< key, environment, fire: times what the mood makes of them
    struct { BW_PARTICLE_ROWS(BW_LOOK_MEMBER, , ) } particles;
    struct { BW_FLAME_ROWS(BW_LOOK_MEMBER, , ) } flames;
    // clang-format on
    float albedo[3];                           ///< what smoke scatters of the light it meets
    int32_t quality;                           ///< enum bw_quality
    struct bw_material_wish material;          ///< of obstacles
    struct bw_material_wish each[BW_FINISHES]; ///< of forms that have a look of their own
    struct bw_scorch scorch;                   ///< where a fire has been
    int32_t has_background;
    float background[3]; ///< linear; else the studio's backdrop
    int32_t has_sky;
    float above[3], below[3]; ///< linear light from all around; else the studio's
    const struct bw_sky *sky; ///< round everything instead of studio and sky, with lamps of its own; NULL: none
    int32_t n_lights;         ///< instead of the studio's two
    struct bw_light light[BW_LIGHTS];
};
#define BW_CONTRAST 0.5     ///< of luminance between temperatures of embers, as film has it
#define BW_SOFTEN (1 / 3.0) ///< what a cubic B-spline does by itself

struct bw_scene {
    struct bw_camera camera;
    int32_t has_lamps;      ///< 1: the studio's lamps stay where they are for `lamps`, and do not move with `camera`
    struct bw_camera lamps; ///< the movie's, while one looks around in it
    double lo[3], hi[3];    ///< the stage, m: its floor is at lo[2]
    double extinction;      ///< 1/m for a density of 1
    double ambient;         ///< ambient temperature, K
    double exposure;        ///< 1: as it is meant
    double flame_kelvin;    ///< flames are exposed for those that hot; 0: for the white point
    double shutter;         ///< s that it is open; 0: what moves is sharp
    double streak;          ///< the same of particles
    double frame, tick;     ///< which frame of the movie it is; s from one to the next
    double metre;           ///< units of the volume to a metre; 0: 1
    int32_t floor;          ///< 1: draw floor and shadow
    struct bw_look look;
    struct bw_spots *spots;               ///< what the picture before left of what stands still; NULL: nothing …
    const struct bw_surroundings *around; ///< … but these, which several pictures may share; NULL: not even that
};

/// Light of a channel that smoke lets through where it lets through `grey` of an extinction of 1.
static inline float bw_look_transmittance(const struct bw_look *l, float grey, int channel)
{
    return l->extinction[channel] == 1 ? grey : powf(grey, l->extinction[channel]);
}

/// Rays from a place to a lamp that is half hidden there.
static inline int32_t bw_look_rays(const struct bw_look *l)
{
    static const int32_t rays[] = {1, 8, 12};
    return rays[l->quality + 1];
}

/// Does it take velocities to draw, and ages? 0, BW_MOVES, or that and BW_AGES.
static inline int bw_scene_moves(const struct bw_scene *s)
{
    if (s->look.detail > 0) return BW_MOVES | BW_AGES;
    return s->shutter > 0 || s->look.flames.filaments > 0 ? BW_MOVES : 0;
}

/// Does it take fuel?
static inline int bw_scene_roots(const struct bw_scene *s) { return s->look.flames.root > 0; }

/// Extinction for a density of 1 that gives smoke some body in a stage of that size.
double bw_scene_extinction(const double lo[3], const double hi[3]);
/// The lights of a scene: its own, or the studio's key and rim, which move with camera or `lamps`. Returns how many.
int32_t bw_scene_lights(const struct bw_scene *s, struct bw_light light[BW_LIGHTS]);

#endif
