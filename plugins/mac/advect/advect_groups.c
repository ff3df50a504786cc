// SPDX-License-Identifier: Apache-2.0
/* Passes of mac.advect over groups of fields. */
#include "edges/obstacles.h"
#include "flux/flux.h"
#include <string.h>

enum { GROUP_COMPS = 5 };

void pass_fit(struct pass *p, double dt)
{
    p->bounds = NULL;
    p->span = dt;
    p->scale = dt / p->stage->grid->h;
    p->limit = p->scale * p->speed.most * (1 + 1e-5);
    p->halo = BW_HALO_MOST;
    p->by_rows = p->limit < BW_HALO_MOST && advect_halo(p, p->limit) <= (p->walls ? WALLS_HALO : BW_HALO_MOST);
    if (p->by_rows) p->halo = advect_halo(p, p->limit);
    if (p->by_rows && p->walls) p->halo = advect_obstacles_halo(p, p->halo);
}

enum bw_status pass_measure_and_fit(struct pass *p, double dt)
{
    struct bw_stage *s = p->stage;
    enum bw_status st = pass_measure(p);
    pass_fit(p, dt);
    s->host->metric(s, "cells", s->dt / s->grid->h * p->speed.most, BW_METRIC_MAX);
    return st;
}

static struct bw_field *hat_alloc(struct pass *p, const struct bw_field_info *like)
{
    struct bw_stage *s = p->stage;
    struct hats *h = &p->hats;
    for (int i = 0; i < 2 * MAX_ITEMS; i++) {
        if (!h->field[i]) h->field[i] = s->host->scratch_field(s, like->kind, like->precision);
        if (!h->field[i]) return NULL;
        const struct bw_field_info *is = s->host->field_info(h->field[i]);
        if (h->used[i] || is->kind != like->kind || is->precision != like->precision) continue;
        h->used[i] = true;
        return h->field[i];
    }
    return NULL;
}

static void block_run(const struct bw_block *b, void *user)
{
    const struct pass *p = user;
    if (p->worker_block[b->worker].empty.all) background_block(b, p);
    else if (p->worker_block[b->worker].by_rows) advect_block_rows(b, user);
    else advect_block_nodes(b, user);
    advect_obstacles_correct(b, p);
}

/* The access rows of one sweep: the velocity, then each field as it was, its first half, and the result. */
static enum bw_status sweep_run(struct pass *p, double *far)
{
    const bool last = p->second || !p->scheme->row_second, by_rows = p->by_rows && !p->f64;
    struct bw_access row[4 + 3 * MAX_ITEMS] = {{p->vel, BW_READ, p->halo}};
    uint32_t n = 1;
    for (uint32_t q = 0; q < p->n_items; q++) {
        struct item *it = &p->item[q];
        it->view = it->field == p->vel ? 0 : n;
        if (it->field != p->vel) row[n++] = (struct bw_access){it->field, BW_READ, p->halo};
        if (by_rows && last && it->field == it->to)
            row[it->view].mode = BW_READ_LAST; // blocks by nodes read beyond views
        it->view_hat = n;
        if (p->second) row[n++] = (struct bw_access){it->hat, by_rows ? BW_READ_LAST : BW_READ, p->halo};
        it->view_out = n;
        row[n++] = (struct bw_access){last ? it->to : it->hat, BW_WRITE, 0};
    }
    p->view_ahead = p->advected ? p->item[0].view : 0;
    if (p->advected && by_rows) row[0].mode = row[p->view_ahead].mode = BW_READ_LAST;
    if (p->advected) row[p->view_advected = n++] = (struct bw_access){p->advected, BW_WRITE, 0};
    struct bw_field *solid_vel = p->walls ? bw_port_field(p->stage, PORT_SOLID_VEL) : NULL;
    p->view_solid_vel = solid_vel ? n : 0;
    if (solid_vel) row[n++] = (struct bw_access){solid_vel, BW_READ, p->halo};
    double sum = 0;
    enum bw_status st = p->stage->host->sweep(p->stage, &(struct bw_sweep){.access = row,
                                                                           .n_access = n,
                                                                           .block = 2,
                                                                           .body = block_run,
                                                                           .user = p,
                                                                           .reach = advect_obstacles_reach,
                                                                           .sums = &sum,
                                                                           .n_sums = 1});
    *far = fmax(*far, sum); // both sweeps follow the same traces
    return st;
}

static enum bw_status group_run(struct pass *p)
{
    bool two = p->scheme->row_second != NULL;
    memset(p->hats.used, 0, sizeof p->hats.used);
    for (uint32_t q = 0; q < p->n_items; q++) {
        p->item[q].hat = two ? hat_alloc(p, p->item[q].info) : NULL;
        if (two && !p->item[q].hat)
            return p->stage->host->fail(p->stage, BW_ERR_MEMORY, "Out of memory for advection's first half.");
    }
    double far = 0;
    p->second = false;
    enum bw_status st = empty_find(p);
    if (st == BW_OK && !p->bounds) st = bounds_measure(p); // groups after the first share them
    if (st == BW_OK) st = sweep_run(p, &far);
    p->second = true;
    if (st == BW_OK && two) st = sweep_run(p, &far);
    p->long_traces += far;
    p->n_items = 0;
    return st;
}

enum bw_status pass_conserved(struct pass *p)
{
    p->by_flux = p->scheme->by_flux && flux_is_possible(p);
    return p->by_flux ? flux_fields(p) : BW_OK;
}

/* Fields are advected in groups that share their trajectories, each small enough for a worker's cache. */
enum bw_status pass_fields(struct pass *p)
{
    uint32_t comps = 0;
    enum bw_status st = BW_OK;
    for (uint32_t k = 0; st == BW_OK; k++) {
        struct bw_field *f = pass_field_at(p, k);
        const struct bw_field_info *info = f ? p->stage->host->field_info(f) : NULL;
        if (info && flux_advects(p, info)) continue;
        const bool f64 = info && info->precision != BW_F32;
        if (p->n_items && (!f || f64 != p->f64 || comps + info->comps > GROUP_COMPS)) {
            st = group_run(p);
            comps = 0;
        }
        if (!f) break;
        p->f64 = f64;
        p->item[p->n_items++] = (struct item){.field = f, .to = f, .info = info};
        comps += info->comps;
    }
    p->f64 = false;
    return st;
}

enum bw_status pass_velocity(struct pass *p, struct bw_field *from, struct bw_field *to)
{
    const struct advect_scheme *scheme = p->scheme;
    const struct walls *walls = p->walls; // mac.project sets the velocity in obstacles: no correction
    p->scheme = p->options->velocity == VELOCITY_LINEAR    ? &advect_velocity_linear
                : p->options->velocity == VELOCITY_QUINTIC ? &advect_velocity_quintic
                                                           : &advect_velocity_cubic;
    p->walls = NULL;
    pass_fit(p, p->span);
    p->item[0] = (struct item){.field = from, .to = to, .info = p->stage->host->field_info(from)};
    p->n_items = 1;
    p->flow = true;
    const enum bw_status st = group_run(p);
    p->flow = false;
    p->scheme = scheme;
    p->walls = walls;
    return st;
}
