// SPDX-License-Identifier: Apache-2.0
/* Command-line overrides: --set PATH=VALUE, --mute, --seed, --memory, --frames. They are applied to the tree before it
 * is checked, so that errors get the same messages and resolved.yaml the same form. */
#include "preset_private.h"

#include "base/alloc.h"
#include "preset/values/params.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IDS_MAX = 256, DEPTH_MAX = 48 };

/* One `--set`: its text as a document of one line, so that the caret can stand below the part that is wrong. */
struct setting {
    struct bw_diag *diag;
    struct bw_document *document;
    const char *value; ///< in the document's text, behind the '='
};

static struct bw_place setting_place(const struct setting *s, const char *at)
{
    struct bw_place p = {s->document->name, 1, (int32_t)(at - s->document->text) + 1, s->document->text};
    return p;
}

static void node_rehome(struct bw_node *n, const struct setting *s)
{
    bw_node_adopt(n, s->document);
    struct bw_place *places[] = {&n->place, &n->key_place};
    for (int i = 0; i < 2; i++) {
        if (!places[i]->file) continue;
        *places[i] = setting_place(s, s->value + (places[i]->line > 1 ? 0 : places[i]->column - 1));
    }
    for (int32_t i = 0; i < n->count; i++) node_rehome(n->child[i], s);
}

/* YAML, but "#ff8000" is a colour here and no comment, and nothing is null. */
static struct bw_node *setting_value(const struct setting *s)
{
    const char *text = s->value + strspn(s->value, " ");
    struct bw_node *n = *text && *text != '#' ? bw_node_parse(s->value, s->document->name, s->diag)
                                              : bw_node_new(BW_NODE_SCALAR, *text ? text : "null");
    if (n) {
        if (!n->place.file) n->place = (struct bw_place){s->document->name, 1, 1, NULL};
        node_rehome(n, s);
    } else if (!s->diag->status) {
        bw_error_memory(s->diag);
    }
    return n;
}

static enum bw_status setting_error(const struct setting *s, const char *at, const char *sentence)
{
    struct bw_place place = setting_place(s, at);
    return bw_diag_error(s->diag, &place, BW_ERR_PRESET, "%s", sentence);
}

static struct bw_node *map_child(const struct setting *s, struct bw_node *map, const char *key, const char *at)
{
    struct bw_node *n = bw_node_get(map, key);
    if (n && n->type != BW_NODE_SCALAR) return n;
    n = bw_node_new(BW_NODE_MAP, NULL); /* what was a plain value gives way */
    if (!n) return NULL;
    n->place = setting_place(s, at);
    bw_node_adopt(n, s->document);
    return bw_node_put(map, key, n) ? NULL : n;
}

static struct bw_node *seq_child(struct bw_node *seq, const char *key, int32_t *index)
{
    char *end;
    long i = strtol(key, &end, 10);
    if (!*key || *end || i < 0 || i >= seq->count) return NULL;
    *index = (int32_t)i;
    return seq->child[i];
}

static enum bw_status seq_put(const struct setting *s, struct bw_node *seq, const char *key, const char *at)
{
    int32_t index;
    if (!seq_child(seq, key, &index)) return setting_error(s, at, "there is no such entry in that list");
    struct bw_node *n = setting_value(s);
    if (!n) return BW_ERR_PRESET;
    bw_node_free(seq->child[index]);
    seq->child[index] = n;
    return BW_OK;
}

static enum bw_status map_put(const struct setting *s, struct bw_node *map, const char *key, const char *at)
{
    struct bw_node *n = setting_value(s);
    if (!n) return BW_ERR_PRESET;
    n->key = bw_strdup(key);
    n->key_place = setting_place(s, at);
    if (n->key) return bw_node_put(map, key, n) ? bw_error_memory(s->diag) : BW_OK;
    bw_node_free(n);
    return bw_error_memory(s->diag);
}

/* Down the dotted path from `n`; `path` is a copy of the text that begins at `at`. */
static enum bw_status path_set(const struct setting *s, struct bw_node *n, char *path, const char *at)
{
    for (int depth = 0;; depth++) {
        char *dot = strchr(path, '.');
        if (depth == DEPTH_MAX) return setting_error(s, at, "nested too deeply");
        if (dot) *dot = '\0';
        if (!*path) return setting_error(s, at, "a key is empty: it has to be PATH.KEY=VALUE");
        if (!dot) return n->type == BW_NODE_SEQ ? seq_put(s, n, path, at) : map_put(s, n, path, at);
        int32_t index;
        struct bw_node *next = n->type == BW_NODE_SEQ ? seq_child(n, path, &index) : map_child(s, n, path, at);
        if (!next && n->type == BW_NODE_MAP) return bw_error_memory(s->diag);
        if (!next || next->type == BW_NODE_SCALAR) return setting_error(s, at, "there is no such entry in that list");
        n = next;
        at += dot - path + 1;
        path = dot + 1;
    }
}

static const char *entry_id(const struct bw_node *entry)
{
    const struct bw_node *id = bw_node_get(entry->child[0], "id");
    return id && id->type == BW_NODE_SCALAR ? id->text : NULL;
}

/* For "did you mean"; beyond the first few hundred nothing is suggested. */
static uint32_t ids_list(const struct bw_node *list, const char **ids)
{
    uint32_t n = 0;
    for (int32_t i = 0; list && i < list->count && n < IDS_MAX; i++) {
        ids[n] = entry_id(list->child[i]);
        n += ids[n] != NULL;
    }
    return n;
}

static enum bw_status id_unknown(struct bw_diag *d, const struct bw_place *place, const char *id, const char **ids,
                                 uint32_t n)
{
    const char *near = bw_did_you_mean(id, ids, n);
    return bw_diag_error(
        d, place, BW_ERR_PRESET,
        near ? "nothing here has the id \"%s\"; did you mean \"%s\"?" : "nothing here has the id \"%s\"", id, near);
}

/* stages.ID.KEY: ids hold dots, so the longest id that fits is meant. */
static enum bw_status entry_set(const struct setting *s, struct bw_node *list, char *path, const char *at)
{
    const char *ids[IDS_MAX], *best = NULL;
    for (int32_t i = 0; list && i < list->count; i++) {
        const char *id = entry_id(list->child[i]);
        size_t length = id ? strlen(id) : 0;
        if (!id || strncmp(path, id, length) != 0 || (path[length] && path[length] != '.')) continue;
        if (!best || length > strlen(best)) best = id;
    }
    struct bw_place place = setting_place(s, at);
    if (!best) {
        char *last = strrchr(path, '.'); /* to name the id alone, guess that the key has no dot */
        if (last) *last = '\0';
        return id_unknown(s->diag, &place, path, ids, ids_list(list, ids));
    }
    size_t length = strlen(best);
    if (!path[length]) return setting_error(s, at, "what of it? it has to be ID.KEY=VALUE");
    return path_set(s, bw_preset_entry(list, best)->child[0], path + length + 1, at + length + 1);
}

/* "stages." and the like → the list's key, or NULL. */
static const char *list_of(const char *path, size_t *length)
{
    static const char *const prefixes[] = {"stages.", "export.", "exports."};
    for (int i = 0; i < 3; i++) {
        *length = strlen(prefixes[i]);
        if (!strncmp(path, prefixes[i], *length)) return i ? "export" : "stages";
    }
    return NULL;
}

static enum bw_status setting_apply(const struct setting *s, struct bw_node *root, char *path)
{
    size_t length;
    const char *list = list_of(path, &length);
    if (list) return entry_set(s, bw_node_get(root, list), path + length, s->document->text + length);
    enum bw_status status = path_set(s, root, path, s->document->text);
    if (status || (strcmp(path, "stages") != 0 && strcmp(path, "export") != 0)) return status;
    return bw_preset_assign_ids(bw_node_get(root, path), s->diag);
}

static enum bw_status set_apply(struct bw_node *root, const char *text, struct bw_diag *d)
{
    struct setting s = {.diag = d, .document = bw_document_new("--set", text)};
    char *path = bw_strdup(text);
    enum bw_status status = BW_OK;
    if (!s.document || !path) {
        status = bw_error_memory(d);
    } else {
        char *equals = strchr(path, '=');
        if (!equals || equals == path) {
            status = setting_error(&s, s.document->text, "it has to be PATH.KEY=VALUE");
        } else {
            *equals = '\0';
            s.value = s.document->text + (equals - path) + 1;
            status = setting_apply(&s, root, path);
        }
    }
    bw_free(path);
    bw_document_release(s.document);
    return status;
}

/* The key of a table that a text speaks of begins at the answer; NULL after a sentence. */
static const char *said_key(const struct setting *s, const struct bw_param *rows, uint32_t n)
{
    const char *text = s->document->text, *key = text, *words[IDS_MAX];
    uint32_t n_words = 0;
    if (!strncmp(text, "look.", 5)) key = text + 5;
    else if (strncmp(text, "camera.", 7) != 0) {
        setting_error(s, text, "it has to be look.KEY=VALUE or camera.KEY=VALUE");
        return NULL;
    }
    const size_t length = strcspn(key, ".=");
    for (uint32_t i = 0; i < n && n_words < IDS_MAX; i++) {
        if (!rows[i].key) continue;
        if (strlen(rows[i].key) == length && !strncmp(rows[i].key, key, length)) return key;
        words[n_words++] = rows[i].key;
    }
    char *word = bw_printf("%.*s", (int)length, key);
    const char *near = word ? bw_did_you_mean(word, words, n_words) : NULL;
    const struct bw_place place = setting_place(s, key);
    bw_diag_error(s->diag, &place, BW_ERR_PRESET,
                  near ? "look: unknown key \"%s\"; did you mean \"%s\"?" : "look: unknown key \"%s\"",
                  word ? word : "", near);
    bw_free(word);
    return NULL;
}

enum bw_status bw_preset_override_look(struct bw_node *map, const char *text, const struct bw_param *rows, uint32_t n,
                                       struct bw_diag *d)
{
    struct setting s = {.diag = d, .document = bw_document_new("--set", text)};
    const char *equals = strchr(text, '='), *key = NULL;
    if (!s.document) bw_error_memory(d);
    else if (!equals) setting_error(&s, s.document->text, "it has to be look.KEY=VALUE or camera.KEY=VALUE");
    else key = said_key(&s, rows, n);
    char *path = key ? bw_strdup(key) : NULL;
    if (path) {
        *strchr(path, '=') = '\0';
        s.value = s.document->text + (equals - text) + 1;
        path_set(&s, map, path, key);
    } else if (key) {
        bw_error_memory(d);
    }
    bw_free(path);
    bw_document_release(s.document);
    return d->status;
}

static enum bw_status mute_apply(struct bw_node *root, const char *id, struct bw_diag *d)
{
    static const char *const lists[] = {"stages", "export"};
    const char *ids[2 * IDS_MAX];
    uint32_t n = 0;
    struct bw_place place = {"--mute", 0, 0, NULL};
    for (int l = 0; l < 2; l++) {
        const struct bw_node *list = bw_node_get(root, lists[l]);
        n += ids_list(list, ids + n);
        struct bw_node *entry = bw_preset_entry(list, id), *off = entry ? bw_node_new(BW_NODE_SCALAR, "false") : NULL;
        if (!entry) continue;
        return !off || bw_node_put(entry->child[0], "enabled", off) ? bw_error_memory(d) : BW_OK;
    }
    return id_unknown(d, &place, id, ids, n);
}

/* section.key = text, as option `option` asks. */
static enum bw_status section_put(struct bw_node *root, const char *section, const char *key, const char *text,
                                  const char *option, struct bw_diag *d)
{
    struct bw_node *map = bw_node_get(root, section);
    if (!map || map->type != BW_NODE_MAP) {
        map = bw_node_new(BW_NODE_MAP, NULL);
        if (!map || bw_node_put(root, section, map)) return bw_error_memory(d);
    }
    struct bw_document *document = bw_document_new(option, text);
    struct bw_node *n = document ? bw_node_new(BW_NODE_SCALAR, text) : NULL;
    if (n) {
        n->place = (struct bw_place){document->name, 1, 1, document->text};
        bw_node_adopt(n, document);
    }
    bw_document_release(document);
    return !n || bw_node_put(map, key, n) ? bw_error_memory(d) : BW_OK;
}

enum bw_status bw_preset_override(struct bw_node *root, const struct bw_preset_overrides *o, struct bw_diag *d)
{
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < o->n_set && !status; i++) status = set_apply(root, o->set[i], d);
    for (int32_t i = 0; i < o->n_mute && !status; i++) status = mute_apply(root, o->mute[i], d);
    if (!status && o->has_seed) {
        char seed[32];
        snprintf(seed, sizeof seed, "%llu", (unsigned long long)o->seed);
        status = section_put(root, "time", "seed", seed, "--seed", d);
    }
    if (!status && o->memory) status = section_put(root, "limits", "memory", o->memory, "--memory", d);
    if (!status && o->frames) status = section_put(root, "time", "write", o->frames, "--frames", d);
    return status;
}
