// SPDX-License-Identifier: Apache-2.0
/* Particles drawn over a finished march: a body of diameter d that glows by Planck's law sends its disc's light to
 * the eye, spread over the way that it makes while the shutter is open. What does not glow is laid over the picture
 * instead, lit by the room, or shines in its own colour. Smoke, flames and obstacles before them take light away, of
 * each part of the way what lies before that. Flames are thin where embers are solid: BW_SPARK_SOLID is how much
 * brighter they are, by eye. */
#include "sparks.h"
#include <picture/volume/splat/splat.h>
#include "streak.h"
#include <picture/volume/solid/distance.h>
#include <picture/volume/studio/studio.h>
#include <picture/volume/scene/flame.h>
#include <picture/volume/scene/fast_math.h>

#include <math.h>

enum { BATCH = 64 };
enum { SEEN = 5 }; ///< places of its way from which a particle is looked for
#define SHORT 4.0  ///< pixels: a way that is seen from one place

struct drawing {
    const struct bw_shot *shot;
    struct bw_studio room; ///< without a map
    struct bw_blackbody blackbody;
    struct bw_image *img;
    float *alpha;
    float *transmittance; ///< SEEN a particle: of its light, what arrives
};

/// What smoke and flames between leave, along a straight line to the eye, by the nearest cells.
static float medium_transmittance(const struct bw_lit *lit, const double from[3], const double eye[3])
{
    const struct bw_dense *b = &lit->box;
    double depth = 0, t0 = 0, t1 = 1, way[3], length = 0;
    if (!lit->rgbs) return 1;
    for (int a = 0; a < 3; a++) {
        way[a] = eye[a] - from[a];
        length += way[a] * way[a];
        const double d = fabs(way[a]) > 1e-12 ? way[a] : 1e-12, lo = (b->origin[a] - from[a]) / d;
        const double hi = (b->origin[a] + b->n[a] * b->h - from[a]) / d;
        t0 = fmax(t0, fmin(lo, hi)), t1 = fmin(t1, fmax(lo, hi));
    }
    if (t1 <= t0) return 1;
    length = sqrt(length);
    const int n = 1 + (int)((t1 - t0) * length / b->h);
    for (int i = 0; i < n && depth < 8; i++) {
        const double t = t0 + (i + 0.5) * (t1 - t0) / n;
        size_t cell = 0, step = 1;
        for (int a = 0; a < 3; a++, step *= (size_t)b->n[a - 1]) {
            const double x = (from[a] + t * way[a] - b->origin[a]) / b->h;
            cell += step * (size_t)fmin(fmax(x, 0), b->n[a] - 1);
        }
        const float fire = lit->fire ? lit->soot * lit->fire[2 * cell] : 0;
        depth += (t1 - t0) / n * length * (double)(lit->rgbs[4 * cell + 3] + fire);
    }
    return bw_exp_neg((float)depth);
}

static float spark_transmittance(const struct bw_shot *shot, const struct bw_image *img, const double at[3])
{
    const struct bw_camera *c = &shot->scene->camera;
    double dir[3], length = 0;
    if (shot->scene->floor && at[2] < shot->scene->lo[2]) return 0;
    for (int a = 0; a < 3; a++) dir[a] = at[a] - c->eye[a], length += dir[a] * dir[a];
    length = sqrt(length);
    for (int a = 0; a < 3; a++) dir[a] /= length;
    const float cover = bw_solid_any(shot->v) ? bw_solid_hit(shot->v, c->eye, dir, 2 * c->tan_y / img->h, &length) : 0;
    return cover < 1 ? (1 - cover) * medium_transmittance(shot->lit, at, c->eye) : 0;
}

/// Its own `SEEN` places; one is enough of a way of a few pixels.
static void particle_transmittance(const struct drawing *d, const struct bw_spark *s, float *transmittance)
{
    struct bw_streak streak;
    const int spread = bw_splat_has(&d->shot->scene->look, s); // and seen where its place is not
    const float all = spread ? spark_transmittance(d->shot, d->img, s->at) : 0;
    for (int k = 0; k < SEEN; k++) transmittance[k] = all;
    if (spread || !bw_streak_make(d->shot->scene, d->img, s, &streak)) return;
    const int places = streak.length < SHORT ? 1 : SEEN;
    for (int k = 0; k < places; k++) {
        double at[3];
        bw_streak_place(s, d->shot->scene->streak, places > 1 ? k / (SEEN - 1.0) : 0.5, at);
        transmittance[k] = spark_transmittance(d->shot, d->img, at);
    }
    for (int k = places; k < SEEN; k++) transmittance[k] = transmittance[0];
}

static void batch_through(int64_t i, void *user)
{
    const struct drawing *d = user;
    const struct bw_volume *v = d->shot->v;
    for (int64_t q = i * BATCH; q < v->n_sparks && q < (i + 1) * BATCH; q++)
        particle_transmittance(d, &v->spark[q], d->transmittance + SEEN * q);
}

/// Light that its disc sends, and 1 when it hides what is behind it.
static int spark_light(const struct drawing *d, const struct bw_spark *s, float rgb[3])
{
    const struct bw_look *look = &d->shot->scene->look;
    if (s->kelvin > BW_DRAPER) {
        bw_blackbody_rgb(&d->blackbody, s->kelvin, rgb);
        for (int c = 0; c < 3; c++) rgb[c] *= BW_SPARK_SOLID * BW_GLOW * (float)(look->fire * look->particles.glow);
        return 0;
    }
    if (look->particles.show == BW_SHOW_LIGHT) {
        const float left = bw_splat_left(d->shot->scene, s->at);
        for (int c = 0; c < 3; c++) rgb[c] = s->rgb[c] * left * (float)look->particles.glow;
        return 0;
    }
    for (int c = 0; c < 3; c++) { // a small sphere: half of each lamp, the room's mean
        float lit = 0.5f * (d->room.room.above[c] + d->room.room.below[c]);
        for (int l = 0; l < d->room.n_lights; l++)
            lit += 0.5f * BW_SUN_SURFACE * d->room.light[l].rgb[c] * bw_light_from(&d->room.light[l], s->at, 0).share;
        rgb[c] = s->rgb[c] * lit;
    }
    return 1;
}

/// What is laid onto pixels.
struct paint {
    const struct drawing *d;
    float rgb[3];
    int hides;
};

static void pixel_paint(int x, int y, double light, void *user)
{
    const struct paint *p = user;
    const size_t at = (size_t)y * (size_t)p->d->img->w + (size_t)x;
    const float over = p->hides ? bw_least((float)light, 1) : 0;
    float *px = p->d->img->px + 3 * at;
    for (int c = 0; c < 3; c++) px[c] = px[c] * (1 - over) + (p->hides ? over : (float)light) * p->rgb[c];
    if (p->d->alpha) p->d->alpha[at] += over * (1 - p->d->alpha[at]);
}

static void spark_draw(const struct drawing *d, const struct bw_spark *s, const float *transmittance)
{
    struct bw_streak streak;
    struct paint paint = {.d = d};
    float most = 0;
    for (int k = 0; k < SEEN; k++) most = bw_most(most, transmittance[k]);
    if (!(most > 0) || !bw_streak_make(d->shot->scene, d->img, s, &streak)) return;
    paint.hides = spark_light(d, s, paint.rgb);
    streak.fades = s->kelvin > BW_DRAPER;
    bw_streak_draw(&streak, d->img, transmittance, SEEN, pixel_paint, &paint);
}

enum bw_status bw_sparks_draw(const struct bw_tools *tools, const struct bw_shot *shot, struct bw_image *img,
                              float *alpha)
{
    const struct bw_volume *v = shot->v;
    struct drawing d = {.shot = shot, .img = img, .alpha = alpha};
    if (!v->n_sparks) return BW_OK;
    d.transmittance = tools->alloc(tools->ctx, (size_t)v->n_sparks * SEEN * sizeof *d.transmittance);
    if (!d.transmittance) return BW_ERR_MEMORY;
    d.room = (struct bw_studio){.room = bw_look_room(&shot->scene->look)};
    d.room.n_lights = bw_scene_lights(shot->scene, d.room.light);
    bw_blackbody_init(&d.blackbody, BW_CONTRAST, BW_BLACKBODY_WHITE);
    tools->parallel(tools->ctx, (v->n_sparks + BATCH - 1) / BATCH, batch_through, &d);
    const enum bw_status status = bw_splat_draw(tools, shot, d.transmittance + SEEN / 2, SEEN, img, alpha);
    for (int64_t i = 0; i < v->n_sparks && !status; i++)
        if (!bw_splat_has(&shot->scene->look, &v->spark[i]))
            spark_draw(&d, &v->spark[i], d.transmittance + SEEN * i); // their order is the bake's
    tools->release(tools->ctx, d.transmittance);
    return status;
}
