// SPDX-License-Identifier: Apache-2.0
/* Points as a source: balls of a PLY or CSV file, or of a numbered sequence of them, each with its radius and velocity.
 * Between two files a point flies on along its velocity. Each step they are placed in the world and sorted into the
 * tiles that their path touches, so that a tile looks at its own points only. All memory is the host's. */
#ifndef POINTS_H
#define POINTS_H

#include <common/sequence/sequence.h>

/// A row of points in a parameter struct.
struct shape_points {
    const char *file;
    double radius, grow;
    bw_vec3 center, rotate;
    double scale;
    int32_t up; ///< 0: z, 1: y
    int64_t offset;
    double speed;
    int32_t outside; ///< enum sequence_outside
};

/// What one file holds, z up, in its own units.
struct points_file {
    int64_t number; ///< in a sequence
    int64_t n;
    int loaded;
    double (*pos)[3];
    float (*vel)[3]; ///< units a second; NULL: the file does not say
    float *radius;   ///< NULL: likewise
    int64_t *id;     ///< NULL: likewise
};

/// A stage's points.
struct points_source {
    struct points_file file[3]; ///< the one before, the present one, the one after
    float (*vel)[3];            ///< of the present file's points: its own, or found from the files beside it; or NULL
    int own;                    ///< `vel` is not the file's
    struct sequence sequence;
    int begun;
    int blank, held; ///< no points at present; or those of the first or last file, at rest
};

/// Read a file into *f (zeroed). Errors, said with line or element: BW_ERR_IO, BW_ERR_MEMORY.
enum bw_status points_read(struct bw_stage *s, const char *path, int y_up, struct points_file *f);
void points_file_free(struct bw_stage *s, struct points_file *f);
/// Read what s->frame needs. Errors are said.
enum bw_status points_prepare(struct bw_stage *s, const struct shape_points *p, struct points_source *m);

struct pose;
/// All points over one step, in the world; scratch memory.
struct points_cloud {
    int64_t n;
    double (*pos)[3];         ///< at the step's end, m
    float (*displacement)[3]; ///< since the step's start, m
    float (*vel)[3];          ///< m/s
    float *radius;            ///< m
    double reach;             ///< beyond the radius that cells are touched, m
    double fastest;           ///< longest displacement, m
    int32_t lo[3], tiles[3];  ///< box of tiles that are touched
    int64_t *first;           ///< per tile of the box, and one more: its part of `list`
    int32_t *list;
};
/// Place the points for the step from `start` to `now`; `before` is the pose `moment` seconds before `now`; `ahead` how
/// long after s->time each pose is. Errors: BW_ERR_MEMORY, BW_ERR_LIMIT (said).
struct points_times {
    const struct pose *start, *before, *now;
    double moment;     ///< s between `before` and `now`
    double begin, end; ///< run's time at `start` and `now`, s
};
enum bw_status points_place(struct bw_stage *s, const struct shape_points *p, const struct points_times *times,
                            double reach, struct points_cloud *c);
/// Sorts placed points (n, pos, displacement, radius, reach) into tiles. Errors: BW_ERR_MEMORY, BW_ERR_LIMIT (said).
enum bw_status points_sort(struct bw_stage *s, struct points_cloud *c);
/// Make the tiles active that the points touch.
enum bw_status points_activate(struct bw_stage *s, const struct points_cloud *c);

/// Cells of a block, from lo to hi, and the places of their values: x fastest, offset `at` from the low corner in
/// cells.
struct points_cells {
    const struct bw_block *block;
    int32_t lo[3], hi[3];
    double at[3];
    double width; ///< of the soft edge, m
    int samples;  ///< positions along the path
};
/// Those that touch the block's tile, in their order.
int64_t points_list(const struct points_cloud *c, const struct bw_block *b, const int32_t **list);
/// 1 when any point touches the block's tile.
int points_touch(const struct points_cloud *c, const struct bw_block *b);
/// Largest and mean coverage; `now` is scratch of the same size.
void points_cover(const struct points_cloud *c, const struct points_cells *q, float *most, float *mean, float *now);
/// Largest coverage, and the points' velocity along `axis` where that is not 0; `weight` is scratch.
void points_flow(const struct points_cloud *c, const struct points_cells *q, int axis, float *most, float *flow,
                 float *weight);

#endif
