// SPDX-License-Identifier: Apache-2.0
#ifndef BODIES_STAGES_H
#define BODIES_STAGES_H

#include <common/bodies.h>

extern const struct bw_attribute body_attributes[BODY_ATTRIBUTES];
extern const struct bw_stage_desc body_desc, bodies_desc, body_solid_desc;

#endif
