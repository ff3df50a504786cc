// SPDX-License-Identifier: Apache-2.0
/* Energy dissipated by contacts heats the fluid around them. A spot's energy E goes to the cells x nearer than R to it
 * and outside all bodies, ΔT(x) = E W(x) / (c h³ Σ W), W = (1 - r²/R²)², c the heat capacity of a volume: Σ c h³ ΔT =
 * E, whatever part of the ball is solid or outside the box. Energy that single precision rounds off is returned, and
 * deposited by the next step. */
#include "heat.h"
#include <common/vec3.h>

enum { SPOTS_A_SWEEP = 16 }; // sums of a sweep

struct plan {
    const struct heat *h;
    const struct pose *pose;
    int64_t bodies;
    const struct spot *spot[SPOTS_A_SWEEP];
    double rise[SPOTS_A_SWEEP]; ///< K, times W; 0 while the weights are summed up
    uint32_t n;
};

enum bw_status heat_add_loss(struct bw_stage *s, struct heat *h, int64_t one, int64_t two, const double at[3],
                             double lost)
{
    if (!(lost > 0)) return BW_OK;
    for (struct spot *q = h->spots; q; q = q->next) {
        const double square = vec3_distance2(at, q->at);
        if (q->one != one || q->two != two || square > 0.25 * h->radius * h->radius) continue;
        q->lost += lost;
        for (int a = 0; a < 3; a++) q->at[a] += lost / q->lost * (at[a] - q->at[a]);
        return BW_OK;
    }
    struct spot *q = s->host->scratch(s, sizeof *q);
    if (!q) return BW_ERR_MEMORY;
    *q = (struct spot){one, two, {at[0], at[1], at[2]}, lost, h->spots};
    h->spots = q;
    return BW_OK;
}

static struct box3 spot_box(const struct plan *p, uint32_t k)
{
    struct box3 box;
    for (int a = 0; a < 3; a++) {
        box.lo[a] = p->spot[k]->at[a] - p->h->radius;
        box.hi[a] = p->spot[k]->at[a] + p->h->radius;
    }
    return box;
}

/// W of spot k at x; of a domain one cell thick that axis does not count.
static double weight_at(const struct plan *p, uint32_t k, const double x[3], int32_t thin)
{
    double square = 0;
    for (int a = 0; a < 3; a++) square += a == thin ? 0 : (x[a] - p->spot[k]->at[a]) * (x[a] - p->spot[k]->at[a]);
    const double share = 1 - square / (p->h->radius * p->h->radius);
    if (share <= 0) return 0;
    for (int64_t i = 0; i < p->bodies; i++)
        if (pose_distance(&p->pose[i], x) < 0) return 0;
    return share * share;
}

/// First pass: Σ W. Second pass: heats the cells; Σ of the rise in temperature as stored.
static void spot_heat(const struct bw_block *b, const struct plan *p, uint32_t k)
{
    const struct bw_view *v = &b->view[0];
    struct cells c;
    struct box3 box = spot_box(p, k);
    if (b->grid->thin >= 0) {
        box.lo[b->grid->thin] = -HUGE_VAL;
        box.hi[b->grid->thin] = HUGE_VAL;
    }
    if (!box_cells(&box, b, &c)) return;
    for (int z = c.lo[2]; z < c.hi[2]; z++)
        for (int y = c.lo[1]; y < c.hi[1]; y++)
            for (int x = c.lo[0]; x < c.hi[0]; x++) {
                const double w = weight_at(p, k,
                                           (const double[]){block_coord(b, 0, x + 0.5), block_coord(b, 1, y + 0.5),
                                                            block_coord(b, 2, z + 0.5)},
                                           b->grid->thin);
                const ptrdiff_t at = x + y * v->sy + z * v->sz;
                const double was = bw_get(v, 0, at);
                if (w > 0 && p->rise[k] > 0) bw_put(v, 0, at, was + p->rise[k] * w);
                b->sum[k] += p->rise[k] > 0 ? bw_get(v, 0, at) - was : w;
            }
}

static void block_heat(const struct bw_block *b, void *user)
{
    const struct plan *p = user;
    for (uint32_t k = 0; k < p->n; k++) spot_heat(b, p, k);
}

static enum bw_status spots_sweep(struct bw_stage *s, struct plan *p, uint32_t mode, double *sums)
{
    struct bw_access access[] = {{p->h->temperature, mode, 0}};
    return s->host->sweep(
        s, &(struct bw_sweep){
               .access = access, .n_access = 1, .body = block_heat, .user = p, .sums = sums, .n_sums = p->n});
}

/// Heats the spots of a plan; `share`: J deposited a J lost.
static enum bw_status spots_place(struct bw_stage *s, struct plan *p, double share, double *placed, double *missed)
{
    const double cell = p->h->capacity * s->grid->h * s->grid->h * s->grid->h;
    double sum[SPOTS_A_SWEEP] = {0}, risen[SPOTS_A_SWEEP] = {0};
    enum bw_status st = spots_sweep(s, p, BW_READ, sum);
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->n && !st; k++) {
        const double joule = share * p->spot[k]->lost;
        if (sum[k] > 0) {
            p->spot[n] = p->spot[k];
            p->rise[n++] = joule / (cell * sum[k]);
        } else {
            *missed += joule;
            s->host->log(
                s, BW_LOG_WARNING,
                "contacts heat nothing where no cell outside bodies is within `heat_radius`: see the metric `missed`");
        }
    }
    p->n = n;
    if (!st && n) st = spots_sweep(s, p, BW_UPDATE, risen);
    for (uint32_t k = 0; k < n; k++) *placed += cell * risen[k];
    return st;
}

enum bw_status heat_place(struct bw_stage *s, const struct heat *h, const struct body_arrays *b, double joule,
                          double *placed, double *missed)
{
    struct pose *pose = s->host->scratch(s, (size_t)b->count * sizeof *pose + 1);
    double lost = 0;
    enum bw_status st = pose ? BW_OK : BW_ERR_MEMORY;
    *placed = *missed = 0;
    for (int64_t i = 0; i < b->count && !st; i++) pose[i] = body_pose(b, i);
    for (const struct spot *q = h->spots; q; q = q->next) lost += q->lost;
    for (const struct spot *q = h->spots; q && !st;) {
        struct plan p = {.h = h, .pose = pose, .bodies = b->count};
        for (; q && p.n < SPOTS_A_SWEEP; q = q->next) p.spot[p.n++] = q;
        st = spots_place(s, &p, joule / lost, placed, missed);
    }
    return st;
}
