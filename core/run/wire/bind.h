// SPDX-License-Identifier: Apache-2.0
/* Binds each port of a stage to the fields that it names, and says why where that cannot work. */
#ifndef BIND_H
#define BIND_H

#include "ports.h"

/// Bind and check all ports of a stage. `fields` of what is bound hold indices in the table until the fields exist.
/// Errors are said.
enum bw_status bind_stage(const struct field_table *t, struct stage_list *stages, int32_t index);

#endif
