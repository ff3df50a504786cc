// SPDX-License-Identifier: Apache-2.0
/* What is round the stage and stays from picture to picture: its stones, soil, hills and clouds, which take longer to
 * make than to light. Several pictures may share them. */
#ifndef BW_SURROUNDINGS_H
#define BW_SURROUNDINGS_H

#include "stone_lots.h"
#include "texture.h"

struct bw_scene;

/// NULL each: nothing is known of it yet.
struct bw_surroundings {
    struct bw_stone_lots *stones;
    struct bw_texture *ground, *clouds, *hills;
};
struct bw_surroundings_plan {
    struct bw_stones_field stones;
    struct bw_texture_plan ground, clouds, hills; ///< nothing to make: there is none
};

void bw_surroundings_plan(const struct bw_tools *tools, const struct bw_scene *scene, struct bw_surroundings_plan *p);
/// Before a picture of that plan: what is of it goes on, the rest is thrown away. Zero them before the first.
void bw_surroundings_keep(const struct bw_tools *tools, const struct bw_surroundings_plan *p,
                          struct bw_surroundings *s);
/// 1: they are of that plan.
int bw_surroundings_serve(const struct bw_surroundings *s, const struct bw_surroundings_plan *p);
/// One more has to free them.
struct bw_surroundings bw_surroundings_hold(const struct bw_surroundings *s);
void bw_surroundings_free(const struct bw_tools *tools, struct bw_surroundings *s);

#endif
