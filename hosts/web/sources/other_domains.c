// SPDX-License-Identifier: Apache-2.0
/* Other domains of the bake of a cache, whose files lie in the same folder, each in a sequence of its own. Slices and
 * the probe show them too. A domain's name is what its files' name has beyond that of the cache. */
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

/// The path of the first frame's file, from malloc, and its parts. NULL: the files have no numbers.
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

/// Is `name` the same frame, with the same ending, of another sequence? Then that domain's name.
static int other_domain_name(const char *name, const char *own, const struct pattern *p, char domain[DOMAIN_NAME])
{
    const size_t end = strlen(own) - p->head, length = strlen(name), stem = length > end ? length - end : 0;
    const char *first = own + p->folder + 1;
    const size_t n = p->head - p->folder - 1; // of the own name, with its last "_"
    if (!stem || strcmp(name + stem, own + p->head) != 0) return 0;
    if ((stem == n && !strncmp(name, first, n)) || strspn(name + stem - 1, "0123456789")) return 0;
    const size_t from = stem > n && !strncmp(name, first, n) ? n : 0;
    const size_t more = stem - from - (name[stem - 1] == '_');
    return more > 0 && snprintf(domain, DOMAIN_NAME, "%.*s", (int)more, name + from) < DOMAIN_NAME;
}

/// Open the other sequences beside the file `own`.
static void folder_scan(struct bw_session *session, const char *own, const struct pattern *p,
                        struct other_domain out[MAX_OTHER_DOMAINS])
{
    char folder[PATH], path[PATH];
    if (snprintf(folder, sizeof folder, "%.*s", (int)p->folder, own) >= PATH) return;
    DIR *dir = opendir(folder);
    int n = 0;
    for (const struct dirent *d; dir && n < MAX_OTHER_DOMAINS && (d = readdir(dir));) {
        struct other_domain o = {0};
        if (!other_domain_name(d->d_name, own, p, o.name)) continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, d->d_name) >= PATH) continue;
        if (bw_cache_open(session, path, &o.cache)) continue;
        out[n++] = o;
    }
    if (dir) closedir(dir);
}

void other_domains_close(struct source *s)
{
    for (int i = 0; i < MAX_OTHER_DOMAINS; i++) bw_cache_close(s->other_domain[i].cache);
    memset(s->other_domain, 0, sizeof s->other_domain);
    s->other_domains_known = 0;
}

/// Find them once for a listing. Files without a bake's record may be of anything: they have none.
static void other_domains_find(struct source *s)
{
    struct other_domain found[MAX_OTHER_DOMAINS] = {0};
    struct pattern p;
    pthread_mutex_lock(&s->lock);
    const int search = !s->other_domains_known && (s->record.present || s->is_bake) && s->listing;
    char *own = search ? first_file(s->listing, &p) : NULL;
    const int64_t of = s->cache_generation;
    pthread_mutex_unlock(&s->lock);
    if (!search) return;
    if (own) folder_scan(s->session, own, &p, found);
    free(own);
    pthread_mutex_lock(&s->lock);
    if (of == s->cache_generation && !s->other_domains_known) {
        memcpy(s->other_domain, found, sizeof found);
        s->other_domains_known = 1;
        memset(found, 0, sizeof found);
    }
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < MAX_OTHER_DOMAINS; i++) bw_cache_close(found[i].cache); // another thread was quicker
}

int source_other_domains(struct source *s, int64_t frame, struct other_domain_frame out[MAX_OTHER_DOMAINS])
{
    int n = 0;
    other_domains_find(s);
    pthread_mutex_lock(&s->lock);
    struct other_domain now[MAX_OTHER_DOMAINS];
    memcpy(now, s->other_domain, sizeof now);
    pthread_mutex_unlock(&s->lock); // one that is closed meanwhile has no such frame
    for (int i = 0; i < MAX_OTHER_DOMAINS && now[i].cache; i++) {
        memcpy(out[n].name, now[i].name, sizeof out[n].name);
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
