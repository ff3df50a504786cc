// SPDX-License-Identifier: Apache-2.0
/* Cartesian Taylor expansions of the vector potential ψ = Σ α/(4π |x - y|), three components at once.
 * A source cell holds moments M_k = Σ α (c - y)^k; a target cell a local series ψ(x) = Σ L_n (x - c)^n with
 * L_n = Σ_{|n+m| ≤ p} C(n+m, n) a_{n+m}(c_target - c_source) M_m, a_k = ∂^k(1/r)/k!. */
#ifndef VORTON_EXPANSION_H
#define VORTON_EXPANSION_H

#include "flow/biot_savart.h"
#include <billow/plugin.h>

/// Terms of order p: monomials of degree ≤ p.
static inline int32_t expansion_terms(int32_t p) { return (p + 1) * (p + 2) * (p + 3) / 6; }

/// Fill the table of order p ≤ EXPANSION_MAX, its lists in memory of `s` kept until uninit.
enum bw_status expansion_make(struct bw_stage *s, struct expansion_table *t, int32_t order);
/// P2M: moments (3 × terms) += one vorton of strength alpha at `from_centre` = centre - y.
void expansion_p2m(const struct expansion_table *t, const float from_centre[3], const float alpha[3], float *moment);
/// M2M: parent's moments += child's, moved by `step` = parent's centre - child's.
void expansion_m2m(const struct expansion_table *t, const float *child, const float step[3], float *parent);
/// L2L: child's local series += parent's, about the child's centre, `step` = child's centre - parent's.
void expansion_l2l(const struct expansion_table *t, const float *parent, const float step[3], float *child);

#endif
