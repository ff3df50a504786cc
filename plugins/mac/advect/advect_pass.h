// SPDX-License-Identifier: Apache-2.0
/* Shared by the files of mac.advect. One step (advect.c, advect_reflect.c) runs as passes over groups of fields
 * (advect_groups.c); each pass advects block by block, row by row with SIMD kernels (advect_rows.c) or node by node in
 * doubles (advect_nodes.c). */
#ifndef ADVECT_PASS_H
#define ADVECT_PASS_H

#include "advect/schemes/schemes.h"
#include "advect/trajectories/sub_tiles.h"
#include "stages.h"
#include "solids/walls.h"
#include <common/tiles.h>
#include <math.h>
#include <stdbool.h>

enum { PORT_VEL, PORT_FIELDS, PORT_VEL_ADVECTED, PORT_SOLID, PORT_SOLID_VEL, PORT_AGE };
enum { MAX_ITEMS = 8, BACK = 0, AHEAD = 1 };
enum { WALLS_HALO = 16, NODES_HALO = 16 }; ///< cells: near obstacles; of blocks by nodes, where it is a hint only
enum advect_trace_kind { TRACE_MIDPOINT, TRACE_EULER, TRACE_RK3, TRACE_CENTRED };
enum advect_sweeps { SWEEPS_ALTERNATE, SWEEPS_SYMMETRIC };
enum advect_velocity { VELOCITY_CENTRED, VELOCITY_CUBIC, VELOCITY_LINEAR, VELOCITY_QUINTIC };
enum advect_outside { OUTSIDE_BACKGROUND, OUTSIDE_CLAMP, OUTSIDE_KEEP };

struct advect {
    int32_t scheme, velocity, trace, outside, sweeps, clamp, reflection;
    double cfl, mixing, detail;
    struct bw_list only; ///< const char *
};

/// The largest component.
static inline double range_speed(const struct range3 *r)
{
    float most = 0;
    for (int c = 0; c < 3; c++) most = fmaxf(most, fmaxf(-r->least[c], r->most[c]));
    return (double)most;
}

/// One field to advect: source, destination (mostly itself), the first sweep's result, and their views in a block.
struct item {
    struct bw_field *field, *to, *hat;
    const struct bw_field_info *info;
    uint32_t view, view_hat, view_out;
};

/// Scratch fields for first sweeps' results, reused from group to group.
struct hats {
    struct bw_field *field[2 * MAX_ITEMS];
    bool used[2 * MAX_ITEMS];
};

enum { BLOCK_SUB_TILES = 2 * SUB_TILE_PARTS }; ///< of a block, along y and z
enum { READ_FIELD, READ_HAT, READ_VEL };       ///< what is read where traces of cells lead

/// Empty-space skipping in one block: which rows have anything to advect, and from how far, by sub-tile along z and y.
struct empty_space {
    bool all;         ///< all rows are empty
    bool by_sub_tile; ///< rows have the displacements of their sub-tile; else the block's
    int32_t shift[2]; ///< from a row's number along y and z to its sub-tile's
    uint8_t occupied[BLOCK_SUB_TILES][BLOCK_SUB_TILES]; ///< items, a bit each, that traces from there may find
    int32_t first[BLOCK_SUB_TILES][BLOCK_SUB_TILES],
        end[BLOCK_SUB_TILES][BLOCK_SUB_TILES]; ///< cells of those rows along x
    struct range3 displacement[BLOCK_SUB_TILES][BLOCK_SUB_TILES];
    int32_t vel_reach[6], reach[MAX_ITEMS][2][6]; ///< cells around the block that are read: of the velocity; of each
                                                  ///< item itself and of its first half
};

/// Speed of the flow, for the CFL number and the bounds of displacements.
struct flow_speed {
    double exterior;                  ///< largest velocity component in inactive tiles and beyond the sides, m/s
    double most;                      ///< largest component that a trace can meet, m/s
    struct sub_tile_ranges *sub_tile; ///< of the velocity, m/s
    struct sub_tile_ranges *half;     ///< of c/2 (advect_centred.c), m/s; NULL: there is none
};

/// The block that a worker is at.
struct worker_block {
    struct range3 displacement; ///< range of displacements ahead, cells
    /// The same of its sub-tiles and, for faces, of those beside its sides: [0] is below the block.
    struct range3 sub_tile[BLOCK_SUB_TILES + 2][BLOCK_SUB_TILES + 2][BLOCK_SUB_TILES + 2];
    struct empty_space empty;
    int32_t solid_halo; ///< halo if obstacles are near, else 0
    bool by_rows;       ///< it is advected by rows
    bool at_exterior;   ///< a neighbouring tile is inactive, or beyond an open side
};

/// Sweeps over groups of fields, all with the velocity in `vel` and the same time step.
struct pass {
    struct bw_stage *stage;
    const struct advect *options;
    const struct advect_scheme *scheme;
    const struct advect_kernels *kernels;
    const struct bw_sample_api *sample;
    const struct bw_tiles_api *tiles;
    enum advect_trace_kind trace;
    struct bw_field *vel;
    struct bw_field *smoke, *age;       ///< NULL: it has none, or is not advected here
    double smoke_most[2];               ///< ageing.c: the greatest age, s, and density, as the step begins
    uint8_t *smoky;                     ///< … by tile: does it hold any smoke?
    struct bw_field *advected;          ///< advect_centred.c: f, overwritten with A f - f + u; NULL: not centred
    uint32_t view_ahead, view_advected; ///< of f, and of its result
    struct hats hats;
    struct item item[MAX_ITEMS];
    uint32_t n_items;
    bool second, by_flux; ///< the second sweep; conserved quantities go by flux/
    bool flow;            ///< the velocity is being advected
    bool f64;             ///< fields in double precision: all blocks go by nodes
    bool by_rows;         ///< all blocks go by rows
    int32_t halo;
    double span;         ///< time step of this pass, s
    double scale, limit; ///< cells moved per m/s; longest displacement, cells
    struct flow_speed speed;
    struct sub_tile_bounds *bounds;    ///< by sub-tile; NULL: not measured since pass_fit()
    struct worker_block *worker_block; ///< by worker
    uint8_t *occupied;                 ///< by sub-tile: items, a bit each, that are not background there; NULL: unknown
    char *sub_tile_memory;             ///< `sub_tile_bytes` bytes a worker: sub-tiles around its block
    size_t sub_tile_bytes;
    float *memory; ///< displacements, `worker_floats` a worker
    size_t worker_floats, stride;
    const struct walls *walls; ///< NULL: no obstacles
    uint32_t view_solid_vel;   ///< 0: none
    double long_traces;        ///< out: nodes whose trace left the halo
};

/* The cell centres of one block that lie inside the open sides of the box. A trace of a cell ahead that ends beyond an
 * open or inflow side finds the background there, which says nothing of the error of the trace back: such cells keep
 * the first sweep's result. */
struct open_sides {
    double low[3], high[3]; ///< in nodes of the block
};

static inline struct open_sides open_sides_init(const struct bw_block *b)
{
    struct open_sides r;
    for (int a = 0; a < 3; a++) {
        bool open[2];
        for (int high = 0; high < 2; high++) {
            const uint32_t kind = b->grid->side[2 * a + high].kind;
            open[high] = b->grid->n[a] > 0 && (kind == BW_OPEN || kind == BW_INFLOW);
        }
        r.low[a] = open[0] ? -b->lo[a] : -HUGE_VAL;
        r.high[a] = open[1] ? b->grid->n[a] - 1 - b->lo[a] : HUGE_VAL;
    }
    return r;
}

static inline bool open_sides_contain(const struct open_sides *r, const double x[3])
{
    bool in = true;
    for (int a = 0; a < 3; a++) in = in && x[a] >= r->low[a] && x[a] <= r->high[a];
    return in;
}

/* ---- advect_groups.c ---- */

/// From now on advect by the current velocity in `vel`, over dt seconds: measures its speed, sets halos.
enum bw_status pass_measure_and_fit(struct pass *p, double dt);
/// The same where p->speed is known already.
void pass_fit(struct pass *p, double dt);
/// Advects conserved quantities in flux form, where the scheme does. Before pass_fields().
enum bw_status pass_conserved(struct pass *p);
/// Advects the fields that the preset asks for, but the velocity and what pass_conserved() advects.
enum bw_status pass_fields(struct pass *p);
/// Advects a mac field `from` by the velocity's scheme into `to`.
enum bw_status pass_velocity(struct pass *p, struct bw_field *from, struct bw_field *to);

/* ---- fields to advect ---- */

/// The k-th field to advect, the velocity excepted. NULL: no more.
static inline struct bw_field *pass_field_at(const struct pass *p, uint32_t k)
{
    const struct bw_bound *list = &p->stage->ports[PORT_FIELDS];
    for (uint32_t i = 0; i < list->count; i++)
        if (list->fields[i] != p->vel && list->fields[i] != p->age && k-- == 0) return list->fields[i];
    return k == 0 ? p->age : NULL;
}
/// Is the velocity among the fields to advect?
static inline bool pass_advects_velocity(const struct pass *p)
{
    const struct bw_bound *list = &p->stage->ports[PORT_FIELDS];
    if (!p->options->only.count) return p->stage->host->field_info(p->vel)->advected;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->fields[i] == p->vel) return true;
    return false;
}

/* ---- ageing.c ---- */

/// Finds the pass's smoke and its age.
void pass_find_smoke(struct pass *p);
/// The age times the smoke, and back, a step older; nothing where there is none. In between both are advected alike.
enum bw_status pass_weigh_age(struct pass *p);
enum bw_status pass_age(struct pass *p);

/* ---- mixing.c ---- */

/// Mixes old smoke with the air around, after pass_weigh_age().
enum bw_status pass_mix(struct pass *p);

/* ---- trajectories/flow_speed.c ---- */

/// Measures the ranges of `vel`: sets the pass's speed.
enum bw_status pass_measure(struct pass *p);
/// Allocate ranges for each sub-tile. Errors: BW_ERR_MEMORY (reported).
enum bw_status speed_alloc(struct pass *p, int64_t tiles, struct sub_tile_ranges **to);
/// After a sweep has measured its own tiles: all-gather them from all ranks, and widen each by its high faces. Errors:
/// of the ranks.
enum bw_status speed_join(const struct pass *p, struct sub_tile_ranges *of);
/// Largest velocity component that a trace can meet in inactive tiles and beyond the sides, m/s.
double exterior_speed(const struct pass *p);

/* ---- advect_rows.c: single precision, SIMD, all traces within the halo ---- */

/// Floats for displacements a worker; sets the pass's stride.
size_t advect_rows_floats(struct pass *p);
/// How the kernels integrate trajectories.
enum advect_rule advect_rule(const struct pass *p);
void advect_block_rows(const struct bw_block *b, void *user);

/* ---- trajectories/displacement_bounds.c ---- */

/// Halo for traces of `limit` cells and the scheme's stencil.
int32_t advect_halo(const struct pass *p, double limit);
/// Rings of tiles that traces from a block may lead through, at most.
int32_t advect_most_ring(void);
/// Bounds displacements by the pass's velocity, for advect_block_fits(). Errors: BW_ERR_MEMORY (reported).
enum bw_status bounds_measure(struct pass *p);
/// Takes those of a block. False: some end beyond the widest halo, so it must go by nodes.
bool advect_block_fits(const struct bw_block *b, const struct pass *p);
/// Cells around a box that traces from it with these displacements ahead read; what: one of READ_*.
void advect_around(const struct pass *p, const struct range3 *displacement, int what, int32_t around[6]);
/// Reach of such a block's accesses. After advect_block_fits().
void advect_block_reach(const struct bw_block *b, const struct pass *p, uint32_t row, int32_t reach[6]);

/* ---- trajectories/empty_space.c ---- */

/// Finds which sub-tiles hold anything but background. Errors: BW_ERR_MEMORY (reported).
enum bw_status empty_find(struct pass *p);
/// Empty space of a block; not `known`: none of it may be skipped.
void empty_init(struct empty_space *is, const struct pass *p, const struct bw_block *b, bool known);
/// Reach of an access of a block that goes by sub-tile. False: nothing of it is read.
bool empty_reach(const struct empty_space *is, const struct pass *p, uint32_t row, int32_t reach[6]);
/// Fills cells first to end - 1 of an empty row with the background.
void background_row(const struct bw_block *b, const struct item *it, int c, int32_t j, int32_t k, int32_t first,
                    int32_t end);
void background_block(const struct bw_block *b, const struct pass *p);

static inline uint8_t row_occupancy(const struct empty_space *is, int32_t j, int32_t k)
{
    return is->occupied[k >> is->shift[1]][j >> is->shift[0]];
}

/// Are faces among the items? They take the mean of two cells' displacements, from one cell below the block on.
static inline bool pass_has_faces(const struct pass *p)
{
    bool any = false;
    for (uint32_t q = 0; q < p->n_items; q++) any = any || p->item[q].info->kind == BW_MAC;
    return any;
}

/* ---- advect_nodes.c: doubles, any distance, beyond the halo by the sampler ---- */

/// sum[0] counts nodes that needed the sampler.
void advect_block_nodes(const struct bw_block *b, void *user);

/* ---- trajectories/rotation_limit.c ---- */

/// The longest time step in which gas rotates no farther than advect_centred.c can follow, s; HUGE_VAL: no rotation.
/// Errors: the sweep's.
enum bw_status rotation_limit(struct pass *p, double *dt);

/* ---- advect_axpy.c ---- */

/// to = keep to + scale from, both mac; keep 0: `to` may be undefined. Errors: the sweep's.
enum bw_status flow_axpy(struct bw_stage *s, struct bw_field *to, float keep, struct bw_field *from, float scale);
/// Does the exterior move (background velocity)? Around scratch fields it is at rest.
bool exterior_has_wind(const struct bw_field_info *vel);

/* ---- advect_first_step.c ---- */

/// In the first step: finds the pressure's velocity increment over `span` seconds. `advected` becomes the velocity less
/// that. *known false: there is no projection in the chain, or nothing moves; `advected` is unchanged. Errors: the
/// sweeps'.
enum bw_status first_step_acceleration(struct pass *p, struct bw_field *advected, double span, bool *known);

/* ---- advect_centred.c ---- */

/// State of advect_centred from step to step.
struct centred {
    double span;      ///< time step of the velocity in the last step, s; 0: there was none
    double ahead;     ///< time by which the velocity is ahead of the fields that it advects, s
    uint64_t version; ///< of the topology in the last step of this run
};
/// Time step of the velocity in a step of `dt`, s: leapfrog, half a step ahead of the fields that it advects.
double centred_span(const struct centred *last, double dt);
/// Advects the velocity, centred in time.
enum bw_status advect_centred(struct pass *p, struct centred *last);

/* ---- advect_reflect.c ---- */

/// The whole step by advection and reflection.
enum bw_status advect_reflect(struct pass *p);

#endif
