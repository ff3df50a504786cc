// SPDX-License-Identifier: Apache-2.0
#include "output.h"
#include "base/alloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct output {
    struct output *next;
    char *temporary, *final;
    bool keep;
};

static bool folders_make(char *path)
{
    for (char *c = path + 1; *c; c++) {
        if (*c != '/') continue;
        *c = 0;
        bool bad = mkdir(path, 0777) && errno != EEXIST;
        *c = '/';
        if (bad) return false;
    }
    return true;
}

static bool name_is_safe(const char *name) { return *name && *name != '/' && !strstr(name, ".."); }

/* Who keeps the list of files must know of each before it is there. False, with errno: it is not to be. */
static bool file_tell(const struct outputs *o, const char *name, bool whole)
{
    int bad = o->on_file ? o->on_file(name, whole, o->user) : 0;
    if (bad) errno = bad;
    return !bad;
}

const char *output_begin(struct outputs *o, struct output **list, struct output_owner by, const char *name, bool keep)
{
    if (!o->folder || !name || !name_is_safe(name)) {
        log_fail(o->log, by.place, BW_ERR_PLUGIN, "output name \"%s\" does not lie in the output folder",
                 name ? name : "");
        return NULL;
    }
    if (claims_take(&o->claims, by, name) != BW_OK) return NULL;
    struct output *f = bw_calloc(sizeof *f);
    const char *slash = strrchr(name, '/');
    int dir = slash ? (int)(slash - name + 1) : 0;
    if (f) {
        f->final = bw_printf("%s/%s", o->folder, name);
        f->temporary = bw_printf("%s/%.*s.%s.part", o->folder, dir, name, name + dir);
        f->keep = keep;
    }
    bool memory = f && f->final && f->temporary;
    if (!memory || !folders_make(f->temporary) || !file_tell(o, name, false)) {
        if (memory) log_fail(o->log, NULL, BW_ERR_IO, "cannot begin \"%s/%s\": %s", o->folder, name, strerror(errno));
        else log_fail(o->log, NULL, BW_ERR_MEMORY, "out of memory for output \"%s\"", name);
        if (f) bw_free(f->final), bw_free(f->temporary);
        bw_free(f);
        return NULL;
    }
    unlink(f->temporary);
    f->next = *list;
    *list = f;
    return f->temporary;
}

static void output_free(struct output *o)
{
    bw_free(o->final);
    bw_free(o->temporary);
    bw_free(o);
}

static struct output *output_take(struct output **list, const char *temporary)
{
    for (struct output **p = list; *p; p = &(*p)->next) {
        struct output *o = *p;
        if (o->temporary != temporary && strcmp(o->temporary, temporary)) continue;
        *p = o->next;
        return o;
    }
    return NULL;
}

/* Flushed, then renamed; the folder is flushed too, so that the name survives a power cut. */
static bool file_settle(const struct outputs *o, const struct output *f)
{
    int fd = open(f->temporary, O_RDONLY);
    if (fd < 0) return false;
    bool bad = fsync(fd) != 0;
    bad |= close(fd) != 0;
    if (bad || !file_tell(o, f->final + strlen(o->folder) + 1, true) || rename(f->temporary, f->final)) return false;
    char *dir = bw_strdup(f->final);
    if (dir && strrchr(dir, '/')) {
        *strrchr(dir, '/') = 0;
        fd = open(dir, O_RDONLY | O_DIRECTORY);
        if (fd >= 0) {
            fsync(fd);
            close(fd);
        }
    }
    bw_free(dir);
    return true;
}

enum bw_status output_commit(struct outputs *o, struct output **list, const char *temporary)
{
    struct output *f = output_take(list, temporary);
    if (!f) return log_fail(o->log, NULL, BW_ERR_PLUGIN, "an output was committed that was never begun");
    enum bw_status status = BW_OK;
    if (!file_settle(o, f)) {
        status = log_fail(o->log, NULL, BW_ERR_IO, "cannot write \"%s\": %s", f->final, strerror(errno));
        unlink(f->temporary);
    }
    output_free(f);
    return status;
}

void output_discard(struct output **list, const char *temporary)
{
    struct output *f = output_take(list, temporary);
    if (!f) return;
    unlink(f->temporary);
    output_free(f);
}

enum bw_status outputs_commit(struct outputs *o, struct output **list, bool all)
{
    enum bw_status status = BW_OK;
    for (struct output *f = *list, *next; f; f = next) {
        next = f->next;
        if (f->keep && !all) continue;
        enum bw_status one = output_commit(o, list, f->temporary);
        if (status == BW_OK) status = one;
    }
    return status;
}

void outputs_discard(struct output **list)
{
    while (*list) output_discard(list, (*list)->temporary);
}
