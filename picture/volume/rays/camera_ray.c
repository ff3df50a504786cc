// SPDX-License-Identifier: Apache-2.0
/* A ray goes through the medium as far as an obstacle that covers a share of it, on from there, and ends at the
 * studio. */
#include "camera_ray.h"
#include "jitter.h"
#include <picture/volume/shape/pixel.h>
#include <picture/volume/solid/distance.h>
#include <picture/volume/solid/shade.h>

#include <math.h>
#include <string.h>

/// The pixel's veil, where it has one.
static const struct bw_veil *veil_of(const struct bw_take *m, const struct bw_camera_ray *s)
{
    const struct bw_veil *v = m->veil ? &m->veil[(size_t)s->y * (size_t)m->img->w + (size_t)s->x] : NULL;
    return v && v->known && !bw_take_many(m, s->x, s->y) ? v : NULL;
}

/// On through the medium from `near` to `far`, m.
static void segment_march(const struct bw_take *m, double near, double far, struct bw_camera_ray *s)
{
    struct bw_ray r;
    float rgb[4];
    const float *reach = m->blocks.reach + 2 * (s->y / BW_SCREEN_TILE * m->blocks.tiles[0] + s->x / BW_SCREEN_TILE);
    const double range[2] = {fmax((double)reach[0], near), fmin((double)reach[1], far)};
    if (range[0] >= range[1] || !bw_ray_clip(&m->shot.lit->box, s->eye, s->dir, range, &r)) return;
    const struct lanes transmittance = m->march(&m->medium, &r, s->jitter, rgb);
    const float hides = 1 - transmittance.v[3]; // light that hides nothing is taken for amid the ray
    const float cover[3] = {1 - transmittance.v[0], 1 - transmittance.v[1], 1 - transmittance.v[2]};
    const float cells = hides > 1e-6f ? rgb[3] / hides : 0.5f * r.length;
    if (!m->alpha && (hides > 0 || rgb[0] + rgb[1] + rgb[2] > 0))
        bw_studio_air(s->studio, s->dir, r.start + (double)cells * m->shot.lit->box.h, cover, rgb);
    for (int a = 0; a < 3; a++) s->rgb[a] += s->transmittance.v[a] * rgb[a];
    s->transmittance.v *= transmittance.v;
}

/// A part of an obstacle that covers a share of the pixel; its place where it is drawn as it is, else how far it is.
struct layer {
    double depth;
    float cover;
    struct bw_shape_hit hit;
    struct bw_solid_finish *finish; ///< kept; NULL: it is not
};

/// The light that an obstacle sends back along `dir`, without air.
static void solid_light(const struct bw_take *m, const double dir[3], const struct layer *l,
                        const struct bw_camera_ray *s, float rgb[3])
{
    struct bw_solid_seen seen = {.v = m->shot.v,
                                 .at = {.turn = s->jitter + 0.5f, .rays = s->studio->rays},
                                 .away = l->depth,
                                 .hit = m->shot.v->shapes ? &l->hit : NULL,
                                 .finish = l->finish};
    for (int a = 0; a < 3; a++) seen.at.p[a] = s->eye[a] + l->depth * dir[a], seen.dir[a] = dir[a];
    if (seen.hit) memcpy(seen.at.p, l->hit.p, sizeof seen.at.p);
    bw_solid_shade(&seen, s->studio, rgb);
}

static struct bw_still_spot hit_spot(const struct bw_shape_hit *hit)
{
    struct bw_still_spot spot = {.form = hit->form};
    memcpy(spot.p, hit->p, sizeof spot.p);
    memcpy(spot.normal, hit->normal, sizeof spot.normal);
    return spot;
}

/// One that covers a share of what is seen yet, along `dir`.
static void surface_shade(const struct bw_take *m, const double dir[3], const struct layer *l, float cover,
                          struct bw_camera_ray *s)
{
    float clay[3];
    const struct bw_still_spot spot = m->still.spot ? hit_spot(&l->hit) : (struct bw_still_spot){.form = BW_STILL_NONE};
    if (!m->still.spot || !bw_still_read(&m->still, &spot, l->depth, clay)) solid_light(m, dir, l, s, clay);
    if (!m->alpha) bw_studio_air(s->studio, dir, l->depth, BW_HIDDEN, clay);
    for (int a = 0; a < 3; a++) s->rgb[a] += s->transmittance.v[a] * cover * clay[a];
    s->transmittance.v *= 1 - cover;
}

/// What a wet floor mirrors of obstacles, as they are, and of the room behind them; answers how far away it is.
static double wall_mirror(const struct bw_take *m, const struct bw_camera_ray *s, const double at[3],
                          const struct bw_behind *b, float rgb[3])
{
    const struct bw_shapes *shapes = m->shot.v->shapes;
    struct bw_shape_hit hit;
    double from[3] = {at[0], at[1], at[2] + (shapes ? shapes->least : 0)};
    if (!shapes || !bw_shapes_hit(shapes, from, b->mirrored, HUGE_VAL, &hit)) {
        bw_studio_sky(s->studio, b->mirrored, rgb);
        return HUGE_VAL;
    }
    struct bw_solid_seen seen = {
        .v = m->shot.v, .at = {.turn = s->jitter + 0.5f, .rays = 1}, .away = b->depth + hit.depth, .hit = &hit};
    memcpy(seen.at.p, hit.p, sizeof seen.at.p);
    memcpy(seen.dir, b->mirrored, sizeof seen.dir);
    bw_solid_shade(&seen, s->studio, rgb);
    return hit.depth;
}

/// What a wet floor mirrors of smoke, flames, obstacles and room.
static void mirror_trace(const struct bw_take *m, const struct bw_camera_ray *s, const double dir[3],
                         struct bw_behind *b)
{
    const double *eye = s->eye;
    double at[3], range[2] = {0};
    float rgb[4] = {0}, behind[3];
    struct lanes transmittance = BW_CLEAR;
    struct bw_ray r;
    for (int a = 0; a < 3; a++) at[a] = eye[a] + b->depth * dir[a];
    range[1] = wall_mirror(m, s, at, b, behind);
    if (m->shot.lit->rgbs && bw_ray_clip(&m->shot.lit->box, at, b->mirrored, range, &r))
        transmittance = m->march(&m->medium, &r, s->jitter, rgb);
    for (int c = 0; c < 3; c++) b->rgb[c] += b->mirror * (rgb[c] + transmittance.v[c] * behind[c]);
}

/// The ray transmittance (u, v) of the picture: from a place on the lens to what that place and its middle see alike.
static void ray_aim(const struct bw_camera *c, const double uv[2], struct bw_camera_ray *s)
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

/// Of obstacles what is kept of the pixel. 0: nothing is yet.
static int layers_kept(const struct bw_solid_pixel *p, struct beyond *b)
{
    if (!p->n || !p->spot || (*p->n && !p->spot->found)) return 0;
    b->n = *p->n;
    for (int i = 0; i < b->n; i++) {
        struct bw_solid_spot *spot = &p->spot[i];
        b->layer[i] = (struct layer){spot->part.hit.depth, spot->part.share, spot->part.hit, .finish = &spot->finish};
    }
    return 1;
}

static void layers_keep(const struct bw_solid_pixel *p, const struct bw_shapes_part *part, struct beyond *b)
{
    if (!p->n) return;
    *p->n = (uint8_t)b->n;
    for (int i = 0; i < b->n && p->spot; i++) {
        p->spot[i].part = part[i], p->spot[i].found = 1;
        b->layer[i].finish = &p->spot[i].finish;
    }
}

/// Obstacles as they are, along `dir`.
static void shapes_trace(const struct bw_take *m, const struct bw_camera_ray *s, const double dir[3], struct beyond *b)
{
    const struct bw_scene *scene = m->shot.scene;
    const struct bw_camera *c = &scene->camera;
    const int across = m->medium.steps.across;
    struct bw_shapes_part part[BW_PIXEL_PARTS];
    struct bw_shapes_ray ray = {.eye = s->eye,
                                .dir = dir,
                                .fine = !bw_take_many(m, s->x, s->y),
                                .floor = scene->floor ? scene->lo[2] : -HUGE_VAL,
                                .within = HUGE_VAL,
                                .when = s->when};
    const struct bw_solid_pixel kept = dir == s->dir ? s->solid : (struct bw_solid_pixel){NULL, NULL};
    double ahead = 0;
    if (layers_kept(&kept, b)) return;
    for (int a = 0; a < 3; a++) ahead += dir[a] * c->forward[a];
    for (int a = 0; a < 3; a++) {
        ray.right[a] = 2 * c->tan_x * ahead / (m->img->w * across) * c->right[a];
        ray.up[a] = 2 * c->tan_y * ahead / (m->img->h * across) * c->up[a];
    }
    b->n = bw_shapes_pixel(m->shot.v->shapes, &ray, part);
    for (int i = 0; i < b->n; i++) b->layer[i] = (struct layer){part[i].hit.depth, part[i].share, part[i].hit, NULL};
    layers_keep(&kept, part, b);
}

/// Nothing is seen past these.
static int all_hidden(const struct beyond *b)
{
    float left = 1;
    for (int i = 0; i < b->n; i++) left -= b->layer[i].cover;
    return !(left > 0);
}

/// The floor where it is blurred. 0: look there.
static int floor_read(const struct bw_take *m, const struct bw_camera_ray *s, const double dir[3], struct bw_behind *b)
{
    const struct bw_scene *scene = m->shot.scene;
    struct bw_still_spot spot = {.normal = {0, 0, 1}, .form = BW_STILL_FLOOR};
    if (!m->still.spot || !scene->floor || dir[2] > -1e-6) return 0;
    b->depth = (scene->lo[2] - s->eye[2]) / dir[2];
    for (int a = 0; a < 3; a++) spot.p[a] = s->eye[a] + b->depth * dir[a];
    return b->depth > 0 && bw_still_read(&m->still, &spot, b->depth, b->rgb);
}

/// No obstacle is where a ray goes that is not bent.
static int is_bare(const struct bw_take *m, const struct bw_camera_ray *s, const double dir[3])
{
    return dir == s->dir && bw_take_tile(m, s->x, s->y) == BW_TILE_BARE;
}

/// Along `dir`; `uv`: where on the wall, in the picture.
static void background_trace(const struct bw_take *m, const struct bw_camera_ray *s, const double dir[3],
                             const double uv[2], struct beyond *b)
{
    const struct bw_volume *v = m->shot.v;
    struct layer *first = &b->layer[0];
    memcpy(b->dir, dir, sizeof b->dir);
    b->n = 0, b->studio = (struct bw_behind){.depth = HUGE_VAL};
    if (v->shapes && !is_bare(m, s, dir)) shapes_trace(m, s, dir, b);
    if (all_hidden(b)) return;
    const struct bw_studio_ray ray = {s->eye, dir, uv, s->jitter + 0.5f, dir == s->dir ? s->floor : NULL};
    if (!floor_read(m, s, dir, &b->studio)) bw_studio_colour(s->studio, &ray, &b->studio);
    if (v->shapes || !v->solid) return;
    first->depth = b->studio.depth, first->finish = NULL;
    first->cover = bw_solid_hit(v, s->eye, dir, 2 * m->shot.scene->camera.tan_y / m->img->h, &first->depth);
    b->n = first->cover > 0;
}

/// Light along a ray, (u, v) in -1 … 1 over the picture, into `out`; answers how much smoke and obstacles cover.
float bw_camera_ray_trace(const struct bw_take *m, const double uv[2], struct bw_camera_ray *s, float out[3])
{
    struct beyond b;
    double seen[3];
    ray_aim(&m->shot.scene->camera, uv, s);
    background_trace(m, s, s->dir, uv, &b);
    if (m->haze.bend) {
        bw_haze_turn(&m->haze, s->eye, s->dir, b.n ? b.layer[0].depth : b.studio.depth, seen);
        if (memcmp(seen, s->dir, sizeof seen)) background_trace(m, s, seen, uv, &b);
    }
    double from = 0;
    float left = 1; // of the pixel
    for (int i = 0; i < b.n; i++) {
        const struct layer *l = &b.layer[i];
        segment_march(m, from, l->depth, s);
        surface_shade(m, b.dir, l, bw_least(l->cover / left, 1), s);
        from = l->depth, left = bw_most(left - l->cover, 1e-6f);
    }
    const struct bw_veil *veil = b.n ? NULL : veil_of(m, s);
    for (int a = 0; a < 3 && veil; a++) s->rgb[a] = veil->rgb[a];
    for (int a = 0; a < 4 && veil; a++) s->transmittance.v[a] = veil->transmittance[a];
    if (left > 1e-4f && !veil) segment_march(m, from, b.studio.depth, s); // past their edges
    if (b.studio.mirror > 0 && !m->alpha && s->transmittance.v[3] > 0.01f) mirror_trace(m, s, b.dir, &b.studio);
    for (int a = 0; a < 3; a++) out[a] = s->rgb[a] + (m->alpha ? 0 : s->transmittance.v[a] * b.studio.rgb[a]);
    return 1 - s->transmittance.v[3];
}

/// Through the middle of a part of a pixel, one of across × across.
static void pixel_aim(const struct bw_take *m, int q, int across, struct bw_camera_ray *s, double uv[2])
{
    const double right = (q % across + 0.5) / across, down = (q / across + 0.5) / across;
    uv[0] = 2 * (s->x + right) / m->img->w - 1, uv[1] = 1 - 2 * (s->y + down) / m->img->h;
}

void bw_camera_ray_veil(const struct bw_take *m, struct bw_camera_ray *s, struct bw_veil *veil)
{
    double uv[2];
    pixel_aim(m, 0, 1, s, uv);
    ray_aim(&m->shot.scene->camera, uv, s);
    segment_march(m, 0, bw_studio_depth(s->studio, s->eye, s->dir), s);
    for (int a = 0; a < 3; a++) veil->rgb[a] = s->rgb[a];
    for (int a = 0; a < 4; a++) veil->transmittance[a] = s->transmittance.v[a];
}

/// What is kept of its pixel, which has no other ray.
static void spots_take(const struct bw_take *m, struct bw_camera_ray *s)
{
    const struct bw_spots *spots = m->shot.scene->spots;
    if (!spots) return;
    if (!m->wide) s->floor = bw_floor_spots_at(spots->floor, s->x, s->y);
    s->solid = bw_solid_spots_at(spots->solid, s->x, s->y);
}

float bw_camera_rays_trace(const struct bw_take *m, int x, int y, float out[3])
{
    const int across = m->medium.steps.across, rays = across * across;
    float cover = 0, rgb[3];
    for (int a = 0; a < 3; a++) out[a] = 0;
    for (int q = 0; q < rays; q++) {
        struct bw_camera_ray s = {
            .x = x, .y = y, .transmittance = BW_CLEAR, .jitter = bw_jitter(x, y, q) - 0.5f, .studio = &m->studio};
        if (rays == 1) spots_take(m, &s);
        double uv[2];
        pixel_aim(m, q, across, &s, uv);
        cover += bw_camera_ray_trace(m, uv, &s, rgb) / (float)rays;
        for (int a = 0; a < 3; a++) out[a] += rgb[a] / (float)rays;
    }
    return cover;
}

void bw_camera_ray_surface(const struct bw_take *m, const double uv[2], struct bw_camera_ray *s,
                           struct bw_still_spot *spot)
{
    struct beyond b;
    *spot = (struct bw_still_spot){.form = BW_STILL_NONE};
    spots_take(m, s);
    ray_aim(&m->shot.scene->camera, uv, s);
    background_trace(m, s, s->dir, uv, &b);
    if (b.n > 0 && m->shot.v->shapes) {
        *spot = hit_spot(&b.layer[0].hit);
        solid_light(m, s->dir, &b.layer[0], s, spot->rgb);
    } else if (!b.n && b.studio.depth < HUGE_VAL && !(b.studio.mirror > 0)) {
        *spot = (struct bw_still_spot){.normal = {0, 0, 1}, .form = BW_STILL_FLOOR};
        for (int a = 0; a < 3; a++) spot->p[a] = s->eye[a] + b.studio.depth * s->dir[a];
        memcpy(spot->rgb, b.studio.rgb, sizeof spot->rgb);
    }
}
