// SPDX-License-Identifier: Apache-2.0
/* PLY's number types (G. Turk 1994), for tables of points and for meshes. */
#ifndef PLY_TYPES_H
#define PLY_TYPES_H

#include <stdbool.h>

struct ply_type {
    const char *name[2];
    int bytes;
    bool is_float, is_signed;
};

/// By either name, or NULL.
const struct ply_type *ply_type_find(const char *name);
/// The value whose bytes begin at `at`.
double ply_type_value(const struct ply_type *type, const char *at, bool big_endian);

#endif
