// SPDX-License-Identifier: Apache-2.0
/* Shared by the two methods of vorton.collide: its particles and their attributes, normals of surfaces. */
#ifndef VORTON_COLLIDE_H
#define VORTON_COLLIDE_H

#include <common/bodies.h>
#include <common/vec3.h>
#include "flow/biot_savart.h"
#include "vorton.h"

enum collide_method { COLLIDE_SHEET, COLLIDE_GOURLAY };
enum collide_place { COLLIDE_OFFSET, COLLIDE_ABOVE };
enum collide_books { COLLIDE_IMPULSE, COLLIDE_PARTICLES };
struct collide_params {
    int32_t method, shed, place, books;
    int64_t nodes, fine;
    double density, release, life;
};

/// Both kinds of particles, and what the stage adds to their attributes.
struct collide_arrays {
    struct vorton_arrays v;
    double *bound; ///< of vortons: 0, or 1 + body · 2²⁴ + grain: a part of a sheet
    struct body_arrays b;
    bw_vec3 *met, *met_spin; ///< of bodies: the motion that the flow last met
    double *known;           ///< 1 once it has
};

/// Bytes that collide_sheet keeps from step to step.
enum { COLLIDE_STATE = 4096 };
enum { COLLIDE_VORTONS, COLLIDE_BODIES, COLLIDE_TRACERS };

static inline struct collide_arrays collide_arrays(const struct bw_stage *s)
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

/// Outward normal of a body's surface near x: the gradient of its distance.
static inline void collide_normal(const struct pose *pose, double size, const double x[3], double normal[3])
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

/// Make what is on the surface the sheet's work (collide_sheet.c), or the vortons' that came inside
/// (collide_contacts.c).
enum bw_status collide_sheet(struct bw_stage *s, enum pair_kernel kernel);
enum bw_status collide_gourlay(struct bw_stage *s, enum pair_kernel kernel);

#endif
