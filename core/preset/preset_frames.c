// SPDX-License-Identifier: Apache-2.0
/* frames_from: the numbered files whose frames a chain works on, instead of making its own: detail added to a cache, a
 * cache retimed. From the files' names come the frames, unless the preset says others; each frame is one step, unless
 * it asks for substeps. Stages reach the files by billow.frames/1; what is in them the core does not know. */
#include "preset_private.h"

#include "base/alloc.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A pattern taken apart: PATH/HEAD####TAIL. */
struct pattern {
    const char *head, *tail;
    size_t head_length, folder_length, digits;
};

/* `letters`: so many of the last run of # are no digits, but belong to the name. */
static int pattern_split(const char *text, int32_t letters, struct pattern *p)
{
    const char *slash = strrchr(text, '/'), *name = slash ? slash + 1 : text, *end = strrchr(name, '#');
    if (!end) return 0;
    const char *begin = end;
    while (begin > name && begin[-1] == '#') begin--;
    begin += letters;
    if (begin > end) return 0;
    *p = (struct pattern){name, end + 1, (size_t)(begin - name), (size_t)(name - text), (size_t)(end + 1 - begin)};
    return 1;
}

int bw_preset_frame_path(const struct bw_preset *p, int64_t number, char *out, size_t size)
{
    struct pattern q;
    if (!p->frames_from || !pattern_split(p->frames_from, p->frames_letters, &q)) return -1;
    return snprintf(out, size, "%.*s%0*" PRId64 "%s", (int)(q.folder_length + q.head_length), p->frames_from,
                    (int)q.digits, number, q.tail);
}

/* The number between head and tail, or -1. */
static int64_t name_number(const char *name, const struct pattern *q)
{
    size_t n = strlen(name), tail = strlen(q->tail);
    if (n <= q->head_length + tail || strncmp(name, q->head, q->head_length) || strcmp(name + n - tail, q->tail))
        return -1;
    size_t digits = strspn(name + q->head_length, "0123456789");
    int written_so = digits == q->digits || (digits > q->digits && name[q->head_length] != '0');
    return written_so && digits == n - q->head_length - tail && digits < 18 ? strtoll(name + q->head_length, NULL, 10)
                                                                            : -1;
}

static int file_is_there(const struct bw_preset *p, int64_t number)
{
    char path[4096];
    int n = bw_preset_frame_path(p, number, path, sizeof path);
    return n > 0 && n < (int)sizeof path && !access(path, R_OK);
}

/* How many there are, with the least and the largest number; -1: out of memory. */
static int64_t files_count(struct bw_preset *p, const struct pattern *q)
{
    char *folder = q->folder_length ? bw_printf("%.*s", (int)q->folder_length, p->frames_from) : bw_strdup(".");
    int64_t count = 0;
    errno = ENOMEM;
    DIR *dir = folder ? opendir(folder) : NULL;
    const bool memory = !dir && errno == ENOMEM;
    bw_free(folder);
    if (memory) return -1;
    p->files_first = INT64_MAX;
    p->files_last = -1;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        int64_t number = name_number(e->d_name, q);
        if (number < 0) continue;
        count++;
        if (number < p->files_first) p->files_first = number;
        if (number > p->files_last) p->files_last = number;
    }
    if (dir) closedir(dir);
    return count;
}

static enum bw_status folder_scan(struct bw_preset *p, const struct bw_node *n, struct bw_diag *d)
{
    struct pattern q;
    int64_t count = 0;
    while (!count && pattern_split(p->frames_from, p->frames_letters, &q))
        if (!(count = files_count(p, &q))) p->frames_letters++; // "part#0001.vdb" is called part#####.vdb, too
    if (count < 0) return bw_diag_error(d, &n->place, BW_ERR_MEMORY, "frames_from: out of memory");
    if (!count) return bw_diag_error(d, &n->place, BW_ERR_IO, "frames_from: there is no file %s", p->frames_from);
    for (int64_t i = p->files_first; count <= p->files_last - p->files_first && i <= p->files_last; i++)
        if (!file_is_there(p, i))
            return bw_diag_error(d, &n->place, BW_ERR_IO,
                                 "frames_from: frame %" PRId64 " is missing between %" PRId64 " and %" PRId64 " of %s",
                                 i, p->files_first, p->files_last, p->frames_from);
    return BW_OK;
}

enum bw_status bw_preset_read_frames_from(struct bw_preset *p, const struct bw_frames_from_values *v, struct bw_diag *d)
{
    const struct bw_node *n = bw_node_get(p->root, "frames_from");
    struct pattern q;
    if (v->kind == BW_FRAMES_BAKE) p->frames_bake = v->bake;
    if (v->kind != BW_FRAMES_FILES) return BW_OK;
    if (n->type == BW_NODE_MAP) n = n->child[0];
    if (!pattern_split(v->files, 0, &q))
        return bw_diag_error(d, &n->place, BW_ERR_PRESET,
                             "frames_from wants files with #### for the number, like plume_####.vdb, not \"%s\"",
                             n->text);
    p->frames_from = v->files;
    return folder_scan(p, n, d);
}
