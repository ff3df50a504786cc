// SPDX-License-Identifier: Apache-2.0
/* Structs of the host's, which may be older than this library, and options as text. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "api_guard.h"
#include "preset/tree/node.h"

/// Copy a struct of the host's into ours, `to`, of `bytes`; zero for NULL. Both begin with their size; the host's may
/// be newer and longer. 0 with an error in `d`. (When a struct of ours grows, accept its shorter forms here.)
int host_struct_copy(void *to, const void *from, size_t bytes, const char *what, struct bw_diag *d);
/// A map as YAML, in braces or without. NULL with an error in `d`.
struct bw_node *options_parse(const char *text, const char *name, struct bw_diag *d);

/// Strings that live as long as their owner.
struct texts {
    char **list;
    int32_t n;
};
/// Take ownership of a bw_alloc'ed string; NULL: out of memory, it is still the caller's.
const char *texts_adopt(struct texts *t, char *text);
/// Store a copy; NULL: out of memory.
const char *texts_copy(struct texts *t, const char *text);
void texts_free(struct texts *t);

#endif
