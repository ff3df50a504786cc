// SPDX-License-Identifier: Apache-2.0
#include "log.h"
#include "base/alloc.h"
#include "base/text/utf8.h"
#include <stdarg.h>
#include <stdio.h>

void log_init(struct run_log *l, void (*on_log)(int, const char *, const char *, void *), void *user)
{
    pthread_mutex_init(&l->lock, NULL);
    l->on_log = on_log;
    l->user = user;
}

void log_free(struct run_log *l) { pthread_mutex_destroy(&l->lock); }

void log_say(struct run_log *l, int level, const char *who, const char *text)
{
    char *line = bw_strdup(text);
    if (line) bw_utf8_one_line(line);
    pthread_mutex_lock(&l->lock);
    if (l->on_log) l->on_log(level, who, line ? line : text, l->user);
    pthread_mutex_unlock(&l->lock);
    bw_free(line);
}

enum bw_status log_fail(struct run_log *l, const struct bw_place *place, enum bw_status status, const char *format, ...)
{
    char text[1024];
    va_list a;
    va_start(a, format);
    vsnprintf(text, sizeof text, format, a);
    va_end(a);
    pthread_mutex_lock(&l->lock);
    if (l->diag) bw_diag_error(l->diag, place, status, "%s", text);
    pthread_mutex_unlock(&l->lock);
    return status;
}

enum bw_status log_status(struct run_log *l)
{
    pthread_mutex_lock(&l->lock);
    enum bw_status status = l->diag && l->diag->status != BW_OK ? l->diag->status : BW_ERR_IO;
    pthread_mutex_unlock(&l->lock);
    return status;
}

/* The writer thread evaluates its exporters' parameters while the stages' are being evaluated: each into sentences of
 * its own, which are added to the run's under the lock. */
enum bw_status log_params(struct run_log *l, struct bw_params *p, double time, uint32_t slot, void *out)
{
    struct bw_diag d = {0};
    enum bw_status status = bw_params_eval(p, time, slot, out, &d);
    if (status != BW_OK) {
        pthread_mutex_lock(&l->lock);
        if (l->diag) bw_diag_take(l->diag, &d);
        pthread_mutex_unlock(&l->lock);
        if (!d.errors && status == BW_ERR_MEMORY) log_fail(l, NULL, status, "out of memory for parameters");
    }
    bw_diag_free(&d);
    return status;
}
