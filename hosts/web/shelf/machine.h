// SPDX-License-Identifier: Apache-2.0
#ifndef WEB_MACHINE_H
#define WEB_MACHINE_H

#include <billow/bake.h>
#include <jansson.h>

/// Cores, the last minute's load, bytes of memory and how many are used; new. 0: it is not known.
json_t *machine_tell(int64_t cores);
/// Cores that this process may use.
int64_t machine_cores(struct bw_session *session);

#endif
