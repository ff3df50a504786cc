// SPDX-License-Identifier: Apache-2.0
#include "baked.h"

#include "base/alloc.h"
#include "preset/outside/camera_file.h"
#include <string.h>

void baked_free(struct baked *v)
{
    bw_params_free(v->compiled);
    bw_free(v->values);
    *v = (struct baked){0};
}

/* An exporter's map, `own` or NULL, with what the preset shares and a viewer says; NULL after a sentence, or where
 * `own` stands as it is. */
static struct bw_node *map_of(const struct bw_preset *p, const struct bw_node *own, const struct bw_param *rows,
                              uint32_t n, struct bw_diag *d)
{
    struct bw_node *map = NULL;
    enum bw_status status = bw_preset_share(p, own, rows, n, &map);
    if (!status && !map && p->n_said && !(map = own ? bw_node_copy(own) : bw_node_new(BW_NODE_MAP, NULL)))
        status = BW_ERR_MEMORY;
    if (status) bw_diag_error(d, NULL, status, "out of memory for a look");
    for (int32_t i = 0; i < p->n_said && !d->status; i++) bw_preset_say(map, p->said[i], rows, n, d);
    if (!d->status && (!map || !camera_file_take(bw_node_get(map, "camera"), d))) return map;
    bw_node_free(map);
    return NULL;
}

/// 1: the export makes pictures, and *v says which.
static int export_read(struct baked *v, const struct bw_registry *r, const struct bw_preset *p,
                       const struct bw_preset_export *e, double time, struct bw_diag *d)
{
    const struct bw_entry *entry = bw_registry_exporter(r, e->type);
    const struct bw_exporter_desc *x = entry ? entry->exporter : NULL;
    struct bw_params_context ctx = {.owner = e->id, .fps = p->time.fps, .first = p->time.first, .seed = p->time.seed};
    ctx.ambient = p->ambient;
    *v = (struct baked){.export = e, .values = x ? bw_calloc(x->params_size + 8) : NULL};
    ctx.common = bw_export_rows;
    ctx.n_common = bw_export_n_rows;
    if (!v->values || !bw_picture_params_find(x->params, x->n_params, v->values)) goto none;
    struct bw_node *shared = map_of(p, e->node, x->params, x->n_params, d);
    if (d->status) goto none;
    v->compiled = bw_params_compile(x->params, x->n_params, x->params_size, shared ? shared : e->node, &ctx, d);
    bw_node_free(shared);
    if (!v->compiled || bw_params_eval(v->compiled, time, 0, v->values, d) != BW_OK) goto none;
    v->flags = x->flags;
    v->p = (struct bw_picture_params *)bw_picture_params_find(x->params, x->n_params, v->values);
    return 1;
none:
    baked_free(v);
    return 0;
}

bool baked_usual(struct baked *v, const struct bw_preset *p, double time, struct bw_diag *d)
{
    struct usual {
        struct bw_picture_params p;
    };
    static const struct bw_param rows[] = {BW_PICTURE_PARAMS(struct usual, p)};
    struct bw_params_context ctx = {.owner = "view", .fps = p->time.fps, .first = p->time.first, .seed = p->time.seed};
    ctx.ambient = p->ambient;
    *v = (struct baked){.values = bw_calloc(sizeof(struct usual))};
    v->p = v->values;
    struct bw_node *shared = v->values ? map_of(p, NULL, rows, BW_COUNT(rows), d) : NULL;
    if (v->values && !d->status)
        v->compiled = bw_params_compile(rows, BW_COUNT(rows), sizeof(struct usual), shared, &ctx, d);
    bw_node_free(shared);
    if (v->compiled && bw_params_eval(v->compiled, time, 0, v->values, d) == BW_OK) return true;
    if (!d->status) bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory for a look");
    baked_free(v);
    return false;
}

static int shows_renders(const struct baked *v)
{
    return bw_picture_params_render(v->p, (v->flags & BW_EXPORTER_SLICES) != 0);
}

static int renders_among(struct baked *v, const struct bw_registry *r, const struct bw_preset *p, bool muted,
                         double time, struct bw_diag *d)
{
    for (int32_t i = 0; i < p->n_exports; i++) {
        if (!p->export[i].enabled != muted || !export_read(v, r, p, &p->export[i], time, d)) continue;
        if (shows_renders(v)) return 1;
        baked_free(v);
    }
    return 0;
}

int baked_renders(struct baked *v, const struct bw_registry *r, const struct bw_preset *p, double time,
                  struct bw_diag *d)
{
    struct bw_diag unsaid = {0}; /* a mistake in what is muted is nobody's */
    int found = renders_among(v, r, p, false, time, d);
    if (!found && !d->status) found = renders_among(v, r, p, true, time, &unsaid);
    bw_diag_free(&unsaid);
    return found;
}

/// -1: none makes slices, and one makes renders.
static int slices_among(struct baked *v, const struct bw_registry *r, const struct bw_preset *p, bool muted,
                        struct bw_diag *d)
{
    int found = 0;
    for (int32_t i = 0; i < p->n_exports; i++) {
        struct baked x;
        if (!p->export[i].enabled != muted || !export_read(&x, r, p, &p->export[i], 0, d)) continue;
        int renders = shows_renders(&x) && p->domain[0].info.thin < 0;
        int better = !renders && (!found || x.flags & BW_EXPORTER_MOVIE);
        if (found && (renders || better)) baked_free(v), found = 0;
        if (better) *v = x, found = 1;
        else baked_free(&x);
        if (renders) return -1;
    }
    return found;
}

int baked_slices(struct baked *v, const struct bw_registry *r, const struct bw_preset *p, struct bw_diag *d)
{
    struct bw_diag unsaid = {0};
    int found = slices_among(v, r, p, false, d);
    if (!found && !d->status) found = slices_among(v, r, p, true, &unsaid);
    bw_diag_free(&unsaid);
    return found > 0;
}

const struct bw_domain_info *baked_domain(const struct bw_preset *p, const struct bw_preset_export *e)
{
    for (int32_t i = 0; e && e->domain && i < p->n_domains; i++)
        if (!strcmp(e->domain, p->domain[i].name)) return &p->domain[i].info;
    return &p->domain[0].info;
}
