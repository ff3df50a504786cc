// SPDX-License-Identifier: Apache-2.0
/* The vdb exporter's parts: vdb.c names files and metadata, vdb_fields.c turns fields into grids. */
#ifndef VDB_H
#define VDB_H

#include <billow/plugin.h>
#include <common/larger/larger.h>
#include <common/openvdb/bwvdb.h>

enum vdb_precision { VDB_HALF = 0, VDB_FLOAT = 1 };
enum vdb_velocity { VDB_COLLOCATED = 0, VDB_STAGGERED = 1 };
enum vdb_temperature { VDB_BLENDER = 0, VDB_EXCESS = 1, VDB_NORMALIZED = 2, VDB_PLAIN = 3 };

/// An item of `fields`.
struct vdb_field_name {
    const char *name;
};

struct vdb_params {
    struct bw_list fields; ///< of struct vdb_field_name
    struct bw_list points; ///< likewise
    const char *name;
    int32_t up;          ///< 0: z, 1: y
    int32_t precision;   ///< enum vdb_precision
    int32_t compression; ///< enum bwvdb_compression
    int32_t velocity;    ///< enum vdb_velocity
    int32_t temperature; ///< enum vdb_temperature
    int64_t velocity_pad;
    const char *blend; ///< another domain's name, or NULL
    double edge;
    double scale, larger, fps, threshold, normalized_at;
};

struct vdb_state {
    int32_t said;   ///< the first file has been announced; anew after a resume
    uint32_t blend; ///< number of a domain and 1; 0: the domain is written as it is
    int64_t frames; ///< written since the bake began, or went on
    int32_t filled; ///< one of them held something
};

/// The domain to blend with, or NULL.
static inline const struct bw_domain_info *vdb_blend(const struct bw_exporter *e)
{
    const struct vdb_state *st = e->state;
    return st->blend ? e->domains[st->blend - 1] : NULL;
}

/// Units of the file that a computed metre becomes; and a metre a second, in its units and seconds.
static inline double vdb_length(const struct vdb_params *p) { return p->scale * p->larger; }
static inline double vdb_slower(const struct bw_exporter *e)
{
    return larger_slower(((const struct vdb_params *)e->params)->fps, e->bake->fps);
}
static inline double vdb_speed(const struct bw_exporter *e) { return vdb_length(e->params) / vdb_slower(e); }

/// Add every field that the preset asks for to the file. Failures are reported.
enum bw_status vdb_fields_add(struct bw_exporter *e, const struct bw_frame *frame, struct bwvdb_writer *w);
/// The same for particles.
enum bw_status vdb_points_add(struct bw_exporter *e, const struct bw_frame *frame, struct bwvdb_writer *w);

#endif
