// SPDX-License-Identifier: Apache-2.0
/* What wire.c and wire_bind.c share. */
#ifndef WIRE_H
#define WIRE_H

#include "run/chain.h"

/* Names in the parameter that fills a list port; `comps` of an amount decides scalar or vector. */
struct wire_names {
    const char *name[64];
    int32_t comps[64];
    uint32_t n;
};

extern const char *const wire_kind_word[], *const wire_precision_word[];
/// Name that a single port is bound to. New memory.
char *wire_port_name(const struct chain_stage *s, const struct bw_port *p);
/// Names in parameter `key`.
void wire_names_of(const struct chain_stage *s, const char *key, struct wire_names *out);
/// Who made a field, for messages.
const char *wire_creator_name(const struct bw_chain *c, const struct chain_field *f);
/// Bind and check all ports of a stage. Errors are said.
enum bw_status wire_stage_bind(struct bw_chain *c, int32_t index);

#endif
