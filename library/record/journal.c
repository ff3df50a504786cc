// SPDX-License-Identifier: Apache-2.0
/* bake.journal: write-ahead log of a running bake's files, so that a kill at any time leaves a correct list. Lines:
 *     began NAME               .NAME.part may exist from now on
 *     whole BYTES XXH3 NAME    the file is synced to disk, with that size and checksum, and is renamed next
 *     wrote NAME               the same, without a checksum
 *     gone NAME                the bake removed it
 *     folder PATH              the folder's path when the bake began; the first line
 * Lines are only appended, each before the event; the last one of a name counts. A running bake has no other list: in
 * memory it would grow with every frame. At the end bake.json gets the same list; the journal stays as a backup. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "record.h"

#include "base/alloc.h"
#include "run/output/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Apply a line to the list, unless it was cut off. */
static void journal_line_parse(json_t *files, char *line, size_t n)
{
    struct file_facts f = {.bytes = FILE_UNKNOWN};
    long long bytes;
    unsigned long long sum;
    int name = 6;
    if (n < 7 || line[n - 1] != '\n') return;
    line[n - 1] = '\0';
    if (!strncmp(line, "whole ", 6)) {
        if (sscanf(line + 6, "%lld %16llx%n", &bytes, &sum, &name) != 2 || bytes < 0) return;
        name += 6;
        if (line[name] != ' ' || !line[++name]) return;
        f = (struct file_facts){bytes, sum};
    } else if (strncmp(line, "wrote ", 6) != 0) {
        if (!strncmp(line, "gone ", 5)) json_object_del(files, line + 5);
        else if (!strncmp(line, "began ", 6) && !json_object_get(files, line + 6))
            json_object_set_new(files, line + 6, json_false());
        return;
    }
    json_object_set_new(files, line + name, file_entry_json(&f));
}

/* Reads to the end and closes `f`. Overlong lines are skipped: they are none of ours. */
static json_t *journal_lines_read(FILE *f)
{
    json_t *files = f ? json_object() : NULL;
    char line[PATH_MAX + 64];
    bool whole = true; // the last piece ended a line
    while (f && fgets(line, sizeof line, f)) {
        const size_t n = strlen(line);
        const bool ends = n > 0 && line[n - 1] == '\n';
        if (whole && ends) journal_line_parse(files, line, n);
        whole = ends;
    }
    if (f) fclose(f);
    return files;
}

json_t *journal_read(const char *out)
{
    const char *why;
    struct stat st;
    int fd = file_inside_open(out, "bake.journal", &why);
    const bool good = fd >= 0 && !fstat(fd, &st) && st.st_size <= INSIDE_JOURNAL_MOST;
    FILE *f = good ? fdopen(fd, "r") : NULL;
    if (fd >= 0 && !f) close(fd);
    return journal_lines_read(f);
}

/* By its descriptor, which holds even if the file was renamed. */
json_t *journal_files(struct bake_journal *j)
{
    pthread_mutex_lock(&j->lock);
    int fd = fcntl(j->fd, F_DUPFD_CLOEXEC, 0);
    FILE *f = fd >= 0 && lseek(fd, 0, SEEK_SET) == 0 ? fdopen(fd, "r") : NULL;
    if (fd >= 0 && !f) close(fd);
    json_t *files = journal_lines_read(f);
    pthread_mutex_unlock(&j->lock);
    return files;
}

static char *journal_line_format(const char *name, const struct file_facts *whole)
{
    if (!whole) return bw_printf("began %s\n", name);
    if (whole->bytes < 0) return bw_printf("%s %s\n", whole->bytes == FILE_GONE ? "gone" : "wrote", name);
    return bw_printf("whole %lld %016llx %s\n", (long long)whole->bytes, (unsigned long long)whole->xxh3, name);
}

/* One write per line. A partial line is truncated away: its rest would be parsed as a name. */
static int journal_line_write(const struct bake_journal *j, const char *line, bool settle)
{
    size_t n = strlen(line);
    off_t end = lseek(j->fd, 0, SEEK_END);
    ssize_t done;
    do done = write(j->fd, line, n);
    while (done < 0 && errno == EINTR);
    int bad = done == (ssize_t)n ? 0 : done < 0 ? errno : ENOSPC;
    if (!bad && settle && fdatasync(j->fd)) bad = errno;
    if (bad && end >= 0 && ftruncate(j->fd, end)) return bad; // a file that must not be written is not listed
    return bad;
}

/* `settle`: sync to disk, if the line declares a file complete. */
static int journal_line_append(const struct bake_journal *j, const char *name, const struct file_facts *whole,
                               bool settle)
{
    json_t *text = json_string(name);
    if (!text || strchr(name, '\n')) return json_decref(text), EILSEQ; // no name for JSON, for a line
    json_decref(text);
    char *line = journal_line_format(name, whole);
    int bad = line ? journal_line_write(j, line, settle && whole && whole->bytes >= 0) : ENOMEM;
    bw_free(line);
    return bad;
}

int journal_add(struct bake_journal *j, const char *name, const struct file_facts *whole)
{
    pthread_mutex_lock(&j->lock);
    if (j->begun && !whole) json_object_set_new(j->begun, name, json_false());
    if (!j->failed) j->failed = journal_line_append(j, name, whole, true);
    int failed = j->failed;
    pthread_mutex_unlock(&j->lock);
    return failed;
}

/* A path that no line can hold is left out; a move of the folder then goes unnoticed. */
static int folder_line_write(const struct bake_journal *j)
{
    char *whole = realpath(j->out, NULL),
         *line = whole && !strchr(whole, '\n') ? bw_printf("folder %s\n", whole) : NULL;
    int bad = line ? journal_line_write(j, line, false) : 0;
    free(whole);
    bw_free(line);
    return bad;
}

char *journal_folder_path(const char *out)
{
    char line[4200] = "";
    const char *why;
    int fd = file_inside_open(out, "bake.journal", &why);
    ssize_t n = fd >= 0 ? read(fd, line, sizeof line - 1) : -1;
    if (fd >= 0) close(fd);
    char *end = n > 0 ? strchr(line, '\n') : NULL;
    return end && !strncmp(line, "folder /", 8) ? bw_printf("%.*s", (int)(end - line) - 7, line + 7) : NULL;
}

static int kept_write(struct bake_journal *j, json_t *kept)
{
    const char *name;
    json_t *file;
    int bad = folder_line_write(j);
    json_object_foreach (kept, name, file) {
        struct file_facts f = file_entry_facts(file);
        if (!bad && file_entry_is_whole(file)) bad = journal_line_append(j, name, &f, false);
    }
    json_object_foreach (j->begun, name, file)
        if (!bad) bad = journal_line_append(j, name, NULL, false);
    if (bad || !json_object_size(kept)) return bad; // an empty list need not last: the first file's line does
    return fdatasync(j->fd) ? errno : 0;            // once, and not a line: a thousand frames took half a minute
}

static const int list_flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_APPEND | O_CLOEXEC;

/* Atomic: by a temporary file and a rename. Links are not followed. */
static int journal_create(struct bake_journal *j, json_t *kept)
{
    static const char half[] = ".bake.journal.part";
    unlinkat(j->root, half, 0);
    j->fd = openat(j->root, half, list_flags | O_EXCL, 0666);
    if (j->fd < 0) return errno;
    int bad = kept_write(j, kept);
    if (!bad && renameat(j->root, half, j->root, "bake.journal")) bad = errno;
    if (bad) unlinkat(j->root, half, 0);
    return bad;
}

/* 0, or an errno. */
static int journal_open(struct bake_journal *j, const char *out)
{
    *j = (struct bake_journal){.out = out, .fd = -1, .root = -1, .runs = true};
    pthread_mutex_init(&j->lock, NULL);
    j->root = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return j->root < 0 ? errno : 0;
}

static int journal_check(struct bake_journal *j, int bad, struct bw_diag *d)
{
    if (bad) bw_diag_error(d, NULL, BW_ERR_IO, "%s/bake.journal: can't be written: %s", j->out, strerror(bad));
    if (bad) journal_end(j);
    return !bad;
}

int journal_begin(struct bake_journal *j, const char *out, json_t *kept, struct bw_diag *d)
{
    int bad = journal_open(j, out);
    return journal_check(j, bad ? bad : journal_create(j, kept), d);
}

/* End a line that a kill cut off, or the next one would be appended to it. */
static int journal_append(struct bake_journal *j, off_t size)
{
    char last = '\n';
    if (size && pread(j->fd, &last, 1, size - 1) != 1) return EIO;
    return last == '\n' || write(j->fd, "\n", 1) == 1 ? 0 : errno;
}

int journal_continue(struct bake_journal *j, const char *out, json_t *files, struct bw_diag *d)
{
    struct stat st;
    int bad = journal_open(j, out);
    if (!bad) j->fd = openat(j->root, "bake.journal", (list_flags & ~O_CREAT) | O_NONBLOCK);
    bool there = !bad && j->fd >= 0 && !fstat(j->fd, &st) && S_ISREG(st.st_mode);
    if (!there && j->fd >= 0) close(j->fd), j->fd = -1; // a pipe, a device: it lists nothing
    if (!bad) bad = there ? journal_append(j, st.st_size) : journal_create(j, files);
    j->begun = json_object();
    return journal_check(j, bad, d);
}

int journal_renew(struct bake_journal *j, json_t *kept, struct bw_diag *d)
{
    pthread_mutex_lock(&j->lock);
    int before = j->fd, bad = journal_create(j, kept);
    if (bad && j->fd != before && j->fd >= 0) close(j->fd);
    if (bad) j->fd = before;
    else close(before);
    json_decref(j->begun);
    j->begun = NULL;
    pthread_mutex_unlock(&j->lock);
    if (bad) bw_diag_error(d, NULL, BW_ERR_IO, "%s/bake.journal: can't be written: %s", j->out, strerror(bad));
    return !bad;
}

void journal_remove_file(struct bake_journal *j, const char *name)
{
    static const struct file_facts gone = {.bytes = FILE_GONE};
    int folder = file_folder_open(j->root, name, false);
    if (folder >= 0 && (!unlinkat(folder, file_base(name), 0) || errno == ENOENT)) journal_add(j, name, &gone);
    if (folder >= 0) close(folder);
}

void journal_end(struct bake_journal *j)
{
    if (!j->runs) return;
    if (j->fd >= 0) close(j->fd);
    if (j->root >= 0) close(j->root);
    json_decref(j->begun);
    pthread_mutex_destroy(&j->lock);
    *j = (struct bake_journal){0};
}

enum folder_fate journal_folder_fate(const struct bake_journal *j)
{
    struct stat ours, there;
    if (fstat(j->root, &ours) || !ours.st_nlink) return FOLDER_GONE;
    bool same = !stat(j->out, &there) && ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
    return same ? FOLDER_HERE : FOLDER_MOVED;
}
