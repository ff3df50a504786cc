// SPDX-License-Identifier: Apache-2.0
/* The file through which bench_project and hypre_solve share a problem and its solutions: both map it. */
#ifndef HYPRE_FILE_H
#define HYPRE_FILE_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct hypre_file {
    int32_t n[3], reserved;
};

/// Where the parts of a mapped file are: see struct bench_problem.
struct hypre_parts {
    float *w[3], *b;
    double *ours, *theirs;
};

static inline size_t hypre_file_bytes(const int32_t n[3])
{
    return 64 + (size_t)n[0] * (size_t)n[1] * (size_t)n[2] * (4 * sizeof(float) + 2 * sizeof(double));
}

static inline struct hypre_parts hypre_file_parts(struct hypre_file *f)
{
    const size_t cells = (size_t)f->n[0] * (size_t)f->n[1] * (size_t)f->n[2];
    double *wide = (double *)((char *)f + 64);
    float *narrow = (float *)(wide + 2 * cells);
    return (struct hypre_parts){{narrow, narrow + cells, narrow + 2 * cells}, narrow + 3 * cells, wide, wide + cells};
}

/// NULL: it cannot be mapped.
static inline struct hypre_file *hypre_file_map(const char *path)
{
    struct stat st;
    const int fd = open(path, O_RDWR);
    void *m = fd < 0 || fstat(fd, &st) ? MAP_FAILED
                                       : mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0) close(fd);
    return m == MAP_FAILED ? NULL : m;
}

#endif
