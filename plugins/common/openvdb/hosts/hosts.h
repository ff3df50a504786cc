// SPDX-License-Identifier: Apache-2.0
/* What the programs that read VDB files ask of them: one table, for the exporter, for check and for convert. */
#ifndef VDB_HOSTS_H
#define VDB_HOSTS_H

#ifdef __cplusplus
extern "C" {
#endif

/// Kinds of rules; `number` is that of vdb_rule_of().
enum vdb_rule_kind {
    VDB_UP,       ///< axis that points up: 'y' or 'z'
    VDB_SCALE,    ///< units to a metre
    VDB_KELVIN,   ///< kelvin above ambient that a stored 1 stands for
    VDB_CHANNELS, ///< most channels of a file; a vector has three
    VDB_NUMBERS,  ///< grids of numbers alone, no vectors
    VDB_ONE_FLOW, ///< one vector grid of velocities, not three of numbers
    VDB_DENSITY,  ///< largest density: it is stored in 8 bits
    VDB_BOUNDS,   ///< all grids of a file have the same bounding box
    VDB_FILLED,   ///< no grid is empty, in any frame
    VDB_ASCII,    ///< names of files, folders and grids are ASCII
    VDB_UNIQUE,   ///< names of grids differ
    VDB_FILE,     ///< largest file that its viewport plays, bytes
    VDB_RIM,      ///< velocities reach as far round the smoke as it moves while the shutter is open: frames of that
};

/// One rule of one host.
struct vdb_rule {
    const char *host; ///< "unreal"
    enum vdb_rule_kind kind;
    double number;
    const char *source; ///< where it says so, and of which version
};

/// All hosts as `for` takes them, joined by '|'.
#define VDB_HOSTS "blender|houdini|unreal|unreal-nano|arnold|redshift|vray|octane|omniverse"

/// NULL: the host has no such rule.
const struct vdb_rule *vdb_rule_of(const char *host, enum vdb_rule_kind kind);
/// Its number, or `otherwise`.
double vdb_rule_number(const char *host, enum vdb_rule_kind kind, double otherwise);
/// Is it a host's name?
int vdb_host_known(const char *host);
/// Host number `i` of VDB_HOSTS; NULL beyond.
const char *vdb_host_name(int i);

#ifdef __cplusplus
}
#endif
#endif
