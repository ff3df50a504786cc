// SPDX-License-Identifier: Apache-2.0
#include "ports.h"
#include "base/alloc.h"
#include <string.h>

const char *const port_kind_word[] = {"scalar", "vector", "mac", "particles"};
const char *const port_precision_word[] = {"f32", "f64", "i64"};

/* A number, choice or bool parameter of a stage by its key. */
static double param_number(const struct run_stage *s, const char *key)
{
    for (uint32_t i = 0; i < s->pub.desc->n_params; i++) {
        const struct bw_param r = s->pub.desc->params[i];
        if (strcmp(r.key, key)) continue;
        const char *at = (const char *)s->param_mem[0] + r.offset;
        if (r.type == BW_PARAM_F64) return *(const double *)at;
        if (r.type == BW_PARAM_CHOICE || r.type == BW_PARAM_BOOL) return *(const int32_t *)at;
    }
    return 0;
}

struct bw_port port_row(const struct run_stage *s, uint32_t i)
{
    struct bw_port p = s->pub.desc->ports[i];
    if (p.background_from) p.background = param_number(s, p.background_from);
    if (p.precise_from && param_number(s, p.precise_from) != 0) p.precision = BW_F64P;
    return p;
}

char *port_name(const struct run_stage *s, const struct bw_port *p)
{
    const struct bw_node *b = s->preset->bind ? bw_node_get(s->preset->bind, p->name) : NULL;
    if (b && b->text) return bw_strdup(b->text);
    return p->flags & BW_PORT_PRIVATE ? bw_printf("%s.%s", s->pub.id, p->name) : bw_strdup(p->name);
}

static void names_add(struct port_names *out, const char *name, int32_t comps)
{
    if (!name || !*name || !strcmp(name, "none") || out->n == 64) return;
    out->name[out->n] = name;
    out->comps[out->n++] = comps;
}

void port_names_of(const struct run_stage *s, const char *key, struct port_names *out)
{
    out->n = 0;
    for (uint32_t i = 0; i < s->pub.desc->n_params; i++) {
        const struct bw_param r = s->pub.desc->params[i];
        if (strcmp(r.key, key)) continue;
        const char *at = (const char *)s->param_mem[0] + r.offset;
        if (r.type == BW_PARAM_FIELD || r.type == BW_PARAM_STRING) names_add(out, *(const char *const *)at, 0);
        if (r.type != BW_PARAM_LIST && r.type != BW_PARAM_AMOUNTS) return;
        const struct bw_list *l = (const struct bw_list *)at;
        for (int64_t k = 0; k < l->count; k++) {
            if (r.type == BW_PARAM_AMOUNTS) {
                const struct bw_amount *a = (const struct bw_amount *)l->items + k;
                names_add(out, a->field, a->comps);
                continue;
            }
            const char *item = (const char *)l->items + (size_t)k * r.sub_size;
            for (uint32_t q = 0; q < r.n_sub; q++) {
                const struct bw_param sub = r.sub[q];
                if (sub.type != BW_PARAM_FIELD && (sub.type != BW_PARAM_STRING || sub.key)) continue;
                names_add(out, *(const char *const *)(item + sub.offset), 0);
                break;
            }
        }
    }
}

const char *port_creator_name(const struct stage_list *stages, const struct run_field *f)
{
    return f->creator >= 0 ? stages->stage[f->creator].pub.id : "the preset";
}
