// SPDX-License-Identifier: Apache-2.0
/* Where there is anything to see: blocks of cells, and the screen tiles that they are splatted onto. */
#ifndef BW_BLOCKS_H
#define BW_BLOCKS_H

#include <picture/volume/light/medium.h>

#define BW_FIRE_FAINT 1e-4f ///< flames that nobody sees
#define BW_STANDS_OUT 6.0f  ///< of a sheet of flame, times what its cells are: as much more it is at most
#define BW_MOVED_THIN 0.02f ///< of light that a cell holds back, or of a flame: nobody sees such cells moved
enum { BW_HOLDS_MEDIUM = 1, BW_HOLDS_FIRE = 2, BW_HOLDS_MOVED = 4 };
enum { BW_BLOCK = 4, BW_SCREEN_TILE = 16 }; ///< cells; pixels

struct bw_blocks {
    int32_t n[3];
    uint8_t *busy; ///< of each block: BW_HOLDS_…, or nothing; NULL: an empty stage
    uint8_t *near; ///< of each cell: BW_HOLDS_… within what a spline reaches from it to the next
    float seen;    ///< share of the light: from where less gets out, nothing is seen
    int32_t moved; ///< set before; 1: within two cells of what is not thin places are moved before they are read
    int32_t tiles[2];
    float *reach; ///< per screen tile: distance to the nearest and from the farthest busy block, m
};

/// `b` zeroed but for what is set before; for a picture of size[0]×size[1] pixels. bw_blocks_free gives it back, after
/// a failure too. Errors: BW_ERR_MEMORY.
enum bw_status bw_blocks_make(const struct bw_tools *tools, const struct bw_lit *lit, const struct bw_camera *camera,
                              const int32_t size[2], struct bw_blocks *b);
void bw_blocks_free(const struct bw_tools *tools, struct bw_blocks *b);

#endif
