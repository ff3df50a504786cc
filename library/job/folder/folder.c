// SPDX-License-Identifier: Apache-2.0
/* The output folder: its lock, the decision about what an earlier bake left there, and the metadata files beside the
 * cache: resolved.yaml (all values), bake.log and bake.json (record.c). */
#include "job/job.h"

#include "base/thread/where.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOG_MAX = 64 << 20 };

/* ---- lock ---- */

bool folder_lock(struct job *j, struct bw_diag *d)
{
    int fd = j->lock_fd >= 0 ? -1 : open(j->out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return true;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        j->lock_fd = fd;
        return true;
    }
    bool taken = errno == EWOULDBLOCK;
    close(fd);
    if (taken)
        bw_diag_error(d, NULL, BW_ERR_USAGE,
                      "another bake is writing into %s: wait for it, or bake into another folder", j->out);
    return !taken;
}

void folder_unlock(struct job *j)
{
    if (j->lock_fd >= 0) close(j->lock_fd);
    j->lock_fd = -1;
}

/* ---- the decision ---- */

/* "an unfinished bake of this preset": what the record describes. */
static const char *folder_kind(const struct job *j)
{
    static const char *const kind[2][2] = {{"an unfinished, different bake", "an unfinished bake of this preset"},
                                           {"a different bake", "a damaged bake of this preset"}};
    bool same = record_matches(&j->record, &j->facts), whole = j->record.complete;
    if (same && whole && !record_has_frames(&j->record, &j->facts)) return "a bake of this preset with other frames";
    if (same && !whole && !record_same_first_frame(&j->record, &j->facts))
        return "an unfinished bake of this preset with other frames";
    if (j->record.lost) return "a bake that lost its record, bake.json";
    return kind[whole][same];
}

/* "12 files are whole"; if there is none, "2 checkpoints are whole" or "metrics.csv is whole". New memory. */
static char *whole_files_message(const struct job *j, int32_t whole)
{
    const char *name;
    json_t *file;
    int32_t n = 0;
    char text[48];
    json_object_foreach (j->record.files, name, file) {
        struct file_facts found;
        bool counts = file_is_checkpoint(name) && file_entry_is_whole(file);
        n += counts && file_fault(j->out, name, file, false, &found) == FILE_GOOD;
    }
    if (whole || (!n && j->record.complete)) bw_number_words(whole, "file", text);
    else if (n) bw_number_words(n, "checkpoint", text);
    else return bw_strdup("metrics.csv is whole");
    return bw_printf("%s %s whole", text, (whole ? whole : n) == 1 ? "is" : "are");
}

static int folder_refuse(const struct job *j, int32_t whole, struct bw_diag *d)
{
    json_t *bad = record_verify(&j->record, j->out, false);
    char *words = json_array_size(bad) ? faults_message(bad) : NULL, *worth = whole_files_message(j, whole);
    bw_diag_error(d, BW_NAMED(j->out), BW_ERR_USAGE, "%s holds %s, %s%s%s%s", j->out, folder_kind(j),
                  worth ? worth : "", words ? " (" : "", words ? words : "", words ? ")" : "");
    bw_free(worth);
    bw_free(words);
    json_decref(bad);
    return -1;
}

static int unrecorded_refuse(const struct job *j, struct bw_diag *d)
{
    char *first, files[48];
    int32_t n = unrecorded_files_find(&j->record, &j->facts, j->chain, &first);
    if (n)
        bw_diag_error(d, BW_NAMED(j->out), BW_ERR_USAGE,
                      "%s holds %s that no record lists, and that this bake would overwrite or continue: %s", j->out,
                      bw_number_words(n, "file", files), first ? first : "");
    bw_free(first);
    return n ? -1 : 1;
}

/* A resume is wanted. Without a usable checkpoint, the same bake begins anew, over its own files. */
static int resume_decide(struct job *j, struct bw_diag *d)
{
    int32_t left = 0, whole;
    char *why = NULL;
    json_decref(j->facts.changes);
    j->facts.changes = json_incref(json_object_get(j->record.root, "changes"));
    const bool done = j->record.complete && record_matches(&j->record, &j->facts) && !j->options.from_frame;
    if (done && record_has_frames(&j->record, &j->facts)) return repair_decide(j, d);
    if (!j->options.from_frame && record_has_more_frames(&j->record, &j->facts)) {
        bw_diag_error(d, BW_NAMED(j->out), BW_ERR_USAGE, "%s holds more frames of this bake than were asked for",
                      j->out);
        return -1;
    }
    if (!resume_folder_check(j, d)) return -1;
    if (j->options.from_frame && strtoll(j->options.from_frame, NULL, 10) > j->facts.last) {
        bw_diag_error(d, NULL, BW_ERR_USAGE, "frame %s lies behind the last one, %lld: --frames makes the bake longer",
                      j->options.from_frame, (long long)j->facts.last);
        return -1;
    }
    resume_find(j, &why);
    whole = record_count_whole(&j->record, j->out, &left);
    int go = 1;
    if (j->resume.path) {
        j->resume.why = why, why = NULL;
    } else if (j->options.from_frame) {
        bw_diag_error(d, BW_NAMED(j->out), BW_ERR_USAGE,
                      "%s keeps no checkpoint that is whole and good before frame %s%s%s; with `checkpoints: {frames: "
                      "10}` in the preset, and no `keep` in it, there are some of all ages",
                      j->out, j->options.from_frame, why ? ": " : "", why ? why : "");
        go = -1;
    } else if (done) {
        bw_diag_error(d, BW_NAMED(j->out), BW_ERR_USAGE,
                      "%s: %s%s: a resume of the frames that it has makes files again that are bad", j->out,
                      why ? "it can't go on: " : "it keeps no checkpoint", why ? why : "");
        go = -1;
    } else if (!left) {
        go = unrecorded_refuse(j, d);
    } else if (record_matches(&j->record, &j->facts) && !j->record.complete &&
               record_same_first_frame(&j->record, &j->facts)) {
        j->resume.anew = true;
        j->resume.why = why, why = NULL;
    } else {
        go = folder_refuse(j, whole, d);
    }
    bw_free(why);
    return go;
}

int folder_decide(struct job *j, struct bw_diag *d)
{
    int32_t left = 0, whole;
    record_free(&j->record);
    j->record = record_read(j->out);
    if (j->options.mode == BW_BAKE_REPLACE) return 1;
    if (j->options.mode == BW_BAKE_RESUME) return resume_decide(j, d);
    if (record_up_to_date(&j->record, &j->facts)) return 0;
    whole = record_count_whole(&j->record, j->out, &left);
    return left ? folder_refuse(j, whole, d) : unrecorded_refuse(j, d);
}

/* ---- metadata files ---- */

static char *resolved_text(const struct job *j)
{
    const struct bake_facts *f = &j->facts;
    struct bw_node *resolved = bw_chain_resolved(j->chain);
    char *heading = bw_printf("# %s as Billow %s baked it, every value in full; hash %s, SIMD level %s.\n", f->name,
                              BW_VERSION, f->hash, f->simd);
    char *text = heading ? resolved_yaml_text(resolved, heading) : NULL;
    bw_free(heading);
    bw_node_free(resolved);
    return text;
}

static bool resumes(const struct job *j) { return j->resume.path || j->resume.anew; }

/* The log of the bake that is resumed, complete or cut off by a kill; NULL: none. */
static char *log_before(const struct job *j)
{
    static const char *const name[] = {".bake.log.part", "bake.log"};
    char *text = NULL;
    for (int i = 0; i < 2 && !text; i++) {
        char *path = bw_printf("%s/%s", j->out, name[i]);
        int fd = path ? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
        struct stat st;
        if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size < LOG_MAX)
            text = bw_calloc((size_t)st.st_size + 1);
        if (text && read(fd, text, (size_t)st.st_size) < 0) *text = '\0';
        if (fd >= 0) close(fd);
        bw_free(path);
    }
    return text;
}

static FILE *log_open(struct job *j, struct bw_diag *d)
{
    char *before = resumes(j) ? log_before(j) : NULL;
    FILE *log = metadata_open(&j->journal, "bake.log", d);
    if (log && before) fputs(before, log);
    bw_free(before);
    if (!log) return NULL;
    setvbuf(log, NULL, _IOLBF, 0); // so that a crash loses no line
    char *half = bw_printf("%s/.bake.log.part", j->out), *final = bw_printf("%s/bake.log", j->out);
    if (half && final) where_log(bw_chain_where(j->chain), fileno(log), half, final);
    bw_free(half);
    bw_free(final);
    return log;
}

static void log_begin(struct job *j, FILE *log)
{
    time_t now = time(NULL);
    char date[40] = "";
    struct tm utc;
    j->log = log;
    if (!log) return;
    if (gmtime_r(&now, &utc)) strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &utc);
    fprintf(j->log, "Billow %s, preset %s, hash %s, SIMD level %s, %s\n", BW_VERSION, j->facts.name, j->facts.hash,
            j->facts.simd, date);
    if (j->resume.path)
        fprintf(j->log, "resumed from %s, %s frame %lld\n", j->resume.path, j->resume.whole ? "after" : "in",
                (long long)j->resume.frame);
    if (j->resume.path && j->resume.why) fprintf(j->log, "not from %s\n", j->resume.why);
    if (j->resume.anew)
        fprintf(j->log, "to be resumed, but it began anew: %s\n",
                j->resume.why ? j->resume.why : "no checkpoint is there");
}

static int log_end(struct job *j, struct bw_diag *d)
{
    if (!j->log) return 1;
    where_log_end(bw_chain_where(j->chain));
    if (d->text) fputs(d->text, j->log);
    FILE *log = j->log;
    pthread_mutex_lock(&j->lock); // others may say something
    j->log = NULL;
    pthread_mutex_unlock(&j->lock);
    return metadata_commit(&j->journal, "bake.log", log, d);
}

static void metadata_files_close(struct job *j)
{
    if (j->log && j->takeover.pending) {
        fclose(j->log);
    } else if (j->log) {
        where_log_end(bw_chain_where(j->chain));
        metadata_discard(&j->journal, "bake.log", j->log);
    }
    j->log = NULL;
    journal_end(&j->journal);
}

/* Apart from the log, the folder is left as after a kill, which the next start handles. */
void folder_abandon(struct job *j)
{
    metadata_files_close(j);
    free(j->takeover.log);
    free(j->resolved);
    j->takeover.log = j->resolved = NULL;
    j->takeover.pending = false;
    folder_unlock(j);
}

/* ---- takeover from the previous bake ---- */

static json_t *kept_files(const struct job *j) { return resumes(j) ? resume_kept_files(j) : json_object(); }

/* Remove the previous bake's files and start the journal with those that are kept. */
static bool journal_start(struct job *j, json_t *kept, struct bw_diag *d)
{
    bool good = record_remove_files(&j->record, j->out, kept, d);
    if (good && j->takeover.pending) good = journal_renew(&j->journal, kept, d);
    else if (good) good = journal_begin(&j->journal, j->out, kept, d);
    if (good && j->resume.path) resume_prune(j->resume.path + strlen(j->out) + 1, j->resume.frame, j);
    return good;
}

/* Write the log so far into the file. */
static bool log_move_to_file(struct job *j, struct bw_diag *d)
{
    FILE *log = log_open(j, d);
    pthread_mutex_lock(&j->lock);
    if (j->log) fclose(j->log);
    if (log && j->takeover.log) fwrite(j->takeover.log, 1, j->takeover.log_bytes, log);
    j->log = log;
    pthread_mutex_unlock(&j->lock);
    return log != NULL;
}

static bool metadata_files_begin(struct job *j, struct bw_diag *d)
{
    json_t *kept = kept_files(j);
    bool good = kept && journal_start(j, kept, d) && metadata_write(&j->journal, "resolved.yaml", j->resolved, d);
    if (!kept) out_of_memory(d);
    json_decref(kept);
    if (good && j->takeover.pending) good = log_move_to_file(j, d);
    else if (good) log_begin(j, log_open(j, d)), good = j->log != NULL;
    return good && record_write(&j->facts, &j->outputs, &j->journal, 0, d);
}

bool folder_take_over(struct job *j)
{
    if (!j->takeover.pending) return true;
    pthread_mutex_lock(&j->takeover.lock);
    if (j->takeover.pending && !j->takeover.diag.status && metadata_files_begin(j, &j->takeover.diag))
        j->takeover.pending = false;
    bool good = !j->takeover.pending;
    pthread_mutex_unlock(&j->takeover.lock);
    return good;
}

/* If the run fails before its first complete frame, the folder stays as it was. A resume of the same bake replaces
 * nothing, so its outputs need not be held back. */
static bool takeover_defer(struct job *j, struct bw_diag *d)
{
    bool goes_on = j->resume.path && !resume_changes(j);
    if (!record_remove_partial(&j->record, j->out, d) || !journal_continue(&j->journal, j->out, j->record.files, d))
        return false;
    j->takeover.pending = true;
    log_begin(j, open_memstream(&j->takeover.log, &j->takeover.log_bytes));
    if (!goes_on && !j->distributed) bw_chain_hold_outputs(j->chain);
    return j->log ? true : (out_of_memory(d), false);
}

static void change_record(struct job *j)
{
    struct bw_node *resolved = j->resume.path ? bw_chain_resolved(j->chain) : NULL;
    if (resolved) resume_record_change(j, resolved);
    bw_node_free(resolved);
}

/* Does it hold files that took time to make, or that no record lists? */
static bool folder_has_results(const struct job *j)
{
    int32_t left;
    char *first = NULL;
    record_count_whole(&j->record, j->out, &left);
    bool worth =
        left || (j->options.mode == BW_BAKE_REPLACE && unrecorded_files_find(&j->record, &j->facts, j->chain, &first));
    bw_free(first);
    return worth;
}

bool folder_begin(struct job *j, struct bw_diag *d)
{
    change_record(j);
    if (!output_paths_check(&j->facts, j->chain, d)) return false;
    if (!(j->resolved = resolved_text(j))) return out_of_memory(d), false;
    if (j->resume.path) bw_chain_resume(j->chain, j->resume.path, resume_differs(j));
    if (j->repair.on) return repair_begin(j, d);
    return folder_has_results(j) ? takeover_defer(j, d)
                                 : record_remove_partial(&j->record, j->out, d) && metadata_files_begin(j, d);
}

/* Were files changed or removed by others during the run? */
static void files_check(struct job *j, struct bw_diag *d)
{
    json_t *files = journal_files(&j->journal), *bad = files_verify(files, j->out, false);
    if (json_array_size(bad)) {
        char *words = faults_message(bad);
        bw_diag_error(d, BW_NAMED(j->out), BW_ERR_IO, "%s was changed while the bake ran: %s", j->out,
                      words ? words : "files are missing");
        bw_free(words);
    }
    json_decref(bad);
    json_decref(files);
}

/* Write the metadata, into the folder as it was opened, even if it was moved since. */
static enum bw_status folder_finish(struct job *j, enum bw_status status, struct bw_diag *d)
{
    enum folder_fate fate = journal_folder_fate(&j->journal);
    if (fate == FOLDER_HERE && status == BW_OK) files_check(j, d);
    if (fate != FOLDER_HERE && !(d->text && strstr(d->text, " is gone"))) // an output may have reported it
        bw_diag_error(d, BW_NAMED(j->out), BW_ERR_IO, "the folder %s is gone", j->out);
    if (status == BW_OK) status = d->status;
    if (fate == FOLDER_GONE) return status;
    if (!log_end(j, d) && status == BW_OK) status = d->status;
    int noted = record_write(&j->facts, &j->outputs, &j->journal, status == BW_OK, d);
    return status == BW_OK && !noted ? d->status : status;
}

/* No frame was completed: the previous content stays. */
static enum bw_status folder_keep_previous(struct job *j, enum bw_status status, struct bw_diag *d)
{
    if (j->takeover.diag.status) bw_diag_append(d, &j->takeover.diag);
    if (journal_folder_fate(&j->journal) != FOLDER_HERE)
        bw_diag_error(d, BW_NAMED(j->out), BW_ERR_IO, "the folder %s is gone", j->out);
    else if (status != BW_ERR_CANCELLED)
        bw_diag_error(d, NULL, status, "no frame was finished: %s keeps what it has", j->out);
    return status;
}

enum bw_status folder_end(struct job *j, enum bw_status status, struct bw_diag *d)
{
    if (status == BW_OK && !folder_take_over(j)) status = BW_ERR_IO;
    if (j->repair.on) status = repair_end(j, status, d);
    else status = j->takeover.pending ? folder_keep_previous(j, status, d) : folder_finish(j, status, d);
    metadata_files_close(j);
    struct bake_record done = record_read(j->out);
    double bytes = record_bytes(&done, j->out);
    pthread_mutex_lock(&j->lock); // others may ask for facts
    j->bytes = bytes;
    pthread_mutex_unlock(&j->lock);
    record_free(&done);
    return status;
}
