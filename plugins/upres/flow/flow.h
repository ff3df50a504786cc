// SPDX-License-Identifier: Apache-2.0
/* What the two files of upres.flow share: flow.c reads the cache and makes the flow, flow_noise.c the noise in it. */
#ifndef UPRES_FLOW_H
#define UPRES_FLOW_H

#include "cache.h"
#include "wavelet_noise.h"
#include "texture.h"

enum { FLOW_BANDS = 5 };
enum { FLOW_VEL, FLOW_NOISE }; ///< ports

struct flow {
    const char *grid, *around;
    double strength, decay, renew;
};

struct band {
    double s;    ///< lattice spacing, m
    float scale; ///< potential for an amplitude of 1 m/s, times m
    int fill;    ///< takes the amplitude that the cache lacks, not one derived from finer energy
};

struct flow_state {
    struct cache cache;
    struct lattice lattice;
    struct dense before, after, now; ///< flow of two files, and between them
    struct dense smoke[2];           ///< of the same two files: what noise is made around; comps 0: everywhere
    struct dense solid;              ///< one component: band less distance, 0 far away; comps 0: there are no obstacles
    float solid_band;
    struct lattice solid_lattice;
    struct texture texture;
    struct spectrum spectrum;
    const vec4 *tile;
    struct band band[FLOW_BANDS];
    int n_bands;
    int64_t number;      ///< of the file in `after`
    int32_t (*known)[3]; ///< tiles that have this frame's noise, by coordinate
    int64_t n_known;
};

/// This frame's noise for the tiles that lack it: after a new file (n_known = 0) all, in later substeps those that
/// woke.
enum bw_status flow_noise(struct bw_stage *s);
/// Save or restore all that was read, measured and carried; flow.c makes the octaves anew.
enum bw_status flow_kept(struct bw_stage *s, struct bw_archive *a);

#endif
