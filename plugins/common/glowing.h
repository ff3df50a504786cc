// SPDX-License-Identifier: Apache-2.0
/* Particles that fly and glow, as pictures draw them and files have them: embers, debris. */
#ifndef GLOWING_H
#define GLOWING_H

#include <billow/services.h>

/// Their attributes; `temperature` is the excess over ambient.
static const struct bw_attribute glowing_attributes[] = {
    {"pos", BW_F64P, 3, "m"},        {"velocity", BW_F32, 3, "m/s"}, {"acceleration", BW_F32, 3, "m/s^2"},
    {"temperature", BW_F32, 1, "K"}, {"size", BW_F32, 1, "m"},       {"age", BW_F32, 1, "s"},
    {"life", BW_F32, 1, "s"},
};

struct glowing {
    int64_t count;
    const int64_t *id;
    bw_vec3 *pos;
    float *velocity, *acceleration, *temperature, *size, *age, *life;
};

/// Their arrays, until some are added or removed.
static inline struct glowing glowing_of(const struct bw_particles_api *api, struct bw_particles *p)
{
    return (struct glowing){.count = api->count(p),
                            .id = api->attribute(p, "id"),
                            .pos = api->attribute(p, "pos"),
                            .velocity = api->attribute(p, "velocity"),
                            .acceleration = api->attribute(p, "acceleration"),
                            .temperature = api->attribute(p, "temperature"),
                            .size = api->attribute(p, "size"),
                            .age = api->attribute(p, "age"),
                            .life = api->attribute(p, "life")};
}

#endif
