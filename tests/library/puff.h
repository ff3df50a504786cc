// SPDX-License-Identifier: Apache-2.0
/* A small bake. */
#ifndef TESTS_LIBRARY_PUFF_H
#define TESTS_LIBRARY_PUFF_H

#include "check.h"

static const char puff[] =
    "billow: 1\n"
    "name: puff\n"
    "domain: {size: [0.32, 0.32, 0.64], voxel: 2 cm}\n"
    "time: {frames: 1-8, seed: 7}\n"
    "stages:\n"
    "  - mac.advect: {}\n"
    "  - emit: {shape: {sphere: {center: [0, 0, 0.1], radius: 6 cm}}, density: 1, temperature: 200}\n"
    "  - mac.forces: {buoyancy: 1}\n"
    "  - mac.project: {}\n"
    "export:\n"
    "  - vdb: {fields: [density, vel]}\n";

static struct bw_bake_options options_of_puff(void)
{
    return (struct bw_bake_options){
        .size = sizeof(struct bw_bake_options), .preset = "puff", .text = puff, .threads = 2};
}

static struct bw_bake *bake_open(const struct bw_bake_options *o)
{
    struct bw_bake *bake;
    CHECK(bw_bake_open(session, o, &bake) == BW_OK);
    return bake;
}

#endif
