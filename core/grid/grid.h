// SPDX-License-Identifier: Apache-2.0
/* Domains and fields inside the core. A topology is an immutable, reference-counted list of active tiles in the
 * order of their coordinates; a field is an array of tile blocks in that order. Changing the set of tiles makes a
 * new topology and moves each field's block pointers over. */
#ifndef BW_GRID_H
#define BW_GRID_H

#include "base/arena.h"
#include "base/memory/pool.h"
#include "base/thread/threads.h"
#include <billow/services.h>
#include <stdatomic.h>
#include <stdbool.h>

#define BW_TILE_CELLS 4096 /* 16³ and 64² alike */

struct bw_topo {
    struct bw_topology pub;
    _Atomic int32_t refs;
    int32_t (*coord)[3];
    int32_t (*neighbour)[6];
    uint8_t *born;
    int32_t *table; /* open addressing: index + 1, 0 empty */
    uint32_t mask;
    /* runs of up to 2×2×2 tiles for wide sweeps: first tile coordinate and tiles a side */
    struct bw_run {
        int32_t coord[3], n[3];
    } * runs;
    int64_t n_runs;
};

/// A field's storage, or a snapshot's: what fill and sample read.
struct bw_source {
    const struct bw_field_info *info;
    struct bw_topo *topo;
    void **data[3]; /* per component, per tile */
    /* mac: per component and tile, the plane of faces at the tile's high side along the component's axis; NULL where
     * the neighbour there is active and stores them */
    void **boundary_faces[3];
};

struct bw_field {
    struct bw_field_info info;
    struct bw_source src;
    struct bw_domain *domain;
    struct bw_pool *pool;
    char *name;
    uint32_t elem;           /* bytes a value */
    uint8_t *was_alive;      /* per tile: alive at the last activation (hysteresis) */
    uint64_t *holders;       /* per tile: the ranks with a valid copy, a bit each (ranks.h); NULL: one process */
    _Atomic int absent_read; /* a tile that this rank does not hold was read */
    bool scratch;
    struct bw_field *next;         /* in the domain's list */
    const struct bw_stage *writer; /* the last to change it since it was cleared; NULL: none has */
    const struct bw_field *finer;  /* it holds the means of that one's cells (level.c); NULL: it is one of its own */
    int64_t changes, seen;         /* how often it was written; … that one, when its means were taken; -1: never */
};

struct bw_domain {
    struct bw_domain_info info;
    double margin; /* cells kept active around what is alive */
    struct bw_topo *topo;
    struct bw_field *fields;
    struct bw_domain *flow; /* of its flow, whose cells are `flow_cells` of this one's wide; NULL: itself */
    int32_t flow_cells;
    struct bw_pool *pool[2]; /* of f32 and f64 tiles */
    uint64_t version;
    /* the next set of tiles, being collected: their coordinates, and a hash table of them */
    int32_t (*requested)[3];
    int64_t n_requested, cap_requested;
    int32_t *requested_table;
    uint32_t requested_mask;
    bool full;                      /* `requested` ran out of memory, or has more tiles than any domain can */
    double dropped;                 /* Σ|alive fields|·h³ of the tiles that were deactivated since the last report */
    struct bw_transport *ranks;     /* NULL: one process */
    struct bw_partition *partition; /* of `topo` among the ranks (ranks.h) */
    double cpu_seconds;             /* of this rank's sweeps since the partition was last rebalanced */
    void *absent[2];                /* of f32 and f64: a block of NaN in place of tiles that this rank does not hold */
};

/* topo.c */
struct bw_topo *bw_topo_create(const struct bw_domain_info *d, int32_t (*coord)[3], int64_t n, uint64_t version);
struct bw_topo *bw_topo_ref(struct bw_topo *t);
void bw_topo_unref(struct bw_topo *t);
/// Index of the tile at a coordinate (periodic sides lead round), BW_TILE_INACTIVE or BW_TILE_OUTSIDE.
int64_t bw_topo_find(const struct bw_topo *t, const struct bw_domain_info *d, const int32_t coord[3]);
int64_t bw_topo_index(const struct bw_topo *t, const int32_t coord[3]);

/* domain.c */
struct bw_domain *bw_domain_create(const struct bw_domain_info *info, double margin);
void bw_domain_destroy(struct bw_domain *d);
/// Add a tile (by coordinate) to the set that bw_domain_commit makes active.
void bw_domain_request_tile(struct bw_domain *d, const int32_t coord[3]);
/// Add all tiles that touch the cells lo … hi (inclusive); cut to the box. More than can ever be: d->full.
void bw_domain_request_cells(struct bw_domain *d, const int64_t lo[3], const int64_t hi[3]);
/// Request the tiles around what is alive in the domain's fields. `reach`: cells that the flow may cross in a step.
enum bw_status bw_domain_request_alive(struct bw_domain *d, double reach, struct bw_workers *w);
/// Before the flow's domain is committed: request its tiles under all that are requested here.
void bw_domain_request_flow(struct bw_domain *d);
/// Make the requested set the active one. BW_ERR_MEMORY: nothing has changed; BW_ERR_PLUGIN: ranks requested different
/// sets.
enum bw_status bw_domain_commit(struct bw_domain *d);

enum { BW_FAR_CELLS = 1 << 24 }; ///< from the origin, along each axis: without a box cells end here

/* new_tile.c */
/// Extrapolate component c of a velocity into a newly activated tile at `coord` from its neighbours, and into `high`,
/// its boundary faces across axis c; NULL: those are the next tile's. Reads the neighbours and the tiles above them.
void bw_new_tile_velocity(const struct bw_field *f, uint32_t c, const int32_t coord[3], void *block, void *high);

/* restore.c */
/// Make exactly these tiles active, under the number that the topology had; fields hold their backgrounds then.
/// BW_ERR_MEMORY; BW_ERR_IO when they are no tiles of this box, or too far out.
enum bw_status bw_domain_restore(struct bw_domain *d, const int32_t (*coord)[3], int64_t n, uint64_t version);

/* field.c */
/// name NULL: a scratch field, without tiles until a sweep writes it.
struct bw_field *bw_field_create(struct bw_domain *d, const char *name, uint32_t kind, uint32_t precision,
                                 const double background[3]);
void bw_field_destroy(struct bw_field *f);
/// All tiles to the background.
enum bw_status bw_field_clear(struct bw_field *f);
enum bw_status bw_field_swap(struct bw_field *a, struct bw_field *b);
/// The block of a tile for writing: not shared with a snapshot, contents undefined; NULL: out of memory.
void *bw_field_writable_tile(struct bw_field *f, uint32_t c, int64_t t);
/// Values in one plane of boundary faces across `axis`.
size_t bw_field_boundary_faces(const struct bw_domain_info *d, int axis);
/// Largest |component| of all active tiles (for the CFL rule); negative: out of memory.
double bw_field_max_abs(const struct bw_field *f, struct bw_workers *w);
/// A source with references of its own (for a snapshot); bw_source_unref releases them. BW_ERR_MEMORY: its tables are
/// NULL.
enum bw_status bw_source_ref(const struct bw_field *f, struct bw_source *out);
void bw_source_unref(struct bw_source *s);

/* level.c */
/// Make a field the means of the finer one that it stands for, unless it is already.
enum bw_status bw_level_refresh(struct bw_field *f, struct bw_workers *w);

/* fill.c */
/// Component c on the cells lo … lo+n-1 to out[i + j*sy + k*sz] (the field's own type).
/// `sides`: apply the sides' rules (also to the boundary faces themselves); else raw storage, untouched outside the
/// box.
void bw_fill(const struct bw_source *s, uint32_t c, const int32_t lo[3], const int32_t n[3], void *out, ptrdiff_t sy,
             ptrdiff_t sz, bool sides);
/// One value by the sides' rules.
double bw_fetch(const struct bw_source *s, uint32_t c, const int32_t at[3]);
/// Trilinear values at world positions, count × comps.
void bw_sample(const struct bw_source *s, size_t count, const bw_vec3 *pos, double *out);
/// The same of component c; values are `stride` apart.
void bw_sample_component(const struct bw_source *s, uint32_t c, size_t count, const bw_vec3 *pos, double *out,
                         size_t stride);

/* particles.c */
struct bw_particles *bw_particles_create(const char *name);
void bw_particles_destroy(struct bw_particles *p);
/// Add an attribute; BW_ERR_PRESET when there already is one of another type.
enum bw_status bw_particles_declare(struct bw_particles *p, const struct bw_attribute *a);
/// Is there this very attribute: name, precision and comps?
bool bw_particles_has(const struct bw_particles *p, const struct bw_attribute *a);
/// How many attributes there are, "id" first; `out`, unless NULL, gets their rows.
uint32_t bw_particles_attributes(const struct bw_particles *p, struct bw_attribute *out);
/// The id that the next new particle gets.
int64_t bw_particles_next_id(const struct bw_particles *p);
void bw_particles_set_next_id(struct bw_particles *p, int64_t id);
/// Make it `count` particles, contents undefined. BW_ERR_MEMORY.
enum bw_status bw_particles_restore(struct bw_particles *p, int64_t count);
/// Id of the first particle with an attribute that is NaN or infinite, whose name goes to *attribute; -1: none.
int64_t bw_particles_first_nonfinite(const struct bw_particles *p, const char **attribute);
extern const struct bw_particles_api bw_particles_table;
const char *bw_particles_name(const struct bw_particles *p);
/// Ranges of the particles in tile `index` and the 26 around, in order; needs a sort. At most 27.
uint32_t bw_particles_ranges(const struct bw_particles *p, const struct bw_domain *d, const int32_t lo_tile[3],
                             const int32_t n_tiles[3], struct bw_range *out);

/* sweep.c */
struct bw_sweep_env { /* what a sweep runs in */
    struct bw_workers *workers;
    struct bw_arena **arena; /* one per worker */
    const struct bw_stage *stage;
    const _Atomic int *cancel;
    struct bw_domain *const *domains; /* all there are, n_domains of them */
    int32_t n_domains;
    /* Not 0: it lies round every view, so that a body which reads beyond its halo does other things. */
    float guard;
    bool distributed; /* on several ranks each runs the blocks of its own tiles; else each rank runs all blocks */
};
/// What went wrong in a sweep: field and cell of the first NaN in coordinate order; with BW_ERR_PLUGIN the field that a
/// body wrote to although it is only read.
struct bw_sweep_fault {
    const struct bw_field *field;
    int32_t cell[3];
    bool far; /* a body that writes in place has read a tile that is not on this rank */
};
enum bw_status bw_sweep_run(const struct bw_sweep_env *e, const struct bw_sweep *s, struct bw_sweep_fault *fault);

static inline int32_t bw_floor_div(int32_t a, int32_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
static inline bool bw_bounded(const struct bw_domain_info *d) { return d->n[0] > 0; }

#endif
