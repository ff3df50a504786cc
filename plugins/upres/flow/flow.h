// SPDX-License-Identifier: Apache-2.0
/* The parts of upres.flow: the cache's flow, interpolated (flow.c), and the curl noise added to it (flow_noise.c). */
#ifndef UPRES_FLOW_H
#define UPRES_FLOW_H

#include "cache.h"
#include <common/noise/wavelet_noise.h>
#include "texture.h"

enum { FLOW_OCTAVES = 5 };
enum { FLOW_VEL, FLOW_NOISE }; ///< ports

struct flow {
    const char *grid, *around;
    double strength, decay, renew;
};

struct octave {
    double s;    ///< lattice spacing, m
    float scale; ///< potential for an amplitude of 1 m/s, times m
    int fill;    ///< amplitude: spectrum.fill, the energy that the cache lacks; else spectrum.fine
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
    struct octave octave[FLOW_OCTAVES];
    int n_octaves;
    int64_t number;            ///< of the file in `after`
    int32_t (*noise_tiles)[3]; ///< tiles that have this frame's noise, by coordinate
    int64_t n_noise_tiles;
};

/// Writes this frame's noise into tiles that lack it: after a new file (n_noise_tiles = 0) all, in later substeps newly
/// activated ones.
enum bw_status flow_noise(struct bw_stage *s);
/// Saves or restores the flow, amplitudes and texture coordinates; flow.c recomputes the octaves.
enum bw_status flow_checkpoint(struct bw_stage *s, struct bw_archive *a);

#endif
