// SPDX-License-Identifier: Apache-2.0
/* From which frame on two readings of a preset differ in their flow, and a folder of one as a start for the other. */
#ifndef TUNE_SINCE_H
#define TUNE_SINCE_H

#include <jansson.h>
#include <stdint.h>

/// The first frame that may differ: keyframes that begin later, the end of a stage's frames, the last frame of all.
/// INT64_MAX: none; INT64_MIN: all may.
int64_t since_frame(const json_t *before, const json_t *after);
/// What a bake wrote into `from`, as a new folder `to`: large files are the same ones under a second name, which is
/// good while nobody writes into them. 0: no.
int since_folder(const char *from, const char *to);

#endif
