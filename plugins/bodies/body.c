// SPDX-License-Identifier: Apache-2.0
/* body: one rigid body, a ball or a box, of uniform density, with the velocity and spin it starts with. It exists from
 * the set-up on (or from the first of `frames`); `bodies` moves it. Inertia of a ball 2/5 m r², of a box m (b² + c²)/3
 * with half edges b and c across the axis. */
#include <common/bodies.h>
#include "stages.h"

struct params {
    struct shape shape;
    double density, mass, friction, restitution;
    bw_vec3 velocity, spin;
    int32_t held;
};

static const struct bw_param params[] = {
    SHAPE_ROW(struct params, SHAPE_BOX + 1, NULL, BW_PARAM_REQUIRED | BW_PARAM_STATIC, "Its form, where it starts."),
    BW_F64(struct params, density, "density", "500 kg/m^3", 0, 1e6, "kg/m^3",
           "Of its material, where no mass is given."),
    BW_F64(struct params, mass, "mass", "0 kg", 0, 1e12, "kg", "0: what its volume and density make."),
    BW_VEC3(struct params, velocity, "velocity", "[0, 0, 0]", "m/s", "At the start."),
    BW_VEC3(struct params, spin, "spin", "[0, 0, 0]", "1/s", "Angular velocity at the start, rad/s about the vector."),
    BW_BOOL(struct params, held, "held", "no", "Goes on with its velocity and spin, whatever pushes it."),
    BW_F64(struct params, friction, "friction", "0.5", 0, 100, NULL,
           "Coulomb's, in contacts; two bodies' geometric mean counts."),
    BW_F64(struct params, restitution, "restitution", "0.5", 0, 1, NULL,
           "Share of its speed with which it bounces; likewise."),
};

const struct bw_attribute body_attributes[BODY_ATTRIBUTES] = {BODY_ATTRIBUTE_ROWS};

static const struct bw_port ports[] = {
    {.name = "bodies",
     .kind = BW_PARTICLES,
     .access = BW_UPDATE,
     .doc = "Gets one more.",
     .attributes = body_attributes,
     .n_attributes = BODY_ATTRIBUTES},
};

struct state {
    struct shape_state shape; ///< first: what shapes expect
    int32_t started;
};

/// Half extents, m, and volume, m³. Errors, said: BW_ERR_PRESET.
static enum bw_status size_find(struct bw_stage *s, const struct params *p, double size[3], double *volume)
{
    const struct shape *h = &p->shape;
    for (int a = 0; a < 3; a++) size[a] = h->kind == SHAPE_BOX ? 0.5 * h->box.size[a] : h->sphere.radius;
    for (int a = 0; a < 3; a++)
        if (!(size[a] > 0))
            return s->host->fail(s, BW_ERR_PRESET,
                                 h->kind == SHAPE_BOX ? "shape: size is %g m along an axis; a body needs one above 0"
                                                      : "shape: radius is %g m; a body needs one above 0",
                                 h->kind == SHAPE_BOX ? 2 * size[a] : size[a]);
    *volume = (h->kind == SHAPE_BOX ? 8 : 4.1887902047863909846) * size[0] * size[1] * size[2];
    if (!(p->mass > 0) && !(p->density > 0))
        return s->host->fail(s, BW_ERR_PRESET, "neither mass nor density is above 0");
    return BW_OK;
}

/// Unit quaternion of the rotation whose matrix has the columns `axis`, by the largest of its four parts (Shepperd
/// 1978).
static void quaternion_of(const double axis[3][3], double turn[3], double *w)
{
    const double trace = axis[0][0] + axis[1][1] + axis[2][2], q[4] = {trace, axis[0][0], axis[1][1], axis[2][2]};
    int most = 0;
    for (int i = 1; i < 4; i++)
        if (q[i] > q[most]) most = i;
    const double r = sqrt(most ? 1 + 2 * q[most] - trace : 1 + trace), half = 0.5 / r;
    if (!most) {
        *w = 0.5 * r;
        for (int i = 0; i < 3; i++) turn[i] = half * (axis[(i + 1) % 3][(i + 2) % 3] - axis[(i + 2) % 3][(i + 1) % 3]);
        return;
    }
    int i = most - 1, j = (i + 1) % 3, k = (i + 2) % 3;
    turn[i] = 0.5 * r;
    turn[j] = half * (axis[i][j] + axis[j][i]);
    turn[k] = half * (axis[i][k] + axis[k][i]);
    *w = half * (axis[j][k] - axis[k][j]);
}

static enum bw_status body_add(struct bw_stage *s, const struct pose *pose, const double size[3], double volume)
{
    const struct params *p = s->params;
    const struct bw_particles_api *api = s->host->extension(BW_PARTICLES_API);
    int64_t i = 0;
    if (api->add(s->ports[0].particles, 1, &i)) return BW_ERR_MEMORY;
    struct body_arrays b = body_arrays(s, s->ports[0].particles);
    memcpy(b.pos[i], pose->center, sizeof *b.pos);
    memcpy(b.velocity[i], p->velocity, sizeof *b.velocity);
    memcpy(b.spin[i], p->spin, sizeof *b.spin);
    memcpy(b.size[i], size, sizeof *b.size);
    b.turn_w[i] = 1;
    if (pose->kind == SHAPE_BOX) quaternion_of(pose->axis, b.turn[i], &b.turn_w[i]);
    b.shape[i] = pose->kind;
    b.volume[i] = volume;
    b.mass[i] = p->mass > 0 ? p->mass : p->density * volume;
    for (int a = 0; a < 3; a++) {
        double others = size[(a + 1) % 3] * size[(a + 1) % 3] + size[(a + 2) % 3] * size[(a + 2) % 3];
        b.inertia[i][a] = b.mass[i] * others / (pose->kind == SHAPE_BOX ? 3 : 5);
    }
    b.held[i] = p->held;
    b.friction[i] = p->friction;
    b.restitution[i] = p->restitution;
    return BW_OK;
}

static enum bw_status init(struct bw_stage *s)
{
    double size[3], volume;
    return size_find(s, s->params, size, &volume);
}

static enum bw_status step(struct bw_stage *s)
{
    const struct params *p = s->params;
    struct state *st = s->state;
    struct pose pose;
    double size[3], volume = 0;
    if (st->started) return BW_OK;
    st->started = 1;
    enum bw_status status = size_find(s, p, size, &volume);
    if (!status) status = shape_pose(s, &p->shape, &pose);
    return status ? status : body_add(s, &pose, size, volume);
}

static enum bw_status checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    struct state *st = s->state;
    return a->bytes(a, "started", &st->started, sizeof st->started);
}

const struct bw_stage_desc body_desc = {
    .id = "body",
    .version = "1.0",
    .brief = "A rigid ball or box.",
    .params_size = sizeof(struct params),
    .state_size = sizeof(struct state),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .step = step,
    .checkpoint = checkpoint,
    .flags = BW_STAGE_RANKS | BW_STAGE_SETUP,
};
