// SPDX-License-Identifier: Apache-2.0
/* dissipate: decay of smoke, heat or any scalar or vector field to its background, with d = |q - background|:
 *
 *     d' = - m (rate d + linear),   m = 1, or `faster` where d < thin;   the background at once where d < vanish.
 * The rates do not depend on time, so the exact solution over dt is one formula, with one more where d falls below
 * `thin` within the step: two half steps give what one step gives. A vector keeps its direction. Because d only falls,
 * `vanish` is tested once, at the step's end. Of smoke younger than `older` nothing goes; what comes of that age within
 * the step fades for the rest of it. */
#include "stages.h"
#include <math.h>

struct dissipate {
    double linear, thin, faster, vanish, older;
    struct bw_list amounts;
};

static const struct bw_param params[] = {
    BW_F64(struct dissipate, linear, "linear", "0 1/s", 0, 1e9, "1/s",
           "A fall at constant speed on top, in the field's own unit per second: ends thin smoke in finite time."),
    BW_F64(struct dissipate, thin, "thin", "0", 0, 1e9, "1", "Below this value everything goes `faster`."),
    BW_F64(struct dissipate, faster, "faster", "1", 0, 1e6, "1", "So many times as fast below `thin`."),
    BW_F64(struct dissipate, vanish, "vanish", "0", 0, 1e9, "1",
           "Below this value nothing is left: thin smoke goes, and its memory with it."),
    BW_F64(struct dissipate, older, "older", "0 s", 0, 1e9, "s",
           "Only smoke older than that fades, by the field `age`."),
    BW_AMOUNTS(struct dissipate, amounts,
               "Any scalar or vector field with its rate, 1/s: after t seconds exp(-rate t) of it is left."),
};

static const struct bw_port ports[] = {
    {.name = "fields",
     .kind = BW_SCALAR,
     .access = BW_UPDATE,
     .flags = BW_PORT_LIST | BW_PORT_NO_CREATE,
     .kinds = BW_KIND_BIT(BW_SCALAR) | BW_KIND_BIT(BW_VECTOR),
     .from = "*",
     .doc = "What fades."},
    {.name = "age",
     .kind = BW_SCALAR,
     .access = BW_READ,
     .unit = "s",
     .flags = BW_PORT_OPTIONAL,
     .doc = "Age of the smoke, for `older`."},
};

/// Over a whole step d becomes keep d - lose: [0] above `thin`, [1] below it.
struct fade {
    double rate[2], linear[2], keep[2], lose[2];
    double dt, thin, vanish, older, background[3];
    int32_t wide;
};

/// Exact solution after t: the factor of d, and the loss by the linear part.
static void fall(double rate, double linear, double t, double *keep, double *lose)
{
    *keep = exp(-rate * t);
    *lose = rate * t > 0 ? -expm1(-rate * t) / rate * linear : linear * t;
}

static double size_after(const struct fade *f, double d)
{
    double keep = f->keep[1], lose = f->lose[1];
    if (d >= f->thin) {
        const double end = f->keep[0] * d - f->lose[0], a = f->rate[0], l = f->linear[0];
        if (end >= f->thin) return end < f->vanish ? 0 : end;
        const double spent = a > 0 ? log1p(a * (d - f->thin) / (a * f->thin + l)) / a : (d - f->thin) / l;
        fall(f->rate[1], f->linear[1], fmax(f->dt - spent, 0), &keep, &lose);
        d = f->thin;
    }
    const double end = keep * d - lose;
    return end > 0 && end >= f->vanish ? end : 0;
}

/// One cell's values, comps of them.
static void values_fade(const struct fade *f, double q[3], int32_t comps)
{
    double square = 0;
    for (int32_t c = 0; c < comps; c++) square += (q[c] - f->background[c]) * (q[c] - f->background[c]);
    const double d = comps == 1 ? fabs(q[0] - f->background[0]) : sqrt(square);
    const double factor = d > 0 ? size_after(f, d) / d : 0;
    for (int32_t c = 0; c < comps; c++) q[c] = f->background[c] + factor * (q[c] - f->background[c]);
}

static void fade_over(struct fade *f, double dt)
{
    f->dt = dt;
    for (int r = 0; r < 2; r++) fall(f->rate[r], f->linear[r], dt, &f->keep[r], &f->lose[r]);
}

/* For so much of the step as the smoke is old enough. */
static void cell_fade(const struct fade *f, double age, double q[3], int32_t comps)
{
    const double old = age - f->older;
    if (!(old > 0)) return;
    if (old >= f->dt) {
        values_fade(f, q, comps);
        return;
    }
    struct fade part = *f;
    fade_over(&part, old);
    values_fade(&part, q, comps);
}

/* `age` NULL: nobody asks. */
static void row_fade(const struct fade *f, const struct bw_view *v, const float *age, ptrdiff_t from, int32_t n)
{
    for (ptrdiff_t i = from; i < from + n; i++) {
        double q[3];
        for (int32_t c = 0; c < v->comps; c++) q[c] = f->wide ? bw_f64(v, c)[i] : (double)bw_f32(v, c)[i];
        if (age) cell_fade(f, (double)age[i - from], q, v->comps);
        else values_fade(f, q, v->comps);
        for (int32_t c = 0; c < v->comps; c++) {
            if (f->wide) bw_f64(v, c)[i] = q[c];
            else bw_f32(v, c)[i] = (float)q[c];
        }
    }
}

static void block_fade(const struct bw_block *b, void *user)
{
    const struct fade *f = user;
    const struct bw_view *v = &b->view[0], *a = &b->view[1];
    for (int32_t k = 0; k < b->n[2]; k++)
        for (int32_t j = 0; j < b->n[1]; j++)
            row_fade(f, v, f->older > 0 ? bw_f32(a, 0) + j * a->sy + k * a->sz : NULL, j * v->sy + k * v->sz, b->n[0]);
}

static enum bw_status rates_check(struct bw_stage *s)
{
    const struct dissipate *p = s->params;
    const struct bw_amount *amount = p->amounts.items;
    for (int64_t i = 0; i < p->amounts.count; i++) {
        if (amount[i].comps != 1)
            return s->host->fail(s, BW_ERR_PRESET, "%s: a rate is one number, not three", amount[i].field);
        if (!(amount[i].value[0] >= 0 && amount[i].value[0] <= 1e9))
            return s->host->fail(s, BW_ERR_PRESET, "%s: %g 1/s; a rate must be between 0 and 1e+09 1/s",
                                 amount[i].field, amount[i].value[0]);
    }
    return BW_OK;
}

static enum bw_status init(struct bw_stage *s)
{
    const struct dissipate *p = s->params;
    if (!p->amounts.count)
        s->host->log(s, BW_LOG_WARNING, "nothing fades: name a field with a rate, such as `density: 0.5 1/s`");
    if ((p->thin > 0) != (p->faster != 1))
        s->host->log(s, BW_LOG_WARNING, "thin and faster need each other: one says below what, the other how much");
    if (p->older > 0 && !bw_port_field(s, 1))
        return s->host->fail(s, BW_ERR_PRESET, "older goes by the age of smoke: have it by `fields: {age: {}}`");
    return rates_check(s);
}

static enum bw_status step(struct bw_stage *s)
{
    const struct dissipate *p = s->params;
    const struct bw_amount *amount = p->amounts.items;
    enum bw_status status = rates_check(s);
    for (uint32_t i = 0; i < s->ports[0].count && status == BW_OK; i++) {
        const struct bw_field_info *info = s->host->field_info(s->ports[0].fields[i]);
        struct fade f = {.thin = p->thin, .vanish = p->vanish, .older = p->older, .wide = info->precision == BW_F64P};
        for (int c = 0; c < 3; c++) f.background[c] = info->background[c];
        for (int r = 0; r < 2; r++) {
            f.rate[r] = amount[i].value[0] * (r ? p->faster : 1);
            f.linear[r] = p->linear * (r ? p->faster : 1);
        }
        fade_over(&f, s->dt);
        const struct bw_access access[] = {{s->ports[0].fields[i], BW_UPDATE, 0}, {bw_port_field(s, 1), BW_READ, 0}};
        const struct bw_sweep sweep = {
            .access = access, .n_access = p->older > 0 ? 2 : 1, .body = block_fade, .user = &f};
        status = s->host->sweep(s, &sweep);
    }
    return status;
}

const struct bw_stage_desc dissipate_desc = {
    .id = "dissipate",
    .version = "1.0",
    .brief = "Lets smoke, heat or any field fade, by rates per second.",
    .params_size = sizeof(struct dissipate),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .init = init,
    .flags = BW_STAGE_RANKS,
    .step = step,
};
