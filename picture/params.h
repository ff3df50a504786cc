// SPDX-License-Identifier: Apache-2.0
/* The parameters that every exporter of pictures has (rows.h), and what they say of stage, camera and look. */
#ifndef BW_PICTURE_PARAMS_H
#define BW_PICTURE_PARAMS_H

#include <billow/plugin.h>
#include <picture/image/colormap.h>
#include <picture/rows.h>
#include <picture/slice/slice.h>
#include <picture/volume/scene/scene.h>
#include <picture/volume/sky/backdrop.h>
#include <picture/volume/sky/sphere.h>

enum bw_picture_mood { BW_MOOD_AUTO, BW_MOOD_SMOKE, BW_MOOD_FIRE };
enum bw_picture_view { BW_VIEW_AUTO, BW_VIEW_RENDER, BW_VIEW_SLICE };

/* Of a row of rows.h the member that the preset's value is read into. */
// clang-format off
#define BW_PICTURE_MEMBER(S, m, KIND, ...) BW_PICTURE_MEMBER_##KIND(__VA_ARGS__, 0)
#define BW_PICTURE_MEMBER_BOOL(member, ...) int32_t member;
#define BW_PICTURE_MEMBER_INT(member, ...) int64_t member;
#define BW_PICTURE_MEMBER_F64(member, ...) double member;
#define BW_PICTURE_MEMBER_F64_WAS BW_PICTURE_MEMBER_F64
#define BW_PICTURE_MEMBER_CHOICE(member, ...) int32_t member;
#define BW_PICTURE_MEMBER_CHOICE_WAS BW_PICTURE_MEMBER_CHOICE
#define BW_PICTURE_MEMBER_STRING(member, ...) const char *member;
#define BW_PICTURE_MEMBER_PATH BW_PICTURE_MEMBER_STRING
#define BW_PICTURE_MEMBER_FIELD BW_PICTURE_MEMBER_STRING
#define BW_PICTURE_MEMBER_VEC3(member, ...) bw_vec3 member;
#define BW_PICTURE_MEMBER_COLOUR BW_PICTURE_MEMBER_VEC3
#define BW_PICTURE_MEMBER_LIST(member, ...) struct bw_list member;
#define BW_PICTURE_MEMBER_GROUP(member, T, ...) T member;
#define BW_PICTURE_MEMBER_VARIANT BW_PICTURE_MEMBER_GROUP

/// What the camera looks at.
struct bw_picture_target {
    int32_t kind; ///< enum: 0 the stage's middle, 1 `point`
    bw_vec3 point;
};
struct bw_picture_camera {
    BW_CAMERA_ROWS(BW_PICTURE_MEMBER, , ) ///< `file`: the preset's reader has put the others in its place
};
struct bw_picture_obstacle {
    const char *stage; ///< its id
    BW_OBSTACLE_ROWS(BW_PICTURE_MEMBER, , )
};
/// What all of them look like but those that are named.
struct bw_picture_obstacles {
    struct bw_picture_obstacle all;
    struct bw_list each; ///< struct bw_picture_obstacle
};
struct bw_picture_scorch { BW_SCORCH_ROWS(BW_PICTURE_MEMBER, , ) };
struct bw_picture_particles { BW_PARTICLE_ROWS(BW_PICTURE_MEMBER, , ) };
struct bw_picture_flames { BW_FLAME_ROWS(BW_PICTURE_MEMBER, , ) };
struct bw_picture_light { BW_LIGHT_ROWS(BW_PICTURE_MEMBER, , ) };
struct bw_picture_hdri { BW_HDRI_ROWS(BW_PICTURE_MEMBER, , ) };
struct bw_picture_sun { BW_SUN_ROWS(BW_PICTURE_MEMBER, , ) };
/// What is round the stage.
struct bw_picture_sky {
    int32_t kind; ///< enum bw_sky_kind
    struct bw_picture_hdri hdri;
    struct bw_picture_sun sun;
};
struct bw_picture_params {
    BW_GLANCE_ROWS(BW_PICTURE_MEMBER, , )
    BW_LOOK_ROWS(BW_PICTURE_MEMBER, , )
    BW_SHOW_ROWS(BW_PICTURE_MEMBER, , )
};

/* Of a row of rows.h the row of a table. */
#define BW_PICTURE_ROW(S, m, KIND, member, ...) BW_PICTURE_ROW_##KIND(S, m member, #member, __VA_ARGS__),
/// One of those that `info` shows apart.
#define BW_PICTURE_APART(S, m, ...) BW_PICTURE_ROW(S, m, __VA_ARGS__, BW_PARAM_LOOK)
#define BW_PICTURE_ROW_BOOL BW_BOOL
#define BW_PICTURE_ROW_INT BW_INT
#define BW_PICTURE_ROW_F64 BW_F64
#define BW_PICTURE_ROW_CHOICE BW_CHOICE
#define BW_PICTURE_ROW_STRING BW_STRING
#define BW_PICTURE_ROW_PATH BW_PATH
#define BW_PICTURE_ROW_FIELD BW_FIELD
#define BW_PICTURE_ROW_VEC3 BW_VEC3
#define BW_PICTURE_ROW_COLOUR BW_COLOUR
#define BW_PICTURE_ROW_LIST(S, m, key, T, ...) BW_LIST(S, m, T, key, __VA_ARGS__)
#define BW_PICTURE_ROW_GROUP(S, m, key, T, ...) BW_GROUP(S, m, T, key, __VA_ARGS__)
#define BW_PICTURE_ROW_VARIANT(S, m, key, T, ...) BW_VARIANT(S, m, T, key, __VA_ARGS__)
#define BW_PICTURE_ROW_F64_WAS(S, m, key, was, def, min, max, unit, doc)                                               \
    {key, BW_PARAM_F64, BW_OFFSET(S, m, double), def, min, max, 0, 0, unit, 0, doc, 0, 0, 0, 0, 0, was}
#define BW_PICTURE_ROW_CHOICE_WAS(S, m, key, was, def, choices, ...)                                                   \
    {key, BW_PARAM_CHOICE, BW_OFFSET(S, m, int32_t), def, 0, 0, 0, 0, 0, choices, BW_DOC(__VA_ARGS__), 0, 0, 0, 0, was}

#define BW_PICTURE_ONE(...) + 1
extern const struct bw_param bw_picture_range_row[1], bw_picture_sky_rows[3],
    bw_picture_light_rows[0 BW_LIGHT_ROWS(BW_PICTURE_ONE, , )],
    bw_picture_camera_rows[0 BW_CAMERA_ROWS(BW_PICTURE_ONE, , )],
    bw_picture_obstacle_rows[1 BW_OBSTACLE_ROWS(BW_PICTURE_ONE, , )],
    bw_picture_scorch_rows[0 BW_SCORCH_ROWS(BW_PICTURE_ONE, , )],
    bw_picture_particle_rows[0 BW_PARTICLE_ROWS(BW_PICTURE_ONE, , )],
    bw_picture_flame_rows[0 BW_FLAME_ROWS(BW_PICTURE_ONE, , )];

/// Rows of a parameter table for the member `member`, a struct bw_picture_params, of S.
#define BW_PICTURE_PARAMS(S, member)                                                                                   \
    BW_GLANCE_ROWS(BW_PICTURE_ROW, S, member.)                                                                         \
    BW_LOOK_ROWS(BW_PICTURE_APART, S, member.)                                                                         \
    BW_SHOW_ROWS(BW_PICTURE_APART, S, member.)
// clang-format on

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
