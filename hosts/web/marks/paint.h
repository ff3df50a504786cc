// SPDX-License-Identifier: Apache-2.0
/* Lines and points in space, drawn over a picture as its camera, or the slice that it is, sees them. Nothing hides
 * them. */
#ifndef WEB_PAINT_H
#define WEB_PAINT_H

#include <billow/bake.h>

/// How places come to pixels. World units, z up.
struct lens {
    int32_t slice;                              ///< 1: a layer of cells; of the rest only `lo` … `axis` are used
    double eye[3], right[3], up[3], forward[3]; ///< orthonormal
    double tan_x, tan_y;                        ///< of half the angles of view
    double lo[3], hi[3];                        ///< of the layer
    int axis;                                   ///< across it
};

struct paint {
    const struct bw_pixels *to;
    struct lens lens;
};

struct ink {
    float rgb[3]; ///< sRGB, 0 … 1
    float alpha;
};

/// The lens of a render. 0: that eye sees nothing.
int lens_of_eye(const struct bw_eye *eye, double aspect, struct lens *l);
/// That of a slice; `metre`: world units to a metre, in which the picture says what it shows.
void lens_of_slice(const struct bw_pixels *p, double metre, struct lens *l);
void paint_line(const struct paint *p, const double from[3], const double to[3], const struct ink *ink);
/// A pixel or two.
void paint_point(const struct paint *p, const double at[3], const struct ink *ink);
/// A closed polygon of n corners.
void paint_loop(const struct paint *p, int n, double (*corner)[3], const struct ink *ink);
void paint_box(const struct paint *p, const double lo[3], const double hi[3], const struct ink *ink);

#endif
