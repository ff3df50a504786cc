// SPDX-License-Identifier: Apache-2.0
/* Where what is seen is saved: in the folder `views` beside the cache, under names that nothing has yet. */
#ifndef WEB_PLACE_H
#define WEB_PLACE_H

#include "shelf/source.h"

enum { PLACE = 4096 };

/// Write under the first free name, by `write` (which answers BW_ERR_IO where a name is taken); its whole path, or what
/// hinders it, in `said`. 1: it is written.
int place_write(struct source *s, const char *ending, enum bw_status (*write)(void *user, const char *path), void *user,
                char said[PLACE]);

#endif
