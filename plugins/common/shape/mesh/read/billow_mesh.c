// SPDX-License-Identifier: Apache-2.0
/* billow-mesh SECONDS UP FILE: reads a mesh and answers on descriptor CHILD_FD what answer.h says. It has so much time,
 * memory by the file's size, and writes no file. What becomes of it is for ../mesh_read.c to see. */
#include "build.h"
#include "bytes.h"

#include <common/child/child.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define MEMORY_LEAST ((rlim_t)4 << 30)
enum { MEMORY_FACTOR = 64 }; ///< bytes a byte of the file

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 }; ///< takes terabytes of addresses
#else
enum { SANITIZED = 0 };
#endif

static void limit_set(int which, rlim_t most)
{
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)which, &now)) return;
    if (now.rlim_cur < most) most = now.rlim_cur; // the host's own is smaller
    setrlimit((__rlimit_resource_t)which, &(struct rlimit){most, most});
}

/* No more than three quarters of the machine has it, either. */
static void limits_set(const char *path, rlim_t seconds)
{
    struct stat st;
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const rlim_t machine = pages > 0 && page > 0 ? (rlim_t)pages / 4 * 3 * (rlim_t)page : RLIM_INFINITY;
    rlim_t memory = MEMORY_LEAST + (stat(path, &st) ? 0 : (rlim_t)st.st_size * MEMORY_FACTOR);
    if (memory > machine) memory = machine;
    if (!SANITIZED) limit_set(RLIMIT_AS, memory);
    limit_set(RLIMIT_CPU, seconds);
    limit_set(RLIMIT_FSIZE, 0);
    limit_set(RLIMIT_NPROC, 0);
}

static bool send(const void *bytes, size_t n)
{
    const char *at = bytes;
    while (n) {
        const ssize_t done = write(CHILD_FD, at, n);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done, n -= (size_t)done;
    }
    return true;
}

static bool answer_send(const struct mesh_build *b)
{
    struct answer_head head = {.magic = ANSWER_MAGIC, .status = b->status, .failure = b->failure};
    head.y_up = b->y_up, head.writer = b->writer;
    if (!b->status) head.n_points = b->n_points, head.n_triangles = b->n_triangles, head.n_notes = b->n_notes;
    return send(&head, sizeof head) && send(b->note, (size_t)head.n_notes * sizeof *b->note) &&
           send(b->point, (size_t)head.n_points * sizeof *b->point) &&
           send(b->triangle, (size_t)head.n_triangles * sizeof *b->triangle) && send(head.magic, sizeof head.magic);
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    struct mesh_build b = {.path = argv[3]};
    const int up = atoi(argv[2]);
    size_t n;
    child_settle();
    limits_set(b.path, (rlim_t)atoi(argv[1]));
    const char *text = bytes_read(&b, b.path, &n);
    if (text)
        mesh_build_read(&b, text, n, up == ANSWER_UP_Y || up == ANSWER_UP_Z ? (enum answer_up)up : ANSWER_UP_AUTO);
    _exit(answer_send(&b) ? 0 : 1);
}
