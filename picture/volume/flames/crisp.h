// SPDX-License-Identifier: Apache-2.0
/* Local contrast of flames. */
#ifndef BW_CRISP_H
#define BW_CRISP_H

#include <picture/tools.h>
#include <picture/volume/light/lit.h>

#define BW_GLOW_FAINT 1e-4f ///< of a flame of 1 at the white point: there is no contrast in less

/// Make what glows brighter than what is round it brighter still, and the rest fainter, in lit->fire, by `amount`: 1 is
/// strong. Where nothing glows nothing will. Errors: BW_ERR_MEMORY.
enum bw_status bw_flames_crisp(const struct bw_tools *tools, const struct bw_lit *lit, float amount);
/// What is sent out round each cell, for sheets; tools->release gives it back. Errors: BW_ERR_MEMORY.
enum bw_status bw_flames_wide(const struct bw_tools *tools, const struct bw_lit *lit, float **wide);

#endif
