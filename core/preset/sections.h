// SPDX-License-Identifier: Apache-2.0
/* What a preset says outside of its stages and exporters: the tables that its reader, `billow info` and the schema go
 * by, and the structs that they fill. What one value alone can't show to be wrong is left to the reader. */
#ifndef BW_SECTIONS_H
#define BW_SECTIONS_H

#include <billow/param.h>

enum { BW_MAX_DOMAINS = 8, BW_SIDES = 6 };

struct bw_closed_values {
    int32_t no_slip;
    bw_vec3 velocity;
};

/// `top: open`, `top: {inflow: [0, 0, 1]}`.
struct bw_side_values {
    int32_t kind; ///< enum bw_side_kind, -1: not said
    struct bw_closed_values closed;
    bw_vec3 inflow;
};

struct bw_sides_values {
    struct bw_side_values word[BW_SIDES], axis[BW_SIDES], rest; ///< left … top, x- … z+, and all others
};

struct bw_domain_values {
    const char *name; ///< NULL in `domain:`
    bw_vec3 size, cells, origin;
    double voxel, floor, margin;
    int64_t flow;
    struct bw_list center; ///< of two double
    struct bw_sides_values sides;
};

struct bw_time_values {
    double fps, dt, cfl, warmup, files;
    struct bw_frames frames, write;
    int64_t seed;
    struct bw_list substeps; ///< of int64_t; empty: auto
};

struct bw_limits_values {
    double memory, time;
};

struct bw_checkpoints_values {
    double every;
    int64_t frames, keep;
};

struct bw_field_values {
    const char *name;
    int32_t kind, precision, advect;
    bw_vec3 background;
    double alive;
};

enum { BW_FRAMES_FILES, BW_FRAMES_BAKE };

struct bw_frames_from_values {
    int32_t kind; ///< which of the two, -1: not said
    const char *files, *bake;
};

struct bw_preset_values {
    int64_t billow;
    const char *name, *extends;
    struct bw_frames_from_values frames_from;
    struct bw_domain_values domain;
    struct bw_list domains; ///< of struct bw_domain_values
    struct bw_time_values time;
    struct bw_limits_values limits;
    struct bw_checkpoints_values checkpoints;
    double ambient, scale;
    int32_t character;     ///< calm, natural, wild
    struct bw_list fields; ///< of struct bw_field_values
};

/// What the reader takes from each entry of `stages` and of `export`, besides the options that are the entry's own.
struct bw_entry_values {
    const char *id, *domain, *before, *after;
    int32_t enabled;
    struct bw_frames frames; ///< stages only, like `bind`
    struct bw_list bind;     ///< of struct bw_bind_values
};

struct bw_bind_values {
    const char *port, *field;
};

/// The top level, `stages` and `export` apart; what is below a section is its row's `sub`.
extern const struct bw_param bw_preset_rows[];
extern const uint32_t bw_preset_n_rows;
extern const struct bw_param bw_stage_rows[], bw_export_rows[];
extern const uint32_t bw_stage_n_rows, bw_export_n_rows;

#endif
