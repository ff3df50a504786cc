// SPDX-License-Identifier: Apache-2.0
/* What both ways of vorton.collide stand on: the particles, and which way a surface looks. */
#include "collide.h"
#include <common/vec3.h>

struct collide_arrays collide_arrays(const struct bw_stage *s)
{
    const struct bw_particles_api *api = particles_of(s);
    struct bw_particles *v = s->ports[COLLIDE_VORTONS].particles, *b = s->ports[COLLIDE_BODIES].particles;
    return (struct collide_arrays){.v = vorton_arrays(s, v),
                                   .bound = api->attribute(v, "bound"),
                                   .b = body_arrays(s, b),
                                   .met = api->attribute(b, "met"),
                                   .met_spin = api->attribute(b, "met_spin"),
                                   .known = api->attribute(b, "known")};
}

void collide_normal(const struct pose *pose, double size, const double x[3], double normal[3])
{
    const double step = 1e-5 * size;
    for (int a = 0; a < 3; a++) {
        double p[3] = {x[0], x[1], x[2]}, q[3] = {x[0], x[1], x[2]};
        p[a] += step;
        q[a] -= step;
        normal[a] = pose_distance(pose, p) - pose_distance(pose, q);
    }
    const double n = vec3_dot(normal, normal);
    for (int a = 0; a < 3; a++) normal[a] = n > 0 ? normal[a] / sqrt(n) : a == 2;
}
