// SPDX-License-Identifier: Apache-2.0
/* The age of smoke, s since it was emitted: of what is in a cell the mean by mass. mac.advect carries it and lets it
 * grow; what adds smoke mixes it with new smoke. */
#ifndef AGE_H
#define AGE_H

#include <billow/plugin.h>

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

#endif
