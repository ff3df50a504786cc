// SPDX-License-Identifier: Apache-2.0
/* The host of the targets; fuzz_host.h says what it does. */
#include "fuzz_host.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t kept, until = -1; // allocations; one thread has them all

static void *host_alloc(struct bw_stage *s, size_t bytes)
{
    (void)s;
    if (until >= 0 && until-- == 0) {
        until = -2;
        return NULL;
    }
    void *memory = calloc(1, bytes ? bytes : 1);
    kept += memory != NULL;
    return memory;
}

static void host_release(struct bw_stage *s, void *memory)
{
    (void)s;
    kept -= memory != NULL;
    free(memory);
}

bool fuzz_memory_ends(int64_t k)
{
    const bool met = until == -2;
    until = k;
    return met;
}

int64_t fuzz_memory_kept(void) { return kept; }

static enum bw_status host_fail(struct bw_stage *s, enum bw_status status, const char *format, ...)
{
    char text[4096];
    va_list list;
    (void)s;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (!text[0] || strchr(format, '\n') || !status) abort(); // what a file says the host makes printable
    return status;
}

static void host_log(struct bw_stage *s, uint32_t level, const char *format, ...)
{
    (void)s, (void)level, (void)format;
}

struct bw_stage *fuzz_stage(void)
{
    static const struct bw_host host = {
        .size = sizeof host, .alloc = host_alloc, .release = host_release, .fail = host_fail, .log = host_log};
    static struct bw_stage stage;
    stage.host = &host;
    return &stage;
}
