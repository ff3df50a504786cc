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

/// Where the flow is wanted.
struct flow_points {
    int64_t count;
    const bw_vec3 *pos;   ///< m
    const double *radius; ///< σ of vortons that are there, m; NULL: the cores of the vortons that act count alone
};

/// Cores in the nodes of a tree.
struct node_cores {
    float *spread, *reach; ///< mean σ²; largest σ
};

/// Radii of the points of a tree, scaled, in its order; NULL: none.
struct point_cores {
    float *per2; ///< 1/σ²
    struct node_cores node;
    struct buffer memory;
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
    struct point_cores target_cores, check_cores;
    struct pair_sources sorted; ///< the source tree's vortons, scaled
    double strength_scale;      ///< sorted = α · this / 4π
    struct expansion_table table[EXPANSION_MAX + 1];
    int32_t order; ///< of the moments that are there; 0: none
    float *moment; ///< per node
    struct node_cores cores;
    enum pair_kernel kernel;
    struct buffer memory[8];
};

/* ---- source_moments.c ---- */

/// Copy and sort the vortons, which must all be finite. Before evaluate, and whenever they changed.
enum bw_status multipole_sources(struct bw_stage *s, struct multipole *f, const struct vortons *v,
                                 enum pair_kernel kernel);
/// Compute the multipole moments up to an order, unless they are valid. For multipole.c.
enum bw_status multipole_moments(struct bw_stage *s, struct multipole *f, int32_t order);

/// Mean σ² and largest σ of every node, from the points' 1/σ². For multipole.c.
void node_cores_sum(const struct tree *t, const float *per2, const struct node_cores *out);

/* ---- multipole.c ---- */

/// Take over where the flow is wanted (nothing of `at` is kept): in an octree for fast plans, in the order given for
/// others.
enum bw_status multipole_points(struct bw_stage *s, struct multipole *f, const struct flow_points *at, int fast);
/// Add velocity (count × 3) and, unless NULL, gradient (count × 9) at those points.
enum bw_status multipole_evaluate(struct bw_stage *s, struct multipole *f, const struct multipole_plan *plan,
                                  double *velocity, double *gradient);
/// Add what is left beside the velocities of Gaussian cores σ = `smooth` (m), of which nothing counts beyond `reach`
/// (m). After multipole_points with fast = 1.
enum bw_status multipole_correct(struct bw_stage *s, struct multipole *f, double smooth, double reach, double *velocity,
                                 double *gradient);
/// Set velocity (count × 3) at a few points by every pair; f's own points stay.
enum bw_status multipole_check(struct bw_stage *s, struct multipole *f, const struct flow_points *at, double *velocity);
/// Error of a fast plan's velocity at some of the points, root mean square over root mean square: those of a few
/// leaves, as the whole evaluation would find them, against the direct sum.
enum bw_status multipole_error(struct bw_stage *s, struct multipole *f, const struct multipole_plan *plan,
                               const struct flow_points *at, double *error);

#endif
