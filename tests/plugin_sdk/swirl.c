// SPDX-License-Identifier: Apache-2.0
/* swirl: spins the flow up round an axis, with a Gaussian reach:
 *     dv/dt = S (a x r) exp(-|r|^2 / R^2),   r measured from the centre, a the unit axis.
 * A body force, applied over one step at the faces of the MAC grid; second order in space, first in time, no limit on
 * dt. An example of a stage that lives outside Billow's tree: it needs the installed headers and nothing else. What it
 * has given at the axis so far (metric `given`, 1/s) it knows from its earlier steps: checkpoints keep such a plain
 * state, as its flag says, and a bake that is killed goes on counting. */
#include <billow/plugin.h>
#include <math.h>

struct swirl {
    double strength, radius;
    bw_vec3 center, axis;
};

static const struct bw_param params[] = {
    BW_F64(struct swirl, strength, "strength", "10 1/s^2", -1e6, 1e6, "1/s^2", "Angular acceleration at the axis."),
    BW_F64(struct swirl, radius, "radius", "20 cm", 0, 1e6, "m", "Distance at which the force has fallen to 1/e.",
           BW_PARAM_MIN_OPEN),
    BW_VEC3(struct swirl, center, "center", "[0, 0, 0.5]", "m", "A point on the axis, where the force is centred."),
    BW_VEC3(struct swirl, axis, "axis", "[0, 0, 1]", NULL, "Direction of the axis; its length does not matter."),
};

enum { PORT_VEL };
static const struct bw_port ports[] = {
    {.name = "vel", .kind = BW_MAC, .access = BW_UPDATE, .unit = "m/s", .doc = "The flow that is spun up."},
};

struct state {
    double given; ///< 1/s: the axis' angular velocity, had the gas been alone there
};

struct swirl_step {
    double axis[3], center[3], gain, inverse_radius2;
};

/* Force on component a at world position x, already times dt. */
static double swirl_at(const struct swirl_step *s, int a, const double x[3])
{
    double r[3], r2 = 0;
    for (int c = 0; c < 3; c++) {
        r[c] = x[c] - s->center[c];
        r2 += r[c] * r[c];
    }
    int b = (a + 1) % 3, c = (a + 2) % 3;
    return s->gain * (s->axis[b] * r[c] - s->axis[c] * r[b]) * exp(-r2 * s->inverse_radius2);
}

/* Component a lives on low faces: half a cell below the centre along a; its last plane closes the block. */
static void component_spin(const struct bw_block *b, const struct swirl_step *s, int a)
{
    const struct bw_view *v = &b->view[0];
    double h = b->grid->h, x[3];
    int n[3];
    float *u = bw_f32(v, a);
    for (int c = 0; c < 3; c++) n[c] = b->n[c] + (c == a);
    for (int k = 0; k < n[2]; k++) {
        for (int j = 0; j < n[1]; j++) {
            for (int i = 0; i < n[0]; i++) {
                int at[3] = {i, j, k};
                for (int c = 0; c < 3; c++) x[c] = b->corner[c] + (at[c] + (c == a ? 0.0 : 0.5)) * h;
                u[i + j * v->sy + k * v->sz] += (float)swirl_at(s, a, x);
            }
        }
    }
}

static void block_spin(const struct bw_block *b, void *user)
{
    for (int a = 0; a < 3; a++) {
        if (a != b->grid->thin) component_spin(b, user, a);
    }
}

static enum bw_status swirl_step(struct bw_stage *stage)
{
    const struct swirl *p = stage->params;
    double length = sqrt(p->axis[0] * p->axis[0] + p->axis[1] * p->axis[1] + p->axis[2] * p->axis[2]);
    if (!(length > 0)) return stage->host->fail(stage, BW_ERR_PRESET, "axis is [0, 0, 0]; it has to point somewhere");
    struct state *sum = stage->state;
    sum->given += p->strength * stage->dt;
    stage->host->metric(stage, "given", sum->given, BW_METRIC_LAST);
    struct swirl_step s = {.gain = p->strength * stage->dt, .inverse_radius2 = 1 / (p->radius * p->radius)};
    for (int c = 0; c < 3; c++) {
        s.axis[c] = p->axis[c] / length;
        s.center[c] = p->center[c];
    }
    struct bw_access access[] = {{bw_port_field(stage, PORT_VEL), BW_UPDATE, 0}};
    struct bw_sweep sweep = {.access = access, .n_access = 1, .body = block_spin, .user = &s};
    return stage->host->sweep(stage, &sweep);
}

static const struct bw_stage_desc swirl = {
    .id = "swirl",
    .version = "1.0",
    .brief = "Spins the flow up round an axis.",
    .params_size = sizeof(struct swirl),
    .state_size = sizeof(struct state),
    .flags = BW_STAGE_PLAIN_STATE,
    BW_PARAMS(params),
    BW_PORTS(ports),
    .step = swirl_step,
};
static const struct bw_stage_desc *const stages[] = {&swirl};

BW_EXPORT const struct bw_module billow_module = BW_MODULE(stages);
