// SPDX-License-Identifier: Apache-2.0
/* What every exporter does with a file: a name that it may have, and its end, good or bad. */
#ifndef OUTPUTS_H
#define OUTPUTS_H

#include <billow/plugin.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

/// Is the parameter `name` (NULL: absent) a part of a file name? Errors: BW_ERR_PRESET, said.
static inline enum bw_status output_name_check(struct bw_exporter *e, const char *name)
{
    if (!name || (*name && !strchr(name, '/'))) return BW_OK;
    return e->host->fail(e, BW_ERR_PRESET, "name is \"%s\"; a part of a file name is wanted", name);
}

/// The name of `frame`'s picture: png/NAME_DOMAIN_0001.png, with the bake's name where `own` is NULL, then
/// with the domain's if it has one.
static inline void output_picture_name(const struct bw_exporter *e, const struct bw_frame *frame, const char *own,
                                       const char *kind, char *name, size_t size)
{
    const char *domain = e->domain && !own ? e->domains[e->domain]->name : "";
    snprintf(name, size, "%s/%.200s%s%.200s_%04lld.%s", kind, own ? own : e->bake->name, *domain ? "_" : "", domain,
             (long long)frame->number, kind);
}

/// End the output that is at `path` for now: with a bad `status` it is discarded and `why` said
/// (NULL: that it cannot be written, with the reason in errno), else it gets its name and,
/// if it is the first that `announced` counts, is announced as `what`. `announced` NULL: every one is.
static inline enum bw_status output_end(struct bw_exporter *e, const char *path, const char *name,
                                        enum bw_status status, const char *why, const char *what, int32_t *announced)
{
    if (status) {
        const char *reason = strerror(errno);
        e->host->output_discard(e, path);
        if (why) return e->host->fail(e, status, "%s", why);
        return e->host->fail(e, status, "%s/%s cannot be written: %s", e->bake->dir, name, reason);
    }
    status = e->host->output_commit(e, path);
    if (!status && !(announced && (*announced)++)) e->host->announce(e, what, name);
    return status;
}

#endif
