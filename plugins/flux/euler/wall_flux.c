// SPDX-License-Identifier: Apache-2.0
/* Flux at a wall that moves with velocity V. Gas at its face has that velocity, and the pressure and density behind the
 * wave that the wall sends: rho* = rho S/(S - (u - V)), S = |u - V| + c. The flux is that state's through the fixed
 * face: gas leaves the cells that the wall is about to cover, and enters those that it uncovers. At a wall at rest only
 * the pressure remains. */
#include "wall_flux.h"

#include <math.h>

void flux_wall_flux(const struct flux_wall *w, float u)
{
    const struct flux_gas *g = w->gas;
    const int e = g->vars - 1, a = w->axis, i = w->i;
    float *const *q = w->cell, *const *flux = w->flux;
    const float square = g->sound * g->sound, r = q[0][i], p = g->ideal ? q[e][i] : square * r, speed = w->speed;
    const float c = g->ideal ? sqrtf(g->gamma * p / r) : g->sound, into = w->away * (u - speed);
    const float wave = fabsf(into) + c, press = fmaxf(p + r * into * wave, 0.0f),
                mass = r * wave / (wave - into) * speed;
    float tangent = 0;
    flux[0][i] = mass;
    for (int b = 0; b < g->dim; b++) {
        flux[1 + b][i] = b == a ? mass * speed + press : mass * q[1 + b][i];
        tangent += b == a ? 0 : q[1 + b][i] * q[1 + b][i];
    }
    if (g->ideal) flux[e][i] = speed * press * g->gamma * g->heat + 0.5f * mass * (speed * speed + tangent);
    for (int v = g->vars; v < w->all; v++) flux[v][i] = mass * q[v][i];
}
