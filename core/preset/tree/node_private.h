// SPDX-License-Identifier: Apache-2.0
/* What the files of the tree share with each other and with the preset reader. */
#ifndef BW_NODE_PRIVATE_H
#define BW_NODE_PRIVATE_H

#include "node.h"
#include <stdatomic.h>

/// A file's name and text, alive as long as any node that was read from it.
struct bw_document {
    _Atomic int references;
    char *name, *text;
};

/// Copies of both, one reference; NULL: out of memory.
struct bw_document *bw_document_new(const char *name, const char *text);
/// Give one reference back; NULL is allowed.
void bw_document_release(struct bw_document *d);
/// Make `n` hold a reference to `d` (may be NULL) instead of its present one.
void bw_node_adopt(struct bw_node *n, struct bw_document *d);
/// 1 for NULL and for an unquoted empty, `~` or `null` scalar.
int bw_node_is_null(const struct bw_node *n);
/// The same of an unquoted text.
int bw_text_is_null(const char *text);
/// Bytes of the colour "#102030" that the text begins with; 0: it does not.
size_t bw_text_colour(const char *text);
/// Where a line of the text begins, counted from 1; NULL: there is none.
const char *bw_text_line(const char *text, int32_t line);
/// The same of what stands, as a comment, where a value is missing; *at: there.
size_t bw_node_comment_colour(const struct bw_node *n, const char **at);

#endif
