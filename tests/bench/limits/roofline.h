// SPDX-License-Identifier: Apache-2.0
/* A picture of how far kernels are from what the machine can do: operations a second over operations a byte. */
#ifndef ROOFLINE_H
#define ROOFLINE_H

struct roofline_point {
    const char *name;
    double bytes, flops, seconds; ///< a cell
};

struct roofline {
    const char *title;
    double bytes, flops; ///< what the machine can do in a second
    const struct roofline_point *point;
    int n;
};

/// Writes an SVG. 0: it could not, and the reason is on stderr.
int roofline_write(const struct roofline *r, const char *path);

#endif
