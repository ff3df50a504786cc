// SPDX-License-Identifier: Apache-2.0
/* Meshes, of the format that FUZZ_ENDING names. What is read must be whole: faces that name points that are there. */
#include "fuzz.h"
#include "fuzz_host.h"

#include <common/shape/mesh/mesh.h>
#include <stdlib.h>
#include <string.h>

/* Reads, looks at what came, and gives it back. */
static enum bw_status mesh_try(const char *text, size_t n)
{
    struct mesh_file f = {0};
    enum bw_status status = mesh_read_bytes(fuzz_stage(), "/nowhere/mesh" FUZZ_ENDING, text, n, MESH_UP_AUTO, &f);
    if (!status && (!f.n_triangles || !(f.box.lo[0] <= f.box.hi[0]))) abort();
    for (int64_t t = 0; t < f.n_triangles; t++)
        for (int c = 0; c < 3; c++)
            if (f.triangle[t][c] < 0 || f.triangle[t][c] >= f.n_points) abort();
    mesh_file_free(fuzz_stage(), &f);
    if (fuzz_memory_kept()) abort();
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    char *text = malloc(n + 1);
    if (!text) return 0;
    if (n) memcpy(text, bytes, n);
    text[n] = '\0';
    mesh_try(text, n);
#ifdef FUZZ_REPLAY /* each allocation finds no memory in turn */
    bool met = true;
    for (int64_t k = 0; met; k++) {
        fuzz_memory_ends(k);
        const enum bw_status status = mesh_try(text, n);
        met = fuzz_memory_ends(-1);
        if (met && status != BW_ERR_MEMORY) abort();
    }
#endif
    free(text);
    return 0;
}
