// SPDX-License-Identifier: Apache-2.0
/* A flow of wide cells for amounts of fine ones (domain.flow). */
#ifndef FLUX_REFINE_H
#define FLUX_REFINE_H

#include "advect/advect_pass.h"

#define REFINE_FLOW "mac.refine_flow/1"
/// The flux that carries amounts in this step, on wide cells, and its obstacles; NULL: none.
struct refine_flow {
    struct bw_field *flow;
    const struct walls *walls;
};
/// Offered by mac.advect on the flow's cells to that on the amounts'.
struct refine_flow_api {
    /// [main] In a step, before its own; good until that one returns.
    enum bw_status (*flow)(struct bw_stage *advect, struct refine_flow *out);
};

struct flux_detail;
/// Write it, and the noise of `detail` unless that is NULL, to the mac field `to` of the stage's own domain.
/// Errors: the sweep's.
enum bw_status flux_refine(struct bw_stage *s, const struct refine_flow *from, const struct flux_detail *detail,
                           struct bw_field *to);

#endif
