// SPDX-License-Identifier: Apache-2.0
/* collide: obstacles, static or animated by keyframes and expressions, as a signed distance that other stages read.
 *
 * solid = min(solid, distance) over all obstacles, exact within 3 cells of a surface and inside; further out a block
 * keeps the background, 1000 m. A wall between two cell centres that contains neither would be lost: the nearer cell is
 * made solid, so a wall of any thickness acts as if it were a cell thick. solid and solid_vel are cleared before each
 * step, so a moving obstacle leaves no trace. solid_vel is the velocity of the obstacle's material (translation,
 * rotation), on faces less than 2 cells outside and on all inside, and that of its surface where it grows; where
 * obstacles overlap, the nearer one's.
 * So is solid_grip, 1 for no slip, 0 for free slip, which mac.project applies; the boundary layer's thickness follows
 * from mac.diffuse's viscosity. */
#include "stages.h"
#include <common/shape/shape.h>
#include <common/solid_ports.h>

#include <math.h>
#include <string.h>

#define BAND 3             // cells
#define BAND_VEL 2         // cells
#define DEEP_BEND 4        // d lap d: far inside a shape it means nothing
#define MAX_DISPLACEMENT 4 // of an obstacle in a step, cells
#define JUMP .75 // an obstacle jumps that makes this fraction of a step's displacement in a thousandth of a frame

enum collide_wake { WAKE_AUTO, WAKE_ALWAYS, WAKE_NEVER };

struct collide {
    struct shape shape;
    int32_t clear, wake, slip;
};

static const struct bw_param params[] = {
    SHAPE_ROW(struct collide, SHAPE_SOLIDS, NULL, BW_PARAM_REQUIRED, "The obstacle."),
    BW_BOOL(struct collide, clear, "clear", "true",
            "Remove smoke and other advected amounts inside, deeper than one cell at the start and the end of a step."),
    BW_BOOL(struct collide, slip, "slip", "true", "Gas slides along the obstacle; `no`: it sticks to it."),
    BW_CHOICE(struct collide, wake, "wake", "auto", "auto|always|never",
              "Whether cells round the obstacle are computed although no smoke is there: auto means while it moves."),
};

enum { PORT_SOLID, PORT_SOLID_VEL, PORT_SOLID_GRIP, PORT_CLEAR };
static const struct bw_port ports[] = {
    [PORT_SOLID] = SOLID_PORT,
    [PORT_SOLID_VEL] = SOLID_VEL_PORT,
    [PORT_SOLID_GRIP] = SOLID_GRIP_PORT,
    [PORT_CLEAR] = {.name = "clear",
                    .kind = BW_SCALAR,
                    .access = BW_UPDATE,
                    .doc = "What is removed inside.",
                    .flags = BW_PORT_LIST | BW_PORT_ADVECTED | BW_PORT_OPTIONAL | BW_PORT_NO_CREATE,
                    .kinds = BW_KIND_BIT(BW_SCALAR) | BW_KIND_BIT(BW_VECTOR)},
};

struct state {
    struct shape_state shape; ///< first: the shape's functions take the stage's state for it
    int32_t told;             ///< that it moves too far in a step
};

struct plan {
    struct pose start, before, now; ///< at the step's start, a moment before its end, at its end
    double moment;                  ///< s between the two
    struct pose rigid;              ///< `before`, with the form of `now`
    int grows;                      ///< the form changes
    double h, deep;                 ///< a cell; one of the flow, which cells less deep may be open to
    float grip;
    const struct bw_field_info **cleared;
    uint32_t n_cleared;
};

/* Is the whole block further from the surface than `band` metres, outside? */
static int block_far(const struct plan *a, const struct bw_block *b, double band)
{
    double middle[3], square = 0;
    for (int i = 0; i < 3; i++) {
        middle[i] = block_coord(b, i, 0.5 * b->n[i]);
        square += (double)b->n[i] * b->n[i];
    }
    return pose_distance(&a->now, middle) > 0.5 * a->h * sqrt(square) + band;
}

/* Blocks far from the obstacle keep what they have. */
static int velocity_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    (void)row, (void)reach;
    return !block_far(user, b, BAND_VEL * ((const struct plan *)user)->h);
}

static int solid_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    (void)row, (void)reach;
    return !block_far(user, b, BAND * ((const struct plan *)user)->h);
}

/* Adds what growth gives the surface, along its normal, to u at x. A projection's cut cells sum it over whole faces,
 * which lie up to a cell inside, so it is continued there as a flow without sources: with the distance d and its
 * curvature k = lap d, areas along the normals are as (1 - d k/2)², lengths in 2D as 1 - d k, exact for planes, balls
 * and discs. (With the material's own growth, which is less inside, a ball of 4 cells pushed half of what it gained
 * away.) */
static void growth_add(const struct plan *a, int thin, const double x[3], double d, double u[3])
{
    const double e = a->h;
    double on[3] = {x[0], x[1], x[2]}, normal[3] = {0}, whole[3], moved[3], bend = 0, square = 0, outward = 0;
    for (int q = 0; q < 3; q++) {
        double to[3] = {x[0], x[1], x[2]}, side[2];
        for (int s = 0; s < 2; s++) {
            to[q] = x[q] + (s ? e : -e);
            side[s] = pose_distance(&a->now, to);
        }
        if (q == thin) continue;
        normal[q] = (side[1] - side[0]) / (2 * e);
        bend += (side[0] + side[1] - 2 * d) * d / (e * e);
        square += normal[q] * normal[q];
    }
    if (!(square > 0)) return;
    bend = fmax(-DEEP_BEND, fmin(bend, 1));
    const double area = thin >= 0 ? 1 - bend : (1 - bend / 2) * (1 - bend / 2);
    for (int q = 0; q < 3; q++) on[q] -= d * normal[q] / sqrt(square);
    pose_velocity(&a->before, &a->now, a->moment, on, whole);
    pose_velocity(&a->rigid, &a->now, a->moment, on, moved);
    for (int q = 0; q < 3; q++) outward += (whole[q] - moved[q]) * normal[q];
    for (int q = 0; q < 3; q++) u[q] += area * outward * normal[q] / square;
}

/* The nearer obstacle's velocity: view 0 is `solid` as other obstacles left it, with a halo. */
static void velocity_body(const struct bw_block *b, void *user)
{
    const struct plan *a = user;
    const struct bw_view *solid = &b->view[0], *vel = &b->view[1];
    if (vel->halo < 0) return;
    const ptrdiff_t back[3] = {1, solid->sy, solid->sz};
    for (int axis = 0; axis < 3; axis++) {
        if (axis == b->grid->thin) continue;
        const double at[3] = {axis == 0 ? 0 : 0.5, axis == 1 ? 0 : 0.5, axis == 2 ? 0 : 0.5};
        const int n[3] = {b->n[0] + (axis == 0), b->n[1] + (axis == 1), b->n[2] + (axis == 2)};
        for (int k = 0; k < n[2]; k++)
            for (int j = 0; j < n[1]; j++)
                for (int i = 0; i < n[0]; i++) {
                    const double x[3] = {block_coord(b, 0, i + at[0]), block_coord(b, 1, j + at[1]),
                                         block_coord(b, 2, k + at[2])};
                    const float *cell = bw_f32(solid, 0) + i + j * solid->sy + k * solid->sz;
                    double d = pose_distance(&a->now, x), other = 0.5 * ((double)cell[-back[axis]] + (double)cell[0]),
                           own[3];
                    if (d >= BAND_VEL * a->h || d > other) continue;
                    pose_velocity(&a->rigid, &a->now, a->moment, x, own);
                    if (a->grows) growth_add(a, b->grid->thin, x, d, own);
                    bw_f32(vel, axis)[i + j * vel->sy + k * vel->sz] = (float)own[axis];
                }
    }
}

static void cell_clear(const struct plan *a, const struct bw_block *b, int i, int j, int k)
{
    for (uint32_t q = 0; q < a->n_cleared; q++) {
        const struct bw_view *v = &b->view[2 + q];
        for (int c = 0; c < v->comps; c++) bw_put(v, c, i + j * v->sy + k * v->sz, a->cleared[q]->background[c]);
    }
}

/* Sphere tracing from cell centre x, at distance d outside, to the next centre along an axis, at distance `far`: is
 * there a surface between them? The sign of `direction` is that of the step along the axis. */
static int wall_between(const struct plan *a, const double x[3], int axis, double direction, double d, double far)
{
    double p[3] = {x[0], x[1], x[2]}, gone = 0;
    for (int i = 0; i < 16 && d > 1e-3 * a->h; i++) {
        gone += d;
        if (gone + far >= a->h) return 0;
        p[axis] = x[axis] + copysign(gone, direction);
        d = pose_distance(&a->now, p);
    }
    return d <= 1e-3 * a->h;
}

/* Distance at a centre; where a wall thinner than a cell separates it from a neighbour that is further off,
 * negative. */
static double distance_held(const struct plan *a, int thin, const double x[3])
{
    const double d = pose_distance(&a->now, x);
    double held = d;
    for (int side = 0; side < 6 && d > 0 && d < 0.5 * a->h; side++) {
        const int axis = side >> 1, low = side & 1;
        double next[3] = {x[0], x[1], x[2]};
        if (axis == thin) continue;
        next[axis] += low ? -a->h : a->h;
        const double far = pose_distance(&a->now, next);
        if (far < d || (far == d && low) || d + far >= a->h) continue;
        if (wall_between(a, x, axis, next[axis] - x[axis], d, far))
            held = fmin(held, fmin(0.5 * (d - far), -1e-3 * a->h));
    }
    return held;
}

static void solid_body(const struct bw_block *b, void *user)
{
    const struct plan *a = user;
    const struct bw_view *solid = &b->view[0], *grip = &b->view[1];
    if (solid->halo < 0) return;
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++)
            for (int i = 0; i < b->n[0]; i++) {
                const double x[3] = {block_coord(b, 0, i + 0.5), block_coord(b, 1, j + 0.5),
                                     block_coord(b, 2, k + 0.5)};
                double d = distance_held(a, b->grid->thin, x);
                float *f = bw_f32(solid, 0) + i + j * solid->sy + k * solid->sz;
                if (d < BAND_VEL * a->h && d < (double)*f) bw_f32(grip, 0)[i + j * grip->sy + k * grip->sz] = a->grip;
                *f = fminf(*f, (float)d);
                /* cells covered in this step only: advection has yet to move their gas */
                if (d < -a->deep && pose_distance(&a->start, x) < -a->deep) cell_clear(a, b, i, j, k);
            }
}

/* The shape as the parameters stand. */
static enum bw_status shape_ready(struct bw_stage *s, struct pose *now)
{
    const struct collide *p = s->params;
    enum bw_status status = shape_prepare_inside(s, &p->shape, BAND * s->grid->h);
    if (!status && p->shape.kind == SHAPE_VDB && ((const struct state *)s->state)->shape.vdb.fog)
        return s->host->fail(s, BW_ERR_PRESET,
                             "grid \"%s\" of %s is a fog volume, which has no surface; an obstacle "
                             "needs a level set",
                             p->shape.vdb.grid, p->shape.vdb.file);
    return status ? status : shape_pose(s, &p->shape, now);
}

static enum bw_status pose_at(struct bw_stage *s, double time, struct pose *pose)
{
    const struct collide *p = s->host->params_at(s, time);
    return p ? shape_pose(s, &p->shape, pose) : BW_ERR_MEMORY;
}

/* The pose at the end of the step (outside of step: as the parameters stand), a moment earlier, and at its start. */
static enum bw_status poses_find(struct bw_stage *s, struct plan *a)
{
    enum bw_status status = shape_ready(s, &a->now);
    a->moment = 1e-3 / s->fps;
    a->h = s->grid->h;
    a->deep = a->h * s->flow_cells;
    if (!status) status = pose_at(s, s->time + s->dt - a->moment, &a->before);
    return status ? status : pose_at(s, s->time, &a->start);
}

static enum bw_status init(struct bw_stage *s)
{
    struct pose pose;
    return shape_ready(s, &pose);
}

static enum bw_status activate(struct bw_stage *s)
{
    const struct collide *p = s->params;
    struct pose now, start;
    if (p->wake == WAKE_NEVER || s->flow) return BW_OK;
    enum bw_status status = shape_ready(s, &now);
    if (!status) status = pose_at(s, s->time, &start);
    if (status || (p->wake == WAKE_AUTO && !pose_moved(&start, &now))) return status;
    struct box3 box = pose_bounds(&now, BAND * s->grid->h);
    return s->host->activate(s, box.lo, box.hi);
}

/* Union of the distance, and the removal of what is inside. */
static enum bw_status solid_write(struct bw_stage *s, struct plan *a)
{
    const struct bw_bound *clear = &s->ports[PORT_CLEAR];
    a->n_cleared = ((const struct collide *)s->params)->clear ? clear->count : 0;
    struct bw_access *access = s->host->scratch(s, (2 + a->n_cleared) * sizeof *access);
    a->cleared = s->host->scratch(s, (1 + a->n_cleared) * sizeof *a->cleared);
    if (!access || !a->cleared) return BW_ERR_MEMORY;
    access[0] = (struct bw_access){bw_port_field(s, PORT_SOLID), BW_UPDATE, 0};
    access[1] = (struct bw_access){bw_port_field(s, PORT_SOLID_GRIP), BW_UPDATE, 0};
    a->grip = ((const struct collide *)s->params)->slip ? 0 : 1;
    for (uint32_t i = 0; i < a->n_cleared; i++) {
        access[2 + i] = (struct bw_access){clear->fields[i], BW_UPDATE, 0};
        a->cleared[i] = s->host->field_info(clear->fields[i]);
    }
    return s->host->sweep(
        s, &(struct bw_sweep){
               .access = access, .n_access = 2 + a->n_cleared, .body = solid_body, .reach = solid_reach, .user = a});
}

/* ---- time step --------------------------------------------------------------------------------------------------- */

/* The time for MAX_DISPLACEMENT cells where the obstacle is fastest in the coming frame, found by bisection: gas that
 * it passes over within a step is not pushed. Jumps do not limit the step. */
static double max_dt(struct bw_stage *s)
{
    struct pose from, middle, to;
    double start = s->time, span = 1 / s->fps, fastest = 0, whole = 0;
    if (s->flow || shape_ready(s, &from) || pose_at(s, start, &from) || pose_at(s, start + span, &to)) return HUGE_VAL;
    for (int part = 0; part < 10; part++) {
        span /= 2;
        if (pose_at(s, start + span, &middle)) return HUGE_VAL;
        const double first = pose_displacement(&from, &middle, span), second = pose_displacement(&middle, &to, span);
        if (part == 0) whole = first + second;
        if (whole <= MAX_DISPLACEMENT * s->grid->h) return HUGE_VAL;
        fastest = fmax(first, second);
        if (first >= second) {
            to = middle;
        } else {
            from = middle;
            start += span;
        }
    }
    return fastest > JUMP * whole ? HUGE_VAL : MAX_DISPLACEMENT * s->grid->h * span / fastest;
}

/* An obstacle that jumps at the step's end gets no velocity. Warns once where steps are too long for a moving one. */
static void motion_check(struct bw_stage *s, struct plan *a)
{
    struct state *st = s->state;
    const double last = pose_displacement(&a->before, &a->now, a->moment),
                 rest = pose_displacement(&a->start, &a->before, s->dt),
                 cells = pose_displacement(&a->start, &a->now, s->dt) / a->h;
    if (s->dt > 10 * a->moment && last > JUMP * (last + rest)) a->before = a->now;
    if (s->dt <= 0 || cells <= 2 * MAX_DISPLACEMENT || st->told) return;
    st->told = 1;
    const int turns = memcmp(a->start.axis, a->now.axis, sizeof a->now.axis) != 0;
    s->host->log(
        s, BW_LOG_WARNING,
        "the obstacle is %.0f cells farther after one step: what lies between is not pushed; give time.substeps "
        "more, or auto, and move it by keys with `ease: linear` or `smooth`, not `hold`%s",
        cells, turns ? "; expressions of `rotate` are in radians" : "");
}

static void growth_find(struct plan *a)
{
    a->rigid = a->before;
    memcpy(a->rigid.half, a->now.half, sizeof a->now.half);
    a->rigid.radius = a->now.radius;
    a->rigid.minor = a->now.minor;
    a->rigid.scale = a->now.scale;
    a->grows = memcmp(&a->rigid, &a->before, sizeof a->before) != 0;
}

static enum bw_status step(struct bw_stage *s)
{
    struct plan a;
    enum bw_status status = poses_find(s, &a);
    if (!status) motion_check(s, &a);
    if (!status) growth_find(&a);
    if (!status && pose_moved(&a.before, &a.now)) {
        struct bw_access access[] = {{bw_port_field(s, PORT_SOLID), BW_READ, 1},
                                     {bw_port_field(s, PORT_SOLID_VEL), BW_UPDATE, 0}};
        status = s->host->sweep(
            s, &(struct bw_sweep){
                   .access = access, .n_access = 2, .body = velocity_body, .reach = velocity_reach, .user = &a});
    }
    return status ? status : solid_write(s, &a);
}

/* ---- for pictures, and where no tile is active: BW_OBSTACLE ---- */

static struct bw_field *outline_field(struct bw_stage *s) { return bw_port_field(s, PORT_SOLID); }

static enum bw_status outline_boxes(struct bw_stage *s, void (*box)(const double lo[3], const double hi[3], void *user),
                                    void *user)
{
    struct pose now;
    enum bw_status status = shape_ready(s, &now);
    if (status) return status;
    struct box3 b = pose_bounds(&now, 0);
    box(b.lo, b.hi, user);
    return BW_OK;
}

struct outline {
    struct plan plan;
    int thin;
    size_t count;
    const bw_vec3 *pos;
    double *distance;
};

enum { OUTLINE_CHUNK = 1024 };

static void outline_chunk(int64_t chunk, uint32_t worker, void *user)
{
    const struct outline *o = user;
    (void)worker;
    for (size_t i = (size_t)chunk * OUTLINE_CHUNK; i < o->count && i < (size_t)(chunk + 1) * OUTLINE_CHUNK; i++)
        o->distance[i] = fmin(o->distance[i], distance_held(&o->plan, o->thin, o->pos[i]));
}

static enum bw_status outline_distance(struct bw_stage *s, size_t count, const bw_vec3 *pos, double *distance)
{
    struct outline o = {.thin = s->grid->thin, .count = count, .pos = pos, .distance = distance};
    enum bw_status status = poses_find(s, &o.plan);
    if (!status) s->host->parallel_for(s, (int64_t)((count + OUTLINE_CHUNK - 1) / OUTLINE_CHUNK), outline_chunk, &o);
    return status;
}

/* Velocity by a one-sided difference, on the side of the smaller displacement: a jump lies on the other. */
static enum bw_status moves_find(struct bw_stage *s, struct bw_shape *it)
{
    const double moment = 1e-3 / s->fps, time = s->time + s->dt;
    struct pose before, now, after;
    enum bw_status status = pose_at(s, time - moment, &before);
    if (!status) status = pose_at(s, time, &now);
    if (!status) status = pose_at(s, time + moment, &after);
    if (status) return status;
    if (pose_displacement(&before, &now, moment) <= pose_displacement(&now, &after, moment))
        pose_shape_moves(&before, &now, moment, it);
    else pose_shape_moves(&now, &after, moment, it);
    return BW_OK;
}

static enum bw_status outline_shapes(struct bw_stage *s, void (*shape)(const struct bw_shape *shape, void *user),
                                     void *user)
{
    const struct collide *p = s->params;
    struct pose now;
    struct bw_shape it;
    enum bw_status status = shape_prepare(s, &p->shape, SHAPE_SURFACE);
    if (!status) status = shape_pose(s, &p->shape, &now);
    if (status || !pose_shape(&now, &it)) return status;
    status = moves_find(s, &it);
    if (!status) shape(&it, user);
    return status;
}

static const void *extension(const char *id)
{
    static const struct bw_obstacle_api api = {.size = sizeof api,
                                               .flags = BW_OBSTACLE_PLACED,
                                               .field = outline_field,
                                               .boxes = outline_boxes,
                                               .distance = outline_distance,
                                               .shapes = outline_shapes};
    return strcmp(id, BW_OBSTACLE) ? NULL : &api;
}

static enum bw_status checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    return shape_checkpoint(s, a, &((const struct collide *)s->params)->shape);
}

const struct bw_stage_desc scene_collide_desc = {
    .id = "collide",
    .version = "1.0",
    .brief = "Puts an obstacle, still or moving, into the flow.",
    .params_size = sizeof(struct collide),
    .state_size = sizeof(struct state),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .activate = activate,
    .max_dt = max_dt,
    .flags = BW_STAGE_RANKS | BW_STAGE_SPLITS | BW_STAGE_SETUP, // the first frame shows it already
    .step = step,
    .extension = extension,
    .checkpoint = checkpoint,
};
