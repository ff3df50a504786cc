// SPDX-License-Identifier: Apache-2.0
/* fire.vortons: fire without a grid: combustion of fuel on vortons or tracers.
 *
 * Each particle is a parcel with mass fractions of fuel Y, flame F and smoke S, and a temperature T over ambient. Over
 * a step, in this order (Gourlay, Fluid simulation for video games, part 11), with the absolute temperature Ta + T:
 *     F -> S   at the rate smoke_rate F exp(-((Ta + T)/smoke_at)²)   hot flames burn on, cold ones go to smoke
 *     Y -> F   by the laws of combustion.c: linear, proportional, or Arrhenius' (his: rate Y exp(-activation/(Ta + T)))
 *     T        rises by dY Q/c_p (he multiplies by the heat capacity, which is no temperature), then radiates
 * Both exchanges are exact or to 1e-6 for any step and keep Y + F + S. Heat is a deviation of density, -rho_0 T/Ta for
 * small T: stage baroclinic makes the vorticity of it that lifts what burns.
 * New particles get `fuel`; those in the shape are heated to `torch`. */
#include "combustion.h"
#include "stages.h"

#include <common/shape/shape.h>

#include <math.h>

struct fire {
    struct shape shape;
    int32_t law;
    double fuel, torch, burn_rate, activation, ignition, ambient, heat, heat_capacity;
    double smoke_rate, smoke_at, cooling, cooling_at;
};

static const struct bw_param params[] = {
    SHAPE_ROW(struct fire, SHAPE_SOLIDS, NULL, 0, "Particles in here are lit."),
    BW_F64(struct fire, torch, "torch", "900 K", 0, 1e5, "K",
           "Excess over ambient that they are at least heated to there."),
    BW_F64(struct fire, fuel, "fuel", "1", 0, 1, NULL, "Fraction of fuel in new particles."),
    BW_CHOICE(struct fire, law, "law", "linear", "linear|proportional|arrhenius", "How fuel burns: as in fire."),
    BW_F64(struct fire, burn_rate, "burn_rate", "2.5 1/s", 0, 1e12, "1/s", "How fast fuel burns."),
    BW_F64(struct fire, activation, "activation", "15000 K", 0, 1e6, "K", "Activation temperature of law arrhenius."),
    BW_F64(struct fire, ignition, "ignition", "500 K", 0, 1e5, "K", "Absolute temperature above which fuel burns."),
    BW_F64(struct fire, ambient, "ambient", "=ambient", 1, 1e5, "K",
           "Absolute temperature of the surrounding air; the preset's."),
    BW_F64(struct fire, heat, "heat", "1.8e6 J/kg", 0, 1e12, "J/kg", "Heat that a kilogram of fuel sets free."),
    BW_F64(struct fire, heat_capacity, "heat_capacity", "1005 J/kg/K", 1, 1e9, "J/kg/K", "Of the gas."),
    BW_F64(struct fire, smoke_rate, "smoke_rate", "10 1/s", 0, 1e12, "1/s", "How fast cold flame turns to smoke."),
    BW_F64(struct fire, smoke_at, "smoke_at", "2000 K", 1, 1e6, "K",
           "Absolute temperature at which it does so 1/e as fast."),
    BW_F64(struct fire, cooling, "cooling", "3000 K/s", 0, 1e9, "K/s",
           "How fast gas at `cooling_at` cools by radiating."),
    BW_F64(struct fire, cooling_at, "cooling_at", "2000 K", 0, 1e5, "K", "Absolute temperature at which it does so."),
};

static const struct bw_attribute attributes[] = {
    {"pos", BW_F64P, 3, "m"},   {"temperature", BW_F64P, 1, "K"}, {"fuel", BW_F64P, 1, "1"},
    {"flame", BW_F64P, 1, "1"}, {"smoke", BW_F64P, 1, "1"},
};

static const struct bw_port ports[] = {
    {.name = "vortons",
     .kind = BW_PARTICLES,
     .access = BW_UPDATE,
     .doc = "What burns; for tracers, `bind: {vortons: tracers}`.",
     .attributes = attributes,
     .n_attributes = BW_COUNT(attributes)},
};

struct state {
    struct shape_state shape; ///< first: shapes look for it there
    int64_t next;             ///< particles with this id and later ones are new
};

struct parcels {
    const struct fire *p;
    struct pose torch;
    struct burn burn;
    double dt, cool; ///< cool: of burn_cool, per cubic kelvin
    int64_t count, next;
    const int64_t *id;
    const bw_vec3 *pos;
    double *temperature, *fuel, *flame, *smoke;
};

enum { CHUNK = 1024 };

static void parcel_burn(const struct parcels *a, int64_t i)
{
    const struct fire *p = a->p;
    double excess = a->temperature[i];
    if (p->shape.kind >= 0 && pose_distance(&a->torch, a->pos[i]) < 0) excess = fmax(excess, p->torch);
    const double q = (p->ambient + excess) / p->smoke_at;
    const double smoke = a->flame[i] * -expm1(-p->smoke_rate * exp(-q * q) * a->dt);
    a->smoke[i] += smoke;
    const double burnt = burn_amount(&a->burn, a->fuel[i], excess, HUGE_VAL, a->dt);
    a->fuel[i] -= burnt;
    a->flame[i] += burnt - smoke;
    excess += a->burn.heat * burnt;
    if (excess > 0) excess *= burn_cool(a->cool * excess * excess * excess);
    a->temperature[i] = excess;
}

static void chunk_burn(int64_t chunk, uint32_t worker, void *user)
{
    const struct parcels *a = user;
    const int64_t end = (chunk + 1) * CHUNK < a->count ? (chunk + 1) * CHUNK : a->count;
    (void)worker;
    for (int64_t i = chunk * CHUNK; i < end; i++) {
        if (a->id[i] >= a->next) a->fuel[i] = a->p->fuel;
        parcel_burn(a, i);
    }
}

static enum bw_status params_check(struct bw_stage *s, struct pose *torch)
{
    const struct fire *p = s->params;
    if (p->law != BURN_ARRHENIUS && p->ignition < p->ambient)
        return s->host->fail(s, BW_ERR_PRESET, "ignition is %g K, below the ambient %g K: all fuel would burn at once",
                             p->ignition, p->ambient);
    if (p->cooling > 0 && p->cooling_at <= p->ambient)
        return s->host->fail(s, BW_ERR_PRESET, "cooling_at is %g K; it must be above the ambient %g K", p->cooling_at,
                             p->ambient);
    if (p->shape.kind < 0) return BW_OK;
    enum bw_status status = shape_prepare(s, &p->shape, s->grid->h);
    return status ? status : shape_pose(s, &p->shape, torch);
}

static enum bw_status init(struct bw_stage *s)
{
    struct pose torch;
    return params_check(s, &torch);
}

static enum bw_status step(struct bw_stage *s)
{
    const struct fire *p = s->params;
    const struct bw_particles_api *api = s->host->extension(BW_PARTICLES_API);
    struct bw_particles *all = s->ports[0].particles;
    struct state *st = s->state;
    const double span = p->cooling_at - p->ambient;
    struct parcels a = {
        .p = p,
        .burn = {p->law, p->burn_rate, p->activation, p->ignition - p->ambient, p->ambient, p->heat / p->heat_capacity},
        .dt = s->dt,
        .cool = p->cooling > 0 ? 3 * p->cooling * s->dt / (span * span * span * span) : 0,
        .count = api->count(all),
        .next = st->next,
        .id = api->attribute(all, "id"),
        .pos = api->attribute(all, "pos"),
        .temperature = api->attribute(all, "temperature"),
        .fuel = api->attribute(all, "fuel"),
        .flame = api->attribute(all, "flame"),
        .smoke = api->attribute(all, "smoke")};
    double fuel = 0, flame = 0, hottest = 0;
    enum bw_status status = params_check(s, &a.torch);
    if (status) return status;
    if (!a.count && s->step == 1) s->host->log(s, BW_LOG_WARNING, "there are no particles yet: nothing burns");
    s->host->parallel_for(s, (a.count + CHUNK - 1) / CHUNK, chunk_burn, &a);
    for (int64_t i = 0; i < a.count; i++) {
        if (!isfinite(a.temperature[i]))
            return s->host->fail(s, BW_ERR_DIVERGED, "particle %lld has no temperature", (long long)a.id[i]);
        if (a.id[i] >= st->next) st->next = a.id[i] + 1;
        fuel += a.fuel[i];
        flame += a.flame[i];
        hottest = fmax(hottest, a.temperature[i]);
    }
    s->host->metric(s, "fuel", fuel, BW_METRIC_LAST);
    s->host->metric(s, "flame", flame, BW_METRIC_LAST);
    s->host->metric(s, "hottest", hottest, BW_METRIC_LAST);
    return BW_OK;
}

static enum bw_status checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    struct state *st = s->state;
    enum bw_status status = a->bytes(a, "next", &st->next, sizeof st->next);
    return status ? status : shape_checkpoint(s, a, &((const struct fire *)s->params)->shape);
}

const struct bw_stage_desc fire_vortons_desc = {
    .id = "fire.vortons",
    .version = "1.0",
    .brief = "Burns fuel of vortons or tracers: heat, flame, smoke.",
    .references = "Gourlay, Fluid simulation for video games, part 11.",
    .params_size = sizeof(struct fire),
    .state_size = sizeof(struct state),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .step = step,
    .checkpoint = checkpoint,
    .flags = BW_STAGE_RANKS,
};
