// SPDX-License-Identifier: Apache-2.0
/* A particle of diameter d and radiance L that hides the share `veil` of what is behind it is seen as a Gaussian of the
 * weight π d²/4, wide as its neighbours lie: where its weight on a pixel is w, it lays the opacity 1 - exp(-veil w) and
 * the radiance L / veil over what is there, from far to near; of a veil of 0 it adds L w. So what is dense goes towards
 * L / veil, and thin sheets stay thin. Lamps far off find particles dimmed by those before them, which are laid onto a
 * map across the lamp's direction in their order from it (S. Green: Volumetric particle shadows, 2008). Bands of rows
 * are drawn side by side, each all particles in their order. */
#include "splat.h"
#include "gaussian.h"
#include <picture/volume/scene/phase.h>
#include <picture/volume/scene/fast_math.h>
#include <picture/volume/studio/room.h>

#include <math.h>
#include <stdlib.h>

#define NEAR 2.0   ///< times twice as bright, at most, is what is near where particles fade
#define NARROW 0.5 ///< pixels: the least standard deviation
#define WIDE 0.35  ///< standard deviation of a disc's diameter
#define MOST 0.08  ///< of the picture's width: the most that a particle is spread, its standard deviation
enum { BATCH = 256, BAND = 32, MAP = 512 };

/// One that is seen.
struct mote {
    struct bw_gaussian gaussian;
    double far; ///< m, along the line of sight
    float weight, rgb[3];
    int64_t i;
};

struct cloud {
    const struct bw_shot *shot;
    const float *transmittance;
    int step;
    struct bw_image *img;
    float *alpha;
    const struct bw_spread *spread; ///< a particle; zeros where nothing is spread
    struct mote *mote;
    int64_t n;
    struct bw_studio room; ///< without a map
    float *shade;          ///< n_lights a particle: of a lamp's light, what arrives
};

float bw_splat_left(const struct bw_scene *scene, const double at[3])
{
    const struct bw_camera *c = &scene->camera;
    double behind = -c->focus, off2 = 0, share = 1;
    for (int a = 0; a < 3; a++) {
        behind += (at[a] - c->eye[a]) * c->forward[a];
        off2 += pow(at[a] - c->eye[a] - c->focus * c->forward[a], 2);
    }
    if (scene->look.particles.fade > 0) share *= exp2(fmin(-behind / scene->look.particles.fade, NEAR));
    if (scene->look.particles.reach > 0)
        share *= exp(-off2 / (scene->look.particles.reach * scene->look.particles.reach));
    return (float)share;
}

/// Its way while the shutter is open and its own width are added to how it is spread.
static struct bw_spread spread_moved(const struct cloud *d, int64_t i, double width)
{
    const struct bw_spark *s = &d->shot->v->spark[i];
    struct bw_spread e = d->spread[i];
    const float own = (float)(WIDE * WIDE * width * width);
    const float t2 = (float)(d->shot->scene->streak * d->shot->scene->streak / 12);
    e.xx += own + t2 * s->vel[0] * s->vel[0], e.yz += t2 * s->vel[1] * s->vel[2];
    e.yy += own + t2 * s->vel[1] * s->vel[1], e.xz += t2 * s->vel[0] * s->vel[2];
    e.zz += own + t2 * s->vel[2] * s->vel[2], e.xy += t2 * s->vel[0] * s->vel[1];
    return e;
}

/// No wider than `most`, m².
static void spread_bound(struct bw_spread *e, double most)
{
    const float all = e->xx + e->yy + e->zz, k = all > (float)most ? (float)most / all : 1;
    e->xx *= k, e->yy *= k, e->zz *= k, e->yz *= k, e->xz *= k, e->xy *= k;
}

/// What is left of one whose neighbours lie off a line, by the variance across it: (λ1 λ2 + λ1 λ3 + λ2 λ3) / Σ λ, next
/// to λ2 + λ3 where λ1 is far larger.
static float spread_left(const struct bw_spread *e, double stray)
{
    const double all = (double)(e->xx + e->yy + e->zz);
    const double minors = (double)(e->xx * e->yy + e->yy * e->zz + e->zz * e->xx) -
                          (double)(e->xy * e->xy + e->yz * e->yz + e->xz * e->xz);
    return stray > 0 && all > 0 ? (float)exp(-fmax(minors, 0) / (all * stray * stray)) : 1;
}

/// Colour times what lights it: itself, and lamps and room as smoke is lit by them.
static void mote_light(const struct cloud *d, int64_t i, float rgb[3])
{
    const struct bw_scene *scene = d->shot->scene;
    const struct bw_look *look = &scene->look;
    const struct bw_spark *s = &d->shot->v->spark[i];
    const float left = bw_splat_left(scene, s->at);
    float lit[3] = {0};
    double eye[3], length = 0;
    for (int a = 0; a < 3; a++) eye[a] = scene->camera.eye[a] - s->at[a], length += eye[a] * eye[a];
    for (int c = 0; look->particles.lit > 0 && c < 3; c++)
        lit[c] = 0.5f * (d->room.room.above[c] + d->room.room.below[c]);
    for (int l = 0; look->particles.lit > 0 && l < d->room.n_lights; l++) {
        const struct bw_light_seen seen = bw_light_from(&d->room.light[l], s->at, 0);
        double cosine = 0;
        for (int a = 0; a < 3; a++) cosine -= seen.to[a] * eye[a] / sqrt(length);
        const float k = BW_SUN_SMOKE * seen.share * (float)bw_phase(look->anisotropy, cosine);
        for (int c = 0; c < 3; c++) lit[c] += k * d->room.light[l].rgb[c] * d->shade[i * d->room.n_lights + l];
    }
    for (int c = 0; c < 3; c++)
        rgb[c] = s->rgb[c] * left * (float)(look->particles.glow + look->particles.lit * (double)lit[c]);
}

/// 0: it is not seen.
static int mote_make(const struct cloud *d, int64_t i, struct mote *m)
{
    const struct bw_camera *c = &d->shot->scene->camera;
    const struct bw_spark *s = &d->shot->v->spark[i];
    double x = 0, y = 0, z = 0, across[2][3], at[2];
    for (int a = 0; a < 3; a++) {
        const double p = s->at[a] - c->eye[a];
        x += p * c->right[a], y += p * c->up[a], z += p * c->forward[a];
    }
    const float seen = d->transmittance[i * d->step];
    if (!bw_splat_has(&d->shot->scene->look, s) || !(z > 0) || !(seen > 0)) return 0;
    const double kx = 0.5 * d->img->w / (z * c->tan_x), ky = 0.5 * d->img->h / (z * c->tan_y);
    at[0] = 0.5 * d->img->w + kx * x, at[1] = 0.5 * d->img->h - ky * y;
    if (!(fabs(at[0] - 0.5 * d->img->w) < d->img->w && fabs(at[1] - 0.5 * d->img->h) < d->img->h)) return 0;
    for (int a = 0; a < 3; a++) {
        across[0][a] = kx * (c->right[a] - x / z * c->forward[a]);
        across[1][a] = -ky * (c->up[a] - y / z * c->forward[a]);
    }
    struct bw_spread e = spread_moved(d, i, (double)s->size);
    const double(*const plane)[3] = (const double(*)[3])across;
    spread_bound(&e, pow(MOST * d->img->w / kx, 2));
    const double lens = 0.25 * d->img->w / c->tan_x * c->aperture * fabs(1 / z - 1 / c->focus);
    m->gaussian = bw_gaussian_make(&e, plane, NARROW * NARROW + lens * lens, at, d->img->h);
    m->far = z, m->i = i;
    m->weight = s->size > 0 ? (float)(0.25 * 3.14159265358979 * kx * ky * (double)(s->size * s->size)) : 1;
    m->weight *= spread_left(&d->spread[i], d->shot->scene->look.particles.stray);
    mote_light(d, i, m->rgb);
    for (int a = 0; a < 3; a++) m->rgb[a] *= seen;
    return m->gaussian.lo <= m->gaussian.hi;
}

static void batch_make(int64_t batch, void *user)
{
    const struct cloud *d = user;
    for (int64_t i = batch * BATCH; i < d->shot->v->n_sparks && i < (batch + 1) * BATCH; i++)
        if (!mote_make(d, i, &d->mote[i])) d->mote[i].far = -1;
}

static int farther(const void *one, const void *other)
{
    const struct mote *a = one, *b = other;
    if (a->far != b->far) return a->far < b->far ? 1 : -1;
    return a->i < b->i ? -1 : a->i > b->i;
}

/// Those that are seen, from far to near.
static void motes_sort(struct cloud *d)
{
    for (int64_t i = 0; i < d->shot->v->n_sparks; i++)
        if (d->mote[i].far > 0) d->mote[d->n++] = d->mote[i];
    qsort(d->mote, (size_t)d->n, sizeof *d->mote, farther);
}

/// What lies behind a depth is hidden by that share; 1 - exp() would be 0 where it is near 0.
static float depth_hides(float depth) { return depth < 1e-3f ? depth * (1 - 0.5f * depth) : 1 - bw_exp_neg(depth); }

static void row_draw(const struct cloud *d, const struct mote *m, int32_t y)
{
    const float veil = (float)d->shot->scene->look.particles.veil;
    struct bw_gaussian_row r = bw_gaussian_row(&m->gaussian, y, d->img->w);
    const size_t at = (size_t)y * (size_t)d->img->w + (size_t)r.x;
    float *px = d->img->px + 3 * at;
    for (int32_t k = 0; k < r.n; k++, px += 3, r.value *= r.ratio, r.ratio *= r.fall) {
        const float w = m->weight * (float)r.value, over = depth_hides(veil * w);
        const float each = veil > 0 ? over / veil : w;
        for (int c = 0; c < 3; c++) px[c] = px[c] * (1 - over) + each * m->rgb[c];
        if (d->alpha) d->alpha[at + (size_t)k] += over * (1 - d->alpha[at + (size_t)k]);
    }
}

static void band_draw(int64_t band, void *user)
{
    const struct cloud *d = user;
    const int32_t first = (int32_t)band * BAND, end = first + BAND < d->img->h ? first + BAND : d->img->h;
    for (int64_t i = 0; i < d->n; i++) {
        const struct bw_gaussian *b = &d->mote[i].gaussian;
        for (int32_t y = b->lo > first ? b->lo : first; y <= b->hi && y < end; y++) row_draw(d, &d->mote[i], y);
    }
}

/// From a lamp: a map across its direction, of how much of its light is left behind the particles so far.
struct from_lamp {
    double across[2][3], at[2], cell; ///< cells a metre; the map's corner, cells; m
    float *map;
};

struct order {
    double far;
    int64_t i;
};

static int nearer(const void *one, const void *other)
{
    const struct order *a = one, *b = other;
    if (a->far != b->far) return a->far < b->far ? -1 : 1;
    return a->i < b->i ? -1 : a->i > b->i;
}

/// Where they are, to be looked at along `to`: in their order from the lamp, and the map that has all of them.
static int64_t lamp_order(const struct cloud *d, const double to[3], struct order *order, struct from_lamp *f)
{
    double axis[2][3], lo[2] = {HUGE_VAL, HUGE_VAL}, hi[2] = {-HUGE_VAL, -HUGE_VAL};
    int64_t n = 0;
    bw_light_across(to, axis[0], axis[1]);
    for (int64_t i = 0; i < d->shot->v->n_sparks; i++) {
        const struct bw_spark *s = &d->shot->v->spark[i];
        if (!bw_splat_has(&d->shot->scene->look, s)) continue;
        order[n] = (struct order){0, i};
        for (int a = 0; a < 3; a++) order[n].far -= to[a] * s->at[a];
        for (int k = 0; k < 2; k++) {
            const double u = axis[k][0] * s->at[0] + axis[k][1] * s->at[1] + axis[k][2] * s->at[2];
            lo[k] = fmin(lo[k], u), hi[k] = fmax(hi[k], u);
        }
        n++;
    }
    f->cell = fmax(fmax(hi[0] - lo[0], hi[1] - lo[1]), 1e-6) / (MAP - 1);
    for (int k = 0; k < 2; k++) {
        f->at[k] = lo[k] / f->cell - 0.5;
        for (int a = 0; a < 3; a++) f->across[k][a] = axis[k][a] / f->cell;
    }
    qsort(order, (size_t)n, sizeof *order, nearer);
    return n;
}

/// Of the lamp's light what is left where it is; then it takes its own share.
static float mote_shade(const struct cloud *d, const struct from_lamp *f, int64_t i)
{
    const struct bw_spark *s = &d->shot->v->spark[i];
    double at[2] = {-f->at[0], -f->at[1]};
    for (int k = 0; k < 2; k++)
        for (int a = 0; a < 3; a++) at[k] += f->across[k][a] * s->at[a];
    const int x = (int)fmin(fmax(at[0], 0), MAP - 1), y = (int)fmin(fmax(at[1], 0), MAP - 1);
    const float left = bw_exp_neg(f->map[y * MAP + x]);
    struct bw_spread e = spread_moved(d, i, (double)s->size);
    spread_bound(&e, pow(MOST * MAP * f->cell, 2));
    const struct bw_gaussian b = bw_gaussian_make(&e, f->across, NARROW, at, MAP);
    const double size = s->size > 0 ? (double)s->size / f->cell : 1;
    const float share = spread_left(&d->spread[i], d->shot->scene->look.particles.stray);
    const float depth = share * (float)(d->shot->scene->look.particles.veil * 0.25 * 3.14159265358979 * size * size);
    for (int32_t row = b.lo; row <= b.hi; row++) {
        struct bw_gaussian_row r = bw_gaussian_row(&b, row, MAP);
        for (int32_t k = 0; k < r.n; k++, r.value *= r.ratio, r.ratio *= r.fall)
            f->map[row * MAP + r.x + k] += depth * (float)r.value;
    }
    return left;
}

/// What arrives of the lamps that are far off; those near by find nothing in their way.
static void lamps_shade(struct cloud *d, struct order *order, float *map)
{
    for (int64_t i = 0; i < d->shot->v->n_sparks * d->room.n_lights; i++) d->shade[i] = 1;
    for (int l = 0; l < d->room.n_lights; l++) {
        struct from_lamp f = {.map = map};
        if (d->room.light[l].near || !(d->shot->scene->look.particles.veil > 0)) continue;
        const int64_t n = lamp_order(d, d->room.light[l].to, order, &f);
        for (int i = 0; i < MAP * MAP; i++) map[i] = 0;
        for (int64_t k = 0; k < n; k++) d->shade[order[k].i * d->room.n_lights + l] = mote_shade(d, &f, order[k].i);
    }
}

static enum bw_status lamps_make(const struct bw_tools *tools, struct cloud *d)
{
    const size_t n = (size_t)d->shot->v->n_sparks;
    d->room = (struct bw_studio){.room = bw_look_room(&d->shot->scene->look)};
    d->room.n_lights = bw_scene_lights(d->shot->scene, d->room.light);
    if (!(d->shot->scene->look.particles.lit > 0) || !d->room.n_lights) return BW_OK;
    struct order *order = tools->alloc(tools->ctx, n * sizeof *order);
    float *map = tools->alloc(tools->ctx, (size_t)MAP * MAP * sizeof *map);
    d->shade = tools->alloc(tools->ctx, n * (size_t)d->room.n_lights * sizeof *d->shade);
    const enum bw_status status = order && map && d->shade ? BW_OK : BW_ERR_MEMORY;
    if (!status) lamps_shade(d, order, map);
    if (order) tools->release(tools->ctx, order);
    if (map) tools->release(tools->ctx, map);
    return status;
}

enum bw_status bw_splat_draw(const struct bw_tools *tools, const struct bw_shot *shot, const float *transmittance,
                             int step, struct bw_image *img, float *alpha)
{
    const struct bw_look *look = &shot->scene->look;
    const int64_t n = shot->v->n_sparks;
    struct cloud d = {.shot = shot, .transmittance = transmittance, .step = step, .img = img, .alpha = alpha};
    if (look->particles.show != BW_SHOW_LIGHT ||
        !(look->particles.smooth > 1 || look->particles.veil > 0 || look->particles.lit > 0) || !n)
        return BW_OK;
    const int known = shot->v->spread && look->particles.smooth > 1;
    struct bw_spread *own = known ? NULL : tools->alloc(tools->ctx, (size_t)n * sizeof *own);
    d.spread = known ? shot->v->spread : own;
    d.mote = tools->alloc(tools->ctx, (size_t)n * sizeof *d.mote);
    enum bw_status status = d.spread && d.mote ? BW_OK : BW_ERR_MEMORY;
    if (!status && own && look->particles.smooth > 1)
        status = bw_spread_make(tools, shot->v->spark, n, look->particles.smooth, own);
    if (!status) status = lamps_make(tools, &d);
    if (!status) {
        tools->parallel(tools->ctx, (n + BATCH - 1) / BATCH, batch_make, &d);
        motes_sort(&d);
        tools->parallel(tools->ctx, (img->h + BAND - 1) / BAND, band_draw, &d);
    }
    if (own) tools->release(tools->ctx, own);
    if (d.mote) tools->release(tools->ctx, d.mote);
    if (d.shade) tools->release(tools->ctx, d.shade);
    return status;
}
