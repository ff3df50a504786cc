// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <string.h>

int host_struct_copy(void *to, const void *from, size_t bytes, const char *what, struct bw_diag *d)
{
    uint32_t size;
    memset(to, 0, bytes);
    if (!from) return 1;
    memcpy(&size, from, sizeof size);
    // 0.1's structs are the first: none is shorter, and one that is longer grew by whole members
    if (size < bytes || size % sizeof(void *) || size > 65536) {
        bw_diag_error(d, NULL, BW_ERR_USAGE, "%s: `size` is %u; set it to the size of the struct", what, size);
        return 0;
    }
    memcpy(to, from, bytes);
    return 1;
}

struct bw_node *options_parse(const char *text, const char *name, struct bw_diag *d)
{
    const char *at = text + strspn(text, " \t\n");
    char *whole = *at == '{' || strchr(at, '\n') ? bw_strdup(text) : bw_printf("{%s}", text);
    struct bw_node *n = whole ? bw_node_parse(whole, name, d) : NULL;
    if (!n && !d->status) out_of_memory(d);
    bw_free(whole);
    return n;
}

const char *texts_adopt(struct texts *t, char *text)
{
    char **grown = text ? bw_realloc(t->list, (size_t)(t->n + 1) * sizeof *grown) : NULL;
    if (!grown) return NULL;
    t->list = grown;
    return grown[t->n++] = text;
}

const char *texts_copy(struct texts *t, const char *text)
{
    char *copy = bw_strdup(text);
    const char *kept = texts_adopt(t, copy);
    if (!kept) bw_free(copy);
    return kept;
}

void texts_free(struct texts *t)
{
    for (int32_t i = 0; i < t->n; i++) bw_free(t->list[i]);
    bw_free(t->list);
    *t = (struct texts){0};
}
