// SPDX-License-Identifier: Apache-2.0
#include "collective.h"
#include "base/alloc.h"
#include "grid/ranks/ranks.h"
#include <malloc.h>
#include <string.h>

enum { LARGE = 1 << 20 };

static enum bw_status no_memory(struct bw_chain *c)
{
    return log_fail(&c->log, NULL, BW_ERR_MEMORY, "frame %lld: rank %d is out of memory for tiles of others",
                    (long long)c->clock.frame, (int)c->ranks->rank);
}

bool collective_first_decides(const struct bw_chain *c, bool own)
{
    const size_t bytes[BW_RANKS_MOST] = {sizeof own};
    if (c->ranks) c->ranks->gather(c->ranks, NULL, bytes, &own);
    return own;
}

static double tiles_own(const struct bw_chain *c)
{
    int64_t n = 0;
    for (int32_t i = 0; i < c->preset->n_domains; i++) n += c->domain[i]->partition->n_mine;
    return (double)n;
}

void collective_metrics(struct bw_chain *c)
{
    if (!c->ranks) return;
    metrics_add(&c->timings, "ranks", "bytes", (double)c->ranks->bytes, BW_METRIC_LAST);
    metrics_add(&c->timings, "ranks", "messages", (double)c->ranks->messages, BW_METRIC_LAST);
    metrics_add(&c->timings, "ranks", "busy", c->ranks->busy, BW_METRIC_LAST);
    metrics_add(&c->timings, "ranks", "tiles", tiles_own(c), BW_METRIC_LAST);
    c->ranks->bytes = c->ranks->messages = 0;
    c->ranks->busy = 0;
}

/* A stage that runs whole may be asked by others for what it offers; those then do so, too. */
static const struct run_stage *replicated_service(const struct bw_chain *c)
{
    for (int32_t i = 0; i < c->stages.n; i++) {
        const struct bw_stage_desc *s = c->stages.stage[i].pub.desc;
        if (s->extension && !(s->flags & BW_STAGE_RANKS)) return &c->stages.stage[i];
    }
    return NULL;
}

bool collective_all_distributed(const struct bw_chain *c) { return !replicated_service(c); }

bool collective_is_distributed(const struct bw_chain *c, const struct run_stage *s)
{
    return (s->pub.desc->flags & BW_STAGE_RANKS) && collective_all_distributed(c);
}

char *bw_chain_replicated_stages(const struct bw_chain *c)
{
    const struct run_stage *asked = replicated_service(c);
    char *names = NULL;
    if (asked) return bw_printf("all of them, because others may ask %s for what it offers", asked->pub.id);
    for (int32_t i = 0; i < c->stages.n; i++) {
        if (collective_is_distributed(c, &c->stages.stage[i])) continue;
        char *more = bw_printf("%s%s%s", names ? names : "", names ? ", " : "", c->stages.stage[i].pub.id);
        bw_free(names);
        names = more;
    }
    return names;
}

static void replicated_stages_warn(struct bw_chain *c)
{
    char *names = bw_chain_replicated_stages(c);
    char *text =
        names ? bw_printf("not distributed, computed in full on each of %d ranks: %s", (int)c->ranks->size, names)
              : NULL;
    if (text) log_line(&c->log, BW_LOG_WARNING, NULL, text);
    bw_free(text);
    bw_free(names);
}

static enum bw_status all_fields_fetch(struct bw_chain *c, enum bw_fetch_to need)
{
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < c->preset->n_domains && status == BW_OK; i++)
        status = bw_ranks_fetch_all_fields(c->domain[i], need);
    return status == BW_OK ? BW_OK : no_memory(c);
}

enum bw_status collective_stage_begin(struct bw_chain *c, const struct run_stage *s)
{
    if (!c->ranks) return BW_OK;
    c->host.distributed = c->host.may_distribute = collective_is_distributed(c, s);
    if (!c->host.distributed) return all_fields_fetch(c, BW_FETCH_ALL_RANKS);
    for (int32_t i = 0; i < c->preset->n_domains; i++) bw_ranks_retain(c->domain[i], c->domain[i]->partition->near);
    return BW_OK;
}

void collective_stage_end(struct bw_chain *c)
{
    for (int32_t i = 0; c->host.distributed && i < c->preset->n_domains; i++)
        bw_ranks_retain(c->domain[i], c->domain[i]->partition->own);
}

enum bw_status collective_snapshot_begin(struct bw_chain *c)
{
    c->host.distributed = c->host.may_distribute = false; // what follows the first rank does alone
    return c->ranks && !collective_all_distributed(c) ? all_fields_fetch(c, BW_FETCH_FIRST_RANK) : BW_OK;
}

void collective_end(struct bw_chain *c)
{
    pthread_mutex_lock(&c->collective.lock);
    if (c->collective.status == BW_OK) c->collective.status = BW_ERR_CANCELLED; // nobody answers any more
    pthread_cond_broadcast(&c->collective.changed);
    pthread_mutex_unlock(&c->collective.lock);
}

/* ---- beginning ---- */

enum bw_status collective_begin(struct bw_chain *c)
{
    enum bw_status status = BW_OK;
    c->collective = (struct run_collective){.part = -1};
    pthread_mutex_init(&c->collective.lock, NULL);
    pthread_cond_init(&c->collective.changed, NULL);
    if (!c->ranks) return BW_OK;
    mallopt(M_MMAP_THRESHOLD, LARGE); // so that of large arrays only what is touched takes memory, also when used again
    c->collective.stop = c->opt.stop;
    c->collective.cancel = c->opt.cancel;
    c->opt.stop = &c->collective.stops;
    c->opt.cancel = c->host.cancel = &c->collective.cancels;
    for (int32_t i = 0; i < c->preset->n_domains && status == BW_OK; i++)
        status = bw_ranks_join(c->domain[i], c->ranks);
    replicated_stages_warn(c);
    return status == BW_OK ? BW_OK : no_memory(c);
}
