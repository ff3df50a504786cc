// SPDX-License-Identifier: Apache-2.0
#include "output.h"
#include "base/alloc.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct output {
    struct output *next;
    char *name, *half; ///< below the folder
    char *path;        ///< of the temporary file, for who writes it
    int folder;        ///< that it lies in
    bool keep;
};

/* ---- the folder ---- */

enum bw_status outputs_open(struct outputs *o)
{
    if (o->open) return BW_OK;
    o->fd = file_root_open(o->folder);
    o->open = o->fd >= 0;
    if (o->open) return BW_OK;
    if (errno == ENOMEM) return log_fail(o->log, NULL, BW_ERR_MEMORY, "out of memory for the folder %s", o->folder);
    return log_fail(o->log, NULL, BW_ERR_IO, "%s: can't be made: %s", o->folder, strerror(errno));
}

void outputs_close(struct outputs *o)
{
    if (o->open) close(o->fd);
    o->open = false;
}

/* Removed, moved away, or another one lies in its place. */
static bool folder_is_gone(const struct outputs *o)
{
    struct stat ours, there;
    return o->open && !fstat(o->fd, &ours) &&
           (stat(o->folder, &there) || ours.st_dev != there.st_dev || ours.st_ino != there.st_ino);
}

/* With the reason in errno. */
static enum bw_status file_fail(const struct outputs *o, const char *what, const char *name)
{
    int why = errno;
    if (why == ENOMEM) return log_fail(o->log, NULL, BW_ERR_MEMORY, "out of memory for output \"%s\"", name);
    if (folder_is_gone(o))
        return log_fail(o->log, NULL, BW_ERR_IO, "cannot %s \"%s/%s\": the folder %s is gone", what, o->folder, name,
                        o->folder);
    const char *more = why == ENOTDIR  ? ": a link or a file is where its folder should be"
                       : why == ENOENT ? ": it, or its folder, was removed"
                                       : "";
    return log_fail(o->log, NULL, BW_ERR_IO, "cannot %s \"%s/%s\": %s%s", what, o->folder, name, strerror(why), more);
}

/* ---- beginning ---- */

/* Who keeps the list of files must know of each before it is there. False, with errno: it is not to be. */
static bool file_tell(const struct outputs *o, const char *name, const struct file_facts *whole)
{
    int bad = o->on_file ? o->on_file(name, whole, o->user) : 0;
    if (bad) errno = bad;
    return !bad;
}

static void output_free(struct output *f)
{
    if (f && f->folder >= 0) close(f->folder);
    if (f) bw_free(f->name), bw_free(f->half), bw_free(f->path);
    bw_free(f);
}

static struct output *output_make(const struct outputs *o, const char *name, bool keep)
{
    struct output *f = bw_calloc(sizeof *f);
    if (!f) return NULL;
    f->folder = -1;
    f->keep = keep;
    f->name = bw_strdup(name);
    f->half = file_temporary(name);
    f->path = f->half ? bw_printf("%s/%s", o->folder, f->half) : NULL;
    if (f->name && f->path) return f;
    output_free(f);
    return NULL;
}

/* An empty file under the temporary name. False with errno. */
static bool output_create(const struct outputs *o, struct output *f)
{
    errno = ENOENT;
    if (folder_is_gone(o)) return false;
    f->folder = file_folder_open(o->fd, f->half, true);
    if (f->folder < 0 || !file_tell(o, f->name, NULL)) return false;
    int fd = file_create(f->folder, file_base(f->half));
    return fd >= 0 && close(fd) == 0;
}

const char *output_begin(struct outputs *o, struct output **list, struct output_owner by, const char *name, bool keep)
{
    if (!o->folder || !name) {
        log_fail(o->log, by.place, BW_ERR_PLUGIN, "%s begins an output without a %s", by.id, name ? "folder" : "name");
        return NULL;
    }
    if (claims_take(&o->claims, by, name) != BW_OK || outputs_open(o) != BW_OK) return NULL;
    struct output *f = output_make(o, name, keep);
    errno = ENOMEM;
    if (!f || !output_create(o, f)) {
        file_fail(o, "begin", name);
        output_free(f);
        return NULL;
    }
    f->next = *list;
    *list = f;
    return f->path;
}

/* ---- ending ---- */

static struct output *output_take(struct output **list, const char *temporary)
{
    for (struct output **p = list; *p; p = &(*p)->next) {
        struct output *o = *p;
        if (o->path != temporary && strcmp(o->path, temporary)) continue;
        *p = o->next;
        return o;
    }
    return NULL;
}

/* Flushed and told, then renamed. False with errno. */
static bool output_settle(const struct outputs *o, const struct output *f)
{
    struct file_facts facts;
    const char *half = file_base(f->half);
    if (!file_settle(f->folder, half, &facts)) return false;
    errno = ENODATA; // begun, and never written
    return facts.bytes && file_tell(o, f->name, &facts) && file_rename(f->folder, half, file_base(f->name));
}

enum bw_status output_commit(struct outputs *o, struct output **list, const char *temporary)
{
    struct output *f = output_take(list, temporary);
    if (!f) return log_fail(o->log, NULL, BW_ERR_PLUGIN, "an output was committed that was never begun");
    enum bw_status status = BW_OK;
    if (folder_is_gone(o)) errno = ENOENT, status = file_fail(o, "write", f->name);
    else if (!output_settle(o, f)) status = file_fail(o, "write", f->name);
    if (status != BW_OK) unlinkat(f->folder, file_base(f->half), 0);
    output_free(f);
    return status;
}

enum bw_status output_remove(struct outputs *o, const char *name)
{
    static const struct file_facts gone = {.bytes = FILE_GONE};
    int folder = o->open ? file_folder_open(o->fd, name, false) : -1;
    bool good = folder >= 0 && (unlinkat(folder, file_base(name), 0) == 0 || errno == ENOENT);
    if (folder >= 0) close(folder);
    return good && file_tell(o, name, &gone) ? BW_OK : file_fail(o, "remove", name);
}

void output_discard(struct output **list, const char *temporary)
{
    struct output *f = output_take(list, temporary);
    if (!f) return;
    unlinkat(f->folder, file_base(f->half), 0);
    output_free(f);
}

enum bw_status outputs_commit(struct outputs *o, struct output **list, bool all)
{
    enum bw_status status = BW_OK;
    for (struct output *f = *list, *next; f; f = next) {
        next = f->next;
        if (f->keep && !all) continue;
        enum bw_status one = output_commit(o, list, f->path);
        if (status == BW_OK) status = one;
    }
    return status;
}

void outputs_discard(struct output **list)
{
    while (*list) output_discard(list, (*list)->path);
}
