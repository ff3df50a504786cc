// SPDX-License-Identifier: Apache-2.0
/* The pieces of a glTF 2.0 file: its JSON, its buffers, numbers in them, and where its nodes put things. */
#ifndef GLTF_H
#define GLTF_H

#include "../build.h"

#include <jansson.h>

struct gltf_buffer {
    const char *bytes; ///< NULL: not loaded yet
    size_t n;
    char *own; ///< what is to be freed
};

/// world[r] = m[r][0]·x + m[r][1]·y + m[r][2]·z + m[r][3]
struct place {
    double m[3][4];
};

struct gltf {
    struct mesh_build *b;
    json_t *root;
    const char *bin; ///< the binary chunk of a .glb
    size_t n_bin;
    struct gltf_buffer *buffer;
    size_t n_buffers, n_nodes;
    int64_t *parent;     ///< of each node; -1: none
    struct place *world; ///< of each node
    bool gone;           ///< a buffer's file cannot be read: nothing of the mesh is left out for that
};

/// Numbers of an accessor: comps in each of `count` elements, one after another. Freed by who asks for them.
struct gltf_numbers {
    double *value;
    int64_t count;
    int comps;
};

/* ---- gltf_buffer.c ---- */

/// An entry of a list in the root, "nodes" or the like; NULL: there is none, and it is said.
json_t *gltf_entry(struct gltf *g, const char *list, int64_t index);
/// A whole number >= 0 of an object; `missing` where there is none. What is no such number is said, and -1.
int64_t gltf_integer(struct gltf *g, const json_t *object, const char *key, int64_t missing);
/// The same of an entry of a list; -1: it is none.
int64_t gltf_index(const json_t *list, size_t i);
/// The bytes of a view from `offset` on; n of them, each `stride` apart where it says so. NULL: said.
const char *gltf_view(struct gltf *g, int64_t index, int64_t offset, size_t *n, int64_t *stride);
/// Give back what buffers took.
void gltf_free(struct gltf *g);

/* ---- gltf_numbers.c ---- */

/// The numbers of an accessor, sparse ones too. false: it cannot be read, and it is said.
bool gltf_numbers(struct gltf *g, int64_t accessor, int comps, struct gltf_numbers *out);

/* ---- gltf_place.c ---- */

struct place place_join(const struct place *a, const struct place *b);
/// Translation, rotation (a quaternion x, y, z, w) and scale.
struct place place_make(const double t[3], const double q[4], const double s[3]);
void place_apply(const struct place *at, const double x[3], double out[3]);
/// Parents and places of all nodes. What is no tree is said.
void gltf_nodes(struct gltf *g);

/* ---- gltf_deform.c: what moves the points of a primitive before it is placed ---- */

/// Adds the targets of a primitive by the weights of its node or mesh.
void gltf_morph(struct gltf *g, const json_t *node, const json_t *mesh, const json_t *primitive,
                struct gltf_numbers *point);
/// Moves the points of a primitive to where the joints of the node's skin put them, in the world. false: it has none.
bool gltf_skin(struct gltf *g, const json_t *node, const json_t *primitive, struct gltf_numbers *point);

#endif
