// SPDX-License-Identifier: Apache-2.0
/* `{curve: FILE, frames: 1-48}`: a curve that another program drew, as the keys of something that goes along it,
 * evenly; `{curve: FILE, points: 24}`: as a list of so many places on it. */
#ifndef PRESET_CURVE_FILE_H
#define PRESET_CURVE_FILE_H

#include "preset/tree/node.h"

/// Replace every such map of the tree `n` (NULL: nothing) by its keyframes or points. *notes gets a line for each file
/// whose up axis was guessed from the program that wrote it. Errors: BW_ERR_IO, BW_ERR_PRESET.
enum bw_status curve_files_expand(struct bw_node *n, char **notes, struct bw_diag *d);

#endif
