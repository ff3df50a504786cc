// SPDX-License-Identifier: Apache-2.0
/* tracers: passive particles that show the flow. A shape is filled with them on a jittered lattice whose spacing
 * follows from `count`, so that their smoke is even to start with; with a `rate` it goes on giving out at random
 * places, so many shapes full a second. Each carries an amount of smoke, density times the volume it stands for, and a
 * colour; with `threads` they are drawn together to lines (threads.c). They move with vorton.advect where there is one,
 * else here, along every evaluator and the grid fields of `flow`. */
#include "particle_advection.h"
#include "threads.h"
#include <common/number/whole.h>
#include <common/shape/shape.h>
#include <math.h>
#include <string.h>

/* Points of a lattice, and tracers a step, that are worth to begin with; numbers that a double counts one by one. */
#define LATTICE_MAX 1e9
#define NUMBER_MAX 9e15

struct params {
    struct shape shape;
    int64_t count;
    double rate, density, life, limit;
    bw_vec3 colour;
    int32_t scheme;
    struct bw_list flow;
    struct threads threads;
};

static const struct bw_param flow_row[] = {
    {.type = BW_PARAM_FIELD, .offset = 0, .doc = "A velocity field's name.", .flags = BW_PARAM_STATIC},
};

static const struct bw_param params[] = {
    SHAPE_ROW(struct params, SHAPE_SOLIDS, NULL, BW_PARAM_REQUIRED, "Where they are born."),
    BW_INT(struct params, count, "count", "200000", 1, LATTICE_MAX, "How many fill the shape, about."),
    BW_F64(struct params, rate, "rate", "0 1/s", 0, 1e6, "1/s", "Shapes full a second; 0: one, at the start."),
    BW_F64(struct params, density, "density", "1", 0, 1e6, NULL, "Smoke density of the shape when it is full."),
    BW_COLOUR(struct params, colour, "colour", "[1, 1, 1]", "Of their smoke."),
    BW_GROUP(struct params, threads, struct threads, "threads", threads_rows,
             "They are drawn together to fine lines, which the flow winds and stretches."),
    BW_F64(struct params, life, "life", "0 s", 0, 1e9, "s", "Tracers older than this are removed; 0: never."),
    BW_F64(struct params, limit, "limit", "1e4 m", 1e-3, 1e9, "m",
           "Tracers further from the origin are removed, and counted."),
    BW_CHOICE(struct params, scheme, "scheme", "rk2", ADVECTION_SCHEMES,
              "Order of the integration in time, where no vorton.advect advects them."),
    BW_LIST(struct params, flow, const char *, "flow", flow_row,
            "Grid fields (m/s) that advect them, such as vel; likewise."),
};

enum { PORT_TRACERS, PORT_FLOW };
static const struct bw_port ports[] = {
    [PORT_TRACERS] = {.name = "tracers",
                      .kind = BW_PARTICLES,
                      .access = BW_UPDATE,
                      .doc = "The tracers.",
                      .attributes = tracer_attributes,
                      .n_attributes = BW_COUNT(tracer_attributes)},
    [PORT_FLOW] = {.name = "flow",
                   .kind = BW_MAC,
                   .access = BW_READ,
                   .doc = "Grid velocities.",
                   .flags = BW_PORT_LIST,
                   .kinds = BW_KIND_BIT(BW_MAC) | BW_KIND_BIT(BW_VECTOR),
                   .from = "flow"},
};

struct state {
    struct shape_state shape; ///< first: what shapes expect
    int32_t started;
    double volume; ///< of the shape, m³; 0: not yet known
};

/// Cells of the lattice along each axis. 0: more than LATTICE_MAX of them, as of a box that is far longer than wide.
static int lattice_cells(const struct box3 *box, double spacing, int64_t n[3])
{
    double all = 1;
    for (int a = 0; a < 3; a++) all *= ceil((box->hi[a] - box->lo[a]) / spacing);
    for (int a = 0; a < 3 && all <= LATTICE_MAX; a++) n[a] = (int64_t)ceil((box->hi[a] - box->lo[a]) / spacing);
    return all <= LATTICE_MAX;
}

/// Lattice points of `spacing` in the shape, jittered; `out` NULL: only how many. Negative: a status, said.
static int64_t lattice_fill(struct bw_stage *s, const struct pose *pose, double spacing, bw_vec3 *out, int64_t most)
{
    struct box3 box = pose_bounds(pose, 0);
    int64_t n[3], found = 0, number = 0;
    if (!lattice_cells(&box, spacing, n))
        return s->host->fail(
            s, BW_ERR_PRESET,
            "more than %g places %g m from each other fill the shape's box: a lower `count` or another shape "
            "is wanted",
            LATTICE_MAX, spacing);
    for (int64_t k = 0; k < n[2]; k++)
        for (int64_t j = 0; j < n[1]; j++) {
            if (s->host->cancelled(s)) return BW_ERR_CANCELLED;
            for (int64_t i = 0; i < n[0]; i++, number++) {
                const int64_t at[3] = {i, j, k};
                double x[3];
                for (int a = 0; a < 3; a++)
                    x[a] = box.lo[a] + spacing * ((double)at[a] + bw_rng_unit(s->seed, (uint64_t)(3 * number + a)));
                if (pose_cover(pose, x, 1e-6) < 0.5) continue;
                if (out && found == most) return found;
                if (out) memcpy(out[found], x, sizeof x);
                found++;
            }
        }
    return found;
}

/// m³, to half a percent: counted on about 200 000 points. Errors are reported.
static enum bw_status shape_volume(struct bw_stage *s, const struct pose *pose, double *volume)
{
    struct box3 box = pose_bounds(pose, 0);
    double all = 1;
    for (int a = 0; a < 3; a++) all *= box.hi[a] - box.lo[a];
    double spacing = cbrt(all / 2e5);
    int64_t found = all > 0 && spacing > 0 ? lattice_fill(s, pose, spacing, NULL, 0) : 0;
    *volume = (double)found * spacing * spacing * spacing;
    if (found < 0) return (enum bw_status)found;
    return *volume > 0 && isfinite(*volume)
               ? BW_OK
               : s->host->fail(s, BW_ERR_PRESET, "the shape has no inside to fill with tracers");
}

/// The i-th of all that are ever given out: a random place in the shape.
static int random_place(const struct bw_stage *s, const struct pose *pose, uint64_t i, double x[3])
{
    struct box3 box = pose_bounds(pose, 0);
    for (uint64_t attempt = 0; attempt < 1000; attempt++) {
        for (int a = 0; a < 3; a++)
            x[a] =
                box.lo[a] + (box.hi[a] - box.lo[a]) * bw_rng_unit(s->seed ^ bw_mix64(i + 1), 3 * attempt + (uint64_t)a);
        if (pose_cover(pose, x, 1e-6) >= 0.5) return 1;
    }
    return 0;
}

/// The shape full, on a lattice.
static enum bw_status places_fill(struct bw_stage *s, const struct pose *pose, double spacing, bw_vec3 **out,
                                  int64_t *count)
{
    *count = lattice_fill(s, pose, spacing, NULL, 0);
    if (*count < 0) return (enum bw_status) * count;
    *out = s->host->scratch(s, (size_t)*count * sizeof **out + 1);
    if (!*out) return s->host->fail(s, BW_ERR_MEMORY, "out of memory for %lld tracers", (long long)*count);
    int64_t again = lattice_fill(s, pose, spacing, *out, *count);
    return again < 0 ? (enum bw_status)again : BW_OK;
}

/// Those of this step, at random.
static enum bw_status places_draw(struct bw_stage *s, const struct pose *pose, bw_vec3 **out, int64_t *count)
{
    const struct params *p = s->params;
    double a_second = p->rate * (double)p->count, last = (s->time + s->dt) * a_second;
    if (!(last < NUMBER_MAX && s->time * a_second > -NUMBER_MAX) || s->dt * a_second > LATTICE_MAX)
        return s->host->fail(s, BW_ERR_PRESET, "rate times count, %g tracers a second, is more than can be made",
                             a_second);
    const int64_t first = whole_below(s->time * a_second); // below 0 before the first frame
    *count = whole_below(last) - first;
    *out = s->host->scratch(s, (size_t)*count * sizeof **out + 1);
    if (!*out) return s->host->fail(s, BW_ERR_MEMORY, "out of memory for %lld tracers", (long long)*count);
    for (int64_t i = 0; i < *count; i++) {
        if (i % 1024 == 0 && s->host->cancelled(s)) return BW_ERR_CANCELLED;
        if (!random_place(s, pose, (uint64_t)(first + i), (*out)[i]))
            return s->host->fail(s, BW_ERR_PRESET, "the shape fills too little of its box to be hit at random");
    }
    return BW_OK;
}

/// New places in scratch memory. Errors are reported.
static enum bw_status places_make(struct bw_stage *s, const struct pose *pose, bw_vec3 **out, int64_t *count,
                                  double *volume_each)
{
    const struct params *p = s->params;
    struct state *st = s->state;
    enum bw_status status = st->volume > 0 ? BW_OK : shape_volume(s, pose, &st->volume);
    if (status) return status;
    double spacing = cbrt(st->volume / (double)p->count);
    *volume_each = spacing * spacing * spacing;
    return p->rate > 0 ? places_draw(s, pose, out, count) : places_fill(s, pose, spacing, out, count);
}

/// Places are drawn to threads, and colours follow. Those before `first` are older.
static enum bw_status threads_gather(struct bw_stage *s, const struct pose *pose, struct tracer_arrays *t,
                                     int64_t first)
{
    const struct params *p = s->params;
    const double *other = p->threads.colour.items;
    struct threads_placed placed;
    if (!p->threads.number) return BW_OK;
    enum bw_status status = threads_make(s, &p->threads, pose, &placed);
    for (int64_t i = first; i < t->count && !status; i++) {
        if (i % 1024 == 0 && s->host->cancelled(s)) return BW_ERR_CANCELLED;
        const int64_t k = threads_draw(s, &p->threads, &placed, pose, (uint64_t)i, t->pos[i]);
        const double fraction = p->threads.colour.count ? threads_share(s, k) : 0;
        for (int c = 0; c < 3 && fraction > 0; c++)
            t->colour[3 * i + c] = (float)(p->colour[c] + fraction * (other[c] - p->colour[c]));
    }
    return status;
}

static enum bw_status tracers_add(struct bw_stage *s)
{
    const struct params *p = s->params;
    struct state *st = s->state;
    struct pose pose;
    bw_vec3 *place = NULL;
    int64_t count = 0, first = 0;
    double volume = 0;
    if (st->started && !(p->rate > 0)) return BW_OK;
    enum bw_status status = shape_prepare(s, &p->shape, 0);
    if (!status) status = shape_pose(s, &p->shape, &pose);
    if (!status) status = places_make(s, &pose, &place, &count, &volume);
    st->started = 1;
    if (status || !count) return status;
    if (particles_of(s)->add(s->ports[PORT_TRACERS].particles, count, &first))
        return s->host->fail(s, BW_ERR_MEMORY, "out of memory for %lld more tracers", (long long)count);
    struct tracer_arrays t = tracer_arrays(s, s->ports[PORT_TRACERS].particles);
    memcpy(t.pos[first], place, (size_t)count * sizeof *place);
    for (int64_t i = first; i < t.count; i++) {
        t.amount[i] = (float)(p->density * volume);
        t.life[i] = (float)p->life;
        for (int c = 0; c < 3; c++) t.colour[3 * i + c] = (float)p->colour[c];
    }
    return threads_gather(s, &pose, &t, first);
}

/// Those there are move, unless vorton.advect moves them; then new ones come.
static enum bw_status step(struct bw_stage *s)
{
    const struct params *p = s->params;
    const struct bw_bound *flow = &s->ports[PORT_FLOW];
    const void *table;
    struct particle_advection c = {
        .tracers = s->ports[PORT_TRACERS].particles, .flow = {flow->fields, flow->count}, .scheme = p->scheme};
    enum bw_status st = BW_OK;
    if (s->dt > 0 && !s->host->find_stage(s, BW_CARRIER, 0, &table)) {
        st = particles_advect(s, &c);
        if (!st) st = particles_tidy(s, c.tracers, p->limit);
    }
    if (!st) st = tracers_add(s);
    if (!st) s->host->metric(s, "tracers", (double)particles_of(s)->count(c.tracers), BW_METRIC_LAST);
    return st;
}

static int moves(struct bw_stage *s, const struct bw_particles *p)
{
    const void *table;
    return p == s->ports[PORT_TRACERS].particles && !s->host->find_stage(s, BW_CARRIER, 0, &table);
}

static enum bw_status velocity(struct bw_stage *s, struct bw_particles *p, float *out)
{
    const struct bw_bound *flow = &s->ports[PORT_FLOW];
    return particles_velocity(s, &(struct flow){flow->fields, flow->count}, p, out);
}

static const void *extension(const char *id)
{
    static const struct bw_motion_api motion = {.size = sizeof motion, .moves = moves, .velocity = velocity};
    return strcmp(id, BW_MOTION) ? NULL : &motion;
}

static enum bw_status init(struct bw_stage *s)
{
    const struct params *p = s->params;
    struct pose pose;
    enum bw_status st = shape_prepare(s, &p->shape, 0);
    return st ? st : shape_pose(s, &p->shape, &pose);
}

static enum bw_status activate(struct bw_stage *s)
{
    const struct params *p = s->params;
    struct state *st = s->state;
    struct pose pose;
    if (st->started && !(p->rate > 0)) return BW_OK;
    enum bw_status status = shape_prepare(s, &p->shape, 0);
    if (!status) status = shape_pose(s, &p->shape, &pose);
    if (status) return status;
    struct box3 box = pose_bounds(&pose, 2 * s->grid->h);
    return s->host->activate(s, box.lo, box.hi);
}

static enum bw_status checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    struct state *st = s->state;
    a->bytes(a, "started", &st->started, sizeof st->started);
    enum bw_status status = a->bytes(a, "volume", &st->volume, sizeof st->volume);
    return status ? status : shape_checkpoint(s, a, &((const struct params *)s->params)->shape);
}

const struct bw_stage_desc tracers_desc = {
    .id = "tracers",
    .version = "1.0",
    .brief = "Passive particles that the flow advects: smoke for vortons, motion for the eye.",
    .params_size = sizeof(struct params),
    .state_size = sizeof(struct state),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .activate = activate,
    .step = step,
    .checkpoint = checkpoint,
    .extension = extension,
    .flags = BW_STAGE_RANKS | BW_STAGE_SETUP,
};
