// SPDX-License-Identifier: Apache-2.0
/* Tables with a row a frame: metrics.csv of what stages report, gathered over a frame's substeps, which is the same
 * whoever bakes; timings.csv of what the machine did. A table is written whole, under a hidden name first, so that what
 * a kill leaves is whole too; not after every frame, for that takes time with the square of their number. Rows that are
 * in the file are in memory no more: they are read back from it, whatever became of its name. Columns, their last
 * values and the rows so far are all that a later row depends on. */
#ifndef METRICS_H
#define METRICS_H

#include "output.h"
#include <billow/checkpoint.h>
#include <stdio.h>

struct metric {
    char *name;    ///< "stage.metric"
    double value;  ///< this frame so far
    uint32_t mode; ///< enum bw_metric_mode
    bool set;      ///< in this frame
    double last;   ///< of the last frame or substep
};

struct metrics {
    struct outputs *outputs;
    const char *file, *heading; ///< "metrics.csv"; of the columns that metrics_frame_end is told: "frame,time"
    struct metric *metric;
    int32_t n_metrics;
    FILE *written; ///< the file, with the rows that it has; NULL: none
    size_t rows_at, rows_size;
    char *csv; ///< rows that it lacks
    size_t csv_size;
    bool unwritten;   ///< there are such rows, or other columns
    double next_time; ///< bw_seconds() from which on it may be written again
};

/// `stage` NULL: of the run's own.
void metrics_add(struct metrics *m, const char *stage, const char *name, double value, uint32_t mode);
void metrics_frame_begin(struct metrics *m);
/// Add the frame's row, which begins with `first`, a text for the heading's columns; nothing where no files are
/// written. The file is written unless it has just been. Errors are said.
enum bw_status metrics_frame_end(struct metrics *m, const char *first);
/// Write the rows that the file lacks. Errors are said.
enum bw_status metrics_settle(struct metrics *m);
/// The largest of this frame's metrics of that name, whatever the stage; NAN: there is none.
double metrics_largest(const struct metrics *m, const char *name);
/// The last value of "stage.metric", NAN when absent.
double metrics_last(const struct metrics *m, const char *name);
/// Save or restore all of it.
enum bw_status metrics_checkpoint(struct metrics *m, struct bw_archive *a);
void metrics_free(struct metrics *m);

#endif
