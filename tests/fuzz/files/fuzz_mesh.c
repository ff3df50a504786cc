// SPDX-License-Identifier: Apache-2.0
/* Meshes, of the format that FUZZ_ENDING names, as billow-mesh reads them. What is read must be whole: faces that name
 * points that are there, and numbers that are some. */
#include "fuzz.h"

#include <common/shape/mesh/read/build.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int64_t until = -1; // allocations that there is memory for

static void *memory_get(size_t bytes)
{
    if (until >= 0 && until-- == 0) {
        until = -2;
        return NULL;
    }
    return malloc(bytes);
}

/* Reads, looks at what came, and gives it back. */
static enum bw_status mesh_try(const char *text, size_t n)
{
    struct mesh_build b = {.path = "/nowhere/mesh" FUZZ_ENDING, .allocate = memory_get};
    mesh_build_read(&b, text, n, ANSWER_UP_AUTO);
    if (!b.status && !b.n_triangles) abort();
    if (b.status && b.status != BW_ERR_MEMORY && !b.failure.text[0]) abort();
    for (int64_t i = 0; i < b.n_points && !b.status; i++)
        for (int a = 0; a < 3; a++)
            if (!isfinite((float)b.point[i][a])) abort();
    for (int64_t t = 0; t < b.n_triangles; t++)
        for (int c = 0; c < 3; c++)
            if (b.triangle[t][c] < 0 || b.triangle[t][c] >= b.n_points) abort();
    mesh_build_free(&b);
    return b.status;
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
        until = k;
        const enum bw_status status = mesh_try(text, n);
        met = until == -2;
        until = -1;
        if (met && status != BW_ERR_MEMORY) abort();
    }
#endif
    free(text);
    return 0;
}
