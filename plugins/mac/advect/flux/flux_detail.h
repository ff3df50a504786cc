// SPDX-License-Identifier: Apache-2.0
/* Eddies that the cells of a wide flow can't hold, as noise on finer faces (mac.advect's `detail`). */
#ifndef FLUX_DETAIL_H
#define FLUX_DETAIL_H

#include "advect/advect_pass.h"
#include "wide_box.h"
#include <common/noise/wavelet_noise.h>

enum {
    DETAIL_AROUND = 4, ///< wide cells round a block that it reads
    DETAIL_SETS = 2,
    DETAIL_OCTAVES = 2,
    DETAIL_FIELDS = 8 ///< more are not looked at one by one
};

/// The noise, and this step's; read by all workers.
struct flux_detail {
    const vec4 *tile; ///< NULL: not made yet
    const struct bw_sample_api *sample;
    int32_t octaves;
    double spacing[DETAIL_OCTAVES]; ///< of the noise's lattice, m
    float scale[DETAIL_OCTAVES];    ///< of ψ, m: for 1 m/s
    // of a step
    struct bw_field *field[DETAIL_FIELDS]; ///< noise is made where one of these holds something; none: everywhere
    uint32_t n_fields;
    uint64_t seed;
    float ahead[DETAIL_SETS], weight[DETAIL_SETS]; ///< s since the middle of a set's life
    int64_t life[DETAIL_SETS];                     ///< how many it has had
    float strength, least;                         ///< least: of noise, m/s
};

/// [main] The noise on cells of `s`. false: out of memory.
bool flux_detail_init(struct flux_detail *d, struct bw_stage *s);
/// [main] The noise of this step.
void flux_detail_begin(struct flux_detail *d, const struct bw_stage *s, double strength);
/// Add it to view 0 of a block, whose wide cells are `w`; the energy of flow and noise to b->sum[0] and [1].
/// false: out of memory.
bool flux_detail_add(const struct bw_block *b, const struct flux_detail *d, const struct wide_box *w);

#endif
