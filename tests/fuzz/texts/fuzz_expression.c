// SPDX-License-Identifier: Apache-2.0
/* An expression of any bytes: opened, evaluated, closed. */
#include "fuzz.h"
#include "preset/values/expression.h"

#include "base/alloc.h"
#include <stdlib.h>
#include <string.h>

static void expression_use(struct bw_expression *e)
{
    const double two[2] = {0.25, 3};
    double out[2];
    struct bw_column *column = calloc(e->n_names + 1, sizeof *column);
    for (uint32_t i = 0; column && i < e->n_names; i++) column[i] = (struct bw_column){two, 1};
    if (column) bw_expression_eval(e, 0, 2, column, out);
    free(column);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const struct bw_expression_constants constants = {24, 7, 293.15};
    struct bw_expression *e = NULL;
    char why[200] = "", *text = malloc(n + 1);
    if (!text) return 0;
    memcpy(text, bytes, n);
    text[n] = '\0';
    if (bw_expression_open(text, &constants, 1, &e, why, sizeof why) && !*why) abort(); // refused without a word
    if (e) expression_use(e);
    bw_expression_close(e);
    free(text);
    if (bw_alloc_live()) abort();
    return 0;
}
