// SPDX-License-Identifier: Apache-2.0
/* All or nothing: a file is written beside its final name under a hidden one, flushed to disk, then renamed. */
#include "chain.h"
#include "base/alloc.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int folders_make(char *path)
{
    for (char *c = path + 1; *c; c++) {
        if (*c != '/') continue;
        *c = 0;
        int bad = mkdir(path, 0777) && errno != EEXIST;
        *c = '/';
        if (bad) return -1;
    }
    return 0;
}

static int name_is_safe(const char *name) { return *name && *name != '/' && !strstr(name, ".."); }

/* 0, or -1 with errno: who keeps the list of files must know of each before it is there. */
static int file_tell(const struct bw_chain *c, const char *name, int whole)
{
    int bad = c->opt.on_file ? c->opt.on_file(name, whole, c->opt.user) : 0;
    if (bad) errno = bad;
    return bad ? -1 : 0;
}

const char *chain_output_begin(struct bw_chain *c, struct chain_output **list, struct chain_owner by, const char *name,
                               int keep)
{
    if (!c->opt.out || !name || !name_is_safe(name)) {
        chain_fail(c, by.place, BW_ERR_PLUGIN, "output name \"%s\" does not lie in the output folder",
                   name ? name : "");
        return NULL;
    }
    if (chain_claim(c, by, name) != BW_OK) return NULL;
    struct chain_output *o = bw_calloc(sizeof *o);
    const char *slash = strrchr(name, '/');
    int dir = slash ? (int)(slash - name + 1) : 0;
    if (o) {
        o->final = bw_printf("%s/%s", c->opt.out, name);
        o->temporary = bw_printf("%s/%.*s.%s.part", c->opt.out, dir, name, name + dir);
        o->keep = keep;
    }
    bool memory = o && o->final && o->temporary;
    if (!memory || folders_make(o->temporary) || file_tell(c, name, 0)) {
        if (memory) chain_fail(c, NULL, BW_ERR_IO, "cannot begin \"%s/%s\": %s", c->opt.out, name, strerror(errno));
        else chain_fail(c, NULL, BW_ERR_MEMORY, "out of memory for output \"%s\"", name);
        if (o) bw_free(o->final), bw_free(o->temporary);
        bw_free(o);
        return NULL;
    }
    unlink(o->temporary);
    o->next = *list;
    *list = o;
    return o->temporary;
}

enum bw_status chain_status_said(struct bw_chain *c)
{
    pthread_mutex_lock(&c->lock);
    enum bw_status st = c->diag && c->diag->status != BW_OK ? c->diag->status : BW_ERR_IO;
    pthread_mutex_unlock(&c->lock);
    return st;
}

static void output_free(struct chain_output *o)
{
    bw_free(o->final);
    bw_free(o->temporary);
    bw_free(o);
}

static struct chain_output *output_take(struct chain_output **list, const char *temporary)
{
    for (struct chain_output **p = list; *p; p = &(*p)->next) {
        struct chain_output *o = *p;
        if (o->temporary != temporary && strcmp(o->temporary, temporary)) continue;
        *p = o->next;
        return o;
    }
    return NULL;
}

/* Flushed, then renamed; the folder is flushed too, so that the name survives a power cut. */
static int file_settle(const struct bw_chain *c, const struct chain_output *o)
{
    int fd = open(o->temporary, O_RDONLY);
    if (fd < 0) return -1;
    int bad = fsync(fd);
    bad |= close(fd);
    if (bad || file_tell(c, o->final + strlen(c->opt.out) + 1, 1) || rename(o->temporary, o->final)) return -1;
    char *dir = bw_strdup(o->final);
    if (dir && strrchr(dir, '/')) {
        *strrchr(dir, '/') = 0;
        fd = open(dir, O_RDONLY | O_DIRECTORY);
        if (fd >= 0) {
            fsync(fd);
            close(fd);
        }
    }
    bw_free(dir);
    return 0;
}

enum bw_status chain_output_commit(struct bw_chain *c, struct chain_output **list, const char *temporary, char **final)
{
    struct chain_output *o = output_take(list, temporary);
    if (!o) return chain_fail(c, NULL, BW_ERR_PLUGIN, "an output was committed that was never begun");
    enum bw_status st = BW_OK;
    if (file_settle(c, o)) {
        st = chain_fail(c, NULL, BW_ERR_IO, "cannot write \"%s\": %s", o->final, strerror(errno));
        unlink(o->temporary);
    } else if (final) {
        *final = bw_strdup(o->final);
    }
    output_free(o);
    return st;
}

void chain_output_discard(struct chain_output **list, const char *temporary)
{
    struct chain_output *o = output_take(list, temporary);
    if (!o) return;
    unlink(o->temporary);
    output_free(o);
}

enum bw_status chain_outputs_commit(struct bw_chain *c, struct chain_output **list, int all)
{
    enum bw_status st = BW_OK;
    for (struct chain_output *o = *list, *next; o; o = next) {
        next = o->next;
        if (o->keep && !all) continue;
        enum bw_status one = chain_output_commit(c, list, o->temporary, NULL);
        if (st == BW_OK) st = one;
    }
    return st;
}

void chain_outputs_discard(struct chain_output **list)
{
    while (*list) chain_output_discard(list, (*list)->temporary);
}
