// SPDX-License-Identifier: Apache-2.0
/* Values in time: a constant with a unit, an "=expression", or {keys: {FRAME: VALUE, …}, ease: linear|smooth|hold}.
 * Between two keys at frames a < b with s = (frame − a)/(b − a): linear mixes by s, smooth by s²(3 − 2s), hold
 * keeps the first. Before the first and after the last key the value stays. A vector is three such channels. */
#include "params_private.h"

#include "base/alloc.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_MAX = 1000000 };

/* The curve being read, and the unit that all its numbers have to agree with. */
struct reading {
    struct bw_curve *curve;
    const struct bw_curve_want *want;
    const char *unit; ///< any_unit: the first one met, NULL until then
};

static enum bw_status curve_error(const struct reading *r, const struct bw_place *place, const char *sentence)
{
    const struct bw_curve_want *w = r->want;
    return bw_diag_error(w->diag, place, BW_ERR_PRESET, "%s: %s: %s", w->context->owner, w->key, sentence);
}

static enum bw_status curve_error_type(const struct reading *r, const struct bw_node *n, const char *wanted)
{
    char what[64];
    const struct bw_curve_want *w = r->want;
    return bw_diag_error(w->diag, &n->place, BW_ERR_PRESET, "%s: %s wants %s, not %s", w->context->owner, w->key,
                         wanted, bw_node_describe(n, what));
}

static enum bw_status curve_memory(const struct reading *r)
{
    return bw_diag_error(r->want->diag, NULL, BW_ERR_MEMORY, "%s: out of memory", r->want->context->owner);
}

/* An amount given "per second": its unit ends in "/s". A velocity's does too, but is an amount, not a rate. */
static int unit_is_rate(const char *unit)
{
    static const int32_t velocity[5] = {1, 0, -1, 0, 0};
    struct bw_unit u;
    size_t n = strlen(unit);
    if (n < 2 || strcmp(unit + n - 2, "/s") != 0) return 0;
    return bw_unit_parse(unit, &u) || memcmp(u.power, velocity, sizeof velocity) != 0;
}

/* Amounts take any unit; the first one met becomes the one that the others have to agree with. */
static void unit_learn(struct reading *r, const char *text)
{
    double number;
    const char *unit;
    if (!r->want->any_unit || r->unit || bw_quantity_split(text, &number, &unit) || !*unit) return;
    r->unit = unit;
    r->curve->rate = unit_is_rate(unit);
}

/* In the unit of the first amount the scale has to be SI's, so convert the number apart from the check. */
static enum bw_status number_read(struct reading *r, const struct bw_node *n, double *value)
{
    if (n->type != BW_NODE_SCALAR) return curve_error_type(r, n, "a number");
    unit_learn(r, n->text);
    char why[200];
    const char *unit = r->want->any_unit ? r->unit : r->want->unit, *given;
    double number;
    if (bw_quantity_split(n->text, &number, &given)) return curve_error_type(r, n, "a number");
    if (bw_parse_quantity(n->text, unit, value, NULL, why, sizeof why)) return curve_error(r, &n->place, why);
    struct bw_unit si;
    if (!r->want->any_unit || !*given) return BW_OK;
    if (bw_unit_parse(given, &si)) return curve_error_type(r, n, "a number with a unit that is known here");
    *value = number * si.scale;
    return BW_OK;
}

static double colour_linear(unsigned byte)
{
    double c = byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static enum bw_status colour_read(struct reading *r, const struct bw_node *n, double out[3])
{
    const char *hex = n->text + 1;
    if (strlen(hex) != 6 || strspn(hex, "0123456789abcdefABCDEF") != 6) {
        return curve_error_type(r, n, "a colour like \"#ff8000\" or [1, 0.2, 0]");
    }
    unsigned long rgb = strtoul(hex, NULL, 16);
    for (int c = 0; c < 3; c++) out[c] = colour_linear((unsigned)(rgb >> (16 - 8 * c)) & 255u);
    return BW_OK;
}

static const char *wanted_name(const struct reading *r)
{
    if (r->want->colour) return "a colour like \"#ff8000\" or [1, 0.2, 0]";
    return r->want->comps == 1 ? "a number" : r->want->comps == 3 ? "three numbers [x, y, z]" : "a number or [x, y, z]";
}

/* A vector, colour or number without keys inside; *comps says which. */
static enum bw_status constant_read(struct reading *r, const struct bw_node *n, double out[3], int32_t *comps)
{
    *comps = 3;
    if (n->type == BW_NODE_SCALAR && r->want->colour && n->text[0] == '#') return colour_read(r, n, out);
    int32_t seq = n->type == BW_NODE_SEQ;
    if (n->type == BW_NODE_MAP || (seq ? r->want->comps == 1 || n->count != 3 : r->want->comps == 3)) {
        return curve_error_type(r, n, wanted_name(r));
    }
    enum bw_status status = BW_OK;
    if (seq) {
        for (int32_t c = 0; c < 3 && !status; c++) status = number_read(r, n->child[c], &out[c]);
        return status;
    }
    *comps = 1;
    return number_read(r, n, &out[0]);
}

static enum bw_status ease_read(struct reading *r, const struct bw_node *map, int32_t *ease)
{
    static const char *const eases[] = {"linear", "smooth", "hold"};
    *ease = BW_EASE_LINEAR;
    const struct bw_node *n = bw_node_get(map, "ease");
    if (!n) return BW_OK;
    for (int32_t i = 0; n->type == BW_NODE_SCALAR && i < 3; i++) {
        if (strcmp(n->text, eases[i])) continue;
        *ease = i;
        return BW_OK;
    }
    return curve_error_type(r, n, "an ease of linear, smooth or hold");
}

static enum bw_status keys_alloc(struct reading *r, int32_t n, int32_t comps, int32_t ease)
{
    r->curve->comps = comps;
    for (int32_t c = 0; c < comps; c++) {
        struct bw_channel *channel = &r->curve->channel[c];
        channel->frame = bw_calloc((size_t)n * sizeof(double));
        channel->at = bw_calloc((size_t)n * sizeof(double));
        if (!channel->frame || !channel->at) return curve_memory(r);
        channel->n_keys = n;
        channel->ease = ease;
    }
    return BW_OK;
}

static enum bw_status key_read(struct reading *r, const struct bw_node *entry, int32_t i, struct bw_channel *channel)
{
    double value[3], frame;
    int32_t comps;
    const char *rest;
    if (bw_quantity_split(entry->key, &frame, &rest) || *rest) {
        return curve_error(r, &entry->key_place, "a key frame has to be a number");
    }
    if (i && !(frame > channel[0].frame[i - 1])) {
        return curve_error(r, &entry->key_place, "key frames have to be in ascending order");
    }
    enum bw_status status = constant_read(r, entry, value, &comps);
    if (status) return status;
    if (comps != r->curve->comps) return curve_error_type(r, entry, r->curve->comps == 1 ? "a number" : "[x, y, z]");
    for (int32_t c = 0; c < comps; c++) {
        channel[c].frame[i] = frame;
        channel[c].at[i] = value[c];
    }
    return BW_OK;
}

static enum bw_status keys_check_words(struct reading *r, const struct bw_node *n)
{
    const int has_keys = bw_node_get(n, "keys") != NULL;
    for (int32_t i = 0; i < n->count; i++) {
        const struct bw_node *c = n->child[i];
        double frame;
        const char *rest;
        char wanted[160];
        if (!strcmp(c->key, "keys") || !strcmp(c->key, "ease")) continue;
        if (has_keys) return curve_error(r, &c->key_place, "beside keys only ease is known");
        if (!bw_quantity_split(c->key, &frame, &rest))
            return curve_error(r, &n->place, "keys want a name before them: {keys: {FRAME: VALUE, ...}}");
        snprintf(wanted, sizeof wanted, "%s, or {keys: {FRAME: VALUE, ...}}", wanted_name(r));
        return curve_error_type(r, n, wanted);
    }
    return BW_OK;
}

static int32_t keys_comps(const struct reading *r, const struct bw_node *first)
{
    if (r->want->comps) return r->want->comps;
    return first->type == BW_NODE_SEQ ? 3 : 1;
}

static enum bw_status keys_read(struct reading *r, const struct bw_node *n)
{
    const struct bw_node *keys = bw_node_get(n, "keys");
    int32_t ease = 0;
    enum bw_status status = keys_check_words(r, n);
    if (!status) status = ease_read(r, n, &ease);
    if (status) return status;
    if (!keys || keys->type != BW_NODE_MAP || !keys->count || keys->count > KEYS_MAX) {
        return curve_error(r, &n->place, "keys have to be a map {FRAME: VALUE, ...}");
    }
    status = keys_alloc(r, keys->count, keys_comps(r, keys->child[0]), ease);
    for (int32_t i = 0; i < keys->count && !status; i++) status = key_read(r, keys->child[i], i, r->curve->channel);
    r->curve->animated = 1;
    return status;
}

static double expression_at(struct bw_expression *e, uint32_t slot, double t, double frame)
{
    struct bw_column column[2];
    double value;
    for (uint32_t i = 0; i < e->n_names; i++) column[i] = (struct bw_column){strcmp(e->names[i], "t") ? &frame : &t, 0};
    bw_expression_eval(e, slot, 1, column, &value);
    return value;
}

/* The expression as a sentence quotes it. */
static const char *excerpt(const char *text, char out[80])
{
    snprintf(out, 80, strlen(text) > 70 ? "%.70s..." : "%s", text);
    return out;
}

/* Of time alone: t and frame. */
static enum bw_status names_check(struct reading *r, const struct bw_node *n, const struct bw_expression *e)
{
    static const char *const known[] = {"t", "frame", "seed", "fps", "ambient", "pi", "e"};
    const struct bw_curve_want *w = r->want;
    char quoted[80];
    for (uint32_t i = 0; i < e->n_names; i++) {
        if (!strcmp(e->names[i], "t") || !strcmp(e->names[i], "frame")) continue;
        const char *near = bw_did_you_mean(e->names[i], known, BW_COUNT(known));
        return bw_diag_error(
            w->diag, &n->place, BW_ERR_PRESET,
            "%s: %s: expression \"%s\": there is no \"%s\"; t, frame, seed, fps, ambient, pi and e are%s%s%s",
            w->context->owner, w->key, excerpt(e->text, quoted), e->names[i], near ? "; did you mean \"" : "",
            near ? near : "", near ? "\"?" : "");
    }
    return BW_OK;
}

static enum bw_status expression_read(struct reading *r, const struct bw_node *n, struct bw_channel *channel)
{
    const struct bw_curve_want *w = r->want;
    const struct bw_expression_constants constants = {w->context->fps, (double)w->context->seed, w->context->ambient};
    char why[200], quoted[80];
    enum bw_status status =
        bw_expression_open(n->text + 1, &constants, BW_SLOTS, &channel->expression, why, sizeof why);
    if (status)
        return bw_diag_error(w->diag, &n->place, status, "%s: %s: expression \"%s\": %s", w->context->owner, w->key,
                             excerpt(n->text + 1, quoted), why);
    status = names_check(r, n, channel->expression);
    r->curve->animated |= channel->expression->n_names > 0;
    if (status || channel->expression->n_names) return status;
    channel->value = expression_at(channel->expression, 0, 0, 0);
    bw_expression_close(channel->expression);
    channel->expression = NULL;
    return isfinite(channel->value) ? BW_OK : curve_error(r, &n->place, "the expression has no finite value");
}

static int node_is_expression(const struct bw_node *n) { return n->type == BW_NODE_SCALAR && n->text[0] == '='; }

/* One component of [a, b, c]: a number, an expression, or keys of its own. */
static enum bw_status component_read(struct reading *r, const struct bw_node *n, int32_t c)
{
    struct bw_channel *channel = &r->curve->channel[c];
    if (node_is_expression(n)) return expression_read(r, n, channel);
    if (n->type != BW_NODE_MAP) return number_read(r, n, &channel->value);
    struct bw_curve one = {{{0}}};
    struct bw_curve_want want = *r->want;
    want.comps = 1;
    want.colour = 0;
    struct reading inner = {&one, &want, r->unit};
    enum bw_status status = keys_read(&inner, n);
    *channel = one.channel[0]; /* also after a failure: the curve owns it */
    r->unit = inner.unit;
    r->curve->animated = 1;
    r->curve->rate |= one.rate;
    return status;
}

static enum bw_status vector_read(struct reading *r, const struct bw_node *n)
{
    r->curve->comps = 3;
    enum bw_status status = BW_OK;
    for (int32_t c = 0; c < 3 && !status; c++) status = component_read(r, n->child[c], c);
    return status;
}

enum bw_status bw_curve_compile(struct bw_curve *curve, const struct bw_node *n, const struct bw_curve_want *want)
{
    struct reading r = {curve, want, NULL};
    if (n->type == BW_NODE_MAP) return keys_read(&r, n);
    if (n->type == BW_NODE_SEQ && n->count == 3 && want->comps != 1) return vector_read(&r, n);
    if (node_is_expression(n)) {
        if (want->comps == 3)
            return curve_error_type(&r, n, "three values [x, y, z], each of which may be an expression,");
        curve->comps = 1;
        return expression_read(&r, n, &curve->channel[0]);
    }
    double value[3] = {0};
    enum bw_status status = constant_read(&r, n, value, &curve->comps);
    for (int32_t c = 0; c < 3; c++) curve->channel[c].value = value[c];
    return status;
}

void bw_curve_free(struct bw_curve *curve)
{
    for (int32_t c = 0; c < 3; c++) {
        bw_expression_close(curve->channel[c].expression);
        bw_free(curve->channel[c].frame);
        bw_free(curve->channel[c].at);
    }
    memset(curve, 0, sizeof *curve);
}

/* The last key at or before `frame`; there is one. */
static int32_t key_before(const struct bw_channel *k, double frame)
{
    int32_t low = 0, high = k->n_keys - 1;
    while (low < high) {
        int32_t middle = (low + high + 1) / 2;
        if (k->frame[middle] <= frame) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

static double keys_eval(const struct bw_channel *k, double frame)
{
    int32_t last = k->n_keys - 1;
    if (frame <= k->frame[0]) return k->at[0];
    if (frame >= k->frame[last]) return k->at[last];
    int32_t i = key_before(k, frame);
    double s = (frame - k->frame[i]) / (k->frame[i + 1] - k->frame[i]);
    if (k->ease == BW_EASE_HOLD) return k->at[i];
    if (k->ease == BW_EASE_SMOOTH) s = s * s * (3 - 2 * s);
    return (1 - s) * k->at[i] + s * k->at[i + 1];
}

double bw_curve_eval(struct bw_curve *curve, int32_t c, uint32_t slot, double t, double frame)
{
    struct bw_channel *channel = &curve->channel[c];
    if (channel->n_keys) return keys_eval(channel, frame);
    if (channel->expression) return expression_at(channel->expression, slot, t, frame);
    return channel->value;
}
