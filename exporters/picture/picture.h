// SPDX-License-Identifier: Apache-2.0
/* From a frame's snapshot to a picture: what the png and mp4 exporters share, parameters included. */
#ifndef BW_PICTURE_H
#define BW_PICTURE_H

#include <picture/volume/render.h>
#include <picture/slice/slice.h>
#include <billow/plugin.h>

enum bw_picture_mood { BW_MOOD_AUTO, BW_MOOD_SMOKE, BW_MOOD_FIRE };
enum bw_picture_view { BW_VIEW_AUTO, BW_VIEW_RENDER, BW_VIEW_SLICE };

struct bw_picture_params {
    int32_t view, axis, map, vectors, floor, labels, mood;
    const char *field, *position;
    struct bw_list range;
    int64_t size;
    double thickness, exposure, frame, key, environment, fire, anisotropy, soften, bloom;
    bw_vec3 smoke;
    struct bw_list lights, background;
    const char *blend;
    double edge;
};

/// A lamp of the preset's own.
struct bw_picture_light {
    bw_vec3 to, colour;
    double soft;
};

extern const struct bw_param bw_picture_range_row[1], bw_picture_light_rows[3];

/// Rows of a parameter table for the member `m`, a struct bw_picture_params, of S.
#define BW_PICTURE_PARAMS(S, m)                                                                                                                                                               \
    BW_CHOICE(S, m.view, "view", "auto", "auto|render|slice",                                                                                                                                 \
              "Volume render, or a slice; auto: renders in movies, slices as pictures, in 2D and in quick bakes."),                                                                           \
        BW_INT(S, m.size, "size", "720", 16, 8192,                                                                                                                                            \
               "Height of the picture in pixels (rounded to even; wide ones: half the width)."),                                                                                              \
        BW_CHOICE(S, m.axis, "axis", "y", "x|y|z", "Slices: the axis across the slice (2D domains have but one)."),                                                                           \
        BW_STRING(S, m.position, "position", "center",                                                                                                                                        \
                  "Slices: where along the axis, in metres (\"0.4 m\"), or center."),                                                                                                         \
        BW_FIELD(S, m.field, "field", 0, "Slices: the field shown; density where there is one."),                                                                                             \
        BW_CHOICE(S, m.map, "map", "auto", BW_MAP_CHOICES, "Slices: the colour map; auto: what suits the field."),                                                                            \
        BW_LIST(S, m.range, double, "range", bw_picture_range_row,                                                                                                                            \
                "Slices: [lowest, highest] value of the colours; without it: the values so far."),                                                                                            \
        BW_CHOICE(S, m.vectors, "vectors", "none", BW_VECTORS_CHOICES, "Slices: the flow drawn over it."),                                                                                    \
        BW_BOOL(S, m.labels, "labels", "true", "Slices: title, scale and colour bar."),                                                                                                       \
        BW_BOOL(S, m.floor, "floor", "true", "Renders: a floor that takes shadows."),                                                                                                         \
        BW_F64(S, m.thickness, "thickness", "1", 0, 1e6, 0,                                                                                                                                   \
               "Renders: optical thickness of smoke, times the default."),                                                                                                                    \
        BW_STRING(                                                                                                                                                                            \
            S, m.blend, "blend", 0,                                                                                                                                                           \
            "Renders: another domain that overlaps, shown too; the finer one counts where it is, and fades towards its sides."),                                                              \
        BW_F64(S, m.edge, "edge", "8", 0, 1e4, 0, "Renders: cells of the finer domain over which `blend` fades."),                                                                            \
        BW_F64(S, m.exposure, "exposure", "1", 0, 1e6, 0, "Renders: brightness, times the default."),                                                                                         \
        BW_F64(S, m.frame, "frame", "1", 0.05, 10, 0,                                                                                                                                         \
               "Renders: how much of the domain's width, and of its height from the floor, fills the picture."),                                                                              \
        BW_CHOICE(                                                                                                                                                                            \
            S, m.mood, "look", "auto", "auto|smoke|fire",                                                                                                                                     \
            "Renders: fire dims the studio, darkens smoke and tames flames, all times the values below; auto: where there are flames, and key, environment, fire and smoke are left alone."), \
        BW_F64(S, m.key, "key", "1", 0, 1e3, 0,                                                                                                                                               \
               "Renders: strength of the studio's lights; 0: fire alone lights the scene."),                                                                                                  \
        BW_F64(S, m.environment, "environment", "1", 0, 1e3, 0, "Renders: strength of the light from all around."),                                                                           \
        BW_F64(S, m.fire, "fire", "1", 0, 1e6, 0, "Renders: brightness of flames, times the default."),                                                                                       \
        BW_COLOUR(S, m.smoke, "smoke", "[0.92, 0.92, 0.92]",                                                                                                                                  \
                  "Renders: share of light that smoke scatters; soot is dark."),                                                                                                              \
        BW_F64(S, m.anisotropy, "anisotropy", "0.45", -0.9, 0.9, 0,                                                                                                                           \
               "Renders: mean cosine of scattering; above 0: smoke is brightest against the light."),                                                                                         \
        BW_F64(                                                                                                                                                                               \
            S, m.soften, "soften", "0.3333", 0, 1, 0,                                                                                                                                         \
            "Renders: how much flames are smoothed over neighbouring cells: 0 not at all; 1 hides the cells where sheets of flame are thin, as in explosions."),                              \
        BW_F64(S, m.bloom, "bloom", "0.06", 0, 1, 0, "Renders: share of light that glows around what is bright."),                                                                            \
        BW_LIST(S, m.lights, struct bw_picture_light, "lights", bw_picture_light_rows,                                                                                                        \
                "Renders: lamps instead of the studio's two, at most 8."),                                                                                                                    \
        BW_LIST(S, m.background, double, "background", bw_picture_range_row,                                                                                                                  \
                "Renders: linear [r, g, b] behind everything instead of the studio's wall.")

/// The look that parameters ask for; `flames`: 1 where there are any. Errors: BW_ERR_PRESET with a sentence in `why`.
enum bw_status bw_picture_look(const struct bw_picture_params *p, int flames, struct bw_look *look, char *why,
                               size_t why_size);
/// What the picture shows of the stage s->lo … s->hi: camera, and, while size[0] is 0, the size in pixels and how thick
/// smoke is (for a thickness of 1).
void bw_picture_stage(const struct bw_picture_params *p, int32_t size[2], struct bw_scene *s);

/// What is kept from frame to frame, so that camera, size and colours do not jump. Zero it before the first.
struct bw_picture {
    struct bw_tools tools;
    struct bw_scene scene;
    int32_t has_scene;
    int32_t size[2]; ///< 0: not yet known
    double range[2]; ///< of the colours, so far
    int32_t slices;  ///< view: auto means a slice
};

/// The host as tools; the exporter must stay where it is.
void bw_picture_begin(struct bw_picture *p, struct bw_exporter *e);
/// Make the picture of a frame in *img (free it). Errors are already reported.
enum bw_status bw_picture_make(struct bw_picture *p, struct bw_exporter *e, const struct bw_frame *frame,
                               const struct bw_picture_params *params, struct bw_image *img);

/// A render as linear light with the exposure, before film and bloom. `alpha`: NULL, or gets what the smoke covers (release
/// it); then the studio is not drawn.
enum bw_status bw_picture_light(struct bw_picture *p, struct bw_exporter *e, const struct bw_frame *frame,
                                const struct bw_picture_params *params, struct bw_image *img, float **alpha);

/* gather.c: snapshot to dense arrays. */

/// The grid field called `name`, or NULL.
const struct bw_snapshot_field *bw_gather_find(const struct bw_frame *frame, const char *name);
/// Fill *v (zeroed) from density, flame, temperature, dye and solid over what is not empty. *memory is released by
/// the caller with the tools. Errors: BW_ERR_MEMORY.
enum bw_status bw_gather_volume(const struct bw_tools *tools, const struct bw_frame *frame, struct bw_volume *v,
                                float **memory);
/// The same of the frame's domain and of `other` together, as nest_share tells how much of each: on cells of the finer one,
/// or as many times wider as makes them few enough.
enum bw_status bw_gather_blend(const struct bw_tools *tools, const struct bw_frame *frame,
                               const struct bw_domain_info *other, double edge, struct bw_volume *v, float **memory);
/// World box of a domain: its own, or, without one, that of the active tiles of `f`.
void bw_gather_bounds(const struct bw_snapshot_field *f, double lo[3], double hi[3]);

#endif
