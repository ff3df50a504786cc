// SPDX-License-Identifier: Apache-2.0
/* A contact sheet: a dozen frames spread over a movie, in one picture. Which ones is known at the end alone, since a
 * bake may stop early or be extended later; so every frame of a stride is kept small, and the stride doubles when there
 * are too many. */
#ifndef BW_SHEET_H
#define BW_SHEET_H

#include <billow/checkpoint.h>
#include <picture/image/image.h>

enum { BW_SHEET_MAX = 12, BW_SHEET_KEPT = 48 };

struct bw_sheet_thumb {
    uint8_t *rgb; ///< 8 bits, top row first
    int64_t frame;
};

/// Zero it.
struct bw_sheet {
    struct bw_sheet_thumb kept[BW_SHEET_KEPT]; ///< the frames that come as stride·1, stride·2 …
    struct bw_sheet_thumb newest;
    int64_t seen, stride;
    int32_t count, w, h; ///< how many are kept; pixels of each
};

/// A frame comes: keep what is wanted of it. All are of one size. Errors: BW_ERR_MEMORY.
enum bw_status bw_sheet_add(struct bw_sheet *s, const struct bw_tools *tools, int64_t frame,
                            const struct bw_image *img);
/// Up to BW_SHEET_MAX of those that are kept, spread evenly, the newest the last; returns how many.
int32_t bw_sheet_choose(const struct bw_sheet *s, const struct bw_sheet_thumb *out[BW_SHEET_MAX]);
/// The sheet in `out` (free it). Errors: BW_ERR_MEMORY; BW_ERR_USAGE when no frame came.
enum bw_status bw_sheet_draw(const struct bw_sheet *s, const struct bw_tools *tools, struct bw_image *out);
/// Save it, or restore to a zeroed one. Errors: BW_ERR_MEMORY, BW_ERR_IO (not ours), and what the archive reports.
enum bw_status bw_sheet_checkpoint(struct bw_sheet *s, const struct bw_tools *tools, struct bw_archive *a);
void bw_sheet_free(struct bw_sheet *s, const struct bw_tools *tools);

#endif
