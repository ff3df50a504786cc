// SPDX-License-Identifier: Apache-2.0
/* Acceleration by turbulence: the curl of a vector potential ψ of gradient noise, everywhere or at fronts of a field. ψ
 * lives on cell edges and the curl is the discrete one, so it has no divergence at all on the grid (Bridson, Hourihan,
 * Nordenstam 2007, with edges for their finite differences); in a domain one cell thick only the component of ψ along
 * the thin axis is there. */
#ifndef TURBULENCE_H
#define TURBULENCE_H

#include "front.h"
#include <common/simd_pick.h>
#include <billow/noise.h>

/// A step's turbulence; read by all workers.
struct turbulence_plan {
    double size, speed;              ///< of the largest eddies, m; of the pattern, m/s: they live for size/speed
    double time;                     ///< s
    double factor[BW_NOISE_OCTAVES]; ///< of ψ's octaves, each half as large as the one before; m²/s²
    int octaves;
    uint64_t seed;
    int fronts; ///< view of front_smooth's field, where eddies are by its change: x²/(1 + x²), x over the width as a
                ///< multiple of front_change; 0: everywhere
    double front_width, front_change;
    /// With a view of the velocity the acceleration is multiplied by u²/radius + |per field| of two more scalars: by
    /// what turns the flow round and what drives it. Views have a halo of FRONT_HALO; 0: none.
    int flow, driver[2];
    double radius, per[2]; ///< m; m/s² per unit of the driver
    int smoke, age; ///< views with a halo of FRONT_HALO of smoke and its age, by which eddies grow; 0: they do not
    double faint;   ///< a share that is none
    double most;    ///< m/s²: u²/radius levels off there; 0: nowhere
    double limit;   ///< 1/s: u²/radius goes over to limit·u where u/radius is more: what long steps can stand
};

/// ψ on the edges of a block: component c at edge (i,j,k) is [c][i + j*sy + k*sz], n + 1 edges along each axis.
struct turbulence_edges {
    float *psi[3]; ///< NULL: it is 0 everywhere
    ptrdiff_t sy, sz;
    uint8_t *rows; ///< of edges (j,k), n + 1 a layer: 0 where ψ is 0 in all of it; NULL: in none
};

/// Set the octaves of eddies from `size` down to two cells, `octaves` at most, whose acceleration has the root mean
/// square `strength`. It falls by 2^(-1/3) an octave, as in Kolmogorov's cascade. octaves.c.
void turbulence_octaves(struct turbulence_plan *t, const struct bw_domain_info *d, double strength, int64_t octaves);
/// Compiled once a SIMD level; all give the same bits.
struct turbulence_kernels {
    /// In a body: ψ of its block. 0: out of memory.
    int (*edges_make)(const struct turbulence_plan *t, const struct bw_block *b, struct turbulence_edges *e);
    /// f += cover·scale·(the differences of ψ that make component `axis` of its curl) for n faces from face `from` on;
    /// scale: 1/h. `cover` NULL: 1.
    void (*add_row)(const struct turbulence_edges *e, int axis, const int from[3], int n, double scale,
                    const double *cover, float *f);
};
extern const struct turbulence_kernels turbulence_kernels_baseline, turbulence_kernels_avx2, turbulence_kernels_avx512;

static inline const struct turbulence_kernels *turbulence_kernels_for(uint32_t simd)
{
    return SIMD_PICK(turbulence_kernels, simd);
}

#endif
