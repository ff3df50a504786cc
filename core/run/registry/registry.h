// SPDX-License-Identifier: Apache-2.0
/* Finds plugins, loads them, checks their tables, and keeps the list of stages and exporters by id. All are loaded
 * at once: ours take 4 ms together. */
#ifndef BW_REGISTRY_H
#define BW_REGISTRY_H

#include "base/diag.h"
#include <billow/plugin.h>
#include <stdbool.h>

/// A stage or exporter that can be used.
struct bw_entry {
    const char *id, *path;             ///< path: of the .so ("built in" for tests)
    bool exports;                      ///< an exporter, else a stage
    const struct bw_stage_desc *stage; ///< one of the two
    const struct bw_exporter_desc *exporter;
    const char *shadows; ///< path of a later plugin with the same id, or NULL
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
};

/// What looks at files before they are loaded: why[i] becomes new memory, a few words, where path[i] must not be.
typedef void (*bw_registry_scan_fn)(const char *const *path, int32_t n, char **why, void *user);

/* folders.c */
/// Load every *.so of the colon-separated folders, in order; first id wins. Broken ones are noted, never fatal.
/// NULL only when out of memory.
struct bw_registry *bw_registry_open(const char *folders);
/// The same, after a scan of all of them.
struct bw_registry *bw_registry_open_scanned(const char *folders, bw_registry_scan_fn scan, void *user);
/// NULL: there is none.
const struct bw_entry *bw_registry_stage(const struct bw_registry *r, const char *id);
const struct bw_entry *bw_registry_exporter(const struct bw_registry *r, const char *id);
void bw_registry_close(struct bw_registry *r);
/// Does an exporter make pictures, so that `look:` and `camera:` of a preset are its own too?
static inline bool bw_exporter_pictures(const struct bw_exporter_desc *x)
{
    return (x->flags & (BW_EXPORTER_MOVIE | BW_EXPORTER_SLICES | BW_EXPORTER_RENDERS)) != 0;
}

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

#endif
