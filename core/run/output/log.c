// SPDX-License-Identifier: Apache-2.0
#include "log.h"
#include "base/alloc.h"
#include "base/memory/account.h"
#include "base/text/utf8.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void log_init(struct run_log *l, void (*on_log)(int, const char *, const char *, void *), void *user)
{
    pthread_mutex_init(&l->lock, NULL);
    l->on_log = on_log;
    l->user = user;
}

void log_free(struct run_log *l) { pthread_mutex_destroy(&l->lock); }

void log_line(struct run_log *l, int level, const char *who, const char *text)
{
    char *line = bw_strdup(text);
    if (line) bw_utf8_one_line(line);
    pthread_mutex_lock(&l->lock);
    if (l->on_log) l->on_log(level, who, line ? line : text, l->user);
    pthread_mutex_unlock(&l->lock);
    bw_free(line);
}

/* What was refused is told once, by the sentence that speaks of memory. */
static enum bw_status limit_tell(struct run_log *l, char *text, size_t size)
{
    static const double mib = 1 << 20;
    const int64_t refused = bw_account_refused(l->account);
    if (!refused) return BW_ERR_MEMORY;
    snprintf(text, size, ": the memory limit of %.0f MiB is reached, with %.0f MiB held and %.0f MiB more wanted",
             (double)bw_account_limited(l->account) / mib, (double)bw_account_bytes(l->account) / mib,
             ceil((double)refused / mib));
    return BW_ERR_LIMIT;
}

enum bw_status log_fail(struct run_log *l, const struct bw_place *place, enum bw_status status, const char *format, ...)
{
    char text[1024 + 200];
    va_list a;
    va_start(a, format);
    vsnprintf(text, 1024, format, a);
    va_end(a);
    const size_t n = strlen(text);
    if (status == BW_ERR_MEMORY) status = limit_tell(l, text + n, sizeof text - n);
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
        if (l->diag) bw_diag_append(l->diag, &d);
        pthread_mutex_unlock(&l->lock);
        if (!d.errors && status == BW_ERR_MEMORY) log_fail(l, NULL, status, "out of memory for parameters");
    }
    bw_diag_free(&d);
    return status;
}
