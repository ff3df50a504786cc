// SPDX-License-Identifier: Apache-2.0
/* What billow-mesh answers, in the machine's own byte order: a heading, notes, points, triangles, the magic once more.
 * Who reads it believes none of it (../answer_read.c). */
#ifndef ANSWER_H
#define ANSWER_H

#include <stdint.h>

enum { ANSWER_TEXT = 232, ANSWER_NOTES = 8 };
#define ANSWER_MAGIC "bwmesh01"

/// How the file's axes become Z-up; auto: y in glTF and where an OBJ's writer has it, else z.
enum answer_up { ANSWER_UP_AUTO, ANSWER_UP_Y, ANSWER_UP_Z };

/// A sentence about the file, and the line of it that it is about; 0: none.
struct answer_note {
    int64_t line;
    char text[ANSWER_TEXT];
};

struct answer_head {
    char magic[8];
    int64_t n_points, n_triangles;
    int32_t status, n_notes; ///< status: enum bw_status; not 0: why stands in `failure`, and nothing comes behind
    struct answer_note failure;
    int32_t y_up, writer; ///< 1: axes were turned; of an OBJ, whose habit said so: files/obj_writer.h
};

#endif
