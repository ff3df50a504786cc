// SPDX-License-Identifier: Apache-2.0
/* Biot–Savart law: velocity and velocity gradient induced by vortons at points, pair by pair. Inner loops of the direct
 * sum and of the multipole method's near field and M2L, compiled once a SIMD level (biot_savart.c).
 *
 *     u(x) = Σ α × r  f(|r|),   r = x - x_vorton,   f = q(ρ)/(4π|r|³),   ρ = |r|/σ
 *     ∂u_i/∂x_j = Σ f ε_ikj α_k + (α × r)_i r_j g,   g = f'/|r|
 *
 * Between vortons whose radii differ (points that have one) σ² = (σ_point² + σ_vorton²)/2: what each does to the other
 * cancels in the impulse.
 *
 * Positions are single precision but relative to centres close by, so that what is rounded is the distance, not the
 * place in the world; sums over one call are single, sums over calls double. */
#ifndef VORTON_BIOT_SAVART_H
#define VORTON_BIOT_SAVART_H

#include <stdint.h>

/* Kernels: q(ρ) → ρ³ at the centre (gourlay: ρ²), → 1 far away.
 *   gaussian    erf(ρ/√2) - √(2/π) ρ exp(-ρ²/2)        vorticity a Gaussian of deviation σ
 *   algebraic   ρ³(ρ² + 5/2)/(ρ² + 1)^(5/2)            Winckelmans & Leonard 1993, second order in σ as the Gaussian
 *   moore       ρ³/(ρ² + 1)^(3/2)                      Rosenhead 1930, Moore 1972; far field off by 3σ²/2r²
 *   gourlay     min(ρ², 1)                             Gourlay: speed constant inside the radius
 * PAIR_FAR is q = 1 everywhere: for what is far enough away. */
enum pair_kernel { PAIR_GAUSSIAN, PAIR_ALGEBRAIC, PAIR_MOORE, PAIR_GOURLAY, PAIR_FAR, PAIR_KERNELS };

/* Points are handled PAIR_GROUP at a time: pad with any finite position. */
enum { PAIR_GROUP = 16 };

/// Vortons, structure of arrays: positions relative to the centre of their own group.
struct pair_sources {
    float *pos[3], *strength[3]; ///< m; α/4π, m³/s
    float *per2, *per3;          ///< 1/σ², 1/σ³
};

/// Points, structure of arrays relative to the centre of their group; `out` has rows of `stride`: 3 of velocity, then
/// 9 of its gradient where asked for.
struct pair_points {
    const float *pos[3];
    const float *per2; ///< 1/σ² of the points; NULL: the vortons' cores alone
    double *out;
    int64_t stride;
    int32_t count; ///< rounded up to PAIR_GROUP by the caller
};

/// Add what sources first … first+count-1 do to the points; `shift`: their centre less the points' centre.
typedef void (*pair_fn)(enum pair_kernel k, const struct pair_sources *s, int64_t first, int64_t count,
                        const float shift[3], const struct pair_points *p);

/* Expansions: see expansion.h. One batch of BATCH source cells acts on one target cell. */
enum { EXPANSION_BATCH = 16, EXPANSION_MAX = 8, EXPANSION_TERMS = 165 };

/// One term of a product: out[to] += in[from] * with[by] * times.
struct expansion_term {
    int16_t to, from, by, unused;
    float times;
};

/// The table of an order; made by expansion_tables.
struct expansion_table {
    int32_t order, terms, products;
    int8_t power[EXPANSION_TERMS][3];
    int16_t lower[EXPANSION_TERMS][3];    ///< index of k - e_a, or -1
    int16_t lower2[EXPANSION_TERMS][3];   ///< index of k - 2e_a, or -1
    const struct expansion_term *product; ///< n, m with |n + m| ≤ order, by n
    const int32_t *begin;                 ///< where each n's products begin; terms + 1 of them
};

struct pair_table {
    pair_fn velocity, gradient;
    /// local[3 × terms] += what `count` ≤ EXPANSION_BATCH cells do: `moment[i]` (3 × terms, signs included) at distance
    /// d[a][i] = target centre - source centre, softened by soft2[i] (1/sqrt(d² + soft²)).
    void (*m2l)(const struct expansion_table *t, int32_t count, const float *const *moment,
                const float d[3][EXPANSION_BATCH], const float *soft2, float *local);
    /// Add curl and, when `gradient`, its derivatives of the local expansion to the points.
    void (*evaluate)(const struct expansion_table *t, const float *local, const struct pair_points *p,
                     int32_t gradient);
};
extern const struct pair_table pairs_baseline, pairs_avx2, pairs_avx512;

#endif
