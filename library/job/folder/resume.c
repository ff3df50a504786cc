// SPDX-License-Identifier: Apache-2.0
/* Resuming a bake: the choice of a checkpoint, and of the files that are kept. A checkpoint holds the hash of its
 * bake's values and a list of the files that were complete then, with checksums. It is usable where both still match.
 * */
#include "job/job.h"
#include "run/checkpoint/checkpoint.h"
#include "run/output/inside.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHECKPOINTS_MAX = 4096 };
static const char FOLDER[] = "checkpoints/", ENDING[] = ".bwck";

/// A checkpoint's file.
struct checkpoint_file {
    char *name;      ///< below the output folder
    int64_t frame;   ///< that is whole, or was being made
    int64_t substep; ///< INT64_MAX: the frame is whole
};

/* ---- a checkpoint's metadata ---- */

/* Without metadata files, which change with every frame, and other checkpoints. */
static json_t *files_now(struct job *j)
{
    json_t *files = journal_files(&j->journal), *file;
    const char *name;
    void *next;
    json_object_foreach_safe (files, next, name, file) {
        if (!file_entry_is_whole(file) || file_is_metadata(name)) json_object_del(files, name);
    }
    return files;
}

char *resume_about(void *user)
{
    struct job *j = user;
    const struct bake_facts *f = &j->facts;
    json_t *about =
        json_pack("{s:i, s:s, s:s, s:[I,I], s:O*, s:o}", "billow", 1, "version", BW_VERSION, "preset", f->name,
                  "frames", (json_int_t)f->first, (json_int_t)f->last, "changes", f->changes, "files", files_now(j));
    bake_facts_put(about, f);
    char *text = about ? json_dumps(about, JSON_INDENT(1)) : NULL, *copy = bw_strdup(text);
    json_decref(about);
    free(text);
    return copy;
}

/* ---- listing ---- */

/* NAME_0040.bwck, NAME_0040_s3.bwck; false: another file. */
static bool checkpoint_name_parse(const char *name, struct checkpoint_file *f)
{
    size_t n = strlen(name), end = n - (sizeof ENDING - 1);
    char *rest;
    if (n < sizeof ENDING || strcmp(name + end, ENDING) != 0) return false;
    for (const char *c = name + end; c > name;) {
        if (*--c != '_') continue;
        if (c[1] == 's' && f->substep == INT64_MAX) {
            f->substep = strtoll(c + 2, &rest, 10);
            if (rest != name + end) return false;
            end = (size_t)(c - name);
            continue;
        }
        f->frame = strtoll(c + 1, &rest, 10);
        return rest == name + end && rest > c + 1;
    }
    return false;
}

static int newest_first(const void *x, const void *y)
{
    const struct checkpoint_file *a = x, *b = y;
    if (a->frame != b->frame) return a->frame < b->frame ? 1 : -1;
    return a->substep == b->substep ? 0 : a->substep < b->substep ? 1 : -1;
}

static int32_t checkpoints_list(const char *out, struct checkpoint_file *list)
{
    const int fd = file_inside_folder(out, "checkpoints");
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    int32_t n = 0;
    if (fd >= 0 && !folder) close(fd);
    for (const struct dirent *e; folder && n < CHECKPOINTS_MAX && (e = readdir(folder));) {
        struct checkpoint_file f = {.substep = INT64_MAX};
        if (*e->d_name == '.' || !checkpoint_name_parse(e->d_name, &f)) continue;
        if (!(f.name = bw_printf("checkpoints/%s", e->d_name))) break;
        list[n++] = f;
    }
    if (folder) closedir(folder);
    qsort(list, (size_t)n, sizeof *list, newest_first);
    return n;
}

static void list_free(struct checkpoint_file *list, int32_t n)
{
    for (int32_t i = 0; list && i < n; i++) bw_free(list[i].name);
    bw_free(list);
}

/* ---- validation ---- */

static bool is_ancestor(const struct job *j, const char *hash, int64_t frame)
{
    const json_t *change;
    size_t i;
    if (!record_matches(&j->record, &j->facts)) return false; // it became another bake than this
    json_array_foreach (j->facts.changes, i, change) {
        const char *from = json_string_value(json_object_get(change, "from"));
        if (from && !strcmp(from, hash) && frame <= json_integer_value(json_object_get(change, "after"))) return true;
    }
    return false;
}

/* Do they still have their checksums, or those of a later rewrite by the bake? Files verified for a newer checkpoint
 * are not read again. */
static bool files_are_intact(struct job *j, json_t *files)
{
    json_t *unread = json_object(), *file, *one;
    const char *name;
    size_t i;
    if (!j->resume.verified) j->resume.verified = json_object();
    json_object_foreach (files, name, file) {
        json_t *since = json_object_get(j->record.files, name), *now = json_is_object(since) ? since : file;
        if (!json_equal(json_object_get(j->resume.verified, name), now)) json_object_set(unread, name, now);
    }
    json_t *bad = files_verify(unread, j->out, true);
    bool good = bad && !json_array_size(bad);
    json_object_update(j->resume.verified, unread);
    json_array_foreach (bad, i, one)
        json_object_del(j->resume.verified, json_string_value(json_object_get(one, "name")));
    json_decref(bad);
    json_decref(unread);
    return good;
}

/* Why it can't be resumed from, a constant; NULL: it can. */
static const char *checkpoint_fault(struct job *j, const struct checkpoint_file *f, const json_t *about)
{
    const char *hash = json_string_value(json_object_get(about, "hash"));
    json_t *files = json_object_get(about, "files");
    if (!hash || !json_is_object(files)) return "says nothing about its bake";
    enum facts_difference other = bake_facts_compare(about, &j->facts);
    if (other == FACTS_BUILD) return "is of another build of Billow or its plugins";
    if (other == FACTS_SIMD) return "was made with another SIMD level";
    if (other == FACTS_VALUES && !j->options.from_frame && !is_ancestor(j, hash, f->frame))
        return "is of a bake with other values";
    if (json_integer_value(json_array_get(json_object_get(about, "frames"), 0)) != j->facts.first)
        return "is of a bake that begins with another frame";
    return j->repair.on || files_are_intact(j, files) ? NULL : "depends on files that are damaged or missing";
}

static json_t *about_read(const struct job *j, const struct checkpoint_file *f, struct bw_diag *d)
{
    const char *why;
    const int fd = file_inside_open(j->out, f->name, &why);
    if (fd < 0) return bw_diag_error(d, NULL, BW_ERR_IO, "%s/%s: %s", j->out, f->name, why), NULL;
    close(fd);
    char *path = bw_printf("%s/%s", j->out, f->name), *text = path ? checkpoint_about(path, d) : NULL;
    json_t *about = text ? json_loads(text, 0, NULL) : NULL;
    bw_free(path);
    bw_free(text);
    return about;
}

/* ---- the choice ---- */

/* The last frame that stays as it is; INT64_MAX: no limit. */
static int64_t last_kept_frame(const struct job *j)
{
    if (j->repair.on) return j->repair.first - 1;
    return j->options.from_frame ? strtoll(j->options.from_frame, NULL, 10) - 1 : INT64_MAX;
}

static void checkpoint_choose(struct job *j, const struct checkpoint_file *f, json_t *about)
{
    j->resume.path = bw_printf("%s/%s", j->out, f->name);
    j->resume.frame = f->frame;
    j->resume.whole = f->substep == INT64_MAX;
    j->resume.files = json_incref(json_object_get(about, "files"));
    j->resume.preset_hash = json_incref(json_object_get(json_object_get(about, "parts"), "preset_hash"));
    j->resume.hash = bw_strdup(json_string_value(json_object_get(about, "hash")));
}

bool resume_folder_check(const struct job *j, struct bw_diag *d)
{
    const int fd = file_inside_folder(j->out, "checkpoints");
    if (fd < 0 && errno != ENOENT)
        bw_diag_error(d, BW_NAMED(j->out), BW_ERR_IO, "%s/checkpoints/: can't be read: %s", j->out, strerror(errno));
    else if (fd >= 0) close(fd);
    return !d->status;
}

int32_t resume_find(struct job *j, char **why)
{
    struct checkpoint_file *list = bw_calloc(CHECKPOINTS_MAX * sizeof *list);
    int64_t before = last_kept_frame(j), last = j->facts.last;
    int32_t n = list ? checkpoints_list(j->out, list) : 0;
    for (int32_t i = 0; i < n && !j->resume.path; i++) {
        struct bw_diag d = {0};
        bool whole = list[i].substep == INT64_MAX;
        if (list[i].frame > last || list[i].frame > before || (!whole && list[i].frame == before)) continue;
        json_t *about = about_read(j, &list[i], &d);
        const char *bad = about ? checkpoint_fault(j, &list[i], about) : d.first ? d.first : "can't be read";
        if (!bad) checkpoint_choose(j, &list[i], about);
        else if (!*why) *why = bw_printf("%s/%s: it %s", j->out, list[i].name, bad == d.first ? "is damaged" : bad);
        json_decref(about);
        bw_diag_free(&d);
    }
    list_free(list, n);
    return n;
}

void resume_forget(struct job *j)
{
    bw_free(j->resume.path);
    bw_free(j->resume.hash);
    bw_free(j->resume.why);
    json_decref(j->resume.files);
    json_decref(j->resume.verified);
    json_decref(j->resume.preset_hash);
    j->resume = (struct job_resume){0};
}

/* ---- files that are kept ---- */

bool resume_differs(const struct job *j) { return j->resume.path && strcmp(j->resume.hash, j->facts.hash) != 0; }

/* Frames after the checkpoint's are of the old values then. */
bool resume_changes(const struct job *j) { return j->options.from_frame && resume_differs(j); }

static void checkpoints_keep(const struct job *j, json_t *kept)
{
    struct checkpoint_file *list = bw_calloc(CHECKPOINTS_MAX * sizeof *list);
    int32_t n = list ? checkpoints_list(j->out, list) : 0;
    for (int32_t i = 0; i < n; i++) {
        json_t *file = json_object_get(j->record.files, list[i].name);
        if (resume_changes(j) && list[i].frame > j->resume.frame) continue;
        if (file_entry_is_whole(file)) json_object_set(kept, list[i].name, file);
        else json_object_set_new(kept, list[i].name, json_true());
    }
    list_free(list, n);
}

/* Checkpoints are listed from the folder: a kill may come between the end of one and its line in the journal. */
json_t *resume_kept_files(const struct job *j)
{
    json_t *kept = resume_changes(j) ? json_copy(j->resume.files) : json_object(), *file;
    const char *name;
    json_object_foreach (j->record.files, name, file) {
        bool checkpoint = !strncmp(name, FOLDER, sizeof FOLDER - 1);
        if (!checkpoint && (!resume_changes(j) || file_is_metadata(name))) json_object_set(kept, name, file);
    }
    checkpoints_keep(j, kept);
    return kept;
}

void resume_record_change(struct job *j, const struct bw_node *resolved)
{
    char *text = NULL;
    size_t size;
    FILE *f = resume_changes(j) ? open_memstream(&text, &size) : NULL;
    if (!f) return;
    record_explain(&j->record, &j->facts, resolved, f);
    fclose(f);
    json_t *all = j->facts.changes ? json_deep_copy(j->facts.changes) : json_array();
    json_t *change = json_pack("{s:I, s:s, s:s, s:s}", "after", (json_int_t)j->resume.frame, "from", j->resume.hash,
                               "to", j->facts.hash, "values", text);
    json_object_set_new(change, "flows",
                        json_pack("[O*, O*]", j->resume.preset_hash, json_object_get(j->facts.parts, "preset_hash")));
    json_array_append_new(all, change);
    json_decref(j->facts.changes);
    j->facts.changes = all;
    free(text);
}

/* ---- retention of checkpoints ---- */

enum { NEWEST = 2 };                      ///< always kept, where the preset does not say how many
static const double OLDER_FRACTION = .25; ///< bytes of older ones, relative to all other files

double checkpoints_max_bytes(double others, double newest) { return OLDER_FRACTION * others + NEWEST * newest; }

static double bytes_of(json_t *files, const char *name)
{
    const double bytes = (double)file_entry_facts(json_object_get(files, name)).bytes;
    return bytes > 0 ? bytes : 0;
}

static double cache_bytes(json_t *files)
{
    double bytes = 0;
    const char *name;
    json_t *file;
    json_object_foreach (files, name, file) bytes += file_is_checkpoint(name) ? 0 : bytes_of(files, name);
    return bytes;
}

/* floor(log_base(age)), age in frames. */
static int age_class(int64_t age, double base) { return (int)floor(log((double)age + .5) / log(base)); }

/* Beyond the newest ones, keep the oldest of each age class; returns their bytes. */
static double checkpoints_thin_by_age(const struct checkpoint_file *list, int32_t n, json_t *files, double base,
                                      bool *stays)
{
    double bytes = 0;
    for (int32_t i = NEWEST; i < n; i++) {
        const int age = age_class(list[0].frame - list[i].frame, base);
        stays[i] = i + 1 == n || age != age_class(list[0].frame - list[i + 1].frame, base);
        bytes += stays[i] ? bytes_of(files, list[i].name) : 0;
    }
    return bytes;
}

/* Exponential thinning: age classes begin at 1, 2, 4, 8 … frames. Where the kept ones take too many bytes, the base is
 * squared: 1, 4, 16 …, then 1, 16, 256 …; in the end none of the older ones is kept. */
static void checkpoints_thin_out(struct job *j, const struct checkpoint_file *list, int32_t n, bool *stays)
{
    json_t *files = journal_files(&j->journal);
    const double most = OLDER_FRACTION * cache_bytes(files);
    double base = 2;
    while (base < 1e9 && checkpoints_thin_by_age(list, n, files, base, stays) > most) base *= base;
    for (int32_t i = NEWEST; i < n && !(base < 1e9); i++) stays[i] = false;
    json_decref(files);
}

void resume_prune(const char *name, int64_t frame, void *user)
{
    struct job *j = user;
    struct checkpoint_file *all = bw_calloc(CHECKPOINTS_MAX * sizeof *all), *list = all;
    int32_t n = all ? checkpoints_list(j->out, all) : 0, later = 0;
    bool stays[CHECKPOINTS_MAX] = {false};
    for (; later < n && list->frame > frame; later++) journal_remove_file(&j->journal, list++->name);
    const int64_t limit = j->preset->checkpoint_keep, keep = limit ? limit : NEWEST;
    for (int32_t i = 0; i < n - later && i < keep; i++) stays[i] = true;
    if (!limit) checkpoints_thin_out(j, list, n - later, stays);
    for (int32_t i = 0; i < n - later; i++)
        if (!stays[i] && strcmp(list[i].name, name) != 0) journal_remove_file(&j->journal, list[i].name);
    list_free(all, n);
    char *path = bw_printf("%s/%s", j->out, name);
    pthread_mutex_lock(&j->lock);
    j->checkpoint = path ? texts_copy(&j->texts, path) : NULL;
    pthread_mutex_unlock(&j->lock);
    bw_free(path);
}
