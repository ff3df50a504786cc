// SPDX-License-Identifier: Apache-2.0
/* Schaefer's table of masks (2001): what a cell and its neighbours count for, by which of its six sides have a wall.
 * Bit s of the index: a wall on side s (x-, x+, y-, y+, z-, z+). With |N| sides open the cell counts 1 - w, each
 * neighbour beyond an open side w/|N|, those beyond walls 0; walled in on all sides, the cell counts 1. Every row sums
 * to 1. */
#ifndef TABLE_H
#define TABLE_H

enum { TABLE_ROWS = 64, TABLE_COLUMNS = 7 };

struct table {
    double mask[TABLE_ROWS][TABLE_COLUMNS]; ///< the cell, then its neighbours in the order of the sides
    double source[TABLE_ROWS];              ///< 1/|N|; 0 where there is none
};

static inline void table_make(struct table *t, double w)
{
    for (int row = 0; row < TABLE_ROWS; row++) {
        int open = 0;
        for (int s = 0; s < 6; s++) open += !(row >> s & 1);
        t->mask[row][0] = open ? 1 - w : 1;
        for (int s = 0; s < 6; s++) t->mask[row][1 + s] = open && !(row >> s & 1) ? w / open : 0;
        t->source[row] = open ? 1.0 / open : 0;
    }
}

#endif
