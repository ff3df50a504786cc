// SPDX-License-Identifier: Apache-2.0
/* The look of a cache: a bake of ours left its domain and its pictures' parameters in resolved.yaml, so that previews
 * and other programs show what its movie shows; of other files the box that they fill is the stage. */
#include "look.h"

#include "base/alloc.h"
#include "preset/values/params.h"
#include <picture/picture.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- memory and threads for the picture library ---- */

struct loop {
    _Atomic int64_t next;
    int64_t n;
    void (*fn)(int64_t i, void *user);
    void *user;
};

static void *loop_run(void *arg)
{
    struct loop *l = arg;
    for (int64_t i; (i = atomic_fetch_add(&l->next, 1)) < l->n;) l->fn(i, l->user);
    return NULL;
}

static void tools_parallel(void *ctx, int64_t n, void (*fn)(int64_t i, void *user), void *user)
{
    enum { MAX = 64 };
    struct loop l = {.n = n, .fn = fn, .user = user};
    pthread_t thread[MAX];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int started = 0;
    (void)ctx;
    while (started < MAX && started + 1 < cores && started + 1 < n &&
           !pthread_create(&thread[started], NULL, loop_run, &l))
        started++;
    loop_run(&l);
    while (started) pthread_join(thread[--started], NULL);
}

static void *tools_alloc(void *ctx, size_t bytes)
{
    (void)ctx;
    return calloc(1, bytes ? bytes : 1);
}

static void tools_release(void *ctx, void *memory)
{
    (void)ctx;
    free(memory);
}

struct bw_tools cli_tools(void) { return (struct bw_tools){tools_alloc, tools_release, tools_parallel, NULL}; }

/* ---- the bake's parameters ---- */

struct picture {
    struct bw_picture_params p;
};

static const struct bw_param rows[] = {BW_PICTURE_PARAMS(struct picture, p)};

/// Keys of png and mp4 that say nothing of the look.
static const char *const file_keys[] = {"name", "every", "depth", "fps", "quality", "sheet", "studio"};

enum { FILE_KEYS = sizeof file_keys / sizeof *file_keys };

static struct bw_params *picture_compile(const struct bw_node *node, double fps, struct bw_diag *d)
{
    struct bw_params_context ctx = {.owner = "pictures", .fps = fps, .ignore = file_keys, .n_ignore = FILE_KEYS};
    ctx.common = bw_export_rows;
    ctx.n_common = bw_export_n_rows;
    return bw_params_compile(rows, sizeof rows / sizeof *rows, sizeof *rows, sizeof(struct picture), node, &ctx, d);
}

static int export_pictures(const struct bw_preset_export *e)
{
    return !strcmp(e->type, "mp4") || !strcmp(e->type, "png") || !strcmp(e->type, "exr");
}

static int export_renders(const struct bw_preset_export *e)
{
    const struct bw_node *view = e->node ? bw_node_get(e->node, "view") : NULL;
    const int light = !strcmp(e->type, "mp4") || !strcmp(e->type, "exr");
    if (!export_pictures(e)) return 0;
    if (!view || !view->text) return light;
    return !strcmp(view->text, "render") || (light && !strcmp(view->text, "auto"));
}

/// FOLDER/resolved.yaml of FOLDER/vdb/NAME_0001.vdb, as a preset; NULL: no bake of ours.
static struct bw_preset *bake_preset(const char *file, struct bw_diag *d)
{
    char *folder = bw_strdup(file), *slash = folder ? strrchr(folder, '/') : NULL, *path = NULL;
    if (slash) *slash = '\0', slash = strrchr(folder, '/');
    if (slash) path = bw_printf("%.*s/resolved.yaml", (int)(slash - folder), folder);
    else if (folder && !strcmp(folder, "vdb")) path = bw_strdup("resolved.yaml");
    static const struct bw_preset_overrides none = {0};
    struct bw_preset *p = path && access(path, R_OK) == 0 ? bw_preset_load(path, &none, d) : NULL;
    bw_free(path);
    bw_free(folder);
    return p;
}

/// Stage and look as the bake's pictures had them at time 0; 0: it made no renders.
static int look_of_bake(struct cli_look *l, const struct bw_preset *p, const struct bw_vdb_view *view, int64_t height,
                        struct bw_diag *d)
{
    const struct bw_preset_export *e = NULL;
    const struct bw_domain_info *domain = &p->domain[0].info;
    for (int32_t i = 0; i < p->n_exports && !e; i++)
        if (export_renders(&p->export[i])) e = &p->export[i];
    for (int32_t i = 0; e && e->domain && i < p->n_domains; i++)
        if (!strcmp(e->domain, p->domain[i].name)) domain = &p->domain[i].info;
    if (!e || domain->thin >= 0) return 0;
    struct picture *values = bw_calloc(sizeof *values);
    struct bw_params *params = values ? picture_compile(e->node, p->time.fps, d) : NULL;
    int good = params && bw_params_eval(params, 0, 0, values, d) == BW_OK;
    for (int a = 0; good && domain->n[0] > 0 && a < 3; a++) {
        l->scene.lo[a] = domain->origin[a] * view->scale;
        l->scene.hi[a] = (domain->origin[a] + domain->n[a] * domain->h) * view->scale;
    }
    if (good) {
        char why[200];
        if (height > 0) values->p.size = height;
        bw_picture_stage(&values->p, l->size, &l->scene);
        l->scene.extinction *= values->p.thickness;
        l->scene.ambient = p->ambient > 0 ? p->ambient : l->scene.ambient;
        good = bw_picture_look(&values->p, view->flames, &l->scene.look, why, sizeof why) == BW_OK;
        if (!good) bw_diag_error(d, NULL, BW_ERR_PRESET, "%s", why);
    }
    bw_params_free(params);
    bw_free(values);
    return good;
}

static void look_default(struct cli_look *l, const struct bw_vdb_view *view, int64_t height)
{
    struct bw_scene *c = &l->scene;
    double aspect = bw_camera_aspect(c->lo, c->hi), h = height > 0 ? (double)height : 720;
    l->size[0] = 2 * (int32_t)lround(h * aspect / 2);
    l->size[1] = 2 * (int32_t)lround(h / 2);
    c->extinction = bw_scene_extinction(c->lo, c->hi);
    c->exposure = 1;
    c->floor = 1;
    c->look = view->flames ? (struct bw_look)BW_LOOK_FIRE : (struct bw_look)BW_LOOK_DEFAULT;
    bw_camera_fit(&c->camera, c->lo, c->hi, aspect);
}

void cli_look_find(struct cli_look *l, const struct bw_sequence *s, const struct bw_vdb_view *view, int64_t height)
{
    struct bw_diag d = {0};
    *l = (struct cli_look){.fps = view->fps > 0 ? view->fps : 24};
    l->scene.ambient = 293.15;
    memcpy(l->scene.lo, view->lo, sizeof view->lo);
    memcpy(l->scene.hi, view->hi, sizeof view->hi);
    struct bw_preset *p = view->field ? NULL : bake_preset(s->path[0], &d);
    int good = p && look_of_bake(l, p, view, height, &d);
    if (p && view->fps <= 0) l->fps = p->time.fps;
    if (d.status)
        fprintf(stderr, "billow: the bake's own look can't be had, this is the default: %s\n", d.first ? d.first : "");
    if (!good) look_default(l, view, height);
    bw_preset_free(p);
    bw_diag_free(&d);
}

static void slice_fill(struct cli_slice *c, const struct bw_picture_params *p, const struct bw_domain_info *domain)
{
    char why[200];
    int has_unit;
    c->axis = domain->thin >= 0 ? domain->thin : p->axis;
    c->vectors = p->vectors;
    c->map = p->map;
    if (bw_parse_quantity(p->position, "m", &c->position, &has_unit, why, sizeof why)) c->position = NAN; // "center"
    for (int a = 0; domain->n[0] > 0 && a < 3; a++) {
        c->lo[a] = domain->origin[a];
        c->hi[a] = domain->origin[a] + domain->n[a] * domain->h;
    }
    if (p->range.count == 2) memcpy(c->range, p->range.items, sizeof c->range);
    if (p->field) snprintf(c->field, sizeof c->field, "%s", p->field);
}

int cli_look_slice(struct cli_slice *c, const struct bw_sequence *s)
{
    struct bw_diag d = {0};
    struct bw_preset *p = bake_preset(s->path[0], &d);
    const struct bw_preset_export *e = NULL;
    for (int32_t i = 0; p && i < p->n_exports; i++) {
        const struct bw_preset_export *x = &p->export[i];
        if (export_renders(x) && p->domain[0].info.thin < 0) {
            e = NULL;
            break;
        }
        if (export_pictures(x) && (!e || !strcmp(x->type, "mp4"))) e = x;
    }
    struct picture *values = e ? bw_calloc(sizeof *values) : NULL;
    struct bw_params *params = values ? picture_compile(e->node, p->time.fps, &d) : NULL;
    const int good = params && bw_params_eval(params, 0, 0, values, &d) == BW_OK;
    *c = (struct cli_slice){.first = p ? p->time.first : 0};
    if (good) slice_fill(c, &values->p, &p->domain[0].info);
    bw_params_free(params);
    bw_free(values);
    bw_preset_free(p);
    bw_diag_free(&d);
    return good;
}
