// SPDX-License-Identifier: Apache-2.0
/* The studio: a dark backdrop, and a floor that fades into it. */
#include "studio.h"
#include "floor.h"
#include <picture/volume/scene/quick.h>
#include <picture/volume/sky/sphere.h>

#include <math.h>

enum bw_status bw_studio_make(const struct bw_tools *tools, const struct bw_scene *scene, const struct bw_volume *v,
                              const struct bw_ambient *ambient, struct bw_studio *s)
{
    *s = (struct bw_studio){.scene = scene, .v = v, .ambient = ambient, .room = bw_look_room(&scene->look)};
    s->n_lights = bw_scene_lights(scene, s->light);
    s->rays = bw_look_rays(&scene->look);
    return scene->floor ? bw_floor_make(tools, s) : BW_OK;
}

/// The wall along a ray.
static void wall_colour(const struct bw_studio *s, const double dir[3], double u, double v, float rgb[3])
{
    const float vignette = (float)exp(-0.9 * (u * u + (v + 0.15) * (v + 0.15)));
    const struct bw_look *look = &s->scene->look;
    if (look->sky && !look->has_background) {
        bw_studio_sky(s, dir, rgb);
        return;
    }
    for (int c = 0; c < 3; c++) {
        rgb[c] = s->room.edge[c] + (s->room.wall[c] - s->room.edge[c]) * vignette;
        if (look->ground == BW_GROUND_CYCLORAMA && !look->has_background && s->map) // one paint with the floor
            rgb[c] = BW_CYCLORAMA * s->far[c] * (1 - 0.4f * (float)fmax(dir[2], 0));
    }
}

/// Where water stands: what it mirrors, and along which way.
static void floor_mirror(const struct bw_ground_spot *spot, const double dir[3], struct bw_behind *b)
{
    const double n[3] = {(double)spot->tilt[0], (double)spot->tilt[1], 1};
    double cosine = 0, n2 = 0, length = 0;
    for (int a = 0; a < 3; a++) cosine -= dir[a] * n[a], n2 += n[a] * n[a];
    for (int a = 0; a < 3; a++) b->mirrored[a] = dir[a] + 2 * cosine / n2 * n[a];
    b->mirrored[2] = fmax(b->mirrored[2], 0.01);
    for (int a = 0; a < 3; a++) length += b->mirrored[a] * b->mirrored[a];
    for (int a = 0; a < 3; a++) b->mirrored[a] /= sqrt(length);
    b->mirror = spot->wet * (0.02f + 0.98f * powf(1 - (float)fmin(fmax(cosine, 0), 1), 5));
}

void bw_studio_colour(const struct bw_studio *s, const double eye[3], const double dir[3], const double uv[2],
                      float turn, struct bw_behind *b)
{
    const struct bw_scene *scene = s->scene;
    const double wide = scene->look.sky ? 400 : scene->look.ground == BW_GROUND_STUDIO ? 0.8 : 6; // to the horizon
    struct bw_ground_spot spot;
    *b = (struct bw_behind){.depth = HUGE_VAL};
    wall_colour(s, dir, uv[0], uv[1], b->rgb);
    if (!scene->floor || dir[2] > -1e-6) return;
    b->depth = (scene->lo[2] - eye[2]) / dir[2];
    if (b->depth < 0) return;
    double p[3], r2 = 0, size = fmax(scene->hi[0] - scene->lo[0], scene->hi[1] - scene->lo[1]);
    for (int a = 0; a < 3; a++) p[a] = eye[a] + b->depth * dir[a];
    for (int a = 0; a < 2; a++) r2 += pow(p[a] - 0.5 * (scene->lo[a] + scene->hi[a]), 2);
    float lit[3] = {0}, fade = (float)exp(-r2 / (wide * size * size));
    bw_ground_at((enum bw_ground)scene->look.ground, p, b->depth * s->pixel / sqrt(fmax(-dir[2], 1e-3)), &spot);
    if (fade > 1e-3f) bw_floor_light(s, &(struct bw_floor_place){{p[0], p[1], p[2]}, spot.tilt, turn}, lit);
    for (int c = 0; c < 3; c++) b->rgb[c] += (spot.albedo[c] * lit[c] - b->rgb[c]) * fade;
    if (spot.wet > 0) floor_mirror(&spot, dir, b);
    b->mirror *= fade;
}
