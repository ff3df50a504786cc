// SPDX-License-Identifier: Apache-2.0
/* `camera: {file: shot.yaml}`: a shot of another program, as hosts/scenes writes it, in the keys of our own camera, so
 * that whoever reads the preset, or its resolved.yaml, needs no file. */
#ifndef PRESET_CAMERA_FILE_H
#define PRESET_CAMERA_FILE_H

#include "preset/tree/node.h"

/// Replace the key `file` of the map `camera` (NULL: nothing) by that file's camera keys. Errors:
/// BW_ERR_IO, BW_ERR_PRESET.
enum bw_status camera_file_expand(struct bw_node *camera, struct bw_diag *d);
/// A sentence where the path is one of USD, which is read by its own library.
enum bw_status usd_refuse(const char *path, const char *what, const struct bw_place *place, struct bw_diag *d);

#endif
