// SPDX-License-Identifier: Apache-2.0
/* debris: pieces that are thrown, fall, bounce, and leave burning and smoking trails.
 *
 * `count` pieces start at random places in the shape, in a cone, with speed, size and life log-normal about their
 * medians (spread: the logarithm's standard deviation, cut at three): thrown matter breaks up by factors. A piece of
 * diameter d has quadratic drag against the gas, whose velocity is u,
 *     x'' = g - |v - u| (v - u) / L,   L = drag_length d/size      (= 4/3 rho_p/rho d/C_d of a sphere)
 * A step is cut into substeps of h <= 1/rate, in which no piece moves by more than half a cell; with u at its
 * midpoint,
 *     v* = v + h/2 g,  w = v* - u,  x' = x + u h + w L/|w| ln(1 + |w| h/L),  v' = u + w / (1 + |w| h/L) + h/2 g
 * (Strang's splitting): exact for drag alone in even gas and for gravity alone, of second order together, for any h.
 * Closed sides and obstacles, which count as at rest, throw pieces back by `restitution`, with Coulomb's friction; out
 * of a periodic side they come in through the other.
 *
 * Along its trajectory a piece is a source like emit in mode max, a ball of `trail` times its size: targets are least
 * values, rates (`1/s`) are added. Amounts fade with the piece's age a as (1 - a/life)^fade, those of what burns
 * (temperature, fuel, flame) as (1 - a/(burning life))^fade; the ball shrinks to `taper`. The stage stands below
 * mac.advect: the trail is advected by the flow from when it was emitted to the step's end (debris_trail.c). Amounts
 * that change are those of the step's end. We cheat: pieces take no momentum from the gas, but may give it some
 * (`inherit_velocity`). */
#include "debris.h"
#include <common/age.h>

#include <common/ranks.h>

#include <math.h>
#include <string.h>

static const struct bw_param noise_rows[] = {
    BW_F64(struct emit_noise, amount, "amount", "0", 0, 1, NULL, "0: even trails; 1: broken up into lobes and holes."),
    BW_F64(struct emit_noise, size, "size", "0.15 m", 0, 1e6, "m", "Size of the largest lobes.",
           BW_PARAM_STATIC | BW_PARAM_MIN_OPEN),
    BW_INT(struct emit_noise, octaves, "octaves", "3", 1, BW_NOISE_OCTAVES,
           "Scales of detail, each half the size of the one before.", BW_PARAM_STATIC),
    BW_INT(struct emit_noise, seed, "seed", "0", 0, 1e15, "Another number, another pattern.", BW_PARAM_STATIC),
};

#define DEG 1.7453292519943295e-2
static const struct bw_param params[] = {
    SHAPE_ROW(struct debris, SHAPE_SOLIDS, NULL, BW_PARAM_REQUIRED, "Where pieces start, anywhere in it."),
    BW_INT(struct debris, count, "count", "40", 1, 1e6, "Pieces thrown at a time.", BW_PARAM_STATIC),
    BW_F64(struct debris, delay, "delay", "0 s", 0, 1e6, "s", "From the stage's first step to the first throw.",
           BW_PARAM_STATIC),
    BW_F64(struct debris, duration, "duration", "0 s", 0, 1e6, "s", "That a throw lasts: pieces go at random in it.",
           BW_PARAM_STATIC),
    BW_F64(struct debris, every, "every", "0 s", 0, 1e6, "s", "From one throw to the next; 0: there is one only.",
           BW_PARAM_STATIC),
    BW_INT(struct debris, seed, "seed", "0", 0, 1e15, "Another number, other pieces.", BW_PARAM_STATIC),
    BW_INT(struct debris, clusters, "clusters", "0", 0, 64,
           "Directions that they gather about, some more than others; 0: each has its own.", BW_PARAM_STATIC),
    BW_VEC3(struct debris, direction, "direction", "[0, 0, 1]", "1", "Axis of the cone they are thrown in."),
    BW_F64(struct debris, cone, "cone", "80 deg", 0, 180 * DEG, "rad",
           "How far from the axis; 180 deg: in all directions."),
    BW_F64(struct debris, focus, "focus", "1", 1e-3, 1e3, NULL,
           "1: evenly over the cone; more gathers them at the axis, less at the rim."),
    BW_F64(struct debris, cluster_spread, "cluster_spread", "8 deg", 0, 180 * DEG, "rad",
           "How far off its cluster's direction a piece goes: standard deviation, each way."),
    BW_F64(struct debris, speed, "speed", "10 m/s", 0, 1e5, "m/s", "At the start: median."),
    BW_F64(struct debris, speed_spread, "speed_spread", "0.4", 0, 3, NULL,
           "Of its logarithm; 0.4: one in six is half as fast again, or slower by a third."),
    BW_F64(struct debris, size, "size", "6 cm", 1e-6, 1e4, "m", "Diameter: median."),
    BW_F64(struct debris, size_spread, "size_spread", "0.4", 0, 3, NULL, "Of its logarithm."),
    BW_F64(struct debris, drag_length, "drag_length", "20 m", 0, 1e9, "m",
           "Way in still gas on which one of `size` comes to 1/e of its speed; larger ones go farther. 0: no drag."),
    BW_VEC3(struct debris, gravity, "gravity", "[0, 0, -9.81]", "m/s^2", "What they fall by."),
    BW_F64(struct debris, restitution, "restitution", "0.3", 0, 1, NULL,
           "Share of the speed towards a wall that comes back."),
    BW_F64(struct debris, friction, "friction", "0.5", 0, 1e3, NULL, "Of a wall that they hit (Coulomb)."),
    BW_F64(struct debris, rate, "rate", "240 1/s", 1, 1e5, "1/s",
           "Parts that a second of flight is cut into, at least."),
    BW_F64(struct debris, life, "life", "1.2 s", 1e-6, 1e6, "s", "How long they leave trails, and are there: median."),
    BW_F64(struct debris, life_spread, "life_spread", "0.3", 0, 3, NULL, "Of its logarithm."),
    BW_F64(struct debris, glow, "glow", "1500 K", 0, 1e5, "K", "Absolute temperature of a piece at its start."),
    BW_F64(struct debris, cooling, "cooling", "0.8 s", 1e-6, 1e6, "s",
           "Time in which one of `size` comes to 1/e of what it was hotter than the air."),
    BW_F64(struct debris, ambient, "ambient", "=ambient", 1, 1e5, "K",
           "Absolute temperature of the surrounding air; the preset's."),
    BW_F64(struct debris, trail, "trail", "2", 0, 1e3, NULL, "Width of the trail, times the piece's size."),
    BW_F64(struct debris, taper, "taper", "0.5", 0, 1e2, NULL, "What of the width is left at the end of a life."),
    BW_F64(struct debris, burning, "burning", "0.5", 0, 1, NULL,
           "Share of a life after which temperature, fuel and flame have died."),
    BW_F64(struct debris, fade, "fade", "1", 0, 1e2, NULL, "How amounts die with age: 1 evenly, more sooner, 0 not."),
    BW_F64(struct debris, inherit_velocity, "inherit_velocity", "0", 0, 10, NULL,
           "Share of a piece's velocity that gas in its trail takes on."),
    BW_GROUP(struct debris, noise, struct emit_noise, "noise", noise_rows, "Breaks trails up; it stands in space."),
    BW_AMOUNTS(struct debris, amounts, "What pieces leave: any field's name with its amount."),
};

static const struct bw_port ports[] = {
    [DEBRIS_AMOUNTS] = {.name = "amounts",
                        .kind = BW_SCALAR,
                        .access = BW_UPDATE,
                        .doc = "The fields whose amounts are given.",
                        .flags = BW_PORT_LIST | BW_PORT_ADVECTED,
                        .kinds = BW_KIND_BIT(BW_SCALAR) | BW_KIND_BIT(BW_VECTOR),
                        .from = "*"},
    [DEBRIS_PIECES] = {.name = "debris",
                       .kind = BW_PARTICLES,
                       .access = BW_UPDATE,
                       .doc = "The pieces; `temperature` is their excess over ambient.",
                       .attributes = glowing_attributes,
                       .n_attributes = BW_COUNT(glowing_attributes)},
    [DEBRIS_VEL] = {.name = "vel",
                    .kind = BW_MAC,
                    .access = BW_UPDATE,
                    .unit = "m/s",
                    .doc = "The flow, which drags them and which they may move.",
                    .flags = BW_PORT_OPTIONAL | BW_PORT_NO_CREATE},
    [DEBRIS_SOLID] = {.name = "solid",
                      .kind = BW_SCALAR,
                      .access = BW_READ,
                      .lifetime = BW_STEP,
                      .unit = "m",
                      .flags = BW_PORT_OPTIONAL | BW_PORT_NO_CREATE,
                      .doc = "What they bounce off: obstacles that stand before them in the list."},
    [DEBRIS_AGE] = AGE_PORT,
};

static enum bw_status pieces_add(struct bw_stage *s, const struct bw_particles_api *api, struct bw_particles *all,
                                 const struct piece *fresh, int64_t n)
{
    int64_t first;
    if (!n) return BW_OK;
    if (api->add(all, n, &first)) return s->host->fail(s, BW_ERR_MEMORY, "out of memory for %lld pieces", (long long)n);
    const struct glowing p = glowing_of(api, all);
    for (int64_t i = 0; i < n; i++) {
        memcpy(p.pos[first + i], fresh[i].pos, sizeof *p.pos);
        for (int a = 0; a < 3; a++) p.velocity[3 * (first + i) + a] = (float)fresh[i].velocity[a];
        p.size[first + i] = (float)fresh[i].size;
        p.life[first + i] = (float)fresh[i].life;
        p.age[first + i] = (float)fmin(s->time - fresh[i].born, 0); // its birthday within the step
    }
    return BW_OK;
}

/// Removes pieces whose life is over. Errors, said: BW_ERR_DIVERGED, BW_ERR_MEMORY.
static enum bw_status pieces_remove_dead(struct bw_stage *s, const struct bw_particles_api *api,
                                         struct bw_particles *all)
{
    const struct glowing p = glowing_of(api, all);
    uint8_t *drop = s->host->scratch(s, (size_t)p.count + 1);
    if (!drop) return s->host->fail(s, BW_ERR_MEMORY, "out of memory for %lld pieces", (long long)p.count);
    for (int64_t i = 0; i < p.count; i++) {
        if (!isfinite(p.pos[i][0] + p.pos[i][1] + p.pos[i][2]))
            return s->host->fail(s, BW_ERR_DIVERGED, "the position of piece %lld is not a number", (long long)i);
        drop[i] = p.age[i] >= p.life[i];
    }
    api->remove(all, drop);
    return BW_OK;
}

static enum bw_status init(struct bw_stage *s)
{
    const struct debris *p = s->params;
    struct piece *none;
    int64_t count;
    if (p->amounts.count > DEBRIS_FIELDS)
        return s->host->fail(s, BW_ERR_PRESET, "%lld amounts; %d are the most", (long long)p->amounts.count,
                             DEBRIS_FIELDS);
    if (p->glow < p->ambient)
        return s->host->fail(s, BW_ERR_PRESET, "glow: %g K is below the ambient %g K", p->glow, p->ambient);
    if (p->noise.amount > 0 && p->noise.size < s->grid->h)
        s->host->log(s, BW_LOG_WARNING, "noise.size %g m is finer than a cell (%g m): trails stay even", p->noise.size,
                     s->grid->h);
    const enum bw_status status = amounts_check_targets(s, p->amounts.items, p->amounts.count);
    return status ? status : debris_launch(s, s->time, s->time, &none, &count);
}

/// Activates tiles that pieces, present or launched, may reach within a frame: the step's length is not known yet.
static enum bw_status activate(struct bw_stage *s)
{
    const struct bw_particles_api *api = s->host->extension(BW_PARTICLES_API);
    struct debris_state *st = s->state;
    struct piece *fresh = NULL;
    int64_t count = 0;
    if (!((const struct debris *)s->params)->amounts.count) return BW_OK;
    const struct glowing p = glowing_of(api, s->ports[DEBRIS_PIECES].particles);
    const struct debris_state was = *st;
    if (!st->begun) st->begin = st->until = s->time;
    const enum bw_status status = debris_launch(s, st->until, s->time + 1 / s->fps, &fresh, &count);
    st->begin = was.begin;
    st->until = was.until;
    return status ? status : debris_activate(s, &p, fresh, count);
}

static enum bw_status step(struct bw_stage *s)
{
    const struct bw_particles_api *api = s->host->extension(BW_PARTICLES_API);
    struct bw_particles *all = s->ports[DEBRIS_PIECES].particles;
    struct debris_state *st = s->state;
    struct piece *fresh = NULL;
    int64_t count = 0;
    if (!st->begun) st->begin = st->until = s->time;
    st->begun = 1;
    enum bw_status status = debris_launch(s, st->until, s->time + s->dt, &fresh, &count);
    if (!status) status = pieces_add(s, api, all, fresh, count);
    if (status) return status;
    st->until = s->time + s->dt;
    const struct glowing p = glowing_of(api, all);
    status = debris_fly(s, &p);
    struct smoke_before before;
    if (!status) status = smoke_keep(s, DEBRIS_AGE, &before);
    if (!status) status = debris_deposit(s);
    if (!status) status = smoke_mix_age(s, &before);
    if (status == BW_ERR_MEMORY) return s->host->fail(s, status, "out of memory for %lld pieces", (long long)p.count);
    if (!status) status = pieces_remove_dead(s, api, all);
    s->host->metric(s, "launched", (double)count, BW_METRIC_SUM);
    s->host->metric(s, "pieces", (double)api->count(all), BW_METRIC_LAST);
    return status;
}

static enum bw_status checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    struct debris_state *st = s->state;
    a->bytes(a, "begun", &st->begun, sizeof st->begun);
    a->bytes(a, "begin", &st->begin, sizeof st->begin);
    const enum bw_status status = a->bytes(a, "until", &st->until, sizeof st->until);
    return status ? status : shape_checkpoint(s, a, &((const struct debris *)s->params)->shape);
}

const struct bw_stage_desc scene_debris_desc = {
    .id = "debris",
    .version = "1.0",
    .brief = "Throws pieces that fly, fall and bounce, and leave burning and smoking trails.",
    .params_size = sizeof(struct debris),
    .state_size = sizeof(struct debris_state),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .activate = activate,
    .flags = BW_STAGE_RANKS,
    .step = step,
    .checkpoint = checkpoint,
};
