// SPDX-License-Identifier: Apache-2.0
/* Points as the ply exporter writes them: little-endian rows of numbers, all of one element. */
#ifndef PLY_POINTS_H
#define PLY_POINTS_H

#include <common/table/ply.h>

struct ply_points {
    struct ply_heading h;
    const char *row; ///< the first
    size_t n, stride;
    double scale, larger, slower; ///< its units a metre, and how many times as large and slow it was made
    bool y_up;
};

/// Of a file's bytes, which outlive it. false: it is none of the exporter's.
bool ply_points_parse(const char *text, size_t size, struct ply_points *p);

#endif
