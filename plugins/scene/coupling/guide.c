// SPDX-License-Identifier: Apache-2.0
/* guide: relaxes the large scales of `vel` towards another flow and leaves the fine ones free.
 *
 * With L the filter that keeps what is larger than `size` (lowpass.c), v the flow to follow and c the coverage of a
 * face by the shape (1 everywhere):  u += c·(1 - exp(-weight·dt))·L(v - u).  Large scales approach v as exp(-weight·t),
 * by any number of substeps; smaller ones keep their energy. Place it before mac.project: the result need not be free
 * of divergence where v is not, or where the shape ends. After Nielsen & Bridson 2011 (guide shapes) and Forootaninia &
 * Narain 2020 (guiding by frequencies). */
#include "stages.h"
#include "lowpass.h"
#include <common/shape/grid_pick.h>
#include <common/shape/shape.h>

#include <common/openvdb/bwvdb.h>
#include <common/ranks.h>
#include <common/tiles.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum guide_to { TO_NOTHING = -1, TO_VELOCITY, TO_MOTION, TO_FILE };

struct to_velocity {
    bw_vec3 velocity;
};
struct to_motion {
    int32_t unused;
};
struct to_file {
    const char *file, *grid;
    int32_t up;
    double scale;
    int64_t offset;
    double speed;
    int32_t outside;
};
struct guide_goal {
    int32_t kind; ///< enum guide_to, or left as it is
    struct to_velocity velocity;
    struct to_motion motion;
    struct to_file vdb;
};
struct guide {
    const char *from;
    struct guide_goal to;
    double weight, size, falloff;
    struct shape shape;
};

static const struct bw_param velocity_rows[] = {
    BW_VEC3(struct to_velocity, velocity, "velocity", "[0, 0, 0]", "m/s", "The velocity to follow."),
};
static const struct bw_param file_rows[] = {
    BW_PATH(struct to_file, file, "file", "A .vdb file; a run of # in its name stands for the frame number.",
            BW_PARAM_REQUIRED),
    BW_STRING(struct to_file, grid, "grid", "vel", "The grid in the file, a vector in m/s."),
    BW_CHOICE(struct to_file, up, "up", "z", "z|y", "Axis that points up in the file."),
    BW_F64(struct to_file, scale, "scale", "1", 1e-6, 1e6, NULL,
           "Lengths of the file are multiplied by it (0.01: the file is in centimetres)."),
    BW_INT(struct to_file, offset, "offset", "0", -1e9, 1e9, "Of a sequence: added to the frame number.",
           BW_PARAM_STATIC),
    BW_F64(struct to_file, speed, "speed", "1", -1e3, 1e3, NULL,
           "Of a sequence: files a frame; velocities are scaled with it.", BW_PARAM_STATIC),
    BW_CHOICE(struct to_file, outside, "outside", "hold", SEQUENCE_OUTSIDE_NAMES,
              "Before the first and after the last file: that file, round again, or no guiding."),
};
static const struct bw_param goal_rows[] = {
    BW_GROUP(struct guide_goal, velocity, struct to_velocity, "constant", velocity_rows, "One velocity everywhere."),
    {.key = "motion",
     .type = BW_PARAM_GROUP,
     .offset = BW_OFFSET(struct guide_goal, motion, struct to_motion),
     .doc = "The motion of the shape itself.",
     .sub_size = sizeof(struct to_motion)},
    BW_GROUP(struct guide_goal, vdb, struct to_file, "vdb", file_rows, "The flow of a finished cache."),
};
static const struct bw_param params[] = {
    BW_STRING(struct guide, from, "from", NULL, "Follow `vel` of this other domain."),
    BW_VARIANT(struct guide, to, struct guide_goal, "to", NULL, goal_rows, "Or follow this."),
    BW_F64(struct guide, weight, "weight", "4 1/s", 0, 1e12, "1/s", "How fast the flow is pulled; 1000: at once."),
    BW_F64(struct guide, size, "size", "0 m", 0, 1e6, "m",
           "Scales larger than this are guided, finer detail stays free; 0, or below 2.3 cells: everything is guided."),
    SHAPE_ROW(struct guide, SHAPE_KINDS + 1, "everywhere", 0, "Where it pulls."),
    BW_F64(struct guide, falloff, "falloff", "0 m", 0, 1e6, "m", "Width of the shape's soft edge; 0: one cell."),
};

enum { PORT_FORCE, PORT_VEL, PORT_GOAL };
static const struct bw_port ports[] = {
    [PORT_FORCE] = BW_FORCE_PORT,
    [PORT_VEL] = {.name = "vel", .kind = BW_MAC, .access = BW_READ, .unit = "m/s", .doc = "The flow that is guided."},
    [PORT_GOAL] = {.name = "vel",
                   .kind = BW_MAC,
                   .access = BW_READ,
                   .unit = "m/s",
                   .doc = "The flow that it follows.",
                   .flags = BW_PORT_OPTIONAL,
                   .domain = "from"},
};

struct state {
    struct shape_state shape; ///< first: shapes look for it there
    struct bwvdb_file *file;
    int32_t grid; ///< -1: the file holds none
    struct grid_pick pick;
    int64_t number;
    struct sequence sequence;
};

/* ---- the goal on the lattice ---- */

struct goal_query {
    const struct guide *p;
    const struct state *st;
    const struct lattice *l;
    const struct bw_sample_api *sample;
    const struct bw_tiles_api *tiles;
    const struct bw_field *field; ///< of the other domain, or NULL
    const struct bw_domain_info *far;
    struct bw_domain *there;
    struct pose before, now;
    double moment;
    double box[2][3]; ///< of the stage's domain, m
};

/* Does x lie in an active tile of the other domain? */
static int domain_has(const struct goal_query *a, const double x[3])
{
    int32_t tile[3];
    for (int i = 0; i < 3; i++) {
        double cell = (x[i] - a->far->origin[i]) / a->far->h;
        if (a->far->n[0] > 0 && (cell < -1e-6 || cell > a->far->n[i] + 1e-6)) return 0;
        if (a->far->n[0] > 0) cell = fmin(fmax(cell, 0), a->far->n[i] - 1);
        if (!(fabs(cell) < 1e9)) return 0;
        tile[i] = tile_coord((int32_t)floor(cell), a->far->tile[i]);
    }
    return a->tiles->find(a->there, tile) >= 0;
}

static int domain_sample(const struct goal_query *a, const double x[3], double out[3])
{
    const bw_vec3 at = {x[0], x[1], x[2]};
    if (!domain_has(a, x)) return 0;
    a->sample->sample(a->field, 1, &at, out);
    return 1;
}

/* Samples the file. 0: it has no value there, which is how zero is read: caches end a few cells beyond the smoke. */
static int file_sample(const struct goal_query *a, const double x[3], double out[3])
{
    const struct to_file *f = &a->p->to.vdb;
    double at[1][3] = {{x[0] / f->scale, (f->up ? x[2] : x[1]) / f->scale, (f->up ? -x[1] : x[2]) / f->scale}}, v[3];
    if (bwvdb_sample(a->st->file, a->st->grid, 1, (const double(*)[3])at, v, NULL)) return 0;
    double gain = f->speed * f->scale;
    out[0] = v[0] * gain;
    out[1] = (f->up ? -v[2] : v[1]) * gain;
    out[2] = (f->up ? v[1] : v[2]) * gain;
    return v[0] != 0 || v[1] != 0 || v[2] != 0;
}

static int goal_sample(const struct goal_query *a, const double x[3], double out[3])
{
    if (a->field) return domain_sample(a, x, out);
    if (a->p->to.kind == TO_FILE) return file_sample(a, x, out);
    if (a->p->to.kind == TO_MOTION) pose_velocity(&a->before, &a->now, a->moment, x, out);
    else memcpy(out, a->p->to.velocity.velocity, sizeof(bw_vec3));
    return 1;
}

/* Position of node `at`, clamped to the box: the last node may lie beyond it. */
static void node_position(const struct goal_query *a, int64_t at, double x[3])
{
    const struct lattice *l = a->l;
    const int64_t q[3] = {at % l->n[0], at / l->n[0] % l->n[1], at / l->n[0] / l->n[1]};
    for (int c = 0; c < 3; c++)
        x[c] = fmin(fmax(l->origin[c] + ((double)l->lo[c] + (double)q[c]) * l->step, a->box[0][c]), a->box[1][c]);
}

static void plane_sample(int64_t plane, uint32_t worker, void *user)
{
    (void)worker;
    const struct goal_query *a = user;
    const struct lattice *l = a->l;
    const int64_t each = (int64_t)l->n[0] * l->n[1];
    for (int64_t at = plane * each; at < (plane + 1) * each; at++) {
        double x[3], v[3];
        node_position(a, at, x);
        l->known[at] = (float)goal_sample(a, x, v);
        for (int c = 0; c < 3 && l->known[at] > 0; c++) l->target[c][at] = (float)v[c];
    }
}

/* Samples the other domain at all nodes, on any rank: its tiles may be remote. */
enum { NODES = 1 << 16 }; ///< at a time
static enum bw_status domain_sample_all(struct bw_stage *s, const struct goal_query *a)
{
    const struct lattice *l = a->l;
    bw_vec3 *pos = s->host->scratch(s, NODES * sizeof *pos), *v = s->host->scratch(s, NODES * sizeof *v);
    enum bw_status status = pos && v ? BW_OK : BW_ERR_MEMORY;
    for (int64_t from = 0, to; !status && from < lattice_count(l); from = to) {
        size_t n = 0;
        for (to = from; to < lattice_count(l) && n < NODES; to++) {
            node_position(a, to, pos[n]);
            l->known[to] = (float)domain_has(a, pos[n]);
            n += l->known[to] > 0;
        }
        status = ranks_sample(s, bw_port_field(s, PORT_GOAL), n, (const bw_vec3 *)pos, v[0]);
        const bw_vec3 *next = (const bw_vec3 *)v;
        for (int64_t at = from; !status && at < to; at++)
            for (int c = 0; c < 3 && l->known[at] > 0; c++) l->target[c][at] = (float)(*next)[c], next += c == 2;
    }
    return status;
}

/* ---- the force ---- */

struct plan {
    const struct lattice *l;        ///< or, where all scales are guided …
    const struct goal_query *query; ///< … the goal itself
    const struct pose *region;
    struct box3 bounds;
    double pull, width;
    double span; ///< s, of the step: bw_stage.span
};

/* Acceleration of a face, of velocity u and acceleration `force` so far. */
static double face_force(const struct plan *a, int axis, const double x[3], double share, double u, double force)
{
    double goal[3];
    if (a->l) return force + share * lattice_difference(a->l, axis, x) / a->span;
    if (!goal_sample(a->query, x, goal)) return force;
    return force + bw_force_towards(goal[axis], share, u, force, a->span);
}

static void faces_force(const struct plan *a, const struct bw_block *b, const struct cells *c, int axis)
{
    const struct bw_view *v = &b->view[0], *w = &b->view[1];
    float *f = bw_f32(v, axis);
    int hi[3] = {c->hi[0], c->hi[1], c->hi[2]};
    if (hi[axis] < b->n[axis] || b->high[axis]) hi[axis]++;
    for (int k = c->lo[2]; k < hi[2]; k++)
        for (int j = c->lo[1]; j < hi[1]; j++)
            for (int i = c->lo[0]; i < hi[0]; i++) {
                const double x[3] = {block_coord(b, 0, i + (axis == 0 ? 0 : 0.5)),
                                     block_coord(b, 1, j + (axis == 1 ? 0 : 0.5)),
                                     block_coord(b, 2, k + (axis == 2 ? 0 : 0.5))};
                double cover = a->region->kind == SHAPE_EVERYWHERE ? 1 : pose_cover(a->region, x, a->width);
                float *force = &f[i + j * v->sy + k * v->sz];
                const double vel = (double)bw_f32(w, axis)[i + j * w->sy + k * w->sz];
                if (cover > 0) *force = (float)face_force(a, axis, x, cover * a->pull, vel, (double)*force);
            }
}

static void body(const struct bw_block *b, void *user)
{
    const struct plan *a = user;
    struct cells c = {{0, 0, 0}, {b->n[0], b->n[1], b->n[2]}};
    if (a->region->kind != SHAPE_EVERYWHERE && !box_cells(&a->bounds, b, &c)) return;
    for (int axis = 0; axis < 3; axis++)
        if (axis != b->grid->thin) faces_force(a, b, &c, axis);
}

/* ---- files ---- */

static enum bw_status file_open(struct bw_stage *s, int64_t number)
{
    const struct to_file *f = &((const struct guide *)s->params)->to.vdb;
    struct state *st = s->state;
    char path[SEQUENCE_PATH];
    struct bwvdb_error error;
    if (st->file && st->number == number) return BW_OK;
    bwvdb_close(st->file);
    st->file = NULL;
    if (!sequence_path(f->file, number, path))
        return s->host->fail(s, BW_ERR_PRESET, "the path %.60s… is too long", f->file);
    enum bwvdb_status bad = bwvdb_open(path, &st->file, &error);
    if (bad) return s->host->fail(s, (enum bw_status)bad, "%s", error.text);
    st->number = number;
    enum bw_status status = grid_pick(s, &st->pick, &st->sequence, f->file, path, st->file, f->grid, &st->grid);
    if (status || st->grid < 0) return status;
    if (bwvdb_grid_info(st->file, st->grid)->comps != 3)
        return s->host->fail(s, BW_ERR_PRESET, "%s: grid \"%s\" holds no vectors", path, f->grid);
    bad = bwvdb_load(st->file, st->grid, &error);
    return bad ? s->host->fail(s, (enum bw_status)bad, "%s", error.text) : BW_OK;
}

/* The file of this frame; none is open afterwards where the sequence is blank. */
static enum bw_status file_select(struct bw_stage *s)
{
    struct state *st = s->state;
    int64_t number = sequence_number(s, &st->sequence, s->frame, 1);
    if (number >= 0) return file_open(s, number);
    bwvdb_close(st->file);
    st->file = NULL;
    return BW_OK;
}

static enum bw_status files_begin(struct bw_stage *s)
{
    const struct to_file *f = &((const struct guide *)s->params)->to.vdb;
    struct state *st = s->state;
    st->sequence = (struct sequence){.offset = f->offset, .speed = f->speed, .outside = f->outside};
    enum bw_status status = sequence_begin(s, f->file, &st->sequence);
    return status ? status : file_select(s);
}

/* ---- callbacks ---- */

static double edge_width(const struct bw_stage *s)
{
    return fmax(((const struct guide *)s->params)->falloff, s->grid->h);
}

static enum bw_status region_ready(struct bw_stage *s, struct pose *pose)
{
    const struct guide *p = s->params;
    if (p->shape.kind == SHAPE_POINTS) return s->host->fail(s, BW_ERR_PRESET, "points are for sources only");
    enum bw_status status = shape_prepare_inside(s, &p->shape, 0.5 * edge_width(s) + s->grid->h);
    return status ? status : shape_pose(s, &p->shape, pose);
}

static enum bw_status init(struct bw_stage *s)
{
    const struct guide *p = s->params;
    const struct bw_field *goal = bw_port_field(s, PORT_GOAL);
    struct pose pose;
    int to = p->to.kind;
    if ((p->from != NULL) == (to >= 0))
        return s->host->fail(s, BW_ERR_PRESET,
                             "say what to follow: either `from` another domain or `to`: {constant, motion "
                             "or vdb}");
    if (p->from && !goal) return s->host->fail(s, BW_ERR_PRESET, "domain %s has no vel to follow", p->from);
    if (goal && s->host->field_info(goal)->domain == s->grid)
        return s->host->fail(s, BW_ERR_PRESET, "domain %s follows itself", p->from);
    if (to == TO_MOTION && p->shape.kind == SHAPE_EVERYWHERE)
        return s->host->fail(s, BW_ERR_PRESET, "`to: motion` follows a shape: give one");
    enum bw_status status = to == TO_FILE ? files_begin(s) : BW_OK;
    return status ? status : region_ready(s, &pose);
}

static enum bw_status poses_find(struct bw_stage *s, struct goal_query *a)
{
    enum bw_status status = region_ready(s, &a->now);
    a->moment = fmin(1e-3 / s->fps, s->dt);
    const struct guide *q = s->host->params_at(s, s->time + s->dt - a->moment);
    if (status) return status;
    return q ? shape_pose(s, &q->shape, &a->before) : BW_ERR_MEMORY;
}

static enum bw_status step(struct bw_stage *s)
{
    const struct guide *p = s->params;
    struct state *st = s->state;
    struct lattice l;
    struct goal_query a = {.p = p,
                           .st = st,
                           .l = &l,
                           .sample = s->host->extension(BW_SAMPLE),
                           .tiles = s->host->extension(BW_TILES),
                           .field = bw_port_field(s, PORT_GOAL)};
    enum bw_status status = p->to.kind == TO_FILE && !a.field ? file_select(s) : BW_OK;
    if (!status && p->to.kind == TO_FILE && !a.field && (!st->file || st->grid < 0)) return BW_OK; // blank
    if (!status) status = poses_find(s, &a);
    int apart = lattice_is_needed(s, p->size);
    if (!status && apart) status = lattice_make(s, p->size, &l);
    if (status) return status;
    if (a.field) {
        a.far = s->host->field_info(a.field)->domain;
        a.there = a.tiles->domain(a.field);
    }
    for (int c = 0; c < 3; c++) {
        a.box[0][c] = s->grid->n[0] > 0 ? s->grid->origin[c] : -HUGE_VAL;
        a.box[1][c] = s->grid->n[0] > 0 ? s->grid->origin[c] + s->grid->n[c] * s->grid->h : HUGE_VAL;
    }
    if (apart) {
        status = lattice_gather(s, bw_port_field(s, PORT_VEL), bw_port_field(s, PORT_FORCE), &l);
        if (!status && a.field) status = domain_sample_all(s, &a);
        else if (!status) s->host->parallel_for(s, l.n[2], plane_sample, &a);
        if (status) return status;
        lattice_filter(s, &l);
    } else if (a.field) {
        status = ranks_fetch_near(s, bw_port_field(s, PORT_GOAL), 2 * a.far->h);
        if (status) return status;
    }
    struct plan plan = {apart ? &l : NULL, &a,     &a.now, {{0}, {0}}, -expm1(-p->weight * s->span),
                        edge_width(s),     s->span};
    if (a.now.kind != SHAPE_EVERYWHERE) plan.bounds = pose_bounds(&a.now, 0.5 * plan.width + s->grid->h);
    const struct bw_access access[] = {{bw_port_field(s, PORT_FORCE), BW_UPDATE_OWN, 0},
                                       {bw_port_field(s, PORT_VEL), BW_READ, 1}};
    return s->host->sweep(s, &(struct bw_sweep){.access = access, .n_access = 2, .body = body, .user = &plan});
}

static void uninit(struct bw_stage *s)
{
    struct state *st = s->state;
    bwvdb_close(st->file);
    st->file = NULL;
}

/* The open file is not stored: file_select() opens it by the frame. */
static enum bw_status checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    return shape_checkpoint(s, a, &((const struct guide *)s->params)->shape);
}

const struct bw_stage_desc scene_guide_desc = {
    .id = "guide",
    .version = "1.0",
    .brief = "Pulls the large scales of the flow towards another: a cache, a domain, a motion.",
    .references = "Nielsen & Bridson 2011; Forootaninia & Narain 2020",
    .params_size = sizeof(struct guide),
    .state_size = sizeof(struct state),
    .flags = BW_STAGE_RANKS,
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .step = step,
    .uninit = uninit,
    .checkpoint = checkpoint,
};
