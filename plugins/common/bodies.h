// SPDX-License-Identifier: Apache-2.0
/* Rigid bodies that stages share: particles named "bodies" with agreed attributes, all double precision, so that
 * wiring, snapshots and exporters know them as they know any particles. `body` makes them, `bodies` moves them.
 *
 * Whoever pushes a body adds to `impulse` (N s) and `torque` (N m s, about the centre of mass) in a port with access
 * update; `bodies` turns them into motion at its next step and clears them. A stage that solves for a body's motion
 * together with what pushes it (vorton.collide) writes `velocity` and `spin` instead. `displaced` is the mass of fluid
 * that the body takes the place of, written by the stage that knows the fluid; gravity acts on mass - displaced. */
#ifndef BODIES_H
#define BODIES_H

#include <common/shape/shape.h>
#include <common/vec3.h>
#include <math.h>
#include <string.h>

#define BODY_ATTRIBUTES 16
/// Rows of a port's table: `static const struct bw_attribute body_attributes[BODY_ATTRIBUTES] = {BODY_ATTRIBUTE_ROWS};`
// clang-format off
#define BODY_ATTRIBUTE_ROWS                                                                                            \
    {"pos", BW_F64P, 3, "m"}, {"velocity", BW_F64P, 3, "m/s"}, {"spin", BW_F64P, 3, "1/s"}, {"turn", BW_F64P, 3, "1"}, \
        {"turn_w", BW_F64P, 1, "1"}, {"shape", BW_F64P, 1, "1"}, {"size", BW_F64P, 3, "m"},                            \
        {"mass", BW_F64P, 1, "kg"}, {"inertia", BW_F64P, 3, "kg m^2"}, {"held", BW_F64P, 1, "1"},                      \
        {"friction", BW_F64P, 1, "1"}, {"restitution", BW_F64P, 1, "1"}, {"displaced", BW_F64P, 1, "kg"},              \
        {"impulse", BW_F64P, 3, "N s"}, {"torque", BW_F64P, 3, "N m s"}, {"volume", BW_F64P, 1, "m^3"}
// clang-format on

/// Bodies through the particles service.
struct body_arrays {
    int64_t count;
    const int64_t *id;
    bw_vec3 *pos, *velocity; ///< of the centre of mass: m, m/s
    bw_vec3 *spin;           ///< angular velocity, world axes, rad/s
    bw_vec3 *turn;           ///< orientation: vector part of the unit quaternion that takes body to world axes …
    double *turn_w;          ///< … and its scalar part
    double *shape;           ///< SHAPE_SPHERE or SHAPE_BOX
    bw_vec3 *size;           ///< half the extents along body axes, m: a sphere's radius three times
    double *mass;            ///< kg
    bw_vec3 *inertia;        ///< about body axes, kg m²
    double *held;            ///< 1: keeps velocity and spin whatever pushes it
    double *friction, *restitution;
    double *displaced;         ///< kg of fluid
    bw_vec3 *impulse, *torque; ///< collected since the bodies moved last
    double *volume;            ///< m³
};

static inline struct body_arrays body_arrays(const struct bw_stage *s, struct bw_particles *p)
{
    const struct bw_particles_api *api = s->host->extension(BW_PARTICLES_API);
    if (!p) return (struct body_arrays){0};
    return (struct body_arrays){
        .count = api->count(p),
        .id = api->attribute(p, "id"),
        .pos = api->attribute(p, "pos"),
        .velocity = api->attribute(p, "velocity"),
        .spin = api->attribute(p, "spin"),
        .turn = api->attribute(p, "turn"),
        .turn_w = api->attribute(p, "turn_w"),
        .shape = api->attribute(p, "shape"),
        .size = api->attribute(p, "size"),
        .mass = api->attribute(p, "mass"),
        .inertia = api->attribute(p, "inertia"),
        .held = api->attribute(p, "held"),
        .friction = api->attribute(p, "friction"),
        .restitution = api->attribute(p, "restitution"),
        .displaced = api->attribute(p, "displaced"),
        .impulse = api->attribute(p, "impulse"),
        .torque = api->attribute(p, "torque"),
        .volume = api->attribute(p, "volume"),
    };
}

/// Body axes as world vectors: axis[k] is where the body's k-th axis points.
static inline void body_axes(const struct body_arrays *b, int64_t i, double axis[3][3])
{
    const double *q = b->turn[i], w = b->turn_w[i];
    for (int k = 0; k < 3; k++) {
        const double e[3] = {k == 0, k == 1, k == 2};
        double c[3], d[3];
        vec3_cross(q, e, c);
        vec3_cross(q, c, d);
        for (int a = 0; a < 3; a++) axis[k][a] = e[a] + 2 * (w * c[a] + d[a]);
    }
}

/// For pose_distance() and pose_bounds().
static inline struct pose body_pose(const struct body_arrays *b, int64_t i)
{
    struct pose p = {.kind = (int32_t)b->shape[i], .radius = b->size[i][0]};
    memcpy(p.center, b->pos[i], sizeof p.center);
    memcpy(p.half, b->size[i], sizeof p.half);
    body_axes(b, i, p.axis);
    return p;
}

/// Velocity of the body's material at x, m/s.
static inline void body_velocity(const struct body_arrays *b, int64_t i, const double x[3], double out[3])
{
    double r[3];
    vec3_sub(x, b->pos[i], r);
    vec3_cross(b->spin[i], r, out);
    for (int a = 0; a < 3; a++) out[a] += b->velocity[i][a];
}

/// out = I v (or, `inverse`, I⁻¹ v) in world axes.
static inline void body_inertia(const struct body_arrays *b, int64_t i, const double v[3], int inverse, double out[3])
{
    double axis[3][3];
    body_axes(b, i, axis);
    memset(out, 0, 24);
    for (int k = 0; k < 3; k++) {
        double along = vec3_dot(axis[k], v);
        along *= inverse ? 1 / b->inertia[i][k] : b->inertia[i][k];
        for (int a = 0; a < 3; a++) out[a] += along * axis[k][a];
    }
}

#endif
