// SPDX-License-Identifier: Apache-2.0
/* bw_yaml_read: a YAML file as JSON, by the parser of presets, with line and column for error messages. */
#include "options.h"
#include "session/session.h"

static json_t *node_json(const struct bw_node *n);

static json_t *children_json(const struct bw_node *n)
{
    json_t *out = n->type == BW_NODE_MAP ? json_object() : json_array();
    for (int32_t i = 0; i < n->count; i++) {
        json_t *one = node_json(n->child[i]);
        if (n->type == BW_NODE_MAP) json_object_set_new(out, n->child[i]->key, one);
        else json_array_append_new(out, one);
    }
    return out;
}

static json_t *node_json(const struct bw_node *n)
{
    json_t *what = n->type == BW_NODE_SCALAR ? json_bytes(n->text ? n->text : "") : children_json(n);
    const char *kind = n->type == BW_NODE_SCALAR ? "text" : n->type == BW_NODE_MAP ? "map" : "list";
    json_t *out = json_pack("{s:o, s:i, s:i}", kind, what, "line", (int)n->place.line, "column", (int)n->place.column);
    char *quoted = n->type == BW_NODE_SCALAR && n->quoted ? bw_node_quote(n->text) : NULL;
    if (quoted && *quoted == '"') json_object_set_new(out, "quoted", json_string(quoted));
    bw_free(quoted);
    return out;
}

char *bw_yaml_read(const char *path)
{
    struct api_call api;
    api_enter(&api);
    if (!path) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "bw_yaml_read wants a path");
    struct bw_node *n = path ? bw_node_load(path, &api.d) : NULL;
    char *text = n ? json_text(node_json(n), 0, &api.d) : NULL;
    bw_node_free(n);
    api_leave(&api);
    return text;
}
