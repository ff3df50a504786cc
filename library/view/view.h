// SPDX-License-Identifier: Apache-2.0
/* A frame to render from any camera, behind its handle (bw_view). */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include "api_guard.h"
#include <picture/volume/render.h>
#include <picture/volume/studio/surroundings.h>
#include <pthread.h>

struct snapshot;
struct view_look;

struct view {
    struct object o;
    struct bw_tools tools;
    int renders;                   ///< 0: nothing below but the stage
    struct bw_volume volume;       ///< its arrays lie in `memory`, but `solid`, which may be its own
    float *memory, *solid;         ///< solid: NULL, or memory of volume.solid
    struct bw_spark *spark;        ///< likewise
    struct bw_sky *sky;            ///< the scene's, or NULL
    struct bw_shapes *shapes;      ///< the volume's, or NULL
    struct bw_surroundings around; ///< the scene's
    struct bw_scene scene;         ///< with the movie's camera
    int32_t size[2];               ///< of the movie, pixels
    double metre;                  ///< world units to a metre
    int y_up;                      ///< of the files
    pthread_mutex_t lock;          ///< of `coarse` and `spread`
    struct bw_volume coarse;       ///< cells twice as wide, made when first wanted
    float *coarse_memory;
    struct bw_spread *spread; ///< of the particles, made when first wanted
};

/* view_frame.c */
/// What a render of a cache's file shows. Errors: in `d`.
enum bw_status view_of_file(struct snapshot *m, const struct view_look *look, struct view *v, struct bw_diag *d);

/* view.c */
/// The view of a handle with a reference, or NULL with an error in `d`.
struct view *view_acquire(struct bw_view *handle, struct bw_diag *d);
/// The camera of a picture; eye NULL: the movie's own, of another shape wider or narrower. 0: nothing can be seen.
int view_camera(const struct view *v, const struct bw_eye *eye, const int32_t size[2], struct bw_camera *c);

/* view_coarse.c */
/// Cells twice as wide, of means. Errors: BW_ERR_MEMORY.
enum bw_status view_coarsen(const struct bw_tools *tools, const struct bw_volume *from, struct bw_volume *to,
                            float **memory);

#endif
