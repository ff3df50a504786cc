// SPDX-License-Identifier: Apache-2.0
/* fire.embers: glowing particles that flames throw off, for the eye: they take nothing from the gas.
 *
 * A cubic metre of flame gives off `rate` a second, and flame is fuel burnt a moment ago, so embers follow what burns:
 * of the integral of `flame` over space and time each whole number is one, born at a random moment of its step, at a
 * place drawn by rejection with the chance flame/(greatest flame), and with the speed of the gas there and a kick. None
 * of that knows cells but for the integral, or steps but for the moments at which places are drawn.
 *
 * Each has its diameter d, and q = d/size lies between a half and one and a half. Drag is Stokes', so a grain takes the
 * gas's velocity on within tau = q² fall/g, and in still air falls at q² fall; over a step, with u of its middle,
 *     w = u + g tau,   v' = w + (v - w) exp(-dt/tau),   x' = x + w dt + (v - w) tau (1 - exp(-dt/tau))
 * which is exact where u is constant and of second order in dt where it is not. Flakes tumble: `flutter` sin of their
 * age, with their own frequency and phase along each axis, adds to u. The temperature nears the gas's,
 *     T' = Tg + (T - Tg) exp(-dt/(q cooling))
 * An ember goes out, and is removed, when it is older than its life or colder than `out`. Obstacles and closed sides
 * stop it: it lies there and cools. Stokes' drag is too weak for grains that fall fast; we take `fall` as it looks. */
#include "stages.h"

#include <common/glowing.h>
#include <common/ranks.h>
#include <common/shape/shape.h>
#include <common/vec3.h>

#include <math.h>
#include <string.h>

#define GRAVITY 9.81   ///< m/s², by which drag is found where there is none
#define BATCH 4096     ///< places drawn at once
#define BATCHES 256    ///< a step: what is not born then is born later
#define NUMBER_MAX 1e7 ///< embers born in a step

struct embers {
    struct shape shape;
    double rate, size, fall, kick, flutter, temperature, cooling, out, life, ambient;
    bw_vec3 gravity;
};

static const struct bw_param params[] = {
    SHAPE_ROW(struct embers, SHAPE_SOLIDS, NULL, 0, "Flames in here throw embers off; without it all do."),
    BW_F64(struct embers, rate, "rate", "20000 1/s/m^3", 0, 1e12, "1/s/m^3",
           "Embers a second that a cubic metre of flame gives off, where `flame` is 1."),
    BW_F64(struct embers, size, "size", "2 mm", 1e-9, 1e3, "m", "Diameter: half of this to one and a half."),
    BW_F64(struct embers, fall, "fall", "0.5 m/s", 1e-6, 1e4, "m/s",
           "How fast one of `size` falls in still air: less, and they go wherever the gas goes."),
    BW_VEC3(struct embers, gravity, "gravity", "[0, 0, -9.81]", "m/s^2", "What they fall by; 0: they drift."),
    BW_F64(struct embers, kick, "kick", "0.6 m/s", 0, 1e4, "m/s", "How fast they jump off, in any direction."),
    BW_F64(struct embers, flutter, "flutter", "0.25 m/s", 0, 1e4, "m/s", "How much they tumble on their way."),
    BW_F64(struct embers, temperature, "temperature", "1750 K", 0, 1e5, "K",
           "Absolute, at birth; a tenth more or less."),
    BW_F64(struct embers, cooling, "cooling", "1.2 s", 1e-6, 1e6, "s",
           "Time in which one of `size` comes to 1/e of what it was hotter than the gas around."),
    BW_F64(struct embers, out, "out", "800 K", 0, 1e5, "K", "Absolute temperature below which an ember is out."),
    BW_F64(struct embers, life, "life", "2 s", 1e-6, 1e6, "s", "How long they live: half of this to one and a half."),
    BW_F64(struct embers, ambient, "ambient", "=ambient", 1, 1e5, "K",
           "Absolute temperature of the surrounding air; the preset's."),
};

enum { PORT_EMBERS, PORT_VEL, PORT_FLAME, PORT_TEMPERATURE, PORT_SOLID };
static const struct bw_port ports[] = {
    [PORT_EMBERS] = {.name = "embers",
                     .kind = BW_PARTICLES,
                     .access = BW_UPDATE,
                     .doc = "The embers; `temperature` is their excess over ambient.",
                     .attributes = glowing_attributes,
                     .n_attributes = BW_COUNT(glowing_attributes)},
    [PORT_VEL] = {.name = "vel", .kind = BW_MAC, .access = BW_READ, .unit = "m/s", .doc = "The flow."},
    [PORT_FLAME] = {.name = "flame", .kind = BW_SCALAR, .access = BW_READ, .unit = "1", .doc = "Where they are born."},
    [PORT_TEMPERATURE] = {.name = "temperature",
                          .kind = BW_SCALAR,
                          .access = BW_READ,
                          .unit = "K",
                          .flags = BW_PORT_OPTIONAL,
                          .doc = "Excess over ambient of the gas, which keeps them hot."},
    [PORT_SOLID] = {.name = "solid",
                    .kind = BW_SCALAR,
                    .access = BW_READ,
                    .lifetime = BW_STEP,
                    .unit = "m",
                    .flags = BW_PORT_OPTIONAL,
                    .doc = "What they fall onto."},
};

struct state {
    struct shape_state shape; ///< first: shapes look for it there
    double owed;              ///< embers that should have been born and are not: a fraction, mostly
    int64_t drawn;            ///< random places so far
};

/* ---- birth ---- */

enum { MOST, LO, HI = LO + 3, N_MAXS = HI + 3 }; // of the flame; of minus its lowest cells' corners; of its highest's

struct source {
    const struct pose *shape; ///< NULL: everywhere
    struct box3 bounds;
};

static double shape_fraction(const struct source *a, const double x[3], double h)
{
    return a->shape ? pose_cover(a->shape, x, h) : 1;
}

/// Integral of the flame, its greatest value, and a box round it.
static void flame_sum(const struct bw_block *b, void *user)
{
    const struct source *a = user;
    const struct bw_view *v = &b->view[0];
    const double h = b->grid->h;
    struct cells c = {{0, 0, 0}, {b->n[0], b->n[1], b->n[2]}};
    if (a->shape && !box_cells(&a->bounds, b, &c)) return;
    for (int k = c.lo[2]; k < c.hi[2]; k++)
        for (int j = c.lo[1]; j < c.hi[1]; j++)
            for (int i = c.lo[0]; i < c.hi[0]; i++) {
                const double flame = (double)bw_f32(v, 0)[i + j * v->sy + k * v->sz];
                if (!(flame > 0)) continue;
                const double x[3] = {block_coord(b, 0, i + 0.5), block_coord(b, 1, j + 0.5),
                                     block_coord(b, 2, k + 0.5)};
                b->sum[0] += flame * shape_fraction(a, x, h) * h * h * h;
                b->max[MOST] = fmax(b->max[MOST], flame);
                for (int n = 0; n < 3; n++) {
                    b->max[LO + n] = fmax(b->max[LO + n], h - x[n]);
                    b->max[HI + n] = fmax(b->max[HI + n], x[n] + h);
                }
            }
}

/// Draw up to `wanted` places where flames are; answers how many were found.
static int64_t places_draw(struct bw_stage *s, const struct source *a, const double max[N_MAXS], int64_t wanted,
                           bw_vec3 *place)
{
    struct state *st = s->state;
    bw_vec3 *x = s->host->scratch(s, BATCH * sizeof *x);
    double *flame = s->host->scratch(s, BATCH * sizeof *flame);
    int64_t found = 0;
    if (!x || !flame) return -1;
    for (int batch = 0; batch < BATCHES && found < wanted; batch++) {
        const uint64_t first = 4 * (uint64_t)st->drawn;
        for (uint64_t i = 0; i < BATCH; i++)
            for (uint64_t n = 0; n < 3; n++)
                x[i][n] = -max[LO + n] + (max[LO + n] + max[HI + n]) * bw_rng_unit(s->seed, first + 4 * i + n);
        if (ranks_sample(s, bw_port_field(s, PORT_FLAME), BATCH, (const bw_vec3 *)x, flame)) return -1;
        for (uint64_t i = 0; i < BATCH && found < wanted; i++, st->drawn++)
            if (bw_rng_unit(s->seed, first + 4 * i + 3) * max[MOST] < flame[i] * shape_fraction(a, x[i], s->grid->h))
                memcpy(place[found++], x[i], sizeof *place);
    }
    return found;
}

/// A direction, evenly; along the thin axis nothing moves.
static void direction_draw(const struct bw_stage *s, uint64_t seed, double out[3])
{
    const double z = 2 * bw_rng_unit(seed, 0) - 1, turn = 6.283185307179586 * bw_rng_unit(seed, 1);
    out[0] = sqrt(1 - z * z) * cos(turn);
    out[1] = sqrt(1 - z * z) * sin(turn);
    out[2] = z;
    if (s->grid->thin >= 0) out[s->grid->thin] = 0;
}

/// `age` is what is left of the step in which it is born: it flies through that. `u`: the gas's velocity.
static void ember_make(const struct bw_stage *s, const struct glowing *e, int64_t i, const double place[3],
                       const double u[3])
{
    const struct embers *p = s->params;
    const uint64_t seed = bw_rng(~s->seed, (uint64_t)e->id[i]);
    double direction[3];
    direction_draw(s, seed, direction);
    memcpy(e->pos[i], place, sizeof *e->pos);
    for (int n = 0; n < 3; n++)
        e->velocity[3 * i + n] = (float)(u[n] + 2 * p->kick * bw_rng_unit(seed, 2) * direction[n]);
    e->size[i] = (float)(p->size * (0.5 + bw_rng_unit(seed, 3)));
    e->temperature[i] = (float)(p->temperature * (0.9 + 0.2 * bw_rng_unit(seed, 4)) - p->ambient);
    e->life[i] = (float)(p->life * (0.5 + bw_rng_unit(seed, 5)));
    e->age[i] = (float)(-s->dt * bw_rng_unit(seed, 6)); // its birthday within the step
}

/// The shape as it stands; NULL in `shape` when there is none.
static enum bw_status source_make(struct bw_stage *s, struct pose *pose, struct source *a)
{
    const struct embers *p = s->params;
    *a = (struct source){.shape = NULL};
    if (p->shape.kind < 0) return BW_OK;
    enum bw_status status = shape_prepare_inside(s, &p->shape, s->grid->h);
    if (!status) status = shape_pose(s, &p->shape, pose);
    a->shape = pose;
    if (!status) a->bounds = pose_bounds(pose, s->grid->h);
    return status;
}

/// New ones at the end of the particles; *first: the first of them.
static enum bw_status embers_bear(struct bw_stage *s, int64_t *first)
{
    const struct embers *p = s->params;
    const struct bw_particles_api *api = s->host->extension(BW_PARTICLES_API);
    struct bw_particles *all = s->ports[PORT_EMBERS].particles;
    struct state *st = s->state;
    struct pose pose;
    struct source a;
    double burning = 0, max[N_MAXS];
    *first = api->count(all);
    enum bw_status status = source_make(s, &pose, &a);
    if (status) return status;
    status =
        s->host->sweep(s, &(struct bw_sweep){.access = &(struct bw_access){bw_port_field(s, PORT_FLAME), BW_READ, 0},
                                             .n_access = 1,
                                             .body = flame_sum,
                                             .user = &a,
                                             .sums = &burning,
                                             .n_sums = 1,
                                             .maxs = max,
                                             .n_maxs = N_MAXS});
    if (status) return status;
    st->owed += p->rate * burning * s->dt;
    if (!(st->owed < NUMBER_MAX))
        return s->host->fail(s, BW_ERR_PRESET, "rate makes %g embers in a step: more than can be shown", st->owed);
    const int64_t wanted = burning > 0 ? (int64_t)st->owed : 0;
    bw_vec3 *place = s->host->scratch(s, 2 * (size_t)wanted * sizeof *place + 1), *gas = place + wanted;
    int64_t born = place && wanted ? places_draw(s, &a, max, wanted, place) : place ? 0 : -1;
    if (born > 0 && ranks_sample(s, bw_port_field(s, PORT_VEL), (size_t)born, (const bw_vec3 *)place, *gas)) born = -1;
    if (born < 0 || (born && api->add(all, born, first)))
        return s->host->fail(s, BW_ERR_MEMORY, "out of memory for %lld embers", (long long)wanted);
    st->owed -= (double)born;
    const struct glowing e = glowing_of(api, all);
    for (int64_t i = 0; i < born; i++) ember_make(s, &e, *first + i, place[i], gas[i]);
    s->host->metric(s, "born", (double)born, BW_METRIC_SUM);
    return BW_OK;
}

/* ---- flight ---- */

enum { CHUNK = 128 };

/* The flight of all embers. */
struct flight {
    struct bw_stage *stage;
    const struct embers *p;
    double gravity; ///< m/s²
    struct glowing e;
    int64_t born;      ///< this one and later ones are new
    double fraction;   ///< of the step in the current half
    bw_vec3 *at, *gas; ///< where they come to; velocity of the gas
    double *dt, *value;
};

static double flutter_at(const struct flight *f, int64_t id, int axis, double age)
{
    if (axis == f->stage->grid->thin) return 0;
    const uint64_t seed = bw_rng(f->stage->seed + 1, (uint64_t)id);
    const double hertz = 1.5 + 3 * bw_rng_unit(seed, 2 * (uint64_t)axis),
                 phase = bw_rng_unit(seed, 2 * (uint64_t)axis + 1);
    return f->p->flutter * sin(6.283185307179586 * (hertz * age + phase));
}

static int64_t chunk_end(const struct flight *f, int64_t chunk)
{
    return (chunk + 1) * CHUNK < f->e.count ? (chunk + 1) * CHUNK : f->e.count;
}

static void chunk_begin(int64_t chunk, uint32_t worker, void *user)
{
    const struct flight *f = user;
    (void)worker;
    for (int64_t i = chunk * CHUNK; i < chunk_end(f, chunk); i++) {
        f->dt[i] = i >= f->born ? -(double)f->e.age[i] : f->stage->dt;
        memcpy(f->at[i], f->e.pos[i], sizeof *f->at);
    }
}

/// Flight over `fraction` of the step in gas of the velocity `gas`; speeds are kept where the step is whole.
static void chunk_fly(int64_t chunk, uint32_t worker, void *user)
{
    const struct flight *f = user;
    (void)worker;
    for (int64_t i = chunk * CHUNK; i < chunk_end(f, chunk); i++) {
        const double q = (double)f->e.size[i] / f->p->size, tau = q * q * f->p->fall / f->gravity,
                     dt = f->fraction * f->dt[i];
        const double left = exp(-dt / tau), gain = -expm1(-dt / tau) * tau;
        const double age = fmax((double)f->e.age[i], 0) + 0.5 * dt;
        for (int n = 0; n < 3; n++) {
            const double v = (double)f->e.velocity[3 * i + n];
            const double w = f->gas[i][n] + flutter_at(f, f->e.id[i], n, age) + f->p->gravity[n] * tau;
            f->at[i][n] = f->e.pos[i][n] + w * dt + (v - w) * gain;
            if (f->fraction < 1) continue;
            f->e.velocity[3 * i + n] = (float)(w + (v - w) * left);
            f->e.acceleration[3 * i + n] = (float)(dt > 0 ? (w - v) * (1 - left) / dt : 0);
        }
    }
}

static void ember_rest(const struct flight *f, int64_t at)
{
    memset(f->e.velocity + 3 * at, 0, 3 * sizeof(float));
    memset(f->e.acceleration + 3 * at, 0, 3 * sizeof(float));
}

/// Closed sides stop what would pass them.
static void sides_stop(const struct flight *f, int64_t i)
{
    const struct bw_domain_info *g = f->stage->grid;
    for (int side = 0; side < 6; side++) {
        const int n = side / 2, high = side % 2;
        const double edge = g->origin[n] + (high ? g->n[n] * g->h : 0), past = (high ? 1 : -1) * (f->at[i][n] - edge);
        if (g->n[n] == 0 || g->side[side].kind != BW_CLOSED || n == g->thin || past <= 0) continue;
        f->at[i][n] = edge;
        ember_rest(f, i);
    }
}

/// What meets an obstacle lies where it is; `value`: the distance from one.
static void obstacles_stop(const struct flight *f)
{
    for (int64_t i = 0; i < f->e.count; i++) {
        if (f->value[i] >= 0) continue;
        memcpy(f->at[i], f->e.pos[i], sizeof *f->at);
        ember_rest(f, i);
    }
}

/// In gas as hot as `value`.
static void chunk_cool(int64_t chunk, uint32_t worker, void *user)
{
    const struct flight *f = user;
    (void)worker;
    for (int64_t i = chunk * CHUNK; i < chunk_end(f, chunk); i++) {
        const double gas = f->value[i], q = (double)f->e.size[i] / f->p->size;
        const double t = gas + ((double)f->e.temperature[i] - gas) * exp(-f->dt[i] / (q * f->p->cooling));
        f->e.temperature[i] = (float)t;
        f->e.age[i] = (float)(fmax((double)f->e.age[i], 0) + f->dt[i]);
        memcpy(f->e.pos[i], f->at[i], sizeof *f->at);
    }
}

/// Where the embers come to; 0 of what there is not.
static enum bw_status scalar_sample(const struct flight *f, int port)
{
    struct bw_field *field = bw_port_field(f->stage, (uint32_t)port);
    const size_t n = (size_t)f->e.count;
    if (field) return ranks_sample(f->stage, field, n, (const bw_vec3 *)f->at, f->value);
    memset(f->value, 0, n * sizeof *f->value);
    return BW_OK;
}

static enum bw_status embers_fly(struct flight *f)
{
    struct bw_stage *s = f->stage;
    const size_t n = (size_t)f->e.count;
    const int64_t chunks = (f->e.count + CHUNK - 1) / CHUNK;
    f->at = s->host->scratch(s, 2 * n * sizeof *f->at + 1);
    f->dt = s->host->scratch(s, 2 * n * sizeof *f->dt + 1);
    if (!f->at || !f->dt) return BW_ERR_MEMORY;
    f->gas = f->at + n;
    f->value = f->dt + n;
    s->host->parallel_for(s, chunks, chunk_begin, f);
    enum bw_status status = BW_OK;
    for (f->fraction = 0.5; f->fraction <= 1 && status == BW_OK; f->fraction *= 2) {
        status = ranks_sample(s, bw_port_field(s, PORT_VEL), n, (const bw_vec3 *)f->at, *f->gas);
        if (status == BW_OK) s->host->parallel_for(s, chunks, chunk_fly, f);
    }
    for (size_t i = 0; i < n; i++) sides_stop(f, (int64_t)i);
    if (status == BW_OK) status = scalar_sample(f, PORT_SOLID);
    if (status != BW_OK) return status;
    obstacles_stop(f);
    status = scalar_sample(f, PORT_TEMPERATURE);
    if (status == BW_OK) s->host->parallel_for(s, chunks, chunk_cool, f);
    return status;
}

/// Remove those that are out.
static enum bw_status embers_tidy(struct bw_stage *s, const struct bw_particles_api *api, struct bw_particles *all)
{
    const struct embers *p = s->params;
    const struct glowing e = glowing_of(api, all);
    uint8_t *drop = s->host->scratch(s, (size_t)e.count + 1);
    if (!drop) return s->host->fail(s, BW_ERR_MEMORY, "out of memory for %lld embers", (long long)e.count);
    for (int64_t i = 0; i < e.count; i++) {
        if (!isfinite(e.pos[i][0] + e.pos[i][1] + e.pos[i][2] + (double)e.temperature[i]))
            return s->host->fail(s, BW_ERR_DIVERGED, "ember %lld is nowhere", (long long)e.id[i]);
        drop[i] = e.age[i] >= e.life[i] || p->ambient + (double)e.temperature[i] < p->out;
    }
    api->remove(all, drop);
    return BW_OK;
}

static enum bw_status step(struct bw_stage *s)
{
    const struct bw_particles_api *api = s->host->extension(BW_PARTICLES_API);
    struct bw_particles *all = s->ports[PORT_EMBERS].particles;
    struct flight f = {.stage = s, .p = s->params};
    const double g = vec3_length(f.p->gravity);
    f.gravity = g > 0 ? g : GRAVITY;
    enum bw_status status = embers_bear(s, &f.born);
    if (status) return status;
    f.e = glowing_of(api, all);
    status = embers_fly(&f);
    if (status) return s->host->fail(s, status, "out of memory for %lld embers", (long long)f.e.count);
    status = embers_tidy(s, api, all);
    s->host->metric(s, "embers", (double)api->count(all), BW_METRIC_LAST);
    return status;
}

static enum bw_status init(struct bw_stage *s)
{
    const struct embers *p = s->params;
    struct pose pose;
    struct source a;
    if (p->out < p->ambient || p->temperature <= p->out)
        return s->host->fail(s, BW_ERR_PRESET,
                             "embers go out at %g K: that must lie between the ambient %g K and the %g K at birth",
                             p->out, p->ambient, p->temperature);
    return source_make(s, &pose, &a);
}

static enum bw_status checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    struct state *st = s->state;
    a->bytes(a, "owed", &st->owed, sizeof st->owed);
    enum bw_status status = a->bytes(a, "drawn", &st->drawn, sizeof st->drawn);
    return status ? status : shape_checkpoint(s, a, &((const struct embers *)s->params)->shape);
}

const struct bw_stage_desc fire_embers_desc = {
    .id = "fire.embers",
    .version = "1.0",
    .brief = "Embers that flames throw off: they fly, glow, fall and go out.",
    .params_size = sizeof(struct embers),
    .state_size = sizeof(struct state),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .step = step,
    .checkpoint = checkpoint,
    .flags = BW_STAGE_RANKS,
};
