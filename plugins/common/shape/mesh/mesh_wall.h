// SPDX-License-Identifier: Apache-2.0
/* The wall between a mesh file and us, for who would try it with another program behind it
 * (mesh_read.c). */
#ifndef MESH_WALL_H
#define MESH_WALL_H

#include "mesh.h"

/// mesh_read() by this program, which has so much time. Errors, said: what the program says of the file (BW_ERR_IO,
/// BW_ERR_LIMIT); BW_ERR_IO, it crashes or answers nonsense; BW_ERR_LIMIT, it takes too long or cannot be started;
/// BW_ERR_CANCELLED; BW_ERR_MEMORY.
enum bw_status mesh_read_by(struct bw_stage *s, const char *program, double seconds, const char *path, int32_t up,
                            struct mesh_file *f);

#endif
