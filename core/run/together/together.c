// SPDX-License-Identifier: Apache-2.0
#include "together.h"
#include "base/alloc.h"
#include "grid/ranks/ranks.h"

static enum bw_status no_memory(struct bw_chain *c)
{
    return log_fail(&c->log, NULL, BW_ERR_MEMORY, "frame %lld: rank %d is out of memory for tiles of others",
                    (long long)c->clock.frame, (int)c->ranks->rank);
}

static void whole_tell(struct bw_chain *c)
{
    char *names = NULL;
    for (int32_t i = 0; i < c->stages.n; i++) {
        if (together_shares(c, &c->stages.stage[i])) continue;
        char *more = bw_printf("%s%s%s", names ? names : "", names ? ", " : "", c->stages.stage[i].pub.id);
        bw_free(names);
        names = more;
    }
    char *text =
        names ? bw_printf("made whole on each of %d ranks, with all tiles: %s", (int)c->ranks->size, names) : NULL;
    if (text) log_say(&c->log, BW_LOG_WARNING, NULL, text);
    bw_free(text);
    bw_free(names);
}

enum bw_status together_begin(struct bw_chain *c)
{
    enum bw_status status = BW_OK;
    if (!c->ranks) return BW_OK;
    c->together = (struct run_together){.stop = c->opt.stop, .cancel = c->opt.cancel};
    c->opt.stop = &c->together.stops;
    c->opt.cancel = c->host.cancel = &c->together.cancels;
    for (int32_t i = 0; i < c->preset->n_domains && status == BW_OK; i++)
        status = bw_ranks_join(c->domain[i], c->ranks);
    whole_tell(c);
    return status == BW_OK ? BW_OK : no_memory(c);
}

void together_look(struct bw_chain *c)
{
    struct {
        double elapsed;
        int32_t stop, cancel;
    } first = {c->progress.elapsed, c->together.stop && *c->together.stop, c->together.cancel && *c->together.cancel};
    size_t bytes[BW_RANKS_MOST] = {sizeof first};
    if (!c->ranks) return;
    c->ranks->gather(c->ranks, &first, bytes, &first);
    c->progress.elapsed = first.elapsed;
    atomic_store(&c->together.stops, first.stop);
    atomic_store(&c->together.cancels, first.cancel);
}

void together_count(struct bw_chain *c)
{
    if (!c->ranks) return;
    metrics_add(&c->timings, "ranks", "bytes", (double)c->ranks->bytes, BW_METRIC_LAST);
    metrics_add(&c->timings, "ranks", "messages", (double)c->ranks->messages, BW_METRIC_LAST);
    c->ranks->bytes = c->ranks->messages = 0;
}

/* A stage that runs whole may be asked by others for what it offers; those then do so, too. */
static bool all_may_share(const struct bw_chain *c)
{
    for (int32_t i = 0; i < c->stages.n; i++) {
        const struct bw_stage_desc *s = c->stages.stage[i].pub.desc;
        if (s->extension && !(s->flags & BW_STAGE_RANKS)) return false;
    }
    return true;
}

bool together_shares(const struct bw_chain *c, const struct run_stage *s)
{
    return (s->pub.desc->flags & BW_STAGE_RANKS) && all_may_share(c);
}

static enum bw_status bring_all(struct bw_chain *c, enum bw_need need)
{
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < c->preset->n_domains && status == BW_OK; i++)
        status = bw_ranks_bring_all(c->domain[i], need);
    return status == BW_OK ? BW_OK : no_memory(c);
}

enum bw_status together_call(struct bw_chain *c, const struct run_stage *s)
{
    if (!c->ranks) return BW_OK;
    c->host.share = c->host.shares = together_shares(c, s);
    return c->host.share ? BW_OK : bring_all(c, BW_NEED_ALL);
}

enum bw_status together_show(struct bw_chain *c)
{
    c->host.share = c->host.shares = false; // what follows the first rank does alone
    return c->ranks ? bring_all(c, BW_NEED_FIRST) : BW_OK;
}
