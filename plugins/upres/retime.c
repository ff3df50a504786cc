// SPDX-License-Identifier: Apache-2.0
/* retime: a finished cache slower, faster, held or backwards. `at` says which of the cache's frames each frame shows,
 * fractions allowed. Between frames f and f+1 at fraction τ, Δ = 1/fps:
 *
 *     q(x) = (1-τ) q_f(x - τΔ u) + τ q_{f+1}(x + (1-τ)Δ u)
 *
 * so what moves appears once, displaced, and not as two half-dense copies. u is the mean of both frames' flows, weights
 * 1-τ and τ, taken at the midpoint of each trajectory (midpoint rule: second order in Δ). Fields are interpolated by a
 * clamped tricubic, `vel` trilinearly. Whole frames are unchanged. `vel` is multiplied by the playback speed,
 * d at/d frame: motion blur stays right, and reverses when the cache runs backwards. */
#include "stages.h"

#include "cache.h"

#include <math.h>

enum { FIELDS_MAX = 12 };

struct retime {
    struct bw_list fields;
    const char *grid;
    double at;
};

static const struct bw_param field_rows[] = {
    {.type = BW_PARAM_FIELD, .doc = "A field's name, and the grid's in the file.", .flags = BW_PARAM_STATIC},
};

static const struct bw_param params[] = {
    BW_LIST(struct retime, fields, const char *, "fields", field_rows,
            "The fields to take from the cache, beside vel."),
    BW_STRING(struct retime, grid, "grid", "vel", "The flow's grid in the files."),
    BW_F64(struct retime, at, "at", "=frame", -1e9, 1e9, NULL,
           "The cache's frame that is shown: an expression of `frame`, or keys; before the first and after the last "
           "file, that file."),
};

enum { PORT_VEL, PORT_FIELDS };
static const struct bw_port ports[] = {
    [PORT_VEL] = {.name = "vel",
                  .kind = BW_VECTOR,
                  .access = BW_UPDATE,
                  .unit = "m/s",
                  .doc = "The cache's flow at cell centres, as fast as it is played."},
    [PORT_FIELDS] = {.name = "fields",
                     .kind = BW_SCALAR,
                     .access = BW_UPDATE,
                     .doc = "What is shown.",
                     .flags = BW_PORT_LIST,
                     .from = "fields",
                     .kinds = BW_KIND_BIT(BW_SCALAR) | BW_KIND_BIT(BW_VECTOR)},
};

/// The grids of one file; item 0 is vel.
struct cached_frame {
    struct lattice lattice[FIELDS_MAX + 1];
    struct dense grid[FIELDS_MAX + 1];
    int64_t number;
    int loaded;
};

struct state {
    struct cache cache;
    struct cached_frame shot[2]; ///< the files before and after the time that is shown
    uint32_t count;              ///< items
    double at, speed;            ///< the file frame shown, and files a frame
};

static struct bw_field *item_field(const struct bw_stage *s, uint32_t i)
{
    return i ? s->ports[PORT_FIELDS].fields[i - 1] : bw_port_field(s, PORT_VEL);
}

/* ---- the files ---- */

static int holds(const struct cached_frame *shot, int64_t number) { return shot->loaded && shot->number == number; }

static enum bw_status cached_frame_read(struct bw_stage *s, struct cached_frame *shot, int64_t number)
{
    struct state *st = s->state;
    if (holds(shot, number)) return BW_OK;
    enum bw_status status = cache_open(s, &st->cache, number);
    for (uint32_t i = 0; !status && i < st->count; i++) {
        const struct bw_field_info *info = s->host->field_info(item_field(s, i));
        if (info->precision != BW_F32)
            return s->host->fail(s, BW_ERR_PRESET, "field \"%s\" is in double precision; caches are not", info->name);
        const char *grid = i ? info->name : ((const struct retime *)s->params)->grid;
        const struct grid_request request = {grid, info->comps, !i, 0};
        status = cache_read(s, &st->cache, &request, &shot->lattice[i], &shot->grid[i]);
    }
    cache_close(&st->cache);
    shot->number = number;
    shot->loaded = !status;
    return status;
}

static double within(double at, const struct cache *c) { return fmin(fmax(at, (double)c->first), (double)c->last); }

/* `at` for the frame that ends at `time`; a hair off a whole frame is that frame. */
static enum bw_status at_find(struct bw_stage *s, double time, double *at)
{
    const struct state *st = s->state;
    const struct retime *p = s->host->params_at(s, time);
    if (!p) return BW_ERR_MEMORY;
    *at = within(p->at, &st->cache);
    if (fabs(*at - round(*at)) < 1e-6) *at = round(*at);
    return BW_OK;
}

static enum bw_status time_choose(struct bw_stage *s, double time)
{
    struct state *st = s->state;
    double before = 0, after = 0;
    enum bw_status status = at_find(s, time, &st->at);
    if (!status) status = at_find(s, time - .5 / s->fps, &before);
    if (!status) status = at_find(s, time + .5 / s->fps, &after);
    st->speed = after - before;
    /* At the ends of the cache one half lies outside of it. */
    if (!status && (st->at == (double)st->cache.first || st->at == (double)st->cache.last) &&
        (before == st->at) != (after == st->at))
        st->speed *= 2;
    int64_t number = (int64_t)floor(st->at);
    for (int i = 0; !status && i < 2; i++) {
        if (!i && (holds(&st->shot[1], number) || holds(&st->shot[0], number + 1))) { // the one becomes the other
            struct cached_frame held = st->shot[0];
            st->shot[0] = st->shot[1], st->shot[1] = held;
        }
        status = cached_frame_read(s, &st->shot[i], number + i > st->cache.last ? st->cache.last : number + i);
    }
    return status;
}

/* ---- one block ---- */

struct place {
    const struct state *st;
    double tau, delta;                   ///< s
    float background[FIELDS_MAX + 1][3]; ///< of the fields; the cache's grids come as differences from theirs
};

static void lattice_place(const struct lattice *l, const double x[3], double out[3])
{
    for (int a = 0; a < 3; a++) {
        out[a] = (x[a] - l->origin[a]) / l->h - .5;
        double whole = round(out[a]);
        if (fabs(out[a] - whole) < 1e-6) out[a] = whole; // cells of the same lattice are the same cells
    }
}

/* The mean flow; where one file has none, the other's. */
static void flow_at(const struct place *p, const double x[3], float u[3])
{
    double weight[2] = {1 - p->tau, p->tau}, whole = 0, sum[3] = {0, 0, 0};
    for (int q = 0; q < 2; q++) {
        double at[3];
        lattice_place(&p->st->shot[q].lattice[0], x, at);
        dense_sample(&p->st->shot[q].grid[0], at, u);
        if (u[0] == 0 && u[1] == 0 && u[2] == 0) continue;
        whole += weight[q];
        for (int a = 0; a < 3; a++) sum[a] += weight[q] * u[a];
    }
    for (int a = 0; a < 3; a++) u[a] = whole > 0 ? (float)(sum[a] / whole) : 0;
}

/* Where what is at x comes from in the earlier file and goes to in the later one. */
static void trajectories_trace(const struct place *p, const double x[3], double end[2][3])
{
    float u[3], v[3];
    double span[2] = {-p->tau * p->delta, (1 - p->tau) * p->delta};
    flow_at(p, x, u);
    for (int q = 0; q < 2; q++) {
        double mid[3];
        for (int a = 0; a < 3; a++) mid[a] = x[a] + .5 * span[q] * u[a];
        if (span[q] != 0) flow_at(p, mid, v);
        for (int a = 0; a < 3; a++) end[q][a] = span[q] != 0 ? x[a] + span[q] * v[a] : x[a];
    }
}

static void body(const struct bw_block *b, void *user)
{
    const struct place *p = user;
    const struct state *st = p->st;
    for (int32_t k = 0; k < b->n[2]; k++)
        for (int32_t j = 0; j < b->n[1]; j++)
            for (int32_t i = 0; i < b->n[0]; i++) {
                double h = b->grid->h,
                       x[3] = {b->corner[0] + (i + .5) * h, b->corner[1] + (j + .5) * h, b->corner[2] + (k + .5) * h};
                double end[2][3];
                if (p->tau > 0) trajectories_trace(p, x, end);
                else
                    for (int a = 0; a < 3; a++) end[0][a] = x[a];
                for (uint32_t f = 0; f < st->count; f++) {
                    const struct bw_view *v = &b->view[f];
                    float value[2][3] = {{0, 0, 0}, {0, 0, 0}};
                    for (int q = 0; q < (p->tau > 0 ? 2 : 1); q++) {
                        double at[3];
                        lattice_place(&st->shot[q].lattice[f], end[q], at);
                        if (f) dense_sample_cubic(&st->shot[q].grid[f], at, value[q]);
                        else dense_sample(&st->shot[q].grid[f], at, value[q]);
                    }
                    float tau = (float)p->tau, gain = f ? 1 : (float)st->speed;
                    for (int c = 0; c < v->comps; c++)
                        bw_f32(v, c)[i + j * v->sy + k * v->sz] =
                            p->background[f][c] + gain * ((1 - tau) * value[0][c] + tau * value[1][c]);
                }
            }
}

/* ---- callbacks ---- */

static enum bw_status init(struct bw_stage *s)
{
    struct state *st = s->state;
    if (s->ports[PORT_FIELDS].count > FIELDS_MAX)
        return s->host->fail(s, BW_ERR_PRESET, "more than %d fields", FIELDS_MAX);
    st->count = s->ports[PORT_FIELDS].count + 1;
    return cache_begin(s, &st->cache);
}

static enum bw_status activate(struct bw_stage *s)
{
    struct state *st = s->state;
    double fastest = 0;
    enum bw_status status =
        time_choose(s, s->time + (st->shot[0].loaded ? 1 / s->fps : 0)); // nothing is loaded: the set-up
    for (int q = 0; !status && q < 2; q++)
        for (int c = 0; c < 3; c++)
            for (size_t i = 0; i < dense_count(&st->shot[q].grid[0]); i++)
                fastest = fmax(fastest, fabsf(st->shot[q].grid[0].v[c][i]));
    double grow = st->at > floor(st->at) ? fastest / s->fps : 0;
    for (int q = 0; !status && q < 2; q++)
        for (uint32_t i = 0; !status && i < st->count; i++)
            status = cache_activate(s, &st->shot[q].lattice[i], &st->shot[q].grid[i], 0, i ? grow : 0);
    return status;
}

static enum bw_status step(struct bw_stage *s)
{
    struct state *st = s->state;
    struct bw_access access[FIELDS_MAX + 1];
    enum bw_status status = time_choose(s, s->time + s->dt);
    if (status) return status;
    struct place place = {.st = st, .tau = st->at - floor(st->at), .delta = 1 / s->fps};
    for (uint32_t i = 0; i < st->count; i++) {
        access[i] = (struct bw_access){item_field(s, i), BW_WRITE, 0};
        for (int c = 0; c < 3; c++)
            place.background[i][c] = (float)s->host->field_info(item_field(s, i))->background[c];
    }
    status =
        s->host->sweep(s, &(struct bw_sweep){.access = access, .n_access = st->count, .body = body, .user = &place});
    s->host->metric(s, "at", st->at, BW_METRIC_LAST);
    s->host->metric(s, "speed", st->speed, BW_METRIC_LAST);
    return status;
}

/* The files are read again. */
static enum bw_status checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    struct state *st = s->state;
    int64_t number[2] = {st->shot[0].number, st->shot[1].number};
    int32_t loaded[2] = {st->shot[0].loaded, st->shot[1].loaded};
    a->bytes(a, "number", number, sizeof number);
    enum bw_status status = a->bytes(a, "loaded", loaded, sizeof loaded);
    for (int i = 0; !status && a->restoring && i < 2; i++)
        if (loaded[i]) status = cached_frame_read(s, &st->shot[i], number[i]);
    return status;
}

static void uninit(struct bw_stage *s) { cache_close(&((struct state *)s->state)->cache); }

const struct bw_stage_desc retime_desc = {
    .id = "retime",
    .version = "1.0",
    .brief = "A finished cache slower, faster, held or backwards, carried along its flow between its frames.",
    .params_size = sizeof(struct retime),
    .state_size = sizeof(struct state),
    .flags = BW_STAGE_SETUP | BW_STAGE_RANKS,
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .activate = activate,
    .step = step,
    .uninit = uninit,
    .extension = cache_extension,
    .checkpoint = checkpoint,
};
