// SPDX-License-Identifier: Apache-2.0
/* What the vorton family shares: the particles' attributes, and who knows velocities.
 *
 * A vorton is a piece of vorticity: `strength` α = ω·volume (m³/s, conserved sums are plain sums of it), spread over a
 * core of `radius` σ. One without a volume is no piece of fluid but part of a body's sheet, which vorton.collide looks
 * after. `density` is its deviation from the ambient density, kg/m³, at ambient temperature; `temperature` its excess
 * over ambient, K. Tracers are advected and rendered. */
#ifndef VORTON_H
#define VORTON_H

#include "flow/multipole/multipole.h"

// clang-format off
#define ATTRIBUTE_POS {"pos", BW_F64P, 3, "m"}
#define ATTRIBUTE_AGE {"age", BW_F32, 1, "s"}   ///< since birth
#define ATTRIBUTE_LIFE {"life", BW_F32, 1, "s"} ///< 0: for ever
#define ATTRIBUTE_VELOCITY {"velocity", BW_F32, 3, "m/s"}
#define ATTRIBUTE_STRENGTH {"strength", BW_F64P, 3, "m^3/s"}
#define ATTRIBUTE_RADIUS {"radius", BW_F64P, 1, "m"}
#define ATTRIBUTE_VOLUME {"volume", BW_F64P, 1, "m^3"}
#define ATTRIBUTE_DENSITY {"density", BW_F64P, 1, "kg/m^3"}
#define ATTRIBUTE_TEMPERATURE {"temperature", BW_F64P, 1, "K"}
#define ATTRIBUTE_BORN {"born", BW_F64P, 1, "m^3/s"} ///< |strength| at birth: what it has been stretched from
/* Of tracers: smoke density times the volume they stand for, and linear colour. */
#define ATTRIBUTE_AMOUNT {"amount", BW_F32, 1, "m^3"}
#define ATTRIBUTE_COLOUR {"colour", BW_F32, 3, "1"}
// clang-format on

extern const struct bw_attribute vorton_attributes[10], tracer_attributes[6];

/// Vortons through the particles service.
struct vorton_arrays {
    int64_t count;
    bw_vec3 *pos, *strength;
    double *radius, *volume, *density, *temperature, *born;
    float *age, *life, *velocity;
};
struct vorton_arrays vorton_arrays(const struct bw_stage *s, struct bw_particles *p);

struct tracer_arrays {
    int64_t count;
    bw_vec3 *pos;
    float *age, *life, *velocity, *amount, *colour;
};
struct tracer_arrays tracer_arrays(const struct bw_stage *s, struct bw_particles *p);

/// The particles service.
static inline const struct bw_particles_api *particles_of(const struct bw_stage *s)
{
    return s->host->extension(BW_PARTICLES_API);
}

/// Velocity at points: every evaluator of the chain, and grid fields (mac or vector, m/s) that the stage names.
struct flow {
    struct bw_field *const *fields;
    uint32_t n_fields;
    const double *radius; ///< of the vortons that stand at the points, m; NULL: points without a core
};
/// Add the gradient (count × 9, row = component) of a grid's flow, by differences a cell wide.
enum bw_status gradient_add(struct bw_stage *s, struct bw_field *field, int64_t count, const bw_vec3 *pos,
                            double *gradient);
/// Overwrites velocity (count × 3) and, unless NULL, gradient (count × 9; of fields by differences a cell wide).
enum bw_status flow_at(struct bw_stage *s, const struct flow *flow, int64_t count, const bw_vec3 *pos, double *velocity,
                       double *gradient);

/// Remove particles that are further than `limit` from the origin, without a radius, or older than their life; the
/// metric "lost" counts all but the old, and the log names the first of them. Errors: BW_ERR_DIVERGED, one is nowhere.
enum bw_status particles_tidy(struct bw_stage *s, struct bw_particles *p, double limit);

#define VORTON_CORES "vorton.cores/1"
/// Of vorton.velocity, within this module: as billow.velocity/1, at points that are vortons of these radii.
struct vorton_cores_api {
    enum bw_status (*evaluate)(struct bw_stage *stage, int64_t count, const bw_vec3 *pos, const double *radius,
                               double *velocity, double *gradient);
};

#define VORTON_LATTICE "vorton.lattice/1"
/// Of vorton.remesh, within this module: time from one remesh to the next, s; 0: never.
struct vorton_lattice_api {
    double (*interval)(const struct bw_stage *stage);
};

#define VORTON_EXCHANGE "vorton.exchange/1"
/// Of vorton.diffuse, within this module: 1: its viscosity wants vortons that stand on a lattice, from the first step.
struct vorton_exchange_api {
    int (*wants_lattice)(const struct bw_stage *stage);
};

extern const struct bw_stage_desc vorton_emit_desc, vorton_velocity_desc, vorton_stretch_desc, vorton_diffuse_desc,
    vorton_remesh_desc, vorton_collide_desc, vorton_advect_desc, vorton_confine_desc, tracers_desc, to_grid_desc;

#endif
