// SPDX-License-Identifier: Apache-2.0
#include "snapshot_exporter.h"

#include "job/job.h"
#include "picture_tools.h"
#include <stdarg.h>
#include <string.h>

static enum bw_status exporter_fail(struct bw_exporter *e, enum bw_status status, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return bw_diag_error(e->host_data, NULL, status, "%s", text);
}

static void *exporter_alloc(struct bw_exporter *e, size_t bytes)
{
    (void)e;
    const struct bw_tools tools = picture_tools();
    return tools.alloc(tools.ctx, bytes);
}

static void exporter_release(struct bw_exporter *e, void *memory)
{
    (void)e;
    const struct bw_tools tools = picture_tools();
    tools.release(tools.ctx, memory);
}

static void exporter_parallel(struct bw_exporter *e, int64_t n, void (*fn)(int64_t i, void *user), void *user)
{
    (void)e;
    const struct bw_tools tools = picture_tools();
    tools.parallel(tools.ctx, n, fn, user);
}

static int exporter_cancelled(struct bw_exporter *e)
{
    (void)e;
    return 0;
}

static const struct bw_exporter_host host = {.size = sizeof host,
                                             .fail = exporter_fail,
                                             .alloc = exporter_alloc,
                                             .release = exporter_release,
                                             .read_box = snapshot_read,
                                             .parallel_for = exporter_parallel,
                                             .cancelled = exporter_cancelled};

/// In the preset's order, those that hold fields.
static uint32_t domains_find(const struct bw_preset *p, const struct chain_snapshot *s,
                             const struct bw_domain_info *domains[BW_MAX_DOMAINS])
{
    uint32_t n = 0;
    for (int32_t k = 0; k < p->n_domains; k++)
        for (uint32_t i = 0; i < s->frame.n_fields; i++) {
            const struct bw_domain_info *at = s->field[i].info->domain;
            if (strcmp(at->name, p->domain[k].name)) continue;
            domains[n++] = at;
            break;
        }
    return n;
}

int snapshot_exporter_init(struct snapshot_exporter *exporter, const struct snapshot *m, const char *domain,
                           struct bw_diag *d)
{
    const struct job *j = m->owner;
    const struct chain_snapshot *s = m->data;
    *exporter = (struct snapshot_exporter){
        .bake = {.size = sizeof exporter->bake, .fps = s->frame.fps, .ambient = j->preset->ambient}};
    exporter->e = (struct bw_exporter){
        .host = &host, .id = "picture", .bake = &exporter->bake, .host_data = d, .domains = exporter->domains};
    exporter->e.n_domains = domains_find(j->preset, s, exporter->domains);
    for (uint32_t i = 0; i < exporter->e.n_domains; i++) {
        if (domain && strcmp(exporter->domains[i]->name, domain)) continue;
        exporter->e.domain = i;
        return 1;
    }
    bw_diag_error(d, NULL, BW_ERR_PRESET,
                  exporter->e.n_domains ? "there is no domain \"%s\"" : "there is no grid field to show", domain);
    return 0;
}
