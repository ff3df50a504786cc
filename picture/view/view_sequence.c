// SPDX-License-Identifier: Apache-2.0
#include "vdb_view.h"

#include <common/sequence/numbered.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static int ends_vdb(const char *name)
{
    size_t n = strlen(name);
    return n > 4 && !strcasecmp(name + n - 4, ".vdb"); // SMOKE.VDB
}

static enum bw_status sequence_add(struct bw_sequence *s, const char *folder, const char *name, int64_t frame)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char **path = realloc(s->path, (size_t)(s->count + 1) * sizeof *path);
    if (path) s->path = path;
    int64_t *frames = realloc(s->frame, (size_t)(s->count + 1) * sizeof *frames);
    if (frames) s->frame = frames;
    char *text = malloc(size);
    if (!path || !frames || !text) {
        free(text);
        return BW_ERR_MEMORY;
    }
    snprintf(text, size, "%s/%s", folder, name);
    int32_t i = s->count++; // insertion by frame: folders come in any order
    for (; i > 0 && s->frame[i - 1] > frame; i--) {
        s->frame[i] = s->frame[i - 1];
        s->path[i] = s->path[i - 1];
    }
    s->frame[i] = frame;
    s->path[i] = text;
    return BW_OK;
}

/// Files on their way into a sequence.
struct collecting {
    struct bw_sequence *s;
    const char *folder;
    int64_t first, last;
    enum bw_status status;
};

static void file_collect(const char *name, int64_t number, void *user)
{
    struct collecting *c = user;
    if (c->status || !ends_vdb(name) || number < c->first || number > c->last) return;
    c->status = sequence_add(c->s, c->folder, name, number);
}

static void file_count(const char *name, int64_t number, void *user)
{
    (void)number;
    *(int *)user += ends_vdb(name);
}

/// Of two sequences of one length the shorter name, a bake's first domain; folders come in any order.
static int name_before(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);
    return n != m ? n < m : strcmp(a, b) < 0;
}

/// A file of the folder's longest sequence in `out`, or 0.
static int longest_model(const char *folder, char *out, size_t size)
{
    int best = -1;
    DIR *dir = opendir(folder);
    struct numbered last = {0};
    for (struct dirent *d; dir && (d = readdir(dir));) {
        struct numbered as;
        int n = 0;
        if (!ends_vdb(d->d_name) || (best > 0 && numbered_has(d->d_name, &last))) continue;
        if (numbered_name(d->d_name, &as)) numbered_walk(folder, &as, file_count, &n);
        if (n < best || (n == best && !name_before(d->d_name, out))) continue;
        best = n;
        snprintf(out, size, "%s", d->d_name);
        numbered_name(out, &last);
    }
    if (dir) closedir(dir);
    return best >= 0;
}

/// 1: there is a folder of that name inside, and `folder` leads there now.
static int folder_enter(char *folder, size_t folder_size, const char *name)
{
    const size_t length = strlen(folder);
    struct stat st;
    if (length + strlen(name) + 2 > folder_size) return 0;
    snprintf(folder + length, folder_size - length, "/%s", name);
    if (!stat(folder, &st) && S_ISDIR(st.st_mode)) return 1;
    folder[length] = '\0';
    return 0;
}

/// The same of what a program makes of a folder: `vdb` inside ours, `data` inside one of Blender's fluids.
static int folder_model(char *folder, size_t folder_size, char *out, size_t size)
{
    if (folder_enter(folder, folder_size, "vdb") || longest_model(folder, out, size))
        return longest_model(folder, out, size);
    return folder_enter(folder, folder_size, "data") && longest_model(folder, out, size);
}

/// The common part of the names, without number, ending and what joins them.
static char *sequence_name(const char *model, const struct numbered *as)
{
    size_t n = as->digits ? as->head : strlen(model) - (ends_vdb(model) ? 4 : 0);
    while (n && strchr("_.- ", model[n - 1])) n--;
    char *text = malloc(n + 9);
    if (text) snprintf(text, n + 9, "%.*s", n ? (int)n : 8, n ? model : "sequence");
    return text;
}

enum bw_status bw_sequence_find(struct bw_sequence *s, const char *what, int64_t first, int64_t last, char *why,
                                size_t why_size)
{
    char folder[4096], model[1024];
    struct stat st;
    struct numbered as = {0};
    const int there = !stat(what, &st);
    *s = (struct bw_sequence){0};
    if (there && S_ISDIR(st.st_mode)) {
        snprintf(folder, sizeof folder, "%s", what);
        if (!folder_model(folder, sizeof folder, model, sizeof model)) {
            snprintf(why, why_size, "there is no .vdb file in %s", what);
            return BW_ERR_IO;
        }
    } else {
        const char *slash = strrchr(what, '/');
        snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - what) : 1, slash ? what : ".");
        if (slash == what) snprintf(folder, sizeof folder, "/");
        snprintf(model, sizeof model, "%s", slash ? slash + 1 : what);
        if (!there && !numbered_pattern(model, &as)) {
            snprintf(why, why_size, "there is no file or folder %s", what);
            return BW_ERR_IO;
        }
        if (!ends_vdb(model)) {
            snprintf(why, why_size, "%s is no .vdb file: one, a folder or a pattern with #### is wanted", what);
            return BW_ERR_IO;
        }
    }
    struct collecting c = {s, folder, first, last, BW_OK};
    if (!as.digits && !numbered_name(model, &as))
        c.status = sequence_add(s, folder, model, 0); // no number: a sequence of one
    else if (!numbered_walk(folder, &as, file_collect, &c)) c.status = BW_ERR_IO;
    enum bw_status status = c.status;
    s->name = sequence_name(model, &as);
    if (!s->name) status = BW_ERR_MEMORY;
    if (!status && !s->count) status = BW_ERR_IO;
    if (status == BW_ERR_MEMORY) snprintf(why, why_size, "out of memory for a list of files");
    else if (status) snprintf(why, why_size, "no file matches %s/%s in the frames wanted", folder, model);
    if (status) bw_sequence_free(s);
    return status;
}

void bw_sequence_free(struct bw_sequence *s)
{
    for (int32_t i = 0; i < s->count; i++) free(s->path[i]);
    free(s->path);
    free(s->frame);
    free(s->name);
    *s = (struct bw_sequence){0};
}
