// SPDX-License-Identifier: Apache-2.0
/* Domains, fields and ports: what a stage works on and how it says so.
 *
 * A domain is a box of cubic cells, or no box at all, cut into tiles (16×16×16 cells, or 64×64 in a domain one
 * cell thick). Only active tiles have storage. Cell (i,j,k) spans origin + [i,i+1]·h × …; i runs fastest.
 * A `mac` field keeps component a of cell (i,j,k) on that cell's low face along a. */
#ifndef BILLOW_FIELD_H
#define BILLOW_FIELD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bw_domain;    ///< opaque; lives as long as the chain
struct bw_field;     ///< opaque; a grid field of one domain
struct bw_particles; ///< opaque; particles as a structure of arrays

enum bw_kind {
    BW_SCALAR = 0,    ///< one value at each cell centre
    BW_VECTOR = 1,    ///< three values at each cell centre
    BW_MAC = 2,       ///< component a on low faces along a
    BW_PARTICLES = 3, ///< structure of arrays
};
#define BW_KIND_BIT(kind) (1u << (kind)) ///< for bw_port.kinds of a list

enum bw_precision { BW_F32 = 0, BW_F64P = 1, BW_I64 = 2 };

enum bw_access_mode {
    BW_READ = 1,   ///< read only
    BW_UPDATE = 2, ///< read and modify; any number of stages
    BW_WRITE = 3,  ///< sole producer; old contents are discarded
    /// In a sweep: read what is not wanted afterwards. Of a port: read and then clear a field that lives for one step,
    /// as what applies `force` does.
    BW_READ_LAST = 4,
    /// In a sweep only, without a copy where that can be: as BW_UPDATE and BW_WRITE, of a tile's own faces.
    BW_UPDATE_OWN = 5,
    BW_WRITE_OWN = 6,
};

enum bw_lifetime {
    BW_STATE = 0, ///< kept from step to step; starts at the background or at what `set`/`load` gave
    BW_STEP = 1,  ///< cleared to the background before every step
};

enum bw_port_flags {
    BW_PORT_OPTIONAL = 1, ///< may stay unbound: read: nobody makes the field; update: no such field exists
    /// Any number of fields: those that the parameter `from` names. With ADVECTED and no `from`, or with ADVECTED |
    /// NO_CREATE and nothing named: every advected field not bound to another port.
    BW_PORT_LIST = 2,
    /// On a list: all fields flagged advected (of the kinds in `kinds`); on a single port: the field that this port
    /// creates is advected.
    BW_PORT_ADVECTED = 4,
    BW_PORT_PRIVATE = 8,    ///< the field belongs to this stage alone: it is named ID.NAME
    BW_PORT_NO_CREATE = 16, ///< an update port that does not bring the field into being
    BW_PORT_AS_FIRST = 32,  ///< the field's background is that of the field on the stage's first port
    BW_PORT_ASKS = 64,      ///< update: it asks something of a stage below; where none there reads it, `check` says so
    /// An update port that may stay unbound: it brings the field into being where the preset names it, or is not calm.
    /// With OPTIONAL: only where the preset names it.
    BW_PORT_ON_DEMAND = 128,
    BW_PORT_FLOW = 256, ///< of a stage that splits: only the one on the flow's cells has it
};

/// One attribute of a particle port.
struct bw_attribute {
    const char *name;   ///< "pos" (m, 3 × f64 or f32) is always there first; "id" (i64) always there too
    uint32_t precision; ///< enum bw_precision
    uint32_t comps;     ///< 1 or 3
    const char *unit;
};

/// One row of a port table: a field that the stage reads or makes. Trailing members may be left zero.
struct bw_port {
    const char *name;   ///< the field's standard name; a preset rebinds it by `bind: {name: other}`
    uint32_t kind;      ///< enum bw_kind
    uint32_t precision; ///< enum bw_precision
    uint32_t access;    ///< enum bw_access_mode
    uint32_t lifetime;  ///< enum bw_lifetime
    const char *unit;   ///< SI; must agree with what other stages say of the same field
    const char *doc;    ///< one sentence
    uint32_t flags;     ///< enum bw_port_flags
    uint32_t kinds;     ///< on a list: mask of BW_KIND_BIT; 0: any grid kind
    const char *from;   ///< on a list: key of the list, field or amounts parameter that names the fields
    double background;  ///< value of inactive tiles when this port creates the field (default 0)
    double alive;       ///< |value - background| above this keeps tiles active; 0: the field keeps nothing alive
    const struct bw_attribute *attributes; ///< particle ports: the attributes this stage needs
    uint32_t n_attributes;
    uint32_t reserved;
    /// Grid fields that are read: key of the text parameter that names the domain they live in; while it is absent
    /// nothing is bound. NULL: the stage's own. Such a row may share its name with one of the stage's own; of lists
    /// with one `from` the k-th fields must be of one kind.
    const char *domain;
    const char *background_from; ///< key of a number parameter: its value before the first step is the background
    /// Key of a choice or bool parameter: where it is not its first choice, the field is in double, whatever
    /// `precision` says (a seed mode).
    const char *precise_from;
};

enum bw_side_kind { BW_CLOSED = 0, BW_OPEN = 1, BW_INFLOW = 2, BW_PERIODIC = 3 };

/// One side of the box. Order of sides everywhere: x-, x+, y-, y+, z-, z+.
struct bw_side {
    uint32_t kind;      ///< enum bw_side_kind
    uint32_t no_slip;   ///< closed sides: 1 makes the tangential velocity equal to the wall's
    double velocity[3]; ///< m/s: the wall's own (closed) or the stream's (inflow)
};

/// What a domain is. Constant while a chain runs.
struct bw_domain_info {
    uint32_t size;    ///< of this struct
    const char *name; ///< "main" unless the preset names several
    int32_t n[3];     ///< cells of the box; 0,0,0: no box
    int32_t tile[3];  ///< cells of a tile: 16,16,16, or 64,64 with 1 along the thin axis
    int32_t thin;     ///< axis that is one cell thick, or -1
    double origin[3]; ///< world position of the low corner of cell (0,0,0), m
    double h;         ///< cell edge, m
    struct bw_side side[6];
};

/// What a field is. Constant while a chain runs.
struct bw_field_info {
    uint32_t size;
    const char *name;
    uint32_t kind, precision, comps, lifetime;
    uint32_t advected;    ///< 1: stages that carry "every advected field" carry it
    double background[3]; ///< value of inactive tiles
    double alive;         ///< see bw_port.alive
    const char *unit;
    const struct bw_domain_info *domain;
    uint32_t still; ///< 1: a mac field that is no velocity (its unit is not m/s): walls and streams have 0 of it
    uint32_t reserved;
};

#ifdef __cplusplus
}
#endif
#endif
