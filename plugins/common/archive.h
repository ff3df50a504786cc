// SPDX-License-Identifier: Apache-2.0
/* What several stages need to save and restore what they keep (billow/checkpoint.h). */
#ifndef COMMON_ARCHIVE_H
#define COMMON_ARCHIVE_H

#include <billow/plugin.h>

/// `bytes` bytes that the stage has from alloc(): restored, they are new memory, which is returned; saved, `data` is.
/// No more is asked for than is stored. 0 bytes: NULL. *status: what was before, or what went wrong: BW_ERR_MEMORY, or
/// what the archive says. After a failure nothing is done.
static inline void *archive_array(struct bw_stage *s, struct bw_archive *a, const char *key, void *data, size_t bytes,
                                  enum bw_status *status)
{
    char none;
    if (*status || !bytes) return a->restoring ? NULL : data;
    if (a->restoring && a->stored(a, key) != (int64_t)bytes) return *status = a->bytes(a, key, &none, bytes), NULL;
    if (a->restoring) data = s->host->alloc(s, bytes);
    *status = data ? a->bytes(a, key, data, bytes) : BW_ERR_MEMORY;
    return data;
}

/// Are these numbers of cells along three axes, and together? What a checkpoint says is anybody's word.
static inline int archive_cells_fit(const int32_t n[3], int64_t count)
{
    for (int i = 0; i < 3; i++)
        if (n[i] < 0 || n[i] > 1 << 20) return 0;
    return (int64_t)n[0] * n[1] * n[2] == count;
}

/// Is there something to restore? 0 also where a stage's parameters asked for nothing when the checkpoint was made: the
/// stage then stays as init left it. Saving: 1.
static inline int archive_has(struct bw_archive *a, const char *key) { return !a->restoring || a->stored(a, key) >= 0; }

#endif
