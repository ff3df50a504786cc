// SPDX-License-Identifier: Apache-2.0
/* What views know of the stones on their floor: the same on all frames of a shot, and to draw them anew takes a quarter
 * of a picture. All functions may be called by several threads at once. */
#ifndef VIEW_KEPT_STONES_H
#define VIEW_KEPT_STONES_H

#include <pthread.h>
#include <picture/tools.h>

struct bw_scene;
struct bw_stone_lots;

struct kept_stones {
    pthread_mutex_t lock;
    struct bw_stone_lots *lots; ///< of the scene that was asked for last; NULL: none
};

void kept_stones_init(struct kept_stones *k);
void kept_stones_free(struct kept_stones *k);
/// Those of a scene, which the caller frees; NULL: it has none, or out of memory.
struct bw_stone_lots *kept_stones_take(struct kept_stones *k, const struct bw_scene *scene);

#endif
