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
/// In what do two folders or two files differ? VDB files by grid and voxel, PNG and EXR by pixel, PLY by point, CSV by
/// column. What tells of the moment is left out of folders: bake.log, timings.csv, checkpoints, hidden files. JSON, new
/// memory: {"equal", "files": how many, "differences": [{"file", "what", "text", and numbers}]}. Errors: BW_ERR_USAGE
/// (one is not there, or they are a folder and a file).
BW_API char *bw_cache_compare(const char *a, const char *b);

#ifdef __cplusplus
}
#endif
#endif
