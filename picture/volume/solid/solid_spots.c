// SPDX-License-Identifier: Apache-2.0
#include "solid_spots.h"
#include <picture/volume/shape/shapes.h>

#include <string.h>

enum { BYTES = 192 << 20 }; ///< of spots, at most

/// All that spots depend on. Zeroed whole: compared by its bytes.
struct view {
    struct bw_camera camera;
    double lo[3], hi[3];
    struct bw_scorch scorch;
    struct bw_material_wish material, each[BW_FINISHES];
    struct bw_light light[BW_LIGHTS];
    uint64_t shapes;
    int32_t n_lights, quality, floor, size[2], unused;
};

struct bw_solid_spots {
    struct view view;
    size_t pixels;
    uint8_t *n;      ///< of each pixel
    uint32_t *first; ///< of each pixel, among all; NULL: they are counted yet
    struct bw_solid_spot *spot;
};

static void view_make(const struct bw_scene *scene, const struct bw_shapes *shapes, const int32_t size[2],
                      struct view *v)
{
    const struct bw_look *look = &scene->look;
    memset(v, 0, sizeof *v);
    memcpy(&v->camera, &scene->camera, sizeof v->camera);
    memcpy(v->lo, scene->lo, sizeof v->lo), memcpy(v->hi, scene->hi, sizeof v->hi);
    memcpy(&v->scorch, &look->scorch, sizeof v->scorch);
    memcpy(&v->material, &look->material, sizeof v->material), memcpy(v->each, look->each, sizeof v->each);
    v->n_lights = bw_scene_lights(scene, v->light);
    v->quality = look->quality, v->floor = scene->floor, v->shapes = bw_shapes_key(shapes);
    memcpy(v->size, size, sizeof v->size);
}

static void spots_clear(const struct bw_tools *tools, struct bw_solid_spots *s)
{
    void *const owned[] = {s->n, s->first, s->spot};
    for (int i = 0; i < 3; i++)
        if (owned[i]) tools->release(tools->ctx, owned[i]);
    *s = (struct bw_solid_spots){.pixels = 0};
}

/// Room for all that were counted.
static void spots_make(const struct bw_tools *tools, struct bw_solid_spots *s)
{
    size_t all = 0;
    for (size_t i = 0; i < s->pixels; i++) all += s->n[i];
    if (!all || all > BYTES / sizeof *s->spot) return;
    s->first = tools->alloc(tools->ctx, s->pixels * sizeof *s->first);
    s->spot = tools->alloc(tools->ctx, all * sizeof *s->spot);
    if (!s->first || !s->spot) {
        if (s->first) tools->release(tools->ctx, s->first);
        s->first = NULL;
        return;
    }
    all = 0;
    for (size_t i = 0; i < s->pixels; i++) s->first[i] = (uint32_t)all, all += s->n[i];
}

void bw_solid_spots_begin(const struct bw_tools *tools, const struct bw_scene *scene, const struct bw_shapes *shapes,
                          const int32_t size[2], struct bw_solid_spots **s)
{
    struct view view;
    if (!*s && shapes) *s = tools->alloc(tools->ctx, sizeof **s);
    if (!*s) return;
    if (!shapes) {
        spots_clear(tools, *s);
        return;
    }
    view_make(scene, shapes, size, &view);
    const int alike = (*s)->n && view.shapes && !memcmp(&view, &(*s)->view, sizeof view);
    if (alike && !(*s)->spot) spots_make(tools, *s);
    if (alike) return;
    spots_clear(tools, *s);
    (*s)->pixels = (size_t)size[0] * (size_t)size[1], (*s)->view = view;
    (*s)->n = view.shapes ? tools->alloc(tools->ctx, (*s)->pixels) : NULL;
}

struct bw_solid_pixel bw_solid_spots_at(const struct bw_solid_spots *s, int x, int y)
{
    if (!s || !s->n) return (struct bw_solid_pixel){NULL, NULL};
    const size_t at = (size_t)y * (size_t)s->view.size[0] + (size_t)x;
    return (struct bw_solid_pixel){&s->n[at], s->spot ? &s->spot[s->first[at]] : NULL};
}

void bw_solid_spots_free(const struct bw_tools *tools, struct bw_solid_spots *s)
{
    if (!s) return;
    spots_clear(tools, s);
    tools->release(tools->ctx, s);
}

void bw_solid_spot_keep(const struct bw_shapes_part *part, struct bw_solid_spot *spot)
{
    const struct bw_shape_hit *hit = &part->hit;
    spot->depth = hit->depth, spot->form = hit->form, spot->piece = hit->piece, spot->share = part->share,
    spot->found = 1;
    memcpy(spot->p, hit->p, sizeof spot->p);
    for (int a = 0; a < 3; a++) {
        spot->face[a] = (float)hit->face[a], spot->normal[a] = (float)hit->normal[a];
        spot->over[a] = (float)hit->over[a];
    }
}

void bw_solid_spot_read(const struct bw_shapes *shapes, const struct bw_solid_spot *spot, struct bw_shapes_part *part)
{
    struct bw_shape_hit *hit = &part->hit;
    hit->depth = spot->depth, hit->form = spot->form, hit->piece = spot->piece, part->share = spot->share;
    memcpy(hit->p, spot->p, sizeof hit->p);
    for (int a = 0; a < 3; a++) {
        hit->face[a] = (double)spot->face[a], hit->normal[a] = (double)spot->normal[a];
        hit->over[a] = (double)spot->over[a];
    }
    bw_shapes_place(shapes, hit);
}

void bw_solid_finish_keep(const struct bw_finish *f, struct bw_solid_finish *kept)
{
    for (int a = 0; a < 3; a++)
        kept->albedo[a] = f->albedo[a], kept->glow[a] = f->glow[a], kept->normal[a] = (float)f->normal[a];
    kept->roughness = f->roughness, kept->gloss = f->gloss, kept->metal = f->metal;
    kept->soft = f->soft, kept->deep = (float)f->deep, kept->found = 1;
}

void bw_solid_finish_read(const struct bw_solid_finish *kept, struct bw_finish *f)
{
    for (int a = 0; a < 3; a++)
        f->albedo[a] = kept->albedo[a], f->glow[a] = kept->glow[a], f->normal[a] = (double)kept->normal[a];
    f->roughness = kept->roughness, f->gloss = kept->gloss, f->metal = kept->metal;
    f->soft = kept->soft, f->deep = (double)kept->deep;
}
