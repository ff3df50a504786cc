// SPDX-License-Identifier: Apache-2.0
#include "look.h"

#include "json_text.h"
#include "look_settings.h"
#include "tune/preset_parse.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RESOLVED = 64 << 20 };

/// A preset that has nothing but the look which stands before it.
static const char rest[] = "\nbillow: 1\nname: look\ndomain: {size: [1, 1, 1], voxel: 0.5}\ntime: {frames: 1}\n"
                           "stages: [{stats: {}}]\nexport: [{png: {view: render}}]\n";

json_t *look_check(struct bw_session *session, const char *text)
{
    char why[200];
    json_t *settings = look_settings(text, why);
    if (!settings) return preset_error_json(why, why, 0, 0);
    json_decref(settings);
    char *all = malloc(strlen(text) + sizeof rest);
    if (all) sprintf(all, "%s%s", text, rest);
    struct bw_bake_options o = {.size = sizeof o, .preset = "look", .text = all ? all : "", .threads = 1};
    struct bw_bake *bake = NULL;
    json_t *answer;
    if (bw_bake_open(session, &o, &bake)) answer = preset_last_error_json("look");
    else answer = json_pack("{s:b, s:o}", "good", 1, "tree", look_tree(text, why));
    bw_bake_close(bake);
    free(all);
    return answer;
}

static const char *word_of(const json_t *map, const char *key)
{
    const char *text = json_string_value(json_object_get(map, key));
    return text ? text : "";
}

/// The map of the exporter that renders, an enabled one before others; NULL: there is none.
static const json_t *export_choose(const json_t *preset)
{
    const json_t *found = NULL;
    json_t *item, *map;
    const char *type;
    size_t i;
    json_array_foreach (json_object_get(preset, "export"), i, item)
        json_object_foreach (item, type, map) {
            const char *view = word_of(map, "view");
            const int renders = !strcmp(view, "render") || (!strcmp(view, "auto") && !strcmp(type, "mp4"));
            const int off = !strcmp(word_of(map, "enabled"), "false");
            if (renders && (!found || (!off && !strcmp(word_of(found, "enabled"), "false")))) found = map;
        }
    return found;
}

static json_t *own_values(struct source *s)
{
    char *path = source_path(s, "resolved.yaml"), *text = file_read(path, MAX_RESOLVED, NULL);
    json_t *tree = text ? json_from_text(bw_preset_tree(text, "resolved.yaml")) : NULL;
    json_t *preset = tree ? preset_plain_value(tree) : NULL;
    const json_t *map = export_choose(preset);
    if (!map) map = json_object_get(preset, "look");
    json_t *values = json_is_object(map) ? json_copy((json_t *)(uintptr_t)map) : json_object();
    json_decref(preset);
    json_decref(tree);
    bw_text_free(text);
    free(path);
    return values;
}

json_t *look_describe(struct source *s)
{
    static const char *const exporters[] = {"mp4", "png", "exr"};
    json_t *table = NULL;
    for (size_t i = 0; i < sizeof exporters / sizeof *exporters && !table; i++)
        table = json_from_text(bw_session_describe(s->session, exporters[i]));
    json_t *parameters = json_object_get(json_object_get(table, "exporter"), "parameters");
    json_t *out = parameters ? json_pack("{s:s?, s:O, s:o}", "cache", s->cache_path, "parameters", parameters, "values",
                                         own_values(s))
                             : NULL;
    json_decref(table);
    return out;
}
