// SPDX-License-Identifier: Apache-2.0
/* The pieces of a glTF 2.0 file: its JSON, its buffers, and numbers in them. */
#ifndef GLTF_H
#define GLTF_H

#include "build.h"

#include <common/file/file.h>
#include <jansson.h>

enum { GLTF_BUFFERS = 256 };

struct gltf {
    struct mesh_build *b;
    json_t *root;
    const char *bin; ///< the binary chunk of a .glb
    size_t n_bin;
    struct gltf_buffer {
        const char *bytes; ///< NULL: not loaded yet
        size_t n;
        struct file_bytes own; ///< what is to be freed
    } buffer[GLTF_BUFFERS];
};

/// Numbers of an accessor: `comps` in each of `count` elements, `stride` bytes apart.
struct gltf_numbers {
    const char *at;
    size_t stride;
    int64_t count;
    int comps, type; ///< type: glTF's componentType
    bool normalized;
};

/// An entry of a list in the root, "nodes" or the like; NULL: there is none, and it is said.
json_t *gltf_entry(struct gltf *g, const char *list, int64_t index);
/// A whole number >= 0 of an object; `missing` where there is none. What is no such number is said.
int64_t gltf_integer(struct gltf *g, const json_t *object, const char *key, int64_t missing);
/// The numbers of an accessor, all of which lie in their buffer. false: they do not, and it is said.
bool gltf_numbers(struct gltf *g, int64_t accessor, int comps, struct gltf_numbers *out);
/// Component c of element i.
double gltf_number(const struct gltf_numbers *n, int64_t i, int c);
/// Give back what buffers took.
void gltf_free(struct gltf *g);

#endif
