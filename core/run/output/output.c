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
    struct file_facts facts; ///< once it is committed
};

/* ---- the folder ---- */

enum bw_status outputs_open(struct outputs *o)
{
    if (o->open) return BW_OK;
    o->fd = file_root_open(o->folder);
    o->open = o->fd >= 0;
    if (o->open) return BW_OK;
    if (errno == ENOMEM) return log_fail(o->log, NULL, BW_ERR_MEMORY, "out of memory for the folder %s", o->folder);
    return log_fail(o->log, BW_NAMED(o->folder), BW_ERR_IO, "%s: can't be made: %s", o->folder, strerror(errno));
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
        return log_fail(o->log, BW_NAMED(o->folder), BW_ERR_IO, "cannot %s \"%s/%s\": the folder %s is gone", what,
                        o->folder, name, o->folder);
    const char *more = why == ENOTDIR  ? ": a link or a file is where its folder should be"
                       : why == ENOENT ? ": it, or its folder, was removed"
                                       : "";
    char *path = bw_printf("%s/%s", o->folder, name);
    log_fail(o->log, BW_NAMED(path), BW_ERR_IO, "cannot %s \"%s/%s\": %s%s", what, o->folder, name, strerror(why),
             more);
    bw_free(path);
    return BW_ERR_IO;
}

/* ---- beginning ---- */

/* Who keeps the list of files must know of each before it is there. 0; FILE_UNWANTED; or an errno: it is not to be. */
static int file_tell(const struct outputs *o, const char *name, const struct file_facts *whole)
{
    return o->on_file ? o->on_file(name, whole, o->user) : 0;
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
    if (f->folder < 0) return false;
    int bad = file_tell(o, f->name, NULL);
    if (bad > 0) return errno = bad, false;
    int fd = file_create(f->folder, file_base(f->half));
    return fd >= 0 && close(fd) == 0;
}

/* Written once more before the first one took its name: the new one takes over the temporary name. */
static void held_forget(struct outputs *o, const char *name)
{
    pthread_mutex_lock(&o->lock);
    for (struct output **p = &o->held, *f; (f = *p);) {
        if (strcmp(f->name, name)) {
            p = &f->next;
            continue;
        }
        *p = f->next;
        output_free(f);
    }
    pthread_mutex_unlock(&o->lock);
}

const char *output_begin(struct outputs *o, struct output **list, struct output_owner by, const char *name, bool keep)
{
    if (!o->folder || !name) {
        log_fail(o->log, by.place, BW_ERR_PLUGIN, "%s begins an output without a %s", by.id, name ? "folder" : "name");
        return NULL;
    }
    if (claims_take(&o->claims, by, name) != BW_OK || outputs_open(o) != BW_OK) return NULL;
    held_forget(o, name);
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

/* Told, then renamed. False with errno. */
static bool output_name(const struct outputs *o, struct output *f)
{
    const char *half = file_base(f->half);
    int bad = file_tell(o, f->name, &f->facts);
    if (bad == FILE_UNWANTED) return !unlinkat(f->folder, half, 0);
    errno = bad;
    return !bad && file_rename(f->folder, half, file_base(f->name));
}

/* Whether it waits for outputs_release, which then owns it. */
static bool output_wait(struct outputs *o, struct output *f)
{
    pthread_mutex_lock(&o->lock);
    bool waits = o->holds;
    struct output **last = &o->held;
    while (waits && *last) last = &(*last)->next;
    f->next = NULL;
    if (waits) *last = f;
    pthread_mutex_unlock(&o->lock);
    return waits;
}

enum bw_status output_commit(struct outputs *o, struct output **list, const char *temporary)
{
    struct output *f = output_take(list, temporary);
    if (!f) return log_fail(o->log, NULL, BW_ERR_PLUGIN, "an output was committed that was never begun");
    bool good = !folder_is_gone(o);
    errno = ENOENT;
    good = good && file_settle(f->folder, file_base(f->half), &f->facts);
    if (good && !f->facts.bytes) good = false, errno = ENODATA; // begun, and never written
    if (good && output_wait(o, f)) return BW_OK;
    enum bw_status status = good && output_name(o, f) ? BW_OK : file_fail(o, "write", f->name);
    if (status != BW_OK) unlinkat(f->folder, file_base(f->half), 0);
    output_free(f);
    return status;
}

/* ---- waiting ---- */

void outputs_hold(struct outputs *o) { o->holds = true; }

bool outputs_holding(struct outputs *o)
{
    pthread_mutex_lock(&o->lock);
    bool holds = o->holds;
    pthread_mutex_unlock(&o->lock);
    return holds;
}

enum bw_status outputs_release(struct outputs *o)
{
    enum bw_status status = BW_OK;
    pthread_mutex_lock(&o->lock);
    o->holds = false;
    for (struct output *f; (f = o->held); output_free(f)) {
        o->held = f->next;
        if (status == BW_OK && !output_name(o, f)) status = file_fail(o, "write", f->name);
        if (status != BW_OK) unlinkat(f->folder, file_base(f->half), 0);
    }
    pthread_mutex_unlock(&o->lock);
    return status;
}

void outputs_drop(struct outputs *o)
{
    pthread_mutex_lock(&o->lock);
    for (struct output *f; (f = o->held); output_free(f)) {
        o->held = f->next;
        unlinkat(f->folder, file_base(f->half), 0);
    }
    pthread_mutex_unlock(&o->lock);
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
