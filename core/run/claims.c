// SPDX-License-Identifier: Apache-2.0
/* Whose file is it? A name in the output folder has one owner: an exporter, a stage, or the bake itself. It is claimed
 * when the chain is built, by exporters that say their names beforehand, and by whoever begins an output: no two ever
 * write the same file, whatever plugins they come from. Names that the same file may go by are one name: "a//b" and
 * "./a/b", and "A/B" too, which many file systems, and the archives that caches travel in, take for "a/b". */
#include "chain.h"
#include "base/alloc.h"
#include <string.h>

struct chain_claim {
    struct chain_claim *next;
    struct chain_owner by;
    const char *key; /* behind the name */
    char name[];
};

const struct chain_owner chain_owner_bake = {"the bake itself", NULL};

struct chain_owner chain_owner_of_stage(const struct chain_stage *s)
{
    return (struct chain_owner){s->pub.id, &s->preset->place};
}

struct chain_owner chain_owner_of_exporter(const struct chain_exporter *x)
{
    return (struct chain_owner){x->pub.id, &x->preset->place};
}

/* `key` has room for as much as `name`. */
static void key_make(const char *name, char *key)
{
    for (const char *c = name; *c; c++) {
        bool begins = c == name || c[-1] == '/';
        if (begins && *c == '/') continue;
        if (begins && c[0] == '.' && c[1] == '/') c++;
        else *key++ = *c >= 'A' && *c <= 'Z' ? (char)(*c + 'a' - 'A') : *c;
    }
    *key = 0;
}

static struct chain_claim *claim_make(struct chain_owner by, const char *name)
{
    size_t n = strlen(name) + 1;
    struct chain_claim *claim = bw_calloc(sizeof *claim + 2 * n);
    if (!claim) return NULL;
    claim->by = by;
    memcpy(claim->name, name, n);
    key_make(name, claim->name + n);
    claim->key = claim->name + n;
    return claim;
}

/* The claim that holds the name, which may be the new one; NULL: out of memory. */
static struct chain_claim *claim_hold(struct bw_chain *c, struct chain_owner by, const char *name)
{
    struct chain_claim *claim = claim_make(by, name), *held;
    if (!claim) return NULL;
    uint64_t hash = 0;
    for (const char *k = claim->key; *k; k++) hash = bw_rng(hash, (unsigned char)*k);
    struct chain_claim **slot = &c->claim[hash % BW_COUNT(c->claim)];
    for (held = *slot; held && strcmp(held->key, claim->key);) held = held->next;
    if (held) {
        bw_free(claim);
        return held;
    }
    claim->next = *slot;
    return *slot = claim;
}

enum bw_status chain_claim(struct bw_chain *c, struct chain_owner by, const char *name)
{
    pthread_mutex_lock(&c->lock);
    const struct chain_claim *held = claim_hold(c, by, name); /* stays as it is until the chain goes */
    pthread_mutex_unlock(&c->lock);
    if (!held) return chain_fail(c, by.place, BW_ERR_MEMORY, "out of memory for output \"%s\"", name);
    const struct bw_place *at = held->by.place;
    if (at == by.place) return BW_OK;
    char where[300] = "", alias[400] = "";
    if (at && at->file) snprintf(where, sizeof where, " (%s:%d:%d)", at->file, at->line, at->column);
    if (strcmp(held->name, name))
        snprintf(alias, sizeof alias, " with \"%.300s\", the same file to many file systems", held->name);
    return chain_fail(c, by.place, BW_ERR_PRESET,
                      "%s would write \"%s\", as %s%s does%s: give %s another name, or leave it out", by.id, name,
                      held->by.id, where, alias, at ? "one of them" : "it");
}

void chain_claims_free(struct bw_chain *c)
{
    for (uint32_t i = 0; i < BW_COUNT(c->claim); i++)
        for (struct chain_claim *q = c->claim[i], *next; q; q = next) {
            next = q->next;
            bw_free(q);
        }
}

/* ---- before a bake ---- */

struct plan {
    struct chain_exporter *x;
    enum bw_status status;
};

static void name_take(const char *name, void *user)
{
    struct plan *p = user;
    if (p->status == BW_OK) p->status = chain_claim(p->x->chain, chain_owner_of_exporter(p->x), name);
}

/* Names of sequences with as many digits as each other meet in the first frame, others, if at all, in the last. */
static enum bw_status exporter_plan(struct chain_exporter *x, struct bw_frame frame)
{
    const struct bw_chain *c = x->chain;
    struct plan p = {x, BW_OK};
    for (int last = 0; x->pub.desc->outputs && last < 2; last++) {
        frame.number = last ? c->bake.last : c->bake.first;
        frame.time = (double)(frame.number - c->preset->time.first) / c->bake.fps;
        x->pub.desc->outputs(&x->pub, &frame, name_take, &p);
    }
    return p.status;
}

enum bw_status chain_outputs_plan(struct bw_chain *c)
{
    static const char *const own[] = {"metrics.csv", "resolved.yaml", "bake.log", "bake.json"};
    struct bw_snapshot_particles *names = bw_calloc(((size_t)c->n_fields + 1) * sizeof *names);
    if (!names) return BW_ERR_MEMORY;
    struct bw_frame frame = {
        .size = sizeof frame, .first = c->bake.first, .last = c->bake.last, .fps = c->bake.fps, .particles = names};
    for (int32_t i = 0; i < c->n_fields; i++)
        if (c->field[i].particles) names[frame.n_particles++].name = c->field[i].name;
    enum bw_status first = BW_OK;
    for (uint32_t i = 0; i < BW_COUNT(own) && first == BW_OK; i++) first = chain_claim(c, chain_owner_bake, own[i]);
    for (int32_t i = 0; i < c->n_exporters; i++) {
        enum bw_status st = exporter_plan(&c->exporter[i], frame);
        if (first == BW_OK) first = st;
    }
    bw_free(names);
    return first;
}
