// SPDX-License-Identifier: Apache-2.0
/* From the merged tree to the struct: the sections' values, and what several of them together show to be wrong. What
 * only the chain can judge (does the stage exist, do the fields connect) is left to it; a stage's own options stay in
 * its node. */
#include "preset_private.h"

#include "import/camera_file.h"
#include "import/curve_file.h"
#include "base/alloc.h"
#include "base/text/utf8.h"
#include "preset/values/params.h"
#include <math.h>
#include <string.h>

/* Of a file's 255 bytes, 55 are for _quick, _v002, frame and suffix. */
enum { STEPS_AUTO = 64 };

/* ---- time ---- */

/* auto, a number, or [least, most]. */
static enum bw_status substeps_take(struct bw_preset_time *t, const struct bw_list *list, const struct bw_node *n,
                                    struct bw_diag *d)
{
    const int64_t *steps = list->items;
    t->substeps_min = list->count ? (int32_t)steps[0] : 1;
    t->substeps_max = list->count ? (int32_t)steps[list->count - 1] : STEPS_AUTO;
    if (t->substeps_max >= t->substeps_min) return BW_OK;
    return bw_diag_error(d, &n->place, BW_ERR_PRESET, "time: substeps have to be [least, most] with least first");
}

/* The frames that are written may end later than the preset says, but can't begin earlier than the run. */
static enum bw_status write_take(struct bw_preset_time *t, const struct bw_frames *write, const struct bw_node *n,
                                 struct bw_diag *d)
{
    t->write_first = bw_node_is_null(n) ? t->first : write->first;
    t->write_last = bw_node_is_null(n) ? t->last : write->last;
    if (t->write_first >= t->first) return BW_OK;
    return bw_diag_error(d, &n->place, BW_ERR_PRESET, "frame %lld lies before the run's first frame, %lld",
                         (long long)t->write_first, (long long)t->first);
}

static enum bw_status time_take(struct bw_preset *p, const struct bw_time_values *v, const struct bw_node *map,
                                struct bw_diag *d)
{
    struct bw_preset_time *t = &p->time;
    const struct bw_node *substeps = bw_node_get(map, "substeps");
    *t = (struct bw_preset_time){.fps = v->fps, .dt = v->dt, .cfl = v->cfl, .warmup = v->warmup};
    t->files = v->files > 0 ? v->files : v->fps;
    t->seed = (uint64_t)v->seed;
    t->first = v->frames.first;
    t->last = v->frames.last;
    if (p->frames_from && bw_node_is_null(bw_node_get(map, "frames")))
        t->first = p->files_first, t->last = p->files_last;
    enum bw_status status = write_take(t, &v->write, bw_node_get(map, "write"), d);
    status = bw_first_error(status, substeps_take(t, &v->substeps, substeps, d));
    if (t->dt > 0 && v->substeps.count)
        return bw_diag_error(d, &bw_node_get(map, "dt")->key_place, BW_ERR_PRESET, "time: substeps or dt, not both");
    /* Frames that come from files are one step each, unless the preset asks for substeps or a step. */
    if (p->frames_from && bw_node_is_null(substeps) && !(t->dt > 0)) t->dt = 1 / t->fps;
    return status;
}

/* ---- fields ---- */

static enum bw_status fields_take(struct bw_preset *p, const struct bw_list *list, const struct bw_node *map,
                                  struct bw_diag *d)
{
    const struct bw_field_values *v = list->items;
    p->field = list->count ? bw_calloc((size_t)list->count * sizeof *p->field) : NULL;
    if (list->count && !p->field) return bw_error_memory(d);
    p->n_fields = (int32_t)list->count;
    for (int32_t i = 0; i < p->n_fields; i++) {
        const struct bw_node *n = map->child[i];
        struct bw_preset_field *f = &p->field[i];
        *f = (struct bw_preset_field){.name = n->key, .place = n->key_place};
        if (bw_name_check(n->key, &n->key_place, "fields", d)) return d->status;
        f->kind = bw_node_is_null(bw_node_get(n, "kind")) ? -1 : v[i].kind;
        f->precision = bw_node_is_null(bw_node_get(n, "precision")) ? -1 : v[i].precision;
        f->advect = bw_node_is_null(bw_node_get(n, "advect")) ? -1 : v[i].advect;
        f->alive = bw_node_is_null(bw_node_get(n, "alive")) ? -1 : v[i].alive;
        f->has_background = !bw_node_is_null(bw_node_get(n, "background"));
        memcpy(f->background, v[i].background, sizeof f->background);
    }
    return BW_OK;
}

/* ---- entries ---- */

static enum bw_status domain_find(const struct bw_preset *p, const struct bw_node *n, const char *id, struct bw_diag *d)
{
    const char *names[BW_MAX_DOMAINS];
    if (bw_node_is_null(n)) return BW_OK;
    char list[300] = "";
    for (int32_t i = 0; i < p->n_domains; i++) {
        names[i] = p->domain[i].name;
        if (!strcmp(n->text, names[i])) return BW_OK;
        size_t have = strlen(list);
        snprintf(list + have, sizeof list - have, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = bw_did_you_mean(n->text, names, (uint32_t)p->n_domains);
    return bw_diag_error(d, &n->place, BW_ERR_PRESET, "%s: domain can't be \"%s\"; it is one of %s%s%s%s", id, n->text,
                         list, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

/* The keys that every stage or exporter has (id, enabled, domain, …); the rest of the map are its own parameters. */
static enum bw_status entry_read(const struct bw_preset *p, const struct bw_node *inner, int stage,
                                 struct bw_entry_values *v, struct bw_diag *d)
{
    const char *id = bw_node_get(inner, "id")->text;
    struct bw_params_context c = {.owner = id, .partial = 1, .sections = 1};
    struct bw_params *params = bw_params_compile(stage ? bw_stage_rows : bw_export_rows,
                                                 stage ? bw_stage_n_rows : bw_export_n_rows, sizeof *v, inner, &c, d);
    enum bw_status status = params ? bw_params_eval(params, 0, 0, v, d) : d->status;
    bw_params_free(params); /* texts are taken from the tree, which stays */
    return status ? status : domain_find(p, bw_node_get(inner, "domain"), id, d);
}

static const char *text_of(const struct bw_node *n) { return bw_node_is_null(n) ? NULL : n->text; }

static enum bw_status stage_read(struct bw_preset *p, struct bw_preset_stage *s, struct bw_node *inner,
                                 struct bw_diag *d)
{
    struct bw_entry_values v;
    enum bw_status status = entry_read(p, inner, 1, &v, d);
    if (status) return status;
    const struct bw_node *bind = bw_node_get(inner, "bind");
    const struct bw_node *frames = bw_node_get(inner, "frames");
    *s = (struct bw_preset_stage){.type = inner->key, .enabled = v.enabled, .node = inner, .place = inner->key_place};
    s->id = bw_node_get(inner, "id")->text;
    s->domain = text_of(bw_node_get(inner, "domain"));
    s->bind = bw_node_is_null(bind) ? NULL : bind;
    s->frame_from = -HUGE_VAL, s->frame_to = HUGE_VAL;
    if (!bw_node_is_null(frames) && !bw_parse_span(frames->text, &s->frame_from, &s->frame_to)) s->frame_from -= 1;
    return BW_OK;
}

static enum bw_status export_read(struct bw_preset *p, struct bw_preset_export *e, struct bw_node *inner,
                                  struct bw_diag *d)
{
    struct bw_entry_values v;
    enum bw_status status = entry_read(p, inner, 0, &v, d);
    if (status) return status;
    *e = (struct bw_preset_export){.type = inner->key, .enabled = v.enabled, .node = inner, .place = inner->key_place};
    e->id = bw_node_get(inner, "id")->text;
    e->domain = text_of(bw_node_get(inner, "domain"));
    return BW_OK;
}

/* Ids were given when the files were merged; --set may have spoiled one since. */
static enum bw_status lists_read(struct bw_preset *p, struct bw_diag *d)
{
    struct bw_node *stages = bw_node_get(p->root, "stages"), *exports = bw_node_get(p->root, "export");
    enum bw_status status = bw_first_error(bw_preset_assign_ids(stages, d), bw_preset_assign_ids(exports, d));
    if (!status) status = bw_first_error(bw_preset_reorder(stages, d), bw_preset_reorder(exports, d));
    if (status) return status;
    int32_t n_stages = bw_node_is_null(stages) ? 0 : stages->count,
            n_exports = bw_node_is_null(exports) ? 0 : exports->count;
    p->stage = bw_calloc((size_t)n_stages * sizeof *p->stage);
    p->export = bw_calloc((size_t)n_exports * sizeof *p->export);
    if (!p->stage || !p->export) return bw_error_memory(d);
    for (int32_t i = 0; i < n_stages; i++) {
        status = bw_first_error(status, stage_read(p, &p->stage[p->n_stages++], stages->child[i]->child[0], d));
    }
    for (int32_t i = 0; i < n_exports; i++) {
        status = bw_first_error(status, export_read(p, &p->export[p->n_exports++], exports -> child[i] -> child[0], d));
    }
    return status;
}

/* The lines that begin with '#' before anything else, without the '#'. */
static char *comment_read(const char *source)
{
    char *comment = bw_calloc(strlen(source) + 1);
    size_t n = 0;
    for (const char *s = source; comment && (*s == '#' || *s == '\n');) {
        size_t length = strcspn(s, "\n");
        size_t skip = *s != '#' ? 0 : s[1] == ' ' ? 2 : 1;
        if (n && length) comment[n++] = '\n';
        if (length) memcpy(comment + n, s + skip, length - skip);
        n += length ? length - skip : 0;
        s += length + (s[length] == '\n');
        if (!length && n) break;
    }
    return comment;
}

/* ---- all of it ---- */

/* name: or the file's own, which resolved.yaml then keeps although it stands in a file of another. */
static enum bw_status name_take(struct bw_preset *p, const char *file, const char *usual, struct bw_diag *d)
{
    struct bw_node *name = bw_node_get(p->root, "name");
    const char *dot = strrchr(file, '.');
    if (bw_node_is_null(name)) {
        char *own = usual               ? bw_strdup(usual)
                    : dot && dot > file ? bw_printf("%.*s", (int)(dot - file), file)
                                        : bw_strdup(file);
        name = own ? bw_node_new(BW_NODE_SCALAR, own) : NULL;
        bw_free(own);
        if (!name || bw_node_put(p->root, "name", name)) return bw_error_memory(d);
        if (bw_name_fault(name->text))
            return bw_diag_error(d, &p->root->place, BW_ERR_PRESET,
                                 "the file's name becomes the preset's and its folder's, and it %s: give a `name`",
                                 bw_name_fault(name->text));
    }
    p->name = name->text;
    return bw_name_check(name->text, &name->place, "name", d);
}

static enum bw_status names_take(struct bw_preset *p, const char *path, const char *usual, struct bw_diag *d)
{
    const char *slash = strrchr(path, '/');
    p->path = bw_strdup(path);
    p->dir = !slash ? bw_strdup(".") : slash == path ? bw_strdup("/") : bw_printf("%.*s", (int)(slash - path), path);
    p->comment = comment_read(p->root->place.source);
    return p->path && p->dir && p->comment ? name_take(p, slash ? slash + 1 : path, usual, d) : bw_error_memory(d);
}

/* The camera of all, and each exporter's own. */
static enum bw_status cameras_take(struct bw_preset *p, struct bw_diag *d)
{
    const struct bw_node *list = bw_node_get(p->root, "export");
    enum bw_status status = camera_file_expand(bw_node_get(p->root, "camera"), d);
    for (int32_t i = 0; list && list->type == BW_NODE_SEQ && i < list->count && !status; i++) {
        const struct bw_node *entry = list->child[i], *own = entry->count ? entry->child[0] : NULL;
        if (own && own->type == BW_NODE_MAP) status = camera_file_expand(bw_node_get(own, "camera"), d);
    }
    return status;
}

static enum bw_status sections_read(struct bw_preset *p, const char *path, const struct bw_preset_overrides *o,
                                    struct bw_diag *d)
{
    static const char *const lists[] = {"stages", "export", "look", "camera"};
    struct bw_params_context c = {.owner = "preset", .ignore = lists, .n_ignore = BW_COUNT(lists), .sections = 1};
    struct bw_preset_values v;
    p->values = bw_params_compile(bw_preset_rows, bw_preset_n_rows, sizeof v, p->root, &c, d);
    enum bw_status status = p->values ? bw_params_eval(p->values, 0, 0, &v, d) : d->status;
    if (status) return status;
    p->ambient = v.ambient;
    p->character = v.character;
    p->memory_limit = v.limits.memory;
    p->time_limit = v.limits.time;
    p->checkpoint_every = v.checkpoints.every;
    p->checkpoint_frames = v.checkpoints.frames;
    p->checkpoint_keep = v.checkpoints.keep;
    status = names_take(p, path, o->name, d);
    status = bw_first_error(status, cameras_take(p, d));
    status = bw_first_error(status, bw_preset_read_domains(p, &v, o->coarse > 0 ? o->coarse : 1, d));
    status = bw_first_error(status, bw_preset_read_frames_from(p, &v.frames_from, d));
    status = bw_first_error(status, time_take(p, &v.time, bw_node_get(p->root, "time"), d));
    status = bw_first_error(status, fields_take(p, &v.fields, bw_node_get(p->root, "fields"), d));
    status = bw_first_error(status, bw_preset_check_look_form(p, d));
    return bw_first_error(status, lists_read(p, d));
}

struct bw_preset *bw_preset_load(const char *path, const struct bw_preset_overrides *o, struct bw_diag *d)
{
    static const struct bw_preset_overrides nothing;
    if (!o) o = &nothing;
    struct bw_preset *p = bw_calloc(sizeof *p);
    if (!p) {
        bw_error_memory(d);
        return NULL;
    }
    p->root = bw_preset_read_tree(p, path, o, d);
    if (p->root && o->moved_from) bw_preset_relocate_paths(p->root, o->moved_from, o->moved_to);
    if (p->root && !bw_preset_override(p->root, o, d) && !bw_scale_apply(p->root, &p->scaled, d) &&
        !curve_files_expand(p->root, &p->notes, d) && !sections_read(p, path, o, d))
        return p;
    bw_preset_free(p);
    return NULL;
}

void bw_preset_free(struct bw_preset *p)
{
    if (!p) return;
    for (int32_t i = 0; i < p->n_files; i++) bw_free(p->files[i]);
    bw_free(p->files);
    bw_free(p->field);
    bw_free(p->stage);
    bw_free(p->export);
    bw_params_free(p->values);
    bw_node_free(p->root);
    bw_free(p->path);
    bw_free(p->dir);
    bw_free(p->comment);
    bw_free(p->notes);
    bw_free(p);
}
