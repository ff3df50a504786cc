// SPDX-License-Identifier: Apache-2.0
/* Velocity and its gradient of many vortons at many points: directly, or by a fast multipole method. */
#ifndef MULTIPOLE_H
#define MULTIPOLE_H

#include "expansion.h"
#include "tree.h"

/// Vortons as their particle attributes hold them.
struct vortons {
    int64_t count;
    const bw_vec3 *pos, *strength; ///< m; α, m³/s
    const double *radius;          ///< σ, m, > 0
};

/// How to evaluate.
struct multipole_plan {
    int32_t fast;  ///< 0: every pair
    int32_t order; ///< of the expansions, 1 … EXPANSION_MAX
    double theta;  ///< cells of radii a and b at distance d are far from each other when a + b < θ d
    double core;   ///< … and their boxes this many Gaussian σ apart
};

/// What is kept between evaluations. Zero it first.
struct multipole {
    const struct pair_table *pairs;
    struct tree source, target, check; ///< vortons; points; points of multipole_error
    struct pair_sources sorted;        ///< the source tree's vortons, scaled
    double strength_scale;             ///< sorted = α · this / 4π
    struct expansion_table table[EXPANSION_MAX + 1];
    int32_t order;                  ///< of the moments that are there; 0: none
    float *moment, *spread, *reach; ///< per node: moments; mean σ²; largest σ
    enum pair_kernel kernel;
    struct buffer memory[8];
};

/* ---- source_moments.c ---- */

/// Copy and sort the vortons, which must all be finite. Before evaluate, and whenever they changed.
enum bw_status multipole_sources(struct bw_stage *s, struct multipole *f, const struct vortons *v,
                                 enum pair_kernel kernel);
/// Compute the multipole moments up to an order, unless they are valid. For multipole.c.
enum bw_status multipole_moments(struct bw_stage *s, struct multipole *f, int32_t order);

/* ---- multipole.c ---- */

/// Take over where the flow is wanted (`pos` is not kept): in an octree for fast plans, in the order given for others.
enum bw_status multipole_points(struct bw_stage *s, struct multipole *f, int64_t count, const bw_vec3 *pos, int fast);
/// Add velocity (count × 3) and, unless NULL, gradient (count × 9) at those points.
enum bw_status multipole_evaluate(struct bw_stage *s, struct multipole *f, const struct multipole_plan *plan,
                                  double *velocity, double *gradient);
/// Add what is left beside the velocities of Gaussian cores σ = `smooth` (m), of which nothing counts beyond `reach`
/// (m). After multipole_points with fast = 1.
enum bw_status multipole_correct(struct bw_stage *s, struct multipole *f, double smooth, double reach, double *velocity,
                                 double *gradient);
/// Set velocity (count × 3) at a few points by every pair; f's own points stay.
enum bw_status multipole_check(struct bw_stage *s, struct multipole *f, int64_t count, const bw_vec3 *pos,
                               double *velocity);
/// Error of a fast plan's velocity at some of the points, root mean square over root mean square: those of a few
/// leaves, as the whole evaluation would find them, against the direct sum.
enum bw_status multipole_error(struct bw_stage *s, struct multipole *f, const struct multipole_plan *plan,
                               const bw_vec3 *pos, double *error);

#endif
