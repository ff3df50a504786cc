// SPDX-License-Identifier: Apache-2.0
/* Expressions, by muParser's C API: the one place that knows it. Everywhere they have the constants pi, e, seed, fps
 * and ambient (K), muParser's own functions, and floor, ceil, mod, hypot, clamp, smoothstep and noise; who evaluates
 * one binds its variables. A parser keeps its variables, so each slot has one of its own. We do without muParser's bulk
 * mode: it starts threads of its own. */
#include "expression.h"

#include "base/alloc.h"
#include <billow/noise.h>
#include <math.h>
#include <muParserDLL.h>
#include <stdio.h>
#include <string.h>

enum { LENGTH_MAX = 4096, NAMES_MAX = 64 };

struct slot {
    muParserHandle_t parser;
    double value[NAMES_MAX];
};

struct expression {
    struct bw_expression pub;
    char *text, *name[NAMES_MAX];
    struct bw_expression_constants constants;
    uint32_t n_slots;
    struct slot slot[];
};

static double fun_mod(double a, double b) { return a - b * floor(a / b); }

static double fun_clamp(double x, double low, double high) { return fmin(fmax(x, low), high); }

static double fun_smoothstep(double low, double high, double x)
{
    double s = fun_clamp((x - low) / (high - low), 0, 1);
    return s * s * (3 - 2 * s);
}

/* Without a handler muParser prints errors; we ask mupError instead. */
static void parser_quiet(muParserHandle_t parser) { (void)parser; }

static muParserHandle_t parser_new(const struct expression *e)
{
    muParserHandle_t p = mupCreate(muBASETYPE_FLOAT);
    if (!p) return NULL;
    mupSetErrorHandler(p, parser_quiet);
    mupDefineNameChars(p, "0123456789_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"); /* vel.x */
    if (e->constants.fps > 0) mupDefineConst(p, "fps", e->constants.fps);
    if (e->constants.fps > 0) mupDefineConst(p, "seed", e->constants.seed);
    if (e->constants.fps > 0) mupDefineConst(p, "ambient", e->constants.ambient);
    mupDefineConst(p, "pi", 3.14159265358979323846);
    mupDefineConst(p, "e", 2.71828182845904523536);
    mupDefineFun1(p, "floor", floor, 1);
    mupDefineFun1(p, "ceil", ceil, 1);
    mupDefineFun2(p, "mod", fun_mod, 1);
    mupDefineFun2(p, "hypot", hypot, 1);
    mupDefineFun3(p, "clamp", fun_clamp, 1);
    mupDefineFun3(p, "smoothstep", fun_smoothstep, 1);
    mupDefineFun3(p, "noise", bw_noise, 1);
    mupSetExpr(p, e->text);
    return p;
}

/* muParser's own complaint without its full stop, and where. */
static enum bw_status parser_complain(muParserHandle_t p, char *why, size_t size)
{
    const char *said = mupGetErrorMsg(p);
    int length = (int)strlen(said);
    while (length > 0 && (said[length - 1] == '.' || said[length - 1] == '\n')) length--;
    if (strstr(said, "position")) snprintf(why, size, "%.*s", length, said);
    else snprintf(why, size, "%.*s at position %d", length, said, mupGetErrorPos(p));
    return BW_ERR_PRESET;
}

/* The names that it uses and that are no constants, muParser's own way of asking. */
static enum bw_status names_find(struct expression *e, muParserHandle_t p, char *why, size_t size)
{
    int count = mupGetExprVarNum(p);
    enum bw_status status = mupError(p) ? parser_complain(p, why, size) : BW_OK;
    if (!status && count > NAMES_MAX) {
        snprintf(why, size, "it uses more than %d names", NAMES_MAX);
        status = BW_ERR_PRESET;
    }
    for (int i = 0; i < count && !status; i++) {
        const muChar_t *name = NULL;
        muFloat_t *address = NULL;
        mupGetExprVar(p, (unsigned)i, &name, &address);
        e->name[e->pub.n_names] = bw_strdup(name);
        if (e->name[e->pub.n_names]) e->pub.n_names++;
        else status = BW_ERR_MEMORY;
    }
    return status;
}

/* The first evaluation builds the byte code, later ones only run it. */
static enum bw_status slot_open(struct expression *e, struct slot *s, char *why, size_t size)
{
    int values = 0;
    s->parser = parser_new(e);
    if (!s->parser) return BW_ERR_MEMORY;
    enum bw_status status = s == e->slot ? names_find(e, s->parser, why, size) : BW_OK;
    if (status) return status;
    for (uint32_t i = 0; i < e->pub.n_names; i++) mupDefineVar(s->parser, e->name[i], &s->value[i]);
    mupEvalMulti(s->parser, &values);
    if (mupError(s->parser)) return parser_complain(s->parser, why, size);
    if (values == 1) return BW_OK;
    snprintf(why, size, "it has several values");
    return BW_ERR_PRESET;
}

enum bw_status bw_expression_open(const char *text, const struct bw_expression_constants *constants, uint32_t slots,
                                  struct bw_expression **out, char *why, size_t size)
{
    snprintf(why, size, "out of memory");
    *out = NULL;
    if (strlen(text) > LENGTH_MAX) {
        snprintf(why, size, "it may have %d characters", LENGTH_MAX);
        return BW_ERR_PRESET;
    }
    struct expression *e = bw_calloc(sizeof *e + slots * sizeof *e->slot);
    if (!e) return BW_ERR_MEMORY;
    e->constants = *constants;
    e->n_slots = slots;
    e->text = bw_strdup(text);
    e->pub.text = e->text;
    e->pub.names = (const char *const *)e->name;
    enum bw_status status = e->text ? BW_OK : BW_ERR_MEMORY;
    for (uint32_t i = 0; i < slots && !status; i++) status = slot_open(e, &e->slot[i], why, size);
    if (status) bw_expression_close(&e->pub);
    else *out = &e->pub;
    return status;
}

void bw_expression_close(struct bw_expression *pub)
{
    struct expression *e = (struct expression *)pub;
    if (!e) return;
    for (uint32_t i = 0; i < e->n_slots; i++)
        if (e->slot[i].parser) mupRelease(e->slot[i].parser);
    for (uint32_t i = 0; i < e->pub.n_names; i++) bw_free(e->name[i]);
    bw_free(e->text);
    bw_free(e);
}

void bw_expression_eval(struct bw_expression *pub, uint32_t slot, size_t count, const struct bw_column *names,
                        double *out)
{
    struct expression *e = (struct expression *)pub;
    struct slot *s = &e->slot[slot];
    for (size_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < pub->n_names; k++) s->value[k] = names[k].value[(ptrdiff_t)i * names[k].step];
        out[i] = mupEval(s->parser);
        if (mupError(s->parser)) out[i] = NAN;
    }
}
