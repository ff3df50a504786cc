// SPDX-License-Identifier: Apache-2.0
/* The parts of emit: what it is asked for and what one step does (emit.c), where it lies (emit_place.c), how much of
 * a cell emits and what comes of it (emit_cover.c, emit_noise.c), its shape on the way (emit_motion.c), and what gas
 * has got on its own (emit_trail.c, emit_gas.c). */
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

enum { PORT_AMOUNTS, PORT_VEL };

/* What one step does; read by all workers. */
struct plan {
    const struct emit *p;
    const struct bw_amount *amount;
    uint32_t *row; ///< those of them that are given now, n_rows
    uint32_t n_rows;
    struct pose pose[MOTION_SAMPLES]; ///< along the way, the last at the step's end
    int n_poses;
    struct pose before; ///< a moment before the step's end
    double moment;      ///< s
    struct box3 bounds;
    const struct points_cloud *points; ///< instead of poses
    double width, dt, time;
    uint64_t seed;
    int octaves; ///< those that the cells can show
    int moves_gas;
};

/* ---- emit_motion.c ---- */

/// Poses half a cell apart on a way of so many cells: at most MOTION_SAMPLES.
int motion_samples(double cells);
/// Longest way between two poses along an axis, m.
double pose_travel(const struct pose *a, const struct pose *b);
void bounds_add(struct box3 *b, struct box3 c);
/// The shape where the parameters have it at `time`. Errors: its own, BW_ERR_MEMORY.
enum bw_status pose_at(struct bw_stage *s, double time, struct pose *pose);

/* ---- emit_place.c ---- */

/// What is known of where a source lies.
struct place {
    int64_t steps; ///< before which it was asked
    int32_t judged;
};
/// Before a step: warns, once, of a source that is all in an obstacle. `width`: of its edge, m. Errors: the sweep's.
enum bw_status place_judge(struct bw_stage *s, struct place *p, const struct pose *pose, double width);
/// In the end: warns of one that was nowhere.
void place_end(struct bw_stage *s, const struct place *p);

/* ---- emit_cover.c ---- */

/// Octaves that cells of `h` m can show; finer ones are left out.
int noise_octaves(const struct emit_noise *n, double h);
/// Lattices of all octaves at `time` for places from lo to hi, m. 0: out of memory.
int noise_prepare(const struct emit_noise *n, uint64_t seed, int octaves, double time, const struct bw_block *b,
                  const double lo[3], const double hi[3], struct bw_noise_lattice *l);
/// Gives the cells of a block what the plan says: rows of its amounts, then the velocity. sum[0]: memory ran out.
void cover_body(const struct bw_block *b, void *plan);
/// Blocks away from the source are left alone.
int cover_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *plan);

/* ---- emit_trail.c ---- */

/// How gas was carried: along `vel` for dt seconds; solid: signed distance to obstacles, m, or NULL.
struct way {
    struct bw_field *vel, *solid;
    double dt;
};

/// Targets of the plan's rows for gas that was in the shape at any time of the step that ends now. The plan's shape is
/// posed at its time. *done: 0 where the way is so short that the shape at that time says all.
/// Errors: the host's, BW_ERR_MEMORY.
enum bw_status trail_run(struct bw_stage *s, const struct plan *a, const struct way *way, int *done);

#endif
