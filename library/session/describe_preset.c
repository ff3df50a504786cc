// SPDX-License-Identifier: Apache-2.0
/* A preset as JSON: domains, frames, stages and exports; and its syntax tree with places, for editors. */
#include "describe.h"

#include "preset/tree/node.h"
#include <string.h>

/* ---- description ---- */

static json_t *domain_json(const struct bw_preset_domain *d)
{
    const struct bw_domain_info *i = &d->info;
    return json_pack("{s:s, s:[i,i,i], s:f, s:[f,f,f]}", "name", d->name, "cells", (int)i->n[0], (int)i->n[1],
                     (int)i->n[2], "voxel", i->h, "origin", i->origin[0], i->origin[1], i->origin[2]);
}

static json_t *link_json(const char *id, const char *type, const char *brief, int enabled)
{
    return json_pack("{s:s, s:s, s:s?, s:b}", "id", id, "type", type, "brief", brief, "enabled", enabled);
}

static const char *made_by(uint32_t flags)
{
    return flags & BW_EXPORTER_CACHE ? "cache" : flags & BW_EXPORTER_MOVIE ? "movie" : "frames";
}

json_t *preset_json(const struct bw_preset *p, const struct bw_registry *r)
{
    json_t *domains = json_array(), *stages = json_array(), *exports = json_array();
    for (int32_t i = 0; i < p->n_domains; i++) json_array_append_new(domains, domain_json(&p->domain[i]));
    for (int32_t i = 0; i < p->n_stages; i++) {
        const struct bw_entry *e = bw_registry_stage(r, p->stage[i].type);
        const char *brief = !e ? "(no such stage)" : e->stage->brief;
        json_array_append_new(stages, link_json(p->stage[i].id, p->stage[i].type, brief, p->stage[i].enabled));
    }
    for (int32_t i = 0; i < p->n_exports; i++) {
        const struct bw_entry *e = bw_registry_exporter(r, p->export[i].type);
        const char *brief = !e ? "(no such exporter)" : e->exporter->brief;
        json_t *o = link_json(p->export[i].id, p->export[i].type, brief, p->export[i].enabled);
        json_object_set_new(o, "makes", json_string(made_by(e ? e->exporter->flags : 0)));
        json_array_append_new(exports, o);
    }
    return json_pack("{s:s, s:s, s:o, s:o, s:I, s:I, s:f, s:f, s:o, s:o}", "name", p->name, "comment",
                     p->comment ? p->comment : "", "path", json_bytes(p->path), "domains", domains, "first",
                     (json_int_t)p->time.first, "last", (json_int_t)p->time.last, "fps", p->time.fps, "warmup",
                     p->time.warmup, "stages", stages, "exports", exports);
}

/* ---- syntax tree ---- */

static json_t *node_json(const struct bw_node *n);

static json_t *entry_json(const struct bw_node *n)
{
    json_t *o = node_json(n);
    if (n->to >= 0)
        json_object_set_new(o, "key", json_pack("[I, i]", (json_int_t)n->key_from, (int)n->key_place.column));
    return json_pack("[o, o]", json_bytes(n->key), o);
}

static json_t *children_json(const struct bw_node *n)
{
    json_t *list = json_array();
    for (int32_t i = 0; i < n->count; i++)
        json_array_append_new(list, n->type == BW_NODE_MAP ? entry_json(n->child[i]) : node_json(n->child[i]));
    return list;
}

static json_t *node_json(const struct bw_node *n)
{
    static const char *const what[] = {[BW_NODE_SCALAR] = "text", [BW_NODE_SEQ] = "list", [BW_NODE_MAP] = "map"};
    json_t *o = json_pack("{s:i}", "line", (int)n->place.line);
    json_object_set_new(o, what[n->type], n->type == BW_NODE_SCALAR ? json_bytes(n->text) : children_json(n));
    if (n->to >= 0) json_object_set_new(o, "at", json_pack("[I, I]", (json_int_t)n->from, (json_int_t)n->to));
    if (n->flow) json_object_set_new(o, "flow", json_true());
    if (n->quoted) json_object_set_new(o, "quoted", json_true());
    return o;
}

char *bw_preset_tree(const char *text, const char *name)
{
    struct api_call api;
    char *out = NULL;
    api_enter(&api);
    if (!text) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "bw_preset_tree wants a text");
    struct bw_node *n = text ? bw_node_parse(text, name ? name : "preset", &api.d) : NULL;
    if (n) out = json_text(node_json(n), JSON_COMPACT, &api.d);
    bw_node_free(n);
    api_leave(&api);
    return out;
}

char *bw_session_find(struct bw_session *session, const char *preset)
{
    struct api_call api;
    char *out = NULL;
    api_enter(&api);
    struct session *s = session_acquire(session, &api.d);
    if (s && !preset) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "a preset's name is wanted");
    char *path = s && preset ? bw_preset_find(preset, s->preset_path, s->folders.presets, &api.d) : NULL;
    if (path && !(out = strdup(path))) out_of_memory(&api.d);
    bw_free(path);
    if (s) object_unref(&s->o);
    api_leave(&api);
    return out;
}
