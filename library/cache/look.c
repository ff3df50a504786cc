// SPDX-License-Identifier: Apache-2.0
/* The look of a cache. resolved.yaml has the bake's domain and picture parameters, so that previews and exported scenes
 * match its movie. For other files the stage is their bounding box. */
#include "look.h"

#include "base/alloc.h"
#include "preset/preset.h"
#include "run/output/inside.h"
#include "view/bake_look.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *cache_resolved_text(const struct cache *c, char **path, struct bw_diag *d)
{
    static const char name[] = "resolved.yaml";
    char *folder = bw_strdup(c->files.path[0]), *text = NULL;
    for (int i = 0; i < 2 && folder; i++) {
        char *slash = strrchr(folder, '/');
        if (slash) *slash = '\0';
        else if (i && *folder && strcmp(folder, ".") != 0 && strcmp(folder, "..") != 0) strcpy(folder, ".");
        else bw_free(folder), folder = NULL;
    }
    *path = folder ? bw_printf("%s/%s", folder, name) : NULL;
    if (folder && !*folder) strcpy(folder, "/");
    if (*path && file_inside_exists(folder, name)) text = file_inside_text(folder, name, d);
    bw_free(folder);
    return text;
}

struct bw_preset *cache_preset(const struct cache *c, struct bw_diag *d)
{
    char *path;
    const struct bw_preset_overrides as_text = {.text = cache_resolved_text(c, &path, d)};
    struct bw_preset *p = as_text.text ? bw_preset_load(path, &as_text, d) : NULL;
    bw_free((char *)as_text.text);
    bw_free(path);
    return p;
}

/// An empty preset with the cache's frames.
static struct bw_preset *preset_default(const struct cache *c)
{
    struct bw_preset *p = bw_calloc(sizeof *p);
    if (!p) return NULL;
    const int64_t first = c->files.frame[0], last = c->files.frame[c->files.count - 1];
    p->time =
        (struct bw_preset_time){.fps = 24, .first = first, .last = last, .write_first = first, .write_last = last};
    p->domain[0].info.thin = -1;
    p->root = bw_node_parse("look: {shutter: 0}", "others", NULL); // their velocities are in nobody knows what unit
    if (p->root) return p;
    bw_preset_free(p);
    return NULL;
}

struct bw_preset *cache_preset_with(const struct cache *c, const char *field, const char *const *texts, int32_t n,
                                    struct bw_diag *d)
{
    struct bake_look standard;
    struct bw_preset *p = field ? NULL : cache_preset(c, d);
    if (!p && !d->status && !(p = preset_default(c))) out_of_memory(d);
    if (!p) return NULL;
    p->look_overrides = texts, p->n_look_overrides = n;
    if (bake_look_default(&standard, p, 0, d)) {
        bake_look_free(&standard);
        return p;
    }
    bw_preset_free(p);
    return NULL;
}

/// Another height; the width is scaled with it.
static void height_set(struct bw_picture_params *p, int64_t height)
{
    p->width = llround((double)p->width * (double)height / (double)p->size);
    p->size = height;
}

/// Lamps near by and what fire has scorched are in metres, `scale` units of the files each.
static void look_enlarge(struct bw_look *l, double scale)
{
    for (int32_t i = 0; i < l->n_lights; i++) {
        struct bw_light *lamp = &l->light[i];
        if (!lamp->near) continue;
        lamp->half *= scale;
        for (int a = 0; a < 3; a++) lamp->at[a] *= scale, lamp->rgb[a] *= (float)(scale * scale);
    }
    l->scorch.radius *= scale;
    for (int a = 0; a < 3; a++) l->scorch.at[a] *= scale;
}

/// Stage and look of the bake's pictures at a frame, or of default ones; 0: the domain is flat.
static int look_of_bake(struct cache_look *l, const struct bw_registry *r, const struct bw_preset *p,
                        const struct bw_vdb_view *view, int64_t height, int64_t frame, struct bw_diag *d)
{
    struct bake_look v;
    const struct bw_preset_time *t = &p->time;
    const double time = (double)(frame - t->first) / t->fps;
    if (!bake_look_renders(&v, r, p, time, d) && !bake_look_default(&v, p, time, d)) return 0;
    const struct bw_domain_info *domain = bake_look_domain(p, v.export);
    int good = domain->thin < 0;
    for (int a = 0; good && domain->n[0] > 0 && a < 3; a++) {
        l->scene.lo[a] = domain->origin[a] * view->scale;
        l->scene.hi[a] = (domain->origin[a] + domain->n[a] * domain->h) * view->scale;
    }
    if (good) {
        char why[1200];
        if (height > 0) height_set(v.p, height);
        v.p->camera.distance *= view->scale;
        for (int a = 0; a < 3; a++) v.p->camera.target.point[a] *= view->scale;
        const double gone = (double)(frame - t->write_first) / (double)(t->write_last - t->write_first + 1);
        bw_picture_stage(v.p, gone, l->size, &l->scene);
        l->particles_alone = !(v.p->thickness > 0) && v.p->particles.show == BW_SHOW_LIGHT;
        if (!l->particles_alone) l->scene.extinction *= v.p->thickness; // files without particles show the smoke
        const double fps = view->fps > 0 ? view->fps : t->fps; // files have their own seconds where they are larger
        l->scene.shutter = v.p->shutter / fps;
        l->scene.streak = v.p->particles.streak / fps;
        l->scene.tick = 1 / fps;
        l->scene.metre = view->scale;
        l->scene.flame_kelvin = view->flame_kelvin;
        l->scene.ambient = p->ambient > 0 ? p->ambient : l->scene.ambient;
        l->sparks = (struct bw_sparks_wish){(enum bw_show_particles)v.p->particles.show, l->scene.ambient,
                                            v.p->particles.size, v.p->particles.vary};
        good = bw_picture_look(v.p, view->flames, &l->scene.look, why, sizeof why) == BW_OK;
        good = good && bw_picture_sky(v.p, &l->sky, why, sizeof why) == BW_OK;
        if (!good) bw_diag_error(d, NULL, BW_ERR_PRESET, "%s", why);
        look_enlarge(&l->scene.look, view->scale);
    }
    bake_look_free(&v);
    return good;
}

/// The exporters' defaults. Errors: BW_ERR_MEMORY.
static enum bw_status look_default(struct cache_look *l, const struct cache *c, const struct bw_vdb_view *view,
                                   int64_t height)
{
    struct bw_diag d = {0};
    struct bw_preset *p = preset_default(c);
    const int good = p && look_of_bake(l, c->session->registry, p, view, height, p->time.first, &d);
    bw_preset_free(p);
    bw_diag_free(&d);
    return good ? BW_OK : BW_ERR_MEMORY;
}

enum bw_status cache_look_find(struct cache_look *l, const struct cache *c, const struct bw_preset *p,
                               const struct bw_vdb_view *view, int64_t height, struct bw_diag *why)
{
    struct bw_diag d = {0};
    *l = (struct cache_look){.fps = view->fps > 0 ? view->fps : 24, .sparks.which = BW_SHOW_NONE};
    l->scene.ambient = 293.15;
    memcpy(l->scene.lo, view->lo, sizeof view->lo);
    memcpy(l->scene.hi, view->hi, sizeof view->hi);
    struct bw_preset *own = p || view->field ? NULL : cache_preset(c, &d);
    if (!p) p = own;
    const int good = p && look_of_bake(l, c->session->registry, p, view, height, p->time.write_first, &d);
    if (p && view->fps <= 0) l->fps = p->time.fps;
    if (d.status)
        bw_diag_error(why, NULL, d.status, "the bake's own look can't be had, this is the default: %s",
                      d.first ? d.first : "");
    bw_preset_free(own);
    bw_diag_free(&d);
    return good ? BW_OK : look_default(l, c, view, height);
}

int cache_look_at(struct cache_look *l, const struct cache *c, const struct bw_preset *p,
                  const struct bw_vdb_view *view, int64_t frame, struct bw_diag *d)
{
    struct bw_diag ignored = {0};
    struct bw_preset *own = p ? NULL : cache_preset(c, &ignored);
    struct cache_look then = *l;
    memset(then.size, 0, sizeof then.size); // chosen anew, with how thick smoke is
    if (p && look_of_bake(&then, c->session->registry, p, view, 0, frame, d)) *l = then;
    if (own && look_of_bake(&then, c->session->registry, own, view, 0, frame, &ignored)) *l = then;
    bw_preset_free(own);
    bw_diag_free(&ignored);
    return !d->status;
}

static void slice_fill(struct cache_slice *c, const struct bw_picture_params *p, const struct bw_domain_info *domain)
{
    char why[200];
    int has_unit;
    c->axis = domain->thin >= 0 ? domain->thin : p->axis;
    c->vectors = p->vectors;
    c->map = p->map;
    c->relief = p->relief;
    c->height = p->size;
    if (bw_parse_quantity(p->position, "m", &c->position, &has_unit, why, sizeof why)) c->position = NAN; // "center"
    for (int a = 0; domain->n[0] > 0 && a < 3; a++) {
        c->lo[a] = domain->origin[a];
        c->hi[a] = domain->origin[a] + domain->n[a] * domain->h;
    }
    if (p->range.count == 2) memcpy(c->range, p->range.items, sizeof c->range);
    if (p->field) snprintf(c->field, sizeof c->field, "%s", p->field);
}

int cache_look_slice(struct cache_slice *slice, const struct cache *c)
{
    struct bw_diag d = {0};
    struct bw_preset *p = cache_preset(c, &d);
    struct bake_look v;
    int good = p && bake_look_slices(&v, c->session->registry, p, &d);
    *slice = (struct cache_slice){.first = p ? p->time.first : 0};
    if (good) {
        slice_fill(slice, v.p, &p->domain[0].info);
        bake_look_free(&v);
    }
    bw_preset_free(p);
    bw_diag_free(&d);
    return good;
}
