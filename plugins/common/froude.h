// SPDX-License-Identifier: Apache-2.0
/* Froude's law: speeds go by the root of lengths, so what is alike at one size is alike at every other. */
#ifndef FROUDE_H
#define FROUDE_H

#include <math.h>

/// sqrt(g L), m/s, of a length L in m.
static inline double froude_speed(double length) { return sqrt(9.81 * length); }
/// sqrt(L / g), s.
static inline double froude_time(double length) { return sqrt(length / 9.81); }

#endif
