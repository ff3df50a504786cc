// SPDX-License-Identifier: Apache-2.0
/* Exporters: file formats as plugins. `frame` runs on the writer thread, in frame order, on a snapshot of the
 * fields, while the next frame simulates; a failure stops the bake. */
#ifndef BILLOW_EXPORTER_H
#define BILLOW_EXPORTER_H

#include "checkpoint.h"
#include "host.h"
#include "param.h"
#include "services.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bw_exporter_host;
struct bw_exporter_desc;

/// One field in a snapshot; constant and owned by the host until `frame` returns.
struct bw_snapshot_field {
    const struct bw_field_info *info;
    int64_t n_tiles;            ///< active tiles, and outlines, ordered by coordinate
    const int32_t (*coord)[3];  ///< tile coordinates
    const void *const *tile[3]; ///< per component, per tile: storage, x fastest, of info->precision
    const void *host_data;
    /// Per tile, or NULL: 1, the tile is not active; it is here because an obstacle of `solid` stands in it, and
    /// an exporter asked for these (want_outlines).
    const uint8_t *outline;
};

/// Particles in a snapshot.
struct bw_snapshot_particles {
    const char *name;
    int64_t count;
    uint32_t n_attributes;
    const struct bw_attribute *attributes;
    const void *const *data; ///< per attribute: count × comps
};

/// An obstacle's surface in a snapshot.
struct bw_snapshot_shape {
    const struct bw_field_info *field; ///< that its distance is written to
    const char *stage;                 ///< id of the stage that it is
    struct bw_shape shape;             ///< kind BW_SHAPE_UNKNOWN: the field alone tells
};

/// One frame's snapshot.
struct bw_frame {
    uint32_t size;
    int64_t number;      ///< the user's frame number, e.g. 1001
    int64_t first, last; ///< of the bake
    double time, fps;
    uint32_t n_fields, n_particles;
    const struct bw_snapshot_field *fields;
    const struct bw_snapshot_particles *particles;
    uint32_t n_others;                      ///< fields of the other domains …
    const struct bw_snapshot_field *others; ///< … of which info->domain tells where they live
    uint32_t n_shapes; ///< of obstacles, as they are rather than in cells; to exporters that want_outlines
    const struct bw_snapshot_shape *shapes;
    double flame_kelvin; ///< temperature of the bake's hottest flames by their sources, the same in all frames; 0: none
};

/// Facts about the bake, for metadata.
struct bw_bake_info {
    uint32_t size;
    const char *name;        ///< the preset's name
    const char *dir;         ///< output folder
    const char *version;     ///< "Billow 0.1.0"
    const char *preset_hash; ///< of the resolved preset but for its exporters, 16 hex digits
    uint64_t seed;
    double fps;
    int64_t first, last;
    uint32_t simd;    ///< enum bw_simd
    uint32_t workers; ///< threads an exporter may use beside the simulation
    double ambient;   ///< ambient temperature, K
    uint32_t quick;   ///< 1: a quick bake: cheap pictures rather than fine ones
    uint32_t ranks;   ///< processes that make it
    uint32_t checks;  ///< 1: init only says what is wrong, and no frame follows
};

/// One running exporter.
struct bw_exporter {
    const struct bw_exporter_host *host;
    const struct bw_exporter_desc *desc;
    const char *id;
    const void *params; ///< evaluated at the frame's time
    void *state;        ///< desc->state_size bytes, zeroed before init
    const struct bw_bake_info *bake;
    void *host_data;
    uint32_t n_domains, domain; ///< how many the preset has, which of them is shown
    const struct bw_domain_info *const *domains;
    /// In `init`, else NULL: a frame of which there is nothing yet but number, time, and what fields and particles it
    /// has, so that what lacks is said before the bake. NULL too where no bake runs it.
    const struct bw_frame *planned;
};

/// What the host offers exporters; calls are made from the exporter's own callbacks.
struct bw_exporter_host {
    uint32_t size;
    uint32_t reserved;
    /// Report a failure in one sentence and hand back `status`.
    enum bw_status (*fail)(struct bw_exporter *e, enum bw_status status, const char *format, ...)
#if defined(__GNUC__)
        __attribute__((format(printf, 3, 4)))
#endif
        ;
    /// A line for the log (enum bw_log_level).
    void (*log)(struct bw_exporter *e, uint32_t level, const char *format, ...)
#if defined(__GNUC__)
        __attribute__((format(printf, 3, 4)))
#endif
        ;
    /// Zeroed memory until release() or uninit; NULL when out of memory. From parallel_for's tasks as well.
    void *(*alloc)(struct bw_exporter *e, size_t bytes);
    /// Give back what alloc() gave; NULL is allowed.
    void (*release)(struct bw_exporter *e, void *memory);
    /// Begin an output file NAME (relative to the bake's folder; folders are made): a temporary path in the same
    /// folder, host-owned until commit or discard. NULL on failure (already reported), such as a name that another
    /// exporter or stage of this bake has: "a//b", "./a/b" and "A/B" are the same.
    const char *(*output_begin)(struct bw_exporter *e, const char *name);
    /// Flush the file at `path` (from output_begin), and rename it to its final name. Errors: BW_ERR_IO (reported).
    enum bw_status (*output_commit)(struct bw_exporter *e, const char *path);
    /// Remove an output that shall not be.
    void (*output_discard)(struct bw_exporter *e, const char *path);
    /// Say that a committed file is one the user wants to see ("movie", "picture", "cache", "particles"): named in the
    /// closing lines.
    void (*announce)(struct bw_exporter *e, const char *what, const char *name);
    /// Component c of a field as floats on the box of cells lo … lo+n-1, x fastest, n[0]·n[1]·n[2] values; outside
    /// the box by the sides' rules, in inactive tiles the background. mac: values on the low faces.
    void (*read_box)(const struct bw_snapshot_field *f, uint32_t c, const int32_t lo[3], const int32_t n[3],
                     float *out);
    /// Call fn(i, user) for i in [0, n) on the exporter's threads (bake->workers of them), in any order.
    void (*parallel_for)(struct bw_exporter *e, int64_t n, void (*fn)(int64_t i, void *user), void *user);
    /// 1 when the user asked to stop.
    int (*cancelled)(struct bw_exporter *e);
    /// From init: the attribute `velocity` of the frames' particles shall be what the flow is where they are, which
    /// costs an evaluation of it a frame, and not the mean of their last step.
    void (*want_motion)(struct bw_exporter *e);
    /// [frame] Of those flagged BW_EXPORTER_RANKS, before they read a field's tiles: in a bake of several processes
    /// those that `n` cells lie in come, and of a mac field those beyond their high sides (`cell` NULL: all tiles), and
    /// those that came before go. NULL: no more are read, and all tiles go, the process's own too. Errors:
    /// BW_ERR_MEMORY, BW_ERR_CANCELLED.
    enum bw_status (*lend)(struct bw_exporter *e, const struct bw_snapshot_field *f, const int32_t (*cell)[3],
                           int64_t n);
    /// From init: frames shall have obstacles where no gas is too (`outline` of a field), whose distances are found for
    /// each frame.
    void (*want_outlines)(struct bw_exporter *e);
};

typedef void (*bw_output_name_fn)(const char *name, void *user);

enum bw_exporter_flags {
    BW_EXPORTER_PLAIN_STATE = 1,   ///< as BW_STAGE_PLAIN_STATE
    BW_EXPORTER_REBUILT_STATE = 2, ///< as BW_STAGE_REBUILT_STATE: no frame depends on an earlier one
    BW_EXPORTER_RANKS = 4,         ///< reads one field after the other, each after lend(); others find all at once
    /// With RANKS: in a bake of several processes each writes a frame in turn, and the others' state is made the
    /// same then, so that it must hold no addresses. Files are begun before lend() is told that no more are read.
    BW_EXPORTER_TURNS = 8,
    /* What it makes, for estimates, the page and the farm; by default pictures or numbers, a file a frame. */
    BW_EXPORTER_CACHE = 16, ///< volumes that other programs and `upres` read, some two bytes a value
    BW_EXPORTER_MOVIE = 32, ///< one file of all frames, in their order
    /* Pictures. Previews and the page show a bake as those of its parameters say that have the keys and types of ours,
     * `view`, `field`, `axis`, `size`, `camera` … (billow info png). `look:` and `camera:` of presets are its own. */
    BW_EXPORTER_SLICES = 64,   ///< pictures are slices, unless its parameters ask for renders
    BW_EXPORTER_RENDERS = 128, ///< pictures are renders, unless its parameters ask for slices
};

/// One exporter.
struct bw_exporter_desc {
    const char *id, *version, *brief;
    const struct bw_param *params;
    uint32_t n_params;
    uint32_t params_size, state_size;
    uint32_t flags; ///< enum bw_exporter_flags
    /// Once, before the first frame (main thread). Optional.
    enum bw_status (*init)(struct bw_exporter *e);
    /// Each frame, on the writer thread. Mandatory.
    enum bw_status (*frame)(struct bw_exporter *e, const struct bw_frame *frame);
    /// Once after the last frame, `complete` = 0 when the bake stopped early: finish movies, sheets. Optional.
    enum bw_status (*finish)(struct bw_exporter *e, int complete);
    /// Once, always, also after a failed init. Optional.
    void (*uninit)(struct bw_exporter *e);
    /// Say with name(NAME, user) what output_begin will be given in `frame`, and by `finish`. Asked before init, about
    /// the first and the last frame, of which there is as much as of `planned`: two
    /// that want one file are refused before a bake begins. Optional: without it that shows, and stops the bake, when
    /// the second one begins the file.
    void (*outputs)(const struct bw_exporter *e, const struct bw_frame *frame, bw_output_name_fn name, void *user);
    /// Save or restore what a later frame or `finish` depends on (checkpoint.h): on the writer thread after a frame, or
    /// after init in a resumed bake. Outputs begun and not committed are gone then: begin them anew. Optional.
    enum bw_status (*checkpoint)(struct bw_exporter *e, struct bw_archive *a);
};

#ifdef __cplusplus
}
#endif
#endif
