// SPDX-License-Identifier: Apache-2.0
#include "exporter_time.h"
#include "base/alloc.h"
#include <stdlib.h>
#include <string.h>

void exporter_time_row(struct exporter_list *list, struct metrics *timings)
{
    for (int32_t i = 0; i < list->n; i++) {
        struct run_exporter *x = &list->exporter[i];
        if (!(exporter_part(x) & list->parts)) continue;
        const double seconds = x->seconds;
        char *column = bw_printf("export.%s", x->pub.id);
        if (column) metrics_add(timings, column, "seconds", seconds - x->seconds_told, BW_METRIC_LAST);
        bw_free(column);
        x->seconds_told = seconds;
    }
}

static const struct run_exporter *longest(const struct exporter_list *list)
{
    const struct run_exporter *most = NULL;
    for (int32_t i = 0; i < list->n; i++)
        if (list->exporter[i].seconds > (most ? most->seconds : 0)) most = &list->exporter[i];
    return most;
}

const char *exporter_time_most(const struct exporter_list *list, double *most)
{
    const struct run_exporter *x = longest(list);
    *most = x ? x->seconds : 0;
    return x ? x->pub.id : NULL;
}

/* Whether it makes pictures: exporters of files have no width. */
static bool has_width(const struct run_exporter *x)
{
    for (uint32_t i = 0; i < x->pub.desc->n_params; i++)
        if (!strcmp(x->pub.desc->params[i].key, "width")) return true;
    return false;
}

/* Whether its pictures are the cheapest already. */
static bool is_draft(const struct run_exporter *x)
{
    for (uint32_t i = 0; i < x->pub.desc->n_params; i++) {
        const struct bw_param *p = &x->pub.desc->params[i];
        if (p->type == BW_PARAM_CHOICE && !strcmp(p->key, "quality") && !strncmp(p->choices, "draft|", 6))
            return *(const int32_t *)((const char *)x->pub.params + p->offset) == 0;
    }
    return false;
}

void exporter_time_report(const struct exporter_list *list, double stages)
{
    char *text = NULL;
    size_t size = 0;
    const struct run_exporter *most = longest(list);
    FILE *f = most ? open_memstream(&text, &size) : NULL;
    if (!f) return;
    fprintf(f, "the stages took %.3g s", stages);
    for (int32_t i = 0; i < list->n; i++)
        if (list->exporter[i].seconds > 0)
            fprintf(f, ", %s %.3g s", list->exporter[i].pub.id, (double)list->exporter[i].seconds);
    if (most->seconds > stages && has_width(most))
        fprintf(f,
                ": %sa smaller width makes the pictures of %s cheaper; with --mute %s the bake ends without them, and "
                "billow preview makes them later",
                is_draft(most) ? "" : "look.quality: draft or ", most->pub.id, most->pub.id);
    if (!fclose(f)) log_line(list->log, BW_LOG_INFO, NULL, text);
    free(text);
}
