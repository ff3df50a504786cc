// SPDX-License-Identifier: Apache-2.0
/* Plugins that are loaded when something of them is first wanted: to load all takes as long as all else from the start
 * of the program to the first step. What they have stands in a note in their files, which is held against their tables
 * when they are loaded. */
#include "registry.h"
#include "base/alloc.h"
#include <string.h>

/* The next word of a list at `at`, and its length; NULL: no more. */
static const char *word_next(const char *at, size_t *n)
{
    at += strspn(at, " ");
    *n = strcspn(at, " ");
    return *n ? at : NULL;
}

static void late_free(struct bw_late *l)
{
    if (!l) return;
    bw_free(l->path);
    bw_free(l->ids);
    bw_free(l->why);
    bw_free(l);
}

static bool kept(struct bw_registry *r, struct bw_late *l)
{
    struct bw_late **list = bw_realloc(r->late, (size_t)(r->n_late + 1) * sizeof *list);
    if (!list) return false;
    r->late = list;
    list[r->n_late++] = l;
    return true;
}

static bool path_keep(struct bw_registry *r, char *text)
{
    char **list = text ? bw_realloc(r->paths, (size_t)(r->n_paths + 1) * sizeof *list) : NULL;
    if (list) (r->paths = list)[r->n_paths++] = text;
    else bw_free(text);
    return list != NULL;
}

/* Ids stand in the note one after the other: each gets memory of its own. */
static bool entries_add(struct bw_registry *r, struct bw_late *l)
{
    const int32_t before = r->n_entries;
    size_t n = 0;
    for (const char *word = l->ids; (word = word_next(word, &n)); word += n) {
        struct bw_entry e = {.path = l->path, .exports = l->exports, .late = l};
        struct bw_diag d = {0};
        char *id = bw_printf("%.*s", (int)n, word);
        bool good = path_keep(r, id);
        e.id = id;
        good = good && bw_registry_entry(r, e, &d) == BW_OK;
        bw_diag_free(&d);
        if (good) continue;
        r->n_entries = before;
        for (int32_t i = 0; i < before; i++)
            if (r->entry[i].shadows == l->path) r->entry[i].shadows = NULL;
        return false;
    }
    return true;
}

bool bw_late_add(struct bw_registry *r, const char *path)
{
    struct bw_late *l = bw_calloc(sizeof *l);
    if (l) l->ids = bw_elf_contents(path, &l->exports);
    if (l && l->ids) l->path = bw_strdup(path);
    if (!l || !l->path || !kept(r, l)) return late_free(l), false;
    return entries_add(r, l);
}

/* ---- loading ---- */

static bool is_told(const struct bw_late *l, const struct bw_entry *e)
{
    size_t n = 0;
    if (e->exports != l->exports) return false;
    for (const char *word = l->ids; (word = word_next(word, &n)); word += n)
        if (strlen(e->id) == n && !strncmp(word, e->id, n)) return true;
    return false;
}

static bool note_true(const struct bw_late *l, const struct bw_registry *own)
{
    int32_t told = 0;
    size_t n = 0;
    for (const char *word = l->ids; (word = word_next(word, &n)); word += n) told++;
    for (int32_t i = 0; i < own->n_entries; i++)
        if (!is_told(l, &own->entry[i])) return false;
    return told == own->n_entries;
}

/* Those whose id another file had first have no entry. */
static void entries_fill(struct bw_registry *r, const struct bw_late *l, const struct bw_registry *own)
{
    for (int32_t i = 0; i < r->n_entries; i++)
        for (int32_t k = 0; r->entry[i].late == l && k < own->n_entries; k++) {
            if (strcmp(own->entry[k].id, r->entry[i].id) != 0) continue;
            r->entry[i].stage = own->entry[k].stage;
            r->entry[i].exporter = own->entry[k].exporter;
        }
}

/* The file's own registry goes once its handle is `r`'s. */
static bool handle_take(struct bw_registry *r, struct bw_registry *own)
{
    void **list = bw_realloc(r->handles, (size_t)(r->n_handles + own->n_handles) * sizeof *list);
    if (!list) return false;
    r->handles = list;
    for (int32_t i = 0; i < own->n_handles; i++) r->handles[r->n_handles++] = own->handles[i];
    own->n_handles = 0;
    return true;
}

static void late_load(struct bw_registry *r, struct bw_late *l)
{
    struct bw_registry own = {0};
    struct bw_diag d = {0};
    enum bw_status status = bw_registry_load(&own, l->path, &d);
    if (status == BW_OK && !note_true(l, &own))
        status = bw_diag_error(&d, NULL, BW_ERR_PLUGIN, "%s: its note of contents is not what it has", l->path);
    if (status == BW_OK && !handle_take(r, &own)) status = BW_ERR_MEMORY;
    if (status == BW_OK) entries_fill(r, l, &own);
    else l->why = bw_strdup(d.first ? d.first : "out of memory for a plugin");
    l->status = status;
    l->loaded = true;
    bw_diag_free(&d);
    bw_registry_unload(&own);
}

void bw_late_want(const struct bw_registry *r, const struct bw_entry *e)
{
    struct bw_registry *changed = (struct bw_registry *)r; // its files come in, all that was there stays
    if (!e->late) return;
    pthread_mutex_lock(&changed->lock);
    if (!e->late->loaded) late_load(changed, e->late);
    pthread_mutex_unlock(&changed->lock);
}

void bw_late_free(struct bw_registry *r)
{
    for (int32_t i = 0; i < r->n_late; i++) late_free(r->late[i]);
    bw_free(r->late);
}
