// SPDX-License-Identifier: Apache-2.0
/* The studio: a dark backdrop, a floor that takes the smoke's shadow and the fire's light and fades into the
 * backdrop. The floor's light is a map, made once a frame. Cheats: shadows are marched through the coarse grid. */
#include "studio.h"
#include <picture/volume/scene/quick.h>
#include <picture/volume/sky/sphere.h>

#include <math.h>

enum { MAP = 160, LANES = BW_STUDIO_LANES };

/// Of the sky, as a level surface sees it: a sixth of its light comes from the horizon's side.
static void sky_light(const struct bw_studio *s, const double p[3], float rgb[3])
{
    static const double to[3][3] = {{0.766, 0, 0.643}, {-0.383, 0.663, 0.643}, {-0.383, -0.663, 0.643}};
    float open = 0;
    for (int d = 0; d < 3; d++) open += bw_coarse_through(&s->ambient->coarse, p, to[d]) / 3;
    for (int c = 0; c < 3; c++) rgb[c] = open * (s->room.below[c] + (s->room.above[c] - s->room.below[c]) * 5 / 6);
}

/// Light that the floor sends back from one row of the map: every light through its shadow, the fire, the sky.
static void map_row(int64_t j, void *user)
{
    struct bw_studio *s = user;
    const double cell = s->size / s->n, y = s->lo[1] + ((double)j + 0.5) * cell;
    const struct bw_facing up = {{0, 0, 1}, 0};
    for (int i = 0; i < s->n; i++) {
        const double p[3] = {s->lo[0] + (i + 0.5) * cell, y, s->scene->lo[2]};
        float *rgb = s->map + LANES * (j * s->n + i), fire[3] = {0};
        bw_lamps_light(&s->ambient->lamps, p, &up, fire);
        sky_light(s, p, rgb);
        for (int c = 0; c < 3; c++) rgb[c] += 4 * fire[c]; // irradiance over π
        for (int l = 0; l < s->n_lights; l++) {
            if (s->light[l].to[2] <= 0) continue;
            const float share = BW_SUN_SURFACE * (float)s->light[l].to[2], *more = s->scene->look.extinction;
            const float open = bw_coarse_through(&s->ambient->coarse, p, s->light[l].to);
            for (int c = 0; c < 3; c++)
                rgb[c] += share * (more[c] == 1 ? open : powf(open, more[c])) * s->light[l].rgb[c];
        }
        rgb[3] = 4 * (fire[0] + fire[1] + fire[2]) / bw_most(rgb[0] + rgb[1] + rgb[2], 1e-20f);
    }
}

/// Mean with the neighbours along a line of the map, in place.
static void line_mean(float *p, int n, size_t step)
{
    for (int c = 0; c < LANES; c++) {
        float before = p[c];
        for (int i = 0; i + 1 < n; i++) {
            float *at = p + (size_t)i * step + c, here = *at;
            *at = (before + here + at[step]) / 3;
            before = here;
        }
    }
}

/// The coarse grid's cells would show as rays on the floor.
static void map_soften(struct bw_studio *s)
{
    const size_t n = (size_t)s->n;
    for (int round = 0; round < 4; round++)
        for (size_t i = 0; i < n; i++) {
            line_mean(s->map + LANES * n * i, s->n, LANES);
            line_mean(s->map + LANES * i, s->n, LANES * n);
        }
}

static void rim_mean(struct bw_studio *s)
{
    for (int i = 0; i < s->n; i++) {
        const int rim[4] = {i, (s->n - 1) * s->n + i, i * s->n, i * s->n + s->n - 1};
        for (int q = 0; q < 4; q++)
            for (int c = 0; c < 3; c++) s->far[c] += s->map[LANES * rim[q] + c] / (float)(4 * s->n);
    }
}

static void fire_middle(struct bw_studio *s)
{
    const struct bw_lamps *l = &s->ambient->lamps;
    double sum = 0;
    for (int i = 0; i < l->n; i++) sum += (double)l->lamp[i].rgb[0];
    for (int i = 0; i < l->n; i++)
        for (int a = 0; a < 3; a++) s->fire[a] += (double)l->lamp[i].rgb[0] * l->lamp[i].at[a] / sum;
}

enum bw_status bw_studio_make(const struct bw_tools *tools, const struct bw_scene *scene,
                              const struct bw_ambient *ambient, struct bw_studio *s)
{
    *s = (struct bw_studio){.scene = scene, .ambient = ambient, .n = MAP, .room = bw_look_room(&scene->look)};
    s->n_lights = bw_scene_lights(scene, s->light);
    if (!scene->floor) return BW_OK;
    double w[3];
    for (int a = 0; a < 3; a++) w[a] = scene->hi[a] - scene->lo[a];
    s->size = 1.6 * (fmax(w[0], w[1]) + w[2]); // shadows fall as far as the stage is high
    for (int a = 0; a < 2; a++) s->lo[a] = 0.5 * (scene->lo[a] + scene->hi[a]) - 0.5 * s->size;
    s->map = tools->alloc(tools->ctx, LANES * (size_t)MAP * MAP * sizeof(float));
    if (!s->map) return BW_ERR_MEMORY;
    tools->parallel(tools->ctx, MAP, map_row, s);
    map_soften(s);
    rim_mean(s);
    fire_middle(s);
    return BW_OK;
}

/// Light on a tilted place, of what a level one has, from the direction `to`.
static float tilted(const float tilt[2], const double to[3])
{
    if (!(to[2] > 0)) return 1;
    const float lean = (float)((to[2] + (double)tilt[0] * to[0] + (double)tilt[1] * to[1]) / to[2]);
    return bw_least(bw_most(lean, 0), 3) / sqrtf(1 + tilt[0] * tilt[0] + tilt[1] * tilt[1]);
}

/// Of the strongest lamp's light and of the fire's.
static float floor_tilt(const struct bw_studio *s, const double p[3], const float tilt[2], float fire)
{
    double to[3];
    int key = 0;
    for (int l = 1; l < s->n_lights; l++)
        if (s->light[l].rgb[1] * (float)s->light[l].to[2] > s->light[key].rgb[1] * (float)s->light[key].to[2]) key = l;
    for (int a = 0; a < 3; a++) to[a] = s->fire[a] - p[a];
    const float lamp = s->n_lights ? 0.4f + 0.6f * tilted(tilt, s->light[key].to) : 1;
    return lamp + fire * (tilted(tilt, to) - lamp);
}

/// What the floor sends back at p: the map between its cells, beyond it its edge, times what it is made of there.
static void floor_light(const struct bw_studio *s, const double p[3], const struct bw_ground_spot *spot, float rgb[3])
{
    const double most = s->n - 1.001;
    const double u = fmin(fmax((p[0] - s->lo[0]) / s->size * s->n - 0.5, 0), most);
    const double v = fmin(fmax((p[1] - s->lo[1]) / s->size * s->n - 0.5, 0), most);
    const int i = (int)u, j = (int)v;
    const float fu = (float)(u - i), fv = (float)(v - j), *q = s->map + LANES * (j * s->n + i);
    const ptrdiff_t row = LANES * (ptrdiff_t)s->n;
    float lit[LANES];
    for (int c = 0; c < LANES; c++)
        lit[c] =
            (q[c] * (1 - fu) + q[c + LANES] * fu) * (1 - fv) + (q[c + row] * (1 - fu) + q[c + row + LANES] * fu) * fv;
    const float tilt = spot->tilt[0] != 0 || spot->tilt[1] != 0 ? floor_tilt(s, p, spot->tilt, lit[3]) : 1;
    for (int c = 0; c < 3; c++) rgb[c] = spot->albedo[c] * tilt * lit[c];
}

/// The wall, far from and at the middle of the picture.
static const float dark[3] = {0.0075f, 0.0088f, 0.0115f}, light[3] = {0.026f, 0.029f, 0.034f};

/// With the lights down the wall is darker too.
static float room_light(const struct bw_look *l) { return (float)(0.35 + 0.65 * fmin(l->key, 1)); }

struct bw_look_room bw_look_room(const struct bw_look *l)
{
    struct bw_look_room r;
    float around[3] = {0}, side[6][3];
    for (int s = 0; s < 6; s++) {
        bw_ambient_side_light(l, s, side[s]);
        for (int c = 0; s >= 2 && c < 3; c++) around[c] += side[s][c];
    }
    for (int c = 0; c < 3; c++) {
        r.above[c] = l->has_sky ? (float)l->environment * l->above[c] : 2 * side[0][c] + around[c];
        r.below[c] = l->has_sky ? (float)l->environment * l->below[c] : 2 * side[1][c] + around[c];
        if (l->sky) r.above[c] = (float)l->environment * l->sky->above[c];
        if (l->sky) r.below[c] = (float)l->environment * l->sky->below[c];
        r.wall[c] = l->has_background ? l->background[c] : room_light(l) * light[c];
        r.edge[c] = l->has_background ? l->background[c] : room_light(l) * dark[c];
    }
    return r;
}

void bw_studio_sky(const struct bw_studio *s, const double to[3], float rgb[3])
{
    const struct bw_look *look = &s->scene->look;
    const float up = 0.5f + 0.5f * (float)to[2];
    if (look->sky) bw_sky_read(look->sky, to, rgb);
    for (int c = 0; c < 3; c++)
        rgb[c] = look->sky ? (float)look->environment * rgb[c]
                           : s->room.below[c] + up * (s->room.above[c] - s->room.below[c]);
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
                      struct bw_behind *b)
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
    float lit[3], fade = (float)exp(-r2 / (wide * size * size));
    bw_ground_at((enum bw_ground)scene->look.ground, p, b->depth * s->pixel / sqrt(fmax(-dir[2], 1e-3)), &spot);
    floor_light(s, p, &spot, lit);
    for (int c = 0; c < 3; c++) b->rgb[c] += (lit[c] - b->rgb[c]) * fade;
    if (spot.wet > 0) floor_mirror(&spot, dir, b);
    b->mirror *= fade;
}
