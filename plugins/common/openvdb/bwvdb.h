// SPDX-License-Identifier: Apache-2.0
/* OpenVDB behind plain C: write dense blocks as sparse grids, read any file's grids as floats, turn meshes into
 * distances. Usable alone, from C and from C++; needs nothing else of Billow. No exception crosses this line: every
 * call answers a status, and puts one sentence into `struct bwvdb_error` (NULL is allowed where none is wanted).
 *
 * Index space: voxel (i,j,k) of a grid is the *centre* of cell (i,j,k); the transform takes index (0,0,0) to the world
 * position of that centre. A cell-centred domain with low corner `origin` and cell edge h is therefore
 * {.voxel = h, .origin = origin + h/2}.
 *
 * All of it is a library of its own, libbillow-vdb.so; load/bwvdb_load.c loads it and hands each call on.
 *
 * Threads: a writer or reader is used by one thread at a time, except bwvdb_sample and bwvdb_read_box, which any number
 * of threads may call at once on grids that bwvdb_load has loaded. */
#ifndef BWVDB_H
#define BWVDB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// 0 is good; the values are those of enum bw_status, so a cast carries them on.
enum bwvdb_status {
    BWVDB_OK = 0,
    BWVDB_ERR = -1,        ///< anything else
    BWVDB_ERR_USAGE = -2,  ///< a wrong argument, or a grid that is not there
    BWVDB_ERR_IO = -6,     ///< disk full, absent, truncated or foreign file
    BWVDB_ERR_MEMORY = -8, ///< out of memory
};

/// Why a call failed: one sentence without a newline; empty after success.
struct bwvdb_error {
    char text[512];
};

enum bwvdb_class {
    BWVDB_CLASS_UNKNOWN = 0,
    BWVDB_CLASS_LEVEL_SET = 1,
    BWVDB_CLASS_FOG_VOLUME = 2,
    BWVDB_CLASS_STAGGERED = 3, ///< component a sits on the low face along a
};

/// How a vector changes with the transform. Same order as OpenVDB's.
enum bwvdb_vector {
    BWVDB_VEC_INVARIANT = 0,
    BWVDB_VEC_COVARIANT = 1,
    BWVDB_VEC_COVARIANT_NORMALIZE = 2,
    BWVDB_VEC_CONTRAVARIANT_RELATIVE = 3, ///< velocities, displacements
    BWVDB_VEC_CONTRAVARIANT_ABSOLUTE = 4,
};

enum bwvdb_compression { BWVDB_BLOSC = 0, BWVDB_ZIP = 1, BWVDB_NONE = 2 };

enum bwvdb_value_type { BWVDB_STRING = 0, BWVDB_INT64 = 1, BWVDB_DOUBLE = 2 };

/// One metadata entry. Strings are copied by the writer; the reader owns what it hands out.
struct bwvdb_meta {
    const char *key;
    uint32_t type;      ///< enum bwvdb_value_type
    const char *string; ///< reader: always filled, the value as text whatever its type
    int64_t integer;
    double number; ///< reader: filled for integers too
};

/* ---- writing ---- */

/// Dense values of one box of voxels: component c of voxel origin+(i,j,k) is data[c][i*stride[0] + j*stride[1] +
/// k*stride[2]].
struct bwvdb_block {
    int32_t origin[3];
    int32_t n[3];
    int64_t stride[3];   ///< in values; all 0: x fastest, no gaps
    const void *data[3]; ///< float, or double when the grid says f64; one pointer for scalars, three for vectors
};

/// Leaves of 8×8×8 voxels chosen for writing, made by bwvdb_region; each with a bit for each voxel.
struct bwvdb_region;

/// Values of an 8×8×8 leaf at `origin`: out[c][i + 8*j + 64*k]. Called from several threads at once.
typedef void (*bwvdb_fill_fn)(const int32_t origin[3], float *const out[3], void *user);

/// One grid to write. Zero what is not needed.
struct bwvdb_grid {
    const char *name;
    uint32_t comps;       ///< 1: float grid, 3: Vec3 grid
    uint32_t grid_class;  ///< enum bwvdb_class
    uint32_t vector_type; ///< enum bwvdb_vector
    uint32_t half;        ///< 1: 16-bit floats in the file, unless these cannot hold all multiples of `step`
    uint32_t f64;         ///< blocks hold doubles
    uint32_t y_up;        ///< rotate the transform: world (x, y, z) becomes (x, z, -y), and with it the values of
                          ///< vectors unless they are invariant
    float background[3];  ///< of all that is in no block, times `gain`; not of level sets
    float step;           ///< a power of two: values become multiples of it, from the background on; 0: as they are
    float threshold;      ///< |v - background| <= threshold: inactive, exactly the background (vectors: the length)
    float band;           ///< level sets: |v| >= band: inactive and exactly ±band; takes threshold's place
    float gain;           ///< values are multiplied by it before anything else; 0 means 1
    double voxel;         ///< voxel edge, world units
    double origin[3];     ///< world position of the centre of voxel (0,0,0), before y_up's rotation
    const struct bwvdb_block *blocks; ///< any number, in any order; where two overlap the later one wins
    int64_t n_blocks;
    const struct bwvdb_region *region; ///< instead of blocks: these voxels are active, values come from `fill`
    bwvdb_fill_fn fill;
    void *fill_user;
    /// Before values are read: the leaves that are next, some at a time; not 0: it failed. NULL: all are at hand.
    int (*reach)(const int32_t (*leaf)[3], int64_t n, void *user);
    void *reach_user;
    const struct bwvdb_meta *meta; ///< the grid's own metadata
    uint32_t n_meta;
};

/// How a writer works. Zero: serial, Blosc.
struct bwvdb_options {
    uint32_t compression; ///< enum bwvdb_compression; the active mask is always used
    uint32_t simd;        ///< enum bw_simd: the widest instructions allowed; all give the same bytes
    uint32_t threads;     ///< leaves are built on so many threads (0, 1: the caller's); ignored with parallel_for
    /// Call fn(i, user) for i in [0, n) in any order on the caller's own worker threads; NULL: see `threads`.
    void (*parallel_for)(void *parallel_user, int64_t n, void (*fn)(int64_t i, void *user), void *user);
    void *parallel_user; ///< of the next two calls as well
    /// Memory for what waits to be written, from any of those threads, and its end; NULL: malloc and free.
    void *(*alloc)(void *parallel_user, size_t bytes);
    void (*release)(void *parallel_user, void *memory);
    const char *spool; ///< a folder for a file without a name, where values wait for the rest; NULL: in memory
};

struct bwvdb_writer; ///< collects the grids of one file

/// A new writer in *w (free it with bwvdb_writer_free). `options` may be NULL. Errors: BWVDB_ERR_MEMORY.
enum bwvdb_status bwvdb_writer_create(const struct bwvdb_options *options, struct bwvdb_writer **w,
                                      struct bwvdb_error *error);
/// Build one grid's tree; nothing of `grid` is needed afterwards. A grid without active voxels is kept too.
/// Errors: BWVDB_ERR_USAGE (no name, a name used before, voxel <= 0, band <= 0), BWVDB_ERR (a value that is not a
/// number or, with `half`, larger than 65504), BWVDB_ERR_MEMORY.
enum bwvdb_status bwvdb_writer_add(struct bwvdb_writer *w, const struct bwvdb_grid *grid, struct bwvdb_error *error);
enum bwvdb_number { BWVDB_F32 = 0, BWVDB_F64 = 1, BWVDB_I64 = 2 };

/// Values that points carry, `comps` (1 or 3) each; kept as 32-bit numbers.
struct bwvdb_points_attribute {
    const char *name;
    uint32_t comps;
    uint32_t number;  ///< enum bwvdb_number, of `data`
    const void *data; ///< count × comps
    double gain;      ///< values are multiplied by it; 0 means 1
    uint32_t turns;   ///< 1: a direction, which y_up turns
};

/// Points to write as one grid of OpenVDB's points. Zero what is not needed.
struct bwvdb_points {
    const char *name;
    int64_t count;
    const double (*pos)[3]; ///< world
    double gain;            ///< positions are multiplied by it; 0 means 1
    uint32_t y_up;          ///< (x, y, z) becomes (x, z, -y)
    double voxel; ///< edge of the voxels that points are kept by, world units after gain; 0: some eight points each
    const struct bwvdb_points_attribute *attributes;
    uint32_t n_attributes;
};

/// Build a grid of points; nothing of `points` is needed afterwards. Errors: BWVDB_ERR_USAGE (no name, a name used
/// before, other than 1 or 3 components), BWVDB_ERR (a position that is not a number), BWVDB_ERR_MEMORY.
enum bwvdb_status bwvdb_writer_points(struct bwvdb_writer *w, const struct bwvdb_points *points,
                                      struct bwvdb_error *error);
/// Add an entry to the file's metadata.
enum bwvdb_status bwvdb_writer_meta(struct bwvdb_writer *w, const struct bwvdb_meta *meta, struct bwvdb_error *error);
/// Write everything to `path`, which should be a temporary name: after an error the file is removed, but a crash
/// may leave half of it. Errors: BWVDB_ERR_IO (also a full disk).
enum bwvdb_status bwvdb_writer_write(struct bwvdb_writer *w, const char *path, struct bwvdb_error *error);
/// Whether no grid of voxels that was added holds an active one.
int bwvdb_writer_empty(const struct bwvdb_writer *w);
/// Frees the grids too; NULL is allowed.
void bwvdb_writer_free(struct bwvdb_writer *w);

/// Which voxels a region holds: the active ones of `grids`, all of `boxes`, grown by `pad`, clipped to the box.
struct bwvdb_area {
    const char *const *grids;        ///< names of scalar or vector grids already added; NULL-terminated; NULL: none
    const struct bwvdb_block *boxes; ///< only origin and n count
    int64_t n_boxes;
    int32_t pad;         ///< voxels, along each axis and across
    uint32_t coarse;     ///< 1: the region is of voxels twice as wide, any of whose eight is in all that
    int32_t lo[3], n[3]; ///< the box: n voxels from lo; n all 0: no box
};

/// A new region in *r, freed with bwvdb_region_free; it does not need the writer afterwards.
/// Errors: BWVDB_ERR_USAGE (a name that is no grid of the writer's), BWVDB_ERR_MEMORY.
enum bwvdb_status bwvdb_region_create(const struct bwvdb_writer *w, const struct bwvdb_area *area,
                                      struct bwvdb_region **r, struct bwvdb_error *error);
/// NULL is allowed.
void bwvdb_region_free(struct bwvdb_region *r);

/* ---- reading ---- */

struct bwvdb_file; ///< an open file

/// What a grid is. Owned by the file. Strings are never NULL.
struct bwvdb_info {
    const char *name;                ///< of several of one name "density", "density[1]" …; "unnamed" without one
    uint32_t twin, twins;            ///< which of those that share its name, from 0 on; how many there are, 1 mostly
    uint32_t part;                   ///< 1: a component of a vector that is stored as three grids, vel.x, vel.y, vel.z
    uint32_t linear;                 ///< 0: a frustum, say: `matrix` holds at voxel 0 alone, `voxel` in the middle
    const char *type;                ///< "float", "vec3s", "double", "int32", "ptdataidx32", …
    uint32_t comps;                  ///< 1 or 3; 0: of a type that cannot be read as floats
    uint32_t grid_class;             ///< enum bwvdb_class
    uint32_t vector_type;            ///< enum bwvdb_vector
    uint32_t half;                   ///< stored as 16-bit floats
    int64_t active;                  ///< active voxels
    int32_t lo[3], hi[3];            ///< box of active voxels, both ends included; lo > hi when there are none
    double voxel[3];                 ///< voxel size, world units
    double matrix[12];               ///< index to world: world[r] = m[4r]·i + m[4r+1]·j + m[4r+2]·k + m[4r+3]
    double world_lo[3], world_hi[3]; ///< world box of the active voxels, half a voxel around their centres included
    uint32_t loaded;                 ///< 1 once bwvdb_load has been called
    double background[3];            ///< known once loaded
    const struct bwvdb_meta *meta;
    uint32_t n_meta;
};

/// Open a file and read what it says about its grids. *f is closed with bwvdb_close.
/// Errors: BWVDB_ERR_IO, naming the file and what is wrong with it.
enum bwvdb_status bwvdb_open(const char *path, struct bwvdb_file **f, struct bwvdb_error *error);
/// NULL is allowed.
void bwvdb_close(struct bwvdb_file *f);
/// Grids in the file.
int32_t bwvdb_count(const struct bwvdb_file *f);
/// Grid number `grid`: 0 … count-1, and from count on vectors joined of three grids of numbers; NULL outside.
const struct bwvdb_info *bwvdb_grid_info(const struct bwvdb_file *f, int32_t grid);
/// The grid called `name`, or -1; a vector of three grids by what they are called without .x, .y, .z.
int32_t bwvdb_find(const struct bwvdb_file *f, const char *name);
/// What flows are called, ours first.
#define BWVDB_FLOW_NAMES "vel", "velocity", "v"
/// The first grid with `comps` components called by one of several names (NULL ends them), capitals or not where none
/// is written so; -1: there is none.
int32_t bwvdb_find_known(const struct bwvdb_file *f, const char *const *names, uint32_t comps);
/// The file's metadata; *n entries, owned by the file.
const struct bwvdb_meta *bwvdb_file_meta(const struct bwvdb_file *f, uint32_t *n);
/// The one of n entries that is called `key`; NULL: there is none.
const struct bwvdb_meta *bwvdb_meta_find(const struct bwvdb_meta *meta, uint32_t n, const char *key);
/// A number above 0 that a grid says of itself, or `otherwise`.
double bwvdb_grid_number(const struct bwvdb_info *g, const char *key, double otherwise);
/// "density, temperature, vel": the grids there are, or "none at all", for messages. Owned by the file.
const char *bwvdb_names(const struct bwvdb_file *f);

/// Read a grid's voxels into memory; needed before the calls below, a second call does nothing.
/// Errors: BWVDB_ERR_IO (truncated), BWVDB_ERR_USAGE (not a float or vector grid), BWVDB_ERR_MEMORY.
enum bwvdb_status bwvdb_load(struct bwvdb_file *f, int32_t grid, struct bwvdb_error *error);
/// Values of the box of voxels lo … lo+n-1: out[c][i + n[0]·(j + n[1]·k)], `comps` arrays; background where inactive.
enum bwvdb_status bwvdb_read_box(const struct bwvdb_file *f, int32_t grid, const int32_t lo[3], const int32_t n[3],
                                 float *const out[3], struct bwvdb_error *error);
/// Trilinear values at `count` world positions (x, y, z each), staggering honoured; out: count × comps.
enum bwvdb_status bwvdb_sample(const struct bwvdb_file *f, int32_t grid, size_t count, const double (*pos)[3],
                               double *out, struct bwvdb_error *error);

/// Points of a grid of OpenVDB's points: their number in *count and, where `out` is not NULL, `comps` (1 or 3) numbers
/// each of a 32-bit attribute, in the grid's order. "P" stands for world positions. Errors: BWVDB_ERR_IO,
/// BWVDB_ERR_USAGE (no such grid of points or attribute), BWVDB_ERR_MEMORY.
enum bwvdb_status bwvdb_read_points(const char *path, const char *grid, const char *attribute, uint32_t comps,
                                    int64_t *count, double *out, struct bwvdb_error *error);

/// How a grid differs in another file. Zero what is not needed.
struct bwvdb_change {
    const char *name; ///< NULL: its own
    double gain;      ///< values are multiplied by it; 0 means 1
    double scale;     ///< the world is multiplied by it; 0 means 1
    int32_t turn;     ///< 1: world (x, y, z) becomes (x, z, -y), and values of vectors that point; -1: back
    uint32_t half;    ///< 1: 16-bit floats in the file
    uint32_t coarse;  ///< 1: voxels twice as wide; not of level sets
    uint32_t corners; ///< 1: the voxels `lo` and `hi` are active, whatever they hold
    int32_t lo[3], hi[3];
    const struct bwvdb_meta *meta; ///< replaces or adds to the grid's own
    uint32_t n_meta;
};

/// Build a loaded grid of a file, or one joined of three, as 32- or 16-bit floats. Everything else it keeps. Errors:
/// BWVDB_ERR_USAGE (not loaded, no numbers, a frustum, a name used before), BWVDB_ERR (a value that is not a number or,
/// with `half`, larger than 65504), BWVDB_ERR_MEMORY.
enum bwvdb_status bwvdb_writer_copy(struct bwvdb_writer *w, const struct bwvdb_file *f, int32_t grid,
                                    const struct bwvdb_change *change, struct bwvdb_error *error);

/* ---- meshes ---- */

/// A triangle mesh and how finely its distance shall be known. Everything belongs to the caller.
struct bwvdb_mesh {
    const double (*points)[3];
    const int32_t (*triangles)[3]; ///< indices of points, in either direction
    size_t n_points, n_triangles;
    double voxel;     ///< voxel edge; voxel (i,j,k) stands for the place origin + (i,j,k)·voxel
    double origin[3]; ///< near the mesh: indices are 32 bits, distances in floats
    double band;      ///< distances are exact up to here, on both sides; beyond they are ±band
    uint32_t sheet;   ///< 1: the plain distance to the faces, never negative; 0: negative in what the faces enclose
};

/// Distance to a mesh on a sparse grid; constant, so any number of threads may read it at once.
struct bwvdb_distance;

/// A new one in *d (free it with bwvdb_distance_free); nothing of `mesh` is needed afterwards. Runs on the calling
/// thread alone: the same bits on any machine load. Parts that overlap unite; what is not closed encloses nothing.
/// Errors: BWVDB_ERR_USAGE (voxel <= 0, band < voxel, an index that is no point, a corner more than 1e9 voxels from the
/// origin), BWVDB_ERR_MEMORY.
enum bwvdb_status bwvdb_distance_create(const struct bwvdb_mesh *mesh, struct bwvdb_distance **d,
                                        struct bwvdb_error *error);
/// NULL is allowed.
void bwvdb_distance_free(struct bwvdb_distance *d);
/// The box of voxels that may be nearer than `band`: n of them from lo; n all 0: there are none.
void bwvdb_distance_box(const struct bwvdb_distance *d, int32_t lo[3], int32_t n[3]);
/// Distances at the voxels lo … lo+n-1, x fastest, in [-band, band]; `nearest` (NULL: not wanted) gets the index of the
/// triangle nearest to each, or -1 beyond the band.
void bwvdb_distance_read(const struct bwvdb_distance *d, const int32_t lo[3], const int32_t n[3], float *out,
                         int32_t *nearest);

#ifdef __cplusplus
}
#endif
#endif
