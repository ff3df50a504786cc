// SPDX-License-Identifier: Apache-2.0
/* Local contrast of flames. */
#ifndef BW_CRISP_H
#define BW_CRISP_H

#include <picture/tools.h>
#include <picture/volume/light/lit.h>

/// Make what glows brighter than what is round it brighter still, and the rest fainter, in lit->fire, by `amount`: 1 is
/// strong. Where nothing glows nothing will. Errors: BW_ERR_MEMORY.
enum bw_status bw_flames_crisp(const struct bw_tools *tools, const struct bw_lit *lit, float amount);

#endif
