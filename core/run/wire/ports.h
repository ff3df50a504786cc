// SPDX-License-Identifier: Apache-2.0
/* Ports as a preset has them: a stage's rows, with what its parameters say about them. */
#ifndef PORTS_H
#define PORTS_H

#include "fields.h"
#include "run/stage/stage.h"

/// Names in the parameter that fills a list port; `comps` of an amount decides scalar or vector.
struct port_names {
    const char *name[64];
    int32_t comps[64];
    uint32_t n;
};

extern const char *const port_kind_word[], *const port_precision_word[];
/// Row i of a stage's port table, with what its parameters say of background and precision.
struct bw_port port_row(const struct run_stage *s, uint32_t i);
/// Name that a single port is bound to. New memory.
char *port_name(const struct run_stage *s, const struct bw_port *p);
/// Names in parameter `key`.
void port_names_of(const struct run_stage *s, const char *key, struct port_names *out);
/// Who made a field, for messages.
const char *port_creator_name(const struct stage_list *stages, const struct run_field *f);

#endif
