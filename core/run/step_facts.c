// SPDX-License-Identifier: Apache-2.0
#include "step_facts.h"
#include "call.h"
#include "run/wire/ports.h"
#include <math.h>

/* The stage that consumes a field, as mac.project consumes `force`. NULL: none does. */
static const struct run_stage *consumer_of(const struct bw_chain *c, const struct bw_field *f)
{
    for (int32_t i = 0; i < c->stages.n; i++)
        for (uint32_t k = 0; k < c->stages.stage[i].pub.desc->n_ports; k++) {
            const struct run_stage *s = &c->stages.stage[i];
            for (uint32_t q = 0; q < s->bound[k].count && port_row(s, k).access == BW_READ_LAST; q++)
                if (s->bound[k].fields[q] == f) return s;
        }
    return NULL;
}

/* A stage wrote a field that was not consumed: it stands below its consumer, or that one is off in these frames. */
static void unconsumed_warn(const struct bw_chain *c, const struct bw_field *f)
{
    struct bw_stage *by = (struct bw_stage *)(intptr_t)f->writer;
    const struct run_stage *consumer = by ? consumer_of(c, f) : NULL;
    if (consumer)
        by->host->log(by, BW_LOG_WARNING,
                      "what it adds to \"%s\" came to nothing in a step: %s takes it, and has to stand "
                      "below and work in the same frames",
                      f->info.name, consumer->pub.id);
}

enum bw_status step_fields_clear(struct bw_chain *c)
{
    for (int32_t i = 0; i < c->fields.n; i++) {
        struct run_field *f = &c->fields.field[i];
        if (!f->field || f->lifetime != BW_STEP) continue;
        unconsumed_warn(c, f->field);
        if (bw_field_clear(f->field) != BW_OK) return call_no_memory(c, "a step's fields");
    }
    return BW_OK;
}

enum bw_status step_lengths_find(struct bw_chain *c, double dt)
{
    for (int32_t i = 0; i < c->stages.n; i++) c->stages.stage[i].span = dt;
    for (int32_t i = 0; i < c->stages.n; i++) {
        struct run_stage *s = &c->stages.stage[i];
        if (!s->pub.desc->span || !call_due(c, s)) continue;
        call_clock(c, s, dt);
        const struct where_was was = stage_enter(s, "span");
        const double span = s->pub.desc->span(&s->pub);
        stage_leave(s, &was);
        enum bw_status status = call_status(c, s, BW_OK, "span");
        if (status == BW_OK && !(span > 0 && span < HUGE_VAL))
            status = log_fail(&c->log, &s->preset->place, BW_ERR_PLUGIN, "%s: span answered %g s", s->pub.id, span);
        if (status != BW_OK) return status;
        for (int32_t k = 0; k < c->stages.n; k++)
            if (c->stages.stage[k].domain == s->domain) c->stages.stage[k].span = span;
    }
    return BW_OK;
}
