// SPDX-License-Identifier: Apache-2.0
#include "claims.h"
#include "base/alloc.h"
#include "files.h"
#include <billow/param.h>
#include <billow/rng.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct claim {
    struct claim *next;
    struct output_owner by;
    const char *key; /* behind the name */
    char name[];
};

const struct output_owner output_owner_bake = {"the bake itself", NULL};

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

static struct claim *claim_make(struct output_owner by, const char *name)
{
    size_t n = strlen(name) + 1;
    struct claim *claim = bw_calloc(sizeof *claim + 2 * n);
    if (!claim) return NULL;
    claim->by = by;
    memcpy(claim->name, name, n);
    key_make(name, claim->name + n);
    claim->key = claim->name + n;
    return claim;
}

/* The claim that holds the name, which may be the new one; NULL: out of memory. */
static struct claim *claim_hold(struct claims *c, struct output_owner by, const char *name)
{
    struct claim *claim = claim_make(by, name), *held;
    if (!claim) return NULL;
    uint64_t hash = 0;
    for (const char *k = claim->key; *k; k++) hash = bw_rng(hash, (unsigned char)*k);
    struct claim **slot = &c->slot[hash % BW_COUNT(c->slot)];
    for (held = *slot; held && strcmp(held->key, claim->key);) held = held->next;
    if (held) {
        bw_free(claim);
        return held;
    }
    claim->next = *slot;
    return *slot = claim;
}

/* A name that is none may have line ends in it: a sentence has one line. */
static enum bw_status name_refuse(struct claims *c, struct output_owner by, const char *name, const char *fault)
{
    char shown[300];
    snprintf(shown, sizeof shown, "%s", name);
    for (char *s = shown; *s; s++)
        if ((unsigned char)*s < 32 || *s == 127) *s = '?';
    return log_fail(c->log, by.place, BW_ERR_PRESET, "%s would write \"%s\", which %s", by.id, shown, fault);
}

enum bw_status claims_take(struct claims *c, struct output_owner by, const char *name)
{
    const char *fault = file_name_fault(name);
    if (fault) return name_refuse(c, by, name, fault);
    pthread_mutex_lock(&c->log->lock);
    const struct claim *held = claim_hold(c, by, name); /* stays as it is until the chain goes */
    pthread_mutex_unlock(&c->log->lock);
    if (!held) return log_fail(c->log, by.place, BW_ERR_MEMORY, "out of memory for output \"%s\"", name);
    const struct bw_place *at = held->by.place;
    if (at == by.place) return BW_OK;
    char where[300] = "", alias[400] = "";
    if (at && at->file) snprintf(where, sizeof where, " (%s:%d:%d)", at->file, at->line, at->column);
    if (strcmp(held->name, name))
        snprintf(alias, sizeof alias, " with \"%.300s\", the same file to many file systems", held->name);
    return log_fail(c->log, by.place, BW_ERR_PRESET,
                    "%s would write \"%s\", as %s%s does%s: give %s another name, or leave it out", by.id, name,
                    held->by.id, where, alias, at ? "one of them" : "it");
}

void claims_each(const struct claims *c, void (*name)(const char *name, void *user), void *user)
{
    for (uint32_t i = 0; i < BW_COUNT(c->slot); i++)
        for (const struct claim *q = c->slot[i]; q; q = q->next) name(q->name, user);
}

void claims_free(struct claims *c)
{
    for (uint32_t i = 0; i < BW_COUNT(c->slot); i++)
        for (struct claim *q = c->slot[i], *next; q; q = next) {
            next = q->next;
            bw_free(q);
        }
}
