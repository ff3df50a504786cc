// SPDX-License-Identifier: Apache-2.0
/* The studio: a dark backdrop, and a floor that fades into it. */
#include "studio.h"
#include "floor.h"
#include "noise.h"
#include "stones.h"
#include <picture/volume/scene/fast_math.h>
#include <picture/volume/sky/backdrop.h>
#include <picture/volume/sky/sphere.h>
#include <picture/volume/spots.h>

#include <math.h>
#include <string.h>

#define PI 3.14159265358979
#define LOW 0.03        ///< slope upwards of what is just above the horizon
enum { AROUND = 1024 }; ///< directions in which that is known
#define LONG 5.0        ///< times as long as wide: so much of it is one
#define FINEST 720      ///< heights of a picture: finer soil is not looked for
#define WHOLE 0.999f    ///< floor that hides the wall
#define CONTRAST 3.912  ///< optical depth at which a fiftieth is left (Koschmieder 1924)

/// The sky's light just above the horizon, all round: air is looked up there for each ray.
static enum bw_status low_sky_make(const struct bw_tools *tools, struct bw_studio *s)
{
    if (!s->scene->look.sky) return BW_OK;
    s->low_sky = tools->alloc(tools->ctx, (size_t)3 * (AROUND + 1) * sizeof(float));
    if (!s->low_sky) return BW_ERR_MEMORY;
    for (int i = 0; i <= AROUND; i++) {
        const double turn = 2 * PI * i / AROUND;
        bw_studio_sky(s, (double[3]){-cos(turn), -sin(turn), LOW}, s->low_sky + 3 * i);
    }
    return BW_OK;
}

static void low_sky_read(const struct bw_studio *s, const double dir[3], float rgb[3])
{
    const double at = (atan2(dir[1], dir[0]) / (2 * PI) + 0.5) * AROUND;
    const int i = (int)fmin(at, AROUND - 1);
    const float f = (float)(at - i), *p = s->low_sky + 3 * i;
    for (int c = 0; c < 3; c++) rgb[c] = p[c] + f * (p[c + 3] - p[c]);
}

enum bw_status bw_studio_make(const struct bw_tools *tools, const struct bw_scene *scene, const struct bw_volume *v,
                              const struct bw_ambient *ambient, struct bw_studio *s)
{
    *s = (struct bw_studio){.scene = scene, .v = v, .ambient = ambient, .room = bw_look_room(&scene->look)};
    s->n_lights = bw_scene_lights(scene, s->light);
    s->rays = bw_look_rays(&scene->look);
    bw_surroundings_plan(tools, scene, &s->plan);
    const int shared = !scene->spots && scene->around && bw_surroundings_serve(scene->around, &s->plan);
    struct bw_surroundings *own = scene->spots ? &scene->spots->around : &s->own;
    if (!shared) bw_surroundings_keep(tools, &s->plan, own);
    s->around = shared ? scene->around : own;
    s->clouds = (struct bw_sky_clouds){&s->plan.clouds, s->around->clouds};
    s->soil = 2 * scene->camera.tan_y / FINEST;
    s->rocks = s->plan.stones, s->rocks.lots = s->around->stones;
    const enum bw_status status = low_sky_make(tools, s);
    return !status && scene->floor ? bw_floor_make(tools, s) : status;
}

void bw_studio_free(const struct bw_tools *tools, struct bw_studio *s)
{
    if (s->low_sky) tools->release(tools->ctx, s->low_sky);
    if (s->map) tools->release(tools->ctx, s->map);
    bw_surroundings_free(tools, &s->own);
}

/// The studio's wall at u, v of half the picture, where it is seen: it darkens towards the edges.
static void room_wall(const struct bw_studio *s, const double dir[3], double u, double v, float rgb[3])
{
    const struct bw_look *look = &s->scene->look;
    const float vignette = (float)exp(-0.9 * (u * u + (v + 0.15) * (v + 0.15)));
    for (int c = 0; c < 3; c++) {
        rgb[c] = s->room.edge[c] + (s->room.wall[c] - s->room.edge[c]) * vignette;
        if (look->ground == BW_GROUND_CYCLORAMA && !look->has_background && s->map) // one paint with the floor
            rgb[c] = BW_CYCLORAMA * s->far[c] * (1 - 0.4f * (float)fmax(dir[2], 0));
    }
}

/// The same as the camera sees it along `dir`; elsewhere its middle.
static void room_wall_along(const struct bw_studio *s, const double dir[3], float rgb[3])
{
    const struct bw_camera *c = &s->scene->camera;
    double right = 0, up = 0, ahead = 0;
    for (int a = 0; a < 3; a++) right += c->right[a] * dir[a], up += c->up[a] * dir[a], ahead += c->forward[a] * dir[a];
    memcpy(rgb, s->room.wall, sizeof s->room.wall);
    if (ahead > 1e-6) room_wall(s, dir, right / (ahead * c->tan_x), up / (ahead * c->tan_y), rgb);
}

/// Of a clear night, or of the sky that there is: its light along `dir` is `rgb`, NULL: nobody asks. Trees and houses
/// are dark, and a fire lights them a little.
static void far_light(const struct bw_studio *s, const double dir[3], struct bw_backdrop_light *l, float rgb[3])
{
    static const float zenith[3] = {0.006f, 0.01f, 0.021f}, horizon[3] = {0.045f, 0.056f, 0.083f};
    const struct bw_look *look = &s->scene->look;
    const float night = 0.35f + 0.65f * (float)fmin(look->key, 1);
    *l = (struct bw_backdrop_light){
        .windows = look->sky ? 0 : 0.6f * night, .stars = look->sky ? 0 : 1, .bare = look->sky != NULL};
    const struct bw_light *sun = look->sky && look->sky->n_lights ? look->sky->light : NULL; // no lamp of the preset's
    const double flat = fmax(sqrt(dir[0] * dir[0] + dir[1] * dir[1]), 1e-9),
                 low[3] = {dir[0] / flat, dir[1] / flat, LOW};
    if (look->sky && rgb) bw_studio_sky(s, dir[2] > LOW * flat ? dir : low, rgb);
    if (look->sky && s->low_sky) low_sky_read(s, dir, l->horizon);
    else if (look->sky) bw_studio_sky(s, low, l->horizon);
    const int wall =
        look->has_background || (look->backdrop == BW_BACKDROP_STUDIO && !look->sky); // ends all that is far
    for (int c = 0; c < 3; c++) {
        if (!look->sky) l->zenith[c] = night * zenith[c], l->horizon[c] = night * horizon[c];
        l->stands[c] = (look->sky ? 0.05f : 0.02f) * s->room.above[c] * (look->sky ? 1 : 0.5f) + 0.006f * s->far[c];
        l->sky[c] = look->sky ? s->room.above[c] : 0;
        l->sun[c] = sun ? BW_SUN_SURFACE * sun->rgb[c] * (float)look->key : 0;
    }
    if (wall) room_wall_along(s, dir, l->horizon);
    for (int a = 0; a < 3 && sun; a++) l->to[a] = sun->to[a];
}

/// What of the light from `depth` m away the air lets through.
static float air_clear(const struct bw_studio *s, double depth)
{
    const double far = s->scene->look.visibility;
    return far > 0 ? (float)exp(-CONTRAST * depth / far) : 1;
}

void bw_studio_air(const struct bw_studio *s, const double dir[3], double depth, const float cover[3], float rgb[3])
{
    const float clear = air_clear(s, depth);
    struct bw_backdrop_light light;
    if (!(clear < 1)) return;
    far_light(s, dir, &light, NULL);
    for (int c = 0; c < 3; c++) rgb[c] = cover[c] * light.horizon[c] + clear * (rgb[c] - cover[c] * light.horizon[c]);
}

/// The wall along a ray.
static void wall_colour(const struct bw_studio *s, const struct bw_studio_ray *ray, float rgb[3])
{
    const struct bw_look *look = &s->scene->look;
    const double *dir = ray->dir;
    if (look->backdrop != BW_BACKDROP_STUDIO && !look->has_background) {
        struct bw_backdrop_light light;
        far_light(s, dir, &light, rgb);
        bw_backdrop_see(&s->plan.hills, s->around ? s->around->hills : NULL, &light, dir, s->pixel, rgb);
        return;
    }
    if (look->sky && !look->has_background) bw_studio_sky(s, dir, rgb);
    else room_wall(s, dir, ray->uv[0], ray->uv[1], rgb);
}

int bw_studio_is_far(const struct bw_look *l)
{
    return !l->has_background && (l->sky || l->backdrop != BW_BACKDROP_STUDIO);
}

double bw_studio_horizon(const struct bw_look *l)
{
    if (l->sky) return 4e4;
    if (bw_studio_is_far(l)) return 40;
    return l->ground == BW_GROUND_STUDIO ? 0.8 : 6;
}

/// What a level white floor sends back far from all that is on it.
static void far_floor(struct bw_studio *s)
{
    for (int c = 0; c < 3; c++) s->far[c] = s->room.below[c] + (s->room.above[c] - s->room.below[c]) * 5 / 6;
    for (int32_t l = 0; l < s->n_lights; l++)
        for (int c = 0; c < 3 && !s->light[l].near; c++)
            s->far[c] += BW_SUN_SURFACE * s->light[l].rgb[c] * (float)fmax(s->light[l].to[2], 0);
}

void bw_studio_far(const struct bw_scene *scene, double pixel, const double to[3], float rgb[3])
{
    struct bw_studio s = {.scene = scene, .room = bw_look_room(&scene->look), .pixel = pixel};
    bw_surroundings_plan(&(struct bw_tools){.simd = 0}, scene, &s.plan);
    s.n_lights = bw_scene_lights(scene, s.light);
    far_floor(&s);
    if (scene->look.has_background) bw_studio_sky(&s, to, rgb);
    else wall_colour(&s, &(struct bw_studio_ray){.dir = to, .uv = (const double[2]){0}}, rgb);
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

/// A ray's part of a pixel: where it goes, and which part it is.
static void grain_aim(const struct bw_studio *s, const double dir[3], int part, float turn, double to[3])
{
    const struct bw_camera *c = &s->scene->camera;
    const double right = (part % s->grains + 0.5) / s->grains - 0.5,
                 up = (part / s->grains + (double)turn) / s->grains - 0.5;
    double length = 0;
    for (int a = 0; a < 3; a++) {
        to[a] = dir[a] + s->pixel * (right * c->right[a] + up * c->up[a]);
        length += to[a] * to[a];
    }
    for (int a = 0; a < 3; a++) to[a] /= sqrt(length);
}

/// Grey, brown and warm ones, no brighter than dry earth and no darker than wet.
static void stone_albedo(float which, float rgb[3])
{
    static const float one[3] = {0.12f, 0.104f, 0.09f}, other[3] = {0.24f, 0.205f, 0.17f};
    for (int c = 0; c < 3; c++) rgb[c] = one[c] + which * which * (other[c] - one[c]);
}

/// A ray that meets the earth.
struct earth {
    const double *eye, *dir;
    const struct bw_ground_spot *soil;
    struct bw_floor_spot *spot;
    struct bw_floor_light light;
    double depth, footprint; ///< m
    float turn;
};

/// What lies along `to`: soil, or a stone. Answers what of the sky a stone sees; 0: soil.
static float part_hit(const struct bw_studio *s, const struct earth *e, const double to[3], struct bw_floor_part *part)
{
    const double from[3] = {e->eye[0], e->eye[1], e->eye[2] - s->scene->lo[2]};
    struct bw_stone_hit hit = {.depth = to[2] < -1e-6 ? -from[2] / to[2] : e->depth};
    const int is_stone = bw_stones_hit(&s->rocks, from, to, e->footprint, &hit);
    *part = (struct bw_floor_part){.depth = (float)hit.depth, .found = 1};
    for (int a = 0; a < 2; a++)
        part->tilt[a] = bw_tilt_keep(is_stone ? (float)(hit.normal[a] / fmax(hit.normal[2], 0.1)) : e->soil->tilt[a]);
    if (is_stone) part->which = (uint8_t)(1 + 254 * hit.which);
    return is_stone ? 0.6f + 0.4f * (float)hit.normal[2] : 0;
}

/// Where it is, and its slopes.
static void part_place(const struct earth *e, const double to[3], const struct bw_floor_part *part, double p[3],
                       float tilt[2])
{
    const double over = part->which ? 1e-4 : 0; // of a stone: its own surface hides nothing from it
    for (int a = 0; a < 2; a++) tilt[a] = (float)part->tilt[a] * BW_TILT;
    const double up = over / sqrt(1 + (double)(tilt[0] * tilt[0] + tilt[1] * tilt[1]));
    for (int a = 0; a < 3; a++) p[a] = e->eye[a] + (double)part->depth * to[a] + up * (a < 2 ? (double)tilt[a] : 1);
}

/// What part of a pixel sends back; 1: it is a stone.
static int grain_colour(const struct bw_studio *s, const struct earth *e, int which, float rgb[3])
{
    struct bw_floor_part *part = &e->spot->part[which];
    float tilt[2], albedo[3];
    struct bw_floor_grain g = {.footprint = e->footprint, .tilt = tilt, .part = part};
    double to[3];
    grain_aim(s, e->dir, which, e->turn, to);
    const int known = part->found;
    const float sees = known ? 0 : part_hit(s, e, to, part);
    part_place(e, to, part, g.p, tilt);
    if (!known) {
        const float open = part->which ? sees : bw_stones_open(&s->rocks, g.p, e->footprint);
        part->open = (uint8_t)(255 * open + 0.5f);
        part->lamps = (uint8_t)bw_floor_grain_lamps(s, &g);
    }
    memcpy(albedo, e->soil->albedo, sizeof albedo);
    if (part->which) stone_albedo((float)(part->which - 1) / 254, albedo);
    g.turn[0] = ((float)(which % s->grains) + e->turn) / (float)s->grains;
    g.turn[1] = ((float)(which / s->grains) + 1 - e->turn) / (float)s->grains;
    g.open = (float)part->open / 255, g.lamps = part->lamps;
    bw_floor_grain_light(s, &e->light, &g, rgb);
    for (int c = 0; c < 3; c++) rgb[c] *= albedo[c];
    return part->which > 0;
}

static int alike(const float a[3], const float b[3])
{
    return fabsf(a[0] - b[0]) + fabsf(a[1] - b[1]) + fabsf(a[2] - b[2]) < 0.1f * (a[0] + a[1] + a[2]);
}

/// Soil under stones: a pixel's mean over parts of it, of two where they are soil as bright.
static void earth_colour(const struct bw_studio *s, const struct earth *e, float rgb[3])
{
    const int parts = s->grains * s->grains;
    float part[BW_GRAINS * BW_GRAINS][3];
    int stones = 0, n = 0;
    while (n < parts && !(n == 2 && !stones && alike(part[0], part[1]))) { // opposite corners first
        const int next = n == 1 ? parts - 1 : n == parts - 1 ? 1 : n;
        stones += grain_colour(s, e, next, part[n++]);
    }
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) rgb[c] += part[i][c] / (float)n;
}

/* Seen at a grazing angle a pixel is much longer than it is wide: the floor's mean over parts of it, each no longer
 * than a few times its width. One place for all of it would leave out what is finer than it is long, or, taken as wide
 * as it is, differ from row to row of pixels, as streaks. */
static void ground_seen(const struct bw_studio *s, const double p[3], const double dir[3], const struct earth *e,
                        struct bw_ground_share *mean)
{
    const double flat = fmax(sqrt(dir[0] * dir[0] + dir[1] * dir[1]), 1e-9), across = bw_studio_wide(s, e->depth),
                 along = across / fmax(-dir[2], 1e-4), wide = fmax(fmax(across, along / LONG), s->soil * e->depth);
    const int parts = (int)fmin(fmax(ceil(along / (2 * wide)), 1), 3);
    double at[2], step[2];
    for (int a = 0; a < 2; a++) step[a] = along / parts * dir[a] / flat, at[a] = p[a] - 0.5 * (parts - 1) * step[a];
    bw_ground_mean(s->around->ground, &s->plan.ground, at, step, parts, wide, mean);
}

/// The floor at p, where a ray meets it.
static void soil_find(const struct bw_studio *s, const double p[3], const struct earth *e, struct bw_ground_spot *soil)
{
    if (!e->spot->found && s->plan.ground.make) ground_seen(s, p, e->dir, e, &e->spot->soil);
    e->spot->found = 1;
    bw_ground_look((enum bw_ground)s->scene->look.ground, &e->spot->soil, soil);
}

/// What the floor sends back from p.
static void floor_colour(const struct bw_studio *s, const double p[3], struct earth *e, float rgb[3])
{
    bw_floor_gather(s, &(struct bw_floor_place){{p[0], p[1], p[2]}, e->turn}, &e->light);
    if (s->scene->look.ground == BW_GROUND_EARTH) {
        earth_colour(s, e, rgb);
        return;
    }
    const struct bw_floor_grain even = {{p[0], p[1], p[2]}, e->soil->tilt, 0, 1, {0.5f, 0.5f}, UINT32_MAX, NULL};
    bw_floor_grain_light(s, &e->light, &even, rgb);
    for (int c = 0; c < 3; c++) rgb[c] *= e->soil->albedo[c];
}

double bw_studio_depth(const struct bw_studio *s, const double eye[3], const double dir[3])
{
    const double depth = (s->scene->lo[2] - eye[2]) / dir[2];
    return s->scene->floor && !(dir[2] > -1e-6) && depth >= 0 ? depth : HUGE_VAL;
}

void bw_studio_colour(const struct bw_studio *s, const struct bw_studio_ray *ray, struct bw_behind *b)
{
    const struct bw_scene *scene = s->scene;
    const double *dir = ray->dir, depth = bw_studio_depth(s, ray->eye, dir);
    const int meets = depth < HUGE_VAL;
    double p[3], r2 = 0, size = fmax(scene->hi[0] - scene->lo[0], scene->hi[1] - scene->lo[1]);
    for (int a = 0; a < 3 && meets; a++) p[a] = ray->eye[a] + depth * dir[a];
    for (int a = 0; a < 2 && meets; a++) r2 += pow(p[a] - 0.5 * (scene->lo[a] + scene->hi[a]), 2);
    const float fade = meets ? (float)exp(-r2 / (bw_studio_horizon(&scene->look) * size * size)) : 0;
    *b = (struct bw_behind){.depth = depth};
    if (fade < WHOLE) wall_colour(s, ray, b->rgb);
    if (!meets) return;
    if (fade < WHOLE)
        bw_studio_air(s, dir, depth, BW_HIDDEN, b->rgb); // what is too far to be seen lies behind air as well
    float lit[3] = {0};
    const double footprint = bw_studio_wide(s, depth) / sqrt(fmax(-dir[2], 1e-3));
    struct bw_ground_spot soil;
    struct bw_floor_spot own = {.found = 0};
    struct earth e = {
        ray->eye,         dir, &soil, ray->floor ? ray->floor : &own, .depth = depth, .footprint = footprint,
        .turn = ray->turn};
    soil_find(s, p, &e, &soil);
    if (fade > 1e-3f) floor_colour(s, p, &e, lit);
    if (fade > 1e-3f) bw_studio_air(s, dir, depth, BW_HIDDEN, lit);
    for (int c = 0; c < 3; c++) b->rgb[c] += (lit[c] - b->rgb[c]) * (fade < WHOLE ? fade : 1);
    if (soil.wet > 0) floor_mirror(&soil, dir, b);
    b->mirror *= fade * air_clear(s, depth);
}
