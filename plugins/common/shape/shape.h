// SPDX-License-Identifier: Apache-2.0
/* Shapes that emitters, obstacles and forces share: sphere, box, cylinder, torus, mesh, volume, points. A `struct
 * shape` sits in the parameter struct and is filled through SHAPE_ROW; shape_pose turns it into what the kernels ask:
 * exact signed distance, bounding box, and the velocity of its material points between two poses. World is Z-up,
 * metres. A stage with a shape has a `struct shape_state` as its state: what a mesh needs from step to step. */
#ifndef SHAPE_H
#define SHAPE_H

#include <common/shape/points/points.h>
#include "volume.h"
#include <common/tiles.h>
#include <common/vec3.h>

#include <billow/plugin.h>

enum shape_kind {
    SHAPE_SPHERE,
    SHAPE_BOX,
    SHAPE_CYLINDER,
    SHAPE_TORUS,
    SHAPE_MESH,
    SHAPE_VDB,
    SHAPE_POINTS, ///< sources only
    SHAPE_KINDS,
    SHAPE_SOLIDS = SHAPE_POINTS,
    SHAPE_EVERYWHERE = SHAPE_KINDS
};

struct shape_sphere {
    bw_vec3 center;
    double radius;
};
struct shape_box {
    bw_vec3 center, size, rotate;
};
struct shape_cylinder {
    bw_vec3 center;
    double radius, height, round;
    bw_vec3 axis;
};
struct shape_torus {
    bw_vec3 center;
    double radius, thickness;
    bw_vec3 axis;
};
struct shape_everywhere {
    int32_t unused;
};

struct shape {
    int32_t kind; ///< enum shape_kind, set by the variant that the preset gave
    struct shape_sphere sphere;
    struct shape_box box;
    struct shape_cylinder cylinder;
    struct shape_torus torus;
    struct shape_mesh mesh;
    struct shape_volume vdb;
    struct shape_points points;
    struct shape_everywhere everywhere; ///< forces only
};

struct shape_state {
    struct mesh_source mesh;
    struct volume_source vdb;
    struct points_source points;
    int judged, amiss; ///< its place has been looked at, and a sentence said about it
};

/// The shapes, and for forces one more: no shape at all.
extern const struct bw_param shape_rows[SHAPE_KINDS + 1];

/// The row `shape:` of a parameter struct with a member `shape`. `count` is SHAPE_SOLIDS for
/// what has a surface, SHAPE_KINDS with points, or one more to allow `everywhere`.
// clang-format off
#define SHAPE_ROW(S, count, deflt, flag, text)                                                                         \
    {                                                                                                                  \
        .key = "shape", .type = BW_PARAM_VARIANT, .offset = BW_OFFSET(S, shape, struct shape), .def = deflt,           \
        .doc = text, .flags = flag, .n_sub = count, .sub = shape_rows, .sub_size = sizeof(struct shape)                \
    }
// clang-format on

/// A shape made ready for many questions.
struct pose {
    int32_t kind;
    const struct mesh_source *mesh;
    const struct volume_source *vdb;
    const struct points_source *points;
    double center[3];     ///< mesh, volume, points: where the file's origin is
    double axis[3][3];    ///< local x, y, z as world unit vectors; round shapes: only z, their axis of symmetry
    double half[3];       ///< box: half edges; cylinder: half[2] is half the height
    double radius, minor; ///< sphere, cylinder: radius, and of its edges; torus: ring and tube
    double scale;         ///< mesh, volume, points: metres a unit of the file
    double thickness;     ///< mesh: of its sheets, m
};

#define SHAPE_SURFACE (-1.0)
/// Before shape_pose in init, activate and step: what a shape needs at s->frame; a mesh's distance is then exact up to
/// `reach` metres; SHAPE_SURFACE: pose_shape alone is asked. Failures are reported through the host.
enum bw_status shape_prepare(struct bw_stage *stage, const struct shape *shape, double reach);
/// The same where only places in the domain and up to two cells round it are asked about: a mesh then costs what of it
/// is there (prepare.c). For the whole of a run one of the two.
enum bw_status shape_prepare_inside(struct bw_stage *stage, const struct shape *shape, double reach);
/// From `checkpoint`: save or restore what of the state later steps depend on.
enum bw_status shape_checkpoint(struct bw_stage *stage, struct bw_archive *a, const struct shape *shape);
/// BW_OK, or a failure reported through the host (an axis of no length).
enum bw_status shape_pose(struct bw_stage *stage, const struct shape *shape, struct pose *pose);
/// The surface as pictures draw it; a mesh's points stay the pose's. 0: it is nowhere (pose_shape.c).
int pose_shape(const struct pose *p, struct bw_shape *out);
/// How fast it moves and turns that stood at `before` and `seconds` later at `now`, of which `out` is the surface. What
/// grows is not said.
void pose_shape_moves(const struct pose *before, const struct pose *now, double seconds, struct bw_shape *out);
/// Signed distance of x to the surface, m, < 0 inside; not of points and fog. -HUGE_VAL everywhere when the shape is
/// `everywhere`.
double pose_distance(const struct pose *p, const double x[3]);
/* Height of the offset d along the axis, and its distance from the axis. */
static inline void offset_profile(const struct pose *p, const double d[3], double *rho, double *height)
{
    const double z = vec3_dot(d, p->axis[2]), square = vec3_dot(d, d) - z * z;
    *height = z;
    *rho = square > 0 ? sqrt(square) : 0;
}

/* Distance to a box of which q is how far the point is beyond each pair of faces (two or three of them). */
static inline double beyond_distance(const double *q, int n)
{
    double outside = 0, inside = q[0];
    for (int i = 0; i < n; i++) {
        outside += q[i] > 0 ? q[i] * q[i] : 0;
        inside = q[i] > inside ? q[i] : inside;
    }
    return sqrt(outside) + (inside < 0 ? inside : 0);
}

/// Is it of a kind whose distance is arithmetic alone?
static inline int pose_is_plain(const struct pose *p)
{
    return p->kind == SHAPE_SPHERE || p->kind == SHAPE_BOX || p->kind == SHAPE_CYLINDER || p->kind == SHAPE_TORUS;
}

/// The distance to such a shape; `kind` is the pose's.
static inline double pose_distance_plain(const struct pose *p, int kind, const double x[3])
{
    const double d[3] = {x[0] - p->center[0], x[1] - p->center[1], x[2] - p->center[2]};
    double rho, height, q[3];
    if (kind == SHAPE_SPHERE) return vec3_length(d) - p->radius;
    if (kind == SHAPE_BOX) {
        for (int i = 0; i < 3; i++) q[i] = fabs(vec3_dot(d, p->axis[i])) - p->half[i];
        return beyond_distance(q, 3);
    }
    offset_profile(p, d, &rho, &height);
    if (kind == SHAPE_TORUS) return sqrt((rho - p->radius) * (rho - p->radius) + height * height) - p->minor;
    q[0] = rho - p->radius + p->minor;
    q[1] = fabs(height) - p->half[2] + p->minor;
    return beyond_distance(q, 2) - p->minor;
}

/// Share of a cell at x that the shape covers, its edge softened over `width` metres (a fog volume's is what it is).
double pose_cover(const struct pose *p, const double x[3], double width);
/// Axis-parallel box round the shape, widened by `margin`.
struct box3 pose_bounds(const struct pose *p, double margin);
/// The same round a box of the file's units, z up, of a mesh, volume or points.
struct box3 pose_file_bounds(const struct pose *p, const struct box3 *file);
/// Velocity (m/s) at x of the material of a shape that stood at `before` and `seconds` later at `now`: translation,
/// rotation and growth together. Zero when both are the same.
void pose_velocity(const struct pose *before, const struct pose *now, double seconds, const double x[3], double out[3]);
/// Greatest displacement from pose to pose among the corners of the shape's bounds, m.
double pose_displacement(const struct pose *before, const struct pose *now, double seconds);
/// 1 when the two differ, or the shape changes its form.
int pose_moved(const struct pose *a, const struct pose *b);
/// Share of a cell that a surface at distance d covers, its edge softened over `width` metres.
static inline double shape_cover(double d, double width)
{
    double c = 0.5 - d / width;
    return c <= 0 ? 0 : c >= 1 ? 1 : c;
}

/// Cells of a block, along each axis [lo, hi), relative to its first owned cell, whose centres lie in a box.
struct cells {
    int32_t lo[3], hi[3];
};
/// 0 when there are none.
int box_cells(const struct box3 *box, const struct bw_block *b, struct cells *out);

#endif
