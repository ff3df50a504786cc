// SPDX-License-Identifier: Apache-2.0
/* What is kept from frame to frame, so that camera, size and colours do not jump. */
#ifndef BW_PICTURE_KEPT_H
#define BW_PICTURE_KEPT_H

#include <billow/checkpoint.h>
#include <picture/params.h>
#include <picture/tools.h>
#include <picture/volume/spots.h>

struct bw_shapes;
/// Zero it before the first frame.
struct bw_picture {
    struct bw_tools tools;
    struct bw_scene scene;
    struct bw_sky *sky;       ///< made when first wanted
    struct bw_shapes *shapes; ///< of the last frame's obstacles, whose meshes go on
    struct bw_spots spots;    ///< of what stands still
    int32_t has_scene;
    int32_t size[2];  ///< 0: not yet known
    int64_t asked[2]; ///< the width and height that it was chosen for
    double range[2];  ///< of the colours, so far
    double shown[2];  ///< of the last slice: range of its colours
    double cut[2][3]; ///< of the last slice: the box of its cells, m
    int32_t slices;   ///< view: auto means a slice
    int32_t told;     ///< that renders are coarser than the cells
    int32_t exposed;  ///< told what flames are exposed for
    int32_t dark;     ///< told that lamps stand inside obstacles
    int32_t strange;  ///< told which names of obstacles are none
};

/// One picture in the making.
struct bw_making {
    struct bw_picture *kept;
    struct bw_exporter *e;
    const struct bw_frame *frame;
    const struct bw_picture_params *params;
};

/// The host as tools; the exporter must stay where it is.
void bw_picture_begin(struct bw_picture *p, struct bw_exporter *e);
/// Lamps and looks are whole, and the files that renders will read are there: told before the bake, not at its first
/// picture. After bw_picture_begin and `slices`; errors are reported.
enum bw_status bw_picture_files(const struct bw_picture *p, const struct bw_picture_params *params);
/// What is shown of f's domain: its box; without one, all that smoke has reached so far.
void bw_picture_bounds(struct bw_picture *p, const struct bw_snapshot_field *f, double lo[3], double hi[3]);
/// Save what is kept, or restore it after bw_picture_begin. Errors are reported.
enum bw_status bw_picture_checkpoint(struct bw_picture *p, struct bw_archive *a);

#endif
