// SPDX-License-Identifier: Apache-2.0
/* The view rays: steps of a part of a cell from a start that differs from pixel to pixel, empty blocks skipped,
 * obstacles and the studio behind. */
#include "march.h"
#include "blocks.h"
#include "jitter.h"
#include "read.h"
#include "solid.h"
#include "studio.h"
#include <picture/volume/scene/flame.h>
#include <picture/volume/scene/quick.h>

#include <math.h>
#include <string.h>

#define DEEP 0.1f ///< of the light from there gets out: cells are read linearly, which is not seen
#define CLEAR ((struct lanes){{1, 1, 1, 1}})
enum { BAND = 4 }; ///< rows a task
enum { LENS = 4 }; ///< rays a pixel, squared, through a lens that is wide

/// How rays go.
struct steps {
    float length;         ///< cells
    int32_t cubic;        ///< how cells are read
    int32_t fine, across; ///< flames a step; rays a pixel, squared
};
static const struct steps quality_steps[] = {
    [BW_QUALITY_DRAFT + 1] = {.length = 1, .fine = 1, .across = 1},
    [BW_QUALITY_DEFAULT + 1] = {.length = 0.7f, .fine = 1, .across = 1},
    [BW_QUALITY_FINAL + 1] = {.length = 0.4f, .fine = 2, .across = 2},
};

struct march {
    struct bw_shot shot;
    struct steps steps;
    struct bw_studio studio;
    struct bw_blocks blocks;
    struct bw_image *img;
    float *alpha; ///< of each pixel, or NULL: the studio is seen
};

/// A ray through the medium in cells: position = o + t·d with |d| = 1, 0 ≤ t < length.
struct ray {
    float o[3], d[3], length;
};

/// Cut a ray to the box between the outermost cell centres. 0: it misses.
static int ray_clip(const struct bw_dense *b, const double eye[3], const double dir[3], const double range[2],
                    struct ray *r)
{
    double t0 = range[0] / b->h, t1 = range[1] / b->h;
    for (int a = 0; a < 3; a++) {
        double o = (eye[a] - b->origin[a]) / b->h - 0.5, d = fabs(dir[a]) > 1e-9 ? dir[a] : 1e-9;
        double lo = -o / d, hi = (b->n[a] - 1 - o) / d;
        t0 = fmax(t0, fmin(lo, hi));
        t1 = fmin(t1, fmax(lo, hi));
        r->d[a] = (float)d;
    }
    for (int a = 0; a < 3; a++) r->o[a] = (float)((eye[a] - b->origin[a]) / b->h - 0.5 + t0 * (double)r->d[a]);
    r->length = (float)(t1 - t0);
    return t1 > t0;
}

/// What flames add at `t` to {j, s}, `share` of it.
static inline void fire_add(const struct march *m, const struct taps *t, int cubic, float share, struct lanes *js)
{
    const struct bw_lit *lit = m->shot.lit;
    float fire[2], rgb[3];
    if (cubic) cubic_two(lit->fire, t, fire);
    else linear_two(lit->fire, t, fire);
    if (fire[0] <= BW_FIRE_FAINT) return;
    bw_emission(lit->planck, fire, rgb);
    const float gain = share * lit->gain;
    js->v += (struct lanes){{gain * rgb[0], gain * rgb[1], gain * rgb[2], share * lit->soot * fire[0]}}.v;
}

/// The same over a step about p: flames are thinner than a step.
static inline void fire_step(const struct march *m, int cubic, const float p[3], const float d[3], struct lanes *js)
{
    const struct bw_dense *b = &m->shot.lit->box;
    for (int q = 0; q < m->steps.fine; q++) {
        const float t = m->steps.length * (((float)q + 0.5f) / (float)m->steps.fine - 0.5f);
        float at[3];
        for (int a = 0; a < 3; a++) at[a] = bw_least(bw_most(p[a] + t * d[a], 0), (float)(b->n[a] - 1));
        const struct taps taps = taps_at(b, at, cubic);
        fire_add(m, &taps, cubic, 1 / (float)m->steps.fine, js);
    }
}

/// {j, s} at p, a place on a ray along d.
static inline struct lanes medium_at(const struct march *m, uint8_t holds, int cubic, const float p[3],
                                     const float d[3])
{
    struct lanes s = {{0}};
    if (holds & BW_HOLDS_MEDIUM) {
        const struct taps t = taps_at(&m->shot.lit->box, p, cubic);
        s = cubic ? cubic_four(m->shot.lit->rgbs, &t) : linear_four(m->shot.lit->rgbs, &t);
        for (int c = 0; c < 4; c++) s.v[c] = bw_most(s.v[c], 0); // sharpened cells go below 0 beside an edge
    }
    if (holds & BW_HOLDS_FIRE) fire_step(m, cubic, p, d, &s);
    return s;
}

/// Distance along the ray to the end of the block around p.
static float block_exit(const float p[3], const float d[3])
{
    float t = 1e30f;
    for (int a = 0; a < 3; a++) {
        float lo = (float)((int)(p[a] / BW_BLOCK) * BW_BLOCK);
        float edge = d[a] > 0 ? lo + BW_BLOCK - p[a] : lo - p[a];
        t = bw_least(t, edge / d[a]);
    }
    return bw_most(t, 0);
}

/// Light of a step of `depth`, {rgb, grey}, that stays.
static inline struct lanes depth_keep(const float more[3], float depth)
{
    const float grey = bw_exp_neg(depth);
    struct lanes keep = {{grey, grey, grey, grey}};
    for (int c = 0; c < 3; c++)
        if (more[c] != 1) keep.v[c] = bw_exp_neg(more[c] * depth);
    return keep;
}

/// Light gathered along a ray into rgb, and what is let through, {rgb, grey}. Samples stand for a step around them, the
/// first and last for what of it lies on the ray: else the jitter would show where rays end, at floor and obstacles.
static struct lanes medium_march(const struct march *m, const struct ray *r, float jitter, float rgb[3])
{
    const float *more = m->shot.scene->look.extinction;
    struct lanes through = CLEAR;
    const float h = (float)m->shot.lit->box.h, step = m->steps.length;
    struct lanes sum = {{0}};
    for (int n = 0; ((float)n + jitter - 0.5f) * step < r->length && through.v[3] > 0.004f;) {
        const float middle = ((float)n + jitter) * step, from = bw_most(middle - 0.5f * step, 0);
        const float to = bw_least(middle + 0.5f * step, r->length), t = 0.5f * (from + to);
        float p[3];
        for (int a = 0; a < 3; a++) p[a] = bw_most(r->o[a] + t * r->d[a], 0);
        const int at[3] = {(int)p[0] / BW_BLOCK, (int)p[1] / BW_BLOCK, (int)p[2] / BW_BLOCK};
        const uint8_t holds = m->blocks.busy[(at[2] * m->blocks.n[1] + at[1]) * m->blocks.n[0] + at[0]];
        if (!holds) {
            n += 1 + (int)(block_exit(p, r->d) / step);
            continue;
        }
        n++;
        const int32_t *cells = m->shot.lit->box.n;
        const size_t cell =
            ((size_t)(int)p[2] * (size_t)cells[1] + (size_t)(int)p[1]) * (size_t)cells[0] + (size_t)(int)p[0];
        const uint8_t near = holds & m->blocks.near[cell];
        if (!near) continue;
        const struct lanes s = medium_at(m, near, m->steps.cubic && through.v[3] > DEEP, p, r->d);
        const float ds = (to - from) * h, depth = s.v[3] * ds;
        const struct lanes keep = depth_keep(more, depth);
        struct lanes way = {{ds, ds, ds, ds}}; // ∫ exp(-s x) dx over the step
        for (int c = 0; c < 3 && depth > 1e-4f; c++)
            if (more[c] > 0) way.v[c] = (1 - keep.v[c]) / (more[c] * s.v[3]);
        sum.v += s.v * (through.v * way.v);
        through.v *= keep.v;
    }
    for (int c = 0; c < 3; c++) rgb[c] = sum.v[c];
    return through;
}

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
    struct ray r;
    float rgb[3];
    const float *reach = m->blocks.reach + 2 * (s->y / BW_SCREEN_TILE * m->blocks.tiles[0] + s->x / BW_SCREEN_TILE);
    double range[2] = {near, far};
    if (!(m->shot.scene->camera.aperture > 0)) // tiles are those of the lens's middle
        range[0] = fmax((double)reach[0], near), range[1] = fmin((double)reach[1], far);
    if (range[0] >= range[1] || !ray_clip(&m->shot.lit->box, s->eye, s->dir, range, &r)) return;
    const struct lanes through = medium_march(m, &r, s->jitter, rgb);
    for (int a = 0; a < 3; a++) s->rgb[a] += s->through.v[a] * rgb[a];
    s->through.v *= through.v;
}

/// An obstacle at a distance of `depth` that covers a share of the pixel.
static void solid_see(const struct march *m, double depth, float cover, struct sight *s)
{
    const double *eye = s->eye;
    float clay[3];
    const double p[3] = {eye[0] + depth * s->dir[0], eye[1] + depth * s->dir[1], eye[2] + depth * s->dir[2]};
    bw_solid_shade(m->shot.v, &m->studio, p, s->dir, clay);
    for (int a = 0; a < 3; a++) s->rgb[a] += s->through.v[a] * cover * clay[a];
    s->through.v *= 1 - cover;
}

/// What a wet floor mirrors of smoke, flames and room.
static void mirror_see(const struct march *m, const struct sight *s, struct bw_behind *b)
{
    const double *eye = s->eye, range[2] = {0, HUGE_VAL};
    double at[3];
    float rgb[3] = {0}, sky[3];
    struct lanes through = CLEAR;
    struct ray r;
    for (int a = 0; a < 3; a++) at[a] = eye[a] + b->depth * s->dir[a];
    if (m->shot.lit->rgbs && ray_clip(&m->shot.lit->box, at, b->mirrored, range, &r))
        through = medium_march(m, &r, s->jitter, rgb);
    bw_studio_sky(&m->studio, b->mirrored, sky);
    for (int c = 0; c < 3; c++) b->rgb[c] += b->mirror * (rgb[c] + through.v[c] * sky[c]);
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

/// Light along a ray, (u, v) in -1 … 1 over the picture, into `out`; answers how much smoke and obstacles cover.
static float ray_march(const struct march *m, const double uv[2], struct sight *s, float *out)
{
    const struct bw_camera *c = &m->shot.scene->camera;
    double depth, hit;
    struct bw_behind behind;
    sight_aim(c, uv, s);
    bw_studio_colour(&m->studio, s->eye, s->dir, uv, &behind);
    hit = depth = behind.depth;
    const float cover = m->shot.v->solid ? bw_solid_hit(m->shot.v, s->eye, s->dir, 2 * c->tan_y / m->img->h, &hit) : 0;
    span_see(m, 0, hit, s);
    if (cover > 0) solid_see(m, hit, cover, s);
    if (cover > 0 && cover < 1) span_see(m, hit, depth, s); // past its edge
    if (behind.mirror > 0 && !m->alpha && s->through.v[3] > 0.01f) mirror_see(m, s, &behind);
    for (int a = 0; a < 3; a++) out[a] = s->rgb[a] + (m->alpha ? 0 : s->through.v[a] * behind.rgb[a]);
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
    const int across = m->steps.across, rays = across * across;
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

enum bw_status bw_march(const struct bw_tools *tools, const struct bw_shot *shot, struct bw_image *img, float *alpha)
{
    struct march m = {.shot = *shot, .img = img, .alpha = alpha};
    m.steps = quality_steps[shot->scene->look.quality + 1];
    m.steps.cubic = bw_lit_cubic(shot->lit, &shot->scene->look);
    if (shot->scene->camera.aperture > 0 && m.steps.across < LENS) m.steps.across = LENS;
    const int32_t size[2] = {img->w, img->h};
    enum bw_status status = bw_studio_make(tools, shot->scene, shot->ambient, &m.studio);
    m.studio.pixel = 2 * shot->scene->camera.tan_y / img->h;
    if (!status) status = bw_blocks_make(tools, shot->lit, &shot->scene->camera, size, &m.blocks);
    if (!status) tools->parallel(tools->ctx, (img->h + BAND - 1) / BAND, band_march, &m);
    bw_blocks_free(tools, &m.blocks);
    if (m.studio.map) tools->release(tools->ctx, m.studio.map);
    return status;
}
