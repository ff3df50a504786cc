// SPDX-License-Identifier: Apache-2.0
/* What bake.h says of finished caches besides: are they whole, and in what do two differ. Included by bake.h, whose
 * rules hold: threads, errors, texts. No session is needed. */
#ifndef BILLOW_CACHE_H
#define BILLOW_CACHE_H

#include "where.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Is a cache whole, and what hosts expect? `what`: a bake's folder, any folder of VDB files, one of them, or a pattern
/// such as smoke_####.vdb. JSON, new memory: {"sequences", "problems", "findings"}; docs/library.md tells the kinds of
/// findings. Errors: BW_ERR_IO (there is no such file).
BW_API char *bw_cache_check(const char *what);

#ifdef __cplusplus
}
#endif
#endif
