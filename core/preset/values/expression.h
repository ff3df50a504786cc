// SPDX-License-Identifier: Apache-2.0
/* Expressions for whoever has text to evaluate: parameters, and stages by way of billow.expression/1. */
#ifndef BW_EXPRESSION_H
#define BW_EXPRESSION_H

#include <billow/services.h>

/// What an expression knows besides its variables, pi and e; fps 0: none of them.
struct bw_expression_constants {
    double fps, seed, ambient;
};

/// Compile `text` for `slots` evaluations at a time; its names are then in (*e)->names. On failure *e is NULL and `why`
/// holds a sentence's end: BW_ERR_PRESET, BW_ERR_MEMORY.
enum bw_status bw_expression_open(const char *text, const struct bw_expression_constants *constants, uint32_t slots,
                                  struct bw_expression **e, char *why, size_t size);
void bw_expression_close(struct bw_expression *e);
/// As bw_expression_api.eval; `slot` for the worker.
void bw_expression_eval(struct bw_expression *e, uint32_t slot, size_t count, const struct bw_column *names,
                        double *out);

#endif
