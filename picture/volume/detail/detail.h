// SPDX-License-Identifier: Apache-2.0
/* Detail finer than the cells, which pictures have and files have not: places are moved by noise before the medium is
 * read there. */
#ifndef BW_DETAIL_H
#define BW_DETAIL_H

#include <picture/tools.h>
#include <picture/volume/scene/scene.h>
#include <picture/volume/scene/volume.h>

enum { BW_DETAIL_PHASES = 2, BW_DETAIL_BLOCK = 2, BW_DETAIL_TILE = 64 }; ///< cells; points along an edge
#define BW_DETAIL_FINE 4                                                 ///< points of the tile a cell

#define BW_DETAIL_UNIT (4.5f / 127) ///< bytes are quicker than memory: a tile that stays in a processor's own
#define BW_DETAIL_FAINT 0.04f       ///< cells: nobody sees it
#define BW_DETAIL_DRAWN 2.0f        ///< rms of the filaments' noise where the flow is rough

/// One of the sets of noise that take turns: where its tile lies, turned, and how old and how strong it is.
struct bw_detail_phase {
    float turn[3][4];  ///< points of the tile a cell, along each axis of space; the fourth is 0
    float back[3][4];  ///< displacement, cells, of one of the tile's bytes along each of its axes, by weight
    float first[4];    ///< point of the tile at the box's first cell
    float age, weight; ///< frames, before its best age less than 0
};

/// `flow` NULL: none.
struct bw_detail {
    float displacement;  ///< rms of the noise's where the flow is rough, cells
    float filaments;     ///< how strong they are
    struct bw_dense box; ///< blocks of BLOCK cells …
    int32_t before[3];   ///< … of which the first begin so many before the medium's
    float *flow;         ///< {cells a frame along x, y, z; 0 … 1: how rough it is} a block
    float *lobes; ///< {strength of displacements, of those twice as wide} a block, by the smoke's age; NULL: {1, 0}
    int8_t *tile; ///< repeating: {a displacement without divergence; a scalar; 1/UNIT: rms} a point, rows of TILE + 1
    struct bw_detail_phase phase[BW_DETAIL_PHASES],
        wide[BW_DETAIL_PHASES];                     ///< of displacements; of those twice as wide
    struct bw_detail_phase drawn[BW_DETAIL_PHASES]; ///< of filaments
};

/// As much as the look asks for, of the flow in `v`; bw_detail_free gives it back, after a failure too. Errors:
/// BW_ERR_MEMORY.
enum bw_status bw_detail_make(const struct bw_tools *tools, const struct bw_volume *v, const struct bw_scene *scene,
                              struct bw_detail *d);
void bw_detail_free(const struct bw_tools *tools, struct bw_detail *d);

/// Fill a tile of TILE³ points, which repeats, in rows of a point more, the first again. tile.c. Errors: BW_ERR_MEMORY.
enum bw_status bw_detail_tile(const struct bw_tools *tools, int8_t *tile);

#endif
