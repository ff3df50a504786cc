// SPDX-License-Identifier: Apache-2.0
/* Numbered files: a run of # in a file's name stands for the frame number, unless a file is called just so. Which file
 * belongs to a frame, and what to do before the first and after the last. Shared by `load` and by meshes. */
#ifndef SEQUENCE_H
#define SEQUENCE_H

#include <billow/plugin.h>

#include <stdbool.h>
#include <stdint.h>

#define SEQUENCE_PATH 1024 ///< bytes that a path may take

enum sequence_outside { SEQUENCE_HOLD, SEQUENCE_LOOP, SEQUENCE_BLANK };
#define SEQUENCE_OUTSIDE_NAMES "hold|loop|blank"

/// Numbers that the files have, and how frames lead to them.
struct sequence {
    bool numbered; ///< false: a single file, whose number is 0
    int64_t first, last;
    int64_t *number; ///< that are there, in order; `count` of them
    int64_t count;
    int64_t offset;
    double speed;
    double files;    ///< a second at speed 1: frames a second, but where the preset is shown larger, and slower
    int32_t outside; ///< enum sequence_outside
};

/// Look at the path, fill `files`, and learn from the folder which files there are if there are # in it; offset, speed
/// and outside are the caller's. Files that lack between the first and the last are told. Errors: BW_ERR_IO, said: no
/// folder, or no file with a number as wide as the #. BW_ERR_MEMORY.
enum bw_status sequence_begin(struct bw_stage *s, const char *path, struct sequence *q);
/// The number, fractional, that a file for frame `frame` would have, were there files for all times.
double sequence_wanted(const struct bw_stage *s, const struct sequence *q, double frame);
/// Number of the file for frame `frame` (fractional): the one begun last, or with `nearest` != 0
/// the one nearest in time; in a gap, the file before it. -1 outside a sequence that is `blank` there, and in its gaps.
int64_t sequence_number(const struct bw_stage *s, const struct sequence *q, double frame, int nearest);
/// Path of a file with its number; 0 when it does not fit.
int sequence_path(const char *path, int64_t number, char out[SEQUENCE_PATH]);
/// The same for a file of the sequence q, which must be there if it is `needed`; out is empty if it is
/// not. Errors are said: BW_ERR_PRESET, BW_ERR_IO.
enum bw_status sequence_file(struct bw_stage *s, const struct sequence *q, const char *path, int64_t number, int needed,
                             char out[SEQUENCE_PATH]);

#endif
