// SPDX-License-Identifier: Apache-2.0
/* A hash table with open addressing, at most half full. */
#include "names.h"

#include "base/alloc.h"
#include <string.h>
#include <xxhash.h>

enum { SIZE_FIRST = 64 };

struct bw_names_slot {
    const char *name; ///< NULL: free
    int32_t number;
};

/* The slot of `name`, or the free one that it would take. */
static struct bw_names_slot *slot_of(const struct bw_names *t, const char *name)
{
    uint32_t i = (uint32_t)XXH3_64bits(name, strlen(name));
    for (;; i++) {
        struct bw_names_slot *s = &t->slot[i & (t->size - 1)];
        if (!s->name || !strcmp(s->name, name)) return s;
    }
}

int32_t bw_names_get(const struct bw_names *t, const char *name)
{
    const struct bw_names_slot *s = t->count ? slot_of(t, name) : NULL;
    return s && s->name ? s->number : -1;
}

static enum bw_status table_grow(struct bw_names *t)
{
    struct bw_names grown = {.size = t->size ? 2 * t->size : SIZE_FIRST, .count = t->count};
    grown.slot = bw_calloc(grown.size * sizeof *grown.slot);
    if (!grown.slot) return BW_ERR_MEMORY;
    for (uint32_t i = 0; i < t->size; i++)
        if (t->slot[i].name) *slot_of(&grown, t->slot[i].name) = t->slot[i];
    bw_free(t->slot);
    *t = grown;
    return BW_OK;
}

enum bw_status bw_names_put(struct bw_names *t, const char *name, int32_t number)
{
    if (2 * t->count >= t->size && table_grow(t)) return BW_ERR_MEMORY;
    struct bw_names_slot *s = slot_of(t, name);
    t->count += !s->name;
    *s = (struct bw_names_slot){name, number};
    return BW_OK;
}

void bw_names_free(struct bw_names *t)
{
    bw_free(t->slot);
    *t = (struct bw_names){0};
}
