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
    else setvbuf(f, NULL, _IOLBF, 0); // what was said before a kill is there
    return f;
}

/* True once everything that was said to `f` is in the file; closes it. */
static bool stream_end(FILE *f)
{
    bool good = !ferror(f) && fflush(f) == 0;
    int why = errno ? errno : EIO;
    if (fclose(f) && good) return false;
    errno = why;
    return good;
}

int note_end(struct bake_journal *j, const char *out, const char *name, FILE *f, struct bw_diag *d)
{
    struct file_facts facts;
    errno = 0;
    bool good = stream_end(f);
    int why = errno, root = folder_open(out);
    char *half = file_temporary(name);
    if (good && root < 0) good = false, why = errno;
    if (good) {
        good = half && file_settle(root, half, &facts);
        if (good) journal_add(j, name, &facts); // on a full disk too: bake.json, which lists the rest, may still fit
        good = good && file_rename(root, half, name);
        why = half ? errno : ENOMEM;
    }
    if (!good && root >= 0 && half) unlinkat(root, half, 0);
    if (root >= 0) close(root);
    bw_free(half);
    return good ? 1 : note_failed(out, name, why, d);
}

int note_write(struct bake_journal *j, const char *out, const char *name, const char *text, struct bw_diag *d)
{
    FILE *f = note_begin(j, out, name, d);
    if (f) fputs(text, f);
    return f && note_end(j, out, name, f, d);
}
