// SPDX-License-Identifier: Apache-2.0
#include "av_log.h"

#include <libavutil/log.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char last[200];

static void line_take(void *by, int level, const char *format, va_list list)
{
    if (level > AV_LOG_ERROR) return;
    const AVClass *class = by ? *(const AVClass **)by : NULL;
    pthread_mutex_lock(&lock);
    int n = class ? snprintf(last, sizeof last, "%.40s: ", class->item_name(by)) : 0;
    vsnprintf(last + n, sizeof last - (size_t)n, format, list);
    last[strcspn(last, "\r\n")] = '\0';
    pthread_mutex_unlock(&lock);
}

void bw_av_log_take(void)
{
    av_log_set_callback(line_take);
    pthread_mutex_lock(&lock);
    *last = '\0';
    pthread_mutex_unlock(&lock);
}

void bw_av_log_last(char *out, size_t size)
{
    pthread_mutex_lock(&lock);
    snprintf(out, size, "%s%s%s", *last ? " (" : "", last, *last ? ")" : "");
    pthread_mutex_unlock(&lock);
}
