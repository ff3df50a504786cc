// SPDX-License-Identifier: Apache-2.0
/* What goes wrong in a conversion, from any of its threads. */
#include "convert.h"

#include <common/openvdb/hosts/hosts.h>
#include <stdarg.h>
#include <stdio.h>

void conversion_fail(struct conversion *c, enum bw_status status, const char *format, ...)
{
    char text[1200];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    pthread_mutex_lock(&c->lock);
    if (!c->d->status) bw_diag_error(c->d, NULL, status, "%s", text);
    pthread_mutex_unlock(&c->lock);
}

void conversion_leave(struct conversion *c, const char *name, const char *why)
{
    pthread_mutex_lock(&c->lock);
    if (!json_object_get(c->left_out, name)) json_object_set_new(c->left_out, name, json_string(why));
    pthread_mutex_unlock(&c->lock);
}

enum bw_status host_unknown(const char *host, struct bw_diag *d)
{
    const char *names[16];
    uint32_t n = 0;
    while (n < BW_COUNT(names) && (names[n] = vdb_host_name((int)n))) n++;
    const char *near = bw_nearest_word(host, names, n);
    return bw_diag_error(d, NULL, BW_ERR_USAGE, "no host is called \"%s\"; %s %s", host,
                         near ? "the nearest is" : "there are", near ? near : VDB_HOSTS);
}
