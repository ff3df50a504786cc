// SPDX-License-Identifier: Apache-2.0
/* Repair of a finished bake with damaged or missing files. Frames are simulated again from the checkpoint before the
 * first damaged one; a file of all frames, such as a movie, needs them up to the end. Good files are not written. */
#include "job/job.h"

#include <stdlib.h>
#include <string.h>

/* ---- damaged files ---- */

/* Checkpoints are dispensable, and a log can't be made again. */
static bool name_is_repaired(const char *name)
{
    return name && !file_is_checkpoint(name) && strcmp(name, "bake.log") != 0;
}

static const char *fault_name(const json_t *bad, size_t i)
{
    return json_string_value(json_object_get(json_array_get(bad, i), "name"));
}

static json_t *damaged_files_find(struct job *j)
{
    json_t *list = record_verify(&j->record, j->out, true), *bad = json_object();
    for (size_t i = json_array_size(list); i-- > 0;) {
        if (name_is_repaired(fault_name(list, i))) json_object_set_new(bad, fault_name(list, i), json_null());
        else json_array_remove(list, i);
    }
    bw_free(j->repair.why);
    j->repair.why = json_array_size(list) ? faults_message(list) : NULL;
    json_decref(list);
    return bad;
}

struct frame_search {
    json_t *bad;
    int64_t frame;
};

/* Note the frame that a file belongs to; false: to more than one. */
static void frame_of_name_note(const char *name, void *user)
{
    const struct frame_search *l = user;
    const json_t *known = json_object_get(l->bad, name);
    if (known) json_object_set_new(l->bad, name, json_is_null(known) ? json_integer(l->frame) : json_false());
}

static void frame_range_find(struct job_repair *r, int64_t last)
{
    const char *name;
    json_t *frame;
    r->first = last + 1;
    r->last = INT64_MIN;
    json_object_foreach (r->bad, name, frame) {
        int64_t n = json_is_integer(frame) ? json_integer_value(frame) : last;
        if (json_is_integer(frame) && n < r->first) r->first = n;
        if (n > r->last) r->last = n;
    }
}

int repair_decide(struct job *j, struct bw_diag *d)
{
    struct job_repair *r = &j->repair;
    const struct bake_facts *f = &j->facts;
    char *why = NULL;
    json_decref(r->bad);
    if (!(r->bad = damaged_files_find(j))) return out_of_memory(d), -1;
    if (!json_object_size(r->bad)) return 0;
    if (j->distributed)
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "%s: %s: one process makes that again, without mpirun or srun",
                             j->out, r->why),
               -1;
    for (struct frame_search l = {r->bad, f->first}; l.frame <= f->last; l.frame++)
        bw_chain_frame_outputs(j->chain, l.frame, frame_of_name_note, &l);
    frame_range_find(r, f->last);
    r->on = true;
    resume_find(j, &why);
    bw_free(why);
    return 1;
}

/* ---- repair ---- */

bool repair_begin(struct job *j, struct bw_diag *d)
{
    const struct job_repair *r = &j->repair;
    if (!record_remove_partial(&j->record, j->out, d) || !journal_continue(&j->journal, j->out, j->record.files, d))
        return false;
    bw_chain_until(j->chain, r->last);
    return !json_object_get(r->bad, "resolved.yaml") || metadata_write(&j->journal, "resolved.yaml", j->resolved, d);
}

int repair_file(struct job *j, const char *name, const struct file_facts *whole)
{
    if (json_object_get(j->repair.bad, name)) return journal_add(&j->journal, name, whole);
    return whole ? FILE_UNWANTED : 0;
}

/* timings.csv differs in every run: put its new checksum into the record. */
static bool timings_record(struct job *j, json_t *files, struct bw_diag *d)
{
    static const char times[] = "timings.csv";
    json_t *now = json_object_get(files, times), *list = json_object_get(j->record.root, "files");
    if (!json_object_get(j->repair.bad, times) || !json_is_object(now) || !json_is_object(list)) return true;
    json_object_set(list, times, now);
    json_object_set(j->record.files, times, now);
    char *text = json_dumps(j->record.root, JSON_INDENT(1));
    bool good = text ? metadata_write(&j->journal, "bake.json", text, d) : (out_of_memory(d), false);
    free(text);
    return good;
}

enum bw_status repair_end(struct job *j, enum bw_status status, struct bw_diag *d)
{
    json_t *files = journal_files(&j->journal), *bad;
    if (status == BW_OK && !timings_record(j, files, d)) status = d->status;
    json_decref(files);
    if (status != BW_OK) return status;
    bad = record_verify(&j->record, j->out, true);
    for (size_t i = json_array_size(bad); i-- > 0;)
        if (!fault_name(bad, i) || !json_object_get(j->repair.bad, fault_name(bad, i))) json_array_remove(bad, i);
    if (json_array_size(bad)) {
        char *words = faults_message(bad);
        status = bw_diag_error(d, BW_NAMED(j->out), BW_ERR_IO, "made again, and still %s: bake %s anew with --force",
                               words ? words : "damaged", j->out);
        bw_free(words);
    }
    json_decref(bad);
    return status;
}

void repair_free(struct job_repair *r)
{
    json_decref(r->bad);
    bw_free(r->why);
}
