// SPDX-License-Identifier: Apache-2.0
#include "look.h"

#include "view/picture_tools.h"
#include <string.h>

enum { FIELDS = 16 }; ///< that are stored; others are computed again

struct cache_bounds {
    char *field; ///< NULL: the default one
    struct bw_vdb_view view;
    struct cache_bounds *next;
    int has_look;
    struct cache_look look; ///< of field NULL
};

static int same(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static struct cache_bounds *bounds_find(struct cache *c, const char *field, int *n)
{
    struct cache_bounds *s = c->bounds;
    for (*n = 0; s && !same(s->field, field); s = s->next) ++*n;
    return s;
}

/// Compute those of another field, under the lock. NULL with an error in `d`.
static struct cache_bounds *bounds_make(struct cache *c, const char *field, struct bw_diag *d)
{
    struct bw_tools tools = picture_tools();
    struct cache_bounds *s = bw_calloc(sizeof *s);
    char why[1024];
    if (!s || (field && !(s->field = bw_strdup(field)))) {
        bw_free(s);
        return out_of_memory(d), NULL;
    }
    s->view = (struct bw_vdb_view){.tools = &tools, .y_up = -1, .field = field, .lenient = 1};
    enum bw_status status = bw_vdb_view_open(&s->view, &c->files, why, sizeof why);
    s->view.tools = NULL;
    s->view.field = s->field;
    if (status) {
        bw_diag_error(d, NULL, status, "%s", why);
        bw_free(s->field);
        bw_free(s);
        return NULL;
    }
    s->next = c->bounds;
    return c->bounds = s;
}

/// Drop the oldest.
static void bounds_drop(struct cache *c)
{
    struct cache_bounds **at = &c->bounds;
    while (*at && (*at)->next) at = &(*at)->next;
    if (!*at) return;
    bw_free((*at)->field);
    bw_free(*at);
    *at = NULL;
}

enum bw_status cache_bounds_get(struct cache *c, const char *field, struct bw_vdb_view *vdb, struct bw_diag *d)
{
    int n;
    pthread_mutex_lock(&c->lock);
    struct cache_bounds *s = bounds_find(c, field, &n);
    if (!s && n >= FIELDS) bounds_drop(c);
    if (!s) s = bounds_make(c, field, d);
    if (s) *vdb = s->view;
    vdb->field = field; // the caller's own: another thread may drop this entry
    pthread_mutex_unlock(&c->lock);
    return d->status;
}

enum bw_status cache_bounds_look(struct cache *c, const struct bw_vdb_view *vdb, struct cache_look *look,
                                 struct bw_diag *d)
{
    enum bw_status status = BW_OK;
    int n;
    struct bw_diag why = {0};
    pthread_mutex_lock(&c->lock);
    struct cache_bounds *s = bounds_find(c, NULL, &n);
    if (s && s->has_look) *look = s->look;
    else status = cache_look_find(look, c, NULL, vdb, 0, &why);
    if (s && !status) s->look = *look, s->has_look = 1;
    pthread_mutex_unlock(&c->lock);
    bw_diag_free(&why);
    return status ? out_of_memory(d) : BW_OK;
}

void cache_bounds_free(struct cache *c)
{
    while (c->bounds) bounds_drop(c);
}

const char *cache_frame_path(const struct cache *c, int64_t frame)
{
    for (int32_t i = 0; i < c->files.count; i++)
        if (c->files.frame[i] == frame) return c->files.path[i];
    return NULL;
}
