// SPDX-License-Identifier: Apache-2.0
/* What may be handed to OpenVDB: a file that passes vdb_check() must then be read without a crash. OpenVDB itself reads
 * from a file, which only the few inputs that pass are written into. */
#include "fuzz.h"

#include <common/openvdb/bwvdb.h>
#include <common/openvdb/vdb_check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void openvdb_read(const char *path)
{
    struct bwvdb_file *f = NULL;
    if (bwvdb_open(path, &f, NULL)) return;
    for (int32_t g = 0; g < bwvdb_count(f); g++) bwvdb_load(f, g, NULL);
    bwvdb_close(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct bwvdb_error error;
    struct vdb_bytes *b = malloc(sizeof *b);
    if (!b) return 0;
    vdb_bytes_memory(b, bytes, n, "memory", &error);
    bool stream;
    const bool good = vdb_check(b, true, &stream);
    free(b);
    char path[] = "/tmp/fuzz-vdb-XXXXXX";
    const int fd = good ? mkstemp(path) : -1;
    if (fd < 0) return 0;
    if (write(fd, bytes, n) == (ssize_t)n) openvdb_read(path);
    close(fd);
    unlink(path);
    return 0;
}
