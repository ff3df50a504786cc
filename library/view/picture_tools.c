// SPDX-License-Identifier: Apache-2.0
#include "picture_tools.h"

#include "base/alloc.h"
#include "base/machine.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct loop {
    _Atomic int64_t next;
    int64_t n;
    void (*fn)(int64_t i, void *user);
    void *user;
};

static void *loop_run(void *arg)
{
    struct loop *l = arg;
    for (int64_t i; (i = atomic_fetch_add(&l->next, 1)) < l->n;) l->fn(i, l->user);
    return NULL;
}

static void tools_parallel(void *ctx, int64_t n, void (*fn)(int64_t i, void *user), void *user)
{
    enum { MAX = 64 };
    struct loop l = {.n = n, .fn = fn, .user = user};
    pthread_t thread[MAX];
    const int cores = (int)bw_cores();
    int started = 0;
    (void)ctx;
    while (started < MAX && started + 1 < cores && started + 1 < n &&
           !pthread_create(&thread[started], NULL, loop_run, &l))
        started++;
    loop_run(&l);
    while (started) pthread_join(thread[--started], NULL);
}

static void *tools_alloc(void *ctx, size_t bytes)
{
    (void)ctx;
    return bw_alloc_all_written(calloc(1, bytes ? bytes : 1), bytes);
}

static void tools_release(void *ctx, void *memory)
{
    (void)ctx;
    free(memory);
}

struct bw_tools picture_tools(void)
{
    return (struct bw_tools){tools_alloc, tools_release, tools_parallel, NULL, bw_simd_best()};
}

enum bw_status pixels_of_image(const struct bw_image *img, struct bw_pixels *out, struct bw_diag *d)
{
    uint8_t *memory = malloc(3 * (size_t)img->w * (size_t)img->h);
    if (!memory) return out_of_memory(d);
    for (int y = 0; y < img->h; y++) bw_image_row(img, y, 8, memory + 3 * (size_t)y * (size_t)img->w);
    *out = (struct bw_pixels){.width = img->w, .height = img->h, .channels = 3, .memory = memory};
    return BW_OK;
}
