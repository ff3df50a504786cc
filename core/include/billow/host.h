// SPDX-License-Identifier: Apache-2.0
/* What the host offers a stage: sweeps, memory, words, numbers. Every call says from where it may be made:
 *   [main]  from init, activate, max_dt, step and uninit, on the thread that called them; one that a body makes is
 *           refused, and the bake ends with BW_ERR_PLUGIN
 *   [body]  from inside a sweep, parallel_for or team body as well, on any worker
 * All calls are safe on two stages at once; no call may be made after uninit returned. */
#ifndef BILLOW_HOST_H
#define BILLOW_HOST_H

#include "field.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bw_host;
struct bw_stage_desc;

/// The fields that one port row is bound to: none (optional), one, or several (list).
struct bw_bound {
    struct bw_field *const *fields; ///< `count` grid fields, in the preset's order; NULL for particle ports
    struct bw_particles *particles; ///< particle ports
    uint32_t count;
    uint32_t reserved;
};

/// One running stage. The host owns and fills it; a stage writes only into `state`.
struct bw_stage {
    const struct bw_host *host;
    const struct bw_stage_desc *desc;
    const char *id;                    ///< the preset's id of this stage
    const void *params;                ///< the parameter struct, evaluated for this step's end
    void *state;                       ///< desc->state_size bytes, zeroed before init
    struct bw_domain *domain;          ///< the domain it works in
    const struct bw_domain_info *grid; ///< and what that is
    const struct bw_bound *ports;      ///< one per row of desc->ports, same order
    double time;                       ///< s, at the step's start
    double dt;                         ///< s; 0 outside step
    double frame;                      ///< fractional frame number at the step's end
    double fps;                        ///< frames a second
    int64_t step;    ///< number of this step: 1 is the run's first, 0 the set-up call (BW_STAGE_SETUP)
    uint64_t seed;   ///< the run's seed mixed with the stage's id
    void *host_data; ///< the host's
    double cfl;      ///< longest way in a step that the run aims at, cells; 0: the host does not say
    /// s, by which the flow of its domain goes on in this step, and for which forces push it; dt, but where the flow is
    /// kept half a step ahead of what it carries: then the mean of this step's dt and the last one's, 3/2 dt at first.
    double span;
    int32_t place;          ///< in the preset's list, from 0
    int32_t character;      ///< of the preset: how turbulent a stage makes what is not said: 0 calm, 1 natural, 2 wild
    int32_t flow_cells;     ///< of `domain`, how many wide a cell of its flow is: 1, or the preset's domain.flow
    struct bw_domain *flow; ///< where the flow has wider cells than `domain`: it is there; else NULL
    struct bw_domain *amounts; ///< where `domain` is such a flow's: what it carries is there; else NULL
};

/// Dense array of one field in one block. Component c of owned cell (i,j,k) is data[c][i + j*sy + k*sz];
/// indices from -halo to n-1+halo are valid, of mac components up to n+halo along their own axis (with a reach: just
/// what that says; BW_READ with a halo of 0: up to n-1, the high faces take a halo of 1). Strides are the view's: rows
/// need not be packed, and a tile's memory (billow.tiles) has others. Views of cells with equal reach have equal ones.
struct bw_view {
    void *data[3];
    ptrdiff_t sy, sz;
    int32_t comps;
    int32_t halo;       ///< the least of its reaches
    uint32_t precision; ///< of the values: enum bw_precision
    uint32_t reserved;
};

/// Half-open range of particles.
struct bw_range {
    int64_t begin, end;
};

/// What a sweep's body gets: one block of cells.
struct bw_block {
    const struct bw_stage *stage;
    const struct bw_domain_info *grid;
    int32_t lo[3];              ///< first owned cell, in cells of the domain
    int32_t n[3];               ///< owned cells (clipped to the box)
    double corner[3];           ///< world position of the low corner of cell `lo`, m
    const struct bw_view *view; ///< one per access row, same order
    double *sum;                ///< this block's own partial sums, n_sums of them, start at 0
    double *max;                ///< this block's own maxima, n_maxs of them, start at -HUGE_VAL
    /// With bw_sweep.particles: the particles of this block's tiles and of the tiles around, as ranges, by tile
    /// coordinate then id.
    const struct bw_range *particles;
    uint32_t n_particles;
    uint32_t worker; ///< 0 … workers-1
    int32_t high[3]; ///< 1: the high faces along that axis are this block's own; 0: they are the next tile's low ones
};

enum { BW_HALO_MOST = 48 }; ///< cells that a sweep can read around a block

/// One field of a sweep.
struct bw_access {
    struct bw_field *field;
    /// BW_READ: state before the sweep. BW_UPDATE: in place, halo 0. BW_WRITE: every owned cell must be set; lands when
    /// the sweep ends, so the same field may be read (with a halo) by another row. BW_READ_LAST: as BW_READ, of
    /// scratch, of a field that another row writes, or of one that lives for one step; bodies look at it through their
    /// views alone, or at the tiles next to their own, so its memory may go while the sweep runs. Scratch is then as if
    /// never written, a step's field as if nobody had. BW_UPDATE_OWN, BW_WRITE_OWN: as without OWN, the latter by
    /// blocks of one tile; of mac component a, faces 0 … n[a] - 1 + high[a] along its axis are there and to be set, no
    /// others.
    uint32_t mode;
    /// Cells of halo to fill, 0 … BW_HALO_MOST, from neighbour tiles, sides and backgrounds. Beyond a tile's edge the
    /// memory of what is read last stays until the end, and of several ranks each fetches all of the field.
    int32_t halo;
};

typedef void (*bw_body_fn)(const struct bw_block *block, void *user);
/// [body] How far around itself this block needs access row `row`, read or updated, where its stage knows better than
/// the worst case: filling halos is what they cost. reach[2a] cells below and reach[2a+1] above along axis a; they come
/// set to the row's halo and may be less. (The high faces of a block are the low faces of the cells above: within a
/// reach of 1.) 0: the block does without the row, or leaves it as it is where it is updated: its view is empty, its
/// halo -1; else 1. `block` has no views yet.
typedef int (*bw_reach_fn)(const struct bw_block *block, uint32_t row, int32_t reach[6], void *user);

/// A pass over all active tiles of a domain. Zero what is not needed.
struct bw_sweep {
    const struct bw_access *access;
    uint32_t n_access;
    int32_t block; ///< tiles a side handed over at once: 1 (0 means 1) or 2; 2 pays off for wide halos
    bw_body_fn body;
    void *user;
    double *sums;                   ///< out: n_sums sums over all blocks, added in the order of tile coordinates
    double *maxs;                   ///< out: n_maxs maxima; -HUGE_VAL when nothing is active
    uint32_t n_sums, n_maxs;        ///< at most 16 each
    struct bw_particles *particles; ///< hand each block the particles in and around it
    struct bw_domain *domain;       ///< NULL: the stage's own. All fields must live there.
    bw_reach_fn reach;              ///< NULL: every block gets the halos that `access` says
};

/// A worker inside team(): all workers run the same function at once.
struct bw_team {
    uint32_t rank, size;
    void *host_data;
    void (*barrier)(struct bw_team *team); ///< [body] returns when all workers have called it
};

enum bw_log_level { BW_LOG_DEBUG = 0, BW_LOG_INFO = 1, BW_LOG_WARNING = 2 };
/// BW_METRIC_TIMING: a sum that tells of the machine, not of what was computed: for timings.csv.
enum bw_metric_mode { BW_METRIC_LAST = 0, BW_METRIC_SUM = 1, BW_METRIC_MAX = 2, BW_METRIC_TIMING = 3 };
enum bw_simd { BW_SIMD_BASELINE = 0, BW_SIMD_AVX2 = 1, BW_SIMD_AVX512 = 2 };

/// The host's services. A newer host has more members at the end: check `size` before using one added later.
struct bw_host {
    uint32_t size;    ///< of this struct
    uint32_t workers; ///< threads that run bodies
    uint32_t simd;    ///< enum bw_simd: the level that kernels must use (the run is pinned to it)
    uint32_t reserved;

    /// [main] Run `sweep->body` over all active tiles in parallel. Bits do not depend on threads or slots.
    /// Errors: BW_ERR_MEMORY; BW_ERR_DIVERGED when a written field holds NaN or infinity (already reported);
    /// BW_ERR_CANCELLED; BW_ERR_PLUGIN when the access rows contradict each other or the stage's ports.
    enum bw_status (*sweep)(struct bw_stage *stage, const struct bw_sweep *sweep);
    /// [body] `bytes` of memory, 64-byte aligned, not zeroed, until the body returns. NULL when out of memory: the body
    /// returns, and the sweep answers BW_ERR_MEMORY.
    void *(*body_scratch)(const struct bw_block *block, size_t bytes);

    /// [main] Call fn(i, worker, user) for every i in [0, n), in any order, in parallel.
    void (*parallel_for)(struct bw_stage *stage, int64_t n, void (*fn)(int64_t i, uint32_t worker, void *user),
                         void *user);
    /// [main] Run fn on all workers at once, each with its rank and a common barrier.
    void (*team)(struct bw_stage *stage, void (*fn)(struct bw_team *team, void *user), void *user);

    /// [main] Zeroed memory, 64-byte aligned, until release() or uninit. NULL when out of memory.
    void *(*alloc)(struct bw_stage *stage, size_t bytes);
    /// [main] Give back what alloc() gave; NULL is allowed.
    void (*release)(struct bw_stage *stage, void *memory);
    /// [main] Memory, 64-byte aligned, not zeroed, until step (or the callback that asked) returns. NULL: out of
    /// memory.
    void *(*scratch)(struct bw_stage *stage, size_t bytes);
    /// [main] A grid field of the stage's domain, contents undefined until written, until step returns. NULL: out of
    /// memory.
    struct bw_field *(*scratch_field)(struct bw_stage *stage, uint32_t kind, uint32_t precision);
    /// [main] Exchange the contents of two fields of the same domain, kind and precision (one pointer swap).
    enum bw_status (*swap_fields)(struct bw_stage *stage, struct bw_field *a, struct bw_field *b);

    /// [body] What a field or a domain is; valid as long as the field.
    const struct bw_field_info *(*field_info)(const struct bw_field *field);
    /// [main] The parameters evaluated at another time, s (keyframed motion: now and a moment ago). Valid until step
    /// returns. NULL when out of memory.
    const void *(*params_at)(struct bw_stage *stage, double time);

    /// [main] From `activate` only: make the tiles that touch the world-space box [lo, hi] (m) active.
    enum bw_status (*activate)(struct bw_stage *stage, const double lo[3], const double hi[3]);

    /// [main] Report a failure in one sentence and hand back `status`: `return host->fail(s, BW_ERR, "…")`.
    /// The host adds stage, frame and place in the preset.
    enum bw_status (*fail)(struct bw_stage *stage, enum bw_status status, const char *format, ...)
#if defined(__GNUC__)
        __attribute__((format(printf, 3, 4)))
#endif
        ;
    /// [body] A line for the log, level enum bw_log_level; warnings are shown once per stage and text.
    void (*log)(struct bw_stage *stage, uint32_t level, const char *format, ...)
#if defined(__GNUC__)
        __attribute__((format(printf, 3, 4)))
#endif
        ;
    /// [main] A number for metrics.csv, column ID.NAME; `mode` says how the substeps of a frame combine. The same
    /// bake gives the same file: what depends on the machine or the moment is a BW_METRIC_TIMING.
    void (*metric)(struct bw_stage *stage, const char *name, double value, uint32_t mode);
    /// [body] 1 when the user asked to stop: return BW_ERR_CANCELLED soon.
    int (*cancelled)(struct bw_stage *stage);

    /// [body] A service of the host by versioned id ("billow.sample/1"), or NULL.
    const void *(*extension)(const char *id);
    /// [main] The k-th stage of the chain that offers extension `id`; its table in *table. NULL: no more. From init
    /// those that are listed later are found as well, but are not to be called yet.
    struct bw_stage *(*find_stage)(struct bw_stage *stage, const char *id, uint32_t k, const void **table);
    /// [main] A field of another stage's making by name ("density", or "domain.density"), or NULL.
    struct bw_field *(*find_field)(struct bw_stage *stage, const char *name);
    /// [main] Path of an output file: NAME in the bake's folder, written under a temporary name (returned, host-owned)
    /// and given its final name when the frame (or, with keep != 0, the bake) ends well. NULL on failure.
    const char *(*output)(struct bw_stage *stage, const char *name, int keep);
};

/// The field of port row `i`, or NULL when it is optional and unbound.
static inline struct bw_field *bw_port_field(const struct bw_stage *s, uint32_t i)
{
    return s->ports[i].count && s->ports[i].fields ? s->ports[i].fields[0] : (struct bw_field *)0;
}

/// Component c of a view as float; index it [i + j*sy + k*sz].
static inline float *bw_f32(const struct bw_view *v, int c) { return (float *)v->data[c]; }
/// Component c of a view as double.
static inline double *bw_f64(const struct bw_view *v, int c) { return (double *)v->data[c]; }
/// Value `at` (i + j*sy + k*sz) of component c, whatever its precision: for stages that take any field.
static inline double bw_get(const struct bw_view *v, int c, ptrdiff_t at)
{
    return v->precision == BW_F64P ? bw_f64(v, c)[at] : (double)bw_f32(v, c)[at];
}
/// Set value `at` of component c, rounded to its precision.
static inline void bw_put(const struct bw_view *v, int c, ptrdiff_t at, double value)
{
    if (v->precision == BW_F64P) bw_f64(v, c)[at] = value;
    else bw_f32(v, c)[at] = (float)value;
}

#ifdef __cplusplus
}
#endif
#endif
