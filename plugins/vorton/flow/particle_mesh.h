// SPDX-License-Identifier: Apache-2.0
/* The smooth part of a flow of many vortons by Fourier transforms on a mesh in unbounded space. */
#ifndef VORTON_PARTICLE_MESH_H
#define VORTON_PARTICLE_MESH_H

#include "flow/multipole/multipole.h"
#include <fftw3.h>

/// What is kept between evaluations. Zero it first; particle_mesh_free at the end.
struct particle_mesh {
    int32_t n[3];           ///< nodes along each axis
    int32_t pitch;          ///< complex numbers a row, a multiple of 8
    double core;            ///< σ of the kernel on the mesh, in steps
    double origin[3], h;    ///< of this evaluation, m
    float *kernel[3];       ///< its transform, over i: (n+1)³ values, x fastest
    fftwf_complex *data[3]; ///< n[2] planes of 2 n[1] rows
    fftwf_plan row, row_back, column, column_back, deep, deep_back;
    int32_t *order, *begin; ///< vortons by their lowest plane
    int ready;              ///< plans and kernel are those of n and core
    struct buffer memory[6];
};

/// Add velocity (count × 3) and, unless NULL, gradient (count × 9) of all vortons at the points, as if every vorton had
/// a Gaussian core of σ = core·h. Errors: BW_ERR_MEMORY.
enum bw_status particle_mesh_evaluate(struct bw_stage *s, struct particle_mesh *m, const struct vortons *v, double h,
                                      double core, int64_t count, const bw_vec3 *pos, double *velocity,
                                      double *gradient);
/// Nodes of the mesh that vortons and points would need at step h, all axes multiplied.
double particle_mesh_nodes(const double lo[3], const double hi[3], double h);
void particle_mesh_free(struct particle_mesh *m);

#endif
