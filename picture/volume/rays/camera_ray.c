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

/// Clip a ray's segment to where its screen tile shows the medium.
static void reach_clip(const struct bw_take *m, const struct bw_camera_ray *s, double range[2])
{
    if (s->x < 0 || s->y < 0 || s->x >= m->img->w || s->y >= m->img->h) return; // nobody looked
    const float *reach = m->blocks.reach + 2 * (s->y / BW_SCREEN_TILE * m->blocks.tiles[0] + s->x / BW_SCREEN_TILE);
    range[0] = fmax((double)reach[0], range[0]), range[1] = fmin((double)reach[1], range[1]);
}

/// On through the medium from `near` to `far`, m.
static void segment_march(const struct bw_take *m, double near, double far, struct bw_camera_ray *s)
{
    struct bw_ray r;
    float rgb[4];
    double range[2] = {near, far};
    reach_clip(m, s, range);
    if (range[0] >= range[1] || !bw_ray_clip(&m->shot.lit->box, s->eye, s->dir, range, &r)) return;
    const struct lanes transmittance = m->march(&m->medium, &r, s->jitter, rgb);
    const float hides = 1 - transmittance.v[3]; // light that hides nothing is taken for amid the ray
    const float cover[3] = {1 - transmittance.v[0], 1 - transmittance.v[1], 1 - transmittance.v[2]};
    const float cells = hides > 1e-6f ? rgb[3] / hides : 0.5f * r.length;
    s->amid = r.start + (double)cells * m->shot.lit->box.h;
    if (!m->alpha && (hides > 0 || rgb[0] + rgb[1] + rgb[2] > 0)) bw_studio_air(s->studio, s->dir, s->amid, cover, rgb);
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

/// What was seen of it, where it is blurred. 0: look there.
static int surface_read(const struct bw_take *m, const struct layer *l, float rgb[3])
{
    if (!m->still[0].spot) return 0;
    const struct bw_still_spot spot = hit_spot(&l->hit);
    return bw_still_read(&m->still[0], &spot, l->depth, rgb) || bw_still_read(&m->still[1], &spot, l->depth, rgb);
}

/// One that covers a share of what is seen yet, along `dir`.
static void surface_shade(const struct bw_take *m, const double dir[3], const struct layer *l, float cover,
                          struct bw_camera_ray *s)
{
    float clay[3];
    if (!surface_read(m, l, clay)) solid_light(m, dir, l, s, clay);
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
    int n, straight; ///< 1: along the ray, not bent
    struct layer layer[BW_PIXEL_PARTS];
};

/// A part as it is kept, or as it would be.
static void layer_add(const struct bw_shapes *shapes, struct bw_shapes_part *part, struct bw_solid_spot *kept,
                      struct beyond *b)
{
    struct bw_solid_spot own, *spot = kept ? kept : &own;
    if (!kept || !kept->found) bw_solid_spot_keep(part, spot);
    bw_solid_spot_read(shapes, spot, part);
    b->layer[b->n++] = (struct layer){part->hit.depth, part->share, part->hit, kept ? &kept->finish : NULL};
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
    int n = kept.spot && (!*kept.n || kept.spot->found) ? *kept.n : -1;
    for (int a = 0; a < 3; a++) ahead += dir[a] * c->forward[a];
    for (int a = 0; a < 3; a++) {
        ray.right[a] = 2 * c->tan_x * ahead / (m->img->w * across) * c->right[a];
        ray.up[a] = 2 * c->tan_y * ahead / (m->img->h * across) * c->up[a];
    }
    if (n < 0) n = bw_shapes_pixel(m->shot.v->shapes, &ray, part);
    if (kept.n) *kept.n = (uint8_t)n;
    for (int i = 0; i < n; i++) layer_add(m->shot.v->shapes, &part[i], kept.spot ? &kept.spot[i] : NULL, b);
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
    if (!m->still[0].spot || !scene->floor || dir[2] > -1e-6) return 0;
    b->depth = (scene->lo[2] - s->eye[2]) / dir[2];
    for (int a = 0; a < 3; a++) spot.p[a] = s->eye[a] + b->depth * dir[a];
    return b->depth > 0 && (bw_still_read(&m->still[0], &spot, b->depth, b->rgb) ||
                            bw_still_read(&m->still[1], &spot, b->depth, b->rgb));
}

/// No obstacle is where a ray goes that is not bent.
static int is_bare(const struct bw_take *m, const struct bw_camera_ray *s, const double dir[3])
{
    return dir == s->dir && bw_take_tile(m, s->x, s->y) == BW_TILE_BARE;
}

/// Along `dir`: how far off it is, and obstacles before it.
static void background_trace(const struct bw_take *m, const struct bw_camera_ray *s, const double dir[3],
                             struct beyond *b)
{
    const struct bw_volume *v = m->shot.v;
    struct layer *first = &b->layer[0];
    memcpy(b->dir, dir, sizeof b->dir);
    b->n = 0, b->straight = dir == s->dir, b->studio = (struct bw_behind){.depth = HUGE_VAL};
    if (v->shapes && !is_bare(m, s, dir)) shapes_trace(m, s, dir, b);
    if (all_hidden(b)) return;
    b->studio.depth = bw_studio_depth(s->studio, s->eye, dir);
    if (v->shapes || !v->solid) return;
    first->depth = b->studio.depth, first->finish = NULL;
    first->cover = bw_solid_hit(v, s->eye, dir, 2 * m->shot.scene->camera.tan_y / m->img->h, &first->depth);
    b->n = first->cover > 0;
}

/// The light of what is behind all; `uv`: where on the wall, in the picture.
static void studio_see(const struct bw_take *m, const struct bw_camera_ray *s, const double uv[2], struct beyond *b)
{
    const struct bw_studio_ray ray = {s->eye, b->dir, uv, s->jitter + 0.5f, b->straight ? s->floor : NULL};
    if (!floor_read(m, s, b->dir, &b->studio)) bw_studio_colour(s->studio, &ray, &b->studio);
}

/// And it as far as it is seen: of what is hidden nobody asks.
static void studio_add(const struct bw_take *m, const double uv[2], struct bw_camera_ray *s, struct beyond *b)
{
    const struct lanes *through = &s->transmittance;
    if (m->alpha || !(through->v[0] + through->v[1] + through->v[2] > 0)) return;
    studio_see(m, s, uv, b);
    if (b->studio.mirror > 0 && through->v[3] > 0.01f) mirror_trace(m, s, b->dir, &b->studio);
    for (int a = 0; a < 3; a++) s->rgb[a] += through->v[a] * b->studio.rgb[a];
}

/// All that is behind the medium along a ray, through (u, v) in -1 … 1 over the picture, as gas bends it.
static void ray_begin(const struct bw_take *m, const double uv[2], struct bw_camera_ray *s, struct beyond *b)
{
    double seen[3];
    ray_aim(&m->shot.scene->camera, uv, s);
    background_trace(m, s, s->dir, b);
    if (!m->haze.bend) return;
    bw_haze_turn(&m->haze, s->eye, s->dir, b->n ? b->layer[0].depth : b->studio.depth, seen);
    if (memcmp(seen, s->dir, sizeof seen)) background_trace(m, s, seen, b);
}

/// Light along a ray, (u, v) in -1 … 1 over the picture, into `out`; answers how much smoke and obstacles cover.
float bw_camera_ray_trace(const struct bw_take *m, const double uv[2], struct bw_camera_ray *s, float out[3])
{
    struct beyond b;
    double from = 0;
    ray_begin(m, uv, s, &b);
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
    studio_add(m, uv, s, &b);
    memcpy(out, s->rgb, sizeof s->rgb);
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

void bw_camera_rays_keep(const struct bw_tools *tools, const struct bw_take *m, int grid, const int32_t size[2])
{
    const struct bw_scene *scene = m->shot.scene;
    struct bw_spots *spots = scene->spots;
    if (!spots) return;
    if (!m->wide) bw_studio_spots_begin(tools, scene, size, m->studio.grains, &spots->studio[grid]);
    bw_solid_spots_begin(tools, scene, m->shot.v->shapes, size, &spots->solid[grid]);
}

void bw_camera_ray_keeps(const struct bw_take *m, int grid, int i, int j, struct bw_camera_ray *s)
{
    const struct bw_spots *spots = m->shot.scene->spots;
    if (!spots) return;
    if (!m->wide) s->floor = bw_studio_spots_floor(spots->studio[grid], i, j);
    s->solid = bw_solid_spots_at(spots->solid[grid], i, j);
}

float bw_camera_rays_trace(const struct bw_take *m, int x, int y, float out[3])
{
    const int across = m->medium.steps.across, rays = across * across;
    float cover = 0, rgb[3];
    for (int a = 0; a < 3; a++) out[a] = 0;
    for (int q = 0; q < rays; q++) {
        struct bw_camera_ray s = {
            .x = x, .y = y, .transmittance = BW_CLEAR, .jitter = bw_jitter(x, y, q) - 0.5f, .studio = &m->studio};
        if (rays == 1) bw_camera_ray_keeps(m, 0, x, y, &s);
        double uv[2];
        pixel_aim(m, q, across, &s, uv);
        cover += bw_camera_ray_trace(m, uv, &s, rgb) / (float)rays;
        for (int a = 0; a < 3; a++) out[a] += rgb[a] / (float)rays;
    }
    return cover;
}

/* ---- parts of a pixel, each as far out of focus as it is ---- */

enum { SLABS = 3 };    ///< of smoke, at most
#define SLAB 2.0       ///< pixels by which circles of confusion differ in one, …
#define SLAB_SHARE 0.5 ///< … or a share of the least

/// Circles of confusion along a ray: pixels times m; focus distance, m; cosine between the ray and the optical axis.
struct lens {
    double times, focus, ahead;
};

static struct lens lens_of(const struct bw_take *m, const struct bw_camera_ray *s)
{
    const struct bw_camera *c = &m->shot.scene->camera;
    struct lens l = {c->aperture * m->img->h / (2 * c->tan_y), c->focus, 0};
    for (int a = 0; a < 3; a++) l.ahead += s->dir[a] * c->forward[a];
    return l;
}

static double blur_at(const struct lens *l, double depth) { return l->times * (1 / l->focus - 1 / (depth * l->ahead)); }

static double depth_at(const struct lens *l, double blur) { return 1 / (1 / l->focus - blur / l->times) / l->ahead; }

/// Parts so far, and the ray as it was after the last.
struct parts {
    struct bw_lens_part *part;
    int n;
    struct lens lens;
    float rgb[3], left;
};

/// What a ray has found since the last part, `depth` metres off; the last one takes all that there is no room for.
static void part_end(struct parts *p, const struct bw_camera_ray *s, double depth, int covers)
{
    const float share = p->left - s->transmittance.v[3], blur = (float)blur_at(&p->lens, depth);
    const float light = s->rgb[0] + s->rgb[1] + s->rgb[2] - p->rgb[0] - p->rgb[1] - p->rgb[2];
    if (!(share > 0) && !(light > 0)) return;
    const int full = p->n == BW_LENS_PARTS;
    struct bw_lens_part *q = &p->part[full ? p->n - 1 : p->n++];
    if (!full) *q = (struct bw_lens_part){.blur = blur};
    q->share += share, q->cover += covers ? share : 0;
    if (full && q->share > 0) q->blur += share / q->share * (blur - q->blur);
    for (int c = 0; c < 3; c++) q->rgb[c] += s->rgb[c] - p->rgb[c];
    memcpy(p->rgb, s->rgb, sizeof p->rgb), p->left = s->transmittance.v[3];
}

/// Through the medium, in slabs where it is out of focus by unlike much.
static void parts_march(const struct bw_take *m, double near, double far, struct bw_camera_ray *s, struct parts *p)
{
    struct bw_ray r;
    double range[2] = {near, far};
    reach_clip(m, s, range);
    if (range[0] >= range[1] || !bw_ray_clip(&m->shot.lit->box, s->eye, s->dir, range, &r)) return;
    range[0] = fmax(r.start, 1e-9), range[1] = r.start + (double)r.length * m->shot.lit->box.h;
    const double blur[2] = {blur_at(&p->lens, range[0]), blur_at(&p->lens, range[1])};
    const double least = blur[0] * blur[1] < 0 ? 0 : fmin(fabs(blur[0]), fabs(blur[1]));
    const int n = (int)fmin(fmax(ceil((blur[1] - blur[0]) / fmax(SLAB, SLAB_SHARE * least)), 1), SLABS);
    for (int i = 1; i <= n; i++) {
        const double to = i < n ? depth_at(&p->lens, blur[0] + i * (blur[1] - blur[0]) / n) : range[1];
        segment_march(m, range[0], to, s);
        part_end(p, s, s->amid, 1);
        range[0] = to;
    }
}

int bw_camera_ray_parts(const struct bw_take *m, struct bw_camera_ray *s, struct bw_lens_part *part)
{
    struct beyond b;
    struct parts p = {.part = part, .left = 1};
    double uv[2], from = 0;
    float left = 1; // of the pixel
    bw_camera_ray_keeps(m, 0, s->x + m->margin, s->y + m->margin, s);
    pixel_aim(m, 0, 1, s, uv);
    ray_begin(m, uv, s, &b);
    p.lens = lens_of(m, s);
    for (int i = 0; i < b.n; i++) {
        const struct layer *l = &b.layer[i];
        parts_march(m, from, l->depth, s, &p);
        surface_shade(m, b.dir, l, bw_least(l->cover / left, 1), s);
        part_end(&p, s, l->depth, 1);
        from = l->depth, left = bw_most(left - l->cover, 1e-6f);
    }
    if (left > 1e-4f) parts_march(m, from, b.studio.depth, s, &p);
    studio_add(m, uv, s, &b);
    s->transmittance = (struct lanes){{0}};
    part_end(&p, s, b.studio.depth, 0);
    return p.n;
}

void bw_camera_ray_surface(const struct bw_take *m, const double uv[2], double blurred, struct bw_camera_ray *s,
                           struct bw_still_spot *spot)
{
    struct beyond b;
    *spot = (struct bw_still_spot){.form = BW_STILL_NONE};
    ray_aim(&m->shot.scene->camera, uv, s);
    const struct lens lens = lens_of(m, s);
    background_trace(m, s, s->dir, &b);
    const double depth = b.n ? b.layer[0].depth : b.studio.depth;
    if (2 * fabs(blur_at(&lens, depth)) < blurred) return; // nobody reads it
    if (b.n > 0 && m->shot.v->shapes) {
        *spot = hit_spot(&b.layer[0].hit);
        if (!surface_read(m, &b.layer[0], spot->rgb)) solid_light(m, s->dir, &b.layer[0], s, spot->rgb);
    } else if (!b.n && b.studio.depth < HUGE_VAL) {
        studio_see(m, s, uv, &b);
        if (b.studio.mirror > 0) return;
        *spot = (struct bw_still_spot){.normal = {0, 0, 1}, .form = BW_STILL_FLOOR};
        for (int a = 0; a < 3; a++) spot->p[a] = s->eye[a] + b.studio.depth * s->dir[a];
        memcpy(spot->rgb, b.studio.rgb, sizeof spot->rgb);
    }
}
