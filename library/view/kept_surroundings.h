// SPDX-License-Identifier: Apache-2.0
/* What views know of what is round their stages: the same on all frames of a shot, and to make it anew takes a quarter
 * of a picture. All functions may be called by several threads at once. */
#ifndef VIEW_KEPT_SURROUNDINGS_H
#define VIEW_KEPT_SURROUNDINGS_H

#include <picture/volume/studio/surroundings.h>
#include <pthread.h>

struct kept_surroundings {
    pthread_mutex_t lock;
    struct bw_surroundings of; ///< the scene that was asked for last
};

void kept_surroundings_init(struct kept_surroundings *k);
void kept_surroundings_free(struct kept_surroundings *k);
/// Those of a scene, which the caller frees.
struct bw_surroundings kept_surroundings_take(struct kept_surroundings *k, const struct bw_scene *scene);

#endif
