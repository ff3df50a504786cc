// SPDX-License-Identifier: Apache-2.0
/* Particles of a frame that a render draws. */
#ifndef BW_GATHER_SPARKS_H
#define BW_GATHER_SPARKS_H

#include "fields.h"
#include <picture/volume/scene/scene.h>
#include <picture/volume/scene/volume.h>

struct bw_sparks_wish {
    enum bw_show_particles which;
    double ambient; ///< K
    double size;    ///< m, of those that have none
    double vary;    ///< 0: those that shine are alike; 1: few are bright and most are faint, with the same mean
};

/// Fill v->spark, which the caller releases, from those with a temperature and a size, or from more.
/// Errors: BW_ERR_MEMORY.
enum bw_status bw_gather_sparks(const struct bw_tools *tools, const struct bw_frame *frame,
                                const struct bw_sparks_wish *wish, struct bw_volume *v);

#endif
