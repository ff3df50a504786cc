// SPDX-License-Identifier: Apache-2.0
/* Running a preset for its figures, in a process of its own: what one run leaves in the heap must not count as the next
 * one's memory. */
#ifndef BENCH_H
#define BENCH_H

#include "support.h"

enum { BENCH_METRICS = 16 };

struct bench_run {
    char *yaml; ///< bench_measure frees it
    uint32_t threads;
    int64_t from;                   ///< frames before this one only warm up: fresh memory, a plume that has yet to grow
    const char *const *metric;      ///< names, up to a NULL; NULL: none
    const struct bw_module *module; ///< further stages, or NULL
    int mean;                       ///< of the frames instead of the least: where their work differs
};

struct bench_figures {
    double step, cpu; ///< seconds a step, and of all threads together: the least of the frames (or their mean)
    double metric[BENCH_METRICS]; ///< the same; 0 where there was none
    double cells, resident, peak; ///< cells of active tiles; bytes in the last frame, and the most there ever were
    double pool;                  ///< bytes that the pools of tiles took from the system
    double heap;                  ///< bytes of the C library's, in the last frame
};

/// 0: it failed, and the reason is on stderr.
int bench_measure(const struct bench_run *run, struct bench_figures *out);
double bench_seconds(void);
/// Bytes a second of a(i) = b(i) + s c(i) on so many threads, counted with the line that a store reads first.
double bench_triad(uint32_t threads);
/// Multiplications and additions a second of one thread, in single precision or in double.
double bench_flops(int twice);

/* The stage bench.project: mac.project in parts, for their times. Metrics: levels, rhs, solve, correct, seconds;
 * cycle, seconds of one V-cycle; cycles; residual as the solver records it. */
extern const struct bw_module bench_module;

/// One pressure problem: sum over the six faces w (p - p') = b on the cells of a box.
struct bench_problem {
    int32_t n[3];
    float *w[3]; ///< weight of each cell's low face along an axis, x fastest; 0 where nothing flows
    float *b;
    double *p; ///< our solution before it is rounded
};
/// NULL, or what the next steps of bench.project shall fill; arrays are its caller's.
extern struct bench_problem *bench_problem_wanted;
/// |b - A p| / |b|, in double.
double bench_residual(const struct bench_problem *q, const double *p);

#endif
