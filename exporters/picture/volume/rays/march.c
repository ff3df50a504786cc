// SPDX-License-Identifier: Apache-2.0
/* The view rays: steps of a part of a cell from a start that differs from pixel to pixel, empty blocks skipped,
 * obstacles and the studio behind. */
#include "march.h"
#include "haze.h"
#include "jitter.h"
#include "through.h"
#include <picture/volume/shape/pixel.h>
#include <picture/volume/solid/distance.h>
#include <picture/volume/solid/shade.h>
#include <picture/volume/studio/studio.h>

#include <billow/host.h>

#include <math.h>
#include <string.h>

#define DEEP 0.1f ///< of the light from there gets out: smoke is read linearly, which is not seen where nothing burns
#define CLEAR ((struct lanes){{1, 1, 1, 1}})
enum { BAND = 4 }; ///< rows a task
enum { LENS = 4 }; ///< rays a pixel, squared, through a lens that is wide

static const struct bw_steps quality_steps[] = {
    [BW_QUALITY_DRAFT + 1] = {.length = 1, .fine = 1, .across = 1},
    [BW_QUALITY_DEFAULT + 1] = {.length = 0.7f, .fine = 1, .across = 1},
    [BW_QUALITY_FINAL + 1] = {.length = 0.4f, .fine = 2, .across = 2},
};

struct march {
    struct bw_shot shot;
    struct bw_through through;
    bw_through_fn see;
    struct bw_studio studio;
    struct bw_blocks blocks;
    struct bw_haze haze;
    struct bw_image *img;
    float *alpha; ///< of each pixel, or NULL: the studio is seen
};

/// What a pixel has seen so far: light, and what gets through from behind.
struct sight {
    int x, y;
    float jitter;   ///< -0.5 … 0.5 steps
    double lens[2]; ///< where on the lens, of its radius
    double eye[3], dir[3];
    float rgb[3];
    struct lanes through; ///< {rgb, grey}
};

/// On through the medium from `near` to `far`, m.
static void span_see(const struct march *m, double near, double far, struct sight *s)
{
    struct bw_ray r;
    float rgb[4];
    const float *reach = m->blocks.reach + 2 * (s->y / BW_SCREEN_TILE * m->blocks.tiles[0] + s->x / BW_SCREEN_TILE);
    double range[2] = {near, far};
    if (!(m->shot.scene->camera.aperture > 0)) // tiles are those of the lens's middle
        range[0] = fmax((double)reach[0], near), range[1] = fmin((double)reach[1], far);
    if (range[0] >= range[1] || !bw_ray_clip(&m->shot.lit->box, s->eye, s->dir, range, &r)) return;
    const struct lanes through = m->see(&m->through, &r, s->jitter, rgb);
    const float hides = 1 - through.v[3]; // light that hides nothing is taken for amid the ray
    const float cover[3] = {1 - through.v[0], 1 - through.v[1], 1 - through.v[2]};
    const float cells = hides > 1e-6f ? rgb[3] / hides : 0.5f * r.length;
    if (!m->alpha && (hides > 0 || rgb[0] + rgb[1] + rgb[2] > 0))
        bw_studio_air(&m->studio, s->dir, r.start + (double)cells * m->shot.lit->box.h, cover, rgb);
    for (int a = 0; a < 3; a++) s->rgb[a] += s->through.v[a] * rgb[a];
    s->through.v *= through.v;
}

/// A part of an obstacle that covers a share of the pixel; its place where it is drawn as it is, else how far it is.
struct layer {
    double depth;
    float cover;
    struct bw_shape_hit hit;
};

/// One that covers a share of what is seen yet, along `dir`.
static void solid_see(const struct march *m, const double dir[3], const struct layer *l, float cover, struct sight *s)
{
    const double *eye = s->eye;
    float clay[3];
    struct bw_solid_seen seen = {.v = m->shot.v,
                                 .at = {.turn = s->jitter + 0.5f, .rays = m->studio.rays},
                                 .away = l->depth,
                                 .hit = m->shot.v->shapes ? &l->hit : NULL};
    for (int a = 0; a < 3; a++) seen.at.p[a] = eye[a] + l->depth * dir[a], seen.dir[a] = dir[a];
    if (seen.hit) memcpy(seen.at.p, l->hit.p, sizeof seen.at.p);
    bw_solid_shade(&seen, &m->studio, clay);
    if (!m->alpha) bw_studio_air(&m->studio, dir, l->depth, BW_HIDDEN, clay);
    for (int a = 0; a < 3; a++) s->rgb[a] += s->through.v[a] * cover * clay[a];
    s->through.v *= 1 - cover;
}

/// What a wet floor mirrors of obstacles, as they are, and of the room behind them; answers how far away it is.
static double wall_mirror(const struct march *m, const struct sight *s, const double at[3], const struct bw_behind *b,
                          float rgb[3])
{
    const struct bw_shapes *shapes = m->shot.v->shapes;
    struct bw_shape_hit hit;
    double from[3] = {at[0], at[1], at[2] + (shapes ? shapes->least : 0)};
    if (!shapes || !bw_shapes_hit(shapes, from, b->mirrored, HUGE_VAL, &hit)) {
        bw_studio_sky(&m->studio, b->mirrored, rgb);
        return HUGE_VAL;
    }
    struct bw_solid_seen seen = {
        .v = m->shot.v, .at = {.turn = s->jitter + 0.5f, .rays = 1}, .away = b->depth + hit.depth, .hit = &hit};
    memcpy(seen.at.p, hit.p, sizeof seen.at.p);
    memcpy(seen.dir, b->mirrored, sizeof seen.dir);
    bw_solid_shade(&seen, &m->studio, rgb);
    return hit.depth;
}

/// What a wet floor mirrors of smoke, flames, obstacles and room.
static void mirror_see(const struct march *m, const struct sight *s, const double dir[3], struct bw_behind *b)
{
    const double *eye = s->eye;
    double at[3], range[2] = {0};
    float rgb[4] = {0}, behind[3];
    struct lanes through = CLEAR;
    struct bw_ray r;
    for (int a = 0; a < 3; a++) at[a] = eye[a] + b->depth * dir[a];
    range[1] = wall_mirror(m, s, at, b, behind);
    if (m->shot.lit->rgbs && bw_ray_clip(&m->shot.lit->box, at, b->mirrored, range, &r))
        through = m->see(&m->through, &r, s->jitter, rgb);
    for (int c = 0; c < 3; c++) b->rgb[c] += b->mirror * (rgb[c] + through.v[c] * behind[c]);
}

/// The ray through (u, v) of the picture: from a place on the lens to what that place and its middle see alike.
static void sight_aim(const struct bw_camera *c, const double uv[2], struct sight *s)
{
    double len = 0;
    for (int a = 0; a < 3; a++) {
        const double off = c->aperture * (s->lens[0] * c->right[a] + s->lens[1] * c->up[a]);
        s->eye[a] = c->eye[a] + off;
        s->dir[a] = c->forward[a] + uv[0] * c->tan_x * c->right[a] + uv[1] * c->tan_y * c->up[a];
        if (c->aperture > 0) s->dir[a] -= off / c->focus;
        len += s->dir[a] * s->dir[a];
    }
    for (int a = 0; a < 3; a++) s->dir[a] /= sqrt(len);
}

/// What is behind the medium along a way: the studio, and obstacles that cover shares of the pixel, near ones first.
struct beyond {
    struct bw_behind studio;
    double dir[3];
    int n;
    struct layer layer[BW_PIXEL_PARTS];
};

/// Obstacles as they are, along `dir`.
static void shapes_see(const struct march *m, const struct sight *s, const double dir[3], struct beyond *b)
{
    const struct bw_scene *scene = m->shot.scene;
    const struct bw_camera *c = &scene->camera;
    const int across = m->through.steps.across;
    struct bw_shapes_part part[BW_PIXEL_PARTS];
    struct bw_shapes_ray ray = {.eye = s->eye,
                                .dir = dir,
                                .fine = across < LENS,
                                .floor = scene->floor ? scene->lo[2] : -HUGE_VAL,
                                .within = HUGE_VAL};
    double ahead = 0;
    for (int a = 0; a < 3; a++) ahead += dir[a] * c->forward[a];
    for (int a = 0; a < 3; a++) {
        ray.right[a] = 2 * c->tan_x * ahead / (m->img->w * across) * c->right[a];
        ray.up[a] = 2 * c->tan_y * ahead / (m->img->h * across) * c->up[a];
    }
    b->n = bw_shapes_pixel(m->shot.v->shapes, &ray, part);
    for (int i = 0; i < b->n; i++) b->layer[i] = (struct layer){part[i].hit.depth, part[i].share, part[i].hit};
}

/// Along `dir`; `uv`: where on the wall, in the picture.
static void beyond_see(const struct march *m, const struct sight *s, const double dir[3], const double uv[2],
                       struct beyond *b)
{
    const struct bw_volume *v = m->shot.v;
    memcpy(b->dir, dir, sizeof b->dir);
    bw_studio_colour(&m->studio, s->eye, dir, uv, s->jitter + 0.5f, &b->studio);
    struct layer *first = &b->layer[0];
    b->n = 0;
    if (v->shapes) shapes_see(m, s, dir, b);
    else if (v->solid) {
        first->depth = b->studio.depth;
        first->cover = bw_solid_hit(v, s->eye, dir, 2 * m->shot.scene->camera.tan_y / m->img->h, &first->depth);
        b->n = first->cover > 0;
    }
}

/// Light along a ray, (u, v) in -1 … 1 over the picture, into `out`; answers how much smoke and obstacles cover.
static float ray_march(const struct march *m, const double uv[2], struct sight *s, float *out)
{
    struct beyond b;
    double seen[3];
    sight_aim(&m->shot.scene->camera, uv, s);
    beyond_see(m, s, s->dir, uv, &b);
    if (m->haze.bend) {
        bw_haze_turn(&m->haze, s->eye, s->dir, b.n ? b.layer[0].depth : b.studio.depth, seen);
        if (memcmp(seen, s->dir, sizeof seen)) beyond_see(m, s, seen, uv, &b);
    }
    double from = 0;
    float left = 1; // of the pixel
    for (int i = 0; i < b.n; i++) {
        const struct layer *l = &b.layer[i];
        span_see(m, from, l->depth, s);
        solid_see(m, b.dir, l, bw_least(l->cover / left, 1), s);
        from = l->depth, left = bw_most(left - l->cover, 1e-6f);
    }
    if (left > 1e-4f) span_see(m, from, b.studio.depth, s); // past their edges
    if (b.studio.mirror > 0 && !m->alpha && s->through.v[3] > 0.01f) mirror_see(m, s, b.dir, &b.studio);
    for (int a = 0; a < 3; a++) out[a] = s->rgb[a] + (m->alpha ? 0 : s->through.v[a] * b.studio.rgb[a]);
    return 1 - s->through.v[3];
}

/// Rays spread evenly over the lens as a sunflower's seeds (Vogel 1979), turned from pixel to pixel by blue noise.
static void lens_place(struct sight *s, int ray, int rays)
{
    const double turn = 2.399963229728653 * ray + 2 * 3.14159265358979 * (double)bw_jitter(s->x, s->y, 0);
    const double r = sqrt((ray + 0.5) / rays);
    s->lens[0] = r * cos(turn), s->lens[1] = r * sin(turn);
}

/// The mean of a pixel's rays.
static float pixel_march(const struct march *m, int x, int y, float *out)
{
    const int across = m->through.steps.across, rays = across * across;
    float cover = 0, rgb[3];
    for (int a = 0; a < 3; a++) out[a] = 0;
    for (int q = 0; q < rays; q++) {
        struct sight s = {.x = x, .y = y, .through = CLEAR, .jitter = bw_jitter(x, y, q) - 0.5f};
        const double right = (q % across + 0.5) / across, down = (q / across + 0.5) / across;
        const double uv[2] = {2 * (x + right) / m->img->w - 1, 1 - 2 * (y + down) / m->img->h};
        if (m->shot.scene->camera.aperture > 0) lens_place(&s, q, rays);
        cover += ray_march(m, uv, &s, rgb) / (float)rays;
        for (int a = 0; a < 3; a++) out[a] += rgb[a] / (float)rays;
    }
    return cover;
}

static void band_march(int64_t band, void *user)
{
    const struct march *m = user;
    for (int y = (int)band * BAND; y < m->img->h && y < (int)(band + 1) * BAND; y++)
        for (int x = 0; x < m->img->w; x++) {
            const size_t at = (size_t)y * (size_t)m->img->w + (size_t)x;
            const float cover = pixel_march(m, x, y, m->img->px + 3 * at);
            if (m->alpha) m->alpha[at] = cover;
        }
}

static bw_through_fn see_choose(uint32_t level)
{
    return level >= BW_SIMD_AVX512 ? bw_through_avx512 : level >= BW_SIMD_AVX2 ? bw_through_avx2 : bw_through_baseline;
}

enum bw_status bw_march(const struct bw_tools *tools, const struct bw_shot *shot, struct bw_image *img, float *alpha)
{
    struct march m = {.shot = *shot, .see = see_choose(tools->simd), .img = img, .alpha = alpha};
    m.through = (struct bw_through){shot->lit, &m.blocks, shot->detail, shot->scene->look.extinction,
                                    quality_steps[shot->scene->look.quality + 1]};
    m.blocks.moved = shot->detail != NULL;
    m.through.steps.cubic = bw_lit_cubic(shot->lit, &shot->scene->look);
    m.through.steps.deep = shot->lit->fire ? 0 : DEEP; // what glows behind soot outshines it: cells would show as lines
    if (shot->scene->camera.aperture > 0 && m.through.steps.across < LENS) m.through.steps.across = LENS;
    const int32_t size[2] = {img->w, img->h};
    enum bw_status status = bw_studio_make(tools, shot->scene, shot->v, shot->ambient, &m.studio);
    m.studio.shine = shot->shine;
    m.studio.pixel = 2 * shot->scene->camera.tan_y / img->h / m.through.steps.across;
    m.studio.grains = m.through.steps.across > 1 ? 1 : BW_GRAINS; // where a pixel has one ray
    if (!status) status = bw_blocks_make(tools, shot->lit, &shot->scene->camera, size, &m.blocks);
    if (!status) status = bw_haze_make(tools, shot->v, shot->scene, &m.haze);
    if (!status) tools->parallel(tools->ctx, (img->h + BAND - 1) / BAND, band_march, &m);
    bw_blocks_free(tools, &m.blocks);
    bw_haze_free(tools, &m.haze);
    if (m.studio.map) tools->release(tools->ctx, m.studio.map);
    return status;
}
