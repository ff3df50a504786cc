// SPDX-License-Identifier: Apache-2.0
/* The look that pictures have of themselves: all parameters at the defaults of their rows. */
#ifndef TEST_LOOK_H
#define TEST_LOOK_H

#include "preset/values/params.h"
#include <picture/params.h>
#include <stdlib.h>

static inline struct bw_look look_of_mood(int32_t mood)
{
    struct usual {
        struct bw_picture_params p;
    } usual = {0};
    static const struct bw_param rows[] = {BW_PICTURE_PARAMS(struct usual, p)};
    const struct bw_params_context ctx = {.owner = "look", .fps = 24, .ambient = 293.15};
    struct bw_diag d = {0};
    struct bw_look look;
    char why[200];
    struct bw_params *params = bw_params_compile(rows, BW_COUNT(rows), sizeof usual, NULL, &ctx, &d);
    if (!params || bw_params_eval(params, 0, 0, &usual, &d)) abort();
    usual.p.mood = mood;
    if (bw_picture_look(&usual.p, 0, &look, why, sizeof why)) abort();
    bw_params_free(params);
    return look;
}

/// Of smoke: a lit studio.
static inline struct bw_look look_usual(void) { return look_of_mood(BW_MOOD_SMOKE); }
/// Of fire: the studio dimmed.
static inline struct bw_look look_fire(void) { return look_of_mood(BW_MOOD_FIRE); }

#endif
