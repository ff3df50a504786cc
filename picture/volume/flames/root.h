// SPDX-License-Identifier: Apache-2.0
/* The roots of flames. */
#ifndef BW_ROOT_H
#define BW_ROOT_H

#include <picture/tools.h>
#include <picture/volume/light/lit.h>
#include <picture/volume/scene/scene.h>
#include <picture/volume/scene/volume.h>

/// 0 … 1: how much of what burns in a cell has only begun to, and so does not glow as soot. `v` has fuel.
float bw_root_share(const struct bw_volume *v, const struct bw_look *look, size_t cell);
/// The roots' own light in all cells, lit->roots; the caller gives it back. Errors: BW_ERR_MEMORY.
enum bw_status bw_roots_light(const struct bw_tools *tools, const struct bw_volume *v, const struct bw_look *look,
                              struct bw_lit *lit);

#endif
