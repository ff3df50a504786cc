// SPDX-License-Identifier: Apache-2.0
/* Threads lie in a shape as even as low-discrepancy numbers are (M. Roberts' R3; about an axis the golden angle), which
 * is neither a lattice, that the eye finds, nor clumps. A tracer that fills the shape keeps its place along the nearest
 * thread and loses what it is beside it: so a thread has as many as the room around it, and threads that run away from
 * the axis are thin where they meet. */
#include "threads.h"
#include <math.h>

#define TURN 6.28318530717958647692
#define GOLDEN 0.61803398874989484820 ///< of a turn, between one and the next
#define SHADES 8                      ///< steps of colour: few, for pictures tell threads apart by it
#define ATTEMPTS 100000               ///< places a thread: shapes that fill less of their box are refused

static const struct bw_param number_row[] = {
    {.type = BW_PARAM_F64, .offset = 0, .min = 0, .max = 1e6, .doc = "One of three numbers."},
};

const struct bw_param threads_rows[THREADS_ROWS] = {
    BW_INT(struct threads, number, "number", "0", 0, 4096, "How many; 0: the shape is filled evenly."),
    BW_CHOICE(struct threads, along, "along", "axis", "axis|radius|ring",
              "Which way they run: along the shape's axis (its own z), straight away from it, or round it."),
    BW_F64(
        struct threads, lean, "lean", "0 deg", -1.5, 1.5, "rad",
        "How far those along the radius lean from it, about the axis, as the arms of a spiral: a ring winds each into "
        "a coil that is seen from all sides, not into a flat one that is a line from its edge."),
    BW_F64(struct threads, thickness, "thickness", "1 mm", 0, 1e6, "m", "How thick each is."),
    BW_LIST(struct threads, colour, double, "colour", number_row,
            "Linear [r, g, b] that some have; others are between it and the stage's `colour`."),
};

/// The shape's axis in the world and two across it.
static void frame_of(const struct pose *pose, double frame[3][3])
{
    for (int a = 0; a < 3; a++) frame[2][a] = pose->axis[2][a];
    if (!(vec3_length(frame[2]) > 0)) frame[2][2] = 1; // a ball
    vec3_across(frame[2], frame[0]);
    const double length = vec3_length(frame[0]);
    for (int a = 0; a < 3; a++) frame[0][a] /= length;
    vec3_cross(frame[2], frame[0], frame[1]);
}

static void into_frame(const struct pose *pose, const double frame[3][3], const double x[3], double q[3])
{
    double d[3];
    vec3_sub(x, pose->center, d);
    for (int a = 0; a < 3; a++) q[a] = vec3_dot(frame[a], d);
}

/// The k-th place of the R3 sequence in the shape's box that is in the shape. 0: none is found.
static int place_find(const struct bw_stage *s, const struct pose *pose, uint64_t *number, double x[3])
{
    static const double step[3] = {0.81917251339616443, 0.67104360670378920, 0.54970047790197026};
    const struct box3 box = pose_bounds(pose, 0);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        const double n = (double)++*number;
        for (int a = 0; a < 3; a++) {
            const double u = bw_rng_unit(s->seed, (uint64_t)a) + n * step[a];
            x[a] = box.lo[a] + (box.hi[a] - box.lo[a]) * (u - floor(u));
        }
        if (pose_cover(pose, x, 1e-6) >= 0.5) return 1;
    }
    return 0;
}

enum bw_status threads_make(struct bw_stage *s, const struct threads *t, const struct pose *pose,
                            struct threads_placed *out)
{
    uint64_t number = 0;
    if (t->colour.count != 0 && t->colour.count != 3)
        return s->host->fail(s, BW_ERR_PRESET, "threads: colour has %lld numbers; three are wanted, [r, g, b]",
                             (long long)t->colour.count);
    out->thread = s->host->scratch(s, (size_t)t->number * sizeof *out->thread + 1);
    if (!out->thread) return s->host->fail(s, BW_ERR_MEMORY, "out of memory for %lld threads", (long long)t->number);
    frame_of(pose, out->frame);
    for (int64_t k = 0; k < t->number; k++) {
        double x[3], q[3];
        if (!place_find(s, pose, &number, x))
            return s->host->fail(s, BW_ERR_PRESET, "the shape fills too little of its box for threads to be found");
        into_frame(pose, (const double(*)[3])out->frame, x, q);
        out->thread[k] = (struct thread){q[0], q[1]};
        if (t->along == THREADS_RADIUS) {
            const double turns = bw_rng_unit(s->seed, 3) + (double)k * GOLDEN;
            out->thread[k] = (struct thread){TURN * (turns - floor(turns)), q[2]};
        }
        if (t->along == THREADS_RING) out->thread[k] = (struct thread){hypot(q[0], q[1]), q[2]};
    }
    return BW_OK;
}

/// How far about the axis a thread along the radius has come, from where that is a metre: an equiangular spiral, by the
/// logarithm of the radius.
static double leant(const struct threads *t, double radius)
{
    return t->lean != 0 && radius > 0 ? tan(t->lean) * log(radius) : 0;
}

/// Square of the way from q to a thread, m².
static double beside2(int32_t along, const struct thread *t, const double q[3], double radius, double angle)
{
    if (along == THREADS_AXIS) return (q[0] - t->a) * (q[0] - t->a) + (q[1] - t->b) * (q[1] - t->b);
    const double up = q[2] - t->b;
    const double side = along == THREADS_RING ? radius - t->a : radius * remainder(angle - t->a, TURN);
    return side * side + up * up;
}

int64_t threads_draw(const struct bw_stage *s, const struct threads *t, const struct threads_placed *placed,
                     const struct pose *pose, uint64_t i, double x[3])
{
    const double(*frame)[3] = (const double(*)[3])placed->frame;
    const struct thread *thread = placed->thread;
    double q[3], least = HUGE_VAL;
    int64_t nearest = 0;
    into_frame(pose, frame, x, q);
    const double radius = hypot(q[0], q[1]), lean = t->along == THREADS_RADIUS ? leant(t, radius) : 0;
    const double angle = atan2(q[1], q[0]) - lean;
    for (int64_t k = 0; k < t->number; k++) {
        const double far2 = beside2(t->along, &thread[k], q, radius, angle);
        if (far2 < least) least = far2, nearest = k;
    }
    const struct thread *to = &thread[nearest];
    const double r = 0.5 * t->thickness * sqrt(bw_rng_unit(s->seed ^ bw_mix64(i + 1), 0));
    const double turn = TURN * bw_rng_unit(s->seed ^ bw_mix64(i + 1), 1), u = r * cos(turn), w = r * sin(turn);
    const double out = t->along == THREADS_RING ? to->a + u : radius; // from the axis
    const double at = t->along == THREADS_RING ? angle : to->a + lean, side = t->along == THREADS_RING ? 0 : u;
    const double round[3] = {out * cos(at) - side * sin(at), out * sin(at) + side * cos(at), to->b + w};
    const double straight[3] = {to->a + u, to->b + w, q[2]};
    const double *place = t->along == THREADS_AXIS ? straight : round;
    for (int a = 0; a < 3; a++) x[a] = pose->center[a] + vec3_turned(frame, place, a);
    return nearest;
}

double threads_share(const struct bw_stage *s, int64_t k)
{
    return (double)(bw_mix64(s->seed ^ (uint64_t)(k + 1)) % SHADES) / (SHADES - 1);
}
