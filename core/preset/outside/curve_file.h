// SPDX-License-Identifier: Apache-2.0
/* `{curve: FILE, frames: 1-48}`: a curve that another program drew, as the keys of something that goes along it,
 * evenly; `{curve: FILE, points: 24}`: as a list of so many places on it. */
#ifndef PRESET_CURVE_FILE_H
#define PRESET_CURVE_FILE_H

#include "preset/tree/node.h"

/// Every such map of the tree `n` (NULL: nothing) becomes what it stands for. *notes gets more lines: which
/// axis of a file was taken to point up, by its writer's habit. Errors: BW_ERR_IO, BW_ERR_PRESET.
enum bw_status curve_files_take(struct bw_node *n, char **notes, struct bw_diag *d);

#endif
