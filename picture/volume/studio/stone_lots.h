// SPDX-License-Identifier: Apache-2.0
/* What a square of a lattice has: a stone or none, which does not move. Squares are drawn once a shot and kept in a
 * hash table that threads fill without locks: entries are never changed, and where there is no room they are drawn
 * again. */
#ifndef BW_STONE_LOTS_H
#define BW_STONE_LOTS_H

#include <picture/tools.h>

#include <stdint.h>

struct bw_stone_lots;
/// Where there are rocks: round a stage as wide as that, m.
struct bw_stones_field {
    double middle[2], wide;
    struct bw_stone_lots *lots; ///< what is known of squares; NULL: nothing
};

enum { BW_STONE_SIZES = 6, BW_STONE_CUTS = 5 };

/// A stone, each number drawn: 0 … 1, but for the planes that cut it, in its own axes, where it is the unit ball.
struct bw_stone_lot {
    double cosine, sine; ///< of its turn
    double plane[BW_STONE_CUTS][3], off[BW_STONE_CUTS];
    float large, aside[2], round, flat, which;
};

/// m; rocks are no larger than suits a small stage: beside them it would look like a toy.
double bw_stone_square(const struct bw_stones_field *f, int size);
/// Of square i, j of that size; `own` is where it may be put. NULL: there is none.
const struct bw_stone_lot *bw_stone_lot(const struct bw_stones_field *f, int size, double i, double j,
                                        struct bw_stone_lot *own);

/// Before a picture of that field: *s, NULL before the first, goes on if it is that field's; else a new one, of which
/// nothing is known yet, takes its place. It is NULL where memory lacks.
void bw_stone_lots_keep(const struct bw_tools *tools, const struct bw_stones_field *f, struct bw_stone_lots **s);
/// 1: they are that field's.
int bw_stone_lots_are(const struct bw_stone_lots *s, const struct bw_stones_field *f);
/// One more has to free them.
struct bw_stone_lots *bw_stone_lots_hold(struct bw_stone_lots *s);
/// NULL is no error.
void bw_stone_lots_free(const struct bw_tools *tools, struct bw_stone_lots *s);

#endif
