// SPDX-License-Identifier: Apache-2.0
/* Pictures of VDB files, ours or anybody's: finds a sequence, takes stock of it once (bounds, up axis, how thick), then
 * hands out volumes and slices frame by frame. */
#ifndef BW_VDBVIEW_H
#define BW_VDBVIEW_H

#include <common/openvdb/bwvdb.h>
#include <picture/volume/render.h>
#include <picture/slice/slice.h>

/// Files of a sequence in the order of their numbers.
struct bw_sequence {
    char *name; ///< what the files have in common, without number and ending
    char **path;
    int64_t *frame;
    int32_t count;
};

/* view_sequence.c */
/// From a file of a sequence, a folder that holds one (the longest), or a pattern with #### for the number. `first` …
/// `last`: only these frames. Errors: BW_ERR_IO, BW_ERR_MEMORY, with a sentence in `why`.
enum bw_status bw_sequence_find(struct bw_sequence *s, const char *what, int64_t first, int64_t last, char *why,
                                size_t why_size);
void bw_sequence_free(struct bw_sequence *s);

/// Names by which grids are known, ours first; each list ends with NULL.
extern const char *const bw_density_names[],
    *const bw_flame_names[], *const bw_temperature_names[], *const bw_dye_names[], *const bw_velocity_names[];

struct bw_vdb_view {
    const struct bw_tools *tools;
    const char *field;   ///< wanted by the user, or NULL
    int32_t y_up;        ///< the files' world is y-up; -1: find out
    double lo[3], hi[3]; ///< bounds over the sequence, world units, turned z-up
    double scale;        ///< world units to a metre of the bake
    double larger;       ///< of which so many come from a preset's `scale`: 2 metres for one …
    double slower;       ///< … and so many seconds for one
    double fps;          ///< of the files, or 0
    double voxel;        ///< of the grid shown, world units
    int32_t ours;        ///< baked by this program
    double flame_kelvin; ///< of the bake's hottest flames, or 0
    int32_t fullest;     ///< the first file with most grids: what lacks in others was not there yet …
    int32_t grids;       ///< … and how many they are
    int32_t flames;      ///< something burns in some file
    char grid[64];       ///< the name of the grid to show in the first file
    uint32_t twins;      ///< how many there are of that name, where nobody said which; 1 mostly
    int32_t arrows;      ///< the grid to show is of vectors, and no dye: slices show how long they are, renders nothing
    int32_t moves;       ///< wanted in volumes: BW_MOVES: velocities, BW_AGES: ages, too
    int32_t roots;       ///< likewise fuel
    double density_gain; ///< brings densities near 1
    int32_t lenient;     ///< a file that can't be read is left out, if another one can
};

/// Look into all files: bounds and facts. Errors: BW_ERR_IO, BW_ERR_USAGE (no such grid), with a sentence in `why`.
enum bw_status bw_vdb_view_open(struct bw_vdb_view *v, const struct bw_sequence *s, char *why, size_t why_size);
/// The volume of one file; *memory is released by the caller with the tools.
enum bw_status bw_vdb_volume(const struct bw_vdb_view *v, const char *path, struct bw_volume *out, float **memory,
                             char *why, size_t why_size);
/// vdb_join.c: the same, with the other half of two domains that were exported to be shown at once.
enum bw_status bw_vdb_volume_whole(const struct bw_vdb_view *v, const char *path, struct bw_volume *out, float **memory,
                                   char *why, size_t why_size);
/// A slice of one file across `axis` at `position` (NAN: the middle), values in *memory as above; `s->field` is left
/// NULL.
enum bw_status bw_vdb_slice(const struct bw_vdb_view *v, const char *path, int axis, double position, int flow,
                            struct bw_slice *s, float **memory, char *why, size_t why_size);

#endif
