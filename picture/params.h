// SPDX-License-Identifier: Apache-2.0
/* The parameters that every exporter of pictures has, and what they say of stage, camera and look. */
#ifndef BW_PICTURE_PARAMS_H
#define BW_PICTURE_PARAMS_H

#include <billow/plugin.h>
#include <picture/image/colormap.h>
#include <picture/slice/slice.h>
#include <picture/volume/scene/scene.h>
#include <picture/volume/sky/backdrop.h>
#include <picture/volume/sky/sphere.h>

enum bw_picture_mood { BW_MOOD_AUTO, BW_MOOD_SMOKE, BW_MOOD_FIRE };
enum bw_picture_view { BW_VIEW_AUTO, BW_VIEW_RENDER, BW_VIEW_SLICE };

/// What the camera looks at.
struct bw_picture_target {
    int32_t kind; ///< enum: 0 the stage's middle, 1 `point`
    bw_vec3 point;
};

struct bw_picture_camera {
    double azimuth, elevation, roll, distance, lens, sensor, orbit, fstop, focus;
    struct bw_picture_target target;
    const char *file, *name; ///< NULL: the preset's reader has put the others in their place
};

/// What an obstacle looks like.
struct bw_picture_obstacle {
    const char *stage; ///< its id
    bw_vec3 colour;
    double roughness, scale;
    double gloss;     ///< of the flames' light that a smooth one mirrors
    double glow;      ///< K; 0: it does not
    int32_t material; ///< enum bw_material
};
/// Where a fire has been.
struct bw_picture_scorch {
    bw_vec3 center;
    double radius;
    double glow; ///< K
};
/// What all of them look like but those that are named.
struct bw_picture_obstacles {
    struct bw_picture_obstacle all;
    struct bw_list each; ///< struct bw_picture_obstacle
};

/// Particles: which, and how.
struct bw_picture_particles {
    int32_t show; ///< enum bw_show_particles
    double size, vary;
    double streak, glow;
    double fade, reach;
    int64_t smooth;
    double stray, veil, lit;
};

/// Flames: how they are drawn.
struct bw_picture_flames {
    double crisp, sheets, opacity, soot, contrast, filaments, root, root_fuel;
    bw_vec3 tint, root_colour;
};

/// What is round the stage.
struct bw_picture_hdri {
    const char *file;
    double turn, strength;
};
struct bw_picture_sun {
    double elevation, azimuth, turbidity, strength, clouds;
};
struct bw_picture_sky {
    int32_t kind; ///< enum bw_sky_kind
    struct bw_picture_hdri hdri;
    struct bw_picture_sun sun;
};

struct bw_picture_params {
    int32_t view, axis, map, vectors, floor, ground, backdrop, labels, mood, quality;
    const char *field, *position;
    struct bw_list range;
    int64_t size, width;
    double relief, thickness, exposure, shutter, frame, key, environment, fire, anisotropy, soften, bloom, detail, haze,
        visibility;
    bw_vec3 smoke, extinction, firelight;
    struct bw_list lights, background, above, below;
    struct bw_picture_camera camera;
    struct bw_picture_obstacles obstacles;
    struct bw_picture_scorch scorch;
    struct bw_picture_particles particles;
    struct bw_picture_flames flames;
    struct bw_picture_sky sky;
    const char *blend;
    double edge;
};

/// A lamp of the preset's own.
struct bw_picture_light {
    bw_vec3 to, colour;
    double angle, size;
    struct bw_list position;
};

extern const struct bw_param bw_picture_range_row[1], bw_picture_light_rows[5], bw_picture_camera_rows[12],
    bw_picture_obstacle_rows[7], bw_picture_scorch_rows[3], bw_picture_particle_rows[11], bw_picture_flame_rows[10],
    bw_picture_sky_rows[3];

/// Rows of a parameter table for the member `m`, a struct bw_picture_params, of S.
// clang-format off
#define BW_PICTURE_PARAMS(S, m)                                                                                        \
    BW_CHOICE(S, m.view, "view", "auto", "auto|render|slice",                                                          \
        "Volume render, or a slice; auto: renders in movies, slices as pictures and in 2D."),                          \
    BW_INT(S, m.size, "size", "720", 16, 8192,                                                                         \
        "Height of the picture in pixels (rounded to even; wide ones: half the width); renders of quick bakes: half."),\
    BW_INT(S, m.width, "width", "0", 0, 8192,                                                                          \
        "Renders: width of the picture in pixels; 0: what suits the domain's shape."),                                 \
    BW_CHOICE(S, m.axis, "axis", "y", "x|y|z",                                                                         \
        "Slices: the axis across the slice (2D domains have but one)."),                                               \
    BW_STRING(S, m.position, "position", "center",                                                                     \
        "Slices: where along the axis, in metres (\"0.4 m\"), or center."),                                            \
    BW_FIELD(S, m.field, "field", 0,                                                                                   \
        "Slices: the field shown; density where there is one."),                                                       \
    BW_CHOICE(S, m.map, "map", "auto", BW_MAP_CHOICES,                                                                 \
        "Slices: the colour map; auto: what suits the field; schlieren: its slopes, as light that gas bends."),        \
    BW_LIST(S, m.range, double, "range", bw_picture_range_row,                                                         \
        "Slices: [lowest, highest] value of the colours; without it: the values so far."),                             \
    BW_F64(S, m.relief, "relief", "0", 0, 4, 0,                                                                        \
        "Slices: what is shown is lit as if it lay there the thicker the more there is of it, and throws a soft "      \
        "shadow; 1: as wet paint."),                                                                                   \
    BW_CHOICE(S, m.vectors, "vectors", "none", BW_VECTORS_CHOICES,                                                     \
        "Slices: the flow drawn over it."),                                                                            \
    BW_BOOL(S, m.labels, "labels", "true",                                                                             \
        "Slices: title, scale and colour bar."),                                                                       \
    BW_BOOL(S, m.floor, "floor", "true",                                                                               \
        "Renders: a floor that takes shadows."),                                                                       \
    BW_CHOICE(S, m.ground, "ground", "studio", "studio|earth|street|cyclorama",                                        \
        "Renders: what the floor is made of: dark and even, soil with stones, asphalt with puddles, white paint up "   \
        "the wall."),                                                                                                  \
    BW_CHOICE(S, m.backdrop, "backdrop", "studio", BW_BACKDROP_CHOICES,                                                \
        "Renders: what stands far off: the studio's wall, a clear sky at dusk, and before it hills, firs, or a town "  \
        "with lit windows; by day before the `sky`."),                                                                 \
    BW_F64(S, m.visibility, "visibility", "0 m", 0, 1e9, "m",                                                          \
        "Renders: how far one sees in the air, until a fiftieth of the contrast is left: obstacles, smoke and "        \
        "floor fade to the horizon's colour; 0: as far as one likes."),                                                \
    BW_F64(S, m.thickness, "thickness", "1", 0, 1e6, 0,                                                                \
        "Renders: optical thickness of smoke, times the default."),                                                    \
    BW_STRING(S, m.blend, "blend", 0,                                                                                  \
        "Renders: another domain that overlaps, shown too; the finer one counts where it is, and "                     \
        "fades towards its sides."),                                                                                   \
    BW_F64(S, m.edge, "edge", "8", 0, 1e4, 0,                                                                          \
        "Renders: cells of the finer domain over which `blend` fades."),                                               \
    BW_F64(S, m.exposure, "exposure", "1", 0, 1e6, 0,                                                                  \
        "Renders: brightness, times the default."),                                                                    \
    BW_F64(S, m.shutter, "shutter", "0", 0, 4, 0,                                                                      \
        "Renders: how long the shutter is open, frames; 0.5 is a film camera's 180 degrees, 0: what moves is sharp."), \
    BW_F64(S, m.frame, "frame", "1", 0.05, 10, 0,                                                                      \
        "Renders: how much of the domain's width, and of its height from the floor, fills the "                        \
        "picture."),                                                                                                   \
    BW_GROUP(S, m.camera, struct bw_picture_camera, "camera", bw_picture_camera_rows,                                  \
        "Renders: where from. `camera:` beside `export:` is for all exporters."),                                      \
    {.key = "mood", .type = BW_PARAM_CHOICE, .offset = BW_OFFSET(S, m.mood, int32_t), .def = "auto",                   \
     .choices = "auto|smoke|fire", .was = "look", .flags = BW_PARAM_STATIC,                                            \
     .doc = "Renders: fire dims the studio, darkens smoke and tames flames, all times the values below; auto: "        \
        "where there are flames, and key, environment, fire and smoke are left alone."},                               \
    {.key = "quality", .type = BW_PARAM_CHOICE, .offset = BW_OFFSET(S, m.quality, int32_t), .def = "default",          \
     .choices = "draft|default|final", .was = "19=default",                                                            \
     .doc = "Renders: draft is quicker and shows cells; final takes finer steps and four rays a pixel, six times as "  \
        "long."},                                                                                                      \
    BW_F64(S, m.key, "key", "1", 0, 1e3, 0,                                                                            \
        "Renders: strength of the studio's lights; 0: fire alone lights the scene."),                                  \
    BW_F64(S, m.environment, "environment", "1", 0, 1e3, 0,                                                            \
        "Renders: strength of the light from all around."),                                                            \
    BW_F64(S, m.fire, "fire", "1", 0, 1e6, 0,                                                                          \
        "Renders: brightness of flames, times the default."),                                                          \
    BW_COLOUR(S, m.firelight, "firelight", "[1, 1, 1]",                                                                \
        "Renders: light that flames throw on floor and obstacles, times what they send to the eye; film shows " \
        "the hottest darker and paler than they are, so [3, 4, 5] looks more as photographs do."),                     \
    BW_COLOUR(S, m.smoke, "smoke", "[0.92, 0.92, 0.92]",                                                               \
        "Renders: share of light that smoke scatters; soot is dark."),                                                 \
    BW_COLOUR(S, m.extinction, "extinction", "[1, 1, 1]",                                                              \
        "Renders: how thick smoke is for red, green, and blue, times `thickness`; [0.8, 1, 1.3]: thin smoke is blue, " \
        "and what is seen through it, and its shadow, brown."),                                                        \
    BW_F64(S, m.anisotropy, "anisotropy", "0.45", -0.9, 0.9, 0,                                                        \
        "Renders: mean cosine of scattering; above 0: smoke is brightest against the light."),                         \
    BW_F64(S, m.soften, "soften", "0", 0, 1, 0,                                                                        \
        "Renders: how much flames are smoothed over neighbouring cells; 0: as sharp as they were simulated, 1 hides "  \
        "the cells where sheets of flame are thin, as in explosions."),                                                \
    BW_F64(S, m.bloom, "bloom", "0.03", 0, 1, 0,                                                                       \
        "Renders: share of the light above white that glows around it."),                                              \
    BW_F64(S, m.detail, "detail", "0", 0, 1, 0,                                                                        \
        "Renders: how much finer than the cells smoke and flames are drawn, by noise that the flow carries, where "    \
        "`vel` is turbulent; the picture's alone, `billow upres` puts such detail into files."),                       \
    BW_F64(S, m.haze, "haze", "0", 0, 1e4, 0,                                                                          \
        "Renders: how much hot gas bends what is seen behind it; 1: as air does, a pixel or less; films show 5 to "    \
        "30."),                                                                                                        \
    BW_GROUP(S, m.obstacles, struct bw_picture_obstacles, "obstacles", bw_picture_obstacle_rows,                       \
        "Renders: what obstacles look like."),                                                                         \
    BW_GROUP(S, m.scorch, struct bw_picture_scorch, "scorch", bw_picture_scorch_rows,                                  \
        "Renders: where a fire has been: floor and wood are charred there, all else is sooty."),                       \
    BW_GROUP(S, m.particles, struct bw_picture_particles, "particles", bw_picture_particle_rows,                       \
        "Renders: embers, tracers, points."),                                                                          \
    BW_GROUP(S, m.flames, struct bw_picture_flames, "flames", bw_picture_flame_rows,                                   \
        "Renders: what is seen inside flames: folds, sheets, depth, colours, filaments, blue roots."),                 \
    BW_LIST(S, m.lights, struct bw_picture_light, "lights", bw_picture_light_rows,                                     \
        "Renders: lamps instead of the studio's two, at most 8."),                                                     \
    BW_VARIANT(S, m.sky, struct bw_picture_sky, "sky", "studio", bw_picture_sky_rows,                                  \
        "Renders: what is round the stage, seen, mirrored, and lighting it: studio, {hdri: {…}}, {sun: {…}}."),        \
    BW_LIST(S, m.above, double, "above", bw_picture_range_row,                                                         \
        "Renders: linear [r, g, b] of the sky that smoke and floor see, times `environment`, instead of the "          \
        "studio's; with `below`."),                                                                                    \
    BW_LIST(S, m.below, double, "below", bw_picture_range_row,                                                         \
        "Renders: the same from below."),                                                                              \
    BW_LIST(S, m.background, double, "background", bw_picture_range_row,                                               \
        "Renders: linear [r, g, b] behind everything instead of the studio's wall.")
// clang-format on

/// The picture's parameters inside `values`, which were evaluated for a table that has BW_PICTURE_PARAMS among its rows
/// (an exporter's `params`); NULL: it has not, so it makes no pictures. So whoever has an exporter's table and a bake's
/// resolved preset knows its look, and no list of keys is needed beside the table.
const struct bw_picture_params *bw_picture_params_find(const struct bw_param *rows, uint32_t n_rows,
                                                       const void *values);
/// 1: they ask for a render where something can be rendered, 0: for a slice. `slices`: 1 for exporters whose "auto"
/// is a slice.
int bw_picture_params_render(const struct bw_picture_params *p, int slices);

/// The look that parameters ask for; `flames`: 1 where there are any. Errors: BW_ERR_PRESET with a sentence in `why`.
enum bw_status bw_picture_look(const struct bw_picture_params *p, int flames, struct bw_look *look, char *why,
                               size_t why_size);
/// The sky that parameters ask for; bw_sky_follow makes it, for look.sky. Errors: BW_ERR_PRESET, likewise.
enum bw_status bw_picture_sky(const struct bw_picture_params *p, struct bw_sky_wish *wish, char *why, size_t why_size);
/// What the picture shows of the stage s->lo … s->hi: camera, and, while size[0] is 0, the size in pixels and how thick
/// smoke is (for a thickness of 1). `gone`: share of the frames before this one. Lamps stay where an orbit began.
void bw_picture_stage(const struct bw_picture_params *p, double gone, int32_t size[2], struct bw_scene *s);

#endif
