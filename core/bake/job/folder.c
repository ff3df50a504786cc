// SPDX-License-Identifier: Apache-2.0
/* The output folder: chosen, locked, compared with what lies there, and the notes that a bake leaves beside its cache:
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

/* ---- which one ---- */

static int path_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

/* NAME_v002, _v003 …: the first that is free; takes `base`. */
static char *folder_beside(char *base)
{
    char *found = NULL;
    for (int v = 2; v < 10000 && !found; v++) {
        found = bw_printf("%s_v%03d", base, v);
        if (!found) break;
        if (path_exists(found)) {
            bw_free(found);
            found = NULL;
        }
    }
    bw_free(base);
    return found;
}

char *folder_choose(const struct job *j, struct bw_diag *d)
{
    const char *out = j->asked.out;
    char *base = *out ? bw_strdup(out) : bw_printf("out/%s%s", j->preset->name, j->asked.quick ? "_quick" : "");
    for (size_t n = base ? strlen(base) : 0; n > 1 && base[n - 1] == '/'; n--) base[n - 1] = '\0';
    if (base && j->asked.mode == BW_BAKE_BESIDE && path_exists(base)) base = folder_beside(base);
    if (!base) bw_diag_error(d, NULL, BW_ERR_MEMORY, "no folder name is free beside out/%s", j->preset->name);
    return base;
}

static bool folder_make(const char *path, struct bw_diag *d)
{
    char *copy = bw_strdup(path);
    bool good = copy != NULL;
    for (char *c = copy ? copy + 1 : NULL; good; c++) {
        if (*c && *c != '/') continue;
        char kept = *c;
        *c = '\0';
        good = mkdir(copy, 0777) == 0 || errno == EEXIST;
        *c = kept;
        if (!kept) break;
    }
    if (!good) bw_diag_error(d, NULL, BW_ERR_IO, "%s: can't be made: %s", path, strerror(errno));
    bw_free(copy);
    return good;
}

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

int folder_decide(struct job *j, struct bw_diag *d)
{
    record_free(&j->record);
    j->record = record_read(j->out);
    if (!j->record.root || j->asked.mode == BW_BAKE_REPLACE) return 1;
    if (record_up_to_date(&j->record, &j->facts)) return 0;
    int32_t whole = record_whole(&j->record, j->out);
    if (!whole) return 1;
    static const char *const kind[2][2] = {{"an unfinished, different bake", "an unfinished bake of this preset"},
                                           {"a different bake", "a damaged bake of this preset"}};
    char files[48];
    bw_diag_error(d, NULL, BW_ERR_USAGE, "%s holds %s, %s %s whole", j->out,
                  kind[j->record.complete][record_matches(&j->record, &j->facts)],
                  bw_number_words(whole, "file", files), whole == 1 ? "is" : "are");
    return -1;
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

static void notes_tell(struct job *j, int whole)
{
    static const char *const note[] = {"resolved.yaml", "bake.log", "bake.json"};
    for (int i = 0; i < 3; i++) journal_add(&j->journal, note[i], whole); // what fails is told by a frame
}

static void log_begin(struct job *j)
{
    time_t now = time(NULL);
    char date[40] = "";
    struct tm utc;
    j->log_path = bw_printf("%s/.bake.log.part", j->out);
    j->log = j->log_path ? fopen(j->log_path, "we") : NULL;
    if (!j->log) return;
    setvbuf(j->log, NULL, _IOLBF, 0); // what was said before a crash is there
    char *final = bw_printf("%s/bake.log", j->out);
    if (final) where_log(bw_chain_where(j->chain), fileno(j->log), j->log_path, final);
    bw_free(final);
    if (gmtime_r(&now, &utc)) strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &utc);
    fprintf(j->log, "Billow %s, preset %s, hash %s, SIMD level %s, %s\n", BW_VERSION, j->facts.name, j->facts.hash,
            j->facts.simd, date);
}

static void log_end(struct job *j, const struct bw_diag *d)
{
    char *final = bw_printf("%s/bake.log", j->out);
    where_log_end(bw_chain_where(j->chain));
    if (j->log && final) {
        if (d->text) fputs(d->text, j->log);
        fflush(j->log);
        fsync(fileno(j->log));
        fclose(j->log);
        j->log = NULL;
        if (rename(j->log_path, final)) remove(j->log_path);
    }
    bw_free(final);
}

/* What lies there now is what a kill would leave, and the next start deals with it. */
void folder_abandon(struct job *j)
{
    folder_unlock(j);
    journal_end(&j->journal, NULL);
    where_log_end(bw_chain_where(j->chain));
    if (j->log) fclose(j->log);
    j->log = NULL;
    bw_free(j->log_path);
    j->log_path = NULL;
}

bool folder_begin(struct job *j, struct bw_diag *d)
{
    if (!folder_make(j->out, d) || !folder_lock(j, d)) return false;
    if (!record_clear(&j->record, j->out, d) || !journal_begin(&j->journal, j->out, d)) return false;
    notes_tell(j, 0);
    char *path = bw_printf("%s/resolved.yaml", j->out), *text = resolved_text(j);
    if (!path || !text) out_of_memory(d);
    bool good = path && text && file_write(path, text, d);
    free(text);
    bw_free(path);
    if (good) log_begin(j);
    return good && record_write(&j->facts, &j->outputs, &j->journal, 0, d);
}

enum bw_status folder_end(struct job *j, enum bw_status status, struct bw_diag *d)
{
    log_end(j, d);
    notes_tell(j, 1);
    int noted = record_write(&j->facts, &j->outputs, &j->journal, status == BW_OK, d);
    if (noted) journal_end(&j->journal, j->out);
    struct bake_record done = record_read(j->out);
    double bytes = record_bytes(&done, j->out);
    pthread_mutex_lock(&j->lock); // others may ask for facts
    j->bytes = bytes;
    pthread_mutex_unlock(&j->lock);
    record_free(&done);
    return status == BW_OK && !noted ? d->status : status;
}
