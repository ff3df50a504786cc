// SPDX-License-Identifier: Apache-2.0
/* A tree as YAML: maps in block style, sequences of plain values as [a, b, c], everything that could be read as
 * something else in double quotes. Reading it again gives the same tree. */
#include "node_private.h"

#include "base/alloc.h"
#include "base/text/utf8.h"
#include <stdio.h>
#include <string.h>

/* Plain only when the text is letters, digits and a few signs, with no leading sign that YAML gives a meaning:
 * quoting more than needed costs nothing. */
static int text_is_plain(const char *text)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-^%()";
    size_t n = strlen(text);
    if (!n || strchr("%-", text[0])) {
        if (n < 2 || text[0] != '-' || !strchr("0123456789.", text[1]) || !strcmp(text, "---")) return 0;
    }
    if (text[0] == ' ' || text[n - 1] == ' ') return 0;
    for (const char *c = text; *c; c++) {
        if (*c != ' ' && !strchr(safe, *c)) return 0;
    }
    return 1;
}

/* The next character of `*at` as it stands between double quotes, in ASCII where it is no plain text. */
static void char_quote(const char **at, char out[12])
{
    uint32_t code;
    const int n = bw_utf8_next(*at, &code);
    if (!n) snprintf(out, 12, "\\u%04x", BW_UTF8_BYTES | (unsigned char)**at);
    else if (code == '\n') snprintf(out, 12, "\\n");
    else if (code == '"' || code == '\\') snprintf(out, 12, "\\%c", (int)code);
    else if (bw_utf8_is_control(code) || code == 0xFEFF) snprintf(out, 12, "\\u%04x", (unsigned)code);
    else snprintf(out, 12, "%.*s", n, *at);
    *at += n ? n : 1;
}

static void quoted_write(const char *text, FILE *f)
{
    char c[12];
    fputc('"', f);
    while (*text) char_quote(&text, c), fputs(c, f);
    fputc('"', f);
}

char *bw_node_quote(const char *text)
{
    const int plain = text_is_plain(text) && !bw_text_is_null(text);
    char *out = plain ? bw_strdup(text) : bw_calloc(6 * strlen(text) + 3), *end = out, c[12];
    if (!out || plain) return out;
    *end++ = '"';
    while (*text) {
        char_quote(&text, c);
        end = stpcpy(end, c);
    }
    *end = '"';
    return out;
}

static void text_write(const char *text, int quoted, FILE *f)
{
    if (quoted || !text_is_plain(text)) {
        quoted_write(text, f);
    } else {
        fputs(text, f);
    }
}

static void scalar_write(const struct bw_node *n, FILE *f)
{
    if (bw_node_is_null(n)) {
        fputs("null", f);
    } else {
        text_write(n->text, n->quoted, f);
    }
}

static int seq_is_flat(const struct bw_node *n)
{
    for (int32_t i = 0; i < n->count; i++) {
        if (n->child[i]->type != BW_NODE_SCALAR) return 0;
    }
    return n->type == BW_NODE_SEQ;
}

static void flat_write(const struct bw_node *n, FILE *f)
{
    fputc('[', f);
    for (int32_t i = 0; i < n->count; i++) {
        if (i) fputs(", ", f);
        scalar_write(n->child[i], f);
    }
    fputc(']', f);
}

static int node_is_inline(const struct bw_node *n) { return n->type == BW_NODE_SCALAR || !n->count || seq_is_flat(n); }

static void inline_write(const struct bw_node *n, FILE *f)
{
    if (n->type == BW_NODE_SCALAR) {
        scalar_write(n, f);
    } else if (n->type == BW_NODE_MAP) {
        fputs("{}", f);
    } else {
        flat_write(n, f);
    }
    fputc('\n', f);
}

/* `first`: the cursor already stands where the first entry goes, after a "- ". */
static void block_write(const struct bw_node *n, int indent, int first, FILE *f)
{
    for (int32_t i = 0; i < n->count; i++) {
        const struct bw_node *c = n->child[i];
        if (i || !first) fprintf(f, "%*s", indent, "");
        if (n->type == BW_NODE_MAP) {
            text_write(c->key, 0, f);
            fputs(node_is_inline(c) ? ": " : ":\n", f);
        } else {
            fputs("- ", f);
        }
        if (node_is_inline(c)) {
            inline_write(c, f);
        } else {
            block_write(c, indent + 2, n->type == BW_NODE_SEQ, f);
        }
    }
}

void bw_node_write(const struct bw_node *n, FILE *f)
{
    if (node_is_inline(n)) {
        inline_write(n, f);
    } else {
        block_write(n, 0, 0, f);
    }
}
