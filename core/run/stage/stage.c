// SPDX-License-Identifier: Apache-2.0
#include "stage.h"
#include "base/alloc.h"
#include "halves.h"
#include <billow/rng.h>
#include <stdio.h>

enum bw_status stage_add(struct stage_list *list, const struct stage_parts *parts, const struct bw_preset_stage *preset,
                         bool twin)
{
    const char *id = preset->id;
    struct run_stage *s = &list->stage[list->n];
    const struct bw_entry *e = entry_find(parts->log, parts->registry, preset->type, true, &preset->place);
    if (!e) return log_status(parts->log);
    s->entry = e;
    s->preset = preset;
    s->log = parts->log;
    s->where = parts->where;
    s->domain = entry_domain(parts->log, parts->preset, preset->domain, id, &preset->place);
    s->twin = twin;
    if (s->domain < 0) return BW_ERR_PRESET;
    const bool splits = !preset->domain && parts->preset->domain[0].flow > 1;
    if (splits && (s->domain = twin ? LEVEL_FLOW : level_of(e->stage)) < 0)
        return log_fail(parts->log, &preset->place, BW_ERR_PRESET,
                        "%s: changes both the flow and what it carries, which it needs on the same cells: leave out "
                        "flow: %d of the domain",
                        id, parts->preset->domain[0].flow);
    s->params = entry_params(parts->log, parts->preset, e, id, preset->node);
    if (!s->params) return parts->log->diag->status != BW_OK ? parts->log->diag->status : BW_ERR_MEMORY;
    list->n++; /* from here on stages_free takes care of it */
    if (twin && !(s->own_id = bw_printf("%s@flow", id))) return BW_ERR_MEMORY;
    for (int i = 0; i < 4; i++)
        if (!(s->param_mem[i] = bw_calloc(e->stage->params_size + 8))) return BW_ERR_MEMORY;
    s->scratch = bw_arena_create();
    uint64_t seed = parts->preset->time.seed;
    for (const char *q = id; *q; q++) seed = bw_rng(seed, (unsigned char)*q);
    struct bw_domain *domain = parts->domain[s->domain];
    s->pub = (struct bw_stage){.host = parts->host,
                               .desc = e->stage,
                               .id = twin ? s->own_id : id,
                               .params = s->param_mem[0],
                               .state = bw_calloc(e->stage->state_size + 8),
                               .domain = domain,
                               .grid = &domain->info,
                               .fps = parts->preset->time.fps,
                               .cfl = parts->preset->time.cfl,
                               .seed = seed,
                               .place = list->n - 1,
                               .character = parts->preset->character,
                               .flow_cells = domain->flow ? domain->flow_cells : 1,
                               .flow = domain->flow,
                               .amounts = domain == parts->domain[0]->flow ? parts->domain[0] : NULL,
                               .host_data = s};
    if (!s->scratch || !s->pub.state) return BW_ERR_MEMORY;
    s->next_slot = 1;
    return stage_params(s, 0);
}

enum bw_status stage_params(struct run_stage *s, double t)
{
    return log_params(s->log, s->params, t, 0, s->param_mem[0]);
}

void stage_scratch_end(struct run_stage *s)
{
    while (s->n_scratch_fields) bw_field_destroy(s->scratch_field[--s->n_scratch_fields]);
    if (s->scratch) bw_arena_reset(s->scratch);
    s->next_slot = 1; /* slot 0 is `params` itself */
}

struct output_owner stage_owner(const struct run_stage *s)
{
    return (struct output_owner){s->pub.id, &s->preset->place};
}

static struct where_place stage_place(const struct run_stage *s)
{
    return (struct where_place){s->pub.id, s->entry->path, .frame = s->where->frame, .substep = s->where->substep};
}

struct where_was stage_enter(const struct run_stage *s, const char *callback)
{
    struct where_place place = stage_place(s);
    place.callback = callback;
    return where_enter(&s->where->loop, &place);
}

struct where_was stage_enter_body(const struct run_stage *s)
{
    struct where_place place = stage_place(s);
    place.body = 1;
    return where_enter(&s->where->loop, &place);
}

void stage_leave(const struct run_stage *s, const struct where_was *was) { where_leave(&s->where->loop, was); }

const void *stage_extension(const struct run_stage *s, const char *id)
{
    if (!s->pub.desc->extension) return NULL;
    const struct where_was was = stage_enter(s, "extension");
    const void *table = s->pub.desc->extension(id);
    stage_leave(s, &was);
    return table;
}

void stage_growth_watch(struct run_stage *s)
{
    enum { STEPS = 32 };
    const bool more = s->held > s->most_held;
    if (more) s->most_held = s->held;
    s->growing = more ? s->growing + 1 : 0;
    if (s->growing != STEPS || s->growth_told) return;
    char text[160];
    snprintf(text, sizeof text, "holds %lld pieces of memory, more after each of %d steps: alloc() without release()?",
             (long long)s->held, STEPS);
    s->growth_told = true;
    log_line(s->log, BW_LOG_WARNING, s->pub.id, text);
}

static void stage_uninit(struct run_stage *s)
{
    if (!s->initialised || s->ended) return;
    const struct where_was was = stage_enter(s, "uninit");
    if (s->pub.desc->uninit) s->pub.desc->uninit(&s->pub);
    stage_leave(s, &was);
    s->ended = true;
}

static void stage_free(struct run_stage *s)
{
    stage_scratch_end(s);
    bw_free(s->scratch_field);
    bw_arena_destroy(s->scratch);
    outputs_discard(&s->outputs);
    plugin_memory_free(&s->memory);
    bw_params_free(s->params);
    bw_free(s->own_id);
    for (int i = 0; i < 4; i++) bw_free(s->param_mem[i]);
    for (uint32_t k = 0; s->bound && k < s->pub.desc->n_ports; k++) bw_free((void *)s->bound[k].fields);
    bw_free(s->bound);
    bw_free(s->pub.state);
}

void stages_end(struct stage_list *list)
{
    for (int32_t i = list->n - 1; i >= 0; i--) stage_uninit(&list->stage[i]);
}

void stages_free(struct stage_list *list)
{
    stages_end(list); /* all of them first: one may still look at another */
    for (int32_t i = list->n - 1; i >= 0; i--) stage_free(&list->stage[i]);
    bw_free(list->stage);
}
