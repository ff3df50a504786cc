// SPDX-License-Identifier: Apache-2.0
/* Meshes of obstacles from one view to the next: most stand still, and making them takes longer than a draft's picture.
 * All functions may be called by several threads at once. */
#ifndef VIEW_KEPT_MESHES_H
#define VIEW_KEPT_MESHES_H

#include <pthread.h>
#include <picture/volume/shape/shapes.h>

struct kept_meshes {
    pthread_mutex_t lock;
    struct bw_shapes *shapes; ///< of the view that was made last, without a form; NULL: none
};

void kept_meshes_init(struct kept_meshes *k);
void kept_meshes_free(struct kept_meshes *k);
/// The meshes that are kept, for bw_shapes_follow, which the caller frees; NULL: none.
struct bw_shapes *kept_meshes_take(struct kept_meshes *k);
/// Keep those of `shapes`, which may be NULL, in place of what is kept.
void kept_meshes_put(struct kept_meshes *k, const struct bw_shapes *shapes);

#endif
