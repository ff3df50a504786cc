// SPDX-License-Identifier: Apache-2.0
/* Shared by the tests of the OpenVDB wrapper: a file of their own, a smooth bump to write, a file that is read. */
#ifndef BWVDB_WORLD_H
#define BWVDB_WORLD_H

#include <common/openvdb/bwvdb.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char path[64];

static inline void path_make(void)
{
    strcpy(path, "/tmp/bwvdb-XXXXXX");
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    close(fd);
}

static inline void path_remove(void) { remove(path); }

static struct bwvdb_error err;

#define GOOD(call) cr_assert((call) == BWVDB_OK, "%s", err.text)

/* A smooth bump with an exactly silent rim, x fastest; different along each axis so that a swapped axis shows. */
enum { N = 20 };
static inline void bump(float *v)
{
    for (int k = 0; k < N; k++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) {
                float x = (float)i - 9, y = (float)j - 10, z = (float)k - 8;
                float r = x * x + 2 * y * y + 3 * z * z;
                v[i + N * (j + N * k)] = r < 60 ? 1.25f - r / 64 : 5e-5f;
            }
}

static inline struct bwvdb_writer *writer_new(uint32_t compression, uint32_t threads)
{
    struct bwvdb_writer *w;
    GOOD(bwvdb_writer_create(&(struct bwvdb_options){.compression = compression, .threads = threads}, &w, &err));
    return w;
}

static inline void write_and_free(struct bwvdb_writer *w)
{
    GOOD(bwvdb_writer_write(w, path, &err));
    bwvdb_writer_free(w);
}

static inline struct bwvdb_file *open_loaded(void)
{
    struct bwvdb_file *f;
    GOOD(bwvdb_open(path, &f, &err));
    for (int32_t g = 0; g < bwvdb_count(f); g++) GOOD(bwvdb_load(f, g, &err));
    return f;
}

#endif
