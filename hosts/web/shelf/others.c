// SPDX-License-Identifier: Apache-2.0
/* The other domains of a bake that lie beside the files that are shown, each in a sequence of its own: slices and the
 * probe tell of all of them. They are named by what their files' name has more than that of those that are shown. */
#include "source.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 4200 };

/// Of FOLDER/NAME_0001.vdb: where the folder ends, and where the digits begin.
struct pattern {
    size_t folder, head;
};

/// The path of the first frame's file, new memory, and its parts. NULL: they are not numbered.
static char *first_file(const json_t *names, struct pattern *p)
{
    const char *file = json_string_value(json_object_get(names, "file")), *slash = file ? strrchr(file, '/') : NULL,
               *end = slash ? strrchr(slash, '.') : NULL;
    while (end && end > slash && !isdigit((unsigned char)end[-1])) end--;
    while (end && end > slash && isdigit((unsigned char)end[-1])) end--;
    if (!end || !isdigit((unsigned char)*end)) return NULL;
    p->folder = (size_t)(slash - file);
    p->head = (size_t)(end - file);
    return strdup(file);
}

/// Is it a file of the same frame and ending in another sequence? Then its name without them, in `label`.
static int other_name(const char *name, const char *own, const struct pattern *p, char label[OTHER_NAME])
{
    const size_t end = strlen(own) - p->head, length = strlen(name), stem = length > end ? length - end : 0;
    const char *first = own + p->folder + 1;
    const size_t n = p->head - p->folder - 1; // of the own name, with its last "_"
    if (!stem || strcmp(name + stem, own + p->head) != 0) return 0;
    if ((stem == n && !strncmp(name, first, n)) || strspn(name + stem - 1, "0123456789")) return 0;
    const size_t from = stem > n && !strncmp(name, first, n) ? n : 0;
    const size_t more = stem - from - (name[stem - 1] == '_');
    return more > 0 && snprintf(label, OTHER_NAME, "%.*s", (int)more, name + from) < OTHER_NAME;
}

/// All of them, for files whose first one is `own`.
static void folder_look(struct bw_session *session, const char *own, const struct pattern *p, struct other out[OTHERS])
{
    char folder[PATH], path[PATH];
    if (snprintf(folder, sizeof folder, "%.*s", (int)p->folder, own) >= PATH) return;
    DIR *dir = opendir(folder);
    int n = 0;
    for (const struct dirent *d; dir && n < OTHERS && (d = readdir(dir));) {
        struct other o = {0};
        if (!other_name(d->d_name, own, p, o.label)) continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, d->d_name) >= PATH) continue;
        if (bw_cache_open(session, path, &o.cache)) continue;
        out[n++] = o;
    }
    if (dir) closedir(dir);
}

void others_close(struct source *s)
{
    for (int i = 0; i < OTHERS; i++) bw_cache_close(s->other[i].cache);
    memset(s->other, 0, sizeof s->other);
    s->others_known = 0;
}

/// Files that lie about without a bake's record belong to nobody knows what.
static void others_look(struct source *s)
{
    struct other found[OTHERS] = {0};
    struct pattern p;
    pthread_mutex_lock(&s->lock);
    const int look = !s->others_known && (s->record.known || s->is_bake) && s->names;
    char *own = look ? first_file(s->names, &p) : NULL;
    const int64_t of = s->files;
    pthread_mutex_unlock(&s->lock);
    if (!look) return;
    if (own) folder_look(s->session, own, &p, found);
    free(own);
    pthread_mutex_lock(&s->lock);
    if (of == s->files && !s->others_known) {
        memcpy(s->other, found, sizeof found);
        s->others_known = 1;
        memset(found, 0, sizeof found);
    }
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < OTHERS; i++) bw_cache_close(found[i].cache); // another thread was quicker
}

int source_others(struct source *s, int64_t frame, struct other_frame out[OTHERS])
{
    int n = 0;
    others_look(s);
    pthread_mutex_lock(&s->lock);
    struct other now[OTHERS];
    memcpy(now, s->other, sizeof now);
    pthread_mutex_unlock(&s->lock); // one that is closed meanwhile has no such frame
    for (int i = 0; i < OTHERS && now[i].cache; i++) {
        memcpy(out[n].label, now[i].label, sizeof out[n].label);
        n += !bw_cache_frame(now[i].cache, frame, &out[n].snapshot);
    }
    return n;
}

int domains_count(const struct bw_snapshot_facts *f)
{
    int n = f->n_grids > 0;
    for (uint32_t i = 1; i < f->n_grids; i++)
        n += f->grids[i].domain && f->grids[0].domain && strcmp(f->grids[i].domain, f->grids[0].domain) != 0;
    return n;
}
