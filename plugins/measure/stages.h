// SPDX-License-Identifier: Apache-2.0
/* The measure family: one descriptor a file, listed by module.c. */
#ifndef MEASURE_H
#define MEASURE_H

#include <billow/plugin.h>

extern const struct bw_stage_desc measure_stats_desc, measure_probe_desc;

#endif
