// SPDX-License-Identifier: Apache-2.0
/* What exporters take, beside the simulation: columns of timings.csv, a part of the progress line, a sentence at the
 * end. Their work on a frame ends after its row: a row has what was done since the row before. */
#ifndef EXPORTER_TIME_H
#define EXPORTER_TIME_H

#include "exporter.h"
#include "run/output/metrics.h"

/// The columns export.ID.seconds of the row in the making.
void exporter_time_row(struct exporter_list *list, struct metrics *timings);
/// The exporter that has worked longest; NULL: none has. Its seconds into `most`.
const char *exporter_time_most(const struct exporter_list *list, double *most);
/// Say what each took, and of pictures that took more than the stages what makes them cheaper.
void exporter_time_report(const struct exporter_list *list, double stages);

#endif
