// SPDX-License-Identifier: Apache-2.0
/* body.solid: rigid bodies as obstacles of grid solvers, renders and slices. `solid` is the least of all signed
 * distances, exact within 3 cells of a surface and inside; `solid_vel` the velocity of the nearest body's material on
 * faces up to 2 cells outside; `solid_grip` 1 for no slip. The fields are combined with those of `collide`. */
#include <common/solid_ports.h>
#include "stages.h"

#define BAND 3.0     // cells
#define BAND_VEL 2.0 // cells

struct params {
    int32_t slip;
};

static const struct bw_param params[] = {
    BW_BOOL(struct params, slip, "slip", "yes",
            "Gas of grid solvers slides along the bodies; `no`: it sticks to them."),
};

enum { PORT_BODIES, PORT_SOLID, PORT_VELOCITY, PORT_GRIP };
static const struct bw_port ports[] = {
    [PORT_BODIES] = {.name = "bodies",
                     .kind = BW_PARTICLES,
                     .access = BW_READ,
                     .doc = "The bodies.",
                     .attributes = body_attributes,
                     .n_attributes = BODY_ATTRIBUTES},
    [PORT_SOLID] = SOLID_PORT,
    [PORT_VELOCITY] = SOLID_VEL_PORT,
    [PORT_GRIP] = SOLID_GRIP_PORT,
};

struct plan {
    struct body_arrays b;
    struct pose *pose;
    float grip;
};

/// Index of the body nearest to x, and its distance, m; -1: there is none.
static int64_t nearest(const struct plan *p, const double x[3], double *distance)
{
    int64_t body = -1;
    *distance = SOLID_FAR;
    for (int64_t i = 0; i < p->b.count; i++) {
        double d = pose_distance(&p->pose[i], x);
        if (d < *distance) {
            *distance = d;
            body = i;
        }
    }
    return body;
}

static int block_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    double middle[3], square = 0, d;
    (void)row, (void)reach;
    for (int a = 0; a < 3; a++) {
        middle[a] = block_coord(b, a, 0.5 * b->n[a]);
        square += (double)b->n[a] * b->n[a];
    }
    nearest(user, middle, &d);
    return d < b->grid->h * (0.5 * sqrt(square) + BAND);
}

static void block_write(const struct bw_block *b, void *user)
{
    const struct plan *p = user;
    const struct bw_view *solid = &b->view[0], *vel = &b->view[1], *grip = &b->view[2];
    if (solid->halo < 0) return;
    for (int k = 0; k <= b->n[2]; k++)
        for (int j = 0; j <= b->n[1]; j++)
            for (int i = 0; i <= b->n[0]; i++)
                for (int a = -1; a < 3; a++) { // the centre, then the low faces
                    const int inside[3] = {i < b->n[0] || a == 0, j < b->n[1] || a == 1, k < b->n[2] || a == 2};
                    if (!inside[0] || !inside[1] || !inside[2] || (a >= 0 && a == b->grid->thin)) continue;
                    const double x[3] = {block_coord(b, 0, i + (a == 0 ? 0 : 0.5)),
                                         block_coord(b, 1, j + (a == 1 ? 0 : 0.5)),
                                         block_coord(b, 2, k + (a == 2 ? 0 : 0.5))};
                    double d, u[3];
                    int64_t body = nearest(p, x, &d);
                    if (body < 0 || d >= BAND * b->grid->h) continue;
                    body_velocity(&p->b, body, x, u);
                    if (a >= 0 && d < BAND_VEL * b->grid->h)
                        bw_f32(vel, a)[i + j * vel->sy + k * vel->sz] = (float)u[a];
                    float *f = a < 0 ? bw_f32(solid, 0) + i + j * solid->sy + k * solid->sz : NULL;
                    if (f && d < BAND_VEL * b->grid->h && d < (double)*f)
                        bw_f32(grip, 0)[i + j * grip->sy + k * grip->sz] = p->grip;
                    if (f) *f = fminf(*f, (float)d);
                }
}

static enum bw_status poses_make(struct bw_stage *s, struct plan *p)
{
    p->b = body_arrays(s, s->ports[PORT_BODIES].particles);
    p->grip = ((const struct params *)s->params)->slip ? 0 : 1;
    p->pose = s->host->scratch(s, (size_t)p->b.count * sizeof *p->pose + 1);
    for (int64_t i = 0; p->pose && i < p->b.count; i++) p->pose[i] = body_pose(&p->b, i);
    return p->pose ? BW_OK : BW_ERR_MEMORY;
}

/// Activates tiles round all bodies and along their longest displacement.
static enum bw_status activate(struct bw_stage *s)
{
    struct plan p;
    enum bw_status st = poses_make(s, &p);
    for (int64_t i = 0; i < (st ? 0 : p.b.count) && !st; i++) {
        struct box3 box = pose_bounds(&p.pose[i], BAND * s->grid->h);
        for (int a = 0; a < 3; a++) {
            double displacement = 1.25 * p.b.velocity[i][a] / s->fps;
            box.lo[a] += fmin(displacement, 0);
            box.hi[a] += fmax(displacement, 0);
        }
        st = s->host->activate(s, box.lo, box.hi);
    }
    return st;
}

static enum bw_status step(struct bw_stage *s)
{
    struct plan p;
    enum bw_status st = poses_make(s, &p);
    struct bw_access access[] = {{bw_port_field(s, PORT_SOLID), BW_UPDATE, 0},
                                 {bw_port_field(s, PORT_VELOCITY), BW_UPDATE, 0},
                                 {bw_port_field(s, PORT_GRIP), BW_UPDATE, 0}};
    if (st || !p.b.count) return st;
    return s->host->sweep(
        s, &(struct bw_sweep){.access = access, .n_access = 3, .body = block_write, .reach = block_reach, .user = &p});
}

/* ---- for pictures: BW_OBSTACLE ---- */

static struct bw_field *outline_field(struct bw_stage *s) { return bw_port_field(s, PORT_SOLID); }

static enum bw_status outline_boxes(struct bw_stage *s, void (*box)(const double lo[3], const double hi[3], void *user),
                                    void *user)
{
    struct plan p;
    enum bw_status st = poses_make(s, &p);
    for (int64_t i = 0; i < (st ? 0 : p.b.count); i++) {
        struct box3 b = pose_bounds(&p.pose[i], 0);
        box(b.lo, b.hi, user);
    }
    return st;
}

static enum bw_status outline_distance(struct bw_stage *s, size_t count, const bw_vec3 *pos, double *distance)
{
    struct plan p;
    enum bw_status st = poses_make(s, &p);
    for (size_t i = 0; i < (st ? 0 : count); i++) {
        double d;
        if (nearest(&p, pos[i], &d) >= 0) distance[i] = fmin(distance[i], d);
    }
    return st;
}

static enum bw_status outline_shapes(struct bw_stage *s, void (*shape)(const struct bw_shape *shape, void *user),
                                     void *user)
{
    struct plan p;
    enum bw_status st = poses_make(s, &p);
    for (int64_t i = 0; i < (st ? 0 : p.b.count); i++) {
        struct bw_shape it;
        if (!pose_shape(&p.pose[i], &it)) continue;
        for (int a = 0; a < 3; a++) it.vel[a] = p.b.velocity[i][a], it.spin[a] = p.b.spin[i][a];
        shape(&it, user);
    }
    return st;
}

static const void *extension(const char *id)
{
    static const struct bw_obstacle_api api = {.size = sizeof api,
                                               .field = outline_field,
                                               .boxes = outline_boxes,
                                               .distance = outline_distance,
                                               .shapes = outline_shapes};
    return strcmp(id, BW_OBSTACLE) ? NULL : &api;
}

const struct bw_stage_desc body_solid_desc = {
    .id = "body.solid",
    .version = "1.0",
    .brief = "Rigid bodies as obstacles of grid solvers and renders.",
    .params_size = sizeof(struct params),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .activate = activate,
    .step = step,
    .flags = BW_STAGE_RANKS | BW_STAGE_SETUP,
    .extension = extension,
};
