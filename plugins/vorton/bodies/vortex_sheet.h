// SPDX-License-Identifier: Apache-2.0
/* The vortex sheet on a rigid body that enforces its motion on the surface (no-through, no-slip): a boundary element
 * solve, factored once for a shape of unit size. */
#ifndef VORTEX_SHEET_H
#define VORTEX_SHEET_H

#include "flow/biot_savart.h"
#include "vorton.h"

enum { SHEET_NEAR = 16 };

/// In units of the body's `scale` and in its own axes. A motion is six numbers: velocity, and spin times scale (all
/// m/s); strengths are in m/s · scale². Unknowns: two strengths along tangents for each node.
struct sheet {
    int32_t kind; ///< SHAPE_SPHERE or SHAPE_BOX
    enum pair_kernel kernel;
    double half[3];               ///< half extents
    int64_t wanted, fine;         ///< nodes asked for; vortons along a node's edge
    int64_t nodes, grains;        ///< how many there are of either
    double volume, spacing;       ///< of the body; of nodes
    double sigma, depth;          ///< of grains: core; how far inside the points lie
    double core;                  ///< σ of the vorton in the middle
    bw_vec3 *point, *tangent;     ///< of nodes, just inside the surface; two a node
    bw_vec3 *grain;               ///< on the surface: where the sheet's vortons stand
    int32_t (*near)[SHEET_NEAR];  ///< nodes that a grain's strength is made of; -1: no more
    double (*weight)[SHEET_NEAR]; ///< of each; all grains' together 1 a node
    double *influence;            ///< 3 nodes × 2 nodes: velocities at the points by unknowns, closed by the middle
    bw_vec3 *middle;              ///< 3 nodes: the same by the middle's strength
    double *low;                  ///< 2 nodes × 2 nodes: lower triangle of Cholesky's factor
    double *sum;                  ///< 3 × 2 nodes: the strengths' sum
    double *impulse_of; ///< 6 × 2 nodes: impulse ½Σ r × α and angular impulse ⅓Σ r × (r × α) of the grains
    double *unit;       ///< 6 × 2 nodes: sheets of unit motions, closed by the middle
    double unit_impulse[6][6]; ///< [k]: impulses of unit motion k's sheet and middle
};

/// Errors: memory; a factor that fails is reported.
enum bw_status sheet_make(struct bw_stage *s, struct sheet *sh);
/// Least squares: unknowns whose flow at the points is nearest to `wanted`, with the middle's that makes their sum
/// `closing`.
void sheet_solve(const struct sheet *sh, const bw_vec3 *wanted, const double closing[3], double *out);
/// Strength of the vorton in the middle.
void sheet_middle(const struct sheet *sh, const double *x, const double closing[3], double out[3]);
/// Six impulses of a sheet and its middle, added.
void sheet_impulse_sum(const struct sheet *sh, const double *x, const double closing[3], double out[6]);
/// Strength of grain i in the body's axes.
void sheet_strength(const struct sheet *sh, const double *x, int64_t i, double out[3]);
/// ½ r × α and ⅓ r × (r × α), times `times`, added to six numbers.
void sheet_impulse(const double r[3], const double strength[3], double times, double out[6]);

#endif
