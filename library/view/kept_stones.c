// SPDX-License-Identifier: Apache-2.0
#include "kept_stones.h"
#include "picture_tools.h"

#include <picture/volume/scene/scene.h>
#include <picture/volume/studio/studio.h>

void kept_stones_init(struct kept_stones *k)
{
    pthread_mutex_init(&k->lock, NULL);
    k->lots = NULL;
}

void kept_stones_free(struct kept_stones *k)
{
    const struct bw_tools tools = picture_tools();
    bw_stone_lots_free(&tools, k->lots);
    pthread_mutex_destroy(&k->lock);
}

struct bw_stone_lots *kept_stones_take(struct kept_stones *k, const struct bw_scene *scene)
{
    const struct bw_tools tools = picture_tools();
    const struct bw_stones_field field = bw_studio_stones(scene);
    struct bw_stone_lots *lots = NULL;
    if (!bw_studio_has_stones(scene)) return NULL;
    pthread_mutex_lock(&k->lock);
    bw_stone_lots_keep(&tools, &field, &k->lots);
    if (k->lots) lots = bw_stone_lots_hold(k->lots);
    pthread_mutex_unlock(&k->lock);
    return lots;
}
