// SPDX-License-Identifier: Apache-2.0
/* Expressions of time by muParser's C API: t (s), frame, seed, fps, pi, e, muParser's own functions, and floor, ceil,
 * mod, clamp, smoothstep. A parser keeps its variables, so each evaluation slot has one of its own. */
#include "params_private.h"

#include "base/alloc.h"
#include <math.h>
#include <muParserDLL.h>
#include <string.h>

enum { LENGTH_MAX = 4096 };

struct slot {
    muParserHandle_t parser;
    double t, frame;
};

struct bw_expression {
    char *text;
    double seed, fps;
    int32_t varies;
    struct slot slot[BW_SLOTS];
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

static enum bw_status slot_open(const struct bw_expression *e, struct slot *s)
{
    s->parser = mupCreate(0);
    if (!s->parser) return BW_ERR_MEMORY;
    mupSetErrorHandler(s->parser, parser_quiet);
    mupDefineVar(s->parser, "t", &s->t);
    mupDefineVar(s->parser, "frame", &s->frame);
    mupDefineConst(s->parser, "seed", e->seed);
    mupDefineConst(s->parser, "fps", e->fps);
    mupDefineConst(s->parser, "pi", 3.14159265358979323846);
    mupDefineConst(s->parser, "e", 2.71828182845904523536);
    mupDefineFun1(s->parser, "floor", floor, 1);
    mupDefineFun1(s->parser, "ceil", ceil, 1);
    mupDefineFun2(s->parser, "mod", fun_mod, 1);
    mupDefineFun3(s->parser, "clamp", fun_clamp, 1);
    mupDefineFun3(s->parser, "smoothstep", fun_smoothstep, 1);
    mupSetExpr(s->parser, e->text);
    return BW_OK;
}

/* NAN both for an expression that can't be read and for one without a value; mupError tells them apart. */
static double slot_eval(struct slot *s, double t, double frame)
{
    s->t = t;
    s->frame = frame;
    int values = 0;
    const double *v = mupEvalMulti(s->parser, &values);
    return mupError(s->parser) || values != 1 || !v ? NAN : *v;
}

/* The parser's own first complaint, or that there are several values ("1, 2"). */
static enum bw_status expression_check(struct bw_expression *e, const struct bw_params_context *c,
                                       const struct bw_place *place, const char *key, struct bw_diag *d)
{
    struct slot *s = &e->slot[0];
    int values = 0;
    mupEvalMulti(s->parser, &values);
    const char *why = NULL;
    if (mupError(s->parser)) {
        why = mupGetErrorMsg(s->parser);
    } else if (values != 1) {
        why = "it has several values";
    }
    if (why)
        return bw_diag_error(d, place, BW_ERR_PRESET, "%s: %s: expression \"%s\": %s", c->owner, key, e->text, why);
    e->varies = mupGetExprVarNum(s->parser) > 0;
    return BW_OK;
}

struct bw_expression *bw_expression_new(const char *text, const struct bw_params_context *c,
                                        const struct bw_place *place, const char *key, struct bw_diag *d)
{
    if (strlen(text) > LENGTH_MAX) {
        bw_diag_error(d, place, BW_ERR_PRESET, "%s: %s: an expression may have %d characters", c->owner, key,
                      LENGTH_MAX);
        return NULL;
    }
    struct bw_expression *e = bw_calloc(sizeof *e);
    if (e) e->text = bw_strdup(text);
    if (!e || !e->text) {
        bw_diag_error(d, place, BW_ERR_MEMORY, "%s: out of memory", c->owner);
        bw_expression_free(e);
        return NULL;
    }
    e->seed = (double)c->seed;
    e->fps = c->fps;
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < BW_SLOTS && !status; i++) status = slot_open(e, &e->slot[i]);
    if (status) bw_diag_error(d, place, status, "%s: %s: out of memory", c->owner, key);
    if (!status) status = expression_check(e, c, place, key, d);
    if (!status) return e;
    bw_expression_free(e);
    return NULL;
}

void bw_expression_free(struct bw_expression *e)
{
    if (!e) return;
    for (int32_t i = 0; i < BW_SLOTS; i++) {
        if (e->slot[i].parser) mupRelease(e->slot[i].parser);
    }
    bw_free(e->text);
    bw_free(e);
}

int bw_expression_varies(const struct bw_expression *e) { return e->varies; }

double bw_expression_eval(struct bw_expression *e, uint32_t slot, double t, double frame)
{
    return slot_eval(&e->slot[slot], t, frame);
}
