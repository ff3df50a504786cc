// SPDX-License-Identifier: Apache-2.0
/* A contact sheet: a dozen frames spread over a movie, in one picture. */
#ifndef BW_SHEET_H
#define BW_SHEET_H

#include <picture/image/image.h>

enum { BW_SHEET_MAX = 12 };

/// Zero it, then bw_sheet_init.
struct bw_sheet {
    struct bw_image thumb[BW_SHEET_MAX];
    int64_t frame[BW_SHEET_MAX];
    int32_t count, wanted;
    int64_t first, last;
};

/// For frames first … last.
void bw_sheet_init(struct bw_sheet *s, int64_t first, int64_t last);
/// Keep a small copy of `img` when this frame is one of those wanted. Errors: BW_ERR_MEMORY.
enum bw_status bw_sheet_add(struct bw_sheet *s, const struct bw_tools *tools, int64_t frame,
                            const struct bw_image *img);
/// The sheet in `out` (free it). Errors: BW_ERR_MEMORY; BW_ERR_USAGE when no frame came.
enum bw_status bw_sheet_draw(const struct bw_sheet *s, const struct bw_tools *tools, struct bw_image *out);
void bw_sheet_free(struct bw_sheet *s);

#endif
