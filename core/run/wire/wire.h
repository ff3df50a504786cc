// SPDX-License-Identifier: Apache-2.0
/* Who makes which field, who reads it, and whether that can work: first every port that brings a field into being is
 * entered, then all ports are bound and checked (bind.c), before a byte of field storage exists. */
#ifndef WIRE_H
#define WIRE_H

#include "ports.h"

/// Fill the table, bind all ports, make the fields. Errors are said; of each stage the first one.
enum bw_status wire(struct field_table *t, struct stage_list *stages, struct bw_domain *const *domain);

#endif
