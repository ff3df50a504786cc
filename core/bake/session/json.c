// SPDX-License-Identifier: Apache-2.0
/* Small things that everything which describes something needs. */
#include "session.h"

char *json_text(json_t *root, size_t flags, struct bw_diag *d)
{
    char *text = root ? json_dumps(root, flags) : NULL;
    json_decref(root);
    if (!text) out_of_memory(d);
    return text;
}
