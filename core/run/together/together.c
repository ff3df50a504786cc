// SPDX-License-Identifier: Apache-2.0
#include "together.h"
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

bool together_says(const struct bw_chain *c, bool own)
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

void together_count(struct bw_chain *c)
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
static const struct run_stage *asked_whole(const struct bw_chain *c)
{
    for (int32_t i = 0; i < c->stages.n; i++) {
        const struct bw_stage_desc *s = c->stages.stage[i].pub.desc;
        if (s->extension && !(s->flags & BW_STAGE_RANKS)) return &c->stages.stage[i];
    }
    return NULL;
}

bool together_share_all(const struct bw_chain *c) { return !asked_whole(c); }

bool together_shares(const struct bw_chain *c, const struct run_stage *s)
{
    return (s->pub.desc->flags & BW_STAGE_RANKS) && together_share_all(c);
}

char *bw_chain_whole(const struct bw_chain *c)
{
    const struct run_stage *asked = asked_whole(c);
    char *names = NULL;
    if (asked) return bw_printf("all of them, because others may ask %s for what it offers", asked->pub.id);
    for (int32_t i = 0; i < c->stages.n; i++) {
        if (together_shares(c, &c->stages.stage[i])) continue;
        char *more = bw_printf("%s%s%s", names ? names : "", names ? ", " : "", c->stages.stage[i].pub.id);
        bw_free(names);
        names = more;
    }
    return names;
}

static void whole_tell(struct bw_chain *c)
{
    char *names = bw_chain_whole(c);
    char *text =
        names ? bw_printf("made whole on each of %d ranks, with all tiles: %s", (int)c->ranks->size, names) : NULL;
    if (text) log_say(&c->log, BW_LOG_WARNING, NULL, text);
    bw_free(text);
    bw_free(names);
}

static enum bw_status bring_all(struct bw_chain *c, enum bw_fetch_to need)
{
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < c->preset->n_domains && status == BW_OK; i++)
        status = bw_ranks_fetch_all_fields(c->domain[i], need);
    return status == BW_OK ? BW_OK : no_memory(c);
}

enum bw_status together_call(struct bw_chain *c, const struct run_stage *s)
{
    if (!c->ranks) return BW_OK;
    c->host.share = c->host.shares = together_shares(c, s);
    if (!c->host.share) return bring_all(c, BW_FETCH_ALL_RANKS);
    for (int32_t i = 0; i < c->preset->n_domains; i++) bw_ranks_retain(c->domain[i], c->domain[i]->partition->near);
    return BW_OK;
}

void together_done(struct bw_chain *c)
{
    for (int32_t i = 0; c->host.share && i < c->preset->n_domains; i++)
        bw_ranks_retain(c->domain[i], c->domain[i]->partition->own);
}

enum bw_status together_show(struct bw_chain *c)
{
    c->host.share = c->host.shares = false; // what follows the first rank does alone
    return c->ranks && !together_share_all(c) ? bring_all(c, BW_FETCH_FIRST_RANK) : BW_OK;
}

void together_end(struct bw_chain *c)
{
    pthread_mutex_lock(&c->together.lock);
    if (c->together.status == BW_OK) c->together.status = BW_ERR_CANCELLED; // nobody answers any more
    pthread_cond_broadcast(&c->together.changed);
    pthread_mutex_unlock(&c->together.lock);
}

/* ---- beginning ---- */

enum bw_status together_begin(struct bw_chain *c)
{
    enum bw_status status = BW_OK;
    c->together = (struct run_together){.part = -1};
    pthread_mutex_init(&c->together.lock, NULL);
    pthread_cond_init(&c->together.changed, NULL);
    if (!c->ranks) return BW_OK;
    mallopt(M_MMAP_THRESHOLD, LARGE); // so that of large arrays only what is touched takes memory, also when used again
    c->together.stop = c->opt.stop;
    c->together.cancel = c->opt.cancel;
    c->opt.stop = &c->together.stops;
    c->opt.cancel = c->host.cancel = &c->together.cancels;
    for (int32_t i = 0; i < c->preset->n_domains && status == BW_OK; i++)
        status = bw_ranks_join(c->domain[i], c->ranks);
    whole_tell(c);
    return status == BW_OK ? BW_OK : no_memory(c);
}
