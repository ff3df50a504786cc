// SPDX-License-Identifier: Apache-2.0
/* What `billow blender` knows of a cache when it writes its files: blender.c collects, blender_script.c and
 * blender_usd.c write. */
#ifndef BW_CLI_BLENDER_H
#define BW_CLI_BLENDER_H

#include "look/look.h"

/// The grids of a file that mean something, by name; NULL: there is none.
struct blender_grids {
    const char *density, *flame, *temperature, *dye, *velocity, *solid;
    double kelvin, ambient; ///< K above ambient for a stored 1; K
};

struct blender_facts {
    const struct bw_sequence *sequence;
    const struct bw_vdb_view *view;
    const struct bwvdb_file *file; ///< the first one, open
    struct blender_grids grids;
    struct cli_look look;
    const char *folder; ///< the files' own, relative to where the script lies ("vdb", "."), or absolute
};

/// A Blender script as text in new memory (free); NULL: out of memory.
char *blender_script_text(const struct blender_facts *f);
/// A USD stage, likewise.
char *blender_usd_text(const struct blender_facts *f);

#endif
