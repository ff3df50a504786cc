// SPDX-License-Identifier: Apache-2.0
/* fire: combustion. Fuel burns where it is hot enough, heats its gas, makes it expand, and leaves smoke.
 *
 * Mass fractions of each parcel: fuel Y, and, where the preset has such fields, oxygen O and products P; what is left
 * to 1 is inert. Fuel that was put into a cell displaces air: O is cut to 1 - Y - P. Then, over the step,
 *     Y  falls by dY, by a law of combustion.c, as far as the oxygen above `extinction` goes: dY <= (O - O_ext)/s
 *     O  falls by s dY,  P rises by (1 + s) dY              s: kilograms of oxygen for one of fuel
 *     T  rises by dY Q/c_p, then radiates: x' = -cooling x^4, x = (T - Ta)/(Tc - Ta), solved exactly:
 *        x = (x0^-3 + 3 cooling t/(Tc - Ta))^(-1/3)         (Nguyen, Fedkiw, Jensen 2002, eq. 17)
 *     smoke  rises by `smoke` times what leaves F, so that flames hide behind no soot of their own; in calm presets by
 *        `smoke` dY, at once. It burns in flames: at the rate `burnout` flame, where the excess is twice that of
 *        ignition, and in proportion down to the ignition temperature; what flames have left behind stays
 *     edges  T also falls by x' = -edge_cooling x/(1 + F/0.05), in air that flames no longer keep out: closed form
 *     flame  F' = -Y' - F/life: what burnt within the last moment, and glows; the field is F/F_max, from 0 to 1, F_max
 *        being the largest F of pure fuel that burns up (combustion.c): for rendering
 * The gas keeps its pressure, so it expands as its absolute temperature rises: div u = D(ln T)/Dt, which goes to
 * `divergence`, and which the projection makes the flow obey: exp(dt div u) is the ratio of volumes, whatever dt
 * (Feldman, O'Brien, Arikan 2003; Bridson 2015). All laws are integrated in closed form or to 1e-6, so nothing is
 * unstable at any dt; burning and cooling follow one another, an error of first order in dt. Advection may leave
 * fractions a little outside [0, 1]; what is cut off then is the metric `trimmed`. */
#include "combustion.h"
#include "stages.h"
#include <billow/plugin.h>
#include <common/age.h>
#include <common/stage_find.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define FAINT 0.05  ///< flame where edges cool half as fast as without any
#define SCARCE 1e-4 ///< fuel that the air left could burn, below which soot burns slower, down to 0 without any
#define SLACK 0.05  ///< a fraction this far outside [0, 1] is advection's doing; further is a mistake

enum {
    PORT_FUEL,
    PORT_TEMPERATURE,
    PORT_DENSITY,
    PORT_FLAME,
    PORT_DIVERGENCE,
    PORT_OXYGEN,
    PORT_PRODUCTS,
    PORT_AGE,
    N_PORTS
};

struct fire {
    int32_t law;
    double burn_rate, activation, ignition, ambient, heat, heat_capacity;
    double cooling, cooling_at, edge_cooling, expansion, smoke, burnout, flame_life, oxygen_need, extinction;
};

static const struct bw_param params[] = {
    BW_CHOICE(struct fire, law, "law", "linear", "linear|proportional|arrhenius",
              "linear: burn_rate of fuel a second; proportional: that fraction of what is left; "
              "arrhenius: the same times exp(-activation/T), without an ignition temperature."),
    BW_AUTO(struct fire, burn_rate, "burn_rate", 0, 1e12, "1/s",
            "How fast fuel burns: less makes taller flames; auto: 2.5 1/s for a source of 25 cm radius."),
    BW_F64(struct fire, activation, "activation", "15000 K", 0, 1e6, "K", "Activation temperature of law arrhenius."),
    BW_F64(struct fire, ignition, "ignition", "500 K", 0, 1e5, "K", "Absolute temperature above which fuel burns."),
    BW_F64(struct fire, ambient, "ambient", "=ambient", 1, 1e5, "K",
           "Absolute temperature of the surrounding air; the preset's."),
    BW_F64(struct fire, heat, "heat", "1.8e6 J/kg", 0, 1e12, "J/kg",
           "Heat that a kilogram of fuel, with the air mixed into it, sets free."),
    BW_F64(struct fire, heat_capacity, "heat_capacity", "1005 J/kg/K", 1, 1e9, "J/kg/K",
           "Of the gas at constant pressure; heat over this is the rise in temperature of fuel that burns up."),
    BW_AUTO(struct fire, cooling, "cooling", 0, 1e9, "K/s",
            "How fast gas at `cooling_at` cools by radiating; half as hot, a sixteenth; auto: 3000 K/s for 25 cm."),
    BW_F64(struct fire, cooling_at, "cooling_at", "2000 K", 0, 1e5, "K", "Absolute temperature at which it does so."),
    BW_F64(struct fire, edge_cooling, "edge_cooling", "0 1/s", 0, 1e9, "1/s",
           "How fast gas cools besides where there is little flame: edges turn to dark soot at once."),
    BW_F64(struct fire, expansion, "expansion", "1", 0, 100, "1", "Expansion of heated gas; 1 is physical."),
    BW_F64(struct fire, smoke, "smoke", "0.3", 0, 1e6, "1",
           "Smoke density that a unit of burnt fuel leaves as its flame goes out; in calm presets as it burns."),
    BW_F64(struct fire, burnout, "burnout", "0 1/s", 0, 1e9, "1/s",
           "Rate at which hot smoke burns up where `flame` is 1: none at the ignition temperature, this at twice its "
           "excess; where flames have gone, soot stays."),
    BW_AUTO(struct fire, flame_life, "flame_life", 1e-6, 1e6, "s", "How long burnt gas glows; auto: 0.15 s for 25 cm."),
    BW_F64(struct fire, oxygen_need, "oxygen_need", "1", 0, 1e3, "1",
           "Kilograms of oxygen that one of fuel burns with, where there is a field oxygen."),
    BW_F64(struct fire, extinction, "extinction", "0", 0, 1, "1",
           "Oxygen fraction at which flames go out, where there is a field oxygen."),
};

static const struct bw_port ports[N_PORTS] = {
    [PORT_FUEL] =
        {.name = "fuel", .kind = BW_SCALAR, .access = BW_UPDATE, .unit = "1", .doc = "Unburnt fuel, mass fraction."},
    [PORT_TEMPERATURE] =
        {.name = "temperature", .kind = BW_SCALAR, .access = BW_UPDATE, .unit = "K", .doc = "Excess over ambient."},
    [PORT_DENSITY] =
        {.name = "density", .kind = BW_SCALAR, .access = BW_UPDATE, .unit = "1", .doc = "Smoke that burning leaves."},
    [PORT_FLAME] =
        {.name = "flame",
         .kind = BW_SCALAR,
         .access = BW_UPDATE,
         .unit = "1",
         .doc = "How much glows: fuel burnt within the last `flame_life`; 1: as much as pure fuel has at most."},
    [PORT_DIVERGENCE] = {.name = "divergence",
                         .kind = BW_SCALAR,
                         .access = BW_UPDATE,
                         .lifetime = BW_STEP,
                         .unit = "1/s",
                         .doc = "Expansion of the gas."},
    [PORT_OXYGEN] =
        {.name = "oxygen",
         .kind = BW_SCALAR,
         .access = BW_UPDATE,
         .unit = "1",
         .flags = BW_PORT_OPTIONAL,
         .doc =
             "Oxygen, mass fraction: declare it under fields, with background 0.232 for air, and fire can suffocate."},
    [PORT_PRODUCTS] = {.name = "products",
                       .kind = BW_SCALAR,
                       .access = BW_UPDATE,
                       .unit = "1",
                       .flags = BW_PORT_OPTIONAL,
                       .doc = "Burnt gas, mass fraction: declare it under fields to have it."},
    [PORT_AGE] = AGE_PORT,
};

/// One step, over all cells.
struct plan {
    struct burn burn;
    bool late; ///< smoke comes out of flames, not of fuel
    double dt, cool, edge, life, expand, smoke, burnout, warm, flame_left, flame_gain, flame_most, need, extinction;
    int row[N_PORTS]; ///< view of each port, -1: unbound
};

/// What a parcel holds.
struct parcel {
    double fuel, excess, smoke, flame, oxygen, products;
};

enum { MOST_FUEL, LEAST_FUEL, MOST_AIR, LEAST_AIR, N_MAXS };

/* Those of the library are calls, ten of them a cell. The second where the first is no number. */
static inline double more(double a, double b) { return a > b ? a : b; }
static inline double less(double a, double b) { return a < b ? a : b; }

/// Cut to [0, most]; what that took is added to *trimmed.
static double fraction_trim(double y, double most, double *trimmed)
{
    const double cut = less(more(y, 0), most);
    *trimmed += fabs(y - cut);
    return cut;
}

/// Share of the excess that edges leave: exp(-rate ∫ dt/(1 + a exp(-t/life))), a = F/FAINT as the step begins.
static double edge_left(const struct plan *p, double flame)
{
    const double a = more(flame, 0) / FAINT;
    return exp(-p->edge * (p->dt + p->life * log((1 + a * p->flame_left) / (1 + a))));
}

static void parcel_burn(const struct plan *p, struct parcel *c)
{
    const bool air = p->row[PORT_OXYGEN] >= 0;
    const double usable = air && p->need > 0 ? (c->oxygen - p->extinction) / p->need : HUGE_VAL;
    const double burnt = burn_amount(&p->burn, c->fuel, c->excess, usable, p->dt);
    c->fuel -= burnt;
    if (air) c->oxygen = more(c->oxygen - p->need * burnt, 0);
    c->products += (air ? 1 + p->need : 1) * burnt;
    const double edge = p->edge > 0 ? edge_left(p, p->flame_most * c->flame + burnt) : 1;
    const double flame = less(p->flame_left * c->flame + p->flame_gain * burnt, 1), mean = 0.5 * (c->flame + flame);
    if (c->excess > p->warm && usable > 0)
        c->smoke *=
            exp(-p->burnout * less(more(mean, 0), 1) * less(c->excess / p->warm - 1, 1) * less(usable / SCARCE, 1));
    c->smoke += p->smoke * (p->late ? more(burnt + p->flame_most * (c->flame - flame), 0) : burnt);
    c->flame = flame;
    c->excess += p->burn.heat * burnt;
    if (c->excess > 0) c->excess *= edge * burn_cool(p->cool * c->excess * c->excess * c->excess);
}

static float *row_at(const struct bw_block *b, const struct plan *p, int port, int32_t j, int32_t k)
{
    if (p->row[port] < 0) return NULL;
    const struct bw_view *v = &b->view[p->row[port]];
    return bw_f32(v, 0) + j * v->sy + k * v->sz;
}

/// Fractions as they come from advection and emitters: checked, trimmed, and the air displaced by fuel.
static void parcel_check(const struct plan *p, struct parcel *c, double *max, double *trimmed)
{
    max[MOST_FUEL] = more(max[MOST_FUEL], more(c->fuel, c->products));
    max[LEAST_FUEL] = more(max[LEAST_FUEL], -less(c->fuel, c->products));
    c->fuel = fraction_trim(c->fuel, 1, trimmed);
    if (p->row[PORT_PRODUCTS] >= 0) c->products = fraction_trim(c->products, 1 - c->fuel, trimmed);
    if (p->row[PORT_OXYGEN] < 0) return;
    max[MOST_AIR] = more(max[MOST_AIR], c->oxygen);
    max[LEAST_AIR] = more(max[LEAST_AIR], -c->oxygen);
    c->oxygen = more(less(fraction_trim(c->oxygen, 1, trimmed), 1 - c->fuel - c->products), 0);
}

/* Is there anything that could burn, cool or glow? */
static bool row_is_empty(float *const at[N_PORTS], int32_t n)
{
    const float *fuel = at[PORT_FUEL], *heat = at[PORT_TEMPERATURE], *flame = at[PORT_FLAME];
    int any = 0;
    for (int32_t i = 0; i < n; i++) any |= (fuel[i] != 0) | (heat[i] != 0) | (flame[i] != 0);
    return !any;
}

static void row_burn(const struct bw_block *b, const struct plan *p, int32_t j, int32_t k, double *max, double *trimmed)
{
    float *at[N_PORTS];
    for (int i = 0; i < N_PORTS; i++) at[i] = row_at(b, p, i, j, k);
    if (row_is_empty(at, b->n[0])) return;
    for (int32_t i = 0; i < b->n[0]; i++) {
        float *fuel = at[PORT_FUEL] + i, *heat = at[PORT_TEMPERATURE] + i, *flame = at[PORT_FLAME] + i;
        if (*fuel == 0 && *heat == 0 && *flame == 0) continue;
        struct parcel c = {(double)*fuel,
                           (double)*heat,
                           (double)at[PORT_DENSITY][i],
                           (double)*flame,
                           at[PORT_OXYGEN] ? (double)at[PORT_OXYGEN][i] : 0,
                           at[PORT_PRODUCTS] ? (double)at[PORT_PRODUCTS][i] : 0};
        const double before = c.excess;
        parcel_check(p, &c, max, trimmed);
        parcel_burn(p, &c);
        *fuel = (float)c.fuel;
        *heat = (float)c.excess;
        *flame = (float)c.flame;
        if (at[PORT_AGE]) at[PORT_AGE][i] = age_mixed(at[PORT_AGE][i], at[PORT_DENSITY][i], (float)c.smoke, p->dt);
        at[PORT_DENSITY][i] = (float)c.smoke;
        if (at[PORT_OXYGEN]) at[PORT_OXYGEN][i] = (float)c.oxygen;
        if (at[PORT_PRODUCTS]) at[PORT_PRODUCTS][i] = (float)c.products;
        if (c.excess != before && p->burn.ambient + before > 0)
            at[PORT_DIVERGENCE][i] += (float)(p->expand * log1p((c.excess - before) / (p->burn.ambient + before)));
    }
}

static void block_burn(const struct bw_block *b, void *user)
{
    double max[N_MAXS] = {0, 0, 0, 0}, trimmed = 0;
    for (int32_t k = 0; k < b->n[2]; k++)
        for (int32_t j = 0; j < b->n[1]; j++) row_burn(b, user, j, k, max, &trimmed);
    for (int m = 0; m < N_MAXS; m++) b->max[m] = max[m];
    b->sum[0] = trimmed;
}

/* ---- step ---- */

static enum bw_status params_check(struct bw_stage *s)
{
    const struct fire *f = s->params;
    const void *table;
    if (f->law != BURN_ARRHENIUS && f->ignition < f->ambient)
        return s->host->fail(s, BW_ERR_PRESET, "ignition is %g K, below the ambient %g K: all fuel would burn at once",
                             f->ignition, f->ambient);
    if (f->cooling != 0 && f->cooling_at <= f->ambient)
        return s->host->fail(s, BW_ERR_PRESET, "cooling_at is %g K; it must be above the ambient %g K", f->cooling_at,
                             f->ambient);
    if (f->expansion > 0 && !s->host->find_stage(s, BW_PROJECT, 0, &table))
        return s->host->fail(s, BW_ERR_PRESET,
                             "hot gas expands, but no stage projects the flow: add mac.project, or "
                             "give expansion: 0");
    return BW_OK;
}

static enum bw_status init(struct bw_stage *s) { return params_check(s); }

/* By Froude's law the times of a flow go with the root of its size. What nobody gave is for a source of 25 cm radius,
 * and in a calm preset for any. */
static double time_scale(struct bw_stage *s)
{
    const double radius = s->character > 0 ? source_radius(s) : 0;
    return radius > 0 ? sqrt(radius / 0.25) : 1;
}

struct rates {
    double burn, cooling, life; ///< 1/s, K/s, s
};

static struct rates rates_of(struct bw_stage *s)
{
    const struct fire *f = s->params;
    const double scale = time_scale(s);
    return (struct rates){bw_given_or(f->burn_rate, 2.5 / scale), bw_given_or(f->cooling, 3000 / scale),
                          bw_given_or(f->flame_life, 0.15 * scale)};
}

static struct burn burn_of(const struct fire *f, const struct rates *r)
{
    return (struct burn){
        f->law, r->burn, f->activation, f->ignition - f->ambient, f->ambient, f->heat / f->heat_capacity};
}

static struct plan plan_make(struct bw_stage *s)
{
    const struct fire *f = s->params;
    const struct rates rates = rates_of(s);
    const double span = f->cooling_at - f->ambient, dt = s->dt, life = rates.life, cooling = rates.cooling;
    const struct burn burn = burn_of(f, &rates);
    const double most = burn_glow_peak(&burn, life);
    return (struct plan){
        .burn = burn,
        .late = s->character > 0,
        .dt = dt,
        .cool = cooling > 0 ? 3 * cooling * dt / (span * span * span * span) : 0,
        .edge = f->edge_cooling,
        .life = life,
        .expand = dt > 0 ? f->expansion / dt : 0,
        .smoke = f->smoke,
        .burnout = f->burnout * dt,
        .warm = f->burnout > 0 ? fmax(f->ignition - f->ambient, 1) : HUGE_VAL,
        .flame_left = exp(-dt / life),
        .flame_gain = (dt > 0 ? -expm1(-dt / life) * life / dt : 1) / most,
        .flame_most = most,
        .need = f->oxygen_need,
        .extinction = f->extinction,
    };
}

/* Burning heats as fast as hot gas radiates, unless the fuel is burnt up before; gas may come out hotter still. Baked
 * sources are 1 to 10 % colder than that, by the air that they mix with. */
static double flame_kelvin(struct bw_stage *s, double fuel, double excess)
{
    const struct fire *f = s->params;
    const struct rates rates = rates_of(s);
    const struct burn burn = burn_of(f, &rates);
    const double span = f->cooling_at - f->ambient, share = less(more(fuel, 0), 1);
    const double heating = burn_rate_hot(&burn) * burn.heat * (f->law == BURN_LINEAR ? 1 : share);
    const double steady = rates.cooling > 0 ? span * sqrt(sqrt(heating / rates.cooling)) : HUGE_VAL;
    return f->ambient + more(excess, less(excess + burn.heat * share, steady));
}

static const void *extension(const char *id)
{
    static const struct bw_combustion_api flames = {.size = sizeof flames, .kelvin = flame_kelvin};
    return strcmp(id, BW_COMBUSTION) ? NULL : &flames;
}

/// A sentence when some fraction is further outside [0, 1] than advection can bring it.
static enum bw_status fractions_check(struct bw_stage *s, const double max[N_MAXS])
{
    static const char *const who[2] = {"fuel or products", "oxygen"};
    for (int i = 0; i < 2; i++) {
        const double most = max[2 * i], least = -max[2 * i + 1];
        if (most > 1 + SLACK || least < -SLACK)
            return s->host->fail(s, BW_ERR_PRESET, "%s %s %g: a mass fraction lies between 0 and 1; what makes it?",
                                 who[i], most > 1 + SLACK ? "reaches" : "falls to", most > 1 + SLACK ? most : least);
    }
    return BW_OK;
}

static enum bw_status step(struct bw_stage *s)
{
    struct plan p = plan_make(s);
    struct bw_access access[N_PORTS];
    uint32_t n = 0;
    double max[N_MAXS], trimmed;
    enum bw_status status = params_check(s);
    if (status != BW_OK) return status;
    for (uint32_t i = 0; i < N_PORTS; i++) {
        struct bw_field *field = bw_port_field(s, i);
        p.row[i] = field ? (int)n : -1;
        if (field) access[n++] = (struct bw_access){field, BW_UPDATE, 0};
    }
    status = s->host->sweep(s, &(struct bw_sweep){.access = access,
                                                  .n_access = n,
                                                  .body = block_burn,
                                                  .user = &p,
                                                  .sums = &trimmed,
                                                  .n_sums = 1,
                                                  .maxs = max,
                                                  .n_maxs = N_MAXS});
    if (status != BW_OK) return status;
    s->host->metric(s, "trimmed", trimmed, BW_METRIC_SUM);
    return fractions_check(s, max);
}

const struct bw_stage_desc fire_desc = {
    .id = "fire",
    .version = "1.0",
    .brief = "Burns fuel: heat, expansion, radiation, smoke, and the flame to render.",
    .references = "Nguyen, Fedkiw, Jensen 2002, SIGGRAPH; Feldman, O'Brien, Arikan 2003, SIGGRAPH.",
    .params_size = sizeof(struct fire),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .flags = BW_STAGE_RANKS,
    .extension = extension,
    .step = step,
};
