// SPDX-License-Identifier: Apache-2.0
/* What stays the same over a movie: stage, camera, lights and a photographer's choices. */
#ifndef BW_SCENE_H
#define BW_SCENE_H

#include "camera.h"
#include "light.h"
#include <picture/volume/material/place.h>
#include <picture/volume/material/scorch.h>

#include <stdint.h>

enum { BW_LIGHTS = 8 };

/// How much time a picture is worth.
enum bw_quality { BW_QUALITY_DRAFT = -1, BW_QUALITY_DEFAULT, BW_QUALITY_FINAL };

enum { BW_FINISHES = 16 }; ///< looks of obstacles, at most

struct bw_sky;
/// What a photographer would choose.
struct bw_look {
    double key;          ///< strength of the studio's two lights; 1: a lit studio
    double environment;  ///< of the light from all around
    double fire;         ///< of flames
    float firelight[3];  ///< of the light that they throw on floor and obstacles, times that
    double sparks;       ///< of particles that glow, times that
    int32_t shine;       ///< 1: particles that are cold send out their own colour, times `sparks`, and hide nothing
    double fade;         ///< m behind what is sharp, where those are half as bright, before it twice; 0: all alike
    double reach;        ///< m from what is sharp, where a third of their light is left; 0: all of it
    int32_t smooth;      ///< neighbours over which each of those is spread; below 2: none
    double stray;        ///< m that neighbours lie off a line, where a third of one's light is left; 0: all of it
    double veil;         ///< share of what is behind it that a disc of one of those hides; 0: they hide nothing
    double lit;          ///< of the lamps' light, what they scatter of it besides, times their colour
    double anisotropy;   ///< mean cosine of scattering, -0.9 … 0.9
    double soften;       ///< 0 … 1: how much flames are smoothed over a cell and its neighbours
    double bloom;        ///< share of light that spreads over the picture
    double detail;       ///< 0 … 1: of noise finer than the cells
    double visibility;   ///< m in the air; 0: without end
    double crisp;        ///< 0 … 2: how much brighter folds of flames are than what is round them
    double sheets;       ///< power by which sheets of flame stand out between the cells; 0: not
    double opacity;      ///< how much of what is behind them flames hide, times the default
    double soot;         ///< 0 … 1: how much of that those hide that hardly glow
    double contrast;     ///< of luminance between temperatures; 1 is physical
    float tint[3];       ///< of flames: their light by channel, times a black body's
    double filaments;    ///< 0 … 1: of noise that the flow draws out in flames
    double root;         ///< light of fuel that has only begun to burn, times a candle's; 0: it glows like the rest
    double root_fuel;    ///< share of the fuel that is left where that ends
    float root_rgb[3];   ///< linear
    double haze;         ///< how much hot gas bends what is behind it, times what air does
    float albedo[3];     ///< what smoke scatters of the light it meets
    float extinction[3]; ///< of smoke and flames, by channel, times the scene's
    int32_t quality;     ///< enum bw_quality
    struct bw_material_wish material;          ///< of obstacles
    struct bw_material_wish each[BW_FINISHES]; ///< of forms that have a look of their own
    struct bw_scorch scorch;                   ///< where a fire has been
    int32_t ground;                            ///< enum bw_ground: what the floor is made of
    int32_t backdrop;                          ///< enum bw_backdrop: what stands far off
    int32_t has_background;
    float background[3]; ///< linear; else the studio's backdrop
    int32_t has_sky;
    float above[3], below[3]; ///< linear light from all around; else the studio's
    const struct bw_sky *sky; ///< round everything instead of studio and sky, with lamps of its own; NULL: none
    int32_t n_lights;         ///< instead of the studio's two
    struct bw_light light[BW_LIGHTS];
};
#define BW_CONTRAST 0.5     ///< of luminance between temperatures, as film has it
#define BW_SOFTEN (1 / 3.0) ///< what a cubic B-spline does by itself

// clang-format off
#define BW_LOOK_CLAY                                                                                                   \
    .material = {.colour = {0.2f, 0.17f, 0.15f}, .roughness = 1, .scale = 1}, .extinction = {1, 1, 1},                 \
    .firelight = {1, 1, 1}, .tint = {1, 1, 1}, .opacity = 1, .contrast = BW_CONTRAST

/// Of smoke: a lit studio.
#define BW_LOOK_DEFAULT                                                                                                \
    {.key = 1, .environment = 1, .fire = 1, .anisotropy = 0.45, .bloom = 0.03,                                         \
     .albedo = {0.92f, 0.92f, 0.92f}, .sparks = 1, BW_LOOK_CLAY}

/// Of fire: the studio dimmed, smoke sooty, flames that do not fill the film.
#define BW_LOOK_FIRE                                                                                                   \
    {.key = 0.15, .environment = 0.4, .fire = 0.4, .anisotropy = 0.45, .bloom = 0.03,                                  \
     .albedo = {0.5f, 0.5f, 0.5f}, .sparks = 1, BW_LOOK_CLAY}
// clang-format on

struct bw_scene {
    struct bw_camera camera;
    int32_t has_lamps;      ///< 1: the studio's lamps stay where they are for `lamps`, and do not move with `camera`
    struct bw_camera lamps; ///< the movie's, while one looks around in it
    double lo[3], hi[3];    ///< the stage, m: its floor is at lo[2]
    double extinction;      ///< 1/m for a density of 1
    double ambient;         ///< ambient temperature, K
    double exposure;        ///< 1: as it is meant
    double shutter;         ///< s that it is open; 0: what moves is sharp
    double streak;          ///< the same of particles
    double frame, tick;     ///< which frame of the movie it is; s from one to the next
    int32_t floor;          ///< 1: draw floor and shadow
    struct bw_look look;
};

/// Light of a channel that smoke lets through where it lets through `grey` of an extinction of 1.
static inline float bw_look_through(const struct bw_look *l, float grey, int channel)
{
    return l->extinction[channel] == 1 ? grey : powf(grey, l->extinction[channel]);
}

/// Rays from a place to a lamp that is half hidden there.
static inline int32_t bw_look_rays(const struct bw_look *l)
{
    static const int32_t rays[] = {1, 8, 12};
    return rays[l->quality + 1];
}

/// Does it take velocities to draw?
static inline int bw_scene_moves(const struct bw_scene *s)
{
    return s->shutter > 0 || s->look.detail > 0 || s->look.filaments > 0;
}

/// Does it take fuel?
static inline int bw_scene_roots(const struct bw_scene *s) { return s->look.root > 0; }

/// Extinction for a density of 1 that gives smoke some body in a stage of that size.
double bw_scene_extinction(const double lo[3], const double hi[3]);
/// The lights of a scene: its own, or the studio's key and rim, which move with camera or `lamps`. Returns how many.
int32_t bw_scene_lights(const struct bw_scene *s, struct bw_light light[BW_LIGHTS]);

#endif
