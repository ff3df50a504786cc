// SPDX-License-Identifier: Apache-2.0
/* Targets of flame control: a shape, a path, or points. Each gives, for any place, its signed distance and the
 * direction in which flames should go from there; flame_control.c computes forces from that. World metres
 * throughout. */
#ifndef FIRE_TARGET_H
#define FIRE_TARGET_H

#include <common/shape/shape.h>

/// A place where flames gather, as a preset gives it.
struct control_point {
    bw_vec3 at;
    double radius, strength;
};

/// A place on a path.
struct control_node {
    bw_vec3 at;
};

/// Distances on a lattice of cells: for shapes that know only whether a place is inside (VDB files).
struct distance_grid {
    float *value;  ///< at cell centres, x fastest, m; NULL: none was made
    int32_t lo[3]; ///< cell of the domain that the first one is
    int32_t n[3];
    double beyond;  ///< what lies outside of the lattice is at least so far away, m
    struct pose of; ///< the shape as it stood …
    int64_t number; ///< … with this file
};

enum { PATH_PARTS = 8, PATH_NODES = 256 }; ///< straight parts a span; most nodes a preset may give

/// A curve as straight parts.
struct path {
    double (*node)[3]; ///< n + 1 ends of parts; scratch memory
    int n;             ///< 0: there is no path
    double thickness;  ///< m; flames anywhere within are where they should be
};

/// All targets of a stage at one moment.
struct target {
    int shaped, moving;
    struct pose before, now; ///< of the shape, `moment` seconds apart
    double moment;
    const struct distance_grid *grid; ///< of a VDB shape
    const struct bw_domain_info *domain;
    struct path path;
    const struct control_point *point, *point_before;
    int64_t n_points;
    double radius; ///< how far outside shape and path flames are caught, m
    double step;   ///< h, m: over which slopes are taken
};

/// Distance from the shape, m, < 0 inside; exact as far as `radius`.
double target_distance(const struct target *t, const double x[3]);
/// Make or keep the distances of a VDB shape, as far as `reach` metres around. Errors: BW_ERR_MEMORY.
enum bw_status distance_grid_make(struct bw_stage *s, const struct pose *now, int64_t number, double reach,
                                  struct distance_grid *g);
/// Save or restore them: how far they were made may be another step's wish.
enum bw_status distance_grid_checkpoint(struct bw_stage *s, struct bw_archive *a, struct distance_grid *g);
/// A smooth curve (Catmull, Rom 1974) through `count` nodes as straight parts. Errors: BW_ERR_MEMORY.
enum bw_status path_make(struct bw_stage *s, const struct control_node *node, int64_t count, struct path *p);
/// Distance of x from the path's surface (< 0 inside), the unit vector along it there, and the offset from its nearest
/// place; HUGE_VAL beyond its end, where flames are let go.
double path_distance(const struct path *p, const double x[3], double along[3], double offset[3]);
/// 1: in one of the targets.
int target_holds(const struct target *t, const double x[3]);

#endif
