// SPDX-License-Identifier: Apache-2.0
/* Limit of the time step by rotation, for a velocity that is centred in time. Beyond, departure points are not found
 * and eddies gain or lose energy, and step length matters where eddies pass one another. The rate is the root of Q = -½
 * tr(∇u ∇u) (the Q-criterion), which is 0 in shear, however strong: there is no rotation, and the solve is exact.
 *
 * What counts is the rate of the eddies that hold the rotation, not of the one cell that turns fastest: in turbulence
 * that is two to three times as fast, and would halve all steps. So the rate is the root of ΣQ³ / ΣQ², which in a
 * Gaussian vortex is .82 of its middle's. The middle may turn by ROTATION_PER_CELL for each cell that gas may move,
 * ROTATION_LEAST at least and ROTATION_MOST at most. No cell turns by more than ROTATION_ANY, for which Newton's method
 * has a third step (advect_newton.h). A vortex with a core of 5.7 cells that turns by 1.5 radian at its middle keeps
 * 1.03 of its peak so, .73 by two steps. */
#include "advect/advect_pass.h"

/* radian */
#define ROTATION_ANY 1.6
#define ROTATION_MOST 1.0
#define ROTATION_LEAST 0.4
#define ROTATION_PER_CELL 0.2
#define GAUSSIAN 0.82 ///< its mean rate, of that in its middle: the root of 2/3

enum { SUM_SQUARES, SUM_CUBES, SUMS };

static void block_rotation(const struct bw_block *b, void *user)
{
    const struct pass *p = user;
    const struct bw_view *v = &b->view[0];
    const int thin = b->grid->thin;
    const int32_t step[3] = {thin != 0, thin == 1 ? 0 : (int32_t)v->sy, thin == 2 ? 0 : (int32_t)v->sz};
    struct advect_rotation r = {.most = {0}};
    for (int32_t k = 0; k < b->n[2]; k++)
        for (int32_t j = 0; j < b->n[1]; j++) {
            const float *u[3];
            for (int c = 0; c < 3; c++) u[c] = bw_f32(v, c) + j * v->sy + k * v->sz;
            p->kernels->rotation(u, step, b->n[0], &r);
        }
    for (int l = 0; l < ADVECT_ROTATION_LANES; l++) {
        b->max[0] = fmax(b->max[0], (double)r.most[l]);
        b->sum[SUM_SQUARES] += r.squares[l];
        b->sum[SUM_CUBES] += r.cubes[l];
    }
}

enum bw_status rotation_limit(struct pass *p, double *dt)
{
    struct bw_stage *s = p->stage;
    double most = 0, sum[SUMS] = {0};
    const struct bw_access access = {p->vel, BW_READ, 1};
    const enum bw_status st = s->host->sweep(s, &(struct bw_sweep){.access = &access,
                                                                   .n_access = 1,
                                                                   .body = block_rotation,
                                                                   .user = p,
                                                                   .sums = sum,
                                                                   .n_sums = SUMS,
                                                                   .maxs = &most,
                                                                   .n_maxs = 1});
    const double cells = p->options->cfl > 0 ? p->options->cfl : s->cfl,
                 turn =
                     cells > 0 ? fmin(fmax(ROTATION_PER_CELL * cells, ROTATION_LEAST), ROTATION_MOST) : ROTATION_MOST;
    *dt = HUGE_VAL;
    if (most > 0) *dt = ROTATION_ANY * s->grid->h / sqrt(most);
    if (sum[SUM_SQUARES] > 0) *dt = fmin(*dt, GAUSSIAN * turn * s->grid->h / sqrt(sum[SUM_CUBES] / sum[SUM_SQUARES]));
    if (*dt < HUGE_VAL) *dt = (double)(float)*dt; // the sums of a mirrored flow are rounded otherwise
    return st;
}
