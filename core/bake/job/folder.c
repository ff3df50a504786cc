// SPDX-License-Identifier: Apache-2.0
/* The output folder: locked, compared with what lies there, and the notes that a bake leaves beside its cache:
 * resolved.yaml (all values), bake.log and bake.json (record.c). */
#include "job.h"

#include "base/thread/where.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- alone in it ---- */

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

/* ---- what is there ---- */

/* "an unfinished bake of this preset": what the record says of itself. */
static const char *folder_kind(const struct job *j)
{
    static const char *const kind[2][2] = {{"an unfinished, different bake", "an unfinished bake of this preset"},
                                           {"a different bake", "a damaged bake of this preset"}};
    if (j->record.lost) return "a bake that lost its record, bake.json";
    return kind[j->record.complete][record_matches(&j->record, &j->facts)];
}

static int folder_refuse(const struct job *j, int32_t whole, struct bw_diag *d)
{
    json_t *bad = record_verify(&j->record, j->out, false);
    char *words = json_array_size(bad) ? faults_words(bad) : NULL, files[48];
    bw_diag_error(d, NULL, BW_ERR_USAGE, "%s holds %s, %s %s whole%s%s%s", j->out, folder_kind(j),
                  bw_number_words(whole, "file", files), whole == 1 ? "is" : "are", words ? " (" : "",
                  words ? words : "", words ? ")" : "");
    bw_free(words);
    json_decref(bad);
    return -1;
}

static int strangers_refuse(const struct job *j, struct bw_diag *d)
{
    char *first, files[48];
    int32_t n = strangers_find(&j->record, &j->facts, j->chain, &first);
    if (n)
        bw_diag_error(d, NULL, BW_ERR_USAGE,
                      "%s holds %s that no record tells of, and that this bake would write over or carry on: %s",
                      j->out, bw_number_words(n, "file", files), first ? first : "");
    bw_free(first);
    return n ? -1 : 1;
}

int folder_decide(struct job *j, struct bw_diag *d)
{
    int32_t left = 0, whole;
    record_free(&j->record);
    j->record = record_read(j->out);
    if (j->asked.mode == BW_BAKE_REPLACE) return 1;
    if (record_up_to_date(&j->record, &j->facts)) return 0;
    whole = record_whole(&j->record, j->out, &left);
    return left ? folder_refuse(j, whole, d) : strangers_refuse(j, d);
}

/* ---- notes ---- */

static char *resolved_text(const struct job *j)
{
    const struct bake_facts *f = &j->facts;
    struct bw_node *resolved = bw_chain_resolved(j->chain);
    char *text = NULL;
    size_t size = 0;
    FILE *memory = resolved ? open_memstream(&text, &size) : NULL;
    if (memory) {
        fprintf(memory, "# %s as Billow %s baked it, every value in full; preset hash %s, SIMD level %s.\n", f->name,
                BW_VERSION, f->hash, f->simd);
        bw_node_write(resolved, memory);
        fclose(memory);
    }
    bw_node_free(resolved);
    return text;
}

static void log_begin(struct job *j, struct bw_diag *d)
{
    time_t now = time(NULL);
    char date[40] = "";
    struct tm utc;
    j->log = note_begin(&j->journal, "bake.log", d);
    if (!j->log) return;
    setvbuf(j->log, NULL, _IOLBF, 0); // what was said before a crash is there
    char *half = bw_printf("%s/.bake.log.part", j->out), *final = bw_printf("%s/bake.log", j->out);
    if (half && final) where_log(bw_chain_where(j->chain), fileno(j->log), half, final);
    bw_free(half);
    bw_free(final);
    if (gmtime_r(&now, &utc)) strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &utc);
    fprintf(j->log, "Billow %s, preset %s, hash %s, SIMD level %s, %s\n", BW_VERSION, j->facts.name, j->facts.hash,
            j->facts.simd, date);
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
    return note_end(&j->journal, "bake.log", log, d);
}

static void notes_close(struct job *j)
{
    if (j->log) {
        where_log_end(bw_chain_where(j->chain));
        note_discard(&j->journal, "bake.log", j->log);
    }
    j->log = NULL;
    journal_end(&j->journal);
}

/* But for the log, what lies there now is what a kill would leave, and the next start deals with it. */
void folder_abandon(struct job *j)
{
    notes_close(j);
    folder_unlock(j);
}

bool folder_begin(struct job *j, struct bw_diag *d)
{
    if (!obstacles_check(&j->facts, j->chain, d) || !record_clear(&j->record, j->out, d) ||
        !journal_begin(&j->journal, j->out, d))
        return false;
    char *text = resolved_text(j);
    if (!text) out_of_memory(d);
    bool good = text && note_write(&j->journal, "resolved.yaml", text, d);
    free(text);
    if (good) log_begin(j, d);
    return good && j->log && record_write(&j->facts, &j->outputs, &j->journal, 0, d);
}

/* Files that others took away while it ran. */
static void files_check(const struct job *j, struct bw_diag *d)
{
    json_t *bad = files_verify(j->journal.files, j->out, false);
    if (json_array_size(bad)) {
        char *words = faults_words(bad);
        bw_diag_error(d, NULL, BW_ERR_IO, "%s was changed while the bake ran: %s", j->out,
                      words ? words : "files are missing");
        bw_free(words);
    }
    json_decref(bad);
}

/* Its notes go where the folder went; where there is none, nowhere. */
static enum bw_status folder_note(struct job *j, enum bw_status status, struct bw_diag *d)
{
    enum folder_fate fate = journal_folder(&j->journal);
    if (fate == FOLDER_HERE && status == BW_OK) files_check(j, d);
    if (fate != FOLDER_HERE && !(d->text && strstr(d->text, " is gone"))) // an output may have told of it
        bw_diag_error(d, NULL, BW_ERR_IO, "the folder %s is gone", j->out);
    if (status == BW_OK) status = d->status;
    if (fate == FOLDER_GONE) return status;
    if (!log_end(j, d) && status == BW_OK) status = d->status;
    int noted = record_write(&j->facts, &j->outputs, &j->journal, status == BW_OK, d);
    return status == BW_OK && !noted ? d->status : status;
}

enum bw_status folder_end(struct job *j, enum bw_status status, struct bw_diag *d)
{
    status = folder_note(j, status, d);
    notes_close(j);
    struct bake_record done = record_read(j->out);
    double bytes = record_bytes(&done, j->out);
    pthread_mutex_lock(&j->lock); // others may ask for facts
    j->bytes = bytes;
    pthread_mutex_unlock(&j->lock);
    record_free(&done);
    return status;
}
