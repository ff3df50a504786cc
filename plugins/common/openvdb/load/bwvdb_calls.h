// SPDX-License-Identifier: Apache-2.0
/* What libbillow-vdb.so, which everything that stands on OpenVDB is in, gives to bwvdb_load.c: bwvdb.h and contents.h
 * say what each of them does. */
#ifndef BWVDB_CALLS_H
#define BWVDB_CALLS_H

#include <common/openvdb/bwvdb.h>
#include <common/openvdb/contents/contents.h>
#include <common/openvdb/nano/nano.h>

struct bwvdb_calls {
    enum bwvdb_status (*writer_create)(const struct bwvdb_options *options, struct bwvdb_writer **w,
                                       struct bwvdb_error *error);
    enum bwvdb_status (*writer_add)(struct bwvdb_writer *w, const struct bwvdb_grid *grid, struct bwvdb_error *error);
    enum bwvdb_status (*writer_points)(struct bwvdb_writer *w, const struct bwvdb_points *points,
                                       struct bwvdb_error *error);
    enum bwvdb_status (*writer_copy)(struct bwvdb_writer *w, const struct bwvdb_file *f, int32_t grid,
                                     const struct bwvdb_change *change, struct bwvdb_error *error);
    enum bwvdb_status (*writer_meta)(struct bwvdb_writer *w, const struct bwvdb_meta *meta, struct bwvdb_error *error);
    enum bwvdb_status (*writer_write)(struct bwvdb_writer *w, const char *path, struct bwvdb_error *error);
    int (*writer_empty)(const struct bwvdb_writer *w);
    void (*writer_free)(struct bwvdb_writer *w);
    enum bwvdb_status (*region_create)(const struct bwvdb_writer *w, const struct bwvdb_area *area,
                                       struct bwvdb_region **r, struct bwvdb_error *error);
    void (*region_free)(struct bwvdb_region *r);
    enum bwvdb_status (*open)(const char *path, struct bwvdb_file **f, struct bwvdb_error *error);
    void (*close)(struct bwvdb_file *f);
    int32_t (*count)(const struct bwvdb_file *f);
    const struct bwvdb_info *(*grid_info)(const struct bwvdb_file *f, int32_t grid);
    int32_t (*find)(const struct bwvdb_file *f, const char *name);
    const struct bwvdb_meta *(*file_meta)(const struct bwvdb_file *f, uint32_t *n);
    const char *(*names)(const struct bwvdb_file *f);
    enum bwvdb_status (*load)(struct bwvdb_file *f, int32_t grid, struct bwvdb_error *error);
    enum bwvdb_status (*read_box)(const struct bwvdb_file *f, int32_t grid, const int32_t lo[3], const int32_t n[3],
                                  float *const out[3], struct bwvdb_error *error);
    enum bwvdb_status (*sample)(const struct bwvdb_file *f, int32_t grid, size_t count, const double (*pos)[3],
                                double *out, struct bwvdb_error *error);
    enum bwvdb_status (*read_points)(const char *path, const char *grid, const char *attribute, uint32_t comps,
                                     int64_t *count, double *out, struct bwvdb_error *error);
    enum bwvdb_status (*distance_create)(const struct bwvdb_mesh *mesh, struct bwvdb_distance **d,
                                         struct bwvdb_error *error);
    void (*distance_free)(struct bwvdb_distance *d);
    void (*distance_box)(const struct bwvdb_distance *d, int32_t lo[3], int32_t n[3]);
    void (*distance_read)(const struct bwvdb_distance *d, const int32_t lo[3], const int32_t n[3], float *out,
                          int32_t *nearest);
    enum bwvdb_status (*contents_find)(const struct bwvdb_file *f, int32_t grid, struct vdb_contents *out,
                                       struct bwvdb_error *error);
    enum bwvdb_status (*nano_write)(const char *from, const char *to, const struct bwvdb_nano *nano,
                                    struct bwvdb_error *error);
    enum bwvdb_status (*difference_find)(const struct bwvdb_file *a, int32_t grid_a, const struct bwvdb_file *b,
                                         int32_t grid_b, struct vdb_difference *out, struct bwvdb_error *error);
};

extern const struct bwvdb_calls bwvdb_calls;

#endif
