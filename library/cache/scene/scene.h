// SPDX-License-Identifier: Apache-2.0
/* Facts of a cache for a scene in another program: scene.c collects them, scene_blender.c and scene_usd.c write them.
 * */
#ifndef CACHE_SCENE_H
#define CACHE_SCENE_H

#include "shot.h"
#include <stdio.h>

/// Names of the known grids of a file; NULL: there is none.
struct scene_grids {
    const char *density, *flame, *temperature, *dye, *velocity, *solid;
    double kelvin, ambient; ///< K above ambient for a stored 1; K
};

struct scene_facts {
    const struct bw_sequence *sequence;
    const struct bw_vdb_view *view;
    const struct bwvdb_file *file; ///< the first one, open
    struct scene_grids grids;
    struct cache_look look;
    struct shot shot;   ///< of a whole scene
    bool whole;         ///< lights, camera and what is round the smoke, too
    const char *folder; ///< the files' own, relative to where the script lies ("vdb", "."), or absolute
};

/// A Blender script as text in new memory (free); NULL: out of memory.
char *scene_blender_text(const struct scene_facts *f);
/// Can all files be named in a USD stage? Else *path is one that can't.
bool scene_usd_names(const struct scene_facts *f, const char **path);
/// What belongs to a whole scene's script, likewise.
char *scene_data_text(const struct scene_facts *f, struct cache *c);
/// A USD stage, likewise.
char *scene_usd_text(const struct scene_facts *f, struct cache *c);

#endif
