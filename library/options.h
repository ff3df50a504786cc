// SPDX-License-Identifier: Apache-2.0
/* What a host hands in: structs that may be older than this library, and options as text. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "door.h"
#include "preset/tree/node.h"

/// A struct of the host's, which may be newer and longer than ours: our copy in `to` of `bytes`, zero for NULL; both
/// begin with their size. 0 after a sentence. (A struct of ours that grows is to take its shorter forms here.)
int options_take(void *to, const void *from, size_t bytes, const char *what, struct bw_diag *d);
/// A map as YAML, in braces or without. NULL after a sentence.
struct bw_node *options_parse(const char *text, const char *name, struct bw_diag *d);

/// Texts that live as long as their owner.
struct texts {
    char **list;
    int32_t n;
};
/// Keep one that bw_free can free; NULL: out of memory, it is still the caller's.
const char *texts_take(struct texts *t, char *text);
/// Keep a copy, or NULL.
const char *texts_keep(struct texts *t, const char *text);
void texts_free(struct texts *t);

#endif
