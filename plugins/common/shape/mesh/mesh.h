// SPDX-License-Identifier: Apache-2.0
/* Triangle meshes as shapes: a file is read, its distance voxelised in the mesh's own frame (Z-up, the file's units and
 * origin), and looked up there, so that a mesh which only moves, turns or grows is never voxelised again. All memory is
 * the host's; everything here is called from the main thread, except that any thread may ask a mesh_volume. */
#ifndef MESH_H
#define MESH_H

#include <common/sequence/sequence.h>

struct box3 {
    double lo[3], hi[3];
};

enum mesh_up { MESH_UP_AUTO, MESH_UP_Y, MESH_UP_Z };

/// A mesh's row in a parameter struct.
struct shape_mesh {
    const char *file;
    bw_vec3 center, rotate;
    double scale;
    int32_t up; ///< enum mesh_up
    double thickness;
    int32_t hollow;
    int64_t detail;
    int64_t offset;
    double speed;
    int32_t outside; ///< enum sequence_outside
};

/// What one file holds.
struct mesh_file {
    int64_t number; ///< in a sequence
    char path[SEQUENCE_PATH];
    double (*point)[3];
    int32_t (*triangle)[3];
    int64_t n_points, n_triangles; ///< no triangles: nothing is loaded
    struct box3 box;
    int y_up;           ///< the file's axes were taken so: points are turned
    const char *writer; ///< the program whose habit said so; NULL: the preset or the format did, or nobody
};

/// What the surface is like.
struct mesh_health {
    int64_t open_edges;  ///< edges with an odd number of faces
    int turned;          ///< a closed part is inside out where it crosses itself …
    double turned_at[3]; ///< … here, for one
    uint8_t *open;       ///< per triangle: 1 when its connected part has open edges; scratch memory
    int32_t *part;       ///< per triangle: the point that names its connected part; scratch memory
};

/// Distance and, where the surface changes its form, velocity of its points: bricks of 8³ voxels.
struct mesh_volume {
    double voxel, band;  ///< m in the mesh's frame; distances are exact up to `band`
    double origin[3];    ///< voxel (0,0,0) stands there: far from the mesh's origin its numbers would be too large
    struct box3 box;     ///< of the surface
    int32_t lo[3], n[3]; ///< bricks; n all 0: none
    int32_t *map;        ///< per brick: which, or one of the constants below
    float *distance;     ///< 9³ values a brick: its voxels and the first of the next ones
    float *flow;         ///< 3 × 9³ values a brick, m/s; NULL: the form does not change
    double drift[3];     ///< mean velocity of the points, m/s: that of the inside far from the surface
};
enum { BRICK_OUTSIDE = -1, BRICK_INSIDE = -2, BRICK = 8, BRICK_VALUES = (BRICK + 1) * (BRICK + 1) * (BRICK + 1) };

static inline int64_t brick_count(const struct mesh_volume *v) { return (int64_t)v->n[0] * v->n[1] * v->n[2]; }
/// First voxel of brick number i of the map.
static inline void brick_first(const struct mesh_volume *v, int64_t i, int32_t first[3])
{
    first[0] = BRICK * (v->lo[0] + (int32_t)(i % v->n[0]));
    first[1] = BRICK * (v->lo[1] + (int32_t)(i / v->n[0] % v->n[1]));
    first[2] = BRICK * (v->lo[2] + (int32_t)(i / v->n[0] / v->n[1]));
}

/// How to make a volume of some triangles.
struct mesh_plan {
    const struct mesh_file *file;
    const int32_t (*triangle)[3];
    const int32_t *part; ///< the connected part of each
    int64_t n_triangles;
    int sheet;       ///< 1: the plain distance, never negative; 0: negative in what the triangles enclose
    struct box3 box; ///< all that is asked about, and what it feels; empty: anywhere
    double voxel, band;
    const double (*velocity)[3]; ///< per point of the file, m/s; NULL: the form does not change
};

/// What is voxelised: the plan's triangles, or pieces of them (mesh_cut.c).
struct mesh_pieces {
    int is_cut; ///< 0: all is the plan's own
    double (*point)[3];
    int32_t (*triangle)[3];
    int32_t *source; ///< cut: of each, which triangle of the plan it is a piece of; -1: it closes a side
    int64_t n_points, n_triangles;
};

/// The two volumes of a mesh: of its closed parts, and of those that count as sheets and have a thickness.
enum mesh_part { MESH_SOLID, MESH_SHEET, MESH_PARTS };

/// A stage's mesh: the files in memory and the volumes made of the present one.
struct mesh_source {
    struct mesh_file file[3];              ///< the one before, the present one, the one after
    struct mesh_volume volume[MESH_PARTS]; ///< without bricks where the mesh has no such part
    int has[MESH_PARTS];
    struct box3 box;   ///< round all files in memory
    struct box3 asked; ///< in the mesh's frame, where distances are asked for: set before mesh_prepare; empty: anywhere
    struct box3 made;  ///< the same that `volume` was made for …
    int cut;           ///< … and it was cut to that: beyond there is nothing of it
    struct sequence sequence;
    int begun;    ///< `sequence` is known
    int changing; ///< its form changes with time
    int blank;    ///< no shape at present
    int ready;    ///< `volume` was made of the present file …
    int hollow;   ///< … and this parameter
    int told;     ///< what is wrong with it
};

/// Read a file into *f, which holds nothing, by a process of its own. Errors, said: BW_ERR_IO (missing, empty, no
/// regular file, cut short, no triangles …, or the process crashes or answers nonsense), BW_ERR_LIMIT (too large, takes
/// too long, cannot be started), BW_ERR_CANCELLED, BW_ERR_MEMORY.
enum bw_status mesh_read(struct bw_stage *s, const char *path, int32_t up, struct mesh_file *f);
/// The same by this program, which has so much time.
enum bw_status mesh_read_by(struct bw_stage *s, const char *program, double seconds, const char *path, int32_t up,
                            struct mesh_file *f);
static inline void mesh_file_free(struct bw_stage *s, struct mesh_file *f)
{
    s->host->release(s, f->point);
    s->host->release(s, f->triangle);
    *f = (struct mesh_file){0};
}
/// Look at the surface; what is inside out is looked for in the box `cross`, an empty one: anywhere, NULL: nowhere;
/// what does not reach `beside` beyond a crossing does not count. Errors: BW_ERR_MEMORY.
enum bw_status mesh_examine(struct bw_stage *s, const struct mesh_file *f, const struct box3 *cross, double beside,
                            struct mesh_health *health);
/// Cut to plan->box where the whole takes much more work than the box. Errors: BW_ERR_MEMORY.
enum bw_status mesh_cut(struct bw_stage *s, const struct mesh_plan *plan, struct mesh_pieces *out);
void mesh_pieces_free(struct bw_stage *s, struct mesh_pieces *pieces);
/// Box round n triangles, and their area.
struct box3 mesh_bounds(const double (*point)[3], const int32_t (*triangle)[3], int64_t n);
double mesh_area(const double (*point)[3], const int32_t (*triangle)[3], int64_t n);
/// Voxelise into *v, which is freed before. Errors: BW_ERR_MEMORY, BW_ERR (said).
enum bw_status mesh_voxelise(struct bw_stage *s, const struct mesh_plan *plan, const struct mesh_pieces *pieces,
                             struct mesh_volume *v);
void mesh_volume_free(struct bw_stage *s, struct mesh_volume *v);
/// Signed distance at x, both in the mesh's frame. Exact up to `band`; outside of it a bound that never is too large.
double mesh_volume_distance(const struct mesh_volume *v, const double x[3]);
/// Velocity (m/s) of the surface's nearest point, zero while the form does not change.
void mesh_volume_flow(const struct mesh_volume *v, const double x[3], double out[3]);
/// Make the volumes ready for s->frame, exact up to `reach` metres of the world, at places in `m->asked`; less
/// than 0: the files alone. Errors are said.
enum bw_status mesh_prepare(struct bw_stage *s, const struct shape_mesh *p, double reach, struct mesh_source *m);
/// Save or restore which files count and how fine and wide the volumes are, which may be an earlier step's wish; files
/// and volumes are read and made anew. Errors are said.
enum bw_status mesh_checkpoint(struct bw_stage *s, struct bw_archive *a, const struct shape_mesh *p,
                               struct mesh_source *m);
/// World metres that walls made of sheets are thick.
double mesh_thickness(const struct bw_stage *s, const struct shape_mesh *p);

#endif
