// SPDX-License-Identifier: Apache-2.0
/* Values by key, in memory: what stages and exporters hand over for a checkpoint, and get back from one. */
#ifndef ARCHIVE_H
#define ARCHIVE_H

#include "preset/tree/names.h"
#include "run/output/log.h"
#include <billow/checkpoint.h>
#include <stdbool.h>

/// One value. Keys begin with whose they are: "stage/ID/KEY".
struct archive_entry {
    char *key;
    void *data;
    size_t bytes;
};

struct archive {
    struct bw_archive pub; ///< first: what callbacks get
    struct run_log *log;
    const char *owner;            ///< "stage/ID": put before keys, and into sentences
    const struct bw_place *place; ///< of the owner in the preset
    struct archive_entry *entry;
    int32_t n, room;
    struct bw_names index; ///< of `entry`, by key
    enum bw_status failed; ///< of the present owner
    bool changed;          ///< restoring, of other values: who is not in it begins anew
};

void archive_init(struct archive *a, struct run_log *log, bool restoring);
void archive_free(struct archive *a);
/// Whose keys come next.
void archive_owner(struct archive *a, const char *owner, const struct bw_place *place);
/// `owner` of that type saves or restores now. Restoring: is it in there? Of a checkpoint of the same values all are.
/// Errors are said.
enum bw_status archive_member(struct archive *a, const char *owner, const char *type, bool *there);
/// Enter a value under its whole key; takes `data` (bw_calloc), in any case. BW_ERR_MEMORY.
enum bw_status archive_put(struct archive *a, const char *key, void *data, size_t bytes);
/// By its whole key; NULL: there is none.
const struct archive_entry *archive_find(const struct archive *a, const char *key);

#endif
