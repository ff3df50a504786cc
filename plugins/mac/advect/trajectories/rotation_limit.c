// SPDX-License-Identifier: Apache-2.0
/* Limit of the time step by rotation, for a velocity that is centred in time. Newton's method finds departure points as
 * long as gas rotates by ROTATION_MOST at most (advect_newton.h). Beyond, eddies gain or lose energy: in a trial
 * without this limit a vortex with a core of 5.7 cells had .98 of its peak vorticity with steps of 5 cells, 1.36 radian
 * at its middle, and 5 times it with steps of 8. Step length also matters where eddies pass one another: so
 * ROTATION_PER_CELL for each cell that gas may move, ROTATION_LEAST at least. The rate is the square root of Q = -½
 * tr(∇u ∇u) (the Q-criterion), which is 0 in shear, however strong: there is no rotation, and the solve is exact. */
#include "advect/advect_pass.h"

/* radian */
#define ROTATION_MOST 1.0
#define ROTATION_LEAST 0.4
#define ROTATION_PER_CELL 0.2

static void block_rotation(const struct bw_block *b, void *user)
{
    const struct pass *p = user;
    const struct bw_view *v = &b->view[0];
    const int thin = b->grid->thin;
    const int32_t step[3] = {thin != 0, thin == 1 ? 0 : (int32_t)v->sy, thin == 2 ? 0 : (int32_t)v->sz};
    float most = 0;
    for (int32_t k = 0; k < b->n[2]; k++)
        for (int32_t j = 0; j < b->n[1]; j++) {
            const float *u[3];
            for (int c = 0; c < 3; c++) u[c] = bw_f32(v, c) + j * v->sy + k * v->sz;
            p->kernels->rotation(u, step, b->n[0], &most);
        }
    b->max[0] = (double)most;
}

enum bw_status rotation_limit(struct pass *p, double *dt)
{
    struct bw_stage *s = p->stage;
    double most = 0;
    const struct bw_access access = {p->vel, BW_READ, 1};
    const enum bw_status st = s->host->sweep(
        s, &(struct bw_sweep){
               .access = &access, .n_access = 1, .body = block_rotation, .user = p, .maxs = &most, .n_maxs = 1});
    const double cells = p->options->cfl > 0 ? p->options->cfl : s->cfl,
                 turn =
                     cells > 0 ? fmin(fmax(ROTATION_PER_CELL * cells, ROTATION_LEAST), ROTATION_MOST) : ROTATION_MOST;
    *dt = most > 0 ? turn * s->grid->h / sqrt(most) : HUGE_VAL;
    return st;
}
