// SPDX-License-Identifier: Apache-2.0
/* What is round the smoke of a USD stage. */
#ifndef CACHE_USD_WORLD_H
#define CACHE_USD_WORLD_H

#include "scene.h"
#include <string.h>

/// folder/name between as many @ as it takes; a folder that is no path from the root lies beside the stage.
static inline void usd_asset_put(FILE *f, const char *folder, const char *name)
{
    const char *at = strchr(name, '@') || strchr(folder, '@') ? "@@@" : "@";
    fprintf(f, "%s%s%s/%s%s", at, *folder == '/' ? "" : "./", folder, name, at);
}

/// Camera, lights, sky, obstacles, bodies and floor, below the prim `root`. Errors: BW_ERR_MEMORY.
enum bw_status usd_world_put(FILE *f, const struct scene_facts *a, struct cache *c, const char *root);

#endif
