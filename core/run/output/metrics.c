// SPDX-License-Identifier: Apache-2.0
#include "metrics.h"
#include "base/alloc.h"
#include "base/machine.h"
#include <billow/host.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PAUSE = 2; // seconds from one writing to the next

static struct metric *metric_get(struct metrics *m, char *full)
{
    for (int32_t i = 0; i < m->n_metrics; i++)
        if (!strcmp(m->metric[i].name, full)) {
            bw_free(full);
            return &m->metric[i];
        }
    struct metric *list = bw_realloc(m->metric, (size_t)(m->n_metrics + 1) * sizeof *list);
    if (!list) {
        bw_free(full);
        return NULL;
    }
    m->metric = list;
    list[m->n_metrics] = (struct metric){.name = full, .last = NAN};
    return &list[m->n_metrics++];
}

void metrics_add(struct metrics *m, const char *stage, const char *name, double value, uint32_t mode)
{
    char *full = stage ? bw_printf("%s.%s", stage, name) : bw_strdup(name);
    struct metric *one = full ? metric_get(m, full) : NULL;
    if (!one) return; /* a lost number must not lose the bake */
    one->mode = mode;
    if (!one->set || mode == BW_METRIC_LAST) one->value = value;
    else if (mode == BW_METRIC_SUM) one->value += value;
    else if (value > one->value || value != value) one->value = value;
    one->set = true;
    one->last = one->value;
}

void metrics_frame_begin(struct metrics *m)
{
    for (int32_t i = 0; i < m->n_metrics; i++) m->metric[i].set = false;
}

double metrics_largest(const struct metrics *m, const char *name)
{
    double v = NAN;
    for (int32_t i = 0; i < m->n_metrics; i++) {
        const char *dot = strrchr(m->metric[i].name, '.');
        if (!dot || strcmp(dot + 1, name) || !m->metric[i].set) continue;
        if (!(v >= m->metric[i].value)) v = m->metric[i].value;
    }
    return v;
}

double metrics_last(const struct metrics *m, const char *name)
{
    for (int32_t i = 0; i < m->n_metrics; i++)
        if (!strcmp(m->metric[i].name, name)) return m->metric[i].last;
    return NAN;
}

/* ---- the file ---- */

/* The rows of the file that was written last, into `to`; false with errno. */
static bool rows_copy(const struct metrics *m, FILE *to)
{
    char part[16384];
    if (m->written && fseek(m->written, (long)m->rows_at, SEEK_SET)) return false;
    for (size_t left = m->written ? m->rows_size : 0, n; left; left -= n) {
        errno = EIO; // it is shorter than it was
        n = fread(part, 1, left < sizeof part ? left : sizeof part, m->written);
        if (!n || fwrite(part, 1, n, to) != n) return false;
    }
    return true;
}

/* New columns may appear in any frame (a stage that starts late), so the rows kept so far are followed by the new
 * heading only when the file is written: short rows simply end early, as CSV readers accept. Answers where the rows
 * begin; < 0 with errno. */
static long table_print(const struct metrics *m, FILE *f)
{
    fputs(m->heading, f);
    for (int32_t i = 0; i < m->n_metrics; i++) fprintf(f, ",%s", m->metric[i].name);
    fputs("\n", f);
    long rows_at = ftell(f);
    bool good = rows_copy(m, f) && (!m->csv || fputs(m->csv, f) >= 0) && !ferror(f) && !fflush(f);
    return good ? rows_at : -1;
}

/* From now on the rows are in the file `f`. */
static void rows_leave(struct metrics *m, FILE *f, long rows_at)
{
    if (m->written) fclose(m->written);
    m->written = f;
    m->rows_at = (size_t)rows_at;
    m->rows_size += m->csv_size;
    bw_free(m->csv);
    m->csv = NULL;
    m->csv_size = 0;
}

static enum bw_status csv_write(struct metrics *m)
{
    struct run_log *log = m->outputs->log;
    struct output *list = NULL;
    const char *path = output_begin(m->outputs, &list, output_owner_bake, m->file, true);
    FILE *f = path ? fopen(path, "w+e") : NULL;
    long rows_at = f ? table_print(m, f) : -1;
    if (path && rows_at < 0)
        log_fail(log, NULL, BW_ERR_IO, "cannot write \"%s/%s\": %s", m->outputs->folder, m->file, strerror(errno));
    enum bw_status status = rows_at >= 0 ? output_commit(m->outputs, &list, path) : path ? BW_ERR_IO : log_status(log);
    if (status == BW_OK) rows_leave(m, f, rows_at);
    else if (f) fclose(f);
    outputs_discard(&list);
    return status;
}

enum bw_status metrics_settle(struct metrics *m)
{
    if (!m->unwritten || !m->outputs->folder) return BW_OK;
    m->unwritten = false; // what fails is not tried again
    enum bw_status status = csv_write(m);
    m->next_time = bw_seconds() + PAUSE;
    return status;
}

static bool csv_append(struct metrics *m, const char *text)
{
    size_t n = strlen(text);
    char *csv = bw_realloc(m->csv, m->csv_size + n + 1);
    if (!csv) return false;
    memcpy(csv + m->csv_size, text, n + 1);
    m->csv = csv;
    m->csv_size += n;
    return true;
}

enum bw_status metrics_frame_end(struct metrics *m, const char *first)
{
    char text[40];
    if (!m->outputs->folder) return BW_OK;
    bool good = csv_append(m, first);
    for (int32_t i = 0; i < m->n_metrics && good; i++) {
        if (m->metric[i].set) snprintf(text, sizeof text, ",%.9g", m->metric[i].value);
        else snprintf(text, sizeof text, ",");
        good = csv_append(m, text);
    }
    good = good && csv_append(m, "\n");
    if (!good) return log_fail(m->outputs->log, NULL, BW_ERR_MEMORY, "out of memory for %s", m->file);
    m->unwritten = true;
    return bw_seconds() >= m->next_time ? metrics_settle(m) : BW_OK;
}

/* The k-th metric: its name, and its numbers. */
static enum bw_status metric_checkpoint(struct metric *one, int32_t k, struct bw_archive *a)
{
    char key[32];
    snprintf(key, sizeof key, "%d.name", k);
    int64_t stored = a->restoring ? a->stored(a, key) : (int64_t)strlen(one->name);
    if (a->restoring && !(one->name = bw_calloc(stored < 0 ? 1 : (size_t)stored + 1))) return BW_ERR_MEMORY;
    enum bw_status status = a->bytes(a, key, one->name, stored < 0 ? 1 : (size_t)stored);
    double numbers[] = {one->value, one->last, one->mode, one->set};
    snprintf(key, sizeof key, "%d", k);
    if (status == BW_OK) status = a->bytes(a, key, numbers, sizeof numbers);
    if (!(numbers[2] >= 0 && numbers[2] <= BW_METRIC_TIMING)) return BW_ERR_IO; // nothing that was saved
    one->value = numbers[0];
    one->last = numbers[1];
    one->mode = (uint32_t)numbers[2];
    one->set = numbers[3] != 0;
    return status;
}

/* All rows in one piece, new memory; NULL after a sentence. */
static char *rows_all(const struct metrics *m)
{
    char *all = bw_calloc(m->rows_size + m->csv_size + 1);
    FILE *f = all && m->rows_size ? fmemopen(all, m->rows_size + 1, "w") : NULL;
    bool good = all && (!m->rows_size || (f && rows_copy(m, f)));
    if (f && fclose(f)) good = false;
    if (good && m->csv_size) memcpy(all + m->rows_size, m->csv, m->csv_size);
    if (good) return all;
    log_fail(m->outputs->log, NULL, all ? BW_ERR_IO : BW_ERR_MEMORY, "cannot read \"%s/%s\" back: %s",
             m->outputs->folder, m->file, all ? strerror(errno) : "out of memory");
    bw_free(all);
    return NULL;
}

static enum bw_status rows_checkpoint(struct metrics *m, struct bw_archive *a)
{
    if (a->restoring) return a->bytes(a, "rows", m->csv, m->csv_size);
    char *all = rows_all(m);
    enum bw_status status = all ? a->bytes(a, "rows", all, m->rows_size + m->csv_size) : log_status(m->outputs->log);
    bw_free(all);
    return status;
}

enum bw_status metrics_checkpoint(struct metrics *m, struct bw_archive *a)
{
    int64_t rows = a->restoring ? a->stored(a, "rows") : 0;
    int32_t n = m->n_metrics;
    enum bw_status status = a->bytes(a, "n", &n, sizeof n);
    if (status == BW_OK && a->restoring) {
        metrics_free(m);
        m->metric = n >= 0 && n < 100000 ? bw_calloc((size_t)n * sizeof *m->metric + 1) : NULL;
        m->csv = rows >= 0 ? bw_calloc((size_t)rows + 1) : NULL;
        m->csv_size = rows >= 0 ? (size_t)rows : 0;
        m->unwritten = true;
        if (!m->metric || !m->csv) return BW_ERR_MEMORY;
    }
    for (int32_t i = 0; i < n && status == BW_OK; i++) {
        if (a->restoring) m->n_metrics = i + 1;
        status = metric_checkpoint(&m->metric[i], i, a);
    }
    return status == BW_OK ? rows_checkpoint(m, a) : status;
}

void metrics_free(struct metrics *m)
{
    for (int32_t i = 0; i < m->n_metrics; i++) bw_free(m->metric[i].name);
    bw_free(m->metric);
    bw_free(m->csv);
    if (m->written) fclose(m->written);
    *m = (struct metrics){.outputs = m->outputs, .file = m->file, .heading = m->heading};
}
