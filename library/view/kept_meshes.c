// SPDX-License-Identifier: Apache-2.0
#include "kept_meshes.h"
#include "picture_tools.h"

void kept_meshes_init(struct kept_meshes *k)
{
    pthread_mutex_init(&k->lock, NULL);
    k->shapes = NULL;
}

void kept_meshes_free(struct kept_meshes *k)
{
    const struct bw_tools tools = picture_tools();
    bw_shapes_free(&tools, k->shapes);
    pthread_mutex_destroy(&k->lock);
}

struct bw_shapes *kept_meshes_take(struct kept_meshes *k)
{
    const struct bw_tools tools = picture_tools();
    pthread_mutex_lock(&k->lock);
    struct bw_shapes *meshes = bw_shapes_meshes(&tools, k->shapes);
    pthread_mutex_unlock(&k->lock);
    return meshes;
}

void kept_meshes_put(struct kept_meshes *k, const struct bw_shapes *shapes)
{
    const struct bw_tools tools = picture_tools();
    struct bw_shapes *meshes = bw_shapes_meshes(&tools, shapes);
    pthread_mutex_lock(&k->lock);
    struct bw_shapes *old = k->shapes;
    k->shapes = meshes;
    pthread_mutex_unlock(&k->lock);
    bw_shapes_free(&tools, old);
}
