// SPDX-License-Identifier: Apache-2.0
/* One bake of a preset that is tuned: a preview in coarser voxels, or the full one. */
#ifndef WEB_TUNED_BAKE_H
#define WEB_TUNED_BAKE_H

#include "preset_parse.h"
#include "sources/sources.h"
#include <stdatomic.h>

struct tuned_bake {
    struct source *source;
    struct bw_bake *bake;  ///< NULL: it has ended
    char *folder;          ///< of a preview, removed with it; NULL: the full bake's, which stays
    char *flow;            ///< of its preset, see preset_parse.h
    json_t *baseline;      ///< values that its changes are described against, or NULL
    json_t *values;        ///< its own
    double cells, work;    ///< as parsed_preset has them, of its own voxels
    int64_t first;         ///< frame that is written; those before are warm-up
    int64_t measure_frame; ///< the last frame of the first second of film
    _Atomic int frames_made;
    _Atomic double measured_s; ///< time until measure_frame; 0: it is not there yet
    _Atomic double elapsed_s;  ///< since its start
    _Atomic double foretold_s; ///< time until measure_frame by the pace of the frames so far; 0: not known yet
    _Atomic int frames_done;   ///< warm-up included
    double first_s;            ///< when the first frames were there
    int complete;              ///< all frames are made
    int resumed;               ///< from a checkpoint, its own or another preview's
};

/// How to bake.
struct plan {
    struct sources *sources;
    const char *path;   ///< of the preset
    const char *folder; ///< that previews are kept in; NULL: a full bake, into out/NAME
    double coarse;      ///< factor of the voxels
    const json_t *baseline;
    const struct tuned_bake
        *base; ///< a preview in the same voxels whose flow is the same before `first_changed`, or NULL
    int64_t first_changed;
};

/// Start a bake; takes the preset over. NULL: out of memory or of sources. A bake that fails shows why on the page.
struct tuned_bake *tuned_bake_start(const struct plan *plan, struct parsed_preset *p);
/// Resume a preview that was cancelled, from its last checkpoint. 1: the preset is taken over. 0: it cannot be resumed.
int tuned_bake_resume(struct tuned_bake *b, const struct plan *plan, struct parsed_preset *p);
/// 1: it has ended, and its source shows how.
int tuned_bake_poll(struct tuned_bake *b);
/// Cancel it, if it runs, and wait for its end.
void tuned_bake_cancel(struct tuned_bake *b);
/// Another preset with the same flow: use its look; takes the preset over.
void tuned_bake_set_look(struct tuned_bake *b, struct parsed_preset *p);
/// Cancel it, remove its source and its folder.
void tuned_bake_free(struct sources *sources, struct tuned_bake *b);

#endif
