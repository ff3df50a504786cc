// SPDX-License-Identifier: Apache-2.0
#include "studio_spots.h"
#include <picture/volume/scene/fast_math.h>

#include <string.h>

enum { PIXELS = 1920 * 1200 }; ///< of which spots are kept, at most

/// All that spots depend on. Zeroed whole: compared by its bytes.
struct view {
    struct bw_camera camera;
    double lo[3], hi[3], scorch[4];
    struct bw_light light[BW_LIGHTS];
    int32_t n_lights, size[2], grains;
};

struct bw_studio_spots {
    struct view view;
    struct bw_floor_spot *floor; ///< NULL: only one picture has been of this view, or nothing is seen of it
};

static void view_make(const struct bw_scene *scene, const int32_t size[2], int32_t grains, struct view *v)
{
    memset(v, 0, sizeof *v);
    memcpy(&v->camera, &scene->camera, sizeof v->camera);
    memcpy(v->lo, scene->lo, sizeof v->lo), memcpy(v->hi, scene->hi, sizeof v->hi);
    memcpy(v->scorch, scene->look.scorch.at, sizeof scene->look.scorch.at), v->scorch[3] = scene->look.scorch.radius;
    v->n_lights = bw_scene_lights(scene, v->light);
    v->grains = grains;
    memcpy(v->size, size, sizeof v->size);
}

static void spots_drop(const struct bw_tools *tools, struct bw_studio_spots *s)
{
    if (s->floor) tools->release(tools->ctx, s->floor);
    s->floor = NULL;
}

void bw_studio_spots_begin(const struct bw_tools *tools, const struct bw_scene *scene, const int32_t size[2],
                           int32_t grains, struct bw_studio_spots **s)
{
    const size_t pixels = (size_t)size[0] * (size_t)size[1];
    const int there = *s != NULL, wanted = scene->floor && scene->look.ground == BW_GROUND_EARTH && pixels <= PIXELS;
    struct view view;
    if (!there && wanted) *s = tools->alloc(tools->ctx, sizeof **s);
    if (!*s) return;
    view_make(scene, size, grains, &view);
    const int alike = there && wanted && !memcmp(&view, &(*s)->view, sizeof view);
    if (!alike) spots_drop(tools, *s);
    (*s)->view = view;
    if (alike && !(*s)->floor) (*s)->floor = tools->alloc(tools->ctx, pixels * sizeof *(*s)->floor);
}

static size_t place_of(const struct bw_studio_spots *s, int x, int y)
{
    return (size_t)y * (size_t)s->view.size[0] + (size_t)x;
}

struct bw_floor_spot *bw_studio_spots_floor(const struct bw_studio_spots *s, int x, int y)
{
    return s && s->floor ? &s->floor[place_of(s, x, y)] : NULL;
}

void bw_studio_spots_free(const struct bw_tools *tools, struct bw_studio_spots *s)
{
    if (!s) return;
    spots_drop(tools, s);
    tools->release(tools->ctx, s);
}

int16_t bw_tilt_keep(float tilt) { return (int16_t)(bw_least(bw_most(tilt / BW_TILT, -32767), 32767)); }
