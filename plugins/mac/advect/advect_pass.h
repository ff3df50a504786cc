// SPDX-License-Identifier: Apache-2.0
/* What the parts of mac.advect share: one step's work (advect.c, advect_reflect.c) goes as passes over groups of
 * fields (advect_groups.c), each pass block by block in a fast way (advect_fast.c) or a plain one (advect_plain.c). */
#ifndef ADVECT_PASS_H
#define ADVECT_PASS_H

#include "advect/schemes/schemes.h"
#include "advect/ways/bricks.h"
#include "stages.h"
#include "solids/walls.h"
#include <common/tiles.h>
#include <math.h>
#include <stdbool.h>

enum { PORT_VEL, PORT_FIELDS, PORT_CARRIED, PORT_SOLID, PORT_SOLID_VEL };
enum { MAX_ITEMS = 8, BACK = 0, AHEAD = 1 };
enum { WALLS_HALO = 16, PLAIN_HALO = 16 }; ///< cells, near obstacles; where it is a mere hint
enum advect_trace_kind { TRACE_MIDPOINT, TRACE_EULER, TRACE_RK3, TRACE_CENTRED };
enum advect_velocity { VELOCITY_CENTRED, VELOCITY_CUBIC, VELOCITY_LINEAR };
enum advect_outside { OUTSIDE_BACKGROUND, OUTSIDE_CLAMP, OUTSIDE_KEEP };

struct advect {
    int32_t scheme, velocity, trace, outside, clamp, reflection;
    double cfl;
    struct bw_list only; ///< const char *
};

/// Bounds of three components; 0 lies between them.
struct range3 {
    float least[3], most[3];
};

/// The largest component.
static inline double range_speed(const struct range3 *r)
{
    float most = 0;
    for (int c = 0; c < 3; c++) most = fmaxf(most, fmaxf(-r->least[c], r->most[c]));
    return (double)most;
}

/// One field on its way: itself, where it goes (itself as a rule), the first half's result, and where they are among a
/// block's views.
struct item {
    struct bw_field *field, *to, *hat;
    const struct bw_field_info *info;
    uint32_t view, view_hat, view_out;
};

/// Fields whose first half is made already; groups after the first use them again.
struct hats {
    struct bw_field *field[2 * MAX_ITEMS];
    bool used[2 * MAX_ITEMS];
};

enum { BLOCK_BRICKS = 2 * BRICK_PARTS }; ///< of a block, along y and z
enum { READ_FIELD, READ_HAT, READ_VEL }; ///< what traces of cells lead to

/// Of one block: which rows have anything to carry, and how far from, by brick along z and y.
struct idle {
    bool all;                                  ///< none has
    bool by_brick;                             ///< rows of cells move by `ways`; else all by the block's
    int32_t shift[2];                          ///< of a row's number along y and z to its brick's
    uint8_t holds[BLOCK_BRICKS][BLOCK_BRICKS]; ///< items, a bit each, that traces from there may meet anything of
    int32_t first[BLOCK_BRICKS][BLOCK_BRICKS], end[BLOCK_BRICKS][BLOCK_BRICKS]; ///< cells of those rows along x
    struct range3 ways[BLOCK_BRICKS][BLOCK_BRICKS];
    int32_t vel_reach[6], reach[MAX_ITEMS][2][6]; ///< cells around the block that are read: of the velocity; of each
                                                  ///< item itself and of its first half
};

/// How fast the flow is.
struct flow_speed {
    double still;         ///< largest component that can be met where there are no tiles, m/s
    double most;          ///< largest component that a trace can meet, m/s
    struct range3 *brick; ///< on the faces of each tile's bricks, m/s
    struct range3 *half;  ///< of c/2 there (advect_centred.c), m/s; NULL: there is none
};

/// Of the block that a worker has at hand.
struct at_hand {
    struct range3 ways;                   ///< ahead from it, cells
    struct range3 brick_ways[BRICK_MOST]; ///< and from its bricks, in order
    struct bricks_near bricks;            ///< around it; none where `speed` is NULL
    struct idle idle;
    int32_t near; ///< halo if obstacles are near, else 0
    bool fast;    ///< it goes the fast way
    bool rim;     ///< a tile beside it is asleep
};

/// Sweeps over groups of fields, all with the flow that `vel` holds and over one span of time.
struct pass {
    struct bw_stage *stage;
    const struct advect *options;
    const struct advect_scheme *scheme;
    const struct advect_kernels *kernels;
    const struct bw_sample_api *sample;
    const struct bw_tiles_api *tiles;
    enum advect_trace_kind trace;
    struct bw_field *vel;
    struct bw_field *carried;          ///< advect_centred.c: f, for A f - f + u to go there too; NULL: not so
    uint32_t view_ahead, view_carried; ///< of f, and of where the result goes too
    struct hats hats;
    struct item item[MAX_ITEMS];
    uint32_t n_items;
    bool second, by_flux; ///< the second sweep; amounts by flux/
    bool flow;            ///< the velocity is carried
    bool plain;           ///< fields in double precision: no block goes the fast way
    bool fast;            ///< all blocks do
    int32_t halo;
    double span;         ///< s
    double scale, limit; ///< cells moved per m/s; longest way, cells
    struct flow_speed speed;
    struct at_hand *hand; ///< by worker
    uint8_t *holds;       ///< by brick: items, a bit each, that are not their background there; NULL: unknown
    char *brick_room;     ///< `brick_share` bytes a worker: bricks around the block at hand
    size_t brick_share;
    float *memory; ///< displacements, `share` floats a worker
    size_t share, stride;
    const struct walls *walls; ///< NULL: no obstacles
    uint32_t view_solid_vel;   ///< 0: none
    double long_traces;        ///< out: nodes whose trace left the halo
};

/* Where nodes of one block have values of their own, as far as open sides go: cell centres, and faces too.
 * A trace of a cell ahead that ends beyond an open or inflow side finds the background there, which says nothing of the
 * error of the trace back: such cells keep the first half.
 * Faces beyond an open side follow the flow inside, so that traces lead on; but what is drawn in there is still air, or
 * the background's wind. Did it bring along the speed of the flow that draws it, that would grow: a fire was blown flat
 * by its own box. */
struct room {
    double low[3], high[3]; ///< in nodes of the block
};

/// `axis`: of a face's component; -1: cell centres.
static inline struct room room_init(const struct bw_block *b, int axis)
{
    struct room r;
    for (int a = 0; a < 3; a++) {
        bool open[2];
        for (int high = 0; high < 2; high++) {
            const uint32_t kind = b->grid->side[2 * a + high].kind;
            open[high] = b->grid->n[a] > 0 && (kind == BW_OPEN || (axis < 0 && kind == BW_INFLOW));
        }
        r.low[a] = open[0] ? -b->lo[a] : -HUGE_VAL;
        r.high[a] = open[1] ? b->grid->n[a] - 1 - b->lo[a] + (a == axis) : HUGE_VAL;
    }
    return r;
}

static inline bool room_has(const struct room *r, const double x[3])
{
    bool in = true;
    for (int a = 0; a < 3; a++) in = in && x[a] >= r->low[a] && x[a] <= r->high[a];
    return in;
}

/// Weight of what is inside in a linear interpolation at x.
static inline double room_share(const struct room *r, const double x[3])
{
    double share = 1;
    for (int a = 0; a < 3; a++) {
        const double low = r->low[a] - x[a], high = x[a] - r->high[a];
        share *= 1 - reach_between(low > high ? low : high, 0, 1);
    }
    return share;
}

/* ---- advect_groups.c ---- */

/// From now on along the flow that `vel` holds at this moment, over dt seconds.
enum bw_status pass_along(struct pass *p, double dt);
/// The same where p->speed is known.
void pass_fit(struct pass *p, double dt);
/// Carries amounts by fluxes, where the scheme does. Before pass_fields().
enum bw_status pass_amounts(struct pass *p);
/// Carries the fields that the preset asks for, but the velocity and amounts that go by fluxes.
enum bw_status pass_fields(struct pass *p);
/// Carries one mac field `from` as the velocity goes, and puts the result into `to`.
enum bw_status pass_velocity(struct pass *p, struct bw_field *from, struct bw_field *to);

/* ---- advect_fields.c ---- */

/// The k-th field to carry without the velocity. NULL: no more.
struct bw_field *pass_field_at(const struct pass *p, uint32_t k);
/// Is the velocity among the fields to carry?
bool pass_carries_velocity(const struct pass *p);

/* ---- ways/advect_speed.c ---- */

/// Measures `vel`: the pass's speed.
enum bw_status pass_measure(struct pass *p);
/// Memory for a range by brick, and all ranks' of them. Errors: BW_ERR_MEMORY (reported).
enum bw_status speed_room(struct pass *p, int64_t tiles, struct range3 **to);
enum bw_status speed_share(const struct pass *p, struct range3 *of);
/// Largest velocity component that a trace can meet where there are no tiles, m/s.
double pass_still(const struct pass *p);

/* ---- advect_fast.c: single precision, all traces within the halo ---- */

/// Floats of displacements that a worker needs; sets the pass's stride.
size_t advect_fast_room(struct pass *p);
/// What the kernels' traces do.
enum advect_rule advect_rule(const struct pass *p);
void advect_block_fast(const struct bw_block *b, void *user);

/* ---- ways/advect_ways.c ---- */

/// Halo that reaches as far as traces of `limit` cells and what the scheme reads there.
int32_t advect_halo(const struct pass *p, double limit);
/// Rings of tiles that traces from a block may lead through, at most.
int32_t advect_most_ring(void);
/// Finds the ways from a block, and whether all of them end within the widest halo: else it goes the plain way.
bool advect_block_fits(const struct bw_block *b, const struct pass *p);
/// Cells around a box that are read by traces from it with these ways ahead, one of READ_*.
void advect_around(const struct pass *p, const struct range3 *ways, int what, int32_t around[6]);
/// Reach of such a block's rows, by all of its velocities. After advect_block_fits().
void advect_block_reach(const struct bw_block *b, const struct pass *p, uint32_t row, int32_t reach[6]);

/* ---- ways/advect_idle.c ---- */

/// Finds which bricks hold anything of the items. Errors: BW_ERR_MEMORY (reported).
enum bw_status idle_find(struct pass *p);
/// Of a block; not `known`: all of it may hold something, from as far as any of its ways lead.
void idle_init(struct idle *is, const struct pass *p, const struct bw_block *b, bool known);
/// Reach of an access row of a block that goes by brick. False: nothing of it is read.
bool idle_reach(const struct idle *is, const struct pass *p, uint32_t row, int32_t reach[6]);
/// Results where nothing is to be carried, cells first to end - 1 of a row: the background.
void idle_row(const struct bw_block *b, const struct item *it, int c, int32_t j, int32_t k, int32_t first, int32_t end);
void idle_block(const struct bw_block *b, const struct pass *p);

static inline uint8_t idle_holds(const struct idle *is, int32_t j, int32_t k)
{
    return is->holds[k >> is->shift[1]][j >> is->shift[0]];
}

/// Are faces among the items? They take the mean of two cells' ways: traces begin one cell below the block.
static inline bool pass_has_faces(const struct pass *p)
{
    bool any = false;
    for (uint32_t q = 0; q < p->n_items; q++) any = any || p->item[q].info->kind == BW_MAC;
    return any;
}

/* ---- advect_plain.c: doubles, any distance, beyond the halo by the sampler ---- */

/// sum[0] counts nodes that needed the sampler.
void advect_block_plain(const struct bw_block *b, void *user);

/* ---- ways/advect_turn.c ---- */

/// The longest step in which no gas turns farther than advect_centred.c can follow, s; HUGE_VAL: none turns. Errors:
/// the sweep's.
enum bw_status turn_limit(struct pass *p, double *dt);

/* ---- advect_mix.c ---- */

/// to = keep to + scale from, both mac; keep 0: whatever `to` holds. Errors: the sweep's.
enum bw_status flow_mix(struct bw_stage *s, struct bw_field *to, float keep, struct bw_field *from, float scale);
/// Does the air in inactive tiles move? In those around scratch fields it is still.
bool flow_has_wind(const struct bw_field_info *vel);

/* ---- advect_start.c ---- */

/// In the first step: finds what pressure will give the flow over `span` seconds. Leaves in `carried` the flow less
/// that. False in *known: no projection is in the chain, or nothing moves; `carried` is as it was. Errors: the sweeps'.
enum bw_status start_find(struct pass *p, struct bw_field *carried, double span, bool *known);

/* ---- advect_centred.c ---- */

/// What the next step has to know of this one.
struct centred {
    double span;      ///< by which the velocity went on in the last step, s; 0: there was none
    double ahead;     ///< of the fields that follow it, s
    uint64_t version; ///< of the topology in the last step of this run
};
/// Seconds by which the velocity goes on in a step of `dt`, with what follows it half a step behind.
double centred_span(const struct centred *last, double dt);
/// Carries the velocity, centred in time.
enum bw_status advect_centred(struct pass *p, struct centred *last);

/* ---- advect_reflect.c ---- */

/// The whole step by advection and reflection.
enum bw_status advect_reflect(struct pass *p);
/// The first projection of the stage's own domain. NULL: there is none.
struct bw_stage *projector_find(struct bw_stage *s, const struct bw_project_api **api);

#endif
