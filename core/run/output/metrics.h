// SPDX-License-Identifier: Apache-2.0
/* Numbers that stages report: gathered over a frame's substeps, one row of metrics.csv a frame. */
#ifndef METRICS_H
#define METRICS_H

#include "output.h"

struct metric {
    char *name;    ///< "stage.metric"
    double value;  ///< this frame so far
    uint32_t mode; ///< enum bw_metric_mode
    bool set;      ///< in this frame
    double last;   ///< of the last frame or substep
};

struct metrics {
    struct outputs *outputs;
    struct metric *metric;
    int32_t n_metrics;
    char *csv; ///< rows of metrics.csv so far, without the heading
    size_t csv_size;
};

/// A frame's own columns.
struct metrics_row {
    int64_t frame;
    double time, seconds;
    int32_t substeps;
    int64_t cells, memory;
};

/// `stage` NULL: of the run's own.
void metrics_add(struct metrics *m, const char *stage, const char *name, double value, uint32_t mode);
void metrics_frame_begin(struct metrics *m);
/// Add the frame's row and write the file.
enum bw_status metrics_frame_end(struct metrics *m, const struct metrics_row *row);
/// The largest of this frame's metrics of that name, whatever the stage; NAN: there is none.
double metrics_largest(const struct metrics *m, const char *name);
/// The last value of "stage.metric", NAN when absent.
double metrics_last(const struct metrics *m, const char *name);
void metrics_free(struct metrics *m);

#endif
