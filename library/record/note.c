// SPDX-License-Identifier: Apache-2.0
/* Notes that a bake leaves in its folder, resolved.yaml, bake.log, bake.json: written like outputs, all or nothing, and
 * never through a link that lies there under their temporary name. Their new names are on the disk once bake.json's is:
 * it follows each of the others, and settles the folder for both (record_write). */
#include "record.h"

#include "base/alloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int note_failed(const struct bake_journal *j, const char *name, int why, struct bw_diag *d)
{
    bw_diag_error(d, NULL, why == ENOMEM ? BW_ERR_MEMORY : BW_ERR_IO, "%s/%s: can't be written: %s", j->out, name,
                  strerror(why));
    return 0;
}

FILE *note_begin(struct bake_journal *j, const char *name, struct bw_diag *d)
{
    char *half = file_temporary(name);
    int why = half ? journal_add(j, name, NULL) : ENOMEM;
    int fd = why ? -1 : file_create(j->root, half);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!why && !f) why = errno;
    if (fd >= 0 && !f) close(fd);
    bw_free(half);
    if (!f) note_failed(j, name, why, d);
    return f;
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
static int note_settle(struct bake_journal *j, const char *name, const char *half)
{
    struct file_facts facts;
    if (!file_settle(j->root, half, &facts)) return errno;
    journal_add(j, name, &facts); // on a full disk too: bake.json, which lists the rest, may still fit
    return renameat(j->root, half, j->root, name) ? errno : 0;
}

int note_end(struct bake_journal *j, const char *name, FILE *f, struct bw_diag *d)
{
    int why = stream_end(f);
    char *half = file_temporary(name);
    if (!half) why = ENOMEM;
    else if (!why) why = note_settle(j, name, half);
    if (why && half) unlinkat(j->root, half, 0);
    bw_free(half);
    return why ? note_failed(j, name, why, d) : 1;
}

void note_discard(const struct bake_journal *j, const char *name, FILE *f)
{
    char *half = file_temporary(name);
    fclose(f);
    if (half) unlinkat(j->root, half, 0);
    bw_free(half);
}

int note_write(struct bake_journal *j, const char *name, const char *text, struct bw_diag *d)
{
    FILE *f = note_begin(j, name, d);
    if (f) fputs(text, f);
    return f && note_end(j, name, f, d);
}
