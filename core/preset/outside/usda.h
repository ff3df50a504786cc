// SPDX-License-Identifier: Apache-2.0
/* Cameras of a USD text file (.usda), with the transforms that they stand below, in time: what a renderer of ours
 * needs, no more of USD. Layers, references and variants are not followed. */
#ifndef PRESET_USDA_H
#define PRESET_USDA_H

#include "base/diag.h"

/// A camera at a time code.
struct usda_key {
    double code;
    double eye[3], forward[3], up[3];        ///< m, z up
    double lens, sensor, sensor_high, focus; ///< m
    double fstop;                            ///< 0: all is sharp
};

struct usda_shot {
    struct usda_key *key; ///< by time code; bw_free it
    int32_t n;            ///< 1: it stands still
};

/// Of the cameras of `path` the one with that name or path; `name` NULL: the only one. Errors: BW_ERR_PRESET, with a
/// sentence at `place`, where the file is named, or with the file's line.
enum bw_status usda_camera(const char *path, const char *name, const struct bw_place *place, struct usda_shot *shot,
                           struct bw_diag *d);

#endif
