// SPDX-License-Identifier: Apache-2.0
#include "studio_spots.h"
#include <picture/volume/scene/fast_math.h>
#include <picture/volume/sky/sphere.h>

#include <string.h>

enum { PIXELS = 1920 * 1200 }; ///< of which spots are kept, at most

/// All that spots depend on. Zeroed whole: compared by its bytes.
struct view {
    struct bw_camera camera;
    double lo[3], hi[3];
    double scorch[4];
    struct bw_light light[BW_LIGHTS];
    double sun[3];
    int32_t n_lights, ground, backdrop, size[2], grains;
};

struct bw_studio_spots {
    struct view view;
    struct bw_floor_spot *floor; ///< NULL: only one picture has been of this view, or nothing is seen of it
    struct bw_backdrop_spot *backdrop;
};

static void view_make(const struct bw_scene *scene, const int32_t size[2], int32_t grains, struct view *v)
{
    memset(v, 0, sizeof *v);
    memcpy(&v->camera, &scene->camera, sizeof v->camera);
    memcpy(v->lo, scene->lo, sizeof v->lo), memcpy(v->hi, scene->hi, sizeof v->hi);
    memcpy(v->scorch, scene->look.scorch.at, sizeof scene->look.scorch.at), v->scorch[3] = scene->look.scorch.radius;
    v->n_lights = bw_scene_lights(scene, v->light);
    v->ground = scene->look.ground, v->backdrop = scene->look.backdrop, v->grains = grains;
    const struct bw_sky *sky = scene->look.sky;
    if (sky && sky->n_lights) memcpy(v->sun, sky->light->to, sizeof v->sun);
    memcpy(v->size, size, sizeof v->size);
}

static void spots_drop(const struct bw_tools *tools, struct bw_studio_spots *s)
{
    if (s->floor) tools->release(tools->ctx, s->floor);
    if (s->backdrop) tools->release(tools->ctx, s->backdrop);
    s->floor = NULL, s->backdrop = NULL;
}

void bw_studio_spots_begin(const struct bw_tools *tools, const struct bw_scene *scene, const int32_t size[2],
                           int32_t grains, struct bw_studio_spots **s)
{
    const size_t pixels = (size_t)size[0] * (size_t)size[1];
    const int floor =
        scene->floor && scene->look.ground != BW_GROUND_STUDIO && scene->look.ground != BW_GROUND_CYCLORAMA;
    const int backdrop = scene->look.backdrop != BW_BACKDROP_STUDIO && !scene->look.has_background;
    const int there = *s != NULL, wanted = (floor || backdrop) && pixels <= PIXELS;
    struct view view;
    if (!there && wanted) *s = tools->alloc(tools->ctx, sizeof **s);
    if (!*s) return;
    view_make(scene, size, grains, &view);
    const int alike = there && wanted && !memcmp(&view, &(*s)->view, sizeof view);
    if (!alike) spots_drop(tools, *s);
    (*s)->view = view;
    if (alike && floor && !(*s)->floor) (*s)->floor = tools->alloc(tools->ctx, pixels * sizeof *(*s)->floor);
    if (alike && backdrop && !(*s)->backdrop)
        (*s)->backdrop = tools->alloc(tools->ctx, pixels * sizeof *(*s)->backdrop);
}

static size_t place_of(const struct bw_studio_spots *s, int x, int y)
{
    return (size_t)y * (size_t)s->view.size[0] + (size_t)x;
}

struct bw_floor_spot *bw_studio_spots_floor(const struct bw_studio_spots *s, int x, int y)
{
    return s && s->floor ? &s->floor[place_of(s, x, y)] : NULL;
}

struct bw_backdrop_spot *bw_studio_spots_backdrop(const struct bw_studio_spots *s, int x, int y)
{
    return s && s->backdrop ? &s->backdrop[place_of(s, x, y)] : NULL;
}

void bw_studio_spots_free(const struct bw_tools *tools, struct bw_studio_spots *s)
{
    if (!s) return;
    spots_drop(tools, s);
    tools->release(tools->ctx, s);
}

static float share_of(float x, float most) { return bw_least(bw_most(x, 0), 1) * most + 0.5f; }

int16_t bw_tilt_keep(float tilt) { return (int16_t)(bw_least(bw_most(tilt / BW_TILT, -32767), 32767)); }

void bw_floor_spot_keep(const struct bw_ground_spot *ground, struct bw_floor_spot *spot)
{
    for (int c = 0; c < 3; c++) spot->albedo[c] = (uint16_t)share_of(ground->albedo[c], 65535);
    for (int a = 0; a < 2; a++) spot->tilt[a] = bw_tilt_keep(ground->tilt[a]);
    spot->wet = (uint8_t)share_of(ground->wet, 255), spot->found = 1;
}

void bw_floor_spot_read(const struct bw_floor_spot *spot, struct bw_ground_spot *ground)
{
    for (int c = 0; c < 3; c++) ground->albedo[c] = (float)spot->albedo[c] / 65535;
    for (int a = 0; a < 2; a++) ground->tilt[a] = (float)spot->tilt[a] * BW_TILT;
    ground->wet = (float)spot->wet / 255;
}
