// SPDX-License-Identifier: Apache-2.0
/* Paths that only a preset that is tuned has. */
#ifndef WEB_TUNING_H
#define WEB_TUNING_H

#include "visit.h"

/// NULL: there is no such path.
const struct routing *tuning_find(const char *path);

#endif
