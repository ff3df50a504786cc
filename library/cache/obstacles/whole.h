// SPDX-License-Identifier: Apache-2.0
/* Obstacles where no gas is: a cache knows none of them, and the light in its smoke is to be the bake's. */
#ifndef CACHE_WHOLE_H
#define CACHE_WHOLE_H

#include <billow/exporter.h>
#include <picture/tools.h>
#include <picture/volume/scene/volume.h>

/// Put the distances of `solid`, a snapshot's with its outlines, in place of the volume's, and widen the volume's box
/// to where they are, as a bake's is: what stands there keeps light from smoke. `scale`: the volume's units to a metre.
/// *memory: of the volume's arrays, released with the tools; it may be another then. Errors: BW_ERR_MEMORY, and the
/// volume is as it was.
enum bw_status whole_solid(const struct bw_tools *tools, const struct bw_snapshot_field *solid, double scale,
                           struct bw_volume *v, float **memory);

#endif
