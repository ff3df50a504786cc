// SPDX-License-Identifier: Apache-2.0
/* The age a of smoke of density q: its mean by mass, which grows by a second a second,
 *     d(q a)/dt + div(q a u) = q
 * q a is advected as smoke is, by the same scheme: where that conserves smoke, ages mix by their shares of its mass.
 * All schemes are homogeneous, so that smoke of one age stays of one age, wherever it goes. Limits of the scheme bend
 * q and q a apart where neither is even: the quotient is kept within the ages that there are, which takes .6 % of what
 * the mean age of a column, 10 cells across and left by its source, gains in 11 frames. */
#include "advect_pass.h"
#include <common/age.h>
#include <common/ranks.h>

enum { VIEW_AGE, VIEW_SMOKE };

static void block_weigh(const struct bw_block *b, void *user)
{
    const struct pass *p = user;
    const struct bw_view *a = &b->view[VIEW_AGE], *q = &b->view[VIEW_SMOKE];
    float most[AGE_MOST] = {0};
    for (int32_t k = 0; k < b->n[2]; k++)
        for (int32_t j = 0; j < b->n[1]; j++)
            age_weigh(bw_f32(a, 0) + j * a->sy + k * a->sz, bw_f32(q, 0) + j * q->sy + k * q->sz, b->n[0], most);
    p->smoky[tile_of_block(p->tiles, b)] = most[AGE_DENSEST] > 0;
    for (int i = 0; i < AGE_MOST; i++) b->max[i] = (double)most[i];
}

static void block_age(const struct bw_block *b, void *user)
{
    const struct pass *p = user;
    const struct bw_view *a = &b->view[VIEW_AGE], *q = &b->view[VIEW_SMOKE];
    for (int32_t k = 0; k < b->n[2]; k++)
        for (int32_t j = 0; j < b->n[1]; j++)
            age_divide(bw_f32(a, 0) + j * a->sy + k * a->sz, bw_f32(q, 0) + j * q->sy + k * q->sz, b->n[0],
                       p->smoke_most, p->stage->dt);
}

static enum bw_status age_sweep(struct pass *p, bw_body_fn body, bool measures)
{
    const struct bw_access row[] = {[VIEW_AGE] = {p->age, BW_UPDATE, 0}, [VIEW_SMOKE] = {p->smoke, BW_READ, 0}};
    return p->stage->host->sweep(p->stage, &(struct bw_sweep){.access = row,
                                                              .n_access = 2,
                                                              .body = body,
                                                              .user = p,
                                                              .maxs = p->smoke_most,
                                                              .n_maxs = measures ? AGE_MOST : 0});
}

void pass_find_smoke(struct pass *p)
{
    const struct bw_stage *s = p->stage;
    struct bw_field *smoke = s->host->find_field(p->stage, "density");
    for (uint32_t i = 0; i < s->ports[PORT_FIELDS].count; i++)
        if (s->ports[PORT_FIELDS].fields[i] == smoke && s->host->field_info(smoke)->precision == BW_F32)
            p->smoke = smoke;
    p->age = p->smoke ? bw_port_field(s, PORT_AGE) : NULL;
}

enum bw_status pass_weigh_age(struct pass *p)
{
    struct bw_stage *s = p->stage;
    if (!p->age) return BW_OK;
    p->smoky = s->host->scratch(s, (size_t)p->tiles->topology(s->domain)->count + 1);
    if (!p->smoky) return s->host->fail(s, BW_ERR_MEMORY, "Out of memory for the tiles' ages.");
    const enum bw_status st = age_sweep(p, block_weigh, true);
    return st == BW_OK ? ranks_allgather(s, p->smoky, NULL, sizeof *p->smoky) : st;
}

enum bw_status pass_age(struct pass *p) { return p->age ? age_sweep(p, block_age, false) : BW_OK; }
