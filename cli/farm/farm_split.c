// SPDX-License-Identifier: Apache-2.0
/* A bake over several tasks, whose frames are independent of each other: a retimed cache. The tasks are members of a
 * wedge that differ in their frames; their files are gathered in one folder. */
#include "farm.h"

#include "wedge/wedge.h"

#include <stdlib.h>
#include <string.h>

/* Are all frames independent of each other? */
static int frames_stand_alone(const json_t *preset)
{
    const json_t *one;
    size_t i;
    json_array_foreach (json_object_get(preset, "stages"), i, one)
        if (json_is_true(json_object_get(one, "enabled")) && strcmp(cli_text(one, "type"), "retime")) return 0;
    return 1;
}

/* A movie of some frames is of no use: it is made of all of them, by preview. */
static json_t *movie_exporters(const json_t *preset)
{
    const json_t *one;
    size_t i;
    json_t *out = json_array();
    json_array_foreach (json_object_get(preset, "exports"), i, one)
        if (!strcmp(cli_text(one, "makes"), "movie")) json_array_append(out, json_object_get(one, "id"));
    return out;
}

static json_t *members_make(long long first, long long last, long long tasks)
{
    json_t *members = json_array();
    const long long frames = last - first + 1, n = tasks < frames ? tasks : frames;
    for (long long i = 0; i < n; i++) {
        char folder[24], range[64];
        snprintf(folder, sizeof folder, n > 999 ? "%04lld" : "%03lld", i + 1);
        snprintf(range, sizeof range, "%lld-%lld", first + i * frames / n, first + (i + 1) * frames / n - 1);
        json_array_append_new(members, json_pack("{s:I, s:s, s:s, s:{s:s}}", "number", (json_int_t)i + 1, "folder",
                                                 folder, "frames", range, "values", "frames", range));
    }
    return members;
}

static json_t *plan_make(const struct farm_bake *b, const struct bw_bake_facts *facts, const json_t *all)
{
    json_t *plan =
        json_pack("{s:i, s:b, s:s, s:s, s:[s], s:o, s:o}", "billow", 1, "split", 1, "preset", "farm/preset.yaml",
                  "name", facts->name, "keys", "frames", "mute", movie_exporters(json_object_get(all, "preset")),
                  "members", members_make(facts->first, facts->last, b->tasks));
    if (b->memory) json_object_set_new(plan, "memory", json_string(b->memory));
    if (b->simd) json_object_set_new(plan, "simd", json_string(b->simd));
    return plan;
}

static int plan_store(const struct farm_bake *b, const char *out, const json_t *plan)
{
    json_t *old;
    int code = wedge_record_read(out, &old);
    const int other = old && !json_equal(old, plan) && b->mode != BW_BAKE_REPLACE;
    char *path = cli_printf("%s/wedge.json", out), *text = json_dumps(plan, JSON_INDENT(1));
    if (b->mode == BW_BAKE_REPLACE) code = EXIT_CODE_OK; // a broken one too
    if (!path || !text) code = 7;
    if (!code && other) code = cli_usage("%s holds another bake over several tasks: --force replaces it", out);
    if (!code) code = cli_write_file(path, text);
    json_decref(old);
    free(path);
    free(text);
    return code;
}

int farm_split(const struct farm_options *w, const struct farm_bake *b, const struct bw_bake_facts *facts,
               const json_t *all)
{
    const struct wedge_run run = {.out = facts->out,
                                  .plugin_path = b->plugin_path,
                                  .preset_path = b->preset_path,
                                  .force = b->mode == BW_BAKE_REPLACE};
    if (!frames_stand_alone(json_object_get(all, "preset")))
        return cli_usage("%s: each frame begins where the one before it ended, so one task bakes them all; "
                         "--ask cores=N makes it quicker",
                         facts->name);
    char *folder = cli_printf("%s/farm", facts->out), *preset = cli_printf("%s/preset.yaml", folder);
    json_t *plan = plan_make(b, facts, all);
    int code = cli_folder_make(folder);
    if (!code) code = farm_busy(facts->out);
    if (!code) code = cli_write_file(preset, cli_text(all, "resolved"));
    if (!code) code = plan_fill(b->session, plan, facts->out);
    if (!code) code = plan_store(b, facts->out, plan);
    if (!code) code = farm_wedge(w, &run, plan);
    json_decref(plan);
    free(folder);
    free(preset);
    return code;
}
