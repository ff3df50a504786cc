// SPDX-License-Identifier: Apache-2.0
/* What a reader of meshes answers that a file has taken over. */
#include "fuzz.h"
#include "fuzz_host.h"

#include <common/shape/mesh/answer_read.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
    const uint8_t *at;
    size_t n;
};

static bool take(void *user, void *out, size_t n)
{
    struct bytes *b = user;
    if (n > b->n) return false;
    if (n) memcpy(out, b->at, n);
    b->at += n, b->n -= n;
    return true;
}

/* A mesh that is taken is whole; whatever is not leaves nothing behind. */
static enum bw_status answer_try(const uint8_t *bytes, size_t n)
{
    struct bytes b = {bytes, n};
    struct mesh_file f = {0};
    enum bw_status status;
    const struct answer_source from = {take, &b};
    const enum answer_state state = answer_read(fuzz_stage(), "/nowhere/mesh.obj", &from, &f, &status);
    if ((state || status) && (f.point || f.triangle)) abort();
    for (int64_t i = 0; i < f.n_points; i++)
        for (int a = 0; a < 3; a++)
            if (!isfinite(f.point[i][a])) abort();
    for (int64_t t = 0; t < f.n_triangles; t++)
        for (int c = 0; c < 3; c++)
            if (f.triangle[t][c] < 0 || f.triangle[t][c] >= f.n_points) abort();
    fuzz_stage()->host->release(fuzz_stage(), f.point);
    fuzz_stage()->host->release(fuzz_stage(), f.triangle);
    if (fuzz_memory_kept()) abort();
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    answer_try(bytes, n);
#ifdef FUZZ_REPLAY /* each allocation finds no memory in turn */
    bool met = true;
    for (int64_t k = 0; met; k++) {
        fuzz_memory_ends(k);
        const enum bw_status status = answer_try(bytes, n);
        met = fuzz_memory_ends(-1);
        if (met && status != BW_ERR_MEMORY) abort();
    }
#endif
    return 0;
}
