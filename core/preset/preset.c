// SPDX-License-Identifier: Apache-2.0
/* From the merged tree to the struct: time, limits, fields, stages and exports. What only the chain can judge (does
 * the stage exist, do the fields connect) is left to it; a stage's own options stay in its node. */
#include "preset_private.h"

#include "base/alloc.h"
#include "preset/values/params.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME_MAX = 1000000000, SUBSTEPS_MAX = 100000 };

const char *const bw_preset_stage_keys[] = {"id", "enabled", "frames", "domain", "bind", "before", "after"};
const uint32_t bw_preset_n_stage_keys = 7;

static const char *const root_keys[] = {"billow", "name",    "extends", "domain", "domains", "time",
                                        "limits", "ambient", "fields",  "stages", "export",  "frames_from"};
static const char *const time_keys[] = {"fps", "frames", "warmup", "substeps", "dt", "cfl", "seed", "write"};

static enum bw_status positive(const struct bw_node *n, const char *what, double x, struct bw_diag *d)
{
    if (x > 0 || bw_node_is_null(n)) return BW_OK;
    return bw_diag_error(d, &n->place, BW_ERR_PRESET, "%s has to be more than 0, it is %.6g", what, x);
}

static enum bw_status positive_read(const struct bw_node *map, const char *key, const char *unit, double *value,
                                    struct bw_diag *d)
{
    const struct bw_node *n = bw_node_get(map, key);
    enum bw_status status = bw_read_number(n, key, unit, value, d);
    return status ? status : positive(n, key, *value, d);
}

static enum bw_status frames_read(const struct bw_node *n, int64_t *first, int64_t *last, struct bw_diag *d)
{
    if (bw_node_is_null(n)) return BW_OK;
    if (n->type == BW_NODE_SCALAR && !bw_parse_frames(n->text, first, last) && *first >= -FRAME_MAX &&
        *last <= FRAME_MAX) {
        return BW_OK;
    }
    return bw_diag_error(d, &n->place, BW_ERR_PRESET, "frames have to be FIRST-LAST, like 1-100");
}

/* auto, a number, or [least, most]. */
static enum bw_status substeps_read(struct bw_preset_time *t, const struct bw_node *n, struct bw_diag *d)
{
    if (bw_node_is_null(n) || (n->type == BW_NODE_SCALAR && !strcmp(n->text, "auto"))) return BW_OK;
    int64_t low = 0, high = 0;
    enum bw_status status;
    if (n->type == BW_NODE_SEQ && n->count == 2) {
        status = bw_first(bw_read_whole(n->child[0], "substeps", 1, SUBSTEPS_MAX, &low, d),
                          bw_read_whole(n->child[1], "substeps", 1, SUBSTEPS_MAX, &high, d));
    } else {
        status = bw_read_whole(n, "substeps (auto, a number, or [least, most])", 1, SUBSTEPS_MAX, &low, d);
        high = low;
    }
    if (status) return status;
    if (low < 1 || high < low) {
        return bw_diag_error(d, &n->place, BW_ERR_PRESET, "substeps have to be [least, most] with least first");
    }
    t->substeps_min = (int32_t)low;
    t->substeps_max = (int32_t)high;
    return BW_OK;
}

/* A double would lose digits of a seed. */
static enum bw_status seed_read(const struct bw_node *n, uint64_t *seed, struct bw_diag *d)
{
    if (bw_node_is_null(n)) return BW_OK;
    if (n->type == BW_NODE_SCALAR && n->text[0] && strlen(n->text) < 20 && !n->text[strspn(n->text, "0123456789")]) {
        *seed = strtoull(n->text, NULL, 10);
        return BW_OK;
    }
    return bw_diag_error(d, &n->place, BW_ERR_PRESET,
                         "seed has to be a whole number of at most 19 digits, not negative");
}

/* The frames that are written may end later than the preset says, but can't begin earlier than the run. */
static enum bw_status write_read(struct bw_preset_time *t, const struct bw_node *n, struct bw_diag *d)
{
    t->write_first = t->first;
    t->write_last = t->last;
    enum bw_status status = frames_read(n, &t->write_first, &t->write_last, d);
    if (status || t->write_first >= t->first) return status;
    return bw_diag_error(d, &n->place, BW_ERR_PRESET, "frame %lld lies before the run's first frame, %lld",
                         (long long)t->write_first, (long long)t->first);
}

/* Frames that come from files are one step each, unless the preset asks for substeps or a step. */
static void one_step(struct bw_preset_time *t, const struct bw_node *map)
{
    if (bw_node_is_null(bw_node_get(map, "substeps")) && !(t->dt > 0)) t->dt = 1 / t->fps;
}

static enum bw_status time_read(struct bw_preset *p, const struct bw_node *map, struct bw_diag *d)
{
    struct bw_preset_time *t = &p->time;
    *t = (struct bw_preset_time){.fps = 24, .first = 1, .last = 100, .substeps_min = 1, .substeps_max = 64, .cfl = 3};
    if (p->frames_from) t->first = p->files_first, t->last = p->files_last;
    t->write_first = t->first;
    t->write_last = t->last;
    enum bw_status status = bw_read_map(&map, "time", d);
    if (!status && !map && p->frames_from) t->dt = 1 / t->fps;
    if (status || !map) return status;
    status = bw_read_words(map, time_keys, 8, "time", d);
    status = bw_first(status, positive_read(map, "fps", NULL, &t->fps, d));
    status = bw_first(status, positive_read(map, "cfl", NULL, &t->cfl, d));
    status = bw_first(status, positive_read(map, "dt", "s", &t->dt, d));
    status = bw_first(status, frames_read(bw_node_get(map, "frames"), &t->first, &t->last, d));
    status = bw_first(status, write_read(t, bw_node_get(map, "write"), d));
    status = bw_first(status, bw_read_whole(bw_node_get(map, "warmup"), "warmup", 0, FRAME_MAX, &t->warmup, d));
    status = bw_first(status, substeps_read(t, bw_node_get(map, "substeps"), d));
    status = bw_first(status, seed_read(bw_node_get(map, "seed"), &t->seed, d));
    const struct bw_node *substeps = bw_node_get(map, "substeps");
    int automatic = bw_node_is_null(substeps) || (substeps->text && !strcmp(substeps->text, "auto"));
    if (!status && t->dt > 0 && !automatic) {
        return bw_diag_error(d, &bw_node_get(map, "dt")->key_place, BW_ERR_PRESET, "substeps or dt, not both");
    }
    if (p->frames_from) one_step(t, map);
    return status;
}

static enum bw_status limits_read(struct bw_preset *p, const struct bw_node *map, struct bw_diag *d)
{
    static const char *const keys[] = {"memory", "time"};
    enum bw_status status = bw_read_map(&map, "limits", d);
    if (status || !map) return status;
    status = bw_first(bw_read_words(map, keys, 2, "limits", d), positive_read(map, "time", "s", &p->time_limit, d));
    const struct bw_node *n = bw_node_get(map, "memory");
    if (bw_node_is_null(n)) return status;
    if (n->type == BW_NODE_SCALAR && !bw_parse_bytes(n->text, &p->memory_limit) && p->memory_limit > 0) return status;
    return bw_first(status, bw_diag_error(d, &n->place, BW_ERR_PRESET, "memory has to be an amount like \"12 GiB\""));
}

static enum bw_status background_read(struct bw_preset_field *f, const struct bw_node *n, struct bw_diag *d)
{
    if (bw_node_is_null(n)) return BW_OK;
    f->has_background = 1;
    if (n->type == BW_NODE_SEQ) return bw_read_numbers(n, "background", NULL, 3, f->background, d);
    enum bw_status status = bw_read_number(n, "background", NULL, &f->background[0], d);
    f->background[1] = f->background[2] = f->background[0];
    return status;
}

static enum bw_status alive_read(struct bw_preset_field *f, const struct bw_node *n, struct bw_diag *d)
{
    double alive = 0;
    if (bw_node_is_null(n)) return BW_OK;
    enum bw_status status = bw_read_number(n, "alive", NULL, &alive, d);
    if (!status && alive < 0) status = bw_diag_error(d, &n->place, BW_ERR_PRESET, "alive can't be negative");
    f->alive = alive;
    return status;
}

static enum bw_status field_read(struct bw_preset_field *f, const struct bw_node *n, struct bw_diag *d)
{
    static const char *const keys[] = {"kind", "precision", "advect", "background", "alive"};
    static const char *const kinds[] = {"scalar", "vector", "mac", "particles"};
    static const char *const precisions[] = {"f32", "f64"};
    *f = (struct bw_preset_field){.kind = -1, .precision = -1, .advect = -1, .alive = -1, .place = n->key_place};
    f->name = bw_strdup(n->key);
    if (!f->name) return bw_read_memory(d);
    enum bw_status status = bw_read_map(&n, "a field", d);
    if (status || !n) return status;
    status = bw_read_words(n, keys, 5, "a field", d);
    status = bw_first(status, bw_read_choice(bw_node_get(n, "kind"), "kind", kinds, 4, &f->kind, d));
    status =
        bw_first(status, bw_read_choice(bw_node_get(n, "precision"), "precision", precisions, 2, &f->precision, d));
    status = bw_first(status, bw_read_bool(bw_node_get(n, "advect"), "advect", &f->advect, d));
    status = bw_first(status, background_read(f, bw_node_get(n, "background"), d));
    return bw_first(status, alive_read(f, bw_node_get(n, "alive"), d));
}

static enum bw_status fields_read(struct bw_preset *p, const struct bw_node *map, struct bw_diag *d)
{
    enum bw_status status = bw_read_map(&map, "fields", d);
    if (status || !map || !map->count) return status;
    p->field = bw_calloc((size_t)map->count * sizeof *p->field);
    if (!p->field) return bw_read_memory(d);
    for (int32_t i = 0; i < map->count; i++) {
        status = bw_first(status, field_read(&p->field[p->n_fields++], map->child[i], d));
    }
    return status;
}

/* A new copy of the domain's name that `n` gives, in *name; NULL for none. */
static enum bw_status domain_name_read(const struct bw_preset *p, const struct bw_node *n, char **name,
                                       struct bw_diag *d)
{
    const char *names[BW_MAX_DOMAINS];
    if (bw_node_is_null(n)) return BW_OK;
    int32_t index;
    for (int32_t i = 0; i < p->n_domains; i++) names[i] = p->domain[i].name;
    enum bw_status status = bw_read_choice(n, "domain", names, (uint32_t)p->n_domains, &index, d);
    if (status) return status;
    *name = bw_strdup(n->text);
    return *name ? BW_OK : bw_read_memory(d);
}

static enum bw_status bind_read(struct bw_preset_stage *s, const struct bw_node *n, struct bw_diag *d)
{
    enum bw_status status = bw_read_map(&n, "bind", d);
    for (int32_t i = 0; n && !status && i < n->count; i++) status = bw_read_word(n->child[i], n->child[i]->key, d);
    s->bind = status ? NULL : n;
    return status;
}

static enum bw_status stage_read(struct bw_preset *p, struct bw_preset_stage *s, struct bw_node *inner,
                                 struct bw_diag *d)
{
    *s = (struct bw_preset_stage){.enabled = 1, .frame_first = INT64_MIN, .frame_last = INT64_MAX, .node = inner};
    s->place = inner->key_place;
    s->type = bw_strdup(inner->key);
    s->id = bw_strdup(bw_node_get(inner, "id")->text);
    if (!s->type || !s->id) return bw_read_memory(d);
    enum bw_status status = bw_read_bool(bw_node_get(inner, "enabled"), "enabled", &s->enabled, d);
    status = bw_first(status, frames_read(bw_node_get(inner, "frames"), &s->frame_first, &s->frame_last, d));
    status = bw_first(status, domain_name_read(p, bw_node_get(inner, "domain"), &s->domain, d));
    return bw_first(status, bind_read(s, bw_node_get(inner, "bind"), d));
}

static enum bw_status export_read(struct bw_preset *p, struct bw_preset_export *e, struct bw_node *inner,
                                  struct bw_diag *d)
{
    *e = (struct bw_preset_export){.enabled = 1, .node = inner, .place = inner->key_place};
    e->type = bw_strdup(inner->key);
    e->id = bw_strdup(bw_node_get(inner, "id")->text);
    if (!e->type || !e->id) return bw_read_memory(d);
    return bw_first(bw_read_bool(bw_node_get(inner, "enabled"), "enabled", &e->enabled, d),
                    domain_name_read(p, bw_node_get(inner, "domain"), &e->domain, d));
}

/* Ids were given when the files were merged; --set may have spoiled one since. */
static enum bw_status lists_read(struct bw_preset *p, struct bw_diag *d)
{
    struct bw_node *stages = bw_node_get(p->root, "stages"), *exports = bw_node_get(p->root, "export");
    enum bw_status status = bw_first(bw_preset_assign_ids(stages, d), bw_preset_assign_ids(exports, d));
    if (!status) status = bw_first(bw_preset_place(stages, d), bw_preset_place(exports, d));
    if (status) return status;
    int32_t n_stages = bw_node_is_null(stages) ? 0 : stages->count,
            n_exports = bw_node_is_null(exports) ? 0 : exports->count;
    p->stage = bw_calloc((size_t)n_stages * sizeof *p->stage);
    p->export = bw_calloc((size_t)n_exports * sizeof *p->export);
    if (!p->stage || !p->export) return bw_read_memory(d);
    for (int32_t i = 0; i < n_stages; i++) {
        status = bw_first(status, stage_read(p, &p->stage[p->n_stages++], stages->child[i]->child[0], d));
    }
    for (int32_t i = 0; i < n_exports; i++) {
        status = bw_first(status, export_read(p, &p->export[p->n_exports++], exports -> child[i] -> child[0], d));
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

/* resolved.yaml keeps the name although it stands in a file of another. */
static enum bw_status name_note(struct bw_preset *p, struct bw_diag *d)
{
    if (!bw_node_is_null(bw_node_get(p->root, "name"))) return BW_OK;
    struct bw_node *n = bw_node_new(BW_NODE_SCALAR, p->name);
    return !n || bw_node_put(p->root, "name", n) ? bw_read_memory(d) : BW_OK;
}

/* name: or the file's own name; the folder; the opening comment. */
static enum bw_status names_read(struct bw_preset *p, const char *path, struct bw_diag *d)
{
    const struct bw_node *name = bw_node_get(p->root, "name");
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path, *dot = strrchr(file, '.');
    if (!bw_node_is_null(name)) {
        enum bw_status status = bw_read_word(name, "name", d);
        if (status) return status;
        if (strpbrk(name->text, "/\\") || name->text[0] == '.') {
            return bw_diag_error(d, &name->place, BW_ERR_PRESET,
                                 "name becomes a folder's name: no slashes, no leading dot");
        }
    }
    p->name = !bw_node_is_null(name) ? bw_strdup(name->text)
              : dot && dot > file    ? bw_printf("%.*s", (int)(dot - file), file)
                                     : bw_strdup(file);
    p->path = bw_strdup(path);
    p->dir = !slash ? bw_strdup(".") : slash == path ? bw_strdup("/") : bw_printf("%.*s", (int)(slash - path), path);
    p->comment = comment_read(p->root->place.source);
    return p->name && p->path && p->dir && p->comment ? name_note(p, d) : bw_read_memory(d);
}

static enum bw_status sections_read(struct bw_preset *p, const struct bw_preset_overrides *o, struct bw_diag *d)
{
    struct bw_node *root = p->root;
    const struct bw_node *ambient = bw_node_get(root, "ambient");
    enum bw_status status = bw_read_words(root, root_keys, BW_COUNT(root_keys), "a preset", d);
    if (!bw_node_get(root, "billow")) {
        status = bw_first(status, bw_diag_error(d, &root->place, BW_ERR_PRESET, "a preset has to say \"billow: 1\""));
    } else if (strcmp(bw_node_get(root, "billow")->text ? bw_node_get(root, "billow")->text : "", "1") != 0) {
        status = bw_first(status, bw_diag_error(d, &bw_node_get(root, "billow")->place, BW_ERR_PRESET,
                                                "this Billow reads presets of version 1 only"));
    }
    p->ambient = 293.15;
    status = bw_first(status, bw_read_number(ambient, "ambient", "K", &p->ambient, d));
    status = bw_first(status, positive(ambient, "ambient", p->ambient, d));
    status = bw_first(status, bw_preset_read_domains(p, o->quick, d));
    status = bw_first(status, bw_preset_read_frames_from(p, d));
    status = bw_first(status, time_read(p, bw_node_get(root, "time"), d));
    status = bw_first(status, limits_read(p, bw_node_get(root, "limits"), d));
    status = bw_first(status, fields_read(p, bw_node_get(root, "fields"), d));
    return bw_first(status, lists_read(p, d));
}

struct bw_preset *bw_preset_load(const char *path, const struct bw_preset_overrides *o, struct bw_diag *d)
{
    static const struct bw_preset_overrides nothing;
    if (!o) o = &nothing;
    struct bw_preset *p = bw_calloc(sizeof *p);
    if (!p) {
        bw_read_memory(d);
        return NULL;
    }
    p->root = bw_preset_read_tree(p, path, o->text, d);
    if (p->root && !bw_preset_override(p->root, o, d) && !names_read(p, path, d) && !sections_read(p, o, d)) return p;
    bw_preset_free(p);
    return NULL;
}

void bw_preset_free(struct bw_preset *p)
{
    if (!p) return;
    for (int32_t i = 0; i < p->n_domains; i++) bw_free(p->domain[i].name);
    for (int32_t i = 0; i < p->n_fields; i++) bw_free(p->field[i].name);
    for (int32_t i = 0; i < p->n_stages; i++) {
        bw_free(p->stage[i].type);
        bw_free(p->stage[i].id);
        bw_free(p->stage[i].domain);
    }
    for (int32_t i = 0; i < p->n_exports; i++) {
        bw_free(p->export[i].type);
        bw_free(p->export[i].id);
        bw_free(p->export[i].domain);
    }
    for (int32_t i = 0; i < p->n_files; i++) bw_free(p->files[i]);
    bw_free(p->files);
    bw_free(p->field);
    bw_free(p->stage);
    bw_free(p->export);
    bw_node_free(p->root);
    bw_free(p->name);
    bw_free(p->path);
    bw_free(p->dir);
    bw_free(p->comment);
    bw_free(p->frames_from);
    bw_free(p->frames_bake);
    bw_free(p);
}
