// SPDX-License-Identifier: Apache-2.0
/* What the picture library needs, outside of a bake. */
#ifndef VIEW_TOOLS_H
#define VIEW_TOOLS_H

#include <picture/tools.h>

/// Memory and threads for the picture library.
struct bw_tools picture_tools(void);

#endif
