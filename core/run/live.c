// SPDX-License-Identifier: Apache-2.0
/* A running chain takes the values of another one between two steps. Both are of one preset, and differ only in values
 * of stages that may change with time, or in what only pictures depend on. */
#include "chain.h"
#include "run/stage/stage.h"
#include <string.h>

/// Sections of the preset that a chain may differ in: stages are compared one by one, and the others are of pictures.
static bool section_is_free(const char *key)
{
    static const char *const free[] = {"stages", "export", "look", "camera", "name", "limits", "checkpoints"};
    for (size_t i = 0; i < sizeof free / sizeof *free; i++)
        if (!strcmp(key, free[i])) return true;
    return false;
}

/// The first section of `a` that `b` has otherwise, or NULL.
static const char *section_differs(const struct bw_node *a, const struct bw_node *b)
{
    for (int32_t i = 0; i < a->count; i++) {
        const char *key = a->child[i]->key;
        if (!section_is_free(key) && !bw_node_equal(a->child[i], bw_node_get(b, key))) return key;
    }
    return NULL;
}

static bool domains_equal(const struct bw_chain *a, const struct bw_chain *b)
{
    bool equal = a->preset->n_domains == b->preset->n_domains;
    for (int32_t i = 0; equal && i < a->preset->n_domains; i++)
        equal = a->grid[i]->h == b->grid[i]->h && !memcmp(a->grid[i]->n, b->grid[i]->n, sizeof a->grid[i]->n);
    return equal;
}

static bool stages_alike(const struct run_stage *a, const struct run_stage *b)
{
    return !strcmp(a->preset->type, b->preset->type) && !strcmp(a->pub.id, b->pub.id) && a->domain == b->domain;
}

static enum bw_status stage_may_exchange(const struct run_stage *a, const struct run_stage *b, struct bw_diag *d)
{
    const struct bw_preset_stage *x = a->preset, *y = b->preset;
    char key[160];
    if (x->frame_from != y->frame_from || x->frame_to != y->frame_to) snprintf(key, sizeof key, "frames");
    else if (!bw_node_equal(x->bind, y->bind)) snprintf(key, sizeof key, "bind");
    else if (bw_params_may_exchange(a->params, b->params, key, sizeof key)) return BW_OK;
    return bw_diag_error(d, NULL, BW_ERR_USAGE, "%s.%s can't change while it runs", x->id, key);
}

enum bw_status bw_chain_may_exchange(const struct bw_chain *c, const struct bw_chain *next, struct bw_diag *d)
{
    const struct bw_node *a = c->preset->root, *b = next->preset->root;
    const char *section = section_differs(a, b);
    if (!section) section = section_differs(b, a);
    if (!section && !domains_equal(c, next)) section = "domain";
    if (section) return bw_diag_error(d, NULL, BW_ERR_USAGE, "%s can't change while it runs", section);
    bool alike = c->stages.n == next->stages.n;
    for (int32_t i = 0; alike && i < c->stages.n; i++)
        alike = stages_alike(&c->stages.stage[i], &next->stages.stage[i]);
    if (!alike) return bw_diag_error(d, NULL, BW_ERR_USAGE, "stages can't be added, removed or moved while it runs");
    for (int32_t i = 0; i < c->stages.n; i++)
        if (stage_may_exchange(&c->stages.stage[i], &next->stages.stage[i], d)) return d->status;
    return BW_OK;
}

static void stages_exchange(struct bw_chain *c, struct bw_chain *next)
{
    for (int32_t i = 0; i < c->stages.n; i++)
        bw_params_exchange(c->stages.stage[i].params, next->stages.stage[i].params);
}

/// Evaluate all for the step that begins: those that do not change with time are not evaluated again.
static enum bw_status stages_eval(struct bw_chain *c, struct bw_diag *d)
{
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < c->stages.n && !status; i++) {
        struct run_stage *s = &c->stages.stage[i];
        status = bw_params_eval(s->params, c->clock.time, 0, s->param_mem[0], d);
    }
    return status;
}

enum bw_status bw_chain_exchange(struct bw_chain *c, struct bw_chain *next, struct bw_diag *d)
{
    struct bw_diag ignored = {0};
    stages_exchange(c, next);
    const enum bw_status status = stages_eval(c, d);
    if (!status) return BW_OK;
    stages_exchange(c, next);
    stages_eval(c, &ignored);
    bw_diag_free(&ignored);
    return status;
}
