// SPDX-License-Identifier: Apache-2.0
/* What amounts lose beside walls. A flow that mac.project has not balanced leads gas into them or away; there a cell
 * takes no more than values beside it allow (flux_lines.c), and the rest is gone. It is summed up within FLUX_STENCIL
 * cells of obstacles: a metric, and a warning where it is large. */
#include "flux.h"
#include "project/open_flux.h"
#include <stdio.h>

#define TOLD 1e-3 ///< of an amount, in a step

struct amount_task {
    int c;
};

static void block_sum(const struct bw_block *b, void *user)
{
    const struct bw_view *v = &b->view[0];
    for (int32_t k = 0; k < b->n[2]; k++)
        for (int32_t j = 0; j < b->n[1]; j++)
            for (int32_t i = 0; i < b->n[0]; i++)
                b->sum[0] += fabs((double)bw_f32(v, ((struct amount_task *)user)->c)[i + j * v->sy + k * v->sz]);
}

/* All of it, in cells. */
static double amount_of(struct bw_stage *s, struct bw_field *field, int c)
{
    double sum = 0;
    const struct bw_access row = {field, BW_READ, 0};
    const enum bw_status st = s->host->sweep(s, &(struct bw_sweep){.access = &row,
                                                                   .n_access = 1,
                                                                   .body = block_sum,
                                                                   .user = &(struct amount_task){c},
                                                                   .sums = &sum,
                                                                   .n_sums = 1});
    return st == BW_OK ? sum : HUGE_VAL;
}

/* Who has changed the flow since a projection of it. NULL: nobody, or this is the first step. */
static const struct bw_stage *changed_by(const struct pass *p)
{
    const struct bw_writer_api *api = p->stage->host->extension(BW_WRITER);
    const struct bw_stage *by = api && p->stage->step > 1 ? api->last(p->vel) : NULL;
    return by && by->desc->extension && by->desc->extension(OPEN_FLUX) ? NULL : by;
}

/* Warns of a large loss; sums the whole field only if the loss is large beside obstacles. */
static void loss_warn(const struct flux *f, const struct item *it, int c, double lost, double held)
{
    struct bw_stage *s = f->pass->stage;
    const struct bw_stage *by = changed_by(f->pass);
    if (!by || !(fabs(lost) > TOLD * held)) return;
    const double all = amount_of(s, it->field, c);
    if (!(fabs(lost) > TOLD * all)) return;
    s->host->log(s, BW_LOG_WARNING,
                 "beside obstacles %.2g %% of \"%s\" %s in a step: %s has changed the flow since mac.project balanced "
                 "it: it has to add to \"force\", or to come between mac.advect and mac.project",
                 100 * fabs(lost) / all, it->info->name, lost > 0 ? "were lost" : "were made", by->id);
}

void flux_metric(const struct pass *p, const char *what, const double *cells)
{
    struct bw_stage *s = p->stage;
    const double cell = s->grid->h * s->grid->h * s->grid->h;
    for (uint32_t q = 0, m = 0; q < p->n_items; q++) {
        const struct bw_field_info *info = p->item[q].info;
        char name[96];
        for (uint32_t c = 0; c < info->comps; c++) {
            snprintf(name, sizeof name, info->comps == 1 ? "%s_%s" : "%s_%s_%c", what, info->name, "xyz"[c]);
            s->host->metric(s, name, cell * cells[m++], BW_METRIC_SUM);
        }
    }
}

void flux_lost_report(const struct flux *f, const double *lost, const double *held)
{
    const struct pass *p = f->pass;
    flux_metric(p, "lost", lost);
    for (uint32_t q = 0, m = 0; q < p->n_items; q++)
        for (uint32_t c = 0; c < p->item[q].info->comps; c++, m++) loss_warn(f, &p->item[q], (int)c, lost[m], held[m]);
}
