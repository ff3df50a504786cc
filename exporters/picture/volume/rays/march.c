// SPDX-License-Identifier: Apache-2.0
/* The view rays: steps of six tenths of a cell from a start that differs from pixel to pixel, empty blocks skipped,
 * obstacles and the studio behind. */
#include "march.h"
#include "blocks.h"
#include "solid.h"
#include "studio.h"
#include <picture/volume/scene/flame.h>
#include <picture/volume/scene/quick.h>

#include <math.h>
#include <string.h>

#define STEP 0.6f            ///< cells
enum { BAND = 4, FINE = 2 }; ///< rows a task; flames a step

struct march {
    struct bw_shot shot;
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

/// {j, s} of one cell, or of a place between: four lanes of every SIMD set. {flame, kelvin} likewise.
struct lanes {
    float v __attribute__((vector_size(16)));
};
struct pair {
    float v __attribute__((vector_size(8)));
};

/// Where a place lies between eight cells.
struct corner {
    size_t at, next[3];
    float f[3];
};

static inline struct corner corner_at(const struct bw_dense *b, const float p[3])
{
    struct corner c = {0, {1, (size_t)b->n[0], (size_t)b->n[0] * (size_t)b->n[1]}, {0}};
    for (int a = 0; a < 3; a++) {
        int i = (int)p[a];
        if (i > b->n[a] - 2) i = b->n[a] - 2;
        c.f[a] = p[a] - (float)i;
        c.at += (size_t)i * c.next[a];
    }
    return c;
}

static inline struct lanes lanes_between(const float *p, size_t step, float f)
{
    struct lanes a, b;
    memcpy(&a, p, sizeof a);
    memcpy(&b, p + step, sizeof b);
    return (struct lanes){a.v + (b.v - a.v) * f};
}

static inline struct pair pair_between(const float *p, size_t step, float f)
{
    struct pair a, b;
    memcpy(&a, p, sizeof a);
    memcpy(&b, p + step, sizeof b);
    return (struct pair){a.v + (b.v - a.v) * f};
}

/// Trilinear {j, s} between cells.
static inline struct lanes lit_read(const struct bw_lit *lit, const struct corner *c)
{
    const float *q = lit->rgbs + 4 * c->at, *r = q + 4 * c->next[2];
    const struct lanes a0 = lanes_between(q, 4, c->f[0]), a1 = lanes_between(q + 4 * c->next[1], 4, c->f[0]);
    const struct lanes b0 = lanes_between(r, 4, c->f[0]), b1 = lanes_between(r + 4 * c->next[1], 4, c->f[0]);
    struct lanes near = {a0.v + (a1.v - a0.v) * c->f[1]}, far = {b0.v + (b1.v - b0.v) * c->f[1]};
    near.v += (far.v - near.v) * c->f[2];
    return near;
}

/// What flames add there to {j, s}, `share` of it.
static inline void fire_add(const struct bw_lit *lit, const struct corner *c, float share, struct lanes *js)
{
    const float *q = lit->fire + 2 * c->at, *r = q + 2 * c->next[2];
    const struct pair a0 = pair_between(q, 2, c->f[0]), a1 = pair_between(q + 2 * c->next[1], 2, c->f[0]);
    const struct pair b0 = pair_between(r, 2, c->f[0]), b1 = pair_between(r + 2 * c->next[1], 2, c->f[0]);
    const struct pair near = {a0.v + (a1.v - a0.v) * c->f[1]}, far = {b0.v + (b1.v - b0.v) * c->f[1]};
    const struct pair fire = {near.v + (far.v - near.v) * c->f[2]};
    if (fire.v[0] <= BW_FIRE_FAINT) return;
    float rgb[3];
    bw_emission(lit->planck, (float[2]){fire.v[0], fire.v[1]}, rgb);
    const float gain = share * lit->gain;
    js->v += (struct lanes){{gain * rgb[0], gain * rgb[1], gain * rgb[2], share * lit->soot * fire.v[0]}}.v;
}

/// The same over a step about p: flames are thinner than a step.
static inline void fire_step(const struct bw_lit *lit, const float p[3], const float d[3], struct lanes *js)
{
    for (int q = 0; q < FINE; q++) {
        const float t = STEP * (((float)q + 0.5f) / FINE - 0.5f);
        float at[3];
        for (int a = 0; a < 3; a++) at[a] = bw_least(bw_most(p[a] + t * d[a], 0), (float)(lit->box.n[a] - 1));
        const struct corner c = corner_at(&lit->box, at);
        fire_add(lit, &c, 1.0f / FINE, js);
    }
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

/// Light gathered along a ray into rgb, and what is let through. Samples stand for a step around them, the first and
/// last for what of it lies on the ray: else the jitter would show where rays end, at floor and obstacles.
static float medium_march(const struct march *m, const struct ray *r, float jitter, float rgb[3])
{
    float through = 1;
    const float h = (float)m->shot.lit->box.h;
    struct lanes sum = {{0}};
    for (int n = 0; ((float)n + jitter - 0.5f) * STEP < r->length && through > 0.004f;) {
        const float middle = ((float)n + jitter) * STEP, from = bw_most(middle - 0.5f * STEP, 0);
        const float to = bw_least(middle + 0.5f * STEP, r->length), t = 0.5f * (from + to);
        float p[3];
        for (int a = 0; a < 3; a++) p[a] = bw_most(r->o[a] + t * r->d[a], 0);
        const int at[3] = {(int)p[0] / BW_BLOCK, (int)p[1] / BW_BLOCK, (int)p[2] / BW_BLOCK};
        const uint8_t holds = m->blocks.busy[(at[2] * m->blocks.n[1] + at[1]) * m->blocks.n[0] + at[0]];
        if (!holds) {
            n += 1 + (int)(block_exit(p, r->d) / STEP);
            continue;
        }
        n++;
        const struct corner c = corner_at(&m->shot.lit->box, p);
        struct lanes s = holds & BW_HOLDS_MEDIUM ? lit_read(m->shot.lit, &c) : (struct lanes){{0}};
        if (holds & BW_HOLDS_FIRE) fire_step(m->shot.lit, p, r->d, &s);
        const float ds = (to - from) * h, depth = s.v[3] * ds, keep = bw_exp_neg(depth);
        sum.v += s.v * (through * (depth > 1e-4f ? (1 - keep) / s.v[3] : ds)); // ∫ exp(-s x) dx over the step
        through *= keep;
    }
    for (int c = 0; c < 3; c++) rgb[c] = sum.v[c];
    return through;
}

/// What a pixel has seen so far: light, and what gets through from behind.
struct sight {
    int x, y;
    double dir[3];
    float rgb[3], through;
};

/// On through the medium from `near` to `far`, m.
static void span_see(const struct march *m, double near, double far, struct sight *s)
{
    struct ray r;
    float rgb[3];
    const float *reach = m->blocks.reach + 2 * (s->y / BW_SCREEN_TILE * m->blocks.tiles[0] + s->x / BW_SCREEN_TILE);
    const double range[2] = {fmax((double)reach[0], near), fmin((double)reach[1], far)};
    if (range[0] >= range[1] || !ray_clip(&m->shot.lit->box, m->shot.scene->camera.eye, s->dir, range, &r)) return;
    const float through = medium_march(m, &r, bw_pattern(s->x, s->y) - 0.5f, rgb);
    for (int a = 0; a < 3; a++) s->rgb[a] += s->through * rgb[a];
    s->through *= through;
}

/// An obstacle at a distance of `depth` that covers a share of the pixel.
static void solid_see(const struct march *m, double depth, float cover, struct sight *s)
{
    const double *eye = m->shot.scene->camera.eye;
    float clay[3];
    const double p[3] = {eye[0] + depth * s->dir[0], eye[1] + depth * s->dir[1], eye[2] + depth * s->dir[2]};
    bw_solid_shade(m->shot.v, &m->studio, p, clay);
    for (int a = 0; a < 3; a++) s->rgb[a] += s->through * cover * clay[a];
    s->through *= 1 - cover;
}

/// Light of one pixel, into `out`; answers how much of it smoke and obstacles cover.
static float pixel_march(const struct march *m, int x, int y, float *out)
{
    const struct bw_camera *c = &m->shot.scene->camera;
    struct sight s = {.x = x, .y = y, .through = 1};
    double u = 2 * (x + 0.5) / m->img->w - 1, v = 1 - 2 * (y + 0.5) / m->img->h, len = 0, depth, hit;
    for (int a = 0; a < 3; a++) {
        s.dir[a] = c->forward[a] + u * c->tan_x * c->right[a] + v * c->tan_y * c->up[a];
        len += s.dir[a] * s.dir[a];
    }
    for (int a = 0; a < 3; a++) s.dir[a] /= sqrt(len);
    float behind[3];
    bw_studio_colour(&m->studio, s.dir, u, v, behind, &depth);
    hit = depth;
    const float cover = m->shot.v->solid ? bw_solid_hit(m->shot.v, c->eye, s.dir, 2 * c->tan_y / m->img->h, &hit) : 0;
    span_see(m, 0, hit, &s);
    if (cover > 0) solid_see(m, hit, cover, &s);
    if (cover > 0 && cover < 1) span_see(m, hit, depth, &s); // past its edge
    for (int a = 0; a < 3; a++) out[a] = s.rgb[a] + (m->alpha ? 0 : s.through * behind[a]);
    return 1 - s.through;
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
    const int32_t size[2] = {img->w, img->h};
    enum bw_status status = bw_studio_make(tools, shot->scene, shot->ambient, &m.studio);
    if (!status) status = bw_blocks_make(tools, shot->lit, &shot->scene->camera, size, &m.blocks);
    if (!status) tools->parallel(tools->ctx, (img->h + BAND - 1) / BAND, band_march, &m);
    bw_blocks_free(tools, &m.blocks);
    if (m.studio.map) tools->release(tools->ctx, m.studio.map);
    return status;
}
