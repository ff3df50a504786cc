// SPDX-License-Identifier: Apache-2.0
/* Sends a checkpoint to the rank that writes it. That rank fetches fields tile by tile while it writes, and has the
 * particles, as all ranks do. The state of stages, exporters and the bake comes from the first rank in one parcel. */
#include "checkpoint.h"
#include "base/alloc.h"
#include "base/transport.h"
#include "run/chain.h"
#include <string.h>

enum bw_status checkpoint_fill(struct bw_chain *c, struct checkpoint *p)
{
    if (p->about) return BW_OK;
    const enum bw_status status = exporters_checkpoint(&c->exporters, &p->extra);
    if (status != BW_OK) return status;
    p->about = c->opt.about ? c->opt.about(c->opt.user) : bw_strdup("{}");
    return p->about ? BW_OK : log_fail(c->exporters.log, NULL, BW_ERR_MEMORY, "out of memory for a checkpoint");
}

static size_t values_bytes(const struct checkpoint *p)
{
    size_t bytes = strlen(p->about) + 1;
    for (int32_t i = 0; i < p->extra.n; i++)
        bytes += strlen(p->extra.entry[i].key) + 1 + sizeof(size_t) + p->extra.entry[i].bytes;
    return bytes;
}

static void values_pack(const struct checkpoint *p, char *to)
{
    strcpy(to, p->about);
    to += strlen(to) + 1;
    for (int32_t i = 0; i < p->extra.n; i++) {
        const struct archive_entry *e = &p->extra.entry[i];
        strcpy(to, e->key);
        to += strlen(to) + 1;
        memcpy(to, &e->bytes, sizeof e->bytes);
        to += sizeof e->bytes;
        if (e->bytes) memcpy(to, e->data, e->bytes);
        to += e->bytes;
    }
}

static enum bw_status values_unpack(struct checkpoint *p, const char *from, const char *end)
{
    enum bw_status status = (p->about = bw_strdup(from)) ? BW_OK : BW_ERR_MEMORY;
    for (from += strlen(from) + 1; from < end && status == BW_OK;) {
        const char *key = from;
        size_t bytes;
        from += strlen(from) + 1;
        memcpy(&bytes, from, sizeof bytes);
        from += sizeof bytes;
        void *data = bw_calloc(bytes + 1);
        if (data && bytes) memcpy(data, from, bytes);
        status = data ? archive_put(&p->extra, key, data, bytes) : BW_ERR_MEMORY;
        from += bytes;
    }
    return status;
}

enum bw_status checkpoint_transfer(struct bw_chain *c, struct checkpoint *p, int32_t rank)
{
    enum bw_status status = c->ranks->rank ? BW_OK : checkpoint_fill(c, p);
    size_t bytes = !c->ranks->rank && status == BW_OK ? values_bytes(p) : 0;
    const size_t one[BW_RANKS_MOST] = {sizeof bytes};
    c->ranks->gather(c->ranks, NULL, one, &bytes);
    if (!bytes) return status == BW_OK ? BW_ERR_MEMORY : status; // the first rank has said why
    char *data = c->ranks->rank == 0 || c->ranks->rank == rank ? bw_alloc_aligned(bytes) : NULL;
    struct bw_parcel parcel = {.data = data, .bytes = bytes, .rank = c->ranks->rank ? 0 : rank};
    if (data && c->ranks->rank == 0) values_pack(p, data);
    if (data) c->ranks->exchange(c->ranks, &parcel, c->ranks->rank == 0, &parcel, c->ranks->rank == rank);
    else if (c->ranks->rank == 0 || c->ranks->rank == rank) status = BW_ERR_MEMORY;
    if (data && c->ranks->rank == rank) status = values_unpack(p, data, data + bytes);
    bw_free(data);
    return status == BW_OK ? BW_OK : log_fail(&c->log, NULL, status, "out of memory for a checkpoint");
}
