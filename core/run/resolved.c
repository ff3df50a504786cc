// SPDX-License-Identifier: Apache-2.0
#include "resolved.h"
#include "base/alloc.h"
#include "base/file.h"
#include "run/output/files.h"
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* bw_node_put with NULL would remove the entry: fail instead, for the hash would silently be another. */
static enum bw_status put_made(struct bw_node *map, const char *key, struct bw_node *made)
{
    return made ? bw_node_put(map, key, made) : BW_ERR_MEMORY;
}

/* Reader's keys of the entry itself (id, frames, bind …) come before its parameters. */
static struct bw_node *entry_resolved(const char *type, const char *id, const struct bw_node *node,
                                      const struct bw_params *params)
{
    struct bw_node *outer = bw_node_new(BW_NODE_MAP, NULL), *inner = bw_params_resolved(params);
    struct bw_node *head = bw_node_new(BW_NODE_MAP, NULL);
    if (!outer || !inner || !head) goto fail;
    if (put_made(head, "id", bw_node_new(BW_NODE_SCALAR, id)) != BW_OK) goto fail;
    for (uint32_t i = 0; i < bw_stage_n_rows; i++) { /* an exporter's keys are among them */
        const char *key = bw_stage_rows[i].key;
        const struct bw_node *v = node ? bw_node_get(node, key) : NULL;
        if (!v || !strcmp(key, "id") || !strcmp(key, "before") || !strcmp(key, "after")) continue;
        if (put_made(head, key, bw_node_copy(v)) != BW_OK) goto fail;
    }
    for (int32_t i = 0; i < inner->count; i++)
        if (put_made(head, inner->child[i]->key, bw_node_copy(inner->child[i])) != BW_OK) goto fail;
    bw_node_free(inner);
    inner = NULL;
    if (bw_node_put(outer, type, head) == BW_OK) return outer;
    head = NULL;
fail:
    bw_node_free(outer);
    bw_node_free(inner);
    bw_node_free(head);
    return NULL;
}

/* Numbered files by their whole path, since the folder of resolved.yaml is another; and no word of what frames are
 * written where all are: whether a bake was made in one go or made longer, it says the same. */
static bool sections_resolve(struct bw_node *root, const struct bw_preset *p)
{
    const struct bw_preset_time *t = &p->time;
    struct bw_node *time = bw_node_get(root, "time"), *from = NULL;
    bool all = t->write_first == t->first && t->write_last == t->last;
    if (time && all && bw_node_put(time, "write", NULL) != BW_OK) return false;
    if (time && !time->count && bw_node_put(root, "time", NULL) != BW_OK) return false;
    if (!p->frames_from || p->frames_bake) return true;
    if ((from = bw_node_new(BW_NODE_SCALAR, p->frames_from))) from->quoted = 1;
    return put_made(root, "frames_from", from) == BW_OK;
}

/* Muted exporters do not run, but previews use their values. Errors in muted exporters are ignored: they are left out.
 * */
static bool muted_resolve(struct bw_node *exports, const struct bw_chain *c)
{
    const struct bw_preset *p = c->preset;
    bool good = true;
    for (int32_t i = 0; i < p->n_exports && good; i++) {
        const struct bw_preset_export *x = &p->export[i];
        const struct bw_entry *e = x->enabled ? NULL : bw_registry_exporter(c->registry, x->type);
        struct bw_diag unsaid = {0};
        struct run_log log;
        log_init(&log, NULL, NULL);
        log.diag = &unsaid;
        struct bw_params *params = e ? entry_params(&log, p, e, x->id, x->node) : NULL;
        struct bw_node *muted = params ? entry_resolved(x->type, x->id, x->node, params) : NULL;
        good = params ? muted && bw_node_append(exports, muted) == BW_OK : unsaid.status != BW_ERR_MEMORY;
        bw_params_free(params);
        log_free(&log);
        bw_diag_free(&unsaid);
    }
    return good;
}

/* A shared look's files (a sky's) by their whole path, for the same reason. */
static bool files_resolve(struct bw_node *map)
{
    for (int32_t i = 0; map && map->type != BW_NODE_SCALAR && i < map->count; i++) {
        struct bw_node *n = map->child[i];
        const bool file = map->type == BW_NODE_MAP && n->type == BW_NODE_SCALAR && n->key && !strcmp(n->key, "file");
        char *path = file ? bw_path_absolute(n->text, n->place.file) : NULL;
        struct bw_node *whole = path ? bw_node_new(BW_NODE_SCALAR, path) : NULL;
        bw_free(path);
        if (file && (!whole || bw_node_put(map, "file", whole) != BW_OK)) return false;
        if (!file && !files_resolve(n)) return false;
    }
    return true;
}

/* As it is written: with what is muted, and files' whole paths. Otherwise what the hash is of. */
static struct bw_node *chain_resolved(const struct bw_chain *c, bool written)
{
    struct bw_node *root = bw_node_copy(c->preset->root), *stages = bw_node_new(BW_NODE_SEQ, NULL),
                   *exports = bw_node_new(BW_NODE_SEQ, NULL);
    bool good = root && stages && exports && sections_resolve(root, c->preset);
    for (int32_t i = 0; i < c->stages.n && good; i++) {
        const struct run_stage *s = &c->stages.stage[i];
        if (s->twin) continue;
        struct bw_node *e = entry_resolved(s->preset->type, s->preset->id, s->preset->node, s->params);
        good = e && bw_node_append(stages, e) == BW_OK;
    }
    for (int32_t i = 0; i < c->exporters.n && good; i++) {
        const struct run_exporter *x = &c->exporters.exporter[i];
        struct bw_node *e = entry_resolved(x->preset->type, x->preset->id, x->preset->node, x->params);
        good = e && bw_node_append(exports, e) == BW_OK;
    }
    if (good) {
        bw_node_put(root, "extends", NULL);
        good = bw_node_put(root, "stages", stages) == BW_OK;
        stages = NULL;
    }
    if (good && written) good = files_resolve(bw_node_get(root, "look")) && muted_resolve(exports, c);
    if (good && exports->count) {
        good = bw_node_put(root, "export", exports) == BW_OK;
        exports = NULL;
    }
    bw_node_free(stages);
    bw_node_free(exports);
    if (good) return root;
    bw_node_free(root);
    return NULL;
}

struct bw_node *bw_chain_resolved(const struct bw_chain *c) { return chain_resolved(c, true); }

/* ---- the hash ---- */

static bool part_add(struct bw_chain *c, enum chain_part_kind kind, const char *name, uint64_t hash)
{
    struct chain_part *list = bw_realloc(c->part, (size_t)(c->n_parts + 1) * sizeof *list), *p;
    if (!list) return false;
    c->part = list;
    p = &list[c->n_parts];
    *p = (struct chain_part){.kind = kind, .name = bw_strdup(name)};
    snprintf(p->hash, sizeof p->hash, "%016llx", (unsigned long long)hash);
    c->n_parts += p->name != NULL;
    return p->name != NULL;
}

static void text_hash(XXH3_state_t *h, const char *text) { XXH3_64bits_update(h, text, strlen(text) + 1); }

static bool file_read(XXH3_state_t *h, const char *path)
{
    char buffer[65536];
    const char *why; /* no file: the stage that reads it says so */
    FILE *f = bw_file_open(path, &why);
    for (size_t n; f && (n = fread(buffer, 1, sizeof buffer, f)) > 0;) XXH3_64bits_update(h, buffer, n);
    if (f) fclose(f);
    return f != NULL;
}

/* A project that moves to another folder stays the same: of a file's path the name counts, and what is in the file. */
static bool files_hash(struct bw_chain *c, XXH3_state_t *h, const char *const *path, int64_t n, const char *name)
{
    XXH3_state_t *own = XXH3_createState();
    if (!own) return false;
    XXH3_64bits_reset(own);
    for (int64_t i = 0; i < n; i++) file_read(own, path[i]);
    const uint64_t sum = XXH3_64bits_digest(own);
    XXH3_freeState(own);
    text_hash(h, name);
    XXH3_64bits_update(h, &sum, sizeof sum);
    return part_add(c, CHAIN_INPUT, name, sum);
}

/* Where the text is a file's path, its name alone. */
static void path_shorten(struct bw_node *n, const char *path)
{
    const char *base = file_base(path);
    if (n && n->type == BW_NODE_SCALAR && !strcmp(n->text, path))
        memmove(n->text, n->text + (base - path), strlen(base) + 1);
    for (int32_t i = 0; n && i < n->count; i++) path_shorten(n->child[i], path);
}

static void paths_shorten(struct bw_node *root, const char *list, int32_t i, const struct bw_params *p)
{
    uint32_t n = 0;
    struct bw_node *all = bw_node_get(root, list);
    const char *const *files = bw_params_files(p, &n);
    for (uint32_t k = 0; k < n; k++) path_shorten(all->child[i], files[k]);
}

static bool params_hash(struct bw_chain *c, XXH3_state_t *h, const struct bw_params *p)
{
    uint32_t n = 0;
    bool good = true;
    const char *const *files = bw_params_files(p, &n);
    for (uint32_t i = 0; i < n && good; i++) good = files_hash(c, h, &files[i], 1, file_base(files[i]));
    return good;
}

/* All files that frames come from, as one. */
static bool frames_hash(struct bw_chain *c, XXH3_state_t *h)
{
    const struct bw_preset *p = c->preset;
    char path[4096];
    XXH3_state_t *own = p->frames_from ? XXH3_createState() : NULL;
    if (!own) return !p->frames_from;
    XXH3_64bits_reset(own);
    for (int64_t i = p->files_first; i <= p->files_last; i++) {
        if (bw_preset_frame_path(p, i, path, sizeof path) >= (int)sizeof path) continue;
        text_hash(own, file_base(path));
        file_read(own, path);
    }
    const uint64_t sum = XXH3_64bits_digest(own);
    XXH3_freeState(own);
    XXH3_64bits_update(h, &sum, sizeof sum);
    return part_add(c, CHAIN_INPUT, file_base(p->frames_from), sum);
}

/* Without what no frame depends on: how many there are, which of them are written, limits, checkpoints. */
static struct bw_node *frames_resolved(const struct bw_chain *c)
{
    struct bw_node *root = chain_resolved(c, false), *time = root ? bw_node_get(root, "time") : NULL;
    char first[32];
    snprintf(first, sizeof first, "%lld", (long long)c->preset->time.first);
    bool good = root && bw_node_put(root, "limits", NULL) == BW_OK && bw_node_put(root, "checkpoints", NULL) == BW_OK;
    if (good && !time) good = put_made(root, "time", time = bw_node_new(BW_NODE_MAP, NULL)) == BW_OK;
    if (good) good = put_made(time, "frames", bw_node_new(BW_NODE_SCALAR, first)) == BW_OK;
    if (good) good = bw_node_put(time, "write", NULL) == BW_OK;
    for (int32_t i = 0, k = 0; good && i < c->stages.n; i++)
        if (!c->stages.stage[i].twin) paths_shorten(root, "stages", k++, c->stages.stage[i].params);
    for (int32_t i = 0; good && i < c->exporters.n; i++)
        paths_shorten(root, "export", i, c->exporters.exporter[i].params);
    if (good && c->preset->frames_from) path_shorten(bw_node_get(root, "frames_from"), c->preset->frames_from);
    if (good) return root;
    bw_node_free(root);
    return NULL;
}

static bool node_hash(XXH3_state_t *h, const struct bw_node *n)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (n && f) bw_node_write(n, f);
    bool good = f && !ferror(f);
    if (f) good = !fclose(f) && good;
    if (good && text) XXH3_64bits_update(h, text, size);
    free(text);
    return n && good && text;
}

/* Of an exporter: its values, with what all pictures share, and its files. */
static bool export_hash(struct bw_chain *c, XXH3_state_t *h, const struct bw_node *entry, int32_t i)
{
    const struct run_exporter *x = &c->exporters.exporter[i];
    XXH3_64bits_reset(h);
    return node_hash(h, entry) && params_hash(c, h, x->params) &&
           part_add(c, CHAIN_EXPORT, x->pub.id, XXH3_64bits_digest(h));
}

/* What the flow is made of: all but exporters, and what these alone read. */
static bool core_hash(struct bw_chain *c, XXH3_state_t *h, struct bw_node *root)
{
    static const char *const shown[] = {"export", "look", "camera"};
    bool good = true;
    for (uint32_t i = 0; i < BW_COUNT(shown) && good; i++)
        if (bw_node_get(root, shown[i])) good = bw_node_put(root, shown[i], NULL) == BW_OK;
    XXH3_64bits_reset(h);
    good = good && node_hash(h, root);
    for (int32_t i = 0; i < c->stages.n && good; i++)
        if (!c->stages.stage[i].twin) good = params_hash(c, h, c->stages.stage[i].params);
    good = good && frames_hash(c, h) && part_add(c, CHAIN_CORE, "", XXH3_64bits_digest(h));
    if (good) memcpy(c->flow, c->part[c->n_parts - 1].hash, sizeof c->flow);
    return good;
}

enum bw_status resolved_hash(struct bw_chain *c)
{
    struct bw_node *root = frames_resolved(c), *exports = root ? bw_node_get(root, "export") : NULL;
    XXH3_state_t *h = XXH3_createState();
    bool good = root && h;
    for (int32_t i = 0; i < c->exporters.n && good; i++) good = export_hash(c, h, exports->child[i], i);
    good = good && core_hash(c, h, root);
    if (good) {
        XXH3_64bits_reset(h);
        for (int32_t i = 0; i < c->n_parts; i++)
            if (c->part[i].kind != CHAIN_INPUT) text_hash(h, c->part[i].name), text_hash(h, c->part[i].hash);
        snprintf(c->hash, sizeof c->hash, "%016llx", (unsigned long long)XXH3_64bits_digest(h));
    }
    XXH3_freeState(h);
    bw_node_free(root);
    return good ? BW_OK : BW_ERR_MEMORY;
}

const char *bw_chain_hash(const struct bw_chain *c) { return c->hash; }

void bw_chain_parts(const struct bw_chain *c, void (*part)(const struct chain_part *p, void *user), void *user)
{
    for (int32_t i = 0; i < c->n_parts; i++) part(&c->part[i], user);
}
