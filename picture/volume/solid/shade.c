// SPDX-License-Identifier: Apache-2.0
/* What obstacles send back: of lamps through their own shadows and those of smoke, of fire, of particles, and
 * of the room. */
#include "shade.h"
#include "distance.h"
#include <picture/volume/material/material.h>
#include <picture/volume/shape/shapes.h>

#include <math.h>
#include <string.h>

#define LIFT 1.2     ///< cells over a surface, where its own rounding throws no shadow
#define SOFT 0.35    ///< at most the cosine by which lamps, being large, reach round an edge
#define REACH 3      ///< times the tangent that they are wide
#define BEHIND 0.3   ///< cells behind a face that is turned away
#define CORNER 0.7   ///< of the room's light that a corner may lose
#define THROUGH 0.9f ///< of the light on its other side that gets through wax
#define GRAZE 3      ///< times the cosine: light from a little behind gets in little of it
#define INSIDE 1e-3  ///< of the way that red light gets into it: where ways through it begin
enum { ENDS = 16 };  ///< faces of others on a way through wax, at most
#define FAINT 1e-4f  ///< of what a white surface sends back: no mirror is seen
#define MIRROR 0.03  ///< no lamp is smaller in a mirror
#define SMOOTH 0.03f ///< of roughness: such a mirror blurs nothing
enum { BLUR = 4 };   ///< ways that a rough mirror looks, where the ray is not one of many
#define SPOT 3.0f    ///< radiance: what is brighter, as lamps are, would be grains where few ways meet it
#define FINER 37     ///< times its turn: how far facets lean

/// Where light falls on an obstacle, what it is there, and what comes: irradiance over π, and what is mirrored.
struct lit_place {
    const struct bw_solid_seen *seen;
    const struct bw_studio *studio;
    struct bw_finish finish;
    float arrives[3], mirrored[3];
};

/// Of a surface that mirrors `head` of what meets it head on (Schlick 1994).
static float fresnel(float head, double cosine) { return head + (1 - head) * powf(1 - (float)cosine, 5); }

/// What it mirrors head on, by channel: a metal its colour, anything else 4 %.
static float head_on(const struct bw_finish *f, int c) { return f->metal > 0 ? f->albedo[c] : 0.04f; }

/// Light of a lamp mirrored to the eye, by channel, of what a white surface would send back: microfacets (Trowbridge
/// and Reitz, after Walter et al. 2007), as wide as roughness and the lamp's size make them.
static void gloss(const struct lit_place *g, const struct bw_light_seen *lamp, float spot[3])
{
    const double *n = g->finish.normal, *to = lamp->to;
    double half[3], nl = 0, nv = 0, nh = 0, vh = 0, len = 1e-30;
    for (int a = 0; a < 3; a++) half[a] = to[a] - g->seen->dir[a], len += half[a] * half[a];
    for (int a = 0; a < 3; a++) {
        half[a] /= sqrt(len);
        nl += n[a] * to[a], nv -= n[a] * g->seen->dir[a], nh += n[a] * half[a], vh -= g->seen->dir[a] * half[a];
    }
    for (int c = 0; c < 3; c++) spot[c] = 0;
    if (nl <= 0 || nv <= 0 || g->finish.roughness >= 1) return;
    const double rough = (double)g->finish.roughness, alpha = fmax(rough * rough, fmax(lamp->half, MIRROR) / 2),
                 a2 = alpha * alpha, low = nh * nh * (a2 - 1) + 1;
    const double sight = 2 / (nl * sqrt(a2 + (1 - a2) * nv * nv) + nv * sqrt(a2 + (1 - a2) * nl * nl)); // over 4 nl nv
    const float bright = (float)(a2 / (low * low) * sight * nl / 4);
    for (int c = 0; c < 3; c++) spot[c] = bright * fresnel(head_on(&g->finish, c), vh);
}

/// Particles that shine, in the same mirror.
static void shine_mirror(struct lit_place *g)
{
    const double *dir = g->seen->dir, *n = g->finish.normal, lift = 0.5 * g->seen->v->solid_box.h;
    const float rough = g->finish.roughness, even = g->finish.metal > 0 ? 1 : 1 - rough;
    double cosine = 0, from[3], to[3];
    float rgb[3] = {0};
    for (int a = 0; a < 3; a++) cosine -= n[a] * dir[a];
    for (int a = 0; a < 3; a++) to[a] = dir[a] + 2 * cosine * n[a], from[a] = g->seen->at.p[a] + lift * n[a];
    bw_shine_along(g->studio->shine, g->seen->v, from, to, (double)(rough * rough), g->seen->at.turn, rgb);
    for (int c = 0; c < 3; c++)
        g->mirrored[c] += even * fresnel(head_on(&g->finish, c), fmin(fmax(cosine, 0), 1)) * rgb[c];
}

/// The room in a mirror whose roughness blurs it, `open` of it.
static void room_mirror(struct lit_place *g, float open)
{
    const double *dir = g->seen->dir, *n = g->finish.normal;
    const struct bw_look_room *room = &g->studio->room;
    double cosine = 0;
    for (int a = 0; a < 3; a++) cosine -= n[a] * dir[a];
    const double up = dir[2] + 2 * cosine * n[2];
    const float share = (float)(0.5 + 0.5 * up), even = open * (g->finish.metal > 0 ? 1 : 1 - g->finish.roughness);
    for (int c = 0; c < 3; c++)
        g->mirrored[c] += even * fresnel(head_on(&g->finish, c), fmin(fmax(cosine, 0), 1)) *
                          (room->below[c] + share * (room->above[c] - room->below[c]));
}

/// What obstacles leave of a lamp.
static float lamp_open(const struct bw_solid_seen *s, int lamp, const struct bw_light_seen *seen)
{
    struct bw_solid_finish *kept = s->finish;
    if (kept && kept->asked >> lamp & 1) return kept->open[lamp];
    struct bw_shadow_place from = s->at;
    for (int a = 0; a < 3 && s->hit; a++) from.p[a] += s->hit->over[a], from.face[a] = s->at.normal[a];
    const float open = bw_solid_shadow_rays(s->v, &from, seen);
    if (kept) kept->asked |= (uint8_t)(1u << lamp), kept->open[lamp] = open;
    return open;
}

/// Add what a lamp sends there.
static void lamp_add(struct lit_place *g, int lamp)
{
    const struct bw_solid_seen *s = g->seen;
    const struct bw_look *look = &g->studio->scene->look;
    const struct bw_light_seen seen = bw_light_from(&g->studio->light[lamp], s->at.p, 0);
    double cosine = 0, flat = 0;
    for (int a = 0; a < 3; a++) cosine += g->finish.normal[a] * seen.to[a], flat += s->at.face[a] * seen.to[a];
    const double wide = s->hit ? fmin(seen.half, SOFT) : fmin(REACH * seen.half, SOFT),
                 soft = fmax(wide, (double)g->finish.soft);
    if (cosine <= -soft) return;
    const int through = g->finish.soft > 0 && flat < 0; // its own other side is no shadow
    float open = BW_SUN_SURFACE * seen.share * (through ? 1 : lamp_open(s, lamp, &seen));
    if (!(open > 0)) return;
    const float smoke = bw_ambient_transmittance(g->studio->ambient, s->at.p, &seen);
    const float near = (float)((cosine + soft) / (1 + soft)), share = powf(near, 1 + g->finish.soft); // ends smoothly
    float spot[3];
    gloss(g, &seen, spot);
    for (int c = 0; c < 3; c++) {
        const float light = open * bw_look_transmittance(look, smoke, c) * g->studio->light[lamp].rgb[c];
        g->arrives[c] += share * light;
        g->mirrored[c] += spot[c] * light;
    }
}

/// Beside an edge a ray that just passes meets the face behind it: of what is seen the face before it is the colour.
static void normal_seen(struct bw_solid_seen *s)
{
    double away = 0, in[3];
    if (s->hit) {
        memcpy(s->at.normal, s->hit->normal, sizeof s->at.normal);
        memcpy(s->at.face, s->hit->face, sizeof s->at.face);
        return;
    }
    bw_solid_normal(s->v, s->at.p, s->at.normal);
    for (int a = 0; a < 3; a++) {
        away += s->at.normal[a] * s->dir[a];
        in[a] = s->at.p[a] - BEHIND * s->v->solid_box.h * s->at.normal[a];
    }
    if (away > 0) bw_solid_normal(s->v, in, s->at.normal);
}

/// How much of the room a place sees, by how near other surfaces are along its normal (after Evans 2006): they are
/// known by their distances, and those are exact within three cells.
static float room_open(const struct bw_solid_seen *s)
{
    static const double way[2] = {1.2, 2.8}; // cells
    double shut = 0;
    for (int q = 0; q < 2 && s->hit && s->v->solid; q++) {
        const double far = way[q] * s->v->solid_box.h;
        double p[3];
        for (int a = 0; a < 3; a++) p[a] = s->at.p[a] + far * s->at.face[a];
        shut += 0.5 * fmin(fmax(1 - bw_solid_distance(s->v, p) / far, 0), 1);
    }
    return (float)(1 - CORNER * shut);
}

/// What the obstacle is made of there.
static void finish_make(struct lit_place *g)
{
    const struct bw_solid_seen *s = g->seen;
    const struct bw_studio *studio = g->studio;
    struct bw_finish *f = &g->finish;
    const struct bw_look *look = &studio->scene->look;
    const struct bw_form *form = s->hit ? &s->v->shapes->form[s->hit->form] : NULL;
    const struct bw_material_wish *wish = form && form->look ? &look->each[form->look - 1] : &look->material;
    struct bw_material_place at = {.scorch = bw_scorch_at(&look->scorch, s->at.p, s->at.normal)};
    double slant = 0, relief[3];
    for (int a = 0; a < 3; a++) slant -= s->at.normal[a] * s->dir[a];
    at.footprint = bw_studio_wide(studio, s->away) / fmax(slant, 0.3);
    for (int a = 0; a < 3; a++) {
        for (int w = 0; w < 3; w++) at.n[a] += (form ? form->axis[a][w] : a == w) * s->at.normal[w];
        at.p[a] = form ? s->hit->own[a] : s->at.p[a];
        at.lo[a] = form ? s->hit->lo[a] : studio->scene->lo[a], at.hi[a] = form ? s->hit->hi[a] : studio->scene->hi[a];
        at.ember[a] = look->scorch.ember[a];
    }
    if (form) at.piece = s->hit->piece;
    bw_material_at(wish, &at, f);
    memcpy(relief, f->normal, sizeof relief);
    for (int w = 0; w < 3; w++) {
        f->normal[w] = 0;
        for (int a = 0; a < 3; a++) f->normal[w] += (form ? form->axis[a][w] : a == w) * relief[a];
    }
}

static void finish_find(struct lit_place *g)
{
    struct bw_solid_finish own = {.found = 0}, *kept = g->seen->finish ? g->seen->finish : &own;
    if (!kept->found) {
        finish_make(g);
        bw_solid_finish_keep(&g->finish, kept);
    }
    bw_solid_finish_read(kept, &g->finish);
}

/// The fire's light, irradiance over 4π, on a surface that faces `n`.
static void fire_add(const struct lit_place *g, const double n[3], float share, float rgb[3])
{
    const double *face = g->seen->hit ? g->seen->at.normal : g->seen->at.face; // of few faces none shows its horizon
    struct bw_shading_point surface = {.normal = {n[0], n[1], n[2]}, .solid = 1};
    if (!(g->finish.soft > 0)) memcpy(surface.face, face, sizeof surface.face);
    float light[3] = {0};
    bw_lamps_light(&g->studio->ambient->lamps, g->seen->at.p, &surface, light);
    for (int c = 0; c < 3; c++) rgb[c] += share * light[c];
}

/// The fire's light from behind a face, as in fire_add but by how far it is behind, and where most of it comes from, a
/// unit vector. 0: there is none.
static int fire_behind(const struct lit_place *g, double to[3], float rgb[3])
{
    const struct bw_lamps *all = &g->studio->ambient->lamps;
    double length = 0;
    for (int a = 0; a < 3; a++) to[a] = 0;
    for (int i = 0; i < all->n; i++) {
        const struct bw_lamp *l = &all->lamp[i];
        double d[3], r2 = 1e-30, behind = 0, bright = 0;
        for (int a = 0; a < 3; a++) {
            d[a] = l->at[a] - g->seen->at.p[a];
            r2 += d[a] * d[a], behind -= d[a] * g->seen->at.face[a];
        }
        if (behind <= 0) continue;
        const double r = sqrt(r2), k = fmin(GRAZE * behind / r, 1) / (4 * 3.14159265358979 * (r2 + (double)l->floor));
        for (int c = 0; c < 3; c++) {
            const float light = (float)k * all->gain[c] * l->rgb[c];
            rgb[c] += light, bright += (double)light;
        }
        for (int a = 0; a < 3; a++) to[a] += bright * d[a] / r;
    }
    for (int a = 0; a < 3; a++) length += to[a] * to[a];
    for (int a = 0; a < 3; a++) to[a] /= fmax(sqrt(length), 1e-300);
    return length > 0;
}

/// The flames in a mirror whose roughness blurs them: each of their lamps, unless something stands before it.
static void fire_mirror(struct lit_place *g)
{
    const struct bw_solid_seen *s = g->seen;
    const struct bw_lamps *all = &g->studio->ambient->lamps;
    double from[3];
    for (int a = 0; a < 3; a++) {
        from[a] = s->at.p[a] + (s->hit ? s->hit->over[a] : 0);
        from[a] += (s->v->shapes ? s->v->shapes->least : 0) * s->at.face[a];
    }
    for (int i = 0; i < all->n; i++) {
        float rgb[3], spot[3];
        const struct bw_light_seen lamp = bw_lamps_seen(all, i, from, rgb);
        gloss(g, &lamp, spot);
        if (spot[0] + spot[1] + spot[2] < FAINT) continue;
        if (s->v->shapes && bw_shapes_block(s->v->shapes, from, lamp.to, lamp.away)) continue;
        const float clear = 4 * g->finish.gloss * bw_lamps_clear(all, i, from);
        for (int c = 0; c < 3; c++) g->mirrored[c] += clear * spot[c] * rgb[c];
    }
}

/// A way out of a mirror, one of n: that of facets which lean as its roughness says (as in gloss), spread as a
/// sunflower's seeds are. 0: it leads into the surface.
static int mirror_way(const struct lit_place *g, int i, int n_ways, double to[3])
{
    const struct bw_solid_seen *s = g->seen;
    const double *n = g->finish.normal, alpha = (double)(g->finish.roughness * g->finish.roughness),
                 turn = 6.283185307179586 * (0.3819660112501051 * i + (double)s->at.turn),
                 own = FINER * (double)s->at.turn, share = fmin((i + own - floor(own)) / n_ways, 0.98),
                 lean = alpha * sqrt(share / (1 - share));
    double u[3], w[3], facet[3], length = 0, into = 0, out = 0;
    bw_light_across(n, u, w);
    for (int a = 0; a < 3; a++) {
        facet[a] = n[a] + lean * (cos(turn) * u[a] + sin(turn) * w[a]);
        length += facet[a] * facet[a];
    }
    for (int a = 0; a < 3; a++) facet[a] /= sqrt(length), into -= facet[a] * s->dir[a];
    for (int a = 0; a < 3; a++) to[a] = s->dir[a] + 2 * into * facet[a], out += to[a] * s->at.face[a];
    return into > 0 && out > 0;
}

/// Other obstacles, in the room's place, in a mirror whose roughness blurs them; they are no mirrors then.
static void solid_mirror(struct lit_place *g, float open)
{
    const struct bw_solid_seen *s = g->seen;
    const struct bw_look_room *room = &g->studio->room;
    const int n = g->finish.roughness > SMOOTH && s->at.rays ? BLUR : 1;
    const float even = g->finish.metal > 0 ? 1 : 1 - g->finish.roughness;
    double from[3], to[3], cosine = 0;
    float sum[3] = {0};
    for (int a = 0; a < 3; a++) {
        from[a] = s->at.p[a] + s->v->shapes->least * s->at.face[a];
        cosine -= g->finish.normal[a] * s->dir[a];
    }
    for (int i = 0; i < n; i++) {
        struct bw_shape_hit hit;
        float rgb[3];
        if (!mirror_way(g, i, n, to) || !bw_shapes_hit(s->v->shapes, from, to, HUGE_VAL, &hit)) continue;
        struct bw_solid_seen seen = {.v = s->v,
                                     .at = {.turn = s->at.turn, .rays = s->at.rays > 0},
                                     .away = s->away + hit.depth,
                                     .hit = &hit,
                                     .mirrored = 1};
        memcpy(seen.at.p, hit.p, sizeof seen.at.p);
        memcpy(seen.dir, to, sizeof seen.dir);
        bw_solid_shade(&seen, g->studio, rgb);
        const float up = (float)(0.5 + 0.5 * to[2]);
        for (int c = 0; c < 3; c++)
            sum[c] +=
                (fminf(rgb[c], SPOT) - open * (room->below[c] + up * (room->above[c] - room->below[c]))) / (float)n;
    }
    for (int c = 0; c < 3; c++)
        g->mirrored[c] += g->finish.gloss * even * fresnel(head_on(&g->finish, c), fmin(fmax(cosine, 0), 1)) * sum[c];
}

/// How far a way goes on inside the obstacle that was hit, m; others that stand in it are no end.
static double way_inside(const struct bw_solid_seen *s, const double to[3], double begin)
{
    double from[3], way = 0;
    struct bw_shape_hit out;
    for (int a = 0; a < 3; a++) from[a] = s->hit->p[a] - begin * s->hit->face[a];
    for (int i = 0; i < ENDS && bw_shapes_hit(s->v->shapes, from, to, HUGE_VAL, &out); i++) {
        way += out.depth;
        if (out.form == s->hit->form) return way;
        for (int a = 0; a < 3; a++) from[a] = out.p[a] + begin * to[a];
        way += begin;
    }
    return way; // its own end lay right behind another's
}

/* Firelight that gets into wax wherever it can and comes out here, less for the way in between and redder, as if it
 * went straight: a cheap stand-in for subsurface scattering, which only has to glow where a flame is near. */
static void fire_through(struct lit_place *g)
{
    const struct bw_solid_seen *s = g->seen;
    static const double deep[3] = {1, 0.6, 0.3}; // of red's
    const double *n = g->finish.normal, other[3] = {-n[0], -n[1], -n[2]};
    double to[3];
    float light[3] = {0};
    if (!s->hit) {
        fire_add(g, other, 4 * THROUGH, g->arrives);
        return;
    }
    if (!fire_behind(g, to, light)) return;
    const double way = way_inside(s, to, INSIDE * g->finish.deep);
    for (int c = 0; c < 3; c++) g->arrives[c] += 4 * THROUGH * light[c] * (float)exp(-way / (deep[c] * g->finish.deep));
}

void bw_solid_shade(const struct bw_solid_seen *seen, const struct bw_studio *studio, float rgb[3])
{
    struct bw_solid_seen s = *seen;
    struct lit_place g = {.seen = &s, .studio = studio};
    s.at.lift = LIFT;
    normal_seen(&s);
    finish_find(&g);
    const double *n = g.finish.normal;
    fire_add(&g, n, 4, g.arrives);
    if (g.finish.soft > 0) fire_through(&g);
    if (g.finish.gloss > 0 && g.finish.roughness < 1 && !s.mirrored) fire_mirror(&g);
    const float up = 0.5f + 0.5f * (float)n[2], open = room_open(&s);
    for (int c = 0; c < 3; c++) // irradiance over π
        g.arrives[c] += open * (studio->room.below[c] + up * (studio->room.above[c] - studio->room.below[c]));
    for (int l = 0; l < studio->n_lights; l++) lamp_add(&g, l);
    if (g.finish.roughness < 1) room_mirror(&g, open);
    if (g.finish.gloss > 0 && g.finish.roughness < 1 && s.hit && !s.mirrored) solid_mirror(&g, open);
    if (studio->shine) bw_shine_light(studio->shine, s.at.p, n, g.arrives);
    if (studio->shine && g.finish.roughness < 1) shine_mirror(&g);
    for (int c = 0; c < 3; c++)
        rgb[c] = (1 - g.finish.metal) * g.finish.albedo[c] * g.arrives[c] + g.mirrored[c] + g.finish.glow[c];
}
