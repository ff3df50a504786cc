// SPDX-License-Identifier: Apache-2.0
/* Outlines of obstacles, emitters and domains, from the preset that a source was baked from. */
#include "source.h"

#include <stdlib.h>

/// Open resolved.yaml, which a finished bake leaves beside its files. NULL: there is none.
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

/// The bake that has the outlines: of the look, the running one, or preset_bake, which is opened once for the files.
/// Called without the lock.
static struct bw_bake *outlines_bake(struct source *s)
{
    pthread_mutex_lock(&s->lock);
    struct bw_bake *bake = s->look_bake[0] ? s->look_bake[0] : s->bake ? s->bake : s->preset_bake;
    const int open = !bake || (bake == s->preset_bake && s->preset_generation != s->generation);
    const int64_t generation = s->generation;
    pthread_mutex_unlock(&s->lock);
    if (!open) return bake;
    struct bw_bake *fresh = preset_open(s);
    pthread_mutex_lock(&s->lock);
    struct bw_bake *old = s->preset_bake;
    s->preset_bake = fresh;
    s->preset_generation = generation;
    pthread_mutex_unlock(&s->lock);
    if (old) bw_bake_close(old);
    return fresh;
}

char *source_outlines(struct source *s, int64_t frame)
{
    struct bw_bake *bake = outlines_bake(s);
    return bake ? bw_bake_outlines(bake, frame) : NULL;
}
