// SPDX-License-Identifier: Apache-2.0
/* Tracers drawn together to threads: fine lines of dye in a shape, which show how the flow winds and stretches. */
#ifndef VORTON_THREADS_H
#define VORTON_THREADS_H

#include <common/shape/shape.h>

/// Which way they run: along the shape's axis, away from it, or round it.
enum thread_way { THREADS_AXIS, THREADS_RADIUS, THREADS_RING };

struct threads {
    int64_t number; ///< 0: the shape is filled evenly
    int32_t along;  ///< enum thread_way
    double lean;    ///< from the radius, of those along it
    double thickness;
    struct bw_list colour; ///< double, [r, g, b]: of the last; none: all are alike
};

#define THREADS_ROWS 5
extern const struct bw_param threads_rows[THREADS_ROWS];

/// Where one is, about the shape's axis: across it (axis), at which angle and height (radius), at which radius and
/// height (ring).
struct thread {
    double a, b;
};

/// All of a shape's.
struct threads_placed {
    double frame[3][3]; ///< the shape's axis last, two across it before
    struct thread *thread;
};

/// Their places, in scratch memory. Errors are reported.
enum bw_status threads_make(struct bw_stage *s, const struct threads *t, const struct pose *pose,
                            struct threads_placed *out);
/// Draw x to the nearest of them, which is returned; `i` is the tracer's number, from which its place in it follows.
int64_t threads_draw(const struct bw_stage *s, const struct threads *t, const struct threads_placed *placed,
                     const struct pose *pose, uint64_t i, double x[3]);
/// Share of threads->colour that the k-th has.
double threads_share(const struct bw_stage *s, int64_t k);

#endif
