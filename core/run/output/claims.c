// SPDX-License-Identifier: Apache-2.0
#include "claims.h"
#include "base/alloc.h"
#include "files.h"
#include <billow/param.h>
#include <billow/rng.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct claim {
    struct claim *next;
    struct output_owner by;
    char *key; /* behind the name */
    char name[];
};

const struct output_owner output_owner_bake = {"the bake itself", NULL, NULL};

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

/* The last number of a name, ahead of its ending, which has a letter. Answers how many digits it has. */
static size_t number_find(char *key, char **digits)
{
    char *base = key + (file_base(key) - key), *dot = strrchr(base, '.'), *end = base + strlen(base);
    if (dot && strpbrk(dot, "abcdefghijklmnopqrstuvwxyz")) end = dot;
    while (end > base && !isdigit((unsigned char)end[-1])) end--;
    for (*digits = end; *digits > base && isdigit((unsigned char)(*digits)[-1]);) --*digits;
    return (size_t)(end - *digits);
}

/* A claim of the name alone, with the key of its sequence behind: no digits, but what no name may have. */
static struct claim *claim_make(struct output_owner by, const char *name, char **sequence, bool *of_frame)
{
    size_t n = strlen(name) + 1;
    struct claim *claim = bw_calloc(sizeof *claim + 3 * n);
    if (!claim) return NULL;
    claim->by = (struct output_owner){by.id, by.place, NULL};
    memcpy(claim->name, name, n);
    claim->key = claim->name + n;
    *sequence = claim->name + 2 * n;
    key_make(name, claim->key);
    key_make(name, *sequence);
    char *digits;
    size_t wide = number_find(*sequence, &digits);
    *of_frame = by.frame && wide > 0 && wide < 19 && strtoll(digits, NULL, 10) == *by.frame;
    memset(digits, '\1', wide);
    return claim;
}

/* Where the claim of that key is, or will be. */
static struct claim **claim_slot(struct claims *c, const char *key)
{
    uint64_t hash = 0;
    for (const char *k = key; *k; k++) hash = bw_rng(hash, (unsigned char)*k);
    struct claim **slot = &c->slot[hash % BW_COUNT(c->slot)];
    while (*slot && strcmp((*slot)->key, key)) slot = &(*slot)->next;
    return slot;
}

/* The claim that holds the name, which may be the new one; NULL: out of memory. */
static struct claim *claim_hold(struct claims *c, struct output_owner by, const char *name)
{
    char *sequence;
    bool of_frame;
    struct claim *claim = claim_make(by, name, &sequence, &of_frame);
    if (!claim) return NULL;
    struct claim *held = *claim_slot(c, claim->key);
    if (!held) held = *claim_slot(c, sequence);
    if (held) {
        bw_free(claim);
        return held;
    }
    if (of_frame) claim->key = sequence;
    return *claim_slot(c, claim->key) = claim;
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
    if (strchr(held->key, '\1')) snprintf(alias, sizeof alias, " with \"%.300s\" and what follows it", held->name);
    else if (strcmp(held->name, name))
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
