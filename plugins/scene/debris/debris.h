// SPDX-License-Identifier: Apache-2.0
/* The parts of debris: parameters and a step (debris.c), launches (debris_launch.c), integration of the pieces' motion
 * (debris_flight.c), and emission along their trajectories (debris_trail.c). */
#ifndef DEBRIS_H
#define DEBRIS_H

#include <common/glowing.h>
#include <emit/emit.h>

struct debris {
    struct shape shape;
    int64_t count, clusters, seed;
    double delay, duration, every;
    bw_vec3 direction;
    double cone, focus, cluster_spread;
    double speed, speed_spread, size, size_spread, drag_length;
    bw_vec3 gravity;
    double restitution, friction, rate;
    double life, life_spread, glow, cooling, ambient;
    double trail, taper, burning, fade, inherit_velocity;
    struct emit_noise noise;
    struct bw_list amounts;
};

enum { DEBRIS_AMOUNTS, DEBRIS_PIECES, DEBRIS_VEL, DEBRIS_SOLID, DEBRIS_AGE };
enum { DEBRIS_FIELDS = 16 }; ///< amounts that one stage may give

/// State between steps; the pieces themselves are the host's particles.
struct debris_state {
    struct shape_state shape; ///< first: the shape's functions take the stage's state for it
    int32_t begun;
    double begin, until;   ///< when the stage first ran, to when pieces have been launched, s
    struct sample *sample; ///< of the last step, `n_samples` of them in memory for `capacity`
    int64_t n_samples, capacity;
};

/// A piece as it is launched.
struct piece {
    double born; ///< s
    double pos[3], velocity[3], size, life;
};

/// A piece as a source, at one time of its trajectory.
struct sample {
    double pos[3];
    float velocity[3]; ///< m/s
    float radius;      ///< m, of the trail
    float smoke, fire; ///< factors of the amounts, and of those of what burns: they fade
    float duration;    ///< that the sample stands for, s
    float ago;         ///< time from it to the step's end, s
};

/* ---- debris_launch.c ---- */

/// Pieces launched from `from` to before `to`, s; scratch memory. Errors, said: of the shape, BW_ERR_LIMIT,
/// BW_ERR_MEMORY.
enum bw_status debris_launch(struct bw_stage *s, double from, double to, struct piece **out, int64_t *count);

/* ---- debris_flight.c ---- */

/// Integrates the motion of all pieces to the step's end, and stores samples of their trajectories in the state. New
/// pieces have a negative age: the time from the step's start to their launch. Errors: the host's, BW_ERR_MEMORY.
enum bw_status debris_fly(struct bw_stage *s, const struct glowing *p);

/* ---- debris_trail.c ---- */

/// Emits the samples into the amounts' fields and the velocity. Samples of targets whose field has been advected in
/// this step are first advected to the step's end.
enum bw_status debris_deposit(struct bw_stage *s);
/// Activates the tiles in which pieces, and those of `fresh`, may emit within a frame.
enum bw_status debris_activate(struct bw_stage *s, const struct glowing *p, const struct piece *fresh, int64_t n_fresh);

/// Is the box periodic along the axis?
static inline int debris_axis_periodic(const struct bw_domain_info *g, int axis)
{
    return g->n[axis] > 0 && g->side[2 * axis].kind == BW_PERIODIC && axis != g->thin;
}

#endif
