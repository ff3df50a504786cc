// SPDX-License-Identifier: Apache-2.0
/* The age a of smoke of density q, which the gas advects: its mean by mass, which grows by a second a second,
 *     d(q a)/dt + div(q a u) = q
 * q a is advected as smoke is, as a fraction of the gas's mass, through all substeps of a step; the quotient is taken
 * at its end. */
#include "flux.h"
#include <common/age.h>
#include <stdbool.h>

enum { VIEW_AGE, VIEW_SMOKE };

static void block_weigh(const struct bw_block *b, void *user)
{
    (void)user;
    const struct bw_view *a = &b->view[VIEW_AGE], *q = &b->view[VIEW_SMOKE];
    float most[AGE_MOST] = {0};
    for (int32_t k = 0; k < b->n[2]; k++)
        for (int32_t j = 0; j < b->n[1]; j++)
            age_weigh(bw_f32(a, 0) + j * a->sy + k * a->sz, bw_f32(q, 0) + j * q->sy + k * q->sz, b->n[0], most);
    for (int i = 0; i < AGE_MOST; i++) b->max[i] = (double)most[i];
}

static void block_age(const struct bw_block *b, void *user)
{
    const struct flux_task *t = user;
    const struct bw_view *a = &b->view[VIEW_AGE], *q = &b->view[VIEW_SMOKE];
    for (int32_t k = 0; k < b->n[2]; k++)
        for (int32_t j = 0; j < b->n[1]; j++)
            age_divide(bw_f32(a, 0) + j * a->sy + k * a->sz, bw_f32(q, 0) + j * q->sy + k * q->sz, b->n[0],
                       t->smoke_most, t->s->dt);
}

static enum bw_status age_sweep(struct flux_task *t, bw_body_fn body, bool measures)
{
    const struct bw_access row[] = {[VIEW_AGE] = {t->age, BW_UPDATE, 0}, [VIEW_SMOKE] = {t->smoke, BW_READ, 0}};
    if (!t->age) return BW_OK;
    return t->s->host->sweep(t->s, &(struct bw_sweep){.access = row,
                                                      .n_access = 2,
                                                      .body = body,
                                                      .user = t,
                                                      .maxs = t->smoke_most,
                                                      .n_maxs = measures ? AGE_MOST : 0});
}

enum bw_status flux_weigh_age(struct flux_task *t) { return age_sweep(t, block_weigh, true); }
enum bw_status flux_age(struct flux_task *t) { return age_sweep(t, block_age, false); }
