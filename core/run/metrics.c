// SPDX-License-Identifier: Apache-2.0
/* Numbers that stages report: gathered over a frame's substeps, one row of metrics.csv a frame. */
#include "chain.h"
#include "base/alloc.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

double chain_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int64_t chain_resident_bytes(void)
{
    long total = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f) {
        if (fscanf(f, "%ld %ld", &total, &resident) != 2) resident = 0;
        fclose(f);
    }
    return (int64_t)resident * sysconf(_SC_PAGESIZE);
}

static struct chain_metric *metric_get(struct bw_chain *c, char *full)
{
    for (int32_t i = 0; i < c->n_metrics; i++)
        if (!strcmp(c->metric[i].name, full)) {
            bw_free(full);
            return &c->metric[i];
        }
    struct chain_metric *list = bw_realloc(c->metric, (size_t)(c->n_metrics + 1) * sizeof *list);
    if (!list) {
        bw_free(full);
        return NULL;
    }
    c->metric = list;
    list[c->n_metrics] = (struct chain_metric){full, 0, 0, false, NAN};
    return &list[c->n_metrics++];
}

void chain_metric(struct bw_chain *c, const char *stage, const char *name, double value, uint32_t mode)
{
    char *full = stage ? bw_printf("%s.%s", stage, name) : bw_strdup(name);
    struct chain_metric *m = full ? metric_get(c, full) : NULL;
    if (!m) return; /* a lost number must not lose the bake */
    m->mode = mode;
    if (!m->set || mode == BW_METRIC_LAST) m->value = value;
    else if (mode == BW_METRIC_SUM) m->value += value;
    else if (value > m->value || value != value) m->value = value;
    m->set = true;
    m->last = m->value;
}

void chain_metrics_frame_begin(struct bw_chain *c)
{
    for (int32_t i = 0; i < c->n_metrics; i++) c->metric[i].set = false;
    for (int32_t i = 0; i < c->n_stages; i++) c->stage[i].seconds = 0;
}

double chain_metric_largest(const struct bw_chain *c, const char *name)
{
    double v = NAN;
    for (int32_t i = 0; i < c->n_metrics; i++) {
        const char *dot = strrchr(c->metric[i].name, '.');
        if (!dot || strcmp(dot + 1, name) || !c->metric[i].set) continue;
        if (!(v >= c->metric[i].value)) v = c->metric[i].value;
    }
    return v;
}

double bw_chain_metric(const struct bw_chain *c, const char *name)
{
    for (int32_t i = 0; i < c->n_metrics; i++)
        if (!strcmp(c->metric[i].name, name)) return c->metric[i].last;
    return NAN;
}

/* New columns may appear in any frame (a stage that starts late), so the rows kept so far are followed by the new
 * heading only when the file is written: short rows simply end early, as CSV readers accept. */
static enum bw_status csv_write(struct bw_chain *c)
{
    struct chain_output *list = NULL;
    const char *path = chain_output_begin(c, &list, chain_owner_bake, "metrics.csv", 1);
    FILE *f = path ? fopen(path, "w") : NULL;
    if (!f) {
        if (path) chain_fail(c, NULL, BW_ERR_IO, "cannot write \"%s\": %s", path, strerror(errno));
        chain_outputs_discard(&list);
        return path ? BW_ERR_IO : chain_status_said(c);
    }
    fputs("frame,time,seconds,substeps,cells,resident_bytes", f);
    for (int32_t i = 0; i < c->n_metrics; i++) fprintf(f, ",%s", c->metric[i].name);
    fprintf(f, "\n%s", c->csv ? c->csv : "");
    int bad = ferror(f);
    bad |= fclose(f);
    if (bad) {
        chain_fail(c, NULL, BW_ERR_IO, "cannot write \"%s/metrics.csv\": %s", c->opt.out, strerror(errno));
        chain_outputs_discard(&list);
        return BW_ERR_IO;
    }
    return chain_output_commit(c, &list, path, NULL);
}

static int csv_append(struct bw_chain *c, const char *text)
{
    size_t n = strlen(text);
    char *m = bw_realloc(c->csv, c->csv_size + n + 1);
    if (!m) return 0;
    memcpy(m + c->csv_size, text, n + 1);
    c->csv = m;
    c->csv_size += n;
    return 1;
}

enum bw_status chain_metrics_frame_end(struct bw_chain *c, int64_t frame)
{
    for (int32_t i = 0; i < c->n_stages; i++)
        if (c->stage[i].initialised)
            chain_metric(c, c->stage[i].pub.id, "seconds", c->stage[i].seconds, BW_METRIC_LAST);
    char text[160];
    snprintf(text, sizeof text, "%lld,%.9g,%.4f,%d,%lld,%lld", (long long)frame, c->time, c->progress.seconds,
             c->progress.substeps, (long long)c->progress.cells, (long long)c->progress.memory);
    int good = csv_append(c, text);
    for (int32_t i = 0; i < c->n_metrics && good; i++) {
        if (c->metric[i].set) snprintf(text, sizeof text, ",%.9g", c->metric[i].value);
        else snprintf(text, sizeof text, ",");
        good = csv_append(c, text);
    }
    good = good && csv_append(c, "\n");
    if (!good) return chain_fail(c, NULL, BW_ERR_MEMORY, "out of memory for metrics.csv");
    return c->opt.out ? csv_write(c) : BW_OK;
}

void chain_metrics_free(struct bw_chain *c)
{
    for (int32_t i = 0; i < c->n_metrics; i++) bw_free(c->metric[i].name);
    bw_free(c->metric);
    bw_free(c->csv);
}
