// SPDX-License-Identifier: Apache-2.0
/* Particles drawn over a finished march: a body of diameter d that glows by Planck's law sends its disc's light to
 * the eye, spread over the way that it makes while the shutter is open, under a Gaussian no narrower than a pixel; the
 * light in all is that of the disc, whatever the way, so that fast sparks are long and faint. What does not glow is
 * laid over the picture instead, lit by the room, or shines in its own colour. Smoke, flames and obstacles before them
 * take light away. Flames are thin where embers are solid: SOLID is how much brighter they are, by eye. */
#include "sparks.h"
#include <picture/volume/solid/distance.h>
#include <picture/volume/studio/studio.h>
#include <picture/volume/scene/flame.h>
#include <picture/volume/scene/quick.h>

#include <math.h>

#define SOLID 4.0f ///< radiance, of a deep flame's as hot
#define NARROW 0.5 ///< pixels: standard deviation of the narrowest streak
#define REACH 3    ///< standard deviations drawn
enum { BATCH = 64 };

struct drawing {
    const struct bw_shot *shot;
    struct bw_studio room; ///< without a map
    struct bw_planck planck;
    struct bw_image *img;
    float *alpha;
    float *through; ///< of each particle's light, what arrives
};

/// A streak on the picture, pixels: ends, standard deviation, and what share of its pixel the disc would cover.
struct streak {
    double a[2], b[2], sigma, area;
};

/// Where p is on the picture, pixels, and how far along the line of sight; 0: behind the eye.
static double place(const struct bw_camera *c, const struct bw_image *img, const double p[3], double at[2])
{
    double x = 0, y = 0, z = 0;
    for (int a = 0; a < 3; a++) {
        const double d = p[a] - c->eye[a];
        x += d * c->right[a], y += d * c->up[a], z += d * c->forward[a];
    }
    if (!(z > 0)) return 0;
    at[0] = 0.5 * img->w * (1 + x / z / c->tan_x);
    at[1] = 0.5 * img->h * (1 - y / z / c->tan_y);
    return z;
}

static int streak_make(const struct drawing *d, const struct bw_spark *s, struct streak *out)
{
    const struct bw_scene *scene = d->shot->scene;
    const struct bw_camera *c = &scene->camera;
    double end[2][3], z[2];
    for (int a = 0; a < 3; a++) {
        const double way = scene->streak * (double)s->vel[a];
        end[0][a] = s->at[a] - 0.5 * way, end[1][a] = s->at[a] + 0.5 * way;
    }
    z[0] = place(c, d->img, end[0], out->a), z[1] = place(c, d->img, end[1], out->b);
    if (z[0] <= 0 || z[1] <= 0) return 0;
    const double pixels = 0.5 * d->img->w / c->tan_x, across = pixels * (double)s->size / (0.5 * (z[0] + z[1]));
    out->sigma = fmax(0.35 * across, NARROW);
    out->area = s->size > 0 ? 0.25 * 3.14159265358979 * across * across : 1; // of no size: a pixel
    const double reach = REACH * out->sigma;
    for (int a = 0; a < 2; a++)
        if (fmax(out->a[a], out->b[a]) < -reach || fmin(out->a[a], out->b[a]) > (a ? d->img->h : d->img->w) + reach)
            return 0;
    return hypot(out->b[0] - out->a[0], out->b[1] - out->a[1]) < d->img->w;
}

/// Weight of the pixel centred on (x, y); all pixels' sum is 1 where none is cut off.
static double streak_weight(const struct streak *s, double x, double y)
{
    const double dx = s->b[0] - s->a[0], dy = s->b[1] - s->a[1], length = hypot(dx, dy);
    double t = length > 0 ? ((x - s->a[0]) * dx + (y - s->a[1]) * dy) / length : 0;
    const double off =
        length > 0 ? ((x - s->a[0]) * dy - (y - s->a[1]) * dx) / length : hypot(x - s->a[0], y - s->a[1]);
    const double past = t < 0 ? t : t > length ? t - length : 0, v = s->sigma * s->sigma;
    return exp(-0.5 * (off * off + past * past) / v) / (length * s->sigma * 2.5066282746310002 + 6.283185307179586 * v);
}

/// What smoke and flames between leave, along a straight line to the eye, by the nearest cells.
static float medium_through(const struct bw_lit *lit, const double from[3], const double eye[3])
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

static float spark_through(const struct bw_shot *shot, const struct bw_image *img, const double at[3])
{
    const struct bw_camera *c = &shot->scene->camera;
    double dir[3], length = 0;
    if (shot->scene->floor && at[2] < shot->scene->lo[2]) return 0;
    for (int a = 0; a < 3; a++) dir[a] = at[a] - c->eye[a], length += dir[a] * dir[a];
    length = sqrt(length);
    for (int a = 0; a < 3; a++) dir[a] /= length;
    const float cover = shot->v->solid ? bw_solid_hit(shot->v, c->eye, dir, 2 * c->tan_y / img->h, &length) : 0;
    return cover < 1 ? (1 - cover) * medium_through(shot->lit, at, c->eye) : 0;
}

static void batch_through(int64_t i, void *user)
{
    const struct drawing *d = user;
    const struct bw_volume *v = d->shot->v;
    for (int64_t q = i * BATCH; q < v->n_sparks && q < (i + 1) * BATCH; q++)
        d->through[q] = spark_through(d->shot, d->img, v->spark[q].at);
}

/// Light that its disc sends, and 1 when it hides what is behind it.
static int spark_light(const struct drawing *d, const struct bw_spark *s, float rgb[3])
{
    const struct bw_look *look = &d->shot->scene->look;
    if (s->kelvin > BW_DRAPER) {
        bw_planck_read(&d->planck, s->kelvin, rgb);
        for (int c = 0; c < 3; c++) rgb[c] *= SOLID * BW_GLOW * (float)(look->fire * look->sparks);
        return 0;
    }
    if (look->shine) {
        for (int c = 0; c < 3; c++) rgb[c] = s->rgb[c] * (float)look->sparks;
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

static void spark_draw(const struct drawing *d, const struct bw_spark *s, float through)
{
    struct streak streak;
    float rgb[3];
    if (!(through > 0) || !streak_make(d, s, &streak)) return;
    const int hides = spark_light(d, s, rgb);
    int lo[2], hi[2];
    for (int a = 0; a < 2; a++) {
        const double reach = REACH * streak.sigma + 0.5;
        lo[a] = (int)fmax(fmin(streak.a[a], streak.b[a]) - reach, 0);
        hi[a] = (int)fmin(fmax(streak.a[a], streak.b[a]) + reach, (a ? d->img->h : d->img->w) - 1);
    }
    for (int y = lo[1]; y <= hi[1]; y++)
        for (int x = lo[0]; x <= hi[0]; x++) {
            const size_t at = (size_t)y * (size_t)d->img->w + (size_t)x;
            const float share = through * (float)(streak.area * streak_weight(&streak, x + 0.5, y + 0.5));
            const float over = hides ? bw_least(share, 1) : 0, *px = d->img->px + 3 * at;
            for (int c = 0; c < 3; c++)
                d->img->px[3 * at + (size_t)c] = px[c] * (1 - over) + (hides ? over : share) * rgb[c];
            if (d->alpha) d->alpha[at] += over * (1 - d->alpha[at]);
        }
}

enum bw_status bw_sparks_draw(const struct bw_tools *tools, const struct bw_shot *shot, struct bw_image *img,
                              float *alpha)
{
    const struct bw_volume *v = shot->v;
    struct drawing d = {.shot = shot, .img = img, .alpha = alpha};
    if (!v->n_sparks) return BW_OK;
    d.through = tools->alloc(tools->ctx, (size_t)v->n_sparks * sizeof *d.through);
    if (!d.through) return BW_ERR_MEMORY;
    d.room = (struct bw_studio){.room = bw_look_room(&shot->scene->look)};
    d.room.n_lights = bw_scene_lights(shot->scene, d.room.light);
    bw_planck_init(&d.planck, BW_CONTRAST);
    tools->parallel(tools->ctx, (v->n_sparks + BATCH - 1) / BATCH, batch_through, &d);
    for (int64_t i = 0; i < v->n_sparks; i++) spark_draw(&d, &v->spark[i], d.through[i]); // their order is the bake's
    tools->release(tools->ctx, d.through);
    return BW_OK;
}
