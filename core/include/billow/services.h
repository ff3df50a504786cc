// SPDX-License-Identifier: Apache-2.0
/* Services asked for by id through host->extension(id): sampling, particles, tiles for solvers; and the ones
 * that stages offer each other through bw_stage_desc.extension. */
#ifndef BILLOW_SERVICES_H
#define BILLOW_SERVICES_H

#include "host.h"
#include "param.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BW_SAMPLE "billow.sample/1"
/// Reads any field of any domain anywhere.
struct bw_sample_api {
    uint32_t size;
    /// [body] Values of `field` at `count` world positions (m), trilinear, staggering honoured; beyond sides by the
    /// sides' rules, in inactive tiles the background. out: count × comps. Not inside a sweep that writes `field` in
    /// place.
    void (*sample)(const struct bw_field *field, size_t count, const bw_vec3 *pos, double *out);
    /// [body] The same of component c alone; out: count.
    void (*component)(const struct bw_field *field, uint32_t c, size_t count, const bw_vec3 *pos, double *out);
    /// [body] Component c of a field in f32 of any domain on its cells lo … lo+n-1, x fastest, n[0]·n[1]·n[2] values,
    /// beyond sides and in inactive tiles as above; of mac fields on low faces. In one process only.
    void (*box)(const struct bw_field *field, uint32_t c, const int32_t lo[3], const int32_t n[3], float *out);
};

#define BW_PARTICLES_API "billow.particles/1"
/// Particles: structure of arrays. Pointers from attribute() hold until add, remove or sort.
struct bw_particles_api {
    uint32_t size;
    /// [body] How many there are.
    int64_t (*count)(const struct bw_particles *p);
    /// [body] The array of an attribute, count × comps, or NULL; precision and comps are what the port declared.
    void *(*attribute)(struct bw_particles *p, const char *name);
    /// [main] Append n particles, zeroed, with new ids; *first gets the first one's index. Errors: BW_ERR_MEMORY.
    enum bw_status (*add)(struct bw_particles *p, int64_t n, int64_t *first);
    /// [main] Remove where drop[i] != 0; the rest keep their order.
    void (*remove)(struct bw_particles *p, const uint8_t *drop);
    /// [main] Order by tile of `domain`, then id; a sweep with `particles` does it by itself. Errors: BW_ERR_MEMORY.
    enum bw_status (*sort)(struct bw_particles *p, struct bw_domain *domain);
};

#define BW_EXPRESSION "billow.expression/1"
/// A compiled expression, as every value of a preset may be one: the constants pi, e, seed (the run's), fps and ambient
/// (K), muParser's functions, and floor, ceil, mod, hypot, clamp, smoothstep and noise (billow/noise.h). All other
/// names are variables.
struct bw_expression {
    const char *text;
    const char *const *names; ///< the variables that it uses, n_names of them
    uint32_t n_names;
    uint32_t reserved;
};
/// Values of one variable: place i has value[i * step].
struct bw_column {
    const double *value;
    ptrdiff_t step; ///< 0: the same everywhere
};
struct bw_expression_api {
    uint32_t size;
    /// [main] Compile `text`; *e is the stage's until close. A mistake in it is told by host->fail.
    /// Errors: BW_ERR_PRESET, BW_ERR_MEMORY.
    enum bw_status (*open)(struct bw_stage *stage, const char *text, struct bw_expression **e);
    /// [main] NULL is allowed.
    void (*close)(struct bw_expression *e);
    /// [body] Values at `count` places; one column for each of e->names. What has no value comes out as NaN or
    /// infinity. `worker`: the block's, 0 … host->workers-1; no two at once with the same.
    void (*eval)(struct bw_expression *e, uint32_t worker, size_t count, const struct bw_column *names, double *out);
};

#define BW_TILES "billow.tiles/1"
enum { BW_TILE_INACTIVE = -1, BW_TILE_OUTSIDE = -2 };
/// The active tiles of a domain, ordered by coordinate (z, then y, then x). Frozen during a step.
struct bw_topology {
    uint32_t size;
    int64_t count;             ///< active tiles
    const int32_t (*coord)[3]; ///< tile coordinates (cells / tile size)
    /// Index of the tile at x-, x+, y-, y+, z-, z+; or BW_TILE_INACTIVE, BW_TILE_OUTSIDE (beyond the box; a periodic
    /// side leads round).
    const int32_t (*neighbour)[6];
    uint64_t version;    ///< changes whenever the set of tiles does
    const uint8_t *born; ///< by tile: 1, it was not active in the last step
};
struct bw_tiles_api {
    uint32_t size;
    /// [main] The topology of a domain; valid until the next step.
    const struct bw_topology *(*topology)(struct bw_domain *domain);
    /// [body] Storage of component c of tile `index`: tile[0]×tile[1]×tile[2] values, x fastest. Read only.
    const void *(*data)(const struct bw_field *field, uint32_t c, int64_t index);
    /// [body] Index of the tile at a coordinate, BW_TILE_INACTIVE or BW_TILE_OUTSIDE.
    int64_t (*find)(const struct bw_domain *domain, const int32_t coord[3]);
    /// [body] The domain that a field lives in.
    struct bw_domain *(*domain)(const struct bw_field *field);
};

/// Bytes for one other rank, or from it.
struct bw_parcel {
    int32_t rank;
    uint32_t reserved;
    void *data;
    size_t bytes; ///< both sides know how many
};

#define BW_RANKS "billow.ranks/1"
enum { BW_RANKS_MOST = 64 }; // who holds a tile is a bit each
/// One bake over several processes, for stages flagged BW_STAGE_RANKS. In one process these do nothing.
struct bw_ranks_api {
    uint32_t size;
    /// [main, or one worker of a team while the others wait] `rows`: an array of `bytes` for each tile, or, by `slot`
    /// of each tile, for some (-1: none), of which each rank has set those of its own tiles: it gets the others.
    /// Errors: BW_ERR_MEMORY.
    enum bw_status (*share)(struct bw_stage *stage, struct bw_domain *domain, void *rows, const int32_t *slot,
                            size_t bytes);
    /// [main] Bring all tiles of a field here, to be read outside of sweeps until it is written. Errors: BW_ERR_MEMORY.
    enum bw_status (*bring)(struct bw_stage *stage, struct bw_field *field);
    /// [main] 1: from now on until the callback returns, or 0, sweeps run whole on every rank, and what they read was
    /// brought.
    void (*whole)(struct bw_stage *stage, int on);
    /// [main] The rank that each of the domain's tiles is of, valid until the next step, and which rank of how many
    /// this is. NULL: sweeps run whole on every rank, or there is but one.
    const int32_t *(*owners)(struct bw_stage *stage, struct bw_domain *domain, int32_t *rank, int32_t *size);
    /// [main, or one worker of a team while the others wait] Send and take: all ranks call it alike, and every parcel
    /// sent is one that its rank takes.
    void (*exchange)(struct bw_stage *stage, const struct bw_parcel *send, int32_t n_send, const struct bw_parcel *take,
                     int32_t n_take);
    /// [main] As BW_SAMPLE's, at places that every rank has, such as particles': each finds the values near its own
    /// tiles and gets the others. Errors: BW_ERR_MEMORY.
    enum bw_status (*sample)(struct bw_stage *stage, struct bw_field *field, size_t count, const bw_vec3 *pos,
                             double *out);
    /// [main] Which rank of how many this is, for work on what every rank has, such as particles: each does a share of
    /// it and `gather`s the rest, flagged or not.
    int32_t (*rank)(const struct bw_stage *stage, int32_t *size);
    /// [main] Pieces one after the other, bytes[r] of rank r's, of which this one has set its own: the others' come in.
    /// All ranks call it alike.
    void (*gather)(struct bw_stage *stage, void *pieces, const size_t *bytes);
    /// [main] Bring the tiles of a field, of any domain, that lie within `reach` metres of the box round this rank's
    /// own tiles of `domain`, to be read until it is written, by bodies too. Errors: BW_ERR_MEMORY.
    enum bw_status (*bring_round)(struct bw_stage *stage, struct bw_field *field, struct bw_domain *domain,
                                  double reach);
};

#define BW_FRAMES "billow.frames/1"
/// The numbered files that a chain's frames come from (`frames_from` in the preset).
struct bw_frames_api {
    uint32_t size;
    /// [main] 1 and the numbers of the first and the last file, between which none is missing; 0: the preset names
    /// none.
    int (*range)(const struct bw_stage *stage, int64_t *first, int64_t *last);
    /// [main] Write the path of file `number` to `out`; answers as snprintf does, -1 without files.
    int (*path)(const struct bw_stage *stage, int64_t number, char *out, size_t size);
};

#define BW_SPAN "billow.span/1"
/// When a stage is at work, and by what rate files follow it.
struct bw_span_api {
    uint32_t size;
    uint32_t reserved;
    /// [main] From when to when the run steps through it, s; 0: at no time, its `frames` are not among the run's.
    int (*times)(const struct bw_stage *stage, double *from, double *to);
    /// [main] Numbered files a second: as many as frames, but where the preset is shown larger and slower.
    double (*files)(const struct bw_stage *stage);
};

#define BW_WRITER "billow.writer/1"
/// Who has changed a field.
struct bw_writer_api {
    uint32_t size;
    uint32_t reserved;
    /// [main] The stage whose sweep or exchange was the last to write it; NULL: none has in this run, or in this step
    /// where the field lives for one.
    const struct bw_stage *(*last)(const struct bw_field *field);
};

#define BW_VELOCITY "billow.velocity/1"
/// Offered by stages that know a velocity everywhere; several add up.
struct bw_velocity_api {
    uint32_t size;
    /// [main] Add velocity (m/s, count × 3) and, unless NULL, its gradient (1/s, count × 9, row = component) at `pos`.
    enum bw_status (*evaluate)(struct bw_stage *stage, size_t count, const bw_vec3 *pos, double *velocity,
                               double *gradient);
};

#define BW_STRENGTH_RATE "billow.strength_rate/1"
/// Offered by stages that stretch, turn or make vorticity: whoever carries the vortons integrates it with their
/// positions.
struct bw_strength_rate_api {
    uint32_t size;
    uint32_t wants_gradient; ///< 0: `gradient` may be NULL
    /// [main] Add dα/dt (m³/s², count × 3) of the vortons as they now stand; gradient (1/s, count × 9, row = component)
    /// is the flow's at each.
    enum bw_status (*rate)(struct bw_stage *stage, struct bw_particles *vortons, const double *gradient, double *rate);
};

#define BW_SOURCE "billow.source/1"
/// Offered by stages that put gas into a domain: lengths and times that nobody gave follow from its sources.
struct bw_source_api {
    uint32_t size;
    /// [main] Half of the source's extent along the axis where it is neither longest nor shortest (in 2D: the shorter
    /// one), m; the same in all of a run.
    double (*radius)(const struct bw_stage *stage);
    /// [main] The value that it gives a field now, where it covers a cell whole; 0: none, or so much a second.
    double (*amount)(const struct bw_stage *stage, const char *field);
};

#define BW_COMBUSTION "billow.combustion/1"
/// Offered by stages that burn fuel: a shot is exposed for its flames.
struct bw_combustion_api {
    uint32_t size;
    uint32_t reserved;
    /// [main] After init: absolute temperature, K, of flames of gas with that mass fraction of fuel, `excess` K above
    /// ambient before it burns.
    double (*kelvin)(struct bw_stage *stage, double fuel, double excess);
};

#define BW_LIFT "billow.lift/1"
/// Offered by stages that make hot gas rise, for those that work against it.
struct bw_lift_api {
    uint32_t size;
    /// [main] Acceleration (m/s²) that a kelvin over ambient gives gas now.
    void (*lift)(const struct bw_stage *stage, bw_vec3 out);
};

#define BW_MOTION "billow.motion/1"
/// Offered by stages that move particles.
struct bw_motion_api {
    uint32_t size;
    uint32_t reserved;
    /// [main] 1: it is this stage that moves these.
    int (*moves)(struct bw_stage *stage, const struct bw_particles *particles);
    /// [main] Between two steps: write the velocity (m/s, count × 3) that the particles have where they are.
    enum bw_status (*velocity)(struct bw_stage *stage, struct bw_particles *particles, float *velocity);
};

enum bw_shape_kind { BW_SHAPE_UNKNOWN, BW_SHAPE_BALL, BW_SHAPE_BOX, BW_SHAPE_CYLINDER, BW_SHAPE_TORUS, BW_SHAPE_MESH };
/// An obstacle's surface in the world: a point p of its own is at center + Σ p[a]·scale[a]·axis[a] (m). Its own points
/// are a ball's of radius 1, a box's from -1 to 1, a cylinder's of radius 1 from z = -1 to 1, those of a torus about z,
/// whose ring has the radius 1 and whose tube `tube`, or a mesh's.
struct bw_shape {
    uint32_t kind; ///< enum bw_shape_kind
    uint32_t reserved;
    double center[3], axis[3][3], scale[3]; ///< axes: its own x, y and z as unit vectors of the world
    double tube;                            ///< of a torus; of a cylinder the radius of its edges, m
    const double (*point)[3];     ///< of a mesh, n_points; the arrays are whose it is that hands the shape out
    const int32_t (*triangle)[3]; ///< n_triangles
    int64_t n_points, n_triangles;
    double vel[3], spin[3]; ///< m/s of center; rad/s about it: 0, 0, 0, or pictures blur what moves
};

#define BW_OBSTACLE "billow.obstacle/1"
enum bw_obstacle_flag {
    BW_OBSTACLE_PLACED = 1, ///< parameters and time alone say what `shapes` does: it may be called without init, too
};
/// Offered by stages that write obstacles' distance: fields have it on active tiles only, pictures show it everywhere.
struct bw_obstacle_api {
    uint32_t size;
    uint32_t flags; ///< enum bw_obstacle_flag
    /// [main] The field that the stage writes it to.
    struct bw_field *(*field)(struct bw_stage *stage);
    /// [main] Between two steps: call box(lo, hi, user) for boxes (m) that hold all its surfaces.
    enum bw_status (*boxes)(struct bw_stage *stage, void (*box)(const double lo[3], const double hi[3], void *user),
                            void *user);
    /// [main] Between two steps: lower distance[i] (m) to its own at pos[i], as its step would at a cell's centre.
    enum bw_status (*distance)(struct bw_stage *stage, size_t count, const bw_vec3 *pos, double *distance);
    /// [main] Between two steps: call shape(it, user) for each of its surfaces as they are, finer than any cell; of one
    /// that it can't give so with the kind BW_SHAPE_UNKNOWN. Optional: all are unknown.
    enum bw_status (*shapes)(struct bw_stage *stage, void (*shape)(const struct bw_shape *shape, void *user),
                             void *user);
};

#define BW_CARRIER "billow.carrier/1"
/// Offered (any table) by stages that carry the particles "tracers": a `tracers` stage then leaves it to them.

#define BW_ADVECTS "billow.advects/1"
/// Offered by stages that carry fields along the flow of their domain: a source stands below them.
struct bw_advects_api {
    uint32_t size;
    /// [main] Does it carry that field, as it is listed and bound?
    int (*carries)(struct bw_stage *stage, const struct bw_field *field);
};

#define BW_PROJECT "billow.project/1"
/// Offered by projections: make a mac field divergence-free (or equal to the divergence source) over dt.
struct bw_project_api {
    uint32_t size;
    /// [main] Project `vel` in place over `dt` seconds.
    enum bw_status (*project)(struct bw_stage *stage, struct bw_field *vel, double dt);
};

#ifdef __cplusplus
}
#endif
#endif
