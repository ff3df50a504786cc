// SPDX-License-Identifier: Apache-2.0
/* A session: its plugins, and the folders of presets. Immutable once open, except that trusted plugins are loaded on
 * first use, and for what views keep. */
#ifndef SESSION_H
#define SESSION_H

#include "api_guard.h"
#include "preset/preset.h"
#include "run/registry/registry.h"
#include "view/kept_meshes.h"
#include "view/kept_surroundings.h"
#include <jansson.h>

/// Folders, colon-separated, in the order of search.
struct folders {
    char *plugins, *presets; ///< presets: the installed ones, or the source tree's
    char *include;           ///< folder that holds billow/plugin.h
    char *library;           ///< the file of this library
    char *own;               ///< those of `plugins` that were built with this library
    char *probe;             ///< billow-probe, which loads the others first (probe/probe.h)
};

struct session {
    struct object o;
    struct folders folders;
    char *preset_path;
    struct bw_registry *registry;
    struct kept_meshes meshes;       ///< of views of bakes: a bake is begun anew with the same obstacles
    struct kept_surroundings around; ///< of all views
};

/// The session of a handle with a reference, or NULL with an error in `d`.
struct session *session_acquire(struct bw_session *handle, struct bw_diag *d);

/* folders.c */
/// `plugin_path`: before all others, may be NULL. 0: out of memory.
int folders_find(struct folders *f, const char *plugin_path);
void folders_free(struct folders *f);

/* list.c */
/// The preset in a file, without overrides; presets that it extends are searched by name. NULL with an error in `d`.
struct bw_preset *session_preset(const struct session *s, const char *path, struct bw_diag *d);

/* untrusted_plugins.c */
/// For bw_registry_open_scanned: probe the untrusted ones. `folders`: struct folders.
void session_probe_untrusted(const char *const *path, int32_t n, char **why, void *folders);

/* validate.c */
/// Report missing texts and impossible values in its tables.
void entry_validate(const struct bw_entry *e, struct bw_diag *d);

/* machine.c */
/// Memory of the machine (or of the container), bytes.
double machine_memory(void);
/// Bytes free on the disk that holds `path` (or its nearest existing parent); NAN when unknown.
double disk_free(const char *path);
extern const char *const simd_name[3];

/* json.c: what several describe */
/// New memory from a text that jansson made, or NULL with an error in `d`; takes `root`.
char *json_text(json_t *root, size_t flags, struct bw_diag *d);
/// A string that may contain a path; bytes that are no UTF-8 are encoded as bake.h says. NULL for NULL, or out of
/// memory.
json_t *json_bytes(const char *text);
/// Length of the UTF-8 character at `text`; 0: invalid, or one that encodes such a byte.
int utf8_length(const char *text);

#endif
