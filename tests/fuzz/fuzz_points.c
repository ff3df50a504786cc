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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct points_file f = {0};
    char path[64];
    const int fd = memfd_create("points", MFD_CLOEXEC);
    if (fd < 0) return 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (write(fd, bytes, n) == (ssize_t)n && !points_read(fuzz_stage(), path, n & 1, &f))
        for (int64_t i = 0; i < f.n; i++)
            if (!isfinite(f.pos[i][0] + f.pos[i][1] + f.pos[i][2])) abort();
    points_file_free(fuzz_stage(), &f);
    close(fd);
    return 0;
}
