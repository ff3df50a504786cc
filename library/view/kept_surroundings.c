// SPDX-License-Identifier: Apache-2.0
#include "kept_surroundings.h"
#include "picture_tools.h"

void kept_surroundings_init(struct kept_surroundings *k)
{
    pthread_mutex_init(&k->lock, NULL);
    k->of = (struct bw_surroundings){NULL};
}

void kept_surroundings_free(struct kept_surroundings *k)
{
    const struct bw_tools tools = picture_tools();
    bw_surroundings_free(&tools, &k->of);
    pthread_mutex_destroy(&k->lock);
}

struct bw_surroundings kept_surroundings_take(struct kept_surroundings *k, const struct bw_scene *scene)
{
    const struct bw_tools tools = picture_tools();
    struct bw_surroundings_plan plan;
    bw_surroundings_plan(&tools, scene, &plan);
    pthread_mutex_lock(&k->lock);
    bw_surroundings_keep(&tools, &plan, &k->of);
    const struct bw_surroundings held = bw_surroundings_hold(&k->of);
    pthread_mutex_unlock(&k->lock);
    return held;
}
