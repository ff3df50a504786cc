// SPDX-License-Identifier: Apache-2.0
/* What several stages need to save and restore what they keep (billow/checkpoint.h). */
#ifndef COMMON_ARCHIVE_H
#define COMMON_ARCHIVE_H

#include <billow/plugin.h>

/// `bytes` bytes that the stage has from alloc(): restored, they are new memory, which is returned; saved, `data` is.
/// 0 bytes: NULL. *status: what was before, or what went wrong: BW_ERR_MEMORY, or what the archive says. After a
/// failure nothing is done.
static inline void *archive_array(struct bw_stage *s, struct bw_archive *a, const char *key, void *data, size_t bytes,
                                  enum bw_status *status)
{
    if (*status || !bytes) return a->restoring ? NULL : data;
    if (a->restoring) data = s->host->alloc(s, bytes);
    *status = data ? a->bytes(a, key, data, bytes) : BW_ERR_MEMORY;
    return data;
}

/// Is there something to restore? 0 also where a stage's parameters asked for nothing when the checkpoint was made: the
/// stage then stays as init left it. Saving: 1.
static inline int archive_has(struct bw_archive *a, const char *key) { return !a->restoring || a->stored(a, key) >= 0; }

#endif
