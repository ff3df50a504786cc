// SPDX-License-Identifier: Apache-2.0
/* The parts of emit: parameters and a step (emit.c), the source's size and what follows from it (emit_size.c), warnings
 * about its placement (emit_placement.c), coverage of cells and the values they get (emit_cover.c, emit_noise.c), poses
 * of a moving shape (emit_motion.c), and amounts along the gas' trajectories in mode max (emit_trail.c,
 * emit_trail_rows.c, emit_trail_kernels.c). */
#ifndef EMIT_H
#define EMIT_H

#include "emit_noise.h"
#include "stages.h"
#include <common/shape/shape.h>

#define MOTION_SAMPLES 16

enum emit_mode { EMIT_MAX, EMIT_SET, EMIT_ADD, EMIT_REMOVE };

struct emit_noise {
    double amount, size, speed;
    int64_t octaves, seed;
};

struct emit {
    struct shape shape;
    int32_t mode;
    double falloff;
    struct emit_noise noise;
    bw_vec3 velocity;
    double inherit_velocity;
    struct bw_list amounts;
};

enum { PORT_AMOUNTS, PORT_VEL, PORT_AGE };

/* What one step does; read by all workers. */
struct plan {
    const struct emit *p;
    const struct bw_amount *amount;
    uint32_t *row; ///< indices of the amounts that this sweep emits, n_rows
    uint32_t n_rows;
    struct pose pose[MOTION_SAMPLES]; ///< along the path in the step, the last at its end
    int n_poses;
    struct pose before; ///< a moment before the step's end
    double moment;      ///< s
    struct box3 bounds;
    const struct points_cloud *points; ///< instead of poses
    double width, dt, time;
    struct emit_noise noise; ///< what the preset leaves to the source's size is filled in
    uint64_t seed;
    int octaves; ///< of the noise that cells resolve
    int sets_velocity;
};

/* ---- emit_motion.c ---- */

/// Number of poses half a cell apart on a path of so many cells: at most MOTION_SAMPLES.
int motion_samples(double cells);
/// Greatest displacement along an axis between the bounds of two poses, m.
double pose_travel(const struct pose *a, const struct pose *b);
void bounds_add(struct box3 *b, struct box3 c);
/// The shape where the parameters have it at `time`. Errors: its own, BW_ERR_MEMORY.
enum bw_status pose_at(struct bw_stage *s, double time, struct pose *pose);

/* ---- emit_size.c ---- */

/// In init, with the shape ready: the radius of the source in m, as bw_source_api has it. Errors: BW_ERR_MEMORY.
enum bw_status source_size(struct bw_stage *s, double *radius);
/// The stage's noise, for a source of that radius where the preset does not say.
struct emit_noise noise_of(const struct bw_stage *s, double radius);
/// The width of its soft edge, likewise, m.
double edge_width(const struct bw_stage *s, double radius);

/* ---- emit_placement.c ---- */

/// Result of the checks of a source's placement.
struct placement {
    int64_t steps; ///< calls of placement_check()
    int32_t checked;
};
/// Before a step: warns, once, of a source wholly inside an obstacle. `width`: of its edge, m. Errors: the sweep's.
enum bw_status placement_check(struct bw_stage *s, struct placement *p, const struct pose *pose, double width);
/// At the end of a run: warns of a source that has never covered a cell centre.
void placement_report(struct bw_stage *s, const struct placement *p);

/* ---- emit_cover.c ---- */

/// Number of octaves that cells of `h` m resolve.
int noise_octaves(const struct emit_noise *n, double h);
/// Fills the lattices of all octaves at `time` for the box from lo to hi, m. 0: out of memory.
int noise_prepare(const struct emit_noise *n, uint64_t seed, int octaves, double time, const struct bw_block *b,
                  const double lo[3], const double hi[3], struct bw_noise_lattice *l);
/// Emits the plan's amounts and velocity into the cells of a block; views in that order. sum[0]: memory ran out.
void cover_body(const struct bw_block *b, void *plan);
/// Blocks away from the source are left alone.
int cover_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *plan);

/* ---- emit_trail.c ---- */

/// The step's advection: by `vel` for dt seconds; solid: signed distance to obstacles, m, or NULL.
struct advection {
    struct bw_field *vel, *solid;
    double dt;
};

/// Emits the plan's targets into gas whose trajectory was in the shape at any time of the step that ends at the plan's
/// time. *done: 0 where displacements are so short that the pose at that time suffices: nothing was emitted.
/// Errors: the host's, BW_ERR_MEMORY.
enum bw_status trail_run(struct bw_stage *s, const struct plan *a, const struct advection *advection, int *done);

#endif
