// SPDX-License-Identifier: Apache-2.0
/* A preset: domains, time, limits, fields, stages, exports, read from YAML with `extends`
 * merged and `--set` applied, checked for form. Which stages exist and how fields connect is the chain's matter. */
#ifndef BW_PRESET_H
#define BW_PRESET_H

#include "preset/sections.h"
#include "preset/tree/node.h"
#include "preset/values/scale.h"
#include <billow/field.h>
#include <stdbool.h>

struct bw_params;

struct bw_preset_domain {
    const char *name;
    struct bw_domain_info info; ///< complete; info.name is `name`
    double margin;              ///< cells of still air kept active around what is alive (6, 16 or 24, if not given)
    int32_t flow;               ///< above 1: the next domain is that of its flow, with cells that many times as wide
    struct bw_place place;
};

struct bw_preset_time {
    double fps;                         ///< default 24
    int64_t first, last;                ///< frames, default 1-100
    int64_t write_first, write_last;    ///< of these, the ones that are written (--frames); default all
    double warmup;                      ///< frames before the first that are not written
    double files;                       ///< numbered files a second; fps, unless the preset says otherwise
    int32_t substeps_min, substeps_max; ///< auto: 1 … 64; `substeps: 4`: 4, 4
    double dt;                          ///< > 0: fixed step, s (a frame's last step is cut to fit)
    double cfl;                         ///< cells a step, default 3
    uint64_t seed;
};

/// The frame that the run begins with, of which only a part may be simulated.
static inline int64_t bw_preset_begin(const struct bw_preset_time *t)
{
    const int64_t whole = (int64_t)t->warmup;
    return t->first - whole - (t->warmup - (double)whole > 1e-9);
}

struct bw_preset_field { ///< one entry of `fields:`
    const char *name;
    int32_t kind;      ///< enum bw_kind, -1: not said
    int32_t precision; ///< enum bw_precision, -1: not said
    int32_t advect;    ///< 0, 1, -1: not said
    double background[3];
    int32_t has_background;
    double alive; ///< -1: not said
    struct bw_place place;
};

struct bw_preset_stage {
    const char *type; ///< "mac.project"
    const char *id;   ///< unique; default: the type, with _2, _3 … appended when it repeats unnamed
    int32_t enabled;
    double frame_from, frame_to; ///< it works from the end of one to that of the other; ±HUGE_VAL by default
    const char *domain;          ///< NULL: the first
    const struct bw_node *bind;  ///< map port → field, or NULL
    struct bw_node *node;        ///< parameters (a map), with the reader's own keys still in it
    struct bw_place place;
};

struct bw_preset_export {
    const char *type, *id;
    int32_t enabled;
    const char *domain; ///< NULL: the first
    struct bw_node *node;
    struct bw_place place;
};

/// Names are texts of the tree.
struct bw_preset {
    const char *name;
    char *path, *dir; ///< dir: folder that relative paths start from
    char *comment;    ///< the opening comment: what to look at
    char *notes;      ///< what was taken for granted as it was read, a line each; or NULL
    struct bw_preset_domain domain[BW_MAX_DOMAINS];
    int32_t n_domains;
    struct bw_preset_time time;
    const char *frames_from; ///< absolute pattern of the files that frames come from (`frames_from`), or NULL
    const char *frames_bake; ///< the preset whose cache those files are to be, or NULL: the command line bakes it first
    int32_t frames_letters;  ///< of its last run of #: those that are no digits
    int64_t files_first, files_last; ///< their numbers, without a gap
    double memory_limit;             ///< bytes, 0: none
    double time_limit;               ///< s, 0: none
    double checkpoint_every;         ///< s, 0: not by time …
    int64_t checkpoint_frames;       ///< … 0: not by frames
    int64_t checkpoint_keep;         ///< the newest so many; 0: they thin out with age
    int32_t character;               ///< 0: calm, 1: natural, 2: wild
    double ambient;                  ///< ambient temperature, K (default 293.15)
    struct bw_scaled scaled;
    struct bw_preset_field *field;
    int32_t n_fields;
    struct bw_preset_stage *stage;
    int32_t n_stages;
    struct bw_preset_export *export;
    int32_t n_exports;
    struct bw_node *root;     ///< the merged tree
    struct bw_params *values; ///< its sections, compiled
    char **files;             ///< preset files read, base first
    int32_t n_files;
    const char *const *look_overrides; ///< a viewer's "look.KEY=VALUE", for bw_preset_override_look; borrowed
    int32_t n_look_overrides;
};

/// What the command line changes. Zero what is not given.
struct bw_preset_overrides {
    const char *const *set; ///< "stages.ID.key=value", "domain.voxel=1cm", …
    int32_t n_set;
    const char *const *mute; ///< stage or export ids
    int32_t n_mute;
    const char *name;   ///< of a preset that gives itself none; NULL: its file's
    const char *frames; ///< "A-B": only these are written
    int32_t has_seed;
    uint64_t seed;
    const char *memory;                ///< "12G"
    const char *moved_from, *moved_to; ///< folders: what the preset names below one lies below the other now; or NULL
    double coarse;                     ///< voxel that many times as large; 0: 1
    const char *search, *installed; ///< folders of presets, colon-separated, for `extends`; NULL: beside the file alone
    const char *text; ///< the preset itself: its path then only stands for it in messages, and for where paths start
};

/// An exporter's parameters.
struct bw_table {
    const struct bw_param *rows;
    uint32_t n;
    bool pictures; ///< it makes some
};
/// Merge `look:`, `camera:` and `scale:` into a copy of `own`, an exporter's map or NULL: keys of its table that it
/// does not set. *map: new memory, or NULL when there is nothing to inherit. Errors: BW_ERR_MEMORY.
enum bw_status bw_preset_inherit_look(const struct bw_preset *p, const struct bw_node *own,
                                      const struct bw_table *table, struct bw_node **map);
/// Set a viewer's "look.KEY=VALUE" or "camera.KEY=VALUE" in an exporter's map. Errors are reported with the part of
/// `text` that is wrong.
enum bw_status bw_preset_override_look(struct bw_node *map, const char *text, const struct bw_param *rows, uint32_t n,
                                       struct bw_diag *d);
/// The group `camera` of an exporter of pictures; NULL: it has none.
const struct bw_param *bw_preset_camera_row(const struct bw_param *rows, uint32_t n);
/// Report each key of `look:` that no table of the preset's exporters of pictures has.
enum bw_status bw_preset_check_look(const struct bw_preset *p, const struct bw_table *table, uint32_t n,
                                    struct bw_diag *d);
/// Find the file that a name means: a path, NAME.yaml in the current folder, on `search` (colon-separated, may be
/// NULL), then in `installed`. New memory, or NULL with a sentence (and near names) in `d`.
char *bw_preset_find(const char *name, const char *search, const char *installed, struct bw_diag *d);
/// Does a line of it say that it is a preset ("billow: 1", "extends: …")? preset_extend.c
bool bw_preset_is_text(const char *text);
/// Read, merge, override and check. NULL after an error.
struct bw_preset *bw_preset_load(const char *path, const struct bw_preset_overrides *o, struct bw_diag *d);
void bw_preset_free(struct bw_preset *p);
/// Path of file `number` of frames_from, as snprintf; -1 when the preset names no files.
int bw_preset_frame_path(const struct bw_preset *p, int64_t number, char *out, size_t size);

#endif
