// SPDX-License-Identifier: Apache-2.0
/* PLY's heading and number types (G. Turk 1994), for tables of points and for meshes. */
#ifndef PLY_H
#define PLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLY_ELEMENTS = 32, PLY_PROPERTIES = 256 }; ///< more than any file has

struct ply_type {
    const char *name[2];
    int bytes;
    bool is_float, is_signed;
};

struct ply_property {
    char name[64];
    const struct ply_type *type, *count; ///< count: of a list; NULL: a single value
    size_t offset;                       ///< in its row, where no list is before it
};

struct ply_element {
    char name[64];
    int64_t rows;
    int first, n;  ///< properties
    size_t stride; ///< bytes of a row without lists
};

enum ply_form { PLY_TEXT, PLY_LITTLE, PLY_BIG };

struct ply_heading {
    enum ply_form form;
    struct ply_element element[PLY_ELEMENTS];
    struct ply_property property[PLY_PROPERTIES];
    int n_elements, n_properties;
    const char *rest; ///< what comes behind it
    int64_t line;     ///< read last
    int64_t odd;      ///< the first line that is none of PLY; 0: there is none
    char why[160];    ///< it cannot be used
};

/// Of a file's bytes; `comment` (or NULL) gets its remarks. A heading that promises more rows than the file has bytes
/// is refused. false: `why` says why, at `line`.
bool ply_heading_read(struct ply_heading *h, const char *text, size_t size,
                      void (*comment)(const char *line, void *user), void *user);
/// The element of that name, or NULL.
const struct ply_element *ply_element_find(const struct ply_heading *h, const char *name);
/// The value whose bytes begin at `at`.
double ply_type_value(const struct ply_type *type, const char *at, bool big_endian);

#endif
