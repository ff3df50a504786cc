// SPDX-License-Identifier: Apache-2.0
/* A YAML document as a plain tree that remembers where each node stood, read with libfyaml. Presets are merged
 * (`extends`, `--set`) on this tree; nodes of several files may meet in one tree. */
#ifndef BW_NODE_H
#define BW_NODE_H

#include "base/diag.h"
#include "names.h"
#include <stdio.h>

enum bw_node_type { BW_NODE_SCALAR, BW_NODE_SEQ, BW_NODE_MAP };

struct bw_node {
    enum bw_node_type type;
    struct bw_place place;
    char *key; ///< in a map: this entry's key
    struct bw_place key_place;
    char *text;             ///< scalar: its text (unquoted)
    int32_t quoted;         ///< scalar: was in quotes
    int32_t flow;           ///< seq and map: in brackets or braces
    int64_t from, to;       ///< bytes of the document's text that it takes; to < 0: an alias's, or none
    int64_t key_from;       ///< where `key` begins
    struct bw_node **child; ///< seq and map: entries in order
    int32_t count, capacity;
    void *document;        ///< keeps file name and text alive (reference-counted)
    struct bw_names index; ///< map of many entries: which child has a key; else empty
};

/// Read a file. Errors (with place) go to `d`, NULL then. Duplicate keys are errors.
struct bw_node *bw_node_load(const char *path, struct bw_diag *d);
/// Read a text; `name` stands for the file in messages.
struct bw_node *bw_node_parse(const char *text, const char *name, struct bw_diag *d);
/// Deep copy (places stay valid as long as either lives), NULL: out of memory.
struct bw_node *bw_node_copy(const struct bw_node *n);
/// 1: the same keys and texts in the same order, wherever they stood; also of two NULLs.
int bw_node_equal(const struct bw_node *a, const struct bw_node *b);
/// 1: the same text, or two NULLs.
int bw_text_equal(const char *a, const char *b);
void bw_node_free(struct bw_node *n);
/// Entry of a map, or NULL.
struct bw_node *bw_node_get(const struct bw_node *map, const char *key);
/// Put (or replace) an entry; takes ownership of `value`; `value` NULL removes.
enum bw_status bw_node_put(struct bw_node *map, const char *key, struct bw_node *value);
/// Append to a sequence; takes ownership.
enum bw_status bw_node_append(struct bw_node *seq, struct bw_node *value);
struct bw_node *bw_node_new(enum bw_node_type type, const char *text);
/// "a list", "a map", or the text in quotes, for messages. `buffer` of 64 bytes.
const char *bw_node_describe(const struct bw_node *n, char *buffer);
/// A text as YAML reads it back on one line, in quotes where it needs them, new memory; NULL: out of memory. Bytes that
/// are no UTF-8 come out as base/text/utf8.h says.
char *bw_node_quote(const char *text);
/// Write as YAML (block style; scalars quoted where needed) so that reading it again gives the same tree.
void bw_node_write(const struct bw_node *n, FILE *f);

#endif
