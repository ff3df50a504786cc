// SPDX-License-Identifier: Apache-2.0
#include "visit.h"

#include <stdlib.h>

const char *visit_query(const char *key, void *connection)
{
    return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, key);
}

struct source *visit_source(struct visit *v)
{
    const char *of = visit_query("of", v->c);
    return shelf_take(v->s->shelf, of ? (int32_t)strtol(of, NULL, 10) : 0);
}
