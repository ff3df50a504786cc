// SPDX-License-Identifier: Apache-2.0
#include "grid_pick.h"

#include <stdio.h>
#include <string.h>

static int file_has(const char *pattern, int64_t number, const char *name)
{
    char path[SEQUENCE_PATH];
    struct bwvdb_file *f;
    if (!sequence_path(pattern, number, path) || bwvdb_open(path, &f, NULL)) return 0;
    const int has = bwvdb_find(f, name) >= 0;
    bwvdb_close(f);
    return has;
}

static int any_has(const struct sequence *q, const char *pattern, const char *name)
{
    for (int64_t i = q->count - 1; q->numbered && i >= 0; i--) // late ones hold more
        if (file_has(pattern, q->number[i], name)) return 1;
    return 0;
}

static void twins_tell(struct bw_stage *s, const char *path, const struct bwvdb_info *g)
{
    s->host->log(s, BW_LOG_WARNING, "%s holds %u grids called \"%s\": the first is read; \"%s[1]\" is the next", path,
                 g->twins, g->name, g->name);
}

enum bw_status grid_pick(struct bw_stage *s, struct grid_pick *pick, const struct sequence *q, const char *pattern,
                         const char *path, const struct bwvdb_file *file, const char *name, int32_t *grid)
{
    *grid = bwvdb_find(file, name);
    const struct bwvdb_info *g = *grid >= 0 ? bwvdb_grid_info(file, *grid) : NULL;
    if (!g && !pick->known && !any_has(q, pattern, name))
        return s->host->fail(s, BW_ERR_PRESET, "%s has no grid \"%s\"; it holds %s", path, name, bwvdb_names(file));
    pick->known = 1;
    if (g && g->twins > 1 && !g->twin && !strcmp(g->name, name) && !pick->told++) twins_tell(s, path, g);
    return BW_OK;
}
