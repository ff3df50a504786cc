// SPDX-License-Identifier: Apache-2.0
/* upres.match: nudges fields that are advected on a finer domain towards the cache that they come from.
 *
 * At the first frame a field is the cache's, interpolated. From then on it is advected by the finer flow. At each
 * frame its large scales are relaxed to the cache's by β = 1 - exp(-rate/fps), its small ones left alone: with
 * d = B(mean of the field over each cell of the cache), t = B(the cache's), B a blur of about five cells,
 *
 *     d < t:  q += β (t - d)/t · T      what is missing comes in the shape T that it has in the cache: sources, mostly
 *     d > t:  q *= 1 - β (d - t)/d      what is too much fades as it stands, and nothing becomes negative
 *
 * (where the one to divide by is not positive: q += β (t - d)). All are differences from the background. Where they
 * differ by more than half, β goes to 1: smoke was made there, or taken away. In the end all is multiplied by what
 * brings the total to the cache's, a hundredth or less from frame to frame. So the amount is the cache's, and no drift
 * of the noise can pile up. */
#include "stages.h"

#include "cache.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIELDS_MAX = 16, AROUND = 8 };

struct match {
    struct bw_list fields;
    double rate;
};

static const struct bw_param field_rows[] = {
    {.type = BW_PARAM_FIELD, .doc = "A field's name, and the grid's in the file.", .flags = BW_PARAM_STATIC},
};

static const struct bw_param params[] = {
    BW_LIST(struct match, fields, const char *, "fields", field_rows, "The fields to take from the cache."),
    BW_F64(struct match, rate, "rate", "8 1/s", 0, 1e6, "1/s", "How fast the large scales go back to the cache's."),
};

static const struct bw_port ports[] = {
    {.name = "fields",
     .kind = BW_SCALAR,
     .access = BW_UPDATE,
     .doc = "The fields that are kept in step.",
     .flags = BW_PORT_LIST,
     .from = "fields",
     .kinds = BW_KIND_BIT(BW_SCALAR) | BW_KIND_BIT(BW_VECTOR)},
};

struct target {
    struct lattice lattice;
    struct dense value;
    int positive; ///< the cache holds nothing below 0
    float most;   ///< its largest value, beside which others are small
};

struct state {
    struct cache cache;
    struct target target[FIELDS_MAX];
    int64_t number; ///< of the file that the targets come from
    int loaded;
};

static enum bw_status target_read(struct bw_stage *s, uint32_t i)
{
    struct state *st = s->state;
    struct target *t = &st->target[i];
    const struct bw_field_info *info = s->host->field_info(s->ports[0].fields[i]);
    if (info->precision != BW_F32)
        return s->host->fail(s, BW_ERR_PRESET, "field \"%s\" is in double precision; caches are not", info->name);
    const struct grid_request request = {info->name, info->comps, 0, 1};
    enum bw_status status = cache_read(s, &st->cache, &request, &t->lattice, &t->value);
    if (status) return status;
    struct dense around = t->value;
    t->positive = 1, t->most = 0;
    for (int32_t c = 0; c < t->value.comps; c++)
        for (size_t k = 0; k < dense_count(&t->value); k++) {
            t->positive &= t->value.v[c][k] >= 0;
            t->most = fmaxf(t->most, fabsf(t->value.v[c][k]));
        }
    for (int a = 0; a < 3; a++) around.lo[a] -= AROUND, around.n[a] += 2 * AROUND;
    return dense_move(s, &t->value, &around);
}

/* Called from activate, so that tiles are awake where the cache's next frame has something. */
static enum bw_status targets_read(struct bw_stage *s, int64_t number)
{
    struct state *st = s->state;
    if (st->loaded && st->number == number) return BW_OK;
    enum bw_status status = cache_open(s, &st->cache, number);
    for (uint32_t i = 0; !status && i < s->ports[0].count; i++) status = target_read(s, i);
    cache_close(&st->cache);
    st->number = number;
    st->loaded = !status;
    return status;
}

/* ---- the pull, on the cache's cells ---- */

struct correction {
    const struct dense *have, *want; ///< blurred
    float *fade, *fill, *shift;
    float share, least; ///< what is below `least` is nothing
};

/* Where most is missing smoke was made, where most is too much it was taken away: 1, all at once; 0 for a small part.
 */
static float gross(float part)
{
    float x = (part - .2f) / .4f;
    return x <= 0 ? 0 : x >= 1 ? 1 : x * x * (3 - 2 * x);
}

static void correction_plane(int64_t k, uint32_t worker, void *user)
{
    const struct correction *p = user;
    size_t n = (size_t)p->have->n[0] * (size_t)p->have->n[1], at = n * (size_t)k;
    (void)worker;
    for (size_t i = at; i < at + n; i++) {
        float d = p->have->v[0][i], t = p->want->v[0][i], least = p->least, more = t > d ? t : d;
        float r = (p->share + (1 - p->share) * gross(more > least ? fabsf(t - d) / more : 0)) * (t - d);
        p->fade[i] = r < 0 && d > least ? r / d : 0;
        p->fill[i] = r > 0 && t > least ? r / t : 0;
        p->shift[i] = p->fade[i] == 0 && p->fill[i] == 0 ? r : 0;
    }
}

struct pass {
    const struct target *t;
    const struct dense *pull; ///< fade, fill, shift; NULL: the field becomes the cache's
    int c;
    float background; ///< of the field; values of the cache are differences from it
};

enum { SUM_FIELD, SUMS };

static void body(const struct bw_block *b, void *user)
{
    const struct pass *p = user;
    const struct bw_view *v = &b->view[0];
    struct dense_axis smooth[3], cubic[3];
    for (int a = 0; a < 3; a++) {
        if (!dense_axis_fill(&smooth[a], b, &p->t->lattice, a, b->lo[a], b->n[a], .5, DENSE_SMOOTH)) return;
        if (!dense_axis_fill(&cubic[a], b, &p->t->lattice, a, b->lo[a], b->n[a], .5, DENSE_CUBIC)) return;
    }
    const float *target = NULL, *pull[3] = {NULL, NULL, NULL};
    int some = 0;
    for (int q = 0; p->pull && q < 3; q++) some |= dense_any(p->pull, q, smooth, 0);
    for (int q = 0; some && q < 3; q++)
        if (!(pull[q] = dense_expand(b, p->pull, q, smooth))) return;
    if ((some || !p->pull) && !(target = dense_expand(b, &p->t->value, p->c, cubic))) return;
    size_t at = 0;
    for (int32_t k = 0; k < b->n[2]; k++)
        for (int32_t j = 0; j < b->n[1]; j++, at += (size_t)b->n[0]) {
            float *q = bw_f32(v, p->c) + j * v->sy + k * v->sz;
            for (int32_t i = 0; target && i < b->n[0]; i++) {
                float t = target[at + (size_t)i];
                if (p->t->positive && t < 0) t = 0;
                if (p->pull)
                    t = (q[i] - p->background) * (1 + pull[0][at + (size_t)i]) + pull[1][at + (size_t)i] * t +
                        pull[2][at + (size_t)i];
                q[i] = p->background + t;
            }
            for (int32_t i = 0; i < b->n[0]; i++) b->sum[SUM_FIELD] += q[i] - p->background;
        }
}

/* The amount that would come out, and all of it brought to the cache's: blurs spread over what is not there, and fill
 * and fade are not each other's mirror image, by a few hundredths. */
static void correction_normalise(const struct target *t, const float *have, int c, struct dense *pull)
{
    double wanted = 0, made = 0;
    size_t n = dense_count(pull);
    const float *want = t->value.v[c];
    float *fade = pull->v[0], *fill = pull->v[1];
    for (size_t i = 0; i < n; i++) {
        wanted += want[i];
        made += have[i] * (1 + fade[i]) + fill[i] * want[i] + pull->v[2][i];
    }
    if (!t->positive || !(made > 0) || !(wanted > 0)) return;
    float gain = (float)(wanted / made);
    for (size_t i = 0; i < n; i++) fade[i] = (1 + fade[i]) * gain - 1, fill[i] *= gain;
}

static enum bw_status correction_make(struct bw_stage *s, const struct target *t, struct bw_field *field, int c,
                                      struct dense *pull)
{
    const struct match *p = s->params;
    struct dense have = {.comps = 0}, d = {.comps = 0}, want = {.comps = 0};
    size_t n = dense_count(&t->value);
    float *work = s->host->scratch(s, 2 * n * sizeof *work), *once = work + n;
    enum bw_status st = dense_make(s, &have, &t->value, t->value.comps);
    if (!st) st = dense_make(s, &want, &t->value, 1);
    if (!st) st = dense_make(s, &d, &t->value, 1);
    if (!st && !work) st = BW_ERR_MEMORY;
    if (!st) st = dense_restrict(s, &t->lattice, field, c, &have);
    if (!st) {
        dense_blur(s, &have, have.v[c], 1, work, once);
        dense_blur(s, &have, once, 2, work, d.v[0]);
        dense_blur(s, &have, t->value.v[c], 1, work, once);
        dense_blur(s, &have, once, 2, work, want.v[0]);
        struct correction q = {&d,
                               &want,
                               pull->v[0],
                               pull->v[1],
                               pull->v[2],
                               (float)(1 - exp(-p->rate / s->fps)),
                               1e-6f * fminf(1, t->most)};
        s->host->parallel_for(s, want.n[2], correction_plane, &q);
        correction_normalise(t, have.v[c], c, pull);
    }
    dense_free(s, &have);
    dense_free(s, &want);
    dense_free(s, &d);
    return st;
}

static enum bw_status field_match(struct bw_stage *s, uint32_t i)
{
    struct state *st = s->state;
    const struct target *t = &st->target[i];
    struct bw_field *field = s->ports[0].fields[i];
    struct dense pull = {.comps = 0};
    double total = 0, wanted = 0;
    enum bw_status status = BW_OK;
    for (int c = 0; !status && c < t->value.comps; c++) {
        if (s->step) status = dense_make(s, &pull, &t->value, 3);
        if (!status && s->step) status = correction_make(s, t, field, c, &pull);
        struct pass pass = {t, s->step ? &pull : NULL, c, (float)s->host->field_info(field)->background[c]};
        double sum[SUMS] = {0};
        struct bw_access access[] = {{field, BW_UPDATE_OWN, 0}};
        if (!status)
            status = s->host->sweep(
                s, &(struct bw_sweep){
                       .access = access, .n_access = 1, .body = body, .user = &pass, .sums = sum, .n_sums = SUMS});
        for (size_t k = 0; k < dense_count(&t->value); k++) wanted += t->value.v[c][k];
        total += sum[SUM_FIELD];
    }
    dense_free(s, &pull);
    char name[80];
    snprintf(name, sizeof name, "%s_share", s->host->field_info(field)->name);
    if (!status && wanted > 0)
        s->host->metric(s, name, total / wanted * pow(s->grid->h / t->lattice.h, 3), BW_METRIC_LAST);
    return status;
}

/* ---- callbacks ---- */

static enum bw_status init(struct bw_stage *s)
{
    struct state *st = s->state;
    if (s->ports[0].count > FIELDS_MAX) return s->host->fail(s, BW_ERR_PRESET, "more than %d fields", FIELDS_MAX);
    if (!s->ports[0].count)
        return s->host->fail(s, BW_ERR_PRESET, "name the fields to take from the cache: fields: [density]");
    return cache_begin(s, &st->cache);
}

static enum bw_status activate(struct bw_stage *s)
{
    struct state *st = s->state;
    /* s->frame is where the step begins; what it leads to is the file after that, or, at the set-up, the first. */
    enum bw_status status = targets_read(s, (int64_t)floor(s->frame + 1e-6) + (s->step || st->loaded ? 1 : 0));
    for (uint32_t i = 0; !status && i < s->ports[0].count; i++) {
        double alive = s->host->field_info(s->ports[0].fields[i])->alive;
        status = cache_activate(s, &st->target[i].lattice, &st->target[i].value, (float)alive, 0);
    }
    return status;
}

static enum bw_status step(struct bw_stage *s)
{
    enum bw_status status = BW_OK;
    if (s->step && fabs(s->frame - round(s->frame)) > 1e-6) return BW_OK; // files hold whole frames
    for (uint32_t i = 0; !status && i < s->ports[0].count; i++) status = field_match(s, i);
    return status;
}

/* The file is read again. */
static enum bw_status checkpoint(struct bw_stage *s, struct bw_archive *a)
{
    struct state *st = s->state;
    int64_t number = st->number;
    int32_t loaded = st->loaded;
    a->bytes(a, "number", &number, sizeof number);
    enum bw_status status = a->bytes(a, "loaded", &loaded, sizeof loaded);
    return status || !a->restoring || !loaded ? status : targets_read(s, number);
}

static void uninit(struct bw_stage *s) { cache_close(&((struct state *)s->state)->cache); }

const struct bw_stage_desc upres_match_desc = {
    .id = "upres.match",
    .version = "1.0",
    .brief = "Starts fields from a finished cache and keeps their large scales in step with it.",
    .params_size = sizeof(struct match),
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
