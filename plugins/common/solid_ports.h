// SPDX-License-Identifier: Apache-2.0
/* The three fields by which every stage tells the flow about its obstacles. */
#ifndef SOLID_PORTS_H
#define SOLID_PORTS_H

#define SOLID_FAR 1000.0 ///< m: `solid` where no obstacle is near

// clang-format off
/// Rows of a bw_port table: signed distance (SOLID_FAR where there is none), material's velocity, grip.
#define SOLID_PORT \
    {.name = "solid", .kind = BW_SCALAR, .access = BW_UPDATE, .lifetime = BW_STEP, .unit = "m", \
     .doc = "Signed distance to obstacles, negative inside.", .background = SOLID_FAR}
#define SOLID_VEL_PORT \
    {.name = "solid_vel", .kind = BW_MAC, .access = BW_UPDATE, .lifetime = BW_STEP, .unit = "m/s", \
     .doc = "Velocity of the obstacles' material."}
#define SOLID_GRIP_PORT \
    {.name = "solid_grip", .kind = BW_SCALAR, .access = BW_UPDATE, .lifetime = BW_STEP, .unit = "1", \
     .doc = "How gas goes along obstacles: 0 slides, 1 sticks."}
// clang-format on

#endif
