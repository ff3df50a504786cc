// SPDX-License-Identifier: Apache-2.0
#ifndef WEB_MACHINE_H
#define WEB_MACHINE_H

#include <jansson.h>

/// Cores, the last minute's load, bytes of memory and how many are used; new. 0: it is not known.
json_t *machine_tell(void);

#endif
