// SPDX-License-Identifier: Apache-2.0
#include "activation.h"
#include "call.h"
#include "base/alloc.h"
#include <math.h>

static bool domain_has_alive(const struct bw_domain *d)
{
    for (const struct bw_field *f = d->fields; f; f = f->next)
        if (f->info.alive > 0) return true;
    return false;
}

static bool domain_has_activator(const struct bw_chain *c, int32_t domain)
{
    for (int32_t i = 0; i < c->stages.n; i++)
        if (c->stages.stage[i].domain == domain && c->stages.stage[i].pub.desc->activate) return true;
    return false;
}

static void want_all(struct bw_domain *d)
{
    int64_t lo[3] = {0, 0, 0}, hi[3];
    for (int a = 0; a < 3; a++) hi[a] = d->info.n[a] - 1;
    bw_domain_request_cells(d, lo, hi);
}

/* Cells that the flow may cross in the next step: what the CFL rule allows, or what a fixed step makes of the speed. */
static double flow_reach(struct bw_chain *c, int32_t domain)
{
    const struct bw_preset_time *t = &c->preset->time;
    double dt = t->dt > 0 ? t->dt : 1 / t->fps / (t->substeps_max > 0 ? t->substeps_max : 64), cells = t->cfl;
    for (int32_t i = 0; i < c->fields.n; i++) {
        const struct run_field *f = &c->fields.field[i];
        if (f->kind != BW_MAC || !f->advected || !f->field || f->field->domain != c->domain[domain]) continue;
        double speed = c->fields.field[i].speed = bw_field_max_abs(f->field, c->workers);
        for (int a = 0; a < 3; a++) speed = fmax(speed, fabs(f->field->info.background[a]));
        cells = fmax(cells, speed * dt / f->field->domain->info.h);
    }
    return ceil(cells) + 2;
}

/* Of amounts on finer cells than the flow's, which carries them as it is: no farther than in a whole frame. */
static double amounts_reach(struct bw_chain *c, int32_t domain)
{
    const struct bw_preset_time *t = &c->preset->time;
    const double cells = flow_reach(c, domain + 1) - 2, frame = t->dt > 0 ? t->dt : 1 / t->fps;
    double most = 0;
    for (int32_t i = 0; i < c->fields.n; i++) {
        const struct run_field *f = &c->fields.field[i];
        if (f->kind != BW_MAC || !f->advected || !f->field || f->field->domain != c->domain[domain]->flow) continue;
        most = fmax(most, f->speed);
        for (int a = 0; a < 3; a++) most = fmax(most, fabs(f->field->info.background[a]));
    }
    return ceil(fmin(cells * c->domain[domain]->flow_cells, most * frame / c->domain[domain]->info.h)) + 2;
}

/* A domain in which nothing is ever alive keeps all that was once made active; one that nobody activates is all
 * active. */
static enum bw_status domain_want(struct bw_chain *c, int32_t i)
{
    struct bw_domain *d = c->domain[i];
    if (i && c->domain[i - 1]->flow == d) return BW_OK; // what is around amounts, which have asked for it
    if (bw_bounded(&d->info) && !domain_has_activator(c, i)) {
        want_all(d);
        return BW_OK;
    }
    if (!domain_has_alive(d)) {
        for (int64_t t = 0; t < d->topo->pub.count; t++) bw_domain_request_tile(d, d->topo->coord[t]);
        return BW_OK;
    }
    return bw_domain_request_alive(d, d->flow ? amounts_reach(c, i) : flow_reach(c, i), c->workers);
}

/* Who is flagged BW_STAGE_RANKS and activates is to blame; all of them are named. */
static enum bw_status ranks_differ(struct bw_chain *c, int32_t domain)
{
    char *names = NULL;
    for (int32_t i = 0; i < c->stages.n; i++) {
        const struct bw_stage_desc *desc = c->stages.stage[i].pub.desc;
        if (!desc->activate || !(desc->flags & BW_STAGE_RANKS)) continue;
        char *more = bw_printf("%s%s%s", names ? names : "", names ? ", " : "", c->stages.stage[i].pub.id);
        bw_free(names);
        names = more;
    }
    log_fail(&c->log, NULL, BW_ERR_PLUGIN,
             "frame %lld: ranks want different tiles of domain %s: one of %s goes by what its own rank alone knows",
             (long long)c->clock.frame, c->preset->domain[domain].name, names ? names : "its stages");
    bw_free(names);
    return BW_ERR_PLUGIN;
}

enum bw_status activation_run(struct bw_chain *c)
{
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < c->preset->n_domains && status == BW_OK; i++) status = domain_want(c, i);
    for (int32_t i = 0; i < c->stages.n && status == BW_OK; i++) {
        struct run_stage *s = &c->stages.stage[i];
        if (!s->pub.desc->activate || !call_due(c, s)) continue;
        call_clock(c, s, 0);
        s->activating = true;
        status = call_stage(c, s, s->pub.desc->activate, "activate");
        s->activating = false;
        stage_scratch_end(s);
        if (status != BW_OK) return status;
    }
    for (int32_t i = 0; i < c->preset->n_domains && status == BW_OK; i++) {
        if (c->domain[i]->flow) bw_domain_request_flow(c->domain[i]);
        status = bw_domain_commit(c->domain[i]);
        if (status == BW_ERR_PLUGIN) return ranks_differ(c, i);
        if (status != BW_OK) return call_no_memory(c, "new tiles");
        if (domain_has_alive(c->domain[i]) && c->clock.step > 0) {
            metrics_add(&c->metrics, c->preset->domain[i].name, "dropped", c->domain[i]->dropped, BW_METRIC_SUM);
            c->domain[i]->dropped = 0;
        }
    }
    return status == BW_ERR_MEMORY ? call_no_memory(c, "new tiles") : status;
}
