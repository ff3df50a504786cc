// SPDX-License-Identifier: Apache-2.0
/* Metadata files of a bake, resolved.yaml, bake.log, bake.json: written atomically, by a temporary file and a rename,
 * and never through a link of the temporary's name. The folder is synced (fsync) once, after bake.json, the last of
 * them (record_write). */
#include "record.h"

#include "base/alloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int metadata_failed(const struct bake_journal *j, const char *name, int why, struct bw_diag *d)
{
    bw_diag_error(d, NULL, why == ENOMEM ? BW_ERR_MEMORY : BW_ERR_IO, "%s/%s: can't be written: %s", j->out, name,
                  strerror(why));
    return 0;
}

FILE *metadata_open(struct bake_journal *j, const char *name, struct bw_diag *d)
{
    char *half = file_temporary(name);
    int why = half ? journal_add(j, name, NULL) : ENOMEM;
    int fd = why ? -1 : file_create(j->root, half);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!why && !f) why = errno;
    if (fd >= 0 && !f) close(fd);
    bw_free(half);
    if (!f) metadata_failed(j, name, why, d);
    return f;
}

/* errno of an earlier failed write, found by another one; the file is discarded anyway. */
static int write_fault(FILE *f)
{
    clearerr(f);
    errno = 0;
    return write(fileno(f), "", 1) < 0 ? errno : EIO;
}

/* Flush and close; 0 or an errno. */
static int stream_end(FILE *f)
{
    int why = ferror(f) ? write_fault(f) : fflush(f) ? errno : 0;
    return fclose(f) && !why ? errno : why;
}

/* 0, or an errno. */
static int metadata_settle(struct bake_journal *j, const char *name, const char *half)
{
    struct file_facts facts;
    if (!file_settle(j->root, half, &facts)) return errno;
    journal_add(j, name, &facts); // on a full disk too: bake.json, which lists the rest, may still fit
    return renameat(j->root, half, j->root, name) ? errno : 0;
}

int metadata_commit(struct bake_journal *j, const char *name, FILE *f, struct bw_diag *d)
{
    int why = stream_end(f);
    char *half = file_temporary(name);
    if (!half) why = ENOMEM;
    else if (!why) why = metadata_settle(j, name, half);
    if (why && half) unlinkat(j->root, half, 0);
    bw_free(half);
    return why ? metadata_failed(j, name, why, d) : 1;
}

void metadata_discard(const struct bake_journal *j, const char *name, FILE *f)
{
    char *half = file_temporary(name);
    fclose(f);
    if (half) unlinkat(j->root, half, 0);
    bw_free(half);
}

int metadata_write(struct bake_journal *j, const char *name, const char *text, struct bw_diag *d)
{
    FILE *f = metadata_open(j, name, d);
    if (f) fputs(text, f);
    return f && metadata_commit(j, name, f, d);
}

char *resolved_yaml_text(const struct bw_node *resolved, const char *heading)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = resolved ? open_memstream(&text, &size) : NULL;
    if (!memory) return NULL;
    fputs(heading, memory);
    bw_node_write(resolved, memory);
    fclose(memory);
    return text;
}
