// SPDX-License-Identifier: Apache-2.0
/* Points as the ply exporter writes them: little-endian rows of numbers, all of one element. */
#ifndef PLY_POINTS_H
#define PLY_POINTS_H

#include <stdbool.h>
#include <stddef.h>

enum { PLY_PROPERTIES = 64 };

struct ply_property {
    char name[64];
    int bytes; ///< 4, or 8
    bool is_float;
    size_t offset; ///< in its row
};

struct ply_points {
    const char *row; ///< the first
    size_t n, stride;
    double scale, larger, slower; ///< its units a metre, and how many times as large and slow it was made
    bool y_up;
    struct ply_property property[PLY_PROPERTIES];
    int n_properties;
};

/// Of a file's bytes, with a 0 behind them, which outlive it. false: it is none of the exporter's.
bool ply_points_parse(const char *text, size_t size, struct ply_points *p);
double ply_points_value(const char *row, const struct ply_property *q);

#endif
