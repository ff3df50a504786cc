// SPDX-License-Identifier: Apache-2.0
/* A mesh as a reader finds it: points one after another, then faces that name them. What a file says is believed
 * nowhere: every place is a number, every corner a point that there is, and memory grows with what has been read and
 * not with what a heading promises. The first failure stays in `status`; what comes after it does nothing. */
#ifndef BUILD_H
#define BUILD_H

#include "../mesh.h"

struct mesh_build {
    struct bw_stage *stage;
    struct mesh_file *out;
    enum bw_status status;
    bool y_up;       ///< the file's: (x, y, z) becomes (x, -z, y)
    int64_t most;    ///< points and triangles that a file of this size may have
    int64_t line;    ///< where the reader is, for messages; 0: the format has no lines
    double ear_work; ///< spent on faces of many corners

    /* ---- its own ---- */
    int64_t room_points, room_triangles;
};

enum { MESH_CORNERS = 4096 }; ///< of a face

/// Say what is wrong in this file, at its line where it has lines. Returns BW_ERR_IO.
enum bw_status mesh_build_fail(struct mesh_build *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Another point, kept as 32-bit numbers.
void mesh_build_point(struct mesh_build *b, const double p[3]);
/// Another triangle of points met before.
void mesh_build_triangle(struct mesh_build *b, int64_t c0, int64_t c1, int64_t c2);

/* ---- face.c ---- */

/// A face of n points in order round it, which must have been met; fewer than three make none. A quad is cut along the
/// diagonal that stays inside, others by their ears.
void mesh_build_face(struct mesh_build *b, const int64_t *corner, int n);

/* ---- readers: obj.c, ply.c, stl.c, gltf.c ---- */

/// Bytes of a file, a 0 behind them, into b. What is wrong is said.
void mesh_read_obj(struct mesh_build *b, const char *text, size_t n);
void mesh_read_ply(struct mesh_build *b, const char *text, size_t n);
void mesh_read_stl(struct mesh_build *b, const char *text, size_t n);
void mesh_read_gltf(struct mesh_build *b, const char *text, size_t n);

#endif
