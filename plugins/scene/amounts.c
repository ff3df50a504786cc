// SPDX-License-Identifier: Apache-2.0
#include "stages.h"
#include <billow/param.h>
#include <billow/services.h>
#include <string.h>

static enum bw_status cold_refuse(struct bw_stage *s, double value)
{
    const struct bw_expression_api *api = s->host->extension(BW_EXPRESSION);
    struct bw_expression *e = NULL;
    double ambient = 0;
    const enum bw_status status = api->open(s, "ambient", &e);
    if (status) return status;
    api->eval(e, 0, 1, NULL, &ambient);
    api->close(e);
    if (value + ambient >= 0) return BW_OK;
    return s->host->fail(s, BW_ERR_PRESET, "temperature: %g K below an ambient of %g K: nothing is colder than 0 K",
                         -value, ambient);
}

enum bw_status amounts_check_targets(struct bw_stage *s, const struct bw_amount *amount, int64_t n)
{
    enum bw_status status = BW_OK;
    for (int64_t i = 0; i < n && !status; i++)
        if (!strcmp(amount[i].field, "temperature") && !amount[i].rate && amount[i].value[0] < 0)
            status = cold_refuse(s, amount[i].value[0]);
    return status;
}

enum bw_status amounts_check_removal(struct bw_stage *s, const struct bw_amount *amount, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            if (amount[i].value[c] < 0)
                return s->host->fail(
                    s, BW_ERR_PRESET,
                    "%s: %g; with mode remove an amount says how much to take, it must not be negative",
                    amount[i].field, amount[i].value[c]);
    return BW_OK;
}

struct bw_stage *advecting_stage(struct bw_stage *s, const struct bw_field *field, int below)
{
    struct bw_stage *found;
    const void *table;
    for (uint32_t k = 0; (found = s->host->find_stage(s, BW_ADVECTS, k, &table)); k++)
        if (found->domain == s->domain && (found->place > s->place) == below &&
            ((const struct bw_advects_api *)table)->carries(found, field))
            return found;
    return NULL;
}

int advected_this_step(struct bw_stage *s, const struct bw_field *field)
{
    const struct bw_stage *advecting = advecting_stage(s, field, 0);
    return advecting && advecting->step == s->step;
}
