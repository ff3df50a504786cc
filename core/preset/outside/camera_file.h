// SPDX-License-Identifier: Apache-2.0
/* `camera: {file: shot.usda}`: a shot of another program as the keys of our own camera, so that whoever reads the
 * preset, or its resolved.yaml, needs no file. */
#ifndef PRESET_CAMERA_FILE_H
#define PRESET_CAMERA_FILE_H

#include "preset/tree/node.h"

/// Where the map `camera` (NULL: nothing) has a `file`, put what it says in its place: where the camera is and looks,
/// lens and film, and focus where it has an aperture. A time code is a frame. Errors: BW_ERR_IO, BW_ERR_PRESET.
enum bw_status camera_file_take(struct bw_node *camera, struct bw_diag *d);

#endif
