// SPDX-License-Identifier: Apache-2.0
/* The vdb exporter's parts: vdb.c names files and metadata, vdb_fields.c turns fields into grids. */
#ifndef VDB_H
#define VDB_H

#include <billow/plugin.h>
#include <common/larger/larger.h>
#include <common/openvdb/bwvdb.h>
#include <common/openvdb/hosts/hosts.h>
#include <common/openvdb/nano/nano.h>

enum vdb_bits { VDB_HALF = 0, VDB_FLOAT = 1 };
enum vdb_velocity { VDB_COLLOCATED = 0, VDB_STAGGERED = 1, VDB_COARSE = 2 };
enum vdb_temperature { VDB_BLENDER = 1, VDB_EXCESS = 2, VDB_NORMALIZED = 3, VDB_PLAIN = 4 }; ///< 0: the host's
enum vdb_up { VDB_UP_Z = 1, VDB_UP_Y = 2 };                                                  ///< likewise

/// An item of `fields`.
struct vdb_field_name {
    const char *name;
};

/// How exact values are.
struct vdb_precision {
    int32_t bits;          ///< enum vdb_bits
    struct bw_list errors; ///< of struct bw_amount: how far a field's values may be off
};

struct vdb_params {
    struct bw_list fields; ///< of struct vdb_field_name
    struct bw_list points; ///< likewise
    const char *name;
    int32_t host;        ///< 0: none; else one more than its number in VDB_HOSTS
    int32_t up;          ///< enum vdb_up
    int32_t compression; ///< enum bwvdb_compression
    int32_t velocity;    ///< enum vdb_velocity
    int32_t temperature; ///< enum vdb_temperature
    double velocity_pad; ///< NaN: what the host wants
    struct vdb_precision precision;
    int32_t nano;      ///< of the exporter nvdb: enum bwvdb_nano_precision
    const char *blend; ///< another domain's name, or NULL
    double edge;
    double scale, larger, fps, threshold, normalized_at;
};

struct vdb_state {
    int32_t said;   ///< the first file has been announced; anew after a resume
    uint32_t blend; ///< number of a domain and 1; 0: the domain is written as it is
    int64_t frames; ///< written since the bake began, or went on
    int32_t filled; ///< one of them held something
    int32_t nano;   ///< files are NanoVDB's
};

/// Are values 16 bits each?
static inline int vdb_half(const struct bw_exporter *e)
{
    const struct vdb_params *p = e->params;
    return !((const struct vdb_state *)e->state)->nano && p->precision.bits == VDB_HALF;
}

/// The domain to blend with, or NULL.
static inline const struct bw_domain_info *vdb_blend(const struct bw_exporter *e)
{
    const struct vdb_state *st = e->state;
    return st->blend ? e->domains[st->blend - 1] : NULL;
}

/* What is not given the host asks for, if there is one. */
static inline const char *vdb_host(const struct vdb_params *p) { return p->host ? vdb_host_name(p->host - 1) : NULL; }
static inline int vdb_y_up(const struct vdb_params *p)
{
    return p->up ? p->up == VDB_UP_Y : vdb_rule_number(vdb_host(p), VDB_UP, 'z') == 'y';
}
static inline double vdb_scale(const struct vdb_params *p)
{
    return bw_given_or(p->scale, vdb_rule_number(vdb_host(p), VDB_SCALE, 1));
}
static inline int32_t vdb_temperature(const struct vdb_params *p)
{
    const int excess = vdb_rule_number(vdb_host(p), VDB_KELVIN, 1000) == 1;
    return p->temperature ? p->temperature : excess ? VDB_EXCESS : VDB_BLENDER;
}
/// Units of the file that a computed metre becomes; and a metre a second, in its units and seconds.
static inline double vdb_length(const struct vdb_params *p) { return vdb_scale(p) * p->larger; }
static inline double vdb_slower(const struct bw_exporter *e)
{
    return larger_slower(((const struct vdb_params *)e->params)->fps, e->bake->fps);
}
static inline double vdb_speed(const struct bw_exporter *e) { return vdb_length(e->params) / vdb_slower(e); }

/// Is it written? vdb_choice.c.
int vdb_field_wanted(const struct vdb_params *p, const struct bw_frame *frame, const struct bw_field_info *info);
/// Say which of those that are asked for are left out, once a bake, or its part since it went on.
void vdb_left_out_log(struct bw_exporter *e, const struct bw_frame *frame);
/// Is there something to write, and nothing twice? Errors: BW_ERR_PRESET, said.
enum bw_status vdb_choice_check(struct bw_exporter *e, const struct bw_frame *frame);
/// Add every field that the preset asks for to the file. Failures are reported.
enum bw_status vdb_fields_add(struct bw_exporter *e, const struct bw_frame *frame, struct bwvdb_writer *w);
/// Give all grids of a file the same bounds, and an empty file a voxel: for hosts that want both.
enum bwvdb_status vdb_bounds_equalise(const char *path, struct bwvdb_error *error);
/// The same for particles.
enum bw_status vdb_points_add(struct bw_exporter *e, const struct bw_frame *frame, struct bwvdb_writer *w);

#endif
