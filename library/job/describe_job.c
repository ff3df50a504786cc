// SPDX-License-Identifier: Apache-2.0
/* bw_bake_describe: a bake before it runs, as JSON: wiring, estimates, the folder's content, resolved values. */
#include "job.h"

#include "session/describe.h"
#include <stdlib.h>

/* {"holds", "same", "complete", "whole", "left", "damaged", "strangers", "outputs", "differences"} */
static json_t *folder_json(struct job *j, const struct bw_node *resolved)
{
    struct bake_record r = record_read(j->out);
    int same = r.root && record_matches(&r, &j->facts);
    char *text = NULL;
    size_t size = 0;
    FILE *memory = r.root && !same ? open_memstream(&text, &size) : NULL;
    if (memory) {
        record_explain(&r, &j->facts, resolved, memory);
        fclose(memory);
    }
    char *first;
    int32_t left, unrecorded = unrecorded_files_find(&r, &j->facts, j->chain, &first),
                  whole = record_count_whole(&r, j->out, &left);
    json_t *outputs = json_object_get(r.root, "outputs");
    json_t *o = json_pack("{s:b, s:b, s:b, s:i, s:i, s:o, s:i, s:s, s:o}", "holds", r.root != NULL, "same", same,
                          "complete", r.complete, "whole", (int)whole, "left", (int)left, "damaged",
                          record_verify(&r, j->out, false), "strangers", (int)unrecorded, "differences",
                          text ? text : "", "outputs", outputs ? json_deep_copy(outputs) : json_object());
    free(text);
    bw_free(first);
    record_free(&r);
    return o;
}

static json_t *job_json(struct job *j)
{
    struct bw_node *resolved = bw_chain_resolved(j->chain);
    char *text = resolved_yaml_text(resolved, "");
    json_t *o = text ? estimate_json(j) : NULL;
    if (o) {
        if (j->out) json_object_set_new(o, "folder", folder_json(j, resolved));
        json_object_set_new(o, "preset", preset_json(j->preset, j->session->registry));
        json_object_set_new(o, "resolved", json_string(text));
    }
    free(text);
    bw_node_free(resolved);
    return o;
}

char *bw_bake_describe(struct bw_bake *bake)
{
    struct api_call api;
    char *text = NULL;
    api_enter(&api);
    struct job *j = job_acquire(bake, &api.d);
    if (j && job_state_get(j) == JOB_RUNNING)
        bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "%s runs: it is described before or after", j->facts.name);
    else if (j) text = json_text(job_json(j), JSON_INDENT(1), &api.d);
    if (j) object_unref(&j->o);
    api_leave(&api);
    return text;
}
