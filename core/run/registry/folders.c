// SPDX-License-Identifier: Apache-2.0
/* A registry from folders: all their files looked at and loaded, and what has an id found again. */
#include "registry.h"
#include "base/alloc.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static void broken_add(struct bw_registry *r, const char *path, const struct bw_diag *d)
{
    struct bw_broken *list = bw_realloc(r->broken, (size_t)(r->n_broken + 1) * sizeof *list);
    if (!list) return;
    r->broken = list;
    r->broken[r->n_broken++] = (struct bw_broken){bw_strdup(path), bw_strdup(d->first ? d->first : "out of memory"),
                                                  d->first ? d->status : BW_ERR_MEMORY};
}

static int is_plugin_name(const struct dirent *e)
{
    size_t n = strlen(e->d_name);
    return n > 3 && !strcmp(e->d_name + n - 3, ".so") && e->d_name[0] != '.';
}

/* Paths of files that may be plugins, in the order of folders, then of names. */
struct candidates {
    char **path;
    int32_t n;
};

static bool candidate_add(struct candidates *c, char *path)
{
    char **list = path ? bw_realloc(c->path, (size_t)(c->n + 1) * sizeof *list) : NULL;
    if (list) c->path = list;
    if (list) list[c->n++] = path;
    else bw_free(path);
    return list != NULL;
}

static bool folder_list(struct candidates *c, const char *folder)
{
    struct dirent **list = NULL;
    bool good = true;
    int n = scandir(folder, &list, is_plugin_name, alphasort);
    for (int i = 0; i < n; i++) {
        good &= candidate_add(c, bw_printf("%s/%s", folder, list[i]->d_name));
        free(list[i]);
    }
    free(list);
    return good;
}

static bool folders_list(struct candidates *c, const char *folders)
{
    char *copy = bw_strdup(folders), *save = NULL;
    bool good = copy != NULL;
    for (char *f = copy ? strtok_r(copy, ":", &save) : NULL; f; f = strtok_r(NULL, ":", &save))
        good &= folder_list(c, f);
    bw_free(copy);
    return good;
}

/* `why`, if there is something: it must not be loaded. */
static void candidate_load(struct bw_registry *r, const char *path, const char *why)
{
    struct bw_diag d = {0};
    if (why) bw_diag_error(&d, NULL, BW_ERR_PLUGIN, "%s: %s", path, why);
    if (d.status || bw_registry_load(r, path, &d) != BW_OK) broken_add(r, path, &d);
    bw_diag_free(&d);
}

/* Takes both lists; `why` NULL: a scan has said nothing. `r` NULL: none is loaded. */
static void candidates_load(struct bw_registry *r, struct candidates *c, char **why)
{
    for (int32_t i = 0; i < c->n; i++) {
        if (r) candidate_load(r, c->path[i], why ? why[i] : NULL);
        if (why) bw_free(why[i]);
        bw_free(c->path[i]);
    }
    bw_free(c->path);
    bw_free(why);
}

/* Only what the dynamic linker would map is worth a scan: the rest is refused without. */
static char **candidates_scan(const struct candidates *c, bw_registry_scan_fn scan, void *user)
{
    const size_t room = (size_t)c->n + 1;
    const char **path = bw_calloc(room * sizeof *path);
    int32_t *number = bw_calloc(room * sizeof *number), n = 0;
    char **found = bw_calloc(room * sizeof *found), **why = bw_calloc(room * sizeof *why);
    for (int32_t i = 0; path && number && why && found && i < c->n; i++)
        if (!bw_elf_problem(c->path[i])) path[n] = c->path[i], number[n++] = i;
    if (n) scan(path, n, found, user);
    for (int32_t i = 0; i < n; i++) why[number[i]] = found[i];
    bw_free((void *)path);
    bw_free(number);
    bw_free(found);
    return why;
}

struct bw_registry *bw_registry_open_scanned(const char *folders, bw_registry_scan_fn scan, void *user)
{
    struct bw_registry *r = bw_calloc(sizeof *r);
    struct candidates c = {0};
    char **why = NULL;
    bool good = r && folders_list(&c, folders ? folders : "");
    if (good && scan && c.n) why = candidates_scan(&c, scan, user);
    candidates_load(good ? r : NULL, &c, why);
    if (good) return r;
    bw_registry_close(r);
    return NULL;
}

struct bw_registry *bw_registry_open(const char *folders) { return bw_registry_open_scanned(folders, NULL, NULL); }

static const struct bw_entry *entry_of(const struct bw_registry *r, const char *id, bool exports)
{
    for (int32_t i = 0; i < r->n_entries; i++)
        if (r->entry[i].exports == exports && !strcmp(r->entry[i].id, id)) return &r->entry[i];
    return NULL;
}

const struct bw_entry *bw_registry_stage(const struct bw_registry *r, const char *id) { return entry_of(r, id, false); }

const struct bw_entry *bw_registry_exporter(const struct bw_registry *r, const char *id)
{
    return entry_of(r, id, true);
}

void bw_registry_close(struct bw_registry *r)
{
    if (!r) return;
    for (int32_t i = 0; i < r->n_broken; i++) {
        bw_free(r->broken[i].path);
        bw_free(r->broken[i].why);
    }
    bw_free(r->broken);
    bw_registry_unload(r);
    bw_free(r);
}
