// SPDX-License-Identifier: Apache-2.0
/* A line through places, of an OBJ (the first `l` and those that go on with it, else all `v`), or a CSV (columns x, y,
 * z, or the first three). */
#ifndef PRESET_CURVE_H
#define PRESET_CURVE_H

#include "base/diag.h"

struct curve {
    double (*place)[3]; ///< m, z up; bw_free it
    int32_t n;          ///< 2 or more
    const char *writer; ///< the program whose habit said that y is up, or NULL
};

/// y_up < 0: as the OBJ's writer has it, if it is known, else z. Errors: BW_ERR_IO, BW_ERR_PRESET, said at `place`,
/// where the file is named, or with the file's line.
enum bw_status curve_read(const char *path, double scale, int y_up, const struct bw_place *place, struct curve *c,
                          struct bw_diag *d);
/// Share s (0 … 1) of the way along it.
void curve_at(const struct curve *c, double s, double out[3]);

#endif
