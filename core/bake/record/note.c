// SPDX-License-Identifier: Apache-2.0
/* Notes that a bake leaves in its folder, resolved.yaml, bake.log, bake.json: written like outputs, all or nothing, and
 * never through a link that lies there under their temporary name. */
#include "record.h"

#include "base/alloc.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int note_failed(const char *out, const char *name, int why, struct bw_diag *d)
{
    bw_diag_error(d, NULL, why == ENOMEM ? BW_ERR_MEMORY : BW_ERR_IO, "%s/%s: can't be written: %s", out, name,
                  strerror(why));
    return 0;
}

static int folder_open(const char *out) { return open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC); }

FILE *note_begin(struct bake_journal *j, const char *out, const char *name, struct bw_diag *d)
{
    char *half = file_temporary(name);
    errno = ENOMEM;
    int root = half ? folder_open(out) : -1;
    if (root >= 0 && (errno = journal_add(j, name, NULL))) close(root), root = -1;
    int fd = root >= 0 ? file_create(root, half) : -1;
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    int why = errno;
    if (fd >= 0 && !f) close(fd);
    if (root >= 0) close(root);
    bw_free(half);
    if (!f) note_failed(out, name, why, d);
    return f;
}

static void half_remove(const char *out, const char *half)
{
    int root = folder_open(out);
    if (root >= 0) unlinkat(root, half, 0);
    if (root >= 0) close(root);
}

/* Why an earlier write failed, told by another one; the file is not to be kept. */
static int write_fault(FILE *f)
{
    clearerr(f);
    errno = 0;
    return write(fileno(f), "", 1) < 0 ? errno : EIO;
}

/* 0 once everything that was said to `f` is in the file, or an errno; closes it. */
static int stream_end(FILE *f)
{
    int why = ferror(f) ? write_fault(f) : fflush(f) ? errno : 0;
    return fclose(f) && !why ? errno : why;
}

/* 0, or an errno. */
static int note_settle(struct bake_journal *j, const char *out, const char *name, const char *half)
{
    struct file_facts facts;
    int root = folder_open(out);
    if (root < 0) return errno;
    bool good = file_settle(root, half, &facts);
    if (good) journal_add(j, name, &facts); // on a full disk too: bake.json, which lists the rest, may still fit
    int why = good && file_rename(root, half, name) ? 0 : errno;
    close(root);
    return why;
}

int note_end(struct bake_journal *j, const char *out, const char *name, FILE *f, struct bw_diag *d)
{
    int why = stream_end(f);
    char *half = file_temporary(name);
    if (!half) why = ENOMEM;
    else if (!why) why = note_settle(j, out, name, half);
    if (why && half) half_remove(out, half);
    bw_free(half);
    return why ? note_failed(out, name, why, d) : 1;
}

void note_discard(const char *out, const char *name, FILE *f)
{
    char *half = file_temporary(name);
    fclose(f);
    if (half) half_remove(out, half);
    bw_free(half);
}

int note_write(struct bake_journal *j, const char *out, const char *name, const char *text, struct bw_diag *d)
{
    FILE *f = note_begin(j, out, name, d);
    if (f) fputs(text, f);
    return f && note_end(j, out, name, f, d);
}
