// SPDX-License-Identifier: Apache-2.0
/* The age of smoke, s since it was emitted: of what is in a cell the mean by mass. mac.advect and flux carry it and let
 * it grow; what adds smoke mixes it with new smoke. */
#ifndef AGE_H
#define AGE_H

#include <billow/plugin.h>

#define AGE_TRACE 1e-6f ///< of the greatest density: below it both are rounding, and the age is 0

/// Row of the port table of a stage that adds smoke.
#define AGE_PORT                                                                                                       \
    {                                                                                                                  \
        .name = "age", .kind = BW_SCALAR, .access = BW_UPDATE, .unit = "s", .flags = BW_PORT_OPTIONAL,                 \
        .doc = "Age of the smoke, which is mixed with new smoke."                                                      \
    }

/// The age in a cell whose smoke has grown from `before` to `after`. What came evenly within a step of dt s is half
/// that old by its end. Smoke that is taken away leaves the age as it is.
static inline float age_mixed(float age, float before, float after, double dt)
{
    if (!(after > before)) return age;
    const float old = before > 0 ? before : 0;
    return (age * old + (float)(0.5 * dt) * (after - old)) / after;
}

enum { AGE_OLDEST, AGE_DENSEST, AGE_MOST };

/// A row of ages becomes ages times smoke, which is advected as smoke is; most[AGE_MOST]: greatest age and density.
static inline void age_weigh(float *age, const float *smoke, int32_t n, float most[2])
{
    for (int32_t i = 0; i < n; i++) {
        most[AGE_OLDEST] = age[i] > most[AGE_OLDEST] ? age[i] : most[AGE_OLDEST];
        most[AGE_DENSEST] = smoke[i] > most[AGE_DENSEST] ? smoke[i] : most[AGE_DENSEST];
        age[i] *= smoke[i] > 0 ? smoke[i] : 0;
    }
}

/// And back, dt s later. Limits of a scheme bend both apart where neither is even: no age is beyond what there was.
static inline void age_divide(float *age, const float *smoke, int32_t n, const double most[2], double dt)
{
    const float oldest = (float)most[AGE_OLDEST], least = AGE_TRACE * (float)most[AGE_DENSEST];
    for (int32_t i = 0; i < n; i++) {
        const float mean = age[i] / (smoke[i] > least ? smoke[i] : 1);
        age[i] = smoke[i] > least ? (mean < 0 ? 0 : mean < oldest ? mean : oldest) + (float)dt : 0;
    }
}

#endif
