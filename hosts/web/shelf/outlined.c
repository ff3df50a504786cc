// SPDX-License-Identifier: Apache-2.0
/* What is known of a source besides its grids: where its preset puts things, and its particles. */
#include "source.h"

#include <stdlib.h>

/// A finished bake left its preset, with every value, beside its files; it is opened once for those files.
static struct bw_bake *preset_open(struct source *s)
{
    enum { MOST = 64 << 20 };
    char *path = source_path(s, "resolved.yaml"), *text = file_read(path, MOST, NULL);
    struct bw_bake_options o = {.size = sizeof o, .preset = path, .text = text, .threads = 1};
    struct bw_bake *bake = NULL;
    if (path && text && bw_bake_open(s->session, &o, &bake)) bake = NULL;
    bw_text_free(text);
    free(path);
    return bake;
}

/// The bake that knows, in s->preset where it is none of the others; under nobody's lock.
static struct bw_bake *bake_choose(struct source *s)
{
    pthread_mutex_lock(&s->lock);
    struct bw_bake *bake = s->look[0] ? s->look[0] : s->bake ? s->bake : s->preset;
    const int look = !bake || (bake == s->preset && s->preset_of != s->generation);
    const int64_t generation = s->generation;
    pthread_mutex_unlock(&s->lock);
    if (!look) return bake;
    struct bw_bake *fresh = preset_open(s);
    pthread_mutex_lock(&s->lock);
    struct bw_bake *old = s->preset;
    s->preset = fresh;
    s->preset_of = generation;
    pthread_mutex_unlock(&s->lock);
    if (old) bw_bake_close(old);
    return fresh;
}

char *source_outlines(struct source *s, int64_t frame)
{
    struct bw_bake *bake = bake_choose(s);
    return bake ? bw_bake_outlines(bake, frame) : NULL;
}

enum bw_status source_points(struct source *s, int64_t frame, struct bw_snapshot **points)
{
    *points = NULL;
    pthread_mutex_lock(&s->lock);
    struct bw_cache *cache = s->cache;
    pthread_mutex_unlock(&s->lock); // a bake's progress does not wait for files; one that is closed meanwhile is told
    return cache ? bw_cache_points(cache, frame, points) : BW_ERR_IO;
}
