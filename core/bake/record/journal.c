// SPDX-License-Identifier: Apache-2.0
/* bake.journal: the files of a bake while it runs, so that a kill at any moment leaves a true list. A line each:
 *     began NAME    .NAME.part may be there from now on
 *     wrote NAME    the file is whole and on the disk, and takes its name now
 * Lines are only ever added, each before what it tells of; at the end bake.json takes the list over. */
#include "record.h"

#include "base/alloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *journal_path(const char *out) { return bw_printf("%s/bake.journal", out); }

json_t *journal_read(const char *out)
{
    char *path = journal_path(out), *line = NULL;
    FILE *f = path ? fopen(path, "r") : NULL;
    json_t *files = f ? json_object() : NULL;
    size_t size = 0;
    for (ssize_t n; f && (n = getline(&line, &size, f)) > 0;) {
        int whole = !strncmp(line, "wrote ", 6);
        if (line[n - 1] != '\n' || (!whole && strncmp(line, "began ", 6) != 0)) continue; // cut off in mid-line
        line[n - 1] = '\0';
        if (whole || !json_object_get(files, line + 6)) json_object_set_new(files, line + 6, json_boolean(whole));
    }
    free(line);
    if (f) fclose(f);
    bw_free(path);
    return files;
}

int journal_begin(struct bake_journal *j, const char *out, struct bw_diag *d)
{
    char *path = journal_path(out);
    if (path) unlink(path); // a link that lies there is not written through
    j->fd = path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (j->fd < 0) {
        bw_diag_error(d, NULL, BW_ERR_IO, "%s/bake.journal: can't be written: %s", out, strerror(errno));
    } else {
        pthread_mutex_init(&j->lock, NULL);
        j->failed = 0;
        j->files = json_object();
    }
    bw_free(path);
    return j->fd >= 0;
}

/* One write a line: the end of a line that did not fit would else be taken for a name. */
static int line_append(struct bake_journal *j, const char *name, int whole)
{
    json_t *mark = json_boolean(whole);
    if (strchr(name, '\n') || json_object_set(j->files, name, mark)) return EILSEQ; // no name for a line or for JSON
    char *line = bw_printf("%s %s\n", whole ? "wrote" : "began", name);
    if (!line) return ENOMEM;
    size_t n = strlen(line);
    ssize_t done;
    do done = write(j->fd, line, n);
    while (done < 0 && errno == EINTR);
    bw_free(line);
    if (done != (ssize_t)n) return done < 0 ? errno : ENOSPC;
    return whole && fdatasync(j->fd) ? errno : 0;
}

int journal_add(struct bake_journal *j, const char *name, int whole)
{
    pthread_mutex_lock(&j->lock);
    const json_t *known = json_object_get(j->files, name);
    if (!j->failed && (!known || (whole && !json_is_true(known)))) j->failed = line_append(j, name, whole);
    int failed = j->failed;
    pthread_mutex_unlock(&j->lock);
    return failed;
}

void journal_end(struct bake_journal *j, const char *out)
{
    if (!j->files) return;
    char *path = out ? journal_path(out) : NULL;
    if (path) unlink(path);
    bw_free(path);
    close(j->fd);
    json_decref(j->files);
    pthread_mutex_destroy(&j->lock);
    *j = (struct bake_journal){0};
}
