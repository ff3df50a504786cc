// SPDX-License-Identifier: Apache-2.0
/* The view rays: steps of six tenths of a cell from a start that differs from pixel to pixel, empty blocks skipped,
 * obstacles by sphere tracing, the studio behind. Busy blocks are first splatted as spheres onto screen tiles, so that
 * most pixels know at once that they miss everything, and the others where to start and end. */
#include "render.h"

#include <math.h>
#include <string.h>

#define STEP 0.6f                                  ///< cells
#define UNSEEN 1e-3f                               ///< light, and share of light, that nobody misses
#define FAINT 1e-4f                                ///< flames that nobody sees
enum { MEDIUM = 1, FIRE = 2 };                     ///< what a block holds
enum { BAND = 4, BLOCK = 8, TILE = 16, FINE = 2 }; ///< rows a task; cells a block; pixels a screen tile; flames a step

struct march {
    const struct bw_tools *tools;
    const struct bw_lit *lit;
    const struct bw_volume *v;
    const struct bw_scene *scene;
    struct bw_studio studio;
    struct bw_image *img;
    float *alpha; ///< of each pixel, or NULL: the studio is seen
    int32_t nb[3];
    uint8_t *busy; ///< of each block: MEDIUM, FIRE, or nothing
    int32_t tiles[2];
    float *reach; ///< per screen tile: distance to the nearest and from the farthest busy block, m
};

/// A ray through the medium in cells: position = o + t·d with |d| = 1, 0 ≤ t < length.
struct ray {
    float o[3], d[3], length;
};

/// Would flames as bright and hot as the brightest and hottest of a block be seen across the whole box?
static int fire_shows(const struct bw_lit *lit, const float fire[2])
{
    const struct bw_dense *b = &lit->box;
    const float way = (float)((b->n[0] + b->n[1] + b->n[2]) * b->h);
    float rgb[3];
    if (fire[0] <= FAINT) return 0;
    bw_emission(lit->planck, fire, rgb);
    return way * (lit->gain * (rgb[0] + rgb[1] + rgb[2]) + lit->soot * fire[0]) > UNSEEN;
}

/// MEDIUM and FIRE as they lie in a block, or in the next cell that interpolation reaches.
static uint8_t block_holds(const struct bw_lit *lit, const int at[3])
{
    int medium = 0;
    float most[2] = {0, 0};
    const struct bw_dense *b = &lit->box;
    int hi[3];
    for (int a = 0; a < 3; a++) hi[a] = (at[a] + 1) * BLOCK < b->n[a] ? (at[a] + 1) * BLOCK + 1 : b->n[a];
    for (int k = at[2] * BLOCK; k < hi[2]; k++)
        for (int j = at[1] * BLOCK; j < hi[1]; j++) {
            const size_t row = ((size_t)k * (size_t)b->n[1] + (size_t)j) * (size_t)b->n[0];
            const float *p = lit->rgbs + 4 * row, *fire = lit->fire ? lit->fire + 2 * row : NULL;
            for (int i = at[0] * BLOCK; i < hi[0]; i++) {
                medium |= p[4 * i + 3] > 0 || p[4 * i] > 0;
                for (int c = 0; fire && c < 2; c++) most[c] = bw_most(most[c], fire[2 * i + c]);
            }
        }
    return (uint8_t)((medium ? MEDIUM : 0) | (fire_shows(lit, most) ? FIRE : 0));
}

static void busy_layer(int64_t k, void *user)
{
    struct march *m = user;
    for (int j = 0; j < m->nb[1]; j++)
        for (int i = 0; i < m->nb[0]; i++)
            m->busy[((int)k * m->nb[1] + j) * m->nb[0] + i] = block_holds(m->lit, (int[3]){i, j, (int)k});
}

static enum bw_status busy_make(struct march *m)
{
    if (!m->lit->rgbs) return BW_OK;
    for (int a = 0; a < 3; a++) m->nb[a] = (m->lit->box.n[a] + BLOCK - 1) / BLOCK;
    m->busy = m->tools->alloc(m->tools->ctx, (size_t)m->nb[0] * (size_t)m->nb[1] * (size_t)m->nb[2]);
    if (!m->busy) return BW_ERR_MEMORY;
    m->tools->parallel(m->tools->ctx, m->nb[2], busy_layer, m);
    return BW_OK;
}

/// Widen the depth range of the screen tiles that a sphere of radius r about p may touch.
static void tiles_mark(struct march *m, const double p[3], double r)
{
    const struct bw_camera *c = &m->scene->camera;
    double x = 0, y = 0, z = 0, range[2][2] = {{-1, 1}, {-1, 1}};
    for (int a = 0; a < 3; a++) {
        double d = p[a] - c->eye[a];
        x += d * c->right[a], y -= d * c->up[a], z += d * c->forward[a];
    }
    if (z < -r) return;
    double distance = sqrt(x * x + y * y + z * z), spread = 1.2 * r / (z - r);
    if (z > 2 * r) {
        range[0][0] = (x / z - spread) / c->tan_x, range[0][1] = (x / z + spread) / c->tan_x;
        range[1][0] = (y / z - spread) / c->tan_y, range[1][1] = (y / z + spread) / c->tan_y;
    }
    int lo[2], hi[2], pixels[2] = {m->img->w, m->img->h};
    for (int a = 0; a < 2; a++) {
        lo[a] = (int)fmax((range[a][0] + 1) * 0.5 * pixels[a] / TILE, 0);
        hi[a] = (int)fmin((range[a][1] + 1) * 0.5 * pixels[a] / TILE, m->tiles[a] - 1);
    }
    for (int j = lo[1]; j <= hi[1]; j++)
        for (int i = lo[0]; i <= hi[0]; i++) {
            float *t = m->reach + 2 * (j * m->tiles[0] + i);
            t[0] = bw_least(t[0], (float)(distance - r));
            t[1] = bw_most(t[1], (float)(distance + r));
        }
}

static enum bw_status tiles_make(struct march *m)
{
    const struct bw_dense *b = &m->lit->box;
    m->tiles[0] = (m->img->w + TILE - 1) / TILE;
    m->tiles[1] = (m->img->h + TILE - 1) / TILE;
    int count = m->tiles[0] * m->tiles[1];
    m->reach = m->tools->alloc(m->tools->ctx, 2 * (size_t)count * sizeof(float));
    if (!m->reach) return BW_ERR_MEMORY;
    for (int i = 0; i < count; i++) m->reach[2 * i] = 1e30f;
    for (int k = 0; m->busy && k < m->nb[2]; k++)
        for (int j = 0; j < m->nb[1]; j++)
            for (int i = 0; i < m->nb[0]; i++) {
                if (!m->busy[(k * m->nb[1] + j) * m->nb[0] + i]) continue;
                const double half = 0.5 * BLOCK * b->h, first = half + 0.5 * b->h; // from cell centre to cell centre
                tiles_mark(m,
                           (double[3]){b->origin[0] + first + 2 * i * half, b->origin[1] + first + 2 * j * half,
                                       b->origin[2] + first + 2 * k * half},
                           1.75 * half);
            }
    return BW_OK;
}

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
    if (fire.v[0] <= FAINT) return;
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
        float lo = (float)((int)(p[a] / BLOCK) * BLOCK);
        float edge = d[a] > 0 ? lo + BLOCK - p[a] : lo - p[a];
        t = bw_least(t, edge / d[a]);
    }
    return bw_most(t, 0);
}

/// Light gathered along a ray into rgb, and what is let through. Samples stand for a step around them, the first and last
/// for what of it lies on the ray: else the jitter would show where rays end, at floor and obstacles.
static float medium_march(const struct march *m, const struct ray *r, float jitter, float rgb[3])
{
    float through = 1;
    const float h = (float)m->lit->box.h;
    struct lanes sum = {{0}};
    for (int n = 0; ((float)n + jitter - 0.5f) * STEP < r->length && through > 0.004f;) {
        const float middle = ((float)n + jitter) * STEP, from = bw_most(middle - 0.5f * STEP, 0);
        const float to = bw_least(middle + 0.5f * STEP, r->length), t = 0.5f * (from + to);
        float p[3];
        for (int a = 0; a < 3; a++) p[a] = bw_most(r->o[a] + t * r->d[a], 0);
        const int at[3] = {(int)p[0] / BLOCK, (int)p[1] / BLOCK, (int)p[2] / BLOCK};
        const uint8_t holds = m->busy[(at[2] * m->nb[1] + at[1]) * m->nb[0] + at[0]];
        if (!holds) {
            n += 1 + (int)(block_exit(p, r->d) / STEP);
            continue;
        }
        n++;
        const struct corner c = corner_at(&m->lit->box, p);
        struct lanes s = holds & MEDIUM ? lit_read(m->lit, &c) : (struct lanes){{0}};
        if (holds & FIRE) fire_step(m->lit, p, r->d, &s);
        const float ds = (to - from) * h, depth = s.v[3] * ds, keep = bw_exp_neg(depth);
        sum.v += s.v * (through * (depth > 1e-4f ? (1 - keep) / s.v[3] : ds)); // ∫ exp(-s x) dx over the step
        through *= keep;
    }
    for (int c = 0; c < 3; c++) rgb[c] = sum.v[c];
    return through;
}

static float solid_read(const struct bw_volume *v, const double p[3])
{
    struct bw_tap tap;
    bw_tap_at(&v->solid_box, p, &tap);
    return bw_tap_read(&tap, v->solid);
}

/// Share of the pixel that an obstacle covers, its distance in *depth.
static float solid_hit(const struct march *m, const double dir[3], double pixel, double *depth)
{
    const struct bw_dense *b = &m->v->solid_box;
    const double *eye = m->scene->camera.eye;
    double t0 = 0, t1 = *depth, best = HUGE_VAL, at = 0;
    for (int a = 0; a < 3; a++) {
        double d = fabs(dir[a]) > 1e-9 ? dir[a] : 1e-9, lo = (b->origin[a] - eye[a]) / d;
        double hi = (b->origin[a] + b->n[a] * b->h - eye[a]) / d;
        t0 = fmax(t0, fmin(lo, hi));
        t1 = fmin(t1, fmax(lo, hi));
    }
    for (double t = t0; t < t1;) {
        double d = (double)solid_read(m->v, (double[3]){eye[0] + t * dir[0], eye[1] + t * dir[1], eye[2] + t * dir[2]});
        double spread = d / (pixel * t);
        if (spread < best) best = spread, at = t;
        if (best < 0.02) break;
        t += fmax(0.8 * d, 0.05 * b->h);
    }
    if (best >= 1) return 0;
    *depth = at;
    return best < 0.02 ? 1 : (float)(1 - best);
}

#define PENUMBRA 0.12 ///< half the angle at which a light is seen
#define SOFT 0.35     ///< cosine by which lights, being large, reach round an edge

/// Share of a light that other obstacles let through to p, a surface's place with normal n: the light is a disc, so that
/// what comes within PENUMBRA times the way to it covers a part (Quilez's soft shadow by marching a distance).
static double solid_shadow(const struct march *m, const double p[3], const double n[3], const double to[3])
{
    const struct bw_dense *b = &m->v->solid_box;
    double open = 1, far = (b->n[0] + b->n[1] + b->n[2]) * b->h;
    for (double t = b->h; open > 0 && t < far;) {
        double q[3], inside = 1;
        for (int a = 0; a < 3; a++) {
            q[a] = p[a] + 1.2 * b->h * n[a] + t * to[a];
            inside *= q[a] > b->origin[a] && q[a] < b->origin[a] + b->n[a] * b->h;
        }
        if (inside <= 0) break;
        double d = (double)solid_read(m->v, q);
        open = fmin(open, fmax(d, 0) / fmin(PENUMBRA * t, 2 * b->h)); // farther off, distances are not known
        t += fmax(0.8 * d, 0.3 * b->h);
    }
    return open;
}

/// Clay under all lights.
static void solid_shade(const struct march *m, const double p[3], float rgb[3])
{
    double n[3], len = 1e-30, e = 0.75 * m->v->solid_box.h;
    for (int a = 0; a < 3; a++) {
        double q[3] = {p[0], p[1], p[2]}, r[3] = {p[0], p[1], p[2]};
        q[a] += e;
        r[a] -= e;
        n[a] = (double)(solid_read(m->v, q) - solid_read(m->v, r));
        len += n[a] * n[a];
    }
    static const float clay[3] = {0.20f, 0.17f, 0.15f};
    float arrives[3] = {0};
    for (int a = 0; a < 3; a++) n[a] /= sqrt(len);
    bw_lamps_light(m->studio.ambient, p, n, arrives);
    for (int c = 0; c < 3; c++)
        rgb[c] = 4 * arrives[c] + (0.22f + 0.18f * (float)n[2]) * (float)m->scene->look.environment;
    for (int l = 0; l < m->studio.n_lights; l++) {
        double cosine = 0;
        for (int a = 0; a < 3; a++) cosine += n[a] * m->studio.light[l].to[a];
        if (cosine <= -SOFT) continue;
        const float share = (float)((cosine + SOFT) / (1 + SOFT) * solid_shadow(m, p, n, m->studio.light[l].to));
        for (int c = 0; c < 3; c++) rgb[c] += share * m->studio.light[l].rgb[c];
    }
    for (int c = 0; c < 3; c++) rgb[c] *= clay[c];
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
    const float *reach = m->reach + 2 * (s->y / TILE * m->tiles[0] + s->x / TILE);
    const double range[2] = {fmax((double)reach[0], near), fmin((double)reach[1], far)};
    if (range[0] >= range[1] || !ray_clip(&m->lit->box, m->scene->camera.eye, s->dir, range, &r)) return;
    const float through = medium_march(m, &r, bw_pattern(s->x, s->y) - 0.5f, rgb);
    for (int a = 0; a < 3; a++) s->rgb[a] += s->through * rgb[a];
    s->through *= through;
}

/// An obstacle at a distance of `depth` that covers a share of the pixel.
static void solid_see(const struct march *m, double depth, float cover, struct sight *s)
{
    const double *eye = m->scene->camera.eye;
    float clay[3];
    solid_shade(m, (double[3]){eye[0] + depth * s->dir[0], eye[1] + depth * s->dir[1], eye[2] + depth * s->dir[2]},
                clay);
    for (int a = 0; a < 3; a++) s->rgb[a] += s->through * cover * clay[a];
    s->through *= 1 - cover;
}

/// Light of one pixel, into `out`; answers how much of it smoke and obstacles cover.
static float pixel_march(const struct march *m, int x, int y, float *out)
{
    const struct bw_camera *c = &m->scene->camera;
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
    const float cover = m->v->solid ? solid_hit(m, s.dir, 2 * c->tan_y / m->img->h, &hit) : 0;
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

enum bw_status bw_march(const struct bw_tools *tools, const struct bw_lit *lit, const struct bw_ambient *ambient,
                        const struct bw_volume *v, const struct bw_scene *scene, struct bw_image *img, float *alpha)
{
    struct march m = {.tools = tools, .lit = lit, .v = v, .scene = scene, .img = img, .alpha = alpha};
    enum bw_status status = bw_studio_make(tools, scene, ambient, &m.studio);
    if (!status) status = busy_make(&m);
    if (!status) status = tiles_make(&m);
    if (!status) tools->parallel(tools->ctx, (img->h + BAND - 1) / BAND, band_march, &m);
    if (m.busy) tools->release(tools->ctx, m.busy);
    if (m.reach) tools->release(tools->ctx, m.reach);
    if (m.studio.map) tools->release(tools->ctx, m.studio.map);
    return status;
}
