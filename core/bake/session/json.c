// SPDX-License-Identifier: Apache-2.0
/* Small things that everything which describes something needs. */
#include "session.h"

#include <string.h>

char *json_text(json_t *root, size_t flags, struct bw_diag *d)
{
    char *text = root ? json_dumps(root, flags) : NULL;
    json_decref(root);
    if (!text) out_of_memory(d);
    return text;
}

struct bw_param row_param(const struct bw_param *rows, uint32_t i, uint32_t stride)
{
    struct bw_param row = {0};
    memcpy(&row, (const char *)rows + (size_t)i * stride, stride < sizeof row ? stride : sizeof row);
    return row;
}

struct bw_port row_port(const struct bw_port *rows, uint32_t i, uint32_t stride)
{
    struct bw_port row = {0};
    memcpy(&row, (const char *)rows + (size_t)i * stride, stride < sizeof row ? stride : sizeof row);
    return row;
}
