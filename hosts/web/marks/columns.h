// SPDX-License-Identifier: Apache-2.0
/* Particles' attributes as numbers. */
#ifndef WEB_COLUMNS_H
#define WEB_COLUMNS_H

#include <billow/bake.h>
#include <string.h>

struct column {
    const void *data; ///< NULL: there is no such attribute
    uint32_t precision, comps;
};

static inline struct column column_find(const struct bw_snapshot_points *p, const char *name)
{
    for (uint32_t a = 0; a < p->n_attributes; a++)
        if (!strcmp(p->attributes[a].name, name))
            return (struct column){p->data[a], p->attributes[a].precision, p->attributes[a].comps};
    return (struct column){0};
}

static inline double column_read(const struct column *c, int64_t i, int component)
{
    const int64_t at = i * c->comps + (component < (int)c->comps ? component : 0);
    if (c->precision == BW_F32) return (double)((const float *)c->data)[at];
    return c->precision == BW_F64P ? ((const double *)c->data)[at] : (double)((const int64_t *)c->data)[at];
}

#endif
