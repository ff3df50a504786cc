// SPDX-License-Identifier: Apache-2.0
/* Finds plugins, loads them, checks their tables, and keeps the list of stages and exporters by id. Files that say in a
 * note what they have may be loaded when something of it is first wanted (late.c). */
#ifndef BW_REGISTRY_H
#define BW_REGISTRY_H

#include "base/diag.h"
#include <billow/plugin.h>
#include <pthread.h>
#include <stdbool.h>

/// A stage or exporter that can be used.
struct bw_entry {
    const char *id, *path;             ///< path: of the .so ("built in" for tests)
    bool exports;                      ///< an exporter, else a stage
    const struct bw_stage_desc *stage; ///< one of the two; neither before a late file is loaded
    const struct bw_exporter_desc *exporter;
    const char *shadows;  ///< path of a later plugin with the same id, or NULL
    struct bw_late *late; ///< the file that has it and waits, or has waited; NULL: loaded from the start
};

/// A file that is loaded when it is first wanted.
struct bw_late {
    char *path;
    bool exports; ///< its entries are exporters, else stages
    char *ids;    ///< of all of them, separated by spaces
    bool loaded;
    char *why;             ///< why it cannot be used, one sentence
    enum bw_status status; ///< with that; BW_OK: it can
};

/// A file that could not be used, and why, in one sentence.
struct bw_broken {
    char *path, *why;
    enum bw_status status; ///< BW_ERR_PLUGIN; BW_ERR_MEMORY: there was not enough memory for it
};

struct bw_registry {
    struct bw_entry *entry;
    int32_t n_entries;
    struct bw_broken *broken;
    int32_t n_broken;
    void **handles;
    int32_t n_handles;
    char **paths; ///< of the handles: the entries' own point here
    int32_t n_paths;
    struct bw_late **late;
    int32_t n_late;
    pthread_mutex_t lock; ///< while a late file is loaded
};

/// What looks at files before they are loaded: why[i] becomes new memory, a few words, where path[i] must
/// not be; late[i] true where it may wait until something of it is wanted.
typedef void (*bw_registry_scan_fn)(const char *const *path, int32_t n, char **why, bool *late, void *user);

/* folders.c */
/// Load every *.so of the colon-separated folders, in order; first id wins. Broken ones are noted, never fatal.
/// NULL only when out of memory.
struct bw_registry *bw_registry_open(const char *folders);
/// The same, after a scan of all of them.
struct bw_registry *bw_registry_open_scanned(const char *folders, bw_registry_scan_fn scan, void *user);
/// With its descriptor, from any thread; NULL: there is none, or its file, which has waited, cannot be used.
const struct bw_entry *bw_registry_stage(const struct bw_registry *r, const char *id);
const struct bw_entry *bw_registry_exporter(const struct bw_registry *r, const char *id);
/// Load all that waits, for those who look at every entry. Entries of files that failed have no descriptor.
void bw_registry_whole(const struct bw_registry *r);
void bw_registry_close(struct bw_registry *r);

/* registry.c */
/// Load one file. BW_ERR_PLUGIN with a sentence in `d` when it can't be used.
enum bw_status bw_registry_load(struct bw_registry *r, const char *path, struct bw_diag *d);
/// Add a module that is linked in (tests).
enum bw_status bw_registry_add(struct bw_registry *r, const struct bw_module *m, const char *path, struct bw_diag *d);
enum bw_status bw_registry_entry(struct bw_registry *r, struct bw_entry e, struct bw_diag *d);
/// Its files, and the list of what they have.
void bw_registry_unload(struct bw_registry *r);

/* elf_check.c */
/// What keeps a file from being mapped as a shared library, in a few words, or NULL.
const char *bw_elf_problem(const char *path);
/// The note that a plugin has of its contents (plugins/common/contents.h), new memory, and which kind they are; NULL:
/// it has none.
char *bw_elf_contents(const char *path, bool *exports);

/* late.c */
/// Entries of a file that waits, from its note. False: there is no note, or no memory; it is to be loaded.
bool bw_late_add(struct bw_registry *r, const char *path);
/// Load the entry's file unless that is done; from then on late->status tells.
void bw_late_want(const struct bw_registry *r, const struct bw_entry *e);
void bw_late_free(struct bw_registry *r);

#endif
