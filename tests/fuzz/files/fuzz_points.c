// SPDX-License-Identifier: Apache-2.0
/* Points as CSV and as PLY; which of them the first bytes tell. They are read from a file, which here is in memory. */
#include "fuzz.h"
#include "fuzz_host.h"

#include <common/shape/points/points.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Reads, looks at what came, and gives it back. */
static enum bw_status points_try(const char *path, bool y_up)
{
    struct points_file f = {0};
    const enum bw_status status = points_read(fuzz_stage(), path, y_up, &f);
    for (int64_t i = 0; i < f.n && !status; i++)
        if (!isfinite(f.pos[i][0] + f.pos[i][1] + f.pos[i][2])) abort();
    points_file_free(fuzz_stage(), &f);
    if (fuzz_memory_kept()) abort();
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    char path[64];
    const int fd = memfd_create("points", MFD_CLOEXEC);
    if (fd < 0) return 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (write(fd, bytes, n) == (ssize_t)n) points_try(path, n & 1);
#ifdef FUZZ_REPLAY /* each allocation finds no memory in turn */
    bool met = true;
    for (int64_t k = 0; met; k++) {
        fuzz_memory_ends(k);
        const enum bw_status status = points_try(path, n & 1);
        met = fuzz_memory_ends(-1);
        if (met && status != BW_ERR_MEMORY) abort();
    }
#endif
    close(fd);
    return 0;
}
