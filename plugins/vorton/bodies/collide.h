// SPDX-License-Identifier: Apache-2.0
/* What the two ways of vorton.collide share. */
#ifndef VORTON_COLLIDE_H
#define VORTON_COLLIDE_H

#include <common/bodies.h>
#include "flow/pairs.h"
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
struct collide_arrays collide_arrays(const struct bw_stage *s);

/// Bytes that collide_sheet keeps from step to step.
enum { COLLIDE_STATE = 4096 };
enum { COLLIDE_VORTONS, COLLIDE_BODIES, COLLIDE_TRACERS };

/// Outward normal of a body's surface near x.
void collide_normal(const struct pose *pose, double size, const double x[3], double normal[3]);
/// Make what is on the surface the sheet's work (collide_sheet.c), or the vortons' that came inside
/// (collide_contacts.c).
enum bw_status collide_sheet(struct bw_stage *s, enum pair_kernel kernel);
enum bw_status collide_gourlay(struct bw_stage *s, enum pair_kernel kernel);

#endif
