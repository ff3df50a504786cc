// SPDX-License-Identifier: Apache-2.0
#include "bake_look.h"

#include "base/alloc.h"
#include "preset/import/camera_file.h"
#include <stdio.h>
#include <string.h>

struct default_look {
    struct bw_picture_params p;
};
static const struct bw_param rows[] = {BW_PICTURE_PARAMS(struct default_look, p)};

void bake_look_free(struct bake_look *v)
{
    bw_params_free(v->compiled);
    bw_params_free(v->own);
    bw_free(v->p);
    *v = (struct bake_look){0};
}

static const struct bw_param *row_find(const struct bw_param *in, uint32_t n, const char *key)
{
    for (uint32_t i = 0; key && i < n; i++)
        if (in[i].key && !strcmp(in[i].key, key)) return &in[i];
    return NULL;
}

/* ---- overrides ---- */

static bool override_applies(const char *text, const struct bw_param *table, uint32_t n)
{
    const char *key = strncmp(text, "look.", 5) != 0 ? text : text + 5;
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(key, ".="), key);
    return row_find(table, n, word) != NULL;
}

/* A copy of an exporter's map, `own` or NULL, with the preset's `look` and `camera` and the viewer's overrides merged
 * in. NULL: nothing to merge, or an error in `d`. */
static struct bw_node *node_with_overrides(const struct bw_preset *p, const struct bw_node *own,
                                           const struct bw_table *table, struct bw_diag *d)
{
    const bool ours = table->rows == rows; // which reports unknown words
    struct bw_node *map = NULL;
    enum bw_status status = bw_preset_inherit_look(p, own, table, &map);
    if (!status && !map && p->n_look_overrides && !(map = own ? bw_node_copy(own) : bw_node_new(BW_NODE_MAP, NULL)))
        status = BW_ERR_MEMORY;
    if (status) bw_diag_error(d, NULL, status, "out of memory for a look");
    for (int32_t i = 0; i < p->n_look_overrides && !d->status; i++)
        if (ours || override_applies(p->look_overrides[i], table->rows, table->n))
            bw_preset_override_look(map, p->look_overrides[i], table->rows, table->n, d);
    if (!d->status && (!map || !camera_file_expand(bw_node_get(map, "camera"), d))) return map;
    bw_node_free(map);
    return NULL;
}

static struct bw_params *params_compile(const struct bw_preset *p, const struct bw_preset_export *e,
                                        const struct bw_table *table, uint32_t size, struct bw_diag *d)
{
    const struct bw_node *own = e ? e->node : NULL;
    const struct bw_params_context ctx = {.owner = e ? e->id : "view",
                                          .fps = p->time.fps,
                                          .first = p->time.first,
                                          .seed = p->time.seed,
                                          .ambient = p->ambient,
                                          .common = bw_export_rows,
                                          .n_common = e ? bw_export_n_rows : 0};
    struct bw_node *shared = node_with_overrides(p, own, table, d);
    struct bw_params *made =
        d->status ? NULL : bw_params_compile(table->rows, table->n, size, shared ? shared : own, &ctx, d);
    bw_node_free(shared);
    return made;
}

bool bake_look_default(struct bake_look *v, const struct bw_preset *p, double time, struct bw_diag *d)
{
    const struct bw_table table = {rows, BW_COUNT(rows), true};
    *v = (struct bake_look){.p = bw_calloc(sizeof(struct default_look))};
    if (v->p) v->compiled = params_compile(p, NULL, &table, sizeof(struct default_look), d);
    if (v->compiled && bw_params_eval(v->compiled, time, 0, v->p, d) == BW_OK) return true;
    if (!d->status) bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory for a look");
    bake_look_free(v);
    return false;
}

/* ---- an exporter's own ---- */

static bool rows_same(const struct bw_param *a, uint32_t n, const struct bw_param *b, uint32_t m)
{
    bool same = n == m;
    for (uint32_t i = 0; same && i < n; i++)
        same = a[i].type == b[i].type && a[i].offset == b[i].offset && a[i].sub_size == b[i].sub_size &&
               !strcmp(a[i].key ? a[i].key : "", b[i].key ? b[i].key : "") &&
               rows_same(a[i].sub, a[i].n_sub, b[i].sub, b[i].n_sub);
    return same;
}

/* The n-th of choices "a|b|c", its length in *n; NULL: there are not so many. */
static const char *choice_at(const char *choices, int32_t at, size_t *n)
{
    for (; choices && at > 0; at--) choices = (choices = strchr(choices, '|')) ? choices + 1 : NULL;
    *n = choices ? strcspn(choices, "|") : 0;
    return choices;
}

/* Translate a choice of the exporter's table into ours by its word; an unknown word leaves the default. */
static void choice_copy(const struct bw_param *to, int32_t *out, const struct bw_param *from, int32_t in)
{
    size_t n, m;
    const char *word = choice_at(from->choices, in, &n), *one;
    for (int32_t i = 0; word && (one = choice_at(to->choices, i, &m)); i++)
        if (n == m && !strncmp(word, one, n)) *out = i;
}

static bool is_text(uint32_t type) { return type == BW_PARAM_STRING || type == BW_PARAM_FIELD; }

/* Copy values of equal key and type from another table's struct, `in`, to `out`. Returns their number. */
static int values_copy(const struct bw_param *to, uint32_t n, void *out, const struct bw_param *from, uint32_t m,
                       const void *in)
{
    int taken = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct bw_param *a = &to[i], *b = row_find(from, m, a->key);
        if (!b || (a->type != b->type && !(is_text(a->type) && is_text(b->type)))) continue;
        if (strcmp(a->unit ? a->unit : "", b->unit ? b->unit : "") != 0) continue;
        void *value = (char *)out + a->offset;
        const void *own = (const char *)in + b->offset;
        if (a->type == BW_PARAM_GROUP) values_copy(a->sub, a->n_sub, value, b->sub, b->n_sub, own);
        else if (a->type == BW_PARAM_CHOICE) choice_copy(a, value, b, *(const int32_t *)own);
        else if (a->sub_size != b->sub_size || !rows_same(a->sub, a->n_sub, b->sub, b->n_sub)) continue;
        else memcpy(value, own, bw_row_bytes(a));
        taken++;
    }
    return taken;
}

/// 1: the exporter makes pictures, and *v is their look.
static int export_read(struct bake_look *v, const struct bw_registry *r, const struct bw_preset *p,
                       const struct bw_preset_export *e, double time, struct bw_diag *d)
{
    const struct bw_entry *entry = bw_registry_exporter(r, e->type);
    const struct bw_exporter_desc *x = entry ? entry->exporter : NULL;
    if (!x || !bw_exporter_pictures(x) || !bake_look_default(v, p, time, d)) return 0;
    const struct bw_table table = {x->params, x->n_params, true};
    void *values = bw_calloc(x->params_size + 8);
    int taken = 0;
    v->export = e, v->flags = x->flags;
    if (values && (v->own = params_compile(p, e, &table, x->params_size, d)) &&
        bw_params_eval(v->own, time, 0, values, d) == BW_OK)
        taken = values_copy(rows, BW_COUNT(rows), v->p, x->params, x->n_params, values);
    bw_free(values);
    if (!row_find(x->params, x->n_params, "view")) // its flag alone says which
        v->p->view = x->flags & BW_EXPORTER_SLICES    ? BW_VIEW_SLICE
                     : x->flags & BW_EXPORTER_RENDERS ? BW_VIEW_RENDER
                                                      : BW_VIEW_AUTO;
    if (!d->status && (taken || x->flags & (BW_EXPORTER_SLICES | BW_EXPORTER_RENDERS))) return 1;
    bake_look_free(v); // or one file of all frames of something else
    return 0;
}

static int shows_renders(const struct bake_look *v)
{
    return bw_picture_params_render(v->p, (v->flags & BW_EXPORTER_SLICES) != 0);
}

static int renders_among(struct bake_look *v, const struct bw_registry *r, const struct bw_preset *p, bool muted,
                         double time, struct bw_diag *d)
{
    for (int32_t i = 0; i < p->n_exports; i++) {
        if (!p->export[i].enabled != muted || !export_read(v, r, p, &p->export[i], time, d)) continue;
        if (shows_renders(v)) return 1;
        bake_look_free(v);
    }
    return 0;
}

int bake_look_renders(struct bake_look *v, const struct bw_registry *r, const struct bw_preset *p, double time,
                      struct bw_diag *d)
{
    struct bw_diag ignored = {0}; /* errors in muted exporters are ignored */
    int found = renders_among(v, r, p, false, time, d);
    if (!found && !d->status) found = renders_among(v, r, p, true, time, &ignored);
    bw_diag_free(&ignored);
    return found;
}

/// -1: none makes slices, and one makes renders.
static int slices_among(struct bake_look *v, const struct bw_registry *r, const struct bw_preset *p, bool muted,
                        struct bw_diag *d)
{
    int found = 0;
    for (int32_t i = 0; i < p->n_exports; i++) {
        struct bake_look x;
        if (!p->export[i].enabled != muted || !export_read(&x, r, p, &p->export[i], 0, d)) continue;
        int renders = shows_renders(&x) && p->domain[0].info.thin < 0;
        int better = !renders && (!found || x.flags & BW_EXPORTER_MOVIE);
        if (found && (renders || better)) bake_look_free(v), found = 0;
        if (better) *v = x, found = 1;
        else bake_look_free(&x);
        if (renders) return -1;
    }
    return found;
}

int bake_look_slices(struct bake_look *v, const struct bw_registry *r, const struct bw_preset *p, struct bw_diag *d)
{
    struct bw_diag ignored = {0};
    int found = slices_among(v, r, p, false, d);
    if (!found && !d->status) found = slices_among(v, r, p, true, &ignored);
    bw_diag_free(&ignored);
    return found > 0;
}

const struct bw_domain_info *bake_look_domain(const struct bw_preset *p, const struct bw_preset_export *e)
{
    for (int32_t i = 0; e && e->domain && i < p->n_domains; i++)
        if (!strcmp(e->domain, p->domain[i].name)) return &p->domain[i].info;
    return &p->domain[0].info;
}
