// SPDX-License-Identifier: Apache-2.0
/* Meshes, of the format that FUZZ_ENDING names. What is read must be whole: faces that name points that are there. */
#include "fuzz.h"
#include "fuzz_host.h"

#include <common/shape/mesh/mesh.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct mesh_file f = {0};
    char *text = malloc(n + 1);
    if (!text) return 0;
    if (n) memcpy(text, bytes, n);
    text[n] = '\0';
    enum bw_status status = mesh_read_bytes(fuzz_stage(), "/nowhere/mesh" FUZZ_ENDING, text, n, MESH_UP_AUTO, &f);
    if (!status && (!f.n_triangles || !(f.box.lo[0] <= f.box.hi[0]))) abort();
    for (int64_t t = 0; t < f.n_triangles; t++)
        for (int c = 0; c < 3; c++)
            if (f.triangle[t][c] < 0 || f.triangle[t][c] >= f.n_points) abort();
    mesh_file_free(fuzz_stage(), &f);
    free(text);
    return 0;
}
