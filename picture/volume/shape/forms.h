// SPDX-License-Identifier: Apache-2.0
/* Shapes that have no file as triangles, so small that no picture shows them. */
#ifndef BW_FORMS_H
#define BW_FORMS_H

#include <billow/services.h>
#include <picture/tools.h>

/// What a cylinder is in the picture; 0: as round as it is.
struct bw_form_grown {
    int32_t uneven; ///< enum bw_uneven
    uint32_t lot;   ///< which of many
};

/// Points and triangles of a ball, box, cylinder or torus into *out, in one piece of memory, the caller's. Errors:
/// BW_ERR_MEMORY.
enum bw_status bw_form_make(const struct bw_tools *tools, const struct bw_shape *s, struct bw_form_grown grown,
                            struct bw_shape *out, void **memory);

#endif
