// SPDX-License-Identifier: Apache-2.0
/* A mesh as a reader finds it: points one after another, then faces that name them. Readers run in a process of their
 * own, billow-mesh, with bounded memory and time (../mesh_read.c is the other side of that wall). What a file says is
 * believed nowhere: every corner is a point that there is, and memory grows with what has been read and not with what a
 * heading promises. The first failure stays in `status`, and what comes after it does nothing. A face that is wrong
 * alone is left out and counted. */
#ifndef BUILD_H
#define BUILD_H

#include "answer.h"

#include <billow/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mesh_build {
    const char *path;
    bool y_up;                       ///< the file's: (x, y, z) becomes (x, -z, y)
    int writer;                      ///< by whose habit: files/obj_writer.h
    int64_t most;                    ///< points and triangles that a file of this size may have
    int64_t line;                    ///< where the reader is, for messages; 0: the format has no lines
    double ear_work;                 ///< spent on faces of many corners
    void *(*allocate)(size_t bytes); ///< NULL: malloc

    double (*point)[3];     ///< x not finite: it is none, and faces that name it are left out
    int32_t (*triangle)[3]; ///< of points that there are
    int64_t n_points, n_triangles;
    enum bw_status status;
    struct answer_note failure;
    int64_t left_out;         ///< faces
    int64_t left_parts;       ///< parts of the file, each with its faces
    struct answer_note first; ///< the first thing that was wrong
    struct answer_note note[ANSWER_NOTES];
    int n_notes;
    const char *instead; ///< what the file holds in place of faces; NULL: nothing that is known

    /* ---- its own ---- */
    int64_t room_points, room_triangles;
};

/// Say what is wrong in this file, at its line where it has lines. Returns BW_ERR_IO.
enum bw_status mesh_build_fail(struct mesh_build *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// A face is left out for this reason.
void mesh_build_leave(struct mesh_build *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// What failed so far, if it is no more than a part of the file, is left out: b goes on without.
void mesh_build_leave_part(struct mesh_build *b);
/// Say why faces may be left out later: of a point, say. The first of these reasons and of those above is kept.
void mesh_build_blame(struct mesh_build *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Something that the user should know though the file is read; what is too much is dropped.
void mesh_build_note(struct mesh_build *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Another point; one that is no number, or too large for one of 32 bits, keeps its place but is none.
void mesh_build_point(struct mesh_build *b, const double p[3]);
/// Another triangle of points met before.
void mesh_build_triangle(struct mesh_build *b, int64_t c0, int64_t c1, int64_t c2);
/// Memory of `bytes` in place of `old`, which has `used`; NULL: b->status says that there is none, and `old` is kept.
void *mesh_build_grow(struct mesh_build *b, void *old, size_t used, size_t bytes);
void mesh_build_free(struct mesh_build *b);

/* ---- read.c ---- */

/// A file's bytes, a 0 behind them: by the ending of b->path or by their beginning, by one of the
/// readers below. Afterwards there are triangles, or b->status says why not.
void mesh_build_read(struct mesh_build *b, const char *text, size_t n, enum answer_up up);

/* ---- face.c ---- */

/// A face of n points in order round it; fewer than three make none. A quad is cut along the diagonal that stays
/// inside, others by their ears. One that names a point that has not been met is left out.
void mesh_build_face(struct mesh_build *b, const int64_t *corner, int64_t n);
/// A strip of triangles: each two of its points with the next one; -1 ends one and begins another.
void mesh_build_strip(struct mesh_build *b, const int64_t *corner, int64_t n);

/// A list of corners that grows; its memory is freed by who has it.
struct corners {
    int64_t *list, n, room;
};
/// false: there is no memory, and b->status says so.
bool corners_add(struct mesh_build *b, struct corners *c, int64_t corner);

/* ---- readers: obj.c, ply.c, stl.c, gltf.c ---- */

/// Bytes of a file, a 0 behind them, into b. What is wrong is said.
void mesh_read_obj(struct mesh_build *b, const char *text, size_t n);
void mesh_read_ply(struct mesh_build *b, const char *text, size_t n);
void mesh_read_stl(struct mesh_build *b, const char *text, size_t n);
void mesh_read_gltf(struct mesh_build *b, const char *text, size_t n);

#endif
