// SPDX-License-Identifier: Apache-2.0
/* A wall that moves with velocity V: gas at its face has that velocity and the pressure and density behind the wave
 * that the wall sends (rho* = rho S/(S - (u - V)), S = |u - V| + c); the flux is that state's through the face, which
 * stands still, so that gas is pushed out of the cells the wall is about to cover, and let into those it leaves. Still
 * walls take only pressure. */
#include "euler_wall.h"

#include <math.h>

void flux_euler_wall(const struct flux_wall *w, float u)
{
    const struct flux_gas *g = w->gas;
    const int e = g->vars - 1, a = w->axis, i = w->i;
    float *const *q = w->cell, *const *flux = w->flux;
    const float square = g->sound * g->sound, r = q[0][i], p = g->ideal ? q[e][i] : square * r, speed = w->speed;
    const float c = g->ideal ? sqrtf(g->gamma * p / r) : g->sound, hit = w->away * (u - speed);
    const float wave = fabsf(hit) + c, press = fmaxf(p + r * hit * wave, 0.0f), mass = r * wave / (wave - hit) * speed;
    float tangent = 0;
    flux[0][i] = mass;
    for (int b = 0; b < g->dim; b++) {
        flux[1 + b][i] = b == a ? mass * speed + press : mass * q[1 + b][i];
        tangent += b == a ? 0 : q[1 + b][i] * q[1 + b][i];
    }
    if (g->ideal) flux[e][i] = speed * press * g->gamma * g->heat + 0.5f * mass * (speed * speed + tangent);
    for (int v = g->vars; v < w->all; v++) flux[v][i] = mass * q[v][i];
}
