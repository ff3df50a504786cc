// SPDX-License-Identifier: Apache-2.0
/* The parts of debris: what it is asked for and what one step does (debris.c), which pieces there are
 * (debris_launch.c), how they fly (debris_flight.c), and what they leave in the gas (debris_trail.c). */
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

enum { DEBRIS_AMOUNTS, DEBRIS_PIECES, DEBRIS_VEL, DEBRIS_SOLID };
enum { DEBRIS_FIELDS = 16 }; ///< amounts that one stage may give

/// What is kept from step to step, but for the pieces, which the host keeps.
struct debris_state {
    struct shape_state shape; ///< first: the shape's functions take the stage's state for it
    int32_t begun;
    double begin, until; ///< when the stage first ran, to when pieces have been launched, s
    struct bead *bead;   ///< of the last step, `beads` of them in room for `room`
    int64_t beads, room;
};

/// A piece as it is launched.
struct piece {
    double born; ///< s
    double pos[3], velocity[3], size, life;
};

/// The piece as a source, at one moment of its way.
struct bead {
    double pos[3];
    float velocity[3]; ///< m/s
    float radius;      ///< m, of the trail
    float smoke, fire; ///< shares that are left of the amounts, and of those of what burns
    float since, ago;  ///< s: that it stands for; to the step's end
};

/* ---- debris_launch.c ---- */

/// Those that are launched from `from` to before `to`, s; scratch memory. Errors, said: of the shape, BW_ERR_LIMIT,
/// BW_ERR_MEMORY.
enum bw_status debris_launched(struct bw_stage *s, double from, double to, struct piece **out, int64_t *count);

/* ---- debris_flight.c ---- */

/// All pieces, the new ones with a birthday within the step as a negative age, to the step's end; beads of their ways
/// into the state. Errors: the host's, BW_ERR_MEMORY.
enum bw_status debris_fly(struct bw_stage *s, const struct glowing *p);

/* ---- debris_trail.c ---- */

/// Beads into the amounts' fields and the velocity; for targets that go with the flow each is carried on by it to the
/// step's end.
enum bw_status debris_lay(struct bw_stage *s);
/// Tiles where pieces that fly on, and those of `fresh`, may leave anything within a frame.
enum bw_status debris_activate(struct bw_stage *s, const struct glowing *p, const struct piece *fresh, int64_t n_fresh);

/// Do pieces that leave the box along that axis come in from its other end?
static inline int debris_goes_round(const struct bw_domain_info *g, int axis)
{
    return g->n[axis] > 0 && g->side[2 * axis].kind == BW_PERIODIC && axis != g->thin;
}

#endif
